#include "passes/pass.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/status.h"
#include "base/suggest.h"
#include "passes/cse.h"
#include "passes/dce.h"
#include "passes/tuple_simplifier.h"

namespace hlokit {
namespace {

template <typename T>
std::unique_ptr<Pass> Make() {
  return std::make_unique<T>();
}

constexpr PassInfo kPasses[] = {
#define HLO_PASS(pass, name, purpose) {name, purpose, &Make<pass>},
#include "passes/passes.def"
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

bool Contains(const std::vector<std::string>& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

absl::Span<const PassInfo> AllPasses() { return kPasses; }

absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const PassInfo& info : kPasses) {
    if (info.name == name) return info.create();
    names.push_back(info.name);
  }
  return NotFound("no pass is called '%s'%s", name, DidYouMean(name, names));
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

void Pipeline::set_selection(PassSelection selection) {
  for (auto& pass : passes_) {
    if (pass->IsPipeline()) {
      static_cast<Pipeline&>(*pass).set_selection(selection);
    }
  }
  selection_ = std::move(selection);
}

void Pipeline::AddObserver(PassObserver* observer) {
  for (auto& pass : passes_) {
    if (pass->IsPipeline()) {
      static_cast<Pipeline&>(*pass).AddObserver(observer);
    }
  }
  observers_.push_back(observer);
}

absl::Status Pipeline::Notify(const PassObserver::Step& step,
                              const Module& module) {
  for (PassObserver* observer : observers_) {
    HLOKIT_RETURN_IF_ERROR(observer->OnStep(step, module));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Pipeline::RunOnce(Module* module) {
  std::vector<Pass*> enabled;
  for (auto& pass : passes_) {
    // Nested pipelines always run: the selection names the passes in them.
    if (pass->IsPipeline() || selection_.Runs(pass->name())) {
      enabled.push_back(pass.get());
    }
  }
  constexpr absl::string_view kStart = "pipeline-start";
  constexpr absl::string_view kEnd = "pipeline-end";
  HLOKIT_RETURN_IF_ERROR(
      Notify({name_, kStart, enabled.empty() ? kEnd : enabled[0]->name()},
             *module));
  bool any_changed = false;
  for (size_t i = 0; i < enabled.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<bool> changed = enabled[i]->Run(module);
    if (!changed.ok()) {
      return Annotate(changed.status(),
                      absl::StrCat("pass ", enabled[i]->name()));
    }
    any_changed |= *changed;
    HLOKIT_RETURN_IF_ERROR(Notify(
        {name_, enabled[i]->name(),
         i + 1 < enabled.size() ? enabled[i + 1]->name() : kEnd, *changed,
         SecondsSince(start)},
        *module));
  }
  return any_changed;
}

absl::StatusOr<bool> Pipeline::Run(Module* module) {
  HLOKIT_ASSIGN_OR_RETURN(bool changed, RunOnce(module));
  bool again = changed;
  for (int i = 1; again && i < fixed_point_limit_; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(again, RunOnce(module));
  }
  return changed;
}

}  // namespace hlokit
