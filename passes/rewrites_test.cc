#include "passes/rewrites.h"

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "passes/pipelines.h"
#include "passes/simplify/algsimp.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// A module that the rewrite changes, for each of these element types: in
// `lines`, of the entry, T stands for the type and N for a length at which
// parameters T[N] go through all combinations of the special values.
struct RewriteCase {
  Rewrite rewrite;
  const char* types;
  const char* lines;
};

constexpr const char* kFloats = "f32 f64 f16 bf16";
constexpr const char* kWide = "f32 f64";
constexpr const char* kIntegers = "s32 u32 s8 u8";
constexpr const char* kAny = "f32 f64 f16 bf16 s32 u8";

#include "passes/rewrite_cases.inc"

std::vector<double> SpecialFloats(PrimitiveType type) {
  const double inf = std::numeric_limits<double>::infinity();
  const int digits = SignificandBits(type);
  const bool half = type == kF16;
  const int highest = type == kF64 ? 1023 : half ? 15 : 127;
  const double epsilon = std::ldexp(1, 1 - digits);
  const double max = std::ldexp(2 - epsilon, highest);
  const double least_normal = std::ldexp(1, 1 - highest);
  const double least = least_normal * epsilon;
  const double squares_to_inf = std::ldexp(1.5, (highest + 1) / 2);
  return {std::nan(""), inf, -inf, 0.0, -0.0, 1, -1, 0.5, 1.5, 2, 3, -3,
          1.0 / 3, 0.1, -7, 1 + epsilon, 1 - epsilon / 2, max, -max,
          least_normal, -least_normal, least, -least, least_normal - least,
          squares_to_inf, 1 / squares_to_inf, 88.5, -88.5,
          std::ldexp(1.25, -digits), std::ldexp(1.75, highest - 1)};
}

std::vector<int64_t> SpecialIntegers(PrimitiveType type) {
  const int bits = BitWidth(type);
  const int64_t low =
      IsSignedIntType(type) ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t high = IsSignedIntType(type) ? -(low + 1)
                                             : (int64_t{1} << bits) - 1;
  std::vector<int64_t> values = {0, 1, 2, 3, 7, 100, high, high - 1, low,
                                 low + 1};
  if (low < 0) values.insert(values.end(), {-1, -2, -3});
  return values;
}

size_t CountOfSpecials(PrimitiveType type) {
  if (type == kPred) return 2;
  return IsIntegerType(type) ? SpecialIntegers(type).size()
                             : SpecialFloats(type).size();
}

void SetSpecial(Literal* literal, int64_t at, size_t which) {
  const PrimitiveType type = literal->element_type();
  const size_t count = CountOfSpecials(type);
  if (type == kPred) {
    literal->SetFromInt64(at, which % 2);
  } else if (IsIntegerType(type)) {
    literal->SetFromInt64(at, SpecialIntegers(type)[which % count]);
  } else if (type == kC64) {
    const std::vector<double> values = SpecialFloats(kF32);
    literal->mutable_data<std::complex<float>>()[at] = {
        static_cast<float>(values[which % values.size()]),
        static_cast<float>(values[which / values.size() % values.size()])};
  } else {
    literal->SetFromDouble(at, SpecialFloats(type)[which % count]);
  }
}

// All combinations for lists of `length`; other arrays take values by chance.
std::vector<Literal> SpecialArguments(const Module& module, int64_t length,
                                      int seed) {
  std::vector<Literal> arguments;
  size_t step = 1;
  uint64_t state = seed;
  for (const Instruction* parameter : module.entry()->parameters()) {
    Literal literal = Literal::Zeros(parameter->shape());
    const bool all = parameter->shape().rank() == 1 &&
                     parameter->shape().dimension(0) == length;
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      SetSpecial(&literal, i, all ? i / step : state >> 33);
    }
    if (all) step *= CountOfSpecials(literal.element_type());
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

unsigned ChangeOf(double before, double after, double least_normal,
                  bool flushed) {
  if (std::isnan(before) || std::isnan(after)) {
    return std::isnan(before) == std::isnan(after) ? kExact : kNan;
  }
  if (before == after) {
    return std::signbit(before) == std::signbit(after) ? kExact : kZeroSign;
  }
  if (std::isinf(before) || std::isinf(after)) return kOverflow;
  if (before == 0 || after == 0) {
    const bool denormal = std::abs(before + after) < least_normal;
    return flushed && denormal ? kDenormal : kUnderflow;
  }
  return kRounding;
}

unsigned Changes(const Literal& before, const Literal& after, bool flushed) {
  unsigned changes = kExact;
  if (before.shape().IsTuple()) {
    for (size_t k = 0; k < before.elements().size(); ++k) {
      changes |= Changes(before.elements()[k], after.elements()[k], flushed);
    }
    return changes;
  }
  const PrimitiveType type = before.element_type();
  const double least_normal =
      type == kF64 ? std::numeric_limits<double>::min()
                   : std::ldexp(1, type == kF16 ? -14 : -126);
  for (int64_t i = 0; i < before.element_count(); ++i) {
    if (type == kC64) {
      const auto x = before.data<std::complex<float>>()[i];
      const auto y = after.data<std::complex<float>>()[i];
      changes |= ChangeOf(x.real(), y.real(), least_normal, flushed) |
                 ChangeOf(x.imag(), y.imag(), least_normal, flushed);
    } else if (IsFloatType(type)) {
      changes |= ChangeOf(before.GetAsDouble(i), after.GetAsDouble(i),
                          least_normal, flushed);
    } else if (before.GetAsInt64(i) != after.GetAsInt64(i)) {
      changes |= kRounding;
    }
  }
  return changes;
}

// How results differ, on several sets of special values, denormals kept and
// flushed.
unsigned ChangesOnSpecials(const Module& before, const Module& after,
                           int64_t length) {
  unsigned changes = kExact;
  for (int seed = 0; seed < 4; ++seed) {
    const auto arguments = SpecialArguments(before, length, seed);
    for (bool flush : {false, true}) {
      const auto expected = ExecuteModule(before, arguments, 0, flush);
      const auto actual = ExecuteModule(after, arguments, 0, flush);
      EXPECT_TRUE(expected.ok()) << expected.status();
      EXPECT_TRUE(actual.ok()) << actual.status() << ToString(after);
      if (!expected.ok() || !actual.ok()) return changes;
      changes |= Changes(*expected, *actual, flush);
    }
  }
  return changes;
}

int64_t LengthFor(const RewriteCase& c, absl::string_view type) {
  const auto primitive = PrimitiveTypeByName(type);
  const int64_t count = CountOfSpecials(*primitive);
  int64_t length = 1;
  for (size_t at = 0;
       (at = std::string(c.lines).find("T[N] parameter", at)) !=
       std::string::npos;
       ++at) {
    length *= count;
  }
  return std::max(length, count);
}

std::string TextOf(const RewriteCase& c, absl::string_view type) {
  const std::string length = absl::StrCat(LengthFor(c, type));
  const std::string body = absl::StrReplaceAll(
      c.lines, {{"[N", absl::StrCat("[", length)},
                {",N", absl::StrCat(",", length)},
                {":N", absl::StrCat(":", length)}});
  // The computations that the entry calls.
  constexpr std::pair<const char*, const char*> kCalled[] = {
      {"add_T", "ROOT r = T[] add(a, b)"},
      {"multiply_T", "ROOT r = T[] multiply(a, b)"},
      {"maximum_T", "ROOT r = T[] maximum(a, b)"},
      {"ge_T", "ROOT r = pred[] compare(a, b), direction=GE"},
      {"scan_T", "s = T[] add(a, b) ROOT r = (T[], T[]) tuple(s, s)"}};
  std::string text = "HloModule m\n";
  for (const auto& [name, lines] : kCalled) {
    if (!absl::StrContains(body, name)) continue;
    absl::StrAppend(&text, name, " { a = T[] parameter(0) b = T[] parameter(1) ",
                    lines, " }\n");
  }
  if (absl::StrContains(body, "conditional")) {
    text += "neg { a = T[] parameter(0) ROOT r = T[] negate(a) }\n"
            "same { ROOT a = T[] parameter(0) }\n";
  }
  return absl::StrReplaceAll(
      absl::StrCat(text, "ENTRY e {\n", body, "\n}\n"),
      {{"T[", absl::StrCat(type, "[")}});
}

// A pipeline of the pass, of which only this rewrite is wanted.
Pipeline PipelineFor(Rewrite rewrite, bool exact) {
  Pipeline pipeline("rewrite");
  const RewriteInfo& info = InfoOf(rewrite);
  if (info.pass == "algsimp") {
    pipeline.Add<AlgebraicSimplifier>()->set_only(rewrite);
  } else {
    pipeline.AddPass(*CreatePass(info.pass));
  }
  PassSelection selection;
  selection.exact_arithmetic = exact;
  pipeline.set_selection(std::move(selection));
  return pipeline;
}

std::vector<RewriteCase> CasesOf(Rewrite rewrite) {
  std::vector<RewriteCase> cases;
  for (const RewriteCase& c : kRewriteCases) {
    if (c.rewrite == rewrite) cases.push_back(c);
  }
  return cases;
}

// By row of rewrites.def.
class RewriteTest : public ::testing::TestWithParam<int> {
 protected:
  const RewriteInfo& row() const { return AllRewrites()[GetParam()]; }
};

TEST_P(RewriteTest, ChangesValuesAsItsRowSays) {
  unsigned seen = kExact;
  for (const RewriteCase& c : CasesOf(row().rewrite)) {
    for (absl::string_view type : absl::StrSplit(c.types, ' ')) {
      const std::string text = TextOf(c, type);
      SCOPED_TRACE(text);
      const auto before = ParseOrDie(text);
      ASSERT_NE(before, nullptr);
      const auto after = before->Clone();
      const auto changed = PipelineFor(row().rewrite, false).Run(after.get());
      ASSERT_TRUE(changed.ok()) << changed.status();
      EXPECT_TRUE(*changed) << "the rewrite did not happen";
      const unsigned changes =
          ChangesOnSpecials(*before, *after, LengthFor(c, type));
      // Results that are integers stay as they are.
      const bool may_differ =
          !IsIntegerType(*PrimitiveTypeByName(type)) &&
          !IsIntegerType(before->entry()->root()->shape().element_type());
      EXPECT_EQ(ValueChangeText(changes &
                                ~(may_differ ? row().changes : kExact)),
                "")
          << ToString(*after);
      seen |= changes;
      const auto kept = before->Clone();
      const auto exact = PipelineFor(row().rewrite, true).Run(kept.get());
      ASSERT_TRUE(exact.ok()) << exact.status();
      EXPECT_EQ(*exact, row().exact() || !may_differ) << ToString(*kept);
    }
  }
  // power(x, 2) is rounded like x * x but for very few numbers.
  if ((row().changes & kSeveralDevices) == 0 &&
      row().rewrite != Rewrite::kPowerTwo) {
    EXPECT_EQ(ValueChangeText(seen), ValueChangeText(row().changes));
  }
}

TEST_P(RewriteTest, ValuesStayUnderExactArithmeticInTheCpuPipeline) {
  PassSelection selection;
  selection.exact_arithmetic = true;
  for (const RewriteCase& c : CasesOf(row().rewrite)) {
    for (absl::string_view type : absl::StrSplit(c.types, ' ')) {
      const std::string text = TextOf(c, type);
      SCOPED_TRACE(text);
      const auto before = ParseOrDie(text);
      ASSERT_NE(before, nullptr);
      const auto after = before->Clone();
      for (auto& pipeline : CpuPipelines()) {
        pipeline->set_selection(selection);
        const auto changed = pipeline->Run(after.get());
        ASSERT_TRUE(changed.ok()) << changed.status();
      }
      EXPECT_EQ(ValueChangeText(
                    ChangesOnSpecials(*before, *after, LengthFor(c, type))),
                "")
          << ToString(*after);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites, RewriteTest,
    ::testing::Range(0, static_cast<int>(AllRewrites().size())),
    [](const ::testing::TestParamInfo<int>& info) {
      return std::string(AllRewrites()[info.param].id);
    });

TEST(RewritesTest, EveryRowHasACaseAndAPass) {
  for (const RewriteInfo& info : AllRewrites()) {
    EXPECT_FALSE(CasesOf(info.rewrite).empty()) << info.id;
    EXPECT_TRUE(CreatePass(info.pass).ok()) << info.pass;
  }
}

// The page tells what the table does.
TEST(RewritesTest, ThePageListsTheTable) {
  const auto page = DiskFileSystem()->ReadFile(
      SourceDir() + "/docs/rewrites.md");
  ASSERT_TRUE(page.ok()) << page.status();
  const std::string tables = RewriteTables();
  const size_t at = page->find("## Inexact rewrites\n");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(page->substr(at, tables.size()), tables);
}

}  // namespace
}  // namespace hlokit
