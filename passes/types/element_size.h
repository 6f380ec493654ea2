// Changing how many bits the elements of arrays take (element_size_in_bits of
// their layouts), everywhere in a module.
#ifndef HLOKIT_PASSES_TYPES_ELEMENT_SIZE_H_
#define HLOKIT_PASSES_TYPES_ELEMENT_SIZE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "hlo/ir/module.h"

namespace hlokit {

// The element size that an array's layout should have: `shape` has one.
using ElementSizeOf = absl::FunctionRef<int64_t(const Shape& shape)>;

// Of all instructions and of the entry's parameters and result; arrays without
// layout stay. Whether anything changed.
bool SetElementSizes(Module* module, ElementSizeOf size);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_ELEMENT_SIZE_H_
