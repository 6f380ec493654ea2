#include "hlo/wire/computation_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/attribute_fields.h"
#include "hlo/wire/cycles.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/unknown_fields.h"

namespace hlokit::wire {
namespace {

uint32_t LocalId(int64_t unique_id) {
  return static_cast<uint32_t>(unique_id & 0xffffffff);
}

std::string NameOf(const InstructionFields& f) {
  return absl::StrCat("instruction ", f.name, " (id ", f.id, ")");
}

absl::Status CheckTypeIsKnown(const Shape& shape) {
  absl::Status status;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    const PrimitiveType type = leaf.element_type();
    if (!IsUnknownType(type) || !status.ok()) return;
    const absl::string_view name = PrimitiveTypeName(type);
    const int number = UnknownTypeNumber(name);
    status = InvalidArgument(
        "element type %s is unknown; --lenient keeps it",
        number != 0 ? std::to_string(number) : std::string(name));
  });
  return status;
}

// Into a message that may have been used before.
absl::Status ParsePart(absl::string_view bytes,
                              google::protobuf::Message* message) {
  constexpr size_t kEasy = 1 << 20;
  if (bytes.size() < kEasy &&
      message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::OkStatus();
  }
  message->Clear();
  return ParseProtoBytes(bytes, message);
}

}  // namespace

absl::StatusOr<const xla::HloInstructionProto*> RestCache::Parse(
    const std::string& bytes) {
  Entry& entry = entries_[absl::HashOf(bytes) % kSize];
  if (entry.bytes == bytes) return &entry.message;
  entry.bytes.clear();
  HLOKIT_RETURN_IF_ERROR(ParsePart(bytes, &entry.message));
  HLOKIT_RETURN_IF_ERROR(CheckFields(entry.message));
  // Long ones (with configurations of custom calls, say) hardly come again.
  constexpr size_t kLongest = 1 << 10;
  if (bytes.size() <= kLongest) entry.bytes = bytes;
  return &entry.message;
}

xla::HloInstructionProto* RestCache::Changeable(
    const xla::HloInstructionProto& rest) {
  changed_ = rest;
  return &changed_;
}

absl::Status ComputationReader::Read() {
  const size_t count = bytes_.instructions.size();
  instructions_.reserve(count);
  // An instruction is complete as soon as all that it uses is there; others
  // are read once more in the end.
  std::vector<size_t> late;
  for (size_t n = 0; n < count; ++n) {
    HLOKIT_RETURN_IF_ERROR(ReadFields(n));
    // Before it is there itself: what uses itself is late, too.
    const bool complete = AllThere();
    HLOKIT_RETURN_IF_ERROR(Create());
    if (complete) {
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

Instruction* ComputationReader::Find(int64_t unique_id) const {
  const uint32_t id = LocalId(unique_id);
  if (context_.preserve_ids) return computation_->InstructionById(id);
  auto it = by_file_id_.find(id);
  return it == by_file_id_.end() ? nullptr : it->second;
}

absl::Status ComputationReader::At(const absl::Status& status) const {
  return status.ok() ? status : Annotate(status, NameOf(context_.fields));
}

// context_.fields and context_.rest become those of the n-th instruction.
absl::Status ComputationReader::ReadFields(size_t n) {
  if (!ReadInstructionFields(bytes_.instructions[n], &context_.fields)) {
    return InvalidArgument("instruction %d is no message", n);
  }
  if (context_.fields.rest.empty()) {
    context_.rest = &xla::HloInstructionProto::default_instance();
    return absl::OkStatus();
  }
  auto rest = context_.rests.Parse(context_.fields.rest);
  if (!rest.ok()) return At(rest.status());
  context_.rest = *rest;
  return absl::OkStatus();
}

bool ComputationReader::AllThere() const {
  for (int64_t id : context_.fields.operand_ids) {
    if (Find(id) == nullptr) return false;
  }
  for (int64_t id : context_.fields.control_predecessor_ids) {
    if (Find(id) == nullptr) return false;
  }
  return true;
}

absl::StatusOr<Shape> ComputationReader::ReadType() {
  auto& cached = context_.shapes.At(context_.fields.shape);
  if (cached.value.IsValid() && cached.bytes == context_.fields.shape) {
    return cached.value;
  }
  xla::ShapeProto proto;
  HLOKIT_RETURN_IF_ERROR(ParsePart(context_.fields.shape, &proto));
  HLOKIT_ASSIGN_OR_RETURN(Shape shape, ReadShape(proto));
  if (!context_.options.keep_unknown_meaning) {
    HLOKIT_RETURN_IF_ERROR(CheckTypeIsKnown(shape));
  }
  // Keys are views into the file.
  if (context_.fields.merged[0].data() != context_.fields.shape.data()) {
    cached = {context_.fields.shape, shape};
  }
  return shape;
}

absl::Status ComputationReader::ReadItsMetadata(Instruction* i) {
  if (context_.fields.metadata.empty()) return absl::OkStatus();
  auto& cached = context_.metadata.At(context_.fields.metadata);
  if (cached.value != nullptr && cached.bytes == context_.fields.metadata) {
    i->set_metadata(cached.value);
    return absl::OkStatus();
  }
  auto metadata = std::make_shared<OpMetadata>();
  if (!ReadPlainMetadata(context_.fields.metadata, metadata.get())) {
    HLOKIT_RETURN_IF_ERROR(ParsePart(context_.fields.metadata, &context_.metadata_proto));
    HLOKIT_ASSIGN_OR_RETURN(*metadata,
                            ReadMetadata(context_.metadata_proto,
                                         context_.module_rest.payloads()));
  }
  if (context_.fields.merged[1].data() != context_.fields.metadata.data()) {
    cached = {context_.fields.metadata, metadata};
  }
  context_.has_frame_ids |= metadata->stack_frame_id != 0;
  i->set_metadata(std::move(metadata));
  return absl::OkStatus();
}

// The instruction of context_.fields, without operands.
absl::Status ComputationReader::Create() {
  const InstructionFields& f = context_.fields;
  if (f.id < 0) return At(InvalidArgument("the id is negative"));
  std::optional<Opcode> opcode = OpcodeByName(f.opcode);
  if (!opcode && !OldComparisonDirection(f.opcode).empty()) {
    opcode = Opcode::kCompare;
  }
  if (!opcode && f.opcode == "cross-replica-sum") opcode = Opcode::kAllReduce;
  if (!opcode && !f.opcode.empty() && context_.options.keep_unknown_meaning &&
      IsSanitizedName(f.opcode)) {
    opcode = Opcode::kCustomCall;
  }
  if (!opcode) {
    return At(f.opcode.empty()
                  ? InvalidArgument("it has no opcode")
                  : InvalidArgument("opcode \"%s\" is unknown; "
                                    "--lenient keeps it",
                                    f.opcode));
  }
  if (!f.has_shape) return At(InvalidArgument("it has no shape"));
  auto shape = ReadType();
  if (!shape.ok()) return At(shape.status());
  return At(Add(*opcode, *std::move(shape)));
}

absl::Status ComputationReader::Add(Opcode opcode, Shape shape) {
  const InstructionFields& f = context_.fields;
  const uint32_t file_id = LocalId(f.id);
  const int64_t id = context_.preserve_ids ? file_id : instructions_.size();
  const bool good_name = f.name.empty() || IsSanitizedName(f.name);
  Instruction* other = Find(f.id);
  if (other != nullptr) {
    return InvalidArgument("instructions %s and %s have the same id %d",
                           other->name(), f.name, f.id);
  }
  if (id >= computation_->id_limit()) {
    context_.holes += id - computation_->id_limit();
    if (context_.holes > ReadContext::kMaxHoles) return InvalidArgument("too many holes");
  }
  Instruction* i =
      good_name ? computation_->AddWithId(opcode, std::move(shape), id, f.name)
                : computation_->AddWithId(opcode, std::move(shape), id,
                                          SanitizeName(f.name));
  if (!context_.preserve_ids) by_file_id_[file_id] = i;
  instructions_.push_back(i);
  if (opcode == Opcode::kParameter) {
    parameters_.push_back({i, f.parameter_number, NameOf(f)});
  }
  return absl::OkStatus();
}

absl::Status ComputationReader::NoSuch(absl::string_view what, int64_t id) const {
  return At(InvalidArgument("it wants %s id %d, which is not in computation "
                            "%s",
                            what, id, computation_->name()));
}

// Operands, control predecessors, called computations, attributes of the n-th
// instruction, whose fields are in hand.
absl::Status ComputationReader::Connect(size_t n) {
  const InstructionFields& f = context_.fields;
  Instruction* i = instructions_[n];
  i->ReserveOperands(f.operand_ids.size());
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
  const absl::string_view direction = i->opcode() == Opcode::kCompare
                                          ? OldComparisonDirection(f.opcode)
                                          : absl::string_view();
  if (!direction.empty()) {
    auto* changed = context_.rests.Changeable(*context_.rest);
    changed->set_comparison_direction(direction.data(), direction.size());
    context_.rest = changed;
  }
  const bool unknown_opcode =
      i->opcode() == Opcode::kCustomCall &&
      f.opcode != OpcodeName(Opcode::kCustomCall);
  HLOKIT_RETURN_IF_ERROR(At(ReadAttributes(
      {f, *context_.rest, context_.module_rest.payloads(),
       context_.options.max_literal_bytes,
       // Joined pieces do not last.
       f.merged[2].data() == f.literal.data() ? context_.passing
                                              : context_.options.lasting,
       /*required=*/false, context_.options.keep_unknown_meaning,
       /*keep_common_only=*/unknown_opcode},
      i)));
  if (unknown_opcode) KeepOpcode(i);
  HLOKIT_RETURN_IF_ERROR(At(ReadItsMetadata(i)));
  if (i->attrs().Has(AttrId::kFrontendAttributes)) TakeMetadataItems(i);
  return absl::OkStatus();
}

// Items of metadata that text had and messages have no place for.
void ComputationReader::TakeMetadataItems(Instruction* i) {
  std::vector<UnknownItem> items =
      UnknownItemsFromString(UnknownPart(*i, kUnknownTextKey));
  auto it = std::find_if(items.begin(), items.end(), [](const auto& item) {
    return item.after == kUnknownMetadata;
  });
  if (it == items.end()) return;
  OpMetadata metadata = i->metadata();
  metadata.mutable_rare().unknown_items = std::move(it->text);
  i->set_metadata(std::move(metadata));
  items.erase(it);
  SetUnknownPart(i, kUnknownTextKey, UnknownItemsToString(items));
}

// The opcode in hand and what only it knows to read.
void ComputationReader::KeepOpcode(Instruction* i) {
  constexpr size_t kLargeLiteral = 1 << 20;
  const InstructionFields& f = context_.fields;
  xla::HloInstructionProto own = *context_.rest;
  own.clear_sharding();
  own.clear_frontend_attributes();
  own.clear_statistics_viz();
  own.clear_original_value();
  own.clear_backend_config();
  own.clear_backend_config_payload();
  if (f.has_literal && f.literal.size() < kLargeLiteral) {
    (void)ParseProtoBytes(f.literal, own.mutable_literal()).ok();
  }
  if (own.ByteSizeLong() > 0) {
    SetUnknownPart(i, kUnknownFieldsKey, EncodeKept(own));
  }
  MakeUnknownOperation(i, f.opcode);
}

absl::Status ComputationReader::ReadCalls(Instruction* i) {
  if (context_.fields.called_computation_ids.empty()) return CheckCallCount(*i);
  std::vector<Computation*> called;
  for (int64_t id : context_.fields.called_computation_ids) {
    auto it = context_.computations.find(id);
    if (it == context_.computations.end()) {
      return InvalidArgument(
          "it calls computation id %d, which is not in the module", id);
    }
    called.push_back(it->second);
    // Not read yet, or being read.
    context_.calls_forward |= it->second == computation_ ||
                              it->second->instruction_count() == 0;
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
absl::Status ComputationReader::CheckCallCount(
    const Instruction& i) const {
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

absl::Status ComputationReader::CheckParameters() {
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

absl::Status ComputationReader::CheckCycles() const {
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

}  // namespace hlokit::wire
