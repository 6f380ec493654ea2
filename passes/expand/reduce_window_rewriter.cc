#include "passes/expand/reduce_window_rewriter.h"

namespace hlokit {
namespace {

// A cumulative reduction along a dimension.
struct Cumulative {
  int64_t dimension = -1;
  bool prefixes = true;  // else suffixes
};

// Dimension -1 for other reduce-windows.
Cumulative CumulativeOf(const Instruction& i) {
  Cumulative result;
  if (i.opcode() != Opcode::kReduceWindow || i.window() == nullptr) {
    return result;
  }
  const Shape& shape = i.operand(0)->shape();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const WindowDimension& w = i.window()->dimensions[d];
    if (w.stride != 1 || w.window_dilation != 1 || w.base_dilation != 1) {
      return {};
    }
    if (w.size == 1 && w.padding_low == 0 && w.padding_high == 0) continue;
    const int64_t n = shape.dimension(d);
    const bool prefixes = w.padding_low == n - 1 && w.padding_high == 0;
    const bool suffixes = w.padding_low == 0 && w.padding_high == n - 1;
    if (w.size != n || !(prefixes || suffixes) || result.dimension >= 0) {
      return {};
    }
    result = {d, prefixes};
  }
  return result;
}

// Cumulative reductions of several arrays at once.
class Scanner {
 public:
  Scanner(const Instruction& i, bool prefixes, int64_t base, Emitter& e)
      : e_(e), reducer_(i.to_apply()), prefixes_(prefixes), base_(base) {
    const int64_t count = i.operand_count() / 2;
    inits_.assign(i.operands().begin() + count, i.operands().end());
  }

  Values Scan(const Values& arrays, int64_t d) {
    const int64_t n = arrays[0]->shape().dimension(d);
    return n <= base_ ? Direct(arrays, d) : Tree(arrays, d);
  }

 private:
  Values Direct(const Values& arrays, int64_t d) {
    const int64_t n = arrays[0]->shape().dimension(d);
    Window window;
    window.dimensions.resize(arrays[0]->shape().rank());
    WindowDimension& w = window.dimensions[d];
    w.size = n;
    (prefixes_ ? w.padding_low : w.padding_high) = n - 1;
    AttributeSet attrs;
    attrs.SetShared(AttrId::kWindow, std::move(window));
    Values operands = arrays;
    operands.insert(operands.end(), inits_.begin(), inits_.end());
    Instruction* made = e_.Builder::Op(Opcode::kReduceWindow, operands,
                                       std::move(attrs), {reducer_});
    return arrays.size() == 1 ? Values{made} : e_.Elements(made);
  }

  // `amount` initial values before (or behind) each array.
  Values Padded(const Values& arrays, int64_t d, int64_t before,
                int64_t behind) {
    Values result;
    for (size_t k = 0; k < arrays.size(); ++k) {
      PaddingConfig config;
      config.dimensions.resize(arrays[k]->shape().rank());
      config.dimensions[d] = {before, behind, 0};
      result.push_back(before == 0 && behind == 0
                           ? arrays[k]
                           : e_.Pad(arrays[k], inits_[k], config));
    }
    return result;
  }

  Values Tree(const Values& arrays, int64_t d) {
    const int64_t n = arrays[0]->shape().dimension(d);
    const int64_t rows = (n + base_ - 1) / base_;
    const int64_t added = rows * base_ - n;
    // Where they change nothing that is asked for.
    Values split = Padded(arrays, d, prefixes_ ? 0 : added,
                          prefixes_ ? added : 0);
    std::vector<int64_t> dims = DimsOf(split[0]);
    dims[d] = base_;
    dims.insert(dims.begin() + d, rows);
    for (Instruction*& array : split) array = e_.Reshape(array, dims);
    const Values local = Direct(split, d + 1);
    // The rows' totals, moved by one: what comes before (behind) each row.
    const int64_t end = prefixes_ ? base_ - 1 : 0;
    std::vector<int64_t> total_dims = dims;
    total_dims.erase(total_dims.begin() + d + 1);
    Values totals;
    for (Instruction* array : local) {
      Instruction* total = e_.Reshape(
          e_.SliceInDim(array, d + 1, end, end + 1), total_dims);
      totals.push_back(prefixes_ ? e_.SliceInDim(total, d, 0, rows - 1)
                                 : e_.SliceInDim(total, d, 1, rows));
    }
    const Values others = Scan(Padded(totals, d, prefixes_ ? 1 : 0,
                                      prefixes_ ? 0 : 1),
                               d);
    std::vector<int64_t> mapping;
    for (int64_t k = 0; k < static_cast<int64_t>(dims.size()); ++k) {
      if (k != d + 1) mapping.push_back(k);
    }
    Values first, second;
    for (size_t k = 0; k < arrays.size(); ++k) {
      Instruction* other = e_.Broadcast(others[k], mapping, dims);
      first.push_back(prefixes_ ? other : local[k]);
      second.push_back(prefixes_ ? local[k] : other);
    }
    first.insert(first.end(), second.begin(), second.end());
    Values result = e_.Apply(reducer_, first);
    const int64_t start = prefixes_ ? 0 : added;
    dims = DimsOf(arrays[0]);
    dims[d] = rows * base_;
    for (size_t k = 0; k < result.size(); ++k) {
      result[k] = e_.Convert(result[k], local[k]->shape().element_type());
      result[k] =
          e_.SliceInDim(e_.Reshape(result[k], dims), d, start, start + n);
    }
    return result;
  }

  Emitter& e_;
  Computation* reducer_;
  Values inits_;
  bool prefixes_;
  int64_t base_;
};

}  // namespace

bool ReduceWindowRewriter::Matches(const Instruction& i) const {
  const Cumulative found = CumulativeOf(i);
  return found.dimension >= 0 && IsStatic(i) && base_ > 1 &&
         i.operand(0)->shape().dimension(found.dimension) > base_ &&
         ElementsIn(i.operand(0)->shape()) > 0;
}

absl::StatusOr<Instruction*> ReduceWindowRewriter::Expand(Instruction* i,
                                                          Emitter& e) {
  const Cumulative found = CumulativeOf(*i);
  Scanner scanner(*i, found.prefixes, base_, e);
  const Values arrays(i->operands().begin(),
                      i->operands().begin() + i->operand_count() / 2);
  const Values results = scanner.Scan(arrays, found.dimension);
  return i->shape().IsTuple() ? e.Tuple(results) : results[0];
}

}  // namespace hlokit
