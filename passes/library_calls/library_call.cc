#include "passes/library_calls/library_call.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "passes/library_calls/config.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {
namespace {

struct LibraryCallRow {
  LowerFunction lower = nullptr;
  absl::string_view reason;  // why there is no function
};

using LibraryCallTable =
    absl::flat_hash_map<absl::string_view, LibraryCallRow>;

const LibraryCallTable& LibraryCalls() {
  static const auto& table = *new LibraryCallTable{
#define LIBRARY_CALL(target, function) {target, {&function, ""}},
#define LIBRARY_CALL_REFUSED(target, reason) {target, {nullptr, reason}},
#include "passes/library_calls/library_calls.def"
  };
  return table;
}

// Calls that compute the same with and without a configuration.
bool NeedsConfig(LowerFunction lower) {
  return lower != &LowerOneDnnSoftmax && lower != &LowerOneDnnMatMul &&
         lower != &LowerOneDnnNorm;
}

absl::Status LowerInto(const Instruction& call, Computation* computation) {
  const LibraryCallRow& row = LibraryCalls().at(call.custom_call_target());
  if (row.lower == nullptr) {
    return Unimplemented("hlokit does not run this call: %s", row.reason);
  }
  if (call.backend_config().empty() && NeedsConfig(row.lower)) {
    return InvalidArgument(
        "the call has no backend_config, which says what it computes");
  }
  HLOKIT_ASSIGN_OR_RETURN(LibraryConfig config,
                          LibraryConfig::Parse(call.backend_config()));
  Lowering lowering(call, computation);
  row.lower(lowering, config);
  return lowering.Finish();
}

}  // namespace

bool IsLibraryCall(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCustomCall &&
         LibraryCalls().contains(instruction.custom_call_target());
}

absl::Span<const absl::string_view> LibraryCallTargets() {
  static const auto& targets = *[] {
    auto* result = new std::vector<absl::string_view>;
    for (const auto& [target, row] : LibraryCalls()) result->push_back(target);
    std::sort(result->begin(), result->end());
    return result;
  }();
  return targets;
}

absl::StatusOr<std::unique_ptr<Module>> LowerLibraryCall(
    const Instruction& call) {
  auto module = std::make_unique<Module>("library_call");
  Computation* entry =
      module->AddEntryComputation(Computation::Create(module.get(), "main"));
  const absl::Status status = LowerInto(call, entry);
  if (!status.ok()) {
    return Annotate(status, absl::StrCat(call.name(), " (",
                                         call.custom_call_target(), ")"));
  }
  return module;
}

}  // namespace hlokit
