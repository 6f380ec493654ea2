#include "passes/analysis/buffer_assignment.h"

#include <cmath>
#include <ctime>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/test_corpora.h"
#include "dump/buffer_report.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "passes/analysis/buffer_check.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

BufferAssignment Assigned(const Module& module) {
  auto assignment = AssignBuffers(module);
  EXPECT_TRUE(assignment.ok()) << assignment.status();
  if (!assignment.ok()) std::exit(1);
  for (int seed = 0; seed < 10; ++seed) {
    const absl::Status status = CheckBuffers(module, *assignment, seed);
    EXPECT_TRUE(status.ok()) << status;
  }
  return *std::move(assignment);
}

const BufferSlice& SliceOf(const BufferAssignment& assignment,
                           const Module& module, absl::string_view name) {
  return assignment.SliceAt(module.entry()->FindInstruction(name), 0);
}

TEST(BufferAssignmentTest, ChainsTakeTheMemoryOfWhatTheyUsed) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true
ENTRY e {
  p = f32[256] parameter(0)
  a = f32[256] sine(p)
  b = f32[256] cosine(a)
  c = f32[256] reverse(b), dimensions={0}
  d = f32[256] negate(c)
  ROOT r = f32[256] reverse(d), dimensions={0}
})");
  const BufferAssignment assignment = Assigned(*module);
  // a and b in one place, c and d in another; one of them is the result's.
  EXPECT_EQ(SliceOf(assignment, *module, "a").offset,
            SliceOf(assignment, *module, "b").offset);
  EXPECT_EQ(SliceOf(assignment, *module, "c").offset,
            SliceOf(assignment, *module, "d").offset);
  EXPECT_EQ(assignment.TotalBytes(), 3 * 1024);
}

TEST(BufferAssignmentTest, LoopsKeepTheirStateInPlace) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true
cond {
  c = (s32[], f32[64]) parameter(0)
  n = s32[] get-tuple-element(c), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(n, ten), direction=LT
}
body {
  b = (s32[], f32[64]) parameter(0)
  x = f32[64] get-tuple-element(b), index=1
  m = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  y = f32[64] sine(x)
  m1 = s32[] add(m, one)
  ROOT r = (s32[], f32[64]) tuple(m1, y)
}
ENTRY e {
  p = f32[64] parameter(0)
  zero = s32[] constant(0)
  z = s32[] copy(zero)
  x0 = f32[64] copy(p)
  init = (s32[], f32[64]) tuple(z, x0)
  w = (s32[], f32[64]) while(init), condition=cond, body=body
  ROOT a = f32[64] get-tuple-element(w), index=1
})");
  const BufferAssignment assignment = Assigned(*module);
  const Instruction* x0 = module->entry()->FindInstruction("x0");
  const Computation* body = module->FindComputation("body");
  EXPECT_EQ(assignment.SliceAt(x0, 0).allocation,
            assignment.SliceAt(body->FindInstruction("y"), 0).allocation);
  EXPECT_TRUE(
      assignment.allocations()[assignment.SliceAt(x0, 0).allocation]
          .maybe_live_out);
}

TEST(BufferAssignmentTest, DynamicArraysHaveTheirSizesBehindThem) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true
ENTRY e {
  x = f32[<=8,4] parameter(0)
  ROOT c = f32[<=8,4] copy(x)
})");
  const BufferAssignment assignment = Assigned(*module);
  EXPECT_EQ(SliceOf(assignment, *module, "x").size, 8 * 4 * 4 + 2 * 4);
  EXPECT_EQ(SliceOf(assignment, *module, "c").size, 8 * 4 * 4 + 2 * 4);
}

TEST(BufferAssignmentTest, MissingCopiesAreAnError) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] constant(0)
  a = f32[8] negate(p)
  d = f32[8] dynamic-update-slice(a, u, i)
  ROOT s = f32[8] add(a, d)
})");
  const auto assignment = AssignBuffers(*module);
  ASSERT_FALSE(assignment.ok());
  EXPECT_THAT(std::string(assignment.status().message()),
              HasSubstr("a and d must share their memory"));
}

TEST(BufferAssignmentTest, ModulesWithoutScheduleAreAnError) {
  auto module = ParseOrDie("ENTRY e { ROOT p = f32[8] parameter(0) }");
  EXPECT_EQ(AssignBuffers(*module).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(BufferAssignmentTest, ResultsTakeTheirParametersPlace) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }
ENTRY e {
  p = f32[64] parameter(0)
  q = f32[64] parameter(1)
  t = f32[16] slice(p), slice={[0:16]}
  n = f32[64] add(p, q)
  u = f32[16] sine(t)
  ROOT r = (f32[64], f32[16]) tuple(n, u)
})");
  const BufferAssignment assignment = Assigned(*module);
  EXPECT_EQ(SliceOf(assignment, *module, "n").allocation,
            SliceOf(assignment, *module, "p").allocation);
  const std::string text = BufferAssignmentText(*module, assignment.ToProto());
  EXPECT_THAT(text, HasSubstr("allocation 0: size 256, parameter 0, shape "
                              "|f32[64]| at ShapeIndex {}, maybe-live-out:\n"
                              " value: <0 p @0> (size=256,offset=0): f32[64]"));
  EXPECT_THAT(BufferValuesText(assignment),
              HasSubstr("positions:\n  n\n  r {0}\n"));
  EXPECT_THAT(LiveRangeText(assignment), HasSubstr("    p{}:0-3\n"));
}

// The assignment that XLA's checks itself against: same module, same schedule.
TEST(BufferAssignmentTest, NeedsNoMoreThanXlaOnItsOwnModules) {
  const std::vector<std::string> files = CorpusFiles(
      "jax_dumps",
      {"/cpu_after_optimizations.hlo.pb", "/cpu_after_optimizations.hlo.pb.zst"});
  if (files.empty()) GTEST_SKIP() << "no corpora";
  double sum = 0;
  int count = 0;
  std::string worst;
  for (const std::string& file : files) {
    xla::HloProto proto;
    ASSERT_TRUE(proto.ParseFromString(ReadCorpusFile(file))) << file;
    const std::string text = ReadCorpusFile(absl::StrReplaceAll(
        file, {{".hlo.pb.zst", ".txt"}, {".hlo.pb", ".txt"}}));
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << file << module.status();
    const auto assignment = AssignBuffers(**module);
    EXPECT_TRUE(assignment.ok()) << file << assignment.status();
    if (!assignment.ok()) continue;
    for (int seed = 0; seed < 4; ++seed) {
      const absl::Status status = CheckBuffers(**module, *assignment, seed);
      EXPECT_TRUE(status.ok() || absl::IsUnimplemented(status))
          << file << status;
    }
    double theirs = 0;
    for (const auto& a : proto.buffer_assignment().buffer_allocations()) {
      theirs += a.size();
    }
    const double ours = assignment->TotalBytes();
    if (theirs == 0 || ours == 0) continue;
    sum += std::log(ours / theirs);
    ++count;
    if (ours > theirs * 1.02) {
      absl::StrAppend(&worst, file, " ", ours, " against ", theirs, "\n");
    }
  }
  EXPECT_GT(count, 60);
  EXPECT_LE(std::exp(sum / count), 1.0) << worst;
  RecordProperty("ratio", std::to_string(std::exp(sum / count)));
  std::printf("ratio %.4f of %d\n%s", std::exp(sum / count), count,
              worst.c_str());
}

// In place of each other, all of them; in time that grows with their number.
TEST(BufferAssignmentTest, LongChainsShareOneBuffer) {
  Module module("chain");
  const Shape shape = Shape::ArrayWithDescendingLayout(kF32, {16});
  auto owned = Computation::Create(&module, "e");
  Instruction* x = owned->AddParameter(0, shape);
  std::vector<Instruction*> order = {x};
  constexpr int kLinks = 150'000;
  for (int k = 0; k < kLinks; ++k) {
    order.push_back(x = owned->Add(Opcode::kNegate, shape, {x}));
  }
  owned->set_root(x);
  const Computation* entry = module.AddEntryComputation(std::move(owned));
  module.SetEntryLayoutFromEntry();
  module.schedule.emplace();
  (*module.schedule)[entry] = std::move(order);
  const std::clock_t start = std::clock();
  const auto assignment = AssignBuffers(module);
  ASSERT_TRUE(assignment.ok()) << assignment.status();
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20);
  ASSERT_EQ(assignment->allocations().size(), 2u);
  for (const BufferAllocation& allocation : assignment->allocations()) {
    if (allocation.kind == BufferAllocation::kParameter) continue;
    ASSERT_EQ(allocation.assigned.size(), size_t{kLinks});
    for (int k = 1; k < kLinks; ++k) {
      ASSERT_LT(allocation.assigned[k - 1].value, allocation.assigned[k].value);
    }
  }
}

}  // namespace
}  // namespace hlokit
