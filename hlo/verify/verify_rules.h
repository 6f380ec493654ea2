// Inside the verifier: what a rule sees and the rules, grouped by file. Only
// files of this folder include it.
//
// The rules of verify_structure.cc run first and look at pointers and numbers
// only. When they find the graph unsound, nothing else runs; so all other rules
// may follow operands, users, called computations, roots and parameters without
// a check. Operand counts and counts of called computations are sound for every
// instruction that is not IsBroken(). Attribute values may be anything.
#ifndef HLOKIT_HLO_VERIFY_VERIFY_RULES_H_
#define HLOKIT_HLO_VERIFY_VERIFY_RULES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/module.h"
#include "hlo/verify/verifier.h"

namespace hlokit::verify {

// Collects findings. Rules report and go on; `full()` ends the work early.
class Checker {
 public:
  Checker(const Module& module, const VerifierOptions& options)
      : module_(module), options_(options) {}
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  const Module& module() const { return module_; }
  const VerifierOptions& options() const { return options_; }

  // `instruction` null: the module as a whole.
  void Report(const Instruction* instruction, absl::string_view rule,
              std::string message);
  template <typename... Args>
  void Reportf(const Instruction* instruction, absl::string_view rule,
               const absl::FormatSpec<Args...>& format, const Args&... args) {
    Report(instruction, rule, absl::StrFormat(format, args...));
  }

  bool full() const {
    return static_cast<int>(findings_.size()) >= options_.max_findings;
  }
  std::vector<VerifierFinding> Take() { return std::move(findings_); }

  // Graph unsound: no further rules.
  void MarkUnsound() { unsound_ = true; }
  bool unsound() const { return unsound_; }
  // Instructions with wrong counts: other rules leave them out.
  void MarkBroken(const Instruction* instruction) {
    broken_.insert(instruction);
  }
  bool IsBroken(const Instruction* instruction) const {
    return !broken_.empty() && broken_.contains(instruction);
  }

 private:
  const Module& module_;
  const VerifierOptions& options_;
  std::vector<VerifierFinding> findings_;
  absl::flat_hash_set<const Instruction*> broken_;
  bool unsound_ = false;
};

using InstructionCheck = void (*)(const Instruction&, Checker&);
using ModuleCheck = void (*)(Checker&);

// "%add.3 = f32[2] add(%a, %b)", long lists and types cut.
std::string Brief(const Instruction& instruction);


// verify_structure.cc: pointers, cycles, counts, names, parameter numbers.
void CheckStructure(Checker& checker);

// verify_shape.cc: the declared type against the inferred one, precision,
// shardings, original values.
void CheckShape(const Instruction& i, Checker& checker);
void CheckUnbounded(const Instruction& i, Checker& checker);
void CheckMixedPrecision(const Instruction& i, Checker& checker);
void CheckSharding(const Instruction& i, Checker& checker);
void CheckOriginalValue(const Instruction& i, Checker& checker);

// verify_arrays.cc: operations on arrays beyond what inference says.
void CheckElementwise(const Instruction& i, Checker& checker);
void CheckCompare(const Instruction& i, Checker& checker);
void CheckBroadcast(const Instruction& i, Checker& checker);
void CheckReshape(const Instruction& i, Checker& checker);
void CheckConstant(const Instruction& i, Checker& checker);
void CheckSort(const Instruction& i, Checker& checker);
void CheckMulhi(const Instruction& i, Checker& checker);
void CheckScan(const Instruction& i, Checker& checker);

// verify_layout.cc: layout mode and the entry's layout.
void CheckBitcast(const Instruction& i, Checker& checker);
void CheckCopy(const Instruction& i, Checker& checker);
void CheckLayoutChange(const Instruction& i, Checker& checker);
void CheckHostMemory(const Instruction& i, Checker& checker);
void CheckEntryLayout(Checker& checker);

// verify_calls.cc: call, while, conditional, fusion and other callers.
void CheckThreads(const Instruction& i, Checker& checker);
void CheckReducerTypes(const Instruction& i, Checker& checker);
void CheckCall(const Instruction& i, Checker& checker);
void CheckWhile(const Instruction& i, Checker& checker);
void CheckConditional(const Instruction& i, Checker& checker);
void CheckFusion(const Instruction& i, Checker& checker);

// verify_custom_call.cc
void CheckCustomCall(const Instruction& i, Checker& checker);
// Every pair of an output_to_operand_aliasing list is inside of both types.
void CheckOutputAliasing(const Instruction& i, Checker& checker);

// verify_collectives.cc
void CheckReplicaGroups(const Instruction& i, Checker& checker);
void CheckGroupSize(const Instruction& i, Checker& checker);
void CheckPermute(const Instruction& i, Checker& checker);
void CheckCollectiveReducer(const Instruction& i, Checker& checker);
void CheckConstrainLayout(Checker& checker);

// verify_async.cc: async-start, async-update, async-done.
void CheckAsyncStart(const Instruction& i, Checker& checker);
void CheckAsyncUpdate(const Instruction& i, Checker& checker);
void CheckAsyncDone(const Instruction& i, Checker& checker);

// verify_pairs.cc: starts and their dones, channels.
void CheckStart(const Instruction& i, Checker& checker);
void CheckDone(const Instruction& i, Checker& checker);
void CheckChannelUse(const Instruction& i, Checker& checker);
void CheckHostChannels(Checker& checker);

// verify_buffers.cc: values of type b(T).
void CheckBuffers(const Instruction& i, Checker& checker);

// verify_module.cc: aliases, donors, schedule.
void CheckAliases(Checker& checker);
void CheckSchedule(Checker& checker);

}  // namespace hlokit::verify

#endif  // HLOKIT_HLO_VERIFY_VERIFY_RULES_H_
