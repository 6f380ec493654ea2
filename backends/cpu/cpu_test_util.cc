#include "backends/cpu/cpu_test_util.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/cpu_backend.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/verifier.h"

namespace hlokit {

std::unique_ptr<Module> Parsed(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return nullptr;
  EXPECT_EQ(VerifyModule(**module), absl::OkStatus()) << text;
  return *std::move(module);
}

Literal RandomLiteral(const Shape& shape, std::mt19937* engine) {
  if (shape.IsTuple()) {
    std::vector<Literal> parts;
    for (const Shape& part : shape.tuple_shapes()) {
      parts.push_back(RandomLiteral(part, engine));
    }
    return Literal::Tuple(std::move(parts));
  }
  Literal literal = Literal::Zeros(shape);
  const PrimitiveType type = shape.element_type();
  for (int64_t k = 0; k < literal.element_count(); ++k) {
    const double unit = (*engine)() / 4294967296.0;
    if (type == kPred) {
      literal.SetFromInt64(k, unit < 0.5);
    } else if (IsIntegerType(type)) {
      literal.SetFromInt64(k, static_cast<int64_t>(unit * 7));
    } else {
      literal.SetFromDouble(k, unit * 4 - 2);
    }
  }
  return literal;
}

absl::StatusOr<Literal> RunOn(Backend& backend, const std::string& text,
                              absl::Span<const Literal> arguments,
                              bool run_passes,
                              const std::string& max_isa) {
  CompileOptions options;
  options.run_passes = run_passes;
  options.max_isa = max_isa;
  auto executable = backend.Compile(Parsed(text), options);
  if (!executable.ok()) return executable.status();
  ExecuteOptions execute;
  execute.check_instructions = true;
  auto result = (*executable)->Execute(arguments, execute);
  if (!result.ok()) return result.status();
  execute.check_instructions = false;
  const auto together = (*executable)->Execute(arguments, execute);
  if (!together.ok()) return together.status();
  EXPECT_TRUE(result->value == together->value) << text;
  return std::move(result->value);
}

void ExpectNear(const Literal& got, const Literal& want,
                const std::string& text) {
  if (want.shape().IsTuple()) {
    for (size_t k = 0; k < want.elements().size(); ++k) {
      ExpectNear(got.elements()[k], want.elements()[k], text);
    }
    return;
  }
  for (int64_t k = 0; k < want.element_count(); ++k) {
    const double a = got.GetAsDouble(k), b = want.GetAsDouble(k);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    ASSERT_NEAR(a, b, 1e-4 * std::max(1.0, std::abs(b)))
        << "element " << k << "\n"
        << text;
  }
}

void ExpectSameAsInterpreter(const std::string& text) {
  std::mt19937 engine(1);
  std::unique_ptr<Module> module = Parsed(text);
  ASSERT_NE(module, nullptr);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module->entry()->parameters()) {
    arguments.push_back(RandomLiteral(parameter->shape(), &engine));
  }
  const auto want =
      RunOn(**BackendByName("interpreter"), text, arguments, true);
  ASSERT_TRUE(want.ok()) << want.status();
  // Sets that the processor lacks make no difference.
  for (const auto& [run_passes, max_isa] :
       {std::pair(true, ""), {false, "AVX2"}, {false, "SSE4_2"}}) {
    const auto got = RunOn(*CpuBackend(), text, arguments, run_passes, max_isa);
    ASSERT_TRUE(got.ok()) << got.status() << "\n" << text;
    ExpectNear(*got, *want, text);
  }
}

std::string Entry(const std::string& body) {
  return absl::StrCat(
      "HloModule m\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT r = f32[] add(a, b) }\n"
      "max { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT r = f32[] maximum(a, b) }\n"
      "ENTRY e {\n",
      body, "\n}\n");
}

}  // namespace hlokit
