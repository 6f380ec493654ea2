#include "hlo/wire/field_writers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/attribute_rows.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/unknown_fields.h"
#include "xla/service/hlo.pb.h"

namespace hlokit::wire {
namespace {

using P = xla::HloInstructionProto;
using Output = FieldOutput;

// ---- Fields that every instruction may have.

void WriteName(const Instruction& i, Output& o) {
  o.writer().Text(P::kNameFieldNumber, i.name());
}

void WriteOpcode(const Instruction& i, Output& o) {
  o.writer().Text(P::kOpcodeFieldNumber, ShownOpcode(i));
}

void WriteType(const Instruction& i, Output& o) {
  o.Type(P::kShapeFieldNumber, i.shape());
}

void WriteMetadataField(const Instruction& i, Output& o) {
  const auto begin = o.writer().Begin(P::kMetadataFieldNumber);
  if (i.has_metadata() &&
      !WritePlainMetadata(i.metadata(), &o.writer())) {
    xla::OpMetadata proto;
    WriteMetadata(i.metadata(), &proto);
    o.FieldsOf(std::move(proto));
  }
  o.writer().End(begin);
}

void WriteLiteralField(const Instruction& i, Output& o) {
  if (i.literal() != nullptr) {
    WriteLiteral(*i.literal(), P::kLiteralFieldNumber, &o.writer());
  }
}

void WriteParameterNumber(const Instruction& i, Output& o) {
  if (i.opcode() == Opcode::kParameter) {
    o.writer().Number(P::kParameterNumberFieldNumber, i.parameter_number());
  }
}

void WriteId(const Instruction& i, Output& o) {
  o.writer().Number(P::kIdFieldNumber, i.unique_id());
}

void WriteIds(absl::Span<Instruction* const> instructions, int32_t number,
              Output& o) {
  if (instructions.empty()) return;
  const auto begin = o.writer().Begin(number);
  for (const Instruction* i : instructions) {
    o.writer().Varint(static_cast<uint64_t>(i->unique_id()));
  }
  o.writer().End(begin);
}

void WriteOperandIds(const Instruction& i, Output& o) {
  WriteIds(i.operands(), P::kOperandIdsFieldNumber, o);
}

void WriteControlPredecessorIds(const Instruction& i, Output& o) {
  WriteIds(i.control_predecessors(), P::kControlPredecessorIdsFieldNumber, o);
}

void WriteCalledComputationIds(const Instruction& i, Output& o) {
  if (i.called_computations().empty()) return;
  const auto begin = o.writer().Begin(P::kCalledComputationIdsFieldNumber);
  for (const Computation* called : i.called_computations()) {
    o.writer().Varint(static_cast<uint64_t>(called->id()));
  }
  o.writer().End(begin);
}

void WriteSharding(const Instruction& i, Output& o) {
  if (i.sharding() == nullptr) return;
  xla::OpSharding proto;
  ShardingToProto(*i.sharding(), &proto);
  o.Message(P::kShardingFieldNumber, std::move(proto));
}

void WriteBackendConfig(const Instruction& i, Output& o) {
  o.writer().Text(P::kBackendConfigFieldNumber, i.backend_config());
}

// This one and the statistics are there even when they are empty.
void WriteFrontendAttributes(const Instruction& i, Output& o) {
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kFrontendAttributesFieldNumber);
  const auto* map =
      i.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  FrontendAttributes with_items;
  if (i.has_metadata() && i.metadata().has_rare() &&
      !i.metadata().rare().unknown_items.empty()) {
    // Messages have no place for them.
    with_items = map == nullptr ? FrontendAttributes() : *map;
    std::string& text = with_items[std::string(kUnknownTextKey)];
    text += UnknownItemsToString(
        {{std::string(kUnknownMetadata), i.metadata().rare().unknown_items}});
    map = &with_items;
  }
  if (map != nullptr) {
    for (const auto& [key, value] : *map) {
      // These two are fields of the message.
      if (key == kUnknownOpcodeKey ||
          (key == kUnknownFieldsKey && !w.for_text())) {
        continue;
      }
      const auto entry = w.Begin(xla::FrontendAttributes::kMapFieldNumber);
      o.writer().Bytes(1, key);
      o.writer().Bytes(2, value);
      w.End(entry);
    }
  }
  w.End(begin);
}

void WriteStatistics(const Instruction& i, Output& o) {
  xla::StatisticsViz viz;
  const auto* statistics = i.attrs().Get<Statistics>(AttrId::kStatistics);
  if (statistics == nullptr) {
    o.writer().Bytes(P::kStatisticsVizFieldNumber, "");
    return;
  }
  viz.set_stat_index_to_visualize(statistics->visualizing_index);
  for (const auto& [name, value] : statistics->values) {
    xla::Statistic* out = viz.add_statistics();
    out->set_stat_name(name);
    out->set_stat_val(value);
  }
  o.Message(P::kStatisticsVizFieldNumber, std::move(viz));
}

void WriteOriginalValue(const Instruction& i, Output& o) {
  const auto* value = i.attrs().Get<OriginalValue>(AttrId::kOrigin);
  if (value == nullptr) return;
  xla::OriginalValueProto proto;
  proto.set_is_synthetic_call(value->is_synthetic_call);
  for (const OriginalValue::Leaf& leaf : value->leaves) {
    auto* element = proto.add_elements();
    SetField(leaf.index, element->mutable_shape_index());
    if (leaf.present) {
      WriteOriginalArray(leaf.array, element->mutable_original_array());
    }
  }
  o.Message(P::kOriginalValueFieldNumber, std::move(proto));
}

// ---- Fields of attributes. What stands for an absent attribute is written
// where upstream writes that.

template <AttrId id, int32_t number>
void WriteList(const Instruction& i, Output& o) {
  o.writer().Packed(number, i.attrs().GetList(id));
}

template <AttrId id, int32_t number, int64_t usual = 0>
void WriteNumber(const Instruction& i, Output& o) {
  o.writer().Number(number, i.attrs().GetInt(id, usual));
}

template <AttrId id, int32_t number, bool usual = false>
void WriteFlag(const Instruction& i, Output& o) {
  o.writer().Number(number, i.attrs().GetBool(id, usual));
}

template <AttrId id, int32_t number>
void WriteString(const Instruction& i, Output& o) {
  o.writer().Text(number, i.attrs().GetString(id));
}

template <AttrId id, int32_t number>
void WriteBytes(const Instruction& i, Output& o) {
  o.writer().Text(number, i.attrs().GetString(id));
}

// The word that text gives for an attribute and that enums.def does not have; else
// that of 0.
std::string KeptWord(const Instruction& i, AttrId id) {
  const std::string name = absl::StrCat(AttributeName(id), "=");
  for (const UnknownItem& item :
       UnknownItemsFromString(UnknownPart(i, kUnknownTextKey))) {
    if (absl::StartsWith(item.text, name)) {
      return item.text.substr(name.size());
    }
  }
  return std::string(EnumWord(id, 0));
}

template <AttrId id, int32_t number>
void WriteWord(const Instruction& i, Output& o) {
  if (!i.attrs().Has(id)) {
    o.writer().Text(number, KeptWord(i, id));
    return;
  }
  o.writer().Text(number, EnumWord(id, i.attrs().GetInt(id)));
}

// For rare ones: a function that sets the field in a message.
template <AttrId id, void (*set)(const Instruction&, P*)>
void WriteByMessage(const Instruction& i, Output& o) {
  if (!i.attrs().Has(id)) return;
  P proto;
  set(i, &proto);
  o.FieldsOf(std::move(proto));
}

void WriteDimensions(const Instruction& i, Output& o) {
  const AttributeSet& attrs = i.attrs();
  const int64_t one[] = {i.opcode() == Opcode::kIota
                             ? attrs.GetInt(AttrId::kIotaDimension)
                             : attrs.GetInt(AttrId::kInferredDimension)};
  const bool has_one = i.opcode() == Opcode::kIota ||
                       attrs.Has(AttrId::kInferredDimension);
  o.writer().Packed(P::kDimensionsFieldNumber,
                    has_one ? absl::MakeConstSpan(one) : i.dimensions());
}

void WriteTupleIndex(const Instruction& i, Output& o) {
  o.writer().Number(P::kTupleIndexFieldNumber, i.tuple_index());
}

void WriteWindow(const Instruction& i, Output& o) {
  using D = xla::WindowDimension;
  const Window* window = i.window();
  if (window == nullptr && i.opcode() == Opcode::kCustomCall) return;
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kWindowFieldNumber);
  if (window != nullptr) {
    for (const WindowDimension& d : window->dimensions) {
      const auto one = w.Begin(xla::Window::kDimensionsFieldNumber);
      w.Number(D::kSizeFieldNumber, d.size);
      w.Number(D::kStrideFieldNumber, d.stride);
      w.Number(D::kPaddingLowFieldNumber, d.padding_low);
      w.Number(D::kPaddingHighFieldNumber, d.padding_high);
      w.Number(D::kWindowDilationFieldNumber, d.window_dilation);
      w.Number(D::kBaseDilationFieldNumber, d.base_dilation);
      w.Number(D::kWindowReversalFieldNumber, d.window_reversal);
      w.End(one);
    }
  }
  w.End(begin);
}

void WriteSlice(const Instruction& i, Output& o) {
  using D = P::SliceDimensions;
  const auto* ranges = i.attrs().Get<SliceRanges>(AttrId::kSlice);
  if (ranges == nullptr) return;
  WireWriter& w = o.writer();
  for (const SliceRange& r : *ranges) {
    const auto one = w.Begin(P::kSliceDimensionsFieldNumber);
    w.Number(D::kStartFieldNumber, r.start);
    w.Number(D::kLimitFieldNumber, r.limit);
    w.Number(D::kStrideFieldNumber, r.stride);
    w.End(one);
  }
}

void WritePadding(const Instruction& i, Output& o) {
  using D = xla::PaddingConfig::PaddingConfigDimension;
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kPaddingConfigFieldNumber);
  if (const auto* config = i.attrs().Get<PaddingConfig>(AttrId::kPadding)) {
    for (const PaddingDimension& d : config->dimensions) {
      const auto one = w.Begin(xla::PaddingConfig::kDimensionsFieldNumber);
      w.Number(D::kEdgePaddingLowFieldNumber, d.low);
      w.Number(D::kEdgePaddingHighFieldNumber, d.high);
      w.Number(D::kInteriorPaddingFieldNumber, d.interior);
      w.End(one);
    }
  }
  w.End(begin);
}

void WriteEpsilon(const Instruction& i, Output& o) {
  o.writer().Float(P::kEpsilonFieldNumber,
                   static_cast<float>(i.attrs().GetDouble(AttrId::kEpsilon)));
}

void WriteDotLists(const Instruction& i, int32_t number, WireWriter* w) {
  using D = xla::DotDimensionNumbers;
  const AttributeSet& attrs = i.attrs();
  const auto begin = w->Begin(number);
  w->Packed(D::kLhsContractingDimensionsFieldNumber,
            attrs.GetList(AttrId::kLhsContractingDims));
  w->Packed(D::kRhsContractingDimensionsFieldNumber,
            attrs.GetList(AttrId::kRhsContractingDims));
  w->Packed(D::kLhsBatchDimensionsFieldNumber,
            attrs.GetList(AttrId::kLhsBatchDims));
  w->Packed(D::kRhsBatchDimensionsFieldNumber,
            attrs.GetList(AttrId::kRhsBatchDims));
  w->End(begin);
}

// ragged-dot keeps them one message deeper.
void WriteDotNumbers(const Instruction& i, Output& o) {
  if (i.opcode() == Opcode::kRaggedDot) return;
  WriteDotLists(i, P::kDotDimensionNumbersFieldNumber, &o.writer());
}

void WriteRaggedDotNumbers(const Instruction& i, Output& o) {
  using D = xla::RaggedDotDimensionNumbers;
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kRaggedDotDimensionNumbersFieldNumber);
  WriteDotLists(i, D::kDotDimensionNumbersFieldNumber, &w);
  w.Packed(D::kLhsRaggedDimensionsFieldNumber,
           i.attrs().GetList(AttrId::kLhsRaggedDims));
  w.Packed(D::kRhsGroupDimensionsFieldNumber,
           i.attrs().GetList(AttrId::kRhsGroupDims));
  w.End(begin);
}

void WriteGatherNumbers(const Instruction& i, Output& o) {
  using D = xla::GatherDimensionNumbers;
  const AttributeSet& attrs = i.attrs();
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kGatherDimensionNumbersFieldNumber);
  w.Packed(D::kOffsetDimsFieldNumber, attrs.GetList(AttrId::kOffsetDims));
  w.Packed(D::kCollapsedSliceDimsFieldNumber,
           attrs.GetList(AttrId::kCollapsedSliceDims));
  w.Packed(D::kStartIndexMapFieldNumber,
           attrs.GetList(AttrId::kStartIndexMap));
  w.Number(D::kIndexVectorDimFieldNumber,
           attrs.GetInt(AttrId::kIndexVectorDim));
  w.Packed(D::kOperandBatchingDimsFieldNumber,
           attrs.GetList(AttrId::kOperandBatchingDims));
  w.Packed(D::kStartIndicesBatchingDimsFieldNumber,
           attrs.GetList(AttrId::kStartIndicesBatchingDims));
  w.End(begin);
}

void WriteScatterNumbers(const Instruction& i, Output& o) {
  using D = xla::ScatterDimensionNumbers;
  const AttributeSet& attrs = i.attrs();
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kScatterDimensionNumbersFieldNumber);
  w.Packed(D::kUpdateWindowDimsFieldNumber,
           attrs.GetList(AttrId::kUpdateWindowDims));
  w.Packed(D::kInsertedWindowDimsFieldNumber,
           attrs.GetList(AttrId::kInsertedWindowDims));
  w.Packed(D::kScatterDimsToOperandDimsFieldNumber,
           attrs.GetList(AttrId::kScatterDimsToOperandDims));
  w.Number(D::kIndexVectorDimFieldNumber,
           attrs.GetInt(AttrId::kIndexVectorDim));
  w.Packed(D::kInputBatchingDimsFieldNumber,
           attrs.GetList(AttrId::kInputBatchingDims));
  w.Packed(D::kScatterIndicesBatchingDimsFieldNumber,
           attrs.GetList(AttrId::kScatterIndicesBatchingDims));
  w.End(begin);
}

// Stored only when an operand wants other than the default; written with an
// entry for each operand.
void WritePrecision(const Instruction& i, Output& o) {
  using D = xla::PrecisionConfig;
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kPrecisionConfigFieldNumber);
  if (InfoOf(i.opcode()).Takes(AttrId::kOperandPrecision)) {
    const auto list = i.attrs().GetList(AttrId::kOperandPrecision);
    Int64List all(list.begin(), list.end());
    all.resize(std::max<size_t>(PrecisionCount(i), all.size()), 0);
    w.Packed(D::kOperandPrecisionFieldNumber, all);
  }
  w.Number(D::kAlgorithmFieldNumber, i.attrs().GetInt(AttrId::kDotAlgorithm));
  w.End(begin);
}

void WriteTriangularSolve(const Instruction& i, Output& o) {
  using D = xla::TriangularSolveOptions;
  const AttributeSet& attrs = i.attrs();
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kTriangularSolveOptionsFieldNumber);
  w.Number(D::kLeftSideFieldNumber, attrs.GetBool(AttrId::kLeftSide));
  w.Number(D::kLowerFieldNumber, attrs.GetBool(AttrId::kLower));
  w.Number(D::kUnitDiagonalFieldNumber, attrs.GetBool(AttrId::kUnitDiagonal));
  w.Number(D::kTransposeAFieldNumber, attrs.GetInt(AttrId::kTransposeA));
  w.End(begin);
}

void WriteCholesky(const Instruction& i, Output& o) {
  if (i.opcode() != Opcode::kCholesky) return;
  WireWriter& w = o.writer();
  const auto begin = w.Begin(P::kCholeskyOptionsFieldNumber);
  w.Number(xla::CholeskyOptions::kLowerFieldNumber,
           i.attrs().GetBool(AttrId::kLower));
  w.End(begin);
}

void WriteComparisonType(const Instruction& i, Output& o) {
  o.writer().Text(P::kComparisonTypeFieldNumber,
                  EnumWord(AttrId::kComparisonType,
                           static_cast<int64_t>(i.comparison_type())));
}

void WritePairs(const Instruction& i, Output& o) {
  const auto* pairs = i.attrs().Get<PairList>(AttrId::kSourceTargetPairs);
  if (pairs == nullptr) return;
  WireWriter& w = o.writer();
  for (const auto& [source, target] : *pairs) {
    const auto one = w.Begin(P::kSourceTargetPairsFieldNumber);
    w.Number(xla::SourceTarget::kSourceFieldNumber, source);
    w.Number(xla::SourceTarget::kTargetFieldNumber, target);
    w.End(one);
  }
}

void WritePermuteSizes(const Instruction& i, Output& o) {
  const auto* lists = i.attrs().Get<Int64ListList>(AttrId::kPermuteSliceSizes);
  if (lists == nullptr) return;
  Int64List flat;
  for (const Int64List& list : *lists) {
    flat.insert(flat.end(), list.begin(), list.end());
  }
  o.writer().Packed(P::kDynamicSliceSizesFieldNumber, flat);
}

const ShapeList* LayoutConstraints(const Instruction& i) {
  return i.attrs().Get<ShapeList>(AttrId::kOperandLayoutConstraints);
}

void WriteConstrainLayout(const Instruction& i, Output& o) {
  o.writer().Number(P::kConstrainLayoutFieldNumber,
                    LayoutConstraints(i) != nullptr ||
                        i.attrs().GetBool(AttrId::kConstrainLayout));
}

void WriteLayoutConstraints(const Instruction& i, Output& o) {
  const ShapeList* shapes = LayoutConstraints(i);
  if (shapes == nullptr) return;
  for (const Shape& shape : *shapes) {
    o.Type(P::kOperandShapesWithLayoutFieldNumber, shape);
  }
}

void WriteOutfeedShape(const Instruction& i, Output& o) {
  if (const Shape* shape = i.attrs().Get<Shape>(AttrId::kOutfeedShape)) {
    o.Type(P::kOutfeedShapeFieldNumber, *shape);
  }
}

void WritePrefetch(const Instruction& i, Output& o) {
  if (const auto* index =
          i.attrs().Get<int64_t>(AttrId::kCrossProgramPrefetchIndex)) {
    o.writer().NumberAlways(P::kCrossProgramPrefetchIndexFieldNumber, *index);
  }
}

// One of three fields holds the groups, by their form.
template <ReplicaGroups::Form form>
void WriteGroups(const Instruction& i, Output& o) {
  const auto* groups = i.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  if ((groups == nullptr ? ReplicaGroups::kList : groups->form) != form) return;
  P proto;
  WriteReplicaGroups(groups, &proto);
  o.FieldsOf(std::move(proto));
}

void SetDimLabels(const Instruction& i, P* p) {
  const auto* dims = i.attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  if (dims == nullptr) return;
  auto* d = p->mutable_convolution_dimension_numbers();
  d->set_input_batch_dimension(dims->input_batch_dimension);
  d->set_input_feature_dimension(dims->input_feature_dimension);
  SetField(dims->input_spatial_dimensions,
           d->mutable_input_spatial_dimensions());
  d->set_kernel_input_feature_dimension(dims->kernel_input_feature_dimension);
  d->set_kernel_output_feature_dimension(
      dims->kernel_output_feature_dimension);
  SetField(dims->kernel_spatial_dimensions,
           d->mutable_kernel_spatial_dimensions());
  d->set_output_batch_dimension(dims->output_batch_dimension);
  d->set_output_feature_dimension(dims->output_feature_dimension);
  SetField(dims->output_spatial_dimensions,
           d->mutable_output_spatial_dimensions());
}

void SetAliasing(const Instruction& i, P* p) {
  const auto* list =
      i.attrs().Get<AliasingList>(AttrId::kOutputToOperandAliasing);
  if (list == nullptr) return;
  for (const OutputOperandAlias& a : *list) {
    auto* out = p->add_output_operand_aliasing();
    SetField(a.output_index, out->mutable_output_shape_index());
    out->set_operand_index(a.operand);
    SetField(a.operand_index, out->mutable_operand_shape_index());
  }
}

void SetDomain(const Instruction& i, P* p) {
  const auto* domain = i.attrs().Get<DomainShardings>(AttrId::kDomain);
  if (domain == nullptr) return;
  if (domain->exit) {
    ShardingToProto(*domain->exit, p->mutable_domain_entry_sharding());
  }
  if (domain->entry) {
    ShardingToProto(*domain->entry, p->mutable_domain_exit_sharding());
  }
}

void SetReplication(const Instruction& i, P* p) {
  const auto list = i.attrs().GetList(AttrId::kParameterReplication);
  if (list.empty()) return;
  SetField(list, p->mutable_parameter_replication()
                     ->mutable_replicated_at_leaf_buffers());
}

void SetResultAccuracy(const Instruction& i, P* p) {
  const auto* accuracy = i.attrs().Get<ResultAccuracy>(AttrId::kResultAccuracy);
  if (accuracy == nullptr) return;
  xla::ResultAccuracy* proto = p->mutable_result_accuracy();
  if (!accuracy->has_tolerance) {
    proto->set_mode(static_cast<xla::ResultAccuracy::Mode>(accuracy->mode));
    return;
  }
  proto->mutable_tolerance()->set_atol(accuracy->atol);
  proto->mutable_tolerance()->set_rtol(accuracy->rtol);
  proto->mutable_tolerance()->set_ulps(accuracy->ulps);
}

void SetTensorSparsity(const TensorSparsity& t,
                       xla::SparsityConfig::TensorSparsityConfig* proto) {
  proto->set_num_non_zero(t.num_non_zero);
  proto->set_block_size(t.block_size);
  proto->set_dimension(t.dimension);
  proto->set_stride(t.stride);
}

void WriteSparsity(const Instruction& i, Output& o) {
  xla::SparsityConfig proto;
  const auto* config = i.attrs().Get<SparsityConfig>(AttrId::kSparsityConfig);
  if (config != nullptr && config->has_lhs) {
    SetTensorSparsity(config->lhs, proto.mutable_lhs());
  }
  if (config != nullptr && config->has_rhs) {
    SetTensorSparsity(config->rhs, proto.mutable_rhs());
  }
  o.Message(P::kSparsityConfigFieldNumber, std::move(proto));
}

// ---- The table.

using Write = void (*)(const Instruction&, Output&);

// Who writes a field: instructions of any opcode, those of them that have
// attributes, or the opcodes that take one attribute.
enum class Writers { kAny, kWithAttributes, kOwn };

struct FieldRow {
  int32_t number;
  Writers writers;
  AttrId attribute;  // of kOwn
  Write write;
};

#define ANY(field, write) \
  {P::k##field##FieldNumber, Writers::kAny, AttrId{}, write}
#define COMMON(field, write) \
  {P::k##field##FieldNumber, Writers::kWithAttributes, AttrId{}, write}
#define OWN(attr, field, write) \
  {P::k##field##FieldNumber, Writers::kOwn, AttrId::k##attr, write}
#define BY_MESSAGE(attr, field, set) \
  OWN(attr, field, (WriteByMessage<AttrId::k##attr, set>))
#define WORD(attr, field) \
  OWN(attr, field, (WriteWord<AttrId::k##attr, P::k##field##FieldNumber>))
#define NUMBER(attr, field) \
  OWN(attr, field, (WriteNumber<AttrId::k##attr, P::k##field##FieldNumber>))
#define LIST(attr, field) \
  OWN(attr, field, (WriteList<AttrId::k##attr, P::k##field##FieldNumber>))
#define FLAG(attr, field) \
  OWN(attr, field, (WriteFlag<AttrId::k##attr, P::k##field##FieldNumber>))
#define STRING(attr, field) \
  OWN(attr, field, (WriteString<AttrId::k##attr, P::k##field##FieldNumber>))
#define BYTES(attr, field) \
  OWN(attr, field, (WriteBytes<AttrId::k##attr, P::k##field##FieldNumber>))
#define NUMBER_OR(attr, field, usual)  \
  OWN(attr, field,                \
      (WriteNumber<AttrId::k##attr, P::k##field##FieldNumber, usual>))
#define FLAG_OR(attr, field, usual)  \
  OWN(attr, field,                \
      (WriteFlag<AttrId::k##attr, P::k##field##FieldNumber, usual>))

constexpr FieldRow kFieldRows[] = {
    ANY(Name, WriteName),
    ANY(Opcode, WriteOpcode),
    ANY(Shape, WriteType),
    ANY(Metadata, WriteMetadataField),
    COMMON(Literal, WriteLiteralField),
    ANY(ParameterNumber, WriteParameterNumber),
    WORD(FusionKind, FusionKind),
    OWN(Index, TupleIndex, WriteTupleIndex),
    OWN(Dimensions, Dimensions, WriteDimensions),
    OWN(IotaDimension, Dimensions, WriteDimensions),
    OWN(InferredDimension, Dimensions, WriteDimensions),
    OWN(Window, Window, WriteWindow),
    BY_MESSAGE(DimLabels, ConvolutionDimensionNumbers, SetDimLabels),
    OWN(Slice, SliceDimensions, WriteSlice),
    NUMBER(ExponentBits, ExponentBits),
    NUMBER(MantissaBits, MantissaBits),
    LIST(DynamicSliceSizes, DynamicSliceSizes),
    OWN(PermuteSliceSizes, DynamicSliceSizes, WritePermuteSizes),
    OWN(Padding, PaddingConfig, WritePadding),
    BYTES(OutfeedConfig, OutfeedConfig),
    NUMBER(Distribution, Distribution),
    OWN(Epsilon, Epsilon, WriteEpsilon),
    NUMBER(FeatureIndex, FeatureIndex),
    NUMBER(ChannelId, ChannelId),
    BYTES(InfeedConfig, InfeedConfig),
    STRING(CustomCallTarget, CustomCallTarget),
    OWN(OutfeedShape, OutfeedShape, WriteOutfeedShape),
    OWN(LhsContractingDims, DotDimensionNumbers, WriteDotNumbers),
    NUMBER(FftType, FftType),
    LIST(FftLength, FftLength),
    OWN(OffsetDims, GatherDimensionNumbers, WriteGatherNumbers),
    LIST(SliceSizes, GatherSliceSizes),
    ANY(Id, WriteId),
    ANY(OperandIds, WriteOperandIds),
    ANY(ControlPredecessorIds, WriteControlPredecessorIds),
    ANY(CalledComputationIds, WriteCalledComputationIds),
    COMMON(Sharding, WriteSharding),
    COMMON(BackendConfig, WriteBackendConfig),
    FLAG(IsHostTransfer, IsHostTransfer),
    OWN(UpdateWindowDims, ScatterDimensionNumbers, WriteScatterNumbers),
    NUMBER_OR(FeatureGroupCount, FeatureGroupCount, 1),
    OWN(OperandPrecision, PrecisionConfig, WritePrecision),
    OWN(DotAlgorithm, PrecisionConfig, WritePrecision),
    OWN(SourceTargetPairs, SourceTargetPairs, WritePairs),
    BY_MESSAGE(Domain, DomainEntrySharding, SetDomain),
    OWN(ConstrainLayout, ConstrainLayout, WriteConstrainLayout),
    OWN(OperandLayoutConstraints, ConstrainLayout, WriteConstrainLayout),
    OWN(OperandLayoutConstraints, OperandShapesWithLayout,
        WriteLayoutConstraints),
    NUMBER_OR(BatchGroupCount, BatchGroupCount, 1),
    OWN(LeftSide, TriangularSolveOptions, WriteTriangularSolve),
    FLAG(IsStable, IsStable),
    BY_MESSAGE(ParameterReplication, ParameterReplication, SetReplication),
    OWN(Lower, CholeskyOptions, WriteCholesky),
    WORD(ComparisonDirection, ComparisonDirection),
    FLAG(CustomCallHasSideEffect, CustomCallHasSideEffect),
    NUMBER(Delta, Delta),
    FLAG(IndicesAreSorted, IndicesAreSorted),
    ANY(FrontendAttributes, WriteFrontendAttributes),
    FLAG(UniqueIndices, UniqueIndices),
    NUMBER(RngAlgorithm, RngAlgorithm),
    FLAG(UseGlobalDeviceIds, UseGlobalDeviceIds),
    OWN(ComparisonType, ComparisonType, WriteComparisonType),
    BY_MESSAGE(OutputToOperandAliasing, OutputOperandAliasing, SetAliasing),
    NUMBER(PaddingType, PaddingType),
    NUMBER(CustomCallSchedule, CustomCallSchedule),
    NUMBER_OR(CustomCallApiVersion, CustomCallApiVersion, 1),
    STRING(AsyncExecutionThread, AsyncExecutionThread),
    OWN(CrossProgramPrefetchIndex, CrossProgramPrefetchIndex, WritePrefetch),
    NUMBER(K, K),
    ANY(StatisticsViz, WriteStatistics),
    FLAG_OR(Largest, Largest, true),
    OWN(ReplicaGroups, CollectiveDeviceList, WriteGroups<ReplicaGroups::kList>),
    COMMON(OriginalValue, WriteOriginalValue),
    FLAG(IsComposite, IsComposite),
    OWN(LhsRaggedDims, RaggedDotDimensionNumbers, WriteRaggedDotNumbers),
    BY_MESSAGE(ResultAccuracy, ResultAccuracy, SetResultAccuracy),
    OWN(ReplicaGroups, IotaCollectiveDeviceList,
        WriteGroups<ReplicaGroups::kIota>),
    OWN(ReplicaGroups, MeshAxesReplicaGroupList,
        WriteGroups<ReplicaGroups::kMesh>),
    FLAG(IsReverse, IsReverse),
    NUMBER(NumCarries, NumCarries),
    NUMBER(IsAssociative, IsAssociative),
    NUMBER(ConvolutionKind, ConvKind),
    OWN(SparsityConfig, SparsityConfig, WriteSparsity),
    FLAG(HasDynamicRoot, HasDynamicRoot),
};

#undef ANY
#undef COMMON
#undef OWN
#undef BY_MESSAGE
#undef WORD
#undef NUMBER
#undef LIST
#undef FLAG
#undef STRING
#undef BYTES
#undef NUMBER_OR
#undef FLAG_OR

constexpr bool AreInOrder() {
  for (size_t i = 1; i < std::size(kFieldRows); ++i) {
    if (kFieldRows[i].number < kFieldRows[i - 1].number) return false;
  }
  return true;
}
static_assert(AreInOrder());

// What instructions of `opcode` write, in order.
std::vector<Write> WritersOf(const OpcodeInfo& opcode, bool with_attributes) {
  std::vector<Write> writers;
  for (const FieldRow& row : kFieldRows) {
    if (row.writers == Writers::kOwn && !opcode.Takes(row.attribute)) continue;
    if (row.writers == Writers::kWithAttributes && !with_attributes) continue;
    // One field may hold several attributes.
    if (!writers.empty() && writers.back() == row.write) continue;
    writers.push_back(row.write);
  }
  return writers;
}

using WriterTable = std::array<std::vector<Write>, kOpcodeCount>;

WriterTable* MakeWriterTable(bool with_attributes) {
  auto* table = new WriterTable();
  for (const OpcodeInfo& info : AllOpcodes()) {
    (*table)[static_cast<int>(info.opcode)] = WritersOf(info, with_attributes);
  }
  return table;
}

}  // namespace

namespace {

// Writes an instruction that has an unknown opcode or unknown fields; false if it
// has neither.
bool WriteWithKept(const Instruction& instruction, const WriterTable& writers,
                   FieldOutput* output) {
  const absl::string_view kept = UnknownPart(instruction, kUnknownFieldsKey);
  const bool unknown_opcode = !UnknownOpcode(instruction).empty();
  if (kept.empty() && !unknown_opcode) return false;
  // Fields of its own are among those that are kept.
  static const auto* const common = new std::vector<Write>([] {
    std::vector<Write> rows;
    for (const FieldRow& row : kFieldRows) {
      if (row.writers != Writers::kOwn) rows.push_back(row.write);
    }
    return rows;
  }());
  std::string bytes;
  {
    WireWriter writer(&bytes);
    writer.set_for_text(output->writer().for_text());
    FieldOutput inner(&writer);
    for (Write write :
         unknown_opcode ? *common
                        : writers[static_cast<int>(instruction.opcode())]) {
      write(instruction, inner);
    }
  }
  P fields, message;
  if (!output->writer().for_text() && DecodeKept(kept, &fields) &&
      ParseWrittenBytes(bytes, &message)) {
    MergeKept(fields, &message);
    bytes = SerializeDeterministic(message);
  }
  output->writer().Append(bytes);
  return true;
}

}  // namespace

void WriteInstructionFields(const Instruction& instruction,
                            FieldOutput* output) {
  static const WriterTable* const tables[] = {MakeWriterTable(false),
                                              MakeWriterTable(true)};
  if (instruction.attrs().Has(AttrId::kFrontendAttributes) &&
      WriteWithKept(instruction, *tables[1], output)) {
    return;
  }
  const WriterTable& writers = *tables[!instruction.attrs().empty()];
  for (Write write : writers[static_cast<int>(instruction.opcode())]) {
    write(instruction, *output);
  }
}

absl::string_view FieldOutput::BytesOf(const Shape& shape) {
  const auto key = reinterpret_cast<uintptr_t>(shape.identity());
  TypeEntry& entry = types_[(key >> 6 ^ key >> 15) % types_.size()];
  if (entry.key != shape.identity() || key == 0) {
    xla::ShapeProto proto;
    ShapeToProto(shape, &proto);
    entry.bytes.clear();
    proto.AppendToString(&entry.bytes);
    entry.key = shape.identity();
  }
  return entry.bytes;
}

void FieldOutput::Message(int32_t number, google::protobuf::Message&& message) {
  const auto begin = writer_.Begin(number);
  FieldsOf(std::move(message));
  writer_.End(begin);
}

void FieldOutput::FieldsOf(google::protobuf::Message&& message) {
  writer_.Append(SerializeDeterministic(message));
}

}  // namespace hlokit::wire
