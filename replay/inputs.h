// Where arguments and recorded results come from: NumPy files, the literal
// files of run_hlo_module, snapshots.
//
// NumPy files hold arrays only, so tuples are flattened: their arrays in
// depth-first order, tokens left out. Of an array with dynamic dimensions only
// the live part is stored.
#ifndef HLOKIT_REPLAY_INPUTS_H_
#define HLOKIT_REPLAY_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "replay/npy.h"
#include "xla/tools/run_hlo_module.pb.h"

namespace hlokit {

// The shapes of the entry's parameters, with the layouts of the entry layout
// where it has static shapes.
std::vector<Shape> ParameterShapes(const Module& module);

// Arguments as the module wants them. As many as it has parameters, with their
// element types and dimensions; or as many arrays as all parameters have
// together, which are then put together to tuples. `what` names their origin in
// errors: "the snapshot".
absl::StatusOr<std::vector<Literal>> FitArguments(
    const Module& module, std::vector<Literal> given, absl::string_view what);

// A recorded result in the shape of the module's result: one array may stand
// for a tuple of one, and the reverse.
absl::StatusOr<Literal> FitResult(const Shape& wanted, const Literal& recorded);

// Members a0, a1, ... or arr_0, arr_1, ... or the parameters' names (tuples'
// arrays: name.0, name.1.0, ...), else as many members as there are arrays, in
// their order. Others are ignored.
absl::StatusOr<std::vector<Literal>> ArgumentsFromNpz(const Module& module,
                                                      absl::string_view bytes);
// One file an array.
absl::StatusOr<std::vector<Literal>> ArgumentsFromNpy(
    const Module& module, absl::Span<const std::string> files);
// Members r0, r1, ... or arr_0, ..., else in order.
absl::StatusOr<Literal> ResultFromNpz(const Shape& wanted,
                                      absl::string_view bytes);
// The same from one array.
absl::StatusOr<Literal> ResultFromNpy(const Shape& wanted,
                                      absl::string_view bytes);

// The arrays as members <prefix>0, <prefix>1, ...
absl::StatusOr<std::string> LiteralsToNpz(absl::Span<const Literal> literals,
                                          absl::string_view prefix);
// A result of exactly one array.
absl::StatusOr<std::string> ResultToNpy(const Literal& result);

// A binary or text RunHloModuleLiterals or RunHloModuleIterationLiterals (then
// the only iteration), also compressed.
absl::StatusOr<xla::RunHloModuleLiterals> ParseLiteralsFile(
    absl::string_view bytes);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_INPUTS_H_
