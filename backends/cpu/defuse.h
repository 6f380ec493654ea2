// Takes fusions apart that are better off as single instructions here.
#ifndef HLOKIT_BACKENDS_CPU_DEFUSE_H_
#define HLOKIT_BACKENDS_CPU_DEFUSE_H_

#include "hlo/ir/module.h"

namespace hlokit::cpu {

// The only instruction of a fusion besides its parameters, whose operands are
// these; null if there is more in it.
const Instruction* OnlyInstruction(const Instruction& fusion);

// Inlines fusions that cannot be compiled as one expression, or with a dot that
// has a kernel of its own. True if there were any: the module then has no
// schedule and lacks copies.
bool DefuseWhatIsNotCompiled(Module* module);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_DEFUSE_H_
