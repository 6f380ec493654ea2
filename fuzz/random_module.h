// Random modules that are valid and whose results can be compared.
//
//   RandomModule m = MakeRandomModule(42, {});
//   auto a = one_backend->Compile(m.module->Clone(), {}) ... Execute(m.arguments)
//   auto b = another_backend-> ...
//   std::string difference = DifferenceOf(m, a->value, b->value);  // "" if none
//
// The same seed and options give the same module on every machine.
//
// What may be compared: a backend may order sums as it likes, and round
// functions of floats a little differently. So the generator follows, for each
// value, how large it can be and by how much two backends may differ. Nothing
// that jumps (comparisons, rounding, conversion to integers, sort keys, ...) is
// applied to values that may differ at all; exact floats come from arguments,
// constants, integers, and from arithmetic on integers that are small enough to
// have no rounding. Values that grow are clamped.
#ifndef HLOKIT_FUZZ_RANDOM_MODULE_H_
#define HLOKIT_FUZZ_RANDOM_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

struct RandomModuleOptions {
  // Steps of the entry; each adds one instruction or a few.
  int steps = 12;
  // Steps in fusions, branches, bodies.
  int nested_steps = 6;
  // Of an array.
  int64_t max_elements = 4096;
  // Of the entry, and of fusions.
  int max_parameters = 8;
  // Percent of arrays that lie otherwise than row-major.
  int other_layouts = 15;
  // Whether there are fusion instructions, and loops, branches and calls.
  bool fusions = true;
  bool control_flow = true;
  // Bitcasts mean something only where layouts are settled: not before layout
  // assignment.
  bool bitcasts = true;
  // Only arrays without dimensions; only arrays with a dimension of size 0.
  bool only_scalars = false;
  bool only_empty = false;
};

struct RandomModule {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // by parameter number
  // The root is a flat tuple; by how much its elements may differ. 0: exactly
  // equal (zeros of either sign, and all NaN, are equal).
  std::vector<double> tolerances;
};

RandomModule MakeRandomModule(uint64_t seed,
                              const RandomModuleOptions& options);

// The options that a test run takes for this seed: most modules are small, some
// have large fusions, only scalars, ... They are for modules that passes see, or
// that run as they are.
RandomModuleOptions OptionsOfSeed(uint64_t seed, bool run_passes);
// Of the same kind with fewer instructions and elements.
void MakeSmall(RandomModuleOptions* options);

// "" or where two results of the module differ by more than they may: "element
// 3 of result 2 (f32[7]) is 1, not 2 (within 0.001)".
std::string DifferenceOf(const RandomModule& module, const Literal& got,
                         const Literal& want);

}  // namespace hlokit

#endif  // HLOKIT_FUZZ_RANDOM_MODULE_H_
