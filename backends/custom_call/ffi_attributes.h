// The attributes of a typed custom-call: the MLIR dictionary in its
// backend_config, e.g.
//   {axis = 1 : i32, mode = "fast", scales = array<f32: 1.0, 0x7FC00000>,
//    options = {exact, eps = 1.0e-6}}
// and the form in which handlers read them.
//
// Numbers without a type are s64 and f64. A name alone, true and false are
// pred. dense<...> : tensor<...> counts as an array of its elements.
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_FFI_ATTRIBUTES_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_FFI_ATTRIBUTES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/custom_call/hlokit_custom_call.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::custom_call {

struct FfiAttribute {
  XLA_FFI_AttrType kind = XLA_FFI_AttrType_SCALAR;
  PrimitiveType type = kInvalid;  // of scalars and arrays
  int64_t size = 0;               // elements of an array
  std::string name;
  std::string bytes;  // the elements, or the string
  std::vector<FfiAttribute> members;  // of a dictionary, by name
};

// Sorted by name. Text that is empty has none. Errors name the byte. Text that
// is nested deeper than 32 is an error.
absl::StatusOr<std::vector<FfiAttribute>> ParseFfiAttributes(
    absl::string_view text);

// Attributes as the structures of the call frame.
class FfiAttributeFrame {
 public:
  explicit FfiAttributeFrame(std::vector<FfiAttribute> attributes);
  ~FfiAttributeFrame();
  FfiAttributeFrame(FfiAttributeFrame&&) noexcept;
  FfiAttributeFrame& operator=(FfiAttributeFrame&&) noexcept;
  // Points into this object.
  const XLA_FFI_Attrs& attrs() const;

 private:
  struct Level;
  std::unique_ptr<Level> top_;
};

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_FFI_ATTRIBUTES_H_
