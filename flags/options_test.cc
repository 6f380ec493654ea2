#include "flags/options.h"

#include <limits>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_system.h"
#include "base/subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

enum class Format { kText, kProto };

struct ToolOptions {
  std::string output = "-";
  bool split = false;
  bool verify = true;
  int32_t indent = 2;
  int64_t bytes = 1;
  uint64_t seed = 42;
  float tolerance = 1e-3;
  double limit = 0.5;
  std::string stage = "hlo";
  Format format = Format::kText;
  std::vector<std::string> passes;
  std::vector<std::string> inputs = {"default"};
  bool secret = false;
};

OptionSet MakeSet(ToolOptions* o, bool debug_options = true) {
  OptionSet set("hlo-tool", "[OPTION...] FILE",
                "Do something to an HLO module. This paragraph is longer than "
                "a line, so that it has to be wrapped at the width.");
  set.Add("o", &o->output, OptionGroup::kOutput, "Write to this file")
      .Value("FILE");
  set.Add("split-input-file", &o->split, OptionGroup::kInput,
          "Treat each part of the file alone");
  set.Add("verify", &o->verify, OptionGroup::kPasses, "Verify the module");
  set.Add("indent", &o->indent, OptionGroup::kOutput, "Indent by N blanks")
      .Range(0, 16);
  set.Add("bytes", &o->bytes, OptionGroup::kExecution, "Use N bytes");
  set.Add("seed", &o->seed, OptionGroup::kExecution, "Start from this seed");
  set.Add("abs_error_bound", &o->tolerance, OptionGroup::kComparison,
          "Accept this error");
  set.Add("limit", &o->limit, OptionGroup::kComparison, "Stop at this");
  set.Add("stage", &o->stage, OptionGroup::kOutput, "Print this stage")
      .OneOf({"hlo", "html", "buffer-assignment"});
  set.AddEnum("format", &o->format, OptionGroup::kOutput, "Choose the format",
              {{"text", Format::kText}, {"proto", Format::kProto}});
  set.Add("passes", &o->passes, OptionGroup::kPasses, "Run these passes")
      .Value("NAME,...");
  set.Add("input", &o->inputs, OptionGroup::kInput, "Take this input")
      .OneElementEach();
  set.Add("secret", &o->secret, OptionGroup::kDiagnostics, "Be secret")
      .Hidden();
  set.Positional(1, 2);
  set.Example("hlo-tool --format=proto a.hlo --o a.pb", "make a proto");
  set.ExitCode(3, "the file is broken");
  if (debug_options) set.AcceptDebugOptions();
  return set;
}

struct Parsed {
  ToolOptions options;
  CommandLine line;
};

// Parses with one file name in front, unless the arguments bring their own.
Parsed Parse(std::vector<std::string> arguments, bool debug_options = true) {
  Parsed parsed;
  OptionSet set = MakeSet(&parsed.options, debug_options);
  arguments.insert(arguments.begin(), "FILE");
  parsed.line = set.Parse(arguments);
  return parsed;
}

std::string Mistake(std::vector<std::string> arguments,
                    bool debug_options = true) {
  CommandLine line = Parse(std::move(arguments), debug_options).line;
  EXPECT_EQ(line.exit_code, absl::optional<int>(2));
  EXPECT_THAT(line.text,
              EndsWith("Run 'hlo-tool --help' for the options.\n"));
  return line.text;
}

std::string HelpText(int width = 80, bool color = false) {
  ToolOptions options;
  return MakeSet(&options).Help({width, color});
}

TEST(OptionSet, KeepsDefaultsWithoutArguments) {
  Parsed parsed = Parse({});
  EXPECT_FALSE(parsed.line.exit_code.has_value());
  EXPECT_THAT(parsed.line.given, IsEmpty());
  EXPECT_TRUE(parsed.options.verify);
  EXPECT_THAT(parsed.options.inputs, ElementsAre("default"));
  EXPECT_THAT(parsed.line.positional, ElementsAre("FILE"));
}

TEST(OptionSet, TakesTheSpellingsOfXlasTools) {
  Parsed parsed = Parse({"--o=x=y", "--split-input-file", "--verify=FALSE",
                         "--indent=+8", "--bytes=-5",
                         "--seed=18446744073709551615",
                         "--abs_error_bound=0x1p-3", "--limit=1e-9",
                         "--stage=html", "--format=proto", "--passes=a,b"});
  EXPECT_FALSE(parsed.line.exit_code.has_value()) << parsed.line.text;
  EXPECT_EQ(parsed.options.output, "x=y");
  EXPECT_TRUE(parsed.options.split);
  EXPECT_FALSE(parsed.options.verify);
  EXPECT_EQ(parsed.options.indent, 8);
  EXPECT_EQ(parsed.options.bytes, -5);
  EXPECT_EQ(parsed.options.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(parsed.options.tolerance, 0.125f);
  EXPECT_EQ(parsed.options.limit, 1e-9);
  EXPECT_EQ(parsed.options.stage, "html");
  EXPECT_EQ(parsed.options.format, Format::kProto);
  EXPECT_THAT(parsed.options.passes, ElementsAre("a", "b"));
  EXPECT_TRUE(parsed.line.IsSet("split_input_file"));
  EXPECT_FALSE(parsed.line.IsSet("secret"));
}

TEST(OptionSet, TakesBoolsAsZeroAndOne) {
  EXPECT_FALSE(Parse({"--verify=0"}).options.verify);
  EXPECT_TRUE(Parse({"--split-input-file=1"}).options.split);
  EXPECT_TRUE(Parse({"--split-input-file=True"}).options.split);
}

TEST(OptionSet, TakesValuesAsSeparateWords) {
  Parsed parsed = Parse({"-o", "out", "--indent", "-0", "--passes", "a",
                         "--stage", "html"});
  EXPECT_FALSE(parsed.line.exit_code.has_value()) << parsed.line.text;
  EXPECT_EQ(parsed.options.output, "out");
  EXPECT_EQ(parsed.options.stage, "html");
  EXPECT_THAT(parsed.line.positional, ElementsAre("FILE"));
  EXPECT_EQ(Parse({"--o", "-"}).options.output, "-");
  EXPECT_EQ(Parse({"-o=x"}).options.output, "x");
}

TEST(OptionSet, NeverTakesTheNextWordForABool) {
  Parsed parsed = Parse({"--split-input-file", "true"});
  EXPECT_TRUE(parsed.options.split);
  EXPECT_THAT(parsed.line.positional, ElementsAre("FILE", "true"));
}

TEST(OptionSet, TakesNegatedBools) {
  EXPECT_FALSE(Parse({"--noverify"}).options.verify);
  EXPECT_FALSE(Parse({"--no-verify"}).options.verify);
  EXPECT_FALSE(Parse({"--no_verify"}).options.verify);
  EXPECT_THAT(Mistake({"--noverify=true"}), HasSubstr("takes no value"));
  EXPECT_THAT(Mistake({"--noindent"}), HasSubstr("unknown option"));
}

TEST(OptionSet, TreatsHyphensAndUnderscoresAlike) {
  EXPECT_TRUE(Parse({"--split_input_file"}).options.split);
  EXPECT_EQ(Parse({"--abs-error-bound=2"}).options.tolerance, 2);
}

TEST(OptionSet, TakesADashAndAllAfterTwoDashesAsPositional) {
  ToolOptions options;
  OptionSet set = MakeSet(&options);
  CommandLine line = set.Parse({"-", "--", "--verify=false"});
  EXPECT_FALSE(line.exit_code.has_value()) << line.text;
  EXPECT_THAT(line.positional, ElementsAre("-", "--verify=false"));
  EXPECT_TRUE(options.verify);
}

TEST(OptionSet, LetsTheLastScalarWinAndListsAddUp) {
  Parsed parsed = Parse({"--indent=1", "--indent=3", "--passes=a, b,",
                         "--passes=c", "--input=x,y", "--input=z"});
  EXPECT_EQ(parsed.options.indent, 3);
  EXPECT_THAT(parsed.options.passes, ElementsAre("a", "b", "c"));
  EXPECT_THAT(parsed.options.inputs, ElementsAre("x,y", "z"));
  EXPECT_THAT(Parse({"--passes="}).options.passes, IsEmpty());
}

TEST(OptionSet, StaysValidWhenMoved) {
  ToolOptions options;
  OptionSet first = MakeSet(&options);
  OptionSet set = std::move(first);
  CommandLine line = set.Parse({"F", "--debug_options_file=d", "--indent=5"});
  EXPECT_EQ(options.indent, 5);
  EXPECT_EQ(line.debug_options_file, "d");
}

TEST(OptionSet, TellsAllMistakesAtOnce) {
  std::string text = Mistake({"--indent=x", "--formt=proto", "--bytes"});
  EXPECT_THAT(text, AllOf(HasSubstr("--indent: 'x' is not a whole number"),
                          HasSubstr("unknown option '--formt=proto'; did you "
                                    "mean '--format'?"),
                          HasSubstr("--bytes needs a value")));
}

TEST(OptionSet, KeepsNumbersInTheirRange) {
  EXPECT_THAT(Mistake({"--indent=17"}), HasSubstr("'17' is not from 0 to 16"));
  EXPECT_THAT(Mistake({"--indent=-1"}), HasSubstr("'-1' is not from 0 to 16"));
  EXPECT_EQ(Parse({"--indent=16"}).options.indent, 16);
}

TEST(OptionSet, RefusesValuesThatDoNotFit) {
  for (const char* argument :
       {"--indent=1.5", "--indent=0x1", "--indent=", "--bytes=1e3",
        "--seed=-1", "--limit=one", "--verify=yes", "--split-input-file=",
        "--abs_error_bound="}) {
    EXPECT_THAT(Mistake({argument}), HasSubstr("is not")) << argument;
  }
  EXPECT_THAT(Mistake({"--format=prot"}),
              HasSubstr("'prot' is not one of text, proto; did you mean "
                        "'proto'?"));
  EXPECT_THAT(Mistake({"--stage=buffers"}),
              HasSubstr("not one of hlo, html, buffer-assignment"));
}

TEST(OptionSet, AsksForAValueBeforeTheNextOption) {
  EXPECT_THAT(Mistake({"--stage", "--verify"}),
              HasSubstr("--stage needs a value: --stage=VALUE"));
  EXPECT_THAT(Mistake({"-o"}), HasSubstr("-o needs a value"));
}

TEST(OptionSet, WantsTwoDashes) {
  EXPECT_THAT(Mistake({"-verify"}),
              HasSubstr("options start with two dashes: --verify"));
}

TEST(OptionSet, CountsPositionalArguments) {
  ToolOptions options;
  CommandLine line = MakeSet(&options).Parse({});
  EXPECT_EQ(line.exit_code, absl::optional<int>(2));
  EXPECT_THAT(line.text, HasSubstr("1 argument is missing: hlo-tool "
                                   "[OPTION...] FILE"));
  EXPECT_THAT(Mistake({"a", "b"}),
              HasSubstr("too many arguments: 'b' (at most 2)"));
  OptionSet none("none", "", "Take nothing.");
  EXPECT_THAT(none.Parse({"x"}).text, HasSubstr("unexpected argument 'x'"));
}

TEST(OptionSet, CollectsXlaFlagsInOrder) {
  Parsed parsed = Parse({"--xla_dump_to=/x", "--xla_dump_hlo_as_text",
                         "--noxla_cpu_ftz", "--xla-dump-to", "/y"});
  EXPECT_FALSE(parsed.line.exit_code.has_value()) << parsed.line.text;
  std::vector<std::string> settings;
  for (const auto& one : parsed.line.debug_settings) {
    settings.push_back(absl::StrCat(one.flag->name, "=", one.value));
  }
  EXPECT_THAT(settings,
              ElementsAre("xla_dump_to=/x", "xla_dump_hlo_as_text=true",
                          "xla_cpu_ftz=false", "xla_dump_to=/y"));
  EXPECT_TRUE(parsed.line.IsSet("xla_cpu_ftz"));
}

TEST(OptionSet, ChecksXlaFlagsAtOnceAndSuggestsNames) {
  EXPECT_THAT(Mistake({"--xla_dump_hlo_as_text=yes"}),
              HasSubstr("--xla_dump_hlo_as_text: 'yes' is not"));
  EXPECT_THAT(Mistake({"--xla_dump_hlo_as_txt"}),
              HasSubstr("did you mean '--xla_dump_hlo_as_text'?"));
  EXPECT_THAT(Mistake({"--xla_enable_dumping=false"}),
              HasSubstr("--debug_options_file"));
  EXPECT_THAT(Mistake({"--_xla_cpu_ftz"}), HasSubstr("unknown option"));
  EXPECT_THAT(Mistake({"--xla_dump_to=x"}, /*debug_options=*/false),
              HasSubstr("hlo-tool takes no --xla_ flags"));
}

TEST(OptionSet, LetsAToolsOwnOptionHideAnXlaFlag) {
  std::string own;
  OptionSet set("tool", "", "Do something.");
  set.Add("xla_dump_to", &own, OptionGroup::kOutput, "Dump here");
  set.AcceptDebugOptions();
  CommandLine line = set.Parse({"--xla_dump_to=mine"});
  EXPECT_EQ(own, "mine");
  EXPECT_THAT(line.debug_settings, IsEmpty());
}

TEST(OptionSet, AnswersHelpAndVersionWithCodeZero) {
  for (const char* argument : {"--help", "-h"}) {
    CommandLine line = Parse({argument}).line;
    EXPECT_EQ(line.exit_code, absl::optional<int>(0));
    EXPECT_EQ(line.text, HelpText());
  }
  CommandLine line = Parse({"--version"}).line;
  EXPECT_EQ(line.exit_code, absl::optional<int>(0));
  EXPECT_THAT(line.text, StartsWith("hlo-tool (hlokit) 0.1.0\nbuild type "));
}

TEST(OptionSet, ShowsHelpInFixedGroupsAndColumns) {
  EXPECT_EQ(
      HelpText(),
      "Usage: hlo-tool [OPTION...] FILE\n"
      "\n"
      "Do something to an HLO module. This paragraph is longer than a line, so "
      "that it\n"
      "has to be wrapped at the width.\n"
      "\n"
      "Input:\n"
      "  --split-input-file          Treat each part of the file alone\n"
      "  --input=TEXT                Take this input (default: default)\n"
      "\n"
      "Output:\n"
      "  -o FILE                     Write to this file (default: -)\n"
      "  --indent=N                  Indent by N blanks (default: 2)\n"
      "  --stage=WORD                Print this stage; one of hlo, html,\n"
      "                              buffer-assignment (default: hlo)\n"
      "  --format=text|proto         Choose the format (default: text)\n"
      "\n"
      "Passes:\n"
      "  --[no]verify                Verify the module (default: true)\n"
      "  --passes=NAME,...           Run these passes\n"
      "\n"
      "Comparison:\n"
      "  --abs_error_bound=X         Accept this error (default: 0.001)\n"
      "  --limit=X                   Stop at this (default: 0.5)\n"
      "\n"
      "Execution:\n"
      "  --bytes=N                   Use N bytes (default: 1)\n"
      "  --seed=N                    Start from this seed (default: 42)\n"
      "\n"
      "Common:\n"
      "  --debug_options_file=FILE   Take XLA's options from this text proto, "
      "as a\n"
      "                              dump's .debug_options\n"
      "  --help, -h                  Show this text\n"
      "  --help=TOPIC                Show one group, option or XLA flag\n"
      "  --help-all                  Show everything, hidden options and XLA "
      "flags too\n"
      "  --version                   Show version and build\n"
      "  --completion=SHELL          Print the completion script for bash, zsh "
      "or fish\n"
      "  --xla_...                   Set any XLA flag, over those in "
      "XLA_FLAGS\n"
      "\n"
      "Examples:\n"
      "  hlo-tool --format=proto a.hlo --o a.pb\n"
      "      make a proto\n"
      "\n"
      "Exit codes:\n"
      "  0  success\n"
      "  2  the command line is wrong\n"
      "  3  the file is broken\n");
}

TEST(OptionSet, WrapsHelpToTheTerminal) {
  ToolOptions options;
  OptionSet set = MakeSet(&options);
  for (int width : {40, 60, 80, 100}) {
    for (absl::string_view line :
         absl::StrSplit(set.Help({width, false}), '\n')) {
      if (line.size() <= static_cast<size_t>(width)) continue;
      // Only what cannot be broken may be longer: the usage line, a command of
      // the examples, one long word in the second column.
      bool one_word = absl::StartsWith(line, std::string(30, ' ')) &&
                      !absl::StrContains(line.substr(30), ' ');
      EXPECT_TRUE(one_word || absl::StartsWith(line, "Usage") ||
                  absl::StartsWith(line, "  hlo-tool"))
          << width << ": " << line;
    }
  }
}

TEST(OptionSet, UsesColourOnlyWhenAsked) {
  EXPECT_THAT(HelpText(80, false), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(HelpText(80, true), HasSubstr("\x1b["));
}

TEST(OptionSet, ShowsHiddenOptionsAndXlaFlagsInHelpAllOnly) {
  EXPECT_THAT(HelpText(), Not(HasSubstr("secret")));
  EXPECT_THAT(HelpText(), Not(HasSubstr("--xla_dump_to")));
  std::string all = Parse({"--help-all"}).line.text;
  EXPECT_THAT(all, HasSubstr("--secret"));
  EXPECT_THAT(all, HasSubstr("XLA flags: dumping:\n"));
  size_t shown = 0;
  for (const DebugFlag& flag : DebugFlags()) {
    bool listed = absl::StrContains(all, absl::StrCat("--", flag.name, "\n")) ||
                  absl::StrContains(all, absl::StrCat("--", flag.name, " ")) ||
                  absl::StrContains(all, absl::StrCat("--", flag.name, "="));
    EXPECT_EQ(listed, flag.is_flag() && flag.kind != DebugFlagKind::kIgnored)
        << flag.name;
    shown += listed;
  }
  EXPECT_GT(shown, 300u);
  ToolOptions options;
  EXPECT_THAT(MakeSet(&options, false).HelpAll(), Not(HasSubstr("--xla_")));
}

TEST(OptionSet, ShowsHelpOnOneTopic) {
  std::string dumping = Parse({"--help=dumping"}).line.text;
  EXPECT_THAT(dumping, AllOf(StartsWith("XLA flags: dumping:\n"),
                             HasSubstr("--xla_dump_to=TEXT"),
                             Not(HasSubstr("xla_cpu_ftz"))));
  EXPECT_THAT(Parse({"--help=Output"}).line.text,
              AllOf(StartsWith("Output:\n"), HasSubstr("--indent=N")));
  EXPECT_THAT(Parse({"--help=passes"}).line.text,
              AllOf(HasSubstr("--[no]verify"),
                    HasSubstr("--xla_disable_hlo_passes=NAME,...")));
  EXPECT_THAT(Parse({"--help=--indent"}).line.text,
              AllOf(StartsWith("--indent=N\n"), HasSubstr("From 0 to 16.")));
  EXPECT_THAT(
      Parse({"--help=xla_gpu_detect_nan"}).line.text,
      HasSubstr("Accepts one of none, warning, fail, dump."));
  EXPECT_THAT(Mistake({"--help=dumpin"}),
              HasSubstr("no help on 'dumpin'; did you mean 'dumping'?"));
}

TEST(OptionSet, PrintsHelpToOutAndMistakesToErr) {
  std::ostringstream out, err;
  ToolIo io;
  io.out = &out;
  io.err = &err;
  io.getenv = [](const char*) -> const char* { return nullptr; };
  ToolOptions options;
  OptionSet set = MakeSet(&options);
  const char* help[] = {"hlo-tool", "--help"};
  EXPECT_EQ(set.ParseMain(2, help, io).exit_code, absl::optional<int>(0));
  EXPECT_THAT(out.str(), StartsWith("Usage: hlo-tool"));
  EXPECT_EQ(err.str(), "");
  const char* bad[] = {"hlo-tool", "--bad", "x"};
  EXPECT_EQ(set.ParseMain(3, bad, io).exit_code, absl::optional<int>(2));
  EXPECT_THAT(err.str(), StartsWith("hlo-tool: error: unknown option '--bad'"));
}

TEST(OptionSet, OffersCompletionForThreeShellsOnly) {
  ToolOptions options;
  OptionSet set = MakeSet(&options);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    auto script = set.Completion(shell);
    ASSERT_TRUE(script.ok());
    EXPECT_THAT(*script, AllOf(HasSubstr("format"), HasSubstr("text proto"),
                               HasSubstr("xla_dump_to"),
                               Not(HasSubstr("secret"))));
  }
  EXPECT_THAT(Mistake({"--completion=tcsh"}), HasSubstr("bash, zsh, fish"));
  EXPECT_THAT(Mistake({"--completion"}), HasSubstr("bash, zsh, fish"));
}

// What bash offers for `line` with the cursor at its end.
std::string BashCompletes(absl::string_view line) {
  ToolOptions options;
  SubprocessOptions run;
  run.argv = {"bash", "--norc", "-s"};
  run.stdin_text = absl::StrCat(
      *MakeSet(&options).Completion("bash"), "COMP_LINE='", line,
      "'\nCOMP_POINT=${#COMP_LINE}\n_hlo_tool\necho \"${COMPREPLY[*]}\"\n");
  run.time_limit = absl::Seconds(30);
  auto result = RunSubprocess(run);
  EXPECT_TRUE(result.ok() && result->err.empty())
      << (result.ok() ? result->err : result.status().ToString());
  return result.ok() ? result->out : "";
}

TEST(OptionSet, CompletesInBash) {
  if (!FindProgram("bash").ok()) GTEST_SKIP() << "no bash";
  EXPECT_EQ(BashCompletes("hlo-tool --form"), "--format=\n");
  EXPECT_EQ(BashCompletes("hlo-tool x --format=pr"), "proto\n");
  EXPECT_EQ(BashCompletes("hlo-tool --stage="), "hlo html buffer-assignment\n");
  EXPECT_EQ(BashCompletes("hlo-tool --noveri"), "--noverify\n");
  EXPECT_EQ(BashCompletes("hlo-tool --xla_gpu_detect_nan=w"), "warning\n");
  EXPECT_EQ(BashCompletes("hlo-tool --xla_dump_hlo_to"),
            "--xla_dump_hlo_to_subfolder\n");
}

TEST(OptionSet, WritesAManualPage) {
  ToolOptions options;
  std::string page = MakeSet(&options).ManPage();
  EXPECT_THAT(page, StartsWith(".TH \"HLO-TOOL\" 1"));
  EXPECT_THAT(page, HasSubstr(".SS Output\n.TP\n.B \\-o FILE\nWrite to this "
                              "file (default: \\-)\n"));
  EXPECT_THAT(page, HasSubstr("\n.SH EXIT STATUS\n"));
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, ".")) {
      EXPECT_TRUE(absl::StartsWith(line, ".TH") ||
                  absl::StartsWith(line, ".SH") ||
                  absl::StartsWith(line, ".SS") ||
                  absl::StartsWith(line, ".TP") ||
                  absl::StartsWith(line, ".B "))
          << line;
    }
  }
}

}  // namespace
}  // namespace hlokit
