// Convolutions in which every feature has its own filter (f32).
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_DEPTHWISE_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_DEPTHWISE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.h"

namespace hlokit::cpu {

class Depthwise {
 public:
  // How far input, kernel and output go at a step, in elements.
  struct Loop {
    int64_t size, input, kernel, output;
  };
  struct Plan {
    std::vector<Loop> outer;  // positions, batch, features: any order
    std::vector<Loop> taps;
  };

  // Null unless one of the outer loops goes through the output by ones, and
  // through the input by ones.
  static std::unique_ptr<Depthwise> Make(Plan plan);

  void Run(const void* input, const void* kernel, void* output,
           ThreadPool* pool) const;

 private:
  struct Tap {
    int64_t input, kernel;
  };
  Plan plan_;
  Loop inner_ = {};
  std::vector<Tap> taps_;
  int64_t rows_ = 1;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_DEPTHWISE_H_
