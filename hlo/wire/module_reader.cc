// HloModuleProto -> Module.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "hlo/ir/stack_frames.h"
#include "hlo/wire/attribute_fields.h"
#include "hlo/wire/field_notes.h"
#include "hlo/wire/instruction_fields.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace wire {
namespace {

constexpr int64_t kMaxComputationId = (int64_t{1} << 31) - 1;
// Holes between ids that a module may have beyond its instructions; with more,
// ids are dealt anew. (A hole takes a pointer.)
constexpr int64_t kMaxHoles = int64_t{1} << 23;

uint32_t LocalId(int64_t unique_id) {
  return static_cast<uint32_t>(unique_id & 0xffffffff);
}

// Comparisons were opcodes of their own once.
struct OldComparison {
  absl::string_view name;
  absl::string_view direction;
};
constexpr OldComparison kOldComparisons[] = {
    {"equal-to", "EQ"},
    {"not-equal-to", "NE"},
    {"greater-than-or-equal-to", "GE"},
    {"greater-than", "GT"},
    {"less-than-or-equal-to", "LE"},
    {"less-than", "LT"},
};

const OldComparison* FindOldComparison(absl::string_view name) {
  for (const OldComparison& old : kOldComparisons) {
    if (old.name == name) return &old;
  }
  return nullptr;
}

std::string NameOf(const InstructionFields& f) {
  return absl::StrCat("instruction ", f.name, " (id ", f.id, ")");
}

// Types and metadata by their bytes: modules have few different ones.
// The latest ones are remembered, a few hundred of each.
template <typename Value>
class ByteCache {
 public:
  struct Entry {
    absl::string_view bytes;  // a view into the file
    Value value;
  };
  // Where `bytes` are, or are to go.
  Entry& At(absl::string_view bytes) {
    uint64_t key = bytes.size();
    const size_t n = std::min<size_t>(bytes.size(), 8);
    uint64_t head = 0, tail = 0;
    std::memcpy(&head, bytes.data(), n);
    std::memcpy(&tail, bytes.data() + bytes.size() - n, n);
    key = (key * 0x9e3779b97f4a7c15 ^ head) * 0x9e3779b97f4a7c15 ^ tail;
    key *= 0x9e3779b97f4a7c15;
    return entries_[key >> (64 - kBits)];
  }

 private:
  static constexpr int kBits = 9;
  std::vector<Entry> entries_{size_t{1} << kBits};
};

struct ByteCaches {
  ByteCache<Shape> shapes;
  ByteCache<std::shared_ptr<const OpMetadata>> metadata;
};

// A computation as the file has it: where its instructions lie, and the rest.
struct ComputationBytes {
  absl::string_view name;
  int64_t id = 0;
  int64_t root_id = 0;
  absl::string_view execution_thread;
  std::vector<absl::string_view> instructions;
  // Nothing is taken from it: the instructions say it again.
  absl::string_view program_shape;
  std::string rest;  // other fields
};

// Of the instruction in hand; used again and again.
struct Scratch {
  InstructionFields fields;
  xla::HloInstructionProto rest;
  bool rest_is_used = false;  // else it is empty
  xla::OpMetadata metadata;
};

// A path that ends where it began: "m, a, m"; empty when the graph has none.
// `edges(node)` are the nodes that must come before it.
template <typename Node, typename Edges>
std::vector<Node*> FindCycle(const std::vector<Node*>& nodes,
                             const Edges& edges) {
  enum State { kOpen, kDone };
  absl::flat_hash_map<Node*, State> states;
  struct Frame {
    Node* node;
    std::vector<Node*> next;
  };
  for (Node* start : nodes) {
    if (states.contains(start)) continue;
    std::vector<Frame> stack = {{start, edges(start)}};
    states[start] = kOpen;
    while (!stack.empty()) {
      if (stack.back().next.empty()) {
        states[stack.back().node] = kDone;
        stack.pop_back();
        continue;
      }
      Node* next = stack.back().next.back();
      stack.back().next.pop_back();
      auto [it, is_new] = states.try_emplace(next, kOpen);
      if (is_new) {
        stack.push_back({next, edges(next)});
      } else if (it->second == kOpen) {
        std::vector<Node*> cycle;
        size_t i = stack.size();
        while (stack[i - 1].node != next) --i;
        for (--i; i < stack.size(); ++i) cycle.push_back(stack[i].node);
        cycle.push_back(next);
        return cycle;
      }
    }
  }
  return {};
}

template <typename Node>
std::string CycleText(absl::string_view kind, absl::string_view verb,
                      const std::vector<Node*>& cycle) {
  constexpr size_t kShown = 8;
  std::string text = absl::StrCat(kind, " in a cycle: ");
  for (size_t i = 0; i + 1 < cycle.size(); ++i) {
    if (i == kShown) {
      absl::StrAppend(&text, ", ... (", cycle.size() - 1, " in all)");
      break;
    }
    absl::StrAppend(&text, i > 0 ? ", " : "", cycle[i]->name(), " ", verb, " ",
                    cycle[i + 1]->name());
  }
  return text;
}

// Reads the instructions of one computation into an empty one.
class ComputationReader {
 public:
  ComputationReader(
      const xla::HloModuleProto& module_rest, const ComputationBytes& bytes,
      const FromProtoOptions& options, bool preserve_ids,
      const absl::flat_hash_map<int64_t, Computation*>& computations,
      ByteCaches* caches, Scratch* scratch, int64_t* holes,
      Computation* computation)
      : module_rest_(module_rest),
        bytes_(bytes),
        options_(options),
        preserve_ids_(preserve_ids),
        computations_(computations),
        caches_(caches),
        computation_(computation),
        scratch_(scratch),
        fields_(scratch->fields),
        rest_(scratch->rest),
        holes_(holes) {}

  absl::Status Read() {
    const size_t count = bytes_.instructions.size();
    instructions_.reserve(count);
    // An instruction is complete as soon as all that it uses is there; others
    // are read once more in the end.
    std::vector<size_t> late;
    for (size_t n = 0; n < count; ++n) {
      HLOKIT_RETURN_IF_ERROR(ReadFields(n));
      HLOKIT_RETURN_IF_ERROR(Create());
      if (AllThere()) {
        HLOKIT_RETURN_IF_ERROR(Connect(n));
      } else {
        late.push_back(n);
      }
    }
    for (size_t n : late) {
      HLOKIT_RETURN_IF_ERROR(ReadFields(n));
      HLOKIT_RETURN_IF_ERROR(Connect(n));
    }
    if (!late.empty()) HLOKIT_RETURN_IF_ERROR(CheckCycles());
    HLOKIT_RETURN_IF_ERROR(CheckParameters());
    Instruction* root = Find(bytes_.root_id);
    if (root == nullptr) {
      return InvalidArgument("root id %d is not there", bytes_.root_id);
    }
    computation_->set_root(root);
    if (bytes_.execution_thread != "main") {
      computation_->set_execution_thread(std::string(bytes_.execution_thread));
    }
    return absl::OkStatus();
  }

  // Names that the file has and the instructions do not, and theirs.
  template <typename Fn>
  void ForEachRenamed(Fn fn) {
    for (size_t n = 0; n < instructions_.size(); ++n) {
      if (!ReadInstructionFields(bytes_.instructions[n], &fields_)) continue;
      if (instructions_[n]->name() != fields_.name) {
        fn(fields_.name, instructions_[n]->name());
      }
    }
  }

  // By id in the file.
  Instruction* Find(int64_t unique_id) const {
    const uint32_t id = LocalId(unique_id);
    if (preserve_ids_) return computation_->InstructionById(id);
    auto it = by_file_id_.find(id);
    return it == by_file_id_.end() ? nullptr : it->second;
  }

 private:
  absl::Status At(const absl::Status& status) const {
    return status.ok() ? status : Annotate(status, NameOf(fields_));
  }

  // fields_ and rest_ become those of the n-th instruction.
  absl::Status ReadFields(size_t n) {
    if (!ReadInstructionFields(bytes_.instructions[n], &fields_)) {
      return InvalidArgument("instruction %d is no message", n);
    }
    if (fields_.rest.empty()) {
      if (scratch_->rest_is_used) rest_.Clear();
      scratch_->rest_is_used = false;
      return absl::OkStatus();
    }
    scratch_->rest_is_used = true;
    HLOKIT_RETURN_IF_ERROR(At(ParsePart(fields_.rest, &rest_)));
    return At(CheckFields(rest_));
  }

  // Into a message that may have been used before.
  static absl::Status ParsePart(absl::string_view bytes,
                                google::protobuf::Message* message) {
    constexpr size_t kEasy = 1 << 20;
    if (bytes.size() < kEasy &&
        message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return absl::OkStatus();
    }
    message->Clear();
    return ParseProtoBytes(bytes, message);
  }

  bool AllThere() const {
    for (int64_t id : fields_.operand_ids) {
      if (Find(id) == nullptr) return false;
    }
    for (int64_t id : fields_.control_predecessor_ids) {
      if (Find(id) == nullptr) return false;
    }
    return true;
  }

  absl::StatusOr<Shape> ReadType() {
    auto& cached = caches_->shapes.At(fields_.shape);
    if (cached.value.IsValid() && cached.bytes == fields_.shape) {
      return cached.value;
    }
    xla::ShapeProto proto;
    HLOKIT_RETURN_IF_ERROR(ParsePart(fields_.shape, &proto));
    HLOKIT_ASSIGN_OR_RETURN(Shape shape, ReadShape(proto));
    // Keys are views into the file.
    if (fields_.merged[0].data() != fields_.shape.data()) {
      cached = {fields_.shape, shape};
    }
    return shape;
  }

  absl::Status ReadItsMetadata(Instruction* i) {
    if (fields_.metadata.empty()) return absl::OkStatus();
    auto& cached = caches_->metadata.At(fields_.metadata);
    if (cached.value != nullptr && cached.bytes == fields_.metadata) {
      i->set_metadata(cached.value);
      return absl::OkStatus();
    }
    auto metadata = std::make_shared<OpMetadata>();
    if (!ReadPlainMetadata(fields_.metadata, metadata.get())) {
      HLOKIT_RETURN_IF_ERROR(ParsePart(fields_.metadata, &scratch_->metadata));
      HLOKIT_ASSIGN_OR_RETURN(*metadata,
                              ReadMetadata(scratch_->metadata,
                                           module_rest_.payloads()));
    }
    if (fields_.merged[1].data() != fields_.metadata.data()) {
      cached = {fields_.metadata, metadata};
    }
    i->set_metadata(std::move(metadata));
    return absl::OkStatus();
  }

  // The instruction of fields_, without operands.
  absl::Status Create() {
    const InstructionFields& f = fields_;
    if (f.id < 0) return At(InvalidArgument("the id is negative"));
    std::optional<Opcode> opcode = OpcodeByName(f.opcode);
    if (!opcode && FindOldComparison(f.opcode)) opcode = Opcode::kCompare;
    if (!opcode) {
      return At(f.opcode.empty()
                    ? InvalidArgument("it has no opcode")
                    : InvalidArgument("opcode \"%s\" is unknown", f.opcode));
    }
    if (!f.has_shape) return At(InvalidArgument("it has no shape"));
    auto shape = ReadType();
    if (!shape.ok()) return At(shape.status());
    return At(Add(*opcode, *std::move(shape)));
  }

  absl::Status Add(Opcode opcode, Shape shape) {
    const InstructionFields& f = fields_;
    const uint32_t file_id = LocalId(f.id);
    const int64_t id = preserve_ids_ ? file_id : instructions_.size();
    const bool good_name = f.name.empty() || IsSanitizedName(f.name);
    Instruction* other = Find(f.id);
    if (other != nullptr) {
      return InvalidArgument("instructions %s and %s have the same id %d",
                             other->name(), f.name, f.id);
    }
    if (id >= computation_->id_limit()) {
      *holes_ += id - computation_->id_limit();
      if (*holes_ > kMaxHoles) return InvalidArgument("too many holes");
    }
    Instruction* i =
        good_name ? computation_->AddWithId(opcode, std::move(shape), id, f.name)
                  : computation_->AddWithId(opcode, std::move(shape), id,
                                            SanitizeName(f.name));
    if (!preserve_ids_) by_file_id_[file_id] = i;
    instructions_.push_back(i);
    if (opcode == Opcode::kParameter) {
      parameters_.push_back({i, f.parameter_number, NameOf(f)});
    }
    return absl::OkStatus();
  }

  absl::Status NoSuch(absl::string_view what, int64_t id) const {
    return At(InvalidArgument("it wants %s id %d, which is not in computation "
                              "%s",
                              what, id, computation_->name()));
  }

  // Operands, control predecessors, called computations, attributes of the n-th
  // instruction, whose fields are in hand.
  absl::Status Connect(size_t n) {
    const InstructionFields& f = fields_;
    Instruction* i = instructions_[n];
    for (int64_t id : f.operand_ids) {
      Instruction* operand = Find(id);
      if (operand == nullptr) return NoSuch("operand", id);
      i->AppendOperand(operand);
    }
    const int arity = InfoOf(i->opcode()).arity;
    // Texts and protos of rng with more operands are around.
    if (arity >= 0 && i->operand_count() != arity &&
        !(i->opcode() == Opcode::kRng && i->operand_count() > arity)) {
      return At(InvalidArgument("%d operands, %s wants %d", i->operand_count(),
                                OpcodeName(i->opcode()), arity));
    }
    for (int64_t id : f.control_predecessor_ids) {
      Instruction* predecessor = Find(id);
      if (predecessor == nullptr) return NoSuch("control predecessor", id);
      i->AddControlPredecessor(predecessor);
    }
    HLOKIT_RETURN_IF_ERROR(At(ReadCalls(i)));
    if (const OldComparison* old = FindOldComparison(f.opcode)) {
      scratch_->rest_is_used = true;
      rest_.set_comparison_direction(old->direction.data(),
                                     old->direction.size());
    }
    HLOKIT_RETURN_IF_ERROR(At(ReadAttributes(
        {f, rest_, module_rest_.payloads(), options_.max_literal_bytes, false},
        i)));
    return At(ReadItsMetadata(i));
  }

  absl::Status ReadCalls(Instruction* i) {
    if (fields_.called_computation_ids.empty()) return CheckCallCount(*i);
    std::vector<Computation*> called;
    for (int64_t id : fields_.called_computation_ids) {
      auto it = computations_.find(id);
      if (it == computations_.end()) {
        return InvalidArgument(
            "it calls computation id %d, which is not in the module", id);
      }
      called.push_back(it->second);
    }
    // These repeat what the start of their chain says.
    if (i->opcode() == Opcode::kAsyncUpdate ||
        i->opcode() == Opcode::kAsyncDone) {
      return absl::OkStatus();
    }
    if (!MayCallComputations(i->opcode())) {
      return InvalidArgument("%s calls no computations, but %d are given",
                             OpcodeName(i->opcode()), called.size());
    }
    i->set_called_computations(std::move(called));
    return CheckCallCount(*i);
  }

  // Code relies on these counts.
  absl::Status CheckCallCount(const Instruction& i) {
    int64_t wants = 1;
    switch (i.opcode()) {
      case Opcode::kWhile:
      case Opcode::kSelectAndScatter:
        wants = 2;
        break;
      case Opcode::kConditional:
        wants = i.operand_count() - 1;
        break;
      case Opcode::kCustomCall:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
        return absl::OkStatus();
      default:
        if (!MayCallComputations(i.opcode())) return absl::OkStatus();
    }
    const int64_t has = i.called_computations().size();
    if (has == wants) return absl::OkStatus();
    return InvalidArgument("%d called computations, %s wants %d", has,
                           OpcodeName(i.opcode()), wants);
  }

  absl::Status CheckParameters() {
    const int64_t count = parameters_.size();
    for (const Parameter& p : parameters_) {
      if (!computation_->SetParameterNumber(p.instruction, p.number, count)) {
        return Annotate(
            InvalidArgument("parameter number %d is taken or not below %d, the "
                            "number of parameters",
                            p.number, count),
            p.name);
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckCycles() {
    const std::vector<Instruction*> cycle =
        FindCycle(instructions_, [](Instruction* i) {
          std::vector<Instruction*> before(i->operands().begin(),
                                           i->operands().end());
          before.insert(before.end(), i->control_predecessors().begin(),
                        i->control_predecessors().end());
          return before;
        });
    if (cycle.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        CycleText("instructions use each other", "uses", cycle));
  }

  struct Parameter {
    Instruction* instruction;
    int64_t number;
    std::string name;  // for messages
  };

  const xla::HloModuleProto& module_rest_;
  const ComputationBytes& bytes_;
  const FromProtoOptions& options_;
  const bool preserve_ids_;
  const absl::flat_hash_map<int64_t, Computation*>& computations_;
  ByteCaches* caches_;
  Computation* computation_;
  std::vector<Instruction*> instructions_;  // in file order
  std::vector<Parameter> parameters_;
  absl::flat_hash_map<uint32_t, Instruction*> by_file_id_;
  Scratch* scratch_;
  InstructionFields& fields_;
  xla::HloInstructionProto& rest_;
  int64_t* holes_;  // of all computations so far
};

class ModuleReader {
 public:
  ModuleReader(absl::string_view bytes, const FromProtoOptions& options,
               bool preserve_ids)
      : bytes_(bytes), options_(options), preserve_ids_(preserve_ids) {}

  // Ids leave out more numbers than a file of that size should.
  bool TooManyHoles() const { return holes_ > kMaxHoles; }

  absl::StatusOr<std::unique_ptr<Module>> Read() {
    HLOKIT_RETURN_IF_ERROR(Split());
    if (computations_.empty()) {
      return InvalidArgument(bytes_.empty()
                                 ? "the module proto is empty"
                                 : "the module has no computations");
    }
    HLOKIT_RETURN_IF_ERROR(CheckFields(proto_));
    module_ = std::make_unique<Module>(proto_.name());
    HLOKIT_RETURN_IF_ERROR(CreateComputations());
    HLOKIT_RETURN_IF_ERROR(ReadComputations());
    HLOKIT_RETURN_IF_ERROR(CheckRecursion());
    JoinComputations();
    HLOKIT_RETURN_IF_ERROR(ReadEntryLayout());
    HLOKIT_RETURN_IF_ERROR(ReadSchedule());
    HLOKIT_RETURN_IF_ERROR(ReadAliases());
    HLOKIT_RETURN_IF_ERROR(ReadTables());
    KeepUnprinted();
    if (options_.notes != nullptr) NoteAllUnknowns();
    return std::move(module_);
  }

 private:
  // Why bytes that could not be split are no message.
  absl::Status Broken() const {
    xla::HloModuleProto proto;
    const absl::Status why = ParseProtoBytes(bytes_, &proto);
    return why.ok() ? InvalidArgument("these bytes are no HloModuleProto")
                    : why;
  }

  // Parts that have the same bytes are looked at once.
  void NoteUnknownsOf(absl::string_view bytes, FieldNotes* notes) {
    InstructionFields f;
    if (!ReadInstructionFields(bytes, &f)) return;
    auto walk = [&](absl::string_view part, google::protobuf::Message* proto) {
      if (part.empty() || !walked_.insert(std::string(part)).second) return;
      if (!proto->ParseFromArray(part.data(), part.size())) return;
      notes->Walk(*proto, absl::StrCat("instruction ", f.name));
    };
    xla::ShapeProto shape;
    walk(f.shape, &shape);
    xla::OpMetadata metadata;
    walk(f.metadata, &metadata);
    xla::HloInstructionProto rest;
    walk(f.rest, &rest);
    // Of large literals the elements are all there is.
    constexpr size_t kLargeLiteral = 1 << 20;
    xla::LiteralProto literal;
    if (f.literal.size() < kLargeLiteral) walk(f.literal, &literal);
  }

  // Finds where computations and instructions lie, and parses all else.
  absl::Status Split() {
    std::string rest;
    WireReader reader(bytes_);
    WireField field;
    while (reader.Next(&field)) {
      if (field.Is(xla::HloModuleProto::kComputationsFieldNumber,
                   WireType::kBytes)) {
        HLOKIT_RETURN_IF_ERROR(SplitComputation(field.bytes));
      } else {
        rest.append(field.whole.data(), field.whole.size());
      }
    }
    if (reader.bad()) return Broken();
    return proto_.ParseFromString(rest) ? absl::OkStatus() : Broken();
  }

  absl::Status SplitComputation(absl::string_view bytes) {
    ComputationBytes& computation = computations_.emplace_back();
    using P = xla::HloComputationProto;
    WireReader reader(bytes);
    WireField field;
    while (reader.Next(&field)) {
      if (field.Is(P::kInstructionsFieldNumber, WireType::kBytes)) {
        computation.instructions.push_back(field.bytes);
      } else if (field.Is(P::kNameFieldNumber, WireType::kBytes)) {
        computation.name = field.bytes;
      } else if (field.Is(P::kExecutionThreadFieldNumber, WireType::kBytes)) {
        computation.execution_thread = field.bytes;
      } else if (field.Is(P::kProgramShapeFieldNumber, WireType::kBytes)) {
        computation.program_shape = field.bytes;
      } else if (field.Is(P::kIdFieldNumber, WireType::kVarint)) {
        computation.id = field.number_value();
      } else if (field.Is(P::kRootIdFieldNumber, WireType::kVarint)) {
        computation.root_id = field.number_value();
      } else if (!field.Is(P::kIsFusionComputationFieldNumber,
                           WireType::kVarint)) {
        computation.rest.append(field.whole.data(), field.whole.size());
      }
    }
    return reader.bad() ? Broken() : absl::OkStatus();
  }

  // Fields that came with a wrong type.
  absl::Status CheckRest(const ComputationBytes& c) const {
    if (c.rest.empty()) return absl::OkStatus();
    xla::HloComputationProto rest;
    if (!rest.ParseFromString(c.rest)) return Broken();
    return CheckFields(rest);
  }

  // Walks the module once more, as messages, for what nobody understood.
  void NoteAllUnknowns() {
    FieldNotes notes;
    notes.Walk(proto_, absl::StrCat("module ", proto_.name()));
    for (const ComputationBytes& c : computations_) {
      xla::HloComputationProto rest;
      if (rest.ParseFromString(c.rest)) {
        notes.Walk(rest, absl::StrCat("computation ", c.name));
      }
      for (absl::string_view bytes : c.instructions) {
        NoteUnknownsOf(bytes, &notes);
      }
    }
    notes.AppendTo(options_.notes);
  }

  void Note(std::string text) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(text));
  }

  absl::Status CreateComputations() {
    for (const ComputationBytes& c : computations_) {
      HLOKIT_RETURN_IF_ERROR(
          Annotate(CheckRest(c), absl::StrCat("computation ", c.name)));
      if (c.id < 0 || c.id > kMaxComputationId) {
        return InvalidArgument("computation %s: id %d is out of range", c.name,
                               c.id);
      }
      fresh_.push_back(
          Computation::Create(module_.get(), SanitizeName(c.name)));
      if (!by_id_.emplace(c.id, fresh_.back().get()).second) {
        return InvalidArgument("computations %s and %s have the same id %d",
                               by_id_[c.id]->name(), c.name, c.id);
      }
    }
    if (!by_id_.contains(proto_.entry_computation_id())) {
      return InvalidArgument("entry computation id %d is not there",
                             proto_.entry_computation_id());
    }
    return absl::OkStatus();
  }

  absl::Status ReadComputations() {
    readers_.reserve(fresh_.size());
    for (size_t n = 0; n < fresh_.size(); ++n) {
      readers_.push_back(std::make_unique<ComputationReader>(
          proto_, computations_[n], options_, preserve_ids_, by_id_, &caches_,
          &scratch_, &holes_, fresh_[n].get()));
      const absl::Status status = readers_.back()->Read();
      if (!status.ok()) {
        return Annotate(status,
                        absl::StrCat("computation ", computations_[n].name));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRecursion() {
    // Callees before callers, as writers have it, needs no search.
    absl::flat_hash_set<const Computation*> before;
    bool forward = false;
    for (const auto& c : fresh_) {
      for (const Instruction* i : c->instructions()) {
        for (const Computation* called : i->called_computations()) {
          forward = forward || !before.contains(called);
        }
      }
      before.insert(c.get());
    }
    if (!forward) return absl::OkStatus();
    std::vector<Computation*> all;
    for (const auto& c : fresh_) all.push_back(c.get());
    const auto cycle = FindCycle(all, [](Computation* c) {
      std::vector<Computation*> callees;
      for (const Instruction* i : c->instructions()) {
        callees.insert(callees.end(), i->called_computations().begin(),
                       i->called_computations().end());
      }
      return callees;
    });
    if (cycle.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        CycleText("computations call each other", "calls", cycle));
  }

  void JoinComputations() {
    for (size_t n = 0; n < fresh_.size(); ++n) {
      const ComputationBytes& p = computations_[n];
      Computation* c =
          p.id == proto_.entry_computation_id()
              ? module_->AddEntryComputation(std::move(fresh_[n]), p.id)
              : module_->AddComputation(std::move(fresh_[n]), p.id);
      if (options_.notes == nullptr) continue;
      if (c->name() != p.name) NoteRename("computation", p.name, c->name());
      readers_[n]->ForEachRenamed(
          [this](absl::string_view from, absl::string_view to) {
            NoteRename("instruction", from, to);
          });
    }
  }

  void NoteRename(absl::string_view what, absl::string_view from,
                  absl::string_view to) {
    Note(absl::StrCat(what, " \"", from, "\" is called ", to, " now"));
  }

  absl::Status ReadEntryLayout() {
    if (!proto_.has_host_program_shape()) {
      Note("the module has no host_program_shape; the entry's own is taken");
      module_->SetEntryLayoutFromEntry();
      return absl::OkStatus();
    }
    auto layout = ReadProgramShape(proto_.host_program_shape());
    if (!layout.ok()) return Annotate(layout.status(), "host_program_shape");
    const Computation& entry = *module_->entry();
    if (static_cast<int64_t>(layout->parameters.size()) !=
        entry.parameter_count()) {
      return InvalidArgument(
          "host_program_shape has %d parameters, entry computation %s has %d",
          layout->parameters.size(), entry.name(), entry.parameter_count());
    }
    module_->entry_layout = *std::move(layout);
    return absl::OkStatus();
  }

  absl::Status ReadSchedule() {
    if (!proto_.has_schedule()) return absl::OkStatus();
    Schedule schedule;
    for (size_t n = 0; n < computations_.size(); ++n) {
      auto it =
          proto_.schedule().sequences().find(computations_[n].id);
      if (it == proto_.schedule().sequences().end()) continue;
      std::vector<Instruction*>& sequence =
          schedule[module_->computations()[n].get()];
      for (int64_t id : it->second.instruction_ids()) {
        Instruction* instruction = readers_[n]->Find(id);
        if (instruction == nullptr) {
          return InvalidArgument(
              "the schedule of computation %s names instruction id %d, which "
              "is not there",
              computations_[n].name, id);
        }
        sequence.push_back(instruction);
      }
    }
    for (const auto& [id, sequence] : proto_.schedule().sequences()) {
      if (!by_id_.contains(id)) {
        Note(absl::StrCat("the schedule of computation id ", id,
                          " is left out: there is no such computation"));
      }
    }
    module_->schedule = std::move(schedule);
    return absl::OkStatus();
  }

  absl::Status ReadAliases() {
    for (const auto& e : proto_.input_output_alias().entries()) {
      const int kind = e.kind();
      if (kind < 0 || kind > InputOutputAlias::kMustAlias) {
        return InvalidArgument("input_output_alias: kind %d is unknown", kind);
      }
      module_->input_output_aliases.push_back(
          {ToList<ShapeIndex>(e.output_shape_index()), e.parameter_number(),
           ToList<ShapeIndex>(e.parameter_shape_index()),
           static_cast<InputOutputAlias::Kind>(kind)});
    }
    auto& aliases = module_->input_output_aliases;
    std::stable_sort(aliases.begin(), aliases.end(),
                     [](const auto& a, const auto& b) {
                       return a.output_index < b.output_index;
                     });
    for (const auto& e : proto_.buffer_donor().entries()) {
      module_->buffer_donors.push_back(
          {e.parameter_number(), ToList<ShapeIndex>(e.parameter_shape_index())});
    }
    auto& donors = module_->buffer_donors;
    std::sort(donors.begin(), donors.end(), [](const auto& a, const auto& b) {
      return std::tie(a.parameter, a.parameter_index) <
             std::tie(b.parameter, b.parameter_index);
    });
    return absl::OkStatus();
  }

  absl::Status ReadTables() {
    for (const auto& [key, value] : proto_.frontend_attributes().map()) {
      module_->frontend_attributes[key] = value;
    }
    module_->stack_frames = ReadStackFrames(proto_.stack_frame_index());
    CompactStackFrames(module_.get());
    for (const auto& e : proto_.original_value_recovery_table().entries()) {
      OriginalValueRecovery entry;
      entry.old_array = ReadOriginalArray(e.old_original_array());
      entry.new_array = ReadOriginalArray(e.new_original_array());
      if (e.has_recovery_module()) {
        auto module = ModuleFromProto(e.recovery_module(), options_);
        if (!module.ok()) {
          return Annotate(module.status(),
                          absl::StrCat("recovery module of ",
                                       entry.old_array.instruction_name));
        }
        entry.module = *std::move(module);
      }
      module_->recovery_table.push_back(std::move(entry));
    }
    for (const auto& e : proto_.debug_attributes()) {
      DebugAttributeEntry entry;
      entry.array = ReadOriginalArray(e.original_array());
      for (const auto& a : e.debug_attributes()) {
        entry.attributes.push_back({a.log_mode(), a.callback_id(), a.op_id(),
                                    a.partitioned(), a.operands_sharding()});
      }
      module_->debug_attributes.push_back(std::move(entry));
    }
    return absl::OkStatus();
  }

  // What no text carries stays as it is.
  void KeepUnprinted() {
    xla::HloModuleProto rest;
    *rest.mutable_cross_program_prefetches() = proto_.cross_program_prefetches();
    rest.set_is_dynamic(proto_.is_dynamic());
    if (proto_.has_spmd_output_sharding()) {
      *rest.mutable_spmd_output_sharding() = proto_.spmd_output_sharding();
    }
    *rest.mutable_spmd_parameters_shardings() =
        proto_.spmd_parameters_shardings();
    rest.set_use_auto_spmd_partitioning(proto_.use_auto_spmd_partitioning());
    *rest.mutable_profile_info() = proto_.profile_info();
    if (proto_.has_device_assignment()) {
      *rest.mutable_device_assignment() = proto_.device_assignment();
    }
    rest.set_device_type(proto_.device_type());
    if (rest.ByteSizeLong() == 0) return;
    module_->unprinted =
        std::make_unique<xla::HloModuleProto>(std::move(rest));
  }

  const absl::string_view bytes_;
  const FromProtoOptions& options_;
  xla::HloModuleProto proto_;  // without computations
  std::vector<ComputationBytes> computations_;
  ByteCaches caches_;
  Scratch scratch_;
  int64_t holes_ = 0;
  absl::flat_hash_set<std::string> walked_;
  const bool preserve_ids_;
  // Computations that have not joined yet, in file order. Owned by `module_`
  // afterwards. They hold names in the module's storage, so they go first.
  std::unique_ptr<Module> module_;
  std::vector<std::unique_ptr<Computation>> fresh_;
  absl::flat_hash_map<int64_t, Computation*> by_id_;
  std::vector<std::unique_ptr<ComputationReader>> readers_;
};

}  // namespace
}  // namespace wire

absl::StatusOr<std::unique_ptr<Module>> ModuleFromBytes(
    absl::string_view bytes, const FromProtoOptions& options) {
  {
    wire::ModuleReader reader(bytes, options, options.preserve_ids);
    auto module = reader.Read();
    if (module.ok() || !options.preserve_ids || !reader.TooManyHoles()) {
      return module;
    }
  }
  if (options.notes != nullptr) {
    options.notes->push_back(
        "instruction ids leave too many numbers out; they are dealt anew");
  }
  return wire::ModuleReader(bytes, options, false).Read();
}

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(
    const xla::HloModuleProto& proto, const FromProtoOptions& options) {
  return ModuleFromBytes(SerializeDeterministic(proto), options);
}

}  // namespace hlokit
