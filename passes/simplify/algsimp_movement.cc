// broadcast, reshape, transpose, reverse, iota: what moves elements about.
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"

namespace hlokit::algsimp {
namespace {

// The dimensions of size other than 1.
Int64List RealDimensions(const Shape& shape) {
  Int64List real;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) != 1) real.push_back(d);
  }
  return real;
}

// Same elements in the same order once dimensions of size 1 are left out.
bool SameButForOnes(const Shape& a, const Shape& b) {
  const Int64List x = RealDimensions(a), y = RealDimensions(b);
  if (x.size() != y.size()) return false;
  for (size_t k = 0; k < x.size(); ++k) {
    if (a.dimension(x[k]) != b.dimension(y[k])) return false;
  }
  return true;
}

// A broadcast of the same number of elements moves at most dimensions: it is a
// reshape when they stay in order.
Instruction* BroadcastNothing(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (ElementsIn(x->shape()) != ElementsIn(i->shape())) return nullptr;
  if (SameShape(i, x) && absl::c_is_sorted(i->dimensions())) return x;
  // Constants spread by a broadcast are better known that way.
  if (x->shape().rank() == 0 && x->opcode() == Opcode::kConstant) {
    return nullptr;
  }
  Int64List real;
  for (int64_t d : RealDimensions(x->shape())) real.push_back(i->dimension(d));
  if (!absl::c_is_sorted(real)) return nullptr;
  return b.Reshape(x, i->shape().dimensions());
}

// broadcast(broadcast(x)) -> broadcast(x).
Instruction* BroadcastTwice(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != Opcode::kBroadcast) return nullptr;
  Int64List dimensions;
  for (int64_t d : inner->dimensions()) {
    dimensions.push_back(i->dimension(d));
  }
  return b.Broadcast(inner->operand(0), dimensions, i->shape().dimensions());
}

// broadcast(reshape(x)) -> broadcast(x) when the reshape only adds dimensions
// of size 1.
Instruction* BroadcastOfWidened(Builder& b, Instruction* i) {
  Instruction* reshape = i->operand(0);
  if (reshape->opcode() != Opcode::kReshape) return nullptr;
  Instruction* x = reshape->operand(0);
  if (x->shape().rank() >= reshape->shape().rank() ||
      !SameButForOnes(x->shape(), reshape->shape())) {
    return nullptr;
  }
  const Int64List from = RealDimensions(x->shape());
  const Int64List to = RealDimensions(reshape->shape());
  if (static_cast<int64_t>(from.size()) != x->shape().rank()) return nullptr;
  Int64List dimensions;
  for (int64_t d : to) dimensions.push_back(i->dimension(d));
  return b.Broadcast(x, dimensions, i->shape().dimensions());
}

Instruction* ReshapeNothing(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (SameShape(i, x)) return x;
  if (x->opcode() != Opcode::kReshape) return nullptr;
  return b.Reshape(x->operand(0), i->shape().dimensions());
}

// A reshape that only adds or takes away dimensions of size 1 becomes part of
// a broadcast or iota below it; any reshape of a spread scalar does.
Instruction* ReshapeOfMade(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (x->opcode() == Opcode::kBroadcast && x->operand(0)->shape().IsScalar()) {
    return b.BroadcastScalar(x->operand(0), i->shape().dimensions());
  }
  if (!SameButForOnes(x->shape(), i->shape())) return nullptr;
  const Int64List from = RealDimensions(x->shape());
  const Int64List to = RealDimensions(i->shape());
  auto moved = [&](int64_t d) {
    const auto it = absl::c_find(from, d);
    return it == from.end() ? int64_t{-1} : to[it - from.begin()];
  };
  if (x->opcode() == Opcode::kIota) {
    const int64_t d = moved(x->attrs().GetInt(AttrId::kIotaDimension));
    return d < 0 ? nullptr : b.Iota(i->shape(), d);
  }
  if (x->opcode() != Opcode::kBroadcast) return nullptr;
  Int64List dimensions;
  for (int64_t d : x->dimensions()) {
    if (moved(d) < 0) return nullptr;
    dimensions.push_back(moved(d));
  }
  return b.Broadcast(x->operand(0), dimensions, i->shape().dimensions());
}

Instruction* TransposeNothing(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  const auto permutation = i->dimensions();
  if (absl::c_is_sorted(permutation)) return x;
  Int64List real;
  for (int64_t d : permutation) {
    if (x->shape().dimension(d) != 1) real.push_back(d);
  }
  // Only dimensions of size 1 move.
  if (absl::c_is_sorted(real)) return b.Reshape(x, i->shape().dimensions());
  return nullptr;
}

Instruction* TransposeTwice(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != Opcode::kTranspose) return nullptr;
  Int64List permutation;
  for (int64_t d : i->dimensions()) permutation.push_back(inner->dimension(d));
  return b.Transpose(inner->operand(0), permutation);
}

// transpose(broadcast(x)) -> broadcast(x); transpose(iota) -> iota.
Instruction* TransposeOfMade(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  const auto permutation = i->dimensions();
  auto moved = [&](int64_t d) {
    return static_cast<int64_t>(absl::c_find(permutation, d) -
                                permutation.begin());
  };
  if (x->opcode() == Opcode::kIota) {
    return b.Iota(i->shape(),
                  moved(x->attrs().GetInt(AttrId::kIotaDimension)));
  }
  if (x->opcode() != Opcode::kBroadcast) return nullptr;
  Int64List dimensions;
  for (int64_t d : x->dimensions()) dimensions.push_back(moved(d));
  return b.Broadcast(x->operand(0), dimensions, i->shape().dimensions());
}

// Dimensions of size 1 need no reversing; twice is not at all.
Instruction* Reverse(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  Int64List dimensions;
  for (int64_t d : i->dimensions()) {
    if (i->shape().dimension(d) > 1) dimensions.push_back(d);
  }
  if (dimensions.size() < i->dimensions().size()) {
    return b.Reverse(x, dimensions);
  }
  if (x->opcode() == Opcode::kReverse) {
    Int64List once;
    for (int64_t d = 0; d < i->shape().rank(); ++d) {
      if (absl::c_linear_search(dimensions, d) !=
          absl::c_linear_search(x->dimensions(), d)) {
        once.push_back(d);
      }
    }
    return b.Reverse(x->operand(0), once);
  }
  if (x->opcode() != Opcode::kBroadcast) return nullptr;
  for (int64_t d : dimensions) {
    if (absl::c_linear_search(x->dimensions(), d)) return nullptr;
  }
  return x;
}

// An iota along a dimension of size 1 is all zeros.
Instruction* IotaOfOne(Builder& b, Instruction* i) {
  const int64_t d = i->attrs().GetInt(AttrId::kIotaDimension);
  return i->shape().dimension(d) == 1 ? b.Full(i->shape(), 0) : nullptr;
}

// A constant of equal elements is a scalar, broadcast; one that counts up from 0
// is an iota.
Instruction* ConstantOfPattern(Builder& b, Instruction* i) {
  if (i->shape().rank() == 0 || ElementsIn(i->shape()) < 2 ||
      BitWidth(TypeOf(i)) < 8) {
    return nullptr;
  }
  if (const std::optional<Literal> scalar = ScalarOfFull(i)) {
    return b.BroadcastScalar(b.Constant(*scalar), i->shape().dimensions());
  }
  if (i->shape().rank() > 1 || !IsInteger(i)) return nullptr;
  for (int64_t k = 0; k < i->shape().dimension(0); ++k) {
    if (i->literal()->GetAsInt64(k) != k) return nullptr;
  }
  return b.Iota(i->shape(), 0);
}

// f(broadcast(scalar), ...) -> broadcast(f(scalar, ...)).
Instruction* ElementwiseOfScalars(Builder& b, Instruction* i) {
  if (i->shape().rank() == 0 || i->operand_count() == 0 ||
      i->opcode() == Opcode::kRng) {
    return nullptr;
  }
  std::vector<Instruction*> scalars;
  for (Instruction* operand : i->operands()) {
    if (operand->shape().IsScalar()) {
      scalars.push_back(operand);
    } else if (operand->opcode() == Opcode::kBroadcast &&
               operand->operand(0)->shape().IsScalar()) {
      scalars.push_back(operand->operand(0));
    } else {
      return nullptr;
    }
  }
  Instruction* f =
      b.CloneOfShape(*i, Shape::Scalar(TypeOf(i)), scalars);
  f->mutable_attrs().Erase(AttrId::kSharding);
  return b.BroadcastScalar(f, i->shape().dimensions());
}

constexpr Rule kMovementRules[] = {
    {Opcode::kBroadcast, BroadcastNothing, Rewrite::kBroadcastNothing},
    {Opcode::kBroadcast, BroadcastTwice, Rewrite::kBroadcastTwice},
    {Opcode::kBroadcast, BroadcastOfWidened, Rewrite::kBroadcastOfWidened},
    {Opcode::kReshape, ReshapeNothing, Rewrite::kReshapeNothing},
    {Opcode::kReshape, ReshapeOfMade, Rewrite::kReshapeOfMade},
    {Opcode::kTranspose, TransposeNothing, Rewrite::kTransposeNothing},
    {Opcode::kTranspose, TransposeTwice, Rewrite::kTransposeTwice},
    {Opcode::kTranspose, TransposeOfMade, Rewrite::kTransposeOfMade},
    {Opcode::kReverse, Reverse, Rewrite::kReverse},
    {Opcode::kIota, IotaOfOne, Rewrite::kIotaOfOne},
    {Opcode::kConstant, ConstantOfPattern, Rewrite::kConstantOfPattern},
    {Opcode::kParameter, ElementwiseOfScalars, Rewrite::kElementwiseOfScalars},
};

}  // namespace

absl::Span<const Rule> MovementRules() { return kMovementRules; }

}  // namespace hlokit::algsimp
