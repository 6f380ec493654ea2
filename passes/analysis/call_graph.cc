#include "passes/analysis/call_graph.h"

#include "absl/algorithm/container.h"

namespace hlokit {

CallContext ContextOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return CallContext::kSequential;
    default:
      return MayCallComputations(opcode) ? CallContext::kEmbedded
                                         : CallContext::kNone;
  }
}

bool RunsAsAWhole(const Computation& computation) {
  return computation.IsEntry() ||
         absl::c_all_of(computation.callers(), [](const Instruction* caller) {
           return ContextOf(caller->opcode()) == CallContext::kSequential;
         });
}

int64_t CallCount(const Instruction& caller, const Computation* computation) {
  return absl::c_count(caller.called_computations(), computation);
}

Instruction* OnlyCaller(const Computation& computation) {
  return computation.call_site_count() == 1 ? computation.callers()[0]
                                            : nullptr;
}

}  // namespace hlokit
