// Collects text in a small buffer that stays in the processor's cache, and gives
// it to a string, or a function, in large pieces. Printing is many appends of a few
// bytes each; here these cost a copy and no call.
#ifndef HLOKIT_HLO_IR_TEXT_SINK_H_
#define HLOKIT_HLO_IR_TEXT_SINK_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <optional>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/escape.h"

namespace hlokit {

class TextSink {
 public:
  // Nobody else may append to `out` as long as the sink lives, but through
  // Through().
  explicit TextSink(std::string* out) : out_(out) {}
  // Calls emit for one piece of the text after another, so that the whole is never
  // in memory.
  using Emit = absl::FunctionRef<void(absl::string_view)>;
  explicit TextSink(Emit emit) : emit_(emit) {}
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;
  ~TextSink() { Flush(); }

  void Append(absl::string_view text) {
    if (text.size() > kBytes - used_) return AppendLarge(text);
    CopyShort(text.data(), text.size(), buffer_ + used_);
    used_ += text.size();
  }
  void Append(char c) {
    if (used_ == kBytes) Flush();
    buffer_[used_++] = c;
  }
  void AppendInt(int64_t value) {
    constexpr size_t kLongest = 20;
    if (kBytes - used_ < kLongest) Flush();
    used_ = std::to_chars(buffer_ + used_, buffer_ + kBytes, value).ptr -
            buffer_;
  }
  // "1,2,3".
  void AppendInts(absl::Span<const int64_t> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) Append(',');
      AppendInt(values[i]);
    }
  }
  // In double quotes, C-escaped.
  void AppendQuoted(absl::string_view bytes) {
    Append('"');
    if (CountPlainBytes(bytes) == bytes.size()) {
      Append(bytes);
    } else {
      Through([&](std::string* out) { AppendCEscaped(bytes, out); });
    }
    Append('"');
  }
  // Room for `size` bytes, of a buffer's length at most; Advance() to the end of
  // what was written there.
  char* Reserve(size_t size) {
    if (kBytes - used_ < size) Flush();
    return buffer_ + used_;
  }
  void Advance(const char* end) { used_ = end - buffer_; }
  // Texts, characters, integers and floating-point numbers (like printf's %g).
  template <typename... Pieces>
  void AppendAll(const Pieces&... pieces) {
    (AppendOne(pieces), ...);
  }
  // For functions that append to a string: fn(string).
  template <typename Fn>
  void Through(Fn fn) {
    scratch_.clear();
    fn(&scratch_);
    Append(scratch_);
  }

  // Afterwards all is in the string, or was emitted.
  void Flush() {
    Give({buffer_, used_});
    used_ = 0;
  }
  // Null for a sink that emits.
  std::string* out() const { return out_; }

 private:
  static constexpr size_t kBytes = 8 << 10;

  // Overlapping moves of a fixed size instead of a call.
  static void CopyShort(const char* from, size_t size, char* to) {
    if (size > 32) {
      std::memcpy(to, from, size);
    } else if (size >= 16) {
      CopyEnds<16>(from, size, to);
    } else if (size >= 8) {
      CopyEnds<8>(from, size, to);
    } else if (size >= 4) {
      CopyEnds<4>(from, size, to);
    } else {
      for (size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }
  template <size_t kWidth>
  static void CopyEnds(const char* from, size_t size, char* to) {
    char head[kWidth], tail[kWidth];
    std::memcpy(head, from, kWidth);
    std::memcpy(tail, from + size - kWidth, kWidth);
    std::memcpy(to, head, kWidth);
    std::memcpy(to + size - kWidth, tail, kWidth);
  }
  template <typename T>
  void AppendOne(const T& piece) {
    if constexpr (std::is_same_v<T, char>) {
      Append(piece);
    } else if constexpr (std::is_integral_v<T>) {
      AppendInt(piece);
    } else if constexpr (std::is_floating_point_v<T>) {
      Through([&](std::string* out) { absl::StrAppend(out, piece); });
    } else {
      Append(absl::string_view(piece));
    }
  }
  void AppendLarge(absl::string_view text) {
    Flush();
    if (text.size() > kBytes / 2) {
      Give(text);
    } else {
      Append(text);
    }
  }
  void Give(absl::string_view text) {
    if (out_ != nullptr) {
      out_->append(text.data(), text.size());
    } else if (!text.empty()) {
      (*emit_)(text);
    }
  }

  std::string* out_ = nullptr;
  std::optional<Emit> emit_;
  size_t used_ = 0;
  std::string scratch_;
  char buffer_[kBytes];
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_TEXT_SINK_H_
