#include "hlo/wire/attribute_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/status.h"
#include "absl/strings/str_cat.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/attribute_rows.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit::wire {
namespace {

using P = xla::HloInstructionProto;
using Status = absl::Status;
using Source = AttributeSource;

// ---- Stores, one for each rule of attribute.h.

template <typename Field>
Status StoreList(const Source& s, AttrId id, const Field& field,
                 Instruction* i) {
  if (s.required || !field.empty()) {
    i->mutable_attrs().Set(id, ToList<Int64List>(field));
  }
  return absl::OkStatus();
}

Status StoreFlag(AttrId id, bool value, Instruction* i) {
  if (value) i->mutable_attrs().Set(id, true);
  return absl::OkStatus();
}

// Numbers and words other than `usual`; all when `usual` cannot occur.
Status StoreNumber(const Source& s, AttrId id, int64_t value, int64_t usual,
                   Instruction* i) {
  if (s.required || value != usual) i->mutable_attrs().Set(id, value);
  return absl::OkStatus();
}

Status StoreText(const Source& s, AttrId id, const std::string& value,
                 Instruction* i) {
  if (s.required || !value.empty()) i->mutable_attrs().Set(id, value);
  return absl::OkStatus();
}

// A word of enums.def that the message holds as text.
Status StoreWord(const Source& s, AttrId id, const std::string& word,
                 Instruction* i) {
  const std::optional<int64_t> number = EnumByWord(id, word);
  if (!number && s.keep_unknown && !word.empty()) {
    std::vector<UnknownItem> items =
        UnknownItemsFromString(UnknownPart(*i, kUnknownTextKey));
    items.push_back({"", absl::StrCat(AttributeName(id), "=", word)});
    SetUnknownPart(i, kUnknownTextKey, UnknownItemsToString(items));
    return absl::OkStatus();
  }
  if (!number) {
    return InvalidArgument("%s \"%s\" is unknown", AttributeName(id), word);
  }
  i->mutable_attrs().Set(id, *number);
  return absl::OkStatus();
}

// ---- Precision. Stored only when an operand wants other than the default;
// written with an entry for each operand.

Status ReadPrecision(const Source& s, Instruction* i) {
  const auto& field = s.proto.precision_config().operand_precision();
  Int64List list(field.begin(), field.end());
  if (std::all_of(list.begin(), list.end(), [](int64_t p) { return p == 0; })) {
    return absl::OkStatus();
  }
  const size_t count = PrecisionCount(*i);
  if (list.size() < count) list.resize(count, 0);
  i->mutable_attrs().Set(AttrId::kOperandPrecision, std::move(list));
  return absl::OkStatus();
}

// ---- Dots. ragged-dot keeps the dimensions one message deeper.

const xla::DotDimensionNumbers& DotNumbers(const P& p, const Instruction& i) {
  return i.opcode() == Opcode::kRaggedDot
             ? p.ragged_dot_dimension_numbers().dot_dimension_numbers()
             : p.dot_dimension_numbers();
}

// ---- Collectives.

Status ReadChannel(const Source& s, Instruction* i) {
  int64_t channel = s.proto.channel_id();
  // Old writers of all-reduce used a field of its own.
  if (const int64_t old = s.proto.all_reduce_id(); old > 0) {
    if (channel > 0) {
      return InvalidArgument("both channel_id (%d) and all_reduce_id (%d)",
                             channel, old);
    }
    channel = old;
  }
  if (channel > 0) i->mutable_attrs().Set(AttrId::kChannelId, channel);
  return absl::OkStatus();
}

Status ReadGroups(const Source& s, Instruction* i) {
  HLOKIT_ASSIGN_OR_RETURN(ReplicaGroups groups, ReadReplicaGroups(s.proto));
  if (!groups.empty()) {
    i->mutable_attrs().SetShared(AttrId::kReplicaGroups, std::move(groups));
  }
  return absl::OkStatus();
}

Status ReadPairs(const Source& s, Instruction* i) {
  PairList pairs;
  for (const xla::SourceTarget& pair : s.proto.source_target_pairs()) {
    pairs.emplace_back(pair.source(), pair.target());
  }
  i->mutable_attrs().SetShared(AttrId::kSourceTargetPairs, std::move(pairs));
  return absl::OkStatus();
}

// How long the lists are that a collective-permute's sizes were flattened from:
// the ranks of the inputs, over and over when an input moves several slices.
Int64List SliceRanks(const Instruction& i, int64_t total) {
  Int64List ranks;
  if (i.operand_count() > 0) {
    ForEachLeaf(i.operand(0)->shape(),
                [&](const Shape& leaf, const ShapeIndex&) {
                  ranks.push_back(leaf.rank());
                });
  }
  int64_t sum = 0;
  for (int64_t rank : ranks) sum += rank;
  if (sum <= 0 || total % sum != 0) return {total};
  const size_t round = ranks.size();
  Int64List lengths;
  for (int64_t n = 0; n < total / sum; ++n) {
    lengths.insert(lengths.end(), ranks.begin(), ranks.begin() + round);
  }
  return lengths;
}

Status ReadPermuteSizes(const Source& s, Instruction* i) {
  const auto flat = ToSpan(s.proto.dynamic_slice_sizes());
  if (flat.empty()) return absl::OkStatus();
  Int64ListList lists;
  size_t at = 0;
  for (int64_t length : SliceRanks(*i, flat.size())) {
    lists.emplace_back(flat.begin() + at, flat.begin() + at + length);
    at += length;
  }
  i->mutable_attrs().SetShared(AttrId::kPermuteSliceSizes, std::move(lists));
  return absl::OkStatus();
}

// ---- Calls.

Status ReadLayoutConstraints(const Source& s, Instruction* i) {
  if (!s.proto.constrain_layout()) return absl::OkStatus();
  ShapeList shapes;
  for (const xla::ShapeProto& proto : s.proto.operand_shapes_with_layout()) {
    HLOKIT_ASSIGN_OR_RETURN(Shape shape, ReadShape(proto));
    shapes.push_back(std::move(shape));
  }
  i->mutable_attrs().SetShared(AttrId::kOperandLayoutConstraints,
                               std::move(shapes));
  return absl::OkStatus();
}

Status ReadLiteralField(const Source& s, Instruction* i) {
  if (!s.fields.has_literal || IsUnknownType(i->shape().element_type())) {
    return absl::OkStatus();
  }
  auto literal = LiteralFromBytes(s.fields.literal, s.max_literal_bytes,
                                  s.lasting);
  if (!literal.ok()) return literal.status();
  i->set_literal(*std::move(literal));
  return absl::OkStatus();
}

Status ReadAliasing(const Source& s, Instruction* i) {
  if (s.proto.output_operand_aliasing_size() == 0) return absl::OkStatus();
  AliasingList list;
  for (const xla::OutputOperandAliasing& a :
       s.proto.output_operand_aliasing()) {
    list.push_back({ToList<ShapeIndex>(a.output_shape_index()),
                    a.operand_index(),
                    ToList<ShapeIndex>(a.operand_shape_index())});
  }
  i->mutable_attrs().SetShared(AttrId::kOutputToOperandAliasing,
                               std::move(list));
  return absl::OkStatus();
}

Status ReadThread(const Source& s, Instruction* i) {
  const std::string& thread = s.proto.async_execution_thread();
  if (i->opcode() == Opcode::kAsyncStart && !thread.empty() &&
      thread != "main") {
    i->mutable_attrs().Set(AttrId::kAsyncExecutionThread, thread);
  }
  return absl::OkStatus();
}

// ---- Others.

Status ReadDomain(const Source& s, Instruction* i) {
  DomainShardings domain;
  // The names of the fields are crossed, on both sides.
  HLOKIT_ASSIGN_OR_RETURN(Sharding exit,
                          ShardingFromProto(s.proto.domain_entry_sharding()));
  HLOKIT_ASSIGN_OR_RETURN(Sharding entry,
                          ShardingFromProto(s.proto.domain_exit_sharding()));
  domain.exit = std::make_shared<const Sharding>(std::move(exit));
  domain.entry = std::make_shared<const Sharding>(std::move(entry));
  i->mutable_attrs().SetShared(AttrId::kDomain, std::move(domain));
  return absl::OkStatus();
}

Status ReadOutfeedShape(const Source& s, Instruction* i) {
  if (!s.proto.has_outfeed_shape()) {
    if (i->operand_count() > 0) {
      i->mutable_attrs().Set(AttrId::kOutfeedShape, i->operand(0)->shape());
    }
    return absl::OkStatus();
  }
  HLOKIT_ASSIGN_OR_RETURN(Shape shape, ReadShape(s.proto.outfeed_shape()));
  i->mutable_attrs().Set(AttrId::kOutfeedShape, std::move(shape));
  return absl::OkStatus();
}

Status ReadReplication(const Source& s, Instruction* i) {
  const auto& field =
      s.proto.parameter_replication().replicated_at_leaf_buffers();
  return StoreList(s, AttrId::kParameterReplication, field, i);
}

Status ReadPrefetch(const Source& s, Instruction* i) {
  if (s.proto.optional_cross_program_prefetch_index_case() ==
      P::kCrossProgramPrefetchIndex) {
    i->mutable_attrs().Set(AttrId::kCrossProgramPrefetchIndex,
                           int64_t{s.proto.cross_program_prefetch_index()});
  } else if (s.proto.is_cross_program_prefetch()) {
    i->mutable_attrs().Set(AttrId::kCrossProgramPrefetchIndex, int64_t{0});
  }
  return absl::OkStatus();
}

Status ReadComparisonType(const Source& s, Instruction* i) {
  if (s.proto.comparison_type().empty()) return absl::OkStatus();
  const int64_t usual = static_cast<int64_t>(i->comparison_type());
  HLOKIT_RETURN_IF_ERROR(
      StoreWord(s, AttrId::kComparisonType, s.proto.comparison_type(), i));
  if (i->attrs().GetInt(AttrId::kComparisonType) == usual) {
    i->mutable_attrs().Erase(AttrId::kComparisonType);
  }
  return absl::OkStatus();
}

// topk got this flag late: files of older writers do not have it, and a false
// one looks the same. Not stored, it means what it meant then: stable.
Status ReadStable(const Source& s, Instruction* i) {
  return StoreFlag(AttrId::kIsStable, s.proto.is_stable(), i);
}

Status ReadTransposeA(const Source& s, Instruction* i) {
  return StoreNumber(s, AttrId::kTransposeA,
                     s.proto.triangular_solve_options().transpose_a(), 0, i);
}

Status ReadResultAccuracy(const Source& s, Instruction* i) {
  const xla::ResultAccuracy& proto = s.proto.result_accuracy();
  ResultAccuracy accuracy;
  if (proto.has_tolerance()) {
    accuracy.has_tolerance = true;
    accuracy.atol = proto.tolerance().atol();
    accuracy.rtol = proto.tolerance().rtol();
    accuracy.ulps = proto.tolerance().ulps();
  } else {
    accuracy.mode = proto.mode();
    if (accuracy.mode == 0) return absl::OkStatus();
  }
  i->mutable_attrs().SetShared(AttrId::kResultAccuracy, accuracy);
  return absl::OkStatus();
}

// ---- The table.

#define SOURCE [](const Source& s, Instruction* i) -> Status
// A list that is a field of the message `get` leads to.
#define LIST(attr, get)                                               \
  {AttrId::k##attr,                                                   \
   SOURCE { return StoreList(s, AttrId::k##attr, s.proto.get(), i); }}
// A number or enum with its usual value.
#define NUMBER(attr, get, usual)                                            \
  {AttrId::k##attr,                                                         \
   SOURCE {                                                                 \
     return StoreNumber(s, AttrId::k##attr, s.proto.get(), usual, i);       \
   }}
#define FLAG(attr, get)                                                 \
  {AttrId::k##attr,                                                     \
   SOURCE { return StoreFlag(AttrId::k##attr, s.proto.get(), i); }}
#define TEXT(attr, get)                                                 \
  {AttrId::k##attr,                                                     \
   SOURCE { return StoreText(s, AttrId::k##attr, s.proto.get(), i); }}
#define GATHER(attr, field)                                             \
  LIST(attr, gather_dimension_numbers().field)
#define SCATTER(attr, field)                                            \
  LIST(attr, scatter_dimension_numbers().field)
#define DOT(attr, field)                                                \
  {AttrId::k##attr,                                                     \
   SOURCE {                                                             \
     return StoreList(s, AttrId::k##attr, DotNumbers(s.proto, *i).field(), i); \
   }}
#define RAGGED(attr, field)                                             \
  LIST(attr, ragged_dot_dimension_numbers().field)
#define SOLVE(attr, field)                                              \
  {AttrId::k##attr,                                                     \
   SOURCE {                                                             \
     return StoreFlag(AttrId::k##attr,                                  \
                      s.proto.triangular_solve_options().field(), i);   \
   }}

constexpr AttributeFields kRows[] = {
    LIST(Dimensions, dimensions),
    LIST(FftLength, fft_length),
    LIST(DynamicSliceSizes, dynamic_slice_sizes),
    LIST(SliceSizes, gather_slice_sizes),
    DOT(LhsBatchDims, lhs_batch_dimensions),
    DOT(LhsContractingDims, lhs_contracting_dimensions),
    DOT(RhsBatchDims, rhs_batch_dimensions),
    DOT(RhsContractingDims, rhs_contracting_dimensions),
    RAGGED(LhsRaggedDims, lhs_ragged_dimensions),
    RAGGED(RhsGroupDims, rhs_group_dimensions),
    GATHER(OffsetDims, offset_dims),
    GATHER(CollapsedSliceDims, collapsed_slice_dims),
    GATHER(StartIndexMap, start_index_map),
    GATHER(OperandBatchingDims, operand_batching_dims),
    GATHER(StartIndicesBatchingDims, start_indices_batching_dims),
    SCATTER(UpdateWindowDims, update_window_dims),
    SCATTER(InsertedWindowDims, inserted_window_dims),
    SCATTER(ScatterDimsToOperandDims, scatter_dims_to_operand_dims),
    SCATTER(InputBatchingDims, input_batching_dims),
    SCATTER(ScatterIndicesBatchingDims, scatter_indices_batching_dims),
    {AttrId::kIotaDimension,
     SOURCE {
       return StoreNumber(s, AttrId::kIotaDimension, s.proto.dimensions(0), 0,
                          i);
     }},
    {AttrId::kInferredDimension,
     SOURCE {
       if (s.proto.dimensions().empty()) return absl::OkStatus();
       return StoreNumber(s, AttrId::kInferredDimension, s.proto.dimensions(0),
                          -1, i);
     }},
    {AttrId::kIndexVectorDim,
     SOURCE {
       return StoreNumber(
           s, AttrId::kIndexVectorDim,
           i->opcode() == Opcode::kGather
               ? s.proto.gather_dimension_numbers().index_vector_dim()
               : s.proto.scatter_dimension_numbers().index_vector_dim(),
           0, i);
     }},
    {AttrId::kFeatureGroupCount,
     SOURCE {
       return StoreNumber(s, AttrId::kFeatureGroupCount,
                          std::max<int64_t>(s.proto.feature_group_count(), 1),
                          1, i);
     }},
    {AttrId::kBatchGroupCount,
     SOURCE {
       return StoreNumber(s, AttrId::kBatchGroupCount,
                          std::max<int64_t>(s.proto.batch_group_count(), 1), 1,
                          i);
     }},
    NUMBER(ExponentBits, exponent_bits, 0),
    NUMBER(MantissaBits, mantissa_bits, 0),
    NUMBER(FeatureIndex, feature_index, 0),
    {AttrId::kEpsilon,
     SOURCE {
       i->mutable_attrs().Set(AttrId::kEpsilon, double{s.proto.epsilon()});
       return absl::OkStatus();
     }},
    {AttrId::kChannelId, ReadChannel},
    {AttrId::kIndex,
     SOURCE {
       i->set_number(s.proto.tuple_index());
       return absl::OkStatus();
     }},
    NUMBER(K, k, 0),
    NUMBER(Delta, delta, 0),
    NUMBER(NumCarries, num_carries, 0),
    {AttrId::kCrossProgramPrefetchIndex, ReadPrefetch},
    FLAG(IndicesAreSorted, indices_are_sorted),
    FLAG(UniqueIndices, unique_indices),
    FLAG(ConstrainLayout, constrain_layout),
    FLAG(UseGlobalDeviceIds, use_global_device_ids),
    {AttrId::kHasDynamicRoot,
     SOURCE {
       i->mutable_attrs().Set(AttrId::kHasDynamicRoot,
                              s.proto.has_dynamic_root());
       return absl::OkStatus();
     }},
    FLAG(IsHostTransfer, is_host_transfer),
    {AttrId::kIsStable, ReadStable},
    {AttrId::kLargest,
     SOURCE {
       i->mutable_attrs().Set(AttrId::kLargest, s.proto.largest());
       return absl::OkStatus();
     }},
    SOLVE(LeftSide, left_side),
    {AttrId::kLower,
     SOURCE {
       return StoreFlag(AttrId::kLower,
                        i->opcode() == Opcode::kCholesky
                            ? s.proto.cholesky_options().lower()
                            : s.proto.triangular_solve_options().lower(),
                        i);
     }},
    SOLVE(UnitDiagonal, unit_diagonal),
    FLAG(IsReverse, is_reverse),
    FLAG(IsComposite, is_composite),
    FLAG(CustomCallHasSideEffect, custom_call_has_side_effect),
    {AttrId::kComparisonDirection,
     SOURCE {
       return StoreWord(s, AttrId::kComparisonDirection,
                        s.proto.comparison_direction(), i);
     }},
    {AttrId::kComparisonType, ReadComparisonType},
    {AttrId::kFusionKind,
     SOURCE {
       return StoreWord(s, AttrId::kFusionKind, s.proto.fusion_kind(), i);
     }},
    NUMBER(FftType, fft_type, 0),
    {AttrId::kTransposeA, ReadTransposeA},
    NUMBER(Distribution, distribution, 0),
    NUMBER(RngAlgorithm, rng_algorithm, 0),
    {AttrId::kDotAlgorithm,
     SOURCE {
       return StoreNumber(s, AttrId::kDotAlgorithm,
                          s.proto.precision_config().algorithm(), 0, i);
     }},
    NUMBER(ConvolutionKind, conv_kind, 0),
    NUMBER(PaddingType, padding_type, 0),
    NUMBER(CustomCallSchedule, custom_call_schedule, 0),
    {AttrId::kCustomCallApiVersion,
     SOURCE {
       return StoreNumber(s, AttrId::kCustomCallApiVersion,
                          s.proto.custom_call_api_version(), 1, i);
     }},
    NUMBER(IsAssociative, is_associative, 0),
    {AttrId::kOperandPrecision, ReadPrecision},
    TEXT(CustomCallTarget, custom_call_target),
    TEXT(InfeedConfig, infeed_config),
    TEXT(OutfeedConfig, outfeed_config),
    {AttrId::kAsyncExecutionThread, ReadThread},
    {AttrId::kWindow, ReadWindowField},
    {AttrId::kDimLabels, ReadDimLabels},
    {AttrId::kSparsityConfig, ReadSparsity},
    {AttrId::kSlice, ReadSlice},
    {AttrId::kPadding, ReadPadding},
    {AttrId::kReplicaGroups, ReadGroups},
    {AttrId::kSourceTargetPairs, ReadPairs},
    {AttrId::kPermuteSliceSizes, ReadPermuteSizes},
    {AttrId::kOperandLayoutConstraints, ReadLayoutConstraints},
    {AttrId::kOutfeedShape, ReadOutfeedShape},
    {AttrId::kLiteral, ReadLiteralField},
    {AttrId::kOutputToOperandAliasing, ReadAliasing},
    {AttrId::kDomain, ReadDomain},
    {AttrId::kParameterReplication, ReadReplication},
    {AttrId::kResultAccuracy, ReadResultAccuracy},
};

#undef SOURCE
#undef LIST
#undef NUMBER
#undef FLAG
#undef TEXT
#undef GATHER
#undef SCATTER
#undef DOT
#undef RAGGED
#undef SOLVE

// Opcodes whose `dimensions` field holds exactly one number, which code relies
// on.
bool HasOneDimension(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kConcatenate:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kReduceScatter:
    case Opcode::kScan:
    case Opcode::kSetDimensionSize:
    case Opcode::kSort:
      return true;
    default:
      return false;
  }
}

}  // namespace

const AttributeFields* FieldsOf(AttrId id) {
  static const auto* by_id = [] {
    auto* table = new std::array<const AttributeFields*, kAttributeCount>();
    for (const AttributeFields& row : kRows) {
      (*table)[static_cast<int>(row.id)] = &row;
    }
    return table;
  }();
  return (*by_id)[static_cast<int>(id)];
}

namespace {

Status ReadOwnAttributes(AttributeSource source, Instruction* i) {
  const OpcodeInfo& info = InfoOf(i->opcode());
  if (HasOneDimension(info.opcode) && source.proto.dimensions_size() != 1) {
    return InvalidArgument("%d dimensions, %s wants 1",
                           source.proto.dimensions_size(), info.name);
  }
  for (const OpcodeAttribute& attribute : info.attributes) {
    const AttributeFields* fields = FieldsOf(attribute.id);
    if (fields == nullptr) continue;
    source.required = attribute.required;
    HLOKIT_RETURN_IF_ERROR(fields->read(source, i));
  }
  if (i->opcode() == Opcode::kConstant) {
    return ReadLiteralField(source, i);
  }
  return absl::OkStatus();
}

}  // namespace

namespace {

// Attributes that are kept as text have no other value.
void EraseThoseKeptAsText(Instruction* i) {
  const std::vector<UnknownItem> items =
      UnknownItemsFromString(UnknownPart(*i, kUnknownTextKey));
  for (const UnknownItem& item : items) {
    const absl::string_view name =
        absl::string_view(item.text).substr(0, item.text.find('='));
    for (const OpcodeAttribute& own : InfoOf(i->opcode()).attributes) {
      if (AttributeName(own.id) == name) i->mutable_attrs().Erase(own.id);
    }
  }
}

}  // namespace

absl::Status ReadAttributes(AttributeSource source, Instruction* i) {
  // What an unknown opcode means by its fields is unknown, too.
  if (!source.keep_common_only) {
    HLOKIT_RETURN_IF_ERROR(ReadOwnAttributes(source, i));
  }
  HLOKIT_RETURN_IF_ERROR(ReadCommon(source, i));
  if (i->attrs().Has(AttrId::kFrontendAttributes)) EraseThoseKeptAsText(i);
  return absl::OkStatus();
}

}  // namespace hlokit::wire
