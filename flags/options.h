// The options of a tool: one registry that makes the parser, `--help`, manual
// page and shell completion. A tool keeps a plain struct; an OptionSet fills
// it.
//
//   struct ConvertOptions {
//     std::string output = "-";
//     bool verify = true;
//     int32_t indent = 2;
//     Format format = Format::kText;
//     std::vector<std::string> passes;
//   };
//
//   OptionSet MakeOptions(ConvertOptions* o) {
//     OptionSet set("hlo-convert", "[OPTION...] FILE",
//                   "Convert an HLO module from one format to another.");
//     set.Add("o", &o->output, OptionGroup::kOutput, "Write to this file")
//         .Value("FILE");
//     set.Add("verify", &o->verify, OptionGroup::kPasses, "Verify the module");
//     set.Add("indent", &o->indent, OptionGroup::kOutput, "Indent by N blanks")
//         .Range(0, 16);
//     set.AddEnum("format", &o->format, OptionGroup::kOutput,
//                 "Choose the format",
//                 {{"text", Format::kText}, {"proto", Format::kProto}});
//     set.Add("passes", &o->passes, OptionGroup::kPasses, "Run these passes")
//         .Value("NAME,...");
//     set.Positional(1, 1);
//     set.Example("hlo-convert --format=proto a.hlo --o a.pb", "make a proto");
//     set.AcceptDebugOptions();  // also --xla_... and --debug_options_file
//     return set;
//   }
//
//   int main(int argc, char** argv) {
//     ConvertOptions options;
//     OptionSet set = MakeOptions(&options);
//     ToolIo io = StandardIo();
//     CommandLine line = set.ParseMain(argc, argv, io);
//     if (line.exit_code.has_value()) return *line.exit_code;
//     ... line.positional[0], ResolveDebugOptions(line, io)  // resolve.h
//   }
//
// Spellings: `--name=value` and, for bools, `--name`, `--name=true|false|1|0`
// (any case) as in XLA's tools; besides `--name value` where the option takes a
// value, `--noname` / `--no-name` for bools, `-` and `_` in names alike, and
// `-o value` for names of one letter. `--` ends the options, `-` is positional.
// Options and files may stand in any order. A tool's own option shadows a
// DebugOptions flag of the same name.
//
// Every tool also has --help (-h), --help=GROUP, --help=OPTION, --help-all,
// --version and --completion=bash|zsh|fish. Exit code 2 answers a mistake on
// the command line. Nothing here is thread-safe.
#ifndef HLOKIT_FLAGS_OPTIONS_H_
#define HLOKIT_FLAGS_OPTIONS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "flags/debug_options.h"

namespace hlokit {

// Groups of `--help`, in the order in which they are shown.
enum class OptionGroup : uint8_t {
  kInput,
  kOutput,
  kSelection,
  kPasses,
  kComparison,
  kExecution,
  kDiagnostics,
  kCommon,
};

enum class OptionKind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kUint64,
  kFloat,
  kDouble,
  kString,
  kEnum,  // one of `words`
  kList,  // comma-separated strings; occurrences add up
};

// One option. The members are public for help writers; tools use the setters.
struct Option {
  std::string name;  // without dashes
  OptionKind kind;
  OptionGroup group;
  std::string help;          // one imperative sentence, no full stop
  std::string value_name;    // "FILE"; made from the kind when empty
  std::string default_text;  // the target's value when it was registered
  std::vector<std::string> words;  // what an enum (or a OneOf string) accepts
  bool hidden = false;             // left out of help and completion
  bool split_commas = true;        // of a list
  absl::optional<std::pair<double, double>> range;  // of a number, inclusive
  // Stores a value; the message of an error says what is accepted.
  std::function<absl::Status(absl::string_view)> store;
  // Empties a list before the first occurrence replaces its default.
  std::function<void()> clear;

  Option& Value(absl::string_view name) {
    value_name = std::string(name);
    return *this;
  }
  Option& Hidden() {
    hidden = true;
    return *this;
  }
  // Of a string: only these words are taken.
  Option& OneOf(std::vector<std::string> accepted) {
    words = std::move(accepted);
    return *this;
  }
  // Of a number: only values in [low, high] are taken.
  Option& Range(double low, double high) {
    range.emplace(low, high);
    return *this;
  }
  // Of a list: each occurrence is one element; commas are ordinary characters.
  Option& OneElementEach() {
    split_commas = false;
    return *this;
  }
  // Shown instead of the target's value, e.g. "from the file's name".
  Option& Default(absl::string_view text) {
    default_text = std::string(text);
    return *this;
  }
};

// A command line after parsing.
struct CommandLine {
  struct DebugSetting {
    const DebugFlag* flag;
    std::string value;
  };
  std::vector<std::string> positional;
  std::vector<DebugSetting> debug_settings;  // in the order given
  std::string debug_options_file;            // "" when not given
  std::vector<std::string> given;            // options that occurred, by name
  // Set when the tool has nothing more to do: help was asked for (0), or there
  // was a mistake (2). `text` belongs on stdout for 0, else on stderr.
  absl::optional<int> exit_code;
  std::string text;

  bool IsSet(absl::string_view option) const;
};

// Things about the terminal that help texts depend on.
struct HelpStyle {
  int width = 80;      // columns
  bool color = false;  // terminal escapes
};

// What stands for the value in help: "FILE", "N", "text|proto", "" for bools.
std::string ValueName(const Option& option);
std::string ValueName(const DebugFlag& flag);

class OptionSet {
 public:
  // `usage` follows the program's name in the usage line; `summary` is one
  // paragraph.
  OptionSet(absl::string_view program, absl::string_view usage,
            absl::string_view summary);
  OptionSet(OptionSet&&) = default;
  OptionSet& operator=(OptionSet&&) = default;

  // Registers an option. `target` keeps its value until the option occurs and
  // must outlive this object. The reference stays valid.
  Option& Add(absl::string_view name, bool* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, int32_t* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, int64_t* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, uint64_t* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, float* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, double* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, std::string* target, OptionGroup group,
              absl::string_view help);
  Option& Add(absl::string_view name, std::vector<std::string>* target,
              OptionGroup group, absl::string_view help);
  // An enum given by words (exact case).
  template <typename E>
  Option& AddEnum(absl::string_view name, E* target, OptionGroup group,
                  absl::string_view help,
                  std::vector<std::pair<std::string, E>> words) {
    std::string now;
    std::vector<std::string> names;
    for (const auto& [word, value] : words) {
      names.push_back(word);
      if (value == *target && now.empty()) now = word;
    }
    return AddWords(name, group, help, std::move(names), now,
                    [target, words = std::move(words)](size_t i) {
                      *target = words[i].second;
                    });
  }

  // How many files the tool takes; max -1 means any number.
  void Positional(int min, int max);
  // Shown under "Examples"; `what` says in a few words what it does.
  void Example(absl::string_view command, absl::string_view what);
  // Adds to, or replaces in, the list of exit codes (0, 2 are always there).
  void ExitCode(int code, absl::string_view meaning);
  // The tool also takes --xla_... and --debug_options_file.
  void AcceptDebugOptions();

  // Parses arguments (without the program's name) into the targets. Never
  // fails: mistakes are in the result (exit_code 2), all of them at once.
  CommandLine Parse(absl::Span<const std::string> arguments,
                    const HelpStyle& style = {});

  // The same for main(): argv[0] is skipped, and the text of help or mistakes
  // is printed when there is one.
  CommandLine ParseMain(int argc, const char* const* argv, const ToolIo& io);
  // The same for arguments without the program's name.
  CommandLine ParseMain(absl::Span<const std::string> arguments,
                        const ToolIo& io);

  // The texts behind --help, --help=TOPIC (a group, option or flag name),
  // --help-all, --version, and --completion=SHELL.
  std::string Help(const HelpStyle& style = {}) const;
  absl::StatusOr<std::string> HelpOn(absl::string_view topic,
                                     const HelpStyle& style = {}) const;
  std::string HelpAll(const HelpStyle& style = {}) const;
  static absl::string_view GroupName(OptionGroup group);  // "Input"
  // Every group, in the order of help.
  static absl::Span<const OptionGroup> Groups();
  std::string Version() const;
  absl::StatusOr<std::string> Completion(absl::string_view shell) const;
  // The manual page (section 1) in roff.
  std::string ManPage() const;

  const std::string& program() const { return program_; }
  const std::deque<Option>& options() const { return options_; }
  // The option of that name, `-` and `_` alike, or null.
  const Option* Find(absl::string_view name) const;

 private:
  Option& AddOption(absl::string_view name, OptionKind kind, OptionGroup group,
                    absl::string_view help, std::string default_text);
  Option& AddWords(absl::string_view name, OptionGroup group,
                   absl::string_view help, std::vector<std::string> words,
                   std::string default_text, std::function<void(size_t)> set);

  friend class CommandLineParser;
  friend class HelpWriter;

  std::string program_;
  std::string usage_;
  std::string summary_;
  std::deque<Option> options_;
  std::vector<std::pair<std::string, std::string>> examples_;
  std::vector<std::pair<int, std::string>> exit_codes_;
  int min_positional_ = 0;
  int max_positional_ = 0;
  // Not null when DebugOptions are accepted: the target of
  // --debug_options_file. On the heap, so that moving this object is allowed.
  std::unique_ptr<std::string> debug_options_file_;
};

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_OPTIONS_H_
