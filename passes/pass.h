// Passes: one transformation of a module each.
//
// A pass has the name under which people select it (--passes, XLA_FLAGS), tells
// truthfully whether it changed the module, and leaves a module that verifies.
// Every pass is one row of passes.def and a header, a source and a test in the
// folder of its family.
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
#include "passes/contents.h"

namespace hlokit {

class Pass {
 public:
  virtual ~Pass() = default;
  virtual absl::string_view name() const = 0;
  // Whether the module changed.
  virtual absl::StatusOr<bool> Run(Module* module) = 0;
  // A pipeline runs several passes and tells observers about each itself.
  virtual bool IsPipeline() const { return false; }

  // Only computations of these execution threads are worked on; all of them
  // when the list is empty. "main" stands for computations without thread.
  // Passes on a module as a whole (schedules, aliases, sizes of elements, the
  // call graph) know no threads.
  void set_execution_threads(std::vector<std::string> threads) {
    execution_threads_ = std::move(threads);
  }
  bool RunsOn(const Computation& computation) const;

  // Whether rewrites that change values (rewrites.h) are left out.
  void set_exact_arithmetic(bool exact) { exact_arithmetic_ = exact; }
  bool exact_arithmetic() const { return exact_arithmetic_; }

  // Passes of one identity do the same to the same module, so that a pipeline
  // need not run a second one where the first found nothing to do. Empty: like
  // no other. CreatePass gives the row's name.
  void set_identity(std::string identity) { identity_ = std::move(identity); }
  const std::string& identity() const { return identity_; }
  // The pass has nothing to do in modules that hold none of this; empty: it
  // may always have. CreatePass gives what works_on.def says.
  void set_works_on(const Contents& works_on) { works_on_ = works_on; }
  const Contents& works_on() const { return works_on_; }

 protected:
  // The computations to work on, callees before callers: those of the threads
  // above that are not inside a fusion.
  std::vector<Computation*> Computations(const Module* module) const;
  const std::vector<std::string>& execution_threads() const {
    return execution_threads_;
  }

 private:
  friend class Pipeline;
  std::vector<std::string> execution_threads_;
  bool exact_arithmetic_ = false;
  std::string identity_;
  Contents works_on_;
};

// Runs `pass` on `module` as Guarded (base/guarded.h) does: a failed check is an
// Internal error, and the module must then be discarded. After a change, copies
// of fusions get bodies of their own (fusion_bodies.h), so that passes need not
// do that. Code that runs a single pass calls this, not Pass::Run.
absl::StatusOr<bool> RunGuarded(Pass* pass, Module* module);

// A row of the registry.
struct PassInfo {
  absl::string_view name;
  absl::string_view purpose;  // one line
  absl::string_view header;   // path from the project's root
  absl::string_view works_on;  // its row of works_on.def; empty if none
  std::unique_ptr<Pass> (*create)();
};

// Sorted by name.
absl::Span<const PassInfo> AllPasses();
// Also `name:variant` for the passes that pipelines run with other options than
// their rows': algsimp:layout and cse:layout mind layouts, call-inliner:single
// takes calls of computations that are called once. NotFound, with the nearest
// names, when there is no such pass.
absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name);
// Whether XLA has a pass of this name and hlokit has not.
bool IsAbsentPass(absl::string_view name);

// Which passes run at all; the fields of DebugOptions with the same names.
struct PassSelection {
  std::vector<std::string> disabled;      // xla_disable_hlo_passes
  std::vector<std::string> enabled_only;  // xla_enable_hlo_passes_only
  bool disable_all = false;               // xla_disable_all_hlo_passes
  // Not XLA's: the rewrites that change values of floats are left out, and with
  // them the passes that make no others (rewrites.h).
  bool exact_arithmetic = false;
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
    // What CreatePass makes just these two of: their names, with a variant
    // behind a colon where a pipeline runs them with other options.
    absl::string_view previous_row = previous;
    absl::string_view next_row = next;
  };
  // An error ends the pipeline with that error.
  virtual absl::Status OnStep(const Step& step, const Module& module) = 0;
  // A pipeline was to run to a fixed point and has found none in so many
  // rounds: it goes round in circles, or still changed things at its limit.
  virtual void OnNoFixedPoint(absl::string_view pipeline, int rounds,
                              bool circle) {}
};

// Passes that lie about what they did, and fixed points that are none.
struct HonestyChecks {
  bool silent_change = false;   // changed the text, said it did not
  bool noop_change = false;     // said it changed, left the text as it was
  bool fixed_point_limit = false;  // still changing at the limit
  // No error: look for circles from the first round on, not the fifth.
  bool detect_cycles = false;
};

// Runs passes one after another. The schedule of a module that has one is
// brought in step after each pass that changed something. Passes that cannot
// find anything to do are not run: observers hear of them as of others that
// changed nothing. Those are passes that look for what the module does not
// hold, and passes that changed nothing when they (or others of their identity,
// in this pipeline or a nested one) were run last and nothing has changed since.
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
  // These four apply to the nested pipelines that are there already, too. What
  // is handed in is not owned. A selection may name pipelines as well.
  void set_selection(PassSelection selection);
  void AddObserver(PassObserver* observer);
  void set_honesty_checks(HonestyChecks checks);
  void set_threads_of_all(std::vector<std::string> threads);

  // Looked at before the first pass and after each that changed something; its
  // error ends the pipeline and says after which pass.
  using Invariant = std::function<absl::Status(const Module&)>;
  void AddInvariant(Invariant invariant) {
    invariants_.push_back(std::move(invariant));
  }

  // Runs the list again until nothing changes, at most `limit` times. A module
  // that looks as it did after an earlier round is going round in circles:
  // that ends it, too.
  void RunToFixedPoint(int limit = 25) { fixed_point_limit_ = limit; }
  // Of the last Run.
  int rounds() const { return rounds_; }
  bool found_cycle() const { return found_cycle_; }

  const std::vector<std::unique_ptr<Pass>>& passes() const { return passes_; }

  absl::StatusOr<bool> Run(Module* module) override;

 private:
  class Progress;
  std::vector<Pass*> Enabled() const;
  absl::StatusOr<bool> RunAll(Module* module);
  absl::StatusOr<bool> RunOnce(Module* module);
  absl::StatusOr<bool> RunPass(Pass* pass, Module* module);
  absl::StatusOr<bool> RunUnlessIdle(Pass* pass, Module* module);
  absl::Status Notify(const PassObserver::Step& step, const Module& module);
  absl::Status CheckInvariants(const Module& module, absl::string_view after);
  template <typename Fn>
  void ForEachNested(Fn fn);

  std::string name_;
  std::vector<std::unique_ptr<Pass>> passes_;
  PassSelection selection_;
  std::vector<PassObserver*> observers_;
  std::vector<Invariant> invariants_;
  HonestyChecks honesty_;
  int fixed_point_limit_ = 0;
  int rounds_ = 0;
  bool found_cycle_ = false;
  Progress* progress_ = nullptr;  // of the run under way
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_PASS_H_
