// A builder with what expansions of large operations need besides: scalars that
// broadcast by themselves, loops, computations applied to arrays.
//
//   Emitter e(old);
//   Instruction* y = e.Divide(e.Scalar(kF32, 1), e.Add(x, 1));
#ifndef HLOKIT_PASSES_EXPAND_EMITTER_H_
#define HLOKIT_PASSES_EXPAND_EMITTER_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "passes/builders.h"

namespace hlokit {

using Values = std::vector<Instruction*>;
using Dims = absl::Span<const int64_t>;

class Emitter : public Builder {
 public:
  explicit Emitter(const Instruction* origin)
      : Emitter(origin->parent(), origin->shared_metadata()) {}
  Emitter(Computation* computation,
          std::shared_ptr<const OpMetadata> metadata)
      : Builder(computation), metadata_(std::move(metadata)) {
    set_metadata(metadata_);
  }
  Module* module() const { return computation()->module(); }

  // With operands in braces.
  using Builder::Op;
  Instruction* Op(Opcode opcode, std::initializer_list<Instruction*> operands,
                  AttributeSet attrs = {},
                  absl::Span<Computation* const> called = {}) {
    return Builder::Op(opcode,
                       absl::MakeConstSpan(operands.begin(), operands.size()),
                       std::move(attrs), called);
  }

  // --- Elementwise. One operand may be a scalar, it is broadcast. ---
  Instruction* Binary(Opcode opcode, Instruction* a, Instruction* b);
  Instruction* Add(Instruction* a, Instruction* b);
  Instruction* Add(Instruction* a, double b);
  Instruction* Subtract(Instruction* a, Instruction* b);
  Instruction* Multiply(Instruction* a, Instruction* b);
  Instruction* Multiply(Instruction* a, double b);
  Instruction* Divide(Instruction* a, Instruction* b);
  Instruction* And(Instruction* a, Instruction* b);
  Instruction* Or(Instruction* a, Instruction* b);
  Instruction* Xor(Instruction* a, Instruction* b);
  // Logical; by a number of bits.
  Instruction* ShiftLeft(Instruction* x, int64_t bits);
  Instruction* ShiftRight(Instruction* x, int64_t bits);
  Instruction* Compare(ComparisonDirection direction, Instruction* a,
                       Instruction* b);
  Instruction* Select(Instruction* predicate, Instruction* on_true,
                      Instruction* on_false);
  // Of real numbers: x itself.
  Instruction* Conjugate(Instruction* x);
  Instruction* RealPart(Instruction* x);

  // --- Arrays ---
  Instruction* Full(PrimitiveType type, Dims sizes, double value);
  Instruction* Iota(PrimitiveType type, Dims sizes, int64_t dimension);
  // Adds elements behind the last along each dimension; x when there are none.
  Instruction* PadHigh(Instruction* x, Instruction* value, Dims amounts);
  // One dimension of x from `start` on, the others whole.
  Instruction* DynamicSliceAlong(Instruction* x, int64_t dimension,
                                 Instruction* start, int64_t size);
  Instruction* DynamicUpdateAlong(Instruction* x, Instruction* update,
                                  int64_t dimension, Instruction* start);
  // With a binary operation and its neutral element.
  Instruction* Reduce(Instruction* x, double init, Dims dimensions,
                      Opcode opcode);
  // [batch..., m, k] times [batch..., k, n], of the highest precision.
  Instruction* MatMul(Instruction* x, Instruction* y);
  // The last two dimensions change places, elements become conjugates.
  Instruction* Adjoint(Instruction* x);
  Instruction* TransposeMatrix(Instruction* x);

  // --- Computations ---
  Values Elements(Instruction* tuple);
  // A new computation with parameters of these shapes; `build` returns the
  // root.
  Computation* Subcomputation(
      absl::string_view name, absl::Span<const Shape> parameters,
      absl::FunctionRef<Instruction*(Emitter& e, const Values& parameters)>
          build);
  // while (condition(state)) state = body(state)
  Values While(
      absl::string_view name, absl::Span<Instruction* const> state,
      absl::FunctionRef<Instruction*(Emitter& e, const Values& state)>
          condition,
      absl::FunctionRef<Values(Emitter& e, const Values& state)> body);
  // for (i = 0; i < count; ++i) state = body(i, state); i is an s32 scalar, s64
  // for large counts.
  Values For(absl::string_view name, int64_t count,
             absl::Span<Instruction* const> state,
             absl::FunctionRef<Values(Emitter& e, Instruction* i,
                                      const Values& state)>
                 body);
  // The instructions of a computation, copied in with these arguments; its
  // root's copy.
  Instruction* Inline(const Computation& function,
                      absl::Span<Instruction* const> arguments);
  // A computation of scalars on arrays of equal dimensions, element by element.
  // Arguments are converted to the parameters' types. The results: the elements
  // of the root where it is a tuple.
  Values Apply(Computation* function,
               absl::Span<Instruction* const> arguments);

 private:
  Values Vectorized(const Computation& function,
                    absl::Span<Instruction* const> arguments);
  std::shared_ptr<const OpMetadata> metadata_;
};

// A list attribute; empty ones are not stored.
void SetList(AttrId id, Dims list, AttributeSet* attrs);
// `count` numbers from `first` on.
std::vector<int64_t> Counting(int64_t count, int64_t first = 0);
std::vector<int64_t> DimsOf(const Instruction* x);
// The integer type of a width: 8 -> u8 (s8); kInvalid if there is none.
PrimitiveType UnsignedOfWidth(int bits);
PrimitiveType SignedOfWidth(int bits);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_EMITTER_H_
