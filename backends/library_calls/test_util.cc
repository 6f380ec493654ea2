#include "backends/library_calls/test_util.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "base/status.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "passes/value_check.h"

namespace hlokit {
namespace {

std::string WholeModule(absl::string_view text) {
  if (absl::StrContains(text, "ENTRY")) return std::string(text);
  return absl::StrCat("HloModule m\nENTRY e {\n", text, "\n}\n");
}

absl::StatusOr<std::unique_ptr<Module>> Read(absl::string_view text) {
  return ParseModule(WholeModule(text), "<text>");
}

void ExpectElements(const Literal& got, const std::vector<double>& values,
                    double tolerance) {
  ASSERT_EQ(got.element_count(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (got.GetAsDouble(i) == values[i]) continue;  // infinities
    EXPECT_NEAR(got.GetAsDouble(i), values[i], tolerance) << i;
  }
}

}  // namespace

absl::StatusOr<Literal> RunText(absl::string_view backend,
                                absl::string_view text, bool run_passes,
                                std::vector<Literal> arguments) {
  HLOKIT_ASSIGN_OR_RETURN(auto module, Read(text));
  if (arguments.empty()) arguments = FakeArguments(*module, 7);
  HLOKIT_ASSIGN_OR_RETURN(Backend * by_name, BackendByName(backend));
  CompileOptions options;
  options.run_passes = run_passes;
  HLOKIT_ASSIGN_OR_RETURN(auto executable,
                          by_name->Compile(std::move(module), options));
  HLOKIT_ASSIGN_OR_RETURN(auto result, executable->Execute(arguments, {}));
  return std::move(result.value);
}

void ExpectSameAsPlain(absl::string_view with_calls, absl::string_view plain,
                       double tolerance) {
  const auto want = RunText("interpreter", plain);
  ASSERT_TRUE(want.ok()) << want.status() << "\n" << plain;
  const auto check = [&](absl::string_view backend, bool run_passes) {
    const auto got = RunText(backend, with_calls, run_passes);
    ASSERT_TRUE(got.ok()) << got.status() << "\n" << with_calls;
    EXPECT_EQ(ValueDifference(*want, *got, tolerance), "")
        << backend << (run_passes ? "" : " without passes") << "\n"
        << with_calls;
  };
  check("interpreter", false);
  check("cpu", false);
  check("cpu", true);
}

void ExpectValues(absl::string_view text, std::vector<Literal> arguments,
                  const std::vector<double>& values, double tolerance) {
  for (const char* backend : {"interpreter", "cpu"}) {
    SCOPED_TRACE(backend);
    const auto got = RunText(backend, text, true, arguments);
    ASSERT_TRUE(got.ok()) << got.status();
    ExpectElements(*got, values, tolerance);
  }
}

std::string ErrorOf(absl::string_view text) {
  const auto interpreted = RunText("interpreter", text);
  const auto compiled = RunText("cpu", text);
  if (interpreted.ok() || compiled.ok()) return "";
  return std::string(interpreted.status().message());
}

std::string ScalarProduct(absl::string_view name, absl::string_view shape,
                          absl::string_view left, absl::string_view right) {
  std::string dimensions;
  const auto parsed = ParseShape(shape);
  for (int64_t d = 0; parsed.ok() && d < parsed->rank(); ++d) {
    absl::StrAppend(&dimensions, d > 0 ? "," : "", d);
  }
  return absl::StrCat(name, ".p = ", shape, " multiply(", left, ", ", right,
                      ")\n", name, " = f64[] reduce(", name,
                      ".p, zero), dimensions={", dimensions,
                      "}, to_apply=add\n");
}

std::string Displaced(const std::vector<Direction>& directions,
                      absl::string_view step) {
  std::string text;
  for (const auto& [shape, p, d] : directions) {
    absl::StrAppend(&text, "h", p, " = ", shape, " broadcast(", step,
                    "), dimensions={}\nd", p, " = ", shape, " multiply(", d,
                    ", h", p, ")\nup", p, " = ", shape, " add(", p, ", d", p,
                    ")\ndown", p, " = ", shape, " subtract(", p, ", d", p,
                    ")\n");
  }
  return text;
}

std::string Parameters(const std::vector<std::string>& types) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&text, std::string(1, 'a' + i), " = ", types[i],
                    " parameter(", i, ")\n");
  }
  return text;
}

}  // namespace hlokit
