#include "backends/backend.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/evaluator.h"
#include "base/status.h"

namespace hlokit {
namespace {

class InterpreterBackend : public Backend {
 public:
  absl::string_view name() const override { return "interpreter"; }

  bool KnowsCustomCall(const Instruction& call) const override {
    return interpreter::KnowsCustomCall(call);
  }

  // Modules run as they are, so there are no passes to run.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(
      std::unique_ptr<Module> module, const CompileOptions&) override {
    if (module == nullptr || module->entry() == nullptr) {
      return InvalidArgument("the module has no entry computation");
    }
    return interpreter::MakeExecutable(std::move(module));
  }
};

// One row a platform name.
struct Row {
  absl::string_view name;
  absl::string_view alias;  // may be empty
  Backend* backend;
};

absl::Span<const Row> Rows() {
  static auto* interpreter = new InterpreterBackend;
  static const auto* rows = new std::vector<Row>{
      {"interpreter", "", interpreter},
      {"cpu", "host", CpuBackend()},
  };
  return *rows;
}

}  // namespace

absl::StatusOr<Backend*> BackendByName(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const Row& row : Rows()) {
    if (lower == row.name || (!row.alias.empty() && lower == row.alias)) {
      return row.backend;
    }
  }
  return NotFound("no backend is called %s; there are: %s", name,
                  absl::StrJoin(BackendNames(), ", "));
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const Row& row : Rows()) names.emplace_back(row.name);
  return names;
}

}  // namespace hlokit
