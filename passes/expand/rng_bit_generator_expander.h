// rng-bit-generator-expander: Threefry and Philox as integer arithmetic, with
// exactly the bits that rng-bit-generator is defined to give. RNG_DEFAULT means
// Philox, as on CPU and GPU, unless another is asked for.
#ifndef HLOKIT_PASSES_EXPAND_RNG_BIT_GENERATOR_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_RNG_BIT_GENERATOR_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class RngBitGeneratorExpander : public OpExpander {
 public:
  explicit RngBitGeneratorExpander(
      RandomAlgorithm default_algorithm = RandomAlgorithm::kPhilox)
      : default_algorithm_(default_algorithm) {}
  absl::string_view name() const override {
    return "rng-bit-generator-expander";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  RandomAlgorithm default_algorithm_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_RNG_BIT_GENERATOR_EXPANDER_H_
