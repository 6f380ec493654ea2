// What stands in a module, as far as passes ask: which opcodes and element
// types, and whether any array is dynamic or empty.
//
// Most passes of a pipeline look for one or two kinds of instructions, and most
// modules hold few kinds. One walk over the module finds out for all of them.
#ifndef HLOKIT_PASSES_CONTENTS_H_
#define HLOKIT_PASSES_CONTENTS_H_

#include <bitset>

#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"

namespace hlokit {

class Contents {
 public:
  Contents() = default;
  // Of all instructions, those in fusions included; types and dimensions of
  // their results, tuples' elements included.
  explicit Contents(const Module& module);
  // Of a row of works_on.def: blank-separated opcodes, element types, `dynamic`
  // and `empty`. Ends the program at any other word, for rows are ours; a word
  // that is an opcode and a type is the opcode.
  static Contents OfWords(absl::string_view words);

  bool none() const { return bits_.none(); }
  bool HasAnyOf(const Contents& other) const {
    return (bits_ & other.bits_).any();
  }

 private:
  void Add(const Shape& shape);

  // Opcodes, then element types, then the two others.
  static constexpr int kTypes = 64;
  enum { kFirstType = kOpcodeCount, kDynamic = kFirstType + kTypes, kEmpty };
  std::bitset<kEmpty + 1> bits_;
};

// The row of works_on.def; empty if the pass has none.
absl::string_view WorksOn(absl::string_view pass);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTENTS_H_
