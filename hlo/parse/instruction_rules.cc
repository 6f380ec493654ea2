// What must hold between operands, attributes and type of an instruction when
// it is read, and what is stored in place of what is written.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "hlo/parse/module_parser.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit::parse {
namespace {

// Parts that the inferred tuple types of one text may have in all, and those of
// a single one.
constexpr int64_t kMaxInferredParts = int64_t{1} << 24;
constexpr int64_t kMaxPartsOfType = 1 << 16;

// Numbers stored for the shardings of one instruction, at most.
constexpr int64_t kMaxShardingWeight = int64_t{1} << 24;

// Counts the parts of a type up to `limit`.
int64_t CountParts(const Shape& shape, int64_t limit) {
  int64_t count = 1;
  for (const Shape& element : shape.tuple_shapes()) {
    if (count > limit) break;
    count += CountParts(element, limit - count);
  }
  return count;
}

bool HasBrokenOperand(const Instruction& instruction) {
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().IsValid()) return true;
  }
  return false;
}

// Opcodes whose `dimensions` list has exactly one entry.
bool HasOneDimension(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kConcatenate:
    case Opcode::kGetDimensionSize:
    case Opcode::kReduceScatter:
    case Opcode::kScan:
    case Opcode::kSetDimensionSize:
    case Opcode::kSort:
      return true;
    default:
      return false;
  }
}

// Of a transposition that moves nothing in memory.
Layout TransposedLayout(Layout layout, absl::Span<const int64_t> dimensions) {
  Int64List new_number(dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) new_number[dimensions[i]] = i;
  for (int64_t& d : layout.minor_to_major) d = new_number[d];
  return layout;
}

// A map is over all dimensions, whatever its text says.
void NumberMapDimensions(Instruction* map) {
  Int64List all(map->shape().rank());
  std::iota(all.begin(), all.end(), 0);
  map->mutable_attrs().Erase(AttrId::kDimensions);
  if (!all.empty()) {
    map->mutable_attrs().Set(AttrId::kDimensions, std::move(all));
  }
}

// Only custom calls keep a window without dimensions.
void DropEmptyWindow(Instruction* instruction) {
  const Window* window = instruction->window();
  if (window != nullptr && window->dimensions.empty() &&
      instruction->opcode() != Opcode::kCustomCall) {
    instruction->mutable_attrs().Erase(AttrId::kWindow);
  }
}

}  // namespace

bool ModuleParser::FinishInstruction(Instruction* instruction,
                                     const Pending& pending,
                                     const Attributes& attributes) {
  const AttrMask missing =
      tables_.Required(instruction->opcode()) & ~attributes.seen;
  if (missing.any()) {
    for (const OpcodeAttribute& a : InfoOf(instruction->opcode()).attributes) {
      if (!a.required || attributes.Has(a.id)) continue;
      return Error(pending.opcode_offset,
                   absl::StrCat(OpcodeName(instruction->opcode()),
                                " needs the attribute '", AttributeName(a.id),
                                "'"));
    }
  }
  if (!attributes.computations.empty() &&
      !SetCalledComputations(instruction, pending, attributes)) {
    return false;
  }
  if (attributes.Has(AttrId::kWindow)) DropEmptyWindow(instruction);
  // A fault in an operand has been reported where it is.
  if (HasBrokenOperand(*instruction)) return true;
  if (!ApplyOpcodeRules(instruction, pending, attributes)) return false;
  if (!pending.has_type || instruction->opcode() == Opcode::kAfterAll ||
      instruction->opcode() == Opcode::kAddDependency) {
    if (!InferType(instruction, pending)) return false;
  }
  if (instruction->shape().IsTuple() && attributes.Has(AttrId::kSharding)) {
    return ExpandSharding(instruction, attributes.PlaceOf(AttrId::kSharding));
  }
  return true;
}

bool ModuleParser::SetCalledComputations(Instruction* instruction,
                                         const Pending& pending,
                                         const Attributes& attributes) {
  std::vector<Computation*> called;
  for (const auto& [id, computation] : attributes.computations) {
    // A computation with faults of its own.
    if (computation == nullptr) return true;
    called.push_back(computation);
  }
  auto first = [&](AttrId id) {
    return attributes.computations[0].first == id;
  };
  switch (instruction->opcode()) {
    case Opcode::kWhile:
      if (called.size() == 2 && first(AttrId::kCondition)) {
        std::swap(called[0], called[1]);
      }
      break;
    case Opcode::kSelectAndScatter:
      if (called.size() == 2 && first(AttrId::kScatter)) {
        std::swap(called[0], called[1]);
      }
      break;
    case Opcode::kConditional:
      if (called.size() == 2 && first(AttrId::kFalseComputation)) {
        std::swap(called[0], called[1]);
      }
      break;
    case Opcode::kCustomCall:
      if (attributes.Has(AttrId::kToApply) &&
          attributes.Has(AttrId::kCalledComputations)) {
        return Error(attributes.PlaceOf(AttrId::kToApply),
                     "to_apply= and called_computations= exclude each other");
      }
      break;
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return true;  // only compared
    default:
      break;
  }
  instruction->set_called_computations(std::move(called));
  return true;
}

bool ModuleParser::CheckDimensionCounts(const Instruction& instruction,
                                        const Pending& pending,
                                        const Attributes& attributes) {
  const Opcode opcode = instruction.opcode();
  const size_t place = attributes.PlaceOf(AttrId::kDimensions);
  const size_t count = instruction.dimensions().size();
  if (HasOneDimension(opcode) && count != 1) {
    return Error(place, absl::StrCat(OpcodeName(opcode),
                                     " takes exactly one dimension, found ",
                                     count));
  }
  if (opcode == Opcode::kAllToAll && attributes.Has(AttrId::kDimensions) &&
      count != 1) {
    return Error(place,
                 absl::StrCat("all-to-all takes exactly one dimension, found ",
                              count));
  }
  if (opcode == Opcode::kBroadcast && !attributes.Has(AttrId::kDimensions) &&
      !instruction.operand(0)->shape().IsScalar()) {
    return Error(pending.opcode_offset,
                 "broadcast needs the attribute 'dimensions' unless its "
                 "operand is a scalar");
  }
  return true;
}

bool ModuleParser::ApplyOpcodeRules(Instruction* instruction,
                                    const Pending& pending,
                                    const Attributes& attributes) {
  AttributeSet& attrs = instruction->mutable_attrs();
  const Shape& type = pending.type;
  switch (instruction->opcode()) {
    case Opcode::kGetTupleElement: {
      const int64_t index = attrs.GetInt(AttrId::kIndex);
      if (index < 0) {
        return Error(attributes.PlaceOf(AttrId::kIndex),
                     "the tuple index is negative");
      }
      instruction->set_number(index);
      attrs.Erase(AttrId::kIndex);
      return true;
    }
    case Opcode::kMap: {
      // What is written does not matter.
      if (!pending.has_type && !attributes.Has(AttrId::kDimensions)) {
        return Error(pending.opcode_offset,
                     "map without a type needs the attribute 'dimensions'");
      }
      if (instruction->operand_count() == 0) {
        return Error(pending.opcode_offset, "map takes at least 1 operand");
      }
      if (pending.has_type) NumberMapDimensions(instruction);
      return true;
    }
    case Opcode::kRaggedAllToAll:
      attrs.Erase(AttrId::kDimensions);
      return ApplyChannelRules(*instruction, pending, attributes);
    case Opcode::kTopK:
      if (!attributes.Has(AttrId::kLargest)) attrs.Set(AttrId::kLargest, true);
      if (!attributes.Has(AttrId::kIsStable)) {
        attrs.Set(AttrId::kIsStable, true);
      }
      return true;
    case Opcode::kSort:
      if (!attrs.GetBool(AttrId::kIsStable)) attrs.Erase(AttrId::kIsStable);
      return CheckDimensionCounts(*instruction, pending, attributes);
    case Opcode::kCollectiveBroadcast:
      if (!attributes.Has(AttrId::kHasDynamicRoot)) {
        attrs.Set(AttrId::kHasDynamicRoot, false);
      }
      return true;
    case Opcode::kScan:
      if (!attributes.Has(AttrId::kIsAssociative)) {
        attrs.Set(AttrId::kIsAssociative,
                  static_cast<int64_t>(TriState::kFalse));
      }
      return CheckDimensionCounts(*instruction, pending, attributes);
    case Opcode::kCompare:
      if (attributes.Has(AttrId::kComparisonType)) {
        const int64_t given = attrs.GetInt(AttrId::kComparisonType);
        attrs.Erase(AttrId::kComparisonType);
        if (static_cast<int64_t>(instruction->comparison_type()) != given) {
          attrs.Set(AttrId::kComparisonType, given);
        }
      }
      return true;
    case Opcode::kTuple:
      if (pending.has_type &&
          (!type.IsTuple() ||
           static_cast<int64_t>(type.tuple_shapes().size()) !=
               instruction->operand_count())) {
        return Error(pending.type_offset,
                     absl::StrCat("the type must be a tuple of ",
                                  instruction->operand_count(), " elements"));
      }
      return true;
    case Opcode::kReshape: {
      const Shape& from = instruction->operand(0)->shape();
      if (pending.has_type && type.IsArray() && from.IsArray() &&
          type.is_static() && from.is_static() &&
          ElementsIn(type) != ElementsIn(from)) {
        return Error(pending.type_offset,
                     absl::StrCat("reshape of ", ElementsIn(from),
                                  " elements to ", ElementsIn(type)));
      }
      return true;
    }
    case Opcode::kSend:
    case Opcode::kRecv:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSendDone:
    case Opcode::kRecvDone:
      return ApplyTransferRules(instruction, pending, attributes);
    case Opcode::kConditional:
      return ApplyConditionalRules(*instruction, pending, attributes);
    case Opcode::kCustomCall:
      return ApplyCustomCallRules(*instruction, pending, attributes);
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return FinishAsyncFollower(instruction, pending, attributes);
    case Opcode::kAsyncStart: {
      const std::string thread(
          attrs.GetString(AttrId::kAsyncExecutionThread));
      if (thread == "main") attrs.Erase(AttrId::kAsyncExecutionThread);
      Computation* wrapped = instruction->called_computations().empty()
                                 ? nullptr
                                 : instruction->called_computation(0);
      async_start_order_.push_back(instruction);
      ShareWithWrapped(*instruction, wrapped);
      return true;
    }
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return ApplyChannelRules(*instruction, pending, attributes) &&
             CheckDimensionCounts(*instruction, pending, attributes);
    default:
      return CheckDimensionCounts(*instruction, pending, attributes);
  }
}

bool ModuleParser::ApplyChannelRules(const Instruction& instruction,
                                     const Pending& pending,
                                     const Attributes& attributes) {
  const AttributeSet& attrs = instruction.attrs();
  switch (instruction.opcode()) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      if (attrs.GetBool(AttrId::kUseGlobalDeviceIds) &&
          !attrs.Has(AttrId::kChannelId)) {
        return Error(attributes.PlaceOf(AttrId::kUseGlobalDeviceIds),
                     "use_global_device_ids=true needs a channel_id");
      }
      return true;
    case Opcode::kSendDone:
    case Opcode::kRecvDone: {
      const Instruction& start = *instruction.operand(0);
      if (start.opcode() != Opcode::kSend && start.opcode() != Opcode::kRecv) {
        return true;
      }
      const bool has_one = attrs.Has(AttrId::kChannelId);
      const bool start_has_one = start.attrs().Has(AttrId::kChannelId);
      const int64_t mine = attrs.GetInt(AttrId::kChannelId);
      const int64_t its = start.attrs().GetInt(AttrId::kChannelId);
      if (has_one == start_has_one && mine == its) return true;
      auto name = [](bool has, int64_t channel) {
        return has ? absl::StrCat("channel_id=", channel)
                   : std::string("no channel_id");
      };
      return Error(pending.opcode_offset,
                   absl::StrCat(OpcodeName(instruction.opcode()), " has ",
                                name(has_one, mine), ", but '", start.name(),
                                "' has ", name(start_has_one, its)));
    }
    default:
      return true;
  }
}

// The types of transfers follow from one part of them; what else is declared
// does not count.
bool ModuleParser::ApplyTransferRules(Instruction* instruction,
                                      const Pending& pending,
                                      const Attributes& attributes) {
  if (!pending.has_type) return true;  // reported with the inference
  const Opcode opcode = instruction->opcode();
  const Shape& operand = instruction->operand(0)->shape();
  Shape type;
  switch (opcode) {
    case Opcode::kSend:
      type = Shape::Tuple({operand, Shape::Scalar(kU32), Shape::Token()});
      break;
    case Opcode::kRecv:
    case Opcode::kInfeed: {
      if (pending.type.tuple_shapes().empty()) {
        return Error(pending.type_offset,
                     absl::StrCat("the type of ", OpcodeName(opcode),
                                  " is a tuple with the data first"));
      }
      const Shape& data = pending.type.tuple_shape(0);
      type = opcode == Opcode::kInfeed
                 ? Shape::Tuple({data, Shape::Token()})
                 : Shape::Tuple({data, Shape::Scalar(kU32), Shape::Token()});
      break;
    }
    case Opcode::kRecvDone:
      if (operand.tuple_shapes().empty()) {
        return Error(pending.opcode_offset,
                     absl::StrCat("the operand of recv-done is a tuple with "
                                  "the data first, not ",
                                  operand.ToString(false)));
      }
      type = Shape::Tuple({operand.tuple_shape(0), Shape::Token()});
      break;
    default:
      type = Shape::Token();
      break;
  }
  if (opcode == Opcode::kOutfeed && !attributes.Has(AttrId::kOutfeedShape)) {
    instruction->mutable_attrs().Set(AttrId::kOutfeedShape, operand);
  }
  if (!ShapesCompatible(type, pending.type)) {
    diagnostics_->Warning(
        absl::StrCat("the type of this ", OpcodeName(opcode), " is ",
                     type.ToString(false), ", not ",
                     pending.type.ToString(false)),
        pending.type_offset);
  }
  instruction->set_shape(std::move(type));
  return ApplyChannelRules(*instruction, pending, attributes);
}

bool ModuleParser::ApplyConditionalRules(const Instruction& instruction,
                                         const Pending& pending,
                                         const Attributes& attributes) {
  const Shape& index = instruction.operand(0)->shape();
  const bool is_pred = index.element_type() == kPred;
  if (!index.IsScalar() || (!is_pred && index.element_type() != kS32)) {
    return Error(pending.opcode_offset,
                 absl::StrCat("the first operand of conditional is a pred[] or "
                              "s32[], not ", index.ToString(false)));
  }
  const bool has_both = attributes.Has(AttrId::kTrueComputation) &&
                        attributes.Has(AttrId::kFalseComputation);
  const bool has_either = attributes.Has(AttrId::kTrueComputation) ||
                          attributes.Has(AttrId::kFalseComputation);
  const bool has_list = attributes.Has(AttrId::kBranchComputations);
  if (is_pred ? !has_both || has_list : !has_list || has_either) {
    return Error(pending.opcode_offset,
                 is_pred ? "conditional over pred[] needs true_computation= and "
                           "false_computation="
                         : "conditional over s32[] needs branch_computations=");
  }
  const int64_t branches = attributes.computations.size();
  if (instruction.operand_count() != branches + 1) {
    return Error(pending.opcode_offset,
                 absl::StrCat("conditional with ", branches, " branches takes ",
                              branches + 1, " operands, found ",
                              instruction.operand_count()));
  }
  return true;
}

bool ModuleParser::ApplyCustomCallRules(const Instruction& instruction,
                                        const Pending& pending,
                                        const Attributes& attributes) {
  const ShapeList* constraints =
      instruction.attrs().Get<ShapeList>(AttrId::kOperandLayoutConstraints);
  if (constraints == nullptr) return true;
  const size_t place = attributes.PlaceOf(AttrId::kOperandLayoutConstraints);
  const int64_t count = constraints->size();
  if (count != instruction.operand_count()) {
    return Error(place, absl::StrCat(count, " layout constraints for ",
                                     instruction.operand_count(),
                                     " operands"));
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (ShapesCompatible((*constraints)[i], operand)) continue;
    return Error(place, absl::StrCat("layout constraint ", i, " is for ",
                                     (*constraints)[i].ToString(false),
                                     ", the operand is ",
                                     operand.ToString(false)));
  }
  return true;
}

bool ModuleParser::InferType(Instruction* instruction,
                             const Pending& pending) {
  if (!InfoOf(instruction->opcode()).infers_shape) {
    return Error(pending.opcode_offset,
                 absl::StrCat(OpcodeName(instruction->opcode()),
                              " needs a type before it"));
  }
  // XLA's reader takes operands of any type here; its verifier does not.
  if (instruction->opcode() == Opcode::kAfterAll) {
    instruction->set_shape(Shape::Token());
    return true;
  }
  absl::InlinedVector<const Shape*, 8> operands;
  for (const Instruction* operand : instruction->operands()) {
    operands.push_back(&operand->shape());
  }
  // Callees with faults of their own have no root.
  for (const Computation* called : instruction->called_computations()) {
    if (called->root() == nullptr || !called->root()->shape().IsValid()) {
      return true;
    }
  }
  absl::StatusOr<Shape> shape =
      InferShape({.opcode = instruction->opcode(),
                  .operands = operands,
                  .attrs = &instruction->attrs(),
                  .called = instruction->called_computations(),
                  .number = instruction->tuple_index()});
  if (!shape.ok()) {
    return Error(pending.opcode_offset,
                 absl::StrCat(OpcodeName(instruction->opcode()), ": ",
                              shape.status().message()));
  }
  if (shape->IsTuple()) {
    const int64_t parts = CountParts(*shape, kMaxPartsOfType);
    inferred_parts_ += parts;
    if (parts > kMaxPartsOfType || inferred_parts_ > kMaxInferredParts) {
      return Error(pending.opcode_offset,
                   "the inferred tuple type has too many parts");
    }
  }
  if (instruction->opcode() == Opcode::kMap) {
    instruction->set_shape(*shape);
    NumberMapDimensions(instruction);
  }
  shape->SetDescendingLayouts();
  if (instruction->opcode() == Opcode::kTranspose) {
    shape->set_layout(TransposedLayout(
        operands[0]->layout(), instruction->attrs().GetList(
                                   AttrId::kDimensions)));
  }
  instruction->set_shape(*std::move(shape));
  return true;
}

// One sharding for a tuple stands for all its leaves.
bool ModuleParser::ExpandSharding(Instruction* instruction, size_t offset) {
  const Sharding* sharding = instruction->sharding();
  if (sharding == nullptr || sharding->IsTuple()) return true;
  const int64_t weight = 1 + sharding->tiles.devices.size() +
                         sharding->named.mesh.axes.size() +
                         sharding->named.mesh.devices.size() +
                         sharding->metadata.size();
  if (weight * LeafCount(instruction->shape()) > kMaxShardingWeight) {
    return Error(offset, "this sharding, once for each leaf, is too large");
  }
  instruction->mutable_attrs().SetShared(
      AttrId::kSharding, sharding->ForShape(instruction->shape()));
  return true;
}

}  // namespace hlokit::parse
