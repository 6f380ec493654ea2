#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr absl::string_view kEraseLine = "\r\x1b[K";

absl::string_view Environment(const ToolIo& io, const char* name) {
  const char* value = io.getenv ? io.getenv(name) : nullptr;
  return value == nullptr ? "" : value;
}

bool UseColor(ColorMode mode, const ToolIo& io, bool is_terminal) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  return is_terminal && Environment(io, "NO_COLOR").empty() &&
         Environment(io, "TERM") != "dumb";
}

absl::string_view CodeOf(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "1";
    case Style::kDim:
      return "2";
    case Style::kRed:
      return "31";
    case Style::kGreen:
      return "32";
    case Style::kYellow:
      return "33";
    case Style::kBlue:
      return "34";
    case Style::kMagenta:
      return "35";
    case Style::kCyan:
      return "36";
    case Style::kBoldRed:
      return "1;31";
    case Style::kBoldGreen:
      return "1;32";
    case Style::kBoldYellow:
      return "1;33";
  }
  return "";
}

// The length of the terminal escape ("ESC [ ... letter") that `text` starts
// with, or 0.
size_t EscapeLength(absl::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  for (size_t i = 2; i < text.size(); ++i) {
    if (text[i] >= 0x40 && text[i] <= 0x7e) return i + 1;
  }
  return text.size();
}

// Where each code point begins, and the end.
std::vector<size_t> CodePointBegins(absl::string_view text) {
  std::vector<size_t> begins;
  size_t at = 0;
  while (at < text.size()) {
    begins.push_back(at);
    at += std::max(Utf8SequenceLength(text.substr(at)), 1);
  }
  begins.push_back(at);
  return begins;
}

}  // namespace

absl::StatusOr<ColorMode> ParseColorMode(absl::string_view text) {
  if (text == "auto") return ColorMode::kAuto;
  if (text == "always") return ColorMode::kAlways;
  if (text == "never") return ColorMode::kNever;
  return InvalidArgument("'%s' is not one of auto, always, never", text);
}

bool UseColorOnOut(ColorMode mode, const ToolIo& io) {
  return UseColor(mode, io, io.out_is_terminal);
}

bool UseColorOnErr(ColorMode mode, const ToolIo& io) {
  return UseColor(mode, io, io.err_is_terminal);
}

std::string Painter::operator()(Style style, absl::string_view text) const {
  if (!color_ || style == Style::kPlain || text.empty()) {
    return std::string(text);
  }
  return absl::StrCat("\x1b[", CodeOf(style), "m", text, "\x1b[0m");
}

int TerminalWidth(const ToolIo& io, int fallback) {
  int columns = 0;
  if (absl::SimpleAtoi(Environment(io, "COLUMNS"), &columns) && columns > 0) {
    return columns;
  }
  winsize size = {};
  if (io.out_is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return size.ws_col;
  }
  if (io.err_is_terminal && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return size.ws_col;
  }
  return fallback;
}

int DisplayWidth(absl::string_view text) {
  int width = 0;
  while (!text.empty()) {
    if (const size_t escape = EscapeLength(text)) {
      text.remove_prefix(escape);
      continue;
    }
    text.remove_prefix(std::max(Utf8SequenceLength(text), 1));
    ++width;
  }
  return width;
}

std::string ElideMiddle(absl::string_view text, int width) {
  constexpr absl::string_view kDots = "...";
  width = std::max(width, 0);
  const std::vector<size_t> begins = CodePointBegins(text);
  const int count = static_cast<int>(begins.size()) - 1;
  if (count <= width) return std::string(text);
  const int dots = static_cast<int>(kDots.size());
  if (width <= dots) return std::string(kDots.substr(0, width));
  const int right = (width - dots) / 2;
  const int left = width - dots - right;
  return absl::StrCat(text.substr(0, begins[left]), kDots,
                      text.substr(begins[count - right]));
}

ProgressLine::ProgressLine(const ToolIo& io, absl::Duration interval,
                           std::function<absl::Time()> now)
    : io_(io),
      interval_(interval),
      now_(std::move(now)),
      enabled_(io.err_is_terminal && Environment(io, "TERM") != "dumb") {}

ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Update(absl::string_view text) {
  if (!enabled_) return;
  const absl::Time now = now_();
  if (now - last_ < interval_) return;
  last_ = now;
  shown_ = true;
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  // A line as wide as the terminal would wrap on some.
  *io_.err << kEraseLine << ElideMiddle(line, TerminalWidth(io_) - 1)
           << std::flush;
}

void ProgressLine::Clear() {
  if (shown_) *io_.err << kEraseLine << std::flush;
  shown_ = false;
  last_ = absl::InfinitePast();
}

}  // namespace hlokit
