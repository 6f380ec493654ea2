#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "hlo/ir/sharding.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/shape_inference.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

// How a result that was declared may differ from the inferred one.
enum class Strictness {
  kLoose,       // layouts are free, floats may change precision
  kExact,       // layout mode: exactly the inferred type
  kMinorToMajor,  // layout mode: of the layout only minor_to_major counts
  kUpdate,      // dynamic-update-slice
};

// Operations that pass values on and so can change neither layout nor
// precision.
Strictness StrictnessOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kCopyDone:
    case Opcode::kCustomCall:
    case Opcode::kGetTupleElement:
    case Opcode::kOptBarrier:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRecvDone:
    case Opcode::kSendDone:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return Strictness::kExact;
    case Opcode::kConstant:
    case Opcode::kCopyStart:
    case Opcode::kInfeed:
    case Opcode::kRecv:
    case Opcode::kSend:
      return Strictness::kMinorToMajor;
    case Opcode::kDynamicUpdateSlice:
      return Strictness::kUpdate;
    default:
      return Strictness::kLoose;
  }
}

// Handles on the same data.
bool SameData(const Shape& a, const Shape& b) {
  return a.IsValid() && b.IsValid() &&
         a.dimensions().data() == b.dimensions().data();
}

// The same element types and dimensions; what is dynamic may differ, and an
// unbounded dimension goes with any.
bool Compatible(const Shape& a, const Shape& b, bool any_precision) {
  if (&a == &b || SameData(a, b)) return true;
  if (a.IsArray() && b.IsArray()) {
    bool types = any_precision
                     ? infer::TypesAgree(a.element_type(), b.element_type())
                     : a.element_type() == b.element_type();
    return types && infer::DimensionsAgree(a, b);
  }
  if (a.element_type() != b.element_type()) return false;
  absl::Span<const Shape> x = a.tuple_shapes(), y = b.tuple_shapes();
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!Compatible(x[i], y[i], any_precision)) return false;
  }
  return true;
}

bool DeclaredFits(const Instruction& i, const Shape& inferred,
                  const VerifierOptions& options) {
  Strictness strictness = StrictnessOf(i.opcode());
  if (strictness == Strictness::kLoose) {
    return Compatible(i.shape(), inferred, options.allow_mixed_precision);
  }
  if (!options.layout_sensitive) {
    bool any = strictness == Strictness::kUpdate &&
               options.allow_mixed_precision;
    return Compatible(i.shape(), inferred, any);
  }
  ShapeEqual equal;
  if (strictness == Strictness::kMinorToMajor) {
    equal.minor_to_major_only = true;
  } else if (strictness == Strictness::kUpdate &&
             i.parent()->IsFusionComputation()) {
    equal.ignore_memory_space = true;
    equal.ignore_tiles = true;
  }
  return equal(i.shape(), inferred);
}

// A type for messages, with its layout where layouts are what differs.
std::string TypeOf(const Shape& shape, bool layout) {
  if (!layout) return infer::TypeText(shape);
  std::string text = shape.ToString();
  if (text.size() > 200) {
    text.resize(200);
    text += "...";
  }
  return text;
}

bool MayMixPrecision(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCall:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConditional:
    case Opcode::kConstant:
    case Opcode::kConvolution:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kCustomCall:
    case Opcode::kDomain:
    case Opcode::kDot:
    case Opcode::kFusion:
    case Opcode::kGetTupleElement:
    case Opcode::kInfeed:
    case Opcode::kOptBarrier:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRaggedDot:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReducePrecision:
    case Opcode::kReduceWindow:
    case Opcode::kScaledDot:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kSort:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

// Looks for a float type other than *seen in the leaves; sets *seen first.
bool FindOtherFloat(const Shape& shape, PrimitiveType* seen,
                    PrimitiveType* other) {
  if (IsFloatType(shape.element_type())) {
    if (*seen == kInvalid) *seen = shape.element_type();
    if (*seen == shape.element_type()) return false;
    *other = shape.element_type();
    return true;
  }
  for (const Shape& element : shape.tuple_shapes()) {
    if (FindOtherFloat(element, seen, other)) return true;
  }
  return false;
}

}  // namespace

void CheckShape(const Instruction& i, Checker& checker) {
  absl::StatusOr<Shape> inferred = InferShape(i);
  if (!inferred.ok()) {
    checker.Report(&i, "shape", std::string(inferred.status().message()));
    return;
  }
  if (DeclaredFits(i, *inferred, checker.options())) return;
  bool layout = checker.options().layout_sensitive &&
                StrictnessOf(i.opcode()) != Strictness::kLoose;
  std::string operands;
  for (int64_t n = 0; n < i.operand_count() && n < 4; ++n) {
    absl::StrAppend(&operands, n == 0 ? "" : ", ",
                    TypeOf(i.operand(n)->shape(), layout));
  }
  if (i.operand_count() > 4) operands += ", ...";
  checker.Reportf(&i, "shape", "expected %s, declared %s%s%s%s",
                  TypeOf(*inferred, layout), TypeOf(i.shape(), layout),
                  operands.empty() ? "" : " (operands: ", operands,
                  operands.empty() ? "" : ")");
}

void CheckUnbounded(const Instruction& i, Checker& checker) {
  if (checker.options().allow_unbounded_dynamism) return;
  if (!i.shape().has_unbounded_dimension()) return;
  checker.Reportf(&i, "unbounded",
                  "unbounded dimensions are not supported here, found %s",
                  infer::TypeText(i.shape()));
}

void CheckMixedPrecision(const Instruction& i, Checker& checker) {
  if (checker.options().allow_mixed_precision || MayMixPrecision(i.opcode())) {
    return;
  }
  PrimitiveType seen = kInvalid, other = kInvalid;
  for (const Instruction* operand : i.operands()) {
    if (!FindOtherFloat(operand->shape(), &seen, &other)) continue;
    checker.Reportf(&i, "mixed precision",
                    "operands mix %s and %s, expected one precision",
                    PrimitiveTypeName(seen), PrimitiveTypeName(other));
    return;
  }
}

void CheckSharding(const Instruction& i, Checker& checker) {
  const Sharding* sharding = i.sharding();
  // That of an outfeed describes the data, its type is a token.
  if (sharding == nullptr || i.opcode() == Opcode::kOutfeed) return;
  // A count of 1 is what modules have that do not say.
  int64_t devices = checker.module().num_partitions;
  if (!checker.options().verify_sharding_device_numbers || devices <= 1) {
    devices = 0;
  }
  absl::Status status = sharding->Validate(i.shape(), devices);
  if (status.ok()) return;
  checker.Report(&i, "sharding", std::string(status.message()));
}

void CheckOriginalValue(const Instruction& i, Checker& checker) {
  const OriginalValue* original =
      i.attrs().Get<OriginalValue>(AttrId::kOrigin);
  if (original == nullptr || original->is_synthetic_call) return;
  size_t next = 0;
  bool same = true;
  ForEachLeaf(i.shape(), [&](const Shape&, const ShapeIndex& index) {
    same = same && next < original->leaves.size() &&
           original->leaves[next].index == index;
    ++next;
  });
  if (same && next == original->leaves.size()) return;
  checker.Reportf(&i, "original value",
                  "origin has %d leaves, expected one for each leaf of %s",
                  static_cast<int64_t>(original->leaves.size()),
                  infer::TypeText(i.shape()));
}

}  // namespace hlokit::verify
