#include "hlo/extract/line_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "hlo/extract/line_shapes.h"
#include "hlo/extract/string_literals.h"

namespace hlokit {
namespace {

constexpr absl::string_view kDiffHeads[] = {
    "@@ ",     "diff --", "--- ",     "+++ ",       "index ", "new file",
    "deleted", "similar", "rename ",  "old mode",   "new mode", "\\ No newline"};

bool IsDiffHead(absl::string_view line) {
  for (absl::string_view head : kDiffHeads) {
    if (absl::StartsWith(line, head)) return true;
  }
  return false;
}

// Marks of a diff: a hunk's head, or both sides of a line of HLO.
class DiffSigns {
 public:
  void Add(absl::string_view line) {
    if (line.empty()) return;
    if (line[0] == '@') {
      hunk_ |= absl::StartsWith(line, "@@ -") && absl::StrContains(line, " @@");
    } else if (line[0] == '+' && !added_) {
      added_ = LooksLikeHlo(line.substr(1)) ||
               FindModuleHeader(line.substr(1)) == 0;
    } else if (line[0] == '-' && !removed_) {
      removed_ = LooksLikeHlo(line.substr(1)) ||
                 FindModuleHeader(line.substr(1)) == 0;
    }
  }
  bool found() const { return hunk_ || (added_ && removed_); }

 private:
  bool hunk_ = false;
  bool added_ = false;
  bool removed_ = false;
};

std::string JsonKeyOf(absl::string_view file) {
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(file), "{") &&
      !absl::StrContains(file, "\n{")) {
    return "";
  }
  for (absl::string_view word : {"HloModule ", "ENTRY "}) {
    const size_t at = file.find(word);
    if (at == file.npos) continue;
    const size_t before = at == 0 ? file.npos : file.rfind('\n', at);
    const size_t begin = before == file.npos ? 0 : before + 1;
    const absl::string_view line =
        file.substr(begin, file.find('\n', at) - begin);
    const std::string key = JsonKeyAround(line, at - begin);
    if (!key.empty()) return key;
  }
  return "";
}

}  // namespace

TextForm SurveyText(absl::string_view file) {
  TextForm form;
  form.html_levels = HtmlLevels(file);
  form.json_key = JsonKeyOf(file);
  form.returns_only = file.find('\n') == file.npos;
  DiffSigns diff;
  for (size_t at = 0; at < file.size() && !diff.found();) {
    const size_t end = std::min(file.find('\n', at), file.size());
    const char first = file[at];
    if (first == '@' || first == '+' || first == '-') {
      diff.Add(file.substr(at, end - at));
    }
    at = end + 1;
  }
  form.diff = diff.found();
  return form;
}

LineReader& LineReader::operator=(const LineReader& other) {
  file_ = other.file_;
  form_ = other.form_;
  at_ = other.at_;
  number_ = other.number_;
  pending_ = other.pending_;
  pending_at_ = other.pending_at_;
  pending_number_ = other.pending_number_;
  pending_joins_ = other.pending_joins_;
  buffer_.clear();  // holds the latest line only
  counts_ = other.counts_;
  return *this;
}

absl::string_view LineReader::TakeRawLine() {
  const char end_mark = form_->returns_only ? '\r' : '\n';
  const size_t end = std::min(file_.find(end_mark, at_), file_.size());
  const absl::string_view raw =
      file_.substr(at_, std::min(end + 1, file_.size()) - at_);
  at_ += raw.size();
  ++number_;
  return raw;
}

void LineReader::Queue(std::string text) {
  pending_number_ = number_;
  pending_joins_ = false;
  pending_at_ = 0;
  pending_ = std::make_shared<const std::string>(std::move(text));
}

bool LineReader::TakePending(TextLine* line) {
  if (pending_ == nullptr) return false;
  const absl::string_view text = *pending_;
  if (pending_at_ >= text.size()) {
    pending_ = nullptr;
    return false;
  }
  const size_t end = std::min(text.find('\n', pending_at_), text.size());
  line->text = text.substr(pending_at_, end - pending_at_);
  absl::ConsumeSuffix(&line->text, "\r");
  line->number = pending_number_;
  line->shift = 0;
  line->whole = {};
  line->joined = pending_joins_ && end == text.size();
  pending_at_ = end + 1;
  return true;
}

// Queues the text that is inside of string literals in this line.
bool LineReader::DecodeLine(absl::string_view raw) {
  if (!form_->json_key.empty()) {
    std::string value;
    if (!JsonStringOf(raw, form_->json_key, &value)) return false;
    ++counts_.json_lines;
    // Docker cuts long lines: the rest is in the next object.
    const bool joins = form_->json_key == "log" && !absl::EndsWith(value, "\n");
    if (value.empty()) value = "\n";
    if (FindEscapedModule(value) != value.npos) value = UnescapeLiteral(value);
    Queue(std::move(value));
    pending_joins_ = joins;
    return true;
  }
  const size_t inside = FindEscapedModule(raw);
  if (inside == raw.npos) return false;
  const size_t begin = at_ - raw.size();
  LiteralRun run = ReadLiterals(file_, begin + inside);
  // JSON inside of JSON.
  for (int round = 0; round < 3; ++round) {
    if (FindEscapedModule(run.text) == absl::string_view::npos) break;
    run.text = UnescapeLiteral(run.text);
  }
  counts_.literal_lines += std::count(run.text.begin(), run.text.end(), '\n');
  Queue(std::move(run.text));
  // What is behind the literals in their last line is left out.
  while (at_ < run.end) TakeRawLine();
  return true;
}

bool LineReader::TakeDiffMark(absl::string_view* text) {
  if (!form_->diff || text->empty()) return true;
  if (IsDiffHead(*text)) return false;
  const char mark = (*text)[0];
  if (mark == '-') {
    ++counts_.removed_lines;
    return false;
  }
  if (mark == '+' || mark == ' ') text->remove_prefix(1);
  if (mark == '+') ++counts_.added_lines;
  return true;
}

bool LineReader::Next(TextLine* line) {
  for (;;) {
    if (TakePending(line)) return true;
    if (at_ >= file_.size()) return false;
    const absl::string_view raw = TakeRawLine();
    if (raw.size() <= 1 && raw == "\n") {
      *line = {raw.substr(0, 0), number_, 0, raw, false};
      return true;
    }
    if (DecodeLine(raw)) continue;
    absl::string_view text = raw;
    absl::ConsumeSuffix(&text, form_->returns_only ? "\r" : "\n");
    const absl::string_view bare = text;
    absl::ConsumeSuffix(&text, "\r");
    text = WithoutMarkup(text, form_->html_levels, &buffer_, &counts_.markup);
    if (text.find_first_of("\n\r") != text.npos) {
      // A progress bar overwrites its line: returns end lines here, too.
      std::string lines(text);
      std::replace(lines.begin(), lines.end(), '\r', '\n');
      Queue(std::move(lines));
      continue;
    }
    const absl::string_view clean = text;
    text = WithoutRightBorder(text);
    counts_.markup.borders += text.size() != clean.size();
    if (!TakeDiffMark(&text)) continue;
    line->text = text;
    line->number = number_;
    line->shift = text.data() - clean.data();
    line->joined = false;
    const bool as_is = text.data() == bare.data() &&
                       text.size() == clean.size() &&
                       raw.size() > bare.size() && !form_->returns_only;
    line->whole = as_is ? raw : absl::string_view();
    return true;
  }
}

}  // namespace hlokit
