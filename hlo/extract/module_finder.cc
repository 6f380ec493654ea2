#include "hlo/extract/module_finder.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace hlokit {
namespace {

// More processes than this do not write into one log at the same time.
constexpr size_t kMaxStreams = 64;
constexpr size_t kMaxPrefixesTold = 3;
constexpr int64_t kManyFalseStarts = 1000;
constexpr int kFewLines = 4;

// "*** Begin NAME ***" or "*** End NAME ***", also behind a prefix.
bool IsBanner(absl::string_view line, absl::string_view word,
              std::string* name) {
  const size_t at = line.find("*** ");
  if (at == line.npos) return false;
  line.remove_prefix(at + 4);
  line = absl::StripTrailingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, word) || !absl::ConsumePrefix(&line, " ") ||
      !absl::ConsumeSuffix(&line, " ***")) {
    return false;
  }
  *name = std::string(line);
  return true;
}

}  // namespace

FoundModules ModuleFinder::Run() {
  TextLine line;
  while (reader_.Next(&line)) Take(line);
  CloseAll(/*cut=*/true);
  std::stable_sort(
      closed_.begin(), closed_.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, module] : closed_) {
    found_.modules.push_back(std::move(module));
  }
  found_.reader = reader_.counts();
  return std::move(found_);
}

void ModuleFinder::Take(const TextLine& line) {
  if (line.text.empty() && streams_.empty()) return;
  if (TakeBanner(line.text)) return;
  if (IsSeparator(line.text)) {
    CloseAll();
    return;
  }
  if (IsMarkdownFence(line.text)) {
    CloseAll();
    return;
  }
  if (TakeStart(line)) return;
  Feed(line);
}

bool ModuleFinder::IsSeparator(absl::string_view text) const {
  if (options_.separator.empty()) return false;
  if (absl::StripAsciiWhitespace(text) == options_.separator) return true;
  return std::any_of(
      streams_.begin(), streams_.end(), [&](const Stream& stream) {
        const auto match = stream.prefix.In(text);
        return match.has_value() &&
               absl::StripAsciiWhitespace(text.substr(match->length)) ==
                   options_.separator;
      });
}

bool ModuleFinder::TakeBanner(absl::string_view text) {
  std::string name;
  if (IsBanner(text, "Begin", &name)) {
    CloseAll(/*cut=*/true);
    banner_ = std::move(name);
    return true;
  }
  if (!banner_.empty() && IsBanner(text, "End", &name)) {
    CloseAll();
    banner_.clear();
    return true;
  }
  return false;
}

// Strings of a module may hold modules.
bool ModuleFinder::IsInsideOfString(absl::string_view text,
                                    size_t place) const {
  for (const Stream& stream : streams_) {
    if (stream.brackets.braces() <= 0) continue;
    const auto match = stream.prefix.In(text);
    if (match.has_value() && match->length < place &&
        LooksLikeHlo(text.substr(match->length))) {
      return true;
    }
  }
  return false;
}

bool ModuleFinder::TakeStart(const TextLine& line) {
  const absl::string_view text = line.text;
  size_t place = kNoPlace;
  if (anchor_ == Anchor::kHeader) {
    place = FindModuleHeader(text);
  } else {
    // The computations of a module that has begun are its own.
    const bool open = std::any_of(
        streams_.begin(), streams_.end(),
        [&](const Stream& s) { return s.prefix.In(text).has_value(); });
    if (!open) place = FindComputationStart(text);
  }
  if (place == kNoPlace || IsInsideOfString(text, place)) return false;
  std::optional<LinePrefix> prefix =
      LinePrefix::Learn(text.substr(0, place), reader_,
                        false_starts_ < kManyFalseStarts
                            ? LinePrefix::kMaxLines
                            : kFewLines);
  if (!prefix.has_value()) {
    ++false_starts_;
    return false;
  }
  for (size_t i = streams_.size(); i-- > 0;) {
    if (streams_[i].prefix == *prefix || streams_[i].prefix.empty()) {
      Close(&streams_[i]);
      streams_.erase(streams_.begin() + i);
    }
  }
  if (streams_.size() == kMaxStreams) {
    Close(&streams_[0]);
    streams_.erase(streams_.begin());
  }
  Stream stream;
  const auto match = prefix->In(text);
  const bool joined = match.has_value() && match->joined;
  stream.prefixed_lines = prefix->empty() ? 0 : 1;
  stream.prefix = *std::move(prefix);
  stream.order = opened_++;
  stream.banner = banner_;
  const absl::string_view rest = text.substr(place);
  if (anchor_ == Anchor::kHeader) {
    stream.name = std::string(NameInModuleHeader(rest));
  } else {
    ++stream.computations;
    stream.in_signature = true;
  }
  Append(&stream, rest, line, joined || line.joined);
  streams_.push_back(std::move(stream));
  return true;
}

void ModuleFinder::Feed(const TextLine& line) {
  for (size_t i = streams_.size(); i-- > 0;) {
    const auto match = streams_[i].prefix.In(line.text);
    if (!match.has_value()) continue;
    if (!streams_[i].prefix.empty()) ++streams_[i].prefixed_lines;
    FeedStream(&streams_[i], line.text.substr(match->length), line,
               match->joined || line.joined);
    return;
  }
  // A line of a module that lost its prefix.
  if (!streams_.empty() && streams_.back().InModule() &&
      LooksLikeHlo(line.text)) {
    FeedStream(&streams_.back(), line.text, line, line.joined);
    return;
  }
  if (!streams_.empty() && streams_.back().InModule() &&
      absl::StripAsciiWhitespace(line.text).empty()) {
    Append(&streams_.back(), line.text, line, line.joined);
    return;
  }
  LeaveOut(line.text);
}

void ModuleFinder::FeedStream(Stream* stream, absl::string_view text,
                              const TextLine& line, bool joined) {
  const bool blank = IsBlankOrComment(text);
  if (stream->joined || blank) {
    Append(stream, text, line, joined);
    return;
  }
  if (stream->brackets.braces() > 0 || stream->in_signature) {
    if (LooksLikeLogLine(text)) {
      LeaveOut(text);
    } else {
      Append(stream, text, line, joined);
    }
    return;
  }
  if (unclosed_ > 0 && absl::StartsWith(absl::StripAsciiWhitespace(text), "}")) {
    LeaveOut(text);
    return;
  }
  const bool is_hlo = LooksLikeHlo(text);
  // Blocks of other languages may be behind a module: LLVM IR, C++, MLIR.
  if (!is_hlo || stream->foreign_braces > 0) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(text);
    const bool instruction = FindInstruction(stripped).begin == 0;
    if (instruction && is_hlo) {
      stream->foreign_braces = 0;
    } else if (stream->computations == 0 && options_.join_wrapped) {
      Append(stream, text, line, joined);
      return;
    } else {
      if (absl::StartsWith(stripped, "}")) --stream->foreign_braces;
      if (absl::EndsWith(stripped, "{")) ++stream->foreign_braces;
      stream->foreign_braces = std::max<int64_t>(stream->foreign_braces, 0);
      LeaveOut(text);
      return;
    }
  }
  if (IsComputationStart(text)) {
    ++stream->computations;
    stream->in_signature = true;
  }
  Append(stream, text, line, joined);
}

void ModuleFinder::Append(Stream* stream, absl::string_view text,
                          const TextLine& line, bool joined) {
  stream->collector.Add(text, line, joined);
  stream->joined = joined;
  stream->brackets.Add(text);
  if (stream->brackets.braces() > 0 ||
      absl::EndsWith(absl::StripTrailingAsciiWhitespace(text), "}")) {
    stream->in_signature = false;
  }
}

void ModuleFinder::LeaveOut(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return;
  if (streams_.empty() && absl::EndsWith(text, "{")) ++unclosed_;
  if (unclosed_ > 0 && absl::StartsWith(text, "}")) --unclosed_;
  if (opened_ == 0) {
    ++found_.left_out_before;
    return;
  }
  const bool within =
      std::any_of(streams_.begin(), streams_.end(),
                  [](const Stream& stream) { return stream.InModule(); });
  ++(within ? found_.left_out_within : found_.left_out_behind);
}

void ModuleFinder::Close(Stream* stream, bool cut) {
  if (stream->computations == 0 && stream->brackets.braces() <= 0) {
    return;  // a header without a module
  }
  const LinePrefix& prefix = stream->prefix;
  if (!prefix.empty() && found_.prefixes.size() <= kMaxPrefixesTold) {
    found_.prefixes.emplace_back(prefix.sample(), stream->prefixed_lines);
  }
  ModuleText module = stream->collector.Take(options_.join_wrapped);
  module.name = std::move(stream->name);
  module.cut = cut && !stream->banner.empty();
  module.banner = std::move(stream->banner);
  closed_.emplace_back(stream->order, std::move(module));
}

void ModuleFinder::CloseAll(bool cut) {
  for (Stream& stream : streams_) Close(&stream, cut);
  streams_.clear();
}

}  // namespace hlokit
