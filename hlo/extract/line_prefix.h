// What loggers, schedulers and viewers put before each line of a module.
//
// A prefix is not looked up in a list: it is learnt from the module's first line
// and the lines below it, as a form whose digits and blanks may differ from line
// to line. So stamps, line numbers and quote marks of any kind are taken away.
#ifndef HLOKIT_HLO_EXTRACT_LINE_PREFIX_H_
#define HLOKIT_HLO_EXTRACT_LINE_PREFIX_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/extract/line_reader.h"

namespace hlokit {

class LinePrefix {
 public:
  struct Match {
    size_t length = 0;
    bool joined = false;  // Kubernetes cut a long line here ("stdout P ")
  };

  // Learns the prefix of the module or computation that begins behind `head` in
  // its line; `ahead` reads the lines below. Nothing comes back when no line of
  // HLO follows soon: then this is not the beginning of a module. Reads at
  // most `max_lines` lines.
  static std::optional<LinePrefix> Learn(absl::string_view head,
                                         LineReader ahead,
                                         int max_lines = kMaxLines);
  static constexpr int kMaxLines = 64;

  // The prefix of this line, or nothing when it has another one. A line that
  // ends within the prefix but for blanks matches.
  std::optional<Match> In(absl::string_view line) const;

  bool empty() const { return tokens_.empty(); }
  // As in the line that it was learnt from.
  const std::string& sample() const { return sample_; }
  friend bool operator==(const LinePrefix& a, const LinePrefix& b);

 private:
  enum class Kind { kWord, kDigits, kBlanks, kSign };
  struct Token {
    Kind kind = Kind::kSign;
    absl::string_view text;
  };
  struct OwnedToken {
    Kind kind = Kind::kSign;
    std::string text;
    // Digits that tell streams apart: the rank of a process among lines of
    // several. Other digits (times, line numbers) may differ.
    bool identity = false;
  };

  static std::vector<Token> Tokens(absl::string_view text, size_t limit);
  static bool Same(const OwnedToken& a, const Token& b);
  void Keep(const std::vector<Token>& tokens, size_t count);
  void FindIdentity(LineReader ahead);

  std::vector<OwnedToken> tokens_;
  std::string sample_;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_LINE_PREFIX_H_
