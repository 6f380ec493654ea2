// What a terminal adds to text: colour, a width, a line that is rewritten.
#ifndef HLOKIT_BASE_TERMINAL_H_
#define HLOKIT_BASE_TERMINAL_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/io.h"

namespace hlokit {

enum class ColorMode { kAuto, kAlways, kNever };

// The value of --color: "auto", "always" or "never".
absl::StatusOr<ColorMode> ParseColorMode(absl::string_view text);

// kAuto: on a terminal, unless NO_COLOR is set to something or TERM is "dumb".
bool UseColorOnOut(ColorMode mode, const ToolIo& io);
bool UseColorOnErr(ColorMode mode, const ToolIo& io);

enum class Style {
  kPlain,
  kBold,
  kDim,
  kRed,
  kGreen,
  kYellow,
  kBlue,
  kMagenta,
  kCyan,
  kBoldRed,
  kBoldGreen,
  kBoldYellow,
};

// Wraps text in terminal escapes, or leaves it alone when colour is off.
class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  bool color() const { return color_; }
  std::string operator()(Style style, absl::string_view text) const;

 private:
  bool color_;
};

// Columns of the terminal: COLUMNS when it is a number, else what the terminal
// of out or err says, else `fallback`.
int TerminalWidth(const ToolIo& io, int fallback = 80);

// Columns that the text takes: its code points, terminal escapes not counted.
// Bytes that are not UTF-8 count one each.
int DisplayWidth(absl::string_view text);

// The text, or when it is wider than `width` columns its two ends around "...".
// Terminal escapes in the text are not understood here.
std::string ElideMiddle(absl::string_view text, int width);

// One line on a terminal's err that says how far a long job is; elsewhere
// silent. Print nothing else on err without Clear() before it. Not thread-safe.
class ProgressLine {
 public:
  // At most one update in `interval` is shown. `now` is for tests.
  explicit ProgressLine(const ToolIo& io,
                        absl::Duration interval = absl::Milliseconds(100),
                        std::function<absl::Time()> now = absl::Now);
  // Clears the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows `text` (one line, without a newline), cut to the terminal's width.
  void Update(absl::string_view text);
  // Takes the line away; the next Update shows at once.
  void Clear();

  bool enabled() const { return enabled_; }

 private:
  ToolIo io_;
  absl::Duration interval_;
  std::function<absl::Time()> now_;
  bool enabled_;
  bool shown_ = false;
  absl::Time last_ = absl::InfinitePast();
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_TERMINAL_H_
