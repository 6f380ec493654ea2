#include "backends/cpu/kernels/depthwise.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/simd.h"

namespace hlokit::cpu {
namespace {

// Where a tap's input and factors lie from the row's first ones.
struct DepthwiseTap {
  int64_t input, kernel;
};

// output[i] = sum over taps of input[i] * kernel[i], kernel going on by ones or
// (kOneFactor) not at all.
template <bool kOneFactor>
HLOKIT_SIMD_INLINE void DepthwiseRowBody(const float* input,
                                         const float* kernel, float* output,
                                         int64_t count,
                                         const DepthwiseTap* taps,
                                         int64_t tap_count) {
  using V = Simd<float>;
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    V sums[4] = {};
    for (int64_t t = 0; t < tap_count; ++t) {
      const float* in = input + taps[t].input + i;
      const float* factors = kernel + taps[t].kernel;
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        if constexpr (kOneFactor) {
          sums[v] += *factors * LoadVector<V>(in + 8 * v);
        } else {
          sums[v] += LoadVector<V>(factors + i + 8 * v) *
                     LoadVector<V>(in + 8 * v);
        }
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) StoreVector(output + i + 8 * v, sums[v]);
  }
  for (; i + 8 <= count; i += 8) {
    V sum = {};
    for (int64_t t = 0; t < tap_count; ++t) {
      const float* factors = kernel + taps[t].kernel;
      const V in = LoadVector<V>(input + taps[t].input + i);
      if constexpr (kOneFactor) {
        sum += *factors * in;
      } else {
        sum += LoadVector<V>(factors + i) * in;
      }
    }
    StoreVector(output + i, sum);
  }
  for (; i < count; ++i) {
    float sum = 0;
    for (int64_t t = 0; t < tap_count; ++t) {
      sum += input[taps[t].input + i] *
             kernel[taps[t].kernel + (kOneFactor ? 0 : i)];
    }
    output[i] = sum;
  }
}
HLOKIT_SIMD_KERNEL(void, DepthwiseFeatures, DepthwiseRowBody<false>,
                   (const float* input, const float* kernel, float* output,
                    int64_t count, const DepthwiseTap* taps, int64_t tap_count),
                   (input, kernel, output, count, taps, tap_count))
HLOKIT_SIMD_KERNEL(void, DepthwisePositions, DepthwiseRowBody<true>,
                   (const float* input, const float* kernel, float* output,
                    int64_t count, const DepthwiseTap* taps, int64_t tap_count),
                   (input, kernel, output, count, taps, tap_count))

}  // namespace

std::unique_ptr<Depthwise> Depthwise::Make(Plan plan) {
  auto result = std::make_unique<Depthwise>();
  std::vector<Loop>& outer = plan.outer;
  auto inner = std::find_if(outer.begin(), outer.end(), [](const Loop& loop) {
    return loop.size > 1 && loop.output == 1 && loop.input == 1 &&
           (loop.kernel == 0 || loop.kernel == 1);
  });
  if (inner == outer.end()) return nullptr;
  result->inner_ = *inner;
  outer.erase(inner);
  std::stable_sort(
      outer.begin(), outer.end(),
      [](const Loop& a, const Loop& b) { return a.output > b.output; });
  int64_t taps = 1;
  for (const Loop& loop : plan.taps) taps *= loop.size;
  for (const Loop& loop : outer) result->rows_ *= loop.size;
  for (int64_t t = 0; t < taps; ++t) {
    Tap tap = {0, 0};
    int64_t rest = t;
    for (size_t d = plan.taps.size(); d-- > 0;) {
      const int64_t at = rest % plan.taps[d].size;
      rest /= plan.taps[d].size;
      tap.input += at * plan.taps[d].input;
      tap.kernel += at * plan.taps[d].kernel;
    }
    result->taps_.push_back(tap);
  }
  result->plan_ = std::move(plan);
  return result;
}

void Depthwise::Run(const void* input, const void* kernel, void* output,
                    ThreadPool* pool) const {
  static_assert(sizeof(Tap) == sizeof(DepthwiseTap));
  const auto* taps = reinterpret_cast<const DepthwiseTap*>(taps_.data());
  const int64_t tap_count = taps_.size();
  pool->ParallelFor(
      rows_, GrainFor(inner_.size * tap_count),
      [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t in = 0, factor = 0, out = 0, rest = row;
          for (size_t d = plan_.outer.size(); d-- > 0;) {
            const Loop& loop = plan_.outer[d];
            const int64_t at = rest % loop.size;
            rest /= loop.size;
            in += at * loop.input;
            factor += at * loop.kernel;
            out += at * loop.output;
          }
          (inner_.kernel == 0 ? DepthwisePositions : DepthwiseFeatures)(
              static_cast<const float*>(input) + in,
              static_cast<const float*>(kernel) + factor,
              static_cast<float*>(output) + out, inner_.size, taps, tap_count);
        }
      });
}

}  // namespace hlokit::cpu
