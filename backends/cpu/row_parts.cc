#include "backends/cpu/row_parts.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "backends/cpu/emit/arithmetic.h"
#include "backends/cpu/thunk.h"

namespace hlokit::cpu {
namespace {

// How many of the first dimensions have `parts` elements together; -1 when no
// number of them has.
int64_t LeadingDimensions(const Shape& shape, int64_t parts) {
  int64_t product = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (product == parts) return d;
    product *= shape.dimension(d);
  }
  return product == parts ? shape.rank() : -1;
}

// Whether an array can be cut into `parts` equal ones.
bool Divides(const Shape& shape, int64_t parts) {
  return shape.IsArray() && LiesRowMajor(shape) && ElementsIn(shape) > 0 &&
         ElementsIn(shape) % parts == 0;
}

// Whether part k of `i` depends on part k of its operand number `n` alone.
bool KeepsParts(const Instruction& i, int64_t n, int64_t parts) {
  const Shape& from = i.operand(n)->shape();
  if (!Divides(from, parts)) return false;
  switch (i.opcode()) {
    case Opcode::kBroadcast: {
      const int64_t leading = LeadingDimensions(i.shape(), parts);
      if (leading < 0 || from.rank() < leading) return false;
      for (int64_t d = 0; d < leading; ++d) {
        if (i.dimension(d) != d) return false;
      }
      return true;
    }
    case Opcode::kReduce: {
      const int64_t leading = LeadingDimensions(from, parts);
      const auto reduced = i.dimensions();
      return leading >= 0 && n < i.operand_count() / 2 &&
             std::all_of(reduced.begin(), reduced.end(),
                         [&](int64_t d) { return d >= leading; });
    }
    case Opcode::kTranspose: {
      const int64_t leading = LeadingDimensions(from, parts);
      if (leading < 0) return false;
      for (int64_t d = 0; d < leading; ++d) {
        if (i.dimension(d) != d) return false;
      }
      return true;
    }
    case Opcode::kReshape:
    case Opcode::kBitcast:
      return from.element_type() == i.shape().element_type();
    case Opcode::kGetTupleElement:
      return true;
    default:
      return IsArithmetic(i.opcode()) &&
             from.dimensions() == i.shape().dimensions();
  }
}

class Walk {
 public:
  explicit Walk(int64_t parts) : parts_(parts) {}

  // Parts of `i` are needed one at a time, or (`whole`) all of them.
  template <typename OnLeaf>
  void Visit(const Instruction& i, bool whole, const OnLeaf& on_leaf) {
    if (!seen_.insert({&i, whole}).second) return;
    if (on_leaf(i, whole)) return;
    for (int64_t n = 0; n < i.operand_count(); ++n) {
      Visit(*i.operand(n), whole || !Keeps(i, n), on_leaf);
    }
  }

 private:
  bool Keeps(const Instruction& i, int64_t n) const {
    // Of several results each is as the others.
    if (i.operand(n)->shape().IsTuple()) {
      return i.opcode() == Opcode::kGetTupleElement;
    }
    return KeepsParts(i, n, parts_);
  }

  int64_t parts_;
  absl::flat_hash_set<std::pair<const Instruction*, bool>> seen_;
};

}  // namespace

std::vector<bool> OperandsReadInParts(const Instruction& i, int64_t parts) {
  std::vector<bool> in_parts(i.operand_count(), true);
  const bool fusion = i.opcode() == Opcode::kFusion;
  const Instruction& root = fusion ? *i.called_computation(0)->root() : i;
  const absl::Span<const Shape> results =
      i.shape().IsTuple() ? i.shape().tuple_shapes()
                          : absl::MakeConstSpan(&i.shape(), 1);
  for (const Shape& result : results) {
    if (!Divides(result, parts)) return {};
  }
  Walk walk(parts);
  const auto visit_root = [&](const Instruction& from) {
    walk.Visit(from, false, [&](const Instruction& x, bool whole) {
      if (!fusion && &x != &i) {
        for (int64_t n = 0; n < i.operand_count(); ++n) {
          if (i.operand(n) == &x && whole) in_parts[n] = false;
        }
        return true;
      }
      if (fusion && x.opcode() == Opcode::kParameter) {
        if (whole) in_parts[x.parameter_number()] = false;
        return true;
      }
      return false;
    });
  };
  if (fusion && root.opcode() == Opcode::kTuple) {
    for (const Instruction* part : root.operands()) visit_root(*part);
  } else {
    visit_root(root);
  }
  return in_parts;
}

}  // namespace hlokit::cpu
