#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "passes/pass.h"

namespace hlokit {
namespace {

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
