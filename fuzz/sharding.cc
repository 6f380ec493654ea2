// Shardings and the other small languages inside HLO text.
#include "fuzz/target.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit::fuzz {

void FuzzSharding(absl::string_view bytes) {
  (void)ParseReplicaGroups(bytes);
  (void)ParseWindow(bytes);
  (void)ParseDimLabels(bytes);
  (void)ParsePadding(bytes);
  (void)ParseLayout(bytes);
  const auto sharding = ParseSharding(bytes);
  if (!sharding.ok()) return;
  const auto again = ParseSharding(sharding->ToString());
  Require(again.ok() && *again == *sharding, "a sharding reads back");
  xla::OpSharding proto;
  ShardingToProto(*sharding, &proto);
  Require(ShardingFromProto(proto).ok(), "its proto reads back");
}

}  // namespace hlokit::fuzz
