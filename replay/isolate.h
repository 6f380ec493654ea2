// Takes a module apart: every instruction becomes a module of its own, to be
// run alone (--isolate_instructions).
#ifndef HLOKIT_REPLAY_ISOLATE_H_
#define HLOKIT_REPLAY_ISOLATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"

namespace hlokit {

// One instruction, its operands made parameters.
struct Piece {
  std::unique_ptr<Module> module;  // null when it cannot stand alone
  std::string instruction;         // "%dot.3", as in the whole module
  std::string text;                // its line there
  std::string why_not;             // when `module` is null
  int64_t same = 0;                // further instructions that do the same
};

// The instructions of the entry and of the computations that it calls (loop
// bodies and branches, but not the insides of fusions, reducers and the like),
// callees after callers, in the order of execution. Left out are constants,
// parameters, tuples and what takes tuples apart; those that give the same
// module as an earlier one are counted there.
std::vector<Piece> TakeApart(const Module& module);

// The module of one instruction: parameters for its distinct operands.
std::unique_ptr<Module> ModuleOfInstruction(const Instruction& instruction,
                                            absl::string_view name);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_ISOLATE_H_
