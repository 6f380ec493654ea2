#include "hlo/print/printer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/sharding.h"
#include "hlo/ir/text_sink.h"
#include "hlo/ir/unknown.h"
#include "hlo/print/attribute_printer.h"
#include "hlo/print/header_printer.h"

namespace hlokit {
namespace {

constexpr int64_t kFewElements = 10;
constexpr int64_t kEssentialElements = 500000;

// Asynchronous operations print under the wrapped operation's name when the
// computation holds nothing but parameters and the root that takes them.
bool IsSugarable(const Computation& wrapped) {
  const Instruction* root = wrapped.root();
  if (root == nullptr) return false;
  for (const Instruction* i : wrapped.instructions()) {
    if (i != root && i->opcode() != Opcode::kParameter) return false;
  }
  return std::all_of(root->operands().begin(), root->operands().end(),
                     [](const Instruction* operand) {
                       return operand->opcode() == Opcode::kParameter;
                     });
}

// The texts of types, of which modules have few different ones.
class ShapeTexts {
 public:
  explicit ShapeTexts(bool layouts) : layouts_(layouts) {}

  // Valid until the next call. Shapes must live as long as this.
  absl::string_view Of(const Shape& shape) {
    if (entries_.empty()) entries_.resize(kEntries);
    const auto key = reinterpret_cast<uintptr_t>(shape.identity());
    Entry& entry = entries_[(key >> 6 ^ key >> 14) % kEntries];
    if (entry.key != key || key == 0) {
      entry.key = key;
      entry.text.clear();
      shape.AppendTo(&entry.text, layouts_);
    }
    return entry.text;
  }

 private:
  struct Entry {
    uintptr_t key = 0;
    std::string text;
  };
  static constexpr size_t kEntries = 256;
  const bool layouts_;
  std::vector<Entry> entries_;
};

// With layouts as the options say, and without.
struct ModuleShapeTexts {
  explicit ModuleShapeTexts(const PrintOptions& options)
      : own(options.include_layout_in_shapes) {}
  ShapeTexts own;
  ShapeTexts bare{/*layouts=*/false};
};

// Makes room for all of a text as soon as its beginning tells how long it will
// be: a string that grows is copied each time, and both copies take memory.
class RoomForText {
 public:
  RoomForText(int64_t instructions, std::string* out)
      : instructions_(instructions), begin_(out->size()), out_(out) {}

  // After each instruction.
  void Step() {
    if (++done_ < next_) return;
    next_ = 2 * done_;
    const size_t now = out_->size() - begin_;
    const double expected =
        1.1 * static_cast<double>(now) * instructions_ / done_ + kMore;
    if (instructions_ > done_ && now > kSmall && expected < kLimit &&
        begin_ + expected > out_->capacity()) {
      out_->reserve(begin_ + static_cast<size_t>(expected));
    }
  }

 private:
  static constexpr size_t kSmall = 64 << 10;
  static constexpr double kMore = 64 << 10;
  static constexpr double kLimit = 1e12;
  const int64_t instructions_;
  const size_t begin_;
  std::string* out_;
  int64_t done_ = 0;
  int64_t next_ = 1024;
};

// Prints one computation (or a lone instruction); bodies that are printed
// inside it have printers of their own.
class ComputationPrinter {
 public:
  ComputationPrinter(const PrintOptions& options, ModuleShapeTexts* shapes,
                     TextSink* out)
      : options_(options), shapes_(shapes), out_(out) {}

  void PrintComputation(const Computation& computation, bool with_entry,
                        RoomForText* room = nullptr);
  // `alone`: not as a line of its computation.
  void PrintInstruction(const Instruction& i, bool alone);

 private:
  void Append(absl::string_view text) { out_->Append(text); }
  void Indent(int64_t levels) {
    for (int64_t i = 0; i < levels; ++i) out_->Append("  ");
  }
  absl::string_view ShownName(absl::string_view name) const {
    return options_.print_ids ? name : name.substr(0, name.find('.'));
  }
  void PrintName(absl::string_view name) {
    if (options_.print_percent) out_->Append('%');
    Append(ShownName(name));
  }
  void PrintInstructionName(const Instruction& i) {
    if (!options_.canonicalize_instruction_names) {
      PrintName(i.name());
      return;
    }
    const auto [it, inserted] = canonical_.try_emplace(&i, canonical_.size());
    out_->AppendAll("tmp_", it->second);
  }
  void PrintShape(const Shape& shape) {
    out_->Append(shapes_->own.Of(shape));
  }

  void PrintSignature(const Computation& computation);
  bool IsSugared(const Instruction& i) const;
  bool IsHidden(const Instruction& i) const {
    return options_.compact_gte && i.opcode() == Opcode::kGetTupleElement &&
           !i.IsRoot() && i.control_predecessors().empty() &&
           i.control_successors().empty();
  }
  void PrintOpcode(const Instruction& i);
  void PrintConstant(const Literal* literal);
  bool PrintsOperandNames() const;
  void PrintOperand(const Instruction& operand);
  void PrintOperands(const Instruction& i);
  void PrintOwnBlock(const Instruction& i);
  void PrintComputations(const Instruction& i);
  void PrintCalled(const Computation& computation);
  void PrintCalledList(absl::string_view name,
                       absl::Span<Computation* const> computations);
  void PrintBody(const Computation& computation);
  bool PrintsBodies(const Instruction& i) const;
  void PrintControlPredecessors(const Instruction& i);
  void PrintCommonBlocks(const Instruction& i, bool frontend_attributes);
  void PrintAttributes(const Instruction& i);
  // What is kept as text (hlo/ir/unknown.h). Most instructions have none of it.
  void ReadUnknown(const Instruction& i);
  void PrintUnknown(const UnknownItem& item);
  // Behind the attribute of this name.
  void UnknownAfter(absl::string_view name) {
    if (!unknown_.empty()) PrintUnknownAfter(name);
  }
  void PrintUnknownAfter(absl::string_view name);
  void PrintMarked(absl::string_view text);
  void PrintUnknownOf(const Computation& computation, absl::string_view place);

  const PrintOptions& options_;
  ModuleShapeTexts* shapes_;
  TextSink* out_;
  bool alone_ = false;
  bool with_entry_ = false;  // bodies inside show ENTRY as their caller does
  const Instruction* unknown_of_ = nullptr;
  std::vector<UnknownItem> unknown_;  // of the instruction, not printed yet
  bool marks_calls_ = false;          // its text names called computations
  bool marks_operands_ = false;       // the text in hand names operands
  absl::flat_hash_map<const Instruction*, int64_t> canonical_;
};

bool ComputationPrinter::IsSugared(const Instruction& i) const {
  if (!options_.syntax_sugar_async_ops) return false;
  const Computation* wrapped = i.async_wrapped_computation();
  return wrapped != nullptr && IsSugarable(*wrapped);
}

void ComputationPrinter::PrintOpcode(const Instruction& i) {
  if (i.opcode() == Opcode::kAsyncStart || i.opcode() == Opcode::kAsyncUpdate ||
      i.opcode() == Opcode::kAsyncDone) {
    if (IsSugared(i)) {
      Append(OpcodeName(i.async_wrapped_instruction()->opcode()));
      Append(OpcodeName(i.opcode()).substr(5));
      return;
    }
  }
  Append(i.opcode() == Opcode::kCustomCall ? ShownOpcode(i)
                                           : OpcodeName(i.opcode()));
}

void ComputationPrinter::ReadUnknown(const Instruction& i) {
  unknown_.clear();
  marks_calls_ = false;
  if (!i.attrs().Has(AttrId::kFrontendAttributes)) return;
  const absl::string_view text = UnknownPart(i, kUnknownTextKey);
  if (text.empty()) return;
  unknown_of_ = &i;
  unknown_ = UnknownItemsFromString(text);
  if (UnknownOpcode(i).empty()) return;  // only these have marks
  for (const UnknownItem& item : unknown_) {
    marks_calls_ |= item.after != "(" && absl::StrContains(item.text, "%<");
  }
}

void ComputationPrinter::PrintUnknown(const UnknownItem& item) {
  if (item.text.empty() || !options_.print_extra_attributes) return;
  Append(", ");
  PrintMarked(item.text);
}

void ComputationPrinter::PrintUnknownAfter(absl::string_view name) {
  size_t kept = 0;
  for (size_t k = 0; k < unknown_.size(); ++k) {
    if (unknown_[k].after == name) {
      PrintUnknown(unknown_[k]);
    } else {
      if (kept != k) unknown_[kept] = std::move(unknown_[k]);
      ++kept;
    }
  }
  unknown_.resize(kept);
}

// With names in place of "%<2>".
void ComputationPrinter::PrintMarked(absl::string_view text) {
  const Instruction& i = *unknown_of_;
  if (UnknownOpcode(i).empty()) return Append(text);
  while (true) {
    const size_t mark = text.find("%<");
    const size_t end =
        mark == absl::string_view::npos ? mark : text.find('>', mark);
    uint32_t index;
    if (end == absl::string_view::npos ||
        !absl::SimpleAtoi(text.substr(mark + 2, end - mark - 2), &index)) {
      return Append(text);
    }
    Append(text.substr(0, mark));
    if (marks_operands_ && index < i.operands().size()) {
      PrintInstructionName(*i.operand(index));
    } else if (!marks_operands_ && index < i.called_computations().size()) {
      PrintName(i.called_computation(index)->name());
    }
    text.remove_prefix(end + 1);
  }
}

void ComputationPrinter::PrintUnknownOf(const Computation& computation,
                                        absl::string_view place) {
  const FrontendAttributes& all = computation.module()->frontend_attributes;
  if (all.empty()) return;
  const absl::string_view text = UnknownPart(
      &all, UnknownKeyOf(kUnknownTextKey, computation.name()));
  for (const UnknownItem& item : UnknownItemsFromString(text)) {
    if (item.after == place) out_->AppendAll(", ", item.text);
  }
}

void ComputationPrinter::PrintConstant(const Literal* literal) {
  if (literal == nullptr) return Append("{...}");
  const bool is_array = literal->shape().IsArray();
  if (options_.print_only_essential_constants) {
    if (is_array && literal->IsAll(0)) return Append("0");
    if (is_array && literal->IsAll(1)) return Append("1");
    if (is_array && IsIntegerType(literal->element_type()) &&
        literal->element_count() <= kEssentialElements) {
      return literal->AppendTo(out_);
    }
    return Append("{...}");
  }
  if (options_.print_large_constants ||
      (is_array && literal->element_count() <= kFewElements)) {
    return literal->AppendTo(out_);
  }
  Append("{...}");
}

// With canonical names a lone instruction shows neither its own name nor those
// of its operands.
bool ComputationPrinter::PrintsOperandNames() const {
  return options_.canonicalize_instruction_names ? !alone_
                                                 : options_.print_operand_names;
}

void ComputationPrinter::PrintOperand(const Instruction& operand) {
  if (options_.print_operand_shape) PrintShape(operand.shape());
  if (!PrintsOperandNames()) return;
  if (options_.print_operand_shape) out_->Append(' ');
  if (!IsHidden(operand)) return PrintInstructionName(operand);
  // %tuple#1#0: element 0 of element 1.
  absl::InlinedVector<int64_t, 4> path;
  const Instruction* from = &operand;
  while (IsHidden(*from)) {
    path.push_back(from->tuple_index());
    from = from->operand(0);
  }
  PrintInstructionName(*from);
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    out_->AppendAll("#", *it);
  }
}

void ComputationPrinter::PrintOperands(const Instruction& i) {
  for (const UnknownItem& item : unknown_) {
    if (item.after != "(") continue;
    marks_operands_ = true;
    PrintMarked(item.text);
    marks_operands_ = false;
    return;
  }
  if (i.opcode() == Opcode::kConstant) return PrintConstant(i.literal());
  if (i.opcode() == Opcode::kParameter) {
    if (options_.print_parameter_number) {
      out_->AppendAll(i.parameter_number());
    }
    return;
  }
  constexpr int64_t kCompactOperands = 4;
  const int64_t interval = options_.print_operand_index_annotation_interval;
  const int64_t count = i.operand_count();
  const int64_t shown = options_.compact_operands && count > kCompactOperands
                            ? kCompactOperands
                            : count;
  for (int64_t k = 0; k < shown; ++k) {
    if (k > 0) Append(", ");
    if (interval != 0 && k != 0 && k % interval == 0) {
      out_->AppendAll("/*index=", k, "*/");
    }
    PrintOperand(*i.operand(k));
  }
  if (shown < count) out_->AppendAll(", ...(+", count - shown, ")");
}

void ComputationPrinter::PrintOwnBlock(const Instruction& i) {
  if (!options_.print_extra_attributes || !UnknownOpcode(i).empty()) return;
  for (const OpcodeAttribute& attribute : InfoOf(i.opcode()).attributes) {
    switch (InfoOf(attribute.id).kind) {
      case AttrKind::kComputation:
      case AttrKind::kComputationList:
        break;
      default:
        if (attribute.id == AttrId::kIsComposite) break;
        AppendOwnAttribute(i, attribute.id, options_, out_);
        UnknownAfter(AttributeName(attribute.id));
    }
  }
}

bool ComputationPrinter::PrintsBodies(const Instruction& i) const {
  switch (options_.print_subcomputation_mode) {
    case SubcomputationMode::kFullBodies:
      return true;
    case SubcomputationMode::kNonSequentialBodies:
      return i.opcode() != Opcode::kCall && i.opcode() != Opcode::kWhile &&
             i.opcode() != Opcode::kConditional;
    default:
      return false;
  }
}

// The computation between its braces, on lines of its own at the indentation of
// the instruction.
void ComputationPrinter::PrintBody(const Computation& computation) {
  PrintOptions nested = options_;
  nested.is_in_nested_computation = true;
  nested.indent_amount = options_.indent_amount + 1;
  ComputationPrinter(nested, shapes_, out_)
      .PrintComputation(computation, with_entry_);
}

void ComputationPrinter::PrintCalledList(
    absl::string_view name, absl::Span<Computation* const> computations) {
  out_->AppendAll(", ", name, "={");
  for (size_t k = 0; k < computations.size(); ++k) {
    if (k > 0) Append(", ");
    PrintName(computations[k]->name());
  }
  out_->Append('}');
}

void ComputationPrinter::PrintComputations(const Instruction& i) {
  const auto called = i.called_computations();
  if (options_.print_subcomputation_mode == SubcomputationMode::kOff ||
      called.empty() || marks_calls_) {
    return;
  }
  const bool bodies = PrintsBodies(i);
  auto one = [&](absl::string_view name, const Computation& computation) {
    out_->AppendAll(", ", name, "=");
    if (bodies) {
      out_->Append('\n');
      PrintBody(computation);
    } else {
      PrintName(computation.name());
    }
    UnknownAfter(name);
  };
  auto list = [&](absl::string_view name) {
    if (!bodies) {
      PrintCalledList(name, called);
      return UnknownAfter(name);
    }
    out_->AppendAll(", ", name, "={\n");
    for (size_t k = 0; k < called.size(); ++k) {
      if (k > 0) Append(",\n");
      PrintBody(*called[k]);
    }
    Append("\n}");
    UnknownAfter(name);
  };
  switch (i.opcode()) {
    case Opcode::kWhile:
      one("condition", *i.while_condition());
      one("body", *i.while_body());
      return;
    case Opcode::kSelectAndScatter:
      one("select", *called[0]);
      one("scatter", *called[1]);
      return;
    case Opcode::kConditional:
      if (i.operand_count() > 0 &&
          i.operand(0)->shape().element_type() == kPred && called.size() == 2) {
        one("true_computation", *called[0]);
        one("false_computation", *called[1]);
      } else {
        list("branch_computations");
      }
      return;
    case Opcode::kCustomCall:
      list("called_computations");
      return;
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      one("calls", *called[0]);
      return;
    case Opcode::kReduceScatter:
    case Opcode::kScan:
      one(bodies ? "calls" : "to_apply", *called[0]);
      return;
    default:
      one("to_apply", *called[0]);
      if (i.attrs().GetBool(AttrId::kIsComposite)) {
        Append(", is_composite=true");
      }
      UnknownAfter("is_composite");
  }
}

void ComputationPrinter::PrintControlPredecessors(const Instruction& i) {
  if (!options_.print_control_dependencies ||
      i.control_predecessors().empty()) {
    return;
  }
  Append(", control-predecessors={");
  bool first = true;
  for (const Instruction* predecessor : i.control_predecessors()) {
    if (!first) Append(", ");
    first = false;
    PrintName(predecessor->name());
  }
  out_->Append('}');
}

void ComputationPrinter::PrintCommonBlocks(const Instruction& i,
                                           bool frontend_attributes) {
  AppendSharding(i, options_, out_);
  UnknownAfter("sharding");
  const auto* frontend =
      i.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (frontend_attributes && options_.print_frontend_attributes &&
      frontend != nullptr && !frontend->empty()) {
    AppendFrontendAttributes(*frontend, out_);
  }
  UnknownAfter("frontend_attributes");
  PrintControlPredecessors(i);
  UnknownAfter("control-predecessors");
  AppendStatistics(i, out_);
  UnknownAfter("statistics");
  AppendResultAccuracy(i, out_);
  UnknownAfter("result_accuracy");
}

void ComputationPrinter::PrintAttributes(const Instruction& i) {
  UnknownAfter("");
  const bool sugared =
      i.opcode() == Opcode::kAsyncStart && IsSugared(i);
  if (sugared) {
    // The start's own thread, what the wrapped operation says, aliasing.
    const Instruction& wrapped = *i.async_wrapped_instruction();
    if (options_.print_extra_attributes) {
      AppendOwnAttribute(i, AttrId::kAsyncExecutionThread, options_, out_);
      PrintOwnBlock(wrapped);
      PrintComputations(wrapped);
      PrintCommonBlocks(wrapped,
                        !i.attrs().Has(AttrId::kFrontendAttributes));
      AppendOwnAttribute(i, AttrId::kOutputToOperandAliasing, options_, out_);
    }
    // With bodies written out, the wrapper's own comes too.
    if (PrintsBodies(i)) PrintComputations(i);
  } else {
    PrintOwnBlock(i);
    PrintComputations(i);
  }
  if (i.attrs().empty()) {
    // What most instructions have.
    PrintControlPredecessors(i);
    if (options_.print_metadata) AppendMetadata(i, options_, out_);
    return;
  }
  PrintCommonBlocks(i, true);
  if (options_.print_original_value) AppendOriginalValue(i, out_);
  UnknownAfter("origin");
  if (options_.print_metadata) AppendMetadata(i, options_, out_);
  UnknownAfter("metadata");
  if (options_.print_backend_config) AppendBackendConfig(i, options_, out_);
  for (const UnknownItem& item : unknown_) {
    if (item.after != "(" && item.after != kUnknownMetadata) {
      PrintUnknown(item);
    }
  }
}

void ComputationPrinter::PrintInstruction(const Instruction& i, bool alone) {
  alone_ = alone;
  ReadUnknown(i);
  if (!alone || !options_.canonicalize_instruction_names) {
    PrintInstructionName(i);
    Append(" = ");
  }
  if (options_.print_result_shape) {
    PrintShape(i.shape());
    out_->Append(' ');
  }
  PrintOpcode(i);
  out_->Append('(');
  PrintOperands(i);
  out_->Append(')');
  PrintAttributes(i);
}

// "(p: f32[2]) -> f32[2] ", without layouts.
void ComputationPrinter::PrintSignature(const Computation& computation) {
  out_->Append('(');
  for (int64_t p = 0; p < computation.parameter_count(); ++p) {
    const Instruction* parameter = computation.parameter(p);
    if (p > 0) Append(", ");
    if (parameter == nullptr) {
      Append("(unknown)");
      continue;
    }
    Append(ShownName(parameter->name()));
    Append(": ");
    Append(shapes_->bare.Of(parameter->shape()));
  }
  Append(") -> ");
  if (computation.root() != nullptr) {
    Append(shapes_->bare.Of(computation.root()->shape()));
  }
}

void ComputationPrinter::PrintComputation(const Computation& computation,
                                          bool with_entry, RoomForText* room) {
  canonical_.clear();
  with_entry_ = with_entry;
  Indent(options_.indent_amount);
  if (with_entry && computation.IsEntry()) Append("ENTRY ");
  if (!options_.is_in_nested_computation) {
    if (options_.print_ids) {
      PrintName(computation.name());
      out_->Append(' ');
    } else if (options_.print_percent) {
      out_->Append('%');
    }
  }
  if (options_.print_program_shape) PrintSignature(computation);
  PrintUnknownOf(computation, /*place=*/"");
  if (options_.print_program_shape) out_->Append(' ');
  Append("{\n");
  // Bodies inside an instruction print unscheduled.
  const std::vector<Instruction*> order =
      options_.is_in_nested_computation
          ? computation.PostOrder()
          : computation.module()->ExecutionOrder(computation);
  for (const Instruction* i : order) {
    if (IsHidden(*i)) continue;
    Indent(options_.indent_amount + 1);
    if (i->IsRoot()) Append("ROOT ");
    PrintInstruction(*i, /*alone=*/false);
    out_->Append('\n');
    if (room != nullptr) room->Step();
  }
  Indent(options_.indent_amount);
  out_->Append('}');
  if (options_.print_ids && !computation.execution_thread().empty() &&
      computation.execution_thread() != "main") {
    out_->AppendAll(", execution_thread=\"",
                    computation.execution_thread(), "\"");
  }
  PrintUnknownOf(computation, /*place=*/"}");
  if (options_.print_name_after_closing_brace && order.size() > 5) {
    out_->AppendAll(" // ", computation.name());
  }
}

// Computations that sugared asynchronous operations stand for.
absl::flat_hash_set<const Computation*> SugaredComputations(
    const Module& module, const PrintOptions& options) {
  absl::flat_hash_set<const Computation*> sugared;
  if (!options.syntax_sugar_async_ops) return sugared;
  for (const auto& computation : module.computations()) {
    for (const Instruction* caller : computation->callers()) {
      if (caller->opcode() == Opcode::kAsyncStart &&
          IsSugarable(*computation)) {
        sugared.insert(computation.get());
      }
    }
  }
  return sugared;
}

void PrintModule(const Module& module, const PrintOptions& options,
                 RoomForText* room, TextSink* out) {
  PrintHeader(module, options, out);
  ModuleShapeTexts shapes(options);
  const auto sugared = SugaredComputations(module, options);
  ComputationPrinter printer(options, &shapes, out);
  for (const Computation* computation : options.canonicalize_computations
                                            ? module.TopologicalOrder()
                                            : module.PrintOrder()) {
    if (sugared.contains(computation)) continue;
    printer.PrintComputation(*computation, /*with_entry=*/true, room);
    out->Append("\n\n");
  }
}

}  // namespace

void Print(const Module& module, const PrintOptions& options,
           std::string* out) {
  TextSink sink(out);
  RoomForText room(module.instruction_count(), out);
  PrintModule(module, options, &room, &sink);
}

void Print(const Module& module, const PrintOptions& options,
           absl::FunctionRef<void(absl::string_view)> emit) {
  TextSink sink(emit);
  PrintModule(module, options, /*room=*/nullptr, &sink);
}

std::string ToString(const Module& module, const PrintOptions& options) {
  std::string text;
  Print(module, options, &text);
  return text;
}

std::string ToString(const Computation& computation,
                     const PrintOptions& options) {
  std::string text;
  {
    TextSink sink(&text);
    ModuleShapeTexts shapes(options);
    ComputationPrinter(options, &shapes, &sink)
        .PrintComputation(computation, /*with_entry=*/false);
  }
  return text;
}

std::string ToString(const Instruction& instruction,
                     const PrintOptions& options) {
  std::string text;
  {
    TextSink sink(&text);
    ModuleShapeTexts shapes(options);
    ComputationPrinter(options, &shapes, &sink)
        .PrintInstruction(instruction, /*alone=*/true);
  }
  return text;
}

std::string ToShortString(const Instruction& instruction) {
  std::string text = absl::StrCat("%", instruction.name(), " = ",
                                  ShownOpcode(instruction), "(");
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    absl::StrAppend(&text, k > 0 ? ", %" : "%", instruction.operand(k)->name());
  }
  return text + ")";
}

}  // namespace hlokit
