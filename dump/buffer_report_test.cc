#include "dump/buffer_report.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/compression.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

TEST(BufferReportTest, SizesAreShort) {
  EXPECT_EQ(HumanBytes(0), "0B");
  EXPECT_EQ(HumanBytes(208), "208B");
  EXPECT_EQ(HumanBytes(4800), "4.7KiB");
  EXPECT_EQ(HumanBytes(11133), "10.9KiB");
}

class GoldenReportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = Corpora() + "jax_dumps/options/";
    const std::string bytes = ReadCorpusFile(
        folder_ + "compressed_protos/module_0000.jit_constants_all_types."
                  "cpu_after_optimizations.hlo.pb.gz");
    if (bytes.empty()) GTEST_SKIP() << "no corpora";
    ASSERT_TRUE(proto_.ParseFromString(bytes));
    auto module = ModuleFromProto(proto_.hlo_module());
    ASSERT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
  }
  std::string Golden(const std::string& ending) {
    return ReadCorpusFile(folder_ +
                          "default/module_0000.jit_constants_all_types."
                          "cpu_after_optimizations-" +
                          ending);
  }

  std::string folder_;
  xla::HloProto proto_;
  std::unique_ptr<Module> module_;
};

TEST_F(GoldenReportTest, BufferAssignmentIsTextAsXlaWritesIt) {
  EXPECT_EQ(BufferAssignmentText(*module_, proto_.buffer_assignment()),
            Golden("buffer-assignment.txt"));
}

TEST_F(GoldenReportTest, MemoryUsageIsTextAsXlaWritesIt) {
  // Allocations of one size come in any order.
  auto lines = [](const std::string& text) {
    std::vector<std::string> sorted = absl::StrSplit(text, '\n');
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  };
  const std::string golden = Golden("memory-usage-report.txt");
  const std::string ours =
      MemoryUsageText(*module_, proto_.buffer_assignment());
  const auto a = lines(ours), b = lines(golden);
  std::vector<std::string> different;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                std::back_inserter(different));
  EXPECT_THAT(different, ::testing::IsEmpty());
  EXPECT_EQ(ours.substr(0, 500), golden.substr(0, 500));
}

}  // namespace
}  // namespace hlokit
