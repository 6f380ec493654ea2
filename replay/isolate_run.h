// Runs a module instruction by instruction (--isolate_instructions).
#ifndef HLOKIT_REPLAY_ISOLATE_RUN_H_
#define HLOKIT_REPLAY_ISOLATE_RUN_H_

#include <string>
#include <vector>

#include "hlo/ir/module.h"
#include "replay/session.h"

namespace hlokit {

// What became of one piece.
struct PieceResult {
  RunWord reference = RunWord::kDidntRun;
  RunWord test = RunWord::kDidntRun;
  std::string name;
  std::string status;
};

// XLA's table, ordered by what happened on the test side, then on the reference
// side, with a table of counts below.
std::string PieceTable(std::vector<PieceResult> results);

// Runs every piece of the module with made-up arguments and prints the table.
// Pieces that fail are told and written to the mismatch folder.
void RunPieces(const Module& module, const std::string& label,
               Session* session);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_ISOLATE_RUN_H_
