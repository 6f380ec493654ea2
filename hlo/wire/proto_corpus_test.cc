// Protos that XLA itself wrote, from the optional corpora in ../shared.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/test_corpora.h"
#include "google/protobuf/util/field_comparator.h"
#include "google/protobuf/util/message_differencer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"
#include "re2/re2.h"

namespace hlokit {
namespace {

using Row = CorpusRow;

std::vector<Row> GoldenRows() {
  std::vector<Row> rows =
      CorpusTable(Corpora() + "upstream_hlo_golden/MANIFEST.tsv");
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [](Row& row) { return row["status"] != "OK"; }),
             rows.end());
  return rows;
}

std::string Golden(const std::string& name) {
  return ReadCorpusFile(Corpora() + "upstream_hlo_golden/" + name);
}

std::string Differences(const xla::HloModuleProto& want,
                        const xla::HloModuleProto& got) {
  std::string report;
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  differencer.ReportDifferencesToString(&report);
  differencer.Compare(want, got);
  return report.substr(0, 600);
}

// Header fields that protos do not carry.
std::string WithoutTextOnlyFields(const std::string& text) {
  const size_t end = text.find('\n');
  std::string header = text.substr(0, end);
  for (const char* name :
       {", allow_spmd_sharding_propagation_to_parameters=",
        ", allow_spmd_sharding_propagation_to_output=", ", replica_count=",
        ", num_partitions=", ", alias_passthrough_params="}) {
    const size_t at = header.find(name);
    if (at == std::string::npos) continue;
    const size_t value = at + std::string(name).size();
    size_t stop = header[value] == '{' ? header.find('}', value) + 1
                                       : header.find(',', value);
    header.erase(at, std::min(stop, header.size()) - at);
  }
  return header + text.substr(std::min(end, text.size()));
}

TEST(ProtoCorpusTest, GoldenProtosComeBackByteForByteAndPrintTheGoldenText) {
  std::vector<Row> rows = GoldenRows();
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t bytes_equal = 0, text_equal = 0;
  for (Row& row : rows) {
    const std::string bytes = Golden(row["golden_proto"]);
    xla::HloModuleProto proto;
    ASSERT_TRUE(ParseProtoBytes(bytes, &proto).ok());
    auto module = ModuleFromProto(proto);
    if (!module.ok()) {
      ADD_FAILURE() << row["golden_proto"] << ": " << module.status();
      continue;
    }
    const xla::HloModuleProto again = ModuleToProto(**module);
    if (SerializeDeterministic(again) == bytes) {
      ++bytes_equal;
    } else {
      ADD_FAILURE() << row["golden_proto"] << "\n" << Differences(proto, again);
    }
    const std::string want = WithoutTextOnlyFields(Golden(row["golden_text"]));
    const std::string got = ToString(**module);
    if (got == want) {
      ++text_equal;
    } else {
      ADD_FAILURE() << row["golden_text"] << " " << FirstDifference(want, got);
    }
  }
  std::cout << bytes_equal << " protos and " << text_equal << " texts of "
            << rows.size() << " are equal\n";
}

// Modules in which this project means to differ from the golden protos, and why.
const std::map<std::string, std::string>& WantedDifferences() {
  static const auto* differences = new std::map<std::string, std::string>{
      {"xla/hlo/translate/hlo_to_mhlo/tests/import.hlo",
       "topk is stable by default; the reference does not know the flag"},
  };
  return *differences;
}

TEST(ProtoCorpusTest, GoldenTextsBecomeTheGoldenProtos) {
  std::vector<Row> rows = GoldenRows();
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t equal = 0, total = 0;
  for (Row& row : rows) {
    const std::string text = ReadCorpusFile(Corpora() + "upstream_hlo/" +
                                  row["upstream_path"]);
    if (row["kind"] != "hlo_text" ||
        WantedDifferences().contains(row["upstream_path"])) {
      continue;
    }
    ++total;
    ParseOptions options;
    options.xla_literal_quirks = true;
    Diagnostics diagnostics(row["upstream_path"], text);
    const auto module = ParseModule(text, &diagnostics, options);
    if (module == nullptr) {
      ADD_FAILURE() << diagnostics.ToString();
      continue;
    }
    const std::string bytes = Golden(row["golden_proto"]);
    const xla::HloModuleProto got = ModuleToProto(*module);
    if (SerializeDeterministic(got) == bytes) {
      ++equal;
      continue;
    }
    xla::HloModuleProto want;
    ASSERT_TRUE(want.ParseFromString(bytes));
    ADD_FAILURE() << row["upstream_path"] << "\n" << Differences(want, got);
  }
  std::cout << equal << " of " << total << " are equal\n";
  EXPECT_EQ(equal, total);
}

// Programs whose text dump XLA can read back; what the MANIFEST says of each
// dump's proto and text must hold for ours.
std::string WithoutMetadata(std::string text) {
  static const auto* metadata =
      new RE2(R"re(, metadata=\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})re");
  static const auto* tables =
      new RE2(R"(\n\nFileNames\n(?:.*\n)*?StackFrames\n(?:\d.*\n)*)");
  RE2::GlobalReplace(&text, *metadata, "");
  RE2::GlobalReplace(&text, *tables, "");
  return text;
}

// Computations in byte order.
std::string Sorted(const std::string& text) {
  std::vector<std::string> blocks = absl::StrSplit(text, "\n\n");
  std::sort(blocks.begin(), blocks.end());
  return absl::StrJoin(blocks, "\n\n");
}

std::unique_ptr<Module> ReadHloProto(const std::string& bytes,
                                     std::string* error) {
  xla::HloProto proto;
  if (absl::Status s = ParseProtoBytes(bytes, &proto); !s.ok()) {
    *error = std::string(s.message());
    return nullptr;
  }
  auto module = ModuleFromProto(proto.hlo_module());
  if (!module.ok()) *error = std::string(module.status().message());
  return module.ok() ? *std::move(module) : nullptr;
}

TEST(ProtoCorpusTest, DumpedProtosPrintTheTextThatWasDumpedWithThem) {
  std::vector<Row> rows = CorpusTable(Corpora() + "jax_dumps/MANIFEST.tsv");
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t equal = 0, same_order = 0, total = 0;
  for (Row& row : rows) {
    for (const std::string stage : {"before", "after"}) {
      const std::string stem =
          Corpora() + "jax_dumps/" + row["program"] +
          (stage == "before" ? "/before_optimizations"
                             : "/cpu_after_optimizations");
      std::string error;
      auto module = ReadHloProto(ReadCorpusFile(stem + ".hlo.pb"), &error);
      ASSERT_NE(module, nullptr) << stem << ": " << error;
      ++total;
      PrintOptions options = PrintOptions::Dump();
      options.print_metadata = false;
      const std::string want =
          WithoutTextOnlyFields(WithoutMetadata(ReadCorpusFile(stem + ".txt")));
      const std::string got = ToString(*module, options);
      const std::string kind = row["text_vs_proto_" + stage];
      if (absl::StartsWith(kind, "differs")) continue;
      if (Sorted(want) == Sorted(got)) {
        ++equal;
      } else {
        ADD_FAILURE() << stem << " " << FirstDifference(Sorted(want),
                                                        Sorted(got));
      }
      if (absl::StrContains(kind, "but for order")) continue;
      ++same_order;
      EXPECT_EQ(want == got, true) << stem << " " << FirstDifference(want, got);
    }
  }
  std::cout << equal << " of " << total << " texts are equal, " << same_order
            << " in the same order\n";
}

TEST(ProtoCorpusTest, DumpedProtosPrintAsTheReferencePrintsThem) {
  std::vector<Row> rows = CorpusTable(Corpora() + "jax_dumps/MANIFEST.tsv");
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t count = 0;
  for (Row& row : rows) {
    for (const std::string stage :
         {"/before_optimizations", "/cpu_after_optimizations"}) {
      const std::string stem = Corpora() + "jax_dumps/" + row["program"] + stage;
      const std::string want = ReadCorpusFile(stem + ".full_constants.txt");
      if (want.empty()) continue;
      ++count;
      std::string error;
      auto module = ReadHloProto(ReadCorpusFile(stem + ".hlo.pb"), &error);
      ASSERT_NE(module, nullptr) << stem << ": " << error;
      PrintOptions options;
      options.print_large_constants = true;
      const std::string got = ToString(*module, options);
      EXPECT_EQ(want == got, true) << stem << " " << FirstDifference(want, got);
    }
  }
  EXPECT_GT(count, 0);
}

// Reading deals stack frames new numbers.
void ClearStackFrames(xla::HloModuleProto* module) {
  module->clear_stack_frame_index();
  for (auto& computation : *module->mutable_computations()) {
    for (auto& instruction : *computation.mutable_instructions()) {
      instruction.mutable_metadata()->clear_stack_frame_id();
    }
  }
}

// Custom-calls that a compiler pass made may lack their operands' precision;
// readers fill it in and write it from then on.
void PadPrecision(xla::HloModuleProto* module) {
  for (auto& computation : *module->mutable_computations()) {
    for (auto& instruction : *computation.mutable_instructions()) {
      if (instruction.opcode() != "custom-call") continue;
      auto* config = instruction.mutable_precision_config();
      while (config->operand_precision_size() < instruction.operand_ids_size()) {
        config->add_operand_precision(xla::PrecisionConfig::DEFAULT);
      }
    }
  }
}

TEST(ProtoCorpusTest, DumpedProtosAreWrittenAgainAsTheyWereButForFrameIds) {
  std::vector<Row> rows = CorpusTable(Corpora() + "jax_dumps/MANIFEST.tsv");
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t equal = 0, total = 0;
  for (Row& row : rows) {
    for (const std::string stage :
         {"/before_optimizations", "/cpu_after_optimizations"}) {
      const std::string stem = Corpora() + "jax_dumps/" + row["program"] + stage;
      xla::HloProto proto;
      ASSERT_TRUE(ParseProtoBytes(ReadCorpusFile(stem + ".hlo.pb"), &proto).ok());
      auto module = ModuleFromProto(proto.hlo_module());
      ASSERT_TRUE(module.ok()) << stem << ": " << module.status();
      ++total;
      xla::HloModuleProto want = proto.hlo_module();
      xla::HloModuleProto got = ModuleToProto(**module, want.id());
      ClearStackFrames(&want);
      ClearStackFrames(&got);
      PadPrecision(&want);
      PadPrecision(&got);
      if (SerializeDeterministic(got) == SerializeDeterministic(want)) {
        ++equal;
      } else {
        ADD_FAILURE() << stem << "\n" << Differences(want, got);
      }
    }
  }
  std::cout << equal << " of " << total << " are equal\n";
}

// The status that a field case's file gives, with the notes behind it.
std::string ReadFieldCase(const std::string& name) {
  xla::HloModuleProto proto;
  const std::string bytes = ReadCorpusFile(Corpora() + "field_cases/" + name);
  const absl::Status status = ParseProtoBytes(bytes, &proto);
  if (!status.ok()) return std::string(status.message());
  FromProtoOptions options;
  std::vector<std::string> notes;
  options.notes = &notes;
  auto module = ModuleFromProto(proto, options);
  if (!module.ok()) return std::string(module.status().message());
  return absl::StrCat("OK ", absl::StrJoin(notes, "\n"));
}

TEST(ProtoCorpusTest, FieldCasesGiveTheWantedMessages) {
  if (ReadCorpusFile(Corpora() + "field_cases/CASES.tsv").empty()) {
    GTEST_SKIP() << "../shared/corpora is not there";
  }
  using ::testing::HasSubstr;
  using ::testing::AllOf;
  EXPECT_EQ(ReadFieldCase("pb_module_small_ids.pb"), "OK ");
  EXPECT_EQ(ReadFieldCase("pb_module_64bit_ids.pb"), "OK ");
  EXPECT_EQ(ReadFieldCase("pb_unpacked_repeated.pb"), "OK ");
  EXPECT_THAT(ReadFieldCase("pb_unknown_fields.pb"),
              AllOf(HasSubstr("OK "), HasSubstr("is unknown and kept")));
  EXPECT_THAT(ReadFieldCase("pb_truncated.pb"),
              HasSubstr("the bytes end in the middle of a field"));
  EXPECT_THAT(ReadFieldCase("pb_duplicate_ids.pb"),
              HasSubstr("have the same id 2"));
  EXPECT_THAT(ReadFieldCase("pb_missing_operand.pb"),
              AllOf(HasSubstr("instruction m "), HasSubstr("operand id 55")));
  EXPECT_THAT(ReadFieldCase("pb_cycle.pb"),
              AllOf(HasSubstr("cycle"), HasSubstr("m uses a"),
                    HasSubstr("a uses m")));
  EXPECT_THAT(ReadFieldCase("pb_missing_root.pb"),
              HasSubstr("root id 99 is not there"));
  EXPECT_THAT(ReadFieldCase("pb_missing_entry.pb"),
              HasSubstr("entry computation id 8 is not there"));
  EXPECT_THAT(ReadFieldCase("pb_literal_short.pb"),
              AllOf(HasSubstr("instruction c "),
                    HasSubstr("2 values for f32[3]")));
  EXPECT_THAT(ReadFieldCase("pb_negative_dim.pb"),
              HasSubstr("dimension -3 is negative"));
  EXPECT_THAT(ReadFieldCase("pb_bad_element_type.pb"),
              HasSubstr("element type 99 is unknown"));
  EXPECT_THAT(ReadFieldCase("pb_wrong_wire_type.pb"),
              AllOf(HasSubstr("instruction m "), HasSubstr("field 35 (id)"),
                    HasSubstr("wrong wire type")));
  EXPECT_THAT(ReadFieldCase("pb_result_shape_lie.pb"), HasSubstr("OK "));
  EXPECT_THAT(ReadFieldCase("pb_deep_tuple_shape.pb"),
              HasSubstr("nested deeper than 200"));
  EXPECT_THAT(ReadFieldCase("pb_claims_2200_MB.pb"),
              HasSubstr("claims 2200000032 bytes"));
  EXPECT_THAT(ReadFieldCase("pb_empty.pb"), HasSubstr("empty"));
  EXPECT_THAT(ReadFieldCase("pb_sentence_instead.hlo.pb"),
              HasSubstr("these bytes are text"));
}

}  // namespace
}  // namespace hlokit
