#include "passes/types/sub_byte_size_removal.h"

#include "passes/types/element_size.h"

namespace hlokit {

absl::StatusOr<bool> SubByteSizeRemoval::Run(Module* module) {
  return SetElementSizes(module, [](const Shape& shape) -> int64_t {
    return BitWidth(shape.element_type()) < 8
               ? 0
               : shape.layout().element_size_in_bits;
  });
}

}  // namespace hlokit
