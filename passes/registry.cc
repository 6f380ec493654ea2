#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/suggest.h"
#include "passes/pass.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "passes/simplify/tuple_simplifier.h"

namespace hlokit {
namespace {

const std::vector<PassInfo>& Passes() {
  static const auto* passes = [] {
    auto* rows = new std::vector<PassInfo>{
#define HLO_PASS(name, purpose, header, Class, ...)                  \
  {name, purpose, header, +[]() -> std::unique_ptr<Pass> {           \
     return std::make_unique<Class>(__VA_ARGS__);                    \
   }},
#include "passes/passes.def"
    };
    std::sort(rows->begin(), rows->end(),
              [](const PassInfo& a, const PassInfo& b) {
                return a.name < b.name;
              });
    return rows;
  }();
  return *passes;
}

}  // namespace

absl::Span<const PassInfo> AllPasses() { return Passes(); }

absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const PassInfo& info : Passes()) {
    if (info.name == name) return info.create();
    names.push_back(info.name);
  }
  return NotFound("no pass is called '%s'%s", name, DidYouMean(name, names));
}

}  // namespace hlokit
