// hlo-opt: converts modules from any format to any other and runs passes.
#ifndef HLOKIT_HLO_OPT_HLO_OPT_H_
#define HLOKIT_HLO_OPT_HLO_OPT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/io.h"
#include "flags/options.h"
#include "hlo_opt/emitter.h"
#include "hlo_opt/loader.h"

namespace hlokit {

enum class EmitForm { kText, kPb, kPbtxt, kJson, kSnapshot };

// Of --verify; kAuto depends on what the module is loaded for.
enum class VerifyChoice { kAuto, kOff, kWarn, kError };

struct HloOptOptions {
  std::string output = "-";
  std::string platform = "transforms";
  std::string format;
  std::string stage = "hlo";
  bool list_stages = false;
  bool split_input_file = false;
  std::string module;  // the one of a file with several
  std::vector<std::string> passes;
  bool list_passes = false;
  bool exact_arithmetic = false;
  bool emit_proto = false;
  bool emit_checks = false;
  EmitForm emit = EmitForm::kText;
  MessageKind message = MessageKind::kNone;
  std::string print_options = "dump";
  VerifyChoice verify = VerifyChoice::kAuto;
  bool lenient = false;
  bool strict = false;
  bool literal_quirks = false;
  bool verify_each = false;
  bool time_passes = false;
  bool print_changed = false;
  int check_values = 0;  // sets of arguments; 0: no check
  bool checks_values = false;  // the same as a switch
  std::vector<std::string> stats;
  std::vector<std::string> custom_call_library;  // for check_values
  std::vector<std::string> custom_call;          // TARGET=SYMBOL[@LIBRARY]
  bool json = false;
  std::vector<std::string> arguments;  // the command line, for --emit-checks
};

// Adds --lenient and --strict; and the policy that they mean.
void AddUnknownOptions(bool* lenient, bool* strict, OptionSet* set);
absl::StatusOr<UnknownPolicy> UnknownPolicyOf(bool lenient, bool strict);

// The options of the command line; they write to `options`.
OptionSet MakeHloOptOptions(HloOptOptions* options);

// The whole tool; arguments without the program's name. Returns the exit code.
int RunHloOpt(absl::Span<const std::string> arguments, const ToolIo& io);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_HLO_OPT_H_
