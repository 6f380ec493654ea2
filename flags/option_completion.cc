// Completion scripts for shells.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "base/suggest.h"
#include "flags/options.h"

namespace hlokit {
namespace {

// One option as shells see it.
struct Entry {
  std::string name;  // without dashes
  std::string help;
  bool takes_value = false;
  std::vector<std::string> words;  // empty: a file or anything
};

std::vector<Entry> Entries(const OptionSet& set, bool debug_flags) {
  std::vector<Entry> entries;
  for (const Option& option : set.options()) {
    if (option.hidden) continue;
    entries.push_back({option.name, option.help,
                       option.kind != OptionKind::kBool, option.words});
    if (option.kind == OptionKind::kBool && option.default_text == "true") {
      entries.push_back({absl::StrCat("no", option.name),
                         absl::StrCat("Not: ", option.help), false, {}});
    }
  }
  entries.push_back({"help", "Show the options", false, {}});
  entries.push_back({"help-all", "Show everything", false, {}});
  entries.push_back({"version", "Show version and build", false, {}});
  entries.push_back({"completion", "Print a completion script", true,
                     {"bash", "zsh", "fish"}});
  if (!debug_flags) return entries;
  for (const DebugFlag& flag : DebugFlags()) {
    if (!flag.is_flag() || flag.kind == DebugFlagKind::kIgnored) continue;
    bool takes_value =
        !flag.is_bool() ||
        DebugFlagValue(flag, DefaultDebugOptions()) == "true";
    entries.push_back({std::string(flag.name), std::string(flag.help),
                       takes_value,
                       takes_value ? DebugFlagWords(flag)
                                   : std::vector<std::string>{}});
  }
  return entries;
}

std::string Dashes(const Entry& entry) {
  return absl::StrCat(entry.name.size() == 1 ? "-" : "--", entry.name);
}

// A shell function's name.
std::string Function(absl::string_view program) {
  std::string name = "_";
  for (char c : program) name += absl::ascii_isalnum(c) ? c : '_';
  return name;
}

std::string SingleQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// The word before the cursor is taken from the line itself, since bash splits
// its own words at '='; for the same reason only what follows '=' is offered.
std::string Bash(absl::string_view program, const std::vector<Entry>& entries) {
  std::string function = Function(program);
  std::string names, cases;
  for (const Entry& entry : entries) {
    absl::StrAppend(&names, "    ", Dashes(entry),
                    entry.takes_value ? "=" : "", "\n");
    if (entry.words.empty()) continue;
    absl::StrAppend(&cases, "      ", Dashes(entry), ") words=",
                    SingleQuoted(absl::StrJoin(entry.words, " ")), " ;;\n");
  }
  return absl::StrCat(
      "# bash completion for ", program, "\n", function, "() {\n",
      "  local line=\"${COMP_LINE:0:COMP_POINT}\"\n"
      "  local word=\"${line##*[[:space:]]}\" words=''\n"
      "  COMPREPLY=()\n"
      "  if [[ $word == -*=* ]]; then\n"
      "    case \"${word%%=*}\" in\n",
      cases,
      "    esac\n"
      "    local value=\"${word#*=}\"\n"
      "    if [[ -n $words ]]; then\n"
      "      COMPREPLY=($(compgen -W \"$words\" -- \"$value\"))\n"
      "    else\n"
      "      COMPREPLY=($(compgen -f -- \"$value\"))\n"
      "    fi\n"
      "  elif [[ $word == -* ]]; then\n"
      "    local names='\n",
      names,
      "    '\n"
      "    COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
      "    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then\n"
      "      compopt -o nospace 2>/dev/null\n"
      "    fi\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F ",
      function, " ", program, "\n");
}

std::string Zsh(absl::string_view program, const std::vector<Entry>& entries) {
  std::string out = absl::StrCat("#compdef ", program, "\n_arguments \\\n");
  for (const Entry& entry : entries) {
    std::string help = absl::StrReplaceAll(
        entry.help, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
    std::string spec = absl::StrCat(Dashes(entry), entry.takes_value ? "=" : "",
                                    "[", help, "]");
    if (entry.takes_value) {
      absl::StrAppend(&spec, ":value:",
                      entry.words.empty()
                          ? "_files"
                          : absl::StrCat("(", absl::StrJoin(entry.words, " "),
                                         ")"));
    }
    absl::StrAppend(&out, "  ", SingleQuoted(spec), " \\\n");
  }
  absl::StrAppend(&out, "  '*:file:_files'\n");
  return out;
}

std::string Fish(absl::string_view program, const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries) {
    absl::StrAppend(&out, "complete -c ", program,
                    entry.name.size() == 1 ? " -s " : " -l ", entry.name);
    if (entry.takes_value) {
      absl::StrAppend(&out, entry.words.empty() ? " -r" : " -x");
      if (!entry.words.empty()) {
        absl::StrAppend(&out, " -a ",
                        SingleQuoted(absl::StrJoin(entry.words, " ")));
      }
    }
    std::string help =
        absl::StrReplaceAll(entry.help, {{"\\", "\\\\"}, {"'", "\\'"}});
    absl::StrAppend(&out, " -d '", help, "'\n");
  }
  return out;
}

}  // namespace

absl::StatusOr<std::string> OptionSet::Completion(
    absl::string_view shell) const {
  std::vector<Entry> entries = Entries(*this, debug_options_file_ != nullptr);
  if (shell == "bash") return Bash(program_, entries);
  if (shell == "zsh") return Zsh(program_, entries);
  if (shell == "fish") return Fish(program_, entries);
  static constexpr absl::string_view kShells[] = {"bash", "zsh", "fish"};
  return InvalidArgument("--completion: '%s' is not one of bash, zsh, fish%s",
                         shell, DidYouMean(shell, kShells));
}

}  // namespace hlokit
