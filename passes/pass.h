// Passes: one transformation of a module each.
//
// A pass has the name under which people select it (--passes, XLA_FLAGS), tells
// truthfully whether it changed the module, and leaves a module that verifies.
// Every pass is one row of passes.def and one pair of files.
#ifndef HLOKIT_PASSES_PASS_H_
#define HLOKIT_PASSES_PASS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/module.h"

namespace hlokit {

class Pass {
 public:
  virtual ~Pass() = default;
  virtual absl::string_view name() const = 0;
  // Whether the module changed.
  virtual absl::StatusOr<bool> Run(Module* module) = 0;
  // A pipeline runs several passes and tells observers about each itself.
  virtual bool IsPipeline() const { return false; }
};

// A row of the registry.
struct PassInfo {
  absl::string_view name;
  absl::string_view purpose;  // one line
  std::unique_ptr<Pass> (*create)();
};

// Sorted by name.
absl::Span<const PassInfo> AllPasses();
// NotFound, with the nearest names, when there is no such pass.
absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name);

// Which passes run at all; the fields of DebugOptions with the same names.
struct PassSelection {
  std::vector<std::string> disabled;      // xla_disable_hlo_passes
  std::vector<std::string> enabled_only;  // xla_enable_hlo_passes_only
  bool disable_all = false;               // xla_disable_all_hlo_passes
  bool Runs(absl::string_view pass) const;
};

// Sees a module while a pipeline runs. `previous` and `next` are pass names;
// "pipeline-start" before the first and "pipeline-end" after the last.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  struct Step {
    absl::string_view pipeline;
    absl::string_view previous;
    absl::string_view next;
    bool changed = true;    // by `previous`; true at the start
    double seconds = 0;     // that `previous` took
  };
  // An error ends the pipeline with that error.
  virtual absl::Status OnStep(const Step& step, const Module& module) = 0;
};

// Runs passes one after another.
class Pipeline : public Pass {
 public:
  explicit Pipeline(std::string name) : name_(std::move(name)) {}
  absl::string_view name() const override { return name_; }
  bool IsPipeline() const override { return true; }

  Pass* AddPass(std::unique_ptr<Pass> pass);
  template <typename T, typename... Args>
  T* Add(Args&&... args) {
    return static_cast<T*>(
        AddPass(std::make_unique<T>(std::forward<Args>(args)...)));
  }
  // Both apply to nested pipelines too. Observers are not owned.
  void set_selection(PassSelection selection);
  void AddObserver(PassObserver* observer);
  // Runs the list again until nothing changes, at most `limit` times.
  void RunToFixedPoint(int limit = 25) { fixed_point_limit_ = limit; }
  const std::vector<std::unique_ptr<Pass>>& passes() const { return passes_; }

  absl::StatusOr<bool> Run(Module* module) override;

 private:
  absl::StatusOr<bool> RunOnce(Module* module);
  absl::Status Notify(const PassObserver::Step& step, const Module& module);

  std::string name_;
  std::vector<std::unique_ptr<Pass>> passes_;
  PassSelection selection_;
  std::vector<PassObserver*> observers_;
  int fixed_point_limit_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_PASS_H_
