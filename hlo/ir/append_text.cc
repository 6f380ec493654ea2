#include "hlo/ir/append_text.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "base/escape.h"

namespace hlokit {

void AppendInt(int64_t value, std::string* out) {
  if (value >= 0 && value < 10) {
    out->push_back(static_cast<char>('0' + value));
    return;
  }
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end.ptr - buffer);
}

void AppendInts(absl::Span<const int64_t> values, std::string* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendInt(values[i], out);
  }
}

void AppendDouble(double value, std::string* out) {
  absl::StrAppend(out, value);
}

void AppendQuoted(absl::string_view bytes, std::string* out) {
  out->push_back('"');
  AppendCEscaped(bytes, out);
  out->push_back('"');
}

}  // namespace hlokit
