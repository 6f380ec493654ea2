// run_hlo_module: runs modules on given or made-up arguments and compares the
// results with those of a reference backend, of a snapshot or of a file.
#ifndef HLOKIT_REPLAY_RUN_HLO_MODULE_H_
#define HLOKIT_REPLAY_RUN_HLO_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/io.h"
#include "flags/options.h"
#include "hlo_opt/loader.h"

namespace hlokit {

struct RunHloModuleOptions {
  // XLA's options, with its names and defaults.
  std::string platform;
  std::string reference_platform = "default";
  bool print_literals = false;
  std::string output_literals_file;
  std::string input_literals_file;
  bool run_test_hlo_passes = true;
  bool run_reference_hlo_passes = true;
  bool random_init_input_literals = true;
  bool use_large_float_range = false;
  double abs_error_bound = 1e-3;
  double rel_error_bound = 1e-3;
  std::string input_format;
  std::string module;  // the one of a file with several
  int32_t iterations = 1;
  bool isolate_instructions = false;
  bool different_random_seeds = false;

  // Ours.
  bool force_fake_data = false;
  uint64_t fake_data_seed = 1;
  std::vector<std::string> input;  // .npy, one an array
  std::string inputs;              // .npz
  std::string output;              // .npy
  std::string outputs;             // .npz
  std::string expected;            // .npy or .npz
  std::string mismatch_dir;
  std::vector<std::string> custom_call_library;
  std::vector<std::string> custom_call;  // TARGET=SYMBOL[@LIBRARY]
  // zeros, identity; NAME=zeros, NAME=identity, NAME=FILE.npy
  std::vector<std::string> custom_call_stub;
  std::vector<std::string> stand_in;  // an older spelling of custom_call_stub
  bool exact_arithmetic = false;
  bool flush_denormals = true;
  int64_t max_steps = 0;
  bool check_instructions = false;
  int32_t rounding_runs = 4;
  std::string cache_dir;
  VerifyMode verify = VerifyMode::kError;
  bool lenient = false;
  bool strict = false;
  bool json = false;
};

// The options of the command line; they write to `options`.
OptionSet MakeRunHloModuleOptions(RunHloModuleOptions* options);

// The whole tool; arguments without the program's name. Returns the exit code.
int RunRunHloModule(absl::Span<const std::string> arguments, const ToolIo& io);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_RUN_HLO_MODULE_H_
