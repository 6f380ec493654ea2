// What happens with texts that are wrong.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "hlo/ir/module.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The errors of a text, each as "line:column: message".
std::vector<std::string> ErrorsOf(absl::string_view text,
                                  const ParseOptions& options = {}) {
  Diagnostics diagnostics("", text);
  const auto module = ParseModule(text, &diagnostics, options);
  EXPECT_EQ(module == nullptr, diagnostics.has_errors());
  std::vector<std::string> errors;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Severity::kError) continue;
    const SourcePlace place = PlaceOf(text, d.offset);
    errors.push_back(
        absl::StrCat(place.line, ":", place.column, ": ", d.message));
  }
  return errors;
}

TEST(MalformedTest, SeveralErrorsAreReportedWithoutCascades) {
  EXPECT_THAT(
      ErrorsOf("HloModule m\n"
               "ENTRY e {\n"
               "  a = f32[4] parameter(0)\n"
               "  b = f32[4] negat(a)\n"
               "  c = f32[4] add(b, a), dimensoins={0}\n"
               "  d = f33[4] negate(c)\n"
               "  e = f32[4] add(d, zz)\n"
               "  ROOT f = f32[4] add(d, e)\n"
               "}\n"),
      ElementsAre("4:14: no opcode is called 'negat'; did you mean 'negate'?",
                  HasSubstr("5:25: add has no attribute 'dimensoins'"),
                  HasSubstr("6:7: no element type is called 'f33'"),
                  "7:21: no instruction before this one is called 'zz'"));
}

TEST(MalformedTest, AFaultAtTheEndOfAnInstructionDoesNotHideTheNext) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[4] parameter(0)\n"
                       "  b = f32[4] concatenate(a)\n"
                       "  c = f32[4] add(b, q)\n}\n"),
              ElementsAre(HasSubstr("needs the attribute 'dimensions'"),
                          HasSubstr("is called 'q'")));
}

TEST(MalformedTest, EachInstructionWithTooManyOrFewOperandsIsReported) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[4] parameter(0)\n"
                       "  b = f32[4] negate(a, a)\n"
                       "  c = f32[4] add(a)\n"
                       "  d = f32[4] select(a, a)\n"
                       "  ROOT e = f32[4] add(a, a)\n}\n"),
              ElementsAre("3:14: negate takes 1 operand, found 2",
                          "4:14: add takes 2 operands, found 1",
                          "5:14: select takes 3 operands, found 2"));
}

TEST(MalformedTest, EachAttributeOfAModuleIsReported) {
  EXPECT_THAT(ErrorsOf("HloModule m, is_schedule=true, replica_count=-1, "
                       "foo={1,{2,3}}, num_partitions=2\n"
                       "ENTRY e {\n  ROOT a = f32[4] parametr(0)\n}\n"),
              ElementsAre("1:14: a module has no attribute 'is_schedule'; did "
                          "you mean 'is_scheduled'?",
                          "1:46: replica_count is negative",
                          "1:50: a module has no attribute 'foo'",
                          HasSubstr("did you mean 'parameter'")));
}

TEST(MalformedTest, OldComparisonsAreRead) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[4] parameter(0)\n"
                       "  ROOT b = pred[4] less-than(a, a)\n}\n"),
              IsEmpty());
}

TEST(MalformedTest, AComputationWithErrorsKeepsItsName) {
  EXPECT_THAT(ErrorsOf("HloModule m\nf {\n  a = f32[] parameter(0)\n"
                       "  ROOT b = f32[] negat(a)\n}\n"
                       "ENTRY e {\n  a = f32[] parameter(0)\n"
                       "  ROOT b = call(a), to_apply=f\n}\n"),
              ElementsAre(HasSubstr("negat")));
}

TEST(MalformedTest, ReferencesMustExist) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  alpha = f32[] parameter(0)\n"
                       "  b = f32[] negate(alhpa)\n}\n"),
              ElementsAre(HasSubstr("did you mean 'alpha'")));
  EXPECT_THAT(ErrorsOf("region { a = f32[] parameter(0) }\nENTRY e {\n"
                       "  a = f32[] parameter(0)\n"
                       "  b = f32[] call(a), to_apply=regoin\n}\n"),
              ElementsAre(HasSubstr("did you mean 'region'")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(0)\n"
                       "  b = f32[] negate(f32)\n}\n"),
              ElementsAre(HasSubstr("f32[]")));
}

TEST(MalformedTest, NothingMayBeDefinedTwice) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(0)\n"
                       "  a = f32[] negate(a)\n}\n"),
              ElementsAre(HasSubstr("3:3: a second instruction 'a'")));
  EXPECT_THAT(ErrorsOf("f { a = f32[] parameter(0) }\n"
                       "f { a = f32[] parameter(0) }\n"),
              ElementsAre(HasSubstr("2:1: a second computation 'f'")));
  EXPECT_THAT(ErrorsOf("ENTRY f { a = f32[] parameter(0) }\n"
                       "ENTRY g { a = f32[] parameter(0) }\n"),
              ElementsAre(HasSubstr("second ENTRY")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  ROOT a = f32[] parameter(0)\n"
                       "  ROOT b = f32[] negate(a)\n}\n"),
              ElementsAre(HasSubstr("second ROOT")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(0)\n"
                       "  b = f32[] parameter(0)\n}\n"),
              ElementsAre(HasSubstr("'a' is parameter 0 already")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[4] "
                       "reverse(a), dimensions={0}, dimensions={0}\n}\n"),
              ElementsAre(HasSubstr("given twice")));
}

TEST(MalformedTest, ParametersAreNumberedWithoutGaps) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(1)\n}\n"),
              ElementsAre(HasSubstr("parameter 0 of 'e' is missing")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(1000000000)\n}\n"),
              ElementsAre(HasSubstr("without those before it")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(-1)\n}\n"),
              ElementsAre(HasSubstr("negative")));
}

TEST(MalformedTest, TextsThatEndTooEarlySayWhere) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(0)\n"),
              ElementsAre(HasSubstr("ends inside a computation")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n  a = f32[] parameter(0),"),
              ElementsAre(HasSubstr("the text ends where")));
  EXPECT_THAT(ErrorsOf("ENTRY e"), ElementsAre(HasSubstr("ends where '{'")));
  EXPECT_THAT(ErrorsOf("ENTRY e {}"),
              ElementsAre(HasSubstr("without instructions")));
}

TEST(MalformedTest, AMissingBraceIsFoundAtTheNextComputation) {
  EXPECT_THAT(ErrorsOf("f {\n  a = f32[] parameter(0)\n"
                       "ENTRY e {\n  a = f32[] parameter(0)\n"
                       "  b = f32[] call(a), to_apply=f\n}\n"),
              ElementsAre("3:1: a computation begins here; '}' is missing before "
                          "it"));
  EXPECT_THAT(ErrorsOf("HloModule a\nENTRY e { a = f32[] parameter(0) }\n"
                       "HloModule b\nENTRY e { a = f32[] parameter(0) }\n"),
              ElementsAre(HasSubstr("3:1: a second module")));
}

TEST(MalformedTest, AtMostTwentyErrorsAreReported) {
  std::string text = "ENTRY e {\n  a = f32[] parameter(0)\n";
  for (int i = 0; i < 100; ++i) absl::StrAppend(&text, "  b", i, " = bad(a)\n");
  EXPECT_EQ(ErrorsOf(text + "}\n").size(), 20u);
}

TEST(MalformedTest, DeepNestingIsAnErrorAndNoCrash) {
  std::string operands = "ENTRY e {\n  a = f32[] parameter(0)\n  b = f32[] ";
  for (int i = 0; i < 100000; ++i) operands += "negate(";
  EXPECT_THAT(ErrorsOf(operands), ElementsAre(HasSubstr("too deeply")));
  std::string bodies = "ENTRY e {\n";
  for (int i = 0; i < 100000; ++i) {
    bodies += "a = f32[] parameter(0)\nb = f32[] call(a), to_apply={\n";
  }
  EXPECT_THAT(ErrorsOf(bodies), ElementsAre(HasSubstr("too deeply")));
  std::string literal = "ENTRY e {\n  a = (f32[]) constant(";
  literal += std::string(100000, '(');
  EXPECT_EQ(ErrorsOf(literal).size(), 1u);
}

TEST(MalformedTest, InferredTypesCannotGrowWithoutBound) {
  std::string text = "ENTRY e {\n  t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 64; ++i) {
    absl::StrAppend(&text, "  t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  }
  EXPECT_THAT(ErrorsOf(text + "}\n"),
              ElementsAre(HasSubstr("too many parts")));
}

TEST(MalformedTest, ElidedConstantsWarnOrAreRefused) {
  const absl::string_view text =
      "ENTRY e {\n  ROOT a = f32[2] constant({...})\n}\n";
  Diagnostics diagnostics("", text);
  EXPECT_NE(ParseModule(text, &diagnostics), nullptr);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_THAT(diagnostics.all()[0].message,
              HasSubstr("constant 'a' (f32[2]) were left out"));
  ParseOptions strict;
  strict.fill_elided_constants = false;
  EXPECT_THAT(ErrorsOf(text, strict), ElementsAre(HasSubstr("left out")));
}

// A few bytes must not ask for much memory again and again.
TEST(MalformedTest, WhatConstantsOfOneTextMakeUpIsLimited) {
  EXPECT_THAT(ErrorsOf("ENTRY e {\n a = f64[20000000] constant(0)\n"
                       " b = f64[20000000] constant(1)\n}"),
              ElementsAre(HasSubstr("3:29: constants of more than 256 MiB")));
  EXPECT_THAT(ErrorsOf("ENTRY e {\n a = f64[20000000] constant({...})\n"
                       " b = f64[20000000] constant(1)\n}"),
              ElementsAre(HasSubstr("more than 256 MiB in all")));
  const std::string entry =
      "{\"a\"} : {\"b\"}, \"ENTRY e { ROOT c = f64[20000000] "
      "constant({...}) }\" ";
  EXPECT_THAT(
      ErrorsOf(absl::StrCat("HloModule m, origin_recovery_table={ ", entry,
                            entry, "}\nENTRY e { ROOT c = f32[] constant(1) }")),
      ElementsAre(HasSubstr("more than 256 MiB in all")));
}

TEST(MalformedTest, OldSpellingsThatWereGivenUpAreRefused) {
  for (const char* line :
       {"b = f32 negate(a)", "b = opaque_type[] negate(a)",
        "b = f32[]{} negate(a)", "b = f32[] trace(a)"}) {
    EXPECT_EQ(ErrorsOf(absl::StrCat("ENTRY e {\n  a = f32[] parameter(0)\n  ",
                                    line, "\n}\n"))
                  .size(),
              1u)
        << line;
  }
}

// Any bytes at all get an answer.
TEST(MalformedTest, ChangedBytesNeverCrash) {
  const std::string good =
      "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}) }\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT c = add(a, b) }\n"
      "ENTRY e (p: f32[2,2]) -> f32[2] {\n"
      "  p = f32[2,2]{1,0:T(8,128)} parameter(0), sharding={devices=[2,1]<=[2]}"
      "\n  z = f32[] constant(0), metadata={op_name=\"a\\\"b\"}\n"
      "  k = f32[2,2] constant({{1, -2.5e3}, {inf, nan(0x1)}})\n"
      "  s = ((f32[2,2]), f32[2,2], u32[]) negate-start(p)\n"
      "  d = f32[2,2] negate-done(s), origin={{\"x\" {0}}}\n"
      "  c = f32[2,2] convolution(k, d), window={}, dim_labels=bf_io->bf\n"
      "  ROOT r = f32[2] reduce(c, z), dimensions={1}, to_apply=add, "
      "backend_config={\"a\":{}}, frontend_attributes={x=\"y\"}\n}\n";
  EXPECT_THAT(ErrorsOf(good), IsEmpty());
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    const int changes = 1 + random() % 3;
    for (int i = 0; i < changes; ++i) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + random() % 8); break;
        case 2: text.insert(at, text.substr(random() % text.size(), 12)); break;
        default: text.insert(at, 1, "{}()[],=#%\"?-0"[random() % 14]); break;
      }
    }
    if (random() % 8 == 0) text.resize(random() % text.size());
    ErrorsOf(text);
  }
}

}  // namespace
}  // namespace hlokit
