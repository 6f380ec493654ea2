#include "passes/types/sub_byte_size_setter.h"

#include "passes/types/element_size.h"

namespace hlokit {

absl::StatusOr<bool> SubByteSizeSetter::Run(Module* module) {
  return SetElementSizes(module, [](const Shape& shape) -> int64_t {
    const int bits = BitWidth(shape.element_type());
    return bits < 8 && 8 % bits == 0 ? bits
                                     : shape.layout().element_size_in_bits;
  });
}

}  // namespace hlokit
