// What every opcode may have: sharding, frontend attributes, statistics, origin,
// backend configuration.
#include <utility>

#include "base/status.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/attribute_rows.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit::wire {
namespace {

using P = xla::HloInstructionProto;
using Status = absl::Status;
using Source = AttributeSource;

Status ReadOriginalValue(const P& p, Instruction* i) {
  if (!p.has_original_value()) return absl::OkStatus();
  OriginalValue value;
  value.is_synthetic_call = p.original_value().is_synthetic_call();
  for (const auto& element : p.original_value().elements()) {
    OriginalValue::Leaf leaf;
    leaf.index = ToList<ShapeIndex>(element.shape_index());
    leaf.present = element.has_original_array();
    if (leaf.present) leaf.array = ReadOriginalArray(element.original_array());
    value.leaves.push_back(std::move(leaf));
  }
  if (!value.MakeTree()) value.tree = i->shape();
  i->mutable_attrs().SetShared(AttrId::kOrigin, std::move(value));
  return absl::OkStatus();
}

}  // namespace

Status ReadCommon(const Source& s, Instruction* i) {
  const P& p = s.proto;
  AttributeSet& attrs = i->mutable_attrs();
  if (p.has_sharding()) {
    auto sharding = ShardingFromProto(p.sharding());
    if (!sharding.ok()) return Annotate(sharding.status(), "sharding");
    attrs.SetShared(AttrId::kSharding, sharding->ForShape(i->shape()));
  }
  if (p.frontend_attributes().map_size() > 0) {
    FrontendAttributes map;
    for (const auto& [key, value] : p.frontend_attributes().map()) {
      map.emplace(key, value);
    }
    // A word that was kept before.
    const absl::string_view kept = UnknownPart(*i, kUnknownTextKey);
    if (!kept.empty()) map.emplace(std::string(kUnknownTextKey), std::string(kept));
    attrs.SetShared(AttrId::kFrontendAttributes, std::move(map));
  }
  if (p.statistics_viz().statistics_size() > 0 ||
      p.statistics_viz().stat_index_to_visualize() != 0) {
    Statistics statistics;
    statistics.visualizing_index = p.statistics_viz().stat_index_to_visualize();
    for (const xla::Statistic& value : p.statistics_viz().statistics()) {
      statistics.values.emplace_back(value.stat_name(), value.stat_val());
    }
    attrs.SetShared(AttrId::kStatistics, std::move(statistics));
  }
  HLOKIT_RETURN_IF_ERROR(ReadOriginalValue(p, i));
  if (p.has_backend_config_payload()) {
    HLOKIT_ASSIGN_OR_RETURN(
        std::string config, ReadPayload(p.backend_config_payload(), s.payloads));
    if (!config.empty()) attrs.Set(AttrId::kBackendConfig, std::move(config));
  } else if (!p.backend_config().empty()) {
    attrs.Set(AttrId::kBackendConfig, p.backend_config());
  }
  return absl::OkStatus();
}

}  // namespace hlokit::wire
