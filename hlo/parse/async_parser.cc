// The short form of asynchronous operations: "X-start", "X-update", "X-done"
// for an opcode X stand for async-start, -update, -done around a computation
// that consists of parameters and one X.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {
namespace {

// Opcodes that have their own asynchronous forms, or none.
bool HasNoSugar(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kCollectivePermute:
    case Opcode::kCopy:
    case Opcode::kRecv:
    case Opcode::kSend:
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return true;
    default:
      return false;
  }
}

// What the start has and the wrapped operation has not.
constexpr AttrId kStartOnly[] = {
    AttrId::kSharding,
    AttrId::kAsyncExecutionThread,
    AttrId::kOutputToOperandAliasing,
};
// What both have.
constexpr AttrId kOnBoth[] = {
    AttrId::kFrontendAttributes,
    AttrId::kStatistics,
    AttrId::kOrigin,
    AttrId::kBackendConfig,
};

}  // namespace

bool ModuleParser::FindAsyncOpcode(absl::string_view name, Pending* pending) {
  struct Suffix {
    absl::string_view text;
    AsyncPart part;
  };
  static constexpr Suffix kSuffixes[] = {{"-start", AsyncPart::kStart},
                                         {"-update", AsyncPart::kUpdate},
                                         {"-done", AsyncPart::kDone}};
  for (const Suffix& suffix : kSuffixes) {
    if (!absl::EndsWith(name, suffix.text)) continue;
    const auto opcode =
        tables_.FindOpcode(name.substr(0, name.size() - suffix.text.size()));
    if (!opcode || HasNoSugar(*opcode)) return false;
    pending->opcode = *opcode;
    pending->async = suffix.part;
    return true;
  }
  return false;
}

Instruction* ModuleParser::CreateAsyncStart(Pending* pending) {
  const Shape& type = pending->type;
  const std::string start_name =
      absl::StrCat(OpcodeName(pending->opcode), "-start");
  if (!pending->has_type || type.tuple_shapes().size() < 2 ||
      !type.tuple_shape(0).IsTuple()) {
    Error(pending->has_type ? pending->type_offset : pending->opcode_offset,
          absl::StrCat(start_name, " needs a type of the form ((operand types), "
                       "result type, ...)"));
    return nullptr;
  }
  if (type.tuple_shape(0).tuple_shapes().size() != pending->operands.size()) {
    Error(pending->type_offset,
          absl::StrCat("the type names ",
                       type.tuple_shape(0).tuple_shapes().size(),
                       " operands, ", start_name, " has ",
                       pending->operands.size()));
    return nullptr;
  }
  // The attributes are read before the computation that they belong to can be
  // made; until then an instruction outside of the module holds them.
  std::unique_ptr<Computation> shelf = Computation::Create(module_.get(), "");
  Instruction* holder = shelf->Add(pending->opcode, Shape());
  Attributes attributes;
  if (!pending->is_operand &&
      !ParseAttributes(pending->opcode, pending->scope, holder,
                       /*allow_async=*/true, &attributes)) {
    return nullptr;
  }
  Pending wrapped;
  wrapped.opcode = pending->opcode;
  wrapped.opcode_offset = pending->opcode_offset;
  wrapped.has_type = true;
  wrapped.type = type.tuple_shape(1);
  wrapped.type_offset = pending->type_offset;
  auto wrapper = Computation::Create(module_.get(), "async_wrapped");
  auto bound = type.tuple_shape(0).tuple_shapes();
  std::vector<Shape> types(bound.begin(), bound.end());
  if (pending->opcode == Opcode::kFusion || pending->opcode == Opcode::kCall) {
    const Computation* called = attributes.computations.empty()
                                    ? nullptr
                                    : attributes.computations[0].second;
    if (called != nullptr && called->root() != nullptr) {
      types.clear();
      for (const Instruction* parameter : called->parameters()) {
        types.push_back(parameter == nullptr ? Shape() : parameter->shape());
      }
      wrapped.type = called->root()->shape();
    }
  } else {
    // Operands that an update will bring.
    const int64_t arity = InfoOf(pending->opcode).arity;
    while (static_cast<int64_t>(types.size()) < arity) {
      types.push_back(Shape::ArrayWithDescendingLayout(kF32, {1}));
    }
  }
  for (size_t i = 0; i < types.size(); ++i) {
    wrapped.operands.push_back(
        wrapper->AddParameter(i, types[i], "async_param"));
  }
  if (!CheckOperandCount(wrapped)) return nullptr;
  Instruction* root = wrapper->Add(wrapped.opcode, wrapped.type,
                                   wrapped.operands);
  wrapper->set_root(root);
  root->mutable_attrs() = std::move(holder->mutable_attrs());
  root->set_metadata(holder->shared_metadata());
  AttributeSet start_attrs;
  for (AttrId id : kStartOnly) {
    const AttrValue* value = root->attrs().Find(id);
    if (value == nullptr) continue;
    start_attrs.Set(id, *value);
    root->mutable_attrs().Erase(id);
  }
  for (AttrId id : kOnBoth) {
    const AttrValue* value = root->attrs().Find(id);
    if (value != nullptr) start_attrs.Set(id, *value);
  }
  if (start_attrs.GetString(AttrId::kAsyncExecutionThread) == "main") {
    start_attrs.Erase(AttrId::kAsyncExecutionThread);
  }
  if (!attributes.unknown.empty()) {
    StoreUnknown(root, attributes.unknown);
    start_attrs.Set(AttrId::kFrontendAttributes,
                    *root->attrs().Find(AttrId::kFrontendAttributes));
  }
  if (!stand_ins_.empty()) FillStandIns(*root, wrapped, attributes);
  if (!FinishInstruction(root, wrapped, attributes)) return nullptr;
  reordered_ = true;
  Computation* joined = Join(std::move(wrapper));

  Instruction* start = pending->scope->computation->Add(
      Opcode::kAsyncStart, type, pending->operands, pending->name);
  if (!Define(*pending, start)) return nullptr;
  start->mutable_attrs() = std::move(start_attrs);
  start->set_metadata(root->shared_metadata());
  start->set_called_computations({joined});
  async_start_order_.push_back(start);
  for (Instruction* predecessor : attributes.control_predecessors) {
    start->AddControlPredecessor(predecessor);
  }
  if (attributes.Has(AttrId::kSharding) &&
      !ExpandSharding(start, attributes.PlaceOf(AttrId::kSharding))) {
    return nullptr;
  }
  return start;
}

Instruction* ModuleParser::CreateAsyncFollower(Pending* pending) {
  const bool is_update = pending->async == AsyncPart::kUpdate;
  const Opcode opcode =
      is_update ? Opcode::kAsyncUpdate : Opcode::kAsyncDone;
  const Opcode wrapped = pending->opcode;
  pending->opcode = opcode;
  if (!CheckOperandCount(*pending)) return nullptr;
  Instruction* instruction = pending->scope->computation->Add(
      opcode, pending->type, pending->operands, pending->name);
  if (!Define(*pending, instruction)) return nullptr;
  Attributes attributes;
  if (!pending->is_operand &&
      !ParseAttributes(opcode, pending->scope, instruction,
                       /*allow_async=*/false, &attributes)) {
    return nullptr;
  }
  for (Instruction* predecessor : attributes.control_predecessors) {
    instruction->AddControlPredecessor(predecessor);
  }
  if (!attributes.unknown.empty()) StoreUnknown(instruction, attributes.unknown);
  if (!FinishInstruction(instruction, *pending, attributes)) return nullptr;
  const Instruction* start = async_starts_[instruction];
  const Instruction* root =
      start == nullptr || start->called_computations().empty()
          ? nullptr
          : start->called_computation(0)->root();
  if (root != nullptr && root->opcode() != wrapped) {
    Error(pending->opcode_offset,
          absl::StrCat("'", instruction->operand(0)->name(), "' is about ",
                       OpcodeName(root->opcode()), ", not ",
                       OpcodeName(wrapped)));
    return nullptr;
  }
  return instruction;
}

bool ModuleParser::FinishAsyncFollower(Instruction* instruction,
                                       const Pending& pending,
                                       const Attributes& attributes) {
  // Remembered, for chains of updates may be long.
  const Instruction* before = instruction->operand(0);
  const Instruction* start = before->opcode() == Opcode::kAsyncStart ? before
                             : before->opcode() == Opcode::kAsyncUpdate
                                 ? async_starts_[before]
                                 : nullptr;
  async_starts_[instruction] = start;
  if (start == nullptr) {
    return Error(pending.opcode_offset,
                 absl::StrCat("'", instruction->operand(0)->name(),
                              "' is no start or update of an asynchronous "
                              "operation"));
  }
  AttributeSet& attrs = instruction->mutable_attrs();
  if (attributes.Has(AttrId::kAsyncExecutionThread)) {
    auto name_of = [](const AttributeSet& set) {
      absl::string_view name = set.GetString(AttrId::kAsyncExecutionThread);
      return name == "main" ? absl::string_view() : name;
    };
    if (name_of(attrs) != name_of(start->attrs())) {
      return Error(attributes.PlaceOf(AttrId::kAsyncExecutionThread),
                   absl::StrCat("'", start->name(),
                                "' was started in another thread"));
    }
    attrs.Erase(AttrId::kAsyncExecutionThread);
  }
  Computation* wrapper = start->called_computations().empty()
                             ? nullptr
                             : start->called_computation(0);
  for (const auto& [id, computation] : attributes.computations) {
    if (wrapper == nullptr || computation == wrapper) continue;
    const auto inner = wrapper->root() == nullptr
                           ? absl::Span<Computation* const>()
                           : wrapper->root()->called_computations();
    if (!inner.empty() && inner[0] == computation) continue;
    return Error(attributes.PlaceOf(id),
                 absl::StrCat("'", start->name(),
                              "' calls another computation"));
  }
  if (!pending.has_type) {
    return Error(pending.opcode_offset,
                 "an asynchronous operation needs a type before it");
  }
  if (instruction->opcode() == Opcode::kAsyncUpdate && wrapper != nullptr) {
    BindLate(*instruction, start->operand_count(), wrapper);
  }
  ShareWithWrapped(*instruction, wrapper);
  return true;
}

void ModuleParser::ShareWithWrapped(const Instruction& part,
                                    Computation* wrapper) {
  Instruction* root = wrapper == nullptr ? nullptr : wrapper->root();
  if (root == nullptr) return;
  for (AttrId id : kOnBoth) {
    const AttrValue* value = part.attrs().Find(id);
    if (value != nullptr) root->mutable_attrs().Set(id, *value);
  }
  if (part.shared_metadata() != nullptr) {
    root->set_metadata(part.shared_metadata());
  }
}

// Parameters of the wrapper that the start left open take the types that an
// update names.
void ModuleParser::BindLate(const Instruction& update, int64_t bound,
                            Computation* wrapper) {
  const Shape& type = update.shape();
  if (type.tuple_shapes().empty()) return;
  const auto types = type.tuple_shape(0).tuple_shapes();
  const int64_t count =
      std::min<int64_t>(types.size(), wrapper->parameter_count());
  for (int64_t i = bound; i < count; ++i) {
    Instruction* parameter = wrapper->parameter(i);
    if (parameter != nullptr) parameter->set_shape(types[i]);
  }
}

void ModuleParser::SpreadAsyncThreads() {
  absl::flat_hash_set<const Computation*> done;
  std::vector<Computation*> stack;
  const auto reach = [&](const Instruction& caller) {
    for (Computation* called : caller.called_computations()) {
      if (called != nullptr && done.insert(called).second) {
        stack.push_back(called);
      }
    }
  };
  // The last start that reaches a computation counts, so the last one comes
  // first here and each computation is visited once.
  for (auto it = async_start_order_.rbegin(); it != async_start_order_.rend();
       ++it) {
    const std::string thread(
        (*it)->attrs().GetString(AttrId::kAsyncExecutionThread));
    reach(**it);
    while (!stack.empty()) {
      Computation* computation = stack.back();
      stack.pop_back();
      computation->set_execution_thread(thread);
      for (Instruction* i : computation->CallingInstructions()) {
        reach(*i);
        if (i->opcode() != Opcode::kAsyncStart) continue;
        i->mutable_attrs().Erase(AttrId::kAsyncExecutionThread);
        if (thread.empty()) continue;
        i->mutable_attrs().Set(AttrId::kAsyncExecutionThread, thread);
      }
    }
  }
}

void ModuleParser::CheckAsyncComputations() {
  for (const auto& computation : module_->computations()) {
    const Instruction* first = nullptr;
    for (const Instruction* caller : computation->callers()) {
      if (caller->opcode() != Opcode::kAsyncStart) continue;
      if (first != nullptr) {
        diagnostics_->Error(absl::StrCat(
            "computation '", computation->name(), "' is started by '",
            first->name(), "' and by '", caller->name(),
            "'; an asynchronous computation has one start"));
        break;
      }
      first = caller;
    }
  }
}

}  // namespace hlokit::parse
