#include "passes/pass.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/guarded.h"
#include "base/status.h"
#include "hlo/print/printer.h"
#include "passes/rewrites.h"
#include "passes/fusion_bodies.h"
#include "passes/schedule_repair.h"

namespace hlokit {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

bool Contains(const std::vector<std::string>& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::string_view RowOf(const Pass& pass) {
  return pass.identity().empty() ? pass.name()
                                 : absl::string_view(pass.identity());
}

size_t Fingerprint(const Module& module,
                   const PrintOptions& options = PrintOptions()) {
  return absl::HashOf(ToString(module, options));
}

}  // namespace

// What a run knows about its module; nested pipelines share it.
class Pipeline::Progress {
 public:
  bool IsIdle(const Pass& pass, const Module& module) {
    const auto idle = idle_since_.find(Key(pass));
    if (idle != idle_since_.end() && idle->second == changes_) return true;
    if (pass.works_on().none()) return false;
    if (contents_at_ != changes_) {
      contents_ = Contents(module);
      contents_at_ = changes_;
    }
    return !contents_.HasAnyOf(pass.works_on());
  }
  void Note(const Pass& pass, bool changed) {
    if (changed) {
      ++changes_;
    } else {
      idle_since_[Key(pass)] = changes_;
    }
  }

 private:
  static std::string Key(const Pass& pass) {
    return absl::StrCat(
        pass.identity().empty()
            ? absl::StrCat(reinterpret_cast<uintptr_t>(&pass))
            : pass.identity(),
        "\n", absl::StrJoin(pass.execution_threads_, "\n"));
  }

  int64_t changes_ = 0;  // so many passes have changed the module
  Contents contents_;    // of the module after `contents_at_` changes
  int64_t contents_at_ = -1;
  // How many changes there were when a pass found nothing to do.
  absl::flat_hash_map<std::string, int64_t> idle_since_;
};

bool Pass::RunsOn(const Computation& computation) const {
  if (execution_threads_.empty()) return true;
  const std::string& thread = computation.execution_thread();
  return Contains(execution_threads_, thread.empty() ? "main" : thread);
}

std::vector<Computation*> Pass::Computations(const Module* module) const {
  std::vector<Computation*> computations;
  for (Computation* c : module->TopologicalOrder()) {
    if (!c->IsFusionComputation() && RunsOn(*c)) computations.push_back(c);
  }
  return computations;
}

bool PassSelection::Runs(absl::string_view pass) const {
  if (disable_all) return false;
  if (Contains(disabled, pass)) return false;
  if (exact_arithmetic && IsInexactPass(pass)) return false;
  return enabled_only.empty() || Contains(enabled_only, pass);
}

Pass* Pipeline::AddPass(std::unique_ptr<Pass> pass) {
  passes_.push_back(std::move(pass));
  return passes_.back().get();
}

template <typename Fn>
void Pipeline::ForEachNested(Fn fn) {
  for (auto& pass : passes_) {
    if (pass->IsPipeline()) fn(static_cast<Pipeline&>(*pass));
  }
}

void Pipeline::set_selection(PassSelection selection) {
  ForEachNested([&](Pipeline& nested) { nested.set_selection(selection); });
  for (auto& pass : passes_) {
    pass->set_exact_arithmetic(selection.exact_arithmetic);
  }
  selection_ = std::move(selection);
}

void Pipeline::AddObserver(PassObserver* observer) {
  ForEachNested([&](Pipeline& nested) { nested.AddObserver(observer); });
  observers_.push_back(observer);
}

void Pipeline::set_honesty_checks(HonestyChecks checks) {
  ForEachNested([&](Pipeline& nested) { nested.set_honesty_checks(checks); });
  honesty_ = checks;
}

void Pipeline::set_threads_of_all(std::vector<std::string> threads) {
  ForEachNested([&](Pipeline& nested) { nested.set_threads_of_all(threads); });
  for (auto& pass : passes_) pass->set_execution_threads(threads);
}

absl::Status Pipeline::Notify(const PassObserver::Step& step,
                              const Module& module) {
  for (PassObserver* observer : observers_) {
    HLOKIT_RETURN_IF_ERROR(observer->OnStep(step, module));
  }
  return absl::OkStatus();
}

absl::Status Pipeline::CheckInvariants(const Module& module,
                                       absl::string_view after) {
  for (const Invariant& invariant : invariants_) {
    const absl::Status status = invariant(module);
    if (status.ok()) continue;
    return absl::Status(status.code(), absl::StrCat(status.message(),
                                                    "\nFailed after ", after));
  }
  return absl::OkStatus();
}

std::vector<Pass*> Pipeline::Enabled() const {
  std::vector<Pass*> enabled;
  for (auto& pass : passes_) {
    // Nested pipelines run unless they are named themselves: the selection
    // names the passes in them.
    const bool runs = pass->IsPipeline()
                          ? !Contains(selection_.disabled, pass->name())
                          : selection_.Runs(pass->name());
    if (runs) enabled.push_back(pass.get());
  }
  return enabled;
}

absl::StatusOr<bool> Pipeline::RunUnlessIdle(Pass* pass, Module* module) {
  if (pass->IsPipeline()) {
    auto& nested = static_cast<Pipeline&>(*pass);
    nested.progress_ = progress_;
    absl::StatusOr<bool> changed = RunPass(pass, module);
    nested.progress_ = nullptr;
    return changed;
  }
  if (progress_->IsIdle(*pass, *module)) return false;
  HLOKIT_ASSIGN_OR_RETURN(const bool changed, RunPass(pass, module));
  progress_->Note(*pass, changed);
  return changed;
}

absl::StatusOr<bool> RunGuarded(Pass* pass, Module* module) {
  return Guarded("running pass", pass->name(), [&] {
    absl::StatusOr<bool> changed = pass->Run(module);
    if (changed.ok() && *changed) SeparateFusionBodies(module);
    return changed;
  });
}

absl::StatusOr<bool> Pipeline::RunPass(Pass* pass, Module* module) {
  const bool compare = honesty_.silent_change || honesty_.noop_change;
  const size_t before = compare ? Fingerprint(*module) : 0;
  absl::StatusOr<bool> changed = RunGuarded(pass, module);
  if (!changed.ok()) {
    return Annotate(changed.status(), absl::StrCat("pass ", pass->name()));
  }
  if (*changed) RepairSchedule(module);
  if (compare) {
    const bool differs = Fingerprint(*module) != before;
    if (differs && !*changed && honesty_.silent_change) {
      return Internal("pass %s changed the module and said that it did not",
                      pass->name());
    }
    if (!differs && *changed && honesty_.noop_change) {
      return Internal("pass %s said that it changed the module and did not",
                      pass->name());
    }
  }
  if (*changed) {
    HLOKIT_RETURN_IF_ERROR(CheckInvariants(*module, pass->name()));
  }
  return *changed;
}

absl::StatusOr<bool> Pipeline::RunOnce(Module* module) {
  const std::vector<Pass*> enabled = Enabled();
  constexpr absl::string_view kStart = "pipeline-start";
  constexpr absl::string_view kEnd = "pipeline-end";
  PassObserver::Step first{name_, kStart,
                           enabled.empty() ? kEnd : enabled[0]->name()};
  if (!enabled.empty()) first.next_row = RowOf(*enabled[0]);
  HLOKIT_RETURN_IF_ERROR(Notify(first, *module));
  bool any_changed = false;
  for (size_t i = 0; i < enabled.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    HLOKIT_ASSIGN_OR_RETURN(const bool changed,
                            RunUnlessIdle(enabled[i], module));
    any_changed |= changed;
    const Pass* next = i + 1 < enabled.size() ? enabled[i + 1] : nullptr;
    HLOKIT_RETURN_IF_ERROR(Notify(
        {name_, enabled[i]->name(), next != nullptr ? next->name() : kEnd,
         changed, SecondsSince(start), RowOf(*enabled[i]),
         next != nullptr ? RowOf(*next) : kEnd},
        *module));
  }
  return any_changed;
}

absl::StatusOr<bool> Pipeline::Run(Module* module) {
  if (progress_ != nullptr) return RunAll(module);
  Progress progress;
  progress_ = &progress;
  absl::StatusOr<bool> changed = RunAll(module);
  progress_ = nullptr;
  return changed;
}

absl::StatusOr<bool> Pipeline::RunAll(Module* module) {
  HLOKIT_RETURN_IF_ERROR(CheckInvariants(*module, "pipeline-start"));
  found_cycle_ = false;
  rounds_ = 1;
  HLOKIT_ASSIGN_OR_RETURN(const bool changed, RunOnce(module));
  bool again = changed;
  absl::flat_hash_set<size_t> seen;
  while (again && rounds_ < fixed_point_limit_) {
    // Real programs need two or three rounds; only later ones are compared.
    // Without names: passes give new ones to what they build again.
    if (rounds_ >= (honesty_.detect_cycles ? 1 : 4) &&
        !seen.insert(Fingerprint(*module, PrintOptions::Fingerprint()))
             .second) {
      found_cycle_ = true;
      break;
    }
    HLOKIT_ASSIGN_OR_RETURN(again, RunOnce(module));
    ++rounds_;
  }
  if (again && fixed_point_limit_ > 1) {
    for (PassObserver* observer : observers_) {
      observer->OnNoFixedPoint(name_, rounds_, found_cycle_);
    }
  }
  if (again && fixed_point_limit_ > 1 && honesty_.fixed_point_limit) {
    return Internal("pipeline %s still changes the module after %d rounds",
                    name_, rounds_);
  }
  return changed;
}

}  // namespace hlokit
