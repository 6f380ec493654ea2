#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

struct DotDims {
  absl::Span<const int64_t> lhs_batch, lhs_contracting;
  absl::Span<const int64_t> rhs_batch, rhs_contracting;
};

DotDims DimsOf(const InferenceInput& in) {
  return {in.attrs->GetList(AttrId::kLhsBatchDims),
          in.attrs->GetList(AttrId::kLhsContractingDims),
          in.attrs->GetList(AttrId::kRhsBatchDims),
          in.attrs->GetList(AttrId::kRhsContractingDims)};
}

absl::Status CheckSide(absl::string_view side, absl::Span<const int64_t> batch,
                       absl::Span<const int64_t> contracting,
                       const Shape& shape) {
  DimensionVector all(batch.begin(), batch.end());
  all.insert(all.end(), contracting.begin(), contracting.end());
  return CheckDimensionList(
      absl::StrCat(side, " batch and contracting dimensions"), all,
      shape.rank());
}

absl::Status CheckPairs(absl::string_view what, const Shape& lhs,
                        absl::Span<const int64_t> lhs_dims, const Shape& rhs,
                        absl::Span<const int64_t> rhs_dims) {
  if (lhs_dims.size() != rhs_dims.size()) {
    return InvalidArgument("%s dimensions must be as many on both sides, "
                           "found %d and %d",
                           what, static_cast<int64_t>(lhs_dims.size()),
                           static_cast<int64_t>(rhs_dims.size()));
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    if (SizesAgree(lhs.dimension(lhs_dims[i]), rhs.dimension(rhs_dims[i]))) {
      continue;
    }
    return InvalidArgument(
        "%s dimensions %d of %s and %d of %s must have the same size", what,
        lhs_dims[i], TypeText(lhs), rhs_dims[i], TypeText(rhs));
  }
  return absl::OkStatus();
}

absl::Status CheckDims(const DotDims& dims, const Shape& lhs,
                       const Shape& rhs) {
  HLOKIT_RETURN_IF_ERROR(
      CheckSide("lhs", dims.lhs_batch, dims.lhs_contracting, lhs));
  HLOKIT_RETURN_IF_ERROR(
      CheckSide("rhs", dims.rhs_batch, dims.rhs_contracting, rhs));
  HLOKIT_RETURN_IF_ERROR(
      CheckPairs("batch", lhs, dims.lhs_batch, rhs, dims.rhs_batch));
  return CheckPairs("contracting", lhs, dims.lhs_contracting, rhs,
                    dims.rhs_contracting);
}

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Adds the dimensions that are in neither list.
void AddFree(const Shape& shape, absl::Span<const int64_t> batch,
             absl::Span<const int64_t> contracting,
             absl::Span<const int64_t> more, ShapeMaker* result) {
  absl::InlinedVector<bool, 16> used(shape.rank(), false);
  for (absl::Span<const int64_t> list : {batch, contracting, more}) {
    for (int64_t d : list) used[d] = true;
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!used[i]) result->AddFrom(shape, i);
  }
}

// Result of the dot; `rhs_group` dimensions of rhs are left out, `group` (if
// not null) is put in front.
Result DotShape(const InferenceInput& in, const DotDims& dims,
                absl::Span<const int64_t> rhs_group, const int64_t* group) {
  const Shape& lhs = *in.operands[0];
  const Shape& rhs = *in.operands[1];
  HLOKIT_ASSIGN_OR_RETURN(
      PrimitiveType type,
      AccumulationType(
          in, HigherPrecision(lhs.element_type(), rhs.element_type())));
  ShapeMaker result(type);
  if (group != nullptr) result.Add(*group);
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
    int64_t l = dims.lhs_batch[i], r = dims.rhs_batch[i];
    int64_t size = lhs.dimension(l);
    result.Add(size == kUnboundedSize ? rhs.dimension(r) : size,
               lhs.is_dynamic_dimension(l) || rhs.is_dynamic_dimension(r));
  }
  AddFree(lhs, dims.lhs_batch, dims.lhs_contracting, {}, &result);
  AddFree(rhs, dims.rhs_batch, dims.rhs_contracting, rhs_group, &result);
  return result.Make();
}

// Group sizes: a vector of groups, or one for each value of the dimensions of
// lhs that lie outside of the ragged one (`prefix`).
absl::StatusOr<int64_t> GroupCount(const Shape& sizes, const Shape& lhs,
                                   absl::Span<const int64_t> prefix) {
  bool fits = sizes.IsArray() && IsIntegerType(sizes.element_type()) &&
              sizes.rank() >= 1;
  int64_t rank = sizes.rank();
  if (fits && rank > 1) {
    fits = rank == static_cast<int64_t>(prefix.size()) + 1;
    for (int64_t i = 0; fits && i + 1 < rank; ++i) {
      fits = SizesAgree(sizes.dimension(i), lhs.dimension(prefix[i]));
    }
  }
  if (fits) return sizes.dimension(rank - 1);
  return InvalidArgument(
      "group sizes must be integers, a vector or one for each outer dimension "
      "of %s, found %s",
      TypeText(lhs), TypeText(sizes));
}

// The scale divides the operand's dimensions; a scalar means no scale.
absl::Status CheckScale(const Shape& scale, const Shape& operand) {
  if (scale.rank() == 0) return absl::OkStatus();
  bool fits = scale.rank() == operand.rank();
  for (int64_t i = 0; fits && i < scale.rank(); ++i) {
    int64_t s = scale.dimension(i), d = operand.dimension(i);
    if (s == kUnboundedSize || d == kUnboundedSize) continue;
    fits = s == 0 ? d == 0 : d % s == 0;
  }
  if (fits) return absl::OkStatus();
  return InvalidArgument("scale %s must have dimensions that divide those of "
                         "%s",
                         TypeText(scale), TypeText(operand));
}

}  // namespace

absl::StatusOr<PrimitiveType> AccumulationType(const InferenceInput& in,
                                               PrimitiveType natural) {
  if (in.explicit_shape == nullptr || !in.explicit_shape->IsArray()) {
    return natural;
  }
  PrimitiveType wanted = in.explicit_shape->element_type();
  bool fits = IsFloatType(natural) ||
              (BitWidth(wanted) >= BitWidth(natural) &&
               (!IsComplexType(natural) || IsComplexType(wanted)));
  if (fits) return wanted;
  return InvalidArgument("a product of %s values cannot be declared %s",
                         PrimitiveTypeName(natural),
                         PrimitiveTypeName(wanted));
}

Result Dot(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  DotDims dims = DimsOf(in);
  HLOKIT_RETURN_IF_ERROR(CheckDims(dims, *in.operands[0], *in.operands[1]));
  return DotShape(in, dims, {}, nullptr);
}

Result ScaledDot(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 4));
  DotDims dims = DimsOf(in);
  HLOKIT_RETURN_IF_ERROR(CheckDims(dims, *in.operands[0], *in.operands[1]));
  if (dims.lhs_contracting.size() != 1) {
    return InvalidArgument("expected one contracting dimension, found %d",
                           static_cast<int64_t>(dims.lhs_contracting.size()));
  }
  HLOKIT_RETURN_IF_ERROR(CheckScale(*in.operands[2], *in.operands[0]));
  HLOKIT_RETURN_IF_ERROR(CheckScale(*in.operands[3], *in.operands[1]));
  if (in.operands[2]->rank() == 0 && in.operands[3]->rank() == 0) {
    return InvalidArgument("one of the scales must have dimensions");
  }
  return DotShape(in, dims, {}, nullptr);
}

Result RaggedDot(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 3));
  const Shape& lhs = *in.operands[0];
  const Shape& rhs = *in.operands[1];
  DotDims dims = DimsOf(in);
  HLOKIT_RETURN_IF_ERROR(CheckDims(dims, lhs, rhs));
  absl::Span<const int64_t> ragged =
      in.attrs->GetList(AttrId::kLhsRaggedDims);
  absl::Span<const int64_t> group = in.attrs->GetList(AttrId::kRhsGroupDims);
  if (ragged.size() != 1) {
    return InvalidArgument("lhs_ragged_dims: expected one, found %d",
                           static_cast<int64_t>(ragged.size()));
  }
  HLOKIT_RETURN_IF_ERROR(
      CheckDimension("lhs_ragged_dims", ragged[0], lhs.rank()));
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("rhs_group_dims", group, rhs.rank()));
  bool in_batch = Contains(dims.lhs_batch, ragged[0]);
  bool contracted = Contains(dims.lhs_contracting, ragged[0]);
  bool grouped = !in_batch && !contracted;
  if (static_cast<int64_t>(group.size()) != (grouped ? 1 : 0)) {
    return InvalidArgument("rhs_group_dims: expected %d, found %d",
                           grouped ? 1 : 0,
                           static_cast<int64_t>(group.size()));
  }
  if (grouped && (Contains(dims.rhs_batch, group[0]) ||
                  Contains(dims.rhs_contracting, group[0]))) {
    return InvalidArgument("rhs_group_dims: dimension %d is batch or "
                           "contracting",
                           group[0]);
  }
  // The dimensions of lhs that the group sizes may vary over.
  DimensionVector prefix;
  if (in_batch) {
    for (int64_t d : dims.lhs_batch) {
      if (d == ragged[0]) break;
      prefix.push_back(d);
    }
  } else {
    prefix.assign(dims.lhs_batch.begin(), dims.lhs_batch.end());
    for (int64_t d = 0; d < ragged[0] && grouped; ++d) {
      if (!Contains(dims.lhs_batch, d) && !Contains(dims.lhs_contracting, d)) {
        prefix.push_back(d);
      }
    }
    for (int64_t d : dims.lhs_contracting) {
      if (!contracted || d == ragged[0]) break;
      prefix.push_back(d);
    }
  }
  HLOKIT_ASSIGN_OR_RETURN(int64_t groups,
                          GroupCount(*in.operands[2], lhs, prefix));
  if (grouped && !SizesAgree(rhs.dimension(group[0]), groups)) {
    return InvalidArgument("rhs has %d groups, the group sizes are %d",
                           rhs.dimension(group[0]), groups);
  }
  return DotShape(in, dims, group, contracted ? &groups : nullptr);
}

}  // namespace hlokit::infer
