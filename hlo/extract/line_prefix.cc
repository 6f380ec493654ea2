#include "hlo/extract/line_prefix.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "hlo/extract/line_shapes.h"

namespace hlokit {
namespace {

// How far to look for the first line of HLO below a module's header.
constexpr size_t kMaxAheadBytes = 1 << 16;
// Longer things before a module are not prefixes.
constexpr size_t kMaxPrefixBytes = 200;
// Headers of other streams that may come before the module goes on.
constexpr int kMaxOtherHeaders = 16;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsWordByte(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || (c & 0x80) != 0;
}

// Calls `take` with the next lines until it returns false.
template <typename Take>
void LookAhead(LineReader ahead, int max_lines, Take take) {
  TextLine line;
  size_t bytes = 0;
  for (int i = 0; i < max_lines && bytes < kMaxAheadBytes; ++i) {
    if (!ahead.Next(&line) || !take(line.text)) return;
    bytes += line.text.size();
  }
}

bool IsBar(absl::string_view text) {
  return text == "|" || text == "\u2502" || text == "\u2503" ||
         text == "\u2551";
}

// Kubernetes marks whole lines with F and parts of lines with P.
bool IsPartMark(absl::string_view text) { return text == "F" || text == "P"; }

}  // namespace

std::vector<LinePrefix::Token> LinePrefix::Tokens(absl::string_view text,
                                                  size_t limit) {
  std::vector<Token> tokens;
  text = text.substr(0, limit);
  for (size_t at = 0; at < text.size();) {
    const auto run = [&](auto is) {
      size_t end = at;
      while (end < text.size() && is(text[end])) ++end;
      return end - at;
    };
    Token token;
    size_t length = 0;
    if ((length = run(IsBlank)) > 0) {
      token.kind = Kind::kBlanks;
    } else if ((length = run([](char c) {
                  return absl::ascii_isdigit(static_cast<unsigned char>(c));
                })) > 0) {
      token.kind = Kind::kDigits;
    } else if ((length = run(IsWordByte)) > 0) {
      token.kind = Kind::kWord;
    } else {
      length = 1;
    }
    token.text = text.substr(at, length);
    tokens.push_back(token);
    at += length;
  }
  return tokens;
}

bool LinePrefix::Same(const OwnedToken& a, const Token& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kBlanks: return true;
    case Kind::kDigits: return !a.identity || a.text == b.text;
    default: return a.text == b.text;
  }
}

void LinePrefix::Keep(const std::vector<Token>& tokens, size_t count) {
  tokens_.clear();
  sample_.clear();
  for (size_t i = 0; i < count; ++i) {
    tokens_.push_back({tokens[i].kind, std::string(tokens[i].text), false});
    sample_.append(tokens[i].text.data(), tokens[i].text.size());
  }
  if (std::all_of(tokens_.begin(), tokens_.end(), [](const OwnedToken& token) {
        return token.kind == Kind::kBlanks;
      })) {
    tokens_.clear();
  }
}

std::optional<LinePrefix> LinePrefix::Learn(absl::string_view head,
                                            LineReader ahead, int max_lines) {
  const std::vector<Token> tokens = Tokens(head, kMaxPrefixBytes);
  LinePrefix prefix;
  LinePrefix whole;
  whole.Keep(tokens, tokens.size());
  bool found = false;
  int other_headers = 0;
  LookAhead(ahead, max_lines, [&](absl::string_view line) {
    // No line that says where the module begins is without these.
    if (line.find_first_of("{}=\"") == line.npos &&
        line.find("HloModule") == line.npos) {
      return true;
    }
    if (FindModuleHeader(line) != kNoPlace) {
      // Other processes may say the same at the same time.
      return !whole.empty() && whole.In(line).has_value() &&
             ++other_headers < kMaxOtherHeaders;
    }
    // The longest beginning of the head that the line shares and behind which
    // it is HLO.
    for (size_t count = tokens.size() + 1; count-- > 0;) {
      prefix.Keep(tokens, count);
      const std::optional<Match> match = prefix.In(line);
      if (match.has_value() && LooksLikeHlo(line.substr(match->length)) &&
          !IsBlankOrComment(line.substr(match->length))) {
        found = true;
        return false;
      }
      if (prefix.tokens_.empty()) break;
    }
    return true;
  });
  if (!found) return std::nullopt;
  prefix.FindIdentity(ahead);
  return prefix;
}

// Numbers that go up and down, over lines that are the same otherwise, name
// streams; numbers that only go up are times and line numbers.
void LinePrefix::FindIdentity(LineReader ahead) {
  std::vector<uint64_t> latest(tokens_.size(), 0);
  std::vector<bool> goes_down(tokens_.size(), false);
  const auto is_number = [&](size_t i) {
    if (tokens_[i].kind != Kind::kDigits || tokens_[i].text.size() > 9) {
      return false;
    }
    // Parts of times and dates: digits on the other side of a ":", "." or "-".
    const auto joins = [&](size_t sign, size_t other) {
      return sign < tokens_.size() && other < tokens_.size() &&
             absl::StrContains(":.-/", tokens_[sign].text) &&
             (tokens_[other].kind == Kind::kDigits ||
              tokens_[other].text == "T");
    };
    const bool before_word = i + 1 < tokens_.size() &&
                             (tokens_[i + 1].text == "T" ||
                              tokens_[i + 1].text == "Z" ||
                              tokens_[i + 1].text == "s");
    return !joins(i + 1, i + 2) && !(i >= 2 && joins(i - 1, i - 2)) &&
           !before_word;
  };
  std::vector<size_t> numbers;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (!is_number(i)) continue;
    numbers.push_back(i);
    absl::SimpleAtoi(tokens_[i].text, &latest[i]);
  }
  if (numbers.empty()) return;
  LookAhead(ahead, kMaxLines, [&](absl::string_view line) {
    if (!In(line).has_value()) return true;
    const std::vector<Token> here = Tokens(line, 2 * kMaxPrefixBytes);
    for (const size_t i : numbers) {
      // Blanks that a narrow number has in front shift the tokens by one.
      uint64_t value = 0;
      if (i >= here.size() || here[i].kind != Kind::kDigits ||
          !absl::SimpleAtoi(here[i].text, &value)) {
        continue;
      }
      if (value < latest[i]) goes_down[i] = true;
      latest[i] = value;
    }
    return true;
  });
  for (const size_t i : numbers) tokens_[i].identity = goes_down[i];
}

std::optional<LinePrefix::Match> LinePrefix::In(absl::string_view line) const {
  Match match;
  size_t at = 0;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const OwnedToken& token = tokens_[i];
    const bool last = i + 1 == tokens_.size();
    if (token.kind == Kind::kBlanks) {
      size_t length = 0;
      // The last blanks may be followed by the indentation of the text.
      const size_t most = last ? token.text.size() : line.size();
      while (at + length < line.size() && length < most &&
             IsBlank(line[at + length])) {
        ++length;
      }
      if (length == 0 && i > 0 && at < line.size() && !last) {
        return std::nullopt;
      }
      at += length;
      continue;
    }
    if (at >= line.size()) {
      // Lines without text may lack blanks and bars.
      if (at == 0 || !IsBar(token.text)) return std::nullopt;
      continue;
    }
    if (token.kind == Kind::kSign) {
      const char want = token.text[0];
      const char got = line[at];
      const bool by_digits =
          i > 0 && tokens_[i - 1].kind == Kind::kDigits;
      // grep marks lines that match by ":" and lines around them by "-".
      const bool grep = (want == ':' && got == '-') ||
                        (want == '-' && got == ':');
      const bool before_digits = !last && tokens_[i + 1].kind == Kind::kDigits;
      if (want != got && !(grep && (by_digits || before_digits))) {
        return std::nullopt;
      }
      ++at;
      continue;
    }
    size_t end = at;
    if (token.kind == Kind::kDigits) {
      while (end < line.size() &&
             absl::ascii_isdigit(static_cast<unsigned char>(line[end]))) {
        ++end;
      }
    } else {
      while (end < line.size() && IsWordByte(line[end])) ++end;
    }
    const Token here = {end > at ? token.kind : Kind::kSign,
                        line.substr(at, end - at)};
    if (!Same(token, here)) {
      const bool part = i >= 2 && IsPartMark(token.text) &&
                        IsPartMark(here.text) &&
                        absl::StartsWith(tokens_[i - 2].text, "std");
      if (!part) return std::nullopt;
    }
    if (here.text == "P" && i >= 2 &&
        absl::StartsWith(tokens_[i - 2].text, "std")) {
      match.joined = true;
    }
    at = end;
  }
  match.length = at;
  return match;
}

bool operator==(const LinePrefix& a, const LinePrefix& b) {
  return std::equal(a.tokens_.begin(), a.tokens_.end(), b.tokens_.begin(),
                    b.tokens_.end(), [](const auto& x, const auto& y) {
                      return x.kind == y.kind &&
                             (x.kind == LinePrefix::Kind::kBlanks ||
                              (x.kind == LinePrefix::Kind::kDigits &&
                               !x.identity && !y.identity) ||
                              x.text == y.text);
                    });
}

}  // namespace hlokit
