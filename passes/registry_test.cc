#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/pass.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

TEST(RegistryTest, RowsAreSortedAndUnique) {
  for (size_t i = 1; i < AllPasses().size(); ++i) {
    EXPECT_LT(AllPasses()[i - 1].name, AllPasses()[i].name);
  }
}

TEST(RegistryTest, EveryPassCallsItselfByItsRowsName) {
  for (const PassInfo& info : AllPasses()) {
    EXPECT_EQ(info.create()->name(), info.name);
    EXPECT_FALSE(info.purpose.empty());
    EXPECT_FALSE(absl::EndsWith(info.purpose, ".")) << info.name;
  }
}

TEST(RegistryTest, WhatPassesWorkOnIsSaidOfPassesThatExist) {
  int rows = 0, found = 0;
#define HLO_PASS_WORKS_ON(name, words)               \
  ++rows;                                            \
  EXPECT_FALSE(Contents::OfWords(words).none());     \
  EXPECT_TRUE(CreatePass(name).ok()) << name;
#include "passes/works_on.def"
  for (const PassInfo& info : AllPasses()) found += !info.works_on.empty();
  EXPECT_EQ(found, rows);
  EXPECT_TRUE(CreatePass("dce").value()->works_on().none());
  EXPECT_TRUE(CreatePass("gather_expander")
                  .value()
                  ->works_on()
                  .HasAnyOf(Contents::OfWords("gather")));
}

TEST(RegistryTest, VariantsAreMadeByTheirNames) {
  for (const char* name :
       {"algsimp:layout", "cse:layout", "call-inliner:single"}) {
    const auto pass = CreatePass(name);
    ASSERT_TRUE(pass.ok()) << pass.status();
    EXPECT_EQ((*pass)->identity(), name);
    EXPECT_EQ(absl::StrCat((*pass)->name(), ":"),
              std::string(name, (*pass)->name().size() + 1));
  }
  EXPECT_FALSE(CreatePass("dce:layout").ok());
}

TEST(RegistryTest, PassesThatAreNotHereAreNotHere) {
  EXPECT_TRUE(IsAbsentPass("spmd-partitioning"));
  EXPECT_FALSE(IsAbsentPass("smpd-partitioning"));
  for (const PassInfo& info : AllPasses()) {
    EXPECT_FALSE(IsAbsentPass(info.name)) << info.name;
  }
  EXPECT_THAT(std::string(CreatePass("priority-fusion").status().message()),
              HasSubstr("XLA's that hlokit does not have"));
  EXPECT_THAT(std::string(CreatePass("xyzzyx").status().message()),
              HasSubstr("--list-passes"));
}

TEST(RegistryTest, EveryPassHasASourceAndATestBesideItsHeader) {
  for (const PassInfo& info : AllPasses()) {
    for (const char* ending : {".h", ".cc", "_test.cc"}) {
      const std::string path =
          absl::StrReplaceAll(std::string(info.header), {{".h", ending}});
      EXPECT_TRUE(DiskFileSystem()->Exists(SourceDir() + "/" + path)) << path;
    }
  }
}

}  // namespace
}  // namespace hlokit
