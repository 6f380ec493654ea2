// Arguments made up for a module, bit for bit those that XLA's run_hlo_module
// makes: the same engine, the same distributions, the same rules for parameters
// that are used as indices, sort keys or initial values.
//
// Values are drawn in parameter order, tuples depth first, elements in the
// storage order of the parameter's layout.
#ifndef HLOKIT_REPLAY_FAKE_DATA_H_
#define HLOKIT_REPLAY_FAKE_DATA_H_

#include <cstdint>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

struct FakeDataOptions {
  // Log-uniform floats with the odd special value, instead of -0.1 .. 0.2.
  bool use_large_float_range = false;
};

// XLA's engine; fresh ones start at seed 1.
using FakeDataEngine = std::minstd_rand0;

// One value of `shape` (arrays and tuples; tokens and opaque values are
// Unimplemented). A null engine gives zeros.
absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape,
                                        FakeDataEngine* engine,
                                        const FakeDataOptions& options = {});

// How the module uses a parameter, as far as it limits what may be drawn.
struct ParameterUse {
  bool is_index = false;          // of dynamic slices, gathers, scatters
  int64_t index_bound = 0;        // largest legal index
  bool sorted = false;            // indices_are_sorted
  bool no_duplicates = false;     // integral sort keys
  bool is_init_value = false;     // of a reduction with known identity
  double init_value = 0;          // 0 (add) or 1 (multiply)
};
// Conflicting uses are Unimplemented, as in XLA.
absl::StatusOr<ParameterUse> FindParameterUse(const Module& module,
                                              int64_t parameter);

// Arguments for all parameters of the entry.
absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const Module& module, FakeDataEngine* engine,
    const FakeDataOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_FAKE_DATA_H_
