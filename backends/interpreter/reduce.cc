#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/interpreter/combiner.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/offset_loops.h"
#include "backends/interpreter/reducers.h"
#include "backends/interpreter/strided_copy.h"
#include "backends/interpreter/variadic.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// Where each dimension goes: a reduced one has output stride 0.
struct Plan {
  OffsetLoops<1> kept;       // of the operand
  OffsetLoops<1> reduced;    // of the operand
  OffsetLoops<2> all;        // operand, output; simplified
};

Plan MakePlan(absl::Span<const int64_t> sizes,
              absl::Span<const int64_t> dimensions) {
  absl::InlinedVector<bool, 8> gone(sizes.size(), false);
  for (int64_t d : dimensions) gone[d] = true;
  const DimensionVector strides = RowMajorStrides(sizes);
  DimensionVector output(sizes.size(), 0);
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (gone[i]) continue;
    output[i] = stride;
    stride *= sizes[i];
  }
  Plan plan;
  OffsetLoops<2> all;
  for (size_t i = 0; i < sizes.size(); ++i) {
    (gone[i] ? plan.reduced : plan.kept).push_back({sizes[i], {strides[i]}});
    all.push_back({sizes[i], {strides[i], output[i]}});
  }
  plan.kept = Simplify<1>(plan.kept);
  plan.reduced = Simplify<1>(plan.reduced);
  plan.all = Simplify<2>(all);
  return plan;
}

template <typename Reducer>
void ReduceInto(const OffsetLoops<2>& loops,
                const typename Reducer::Element* input,
                typename Reducer::Accumulator* output) {
  OffsetLoops<2> outer = loops;
  OffsetLoop<2> inner;
  if (!outer.empty()) {
    inner = outer.back();
    outer.pop_back();
  }
  const int64_t in_step = inner.strides[0], out_step = inner.strides[1];
  ForEachOffset(outer, [&](const std::array<int64_t, 2>& at) {
    const auto* in = input + at[0];
    auto* out = output + at[1];
    if (out_step != 0) {
      for (int64_t i = 0; i < inner.size; ++i) {
        out[i * out_step] =
            Reducer::Of(out[i * out_step], Reducer::Load(in[i * in_step]));
      }
      return;
    }
    auto sum = *out;
    for (int64_t i = 0; i < inner.size; ++i) {
      sum = Reducer::Of(sum, Reducer::Load(in[i * in_step]));
    }
    *out = sum;
  });
}

constexpr int64_t kBlockElements = 1 << 14;

// Reduces elements of another type, which become the reducer's block by block:
// converting the whole array first would take a multiple of its memory. `loops`
// go over contiguous elements from `in` on, into sums from `out` on.
template <typename Reducer>
void ReduceConverted(const OffsetLoops<2>& loops, const Literal& operand,
                     int64_t in, typename Reducer::Accumulator* out,
                     typename Reducer::Element* block) {
  using T = typename Reducer::Element;
  int64_t elements = 1;
  for (const OffsetLoop<2>& loop : loops) elements *= loop.size;
  if (elements <= kBlockElements) {
    const PrimitiveType from = operand.element_type();
    ConvertElements(from, operand.untyped_data() + in * StorageBytes(from),
                    PrimitiveTypeOf<T>(), reinterpret_cast<char*>(block),
                    elements);
    ReduceInto<Reducer>(loops, block, out);
    return;
  }
  const OffsetLoop<2> outer = loops.front();
  OffsetLoops<2> inner(loops.begin(), loops.end());
  const int64_t step = 
      std::max<int64_t>(kBlockElements / outer.strides[0], 1);
  for (int64_t k = 0; k < outer.size; k += step) {
    inner.front().size = std::min(step, outer.size - k);
    if (step == 1) inner.erase(inner.begin());
    ReduceConverted<Reducer>(inner, operand, in + k * outer.strides[0],
                             out + k * outer.strides[1], block);
    if (step == 1) inner.insert(inner.begin(), outer);
  }
}

template <typename Reducer>
Literal ReduceAs(Reducer, const Plan& plan, const Literal& operand,
                 const Literal& init, const Shape& shape) {
  using T = typename Reducer::Element;
  Literal result = Literal::Zeros(shape);
  auto out = result.mutable_data<T>();
  using Acc = typename Reducer::Accumulator;
  std::unique_ptr<Acc[]> sums(new Acc[out.size()]);
  std::fill_n(sums.get(), out.size(), Reducer::Load(init.First<T>()));
  if (operand.element_count() > 0) {
    if (operand.element_type() == PrimitiveTypeOf<T>()) {
      ReduceInto<Reducer>(plan.all, operand.data<T>().data(), sums.get());
    } else {
      std::unique_ptr<T[]> block(new T[kBlockElements]);
      ReduceConverted<Reducer>(plan.all, operand, 0, sums.get(), block.get());
    }
  }
  for (size_t i = 0; i < out.size(); ++i) out[i] = Reducer::Store(sums[i]);
  return result;
}

// Returns a null literal if the combiner has no loop of its own. Operands of
// other types become the combiner's first.
absl::StatusOr<Literal> ReduceFast(const Plan& plan, const Combiner& combiner,
                                   const Literal& operand, const Literal& init,
                                   const Shape& shape) {
  const PrimitiveType type = LoopType(combiner.type);
  Literal in = operand;
  if (type != combiner.type) {
    HLOKIT_ASSIGN_OR_RETURN(in, WithElements(operand, combiner.type));
  }
  HLOKIT_ASSIGN_OR_RETURN(Literal first, WithElements(init, combiner.type));
  HLOKIT_ASSIGN_OR_RETURN(first, WithElements(first, type));
  Literal sums;
  const Shape sum_shape =
      Shape::ArrayWithDescendingLayout(type, shape.dimensions());
  DispatchReducer(combiner.opcode, type, [&](auto reducer) {
    sums = ReduceAs(reducer, plan, in, first, sum_shape);
  });
  if (!sums.IsValid()) return sums;
  // The combiner's type rounds, even where the result is wider.
  HLOKIT_ASSIGN_OR_RETURN(sums, WithElements(sums, combiner.type));
  return AsShape(std::move(sums), shape);
}

absl::StatusOr<Literal> ReduceGeneral(Context& context, const Plan& plan,
                                      const Computation& combiner,
                                      absl::Span<const Literal> operands,
                                      absl::Span<const Literal> inits,
                                      const Shape& shape) {
  HLOKIT_ASSIGN_OR_RETURN(VariadicFold fold,
                          VariadicFold::Create(context, combiner, operands));
  std::vector<Literal> results = fold.MakeResults(shape);
  int64_t output = 0;
  absl::Status status;
  ForEachOffset(plan.kept, [&](const std::array<int64_t, 1>& base) {
    if (!status.ok()) return;
    fold.Start(inits);
    ForEachOffset(
        plan.reduced,
        [&](const std::array<int64_t, 1>& at) {
          if (status.ok()) status = fold.Add(at[0]);
        },
        base);
    fold.Store(output++, &results);
  });
  HLOKIT_RETURN_IF_ERROR(status);
  return fold.Finish(std::move(results), shape);
}

absl::StatusOr<Literal> Reduce(Context& context, const Instruction& instruction,
                               absl::Span<const Literal* const> operands,
                               const Shape& shape) {
  const Computation& combiner = *instruction.to_apply();
  const Plan plan =
      MakePlan(operands[0]->shape().dimensions(), instruction.dimensions());
  const Combiner known = RecognizeCombiner(combiner);
  if (known.kind == Combiner::kBinary && operands.size() == 2 &&
      shape.IsArray()) {
    HLOKIT_ASSIGN_OR_RETURN(
        Literal result,
        ReduceFast(plan, known, *operands[0], *operands[1], shape));
    if (result.IsValid()) return result;
  }
  HLOKIT_ASSIGN_OR_RETURN(VariadicOperands converted,
                          ConvertForReducer(combiner, operands));
  return ReduceGeneral(context, plan, combiner, converted.elements,
                       converted.inits, shape);
}

}  // namespace

absl::StatusOr<Literal> EvalReduce(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Reduce);
}

}  // namespace hlokit::interpreter
