// --exact_arithmetic: what programs give whose results XLA's rewrites change,
// with and without those rewrites, on cpu and in the interpreter.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "replay/inputs.h"
#include "replay/test_tool.h"

namespace hlokit {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

struct ExactCase {
  const char* name;
  const char* lines;  // of the entry; parameters and result are f32[4]
  std::vector<std::vector<float>> arguments;
  std::vector<float> exact;    // on cpu, and always in the interpreter
  std::vector<float> by_default;  // on cpu; the same when empty
};

const ExactCase kCases[] = {
    {"SquareOfRsqrt",
     "x = f32[4] parameter(0) r = f32[4] rsqrt(x) "
     "ROOT m = f32[4] multiply(r, r)",
     {{4, -4, -0.f, kNaN}},
     {0.25, kNaN, kInf, kNaN},
     {}},
    {"RsqrtOfReciprocal",
     "x = f32[4] parameter(0) o = f32[] constant(1) "
     "ob = f32[4] broadcast(o), dimensions={} q = f32[4] divide(ob, x) "
     "ROOT r = f32[4] rsqrt(q)",
     {{4, -4, -0.f, kInf}},
     {2, kNaN, kNaN, kInf},
     {}},
    {"PowerOfTwoInTheMiddle",
     "x = f32[4] parameter(0) y = f32[4] parameter(1) o = f32[] constant(4) "
     "ob = f32[4] broadcast(o), dimensions={} m = f32[4] multiply(x, ob) "
     "ROOT r = f32[4] multiply(m, y)",
     {{3e38f, 1e-20f, 1, 2}, {1e-10f, 1e-18f, 3, 0.5f}},
     {kInf, 1e-20f * 4 * 1e-18f, 12, 4},
     {}},
    {"DivisionByThree",
     "x = f32[4] parameter(0) c = f32[] constant(3) "
     "cb = f32[4] broadcast(c), dimensions={} ROOT r = f32[4] divide(x, cb)",
     {{7, 9, 1, 0.1f}},
     {7 / 3.f, 3, 1 / 3.f, 0.1f / 3},
     {7 * (1 / 3.f), 9 * (1 / 3.f), 1 / 3.f, 0.1f * (1 / 3.f)}},
    {"AddZero",
     "x = f32[4] parameter(0) z = f32[] constant(0) "
     "zb = f32[4] broadcast(z), dimensions={} ROOT r = f32[4] add(x, zb)",
     {{-0.f, 0, 1, kNaN}},
     {0, 0, 1, kNaN},
     {-0.f, 0, 1, kNaN}},
    {"RootOfSquare",
     "x = f32[4] parameter(0) m = f32[4] multiply(x, x) "
     "ROOT r = f32[4] sqrt(m)",
     {{1e-30f, -5, 1e30f, kNaN}},
     {0, 5, kInf, kNaN},
     {1e-30f, 5, 1e30f, kNaN}},
    {"LogOfExponential",
     "x = f32[4] parameter(0) e = f32[4] exponential(x) "
     "ROOT r = f32[4] log(e)",
     {{1e-30f, 0, 200, -kInf}},
     {0, 0, kInf, -kInf},
     {1e-30f, 0, 200, -kInf}},
    {"QuotientOfQuotient",
     "x = f32[4] parameter(0) y = f32[4] parameter(1) "
     "q = f32[4] divide(y, x) ROOT r = f32[4] divide(x, q)",
     {{1e30f, 2, 1e-30f, 8}, {1e30f, 4, 1e-30f, 2}},
     {1e30f, 1, 1e-30f, 32},
     {kInf, 1, 0, 32}},
    {"ZeroTimesAnything",
     "x = f32[4] parameter(0) z = f32[] constant(0) "
     "zb = f32[4] broadcast(z), dimensions={} "
     "ROOT r = f32[4] multiply(x, zb)",
     {{kNaN, kInf, -1, 1}},
     {kNaN, kNaN, -0.f, 0},
     {}},
};

std::vector<float> ResultsOf(const ExactCase& c,
                             const std::vector<std::string>& options) {
  std::vector<Literal> literals;
  for (const std::vector<float>& argument : c.arguments) {
    Literal literal = Literal::Zeros(Shape::ArrayWithDescendingLayout(
        kF32, {static_cast<int64_t>(argument.size())}));
    for (size_t i = 0; i < argument.size(); ++i) {
      literal.mutable_data<float>()[i] = argument[i];
    }
    literals.push_back(std::move(literal));
  }
  MemoryFileSystem files(
      {{"/m", absl::StrCat("ENTRY e {\n", c.lines, "\n}\n")},
       {"/in.npz", *LiteralsToNpz(literals, "a")}});
  std::vector<std::string> arguments = {"--reference_platform=",
                                        "--inputs=/in.npz",
                                        "--outputs=/out.npz", "/m"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ToolRun run = RunTool(arguments, &files);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto bytes = files.ReadFile("/out.npz");
  if (!bytes.ok()) return {};
  const auto result = ResultFromNpz(literals[0].shape(), *bytes);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  const auto data = result->data<float>();
  return std::vector<float>(data.begin(), data.end());
}

void ExpectFloats(const std::vector<float>& got,
                  const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else {
      EXPECT_FLOAT_EQ(got[i], want[i]) << i;
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i])) << i;
    }
  }
}

class ExactArithmeticTest : public ::testing::TestWithParam<ExactCase> {};

TEST_P(ExactArithmeticTest, ResultsAreThoseOfArithmeticOrOfXla) {
  const ExactCase& c = GetParam();
  ExpectFloats(ResultsOf(c, {"--platform=interpreter"}), c.exact);
  ExpectFloats(ResultsOf(c, {"--platform=cpu", "--exact_arithmetic"}), c.exact);
  ExpectFloats(ResultsOf(c, {"--platform=cpu", "--exact_arithmetic",
                       "--xla_cpu_enable_fast_math=true",
                       "--xla_cpu_fast_math_honor_nans=false",
                       "--xla_cpu_fast_math_honor_division=false"}),
               c.exact);
  ExpectFloats(ResultsOf(c, {"--platform=cpu", "--xla_disable_hlo_passes=algsimp"}),
               c.exact);
  ExpectFloats(ResultsOf(c, {"--platform=cpu"}),
               c.by_default.empty() ? c.exact : c.by_default);
}

INSTANTIATE_TEST_SUITE_P(
    All, ExactArithmeticTest, ::testing::ValuesIn(kCases),
    [](const auto& info) { return std::string(info.param.name); });

// The last digit of x / 3, which the product with 1 / 3 gets wrong.
TEST(ExactArithmeticTest, QuotientsAreRoundedOnce) {
  const ExactCase& c = kCases[3];
  EXPECT_EQ(ResultsOf(c, {"--platform=cpu", "--exact_arithmetic"})[0], 7 / 3.f);
  EXPECT_EQ(ResultsOf(c, {"--platform=cpu"})[0], 7 * (1 / 3.f));
  ASSERT_NE(7 / 3.f, 7 * (1 / 3.f));
}

}  // namespace
}  // namespace hlokit
