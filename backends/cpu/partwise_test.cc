#include "backends/cpu/partwise.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/row_parts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const char kRegions[] =
    "HloModule m\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) "
    "ROOT r = f32[] add(a, b) }\n"
    "max { a = f32[] parameter(0) b = f32[] parameter(1) "
    "ROOT r = f32[] maximum(a, b) }\n";

// For the parameters of a fusion with this body.
std::vector<bool> InParts(const std::string& body, const std::string& call,
                          int64_t parts) {
  auto module = ParseModule(absl::StrCat(kRegions, "body {\n", body,
                                         "\n}\nENTRY e {\n", call, "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  return OperandsReadInParts(*(*module)->entry()->root(), parts);
}

std::vector<bool> OfOne(const std::string& body, const std::string& from,
                        const std::string& to, int64_t parts) {
  return InParts(absl::StrCat("x = ", from, " parameter(0)\n", body),
                 absl::StrCat("p = ", from, " parameter(0)\nROOT f = ", to,
                              " fusion(p), kind=kLoop, calls=body"),
                 parts);
}

TEST(OperandsReadInParts, ElementsAreReadOneByOne) {
  EXPECT_THAT(
      OfOne("ROOT r = f32[8,4] exponential(x)", "f32[8,4]", "f32[8,4]", 8),
      ElementsAre(true));
}

TEST(OperandsReadInParts, ABroadcastAlongRowsIsOneAlongColumnsIsNot) {
  const char* const call =
      "p = f32[8,4] parameter(0)\nq = f32[$0] parameter(1)\n"
      "ROOT f = f32[8,4] fusion(p, q), kind=kLoop, calls=body";
  const char* const body =
      "x = f32[8,4] parameter(0)\ny = f32[$0] parameter(1)\n"
      "b = f32[8,4] broadcast(y), dimensions={$1}\n"
      "ROOT r = f32[8,4] add(x, b)";
  EXPECT_THAT(
      InParts(absl::Substitute(body, 8, 0), absl::Substitute(call, 8), 8),
      ElementsAre(true, true));
  EXPECT_THAT(
      InParts(absl::Substitute(body, 4, 1), absl::Substitute(call, 4), 8),
      ElementsAre(true, false));
}

TEST(OperandsReadInParts, AReductionWithinPartsIsOneAcrossThemIsNot) {
  const char* const body =
      "z = f32[] constant(0)\n"
      "ROOT r = f32[8] reduce(x, z), dimensions={$0}, to_apply=add";
  EXPECT_THAT(OfOne(absl::Substitute(body, 1), "f32[8,4]", "f32[8]", 8),
              ElementsAre(true));
  EXPECT_THAT(OfOne(absl::Substitute(body, 0), "f32[4,8]", "f32[8]", 8),
              ElementsAre(false));
}

TEST(OperandsReadInParts, AnArrayReadBothWaysIsNot) {
  EXPECT_THAT(OfOne("t = f32[8,8] transpose(x), dimensions={1,0}\n"
                    "ROOT r = f32[8,8] add(x, t)",
                    "f32[8,8]", "f32[8,8]", 8),
              ElementsAre(false));
}

TEST(OperandsReadInParts, ATransposeOfLaterDimensionsIs) {
  EXPECT_THAT(OfOne("ROOT t = f32[8,3,2] transpose(x), dimensions={0,2,1}",
                    "f32[8,2,3]", "f32[8,3,2]", 8),
              ElementsAre(true));
}

TEST(OperandsReadInParts, ReshapesKeepTheOrderOfMemory) {
  EXPECT_THAT(OfOne("ROOT r = f32[4,8] reshape(x)", "f32[8,4]", "f32[4,8]", 4),
              ElementsAre(true));
}

TEST(OperandsReadInParts, ThereAreNoneWhereTheResultCannotBeCut) {
  EXPECT_THAT(OfOne("ROOT r = f32[9] negate(x)", "f32[9]", "f32[9]", 2),
              IsEmpty());
  EXPECT_THAT(OfOne("ROOT r = f32[8,4]{0,1} negate(x)", "f32[8,4]{0,1}",
                    "f32[8,4]{0,1}", 8),
              IsEmpty());
}

// The text of the thunk sequence; the results are the interpreter's.
std::string Thunks(const std::string& entry, bool run_passes = true) {
  const std::string text =
      absl::StrCat(kRegions, "ENTRY e {\n", entry, "\n}\n");
  std::string thunks;
  CompileOptions options;
  options.run_passes = run_passes;
  options.artifact = [&](absl::string_view name, absl::string_view content) {
    if (name == "thunk_sequence.txt") thunks = std::string(content);
  };
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  std::vector<Literal> arguments;
  for (const Instruction* p : (*module)->entry()->parameters()) {
    Literal argument = Literal::Zeros(p->shape());
    for (int64_t k = 0; k < argument.element_count(); ++k) {
      argument.SetFromDouble(k, (k * 7919 % 1009) / 100.0 - 5);
    }
    arguments.push_back(std::move(argument));
  }
  auto want = (*BackendByName("interpreter"))
                  ->Compile((*module)->Clone(), {})
                  .value()
                  ->Execute(arguments, {});
  auto got = CpuBackend()
                 ->Compile(*std::move(module), options)
                 .value()
                 ->Execute(arguments, {});
  EXPECT_TRUE(want.ok() && got.ok());
  if (!want.ok() || !got.ok()) return "";
  for (int64_t k = 0; k < want->value.element_count(); ++k) {
    const double a = got->value.GetAsDouble(k);
    const double b = want->value.GetAsDouble(k);
    if (std::abs(a - b) > 1e-5 * (1 + std::abs(b))) {
      ADD_FAILURE() << a << " instead of " << b << " at " << k;
      break;
    }
  }
  return thunks;
}

std::string Softmax(int rows, int columns, int dimension) {
  return absl::Substitute(
      "x = f32[$0,$1] parameter(0)\n"
      "low = f32[] constant(-inf)\n"
      "zero = f32[] constant(0)\n"
      "m = f32[$2] reduce(x, low), dimensions={$3}, to_apply=max\n"
      "mb = f32[$0,$1] broadcast(m), dimensions={$4}\n"
      "d = f32[$0,$1] subtract(x, mb)\n"
      "e = f32[$0,$1] exponential(d)\n"
      "s = f32[$2] reduce(e, zero), dimensions={$3}, to_apply=add\n"
      "sb = f32[$0,$1] broadcast(s), dimensions={$4}\n"
      "ROOT r = f32[$0,$1] divide(e, sb)",
      rows, columns, dimension == 1 ? rows : columns, dimension, 1 - dimension);
}

TEST(PartwiseGroups, SoftmaxOfRowsIsDoneAFewRowsAtATime) {
  EXPECT_THAT(Thunks(Softmax(401, 300, 1)),
              HasSubstr("the next 4 together, 81 of 401 parts at a time"));
}

TEST(PartwiseGroups, SoftmaxOfColumnsIsNot) {
  EXPECT_THAT(Thunks(Softmax(400, 300, 0)), Not(HasSubstr("together")));
}

// The loop over such an operand does not go through the result from its
// beginning to its end.
TEST(PartwiseGroups, AReductionOfAnotherLayoutIsNoMember) {
  EXPECT_THAT(Thunks("x = f32[64,80,90]{0,2,1} parameter(0)\n"
                     "zero = f32[] constant(0)\n"
                     "s = f32[64,80] reduce(x, zero), dimensions={2}, "
                     "to_apply=add\n"
                     "b = f32[64,80,90] broadcast(s), dimensions={0,1}\n"
                     "ROOT e = f32[64,80,90] exponential(b)",
                     false),
              Not(HasSubstr("together")));
}

TEST(PartwiseGroups, WhatFitsIntoTheCacheIsNot) {
  EXPECT_THAT(Thunks(Softmax(40, 30, 1)), Not(HasSubstr("together")));
}

}  // namespace
}  // namespace hlokit::cpu
