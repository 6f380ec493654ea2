// How the families of library calls write what a call computes as plain HLO.
//
// A lowering is a computation whose parameters are the call's operands. Calls
// come from files and may be anything: an operation whose operands do not fit
// makes status() an error, and everything after it does nothing and returns
// some instruction. Functions that need sizes or ranks of values check ok()
// before they use them.
#ifndef HLOKIT_PASSES_LIBRARY_CALLS_LOWERING_H_
#define HLOKIT_PASSES_LIBRARY_CALLS_LOWERING_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/instruction.h"
#include "passes/expand/emitter.h"
#include "passes/library_calls/config.h"

namespace hlokit {

class Lowering {
 public:
  // Parameters go into `computation`, which must be empty.
  Lowering(const Instruction& call, Computation* computation);

  const Instruction& call() const { return call_; }
  absl::string_view target() const { return call_.custom_call_target(); }
  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  // The first error stays.
  void Fail(absl::Status status);
  void Expect(bool condition, absl::string_view message);

  // The operands.
  int64_t count() const { return operands_.size(); }
  // Fails, and returns some instruction, if there are not so many.
  Instruction* operand(int64_t i);
  // Fails unless there are between `least` and `most` operands, all arrays of
  // static shape.
  void TakesArrays(int64_t least, int64_t most);
  // The i-th array of the result, which is an array or a flat tuple.
  Shape ResultShape(int64_t i);
  int64_t result_count() const;

  // --- Operations ---
  Instruction* Op(Opcode opcode, std::initializer_list<Instruction*> operands,
                  AttributeSet attrs = {});
  // Elementwise; a scalar is broadcast.
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
  Instruction* Maximum(Instruction* a, double b);
  // x times a number, x itself for 1.
  Instruction* Scale(Instruction* x, double factor);
  Instruction* AddNumber(Instruction* x, double number);
  Instruction* Compare(ComparisonDirection direction, Instruction* a,
                       Instruction* b);
  // A scalar `on_false` is broadcast.
  Instruction* Select(Instruction* predicate, Instruction* on_true,
                      Instruction* on_false);
  Instruction* Scalar(PrimitiveType type, double value);
  Instruction* Convert(Instruction* x, PrimitiveType type);
  // To the type of a result: once, to nearest. Types of 8 bits saturate, as the
  // libraries do: floats at their largest finite values, integers after
  // rounding to nearest even.
  Instruction* ConvertSaturating(Instruction* x, PrimitiveType type);
  Instruction* Broadcast(Instruction* x, Dims dimensions, Dims sizes);
  Instruction* Reshape(Instruction* x, Dims sizes);
  Instruction* Transpose(Instruction* x, Dims permutation);
  Instruction* Iota(PrimitiveType type, Dims sizes, int64_t dimension);
  // `reducer`: kAdd or kMaximum. Reduced dimensions are gone.
  Instruction* Reduce(Instruction* x, Opcode reducer, Dims dimensions);
  // Puts a value back that `dimensions` of `like` were reduced from.
  Instruction* SpreadOver(Instruction* reduced, Instruction* like,
                          Dims dimensions);
  // x, of like's rank with sizes of 1 or like's, or like's last dimensions,
  // everywhere in like's sizes.
  Instruction* Expand(Instruction* x, Instruction* like);
  Instruction* Dot(Instruction* lhs, Instruction* rhs, const DotDims& dims);
  // The largest |x|, a scalar; 0 without elements.
  Instruction* LargestMagnitude(Instruction* x);
  // Of the sort operation: one array or several; see Elements.
  Values Sort(Values arrays, int64_t dimension, bool descending);

  Emitter& emitter() { return emitter_; }

  // The results in order. Behind them a result may have arrays of bytes that
  // the library works in: they are zeros.
  void AddResult(Instruction* value) { results_.push_back(value); }
  // Makes the root. An error if results and the call's shape differ.
  absl::Status Finish();

 private:
  bool IsAllowed(Opcode opcode, absl::Span<Instruction* const> operands,
                 const AttributeSet& attrs);

  const Instruction& call_;
  Emitter emitter_;
  absl::Status status_;
  Values operands_;
  Values results_;
  Instruction* dummy_;
};

// The type that a library sums in: s32 for integers, f32 for floats under 32
// bits, else the type itself.
PrimitiveType SumType(PrimitiveType type);
bool IsByteType(PrimitiveType type);

// --- Functions of one value ------------------------------------------------

Instruction* Relu(Lowering& l, Instruction* x);
Instruction* Relu6(Lowering& l, Instruction* x);
// x > 0 ? x : alpha (exp(x) - 1)
Instruction* Elu(Lowering& l, Instruction* x, double alpha);
// x > 0 ? x : alpha x
Instruction* LeakyRelu(Lowering& l, Instruction* x, double alpha);
// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
Instruction* GeluTanh(Lowering& l, Instruction* x);
// x / 2 (1 + erf(x / sqrt(2)))
Instruction* GeluErf(Lowering& l, Instruction* x);
// x / (1 + exp(-alpha x))
Instruction* Swish(Lowering& l, Instruction* x, double alpha);

// --- The families ----------------------------------------------------------
// Each writes the lowering of a call whose target is of the family. `config` is
// the whole backend_config.

using LowerFunction = void (*)(Lowering& l, LibraryConfig& config);

void LowerGemm(Lowering& l, LibraryConfig& config);
void LowerScaledGemm(Lowering& l, LibraryConfig& config);
void LowerGroupedGemm(Lowering& l, LibraryConfig& config);
void LowerConvForward(Lowering& l, LibraryConfig& config);
void LowerConvBackwardInput(Lowering& l, LibraryConfig& config);
void LowerConvBackwardFilter(Lowering& l, LibraryConfig& config);
void LowerConvBiasActivation(Lowering& l, LibraryConfig& config);
void LowerConvGraph(Lowering& l, LibraryConfig& config);
void LowerCudnnNorm(Lowering& l, LibraryConfig& config);
void LowerAttention(Lowering& l, LibraryConfig& config);
void LowerAttentionBackward(Lowering& l, LibraryConfig& config);
void LowerAttentionF8(Lowering& l, LibraryConfig& config);
void LowerOneDnnMatMul(Lowering& l, LibraryConfig& config);
void LowerOneDnnConvolution(Lowering& l, LibraryConfig& config);
void LowerOneDnnNorm(Lowering& l, LibraryConfig& config);
void LowerOneDnnSoftmax(Lowering& l, LibraryConfig& config);
void LowerRadixSort(Lowering& l, LibraryConfig& config);
void LowerCholesky(Lowering& l, LibraryConfig& config);
void LowerTriangularSolve(Lowering& l, LibraryConfig& config);

// The dot dimensions in the object `name` of a configuration.
DotDims ReadDotDims(LibraryConfig& config, absl::string_view name);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_LIBRARY_CALLS_LOWERING_H_
