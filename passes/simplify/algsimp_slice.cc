// slice, dynamic-slice, dynamic-update-slice, concatenate, pad, and what of
// them does nothing or can be done to less.
#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "hlo/ir/padding.h"
#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"

namespace hlokit::algsimp {
namespace {

const SliceRanges& RangesOf(const Instruction* slice) {
  return *slice->attrs().Get<SliceRanges>(AttrId::kSlice);
}
const PaddingConfig& PaddingOf(const Instruction* pad) {
  return *pad->attrs().Get<PaddingConfig>(AttrId::kPadding);
}

Instruction* SliceWhole(Builder&, Instruction* i) {
  return SameShape(i, i->operand(0)) ? i->operand(0) : nullptr;
}

Instruction* SliceTwice(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != Opcode::kSlice) return nullptr;
  SliceRanges ranges;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const SliceRange& outer = RangesOf(i)[d];
    const SliceRange& first = RangesOf(inner)[d];
    const int64_t size = i->shape().dimension(d);
    const int64_t start = first.start + outer.start * first.stride;
    const int64_t stride = outer.stride * first.stride;
    const int64_t limit = size == 0 ? start : start + (size - 1) * stride + 1;
    ranges.push_back({start, limit, stride});
  }
  return b.Slice(inner->operand(0), std::move(ranges));
}

// slice(broadcast(x)) -> broadcast(slice(x)), where x is cut as well only if
// it must be.
Instruction* SliceOfBroadcast(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (x->opcode() != Opcode::kBroadcast) return nullptr;
  Instruction* source = x->operand(0);
  SliceRanges ranges;
  for (int64_t d : x->dimensions()) ranges.push_back(RangesOf(i)[d]);
  const Int64List dimensions(x->dimensions().begin(), x->dimensions().end());
  return b.Broadcast(b.Slice(source, std::move(ranges)), dimensions,
                     i->shape().dimensions());
}

// slice(iota) -> iota when the counting dimension is whole.
Instruction* SliceOfIota(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (x->opcode() != Opcode::kIota) return nullptr;
  const int64_t d = x->attrs().GetInt(AttrId::kIotaDimension);
  const SliceRange& range = RangesOf(i)[d];
  if (range.start != 0 || range.stride != 1) return nullptr;
  return b.Iota(i->shape(), d);
}

// A slice that lies in one operand of a concatenation.
Instruction* SliceOfConcatenate(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  // As many slices may look through as many parts.
  constexpr int64_t kMostParts = 1024;
  if (x->opcode() != Opcode::kConcatenate ||
      x->operand_count() > kMostParts) {
    return nullptr;
  }
  const int64_t dim = x->dimension(0);
  const SliceRange& range = RangesOf(i)[dim];
  const int64_t size = i->shape().dimension(dim);
  if (size == 0) return nullptr;
  const int64_t last = range.start + (size - 1) * range.stride;
  int64_t offset = 0;
  for (Instruction* part : x->operands()) {
    const int64_t end = offset + part->shape().dimension(dim);
    if (range.start >= offset && last < end) {
      SliceRanges ranges = RangesOf(i);
      ranges[dim] = {range.start - offset, last - offset + 1, range.stride};
      return b.Slice(part, std::move(ranges));
    }
    offset = end;
  }
  return nullptr;
}

// A slice of a pad that lies in what was padded, or in the padding.
Instruction* SliceOfPad(Builder& b, Instruction* i) {
  Instruction* pad = i->operand(0);
  if (pad->opcode() != Opcode::kPad) return nullptr;
  Instruction* x = pad->operand(0);
  SliceRanges inside = RangesOf(i);
  bool all_inside = true, outside = false;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(pad).dimensions[d];
    if (p.interior != 0 || p.low < 0 || p.high < 0) return nullptr;
    const int64_t size = i->shape().dimension(d);
    if (size == 0) return nullptr;
    const int64_t first = inside[d].start - p.low;
    const int64_t last = first + (size - 1) * inside[d].stride;
    all_inside &= first >= 0 && last < x->shape().dimension(d);
    outside |= last < 0 || first >= x->shape().dimension(d);
    inside[d].start = first;
    inside[d].limit = last + 1;
  }
  if (outside) {
    return b.BroadcastScalar(pad->operand(1), i->shape().dimensions());
  }
  return all_inside ? b.Slice(x, std::move(inside)) : nullptr;
}

// slice(transpose) and slice(reshape) stay: they are the movers' matter.

// Start indices as numbers, clamped as the operation does; empty when unknown.
Int64List ConstantStarts(const Instruction* i, int64_t first_index,
                         absl::Span<const int64_t> sizes) {
  const Shape& whole = i->operand(0)->shape();
  Int64List starts;
  if (i->operand_count() - first_index != whole.rank()) return {};
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const Instruction* index = i->operand(first_index + d);
    const auto value = ConstantInt(index);
    if (!value.has_value()) return {};
    const int64_t highest = whole.dimension(d) - sizes[d];
    // An unsigned number beyond int64 is large, not negative.
    const bool huge = IsUnsignedIntType(TypeOf(index)) && *value < 0;
    starts.push_back(huge ? highest
                          : std::min(std::max<int64_t>(*value, 0), highest));
  }
  return starts;
}

Instruction* DynamicSliceWhole(Builder&, Instruction* i) {
  return SameShape(i, i->operand(0)) ? i->operand(0) : nullptr;
}

Instruction* DynamicSliceAtConstant(Builder& b, Instruction* i) {
  const auto sizes = i->shape().dimensions();
  const Int64List starts = ConstantStarts(i, 1, sizes);
  if (starts.empty()) return nullptr;
  SliceRanges ranges;
  for (size_t d = 0; d < starts.size(); ++d) {
    ranges.push_back({starts[d], starts[d] + sizes[d], 1});
  }
  return b.Slice(i->operand(0), std::move(ranges));
}

// dynamic-slice(broadcast(scalar)) -> broadcast(scalar).
Instruction* DynamicSliceOfScalar(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (x->opcode() != Opcode::kBroadcast || !x->operand(0)->shape().IsScalar()) {
    return nullptr;
  }
  return b.BroadcastScalar(x->operand(0), i->shape().dimensions());
}

Instruction* UpdateWholeOrNothing(Builder&, Instruction* i) {
  Instruction *x = i->operand(0), *update = i->operand(1);
  if (SameShape(update, x)) return update;
  if (ElementsIn(update->shape()) == 0) return x;
  // What is put back where it came from.
  if (update->opcode() != Opcode::kDynamicSlice || update->operand(0) != x ||
      update->operand_count() != i->operand_count() - 1) {
    return nullptr;
  }
  for (int64_t k = 1; k < update->operand_count(); ++k) {
    if (update->operand(k) != i->operand(k + 1)) return nullptr;
  }
  return x;
}

// dynamic-update-slice(broadcast(c), x, constant...) -> pad(x, c).
Instruction* UpdateOfScalar(Builder& b, Instruction* i) {
  Instruction *x = i->operand(0), *update = i->operand(1);
  if (x->opcode() != Opcode::kBroadcast || !x->operand(0)->shape().IsScalar() ||
      TypeOf(update) != TypeOf(x)) {
    return nullptr;
  }
  const Int64List starts = ConstantStarts(i, 2, update->shape().dimensions());
  if (starts.empty()) return nullptr;
  PaddingConfig padding;
  for (size_t d = 0; d < starts.size(); ++d) {
    padding.dimensions.push_back(
        {starts[d], x->shape().dimension(d) - starts[d] -
                        update->shape().dimension(d), 0});
  }
  return b.Pad(update, x->operand(0), std::move(padding));
}

// One operand, empty ones, concatenations within.
Instruction* ConcatenateParts(Builder& b, Instruction* i) {
  // Along a chain of concatenations, parts would be copied again and again;
  // and where each joins its operand to itself, their number would double at
  // every step.
  constexpr int64_t kMostParts = 64;
  constexpr int64_t kMostPartsInAll = 1024;
  if (i->operand_count() == 1) return i->operand(0);
  const int64_t dim = i->dimension(0);
  std::vector<Instruction*> parts;
  int64_t count = i->operand_count();
  bool changed = false;
  for (Instruction* part : i->operands()) {
    if (part->shape().dimension(dim) == 0 && i->shape().dimension(dim) > 0) {
      changed = true;
    } else if (part->opcode() == Opcode::kConcatenate &&
               part->dimension(0) == dim && HasOneUser(part) &&
               part->operand_count() <= kMostParts &&
               count + part->operand_count() - 1 <= kMostPartsInAll) {
      count += part->operand_count() - 1;
      parts.insert(parts.end(), part->operands().begin(),
                   part->operands().end());
      changed = true;
    } else {
      parts.push_back(part);
    }
  }
  if (!changed || parts.empty()) return nullptr;
  return b.Concatenate(parts, dim);
}

// Neighbouring slices of one array are one slice.
Instruction* ConcatenateNeighbours(Builder& b, Instruction* i) {
  const int64_t dim = i->dimension(0);
  std::vector<Instruction*> parts;
  for (int64_t k = 0; k < i->operand_count(); ++k) {
    Instruction* part = i->operand(k);
    if (!parts.empty() && part->opcode() == Opcode::kSlice &&
        parts.back()->opcode() == Opcode::kSlice &&
        part->operand(0) == parts.back()->operand(0)) {
      const SliceRanges& before = RangesOf(parts.back());
      const SliceRanges& after = RangesOf(part);
      bool joins = before[dim].stride == 1 && after[dim].stride == 1 &&
                   before[dim].limit == after[dim].start;
      for (int64_t d = 0; d < i->shape().rank(); ++d) {
        joins &= d == dim || before[d] == after[d];
      }
      if (joins) {
        SliceRanges ranges = before;
        ranges[dim].limit = after[dim].limit;
        Instruction* joined = b.Slice(part->operand(0), std::move(ranges));
        // A whole one ends the run: it is no slice.
        parts.back() = joined;
        continue;
      }
    }
    parts.push_back(part);
  }
  if (static_cast<int64_t>(parts.size()) == i->operand_count()) return nullptr;
  return b.Concatenate(parts, dim);
}

// Concatenation with a spread scalar at an end is a pad; of nothing but the
// same spread scalar a broadcast.
Instruction* ConcatenateScalars(Builder& b, Instruction* i) {
  if (i->operand_count() != 2) return nullptr;
  auto scalar = [&](int64_t k) -> Instruction* {
    Instruction* part = i->operand(k);
    return part->opcode() == Opcode::kBroadcast &&
                   part->operand(0)->shape().IsScalar()
               ? part->operand(0)
               : nullptr;
  };
  Instruction *first = scalar(0), *second = scalar(1);
  if (first != nullptr && first == second) {
    return b.BroadcastScalar(first, i->shape().dimensions());
  }
  const int64_t dim = i->dimension(0);
  PaddingConfig padding;
  padding.dimensions.resize(i->shape().rank());
  if (second != nullptr) {
    padding.dimensions[dim].high = i->operand(1)->shape().dimension(dim);
    return b.Pad(i->operand(0), second, std::move(padding));
  }
  if (first != nullptr) {
    padding.dimensions[dim].low = i->operand(0)->shape().dimension(dim);
    return b.Pad(i->operand(1), first, std::move(padding));
  }
  return nullptr;
}

Instruction* PadNothing(Builder& b, Instruction* i) {
  Instruction *x = i->operand(0), *value = i->operand(1);
  if (ElementsIn(x->shape()) == 0) {
    return b.BroadcastScalar(value, i->shape().dimensions());
  }
  if (x->opcode() == Opcode::kBroadcast && x->operand(0) == value) {
    return b.BroadcastScalar(value, i->shape().dimensions());
  }
  for (const PaddingDimension& p : PaddingOf(i).dimensions) {
    if (p.low != 0 || p.high != 0 || p.interior != 0) return nullptr;
  }
  return x;
}

// pad(pad(x)) -> pad(x): the same value, no interior, nothing cut off.
Instruction* PadTwice(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != Opcode::kPad) return nullptr;
  if (inner->operand(1) != i->operand(1)) {
    const auto v = ScalarOfFull(inner->operand(1));
    const auto w = ScalarOfFull(i->operand(1));
    if (!v.has_value() || !w.has_value() || *v != *w) return nullptr;
  }
  PaddingConfig padding;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(inner).dimensions[d];
    const PaddingDimension& q = PaddingOf(i).dimensions[d];
    if (p.interior != 0 || q.interior != 0 || p.low < 0 || p.high < 0 ||
        q.low < 0 || q.high < 0) {
      return nullptr;
    }
    padding.dimensions.push_back({p.low + q.low, p.high + q.high, 0});
  }
  return b.Pad(inner->operand(0), i->operand(1), std::move(padding));
}

// Whether an array that the program does not have may be made: not when it is
// far larger than those around it, which may be all that fits into memory.
bool MayBeMade(const Shape& around, absl::Span<const int64_t> sizes) {
  constexpr int64_t kSmall = 1 << 20, kMostTimes = 16;
  double elements = 1;
  for (int64_t size : sizes) elements *= size;
  return elements <=
         std::max<double>(kSmall, double{kMostTimes} * ElementsIn(around));
}

// Negative padding cuts off: pad what is positive, then slice.
Instruction* PadNegative(Builder& b, Instruction* i) {
  PaddingConfig positive = PaddingOf(i);
  bool negative = false;
  Instruction* x = i->operand(0);
  Int64List padded;
  for (PaddingDimension& p : positive.dimensions) {
    negative |= p.low < 0 || p.high < 0;
    p.low = std::max<int64_t>(p.low, 0);
    p.high = std::max<int64_t>(p.high, 0);
    const auto size = PaddedSize(p, x->shape().dimension(padded.size()));
    if (!size.has_value()) return nullptr;
    padded.push_back(*size);
  }
  const Shape& larger =
      ElementsIn(x->shape()) > ElementsIn(i->shape()) ? x->shape() : i->shape();
  if (!negative || !MayBeMade(larger, padded)) return nullptr;
  const bool pads = absl::c_any_of(
      positive.dimensions, [](const PaddingDimension& p) {
        return p.low != 0 || p.high != 0 || p.interior != 0;
      });
  if (pads) x = b.Pad(x, i->operand(1), std::move(positive));
  SliceRanges ranges;
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const PaddingDimension& p = PaddingOf(i).dimensions[d];
    const int64_t start = std::max<int64_t>(-p.low, 0);
    ranges.push_back({start, start + i->shape().dimension(d), 1});
  }
  return b.Slice(x, std::move(ranges));
}

constexpr Rule kSliceRules[] = {
    {Opcode::kSlice, SliceWhole, Rewrite::kSliceWhole},
    {Opcode::kSlice, SliceTwice, Rewrite::kSliceTwice},
    {Opcode::kSlice, SliceOfBroadcast, Rewrite::kSliceOfBroadcast},
    {Opcode::kSlice, SliceOfIota, Rewrite::kSliceOfIota},
    {Opcode::kSlice, SliceOfConcatenate, Rewrite::kSliceOfConcatenate},
    {Opcode::kSlice, SliceOfPad, Rewrite::kSliceOfPad},
    {Opcode::kDynamicSlice, DynamicSliceWhole, Rewrite::kDynamicSliceWhole},
    {Opcode::kDynamicSlice, DynamicSliceAtConstant,
     Rewrite::kDynamicSliceAtConstant},
    {Opcode::kDynamicSlice, DynamicSliceOfScalar,
     Rewrite::kDynamicSliceOfScalar},
    {Opcode::kDynamicUpdateSlice, UpdateWholeOrNothing,
     Rewrite::kUpdateWholeOrNothing},
    {Opcode::kDynamicUpdateSlice, UpdateOfScalar, Rewrite::kUpdateOfScalar},
    {Opcode::kConcatenate, ConcatenateParts, Rewrite::kConcatenateParts},
    {Opcode::kConcatenate, ConcatenateNeighbours,
     Rewrite::kConcatenateNeighbours},
    {Opcode::kConcatenate, ConcatenateScalars, Rewrite::kConcatenateScalars},
    {Opcode::kPad, PadNothing, Rewrite::kPadNothing},
    {Opcode::kPad, PadTwice, Rewrite::kPadTwice},
    {Opcode::kPad, PadNegative, Rewrite::kPadNegative},
};

}  // namespace

absl::Span<const Rule> SliceRules() { return kSliceRules; }

}  // namespace hlokit::algsimp
