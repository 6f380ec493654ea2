// Doing an operation in another element type.
#ifndef HLOKIT_PASSES_TYPES_TYPE_CHANGE_H_
#define HLOKIT_PASSES_TYPES_TYPE_CHANGE_H_

#include "absl/container/flat_hash_map.h"
#include "passes/builders.h"

namespace hlokit {

// The shape with every array part of type `from` made one of `to`; packed
// layouts (element_size_in_bits) of those parts become plain.
Shape WithType(const Shape& shape, PrimitiveType from, PrimitiveType to);
// Whether any array part has the type.
bool HasType(const Shape& shape, PrimitiveType type);
bool UsesType(const Instruction& i, PrimitiveType type);

// Whether the operation computes with elements (and does not only move them).
bool ComputesWithElements(Opcode opcode);

// Converts array parts of `from` to `to`, in tuples at any depth.
Instruction* ConvertParts(Builder& b, Instruction* x, const Shape& shape);

// Copies of scalar computations (reducers) that compute in another type.
class ComputationTypes {
 public:
  ComputationTypes(PrimitiveType from, PrimitiveType to)
      : from_(from), to_(to) {}
  // Null when the computation holds more than element-wise operations,
  // constants and parameters (tuples of them at the root).
  Computation* Changed(Computation* computation);

 private:
  PrimitiveType from_, to_;
  absl::flat_hash_map<const Computation*, Computation*> copies_;
};

// Replaces `i` by the same operation with operands of `from` converted to `to`
// and the result converted back. False (and nothing changed) when a called
// computation cannot be converted.
bool ComputeInType(Instruction* i, PrimitiveType from, PrimitiveType to,
                   ComputationTypes* computations);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_TYPE_CHANGE_H_
