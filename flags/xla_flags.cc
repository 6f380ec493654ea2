#include "flags/xla_flags.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/diagnostics.h"
#include "base/regex.h"
#include "flags/environment.h"
#include "flags/removed_flags.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

constexpr absl::string_view kBlanks = " \t\r\n";
constexpr int64_t kMaxFlagFile = int64_t{1} << 24;  // bytes

// Dashes that word processors put where people typed '-'.
constexpr absl::string_view kDashes[] = {
    "\u2010", "\u2011", "\u2012", "\u2013",
    "\u2014", "\u2015", "\u2212", "\uff0d"};
// Blanks that look like one and are not, and marks that show nothing.
constexpr absl::string_view kFalseBlanks[] = {
    "\u00a0", "\u2007", "\u202f", "\u200b", "\u3000", "\ufeff"};
constexpr absl::string_view kQuotes[] = {"\u201c", "\u201d", "\u201e",
                                         "\u2018", "\u2019"};

template <typename Words>
bool StartsWithAny(absl::string_view text, const Words& words) {
  return std::any_of(
      std::begin(words), std::end(words),
      [&](absl::string_view word) { return absl::StartsWith(text, word); });
}

template <typename Words>
bool ContainsAny(absl::string_view text, const Words& words) {
  return std::any_of(
      std::begin(words), std::end(words),
      [&](absl::string_view word) { return absl::StrContains(text, word); });
}

bool IsNameByte(char c) {
  return absl::ascii_isalnum(c) || c == '-' || c == '_';
}

struct Token {
  absl::string_view written;
  std::string text;  // without quotes and escapes
  size_t offset = 0;
  bool open_quote = false;  // the quote is not closed
};

// Splits the text into tokens.
class Splitter {
 public:
  // With `comments`, lines whose first word starts with '#' are skipped.
  Splitter(absl::string_view text, bool comments)
      : text_(text), comments_(comments) {}

  // False at the end, or where a word does not start with '-'.
  bool Next(Token* token) {
    SkipBlanks();
    if (pos_ == text_.size() || text_[pos_] != '-') return false;
    token->offset = pos_;
    token->open_quote = false;
    size_t end = pos_;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    if (end + 1 < text_.size() && text_[end] == '=' &&
        (text_[end + 1] == '"' || text_[end + 1] == '\'')) {
      token->text = std::string(text_.substr(pos_, end + 1 - pos_));
      pos_ = end + 1;
      ReadQuoted(token);
    } else {
      end = std::min(text_.find_first_of(kBlanks, end), text_.size());
      token->text = std::string(text_.substr(pos_, end - pos_));
      pos_ = end;
    }
    token->written = text_.substr(token->offset, pos_ - token->offset);
    return true;
  }

  size_t position() const { return pos_; }
  // Where the first skipped comment starts, or npos.
  size_t first_comment() const { return first_comment_; }

 private:
  void SkipBlanks() {
    while (true) {
      pos_ = std::min(text_.find_first_not_of(kBlanks, pos_), text_.size());
      if (!comments_ || pos_ == text_.size() || text_[pos_] != '#') return;
      size_t line = pos_ == 0 ? absl::string_view::npos
                              : text_.rfind('\n', pos_ - 1);
      line = line == absl::string_view::npos ? 0 : line + 1;
      if (text_.substr(line, pos_ - line).find_first_not_of(kBlanks) !=
          absl::string_view::npos) {
        return;
      }
      first_comment_ = std::min(first_comment_, pos_);
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    }
  }

  void ReadQuoted(Token* token) {
    const char quote = text_[pos_++];
    for (; pos_ < text_.size(); ++pos_) {
      char c = text_[pos_];
      if (c == quote) {
        ++pos_;
        return;
      }
      if (c == '\\' && quote == '"') {
        if (++pos_ == text_.size()) break;
        c = text_[pos_];
      }
      token->text += c;
    }
    token->open_quote = true;
  }

  absl::string_view text_;
  bool comments_;
  size_t pos_ = 0;
  size_t first_comment_ = absl::string_view::npos;
};

// "$HOME", "${X}", "$(x)", but not the end of a regular expression.
bool HoldsVariable(absl::string_view value) {
  for (size_t i = 0; i + 1 < value.size(); ++i) {
    if (value[i] != '$') continue;
    char next = value[i + 1];
    if (absl::ascii_isalpha(next) || next == '_' || next == '{' ||
        next == '(') {
      return true;
    }
  }
  return false;
}

// Returns whether the text looks like a shell pattern: it has a star, and
// nothing that only expressions have.
bool LooksLikeGlob(absl::string_view text) {
  if (text.find_first_of(".[](){}|^$+\\") != absl::string_view::npos) {
    return false;
  }
  return absl::StrContains(text, "*");
}

// Returns what is wrong with an expression, "" if nothing is.
std::string FaultOfRegex(absl::string_view text) {
  const auto regex = CompileRegex(text);
  const std::string instead =
      absl::StrReplaceAll(text, {{"*", ".*"}, {"?", "."}});
  if (!regex.ok()) {
    std::string fault = absl::StrCat(
        "cannot be used as a regular expression (", regex.status().message(),
        "), so it matches nothing");
    if (LooksLikeGlob(text)) {
      absl::StrAppend(&fault, "; it looks like a shell pattern: write ",
                      instead);
    }
    return fault;
  }
  if (!LooksLikeGlob(text)) return "";
  return absl::StrCat("is a regular expression, in which '*' repeats the "
                      "character before it; if a shell pattern is meant, "
                      "write ",
                      instead);
}

bool IsBoolWord(absl::string_view word) {
  bool ignored;
  return ParseBoolText(word, &ignored);
}

class Reader {
 public:
  Reader(const FileSystem* files, const xla::DebugOptions& options,
         XlaFlagsReport* report)
      : files_(files), options_(options), report_(report) {}

  void Read(absl::string_view value) {
    report_->source = "XLA_FLAGS";
    report_->text = std::string(value);
    size_t first = value.find_first_not_of(kBlanks);
    if (value.empty()) return;
    bool is_file = first == absl::string_view::npos || value[first] != '-';
    if (is_file && !LoadFile(value)) return;
    ReadTokens(is_file);
    FinishNotes();
  }

  const xla::DebugOptions& options() const { return options_; }

 private:
  void Warn(std::string message, size_t offset) {
    report_->warnings.push_back({std::move(message), offset});
  }

  // False when there is nothing to read: refused, or a folder.
  bool LoadFile(absl::string_view path) {
    absl::Status problem = absl::NotFoundError("no files here");
    if (files_ != nullptr) {
      auto info = files_->Stat(path);
      if (info.ok() && info->is_directory) {
        Warn(absl::StrCat("'", path,
                          "' is a folder, not a file of flags: no flag is set"),
             0);
        return false;
      }
      auto contents = files_->ReadFile(path, kMaxFlagFile);
      if (contents.ok()) {
        report_->source = std::string(path);
        report_->text = *std::move(contents);
        if (absl::string_view(report_->text).find_first_not_of(kBlanks) ==
            absl::string_view::npos) {
          Warn("the file holds no flags", 0);
        }
        return true;
      }
      problem = contents.status();
    }
    report_->accept = false;
    report_->refusal = absl::StrCat(
        "the value does not start with '-', so it is taken as the name of a "
        "file with flags, and that file cannot be read (",
        problem.message(), ")", FileHint(path));
    return false;
  }

  std::string FileHint(absl::string_view value) const {
    absl::string_view text = absl::StripAsciiWhitespace(value);
    if (text.empty()) return "; it holds only blanks: unset it";
    if (StartsWithAny(text, kDashes)) {
      return "; it starts with a typographic dash, where two plain dashes "
             "'--' are meant";
    }
    if (text[0] == '"' || text[0] == '\'' || StartsWithAny(text, kQuotes)) {
      return "; quotes go around a flag's value only: --flag=\"value\"";
    }
    if (absl::StrContains(text, " --")) {
      return "; the first word is no flag: did you forget the two dashes in "
             "front of it?";
    }
    if (!NearestDebugFlag(text.substr(0, text.find('='))).empty() ||
        absl::StartsWith(text, "xla_")) {
      return absl::StrCat("; did you forget the two dashes: --", text, "?");
    }
    return "";
  }

  void ReadTokens(bool is_file) {
    Splitter splitter(report_->text, is_file);
    Token token;
    bool ended = false;  // after a bare "--"
    while (splitter.Next(&token)) {
      if (token.text == "--") ended = true;
      if (token.open_quote) {
        Warn("the quote is not closed, so the value runs to the end of the "
             "text",
             token.offset);
      }
      ReadToken(token, ended);
    }
    if (splitter.first_comment() != absl::string_view::npos) {
      Warn("comments are skipped here; XLA itself reads no flag from a '#' on",
           splitter.first_comment());
    }
    if (splitter.position() < report_->text.size()) {
      Drop(splitter.position());
    }
    report_->accept = report_->unknown.empty() && report_->bad.empty();
  }

  void Drop(size_t offset) {
    // VT and FF are no blanks: the rest starts with a byte that stays.
    absl::string_view rest = absl::string_view(report_->text).substr(offset);
    rest = rest.substr(0, rest.find_last_not_of(kBlanks) + 1);
    report_->dropped = std::string(rest);
    absl::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    std::string message =
        absl::StrFormat("reading stops at '%s', which does not start with '-'; "
                        "dropped: %s",
                        word, rest);
    if (StartsWithAny(word, kDashes)) {
      message += " (it starts with a typographic dash)";
    } else if (word[0] == '#') {
      message += " (there are no comments)";
    } else if (last_takes_value_) {
      XlaFlagsReport::Unknown& last = report_->unknown.back();
      last.hint = absl::StrFormat("the value follows with '=': --%s=%s",
                                  last.name, word);
    } else if (last_bare_bool_ != nullptr && IsBoolWord(word)) {
      absl::StrAppend(&message, " (the value follows with '=': --",
                      last_bare_bool_->name, "=", word, ")");
    } else if (word == "\\") {
      message += " (a backslash joins lines only outside of quotes)";
    } else if (StartsWithAny(word, kFalseBlanks)) {
      message += " (it starts with a no-break space or a mark that shows "
                 "nothing)";
    } else if (const DebugFlag* flag =
                   FindDebugFlag(word.substr(0, word.find('=')));
               flag != nullptr) {
      message += " (did you forget the two dashes?)";
    }
    Warn(std::move(message), offset);
  }

  void ReadToken(const Token& token, bool ended) {
    absl::string_view rest = token.text;
    size_t equals = rest.find('=');
    bool has_value = equals != absl::string_view::npos;
    absl::string_view name = rest.substr(0, equals);
    const DebugFlag* flag =
        !ended && absl::ConsumePrefix(&name, "--") ? FindDebugFlag(name)
                                                   : nullptr;
    const bool is_bare = flag != nullptr && flag->is_flag() && !has_value;
    last_takes_value_ = is_bare && !flag->is_bool();
    last_bare_bool_ = is_bare && flag->is_bool() ? flag : nullptr;
    if (flag == nullptr || !flag->is_flag() ||
        (!has_value && !flag->is_bool())) {
      AddUnknown(token, ended, has_value);
      return;
    }
    absl::string_view value = has_value ? rest.substr(equals + 1) : "true";
    // All that is accepted, or nothing: a failed flag leaves its field alone.
    absl::Status status =
        SetDebugFlag(*flag, value, &options_, &report_->effects);
    if (!status.ok()) {
      AddBad(*flag, value, status, token.offset);
      return;
    }
    for (std::string& note : report_->effects.notes) {
      Warn(std::move(note), token.offset);
    }
    report_->effects.notes.clear();
    WarnOfValue(*flag, value, token);
    WarnOfRepeat(*flag, value, token);
    report_->set.push_back({std::string(name), std::string(value),
                            std::string(token.written), token.offset});
  }

  void AddBad(const DebugFlag& flag, absl::string_view value,
              const absl::Status& status, size_t offset) {
    std::string message(status.message());
    if (absl::StrContains(value, ",-") || absl::EndsWith(value, ",")) {
      message += "; flags are separated by blanks, not by commas";
    }
    if (ContainsAny(value, kFalseBlanks)) {
      message += "; it holds a no-break space or a mark that shows nothing";
    }
    report_->bad.push_back(
        {std::string(flag.name), std::string(value), message, offset});
  }

  void AddUnknown(const Token& token, bool ended, bool has_value) {
    XlaFlagsReport::Unknown unknown;
    unknown.token = std::string(token.written);
    unknown.offset = token.offset;
    absl::string_view name = token.text;
    name = name.substr(0, name.find('='));
    size_t dashes = std::min(name.find_first_not_of('-'), name.size());
    name.remove_prefix(dashes);
    unknown.name = std::string(name);
    if (token.text == "--") {
      unknown.hint = "a bare '--' ends the flags";
    } else if (ended) {
      unknown.hint = "it stands behind a bare '--', which ends the flags";
    } else {
      unknown.nearest = Nearest(name, has_value);
      unknown.hint = SpellingHint(unknown, dashes, has_value);
    }
    report_->unknown.push_back(std::move(unknown));
  }

  // Returns the flag that was probably meant, with its value where that is part
  // of the name; "" for flags of others.
  static std::string Nearest(absl::string_view name, bool has_value) {
    if (const RemovedFlag* removed = FindRemovedFlag(name)) {
      return std::string(removed->replacement);
    }
    const bool is_of_others =
        FindLibtpuFlag(name) != nullptr || LooksLikeLibtpuFlag(name) ||
        FindTfXlaFlag(name) != nullptr || absl::StartsWith(name, "tf_xla_");
    if (is_of_others && FindDebugFlag(name) == nullptr) return "";
    if (!has_value && FindDebugFlag(name) == nullptr) {
      std::string with_value = WithItsValue(name);
      if (!with_value.empty()) return with_value;
    }
    return NearestDebugFlag(name);
  }

  // Returns "xla_dump_to:/x" and "xla_gpu_ftz-false" as flag and value: they
  // part at the first character that no name has, or at the last word of a
  // bool.
  static std::string WithItsValue(absl::string_view name) {
    size_t end = name.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (end == absl::string_view::npos) {
      end = name.rfind('_');
      if (end == absl::string_view::npos || !IsBoolWord(name.substr(end + 1))) {
        return "";
      }
    }
    const DebugFlag* flag = FindDebugFlag(name.substr(0, end));
    if (flag == nullptr || !flag->is_flag()) return "";
    const absl::string_view value = name.substr(end + 1);
    xla::DebugOptions scratch;
    FlagEffects effects;
    if (value.empty() || !SetDebugFlag(*flag, value, &scratch, &effects).ok()) {
      return "";
    }
    return absl::StrCat(flag->name, "=", value);
  }

  std::string SpellingHint(const XlaFlagsReport::Unknown& unknown,
                           size_t dashes, bool has_value) const {
    const std::string& name = unknown.name;
    const DebugFlag* flag = FindDebugFlag(name);
    if (name == "help") return "run a tool of hlokit with --help-all";
    if (ContainsAny(unknown.token, kDashes)) {
      return "it holds a typographic dash";
    }
    if (ContainsAny(unknown.token, kFalseBlanks)) {
      return "it holds a no-break space or a mark that shows nothing";
    }
    if (const RemovedFlag* removed = FindRemovedFlag(name)) {
      return absl::StrCat("XLA dropped this flag; ", removed->advice);
    }
    if (absl::StrContains(unknown.nearest, '=')) {
      return "the value follows with '='";
    }
    if (flag != nullptr && !flag->is_flag()) {
      return "it is a field of DebugOptions without a flag; set it in a "
             "--debug_options_file";
    }
    if (flag != nullptr && dashes != 2) return "flags start with two dashes";
    if (flag != nullptr && !has_value) {
      return absl::StrCat("it needs a value: --", name, "=VALUE");
    }
    if (unknown.nearest.empty() && FindLibtpuFlag(name) != nullptr) {
      return "it is a flag of libtpu, and XLA on CPU and GPU ends the process "
             "for it: put it into LIBTPU_INIT_ARGS";
    }
    if (unknown.nearest.empty() && LooksLikeLibtpuFlag(name)) {
      return "if it is a flag of libtpu, put it into LIBTPU_INIT_ARGS; XLA on "
             "CPU and GPU ends the process for it";
    }
    if (FindTfXlaFlag(name) != nullptr || absl::StartsWith(name, "tf_xla_")) {
      return "it is a flag of TensorFlow: put it into TF_XLA_FLAGS";
    }
    if (FindEnvironmentVariable(name) != nullptr) {
      return "it is an environment variable of its own";
    }
    if (xla::DebugOptions::descriptor()->IsReservedName(name)) {
      return "XLA dropped this flag";
    }
    const DebugFlag* nearest = FindDebugFlag(unknown.nearest);
    if (nearest == nullptr) return "";
    if (nearest->is_bool() && absl::StartsWith(name, "no")) {
      return absl::StrCat("write --", nearest->name, "=false");
    }
    if (absl::EqualsIgnoreCase(name, nearest->name)) {
      return "names are in small letters";
    }
    if (absl::StrContains(name, '-')) {
      return "names are written with underscores";
    }
    return "";
  }

  void WarnOfValue(const DebugFlag& flag, absl::string_view value,
                   const Token& token) {
    auto warn = [&](absl::string_view what) {
      Warn(absl::StrCat("the value of --", flag.name, " ", what),
           token.offset);
    };
    if (absl::StrContains(value, ",--")) {
      warn("holds ',--' and is taken as it stands; flags are separated by "
           "blanks, not by commas");
    }
    if (ContainsAny(value, kQuotes)) {
      warn("holds typographic quotes, which are ordinary characters");
    }
    if (ContainsAny(value, kFalseBlanks)) {
      warn("holds a no-break space or a mark that shows nothing; XLA does not "
           "split there");
    }
    if (absl::EndsWith(value, "\\")) {
      warn("ends in a backslash, which is an ordinary character here; it joins "
           "lines only outside of quotes");
    }
    WarnOfRegex(flag, value, warn);
    bool plain = !token.open_quote && token.written.size() == token.text.size();
    if (plain && value.find_first_of("\"'") != absl::string_view::npos) {
      warn("holds a quote that is an ordinary character; quotes count only "
           "directly after '='");
    }
    if (flag.kind != DebugFlagKind::kString &&
        flag.kind != DebugFlagKind::kElement) {
      return;
    }
    bool is_regex = absl::EndsWith(flag.name, "_re");
    if (HoldsVariable(value) && !is_regex) {
      warn("holds a '$', which is not expanded here");
    }
    if (absl::StartsWith(value, "~") && !is_regex) {
      warn("starts with '~', which is not expanded here");
    }
  }

  template <typename WarnOfIt>
  static void WarnOfRegex(const DebugFlag& flag, absl::string_view value,
                          WarnOfIt warn) {
    if (flag.kind != DebugFlagKind::kRegexList &&
        !absl::EndsWith(flag.name, "_re")) {
      return;
    }
    std::vector<absl::string_view> parts = {value};
    if (flag.kind == DebugFlagKind::kRegexList) {
      parts = absl::StrSplit(value, ',');
    }
    for (absl::string_view part : parts) {
      const std::string fault = FaultOfRegex(part);
      if (!fault.empty()) warn(fault);
    }
  }

  void WarnOfRepeat(const DebugFlag& flag, absl::string_view value,
                    const Token& token) {
    bool edits = flag.kind == DebugFlagKind::kEnumList &&
                 value.find_first_of("+-") == 0;
    if (flag.kind == DebugFlagKind::kIgnored) return;
    std::string key = DebugFlagField(flag);
    if (key.empty()) key = std::string(flag.name);
    auto [before, is_new] = written_.try_emplace(key, flag.name);
    if (is_new) return;
    std::string earlier = std::exchange(before->second, std::string(flag.name));
    if (edits || (flag.adds_up() && flag.kind != DebugFlagKind::kEnumList)) {
      return;
    }
    Warn(earlier == flag.name
             ? absl::StrCat("--", flag.name, " is set twice; the last one wins")
             : absl::StrCat("--", flag.name, " overrides --", earlier),
         token.offset);
  }

  void FinishNotes() {
    std::stable_sort(report_->warnings.begin(), report_->warnings.end(),
                     [](const auto& a, const auto& b) {
                       return a.offset < b.offset;
                     });
  }

  const FileSystem* files_;
  xla::DebugOptions options_;
  XlaFlagsReport* report_;
  std::map<std::string, std::string> written_;  // field -> flag
  // The token just read is a flag that lacks its value.
  bool last_takes_value_ = false;
  // The flag of the token just read if it is a bool without a value.
  const DebugFlag* last_bare_bool_ = nullptr;
};

std::string UnknownText(const XlaFlagsReport::Unknown& unknown) {
  std::string text = absl::StrCat("unknown flag '", unknown.token, "'");
  // The hint tells of a dropped flag how its replacement differs.
  if (!unknown.nearest.empty() && unknown.nearest != unknown.name &&
      FindRemovedFlag(unknown.name) == nullptr) {
    absl::StrAppend(&text, "; did you mean '--", unknown.nearest, "'?");
  }
  if (!unknown.hint.empty()) absl::StrAppend(&text, "; ", unknown.hint);
  return text;
}

}  // namespace

std::string XlaFlagsReport::ErrorText(bool color) const {
  if (accept) return "";
  if (!refusal.empty()) {
    Diagnostics all(source, text);
    all.Error(refusal, 0);
    return all.ToString(color);
  }
  std::string first;
  if (!unknown.empty()) {
    first = absl::StrCat(
        unknown.size() > 1 ? "Unknown flags" : "Unknown flag",
        " in XLA_FLAGS: ",
        absl::StrJoin(unknown, " ",
                      [](std::string* out, const Unknown& one) {
                        out->append(one.token);
                      }),
        "\n");
  }
  std::vector<std::pair<size_t, std::string>> faults;
  for (const Unknown& one : unknown) {
    faults.emplace_back(one.offset, UnknownText(one));
  }
  for (const Bad& one : bad) faults.emplace_back(one.offset, one.message);
  std::sort(faults.begin(), faults.end());
  Diagnostics all(source, text);
  for (auto& [offset, message] : faults) all.Error(std::move(message), offset);
  return absl::StrCat(first, all.ToString(color));
}

std::string XlaFlagsReport::WarningText(bool color) const {
  Diagnostics all(source, text);
  for (const Warning& warning : warnings) {
    all.Warning(warning.message, warning.offset);
  }
  return all.ToString(color);
}

XlaFlagsReport ParseXlaFlags(absl::string_view value, const FileSystem* files,
                             xla::DebugOptions* options) {
  XlaFlagsReport report;
  Reader reader(files, *options, &report);
  reader.Read(value);
  if (report.accept) *options = reader.options();
  return report;
}

}  // namespace hlokit
