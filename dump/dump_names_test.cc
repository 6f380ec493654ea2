#include "dump/dump_names.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;

Value NumberValue(double number) {
  Value value;
  value.set_number_value(number);
  return value;
}

// In the words of the corpus.
Struct Described(const DumpName& name) {
  Struct described;
  auto& fields = *described.mutable_fields();
  auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) fields[key].set_string_value(value);
  };
  fields["id"] = NumberValue(static_cast<double>(name.id));
  fields["module"].set_string_value(name.module);
  text("form", name.form);
  text("stage", name.stage);
  text("part", name.part);
  text("pipeline", name.pipeline);
  text("after", name.after);
  text("before", name.before);
  if (name.step) fields["step"] = NumberValue(*name.step);
  if (name.run) fields["run"] = NumberValue(*name.run);
  if (name.execution) fields["execution"] = NumberValue(*name.execution);
  if (name.time_us) fields["time_us"] = NumberValue(*name.time_us);
  return described;
}

TEST(DumpNamesTest, NamesOfTheCorpusAreTakenApartAsItSays) {
  const std::string folder = Corpora() + "field_cases/";
  const std::string list = ReadCorpusFile(folder + "dump_names.names.txt");
  if (list.empty()) GTEST_SKIP() << "no corpora";
  Struct expected;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  ReadCorpusFile(folder + "dump_names.expect.json"), &expected)
                  .ok());
  const std::vector<std::string> names =
      absl::StrSplit(list, '\n', absl::SkipEmpty());
  const auto parsed = ParseDumpNames(names);
  const auto& lines = expected.fields().at("lines").list_value().values();
  ASSERT_EQ(lines.size(), static_cast<int>(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    if (lines[i].has_struct_value()) {
      ASSERT_TRUE(parsed[i].has_value()) << names[i];
      EXPECT_EQ(Described(*parsed[i]).DebugString(),
                lines[i].struct_value().DebugString())
          << names[i];
    } else {
      EXPECT_FALSE(parsed[i].has_value()) << names[i];
    }
  }
  EXPECT_THAT(SameCompilations(parsed),
              ::testing::ElementsAre(::testing::ElementsAre(21, 23)));
}

TEST(DumpNamesTest, NamesWithTimesDotsAndNumbersAreUnderstood) {
  const auto name = ParseDumpName(
      "1624325116260738.module_0065.pmap__unnamed_wrapped_function_.186875."
      "before_optimizations.txt");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->time_us, 1624325116260738);
  EXPECT_EQ(name->id, 65);
  EXPECT_EQ(name->module, "pmap__unnamed_wrapped_function_.186875");
  EXPECT_EQ(name->stage, "before_optimizations");
  EXPECT_TRUE(name->holds_module());
}

TEST(DumpNamesTest, ArtifactsAreSplitWithTheHelpOfOtherFiles) {
  const auto names = ParseDumpNames(
      {"module_0001.a.b.before_optimizations.txt",
       "module_0001.a.b.part.1_kernel.ir-no-opt.ll",
       "module_0001.a.b.obj-file.x.o", "module_0001.a.b.ptx",
       "module_0001.a.b.thunk_sequence.txt",
       "main.1.module_0001.a.b._fusion.html",
       "module_0002.x.cl_123.before_optimizations.txt",
       "module_0003.metadata.textproto"});
  EXPECT_EQ(names[1]->module, "a.b");
  EXPECT_EQ(names[1]->part, "part.1_kernel");
  EXPECT_EQ(names[1]->stage, "ir-no-opt");
  EXPECT_EQ(names[2]->part, "x");
  EXPECT_EQ(names[3]->stage, "ptx");
  EXPECT_EQ(names[4]->stage, "thunk_sequence");
  EXPECT_EQ(names[4]->module, "a.b");
  EXPECT_EQ(names[5]->part, "main.1");
  EXPECT_EQ(names[6]->module, "x");
  EXPECT_EQ(names[6]->changelist, 123);
  EXPECT_EQ(names[7]->module, "");
  EXPECT_EQ(names[7]->stage, "metadata");
}

TEST(DumpNamesTest, WhatIsPutTogetherComesApart) {
  for (const std::string module : {"", "m", "a.b.c", "jit__0001.x"}) {
    DumpNameParts parts;
    parts.module_id = 12345;
    parts.module_name = module;
    const std::string suffix =
        PassSuffix(7, "p-1", "pipeline-start", "cse") + ".hlo.pb.gz";
    parts.suffix = suffix;
    const auto name = ParseDumpName(DumpFileName(parts));
    ASSERT_TRUE(name.has_value());
    EXPECT_EQ(name->module, module);
    EXPECT_EQ(name->id, 12345);
    EXPECT_EQ(name->step, 7);
    EXPECT_EQ(name->pipeline, "p-1");
    EXPECT_EQ(name->after, "pipeline-start");
    EXPECT_EQ(name->before, "cse");
    EXPECT_EQ(name->form, "hlo proto, gzip");
  }
}

TEST(DumpNamesTest, NoNameIsLongerThanAFileNameMayBe) {
  std::set<std::string> names;
  for (int length = 150; length < 400; ++length) {
    const std::string module(length, 'n');
    const std::string suffix = PassSuffix(1, std::string(length / 2, 'p'),
                                          std::string(length / 2, 'a'), "b") +
                               ".txt";
    DumpNameParts parts;
    parts.module_name = module;
    parts.suffix = suffix;
    const std::string name = DumpFileName(parts);
    EXPECT_LE(name.size(), 255u);
    EXPECT_TRUE(absl::EndsWith(name, ".txt"));
    names.insert(name);
  }
  EXPECT_GT(names.size(), 120u);
}

TEST(DumpNamesTest, EveryNameOfTheRealFoldersIsUnderstood) {
  const auto lists = CorpusFiles("jax_dumps", {"ALL_NAMES.tsv"});
  if (lists.empty()) GTEST_SKIP() << "no corpora";
  int count = 0;
  for (const std::string& list : lists) {
    std::vector<std::string> names;
    for (const CorpusRow& row : CorpusTable(list)) {
      const std::string& name = row.at("name in the dump folder");
      if (!absl::StrContains(name, "/")) names.push_back(name);
    }
    const auto parsed = ParseDumpNames(names);
    for (size_t i = 0; i < names.size(); ++i) {
      ASSERT_TRUE(parsed[i].has_value()) << names[i];
      EXPECT_TRUE(absl::StartsWith(parsed[i]->module, "jit_")) << names[i];
      EXPECT_FALSE(absl::StrContains(parsed[i]->module, "kernel")) << names[i];
      ++count;
    }
  }
  EXPECT_GT(count, 400);
}

TEST(SanitizeFileNameTest, LeavesNothingThatAShellOrTerminalTakesAmiss) {
  EXPECT_EQ(SanitizeFileName("a/b\\c[d] e"), "a_b_c_d__e");
  EXPECT_EQ(SanitizeFileName(absl::string_view("a\0b\n\x1b[2J\x7f", 9)),
            "a_b___2J_");
  EXPECT_EQ(SanitizeFileName("-rf"), "_rf");
  EXPECT_EQ(SanitizeFileName(".."), "_.");
  EXPECT_EQ(SanitizeFileName("."), "_");
  EXPECT_EQ(SanitizeFileName(std::string(1000, 'x')).size(), 255u);
}

}  // namespace
}  // namespace hlokit
