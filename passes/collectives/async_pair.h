// Asynchronous collectives (a start and a done, updates between) and their
// synchronous forms.
#ifndef HLOKIT_PASSES_COLLECTIVES_ASYNC_PAIR_H_
#define HLOKIT_PASSES_COLLECTIVES_ASYNC_PAIR_H_

#include "hlo/ir/module.h"

namespace hlokit {

// The start that belongs to `done`: of all-gather, all-reduce and
// collective-permute, or an async-start that wraps nothing but one collective
// of its arguments. Null for every other instruction, also for a start that
// several instructions read.
Instruction* StartOfCollective(const Instruction& done);

// Puts the synchronous collective in the place of `done` and takes away the
// chain from `start` to it. It has the attributes and metadata of the
// asynchronous one, whose name it keeps in the frontend attribute
// async_collective_name, and waits for whatever that waited for.
Instruction* MakeSynchronous(Instruction* start, Instruction* done);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_ASYNC_PAIR_H_
