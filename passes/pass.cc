#include "passes/pass.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "base/status.h"
#include "hlo/print/printer.h"
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

size_t Fingerprint(const Module& module,
                   const PrintOptions& options = PrintOptions()) {
  return absl::HashOf(ToString(module, options));
}

}  // namespace

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

absl::StatusOr<bool> Pipeline::RunPass(Pass* pass, Module* module) {
  const bool compare = honesty_.silent_change || honesty_.noop_change;
  const size_t before = compare ? Fingerprint(*module) : 0;
  absl::StatusOr<bool> changed = pass->Run(module);
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
  HLOKIT_RETURN_IF_ERROR(
      Notify({name_, kStart, enabled.empty() ? kEnd : enabled[0]->name()},
             *module));
  bool any_changed = false;
  for (size_t i = 0; i < enabled.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    HLOKIT_ASSIGN_OR_RETURN(const bool changed, RunPass(enabled[i], module));
    any_changed |= changed;
    HLOKIT_RETURN_IF_ERROR(Notify(
        {name_, enabled[i]->name(),
         i + 1 < enabled.size() ? enabled[i + 1]->name() : kEnd, changed,
         SecondsSince(start)},
        *module));
  }
  return any_changed;
}

absl::StatusOr<bool> Pipeline::Run(Module* module) {
  HLOKIT_RETURN_IF_ERROR(CheckInvariants(*module, "pipeline-start"));
  found_cycle_ = false;
  rounds_ = 1;
  HLOKIT_ASSIGN_OR_RETURN(const bool changed, RunOnce(module));
  bool again = changed;
  absl::flat_hash_set<size_t> seen;
  while (again && rounds_ < fixed_point_limit_) {
    // Real programs need two or three rounds; only later ones are compared.
    // Without names: passes give new ones to what they build again.
    if (rounds_ >= 4 &&
        !seen.insert(Fingerprint(*module, PrintOptions::Fingerprint()))
             .second) {
      found_cycle_ = true;
      break;
    }
    HLOKIT_ASSIGN_OR_RETURN(again, RunOnce(module));
    ++rounds_;
  }
  if (again && fixed_point_limit_ > 1 && honesty_.fixed_point_limit) {
    return Internal("pipeline %s still changes the module after %d rounds",
                    name_, rounds_);
  }
  return changed;
}

}  // namespace hlokit
