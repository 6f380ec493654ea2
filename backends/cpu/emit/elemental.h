// Writes code for single elements of instructions: the element at an index is
// computed from elements of the operands, these from elements of theirs, down
// to arrays in memory. So a fusion becomes one expression.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_ELEMENTAL_H_
#define HLOKIT_BACKENDS_CPU_EMIT_ELEMENTAL_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "backends/cpu/emit/element.h"
#include "backends/cpu/emit/indexing.h"
#include "backends/cpu/emit/ir.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hlokit::cpu {

// Whether an element of `i` can be computed from its operands' elements. Static
// shapes only.
bool IsElemental(const Instruction& i);
// Whether that holds for everything that `computation` computes, with
// parameters that are arrays.
bool IsElemental(const Computation& computation);

class ElementalEmitter {
 public:
  // The element of an instruction that lies in memory. Returns false for those
  // that do not.
  using Leaf = std::function<bool(
      const Instruction& i, absl::Span<const IrValue> index, Element* element)>;
  ElementalEmitter(IrFunction& f, Leaf leaf)
      : f_(f), leaf_(std::move(leaf)), memo_(1) {}

  // The element at `index`; of instructions that give tuples (reduces of
  // several arrays) one a leaf. After something that cannot be compiled the
  // values mean nothing, and failed() is true.
  Element Emit(const Instruction& i, const Index& index);
  std::vector<Element> EmitAll(const Instruction& i, const Index& index);
  bool failed() const { return failed_; }

  // `body` runs conditionally or repeatedly: what it computes is not known
  // afterwards.
  void Nested(absl::FunctionRef<void()> body);

  // The results of a computation on scalars.
  std::vector<Element> Apply(const Computation& computation,
                             absl::Span<const Element> arguments);
  // The start indices operand(first), ... of a dynamic slice, clamped so that
  // `window` fits into `whole`.
  Index DynamicStarts(const Instruction& i, int64_t first, const Shape& whole,
                      absl::Span<const int64_t> window);

 private:
  Element Fail(const Instruction& i);
  Element Compute(const Instruction& i, const Index& index);
  // Computes the long chains of elementwise operations below `i` without a
  // recursion that is as deep.
  void EmitChain(const Instruction& i, const Index& index);
  bool Knows(const std::string& key) const;
  Element Arithmetic(const Instruction& i, const Index& index);
  Element Constant(const Instruction& i, const Index& index);
  Element Iota(const Instruction& i, const Index& index);
  Element Concatenate(const Instruction& i, const Index& index);
  Element Pad(const Instruction& i, const Index& index);
  Element DynamicSlice(const Instruction& i, const Index& index);
  Element DynamicUpdateSlice(const Instruction& i, const Index& index);
  Element Gather(const Instruction& i, const Index& index);
  Element Dot(const Instruction& i, const Index& index);
  std::vector<Element> Reduce(const Instruction& i, const Index& index);
  Element Choose(PrimitiveType type, const IrValue& condition,
                 absl::FunctionRef<Element()> then,
                 absl::FunctionRef<Element()> otherwise);

  IrFunction& f_;
  Leaf leaf_;
  bool failed_ = false;
  int depth_ = 0;
  // What has been computed: by instruction and index, the innermost block last.
  std::vector<absl::flat_hash_map<std::string, std::vector<Element>>> memo_;
};

// Variables of a kernel, for what loops accumulate.
class Variable {
 public:
  Variable(IrFunction& f, PrimitiveType type);
  void Set(const Element& value);
  Element Get() const;

 private:
  IrFunction& f_;
  PrimitiveType type_;
  IrValue at_, imag_;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_ELEMENTAL_H_
