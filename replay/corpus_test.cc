// Real programs and field cases, run through the tool as users do, with the
// results that XLA (or, for field cases, the definition of the operations)
// gives. They lie beside the source tree; without them these tests are skipped.
// One record is excepted, which XLA got wrong (kWrongRecord).

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "hlo/wire/proto_convert.h"
#include "hlo_opt/loader.h"
#include "replay/inputs.h"
#include "replay/test_tool.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string FromDisk(const std::string& path) {
  std::string contents = ReadCorpusFile(path);
  EXPECT_FALSE(contents.empty()) << path << " is missing";
  return contents;
}

// A row as a test's parameter; without the corpus one row without cells.
std::vector<CorpusRow> Parameters(std::vector<CorpusRow> rows) {
  if (rows.empty()) rows.emplace_back();
  return rows;
}

template <typename Info>
std::string TestName(const Info& info, const char* column) {
  std::string name;
  const auto it = info.param.find(column);
  for (char c : it == info.param.end() ? "absent" : it->second) {
    name += absl::ascii_isalnum(c) ? c : '_';
  }
  return name;
}

void ExpectSuccess(const ToolRun& run) {
  EXPECT_EQ(run.exit_code, kOk) << run.err.substr(0, 4000);
}

// --- jax_dumps ---

class JaxDumpTest : public ::testing::TestWithParam<CorpusRow> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "no corpora";
    folder_ = Corpora() + "jax_dumps/" + GetParam().at("program") + "/";
  }

  void ExpectTheSameResult(const std::string& module,
                           const std::string& platform = "interpreter") {
    MemoryFileSystem files({{"/m", FromDisk(folder_ + module)},
                            {"/in.npz", FromDisk(folder_ + "inputs.npz")},
                            {"/out.npz", FromDisk(folder_ + "outputs.npz")}});
    ExpectSuccess(RunTool(
        {"--platform=" + platform, "--reference_platform=", "--inputs=/in.npz",
         "--expected=/out.npz", "--abs_error_bound=" + GetParam().at("atol"),
         "--rel_error_bound=" + GetParam().at("rtol"), "/m"},
        &files));
  }

  std::string folder_;
};

TEST_P(JaxDumpTest, BeforeOptimizations) {
  ExpectTheSameResult("before_optimizations.hlo.pb");
}

TEST_P(JaxDumpTest, AfterOptimizations) {
  ExpectTheSameResult("cpu_after_optimizations.hlo.pb");
}

TEST_P(JaxDumpTest, BeforeOptimizationsOnCpu) {
  ExpectTheSameResult("before_optimizations.hlo.pb", "cpu");
}

TEST_P(JaxDumpTest, AfterOptimizationsOnCpu) {
  ExpectTheSameResult("cpu_after_optimizations.hlo.pb", "cpu");
}

std::vector<CorpusRow> SingleDevicePrograms() {
  std::vector<CorpusRow> rows;
  for (CorpusRow& row : CorpusTable(Corpora() + "jax_dumps/MANIFEST.tsv")) {
    if (row.at("devices") == "1") rows.push_back(std::move(row));
  }
  return Parameters(std::move(rows));
}

INSTANTIATE_TEST_SUITE_P(All, JaxDumpTest,
                         ::testing::ValuesIn(SingleDevicePrograms()),
                         [](const auto& info) {
                           return TestName(info, "program");
                         });

TEST(JaxSnapshotTest, SnapshotsMatchTheirOwnResults) {
  // Two folders are enough here: the modules are those of the tests above.
  for (const char* name : {"mlp_fwd_bf16", "cond_switch"}) {
    const std::string folder = Corpora() + "jax_dumps/" + name + "/";
    if (!DiskFileSystem()->Exists(folder)) GTEST_SKIP() << "no corpora";
    for (const char* file :
         {"before.hlo_snapshot.pb", "optimized.hlo_snapshot.pb"}) {
      MemoryFileSystem files({{"/s", FromDisk(folder + file)}});
      const ToolRun run =
          RunTool({"--platform=interpreter", "--reference_platform=",
                   "--abs_error_bound=0.01", "--rel_error_bound=0.02", "/s"},
                  &files);
      ExpectSuccess(run);
      EXPECT_THAT(run.err, HasSubstr("** Result matches the one recorded in "
                                     "the snapshot. **"));
    }
  }
}

// --- hlo_ops ---

// The one record of XLA that is wrong.
constexpr char kWrongRecord[] = "dynamic_slice_s8_index";

class HloOpsTest : public ::testing::TestWithParam<CorpusRow> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "no corpora";
    if (GetParam().at("case") == kWrongRecord) {
      GTEST_SKIP() << "see UnsignedIndexTest";
    }
    base_ = Corpora() + "hlo_ops/" + GetParam().at("case");
    const std::string& results = GetParam().at("results");
    const bool doubles =
        absl::StrContains(results, "f64") || absl::StrContains(results, "c128");
    tolerance_ = doubles ? "1e-10" : "1e-4";
  }
  std::vector<std::string> Arguments(std::vector<std::string> more) {
    std::vector<std::string> all = {
        "--platform=interpreter", "--reference_platform=",
        "--abs_error_bound=" + tolerance_, "--rel_error_bound=" + tolerance_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string base_;
  std::string tolerance_;
};

TEST_P(HloOpsTest, TextGivesTheResultsOfXlaOnCpu) {
  MemoryFileSystem files({{"/m.hlo", FromDisk(base_ + ".hlo")},
                          {"/in.npz", FromDisk(base_ + ".inputs.npz")},
                          {"/out.npz", FromDisk(base_ + ".outputs.npz")}});
  ExpectSuccess(RunTool({"--platform=cpu", "--reference_platform=",
                         "--abs_error_bound=" + tolerance_,
                         "--rel_error_bound=" + tolerance_, "--inputs=/in.npz",
                         "--expected=/out.npz", "/m.hlo"},
                        &files));
}

TEST_P(HloOpsTest, TextGivesTheResultsOfXla) {
  MemoryFileSystem files({{"/m.hlo", FromDisk(base_ + ".hlo")},
                          {"/in.npz", FromDisk(base_ + ".inputs.npz")},
                          {"/out.npz", FromDisk(base_ + ".outputs.npz")}});
  ExpectSuccess(RunTool(
      Arguments({"--inputs=/in.npz", "--expected=/out.npz", "/m.hlo"}),
      &files));
}

TEST_P(HloOpsTest, SnapshotsMatchTheirOwnResults) {
  MemoryFileSystem files({{"/s", FromDisk(base_ + ".hlo_snapshot.pb")}});
  const ToolRun run = RunTool(Arguments({"/s"}), &files);
  ExpectSuccess(run);
  EXPECT_THAT(run.err, HasSubstr("matches the one recorded"));
}

INSTANTIATE_TEST_SUITE_P(
    All, HloOpsTest,
    ::testing::ValuesIn(Parameters(CorpusTable(Corpora() +
                                             "hlo_ops/MANIFEST.tsv"))),
    [](const auto& info) { return TestName(info, "case"); });

// XLA folds a constant u8 index of 250 as if it were -6 and recorded the first
// window; the same index as an argument gives the last one, in XLA too.
TEST(UnsignedIndexTest, AConstantOf250IsClampedToTheLastWindow) {
  const std::string base = Corpora() + "hlo_ops/" + kWrongRecord;
  if (!DiskFileSystem()->Exists(base + ".hlo")) GTEST_SKIP() << "no corpora";
  MemoryFileSystem files({{"/m.hlo", FromDisk(base + ".hlo")},
                          {"/in.npz", FromDisk(base + ".inputs.npz")},
                          {"/out.npz", FromDisk(base + ".outputs.npz")}});
  const ToolRun run = RunTool(
      {"--platform=interpreter", "--reference_platform=", "--inputs=/in.npz",
       "--expected=/out.npz", "--print_literals", "/m.hlo"},
      &files);
  EXPECT_EQ(run.exit_code, kDifferent) << run.err;
  EXPECT_THAT(run.out + run.err, HasSubstr("{4, -9, 0}"));
}

// --- field_cases ---

// The folders of cases; each has a CASES.tsv of the same columns. The answers
// of the first are those of IEEE arithmetic, denormals included; the second has
// those of the default mode, in which arithmetic flushes them.
struct CaseFolder {
  absl::string_view name;
  absl::string_view mode;
};
constexpr CaseFolder kCaseFolders[] = {
    {"field_cases/", "--noflush_denormals"},
    {"field_cases_2/", "--flush_denormals"}};

// An entry of a .data.json file.
Literal LiteralOf(const google::protobuf::Value& value) {
  const auto& fields = value.struct_value().fields();
  DimensionVector dimensions;
  for (const auto& size : fields.at("dims").list_value().values()) {
    dimensions.push_back(static_cast<int64_t>(size.number_value()));
  }
  const auto type = PrimitiveTypeByName(fields.at("type").string_value());
  EXPECT_TRUE(type.has_value());
  Literal literal = Literal::Zeros(
      Shape::ArrayWithDescendingLayout(type.value_or(kF32), dimensions));
  const std::string bytes =
      absl::HexStringToBytes(fields.at("hex").string_value());
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), literal.size_bytes());
  std::memcpy(literal.mutable_untyped_data(), bytes.data(),
              std::min<size_t>(bytes.size(), literal.size_bytes()));
  return literal;
}

std::vector<Literal> LiteralsOf(const google::protobuf::Struct& data,
                                const std::string& list) {
  std::vector<Literal> literals;
  const auto it = data.fields().find(list);
  if (it == data.fields().end()) return literals;
  for (const auto& value : it->second.list_value().values()) {
    literals.push_back(LiteralOf(value));
  }
  return literals;
}

google::protobuf::Struct ReadData(const std::string& path) {
  google::protobuf::Struct data;
  EXPECT_TRUE(
      google::protobuf::util::JsonStringToMessage(FromDisk(path), &data).ok())
      << path;
  return data;
}

// Same bits, but any NaN for any NaN.
bool SameElements(const Literal& a, const Literal& b) {
  const int64_t width = StorageBytes(a.element_type());
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (std::memcmp(a.untyped_data() + i * width, b.untyped_data() + i * width,
                    width) == 0) {
      continue;
    }
    if (!std::isnan(a.GetAsDouble(i)) || !std::isnan(b.GetAsDouble(i))) {
      return false;
    }
  }
  return true;
}

// Cases whose expected values are those of exact arithmetic. XLA:CPU makes
// rewrites that change them (docs/rewrites.md), so the CPU backend gives them
// with --exact_arithmetic only.
constexpr absl::string_view kRewrittenByXla[] = {
    "variance_of_equal_large", "divide_by_constants",
    "zero_times_nan",          "sqrt_square_underflow",
    "log_exp_keeps_overflow",  "log_exp_of_tiny",
    "divide_by_quotient_overflow"};

bool NeedsExactArithmetic(const CorpusRow& row) {
  return row.at("platform") == "cpu" &&
         absl::c_linear_search(kRewrittenByXla, row.at("case"));
}

std::vector<CorpusRow> RunCases() {
  std::vector<CorpusRow> rows;
  for (const CaseFolder& folder : kCaseFolders) {
    for (const CorpusRow& row :
         CorpusTable(absl::StrCat(Corpora(), folder.name, "CASES.tsv"))) {
      if (row.at("action") != "run" || row.at("inputs") == "-") continue;
      for (const char* platform : {"interpreter", "cpu"}) {
        CorpusRow one = row;
        one["folder"] = absl::StrCat(Corpora(), folder.name);
        one["mode"] = std::string(folder.mode);
        one["platform"] = platform;
        one["test"] = absl::StrCat(row.at("case"), "_", platform);
        rows.push_back(std::move(one));
      }
    }
  }
  return Parameters(std::move(rows));
}

class FieldCaseTest : public ::testing::TestWithParam<CorpusRow> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "no corpora";
    const CorpusRow& row = GetParam();
    data_ = ReadData(row.at("folder") + row.at("inputs"));
    want_ = LiteralsOf(data_, "expect");
  }

  // Runs the case and compares by its tolerance; the results are in /out.npz.
  ToolRun Run(MemoryFileSystem* files) {
    const CorpusRow& row = GetParam();
    std::vector<std::string> arguments = {
        "--platform=" + row.at("platform"), "--reference_platform=",
        "--inputs=/in.npz", "--expected=/want.npz", "--outputs=/out.npz",
        row.at("mode")};
    if (NeedsExactArithmetic(row)) arguments.push_back("--exact_arithmetic");
    double abs = 0, rel = 0;
    for (absl::string_view word : absl::StrSplit(row.at("tolerance"), ' ')) {
      if (absl::ConsumePrefix(&word, "abs=")) {
        EXPECT_TRUE(absl::SimpleAtod(word, &abs));
      } else if (absl::ConsumePrefix(&word, "rel=")) {
        EXPECT_TRUE(absl::SimpleAtod(word, &rel));
      }
    }
    arguments.push_back(absl::StrCat("--abs_error_bound=", abs));
    arguments.push_back(absl::StrCat("--rel_error_bound=", rel));
    arguments.push_back("/m");
    return RunTool(arguments, files);
  }

  google::protobuf::Struct data_;
  std::vector<Literal> want_;
};

TEST_P(FieldCaseTest, GivesTheRightResult) {
  const CorpusRow& row = GetParam();
  MemoryFileSystem files(
      {{"/m", FromDisk(row.at("folder") + row.at("input"))},
       {"/in.npz", *LiteralsToNpz(LiteralsOf(data_, "args"), "a")},
       {"/want.npz", *LiteralsToNpz(want_, "r")}});
  ExpectSuccess(Run(&files));
  if (row.at("tolerance") != "exact") return;
  std::vector<Shape> shapes;
  for (const Literal& literal : want_) shapes.push_back(literal.shape());
  const auto bytes = files.ReadFile("/out.npz");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto got = ResultFromNpz(Shape::Tuple(shapes), *bytes);
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want_.size(); ++i) {
    EXPECT_TRUE(SameElements(got->elements()[i], want_[i]))
        << "result " << i << ": got " << got->elements()[i].ToString()
        << ", want " << want_[i].ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(All, FieldCaseTest, ::testing::ValuesIn(RunCases()),
                         [](const auto& info) {
                           return TestName(info, "test");
                         });

class FieldToolTest : public ::testing::Test {
 protected:
  static std::string Folder() {
    return absl::StrCat(Corpora(), kCaseFolders[0].name);
  }
  void SetUp() override {
    if (!DiskFileSystem()->Exists(Folder())) GTEST_SKIP() << "no corpora";
  }
  ToolRun Run(const std::string& file, std::vector<std::string> more = {}) {
    EXPECT_TRUE(files_.WriteFile("/" + file, FromDisk(Folder() + file)).ok());
    std::vector<std::string> arguments = {"--platform=interpreter",
                                          "/" + file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunTool(arguments, &files_);
  }
  MemoryFileSystem files_;
};

TEST_F(FieldToolTest, AGoodSnapshotMatchesItsResult) {
  const ToolRun run = Run("snap_good.snapshot.pb", {"--print_literals"});
  ExpectSuccess(run);
  EXPECT_THAT(run.out, HasSubstr("{4, 1.5, -4}"));
  EXPECT_THAT(run.err, HasSubstr("** Result matches the one recorded in the "
                                 "snapshot. **"));
}

TEST_F(FieldToolTest, AWrongResultIsFoundWithItsPlace) {
  const ToolRun run = Run("snap_wrong_result.snapshot.pb");
  EXPECT_EQ(run.exit_code, kDifferent);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("differs from snapshot"), HasSubstr("index {2}"),
                    HasSubstr("-4")));
}

TEST_F(FieldToolTest, AMissingArgumentIsToldAndFakeDataOffered) {
  const ToolRun run = Run("snap_missing_argument.snapshot.pb");
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err, AllOf(HasSubstr("has 0 arguments, the module wants 1"),
                             HasSubstr("--force_fake_data")));
  ExpectSuccess(
      Run("snap_missing_argument.snapshot.pb", {"--force_fake_data"}));
}

TEST_F(FieldToolTest, AWrongArgumentShapeIsTold) {
  const ToolRun run = Run("snap_wrong_argument_shape.snapshot.pb");
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err,
              HasSubstr("argument 0 is f32[4], the module wants f32[3]"));
}

TEST_F(FieldToolTest, AnUnknownCustomCallIsToldBeforeTheRun) {
  const ToolRun run = Run("unknown_custom_call.hlo");
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("\"lab_fused_gelu_fwd\""), HasSubstr("%c"),
                    HasSubstr("--custom_call_stub=lab_fused_gelu_fwd=zeros"),
                    Not(HasSubstr("compiled and ran"))));
  ExpectSuccess(Run("unknown_custom_call.hlo",
                    {"--stand_in=lab_fused_gelu_fwd=zeros"}));
}

TEST_F(FieldToolTest, ElidedConstantsAreNamed) {
  const ToolRun run = Run("elided_constant.hlo");
  ExpectSuccess(run);
  EXPECT_THAT(run.err, AllOf(HasSubstr("*** WARNING"), HasSubstr("big"),
                             HasSubstr("flags"), HasSubstr("s64[2048]")));
}

TEST_F(FieldToolTest, GeneratedInputsAreInRangeAndRepeatable) {
  auto literals = [&](const std::string& seed) {
    ExpectSuccess(Run("fake_inputs_gather_sort.hlo",
                      {"--fake_data_seed=" + seed,
                       "--output_literals_file=/l.pb"}));
    const auto bytes = files_.ReadFile("/l.pb");
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes.ok() ? *bytes : "";
  };
  const std::string first = literals("1");
  EXPECT_EQ(literals("1"), first);
  EXPECT_NE(literals("2"), first);
  const auto parsed = ParseLiteralsFile(first);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto& iteration = parsed->iterations(0);
  ASSERT_EQ(iteration.arguments_size(), 3);
  const auto table = LiteralFromProto(iteration.arguments(0));
  const auto ids = LiteralFromProto(iteration.arguments(1));
  const auto at = LiteralFromProto(iteration.arguments(2));
  ASSERT_TRUE(table.ok() && ids.ok() && at.ok());
  for (float value : table->data<float>()) EXPECT_TRUE(std::isfinite(value));
  for (int32_t id : ids->data<int32_t>()) {
    EXPECT_GE(id, 0);
    EXPECT_LE(id, 15);
  }
  EXPECT_GE(at->First<int32_t>(), 0);
  EXPECT_LE(at->First<int32_t>(), 12);
  // Saved inputs replay to the same result.
  literals("1");
  ASSERT_TRUE(files_.WriteFile("/first.pb", first).ok());
  ExpectSuccess(Run("fake_inputs_gather_sort.hlo",
                    {"--input_literals_file=/first.pb",
                     "--output_literals_file=/second.pb"}));
  const auto second = files_.ReadFile("/second.pb");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*second, first);
}

}  // namespace
}  // namespace hlokit
