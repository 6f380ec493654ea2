// How passes compute the value of an instruction on constants.
//
// Passes stand above the backends and know none of them; a tool (or a test)
// that links an executor hands it in once, before passes run. Without one,
// passes that need values leave the module as it is.
#ifndef HLOKIT_PASSES_CONSTANT_EVALUATOR_H_
#define HLOKIT_PASSES_CONSTANT_EVALUATOR_H_

#include <functional>

#include "absl/status/statusor.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hlokit {

// The value of an instruction all of whose operands are constants, denormals
// being flushed or kept while it is computed.
using ConstantEvaluator = std::function<absl::StatusOr<Literal>(
    const Instruction&, bool flush_denormals)>;

// For the whole program; not to be called while passes run.
void SetConstantEvaluator(ConstantEvaluator evaluator);
// Null when there is none.
const ConstantEvaluator& GetConstantEvaluator();

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONSTANT_EVALUATOR_H_
