#include "graph_render/node_label.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "graph_render/source_text.h"
#include "graph_render/xml_text.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/sharding.h"
#include "hlo/ir/unknown.h"
#include "hlo/print/attribute_printer.h"

namespace hlokit {
namespace {

constexpr int kMaxShapeLength = 64;
constexpr int kMaxOperandLines = 32;
constexpr int kMaxLineLength = 512;
// Constants of more elements are shown by name.
constexpr int64_t kMaxShownElements = 8;
constexpr int64_t kManyTupleUsers = 3;

struct ReducerName {
  Opcode opcode;
  absl::string_view name;
};
constexpr ReducerName kReducers[] = {
    {Opcode::kAdd, "add"},     {Opcode::kMultiply, "multiply"},
    {Opcode::kMinimum, "min"}, {Opcode::kMaximum, "max"},
    {Opcode::kAnd, "and"},     {Opcode::kOr, "or"},
    {Opcode::kXor, "xor"},
};

absl::string_view ComparisonName(ComparisonDirection direction) {
  static constexpr std::pair<absl::string_view, absl::string_view> kNames[] = {
      {"EQ", "equal-to"},    {"NE", "not-equal-to"},
      {"GE", "greater-or-equal"}, {"GT", "greater-than"},
      {"LE", "less-or-equal"}, {"LT", "less-than"}};
  const absl::string_view word = EnumWord(AttrId::kComparisonDirection,
                                          static_cast<int64_t>(direction));
  for (const auto& [direction_word, name] : kNames) {
    if (direction_word == word) return name;
  }
  return "compare";
}

// What a fusion passes to a parameter of its computation; null if it is none.
const Instruction* FusedArgument(const Instruction& parameter) {
  if (parameter.opcode() != Opcode::kParameter) return nullptr;
  const Instruction* fusion = parameter.parent()->fusion_instruction();
  if (fusion == nullptr ||
      parameter.parameter_number() >= fusion->operand_count()) {
    return nullptr;
  }
  return fusion->operand(parameter.parameter_number());
}

bool IsFusedScalarBroadcast(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kBroadcast &&
         instruction.operand_count() == 1 &&
         instruction.operand(0)->opcode() == Opcode::kConstant &&
         instruction.operand(0)->shape().IsScalar() &&
         instruction.parent()->IsFusionComputation();
}

bool IsSpreadTuple(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kParameter ||
      !instruction.shape().IsTuple() ||
      instruction.user_count() < kManyTupleUsers) {
    return false;
  }
  const auto users = instruction.users();
  return std::all_of(users.begin(), users.end(), [](const Instruction* user) {
    return user->opcode() == Opcode::kGetTupleElement;
  });
}

std::string ConstantText(const Instruction& constant, const Shape& shape) {
  const Literal* literal = constant.literal();
  const std::string type = ShapeLabel(shape);
  if (literal == nullptr || !constant.shape().IsArray() ||
      literal->element_count() > kMaxShownElements) {
    return absl::StrCat("constant ", constant.name(), " ", type);
  }
  std::string value;
  literal->AppendTo(&value);
  return absl::StrCat(type, " ", value);
}

// "fusion.3" and "fusion" say their opcode, "fusions" does not.
bool NameTellsOpcode(const Instruction& instruction) {
  absl::string_view rest = instruction.name();
  return absl::ConsumePrefix(&rest, ShownOpcode(instruction)) &&
         (rest.empty() || rest[0] == '.');
}

std::string OpcodeText(const Instruction& instruction) {
  std::string text(ShownOpcode(instruction));
  const Instruction* wrapped = instruction.async_wrapped_instruction();
  if (wrapped != nullptr) {
    absl::StrAppend(&text, " of ", OpcodeName(wrapped->opcode()));
  }
  return text;
}

void AppendFusionLine(const Instruction& fusion, Label* label) {
  if (fusion.opcode() != Opcode::kFusion) return;
  for (const Computation* computation : fusion.called_computations()) {
    label->push_back({"", absl::StrCat("calls=", computation->name())});
  }
}

void AppendSubcomputations(const Instruction& instruction, Label* label) {
  if (instruction.opcode() == Opcode::kFusion) return;
  for (const Computation* computation : instruction.called_computations()) {
    const absl::string_view trivial = TrivialReducer(*computation);
    if (trivial.empty()) continue;
    label->push_back({std::string(trivial), "", false, "Subcomputation: "});
  }
}

// The value outside that a parameter of a called computation stands for; null
// when there is none or more than one.
const Instruction* OriginOf(const Instruction& parameter) {
  const Computation& computation = *parameter.parent();
  if (computation.call_site_count() != 1) return nullptr;
  const Instruction& caller = *computation.callers()[0];
  int64_t operand = -1;
  if (caller.opcode() == Opcode::kCall) operand = parameter.parameter_number();
  if (caller.opcode() == Opcode::kWhile) operand = 0;
  if (caller.opcode() == Opcode::kConditional) {
    const auto called = caller.called_computations();
    operand = std::find(called.begin(), called.end(), &computation) -
              called.begin() + 1;
  }
  return operand < 0 || operand >= caller.operand_count()
             ? nullptr
             : caller.operand(operand);
}

void AppendOriginLine(const Instruction& instruction, Label* label) {
  if (instruction.opcode() != Opcode::kParameter) return;
  const Instruction* origin = OriginOf(instruction);
  if (origin == nullptr) return;
  label->push_back(
      {"",
       absl::StrCat("from ", origin->name(), " in ",
                    origin->parent()->IsEntry() ? "the ENTRY computation"
                                                : origin->parent()->name()),
       /*italic=*/true});
}

// Numbers of dimensions of dots, gathers and scatters: they share a line.
bool IsDimensionNumber(AttrId id) {
  switch (id) {
    case AttrId::kLhsBatchDims:
    case AttrId::kLhsContractingDims:
    case AttrId::kRhsBatchDims:
    case AttrId::kRhsContractingDims:
    case AttrId::kOffsetDims:
    case AttrId::kCollapsedSliceDims:
    case AttrId::kStartIndexMap:
    case AttrId::kOperandBatchingDims:
    case AttrId::kStartIndicesBatchingDims:
    case AttrId::kIndexVectorDim:
    case AttrId::kUpdateWindowDims:
    case AttrId::kInsertedWindowDims:
    case AttrId::kScatterDimsToOperandDims:
    case AttrId::kInputBatchingDims:
    case AttrId::kScatterIndicesBatchingDims: return true;
    default: return false;
  }
}

void AppendMetadataLines(const Instruction& instruction, Label* label) {
  std::string text = MetadataText(instruction);
  absl::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    label->push_back({"", std::string(rest.substr(0, end)), true});
    rest.remove_prefix(end == absl::string_view::npos ? rest.size() : end + 1);
  }
}

// What an operand is where it has no node of its own; of a fusion's parameter
// the constant outside.
std::string OperandText(const Instruction& operand,
                        const GraphOptions& options) {
  const Instruction* argument = FusedArgument(operand);
  if (argument != nullptr && argument->opcode() == Opcode::kConstant) {
    return InlineText(*argument);
  }
  if (IsInlined(operand, options)) return InlineText(operand);
  return options.operand_names ? std::string(operand.name()) : "";
}

void AppendOperandLines(const Instruction& instruction,
                        const GraphOptions& options, Label* label) {
  int lines = 0;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const std::string text = OperandText(*instruction.operand(i), options);
    if (text.empty()) continue;
    if (++lines > kMaxOperandLines) {
      label->push_back({"", "..."});
      return;
    }
    label->push_back({instruction.operand_count() == 1
                          ? "operand"
                          : absl::StrCat("operand ", i),
                      absl::StrCat(" = ", text)});
  }
}

}  // namespace

absl::string_view TrivialReducer(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root == nullptr || computation.instruction_count() != 3 ||
      computation.parameter_count() != 2 || root->operand_count() != 2) {
    return "";
  }
  const Instruction* a = root->operand(0);
  const Instruction* b = root->operand(1);
  if (a == b || a->opcode() != Opcode::kParameter ||
      b->opcode() != Opcode::kParameter) {
    return "";
  }
  if (root->opcode() == Opcode::kCompare) {
    // Of exchanged parameters the name would be wrong.
    return a->parameter_number() == 0
               ? ComparisonName(root->comparison_direction())
               : "";
  }
  for (const ReducerName& row : kReducers) {
    if (row.opcode == root->opcode()) return row.name;
  }
  return "";
}

bool IsInlined(const Instruction& instruction, const GraphOptions& options) {
  if (instruction.IsRoot()) return false;
  switch (instruction.opcode()) {
    case Opcode::kConstant: return options.inline_constants;
    case Opcode::kGetTupleElement: return true;
    case Opcode::kBroadcast:
      return options.inline_constants && IsFusedScalarBroadcast(instruction);
    case Opcode::kParameter: {
      if (IsSpreadTuple(instruction)) return true;
      const Instruction* argument = FusedArgument(instruction);
      return options.inline_constants && options.fusion_subcomputations &&
             argument != nullptr && argument->opcode() == Opcode::kConstant &&
             !argument->IsRoot();
    }
    default: return false;
  }
}

std::string InlineText(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConstant:
      return ConstantText(instruction, instruction.shape());
    case Opcode::kBroadcast: {
      std::string value;
      const Literal* literal = instruction.operand(0)->literal();
      if (literal != nullptr) literal->AppendTo(&value);
      return absl::StrCat(instruction.shape().ToString(/*layout=*/false), " ",
                          value);
    }
    case Opcode::kGetTupleElement: {
      const Instruction* tuple =
          instruction.operand_count() > 0 ? instruction.operand(0) : nullptr;
      return absl::StrCat("tuple-element ", instruction.tuple_index(), " of ",
                          tuple == nullptr ? "?" : tuple->name(), " ",
                          ShapeLabel(instruction.shape()));
    }
    default: return "";
  }
}

std::string ShapeLabel(const Shape& shape) {
  // Printing a huge tuple would cost time for every node.
  if (shape.IsTuple() && shape.tuple_shapes().size() > kMaxShapeLength) {
    return absl::StrCat("(", shape.tuple_shapes().size(), " elements)");
  }
  const bool layout = shape.IsTuple() || shape.rank() > 1;
  std::string text = shape.ToString(layout);
  // Comments that number the elements say little in a picture.
  size_t at;
  while ((at = text.find("/*index=")) != std::string::npos) {
    text.erase(at, text.find("*/", at) + 2 - at);
  }
  return ShortText(text, kMaxShapeLength);
}

std::string MetadataText(const Instruction& instruction) {
  const OpMetadata& metadata = instruction.metadata();
  std::string text;
  auto line = [&](absl::string_view a, absl::string_view b) {
    if (!text.empty()) text += '\n';
    absl::StrAppend(&text, a, b);
  };
  if (!metadata.op_name.empty()) line(metadata.op_name, "");
  if (!metadata.op_type.empty()) line("op_type: ", metadata.op_type);
  if (!metadata.source_file.empty()) {
    line("source: ", SourceText(instruction));
  }
  for (const std::string& frame : StackFrameTexts(instruction)) {
    line(frame, "");
  }
  return text;
}

std::vector<std::string> AttributeTexts(const Instruction& instruction) {
  std::vector<std::string> texts;
  std::string text;
  auto take = [&] {
    absl::string_view one = text;
    if (absl::ConsumePrefix(&one, ", ") && !one.empty()) {
      texts.push_back(ShortText(one, kMaxLineLength));
    }
    text.clear();
  };
  auto append = [&](auto write) {
    TextSink sink(&text);
    write(&sink);
  };
  PrintOptions options;
  const OpcodeInfo& info = InfoOf(instruction.opcode());
  for (const OpcodeAttribute& attribute : info.attributes) {
    if (!IsDimensionNumber(attribute.id)) take();
    append([&](TextSink* out) {
      AppendOwnAttribute(instruction, attribute.id, options, out);
    });
  }
  take();
  append([&](TextSink* out) { AppendSharding(instruction, options, out); });
  take();
  const auto* frontend =
      instruction.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (frontend != nullptr && !frontend->empty()) {
    append([&](TextSink* out) { AppendFrontendAttributes(*frontend, out); });
    take();
  }
  if (!instruction.control_predecessors().empty()) {
    text = ", control-predecessors={";
    for (const Instruction* other : instruction.control_predecessors()) {
      absl::StrAppend(&text, text.back() == '{' ? "%" : ", %", other->name());
    }
    text += '}';
    take();
  }
  append([&](TextSink* out) { AppendStatistics(instruction, out); });
  take();
  append([&](TextSink* out) { AppendResultAccuracy(instruction, out); });
  take();
  return texts;
}

Label NodeLabel(const Instruction& instruction, const GraphOptions& options) {
  Label label;
  if (instruction.opcode() == Opcode::kParameter) {
    label.push_back(
        {absl::StrCat("Parameter ", instruction.parameter_number()), ""});
  } else {
    label.push_back({std::string(instruction.name()), ""});
    if (!NameTellsOpcode(instruction)) {
      label.push_back({"", OpcodeText(instruction)});
    }
  }
  AppendOriginLine(instruction, &label);
  AppendFusionLine(instruction, &label);
  AppendSubcomputations(instruction, &label);
  if (options.addresses) {
    label.push_back({"", absl::StrFormat("[%p]", &instruction)});
  }
  if (instruction.opcode() == Opcode::kConstant && !options.inline_constants) {
    label.push_back({"", ConstantText(instruction, instruction.shape())});
  }
  for (std::string& text : AttributeTexts(instruction)) {
    label.push_back({"", std::move(text)});
  }
  if (options.metadata) AppendMetadataLines(instruction, &label);
  if (options.backend_config && !instruction.backend_config().empty()) {
    label.push_back(
        {"", absl::StrCat("backend_config=",
                          ShortText(instruction.backend_config(),
                                    kMaxLineLength))});
  }
  // Tuples are made of what has its layout already.
  Shape shape = instruction.shape();
  if (instruction.opcode() == Opcode::kTuple) shape.ClearLayouts();
  label.push_back({"", ShapeLabel(shape)});
  AppendOperandLines(instruction, options, &label);
  return label;
}

}  // namespace hlokit
