// What HLO text shows. The presets and option names are XLA's.
#ifndef HLOKIT_HLO_PRINT_PRINT_OPTIONS_H_
#define HLOKIT_HLO_PRINT_PRINT_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

enum class SubcomputationMode { kOff, kNameOnly, kFullBodies, kNonSequentialBodies };

struct PrintOptions {
  int64_t print_operand_index_annotation_interval = 5;
  SubcomputationMode print_subcomputation_mode = SubcomputationMode::kNameOnly;
  int64_t indent_amount = 0;
  bool print_large_constants = false;
  bool print_only_essential_constants = false;
  bool print_original_value = true;
  bool print_metadata = true;
  bool print_metadata_only_op_name = false;
  bool print_backend_config = true;
  bool sort_backend_config = false;
  bool print_infeed_outfeed_config = true;
  bool compact_operands = false;
  bool include_layout_in_shapes = true;
  bool print_result_shape = true;
  bool print_operand_shape = false;
  bool print_operand_names = true;
  bool print_program_shape = true;
  bool print_percent = true;
  bool print_control_dependencies = true;
  bool canonicalize_instruction_names = false;
  bool is_in_nested_computation = false;
  bool print_ids = true;
  bool canonicalize_computations = false;
  bool print_extra_attributes = true;
  bool syntax_sugar_async_ops = true;
  bool print_frontend_attributes = true;
  bool print_name_after_closing_brace = false;
  bool print_full_replica_group_list = false;
  bool print_replica_groups_without_subaxes = false;
  bool print_parameter_number = true;
  bool print_channel_id = true;
  bool print_inline_stack_frames = false;
  bool compact_gte = false;

  static PrintOptions Default() { return {}; }
  static PrintOptions ShortParsable();
  static PrintOptions Canonical();
  static PrintOptions Fingerprint();
  static PrintOptions ModuleFingerprint();
  // The form of the files that XLA's dumper writes: default, but with async
  // operations unsugared. (Newest sources also leave out get-tuple-elements;
  // add compact_gte for that. Released versions do not read it back.)
  static PrintOptions Dump();
};

// "dump", "default", "short_parsable", "canonical", "fingerprint", or a list of
// single options over a preset: "default,print_percent=false,compact_gte",
// "print_operand_shape=true,print_percent=false" (over default). A wrong word
// names the nearest good one.
absl::StatusOr<PrintOptions> ParsePrintOptions(absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_HLO_PRINT_PRINT_OPTIONS_H_
