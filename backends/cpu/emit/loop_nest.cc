#include "backends/cpu/emit/loop_nest.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "backends/cpu/emit/arithmetic.h"

namespace hlokit::cpu {
namespace {

// Whether an index (.., 0, i*size(minor)+j, ..) in place of (.., i, j, ..)
// gives the same elements: the two dimensions must be handed down as
// neighbours, or not at all, to arrays in which they are neighbours too.
class MergeCheck {
 public:
  explicit MergeCheck(IsLeaf is_leaf) : is_leaf_(is_leaf) {}

  bool Allows(const Instruction& i, int64_t major, int64_t minor) {
    if (!seen_.insert({&i, major, minor}).second) return true;
    if (ElementsIn(i.shape()) == 0) return true;  // is never read
    if (!AreNeighbours(i.shape(), major, minor)) return false;
    if (is_leaf_(i)) return true;
    switch (i.opcode()) {
      case Opcode::kConstant:
        // Constants lie row-major.
        return i.shape().rank() == 0 || major + 1 == minor;
      case Opcode::kIota: {
        const int64_t d = i.attrs().GetInt(AttrId::kIotaDimension);
        return d != major && d != minor;
      }
      case Opcode::kBroadcast: {
        const auto dims = i.dimensions();
        const auto at = [&](int64_t d) {
          return std::find(dims.begin(), dims.end(), d) - dims.begin();
        };
        const int64_t rank = dims.size();
        if (at(major) == rank && at(minor) == rank) return true;
        if (at(major) == rank || at(minor) == rank) return false;
        return Allows(*i.operand(0), at(major), at(minor));
      }
      case Opcode::kTranspose:
        return Allows(*i.operand(0), i.dimension(major), i.dimension(minor));
      case Opcode::kReshape:
      case Opcode::kBitcast:
        return ThroughReshape(i, major, minor);
      default:
        return Elementwise(i, major, minor);
    }
  }

 private:
  bool Elementwise(const Instruction& i, int64_t major, int64_t minor) {
    if (!IsArithmetic(i.opcode()) && i.opcode() != Opcode::kMap) return false;
    for (const Instruction* operand : i.operands()) {
      if (operand->shape().rank() > 0 && !Allows(*operand, major, minor)) {
        return false;
      }
    }
    return true;
  }

  // Both dimensions pass alone, or both melt into one.
  bool ThroughReshape(const Instruction& i, int64_t major, int64_t minor) {
    const Shape& from = i.shape();
    const Shape& to = i.operand(0)->shape();
    const bool physical = i.opcode() == Opcode::kBitcast;
    const DimensionVector from_order = Order(from, physical);
    const DimensionVector to_order = Order(to, physical);
    DimensionVector from_sizes, to_sizes;
    for (int64_t d : from_order) from_sizes.push_back(from.dimension(d));
    for (int64_t d : to_order) to_sizes.push_back(to.dimension(d));
    const auto position = [&](int64_t d) {
      return std::find(from_order.begin(), from_order.end(), d) -
             from_order.begin();
    };
    int64_t of_major = -1, of_minor = -1;
    const auto groups = CommonGroups(from_sizes, to_sizes);
    for (const DimensionGroup& g : groups) {
      const bool has_major = Contains(g, position(major));
      const bool has_minor = Contains(g, position(minor));
      if (!has_major && !has_minor) continue;
      if (g.to_end - g.to_begin != 1) return false;
      if (has_major && has_minor) {
        // One after the other also in the order that the reshape goes by.
        int64_t next = position(major) + 1;
        while (next < position(minor) && from_sizes[next] == 1) ++next;
        return next == position(minor);
      }
      if (g.from_end - g.from_begin != 1) return false;
      (has_major ? of_major : of_minor) = to_order[g.to_begin];
    }
    return Allows(*i.operand(0), of_major, of_minor);
  }
  static bool Contains(const DimensionGroup& g, int64_t d) {
    return g.from_begin <= d && d < g.from_end;
  }
  static DimensionVector Order(const Shape& shape, bool physical) {
    if (physical) return MajorToMinor(shape);
    DimensionVector order(shape.rank());
    for (int64_t d = 0; d < shape.rank(); ++d) order[d] = d;
    return order;
  }

  IsLeaf is_leaf_;
  absl::flat_hash_set<std::tuple<const Instruction*, int64_t, int64_t>> seen_;
};

}  // namespace

bool AreNeighbours(const Shape& shape, int64_t major, int64_t minor) {
  // Dimensions of size 1 may stand between.
  const DimensionVector order = MajorToMinor(shape);
  auto it = std::find(order.begin(), order.end(), major);
  do {
    ++it;
  } while (it != order.end() && *it != minor && shape.dimension(*it) == 1);
  return it != order.end() && *it == minor;
}

bool MergesDimensions(const Instruction& i, int64_t major, int64_t minor,
                      IsLeaf is_leaf) {
  return MergeCheck(is_leaf).Allows(i, major, minor);
}

LoopNest::LoopNest(const Shape& shape,
                   absl::Span<const Instruction* const> roots, IsLeaf is_leaf,
                   absl::FunctionRef<bool(int64_t, int64_t)> may_merge)
    : rank_(shape.rank()) {
  for (int64_t d : MajorToMinor(shape)) {
    const int64_t size = shape.dimension(d);
    // A loop that runs once is none; its index stays 0.
    if (size == 1) continue;
    if (!runs_.empty()) {
      Run& last = runs_.back();
      bool merge = may_merge(last.dimension, d);
      for (const Instruction* root : roots) {
        merge = merge && MergesDimensions(*root, last.dimension, d, is_leaf);
      }
      if (merge) {
        last = {d, last.size * size};
        continue;
      }
    }
    runs_.push_back({d, size});
  }
  if (runs_.empty()) return;
  if (runs_.size() == 1) {
    iterations_ = runs_[0].size;
    return;
  }
  elements_each_ = runs_.back().size;
  for (size_t r = 0; r + 1 < runs_.size(); ++r) iterations_ *= runs_[r].size;
}

void LoopNest::Emit(IrFunction& f, const IrValue& begin, const IrValue& end,
                    absl::FunctionRef<void(const Index&)> body) const {
  Index index(rank_, f.Const(0));
  f.Loop(begin, end, 1, [&](IrValue iteration) {
    if (runs_.size() <= 1) {
      if (!runs_.empty()) index[runs_[0].dimension] = iteration;
      body(index);
      return;
    }
    // The outer loops' indices from the number of the iteration.
    IrValue rest = iteration;
    for (size_t r = runs_.size() - 1; r-- > 0;) {
      const IrValue size = f.Const(runs_[r].size);
      index[runs_[r].dimension] = r == 0 ? rest : f.Rem(rest, size);
      if (r > 0) rest = f.Div(rest, size);
    }
    f.Loop(f.Const(0), f.Const(runs_.back().size), 1, [&](IrValue inner) {
      index[runs_.back().dimension] = inner;
      body(index);
    });
  });
}

}  // namespace hlokit::cpu
