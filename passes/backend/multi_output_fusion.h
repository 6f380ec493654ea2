// multi_output_fusion (cpu_multi_output_fusion): loop fusions of equal
// dimensions that read the same array and do not need one another become one
// fusion with several results, so that the array is read once. A loop fusion
// joins those that read its result element by element, also when others read it
// as well.
//
//   a = fusion(x), b = fusion(x, y)  ->  t = (fusion of both)(x, y)
//   a = fusion(x), b = fusion(a), c = dot(a, ...)
//                                    ->  t = (fusion of a and b)(x)
#ifndef HLOKIT_PASSES_BACKEND_MULTI_OUTPUT_FUSION_H_
#define HLOKIT_PASSES_BACKEND_MULTI_OUTPUT_FUSION_H_

#include <string>
#include <utility>

#include "passes/fusion_pass.h"

namespace hlokit {

class MultiOutputFusion : public FusionPass {
 public:
  explicit MultiOutputFusion(std::string name) : name_(std::move(name)) {}
  absl::string_view name() const override { return name_; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  std::string name_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_MULTI_OUTPUT_FUSION_H_
