#include "dump/peak_tree.h"

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "re2/re2.h"

namespace hlokit {
namespace {

constexpr char kLoops[] = R"(HloModule m

body {
  p = (s32[], f32[64]) parameter(0)
  n = s32[] get-tuple-element(p), index=0
  v = f32[64] get-tuple-element(p), index=1
  d = f32[192] concatenate(v, v, v), dimensions={0}, metadata={op_name="f/while/body/cat"}
  s = f32[64] slice(d), slice={[0:64]}, metadata={op_name="f/while/body/cat"}
  ROOT t = (s32[], f32[64]) tuple(n, s)
}
cond {
  q = (s32[], f32[64]) parameter(0)
  ROOT c = pred[] constant(false)
}
ENTRY main {
  x = f32[64] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[64]) tuple(zero, x)
  w = (s32[], f32[64]) while(init), condition=cond, body=body, metadata={op_name="f/while"}
  ROOT r = f32[64] get-tuple-element(w), index=1
})";

TEST(PeakTreeTest, CallersStandAboveAndTheLargestFirst) {
  const auto module = *ParseModule(kLoops);
  const auto find = [&](const std::string& name) -> const Instruction* {
    for (const auto& computation : module->computations()) {
      for (const Instruction* i : computation->instructions()) {
        if (i->name() == name) return i;
      }
    }
    return nullptr;
  };
  EXPECT_EQ(PeakTreeText({{find("x"), {}, 256},
                          {find("d"), {}, 768},
                          {find("s"), {}, 256},
                          {find("p"), {0}, 4}}),
            "  Stack trace breakdown for peak usage: 1 284 bytes\n"
            "    main (100.0%, total: 1 284 bytes, current: 0 bytes, "
            "remaining: 1 284 bytes)\n"
            "      ├── f/while (80.1%, total: 1 028 bytes, current: 0 bytes, "
            "remaining: 1 284 bytes)\n"
            "      │   └── body (80.1%, total: 1 028 bytes, current: 0 bytes, "
            "remaining: 1 284 bytes)\n"
            "      │       ├── f/while/body/cat (79.8%, total: 1 024 bytes, "
            "current: 1 024 bytes, remaining: 260 bytes)\n"
            "      │       └── p{0} (0.3%, total: 4 bytes, current: 4 bytes, "
            "remaining: 256 bytes)\n"
            "      └── x (19.9%, total: 256 bytes, current: 256 bytes, "
            "remaining: 0 bytes)\n");
  EXPECT_EQ(PeakTreeText({}),
            "  Stack trace breakdown for peak usage: 0 bytes\n");
}

// What XLA made of the values that it lists as alive at the peak.
TEST(PeakTreeTest, IsTheTreeThatXlaWrites) {
  int files = 0;
  for (const std::string& file : CorpusFiles("jax_dumps",
                                             {"-live-range.txt"})) {
    SCOPED_TRACE(file);
    const std::string theirs = ReadCorpusFile(file);
    const auto module = ParseModule(ReadCorpusFile(
        absl::StrReplaceAll(file, {{"-live-range.txt", ".txt"}})));
    ASSERT_TRUE(module.ok()) << module.status();
    std::map<std::string, const Instruction*> by_name;
    for (const auto& computation : (*module)->computations()) {
      for (const Instruction* i : computation->instructions()) {
        by_name[std::string(i->name())] = i;
      }
    }
    std::vector<LiveValue> values;
    const std::vector<std::string> parts =
        absl::StrSplit(theirs, "(peak):\n");
    ASSERT_EQ(parts.size(), 2u);
    static const RE2 kLine(R"(    (\S+)\{([\d,]*)\}: (\d+) bytes .*)");
    std::string tree;
    const std::vector<std::string> lines = absl::StrSplit(parts[1], '\n');
    for (const std::string& line : lines) {
      std::string name, index;
      int64_t bytes = 0;
      if (!RE2::FullMatch(line, kLine, &name, &index, &bytes)) {
        if (!line.empty()) absl::StrAppend(&tree, line, "\n");
        continue;
      }
      ASSERT_EQ(by_name.count(name), 1u) << name;
      LiveValue value{by_name[name], {}, bytes};
      for (const auto piece : absl::StrSplit(index, ',', absl::SkipEmpty())) {
        value.index.push_back(0);
        ASSERT_TRUE(absl::SimpleAtoi(piece, &value.index.back()));
      }
      values.push_back(value);
    }
    EXPECT_EQ(PeakTreeText(values), tree);
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no corpora";
  EXPECT_GE(files, 3);
}

}  // namespace
}  // namespace hlokit
