#include "hlo_opt/file_check.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string Faults(absl::string_view checks, absl::string_view input,
                   const FileCheckOptions& options = {}) {
  return std::string(FileCheck(checks, "f", input, options).message());
}

TEST(FileCheckTest, ChecksAreFoundInOrder) {
  EXPECT_EQ(Faults("// CHECK: a\n// CHECK: c", "a\nb\nc\n"), "");
  EXPECT_THAT(Faults("// CHECK: c\n// CHECK: a", "a\nb\nc\n"),
              HasSubstr("f:2: not found\n  CHECK: a\n  searched from line 3"));
}

TEST(FileCheckTest, NextIsTheNextLineAndSameTheSame) {
  EXPECT_EQ(Faults("CHECK: a\nCHECK-NEXT: b\nCHECK-SAME: c", "a\nb c\n"), "");
  EXPECT_THAT(Faults("CHECK: a\nCHECK-NEXT: c", "a\nb\nc\n"),
              HasSubstr("2 lines further on: c"));
  EXPECT_THAT(Faults("CHECK: a\nCHECK-SAME: b", "a\nb\n"),
              HasSubstr("not on the same line"));
}

TEST(FileCheckTest, NotLooksBetweenItsNeighbours) {
  EXPECT_EQ(Faults("CHECK: a\nCHECK-NOT: x\nCHECK: b", "a\nb\nx\n"), "");
  EXPECT_THAT(Faults("CHECK: a\nCHECK-NOT: x\nCHECK: b", "a\nx\nb\n"),
              HasSubstr("found: x"));
  EXPECT_THAT(Faults("CHECK-NOT: x", "a\nx"), HasSubstr("found: x"));
}

TEST(FileCheckTest, DagsMatchInAnyOrderWithoutOverlap) {
  EXPECT_EQ(Faults("CHECK-DAG: b\nCHECK-DAG: a\nCHECK: c", "a\nb\nc\n"), "");
  EXPECT_EQ(Faults("CHECK-DAG: a\nCHECK-DAG: a", "a\na\n"), "");
  EXPECT_THAT(Faults("CHECK-DAG: a\nCHECK-DAG: a", "a\nb\n"),
              HasSubstr("f:2: not found"));
}

TEST(FileCheckTest, LabelsCutTheInput) {
  const char* input = "one {\nx\n}\ntwo {\ny\n}\n";
  EXPECT_EQ(Faults("CHECK-LABEL: one\nCHECK: x\nCHECK-LABEL: two\nCHECK: y",
                   input), "");
  EXPECT_THAT(Faults("CHECK-LABEL: one\nCHECK: y\nCHECK-LABEL: two", input),
              HasSubstr("f:2: not found"));
  EXPECT_EQ(Faults("CHECK-LABEL: one\nCHECK-NOT: y\nCHECK-LABEL: two", input),
            "");
}

TEST(FileCheckTest, VariablesHoldWhatTheyMatched) {
  EXPECT_EQ(Faults("CHECK: %[[x:[^ ]+]] = p\nCHECK: neg(%[[x]])",
                   "%a.1 = p\nneg(%a.1)\n"), "");
  EXPECT_THAT(Faults("CHECK: %[[x:[^ ]+]] = p\nCHECK: neg(%[[x]])",
                     "%a.1 = p\nneg(%a01)\n"), HasSubstr("f:2: not found"));
  // Twice in one line.
  EXPECT_EQ(Faults("CHECK: add([[x:[a-z]]], [[x]])",
                   "add(a, b)\nadd(c, c)\n"), "");
  EXPECT_THAT(Faults("CHECK: [[y]]", "y"), HasSubstr("y is not defined"));
  FileCheckOptions options;
  options.defines["y"] = "z";
  EXPECT_EQ(Faults("CHECK: [[y]]", "z", options), "");
}

TEST(FileCheckTest, ScopedVariablesEndAtLabels) {
  FileCheckOptions options;
  options.enable_var_scope = true;
  EXPECT_EQ(Faults("CHECK: [[$g:a]] [[l:b]]\nCHECK-LABEL: next\nCHECK: [[$g]]",
                   "a b\nnext\na\n", options), "");
  EXPECT_THAT(
      Faults("CHECK: [[$g:a]] [[l:b]]\nCHECK-LABEL: next\nCHECK: [[l]]",
             "a b\nnext\nb\n", options),
      HasSubstr("l is not defined"));
}

TEST(FileCheckTest, RegularExpressionsAndLiteralsAreToldApart) {
  EXPECT_EQ(Faults("CHECK: f32[4]{{[{]0[}]}} add{{(.*)}}b", "f32[4]{0} add xb"),
            "");
  EXPECT_EQ(Faults("CHECK{LITERAL}: {{0}: (0, {})}", "a={{0}: (0, {})}"), "");
  EXPECT_EQ(Faults("CHECK: a   b", "a b"), "");
  EXPECT_EQ(Faults("CHECK: a{{$}}\nCHECK-NEXT: {{^}}b", "a\nb\n"), "");
}

TEST(FileCheckTest, CountsAndPrefixes) {
  EXPECT_EQ(Faults("CHECK-COUNT-2: a\nCHECK-EMPTY:", "a\na\n\n"), "");
  EXPECT_THAT(Faults("CHECK-COUNT-3: a", "a\na\n"), HasSubstr("not found"));
  FileCheckOptions options;
  options.prefixes = {"CPU", "ALL"};
  EXPECT_EQ(Faults("CHECK: z\nCPU: a\n// ALL-NEXT: b\nMY-CPU: q", "a\nb",
                   options), "");
  EXPECT_THAT(Faults("nothing", "a"), HasSubstr("no check lines"));
}

TEST(FileCheckTest, NumbersAreComputedWith) {
  EXPECT_EQ(Faults("CHECK: a[[#n:]]\nCHECK-NEXT: a[[#n+1]]", "a41\na42\n"), "");
  EXPECT_THAT(Faults("CHECK: a[[#n:]]\nCHECK-NEXT: a[[#n+1]]{{$}}",
                     "a41\na43\n"), HasSubstr("f:2: not found"));
  EXPECT_EQ(Faults("CHECK: [[#%x,p:]]\nCHECK: [[#%u,p]]", "ff\n255"), "");
  EXPECT_EQ(Faults("CHECK: line [[@LINE+1]]\nCHECK: line [[#@LINE]]",
                   "line 2\nline 2\n"), "");
  EXPECT_THAT(Faults("CHECK: [[#n]]", "1"), HasSubstr("n is not defined"));
  EXPECT_THAT(Faults("CHECK: [[#n*2]]", "1"), HasSubstr("f:1: "));
  FileCheckOptions options;
  options.numbers["n"] = 3;
  EXPECT_EQ(Faults("CHECK: a[[#n+1]]", "a4", options), "");
}

}  // namespace
}  // namespace hlokit
