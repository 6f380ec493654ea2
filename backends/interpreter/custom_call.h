// Custom-calls that the interpreter knows: one table row a target, one file a
// kind of target.
#ifndef HLOKIT_BACKENDS_INTERPRETER_CUSTOM_CALL_H_
#define HLOKIT_BACKENDS_INTERPRETER_CUSTOM_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/interpreter/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hlokit::interpreter {

// Operands and result shape may be anything: shape inference knows nothing of
// custom-calls.
struct CustomCallTarget {
  absl::string_view name;
  Kernel kernel;
};

// Hints to compilers, which leave values as they are.
absl::Span<const CustomCallTarget> AnnotationTargets();
// Buffers, dynamic sizes, halves of 64-bit integers, seeds.
absl::Span<const CustomCallTarget> BufferTargets();
// What XLA's compilers expand themselves: TopK, ApproxTopK, ...
absl::Span<const CustomCallTarget> CompilerTargets();
// Small kernels that JAX ships for GPUs.
absl::Span<const CustomCallTarget> GpuTargets();
// Dense linear algebra: LAPACK on CPU, cuSOLVER's equals, XLA's own.
absl::Span<const CustomCallTarget> LapackTargets();

// Whether a library serves the call, or there is a kernel for its target, or a
// computation that the call says does the same.
bool KnowsCustomCall(const Instruction& instruction);
// A call of a Python function, for its effect alone (a print, a check): there is
// nothing to compute, and replay goes on without the effect.
bool IsCallbackWithoutResults(const Instruction& call);
// What is wrong with a call that nobody knows, with the nearest name.
absl::Status UnknownTarget(const Instruction& call);

// Checks operands and makes results of a call whose shapes follow from its
// operands. The first error stays; look at status() before using anything.
class CallShapes {
 public:
  CallShapes(const Instruction& instruction,
             absl::Span<const Literal* const> operands)
      : instruction_(instruction), operands_(operands) {}

  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  void Fail(absl::Status status);
  void Expect(bool condition, absl::string_view what);

  // Exactly `count` operands, all of them arrays, all elements live.
  bool TakesArrays(int64_t count);
  // Operand i has at least `rank` dimensions.
  void Rank(int64_t i, int64_t rank);
  void Operand(int64_t i, PrimitiveType type, const DimensionVector& sizes);

  // Result i (of `count`) as zeros.
  Literal Result(int64_t i, int64_t count, PrimitiveType type,
                 const DimensionVector& sizes);
  // The whole result from its parts in order.
  absl::StatusOr<Literal> Finish(std::vector<Literal> results) const;

 private:
  const Instruction& instruction_;
  absl::Span<const Literal* const> operands_;
  absl::Status status_;
};

// A sequence of sizes: batch, then `more`.
DimensionVector Sizes(absl::Span<const int64_t> batch,
                      std::initializer_list<int64_t> more);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_CUSTOM_CALL_H_
