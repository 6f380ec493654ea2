// sub-byte-size-setter: arrays of types under 8 bits are packed.
//
// Their layouts get element_size_in_bits, E(4) for s4, everywhere:
// instructions, the entry's parameters and result. Types without layout stay.
#ifndef HLOKIT_PASSES_TYPES_SUB_BYTE_SIZE_SETTER_H_
#define HLOKIT_PASSES_TYPES_SUB_BYTE_SIZE_SETTER_H_

#include "passes/pass.h"

namespace hlokit {

class SubByteSizeSetter : public Pass {
 public:
  absl::string_view name() const override { return "sub-byte-size-setter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_SUB_BYTE_SIZE_SETTER_H_
