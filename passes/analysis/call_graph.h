// Who calls whom, and how often.
//
// A computation's context is sequential when its callers run it as a whole
// (call, while, conditional, async) and embedded when they apply it to elements
// (map, reduce, sort, fusion, ...).
#ifndef HLOKIT_PASSES_ANALYSIS_CALL_GRAPH_H_
#define HLOKIT_PASSES_ANALYSIS_CALL_GRAPH_H_

#include "hlo/ir/module.h"

namespace hlokit {

enum class CallContext { kNone, kSequential, kEmbedded };
// How an opcode uses the computations that it calls.
CallContext ContextOf(Opcode opcode);
// Whether nobody applies it to elements: the entry, or only sequential callers.
bool RunsAsAWhole(const Computation& computation);

// How often an instruction calls `computation` (a conditional may name one for
// several branches).
int64_t CallCount(const Instruction& caller, const Computation* computation);
// The only instruction that calls it, and once; null otherwise.
Instruction* OnlyCaller(const Computation& computation);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_CALL_GRAPH_H_
