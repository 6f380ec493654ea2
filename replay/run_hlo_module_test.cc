#include "replay/run_hlo_module.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "replay/fake_data.h"
#include "replay/inputs.h"
#include "replay/test_tool.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kAdd[] = R"(HloModule adder
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT s = f32[3] add(x, y)
})";

Literal Floats(std::vector<float> values) {
  return Literal::Array<float>({static_cast<int64_t>(values.size())},
                               absl::MakeConstSpan(values));
}

std::string Npz(std::vector<Literal> values, absl::string_view prefix) {
  return *LiteralsToNpz(values, prefix);
}

// A snapshot of kAdd.
std::string Snapshot(std::vector<Literal> arguments,
                     std::optional<Literal> result) {
  const auto module = ParseModule(kAdd);
  EXPECT_TRUE(module.ok()) << module.status();
  xla::HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() = ModuleToProto(**module);
  for (const Literal& argument : arguments) {
    LiteralToProto(argument, snapshot.add_arguments());
  }
  if (result.has_value()) {
    LiteralToProto(*result, snapshot.mutable_result());
  }
  return snapshot.SerializeAsString();
}

class RunHloModuleTest : public ::testing::Test {
 protected:
  ToolRun Run(std::vector<std::string> arguments,
              std::map<std::string, std::string> environment = {}) {
    return RunTool(std::move(arguments), &files_, std::move(environment));
  }
  std::string Read(const std::string& path) {
    auto contents = files_.ReadFile(path);
    EXPECT_TRUE(contents.ok()) << contents.status();
    return contents.ok() ? *contents : "";
  }
  void Write(const std::string& path, const std::string& contents) {
    EXPECT_TRUE(files_.WriteFile(path, contents).ok());
  }

  MemoryFileSystem files_{{"/add.hlo", kAdd}};
};

TEST_F(RunHloModuleTest, ComparesWithTheInterpreterByDefault) {
  const ToolRun run = Run({"--platform=interpreter", "/add.hlo"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_EQ(run.out, "\n ** Running /add.hlo** \n");
  EXPECT_THAT(run.err, HasSubstr("... compiled and ran in "));
  EXPECT_THAT(run.err, HasSubstr("** Results on interpreter and Interpreter "
                                 "are close enough. **\n0/1 runs failed.\n"));
  EXPECT_THAT(run.err, HasSubstr("compares interpreter with itself"));
}

// Fails an internal check where a file of the module "bad" is used.
class CheckingFileSystem : public MemoryFileSystem {
 public:
  using MemoryFileSystem::MemoryFileSystem;
  absl::StatusOr<std::unique_ptr<MappedFile>> MapFile(
      absl::string_view path) const override {
    if (absl::StrContains(path, "unreadable")) throw std::logic_error("y > 0");
    return MemoryFileSystem::MapFile(path);
  }
  absl::StatusOr<std::string> ReadFile(absl::string_view path,
                                       int64_t max_bytes) const override {
    if (absl::StrContains(path, "unreadable")) throw std::logic_error("y > 0");
    return MemoryFileSystem::ReadFile(path, max_bytes);
  }
  absl::Status WriteFile(absl::string_view path,
                         absl::string_view contents) override {
    if (absl::StrContains(path, ".bad.")) throw std::logic_error("x > 0");
    return MemoryFileSystem::WriteFile(path, contents);
  }
};

TEST_F(RunHloModuleTest, OtherModulesGoOnAfterAnInternalError) {
  CheckingFileSystem files{
      {"/unreadable.hlo", kAdd},
      {"/bad.hlo", absl::StrReplaceAll(kAdd, {{"adder", "bad"}})},
      {"/add.hlo", kAdd}};
  const ToolRun run =
      RunTool({"--platform=interpreter", "--xla_dump_to=/dumps",
               "/unreadable.hlo", "/bad.hlo", "/add.hlo"},
              &files, {});
  EXPECT_EQ(run.exit_code, kDifferent);
  EXPECT_THAT(run.err, HasSubstr("unreadable.hlo: internal error: y > 0"));
  EXPECT_THAT(run.err, HasSubstr("bad.hlo: internal error: x > 0"));
  EXPECT_THAT(run.err, HasSubstr("0/1 runs failed."));
}

TEST_F(RunHloModuleTest, AnEmptyReferencePlatformSkipsTheReference) {
  const ToolRun run = Run(
      {"--platform=interpreter", "--reference_platform=", "/add.hlo"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("Skipping reference runner\n"));
  EXPECT_THAT(run.err, Not(HasSubstr("runs failed")));
}

TEST_F(RunHloModuleTest, MistakesOnTheCommandLineAreUsageErrors) {
  EXPECT_EQ(Run({"/add.hlo"}).exit_code, kUsage);
  EXPECT_THAT(Run({"/add.hlo"}).err,
              AllOf(HasSubstr("--platform"), HasSubstr("interpreter")));
  const ToolRun unknown = Run({"--platform=abacus", "/add.hlo"});
  EXPECT_EQ(unknown.exit_code, kUsage);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("abacus"), HasSubstr("interpreter")));
  EXPECT_EQ(Run({"--platform=interpreter", "--reference_platform=abacus",
                 "/add.hlo"})
                .exit_code,
            kUsage);
  EXPECT_EQ(Run({"--platform=interpreter"}).exit_code, kUsage);
  EXPECT_EQ(Run({"--platform=interpreter", "--iterations=0", "/add.hlo"})
                .exit_code,
            kUsage);
  EXPECT_EQ(Run({"--platform=interpreter", "--no-such-option", "/add.hlo"})
                .exit_code,
            kUsage);
  EXPECT_EQ(Run({"--platform=interpreter", "--inputs=/a.npz",
                 "--input_literals_file=/b", "/add.hlo"})
                .exit_code,
            kUsage);
  EXPECT_EQ(Run({"--platform=interpreter", "--isolate_instructions",
                 "--output_literals_file=/b", "/add.hlo"})
                .exit_code,
            kUsage);
  EXPECT_EQ(Run({"--platform=interpreter", "--outputs=/o.npz",
                 "--iterations=2", "/add.hlo"})
                .exit_code,
            kUsage);
  EXPECT_EQ(Run({"--platform=interpreter", "--stand_in=x", "/add.hlo"})
                .exit_code,
            kUsage);
}

TEST_F(RunHloModuleTest, HelpNamesEveryOptionOfXla) {
  const ToolRun run = Run({"--help"});
  EXPECT_EQ(run.exit_code, kOk);
  for (const char* option :
       {"platform", "reference_platform", "print_literals",
        "output_literals_file", "input_literals_file", "run_test_hlo_passes",
        "run_reference_hlo_passes", "random_init_input_literals",
        "use_large_float_range", "abs_error_bound", "rel_error_bound",
        "input_format", "iterations", "isolate_instructions",
        "different_random_seeds"}) {
    EXPECT_THAT(run.out, HasSubstr(option));
  }
}

TEST_F(RunHloModuleTest, FakeArgumentsAreThoseOfXla) {
  const ToolRun run = Run({"--platform=interpreter", "--reference_platform=",
                           "--output_literals_file=/l.pb", "/add.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  const auto literals = ParseLiteralsFile(Read("/l.pb"));
  ASSERT_TRUE(literals.ok()) << literals.status();
  ASSERT_EQ(literals->iterations_size(), 1);
  ASSERT_EQ(literals->iterations(0).arguments_size(), 2);
  const auto x = LiteralFromProto(literals->iterations(0).arguments(0));
  const auto y = LiteralFromProto(literals->iterations(0).arguments(1));
  ASSERT_TRUE(x.ok() && y.ok());
  EXPECT_THAT(x->data<float>(),
              ElementsAre(-0.0999976546f, -0.0605386607f, 0.126681596f));
  EXPECT_THAT(y->data<float>(),
              ElementsAre(0.0375950411f, 0.0598301813f, -0.0343122408f));
}

TEST_F(RunHloModuleTest, IterationsGoOnDrawing) {
  const ToolRun run =
      Run({"--platform=interpreter", "--iterations=2",
           "--output_literals_file=/l.pb", "/add.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("\n=== Iteration 1\n"),
                             HasSubstr("\n=== Iteration 2\n"),
                             HasSubstr("0/2 runs failed.\n")));
  const auto literals = ParseLiteralsFile(Read("/l.pb"));
  ASSERT_TRUE(literals.ok());
  ASSERT_EQ(literals->iterations_size(), 2);
  EXPECT_TRUE(literals->iterations(1).has_reference_result());
  // The seventh value of the engine.
  EXPECT_EQ(LiteralFromProto(literals->iterations(1).arguments(0))
                ->First<float>(),
            -0.0858866125f);
}

TEST_F(RunHloModuleTest, EachFileStartsAFreshEngine) {
  Write("/again.hlo", kAdd);
  const ToolRun run =
      Run({"--platform=interpreter", "--print_literals", "/add.hlo",
           "/again.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  const size_t second = run.out.find("\n ** Running /again.hlo** \n");
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(run.out.substr(0, second).substr(run.out.find("** Argument")),
            run.out.substr(second).substr(
                run.out.substr(second).find("** Argument")));
}

TEST_F(RunHloModuleTest, AnotherSeedGivesOtherArguments) {
  const std::vector<std::string> arguments = {
      "--platform=interpreter", "--print_literals", "/add.hlo"};
  auto with_seed = [&](const std::string& seed) {
    std::vector<std::string> more = arguments;
    more.push_back("--fake_data_seed=" + seed);
    return Run(more).out;
  };
  EXPECT_EQ(with_seed("1"), Run(arguments).out);
  EXPECT_NE(with_seed("2"), with_seed("1"));
  EXPECT_EQ(with_seed("2"), with_seed("2"));
}

TEST_F(RunHloModuleTest, ZerosOnRequest) {
  const ToolRun run = Run({"--platform=interpreter", "--print_literals",
                           "--random_init_input_literals=false", "/add.hlo"});
  EXPECT_THAT(run.out, HasSubstr("Result on interpreter: f32[3]{0} {0, 0, 0}"));
}

TEST_F(RunHloModuleTest, LiteralFilesReplayARun) {
  ASSERT_EQ(Run({"--platform=interpreter", "--fake_data_seed=9",
                 "--output_literals_file=/l.pb", "/add.hlo"})
                .exit_code,
            kOk);
  const ToolRun first = Run({"--platform=interpreter", "--print_literals",
                             "--fake_data_seed=9", "/add.hlo"});
  const ToolRun replay = Run({"--platform=interpreter", "--print_literals",
                              "--input_literals_file=/l.pb", "/add.hlo"});
  EXPECT_EQ(replay.exit_code, kOk) << replay.err;
  EXPECT_EQ(first.out.substr(first.out.find("** Result")),
            replay.out.substr(replay.out.find("** Result")));
}

TEST_F(RunHloModuleTest, LaterIterationsThanTheFileHasAreMadeUp) {
  ASSERT_EQ(Run({"--platform=interpreter", "--fake_data_seed=9",
                 "--output_literals_file=/l.pb", "/add.hlo"})
                .exit_code,
            kOk);
  const ToolRun run =
      Run({"--platform=interpreter", "--iterations=2",
           "--input_literals_file=/l.pb", "--output_literals_file=/m.pb",
           "/add.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  const auto literals = ParseLiteralsFile(Read("/m.pb"));
  ASSERT_TRUE(literals.ok());
  // As if the first iteration had been made up too.
  EXPECT_EQ(LiteralFromProto(literals->iterations(1).arguments(0))
                ->First<float>(),
            -0.0858866125f);
}

TEST_F(RunHloModuleTest, LiteralFilesMustFitTheModule) {
  xla::RunHloModuleLiterals literals;
  LiteralToProto(Floats({1, 2, 3}),
                 literals.add_iterations()->add_arguments());
  Write("/l.pb", literals.SerializeAsString());
  const ToolRun run = Run({"--platform=interpreter",
                           "--input_literals_file=/l.pb", "/add.hlo"});
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err, HasSubstr("1 arguments, the module wants 2"));
  LiteralToProto(Floats({1}), literals.mutable_iterations(0)->add_arguments());
  Write("/l.pb", literals.SerializeAsString());
  const ToolRun shape = Run({"--platform=interpreter",
                             "--input_literals_file=/l.pb", "/add.hlo"});
  EXPECT_EQ(shape.exit_code, kBadInput);
  EXPECT_THAT(shape.err, HasSubstr("argument 1 is f32[1], the module wants "
                                   "f32[3]"));
}

TEST_F(RunHloModuleTest, NumpyFilesGiveArgumentsAndTakeResults) {
  Write("/in.npz", Npz({Floats({1, 2, 3}), Floats({10, 20, 30})}, "a"));
  const ToolRun run =
      Run({"--platform=interpreter", "--inputs=/in.npz", "--outputs=/out.npz",
           "--output=/out.npy", "/add.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  const Shape shape = Shape::ArrayWithDescendingLayout(kF32, {3});
  const auto npz = ResultFromNpz(shape, Read("/out.npz"));
  ASSERT_TRUE(npz.ok()) << npz.status();
  EXPECT_THAT(npz->data<float>(), ElementsAre(11, 22, 33));
  const auto npy = ResultFromNpy(shape, Read("/out.npy"));
  ASSERT_TRUE(npy.ok()) << npy.status();
  EXPECT_TRUE(*npy == *npz);
  Write("/x.npy", *LiteralToNpy(Floats({5, 6, 7})));
  const ToolRun each =
      Run({"--platform=interpreter", "--input=/out.npy", "--input=/x.npy",
           "--print_literals", "/add.hlo"});
  EXPECT_THAT(each.out, HasSubstr("f32[3]{0} {16, 28, 40}")) << each.err;
}

TEST_F(RunHloModuleTest, ExpectedResultsAreChecked) {
  Write("/in.npz", Npz({Floats({1, 2, 3}), Floats({10, 20, 30})}, "a"));
  Write("/good.npz", Npz({Floats({11, 22, 33})}, "r"));
  Write("/bad.npz", Npz({Floats({11, 22, 34})}, "r"));
  const std::vector<std::string> arguments = {
      "--platform=interpreter", "--reference_platform=", "--inputs=/in.npz",
      "/add.hlo"};
  auto with = [&](const std::string& more) {
    std::vector<std::string> all = arguments;
    all.push_back(more);
    return Run(all);
  };
  const ToolRun good = with("--expected=/good.npz");
  EXPECT_EQ(good.exit_code, kOk) << good.err;
  EXPECT_THAT(good.err, HasSubstr("** Result matches /good.npz. **"));
  const ToolRun bad = with("--expected=/bad.npz");
  EXPECT_EQ(bad.exit_code, kDifferent);
  EXPECT_THAT(bad.err,
              AllOf(HasSubstr("differs from /bad.npz"), HasSubstr("index {2}"),
                    HasSubstr("1/1 runs failed.")));
  EXPECT_EQ(with("--expected=/nothing.npz").exit_code, kBadInput);
  EXPECT_EQ(with("--expected=/add.hlo").exit_code, kBadInput);
}

TEST_F(RunHloModuleTest, ADifferenceTellsHowToRepeatItAndGetFiles) {
  Write("/bad.npz", Npz({Floats({9, 9, 9})}, "r"));
  Write("/odd name.hlo", kAdd);
  const std::vector<std::string> arguments = {
      "--platform=interpreter", "--expected=/bad.npz", "/odd name.hlo"};
  const ToolRun plain = Run(arguments);
  EXPECT_EQ(plain.exit_code, kDifferent);
  EXPECT_THAT(plain.err, HasSubstr("--mismatch_dir=DIR"));
  EXPECT_THAT(plain.err, HasSubstr("To repeat: run_hlo_module "
                                   "--platform=interpreter --expected=/bad.npz "
                                   "'/odd name.hlo'\n"));

  std::vector<std::string> with_folder = arguments;
  with_folder.push_back("--mismatch_dir=/d/e");
  EXPECT_EQ(Run(with_folder).exit_code, kDifferent);
  for (const char* name : {"expected", "actual", "mismatches"}) {
    const std::string base =
        std::string("/d/e/adder.iteration1.vs_bad.npz-") + name;
    xla::LiteralProto proto;
    EXPECT_TRUE(proto.ParseFromString(Read(base + ".pb")));
    EXPECT_TRUE(LiteralFromProto(proto).ok());
    EXPECT_NE(Read(base + ".txt"), "");
  }
  EXPECT_EQ(Read("/d/e/adder.iteration1.vs_bad.npz-expected.txt"),
            "f32[3]{0} {9, 9, 9}\n");
  EXPECT_THAT(Read("/d/e/adder.iteration1.vs_bad.npz-mismatches.txt"),
              StartsWith("pred[3]{0} {1, 1, 1}"));

  Run(arguments, {{"TEST_UNDECLARED_OUTPUTS_DIR", "/undeclared"}});
  int found = 0;
  for (const auto& [path, contents] : files_.Files()) {
    found += absl::StartsWith(path, "/undeclared/tempfile-");
  }
  EXPECT_EQ(found, 6);
}

TEST_F(RunHloModuleTest, SnapshotsReplayAndTheirResultIsChecked) {
  Write("/s.pb", Snapshot({Floats({1, 2, 3}), Floats({1, 1, 1})},
                          Floats({2, 3, 4})));
  const ToolRun good =
      Run({"--platform=interpreter", "--print_literals", "/s.pb"});
  EXPECT_EQ(good.exit_code, kOk) << good.err;
  EXPECT_THAT(good.out, HasSubstr("Argument 0 (snapshot): f32[3]{0} {1, 2, "
                                  "3}"));
  EXPECT_THAT(good.err, HasSubstr("** Result matches the one recorded in the "
                                  "snapshot. **"));
  Write("/s.pb", Snapshot({Floats({1, 2, 3}), Floats({1, 1, 1})},
                          Floats({2, 3, 5})));
  const ToolRun bad = Run({"--platform=interpreter", "/s.pb"});
  EXPECT_EQ(bad.exit_code, kDifferent);
  EXPECT_THAT(bad.err, AllOf(HasSubstr("differs from snapshot"),
                             HasSubstr("index {2}"), HasSubstr("1/1 runs")));
}

TEST_F(RunHloModuleTest, ForcedFakeDataIgnoresTheSnapshot) {
  Write("/s.pb", Snapshot({Floats({1, 2, 3}), Floats({1, 1, 1})},
                          Floats({9, 9, 9})));
  const ToolRun run = Run({"--platform=interpreter", "--force_fake_data",
                           "--print_literals", "/s.pb"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Argument 0 (fake data)"));
  EXPECT_THAT(run.err, Not(HasSubstr("snapshot")));
}

TEST_F(RunHloModuleTest, SnapshotsWithoutFittingArgumentsOfferFakeData) {
  Write("/none.pb", Snapshot({}, std::nullopt));
  const ToolRun none = Run({"--platform=interpreter", "/none.pb"});
  EXPECT_EQ(none.exit_code, kBadInput);
  EXPECT_THAT(none.err, AllOf(HasSubstr("has 0 arguments, the module wants 2"),
                              HasSubstr("--force_fake_data")));
  Write("/shape.pb", Snapshot({Floats({1}), Floats({1, 1, 1})}, std::nullopt));
  const ToolRun shape = Run({"--platform=interpreter", "/shape.pb"});
  EXPECT_EQ(shape.exit_code, kBadInput);
  EXPECT_THAT(shape.err,
              AllOf(HasSubstr("argument 0 is f32[1], the module wants f32[3]"),
                    HasSubstr("--force_fake_data")));
}

TEST_F(RunHloModuleTest, ASnapshotWrittenBeforeTheRunHoldsNoResult) {
  Write("/s.pb", Snapshot({Floats({1, 2, 3}), Floats({1, 1, 1})},
                          Literal::Tuple({})));
  const ToolRun run = Run({"--platform=interpreter", "/s.pb"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the snapshot holds no result"));
}

TEST_F(RunHloModuleTest, OneBadFileDoesNotKeepOthersFromRunning) {
  const ToolRun run = Run({"--platform=interpreter", "/missing.hlo",
                           "/add.hlo"});
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err, AllOf(HasSubstr("/missing.hlo"),
                             HasSubstr("are close enough")));
}

TEST_F(RunHloModuleTest, SeveralModulesOfAFileRunEach) {
  Write("/two.hlo", std::string(kAdd) + "\n" + kAdd);
  const ToolRun run = Run({"--platform=interpreter", "--json", "/two.hlo"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("/two.hlo#1"), HasSubstr("/two.hlo#2")));
}

TEST_F(RunHloModuleTest, JsonHasOneObjectARun) {
  Write("/bad.npz", Npz({Floats({9, 9, 9})}, "r"));
  const ToolRun run =
      Run({"--platform=interpreter", "--json", "--iterations=2",
           "--expected=/bad.npz", "/add.hlo"});
  EXPECT_EQ(run.exit_code, kDifferent);
  google::protobuf::Value value;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(run.out, &value).ok())
      << run.out;
  ASSERT_EQ(value.list_value().values_size(), 2);
  const auto& fields = value.list_value().values(1).struct_value().fields();
  EXPECT_EQ(fields.at("file").string_value(), "/add.hlo");
  EXPECT_EQ(fields.at("iteration").number_value(), 2);
  EXPECT_EQ(fields.at("status").string_value(), "mismatch");
  EXPECT_EQ(fields.at("mismatches").number_value(), 3);
  EXPECT_GT(fields.at("max_abs_error").number_value(), 8);
  EXPECT_GE(fields.at("seconds").number_value(), 0);
  EXPECT_EQ(fields.at("comparisons").list_value().values_size(), 2);
}

TEST_F(RunHloModuleTest, ADifferenceThatHangsOnRoundingsIsCalledOne) {
  // Two ways to the same number, but for roundings; how far they are apart is
  // all noise.
  Write("/noise.hlo", R"(HloModule noise
ENTRY e {
  x = f32[64] parameter(0)
  e = f32[64] exponential(x)
  l = f32[64] log(e)
  noise = f32[64] subtract(l, x)
  ROOT q = f32[64] divide(x, noise)
})");
  const ToolRun run = Run({"--platform=cpu", "--json", "/noise.hlo"});
  EXPECT_EQ(run.exit_code, kDifferent);
  EXPECT_THAT(run.err, HasSubstr("\nA matter of rounding: "));
  EXPECT_THAT(run.out, HasSubstr("\"in_unstable_arrays\": "));
  const ToolRun without =
      Run({"--platform=cpu", "--rounding_runs=0", "/noise.hlo"});
  EXPECT_EQ(without.exit_code, kDifferent);
  EXPECT_THAT(without.err, Not(HasSubstr("matter of rounding")));
}

TEST_F(RunHloModuleTest, ErrorsAreInTheJsonToo) {
  const ToolRun run = Run({"--platform=interpreter", "--json", "/missing.hlo"});
  EXPECT_EQ(run.exit_code, kBadInput);
  google::protobuf::Value value;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(run.out, &value).ok())
      << run.out;
  const auto& fields = value.list_value().values(0).struct_value().fields();
  EXPECT_EQ(fields.at("status").string_value(), "error");
  EXPECT_THAT(fields.at("error").string_value(), HasSubstr("/missing.hlo"));
}

constexpr char kCustomCall[] = R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] add(x, x)
  c = f32[3] custom-call(y), custom_call_target="lab_gelu"
  ROOT r = f32[3] add(c, y)
})";

TEST_F(RunHloModuleTest, UnknownCustomCallsStopBeforeTheRun) {
  Write("/c.hlo", kCustomCall);
  const ToolRun run = Run({"--platform=interpreter", "/c.hlo"});
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err, AllOf(HasSubstr("lab_gelu"), HasSubstr("%c"),
                             HasSubstr("--custom_call_stub=lab_gelu=zeros"),
                             HasSubstr("No registered implementation for "
                                       "untyped custom call to lab_gelu"),
                             Not(HasSubstr("compiled and ran"))));
}

TEST_F(RunHloModuleTest, StandInsReplaceCustomCalls) {
  Write("/c.hlo", kCustomCall);
  Write("/in.npz", Npz({Floats({1, 2, 3})}, "a"));
  const ToolRun zeros =
      Run({"--platform=interpreter", "--stand_in=lab_gelu=zeros",
           "--inputs=/in.npz", "--print_literals", "/c.hlo"});
  EXPECT_EQ(zeros.exit_code, kOk) << zeros.err;
  EXPECT_THAT(zeros.out, HasSubstr("f32[3]{0} {2, 4, 6}"));
  Write("/v.npy", *LiteralToNpy(Floats({100, 200, 300})));
  const ToolRun value =
      Run({"--platform=interpreter", "--stand_in=c=/v.npy", "--inputs=/in.npz",
           "--print_literals", "/c.hlo"});
  EXPECT_EQ(value.exit_code, kOk) << value.err;
  EXPECT_THAT(value.out, HasSubstr("f32[3]{0} {102, 204, 306}"));
  Write("/v.npy", *LiteralToNpy(Floats({100})));
  EXPECT_EQ(Run({"--platform=interpreter", "--stand_in=c=/v.npy", "/c.hlo"})
                .exit_code,
            kBadInput);
}

TEST_F(RunHloModuleTest, StubsServeAllThatNobodyKnows) {
  Write("/c.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  i = s32[2] parameter(1)
  c = f32[3] custom-call(i, x), custom_call_target="lab_gelu"
  d = (s32[2], f32[3]) custom-call(x, i), custom_call_target="lab_two",
    api_version=API_VERSION_TYPED_FFI
  dx = f32[3] get-tuple-element(d), index=1
  s = f32[3] custom-call(c), custom_call_target="Sharding"
  ROOT r = f32[3] add(s, dx)
})");
  Write("/in.npz", Npz({Floats({1, 2, 3}), Literal::Array<int32_t>({2}, {4, 5})},
                       "a"));
  const auto run_with = [&](const std::string& stub) {
    return Run({"--platform=cpu", "--custom_call_stub=" + stub,
                "--inputs=/in.npz", "--print_literals", "/c.hlo"});
  };
  const ToolRun identity = run_with("identity");
  EXPECT_EQ(identity.exit_code, kOk) << identity.err;
  EXPECT_THAT(identity.out, HasSubstr("f32[3]{0} {2, 4, 6}"));
  EXPECT_THAT(identity.err,
              HasSubstr("warning: identity stands in for the custom-calls of "
                        "module m with target lab_gelu, lab_two"));
  const ToolRun zeros = run_with("zeros");
  EXPECT_EQ(zeros.exit_code, kOk) << zeros.err;
  EXPECT_THAT(zeros.out, HasSubstr("f32[3]{0} {0, 0, 0}"));
  EXPECT_EQ(run_with("something").exit_code, kUsage);
  EXPECT_EQ(run_with("lab_gelu=zeros").exit_code, kBadInput);  // lab_two
}

TEST_F(RunHloModuleTest, TellsOfDisabledPassesThatNothingIsCalled) {
  Write("/n.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  ROOT n = f32[3] negate(x)
})");
  const ToolRun run = Run({"--platform=cpu", "/n.hlo",
                           "--xla_disable_hlo_passes=algsmp,fusion"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("warning: --xla_disable_hlo_passes: no pass or pipeline "
                        "is called 'algsmp'; did you mean 'algsimp'?\n"));
}

TEST_F(RunHloModuleTest, CompiledCodeIsLimitedToAnInstructionSet) {
  Write("/e.hlo", R"(HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[1000,40] parameter(1)
  e = f32[1000] exponential(x)
  ROOT d = f32[40] dot(e, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})");
  for (const char* isa : {"SSE4_2", "avx", "AVX2", "amx_fp16"}) {
    const ToolRun run = Run(
        {"--platform=cpu", "/e.hlo", absl::StrCat("--xla_cpu_max_isa=", isa)});
    EXPECT_EQ(run.exit_code, kOk) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("warning")));
  }
  const ToolRun unknown =
      Run({"--platform=cpu", "/e.hlo", "--xla_cpu_max_isa=AVX3"});
  EXPECT_EQ(unknown.exit_code, kOk) << unknown.err;
  EXPECT_THAT(unknown.err,
              HasSubstr("warning: --xla_cpu_max_isa: no instruction set is "
                        "called 'AVX3'; there are: SSE4_2, AVX, AVX2, "));
}

TEST_F(RunHloModuleTest, AStubOfOperandsNeedsOneOfTheShape) {
  Write("/c.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  ROOT c = f32[4] custom-call(x), custom_call_target="lab_gelu"
})");
  const ToolRun run =
      Run({"--platform=interpreter", "--custom_call_stub=identity", "/c.hlo"});
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err, HasSubstr("no operand is f32[4]"));
}

TEST_F(RunHloModuleTest, LibrariesThatAreNotThereAreTold) {
  const ToolRun run =
      Run({"--platform=interpreter", "--custom_call_library=/none/x.so",
           "/add.hlo"});
  EXPECT_EQ(run.exit_code, kBadInput);
  EXPECT_THAT(run.err, HasSubstr("cannot load the library /none/x.so"));
}

TEST_F(RunHloModuleTest, ElidedConstantsAreALoudWarning) {
  Write("/e.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  c = f32[3] constant({...})
  ROOT r = f32[3] add(x, c)
})");
  const ToolRun run = Run({"--platform=interpreter", "/e.hlo"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("*** WARNING"), HasSubstr("{...}"),
                             HasSubstr(".hlo.pb"), HasSubstr("'c'")));
}

TEST_F(RunHloModuleTest, PartitionedModulesAreToldToRunOnOneDevice) {
  Write("/p.hlo", R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[3] parameter(0)
  ROOT r = f32[3] add(x, x)
})");
  const ToolRun run = Run({"--platform=interpreter", "/p.hlo"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("4 partitions; one device runs it"));
}

TEST_F(RunHloModuleTest, EndlessLoopsEndAtTheStepLimit) {
  Write("/loop.hlo", R"(HloModule m
body { ROOT p = s32[] parameter(0) }
condition { p = s32[] parameter(0)
  ROOT t = pred[] constant(true) }
ENTRY e {
  x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=condition, body=body
})");
  const ToolRun run =
      Run({"--platform=interpreter", "--max_steps=1000", "/loop.hlo"});
  EXPECT_EQ(run.exit_code, kDifferent);
  EXPECT_THAT(run.err, HasSubstr("1/1 runs failed."));
}

TEST_F(RunHloModuleTest, TheCpuDumpsWhereValuesLie) {
  Write("/a.hlo", R"(HloModule where
ENTRY e {
  x = f32[3] parameter(0)
  ROOT r = f32[3] add(x, x)
})");
  EXPECT_EQ(Run({"--platform=cpu", "--xla_dump_to=/dump", "/a.hlo"}).exit_code,
            kOk);
  std::string all;
  for (const char* suffix :
       {"buffer-assignment", "memory-usage-report", "live-range"}) {
    const auto text = files_.ReadFile(
        absl::StrCat("/dump/module_0000.where.cpu_after_optimizations-", suffix,
                     ".txt"));
    ASSERT_TRUE(text.ok()) << suffix << text.status();
    all += *text;
  }
  EXPECT_THAT(all, AllOf(HasSubstr("allocation 0: size 12"), HasSubstr("x @0")));
  for (const char* suffix : {"thunk_sequence.txt", "part_00.ir-no-opt.ll",
                             "part_00.ir-with-opt.ll", "part_00.s"}) {
    EXPECT_TRUE(
        files_.ReadFile(absl::StrCat("/dump/module_0000.where.", suffix)).ok())
        << suffix;
  }
}

TEST_F(RunHloModuleTest, PassesAreDumpedAndLeftOutAsTheFlagsSay) {
  Write("/a.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  zero = f32[3] constant({0, 0, 0})
  s = f32[3] add(x, zero)
  ROOT r = f32[3] multiply(s, s)
})");
  const auto dumped = [&](const std::string& folder) {
    std::string names;
    const auto files = files_.ListDirectory(folder);
    EXPECT_TRUE(files.ok()) << files.status();
    if (files.ok()) {
      for (const std::string& file : *files) names += file + "\n";
    }
    return names;
  };
  EXPECT_EQ(Run({"--platform=cpu", "--xla_dump_to=/all",
                 "--xla_dump_hlo_pass_re=.*", "/a.hlo"})
                .exit_code,
            kOk);
  EXPECT_THAT(dumped("/all"), HasSubstr(".after_algsimp."));
  EXPECT_EQ(
      Run({"--platform=cpu", "--xla_dump_to=/some", "--xla_dump_hlo_pass_re=.*",
           "--xla_disable_hlo_passes=algsimp", "/a.hlo"})
          .exit_code,
      kOk);
  EXPECT_THAT(dumped("/some"), HasSubstr(".after_pipeline-start."));
  EXPECT_THAT(dumped("/some"), Not(HasSubstr(".after_algsimp.")));
}

TEST_F(RunHloModuleTest, DenormalsAreFlushedUnlessKept) {
  Write("/d.hlo", R"(HloModule m
ENTRY e {
  x = f32[1] parameter(0)
  ROOT r = f32[1] add(x, x)
})");
  Write("/in.npz", Npz({Floats({1e-40f})}, "a"));
  EXPECT_THAT(Run({"--platform=interpreter", "--inputs=/in.npz",
                   "--print_literals", "/d.hlo"})
                  .out,
              HasSubstr("Result on interpreter: f32[1]{0} {0}"));
  for (const char* keep : {"--noflush_denormals", "--xla_cpu_ftz=false"}) {
    EXPECT_THAT(Run({"--platform=cpu", "--inputs=/in.npz", keep,
                     "--print_literals", "/d.hlo"})
                    .out,
                AllOf(HasSubstr("Result on cpu: f32[1]{0} {1.99999e-40}"),
                      HasSubstr("Result on Interpreter: f32[1]{0} "
                                "{1.99999e-40}")));
  }
}

TEST_F(RunHloModuleTest, IsolationPrintsATable) {
  Write("/i.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] add(x, x)
  z = f32[3] multiply(y, x)
  ROOT w = f32[3] add(z, z)
})");
  const ToolRun run =
      Run({"--platform=interpreter", "--isolate_instructions", "/i.hlo"});
  EXPECT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("Reference            | Test                 | Module"));
  EXPECT_THAT(run.out, HasSubstr("MATCHED              | MATCHED              "
                                 "| %y"));
  EXPECT_THAT(run.out, HasSubstr("1 more like it"));
  EXPECT_EQ(run.out, Run({"--platform=interpreter", "--isolate_instructions",
                          "/i.hlo"})
                         .out);
}

TEST_F(RunHloModuleTest, IsolationNamesAndWritesThePieceThatFails) {
  Write("/c.hlo", R"(HloModule m
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] add(x, x)
  g = f32[8] all-reduce(y), replica_groups={{0,1}}, to_apply=less
  ROOT r = f32[8] add(g, y)
})");
  const ToolRun run =
      Run({"--platform=interpreter", "--isolate_instructions", "--verify=off",
           "--mismatch_dir=/d", "/c.hlo"});
  EXPECT_EQ(run.exit_code, kDifferent) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr("RUNTIME ERROR"));
  EXPECT_THAT(run.err, HasSubstr("all-reduce"));
  EXPECT_THAT(Read("/d/c.hlo.g.hlo"), HasSubstr("all-reduce"));
}

TEST_F(RunHloModuleTest, XlaFlagsDumpTheModuleAndASnapshot) {
  const ToolRun run = Run({"--platform=interpreter", "--reference_platform=",
                           "--xla_dump_to=/dump", "--xla_dump_hlo_as_text",
                           "--xla_dump_hlo_snapshots", "/add.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  EXPECT_TRUE(
      files_.Exists("/dump/module_0000.adder.before_optimizations.txt"));
  ASSERT_TRUE(files_.Exists("/dump/module_0000.adder.snapshot.1.pb"));
  // What was dumped replays.
  const ToolRun replay = Run({"--platform=interpreter",
                              "/dump/module_0000.adder.snapshot.1.pb"});
  EXPECT_EQ(replay.exit_code, kOk) << replay.err;
  EXPECT_THAT(replay.err, HasSubstr("matches the one recorded"));
}

TEST_F(RunHloModuleTest, XlaFlagsDumpWhatTheCompilerWasGiven) {
  const ToolRun run =
      Run({"--platform=cpu", "--reference_platform=", "--xla_dump_to=/dump",
           "--xla_dump_hlo_unoptimized_snapshots", "/add.hlo"});
  ASSERT_EQ(run.exit_code, kOk) << run.err;
  const std::string snapshot =
      "/dump/module_0000.adder.execution_0000.hlo_unoptimized_snapshot.pb";
  ASSERT_TRUE(files_.Exists(snapshot));
  EXPECT_FALSE(
      files_.Exists("/dump/module_0000.adder.before_optimizations.txt"));
  const ToolRun replay =
      Run({"--platform=cpu", snapshot});
  EXPECT_EQ(replay.exit_code, kOk) << replay.err;
}

TEST_F(RunHloModuleTest, DashReadsStandardInput) {
  const ToolRun run =
      RunTool({"--platform=interpreter", "-"}, &files_, {}, kAdd);
  EXPECT_EQ(run.exit_code, kOk) << run.err;
}

TEST_F(RunHloModuleTest, AFullDiskIsTheEnvironment) {
  files_.FailWritesAfter(0);
  EXPECT_EQ(Run({"--platform=interpreter", "--outputs=/o.npz", "/add.hlo"})
                .exit_code,
            kEnvironment);
}

}  // namespace
}  // namespace hlokit
