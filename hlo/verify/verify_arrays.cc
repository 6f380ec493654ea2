#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_join.h"
#include "hlo/ir/literal.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

// The physical distance between neighbours in each dimension, in elements;
// empty when the layout does not say.
DimensionVector Strides(const Shape& shape) {
  DimensionVector strides(shape.rank(), 0);
  int64_t stride = 1;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    int64_t d = shape.has_layout() ? shape.layout().minor_to_major[i]
                                   : shape.rank() - 1 - i;
    if (d < 0 || d >= shape.rank()) return {};
    strides[d] = stride;
    if (infer::MultiplyOverflows(stride, shape.dimension(d), &stride)) {
      return {};
    }
  }
  return strides;
}

// A dimension that has more than one element.
struct RealDimension {
  int64_t size;
  int64_t stride;
};

std::vector<RealDimension> RealDimensions(const Shape& shape) {
  DimensionVector strides = Strides(shape);
  std::vector<RealDimension> result;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (shape.dimension(i) != 1) {
      result.push_back({shape.dimension(i), strides[i]});
    }
  }
  return result;
}

// Dimensions begin..end lie behind one another without gaps, minor one last.
bool Contiguous(const std::vector<RealDimension>& dims, size_t begin,
                size_t end) {
  for (size_t i = begin; i + 1 < end; ++i) {
    if (dims[i].stride != dims[i + 1].stride * dims[i + 1].size) return false;
  }
  return true;
}

// Whether a reshape leaves every element where it is. The dimensions of both
// sides fall into smallest groups of equal products; a group of one dimension
// each must keep its stride, in other groups both sides must be contiguous too.
bool ReshapeIsBitcast(const Shape& from, const Shape& to) {
  if (ElementsIn(from) == 0) return true;
  std::vector<RealDimension> a = RealDimensions(from), b = RealDimensions(to);
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    size_t a_end = i + 1, b_end = j + 1;
    int64_t x = a[i].size, y = b[j].size;
    while (x != y) {
      if (x < y) {
        if (a_end == a.size()) return false;
        x *= a[a_end++].size;
      } else {
        if (b_end == b.size()) return false;
        y *= b[b_end++].size;
      }
    }
    if (!Contiguous(a, i, a_end) || !Contiguous(b, j, b_end) ||
        a[a_end - 1].stride != b[b_end - 1].stride) {
      return false;
    }
    i = a_end;
    j = b_end;
  }
  return i == a.size() && j == b.size();
}

ComparisonType DefaultComparison(PrimitiveType type) {
  if (IsFloatType(type) || IsComplexType(type)) return ComparisonType::kFloat;
  if (IsSignedIntType(type)) return ComparisonType::kSigned;
  return ComparisonType::kUnsigned;
}

// One slice of a scanned operand: `array` without dimension `dimension`.
bool IsSliceOf(const Shape& slice, const Shape& array, int64_t dimension) {
  if (!slice.IsArray() || slice.element_type() != array.element_type() ||
      slice.rank() != array.rank() - 1) {
    return false;
  }
  for (int64_t i = 0; i < slice.rank(); ++i) {
    if (!infer::SizesAgree(slice.dimension(i),
                    array.dimension(i < dimension ? i : i + 1))) {
      return false;
    }
  }
  return true;
}

// Whether the body takes slices of the inputs and the carries, and gives carries
// of the same type.
void CheckScanBody(const Instruction& i, Checker& checker) {
  const Computation& body = *i.to_apply();
  const int64_t count = i.operand_count();
  const int64_t inputs = count - i.attrs().GetInt(AttrId::kNumCarries);
  if (i.dimensions().size() != 1 || inputs <= 0 || inputs > count || body.parameter_count() != count ||
      body.root() == nullptr) {
    return;  // the inferred type tells
  }
  const int64_t dimension = i.dimension(0);
  const Shape& first = i.operand(0)->shape();
  for (int64_t k = 0; k < count; ++k) {
    const Shape& operand = i.operand(k)->shape();
    const Shape& parameter = body.parameter(k)->shape();
    const bool fits =
        k < inputs
            ? operand.IsArray() && first.IsArray() && dimension >= 0 &&
                  dimension < std::min(operand.rank(), first.rank()) &&
                  operand.dimension(dimension) == first.dimension(dimension) &&
                  IsSliceOf(parameter, operand, dimension)
            : ShapesCompatible(parameter, operand);
    if (fits) continue;
    checker.Reportf(&i, "shape", "parameter %d of %s is %s, operand %d is %s", k,
                    body.name(), infer::TypeText(parameter), k,
                    infer::TypeText(operand));
  }
  const Shape& root = body.root()->shape();
  const int64_t results = root.IsTuple() ? root.tuple_shapes().size() : 1;
  for (int64_t k = inputs; k < count; ++k) {
    const int64_t result = results - count + k;
    if (result < 0) return;
    const Shape& value = root.IsTuple() ? root.tuple_shape(result) : root;
    const Shape& carry = i.operand(k)->shape();
    if (ShapesCompatible(value, carry)) continue;
    checker.Reportf(&i, "shape",
                    "carry %d goes in as %s and comes out as %s", k - inputs,
                    infer::TypeText(carry), infer::TypeText(value));
  }
}

}  // namespace

void CheckElementwise(const Instruction& i, Checker& checker) {
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    const Instruction* operand = i.operand(k);
    // Bounds of clamp and the predicate of select may be scalars.
    bool may_be_scalar = i.opcode() == Opcode::kClamp ||
                         i.opcode() == Opcode::kSelect;
    if (may_be_scalar && operand->shape().IsScalar()) continue;
    if (infer::DimensionsAgree(operand->shape(), i.shape())) continue;
    checker.Reportf(&i, "elementwise",
                    "operand %d (%%%s) is not broadcast: expected the "
                    "dimensions of %s, found %s",
                    k, operand->name(), infer::TypeText(i.shape()),
                    infer::TypeText(operand->shape()));
  }
}

void CheckCompare(const Instruction& i, Checker& checker) {
  PrimitiveType type = i.operand(0)->shape().element_type();
  ComparisonType fitting = DefaultComparison(type);
  int64_t found = i.attrs().GetInt(AttrId::kComparisonType,
                                   static_cast<int64_t>(fitting));
  if (found == static_cast<int64_t>(fitting)) return;
  if (IsFloatType(type) &&
      found == static_cast<int64_t>(ComparisonType::kFloatTotalOrder)) {
    return;
  }
  checker.Reportf(&i, "elementwise",
                  "comparison type %s does not fit elements of type %s",
                  EnumWord(AttrId::kComparisonType, found),
                  PrimitiveTypeName(type));
}

void CheckBroadcast(const Instruction& i, Checker& checker) {
  if (!checker.options().verify_broadcast_dimensions_order) return;
  absl::Span<const int64_t> dims = i.dimensions();
  for (size_t d = 1; d < dims.size(); ++d) {
    if (dims[d - 1] <= dims[d]) continue;
    checker.Reportf(&i, "broadcast",
                    "dimensions must ascend, found {%s}",
                    absl::StrJoin(dims, ","));
    return;
  }
}

void CheckReshape(const Instruction& i, Checker& checker) {
  if (!checker.options().verify_reshape_is_bitcast ||
      !checker.options().layout_sensitive || !i.shape().IsArray() ||
      !i.operand(0)->shape().IsArray()) {
    return;
  }
  if (i.shape().has_unbounded_dimension() ||
      ElementsIn(i.shape()) != ElementsIn(i.operand(0)->shape())) {
    return;
  }
  if (ReshapeIsBitcast(i.operand(0)->shape(), i.shape())) return;
  checker.Reportf(&i, "reshape",
                  "the reshape moves elements: from %s to %s",
                  i.operand(0)->shape().ToString(), i.shape().ToString());
}

void CheckConstant(const Instruction& i, Checker& checker) {
  if (i.literal() == nullptr) {
    checker.Report(&i, "constant", "the constant has no value");
  }
}

void CheckSort(const Instruction& i, Checker& checker) {
  const Computation& comparator = *i.to_apply();
  const Shape& result = comparator.root()->shape();
  if (!result.IsScalar() || result.element_type() != kPred) {
    checker.Reportf(&i, "sort", "the comparator %s must give pred[], found %s",
                    comparator.name(), infer::TypeText(result));
  }
  if (comparator.parameter_count() != 2 * i.operand_count()) {
    checker.Reportf(&i, "sort",
                    "the comparator %s must take %d parameters, found %d",
                    comparator.name(), 2 * i.operand_count(),
                    comparator.parameter_count());
    return;
  }
  for (int64_t n = 0; n < comparator.parameter_count(); ++n) {
    const Shape& parameter = comparator.parameter(n)->shape();
    const Shape& operand = i.operand(n / 2)->shape();
    if (parameter.IsScalar() &&
        infer::TypesAgree(parameter.element_type(), operand.element_type())) {
      continue;
    }
    checker.Reportf(&i, "sort",
                    "parameter %d of %s must be a scalar %s, found %s", n,
                    comparator.name(),
                    PrimitiveTypeName(operand.element_type()),
                    infer::TypeText(parameter));
  }
}

void CheckMulhi(const Instruction& i, Checker& checker) {
  const PrimitiveType type = i.shape().element_type();
  if (IsIntegerType(type) || !i.shape().IsArray()) return;
  checker.Reportf(&i, "elementwise",
                  "mulhi takes integers; its elements are of type %s",
                  PrimitiveTypeName(type));
}

void CheckScan(const Instruction& i, Checker& checker) {
  CheckScanBody(i, checker);
  if (!checker.options().layout_sensitive) return;
  if (i.attrs().GetInt(AttrId::kIsAssociative) ==
      static_cast<int64_t>(TriState::kTrue)) {
    return;
  }
  checker.Report(&i, "scan",
                 "only an associative scan may be left after layouts are "
                 "assigned");
}

}  // namespace hlokit::verify
