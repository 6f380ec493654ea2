#include "passes/control/while_loop_trip_count_annotator.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Loop(const char* init, const char* step, const char* condition) {
  return absl::StrReplaceAll(R"(
HloModule m
body {
  p = (f32[], s32[]) parameter(0)
  x = f32[] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1
  c = s32[] constant(STEP)
  n = s32[] add(c, i)
  ROOT r = (f32[], s32[]) tuple(x, n)
}
cond {
  p = (f32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=1
  c = s32[] constant(10)
  ROOT r = pred[] compare(CONDITION
}
ENTRY e {
  z = s32[] constant(INIT)
  a = f32[] parameter(0)
  t = (f32[], s32[]) tuple(a, z)
  ROOT w = (f32[], s32[]) while(t), condition=cond, body=body
})",
                             {{"INIT", init},
                              {"STEP", step},
                              {"CONDITION", condition}});
}

std::string Config(const std::string& text) {
  auto module = TransformedBy<WhileLoopTripCountAnnotator>(text);
  return std::string(module->entry()->root()->backend_config());
}

TEST(TripCountTest, WritesWhatIsKnown) {
  EXPECT_EQ(Config(Loop("1", "2", "i, c), direction=LT")),
            R"({"known_trip_count":{"n":"5"},)"
            R"("known_init_step":{"init":"1","step":"2"},)"
            R"("known_induction_variable":{"tuple_index":"1"},)"
            R"("dynamic_variables":[]})");
}

TEST(TripCountTest, CountsForAllDirections) {
  auto count = [](const std::string& text) {
    const std::string config = Config(text);
    return config.substr(0, config.find('}') + 1);
  };
  EXPECT_EQ(count(Loop("0", "3", "i, c), direction=LE")),
            R"({"known_trip_count":{"n":"4"})");
  EXPECT_EQ(count(Loop("12", "-1", "i, c), direction=GT")),
            R"({"known_trip_count":{"n":"2"})");
  EXPECT_EQ(count(Loop("12", "-1", "i, c), direction=GE")),
            R"({"known_trip_count":{"n":"3"})");
  EXPECT_EQ(count(Loop("0", "5", "i, c), direction=NE")),
            R"({"known_trip_count":{"n":"2"})");
  EXPECT_EQ(count(Loop("0", "1", "c, i), direction=GT")),
            R"({"known_trip_count":{"n":"10"})");
  EXPECT_EQ(count(Loop("20", "1", "i, c), direction=LT")),
            R"({"known_trip_count":{"n":"0"})");
}

TEST(TripCountTest, LeavesLoopsThatDoNotCount) {
  // These loops would not end, so they are not executed.
  for (const char* step : {"-1", "0"}) {
    WhileLoopTripCountAnnotator pass;
    ExpectUnchanged(&pass, Loop("0", step, "i, c), direction=LT"));
  }
}

}  // namespace
}  // namespace hlokit
