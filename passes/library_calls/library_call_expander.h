#ifndef HLOKIT_PASSES_LIBRARY_CALLS_LIBRARY_CALL_EXPANDER_H_
#define HLOKIT_PASSES_LIBRARY_CALLS_LIBRARY_CALL_EXPANDER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"
#include "passes/pass.h"

namespace hlokit {

// Puts plain HLO in place of library calls (library_call.h) everywhere but in
// fusions and in what async-starts wrap:
//
//   d = f32[8,6] custom-call(a, b), custom_call_target="__cublas$gemm", ...
//     to
//   d = f32[8,6] dot(a, b), ...
//
// Calls that cannot be lowered are left as they are. A schedule is kept in
// step.
class LibraryCallExpander : public Pass {
 public:
  // `selects`, if given, tells which library calls to replace.
  using Filter = std::function<bool(const Instruction& call)>;
  explicit LibraryCallExpander(Filter selects = nullptr)
      : selects_(std::move(selects)) {}
  absl::string_view name() const override { return "library-call-expander"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  Filter selects_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_LIBRARY_CALLS_LIBRARY_CALL_EXPANDER_H_
