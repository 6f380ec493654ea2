// Arrays with dynamic dimensions, without elements, and with huge paddings.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/compiler.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/cpu_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CpuBackend, DynamicArraysAreCompiled) {
  const std::string text = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
condition {
  p = (s32[], f32[<=5,<=3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[<=5,<=3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[<=5,<=3] get-tuple-element(p), index=1
  y = f32[<=5,<=3] add(x, x)
  ROOT t = (s32[], f32[<=5,<=3]) tuple(j, y)
}
ENTRY e {
  x = f32[<=5,<=3] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[<=5,<=3]) tuple(zero, x)
  w = (s32[], f32[<=5,<=3]) while(t), condition=condition, body=body
  y = f32[<=5,<=3] get-tuple-element(w), index=1
  z = f32[] constant(0)
  sums = f32[<=3] reduce(y, z), dimensions={0}, to_apply=add
  rows = s32[] get-dimension-size(y), dimensions={0}
  turned = f32[<=3,<=5] transpose(y), dimensions={1,0}
  ROOT o = (f32[<=3], f32[<=5,<=3], s32[], f32[<=3,<=5], f32[<=5,<=3])
      tuple(sums, y, rows, turned, x)
})";
  auto module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  for (const auto& [rows, columns] :
       {std::pair(5, 3), std::pair(2, 3), std::pair(4, 1), std::pair(0, 2)}) {
    std::vector<float> values(15);
    for (int i = 0; i < 15; ++i) values[i] = i + 0.5f;
    Literal x = Literal::Array<float>({5, 3}, values);
    x.set_shape((*module)->entry()->parameter(0)->shape());
    x.set_dynamic_size(0, rows);
    x.set_dynamic_size(1, columns);
    std::string thunks;
    CompileOptions options;
    options.artifact = [&](absl::string_view name, absl::string_view text) {
      if (name == "thunk_sequence.txt") thunks = std::string(text);
    };
    const std::vector<Literal> arguments = {x};
    Literal results[2];
    for (int k = 0; k < 2; ++k) {
      Backend& backend = **BackendByName(k == 0 ? "interpreter" : "cpu");
      auto executable = backend.Compile((*module)->Clone(), options);
      ASSERT_TRUE(executable.ok()) << executable.status();
      auto result = (*executable)->Execute(arguments, {});
      ASSERT_TRUE(result.ok()) << result.status();
      results[k] = std::move(result->value);
    }
    EXPECT_EQ(results[1].ToString(), results[0].ToString());
    EXPECT_THAT(thunks, HasSubstr("while"));
    EXPECT_THAT(thunks, Not(HasSubstr("interpreted")));
  }
}

// Without the pass that pads them, too.
TEST(CpuBackend, DynamicArraysThatAreNotPaddedWork) {
  const std::string text = Entry(
      "x = f32[6,2] parameter(0)\n"
      "n = s32[] constant(4)\n"
      "d = f32[<=6,2] set-dimension-size(x, n), dimensions={0}\n"
      "s = f32[<=6,2] sine(d)\n"
      "r = f32[<=6,2,1] reshape(s)\n"
      "z = f32[] constant(0)\n"
      "q = f32[2] reduce(s, z), dimensions={0}, to_apply=add\n"
      "ROOT t = (f32[<=6,2,1], f32[2], f32[<=6,2]) tuple(r, q, d)");
  std::mt19937 engine(1);
  const std::vector<Literal> arguments = {
      RandomLiteral(Shape::ArrayWithDescendingLayout(kF32, {6, 2}), &engine)};
  const auto want =
      RunOn(**BackendByName("interpreter"), text, arguments, true);
  ASSERT_TRUE(want.ok()) << want.status();
  CompileOptions options;
  options.passes.disabled = {"dynamic_padder", "dynamic-padder"};
  auto executable = CpuBackend()->Compile(Parsed(text), options);
  ASSERT_TRUE(executable.ok()) << executable.status();
  const auto got = (*executable)->Execute(arguments, {});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->value.ToString(), want->ToString());
}

TEST(CpuBackend, ArraysThatBecomeDynamicAreReduced) {
  ExpectSameAsInterpreter(
      Entry("x = f32[6] parameter(0)\n"
            "n = s32[] constant(4)\n"
            "d = f32[<=6] set-dimension-size(x, n), dimensions={0}\n"
            "z = f32[] constant(0)\n"
            "ROOT r = f32[] reduce(d, z), dimensions={0}, to_apply=add"));
}

TEST(CpuBackend, ArraysWithoutElementsMayHaveHugeOtherSizes) {
  const char* const kBodies[] = {
      "c = f32[] parameter(0)\n"
      "b = f32[4294967296,4294967296,0] broadcast(c), dimensions={}\n"
      "ROOT r = f32[0,7] reshape(b)",
      "c = f32[] parameter(0)\n"
      "b = f32[4294967296,0,4294967296] broadcast(c), dimensions={}\n"
      "ROOT t = f32[0,4294967296,4294967296] transpose(b), dimensions={1,0,2}",
      "a = f32[0,4294967296,4294967296] parameter(0)\nz = f32[] constant(3)\n"
      "ROOT r = f32[] reduce(a, z), dimensions={0,1,2}, to_apply=add",
      "a = f32[2,4294967296,4294967296,0] parameter(0)\n"
      "b = f32[4294967296,4294967296,0,3] parameter(1)\n"
      "ROOT r = f32[2,3] dot(a, b), lhs_contracting_dims={1,2,3}, "
      "rhs_contracting_dims={0,1,2}",
      "a = f32[4294967296,4294967296,0] parameter(0)\nc = f32[] constant(5)\n"
      "ROOT p = f32[2,2,2] pad(a, c), "
      "padding=-2_-4294967292x0_-4294967294x1_1",
      "a = f32[4,4294967296,0] parameter(0)\n"
      "ROOT c = f32[4,8589934592,0] concatenate(a, a), dimensions={1}",
      "a = f32[4294967296,4294967296,0] iota(), iota_dimension=0\n"
      "ROOT s = f32[1,2,0] slice(a), slice={[5:6], [0:4:2], [0:0]}",
      "a = f32[1099511627776,0,0] parameter(0)\n"
      "ROOT c = f32[1099511627776,0,0] cholesky(a), lower=true",
      "a = f32[4294967296,4294967296,0] parameter(0)\n"
      "i = s32[3,2] parameter(1)\n"
      "ROOT g = f32[3,0] gather(a, i), offset_dims={1}, "
      "collapsed_slice_dims={0,1}, start_index_map={0,1}, "
      "index_vector_dim=1, slice_sizes={1,1,0}",
  };
  for (const char* body : kBodies) ExpectSameAsInterpreter(Entry(body));
}

TEST(CpuBackend, PaddingMayBeHugeWhereItCancels) {
  const char* const kPads[] = {
      "a = f32[1] parameter(0)\n"
      "ROOT p = f32[1] pad(a, c), padding=0_0_9223372036854775807",
      "a = f32[0] parameter(0)\n"
      "ROOT p = f32[2] pad(a, c), padding=1_1_9223372036854775807",
      "a = f32[2] parameter(0)\n"
      "ROOT p = f32[3] pad(a, c), "
      "padding=1_-4611686018427387902_4611686018427387902",
      "a = f32[3] parameter(0)\n"
      "ROOT p = f32[1] pad(a, c), "
      "padding=-4611686018427387902_-4611686018427387902_"
      "4611686018427387901",
      "a = f32[3] parameter(0)\n"
      "ROOT p = f32[2] pad(a, c), "
      "padding=-9223372036854775808_9223372036854775807",
      "a = f32[3] parameter(0)\n"
      "ROOT p = f32[3] pad(a, c), padding=-1099511627776_1099511627776",
      "a = f32[3] parameter(0)\n"
      "ROOT p = f32[3] pad(a, c), padding=1099511627776_-1099511627776",
  };
  for (const char* pad : kPads) {
    ExpectSameAsInterpreter(
        Entry(absl::StrCat("c = f32[] constant(7)\n", pad)));
  }
}

}  // namespace
}  // namespace hlokit
