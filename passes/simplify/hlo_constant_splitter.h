// hlo-constant-splitter: gives every user a scalar constant of its own.
//
// Constants with several users are copied; larger arrays stay shared.
#ifndef HLOKIT_PASSES_SIMPLIFY_HLO_CONSTANT_SPLITTER_H_
#define HLOKIT_PASSES_SIMPLIFY_HLO_CONSTANT_SPLITTER_H_

#include "passes/pass.h"

namespace hlokit {

class HloConstantSplitter : public Pass {
 public:
  absl::string_view name() const override { return "hlo-constant-splitter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_HLO_CONSTANT_SPLITTER_H_
