// Fast search for a fixed string, and the fixed string that every match of a
// regular expression must hold. Thread-safe.
#ifndef HLOKIT_DUMP_LITERAL_SEARCH_H_
#define HLOKIT_DUMP_LITERAL_SEARCH_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

// Finds a needle by its two rarest bytes, 16 positions at a time where the
// processor can.
class LiteralSearcher {
 public:
  explicit LiteralSearcher(absl::string_view needle);

  // The first place at or after `from`, or npos. An empty needle is everywhere.
  size_t Find(absl::string_view text, size_t from) const;
  const std::string& needle() const { return needle_; }

 private:
  std::string needle_;
  size_t first_ = 0, second_ = 0;  // places of the two bytes, first < second
};

// The longest text that stands in every match of the RE2 expression as far as
// a simple look at it tells; "" when there is none. `whole` says that the
// expression is nothing but that text.
std::string RequiredLiteral(absl::string_view expression, bool* whole);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_LITERAL_SEARCH_H_
