// Names that are unique in a module, by the rule that XLA uses.
//
// The decimal suffix after the last '.' (at neither end) is the number, the rest
// the stem; without suffix the number is 0. A free number is kept, else the next
// free one from the stem's counter is taken: p, p -> p, p.1 and p.5, p.5 -> p.5,
// p.0.
#ifndef HLOKIT_HLO_IR_NAME_UNIQUER_H_
#define HLOKIT_HLO_IR_NAME_UNIQUER_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace hlokit {

class NameUniquer {
 public:
  // Marks a name as used and gives it (or the one to use instead). `unchanged`
  // tells that the result is the request, byte for byte.
  std::string Unique(absl::string_view request, bool* unchanged = nullptr);

 private:
  struct Stem {
    absl::flat_hash_set<int64_t> used;
    int64_t next = 0;
  };
  absl::flat_hash_map<std::string, Stem> stems_;
};

// The name as XLA would accept it: a letter or '_' first, then letters, digits
// and "_.-"; names of element types get "_" appended; "__" not followed by
// "xla_" becomes "a_".
std::string SanitizeName(absl::string_view name);
bool IsSanitizedName(absl::string_view name);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_NAME_UNIQUER_H_
