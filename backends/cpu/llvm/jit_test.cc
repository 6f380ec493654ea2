#include "backends/cpu/llvm/jit.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/emit/ir.h"
#include "backends/cpu/emit/math.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit::cpu {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// y[i] = name(x[i]) for n elements.
using Loop = void (*)(const void* x, void* y, int64_t n);

class Compiled {
 public:
  explicit Compiled(const IrModule& module, const std::string& function) {
    auto code =
        CompileIr(module.Text(), {.max_isa = module.isa(), .texts = true});
    EXPECT_TRUE(code.ok()) << code.status() << module.Text();
    if (!code.ok()) return;
    assembly = code->assembly;
    auto loaded = LoadedCode::Load({code->object});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) return;
    loaded_ = *std::move(loaded);
    auto address = loaded_->Find(function);
    EXPECT_TRUE(address.ok()) << address.status();
    if (address.ok()) loop = reinterpret_cast<Loop>(*address);
  }
  std::string assembly;
  Loop loop = nullptr;

 private:
  std::unique_ptr<LoadedCode> loaded_;
};

// The instruction sets of this processor that change generated code.
std::vector<Isa> Isas() {
  std::vector<Isa> isas;
#if defined(__x86_64__)
  for (const Isa isa : {Isa::kSse42, Isa::kAvx, Isa::kAvx2, Isa::kAvx512}) {
    if (isa < HostIsa()) isas.push_back(isa);
  }
#endif
  isas.push_back(HostIsa());
  return isas;
}

Compiled MathLoop(const std::string& name, const std::string& type,
                  Isa isa = HostIsa()) {
  IrModule module;
  module.set_isa(isa);
  IrFunction f(&module,
               {{"ptr noalias", "x"}, {"ptr noalias", "y"}, {"i64", "n"}});
  const IrValue x{"ptr", "%x"}, y{"ptr", "%y"};
  f.Loop(f.Const(0), f.arg(2), 1, [&](IrValue i) {
    const IrValue value = f.Load(type, f.Gep(type, x, i));
    f.Store(EmitMath(f, name, {value}), f.Gep(type, y, i));
  });
  const std::string function = f.Finish();
  return Compiled(module, function);
}

struct Function {
  const char* name;
  std::function<long double(long double)> exact;
  double low, high;
};

const std::vector<Function>& Functions() {
  static const auto* functions = new std::vector<Function>{
      {"exp", [](long double x) { return std::exp(x); }, -87.3, 88.7},
      {"expm1", [](long double x) { return std::expm1(x); }, -20, 80},
      {"log", [](long double x) { return std::log(x); }, 1e-30, 1e30},
      {"log", [](long double x) { return std::log(x); }, 0.4, 2.5},
      {"log1p", [](long double x) { return std::log1p(x); }, -0.999, 1e6},
      {"sin", [](long double x) { return std::sin(x); }, -1e4, 1e4},
      {"cos", [](long double x) { return std::cos(x); }, -1e4, 1e4},
      {"tan", [](long double x) { return std::tan(x); }, -1e3, 1e3},
      {"logistic", [](long double x) { return 1 / (1 + std::exp(-x)); }, -700,
       40},
      {"logistic", [](long double x) { return 1 / (1 + std::exp(-x)); }, -85,
       20},
      {"logistic", [](long double x) { return 1 / (1 + std::exp(-x)); }, -3, 3},
      {"tanh", [](long double x) { return std::tanh(x); }, -12, 12},
      {"tanh", [](long double x) { return std::tanh(x); }, -0.7, 0.7},
      {"erf", [](long double x) { return std::erf(x); }, -5, 5},
      {"cbrt", [](long double x) { return std::cbrt(x); }, -1e9, 1e9},
      {"sinh", [](long double x) { return std::sinh(x); }, -50, 50},
      {"acos", [](long double x) { return std::acos(x); }, -1, 1},
      {"atanh", [](long double x) { return std::atanh(x); }, -0.999, 0.999},
      {"atanh", [](long double x) { return std::atanh(x); }, -0.01, 0.01},
      {"expm1", [](long double x) { return std::expm1(x); }, -0.01, 0.01},
      {"erf", [](long double x) { return std::erf(x); }, -1, 1},
      {"asin", [](long double x) { return std::asin(x); }, -1, 1},
      {"acosh", [](long double x) { return std::acosh(x); }, 1, 4},
      {"asinh", [](long double x) { return std::asinh(x); }, -1, 1}};
  return *functions;
}

// Checks the largest distance from the exact value in units of the last place;
// instruction sets without multiplication and addition in one step have a limit
// of their own.
template <typename T>
void ExpectErrorsWithin(double limit, double limit_without_fma,
                        const Function& function, const std::string& type) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> unit(function.low, function.high);
  std::vector<T> x(50003);
  for (T& v : x) v = static_cast<T>(unit(engine));
  std::vector<long double> want(x.size());
  for (size_t k = 0; k < x.size(); ++k) want[k] = function.exact(x[k]);
  for (const Isa isa : Isas()) {
    const Compiled compiled = MathLoop(function.name, type, isa);
    ASSERT_NE(compiled.loop, nullptr);
    double largest = 0;
    std::vector<T> y(x.size());
    compiled.loop(x.data(), y.data(), x.size());
    for (size_t k = 0; k < x.size(); ++k) {
      const T near = static_cast<T>(want[k]);
      const long double ulp =
          std::nextafter(std::abs(near), std::numeric_limits<T>::infinity()) -
          std::abs(near);
      largest = std::max(largest,
                         static_cast<double>(std::abs(y[k] - want[k]) / ulp));
    }
    EXPECT_LE(largest, isa < Isa::kAvx2 ? limit_without_fma : limit)
        << function.name << ", instruction set " << static_cast<int>(isa);
  }
}

TEST(MathFunctions, FloatsAreWithinFourUnitsOfTheLastPlace) {
  for (const Function& function : Functions()) {
    ExpectErrorsWithin<float>(4, 4, function, "float");
  }
}

TEST(MathFunctions, DoublesAreWithinTwoUnitsOfTheLastPlace) {
  for (const Function& function : Functions()) {
    ExpectErrorsWithin<double>(2, 3, function, "double");
  }
}

TEST(MathFunctions, AreRightWhereNumbersEnd) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {inf, -inf, nan, 0.0f, -0.0f, 1e30f, -1e30f, 1,
                                inf, -inf, nan, 0.0f, -0.0f, 1e30f, -1e30f, 1};
  for (const char* name :
       {"exp", "log", "tanh", "log1p", "sin", "erf", "expm1"}) {
    for (const Isa isa : Isas()) {
      const Compiled compiled = MathLoop(name, "float", isa);
      ASSERT_NE(compiled.loop, nullptr);
      std::vector<float> y(x.size());
      compiled.loop(x.data(), y.data(), x.size());
      for (const Function& function : Functions()) {
        if (std::string(function.name) != name) continue;
        for (size_t k = 0; k < x.size(); ++k) {
          const float want = static_cast<float>(function.exact(x[k]));
          if (std::isnan(want)) {
            EXPECT_TRUE(std::isnan(y[k])) << name << " of " << x[k];
          } else if (std::isinf(want) || want == 0) {
            EXPECT_EQ(y[k], want) << name << " of " << x[k];
            EXPECT_EQ(std::signbit(y[k]), std::signbit(want));
          }
        }
      }
    }
  }
}

// The largest distance in units of the smallest number.
template <typename T>
double DenormalError(const char* name, const std::string& type,
                     const std::vector<T>& some) {
  const Compiled compiled = MathLoop(name, type);
  if (compiled.loop == nullptr) return INFINITY;
  std::vector<T> x, y;
  while (x.size() < 32) x.insert(x.end(), some.begin(), some.end());
  y.resize(x.size());
  compiled.loop(x.data(), y.data(), x.size());
  double largest = 0;
  for (const Function& function : Functions()) {
    if (std::string(function.name) != name) continue;
    for (size_t k = 0; k < x.size(); ++k) {
      const T want = static_cast<T>(function.exact(x[k]));
      const T unit =
          std::nextafter(std::abs(want), T{INFINITY}) - std::abs(want);
      largest =
          std::max(largest, static_cast<double>(std::abs(y[k] - want) / unit));
    }
  }
  return largest;
}

// The mode of this process; executions choose theirs.
TEST(MathFunctions, DenormalsAreNumbers) {
  EXPECT_LE(DenormalError<float>("exp", "float", {-87.4f, -90, -95.5f, -103}),
            1);
  EXPECT_LE(DenormalError<double>("exp", "double", {-708.5, -720, -744.9}), 1);
  EXPECT_LE(DenormalError<float>("log", "float", {1e-38f, 1e-40f, 1e-45f}), 4);
  EXPECT_LE(DenormalError<float>("tanh", "float", {1e-40f, -3e-42f}), 1);
  EXPECT_LE(DenormalError<double>("tanh", "double", {1e-310, -4e-320}), 1);
}

#if defined(__x86_64__)
TEST(MathFunctions, LoopsOverThemAreVectorCode) {
  if (HostIsa() < Isa::kAvx2) GTEST_SKIP() << "needs AVX2";
  for (const Isa isa : Isas()) {
    if (isa < Isa::kAvx2) continue;
    EXPECT_THAT(MathLoop("erf", "float", isa).assembly, HasSubstr("v_erff"));
  }
}

// The registers' width is the code generator's choice.
TEST(MathFunctions, FrequentOnesAreWrittenOut) {
  if (HostIsa() < Isa::kAvx2) GTEST_SKIP() << "needs AVX2";
  for (const auto& [name, type] :
       {std::pair{"exp", "float"}, {"log", "float"}, {"tanh", "float"},
        {"exp", "double"}, {"tanh", "double"}}) {
    for (const Isa isa : Isas()) {
      if (isa < Isa::kAvx2) continue;
      const std::string assembly = MathLoop(name, type, isa).assembly;
      EXPECT_THAT(assembly, HasSubstr("vfmadd")) << name;
      EXPECT_THAT(assembly, AnyOf(HasSubstr("%ymm"), HasSubstr("%zmm")))
          << name;
      EXPECT_THAT(assembly, Not(HasSubstr("call"))) << name;
    }
  }
}
#endif

TEST(CompileIr, TextThatIsNoIrIsAnError) {
  EXPECT_THAT(CompileIr("define nonsense", {}).status().ToString(),
              HasSubstr("LLVM refuses"));
}

TEST(LoadedCode, AMissingFunctionIsAnError) {
  IrModule module;
  IrFunction f(&module, {});
  f.Finish();
  auto code = CompileIr(module.Text(), {});
  ASSERT_TRUE(code.ok());
  auto loaded = LoadedCode::Load({code->object});
  ASSERT_TRUE(loaded.ok());
  EXPECT_FALSE((*loaded)->Find("not_there").ok());
}

}  // namespace
}  // namespace hlokit::cpu
