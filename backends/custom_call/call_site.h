// Custom-calls of a module that handlers of the registry serve, ready to run.
//
//   HLOKIT_ASSIGN_OR_RETURN(auto sites, CustomCallSites::Create(module));
//   HLOKIT_ASSIGN_OR_RETURN(auto run, sites->Begin());  // for each execution
//   ... run->Call(*sites->Find(call), operands, results) ...
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_CALL_SITE_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_CALL_SITE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/custom_call/ffi_api.h"
#include "backends/custom_call/ffi_attributes.h"
#include "backends/custom_call/registry.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit::custom_call {

// An array somewhere: elements in the order of the shape's layout (row-major
// without one), StorageBytes(type) each. Tokens have no data.
struct ArrayPlace {
  const Shape* shape = nullptr;
  char* data = nullptr;
};

// One custom-call.
class CustomCallSite {
 public:
  // Instantiates the handler, if it wants that.
  static absl::StatusOr<std::unique_ptr<CustomCallSite>> Create(
      const Instruction& call, const Handler* handler);

  const Instruction& call() const { return call_; }
  // Arrays and tokens of the operands and of the result, tuples taken apart,
  // each with the layout that the handler expects: that of
  // operand_layout_constraints and of the result, where they are given, else
  // row-major.
  absl::Span<const Shape> operands() const { return operands_; }
  absl::Span<const Shape> results() const { return results_; }

 private:
  friend class CustomCallRun;
  friend class CustomCallSites;
  // Result leaf `result` begins as, and lies where, operand leaf `operand`.
  struct Alias {
    int64_t result, operand;
  };
  CustomCallSite(const Instruction& call, const Handler* handler)
      : call_(call), handler_(handler) {}
  absl::Status Instantiate();
  void AddAliases();

  const Instruction& call_;
  const Handler* handler_;
  std::vector<Shape> operands_, results_;
  std::vector<Alias> aliases_;
  std::string opaque_;
  std::unique_ptr<FfiAttributeFrame> attributes_;
  FfiState state_;
};

// One execution of a module.
class CustomCallRun {
 public:
  // Runs the handler. Arrays are reordered and packed (elements under 8 bits)
  // when they do not lie as the handler wants them. Errors of the handler name
  // the target.
  absl::Status Call(const CustomCallSite& site,
                    absl::Span<const ArrayPlace> operands,
                    absl::Span<const ArrayPlace> results);
  absl::StatusOr<Literal> Call(const CustomCallSite& site,
                               absl::Span<const Literal* const> operands);
  // Null when no handler serves it.
  const CustomCallSite* Find(const Instruction& call) const;

 private:
  friend class CustomCallSites;
  struct States {
    FfiState prepare, initialize;
  };
  explicit CustomCallRun(const class CustomCallSites* sites);
  absl::Status RunStage(const CustomCallSite& site,
                        XLA_FFI_ExecutionStage stage,
                        XLA_FFI_Handler* handler,
                        absl::Span<void* const> operands,
                        absl::Span<void* const> results);

  const class CustomCallSites* sites_;
  int64_t run_id_;
  absl::flat_hash_map<const CustomCallSite*, std::unique_ptr<States>> states_;
};

class CustomCallSites {
 public:
  // All custom-calls of the module that the registry serves. The module must
  // outlive this object and keep its instructions.
  static absl::StatusOr<std::unique_ptr<CustomCallSites>> Create(
      const Module& module);
  const CustomCallSite* Find(const Instruction& call) const;
  // Prepares and initializes the handlers that want it. Executions may go on at
  // the same time; this object must outlive them.
  absl::StatusOr<std::unique_ptr<CustomCallRun>> Begin() const;

 private:
  std::vector<std::unique_ptr<CustomCallSite>> sites_;
  absl::flat_hash_map<const Instruction*, const CustomCallSite*> by_call_;
};

// Errors for a custom-call that nobody serves, in XLA's words, and what could
// be done.
absl::Status NoHandler(const Instruction& call);

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_CALL_SITE_H_
