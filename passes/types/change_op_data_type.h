// change-op-data-type: does dots and convolutions of one type in another.
//
// As in XLA's CPU pipeline: f16 in f32, with the result converted back.
// Operations of which only some operands or the result have the type stay.
#ifndef HLOKIT_PASSES_TYPES_CHANGE_OP_DATA_TYPE_H_
#define HLOKIT_PASSES_TYPES_CHANGE_OP_DATA_TYPE_H_

#include "hlo/ir/primitive_type.h"
#include "passes/pass.h"

namespace hlokit {

class ChangeOpDataType : public Pass {
 public:
  explicit ChangeOpDataType(PrimitiveType from = kF16, PrimitiveType to = kF32)
      : from_(from), to_(to) {}
  absl::string_view name() const override { return "change-op-data-type"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  PrimitiveType from_, to_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_CHANGE_OP_DATA_TYPE_H_
