// Dots and convolutions.
#include "absl/algorithm/container.h"
#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"

namespace hlokit::algsimp {
namespace {

int64_t ProductOf(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t product = 1;
  for (int64_t d : dimensions) product *= shape.dimension(d);
  return product;
}

// Nothing to sum up: zeros.
Instruction* DotOfNothing(Builder& b, Instruction* i) {
  if (ElementsIn(i->operand(0)->shape()) != 0 &&
      ElementsIn(i->operand(1)->shape()) != 0) {
    return nullptr;
  }
  return b.Full(i->shape(), 0);
}

// The dimensions that are neither batch nor contracted.
Int64List FreeOf(const Shape& shape, const Int64List& batch,
                 const Int64List& contracting) {
  Int64List free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!absl::c_linear_search(batch, d) &&
        !absl::c_linear_search(contracting, d)) {
      free.push_back(d);
    }
  }
  return free;
}

// `x` with its dimensions `order`, those of size 1 that are contracted left
// out, spread over the dot's result: dimension order[k] goes to places[k].
Instruction* Spread(Builder& b, Instruction* x, const Int64List& order,
                    const Int64List& places, const Shape& result) {
  Int64List permutation = order;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (!absl::c_linear_search(order, d)) permutation.push_back(d);
  }
  Instruction* moved = b.Transpose(x, permutation);
  Int64List sizes;
  for (int64_t d : order) sizes.push_back(x->shape().dimension(d));
  return b.Broadcast(b.Reshape(moved, sizes), places, result.dimensions());
}

// A dot whose contracted dimensions all have size 1 multiplies each with each.
Instruction* DotIsProduct(Builder& b, Instruction* i) {
  const DotDims dims = DotDimsOf(*i);
  Instruction *lhs = i->operand(0), *rhs = i->operand(1);
  const PrimitiveType type = TypeOf(i);
  if (ProductOf(lhs->shape(), dims.lhs_contracting) != 1 ||
      TypeOf(lhs) != type || TypeOf(rhs) != type || IsPred(i) ||
      i->attrs().GetInt(AttrId::kDotAlgorithm) != 0) {
    return nullptr;
  }
  const Int64List lhs_free =
      FreeOf(lhs->shape(), dims.lhs_batch, dims.lhs_contracting);
  const Int64List rhs_free =
      FreeOf(rhs->shape(), dims.rhs_batch, dims.rhs_contracting);
  Int64List lhs_order = dims.lhs_batch, rhs_order = dims.rhs_batch;
  Int64List lhs_places, rhs_places;
  int64_t place = 0;
  for (; place < static_cast<int64_t>(dims.lhs_batch.size()); ++place) {
    lhs_places.push_back(place);
    rhs_places.push_back(place);
  }
  for (int64_t d : lhs_free) {
    lhs_order.push_back(d);
    lhs_places.push_back(place++);
  }
  for (int64_t d : rhs_free) {
    rhs_order.push_back(d);
    rhs_places.push_back(place++);
  }
  return b.Multiply(Spread(b, lhs, lhs_order, lhs_places, i->shape()),
                    Spread(b, rhs, rhs_order, rhs_places, i->shape()));
}

// transpose(dot(x, y)) -> dot(y, x) of two matrices.
Instruction* TransposeOfDot(Builder& b, Instruction* i) {
  Instruction* dot = i->operand(0);
  if (dot->opcode() != Opcode::kDot || !HasOneUser(dot) ||
      dot->shape().rank() != 2 || i->dimension(0) != 1) {
    return nullptr;
  }
  const DotDims dims = DotDimsOf(*dot);
  if (!dims.lhs_batch.empty() || dot->operand(0)->shape().rank() != 2 ||
      dot->operand(1)->shape().rank() != 2) {
    return nullptr;
  }
  DotDims swapped;
  swapped.lhs_contracting = dims.rhs_contracting;
  swapped.rhs_contracting = dims.lhs_contracting;
  Instruction* result = b.Dot(dot->operand(1), dot->operand(0), swapped,
                              TypeOf(dot), dot);
  // Precisions go with the operands.
  const auto precision = result->attrs().GetList(AttrId::kOperandPrecision);
  if (precision.size() == 2) {
    result->mutable_attrs().Set(AttrId::kOperandPrecision,
                                Int64List{precision[1], precision[0]});
  }
  return result;
}

Instruction* ConvolutionOfNothing(Builder& b, Instruction* i) {
  if (ElementsIn(i->operand(0)->shape()) != 0 &&
      ElementsIn(i->operand(1)->shape()) != 0) {
    return nullptr;
  }
  return b.Full(i->shape(), 0);
}

constexpr Rule kDotRules[] = {
    {Opcode::kDot, DotOfNothing, Rewrite::kDotOfNothing},
    {Opcode::kDot, DotIsProduct, Rewrite::kDotIsProduct},
    {Opcode::kTranspose, TransposeOfDot, Rewrite::kTransposeOfDot},
    {Opcode::kConvolution, ConvolutionOfNothing,
     Rewrite::kConvolutionOfNothing},
};

}  // namespace

absl::Span<const Rule> DotRules() { return kDotRules; }

}  // namespace hlokit::algsimp
