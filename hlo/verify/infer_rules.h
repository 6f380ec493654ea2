// Inside shape inference: the rule of each opcode family and the checks they
// share. Only files of this folder include it.
//
// Rules never trust their input: operand counts, attribute values and called
// computations may be anything. Error texts do not repeat the opcode; whoever
// reports them names the instruction.
#ifndef HLOKIT_HLO_VERIFY_INFER_RULES_H_
#define HLOKIT_HLO_VERIFY_INFER_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/shape.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit::infer {

using Result = absl::StatusOr<Shape>;
using Rule = Result (*)(const InferenceInput&);

// The rule of an opcode; never null.
Rule RuleOf(Opcode opcode);

// --- Shared checks ---------------------------------------------------------

// A type for messages: no layouts, long tuples cut.
std::string TypeText(const Shape& shape);

absl::Status ExpectOperands(const InferenceInput& in, int64_t count);
absl::Status ExpectAtLeast(const InferenceInput& in, int64_t count);
// Operand i exists and is an array.
absl::Status ExpectArray(const InferenceInput& in, int64_t i);
absl::Status ExpectAllArrays(const InferenceInput& in);
// `count` operands, all arrays.
absl::Status ExpectArrays(const InferenceInput& in, int64_t count);
// Operand i is an array of an integer type without dimensions.
absl::Status ExpectIntegerScalar(const InferenceInput& in, int64_t i);

// Every entry is in [0, rank) and none is repeated; with `sorted` they ascend.
absl::Status CheckDimensionList(absl::string_view name,
                                absl::Span<const int64_t> list, int64_t rank,
                                bool sorted = false);
// 0 <= dimension < rank.
absl::Status CheckDimension(absl::string_view name, int64_t dimension,
                            int64_t rank);
// The dimensions attribute holds one entry, which is in [0, rank).
absl::StatusOr<int64_t> OneDimension(const InferenceInput& in, int64_t rank);

// Equal, or one of them unbounded (then nothing is known before run time).
inline bool SizesAgree(int64_t a, int64_t b) {
  return a == b || a == kUnboundedSize || b == kUnboundedSize;
}
// Same rank and all sizes agree.
bool DimensionsAgree(const Shape& a, const Shape& b);
// Equal, or both floats: mixed precision is a matter of the verifier.
inline bool TypesAgree(PrimitiveType a, PrimitiveType b) {
  return a == b || (IsFloatType(a) && IsFloatType(b));
}
// Types agree in this sense at every leaf and the dimensions do.
bool ShapesAgree(const Shape& a, const Shape& b);

// Sums and products that say no instead of overflowing.
inline bool AddOverflows(int64_t a, int64_t b, int64_t* sum) {
  return __builtin_add_overflow(a, b, sum);
}
inline bool MultiplyOverflows(int64_t a, int64_t b, int64_t* product) {
  return __builtin_mul_overflow(a, b, product);
}

// The same array of another element type: `shape` itself if it is of that type
// already. The layout stays, without an element size of its own.
Shape WithElementType(const Shape& shape, PrimitiveType type);

// Collects the dimensions of a result with the descending layout.
class ShapeMaker {
 public:
  explicit ShapeMaker(PrimitiveType type) : type_(type) {}
  void Add(int64_t size, bool dynamic = false) {
    sizes_.push_back(size);
    dynamic_.push_back(dynamic);
  }
  // Dimension i of `shape`.
  void AddFrom(const Shape& shape, int64_t i) {
    Add(shape.dimension(i), shape.is_dynamic_dimension(i));
  }
  Shape Make() const;

 private:
  PrimitiveType type_;
  DimensionVector sizes_;
  absl::InlinedVector<bool, 8> dynamic_;
};

// Called computation i, its result type and parameter types; errors where
// something is missing.
absl::StatusOr<const Computation*> Callee(const InferenceInput& in, int64_t i);
absl::StatusOr<const Shape*> ResultOf(const InferenceInput& in, int64_t i);
absl::StatusOr<const Shape*> ParameterOf(const Computation& computation,
                                         int64_t number);

// The declared type, or Unimplemented where there is none.
Result Declared(const InferenceInput& in);

// Called computation i is a reducer of `count` values: it takes count
// accumulators and count elements, scalars all, and gives the accumulators.
// Elements must agree with `elements`, accumulators with `inits`.
absl::Status CheckReducer(const InferenceInput& in, int64_t callee,
                          absl::Span<const Shape* const> elements,
                          absl::Span<const Shape* const> inits);

// --- Rules, a file each ----------------------------------------------------

// infer_elementwise.cc
Result Unary(const InferenceInput& in);
Result Binary(const InferenceInput& in);
Result Compare(const InferenceInput& in);
Result Complex(const InferenceInput& in);
Result ComponentOf(const InferenceInput& in);  // abs, real, imag
Result IsFinite(const InferenceInput& in);
Result Select(const InferenceInput& in);
Result Clamp(const InferenceInput& in);
Result Convert(const InferenceInput& in);
Result BitcastConvert(const InferenceInput& in);
Result StochasticConvert(const InferenceInput& in);
Result ReducePrecision(const InferenceInput& in);

// infer_movement.cc
Result Broadcast(const InferenceInput& in);
Result Reshape(const InferenceInput& in);
Result DynamicReshape(const InferenceInput& in);
Result Bitcast(const InferenceInput& in);
Result Transpose(const InferenceInput& in);
Result Reverse(const InferenceInput& in);
Result Concatenate(const InferenceInput& in);
Result Slice(const InferenceInput& in);
Result Pad(const InferenceInput& in);
Result Iota(const InferenceInput& in);
Result GetDimensionSize(const InferenceInput& in);
Result SetDimensionSize(const InferenceInput& in);

// infer_indexing.cc
Result DynamicSlice(const InferenceInput& in);
Result DynamicUpdateSlice(const InferenceInput& in);
Result Gather(const InferenceInput& in);
Result Scatter(const InferenceInput& in);

// infer_reduction.cc
Result Reduce(const InferenceInput& in);
Result ReduceWindow(const InferenceInput& in);
Result SelectAndScatter(const InferenceInput& in);
Result Sort(const InferenceInput& in);
Result TopK(const InferenceInput& in);
Result Scan(const InferenceInput& in);

// infer_dot.cc, infer_window.cc
// The element type of a product: the declared one where there is one, else
// `natural`. What is not floating-point cannot be declared narrower than it is.
absl::StatusOr<PrimitiveType> AccumulationType(const InferenceInput& in,
                                               PrimitiveType natural);
Result Dot(const InferenceInput& in);
Result RaggedDot(const InferenceInput& in);
Result ScaledDot(const InferenceInput& in);
Result Convolution(const InferenceInput& in);

// infer_linear_algebra.cc
Result Fft(const InferenceInput& in);
Result Cholesky(const InferenceInput& in);
Result TriangularSolve(const InferenceInput& in);
Result BatchNormTraining(const InferenceInput& in);
Result BatchNormInference(const InferenceInput& in);
Result BatchNormGrad(const InferenceInput& in);
Result Rng(const InferenceInput& in);
Result RngBitGenerator(const InferenceInput& in);
Result RngGetAndUpdateState(const InferenceInput& in);

// infer_control.cc
Result Parameter(const InferenceInput& in);
Result Constant(const InferenceInput& in);
Result SameAsOperand(const InferenceInput& in);  // copy, domain, opt-barrier
Result AddDependency(const InferenceInput& in);
Result AfterAll(const InferenceInput& in);
Result Tuple(const InferenceInput& in);
Result GetTupleElement(const InferenceInput& in);
Result Call(const InferenceInput& in);
Result Map(const InferenceInput& in);
Result Fusion(const InferenceInput& in);
Result While(const InferenceInput& in);
Result Conditional(const InferenceInput& in);
Result CustomCall(const InferenceInput& in);

// infer_collective.cc
Result AllGather(const InferenceInput& in);
Result AllGatherStart(const InferenceInput& in);
Result AllReduce(const InferenceInput& in);  // and all-reduce-start
Result ReduceScatter(const InferenceInput& in);
Result AllToAll(const InferenceInput& in);
Result RaggedAllToAll(const InferenceInput& in);
Result CollectiveBroadcast(const InferenceInput& in);
Result CollectivePermute(const InferenceInput& in);
Result CollectivePermuteStart(const InferenceInput& in);
Result DeviceId(const InferenceInput& in);  // partition-id, replica-id

// infer_async.cc
Result CopyStart(const InferenceInput& in);
Result AsyncStart(const InferenceInput& in);
Result AsyncUpdate(const InferenceInput& in);
Result FirstElement(const InferenceInput& in);   // copy-done
Result SecondElement(const InferenceInput& in);  // ...-done
Result Send(const InferenceInput& in);
Result SendDone(const InferenceInput& in);
Result Recv(const InferenceInput& in);
Result RecvDone(const InferenceInput& in);
Result Infeed(const InferenceInput& in);
Result Outfeed(const InferenceInput& in);

}  // namespace hlokit::infer

#endif  // HLOKIT_HLO_VERIFY_INFER_RULES_H_
