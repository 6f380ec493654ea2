// sub-byte-size-removal: arrays of types under 8 bits take a whole byte for each
// element; the element sizes in their layouts, as sub-byte-size-setter writes
// them, go.
#ifndef HLOKIT_PASSES_TYPES_SUB_BYTE_SIZE_REMOVAL_H_
#define HLOKIT_PASSES_TYPES_SUB_BYTE_SIZE_REMOVAL_H_

#include "passes/pass.h"

namespace hlokit {

class SubByteSizeRemoval : public Pass {
 public:
  absl::string_view name() const override { return "sub-byte-size-removal"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_SUB_BYTE_SIZE_REMOVAL_H_
