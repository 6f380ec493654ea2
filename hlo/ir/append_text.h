// Small pieces of HLO text that several printers share. All append to a string;
// none makes a temporary one.
#ifndef HLOKIT_HLO_IR_APPEND_TEXT_H_
#define HLOKIT_HLO_IR_APPEND_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

inline void AppendText(absl::string_view text, std::string* out) {
  out->append(text.data(), text.size());
}

// "-12".
void AppendInt(int64_t value, std::string* out);
// "1,2,3".
void AppendInts(absl::Span<const int64_t> values, std::string* out);
// "{1,2,3}".
inline void AppendIntList(absl::Span<const int64_t> values, std::string* out) {
  out->push_back('{');
  AppendInts(values, out);
  out->push_back('}');
}
// Like printf's %g: "0.001", "1e-05".
void AppendDouble(double value, std::string* out);
// In double quotes, C-escaped.
void AppendQuoted(absl::string_view bytes, std::string* out);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_APPEND_TEXT_H_
