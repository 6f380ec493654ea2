// Finds the modules in a file.
#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

constexpr absl::string_view kHeader = "HloModule";

bool EatDigits(absl::string_view* text, size_t least) {
  size_t n = 0;
  while (n < text->size() && absl::ascii_isdigit((*text)[n])) ++n;
  text->remove_prefix(n);
  return n >= least;
}

// "03:04:05.678901".
bool EatTime(absl::string_view* text) {
  if (!EatDigits(text, 2) || !absl::ConsumePrefix(text, ":") ||
      !EatDigits(text, 2) || !absl::ConsumePrefix(text, ":") ||
      !EatDigits(text, 2)) {
    return false;
  }
  return !absl::ConsumePrefix(text, ".") || EatDigits(text, 1);
}

// "I0102 03:04:05.678901   123 ".
bool EatGoogleStamp(absl::string_view* text) {
  if (text->empty() || !absl::StrContains("IWEF", text->substr(0, 1))) {
    return false;
  }
  text->remove_prefix(1);
  if (!EatDigits(text, 4) || !absl::ConsumePrefix(text, " ") ||
      !EatTime(text)) {
    return false;
  }
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (!EatDigits(text, 1)) return false;
  *text = absl::StripLeadingAsciiWhitespace(*text);
  return true;
}

// "2023-01-02 03:04:05.678901: I ".
bool EatDatedStamp(absl::string_view* text) {
  return EatDigits(text, 4) && absl::ConsumePrefix(text, "-") &&
         EatDigits(text, 2) && absl::ConsumePrefix(text, "-") &&
         EatDigits(text, 2) && absl::ConsumePrefix(text, " ") &&
         EatTime(text) && absl::ConsumePrefix(text, ": ") && !text->empty() &&
         absl::StrContains("IWEF", text->substr(0, 1)) &&
         (text->remove_prefix(1), absl::ConsumePrefix(text, " "));
}

// What stands behind a log's prefix, "<stamp>file.cc:9] "; the whole line where
// there is none.
absl::string_view WithoutLogPrefix(absl::string_view line) {
  if (line.empty() || !absl::StrContains("IWEF12", line.substr(0, 1))) {
    return line;
  }
  absl::string_view rest = line;
  if (absl::ascii_isdigit(line[0]) ? !EatDatedStamp(&rest)
                                   : !EatGoogleStamp(&rest)) {
    return line;
  }
  const size_t bracket = rest.find(']');
  const size_t colon = rest.substr(0, bracket).rfind(':');
  if (bracket == absl::string_view::npos ||
      colon == absl::string_view::npos) {
    return line;
  }
  absl::string_view number = rest.substr(colon + 1, bracket - colon - 1);
  if (!EatDigits(&number, 1) || !number.empty()) return line;
  rest.remove_prefix(bracket + 1);
  absl::ConsumePrefix(&rest, " ");
  return rest;
}

struct Line {
  absl::string_view whole;
  absl::string_view text;  // without prefix and line end
  int64_t number;
  // Whether a module may have it as it stands.
  bool IsPlain() const {
    return text.data() == whole.data() && absl::EndsWith(whole, "\n");
  }
};

std::vector<Line> LinesOf(absl::string_view file) {
  std::vector<Line> lines;
  int64_t number = 1;
  while (!file.empty()) {
    const size_t end = std::min(file.find('\n'), file.size());
    const absl::string_view whole =
        file.substr(0, std::min(end + 1, file.size()));
    lines.push_back({whole, WithoutLogPrefix(file.substr(0, end)), number++});
    file.remove_prefix(whole.size());
  }
  return lines;
}

absl::string_view WithoutReturn(absl::string_view line) {
  absl::ConsumeSuffix(&line, "\r");
  return line;
}

bool IsHeader(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, kHeader)) return false;
  return !line.empty() && absl::ascii_isspace(line[0]);
}

// Nothing but blanks and line comments.
bool IsEmptyLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return line.empty() || absl::StartsWith(line, "//");
}

std::string NameInHeader(absl::string_view line) {
  line.remove_prefix(kHeader.size());
  line = absl::StripLeadingAsciiWhitespace(line);
  const size_t end = line.find_first_of(", \t\r");
  return std::string(line.substr(0, end));
}

// Collects lines into modules.
class Collector {
 public:
  // Ends the current module and begins another with this name.
  void Begin(std::string name = "") {
    End();
    current_.name = std::move(name);
  }
  void Add(const Line& line) {
    if (IsEmpty()) current_.first_line = line.number;
    if (owned_.empty() && line.IsPlain() &&
        (view_.empty() || view_.data() + view_.size() == line.whole.data())) {
      view_ = view_.empty() ? line.whole
                            : absl::string_view(
                                  view_.data(),
                                  view_.size() + line.whole.size());
    } else {
      if (owned_.empty()) owned_ = std::string(view_);
      absl::StrAppend(&owned_, line.text, "\n");
    }
    has_content_ |= !IsEmptyLine(line.text);
    if (current_.name.empty() && IsHeader(line.text)) {
      current_.name = NameInHeader(line.text);
    }
  }
  void End() {
    if (has_content_) {
      if (!owned_.empty()) {
        current_.owned = std::make_shared<const std::string>(std::move(owned_));
        view_ = *current_.owned;
      }
      current_.text = view_;
      modules_.push_back(std::move(current_));
    }
    Drop();
  }
  // Drops what was collected since Begin().
  void Drop() {
    current_ = ModuleText();
    view_ = {};
    owned_.clear();
    has_content_ = false;
  }
  std::vector<ModuleText> Take() {
    End();
    return std::move(modules_);
  }

 private:
  bool IsEmpty() const { return view_.empty() && owned_.empty(); }

  std::vector<ModuleText> modules_;
  ModuleText current_;
  // The text so far: a piece of the file, or what was put together.
  absl::string_view view_;
  std::string owned_;
  bool has_content_ = false;
};

// "*** Begin NAME ***" / "*** End NAME ***".
bool IsBanner(absl::string_view line, absl::string_view word,
              absl::string_view* name) {
  line = WithoutReturn(line);
  if (!absl::ConsumePrefix(&line, "*** ") ||
      !absl::ConsumePrefix(&line, word) || !absl::ConsumePrefix(&line, " ") ||
      !absl::ConsumeSuffix(&line, " ***")) {
    return false;
  }
  *name = line;
  return true;
}

std::vector<ModuleText> SplitAtBanners(const std::vector<Line>& lines) {
  Collector collector;
  bool inside = false;
  absl::string_view name;
  for (const Line& line : lines) {
    if (IsBanner(line.text, "Begin", &name)) {
      inside = true;
      collector.Begin(std::string(name));
    } else if (inside && IsBanner(line.text, "End", &name)) {
      inside = false;
      collector.End();
    } else if (inside) {
      collector.Add(line);
    }
  }
  std::vector<ModuleText> modules = collector.Take();
  for (ModuleText& module : modules) module.from_banner = true;
  if (inside && !modules.empty()) modules.back().cut = true;
  return modules;
}

std::vector<ModuleText> SplitAtHeaders(const std::vector<Line>& lines) {
  Collector collector;
  bool has_header = false;
  bool has_body = false;
  bool only_comments = true;
  for (const Line& line : lines) {
    if (IsHeader(line.text)) {
      // Before the first one there may be comments, which stay, a computation
      // without header, or other output, which is of no use.
      if (has_header || has_body) {
        collector.Begin();
      } else if (!only_comments) {
        collector.Drop();
      }
      has_header = true;
    }
    has_body |= absl::EndsWith(absl::StripTrailingAsciiWhitespace(line.text),
                               "{");
    only_comments &= IsEmptyLine(line.text);
    collector.Add(line);
  }
  return collector.Take();
}

}  // namespace

std::vector<ModuleText> SplitModules(absl::string_view file,
                                     absl::string_view separator) {
  const std::vector<Line> lines = LinesOf(file);
  auto any = [&](auto matches) {
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      return matches(line.text);
    });
  };
  if (!separator.empty() && any([&](absl::string_view line) {
        return WithoutReturn(line) == separator;
      })) {
    Collector collector;
    for (const Line& line : lines) {
      if (WithoutReturn(line.text) == separator) {
        collector.Begin();
      } else {
        collector.Add(line);
      }
    }
    return collector.Take();
  }
  absl::string_view name;
  if (any([&](absl::string_view line) {
        return IsBanner(line, "Begin", &name);
      })) {
    return SplitAtBanners(lines);
  }
  return SplitAtHeaders(lines);
}

}  // namespace hlokit
