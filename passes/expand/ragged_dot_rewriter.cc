#include "passes/expand/ragged_dot_rewriter.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace hlokit {
namespace {

// Of lhs: the dimensions that group sizes of more than one dimension vary over.
std::vector<int64_t> PrefixOf(const DotDims& dims, int64_t ragged) {
  std::vector<int64_t> prefix(dims.lhs_batch.begin(), dims.lhs_batch.end());
  if (absl::c_linear_search(dims.lhs_contracting, ragged)) {
    for (int64_t d : dims.lhs_contracting) {
      if (d == ragged) break;
      prefix.push_back(d);
    }
    return prefix;
  }
  for (int64_t d = 0; d < ragged; ++d) {
    if (!absl::c_linear_search(dims.lhs_batch, d) &&
        !absl::c_linear_search(dims.lhs_contracting, d)) {
      prefix.push_back(d);
    }
  }
  return prefix;
}

// Where groups begin and end: the sums of the sizes before and including, none
// beyond `length`; [prefix..., groups].
struct Ends {
  Instruction* first;
  Instruction* last;
};
Ends EndsOf(Instruction* sizes, int64_t length, Emitter& e) {
  // Large sizes must not overflow in a sum.
  const PrimitiveType type = sizes->shape().element_type();
  if (!IsUnsignedIntType(type)) {
    sizes = e.Binary(Opcode::kMaximum, sizes, e.ScalarInt(type, 0));
  }
  const PrimitiveType wide = type == kU64 ? kU64 : kS64;
  sizes = e.Binary(Opcode::kMinimum, e.Convert(sizes, wide),
                   e.ScalarInt(wide, length));
  std::vector<int64_t> square = DimsOf(sizes);
  const int64_t last = square.size();
  std::vector<int64_t> mapping = Counting(last - 1);
  mapping.push_back(last);
  square.push_back(square.back());
  Instruction* earlier =
      e.Compare(ComparisonDirection::kLe, e.Iota(kS32, square, last),
                e.Iota(kS32, square, last - 1));
  Instruction* sums = e.Reduce(
      e.Select(earlier, e.Broadcast(sizes, mapping, square),
               e.ScalarInt(wide, 0)),
      0, {last}, Opcode::kAdd);
  Instruction* limit = e.ScalarInt(wide, length);
  return {e.Binary(Opcode::kMinimum, e.Subtract(sums, sizes), limit),
          e.Binary(Opcode::kMinimum, sums, limit)};
}

// [groups, lhs...]: lhs where it is of the group, else zero.
Instruction* ByGroup(Instruction* lhs, Instruction* sizes, int64_t ragged,
                     const std::vector<int64_t>& prefix, Emitter& e) {
  const int64_t rank = lhs->shape().rank();
  std::vector<int64_t> dims = DimsOf(lhs);
  const Ends ends = EndsOf(sizes, dims[ragged], e);
  const PrimitiveType type = ends.first->shape().element_type();
  dims.insert(dims.begin(),
              sizes->shape().dimension(sizes->shape().rank() - 1));
  std::vector<int64_t> mapping;
  if (sizes->shape().rank() > 1) {
    for (int64_t d : prefix) mapping.push_back(d + 1);
  }
  mapping.push_back(0);
  // Broadcasts keep the order of dimensions: bring them into it.
  std::vector<int64_t> order = Counting(mapping.size());
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return mapping[a] < mapping[b]; });
  std::vector<int64_t> sorted = mapping;
  std::sort(sorted.begin(), sorted.end());
  const auto spread = [&](Instruction* x) {
    return e.Broadcast(e.Transpose(x, order), sorted, dims);
  };
  Instruction* position = e.Iota(type, dims, ragged + 1);
  Instruction* inside =
      e.And(e.Compare(ComparisonDirection::kGe, position, spread(ends.first)),
            e.Compare(ComparisonDirection::kLt, position, spread(ends.last)));
  return e.Select(inside, e.Broadcast(lhs, Counting(rank, 1), dims),
                  e.Scalar(lhs->shape().element_type(), 0));
}

}  // namespace

bool RaggedDotRewriter::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kRaggedDot && IsStatic(i) &&
         i.attrs().GetList(AttrId::kLhsRaggedDims).size() == 1;
}

absl::StatusOr<Instruction*> RaggedDotRewriter::Expand(Instruction* i,
                                                       Emitter& e) {
  Instruction* lhs = i->operand(0);
  Instruction* rhs = i->operand(1);
  const int64_t ragged = i->attrs().GetList(AttrId::kLhsRaggedDims)[0];
  const PrimitiveType type = i->shape().element_type();
  DotDims dims = DotDimsOf(*i);
  if (absl::c_linear_search(dims.lhs_batch, ragged))
    return e.Dot(lhs, rhs, dims, type, i);
  const bool contracted = absl::c_linear_search(dims.lhs_contracting, ragged);
  lhs = ByGroup(lhs, i->operand(2), ragged, PrefixOf(dims, ragged), e);
  for (int64_t& d : dims.lhs_batch) ++d;
  for (int64_t& d : dims.lhs_contracting) ++d;
  if (!contracted) {
    dims.lhs_contracting.push_back(0);
    dims.rhs_contracting.push_back(
        i->attrs().GetList(AttrId::kRhsGroupDims)[0]);
    return e.Dot(lhs, rhs, dims, type, i);
  }
  // [batch..., groups, ...] -> [groups, batch..., ...]
  Instruction* dot = e.Dot(lhs, rhs, dims, type, i);
  const int64_t batch = dims.lhs_batch.size();
  std::vector<int64_t> order = Counting(dot->shape().rank());
  order.erase(order.begin() + batch);
  order.insert(order.begin(), batch);
  return e.Transpose(dot, order);
}

}  // namespace hlokit
