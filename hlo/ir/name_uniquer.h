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
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace hlokit {

class NameUniquer {
 public:
  // Marks a name as used and gives it (or the one to use instead).
  std::string Unique(absl::string_view request);
  // The quick way for most names: true if Unique() would give back the request
  // byte for byte; it is marked as used then.
  bool Take(absl::string_view request);

 private:
  // A set of numbers, most of which are small and close together.
  class Numbers {
   public:
    bool Insert(int64_t number);  // false: it was there

   private:
    std::vector<uint64_t> bits_;
    absl::flat_hash_set<int64_t> large_;
    size_t count_ = 0;
  };
  struct Stem {
    Numbers used;
    int64_t next = 0;
  };
  Stem& StemOf(absl::string_view stem);

  absl::flat_hash_map<std::string, Stem> stems_;
};

// The name as XLA would accept it: a letter or '_' first, then letters, digits
// and "_.-"; names of element types get "_" appended; "__" not followed by
// "xla_" becomes "a_".
std::string SanitizeName(absl::string_view name);
bool IsSanitizedName(absl::string_view name);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_NAME_UNIQUER_H_
