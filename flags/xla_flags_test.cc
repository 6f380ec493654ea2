#include "flags/xla_flags.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/test_corpora.h"
#include "flags/removed_flags.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Parsed {
  XlaFlagsReport report;
  xla::DebugOptions options = DefaultDebugOptions();
};

Parsed Parse(absl::string_view text,
             const std::map<std::string, std::string>& files = {}) {
  MemoryFileSystem fs;
  for (const auto& [path, contents] : files) {
    if (absl::string_view folder = DirName(path); !folder.empty()) {
      EXPECT_TRUE(fs.CreateDirectories(folder).ok());
    }
    EXPECT_TRUE(fs.WriteFile(path, contents).ok());
  }
  Parsed parsed;
  parsed.report = ParseXlaFlags(text, &fs, &parsed.options);
  return parsed;
}

// "name=value name=value" of what was set.
std::string SetText(const Parsed& parsed) {
  return absl::StrJoin(parsed.report.set, " ",
                       [](std::string* out, const auto& one) {
                         absl::StrAppend(out, one.name, "=", one.value);
                       });
}

std::vector<std::string> UnknownTokens(const Parsed& parsed) {
  std::vector<std::string> tokens;
  for (const auto& one : parsed.report.unknown) tokens.push_back(one.token);
  return tokens;
}

// The only warning.
std::string Warning(const Parsed& parsed) {
  return parsed.report.warnings.size() == 1
             ? parsed.report.warnings[0].message
             : absl::StrCat(parsed.report.warnings.size(), " warnings:\n",
                            parsed.report.WarningText());
}

TEST(ParseXlaFlags, TakesNothingForNoFlags) {
  Parsed parsed = Parse("");
  EXPECT_TRUE(parsed.report.accept);
  EXPECT_THAT(parsed.report.set, IsEmpty());
  EXPECT_EQ(parsed.report.ErrorText(), "");
  EXPECT_EQ(parsed.report.WarningText(), "");
}

TEST(ParseXlaFlags, SplitsAtTheFourBlanksOnly) {
  Parsed parsed = Parse(
      "\t--xla_dump_hlo_as_text\r\n--xla_dump_hlo_as_proto=1  "
      "--xla_dump_to=a\vb\n");
  EXPECT_EQ(SetText(parsed),
            "xla_dump_hlo_as_text=true xla_dump_hlo_as_proto=1 "
            "xla_dump_to=a\vb");
  EXPECT_TRUE(parsed.options.xla_dump_hlo_as_text());
  EXPECT_EQ(parsed.report.set[1].offset, 25u);
  EXPECT_EQ(parsed.report.set[1].token, "--xla_dump_hlo_as_proto=1");
}

TEST(ParseXlaFlags, KnowsBothKindsOfQuotes) {
  Parsed parsed = Parse(
      R"(--xla_dump_to="a \"b\" \\c\n" --xla_dump_hlo_module_re='x \d "')");
  EXPECT_TRUE(parsed.report.accept);
  EXPECT_EQ(parsed.options.xla_dump_to(), "a \"b\" \\cn");
  EXPECT_EQ(parsed.options.xla_dump_hlo_module_re(), "x \\d \"");
  EXPECT_EQ(parsed.report.WarningText(), "");
}

TEST(ParseXlaFlags, BeginsANewTokenRightAfterAQuote) {
  EXPECT_EQ(SetText(Parse("--xla_dump_to=\"x\"--xla_dump_hlo_as_text")),
            "xla_dump_to=x xla_dump_hlo_as_text=true");
  Parsed parsed = Parse("--xla_dump_to=\"x\"y --xla_dump_hlo_as_text");
  EXPECT_EQ(SetText(parsed), "xla_dump_to=x");
  EXPECT_EQ(parsed.report.dropped, "y --xla_dump_hlo_as_text");
}

TEST(ParseXlaFlags, TakesAQuoteInsideAValueAsItStands) {
  Parsed parsed = Parse("--xla_dump_to=/t/\"a b\"");
  EXPECT_EQ(parsed.options.xla_dump_to(), "/t/\"a");
  EXPECT_EQ(parsed.report.dropped, "b\"");
  EXPECT_THAT(parsed.report.WarningText(),
              HasSubstr("directly after '='"));
}

TEST(ParseXlaFlags, LetsAnOpenQuoteRunToTheEndWithAWarning) {
  Parsed parsed = Parse("--xla_dump_to='/x --xla_dump_hlo_as_text");
  EXPECT_TRUE(parsed.report.accept);
  EXPECT_EQ(parsed.options.xla_dump_to(), "/x --xla_dump_hlo_as_text");
  EXPECT_THAT(Warning(parsed), HasSubstr("not closed"));
  EXPECT_EQ(Parse("--xla_dump_to=\"a\\").options.xla_dump_to(), "a");
}

TEST(ParseXlaFlags, StopsAtTheFirstWordWithoutDashAndShowsTheRest) {
  Parsed parsed =
      Parse("--xla_dump_hlo_as_text foo --xla_dump_hlo_as_proto \n");
  EXPECT_TRUE(parsed.report.accept);
  EXPECT_EQ(SetText(parsed), "xla_dump_hlo_as_text=true");
  EXPECT_EQ(parsed.report.dropped, "foo --xla_dump_hlo_as_proto");
  EXPECT_THAT(parsed.report.WarningText(),
              HasSubstr("XLA_FLAGS:1:24: warning: reading stops at 'foo'"));
}

TEST(ParseXlaFlags, TakesVerticalTabsAndFormFeedsAsWords) {
  Parsed parsed = Parse("--xla_dump_hlo_as_text \v --xla_dump_hlo_as_proto");
  EXPECT_EQ(parsed.report.dropped, "\v --xla_dump_hlo_as_proto");
  EXPECT_EQ(Parse("--xla_dump_hlo_as_text \f\n").report.dropped, "\f");
}

TEST(ParseXlaFlags, ListsAllUnknownFlagsWithTheNearestNames) {
  Parsed parsed = Parse(
      "--xla_gpu_enable_triton_gem=false --xla_dump_to=/x --dump_hlo_as_text");
  EXPECT_FALSE(parsed.report.accept);
  ASSERT_THAT(parsed.report.unknown, SizeIs(2));
  EXPECT_EQ(parsed.report.unknown[0].nearest, "xla_gpu_enable_triton_gemm");
  EXPECT_EQ(parsed.report.unknown[1].nearest, "xla_dump_hlo_as_text");
  EXPECT_EQ(parsed.options.xla_dump_to(), "");  // untouched
  std::string text = parsed.report.ErrorText();
  EXPECT_THAT(text, HasSubstr("Unknown flags in XLA_FLAGS: "
                              "--xla_gpu_enable_triton_gem=false "
                              "--dump_hlo_as_text\n"));
  EXPECT_THAT(text, HasSubstr("XLA_FLAGS:1:52: error: unknown flag "
                              "'--dump_hlo_as_text'; did you mean "
                              "'--xla_dump_hlo_as_text'?"));
}

TEST(ParseXlaFlags, TellsHowToSpellWhatXlaDoesNotTake) {
  auto hint = [](absl::string_view text) {
    Parsed parsed = Parse(text);
    return parsed.report.unknown.size() == 1 ? parsed.report.unknown[0].hint
                                             : "not one unknown flag";
  };
  EXPECT_EQ(hint("-xla_dump_hlo_as_text"), "flags start with two dashes");
  EXPECT_EQ(hint("--xla-dump-to=/x"), "names are written with underscores");
  EXPECT_EQ(hint("--XLA_DUMP_TO=/x"), "names are in small letters");
  EXPECT_EQ(hint("--noxla_dump_hlo_as_text"),
            "write --xla_dump_hlo_as_text=false");
  EXPECT_EQ(hint("--xla_dump_to"), "it needs a value: --xla_dump_to=VALUE");
  EXPECT_EQ(hint("--xla_dump_to /x"),
            "the value follows with '=': --xla_dump_to=/x");
  EXPECT_THAT(hint("--xla_enable_dumping=false"),
              HasSubstr("--debug_options_file"));
  EXPECT_THAT(hint("--xla_hlo_dump_as_graphdef"),
              HasSubstr("XLA dropped this flag"));
  EXPECT_THAT(hint("--help"), HasSubstr("--help-all"));
  EXPECT_THAT(hint("-\u2013xla_dump_hlo_as_text"),
              HasSubstr("typographic dash"));
  EXPECT_THAT(UnknownTokens(Parse("--xla_dump_hlo_as_text_foo")), SizeIs(1));
}

TEST(ParseXlaFlags, TakesAllAfterABareDoubleDashAsUnknown) {
  Parsed parsed =
      Parse("--xla_dump_hlo_as_text -- --xla_dump_hlo_as_proto");
  EXPECT_FALSE(parsed.report.accept);
  EXPECT_THAT(UnknownTokens(parsed),
              ElementsAre("--", "--xla_dump_hlo_as_proto"));
}

TEST(ParseXlaFlags, NamesBadValuesAndWhatIsAccepted) {
  Parsed parsed = Parse(
      "--xla_gpu_shape_checks=NEVER --xla_dump_max_hlo_modules=ten "
      "--xla_nonsense --xla_gpu_execution_terminate_timeout=10");
  EXPECT_FALSE(parsed.report.accept);
  ASSERT_THAT(parsed.report.bad, SizeIs(3));
  EXPECT_EQ(parsed.report.bad[0].name, "xla_gpu_shape_checks");
  EXPECT_EQ(parsed.report.bad[0].value, "NEVER");
  EXPECT_EQ(parsed.report.bad[0].offset, 0u);
  EXPECT_EQ(parsed.report.bad[0].message,
            "--xla_gpu_shape_checks: 'NEVER' is not one of IGNORE, RUNTIME, "
            "COMPILE_TIME");
  std::string text = parsed.report.ErrorText();
  EXPECT_THAT(text, AllOf(HasSubstr("XLA_FLAGS:1:30: error: "
                                    "--xla_dump_max_hlo_modules: 'ten'"),
                          HasSubstr("'--xla_nonsense'"),
                          HasSubstr("duration")));
}

TEST(ParseXlaFlags, WarnsOfFlagsJoinedByCommas) {
  Parsed parsed = Parse("--xla_dump_to=/x,--xla_dump_hlo_as_text");
  EXPECT_EQ(parsed.options.xla_dump_to(), "/x,--xla_dump_hlo_as_text");
  EXPECT_THAT(Warning(parsed), HasSubstr("not by commas"));
  parsed = Parse("--xla_dump_hlo_as_text=true, --xla_dump_hlo_as_proto");
  ASSERT_THAT(parsed.report.bad, SizeIs(1));
  EXPECT_THAT(parsed.report.bad[0].message, HasSubstr("not by commas"));
}

TEST(ParseXlaFlags, WarnsOfScalarsSetTwiceButNotOfListsThatAddUp) {
  Parsed parsed = Parse("--xla_dump_to=/a --xla_dump_to=/b");
  EXPECT_EQ(parsed.options.xla_dump_to(), "/b");
  EXPECT_THAT(Warning(parsed), HasSubstr("--xla_dump_to is set twice"));
  parsed = Parse("--xla_disable_hlo_passes=a --xla_disable_hlo_passes=b,c");
  EXPECT_THAT(parsed.options.xla_disable_hlo_passes(),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(parsed.report.warnings, IsEmpty());
  const std::string list = "--xla_gpu_enable_command_buffer=";
  parsed = Parse(list + "fusion " + list + "+while");
  EXPECT_THAT(parsed.report.warnings, IsEmpty());
  parsed = Parse(list + "+while " + list + "fusion");
  EXPECT_THAT(Warning(parsed), HasSubstr("set twice"));
  parsed = Parse(
      "--xla_gpu_command_buffer_scheduling_mode=LHS "
      "--xla_gpu_graph_enable_concurrent_region");
  EXPECT_THAT(Warning(parsed),
              HasSubstr("overrides --xla_gpu_command_buffer_scheduling_mode"));
}

TEST(ParseXlaFlags, WarnsOfWhatOnlyAShellExpands) {
  EXPECT_THAT(Warning(Parse("--xla_dump_to=$HOME/d")), HasSubstr("'$'"));
  EXPECT_THAT(Warning(Parse("--xla_dump_to=${X}")), HasSubstr("'$'"));
  EXPECT_THAT(Warning(Parse("--xla_dump_to=~/d")), HasSubstr("'~'"));
  EXPECT_THAT(Parse("--xla_dump_hlo_module_re=^(a|b)$").report.warnings,
              IsEmpty());
  EXPECT_THAT(Parse("--xla_dump_to=a$").report.warnings, IsEmpty());
}

TEST(ParseXlaFlags, WarnsOfTypographicCharacters) {
  Parsed parsed = Parse("--xla_dump_to=/x \u2014xla_dump_hlo_as_text");
  EXPECT_THAT(Warning(parsed), HasSubstr("typographic dash"));
  EXPECT_THAT(Warning(Parse("--xla_dump_to=\u201c/x\u201d")),
              HasSubstr("typographic quotes"));
}

TEST(ParseXlaFlags, WarnsOfFlagsWithoutEffect) {
  Parsed parsed = Parse("--xla_cpu_use_thunk_runtime=false");
  EXPECT_TRUE(parsed.report.accept);
  EXPECT_THAT(Warning(parsed), HasSubstr("no effect"));
}

TEST(ParseXlaFlags, ReadsAFileWhenTheValueIsNoFlag) {
  Parsed parsed = Parse(" my flags.txt",
                        {{" my flags.txt",
                          "--xla_dump_to=/x\r\n--xla_dump_hlo_as_text\n"}});
  EXPECT_TRUE(parsed.report.accept);
  EXPECT_EQ(parsed.report.source, " my flags.txt");
  EXPECT_EQ(SetText(parsed), "xla_dump_to=/x xla_dump_hlo_as_text=true");
}

TEST(ParseXlaFlags, SkipsCommentLinesOfFilesWithAWarning) {
  Parsed parsed = Parse("f", {{"f",
                               "# one\n--xla_dump_to=a\n  # two --x\n"
                               "--xla_dump_hlo_as_text # three\n--y\n"}});
  EXPECT_EQ(SetText(parsed), "xla_dump_to=a xla_dump_hlo_as_text=true");
  EXPECT_EQ(parsed.report.dropped, "# three\n--y");
  ASSERT_THAT(parsed.report.warnings, SizeIs(2));
  EXPECT_EQ(parsed.report.warnings[0].offset, 0u);
  EXPECT_THAT(parsed.report.WarningText(), HasSubstr("f:4:24: warning: "));
}

TEST(ParseXlaFlags, GivesThePlaceInTheFile) {
  Parsed parsed = Parse("f", {{"f", "--xla_dump_to=a\n  --xla_bogus\n"}});
  EXPECT_THAT(parsed.report.ErrorText(), HasSubstr("f:2:3: error: "));
}

TEST(ParseXlaFlags, WarnsOfFilesWithoutFlags) {
  EXPECT_THAT(Warning(Parse("f", {{"f", ""}})), HasSubstr("no flags"));
  EXPECT_THAT(Warning(Parse("f", {{"f", "word\n"}})),
              HasSubstr("reading stops at 'word'"));
  Parsed folder = Parse("/d", {{"/d/f", ""}});
  EXPECT_TRUE(folder.report.accept);
  EXPECT_THAT(Warning(folder), HasSubstr("is a folder"));
}

TEST(ParseXlaFlags, DoesNotFollowAFileNameInAFile) {
  Parsed parsed = Parse("f", {{"f", "g"}, {"g", "--xla_dump_to=x"}});
  EXPECT_EQ(parsed.report.dropped, "g");
  EXPECT_EQ(parsed.options.xla_dump_to(), "");
}

TEST(ParseXlaFlags, RefusesAFileThatIsNotThereAndGuessesWhatWasMeant) {
  auto text = [](absl::string_view value) {
    Parsed parsed = Parse(value);
    EXPECT_FALSE(parsed.report.accept);
    return parsed.report.ErrorText();
  };
  EXPECT_THAT(text("xla_dump_to=/x"),
              AllOf(HasSubstr("name of a file"),
                    HasSubstr("forget the two dashes: --xla_dump_to=/x")));
  EXPECT_THAT(text("\u2013xla_dump_to=/x"), HasSubstr("typographic dash"));
  EXPECT_THAT(text("\"--xla_dump_to=/x\""), HasSubstr("quotes go around"));
  EXPECT_THAT(text("   "), HasSubstr("only blanks"));
  EXPECT_THAT(text("f --xla_dump_to=/x"), HasSubstr("first word"));
}

TEST(ParseXlaFlags, HandsOutTheFuel) {
  Parsed parsed = Parse("--xla_fuel=dce=1,cse=2");
  ASSERT_TRUE(parsed.report.effects.fuel.has_value());
  EXPECT_THAT(*parsed.report.effects.fuel, SizeIs(2));
}

TEST(ParseXlaFlags, SurvivesAnyBytes) {
  std::string text = "--";
  uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    text = "-";
    for (int i = 0; i < round % 60; ++i) {
      state = state * 1664525 + 1013904223;
      const char* bits[] = {"--xla_", "=",       "\"", "'",
                            "\\",     " ",       "dump_to", "\n",
                            "-",      "\u2013",  "#",  "$",
                            "\xff",   "\v"};
      text += bits[(state >> 16) % 14];
    }
    Parsed parsed = Parse(text);
    parsed.report.ErrorText();
    parsed.report.WarningText();
    // Everything is accounted for: tokens, blanks and the dropped tail.
    size_t shown = parsed.report.dropped.size();
    for (const auto& one : parsed.report.set) shown += one.token.size();
    for (const auto& one : parsed.report.unknown) shown += one.token.size();
    EXPECT_LE(shown, text.size());
  }
}

// ---- the corpus of cases ----

using ::google::protobuf::Struct;
using ::google::protobuf::Value;

std::string ReadText(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The text that DebugFlagValue gives for an expected value.
std::string ValueText(const Value& value) {
  switch (value.kind_case()) {
    case Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case Value::kNumberValue:
      return absl::StrCat(value.number_value());
    case Value::kListValue:
      return absl::StrJoin(value.list_value().values(), ",",
                           [](std::string* out, const Value& one) {
                             out->append(one.string_value());
                           });
    default:
      return value.string_value();
  }
}

void CheckRefusal(const Parsed& parsed, const Struct& expected) {
  const auto& fields = expected.fields();
  if (auto it = fields.find("bad"); it != fields.end()) {
    std::vector<std::string> bad;
    for (const auto& one : parsed.report.bad) {
      bad.push_back(absl::StrCat(one.name, "=", one.value));
    }
    EXPECT_EQ(absl::StrJoin(bad, ","), ValueText(it->second));
  }
  if (auto it = fields.find("unknown"); it != fields.end()) {
    EXPECT_EQ(absl::StrJoin(UnknownTokens(parsed), ","), ValueText(it->second));
  }
  if (auto it = fields.find("did_you_mean"); it != fields.end()) {
    std::map<std::string, std::string> wanted, got;
    for (const auto& [name, value] : it->second.struct_value().fields()) {
      wanted[name] = value.string_value();
    }
    for (const auto& one : parsed.report.unknown) got[one.name] = one.nearest;
    EXPECT_EQ(got, wanted);
  }
}

void CheckCase(const std::filesystem::path& path) {
  std::filesystem::path stem = path;
  stem.replace_extension();
  Struct expected;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  ReadText(stem.string() + ".expect.json"), &expected)
                  .ok());
  std::map<std::string, std::string> files;
  std::string listed = stem.string() + ".txt";
  if (std::filesystem::exists(listed)) {
    files[stem.filename().string() + ".txt"] = ReadText(listed);
  }
  Parsed parsed = Parse(ReadText(path), files);
  const auto& fields = expected.fields();
  EXPECT_EQ(parsed.report.accept, fields.at("accept").bool_value());
  EXPECT_EQ(parsed.report.ErrorText().empty(), parsed.report.accept);
  CheckRefusal(parsed, expected);
  if (!parsed.report.accept) return;
  bool warn = fields.count("warn") != 0;
  EXPECT_EQ(!parsed.report.warnings.empty(), warn)
      << parsed.report.WarningText();
  std::string dropped = fields.count("dropped") != 0
                            ? fields.at("dropped").string_value()
                            : "";
  EXPECT_EQ(parsed.report.dropped, dropped);
  const auto& wanted = fields.at("set").struct_value().fields();
  for (const auto& [name, value] : wanted) {
    EXPECT_EQ(DebugFlagValue(*FindDebugFlag(name), parsed.options),
              ValueText(value))
        << name;
  }
  for (const auto& one : parsed.report.set) {
    EXPECT_EQ(wanted.count(one.name), 1u) << one.name;
  }
}

TEST(ParseXlaFlags, AnswersEveryCaseOfTheCorpus) {
  int cases = 0;
  for (const char* name : {"field_cases", "field_cases_2"}) {
    const std::filesystem::path folder = Corpora() + name;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpora";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".flags") continue;
      SCOPED_TRACE(entry.path().filename().string());
      CheckCase(entry.path());
      ++cases;
    }
  }
  EXPECT_GE(cases, 20);
}

// What is proposed for a flag string of one unknown flag.
std::string Proposal(absl::string_view text) {
  const Parsed parsed = Parse(text);
  if (parsed.report.unknown.size() != 1) return "(not one unknown flag)";
  return parsed.report.unknown[0].nearest;
}

TEST(ParseXlaFlags, ProposesWhatWasMeant) {
  EXPECT_EQ(Proposal("--xla_gpu_ftz-false"), "xla_gpu_ftz=false");
  EXPECT_EQ(Proposal("--xla_gpu_ftz_true"), "xla_gpu_ftz=true");
  EXPECT_EQ(Proposal("--xla_gpu_ftz:1"), "xla_gpu_ftz=1");
  EXPECT_EQ(Proposal("--xla_dump_to:/tmp/x"), "xla_dump_to=/tmp/x");
  EXPECT_EQ(Proposal("--xla_gpu_autotune_level-0"), "xla_gpu_autotune_level=0");
  EXPECT_EQ(Proposal("--xla_gpu_ftz-maybe"), "xla_gpu_ftz");
  EXPECT_EQ(Proposal("--noxla_gpu_ftz"), "xla_gpu_ftz");
  EXPECT_EQ(Proposal("-xla_gpu_ftz=true"), "xla_gpu_ftz");
  EXPECT_EQ(Proposal("--dump_to=/x"), "xla_dump_to");
  EXPECT_EQ(Proposal("--xla_hlo_dump_as_text"), "xla_dump_hlo_as_text");
  EXPECT_EQ(Proposal("--xla_passes_disable_hlo=dce"),
            "xla_disable_hlo_passes");
  EXPECT_THAT(Parse("--xla_gpu_ftz false").report.WarningText(),
              HasSubstr("--xla_gpu_ftz=false"));
  EXPECT_THAT(
      Parse("--xla_gpu_enable_libnvptxcompiler true").report.WarningText(),
      HasSubstr("--xla_gpu_enable_libnvptxcompiler=true"));
  EXPECT_THAT(Parse("--xla_gpu_ftz \u2014\u2014xla_x").report.WarningText(),
              HasSubstr("typographic dash"));
}

TEST(ParseXlaFlags, TellsWhatBecameOfDroppedFlags) {
  EXPECT_EQ(Proposal("--xla_gpu_graph_level=0"),
            "xla_gpu_enable_command_buffer");
  EXPECT_EQ(Proposal("--xla_dump_ir_to=/x"), "xla_dump_emitter_re");
  EXPECT_EQ(Proposal("--xla_gpu_enable_triton_softmax_fusion=true"), "");
  EXPECT_THAT(Parse("--xla_gpu_simplify_all_fp_conversions").report.ErrorText(),
              HasSubstr("XLA dropped this flag; leave it out"));
  EXPECT_THAT(Parse("--xla_gpu_enable_async_all_reduce").report.ErrorText(),
              HasSubstr("--xla_gpu_disable_async_collectives=ALLREDUCE"));
}

TEST(RemovedFlags, AreSortedAndGoneAndTheirReplacementsAreThere) {
  absl::string_view last;
  for (const RemovedFlag& flag : RemovedFlags()) {
    EXPECT_LT(last, flag.name);
    last = flag.name;
    EXPECT_EQ(FindRemovedFlag(flag.name), &flag);
    EXPECT_EQ(FindDebugFlag(flag.name), nullptr) << flag.name;
    EXPECT_FALSE(flag.advice.empty());
    if (flag.replacement.empty()) continue;
    const DebugFlag* now = FindDebugFlag(flag.replacement);
    ASSERT_NE(now, nullptr) << flag.replacement;
    EXPECT_TRUE(now->is_flag()) << flag.replacement;
  }
  EXPECT_EQ(FindRemovedFlag("xla_dump_to"), nullptr);
  // Every name that the options reserve has a row, but for a message and for
  // fields whose flags are still there.
  const auto* options = xla::DebugOptions::descriptor();
  for (int i = 0; i < options->reserved_name_count(); ++i) {
    const std::string& name = options->reserved_name(i);
    if (name == "hlo_reduce_precision_options") continue;
    EXPECT_TRUE(FindRemovedFlag(name) != nullptr ||
                FindDebugFlag(name) != nullptr)
        << name;
  }
}

TEST(ParseXlaFlags, WarnsOfBrokenExpressionsAndShellPatterns) {
  for (const char* flag :
       {"xla_dump_hlo_pass_re", "xla_dump_hlo_module_re", "xla_dump_emitter_re",
        "xla_dump_hlo_pipeline_re",
        "xla_gpu_experimental_thunk_buffer_debug_filter_by_profile_annotation_"
        "re"}) {
    SCOPED_TRACE(flag);
    auto warnings = [&](absl::string_view value) {
      const Parsed parsed = Parse(absl::StrCat("--", flag, "=", value));
      EXPECT_TRUE(parsed.report.accept);
      return parsed.report.WarningText();
    };
    EXPECT_THAT(warnings("*While*"), AllOf(HasSubstr("as a regular expression"),
                                           HasSubstr("write .*While.*")));
    EXPECT_THAT(warnings("jit_*"), HasSubstr("write jit_.*"));
    EXPECT_THAT(warnings("a["), HasSubstr("cannot be used as a regular expression"));
    EXPECT_THAT(warnings("(a"), HasSubstr("cannot be used as a regular expression"));
    EXPECT_EQ(warnings(".*"), "");
    EXPECT_EQ(warnings("algsimp|dce$"), "");
    EXPECT_EQ(warnings("fu(si)*on"), "");
    EXPECT_EQ(warnings(""), "");
  }
}

TEST(ParseXlaFlags, WarnsOfBackslashesAndBlanksThatAreNone) {
  EXPECT_THAT(Warning(Parse("--xla_dump_to=/x\\")),
              HasSubstr("ends in a backslash"));
  EXPECT_THAT(Parse("--xla_gpu_ftz \\\n --xla_dump_to=/x").report.WarningText(),
              HasSubstr("a backslash joins lines only outside of quotes"));
  for (const char* blank : {"\u00a0", "\u200b", "\u202f"}) {
    EXPECT_THAT(Warning(Parse(absl::StrCat("--xla_dump_to=/x", blank,
                                           "--xla_gpu_ftz"))),
                HasSubstr("no-break space"));
    EXPECT_THAT(
        Parse(absl::StrCat("--xla_gpu_ftz=true", blank)).report.ErrorText(),
        HasSubstr("no-break space"));
    EXPECT_THAT(Parse(absl::StrCat("--xla_gpu_ftz", blank)).report.ErrorText(),
                HasSubstr("no-break space"));
  }
  // XLA takes them for a file's name.
  EXPECT_FALSE(Parse("   ").report.accept);
  EXPECT_THAT(Parse(" \t").report.ErrorText(), HasSubstr("only blanks"));
}

TEST(ParseXlaFlags, NamesTheVariableOfOtherFlags) {
  for (const char* flag :
       {"--xla_tpu_enable_latency_hiding_scheduler=true", "--xla_jf_dump_to=/x",
        "--xla_enable_async_all_gather=true", "--megascale_unheard_of=1"}) {
    EXPECT_EQ(Proposal(flag), "");
    EXPECT_THAT(Parse(flag).report.ErrorText(),
                AllOf(HasSubstr("LIBTPU_INIT_ARGS"),
                      HasSubstr("ends the process")));
  }
  EXPECT_EQ(Proposal("--tf_xla_auto_jit=2"), "");
  EXPECT_THAT(Parse("--tf_xla_auto_jit=2").report.ErrorText(),
              HasSubstr("put it into TF_XLA_FLAGS"));
}

}  // namespace
}  // namespace hlokit
