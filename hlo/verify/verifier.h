// Checks that a module obeys the rules of HLO: structure, types, computations,
// collectives, schedule, aliasing.
//
// Every broken rule is one finding that names the instruction, the rule and what
// was expected; checking goes on after a finding. docs/verifier.md lists the
// rules.
#ifndef HLOKIT_HLO_VERIFY_VERIFIER_H_
#define HLOKIT_HLO_VERIFY_VERIFIER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Names and defaults are those of XLA's verifier options.
struct VerifierOptions {
  bool layout_sensitive = false;
  bool allow_mixed_precision = true;
  bool verify_broadcast_dimensions_order = false;
  bool verify_reshape_is_bitcast = false;
  bool verify_sharding_device_numbers = true;
  bool allow_bitcast_to_have_different_size = false;
  bool check_replica_groups = true;
  bool allow_unbounded_dynamism = false;
  // Element-wise and other layout-preserving operations must not change
  // minor_to_major (layout mode; XLA: instruction_can_change_layout).
  bool verify_layouts_kept = false;
  // No value may lie in host memory, S(5).
  bool verify_no_host_memory_space = false;
  int max_findings = 20;
};

struct VerifierFinding {
  const Instruction* instruction = nullptr;  // null: the module as a whole
  std::string rule;                          // "shape", "structure", ...
  std::string message;
};

std::vector<VerifierFinding> Verify(const Module& module,
                                    const VerifierOptions& options = {});

// One line a finding, as VerifyModule has them.
std::string FindingsText(const std::vector<VerifierFinding>& findings);

// OK, or InvalidArgument with one line a finding, each like
// "%add.3 = f32[2] add(%a, %b): shape: expected f32[3], declared f32[2]".
absl::Status VerifyModule(const Module& module,
                          const VerifierOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_HLO_VERIFY_VERIFIER_H_
