#include "hlo_opt/emitter.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla.pb.h"

namespace hlokit {
namespace {


// A snapshot with literals on both sides of the size from which they are kept
// apart: types that are written as they lie, as varints, and in another order.
LoadedModule Snapshot() {
  LoadedModule loaded;
  loaded.module = *ParseModule(R"(HloModule m
ENTRY e {
  p = f32[1000000]{0} parameter(0)
  q = s32[700000]{0} parameter(1)
  r = f64[300,1000]{0,1} parameter(2)
  s = s4[3]{0:E(4)} parameter(3)
  ROOT t = (f32[1000000]{0}, s32[700000]{0}) tuple(p, q)
})");
  loaded.has_arguments = true;
  loaded.arguments.emplace_back();
  for (const Instruction* p : loaded.module->entry()->parameters()) {
    Literal literal = Literal::Zeros(p->shape());
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      literal.SetFromInt64(i, i % 2 == 0 ? i : -i % 8);
    }
    loaded.arguments[0].push_back(std::move(literal));
  }
  loaded.result = Literal::Tuple(
      {loaded.arguments[0][0], loaded.arguments[0][1]});
  loaded.execution_platform = "cpu";
  return loaded;
}

std::string Joined(const wire::LargeMessage& message) {
  const std::string bytes = message.Join();
  EXPECT_EQ(bytes.size(), message.size());
  return bytes;
}

TEST(EmitMessage, GivesTheBytesOfTheProtobufLibrary) {
  const LoadedModule loaded = Snapshot();
  xla::HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() =
      ModuleToProto(*loaded.module);
  for (const Literal& argument : loaded.arguments[0]) {
    LiteralToProto(argument, snapshot.add_arguments());
  }
  LiteralToProto(*loaded.result, snapshot.mutable_result());
  snapshot.set_execution_platform("cpu");
  const wire::LargeMessage message =
      *EmitMessage(loaded, MessageKind::kHloSnapshot);
  EXPECT_EQ(message.parts.size(), 5);
  EXPECT_TRUE(Joined(message) == SerializeDeterministic(snapshot));
}

TEST(EmitMessage, WritesEachPartition) {
  LoadedModule loaded = Snapshot();
  loaded.arguments.push_back({loaded.arguments[0][3]});
  const std::string bytes =
      Joined(*EmitMessage(loaded, MessageKind::kHloUnoptimizedSnapshot));
  xla::HloUnoptimizedSnapshot snapshot;
  ASSERT_TRUE(ParseProtoBytes(bytes, &snapshot).ok());
  ASSERT_EQ(snapshot.partitions_size(), 2);
  EXPECT_EQ(snapshot.partitions(0).arguments_size(), 4);
  EXPECT_EQ(snapshot.partitions(1).arguments_size(), 1);
  EXPECT_TRUE(bytes == SerializeDeterministic(snapshot));
}

TEST(EmitMessage, LoadsAgain) {
  const LoadedModule loaded = Snapshot();
  const std::string bytes =
      Joined(*EmitMessage(loaded, MessageKind::kHloSnapshot));
  const auto again = LoadModules(bytes, "m.pb");
  ASSERT_TRUE(again.ok()) << again.status();
  const LoadedModule& read = again->modules[0];
  ASSERT_EQ(read.arguments[0].size(), 4);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(read.arguments[0][i] == loaded.arguments[0][i]) << i;
  }
  EXPECT_TRUE(*read.result == *loaded.result);
}

}  // namespace
}  // namespace hlokit
