#include "hlo_opt/stages.h"

#include "base/test_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo_opt/hlo_opt.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] = R"(HloModule m

ENTRY main {
  p = f32[256] parameter(0)
  a = f32[256] sine(p)
  b = f32[256] reverse(a), dimensions={0}
  c = f32[256] cosine(b)
  ROOT r = f32[256] reverse(c), dimensions={0}
}
)";

class StagesTest : public ToolTest {
 protected:
  StagesTest() : ToolTest(RunHloOpt) {
    EXPECT_TRUE(memory_.WriteFile("in.hlo", kText).ok());
  }
};

TEST_F(StagesTest, BackendModulesAreScheduled) {
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=hlo-backend"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("is_scheduled=true"));
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=hlo"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("is_scheduled=true")));
}

TEST_F(StagesTest, BackendProtosHoldTheBufferAssignment) {
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=hlo-backend",
                     "--emit=pb", "--o=out.pb"}),
            0)
      << err_.str();
  xla::HloProto proto;
  ASSERT_TRUE(proto.ParseFromString(memory_.Files()["out.pb"]));
  EXPECT_GT(proto.buffer_assignment().buffer_allocations_size(), 1);
}

TEST_F(StagesTest, BuffersAreListedWithTheirSums) {
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=buffer-assignment"}),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("BufferAssignment:\nallocation 0: size"));
  EXPECT_THAT(out_.str(), HasSubstr("parameter 0, shape |f32[256]|"));
  EXPECT_THAT(out_.str(), ::testing::ContainsRegex(
                              "parameter allocation: +1.0KiB\n"));
  EXPECT_THAT(out_.str(), ::testing::ContainsRegex("total allocation: "));
}

TEST_F(StagesTest, BackendDumpsLookLikeACompilersOwn) {
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=hlo-backend",
                     "--xla_dump_to=d"}),
            0)
      << err_.str();
  for (const char* file :
       {"before_optimizations.txt", "cpu_after_optimizations.txt",
        "cpu_after_optimizations-buffer-assignment.txt",
        "cpu_after_optimizations-buffer-assignment-values.txt",
        "cpu_after_optimizations-live-range.txt",
        "cpu_after_optimizations-memory-usage-report.txt"}) {
    EXPECT_TRUE(memory_.Exists(std::string("d/module_0000.m.") + file)) << file;
  }
}

TEST_F(StagesTest, PicturesShowTheModuleBehindThePasses) {
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=html"}), 0);
  EXPECT_THAT(out_.str(), ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(RunTool({"in.hlo", "--stage=html", "--emit=pb"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("--stage=html is text"));
}

TEST_F(StagesTest, CodeIsShownBeforeAndAfterLlvmsPasses) {
  ASSERT_EQ(
      RunTool({"in.hlo", "--platform=cpu", "--stage=llvm-before-optimizations"}),
      0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("define void @hlokit_0("));
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=llvm"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("target triple"));
  ASSERT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=asm"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("hlokit_0:"));
  EXPECT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=asm", "--emit=pb"}),
            3);
}

// XLA's tree_reduction_rewriter makes two kernels of this.
TEST_F(StagesTest, CodeIsThatOfTheBackend) {
  ASSERT_EQ(
      RunTool({"-", "--platform=cpu", "--stage=llvm-before-optimizations"},
              R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8,1024] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[8] reduce(x, zero), dimensions={1}, to_apply=add
})"),
      0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("@hlokit_0("));
  EXPECT_THAT(out_.str(), Not(HasSubstr("@hlokit_1(")));
}

TEST_F(StagesTest, ScheduledModulesWithoutCopiesAreBadInput) {
  EXPECT_EQ(RunTool({"-", "--platform=cpu", "--stage=buffer-assignment"},
                    R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] constant(0)
  ROOT d = f32[8] dynamic-update-slice(p, u, i)
})"),
            3);
  EXPECT_THAT(err_.str(), HasSubstr("copy-insertion"));
}

TEST_F(StagesTest, UnknownStagesNameTheNearest) {
  EXPECT_EQ(RunTool({"in.hlo", "--platform=cpu", "--stage=hlo-backen"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("'hlo-backend'"));
  ASSERT_EQ(RunTool({"--platform=cpu", "--list-stages"}), 0);
  EXPECT_EQ(out_.str(), "asm\nbuffer-assignment\ndot\nhlo\nhlo-backend\nhtml\nllvm\n"
            "llvm-before-optimizations\nurl\n");
}

}  // namespace
}  // namespace hlokit
