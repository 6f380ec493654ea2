// Scatters, in place where the buffers allow it. Updates are applied in the
// order of their indices; threads share the columns of the windows, not the
// windows, so that the order holds, and only where no column of a window is
// another column of the next.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/combine_ops.h"
#include "backends/cpu/kernels/index_windows.h"
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/strided_move.h"
#include "backends/cpu/native_kernel.h"
#include "backends/interpreter/combiner.h"

namespace hlokit::cpu {
namespace {

// target[i * target_step] = combiner(itself, update[i * update_step])
using ScatterRow = void (*)(char* target, int64_t target_step,
                            const char* update, int64_t update_step,
                            int64_t count);

template <typename T, typename Op>
HLOKIT_SIMD_INLINE void ScatterRowBody(char* target_bytes, int64_t target_step,
                                       const char* update_bytes,
                                       int64_t update_step, int64_t count) {
  T* target = reinterpret_cast<T*>(target_bytes);
  const T* update = reinterpret_cast<const T*>(update_bytes);
  if (target_step == 1 && update_step == 1) {
    for (int64_t i = 0; i < count; ++i) {
      target[i] = Op::Of(target[i], update[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      target[i * target_step] =
          Op::Of(target[i * target_step], update[i * update_step]);
    }
  }
}
template <typename T, typename Op>
HLOKIT_SIMD_AVX2 void ScatterRowAvx2(char* target, int64_t target_step,
                                     const char* update, int64_t update_step,
                                     int64_t count) {
  ScatterRowBody<T, Op>(target, target_step, update, update_step, count);
}
template <typename T, typename Op>
void ScatterRowPlain(char* target, int64_t target_step, const char* update,
                     int64_t update_step, int64_t count) {
  ScatterRowBody<T, Op>(target, target_step, update, update_step, count);
}

template <typename Bytes>
void OverwriteRow(char* target_bytes, int64_t target_step,
                  const char* update_bytes, int64_t update_step,
                  int64_t count) {
  Bytes* target = reinterpret_cast<Bytes*>(target_bytes);
  const Bytes* update = reinterpret_cast<const Bytes*>(update_bytes);
  if (target_step == 1 && update_step == 1 && count > 1) {
    std::memcpy(target, update, count * sizeof(Bytes));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    target[i * target_step] = update[i * update_step];
  }
}
struct ScatterWide {
  uint64_t halves[2];
};

// Windows of one element: target[places[i]] with update[others[i]], in order;
// places below 0 are left out.
using ScatterElements = void (*)(char* target, const int64_t* places,
                                 const char* update, const int64_t* others,
                                 int64_t count);
template <typename T, typename Op>
void ScatterElementsOf(char* target_bytes, const int64_t* places,
                       const char* update_bytes, const int64_t* others,
                       int64_t count) {
  T* target = reinterpret_cast<T*>(target_bytes);
  const T* update = reinterpret_cast<const T*>(update_bytes);
  for (int64_t i = 0; i < count; ++i) {
    if (places[i] < 0) continue;
    target[places[i]] = Op::Of(target[places[i]], update[others[i]]);
  }
}

ScatterRow OverwriteRowFor(int64_t bytes) {
  switch (bytes) {
    case 1:
      return &OverwriteRow<uint8_t>;
    case 2:
      return &OverwriteRow<uint16_t>;
    case 4:
      return &OverwriteRow<uint32_t>;
    case 8:
      return &OverwriteRow<uint64_t>;
    default:
      return &OverwriteRow<ScatterWide>;
  }
}

struct ScatterFunctions {
  ScatterRow row = nullptr;
  ScatterElements elements = nullptr;
};
template <typename T>
ScatterFunctions CombineRowFor(Opcode opcode) {
  ScatterFunctions functions;
  DispatchCombine<T>(opcode, [&](auto op) {
    using Op = decltype(op);
    functions.row =
        HasAvx2() ? &ScatterRowAvx2<T, Op> : &ScatterRowPlain<T, Op>;
    functions.elements = &ScatterElementsOf<T, Op>;
  });
  return functions;
}

ScatterFunctions CombineRowFor(Opcode opcode, PrimitiveType type) {
  switch (type) {
    case kPred:
      return CombineRowFor<bool>(opcode);
    case kS8:
      return CombineRowFor<int8_t>(opcode);
    case kU8:
      return CombineRowFor<uint8_t>(opcode);
    case kS16:
      return CombineRowFor<int16_t>(opcode);
    case kU16:
      return CombineRowFor<uint16_t>(opcode);
    case kS32:
      return CombineRowFor<int32_t>(opcode);
    case kU32:
      return CombineRowFor<uint32_t>(opcode);
    case kS64:
      return CombineRowFor<int64_t>(opcode);
    case kU64:
      return CombineRowFor<uint64_t>(opcode);
    case kBF16:
      return CombineRowFor<BFloat16>(opcode);
    case kF16:
      return CombineRowFor<Half>(opcode);
    case kF32:
      return CombineRowFor<float>(opcode);
    case kF64:
      return CombineRowFor<double>(opcode);
    case kC64:
      return CombineRowFor<std::complex<float>>(opcode);
    case kC128:
      return CombineRowFor<std::complex<double>>(opcode);
    default:
      return {};
  }
}

// Steps of a window in the operand and in the updates.
struct ScatterLoop {
  int64_t size, target, update;
};

struct ScatterPlan {
  IndexWindows windows;
  std::vector<ScatterLoop> outer;
  ScatterLoop inner;
  // Whether elements of the operand are in the same place of `inner` in all
  // windows that they are in.
  bool columns_apart = false;
  std::vector<int64_t> bytes;  // of each operand's elements
  std::vector<StridedMove> copies;
  ScatterRow row = nullptr;
  ScatterElements elements = nullptr;
  const ElementFunction* function = nullptr;
  bool empty = false;
};

class ScatterKernel : public NativeKernel {
 public:
  explicit ScatterKernel(ScatterPlan plan) : plan_(std::move(plan)) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    for (size_t i = 0; i < results.size(); ++i) {
      if (operands[i] != results[i]) {
        plan_.copies[i].Run(operands[i], results[i], context.pool);
      }
    }
    if (plan_.empty) return absl::OkStatus();
    if (plan_.row != nullptr) {
      Rows(operands, static_cast<char*>(results[0]), context.pool);
    } else {
      Calls(operands, results);
    }
    return absl::OkStatus();
  }

 private:
  // Calls fn(target, update) for each row of a window.
  template <typename Fn>
  void ForEachRow(int64_t target, int64_t update, const Fn& fn) const {
    if (plan_.outer.empty()) return fn(target, update);
    absl::InlinedVector<int64_t, 4> index(plan_.outer.size(), 0);
    while (true) {
      fn(target, update);
      size_t d = plan_.outer.size();
      while (true) {
        if (d == 0) return;
        const ScatterLoop& loop = plan_.outer[--d];
        target += loop.target;
        update += loop.update;
        if (++index[d] < loop.size) break;
        target -= loop.target * loop.size;
        update -= loop.update * loop.size;
        index[d] = 0;
      }
    }
  }

  void Rows(absl::Span<const void* const> operands, char* result,
            ThreadPool* pool) const {
    const char* updates = static_cast<const char*>(operands[2]);
    const int64_t bytes = plan_.bytes[0];
    const ScatterLoop& inner = plan_.inner;
    if (plan_.elements != nullptr && plan_.outer.empty() && inner.size == 1) {
      plan_.windows.ForEachSome<false>(
          operands[1], 0, plan_.windows.count(),
          [&](const int64_t* places, const int64_t* others, int64_t count) {
            plan_.elements(result, places, updates, others, count);
          });
      return;
    }
    // Columns of a cache line or more.
    const int64_t columns = std::max<int64_t>(64 / bytes, 1);
    int64_t parts = 1;
    if (plan_.columns_apart && inner.size >= 2 * columns && inner.target == 1 &&
        plan_.windows.count() * inner.size > kWorthAThread) {
      parts = std::min<int64_t>(pool->parallelism(), inner.size / columns);
    }
    const int64_t width =
        ((inner.size + parts - 1) / parts + columns - 1) / columns * columns;
    const ScatterRow row = plan_.row;
    pool->ParallelFor(parts, 1, [&](int64_t begin, int64_t end) {
      const int64_t first = std::min(begin * width, inner.size);
      const int64_t count = std::min(end * width, inner.size) - first;
      if (count <= 0) return;
      char* const target = result + first * inner.target * bytes;
      const char* const update = updates + first * inner.update * bytes;
      plan_.windows.ForEachSome<false>(
          operands[1], 0, plan_.windows.count(),
          [&](const int64_t* places, const int64_t* others, int64_t windows) {
            for (int64_t i = 0; i < windows; ++i) {
              // Windows lie anywhere.
              constexpr int64_t kAhead = 8;
              if (i + kAhead < windows && places[i + kAhead] >= 0) {
                Prefetch(target + places[i + kAhead] * bytes,
                         inner.target == 1 ? count * bytes : 1);
              }
              if (places[i] < 0) continue;
              ForEachRow(places[i], others[i], [&](int64_t to, int64_t from) {
                row(target + to * bytes, inner.target, update + from * bytes,
                    inner.update, count);
              });
            }
          });
    });
  }

  // The beginning of what is going to be written to.
  static void Prefetch(const char* at, int64_t bytes) {
    for (int64_t k = 0; k < std::min<int64_t>(bytes, 256); k += 64) {
      __builtin_prefetch(at + k, 1);
    }
  }

  void Calls(absl::Span<const void* const> operands,
             absl::Span<void* const> results) const {
    const size_t n = results.size();
    std::vector<const void*> arguments(2 * n);
    // Values are read whole before one is written.
    std::vector<std::array<char, 16>> values(n);
    std::vector<void*> written(n);
    for (size_t i = 0; i < n; ++i) written[i] = values[i].data();
    plan_.windows.ForEach<false>(
        operands[n], 0, plan_.windows.count(),
        [&](int64_t target, int64_t update) {
          ForEachRow(target, update, [&](int64_t to, int64_t from) {
            for (int64_t k = 0; k < plan_.inner.size; ++k) {
              const int64_t at = to + k * plan_.inner.target;
              const int64_t with = from + k * plan_.inner.update;
              for (size_t i = 0; i < n; ++i) {
                arguments[i] =
                    static_cast<char*>(results[i]) + at * plan_.bytes[i];
                arguments[n + i] =
                    static_cast<const char*>(operands[n + 1 + i]) +
                    with * plan_.bytes[i];
              }
              plan_.function->call(arguments.data(), written.data());
              for (size_t i = 0; i < n; ++i) {
                std::memcpy(
                    static_cast<char*>(results[i]) + at * plan_.bytes[i],
                    values[i].data(), plan_.bytes[i]);
              }
            }
          });
        });
  }

  ScatterPlan plan_;
};

// Loops over a window, the operand's fastest innermost.
std::vector<ScatterLoop> JoinedLoops(std::vector<ScatterLoop> loops) {
  std::stable_sort(loops.begin(), loops.end(),
                   [](const ScatterLoop& a, const ScatterLoop& b) {
                     return a.target > b.target;
                   });
  std::vector<ScatterLoop> result;
  for (const ScatterLoop& loop : loops) {
    if (loop.size == 1) continue;
    if (!result.empty() && result.back().target == loop.target * loop.size &&
        result.back().update == loop.update * loop.size) {
      result.back() = {result.back().size * loop.size, loop.target,
                       loop.update};
    } else {
      result.push_back(loop);
    }
  }
  return result;
}

}  // namespace

std::unique_ptr<NativeKernel> MakeScatterKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const int64_t n = instruction.operand_count() / 2;
  const Shape& shape = instruction.shape();
  if (n < 1 || instruction.operand_count() != 2 * n + 1 ||
      instruction.called_computations().size() != 1) {
    return nullptr;
  }
  std::vector<ArrayView> targets, updates;
  std::vector<int64_t> bytes;
  std::vector<StridedMove> copies;
  const auto types = interpreter::ParameterTypes(*instruction.to_apply());
  const auto result_types = interpreter::ResultTypes(*instruction.to_apply());
  if (static_cast<int64_t>(types.size()) != 2 * n ||
      static_cast<int64_t>(result_types.size()) != n) {
    return nullptr;
  }
  for (int64_t i = 0; i < n; ++i) {
    const auto from = ViewOf(instruction.operand(i)->shape());
    const auto to = ViewOf(shape.IsTuple() ? shape.tuple_shape(i) : shape);
    const auto update = ViewOf(instruction.operand(n + 1 + i)->shape());
    if (!from || !to || !update || from->type != to->type ||
        update->type != to->type || types[i] != to->type ||
        types[n + i] != to->type || result_types[i] != to->type ||
        from->strides != to->strides) {
      return nullptr;
    }
    if (i > 0 && (to->strides != targets[0].strides ||
                  update->strides != updates[0].strides)) {
      return nullptr;
    }
    targets.push_back(*to);
    updates.push_back(*update);
    bytes.push_back(to->element_bytes);
    const MoveLoop all = {to->elements, 1, 1};
    copies.emplace_back(absl::MakeConstSpan(&all, 1), to->element_bytes);
  }
  const auto indices = ViewOf(instruction.operand(n)->shape());
  if (!indices || !IsIntegerType(indices->type)) return nullptr;
  const ArrayView &operand = targets[0], &update = updates[0];
  const AttributeSet& attrs = instruction.attrs();
  const auto window_dims = attrs.GetList(AttrId::kUpdateWindowDims);
  const auto inserted = attrs.GetList(AttrId::kInsertedWindowDims);
  const auto batching = attrs.GetList(AttrId::kInputBatchingDims);
  DimensionVector sizes, others;
  std::vector<ScatterLoop> loops;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (absl::c_linear_search(inserted, d) ||
        absl::c_linear_search(batching, d)) {
      sizes.push_back(1);
      continue;
    }
    const int64_t from = window_dims[loops.size()];
    sizes.push_back(update.sizes[from]);
    loops.push_back({update.sizes[from], operand.strides[d],
                     update.strides[from]});
  }
  for (int64_t d = 0; d < update.rank(); ++d) {
    if (!absl::c_linear_search(window_dims, d)) {
      others.push_back(update.strides[d]);
    }
  }
  // Windows larger than the operand never fit; dimensions without an index
  // start at 0.
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (sizes[d] > operand.sizes[d]) return nullptr;
  }
  std::vector<ScatterLoop> joined = JoinedLoops(std::move(loops));
  ScatterLoop inner = {1, 1, 1};
  if (!joined.empty()) {
    inner = joined.back();
    joined.pop_back();
  }
  const IndexWindows windows(*indices, attrs.GetInt(AttrId::kIndexVectorDim),
                             attrs.GetList(AttrId::kScatterDimsToOperandDims),
                             batching,
                             attrs.GetList(AttrId::kScatterIndicesBatchingDims),
                             operand, sizes, others);
  // Rows begin at multiples of this.
  int64_t row_step = windows.PlaceStep();
  for (const ScatterLoop& loop : joined) {
    row_step = std::gcd(row_step, loop.target);
  }
  const bool apart = row_step == 0 || row_step >= inner.size * inner.target;
  ScatterPlan plan = {windows, std::move(joined), inner,
                      apart,   std::move(bytes),  std::move(copies)};
  plan.empty = update.elements == 0;
  const interpreter::Combiner combiner =
      interpreter::RecognizeCombiner(*instruction.to_apply());
  if (n == 1 && combiner.kind == interpreter::Combiner::kSecond) {
    plan.row = OverwriteRowFor(plan.bytes[0]);
  } else if (n == 1 && combiner.kind == interpreter::Combiner::kBinary) {
    const ScatterFunctions functions =
        CombineRowFor(combiner.opcode, operand.type);
    plan.row = functions.row;
    plan.elements = functions.elements;
  }
  if (plan.row == nullptr) {
    plan.function = environment.Compile(*instruction.to_apply());
    if (plan.function == nullptr) return nullptr;
  }
  return std::make_unique<ScatterKernel>(std::move(plan));
}

}  // namespace hlokit::cpu
