// The command line of run_hlo_module.

#include "hlo_opt/hlo_opt.h"
#include "replay/run_hlo_module.h"

namespace hlokit {
namespace {

void AddInputOptions(OptionSet* set, RunHloModuleOptions* o) {
  set->Add("input_format", &o->input_format, OptionGroup::kInput,
           "Take the files for this format instead of looking at them")
      .Value("hlo|txt|pb|pbtxt|textproto|json")
      .Default("by content");
  set->Add("module", &o->module, OptionGroup::kInput,
           "Run the module of this name of files with several, such as logs; "
           "NAME#2 is the second of that name")
      .Value("NAME");
  set->AddEnum("verify", &o->verify, OptionGroup::kInput,
               "Check the rules of HLO when a module is loaded",
               {{"off", VerifyMode::kOff},
                {"warn", VerifyMode::kWarn},
                {"error", VerifyMode::kError}});
  AddUnknownOptions(&o->lenient, &o->strict, set);
  set->Add("input_literals_file", &o->input_literals_file, OptionGroup::kInput,
           "Take the arguments from this RunHloModuleLiterals (binary or "
           "text); iteration i takes the file's iteration i")
      .Value("FILE");
  set->Add("input", &o->input, OptionGroup::kInput,
           "Take the next array of the arguments from this NumPy file; once "
           "for each array")
      .Value("FILE.npy")
      .OneElementEach();
  set->Add("inputs", &o->inputs, OptionGroup::kInput,
           "Take the arguments from this NumPy archive: members a0, a1, ... "
           "or arr_0, ... or the parameters' names, else in order")
      .Value("FILE.npz");
  set->Add("force_fake_data", &o->force_fake_data, OptionGroup::kInput,
           "Make arguments up even if the file is a snapshot that has some");
  set->Add("random_init_input_literals", &o->random_init_input_literals,
           OptionGroup::kInput,
           "Make up random arguments; false: zeros");
  set->Add("use_large_float_range", &o->use_large_float_range,
           OptionGroup::kInput,
           "Make up floats of all magnitudes instead of -0.1 to 0.2");
  set->Add("fake_data_seed", &o->fake_data_seed, OptionGroup::kInput,
           "Seed what makes arguments up (1 gives those of XLA)")
      .Range(1, 2147483646);
}

void AddCustomCallOptions(OptionSet* set, RunHloModuleOptions* o) {
  set->Add("custom_call_library", &o->custom_call_library,
           OptionGroup::kExecution,
           "Run custom-calls with the functions in these shared libraries; see "
           "docs/custom-calls.md")
      .Value("FILE.so,...");
  set->Add("custom_call", &o->custom_call, OptionGroup::kExecution,
           "Run custom-calls of this target with that function of a library; "
           "may be given several times")
      .Value("TARGET=SYMBOL[@FILE.so]")
      .OneElementEach();
  set->Add("custom_call_stub", &o->custom_call_stub, OptionGroup::kExecution,
           "Let zeros or the operands stand in for the results of custom-calls "
           "that nobody serves; with a NAME of those of this target or name, "
           "whoever serves them; may be given several times")
      .Value("[NAME=]zeros|[NAME=]identity|NAME=FILE.npy")
      .OneElementEach();
  set->Add("stand_in", &o->stand_in, OptionGroup::kExecution,
           "The same as --custom_call_stub")
      .Value("NAME=zeros|NAME=FILE.npy")
      .OneElementEach()
      .Hidden();
}

void AddOutputOptions(OptionSet* set, RunHloModuleOptions* o) {
  set->Add("print_literals", &o->print_literals, OptionGroup::kOutput,
           "Print arguments and results");
  set->Add("output_literals_file", &o->output_literals_file,
           OptionGroup::kOutput,
           "Write arguments and results as a binary RunHloModuleLiterals")
      .Value("FILE");
  set->Add("output", &o->output, OptionGroup::kOutput,
           "Write a result that is one array as a NumPy file")
      .Value("FILE.npy");
  set->Add("outputs", &o->outputs, OptionGroup::kOutput,
           "Write the result's arrays as a NumPy archive: r0, r1, ...")
      .Value("FILE.npz");
  set->Add("mismatch_dir", &o->mismatch_dir, OptionGroup::kOutput,
           "Write expected, actual and mismatching elements, and pieces that "
           "fail, into this folder")
      .Value("DIR")
      .Default("$TEST_UNDECLARED_OUTPUTS_DIR");
  set->Add("json", &o->json, OptionGroup::kOutput,
           "Write an array of JSON objects to standard output, one a run");
}

void AddComparisonOptions(OptionSet* set, RunHloModuleOptions* o) {
  set->Add("reference_platform", &o->reference_platform,
           OptionGroup::kComparison,
           "Run a clone on this backend and compare; default is the "
           "interpreter, an empty word none")
      .Value("NAME");
  set->Add("abs_error_bound", &o->abs_error_bound, OptionGroup::kComparison,
           "Allow this absolute error; an element is bad only if both bounds "
           "are passed");
  set->Add("rel_error_bound", &o->rel_error_bound, OptionGroup::kComparison,
           "Allow this relative error");
  set->Add("rounding_runs", &o->rounding_runs, OptionGroup::kComparison,
           "When a result differs from the interpreter's, run the interpreter "
           "this many times more, rounding up or down by chance, and tell "
           "whether the difference is a matter of rounding; 0 for never")
      .Range(0, 1000);
  set->Add("expected", &o->expected, OptionGroup::kComparison,
           "Compare with the results in this NumPy file: members r0, r1, ... "
           "or arr_0, ..., else in order")
      .Value("FILE.npz");
}

void AddExecutionOptions(OptionSet* set, RunHloModuleOptions* o) {
  set->Add("platform", &o->platform, OptionGroup::kExecution,
           "Choose the backend under test: interpreter, cpu (or host)")
      .Value("NAME")
      .Default("none, required");
  set->Add("iterations", &o->iterations, OptionGroup::kExecution,
           "Run each module this many times, with new arguments each time")
      .Range(1, 2147483647);
  set->Add("run_test_hlo_passes", &o->run_test_hlo_passes,
           OptionGroup::kExecution,
           "Run the backend's HLO passes; false for modules that are "
           "optimised already");
  set->Add("run_reference_hlo_passes", &o->run_reference_hlo_passes,
           OptionGroup::kExecution, "The same for the reference");
  set->Add("exact_arithmetic", &o->exact_arithmetic, OptionGroup::kExecution,
           "Leave out the rewrites that can change values of floats, and "
           "compile without fast mathematics; see docs/rewrites.md");
  set->Add("isolate_instructions", &o->isolate_instructions,
           OptionGroup::kExecution,
           "Run each instruction alone, as a module of its own");
  set->Add("cache_dir", &o->cache_dir, OptionGroup::kExecution,
           "Keep machine code in this folder and take it from there, at most "
           "1 GiB; several processes may share it")
      .Value("DIR");
  set->Add("check_instructions", &o->check_instructions,
           OptionGroup::kExecution,
           "On cpu, also run each instruction in the interpreter, on the same "
           "operands, and stop at the first whose result differs");
  set->Add("different_random_seeds", &o->different_random_seeds,
           OptionGroup::kExecution,
           "Seed rng instructions with the number of the iteration instead "
           "of 42");
  set->Add("flush_denormals", &o->flush_denormals, OptionGroup::kExecution,
           "Let denormal operands and results of arithmetic count as zero, as "
           "XLA's CPU backend does");
  set->Add("max_steps", &o->max_steps, OptionGroup::kExecution,
           "Give up after this many instructions have run; 0 for never")
      .Range(0, 9e18);
}

}  // namespace

OptionSet MakeRunHloModuleOptions(RunHloModuleOptions* o) {
  OptionSet set(
      "run_hlo_module", "--platform=NAME [OPTION...] FILE...",
      "Run HLO modules and compare their results: with those of a reference "
      "backend, with the result recorded in a snapshot, or with a NumPy file. "
      "The arguments are a snapshot's, those of a file, or made up as XLA's "
      "tool of this name makes them up, bit for bit.");
  AddInputOptions(&set, o);
  AddOutputOptions(&set, o);
  AddComparisonOptions(&set, o);
  AddExecutionOptions(&set, o);
  AddCustomCallOptions(&set, o);
  set.Positional(1, -1);
  set.AcceptDebugOptions();
  set.Example("run_hlo_module --platform=cpu module.hlo",
              "made-up arguments; CPU against the interpreter");
  set.Example(
      "run_hlo_module --platform=cpu --reference_platform= snapshot.pb",
      "replay a snapshot and check its recorded result");
  set.Example(
      "run_hlo_module --platform=interpreter --inputs=in.npz "
      "--outputs=out.npz module.hlo.pb",
      "compute a result from given arguments");
  set.Example("run_hlo_module --platform=cpu --isolate_instructions module.hlo",
              "find the instruction that goes wrong");
  set.Example("run_hlo_module --platform=cpu --custom_call_library=./ops.so "
              "module.hlo",
              "a module with custom-calls of your own");
  set.ExitCode(1, "a result differs, or a run failed");
  set.ExitCode(3, "an input is wrong");
  set.ExitCode(4, "the environment lacks something");
  return set;
}

}  // namespace hlokit
