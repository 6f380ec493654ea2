// Reductions, windows, sorts, scatters that do little.
#include <cmath>

#include "absl/algorithm/container.h"
#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"

namespace hlokit::algsimp {
namespace {

bool IsPlainReduce(const Instruction* i) {
  return i->opcode() == Opcode::kReduce && i->operand_count() == 2;
}

Opcode ReducerOf(const Instruction* i) {
  return CommutativeReducer(*i->to_apply());
}

// Whether the initial value does not change what is reduced.
bool StartsNeutral(const Instruction* i) {
  const Instruction* init = i->operand(1);
  switch (ReducerOf(i)) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor:
      return IsFull(init, 0) || IsFull(init, -0.0);
    case Opcode::kMultiply:
      return IsFull(init, 1);
    case Opcode::kAnd:
      return IsPred(i) && IsFull(init, 1);
    case Opcode::kMaximum:
      return IsFloat(i) ? IsFull(init, -HUGE_VAL)
                        : IsPred(i) && IsFull(init, 0);
    case Opcode::kMinimum:
      return IsFloat(i) ? IsFull(init, HUGE_VAL)
                        : IsPred(i) && IsFull(init, 1);
    default:
      return false;
  }
}

// Whether elements may be combined in any order without another result: not
// sums and products of floats, which are rounded at each step.
bool IsOrderFree(const Instruction* i) {
  const Opcode reducer = ReducerOf(i);
  return !(IsFloat(i) || IsComplexType(TypeOf(i))) ||
         reducer == Opcode::kMaximum || reducer == Opcode::kMinimum;
}

// Of no elements: the initial value everywhere.
Instruction* ReduceNothing(Builder& b, Instruction* i) {
  if (!IsPlainReduce(i) || ElementsIn(i->operand(0)->shape()) != 0 ||
      !ShapesCompatible(i->operand(1)->shape(), Shape::Scalar(TypeOf(i)))) {
    return nullptr;
  }
  return b.BroadcastScalar(i->operand(1), i->shape().dimensions());
}

// Whether only dimensions of size 1 are reduced, by a known operation.
bool ReducesOnes(const Instruction* i) {
  if (!IsPlainReduce(i) || TypeOf(i) != TypeOf(i->operand(0))) return false;
  for (int64_t d : i->dimensions()) {
    if (i->operand(0)->shape().dimension(d) != 1) return false;
  }
  return ReducerOf(i) != Opcode::kParameter;
}

// Elements alone, where the initial value changes nothing.
Instruction* ReduceOnesFromNeutral(Builder& b, Instruction* i) {
  if (!ReducesOnes(i) || !StartsNeutral(i)) return nullptr;
  return b.Reshape(i->operand(0), i->shape().dimensions());
}

// Each element once with the initial value.
Instruction* ReduceOnes(Builder& b, Instruction* i) {
  if (!ReducesOnes(i)) return nullptr;
  return b.Binary(
      ReducerOf(i),
      b.BroadcastScalar(i->operand(1), i->shape().dimensions()),
      b.Reshape(i->operand(0), i->shape().dimensions()));
}

// reduce(reduce(x)) -> reduce(x) with the same operation and neutral starts.
Instruction* JoinReductions(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (!IsPlainReduce(i) || !IsPlainReduce(inner) || !HasOneUser(inner) ||
      ReducerOf(i) == Opcode::kParameter || ReducerOf(i) != ReducerOf(inner) ||
      !StartsNeutral(inner) || TypeOf(inner) != TypeOf(inner->operand(0))) {
    return nullptr;
  }
  Int64List left;  // the dimensions that the inner one leaves
  for (int64_t d = 0; d < inner->operand(0)->shape().rank(); ++d) {
    if (!absl::c_linear_search(inner->dimensions(), d)) left.push_back(d);
  }
  Int64List dimensions(inner->dimensions().begin(), inner->dimensions().end());
  for (int64_t d : i->dimensions()) dimensions.push_back(left[d]);
  absl::c_sort(dimensions);
  return b.Reduce(inner->operand(0), i->operand(1), dimensions,
                  i->to_apply());
}

Instruction* ReduceTwice(Builder& b, Instruction* i) {
  return IsOrderFree(i) ? JoinReductions(b, i) : nullptr;
}

Instruction* SumTwice(Builder& b, Instruction* i) {
  return IsOrderFree(i) ? nullptr : JoinReductions(b, i);
}

// reduce(transpose(x)) -> reduce(x) when what is left stays in order.
Instruction* ReduceUntransposed(Builder& b, Instruction* i) {
  Instruction* transpose = i->operand(0);
  if (!IsPlainReduce(i) || transpose->opcode() != Opcode::kTranspose ||
      ReducerOf(i) == Opcode::kParameter) {
    return nullptr;
  }
  Int64List left, reduced;
  for (int64_t d = 0; d < transpose->shape().rank(); ++d) {
    const bool gone = absl::c_linear_search(i->dimensions(), d);
    (gone ? reduced : left).push_back(transpose->dimension(d));
  }
  if (!absl::c_is_sorted(left)) return nullptr;
  absl::c_sort(reduced);
  return b.Reduce(transpose->operand(0), i->operand(1), reduced,
                  i->to_apply());
}

Instruction* ReduceOfTranspose(Builder& b, Instruction* i) {
  return IsOrderFree(i) ? ReduceUntransposed(b, i) : nullptr;
}

Instruction* SumOfTranspose(Builder& b, Instruction* i) {
  return IsOrderFree(i) ? nullptr : ReduceUntransposed(b, i);
}

// reduce(reshape(x)) to a scalar -> reduce(x) over everything.
Instruction* ReduceAllOfReshape(Builder& b, Instruction* i) {
  Instruction* reshape = i->operand(0);
  if (!IsPlainReduce(i) || reshape->opcode() != Opcode::kReshape ||
      i->shape().rank() != 0 || ReducerOf(i) == Opcode::kParameter ||
      reshape->operand(0)->shape().rank() == 0) {
    return nullptr;
  }
  Int64List all;
  for (int64_t d = 0; d < reshape->operand(0)->shape().rank(); ++d) {
    all.push_back(d);
  }
  return b.Reduce(reshape->operand(0), i->operand(1), all, i->to_apply());
}

// The largest of copies is the copy; so the smallest, the or, the and. Their sum
// is a product.
Instruction* ReduceCopies(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (!IsPlainReduce(i) || x->opcode() != Opcode::kBroadcast ||
      TypeOf(i) != TypeOf(x) || !absl::c_is_sorted(x->dimensions()) ||
      ElementsIn(x->shape()) == 0) {
    return nullptr;
  }
  const Opcode reducer = ReducerOf(i);
  const bool idempotent =
      reducer == Opcode::kMaximum || reducer == Opcode::kMinimum ||
      reducer == Opcode::kAnd || reducer == Opcode::kOr;
  const bool sum = reducer == Opcode::kAdd && (IsFloat(i) || IsInteger(i));
  if (!idempotent && !sum) return nullptr;
  // All that is reduced must be copies, and what is left must be whole.
  int64_t copies = 1;
  for (int64_t d : i->dimensions()) {
    if (absl::c_linear_search(x->dimensions(), d)) return nullptr;
    copies *= x->shape().dimension(d);
  }
  // Too many copies of a small float do not count up to it.
  if (sum && IsFloat(i) &&
      (copies > int64_t{1} << 20 || BitWidth(TypeOf(i)) < 32)) {
    return nullptr;
  }
  Instruction* source = x->operand(0);
  Int64List places;  // of source's dimensions in the result
  for (int64_t d : x->dimensions()) {
    int64_t place = d;
    for (int64_t gone : i->dimensions()) place -= gone < d;
    places.push_back(place);
  }
  Instruction* spread = source->shape().rank() == i->shape().rank()
                            ? source
                            : b.Broadcast(source, places,
                                          i->shape().dimensions());
  if (sum) spread = b.Multiply(spread, b.FullInt(i->shape(), copies));
  if (StartsNeutral(i)) return spread;
  return b.Binary(
      reducer, spread,
      b.BroadcastScalar(i->operand(1), i->shape().dimensions()));
}

Instruction* ReduceOfBroadcast(Builder& b, Instruction* i) {
  // The maximum of floats flushes a denormal, XLA leaves it alone.
  if (IsFloat(i)) return nullptr;
  return ReducerOf(i) != Opcode::kAdd ? ReduceCopies(b, i) : nullptr;
}

Instruction* SumOfBroadcast(Builder& b, Instruction* i) {
  return ReducerOf(i) == Opcode::kAdd ? ReduceCopies(b, i) : nullptr;
}

// Whether windows hold one element, move by one and are not padded.
bool HasWindowsOfOne(const Instruction* i) {
  if (i->operand_count() != 2 || TypeOf(i) != TypeOf(i->operand(0)) ||
      !SameShape(i, i->operand(0))) {
    return false;
  }
  // A window over a scalar has no dimensions and need not be written.
  const Window* window = i->window();
  if (window == nullptr) return ReducerOf(i) != Opcode::kParameter;
  for (const WindowDimension& w : window->dimensions) {
    if (w.size != 1 || w.stride != 1 || w.padding_low != 0 ||
        w.padding_high != 0 || w.base_dilation != 1) {
      return false;
    }
  }
  return ReducerOf(i) != Opcode::kParameter;
}

Instruction* WindowOfOneFromNeutral(Builder&, Instruction* i) {
  return HasWindowsOfOne(i) && StartsNeutral(i) ? i->operand(0) : nullptr;
}

Instruction* WindowOfOne(Builder& b, Instruction* i) {
  if (!HasWindowsOfOne(i)) return nullptr;
  return b.Binary(ReducerOf(i),
                  b.BroadcastScalar(i->operand(1), i->shape().dimensions()),
                  i->operand(0));
}

// Of at most one element along the sorted dimension.
Instruction* SortOne(Builder& b, Instruction* i) {
  const Instruction* key = i->operand(0);
  if (key->shape().dimension(i->dimension(0)) > 1) return nullptr;
  return i->operand_count() == 1 ? i->operand(0) : b.Tuple(i->operands());
}

// No updates, nothing scattered.
Instruction* ScatterNothing(Builder&, Instruction* i) {
  if (i->operand_count() != 3 ||
      ElementsIn(i->operand(2)->shape()) != 0) {
    return nullptr;
  }
  return i->operand(0);
}

constexpr Rule kReduceRules[] = {
    {Opcode::kReduce, ReduceNothing, Rewrite::kReduceNothing},
    {Opcode::kReduce, ReduceOnesFromNeutral, Rewrite::kReduceOnesFromNeutral},
    {Opcode::kReduce, ReduceOnes, Rewrite::kReduceOnes},
    {Opcode::kReduce, ReduceTwice, Rewrite::kReduceTwice},
    {Opcode::kReduce, SumTwice, Rewrite::kSumTwice},
    {Opcode::kReduce, ReduceOfTranspose, Rewrite::kReduceOfTranspose},
    {Opcode::kReduce, SumOfTranspose, Rewrite::kSumOfTranspose},
    {Opcode::kReduce, ReduceAllOfReshape, Rewrite::kReduceAllOfReshape},
    {Opcode::kReduce, ReduceOfBroadcast, Rewrite::kReduceOfBroadcast},
    {Opcode::kReduce, SumOfBroadcast, Rewrite::kSumOfBroadcast},
    {Opcode::kReduceWindow, WindowOfOneFromNeutral,
     Rewrite::kWindowOfOneFromNeutral},
    {Opcode::kReduceWindow, WindowOfOne, Rewrite::kWindowOfOne},
    {Opcode::kSort, SortOne, Rewrite::kSortOne},
    {Opcode::kScatter, ScatterNothing, Rewrite::kScatterNothing},
};

}  // namespace

absl::Span<const Rule> ReduceRules() { return kReduceRules; }

}  // namespace hlokit::algsimp
