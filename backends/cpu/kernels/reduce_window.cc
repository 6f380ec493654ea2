// Windows with a known combiner: one dimension after the other. Windows that
// grow from their neighbours (cumulative sums) go on from the neighbour's
// value; other large ones are put together of two parts (van Herk's algorithm).
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/combine_ops.h"
#include "backends/cpu/kernels/convert_runs.h"
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/cpu/native_kernel.h"
#include "backends/interpreter/combiner.h"
#include "backends/interpreter/window_taps.h"

namespace hlokit::cpu {
namespace {

using interpreter::WindowTaps;

// out[i] = op(out[i], in[i * step])
template <typename T, typename Op>
HLOKIT_SIMD_INLINE void FoldRowBody(T* out, const T* in, int64_t step,
                                    int64_t count) {
  if (step == 1) {
    for (int64_t i = 0; i < count; ++i) out[i] = Op::Of(out[i], in[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = Op::Of(out[i], in[i * step]);
  }
}
template <typename T, typename Op>
HLOKIT_SIMD_AVX2 void FoldRowAvx2(T* out, const T* in, int64_t step,
                                  int64_t count) {
  FoldRowBody<T, Op>(out, in, step, count);
}
template <typename T, typename Op>
void FoldRowPlain(T* out, const T* in, int64_t step, int64_t count) {
  FoldRowBody<T, Op>(out, in, step, count);
}

// Windows over one dimension.
struct WindowPass {
  int64_t outer = 1, size = 1, inner = 1;
  WindowDimension window;
  int64_t output_count = 0;
  enum Kind { kDirect, kForward, kBackward, kBlocks } kind = kDirect;
  int64_t block = 1;  // of kBlocks
  // Outputs [first_whole, end_whole) see all taps, the first index moving by
  // `stride`.
  int64_t first_whole = 0, end_whole = 0, stride = 1;

  int64_t outputs() const { return output_count; }
  // As interpreter::TapsAt, faster where nothing is dilated.
  WindowTaps TapsOf(int64_t output) const {
    if (window.base_dilation != 1 || window.window_dilation != 1) {
      return interpreter::TapsAt(window, size, output);
    }
    const int64_t start = output * window.stride - window.padding_low;
    WindowTaps taps;
    taps.first_tap = start < 0 ? -start : 0;
    taps.first_index = start < 0 ? 0 : start;
    const int64_t end = std::min(size, start + window.size);
    taps.count = std::max<int64_t>(0, end - taps.first_index);
    if (taps.count == 0) taps.first_index = 0;
    return taps;
  }
};

int64_t LastTapIndex(const WindowTaps& taps) {
  return taps.first_index + (taps.count - 1) * taps.index_step;
}

void ChooseKind(WindowPass* pass) {
  const WindowDimension& window = pass->window;
  const int64_t n = pass->outputs();
  pass->stride = window.stride;
  if (n == 0 || window.base_dilation != 1) return;
  const bool dense = window.window_dilation == 1;
  const int64_t last_start = (n - 1) * window.stride - window.padding_low;
  // All windows begin at or before the first element, or end behind the last.
  if (dense && window.size > 2 && last_start <= 0) {
    pass->kind = WindowPass::kForward;
  } else if (dense && window.size > 2 &&
             window.size - window.padding_low >= pass->size) {
    pass->kind = WindowPass::kBackward;
  } else if (dense && std::min(window.size, pass->size) > 12) {
    pass->kind = WindowPass::kBlocks;
    pass->block = window.size;
  } else {
    // Where the whole window lies inside.
    const int64_t extent = (window.size - 1) * window.window_dilation + 1;
    const int64_t low = std::max<int64_t>(0, window.padding_low);
    const int64_t first = (low + window.stride - 1) / window.stride;
    const int64_t room = pass->size - extent + window.padding_low;
    const int64_t end = room < 0 ? 0 : room / window.stride + 1;
    pass->first_whole = std::min(first, n);
    pass->end_whole = std::clamp(end, pass->first_whole, n);
  }
}

// One pass over [outer, size, inner] -> [outer, outputs, inner], starting from
// `start` in each output.
template <typename T, typename Op>
class WindowFold {
 public:
  // Long sums of floats are kept in double.
  using Wide = std::conditional_t<std::is_same_v<T, float> && Op::kIsSum,
                                  double, T>;
  using WideOp =
      std::conditional_t<std::is_same_v<Wide, T>, Op, CombineAdd<Wide>>;

  WindowFold(const WindowPass& pass, T start) : pass_(pass), start_(start) {
    fold_ = HasAvx2() ? &FoldRowAvx2<T, Op> : &FoldRowPlain<T, Op>;
  }

  void Run(const T* source, T* target, ThreadPool* pool) const {
    if (pass_.inner == 0) return;
    // Pieces of the rows that stay in the cache.
    const int64_t width = std::min<int64_t>(pass_.inner, 512);
    const int64_t columns = (pass_.inner + width - 1) / width;
    pool->ParallelFor(
        pass_.outer * columns,
        GrainFor(width * std::max(pass_.size, pass_.outputs())),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t column = i % columns * width;
            const int64_t outer = i / columns;
            One(source + outer * pass_.size * pass_.inner + column,
                target + outer * pass_.outputs() * pass_.inner + column,
                std::min(width, pass_.inner - column));
          }
        });
  }

 private:
  void One(const T* source, T* target, int64_t width) const {
    switch (pass_.kind) {
      case WindowPass::kForward:
      case WindowPass::kBackward:
        return Grow(source, target, width);
      case WindowPass::kBlocks:
        return Blocks(source, target, width);
      default:
        return width == 1 ? DirectLine(source, target)
                          : Direct(source, target, width);
    }
  }

  void Direct(const T* source, T* target, int64_t width) const {
    for (int64_t o = 0; o < pass_.outputs(); ++o) {
      const WindowTaps taps = pass_.TapsOf(o);
      T* out = target + o * pass_.inner;
      std::fill_n(out, width, start_);
      for (int64_t t = 0; t < taps.count; ++t) {
        fold_(out,
              source + (taps.first_index + t * taps.index_step) * pass_.inner,
              1, width);
      }
    }
  }

  // Neighbouring outputs are next to each other (inner is 1): tap by tap.
  void DirectLine(const T* source, T* target) const {
    if (pass_.inner != 1) return Direct(source, target, 1);
    for (int64_t o = 0; o < pass_.outputs(); ++o) {
      if (o >= pass_.first_whole && o < pass_.end_whole) continue;
      const WindowTaps taps = pass_.TapsOf(o);
      T value = start_;
      for (int64_t t = 0; t < taps.count; ++t) {
        value = Op::Of(value, source[taps.first_index + t * taps.index_step]);
      }
      target[o] = value;
    }
    constexpr int64_t kRun = 1024;
    for (int64_t o = pass_.first_whole; o < pass_.end_whole; o += kRun) {
      const int64_t count = std::min(kRun, pass_.end_whole - o);
      const WindowTaps taps = pass_.TapsOf(o);
      std::fill_n(target + o, count, start_);
      for (int64_t t = 0; t < taps.count; ++t) {
        fold_(target + o, source + taps.first_index + t * taps.index_step,
              pass_.stride, count);
      }
    }
  }

  void Grow(const T* source, T* target, int64_t width) const {
    const bool back = pass_.kind == WindowPass::kBackward;
    Wide few[1];
    std::vector<Wide> many(width > 1 ? width : 0);
    Wide* sums = width > 1 ? many.data() : few;
    std::fill_n(sums, width, static_cast<Wide>(start_));
    int64_t done = 0;
    const int64_t outputs = pass_.outputs(), inner = pass_.inner;
    if (width == 1 && inner == 1) return GrowLine(source, target, back);
    for (int64_t i = 0; i < outputs; ++i) {
      const int64_t o = back ? outputs - 1 - i : i;
      const WindowTaps taps = pass_.TapsOf(o);
      for (; done < taps.count; ++done) {
        const int64_t index =
            back ? LastTapIndex(taps) - done : taps.first_index + done;
        const T* in = source + index * inner;
        for (int64_t c = 0; c < width; ++c) {
          sums[c] = WideOp::Of(sums[c], static_cast<Wide>(in[c]));
        }
      }
      T* out = target + o * inner;
      for (int64_t c = 0; c < width; ++c) out[c] = static_cast<T>(sums[c]);
    }
  }

  // The same with elements next to each other: windows that see all elements
  // but some at the end (or at the beginning).
  void GrowLine(const T* source, T* target, bool back) const {
    const int64_t outputs = pass_.outputs();
    Wide sum = static_cast<Wide>(start_);
    const int64_t step = back ? -1 : 1;
    const T* in = back ? source + pass_.size - 1 : source;
    T* out = back ? target + outputs - 1 : target;
    int64_t done = 0;
    for (int64_t i = 0; i < outputs;) {
      int64_t count = pass_.TapsOf(back ? outputs - 1 - i : i).count;
      for (; done < count; ++done) {
        sum = WideOp::Of(sum, static_cast<Wide>(*in));
        in += step;
      }
      *out = static_cast<T>(sum);
      out += step;
      ++i;
      if (pass_.stride != 1 || done == 0) continue;
      // One more element each, then none.
      const int64_t more = std::min(outputs - i, pass_.size - done);
      for (int64_t k = 0; k < more; ++k) {
        sum = WideOp::Of(sum, static_cast<Wide>(in[k * step]));
        out[k * step] = static_cast<T>(sum);
      }
      in += more * step;
      out += more * step;
      done += more;
      i += more;
      for (; i < outputs; ++i, out += step) *out = static_cast<T>(sum);
    }
  }

  // Every window is the end of one block and the beginning of the next.
  void Blocks(const T* source, T* target, int64_t width) const {
    const int64_t n = pass_.size, inner = pass_.inner, block = pass_.block;
    thread_local Workspace up_space, down_space;
    T* up = up_space.Get<T>(n * width);      // from the block's beginning
    T* down = down_space.Get<T>(n * width);  // from its end
    for (int64_t first = 0; first < n; first += block) {
      const int64_t end = std::min(n, first + block);
      for (int64_t i = first; i < end; ++i) {
        std::copy_n(source + i * inner, width, up + i * width);
        if (i > first) fold_(up + i * width, up + (i - 1) * width, 1, width);
      }
      for (int64_t i = end; i-- > first;) {
        std::copy_n(source + i * inner, width, down + i * width);
        if (i + 1 < end) {
          fold_(down + i * width, down + (i + 1) * width, 1, width);
        }
      }
    }
    for (int64_t o = 0; o < pass_.outputs(); ++o) {
      const WindowTaps taps = pass_.TapsOf(o);
      T* out = target + o * inner;
      std::fill_n(out, width, start_);
      if (taps.count == 0) continue;
      const int64_t a = taps.first_index, b = LastTapIndex(taps);
      if (a / block != b / block) {
        fold_(out, down + a * width, 1, width);
        fold_(out, up + b * width, 1, width);
      } else if (a % block == 0) {
        fold_(out, up + b * width, 1, width);
      } else if ((b + 1) % block == 0 || b + 1 == n) {
        fold_(out, down + a * width, 1, width);
      } else {
        for (int64_t i = a; i <= b; ++i) {
          fold_(out, source + i * inner, 1, width);
        }
      }
    }
  }

  const WindowPass& pass_;
  T start_;
  void (*fold_)(T*, const T*, int64_t, int64_t);
};

// Small windows over several dimensions at once: nothing lies between.
struct WindowBox {
  struct Loop {
    WindowPass pass;  // taps only
    int64_t source, target;
  };
  std::vector<Loop> loops;  // slowest first
  int64_t inner = 0;        // elements that windows of size 1 have in a row
  int64_t rows = 1;
};

constexpr int kBoxRun = 32;
constexpr int64_t kMostBoxTaps = 64;

// out[i] = all of in[offsets[t] + i], from `start`.
template <typename T, typename Op>
HLOKIT_SIMD_INLINE void FoldBoxBody(T* out, const T* in,
                                    const int64_t* offsets, int64_t taps,
                                    int64_t count, T start) {
  int64_t i = 0;
  for (; i + kBoxRun <= count; i += kBoxRun) {
    T sums[kBoxRun];
    for (int k = 0; k < kBoxRun; ++k) sums[k] = start;
    for (int64_t t = 0; t < taps; ++t) {
      const T* row = in + offsets[t] + i;
      for (int k = 0; k < kBoxRun; ++k) sums[k] = Op::Of(sums[k], row[k]);
    }
    for (int k = 0; k < kBoxRun; ++k) out[i + k] = sums[k];
  }
  for (; i < count; ++i) {
    T sum = start;
    for (int64_t t = 0; t < taps; ++t) sum = Op::Of(sum, in[offsets[t] + i]);
    out[i] = sum;
  }
}
// The same with the sums in registers, which compilers do not see to.
template <typename T, typename Op>
HLOKIT_SIMD_AVX2 void FoldBoxAvx2(T* out, const T* in, const int64_t* offsets,
                                  int64_t taps, int64_t count, T start) {
  constexpr bool kSum = std::is_same_v<Op, CombineAdd<T>>;
  constexpr bool kMaximum = std::is_same_v<Op, CombineMaximum<T>>;
  constexpr bool kMinimum = std::is_same_v<Op, CombineMinimum<T>>;
  if constexpr (std::is_floating_point_v<T> && (kSum || kMaximum || kMinimum)) {
    typedef T V __attribute__((vector_size(32)));
    constexpr int64_t kLanes = 32 / sizeof(T);
    V first;
    for (int64_t i = 0; i < kLanes; ++i) first[i] = start;
    int64_t i = 0;
    for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
      V sums[4] = {first, first, first, first};
      for (int64_t t = 0; t < taps; ++t) {
#pragma GCC unroll 4
        for (int64_t k = 0; k < 4; ++k) {
          V a = sums[k], b;
          __builtin_memcpy(&b, in + offsets[t] + i + k * kLanes, 32);
          if constexpr (kSum) {
            sums[k] = a + b;
          } else if constexpr (kMaximum) {
            sums[k] = ((a > b) | (a != a)) ? a : b;
          } else {
            sums[k] = ((a < b) | (a != a)) ? a : b;
          }
        }
      }
      __builtin_memcpy(out + i, sums, sizeof(sums));
    }
    if (i < count) {
      FoldBoxBody<T, Op>(out + i, in + i, offsets, taps, count - i, start);
    }
  } else {
    FoldBoxBody<T, Op>(out, in, offsets, taps, count, start);
  }
}
template <typename T, typename Op>
void FoldBoxPlain(T* out, const T* in, const int64_t* offsets, int64_t taps,
                  int64_t count, T start) {
  FoldBoxBody<T, Op>(out, in, offsets, taps, count, start);
}

template <typename T, typename Op>
void FoldBox(const WindowBox& box, const T* source, T* target, T start,
             ThreadPool* pool) {
  const auto fold = HasAvx2() ? &FoldBoxAvx2<T, Op> : &FoldBoxPlain<T, Op>;
  pool->ParallelFor(
      box.rows, GrainFor(box.inner * 4), [&](int64_t begin, int64_t end) {
        int64_t offsets[kMostBoxTaps];
        for (int64_t row = begin; row < end; ++row) {
          int64_t taps = 1, out = 0, rest = row;
          offsets[0] = 0;
          for (size_t d = box.loops.size(); d-- > 0;) {
            const WindowBox::Loop& loop = box.loops[d];
            const int64_t at = rest % loop.pass.outputs();
            rest /= loop.pass.outputs();
            out += at * loop.target;
            const WindowTaps t = loop.pass.TapsOf(at);
            for (int64_t k = t.count; k-- > 0;) {
              const int64_t move =
                  (t.first_index + k * t.index_step) * loop.source;
              for (int64_t i = 0; i < taps; ++i) {
                offsets[k * taps + i] = offsets[i] + move;
              }
            }
            taps *= t.count;
          }
          fold(target + out, source, offsets, taps, box.inner, start);
        }
      });
}

// Types that windows are folded in.
template <typename Fn>
bool DispatchWindowType(PrimitiveType type, const Fn& fn) {
  switch (type) {
    case kF32:
    case kBF16:
    case kF16:
      return fn(std::type_identity<float>());
    case kF64:
      return fn(std::type_identity<double>());
    case kS32:
      return fn(std::type_identity<int32_t>());
    case kU32:
      return fn(std::type_identity<uint32_t>());
    case kS64:
      return fn(std::type_identity<int64_t>());
    case kU64:
      return fn(std::type_identity<uint64_t>());
    default:
      return false;
  }
}

class ReduceWindowKernel : public NativeKernel {
 public:
  ReduceWindowKernel(Opcode opcode, PrimitiveType type, int64_t inputs,
                     int64_t outputs, std::vector<WindowPass> passes,
                     WindowBox box)
      : opcode_(opcode), type_(type), inputs_(inputs), outputs_(outputs),
        passes_(std::move(passes)), box_(std::move(box)) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    DispatchWindowType(type_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return DispatchCombine<T>(opcode_, [&](auto op) {
        RunAs<T, decltype(op)>(operands, results[0], context.pool);
      });
    });
    return absl::OkStatus();
  }

 private:
  template <typename T, typename Op>
  void RunAs(absl::Span<const void* const> operands, void* result,
             ThreadPool* pool) const {
    if (outputs_ == 0) return;
    const bool narrow = StorageBytes(type_) < 4;
    T init;
    // Between the passes the values go from one to the other.
    thread_local Workspace spaces[2];
    int turn = 0;
    const auto next_space = [&](int64_t count) {
      turn = 1 - turn;
      return spaces[turn].Get<T>(count);
    };
    const T* source = static_cast<const T*>(operands[0]);
    if constexpr (std::is_same_v<T, float>) {
      ConvertRun(type_, operands[1], &init, 1);
      if (narrow) {
        T* wide = next_space(inputs_);
        const char* from = static_cast<const char*>(operands[0]);
        pool->ParallelFor(inputs_, 1 << 16, [&](int64_t begin, int64_t end) {
          ConvertRun(type_, from + begin * StorageBytes(type_),
                     wide + begin, end - begin);
        });
        source = wide;
      }
    } else {
      init = *static_cast<const T*>(operands[1]);
    }
    if (box_.inner > 0) {
      T* target = static_cast<T*>(result);
      if (narrow) target = next_space(outputs_);
      FoldBox<T, Op>(box_, source, target, init, pool);
      source = target;
    }
    for (size_t i = 0; box_.inner == 0 && i < passes_.size(); ++i) {
      const WindowPass& pass = passes_[i];
      const bool last = i + 1 == passes_.size();
      T* target = static_cast<T*>(result);
      if (!last || narrow) {
        target = next_space(pass.outer * pass.outputs() * pass.inner);
      }
      WindowFold<T, Op>(pass, last ? init : Op::Neutral())
          .Run(source, target, pool);
      source = target;
    }
    if constexpr (std::is_same_v<T, float>) {
      if (narrow) {
        char* to = static_cast<char*>(result);
        pool->ParallelFor(outputs_, 1 << 16, [&](int64_t begin, int64_t end) {
          StoreRun(source + begin, type_, to + begin * StorageBytes(type_),
                   end - begin);
        });
      }
    }
  }

  Opcode opcode_;
  PrimitiveType type_;
  int64_t inputs_, outputs_;
  std::vector<WindowPass> passes_;
  WindowBox box_;  // instead of passes where its rows are long enough
};

bool IsTrivialWindow(const WindowDimension& w) {
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 &&
         w.padding_high == 0 && w.base_dilation == 1;
}

// `order`: the dimensions, slowest first.
WindowBox BoxOf(const Window& window, const ArrayView& input,
                const ArrayView& output, absl::Span<const int64_t> order) {
  WindowBox box;
  int64_t inner = 1, taps = 1, windows = 0;
  size_t rank = order.size();
  while (rank > 0 && IsTrivialWindow(window.dimensions[order[rank - 1]])) {
    inner *= input.sizes[order[--rank]];
  }
  for (size_t i = 0; i < rank; ++i) {
    const int64_t d = order[i];
    WindowBox::Loop loop;
    loop.pass.window = window.dimensions[d];
    loop.pass.size = input.sizes[d];
    loop.pass.output_count = output.sizes[d];
    loop.source = input.strides[d];
    loop.target = output.strides[d];
    if (window.dimensions[d].size > kMostBoxTaps) return {};
    taps *= window.dimensions[d].size;
    windows += IsTrivialWindow(window.dimensions[d]) ? 0 : 1;
    if (taps > kMostBoxTaps) return {};
    box.rows *= output.sizes[d];
    box.loops.push_back(loop);
  }
  // One dimension after the other takes fewer steps, but more memory.
  if (inner < 16 || taps > 16 * windows) return {};
  box.inner = inner;
  return box;
}

}  // namespace

std::unique_ptr<NativeKernel> MakeReduceWindowKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  if (instruction.operand_count() != 2 || !instruction.shape().IsArray() ||
      instruction.window() == nullptr) {
    return nullptr;
  }
  const auto input = ViewOf(instruction.operand(0)->shape());
  const auto init = ViewOf(instruction.operand(1)->shape());
  const auto output = ViewOf(instruction.shape());
  const interpreter::Combiner combiner =
      interpreter::RecognizeCombiner(*instruction.to_apply());
  if (!input || !init || !output || input->rank() == 0 ||
      combiner.kind != interpreter::Combiner::kBinary ||
      combiner.type != input->type || init->type != input->type ||
      output->type != input->type) {
    return nullptr;
  }
  bool served = false;
  DispatchWindowType(input->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return served = DispatchCombine<T>(combiner.opcode, [](auto op) {});
  });
  if (!served) return nullptr;
  // Both must have their dimensions in one order; the slowest comes first.
  std::vector<int64_t> order(input->rank());
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (from.has_layout() && to.has_layout()) {
    if (from.layout().minor_to_major != to.layout().minor_to_major) {
      return nullptr;
    }
    const auto& minor = from.layout().minor_to_major;
    order.assign(minor.rbegin(), minor.rend());
  } else if (IsRowMajor(*input) && IsRowMajor(*output)) {
    std::iota(order.begin(), order.end(), 0);
  } else {
    return nullptr;
  }
  const Window& window = *instruction.window();
  std::vector<int64_t> sizes(input->sizes.begin(), input->sizes.end());
  const auto product = [&](size_t first, size_t last) {
    int64_t result = 1;
    for (size_t i = first; i < last; ++i) result *= sizes[order[i]];
    return result;
  };
  // Dimensions that become smallest come first.
  std::vector<size_t> places(order.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    const int64_t x = order[a], y = order[b];
    return 1.0 * output->sizes[x] * input->sizes[y] <
           1.0 * output->sizes[y] * input->sizes[x];
  });
  std::vector<WindowPass> passes;
  const int64_t limit =
      4 * (input->elements + output->elements) + (int64_t{1} << 20);
  for (size_t place : places) {
    const int64_t d = order[place];
    const WindowDimension& w = window.dimensions[d];
    if (IsTrivialWindow(w) && !(passes.empty() && place == places.back()))
      continue;
    WindowPass pass;
    pass.outer = product(0, place);
    pass.size = sizes[d];
    pass.inner = product(place + 1, order.size());
    pass.window = w;
    pass.output_count = output->sizes[d];
    ChooseKind(&pass);
    sizes[d] = output->sizes[d];
    if (pass.outer * pass.outputs() * pass.inner > limit) return nullptr;
    passes.push_back(std::move(pass));
  }
  return std::make_unique<ReduceWindowKernel>(combiner.opcode, input->type,
                                              input->elements, output->elements,
                                              std::move(passes),
                                              BoxOf(window, *input, *output,
                                                    order));
}

}  // namespace hlokit::cpu
