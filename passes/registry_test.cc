#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "base/file_system.h"
#include "gtest/gtest.h"
#include "base/test_corpora.h"
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
  }
}

TEST(RegistryTest, EveryPassHasAFileAndATestNamedLikeIt) {
  for (const PassInfo& info : AllPasses()) {
    const std::string stem =
        absl::StrReplaceAll(std::string(info.name), {{"-", "_"}});
    for (const char* ending : {".h", ".cc", "_test.cc"}) {
      EXPECT_TRUE(DiskFileSystem()->Exists(SourceDir() +
                                           "/passes/" + stem + ending))
          << stem << ending;
    }
  }
}

}  // namespace
}  // namespace hlokit
