#include "hlo/print/print_options.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/suggest.h"

namespace hlokit {
namespace {

struct Preset {
  absl::string_view name;
  PrintOptions (*make)();
};
constexpr Preset kPresets[] = {
    {"dump", &PrintOptions::Dump},
    {"default", &PrintOptions::Default},
    {"short_parsable", &PrintOptions::ShortParsable},
    {"canonical", &PrintOptions::Canonical},
    {"fingerprint", &PrintOptions::Fingerprint},
    {"module_fingerprint", &PrintOptions::ModuleFingerprint},
};

struct BoolOption {
  absl::string_view name;
  bool PrintOptions::*member;
};
#define HLOKIT_BOOL_OPTION(name) {#name, &PrintOptions::name}
constexpr BoolOption kBools[] = {
    HLOKIT_BOOL_OPTION(print_large_constants),
    HLOKIT_BOOL_OPTION(print_only_essential_constants),
    HLOKIT_BOOL_OPTION(print_original_value),
    HLOKIT_BOOL_OPTION(print_metadata),
    HLOKIT_BOOL_OPTION(print_metadata_only_op_name),
    HLOKIT_BOOL_OPTION(print_backend_config),
    HLOKIT_BOOL_OPTION(sort_backend_config),
    HLOKIT_BOOL_OPTION(print_infeed_outfeed_config),
    HLOKIT_BOOL_OPTION(compact_operands),
    HLOKIT_BOOL_OPTION(include_layout_in_shapes),
    HLOKIT_BOOL_OPTION(print_result_shape),
    HLOKIT_BOOL_OPTION(print_operand_shape),
    HLOKIT_BOOL_OPTION(print_operand_names),
    HLOKIT_BOOL_OPTION(print_program_shape),
    HLOKIT_BOOL_OPTION(print_percent),
    HLOKIT_BOOL_OPTION(print_control_dependencies),
    HLOKIT_BOOL_OPTION(canonicalize_instruction_names),
    HLOKIT_BOOL_OPTION(is_in_nested_computation),
    HLOKIT_BOOL_OPTION(print_ids),
    HLOKIT_BOOL_OPTION(canonicalize_computations),
    HLOKIT_BOOL_OPTION(print_extra_attributes),
    HLOKIT_BOOL_OPTION(syntax_sugar_async_ops),
    HLOKIT_BOOL_OPTION(print_frontend_attributes),
    HLOKIT_BOOL_OPTION(print_name_after_closing_brace),
    HLOKIT_BOOL_OPTION(print_full_replica_group_list),
    HLOKIT_BOOL_OPTION(print_replica_groups_without_subaxes),
    HLOKIT_BOOL_OPTION(print_parameter_number),
    HLOKIT_BOOL_OPTION(print_channel_id),
    HLOKIT_BOOL_OPTION(print_inline_stack_frames),
    HLOKIT_BOOL_OPTION(compact_gte),
};
#undef HLOKIT_BOOL_OPTION

struct IntOption {
  absl::string_view name;
  int64_t PrintOptions::*member;
};
constexpr IntOption kInts[] = {
    {"print_operand_index_annotation_interval",
     &PrintOptions::print_operand_index_annotation_interval},
    {"indent_amount", &PrintOptions::indent_amount},
};

struct ModeWord {
  absl::string_view name;
  SubcomputationMode mode;
};
constexpr absl::string_view kModeOption = "print_subcomputation_mode";
constexpr ModeWord kModes[] = {
    {"off", SubcomputationMode::kOff},
    {"name_only", SubcomputationMode::kNameOnly},
    {"full_bodies", SubcomputationMode::kFullBodies},
    {"non_sequential_bodies", SubcomputationMode::kNonSequentialBodies},
};

absl::Status Unknown(absl::string_view word) {
  std::vector<absl::string_view> names;
  for (const Preset& preset : kPresets) names.push_back(preset.name);
  for (const BoolOption& option : kBools) names.push_back(option.name);
  for (const IntOption& option : kInts) names.push_back(option.name);
  names.push_back(kModeOption);
  return InvalidArgument("'%s' is no print option%s", word,
                         DidYouMean(word, names));
}

absl::Status BadValue(absl::string_view name, absl::string_view value,
                      absl::string_view accepted) {
  return InvalidArgument("print option %s takes %s, not '%s'", name, accepted,
                         value);
}

absl::Status SetOption(absl::string_view name, absl::string_view value,
                       bool has_value, PrintOptions* options) {
  for (const BoolOption& option : kBools) {
    if (option.name != name) continue;
    const std::string word = absl::AsciiStrToLower(value);
    if (!has_value || word == "true" || word == "1") {
      options->*option.member = true;
    } else if (word == "false" || word == "0") {
      options->*option.member = false;
    } else {
      return BadValue(name, value, "true or false");
    }
    return absl::OkStatus();
  }
  for (const IntOption& option : kInts) {
    if (option.name != name) continue;
    int64_t number = 0;
    if (!absl::SimpleAtoi(value, &number) || number < 0 || number > 1000) {
      return BadValue(name, value, "a number from 0 to 1000");
    }
    options->*option.member = number;
    return absl::OkStatus();
  }
  if (name == kModeOption) {
    for (const ModeWord& word : kModes) {
      if (word.name != value) continue;
      options->print_subcomputation_mode = word.mode;
      return absl::OkStatus();
    }
    return BadValue(name, value,
                    "off, name_only, full_bodies or non_sequential_bodies");
  }
  return Unknown(name);
}

}  // namespace

PrintOptions PrintOptions::ShortParsable() {
  PrintOptions o;
  o.print_operand_index_annotation_interval = 0;
  o.print_large_constants = true;
  o.print_metadata = false;
  o.print_program_shape = false;
  o.print_percent = false;
  o.print_control_dependencies = false;
  return o;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions o;
  o.print_operand_index_annotation_interval = 0;
  o.print_subcomputation_mode = SubcomputationMode::kFullBodies;
  o.print_metadata = false;
  o.print_backend_config = false;
  o.print_operand_shape = true;
  o.print_operand_names = false;
  o.print_program_shape = false;
  o.print_percent = false;
  o.print_control_dependencies = false;
  o.canonicalize_instruction_names = true;
  return o;
}

PrintOptions PrintOptions::Fingerprint() {
  PrintOptions o = Canonical();
  o.print_only_essential_constants = true;
  o.print_infeed_outfeed_config = false;
  o.print_ids = false;
  o.canonicalize_computations = true;
  o.print_full_replica_group_list = true;
  return o;
}

PrintOptions PrintOptions::ModuleFingerprint() {
  PrintOptions o = Fingerprint();
  o.print_operand_shape = false;
  return o;
}

PrintOptions PrintOptions::Dump() {
  PrintOptions o;
  o.syntax_sugar_async_ops = false;
  return o;
}

absl::StatusOr<PrintOptions> ParsePrintOptions(absl::string_view text) {
  PrintOptions options;
  bool first = true;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    part = absl::StripAsciiWhitespace(part);
    const size_t equals = part.find('=');
    const bool has_value = equals != absl::string_view::npos;
    const absl::string_view name = part.substr(0, equals);
    bool is_preset = false;
    for (const Preset& preset : kPresets) {
      if (has_value || preset.name != name) continue;
      if (!first) {
        return InvalidArgument("the preset '%s' must stand first", name);
      }
      options = preset.make();
      is_preset = true;
    }
    first = false;
    if (is_preset) continue;
    HLOKIT_RETURN_IF_ERROR(
        SetOption(name, has_value ? part.substr(equals + 1) : "", has_value,
                  &options));
  }
  return options;
}

}  // namespace hlokit
