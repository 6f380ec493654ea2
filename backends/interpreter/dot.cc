#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/matmul.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

int64_t SizeOf(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t product = 1;
  for (int64_t d : dimensions) product *= shape.dimension(d);
  return product;
}

// One operand's dimensions by what they are for.
struct Side {
  DimensionVector group;  // of rhs in a ragged dot
  DimensionVector batch;
  DimensionVector free;
  DimensionVector contracting;

  Side(const Shape& shape, absl::Span<const int64_t> batch_dims,
       absl::Span<const int64_t> contracting_dims,
       absl::Span<const int64_t> group_dims = {})
      : group(group_dims.begin(), group_dims.end()),
        batch(batch_dims.begin(), batch_dims.end()),
        contracting(contracting_dims.begin(), contracting_dims.end()) {
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (!absl::c_linear_search(batch, i) &&
          !absl::c_linear_search(contracting, i) &&
          !absl::c_linear_search(group, i)) {
        free.push_back(i);
      }
    }
  }
};

DimensionVector Concatenated(
    std::initializer_list<absl::Span<const int64_t>> lists) {
  DimensionVector result;
  for (absl::Span<const int64_t> list : lists) {
    result.insert(result.end(), list.begin(), list.end());
  }
  return result;
}

Side LhsOf(const Instruction& instruction, const Shape& shape) {
  return Side(shape, instruction.attrs().GetList(AttrId::kLhsBatchDims),
              instruction.attrs().GetList(AttrId::kLhsContractingDims));
}
Side RhsOf(const Instruction& instruction, const Shape& shape) {
  return Side(shape, instruction.attrs().GetList(AttrId::kRhsBatchDims),
              instruction.attrs().GetList(AttrId::kRhsContractingDims),
              instruction.attrs().GetList(AttrId::kRhsGroupDims));
}

// Operands as [batch, m, k] and [group, batch, k, n] and the sums, all zero.
struct Arranged {
  PrimitiveType type = kInvalid;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  Literal lhs, rhs, sums;
};

absl::StatusOr<Arranged> ArrangeBoth(const Side& left, const Side& right,
                                     const Literal& lhs, const Literal& rhs,
                                     const Shape& shape) {
  Arranged result;
  result.type = ProductType(lhs.element_type(), rhs.element_type(),
                            shape.element_type());
  result.batch = SizeOf(lhs.shape(), left.batch);
  result.m = SizeOf(lhs.shape(), left.free);
  result.k = SizeOf(lhs.shape(), left.contracting);
  result.n = SizeOf(rhs.shape(), right.free);
  HLOKIT_ASSIGN_OR_RETURN(
      result.lhs,
      Arrange(lhs, Concatenated({left.batch, left.free, left.contracting}),
              result.type));
  HLOKIT_ASSIGN_OR_RETURN(
      result.rhs, Arrange(rhs,
                          Concatenated({right.group, right.batch,
                                        right.contracting, right.free}),
                          result.type));
  result.sums = Literal::Zeros(
      Shape::ArrayWithDescendingLayout(result.type, shape.dimensions()));
  return result;
}

absl::StatusOr<Literal> DotOf(const Instruction& instruction,
                              const Literal& lhs, const Literal& rhs,
                              const Shape& shape) {
  HLOKIT_ASSIGN_OR_RETURN(
      Arranged a, ArrangeBoth(LhsOf(instruction, lhs.shape()),
                              RhsOf(instruction, rhs.shape()), lhs, rhs,
                              shape));
  DispatchProductType(a.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* left = a.lhs.data<T>().data();
    const T* right = a.rhs.data<T>().data();
    T* out = a.sums.mutable_data<T>().data();
    for (int64_t i = 0; i < a.batch; ++i) {
      MatMul(a.m, a.n, a.k, left + i * a.m * a.k, a.k,
             right + i * a.k * a.n, a.n, out + i * a.m * a.n, a.n);
    }
  });
  return FromProducts(std::move(a.sums), shape);
}

absl::StatusOr<Literal> Dot(Context& context, const Instruction& instruction,
                            absl::Span<const Literal* const> operands,
                            const Shape& shape) {
  return DotOf(instruction, *operands[0], *operands[1], shape);
}

// --- ragged-dot -------------------------------------------------------------

// To which group each element of a list of lhs dimensions belongs. `dims` holds
// the ragged dimension; those before it (after the batch dimensions) may have
// group sizes of their own.
class RowGroups {
 public:
  // group_sizes: [groups], or [prefix..., groups].
  RowGroups(const Literal& sizes, const Shape& lhs,
            absl::Span<const int64_t> batch, absl::Span<const int64_t> dims,
            int64_t ragged)
      : count_(sizes.shape().dimension(sizes.shape().rank() - 1)),
        length_(lhs.dimension(ragged)) {
    const bool shared = sizes.shape().rank() == 1;
    bool before = true;
    for (int64_t d : dims) {
      if (d == ragged) {
        before = false;
      } else if (before) {
        prefix_ *= lhs.dimension(d);
      } else {
        inner_ *= lhs.dimension(d);
      }
    }
    const int64_t rows = shared ? 1 : SizeOf(lhs, batch) * prefix_;
    shared_ = shared;
    ends_.resize(rows * count_);
    for (int64_t row = 0; row < rows; ++row) {
      int64_t end = 0;
      for (int64_t g = 0; g < count_; ++g) {
        const int64_t size =
            std::max<int64_t>(0, sizes.GetAsInt64(row * count_ + g));
        end = std::min(length_, size > length_ - end ? length_ : end + size);
        ends_[row * count_ + g] = end;
      }
    }
  }

  int64_t count() const { return count_; }

  // Calls fn(group, first, last) for each run of equal group along `dims` taken
  // as one, at position `batch` of the batch dimensions. What is in no group is
  // left out.
  template <typename Fn>
  void ForEachRun(int64_t batch, const Fn& fn) const {
    for (int64_t p = 0; p < prefix_; ++p) {
      const int64_t* ends =
          &ends_[shared_ ? 0 : (batch * prefix_ + p) * count_];
      int64_t first = 0;
      for (int64_t g = 0; g < count_; ++g) {
        if (ends[g] > first) {
          fn(g, (p * length_ + first) * inner_,
             (p * length_ + ends[g]) * inner_);
        }
        first = ends[g];
      }
    }
  }

 private:
  int64_t count_;
  int64_t length_;  // of the ragged dimension
  int64_t prefix_ = 1;
  int64_t inner_ = 1;
  bool shared_ = false;
  std::vector<int64_t> ends_;
};

absl::StatusOr<Literal> RaggedDot(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands,
                                  const Shape& shape) {
  const Literal& lhs = *operands[0];
  const Literal& rhs = *operands[1];
  const int64_t ragged = instruction.attrs().GetList(AttrId::kLhsRaggedDims)[0];
  const Side left = LhsOf(instruction, lhs.shape());
  const Side right = RhsOf(instruction, rhs.shape());
  // RowGroups of batches need no grouping: each batch meets its own.
  if (absl::c_linear_search(left.batch, ragged)) {
    return DotOf(instruction, lhs, rhs, shape);
  }
  const bool contracted = absl::c_linear_search(left.contracting, ragged);
  const RowGroups groups(*operands[2], lhs.shape(), left.batch,
                         contracted ? left.contracting : left.free, ragged);
  HLOKIT_ASSIGN_OR_RETURN(Arranged a,
                          ArrangeBoth(left, right, lhs, rhs, shape));
  if (groups.count() == 0) return FromProducts(std::move(a.sums), shape);
  DispatchProductType(a.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* l = a.lhs.data<T>().data();
    const T* r = a.rhs.data<T>().data();
    T* out = a.sums.mutable_data<T>().data();
    for (int64_t i = 0; i < a.batch; ++i) {
      groups.ForEachRun(i, [&](int64_t g, int64_t first, int64_t last) {
        if (contracted) {
          MatMul(a.m, a.n, last - first, l + i * a.m * a.k + first, a.k,
                 r + (i * a.k + first) * a.n, a.n,
                 out + (g * a.batch + i) * a.m * a.n, a.n);
        } else {
          MatMul(last - first, a.n, a.k, l + (i * a.m + first) * a.k, a.k,
                 r + (g * a.batch + i) * a.k * a.n, a.n,
                 out + (i * a.m + first) * a.n, a.n);
        }
      });
    }
  });
  return FromProducts(std::move(a.sums), shape);
}

// --- scaled-dot -------------------------------------------------------------

// Each element times that of `scale` that stands for its block; both as
// `type`. A scalar means that there is no scale.
absl::StatusOr<Literal> Scaled(const Literal& array, const Literal& scale,
                               PrimitiveType type) {
  HLOKIT_ASSIGN_OR_RETURN(Literal result, WithElements(array, type));
  if (scale.shape().rank() == 0) return result;
  HLOKIT_ASSIGN_OR_RETURN(Literal factors, WithElements(scale, type));
  const absl::Span<const int64_t> sizes = array.shape().dimensions();
  Literal spread = Literal::Zeros(result.shape());
  const DimensionVector from = RowMajorStrides(scale.shape().dimensions());
  const DimensionVector to = RowMajorStrides(sizes);
  CopyLoops loops;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t blocks = scale.shape().dimension(i);
    if (blocks == 0) return result;
    const int64_t length = sizes[i] / blocks;
    loops.push_back({blocks, from[i], to[i] * length});
    loops.push_back({length, 0, to[i]});
  }
  StridedCopy(loops, factors.untyped_data(), spread.mutable_untyped_data(),
              StorageBytes(type));
  DispatchProductType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto values = result.mutable_data<T>();
    const auto by = spread.data<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = MultiplyAdd(T(), values[i], by[i]);
    }
  });
  return result;
}

absl::StatusOr<Literal> ScaledDot(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands,
                                  const Shape& shape) {
  for (int k : {0, 1}) {
    if (IsFloatType(operands[k]->element_type())) continue;
    return InvalidArgument("scaled-dot takes floats, not %s",
                           operands[k]->shape().ToString());
  }
  const PrimitiveType type =
      ProductType(operands[0]->element_type(), operands[1]->element_type(),
                  shape.element_type());
  HLOKIT_ASSIGN_OR_RETURN(Literal lhs,
                          Scaled(*operands[0], *operands[2], type));
  HLOKIT_ASSIGN_OR_RETURN(Literal rhs,
                          Scaled(*operands[1], *operands[3], type));
  return DotOf(instruction, lhs, rhs, shape);
}

}  // namespace

absl::StatusOr<Literal> EvalDot(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Dot);
}

absl::StatusOr<Literal> EvalRaggedDot(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &RaggedDot);
}

absl::StatusOr<Literal> EvalScaledDot(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &ScaledDot);
}

}  // namespace hlokit::interpreter
