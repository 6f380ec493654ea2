// Collectives, asynchronous forms and transfers.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAdd[] =
    "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
    "ROOT s = f32[] add(x, y) }\n";

std::string Entry(const std::string& lines) {
  return absl::StrCat(kAdd, "ENTRY e { a = f32[2] parameter(0)\n", lines,
                      " }\n");
}
Literal X() { return Vector(kF32, {1, 2}); }

TEST(Collectives, AreIdentitiesForOneDevice) {
  for (const char* line : {
           "ROOT r = f32[2] all-reduce(a), replica_groups={}, to_apply=add",
           "ROOT r = f32[2] all-reduce(a), replica_groups={{0}}, to_apply=add",
           "ROOT r = f32[2] all-gather(a), replica_groups={{0}}, "
           "dimensions={0}",
           "ROOT r = f32[2] reduce-scatter(a), replica_groups={}, "
           "dimensions={0}, to_apply=add",
           "ROOT r = f32[2] all-to-all(a), replica_groups={{0}}, "
           "dimensions={0}",
           "ROOT r = f32[2] collective-broadcast(a), replica_groups={{0}}",
           "ROOT r = f32[2] collective-permute(a), "
           "source_target_pairs={{0,0}}",
       }) {
    EXPECT_THAT(Values(RunText(Entry(line), {X()})), ElementsAre(1, 2)) << line;
  }
  const Literal several = RunText(
      Entry("ROOT r = (f32[2], f32[2]) all-reduce(a, a), replica_groups={}, "
            "to_apply=add"),
      {X()});
  EXPECT_THAT(Values(several.Sub({1})), ElementsAre(1, 2));
}

TEST(Collectives, StartAndDoneFormsGiveTheSame) {
  for (const char* lines : {
           "s = f32[2] all-reduce-start(a), replica_groups={}, to_apply=add\n"
           "ROOT r = f32[2] all-reduce-done(s)",
           "s = (f32[2], f32[2]) all-gather-start(a), replica_groups={{0}}, "
           "dimensions={0}\n"
           "ROOT r = f32[2] all-gather-done(s)",
           "s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(a), "
           "source_target_pairs={{0,0}}\n"
           "ROOT r = f32[2] collective-permute-done(s)",
       }) {
    EXPECT_THAT(Values(RunText(Entry(lines), {X()})), ElementsAre(1, 2)) << lines;
  }
}

TEST(Collectives, PermutationsGiveZerosToDevicesThatTheyDoNotName) {
  EXPECT_THAT(Values(RunText(Entry("ROOT r = f32[2] collective-permute(a), "
                               "source_target_pairs={{0,1}}"),
                         {X()})),
              ElementsAre(0, 0));
}

TEST(Collectives, RefuseDevicesThatDoNotExist) {
  EXPECT_THAT(
      TryExecute(Entry("ROOT r = f32[2] all-reduce(a), "
                       "replica_groups={{0,7}}, to_apply=add"),
                 {X()})
          .status()
          .ToString(),
      HasSubstr("device 7 takes part, but only 1 device"));
  EXPECT_FALSE(TryExecute(Entry("ROOT r = f32[2] collective-permute(a), "
                                "source_target_pairs={{3,0}}"),
                          {X()})
                   .ok());
}

TEST(Collectives, RaggedAllToAllWritesRowsIntoTheOutput) {
  EXPECT_THAT(
      Values(RunOp("s32[5] ragged-all-to-all(a, b, c, d, e, f), "
                   "replica_groups={{0}}",
                   {Counting(kS32, {4}), Vector(kS32, {9, 9, 9, 9, 9}),
                    Vector(kS32, {1}), Vector(kS32, {2}), Vector(kS32, {3}),
                    Vector(kS32, {2})})),
      ElementsAre(9, 9, 9, 1, 2));
}

TEST(Collectives, TheOnlyDeviceIsNumberZero) {
  EXPECT_EQ(RunText("ENTRY e { ROOT r = u32[] replica-id() }").GetAsInt64(0), 0);
  EXPECT_EQ(RunText("ENTRY e { ROOT r = u32[] partition-id() }").GetAsInt64(0), 0);
}

TEST(Async, ComputesWhatItWraps) {
  const std::string text =
      "f { p = f32[2] parameter(0)\n ROOT n = f32[2] negate(p) }\n"
      "ENTRY e { a = f32[2] parameter(0)\n"
      "s = ((f32[2]), f32[2], u32[]) async-start(a), calls=f\n"
      "u = ((f32[2]), f32[2], u32[]) async-update(s)\n"
      "ROOT r = f32[2] async-done(u) }";
  EXPECT_THAT(Values(RunText(text, {X()})), ElementsAre(-1, -2));
}

TEST(Async, CopiesArrive) {
  EXPECT_THAT(
      Values(RunText(Entry("s = (f32[2], f32[2], u32[]) copy-start(a)\n"
                       "ROOT r = f32[2] copy-done(s)"),
                 {X()})),
      ElementsAre(1, 2));
}

TEST(Transfers, InfeedTakesTheOptionsValuesThenZeros) {
  const std::string text =
      "ENTRY e { t = token[] after-all()\n"
      "i = (f32[2], token[]) infeed(t)\n"
      "x = f32[2] get-tuple-element(i), index=0\n"
      "u = token[] get-tuple-element(i), index=1\n"
      "j = (f32[2], token[]) infeed(u)\n"
      "y = f32[2] get-tuple-element(j), index=0\n"
      "ROOT r = (f32[2], f32[2]) tuple(x, y) }";
  ExecuteOptions options;
  options.infeed = {X()};
  const Literal result = RunText(text, {}, options);
  EXPECT_THAT(Values(result.Sub({0})), ElementsAre(1, 2));
  EXPECT_THAT(Values(result.Sub({1})), ElementsAre(0, 0));
  options.infeed = {Vector(kS32, {1})};
  EXPECT_FALSE(TryExecute(text, {}, options).ok());
}

TEST(Transfers, OutfeedAndSendHandOutTheirOperandsInOrder) {
  const absl::StatusOr<ExecutionResult> result = TryExecute(
      Entry("t = token[] after-all()\n"
            "o = token[] outfeed(a, t), outfeed_shape=f32[2]{0}\n"
            "n = f32[2] negate(a)\n"
            "s = (f32[2], u32[], token[]) send(n, o), channel_id=1, "
            "is_host_transfer=true\n"
            "ROOT d = token[] send-done(s), channel_id=1, "
            "is_host_transfer=true"),
      {X()});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->outfeed.size(), 2u);
  EXPECT_THAT(Values(result->outfeed[0]), ElementsAre(1, 2));
  EXPECT_THAT(Values(result->outfeed[1]), ElementsAre(-1, -2));
}

TEST(Transfers, RecvTakesFromTheInfeed) {
  ExecuteOptions options;
  options.infeed = {X()};
  const Literal result = RunText(
      "ENTRY e { t = token[] after-all()\n"
      "s = (f32[2], u32[], token[]) recv(t), channel_id=1, "
      "is_host_transfer=true\n"
      "d = (f32[2], token[]) recv-done(s), channel_id=1, "
      "is_host_transfer=true\n"
      "ROOT r = f32[2] get-tuple-element(d), index=0 }",
      {}, options);
  EXPECT_THAT(Values(result), ElementsAre(1, 2));
}

}  // namespace
}  // namespace hlokit::interpreter
