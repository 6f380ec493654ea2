// Short ways to add instructions while a module is rewritten.
//
//   Builder b(old);              // into old's computation, with its metadata
//   Instruction* twice = b.Binary(Opcode::kMultiply, x, b.Full(x->shape(), 2));
//   ReplaceInstruction(old, twice);
//
// Types come from shape inference; operands that do not fit are the caller's
// mistake and end the program. Modules must have passed the verifier before.
// New arrays have the layout of the operand where the operation keeps it, else
// the descending one.
#ifndef HLOKIT_PASSES_BUILDERS_H_
#define HLOKIT_PASSES_BUILDERS_H_

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Contracting and batch dimensions of a dot.
struct DotDims {
  Int64List lhs_batch;
  Int64List rhs_batch;
  Int64List lhs_contracting;
  Int64List rhs_contracting;
};
DotDims DotDimsOf(const Instruction& dot);

class Builder {
 public:
  // Into `origin`'s computation; everything gets its metadata.
  explicit Builder(const Instruction* origin)
      : computation_(origin->parent()), metadata_(origin->shared_metadata()) {}
  explicit Builder(Computation* computation) : computation_(computation) {}

  Computation* computation() const { return computation_; }
  void set_metadata(std::shared_ptr<const OpMetadata> metadata) {
    metadata_ = std::move(metadata);
  }

  // Any opcode whose type inference knows.
  Instruction* Op(Opcode opcode, absl::Span<Instruction* const> operands,
                  AttributeSet attrs = {},
                  absl::Span<Computation* const> called = {});
  // An opcode whose type is given.
  Instruction* OpOfShape(Opcode opcode, const Shape& shape,
                         absl::Span<Instruction* const> operands,
                         AttributeSet attrs = {},
                         absl::Span<Computation* const> called = {});
  // `original` once more on other operands: its attributes, called
  // computations and metadata; the type is inferred, or given.
  Instruction* Clone(const Instruction& original,
                     absl::Span<Instruction* const> operands);
  Instruction* CloneOfShape(const Instruction& original, const Shape& shape,
                            absl::Span<Instruction* const> operands);

  Instruction* Unary(Opcode opcode, Instruction* x);
  Instruction* Binary(Opcode opcode, Instruction* a, Instruction* b);
  Instruction* Add(Instruction* a, Instruction* b) {
    return Binary(Opcode::kAdd, a, b);
  }
  Instruction* Subtract(Instruction* a, Instruction* b) {
    return Binary(Opcode::kSubtract, a, b);
  }
  Instruction* Multiply(Instruction* a, Instruction* b) {
    return Binary(Opcode::kMultiply, a, b);
  }
  Instruction* Divide(Instruction* a, Instruction* b) {
    return Binary(Opcode::kDivide, a, b);
  }
  // With the comparison type that is usual for the operands.
  Instruction* Compare(ComparisonDirection direction, Instruction* a,
                       Instruction* b);
  Instruction* CompareOfType(ComparisonDirection direction,
                             ComparisonType type, Instruction* a,
                             Instruction* b);
  Instruction* Select(Instruction* pred, Instruction* on_true,
                      Instruction* on_false);
  Instruction* Clamp(Instruction* low, Instruction* x, Instruction* high);
  // `x` itself when it has this type already.
  Instruction* Convert(Instruction* x, PrimitiveType type);
  // Types of the same width.
  Instruction* BitcastConvert(Instruction* x, PrimitiveType type);

  // A scalar constant; converted to `type` as `convert` does.
  Instruction* Constant(Literal literal);
  Instruction* Scalar(PrimitiveType type, double value);
  Instruction* ScalarInt(PrimitiveType type, int64_t value);
  // An array of `shape`'s type and dimensions, all `value`: a scalar, broadcast
  // unless it is one.
  Instruction* Full(const Shape& shape, double value);
  Instruction* FullInt(const Shape& shape, int64_t value);
  // A list of integers, as a constant of rank one.
  Instruction* List(PrimitiveType type, absl::Span<const int64_t> values);
  Instruction* Iota(const Shape& shape, int64_t dimension);

  // Operand dimension i becomes dimension dimensions[i] of the result.
  Instruction* Broadcast(Instruction* x, absl::Span<const int64_t> dimensions,
                         absl::Span<const int64_t> sizes);
  // A scalar everywhere; `x` itself when `sizes` is empty.
  Instruction* BroadcastScalar(Instruction* x,
                               absl::Span<const int64_t> sizes);
  // `x` itself when the sizes are its own.
  Instruction* Reshape(Instruction* x, absl::Span<const int64_t> sizes);
  Instruction* Reshape(Instruction* x, std::initializer_list<int64_t> sizes) {
    return Reshape(x, absl::MakeConstSpan(sizes.begin(), sizes.size()));
  }
  // Dimension i of the result is dimension permutation[i] of `x`; `x` itself
  // for the identity.
  Instruction* Transpose(Instruction* x,
                         absl::Span<const int64_t> permutation);
  Instruction* Reverse(Instruction* x, absl::Span<const int64_t> dimensions);
  // `x` itself when nothing is cut off.
  Instruction* Slice(Instruction* x, SliceRanges ranges);
  // [start, limit) of one dimension.
  Instruction* SliceInDim(Instruction* x, int64_t dimension, int64_t start,
                          int64_t limit);
  Instruction* Pad(Instruction* x, Instruction* value, PaddingConfig padding);
  // The operand itself when there is only one.
  Instruction* Concatenate(absl::Span<Instruction* const> parts,
                           int64_t dimension);
  // One scalar start index a dimension.
  Instruction* DynamicSlice(Instruction* x,
                            absl::Span<Instruction* const> starts,
                            absl::Span<const int64_t> sizes);
  Instruction* DynamicUpdateSlice(Instruction* x, Instruction* update,
                                  absl::Span<Instruction* const> starts);

  Instruction* Reduce(Instruction* x, Instruction* init,
                      absl::Span<const int64_t> dimensions,
                      Computation* reducer);
  // `element_type` of the result; precision attributes as in `like`, if given.
  Instruction* Dot(Instruction* lhs, Instruction* rhs, const DotDims& dims,
                   PrimitiveType element_type,
                   const Instruction* like = nullptr);

  Instruction* Tuple(absl::Span<Instruction* const> elements);
  // Element `index`; looks through a tuple instruction.
  Instruction* Element(Instruction* tuple, int64_t index);
  Instruction* Call(Computation* computation,
                    absl::Span<Instruction* const> operands);
  Instruction* While(Computation* condition, Computation* body,
                     Instruction* init);

 private:
  Instruction* Finish(Instruction* instruction, AttributeSet attrs,
                      absl::Span<Computation* const> called);

  Computation* computation_;
  std::shared_ptr<const OpMetadata> metadata_;
};

// A computation (type, type) -> type of one binary operation on scalars, for
// reduces; one that the module already has is used again.
Computation* ScalarBinaryComputation(Module* module, Opcode opcode,
                                     PrimitiveType type);
// The opcode when `computation` is just that on its two parameters in either
// order and the operation commutes; kParameter for anything else.
Opcode CommutativeReducer(const Computation& computation);

// `replacement` takes over `old`'s users, root place and control dependencies,
// and its metadata and sharding when it has none and is new (has no users
// yet); `old` is removed together with operands that nobody else uses. Both
// must have compatible shapes.
void ReplaceInstruction(Instruction* old, Instruction* replacement);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BUILDERS_H_
