// What happened to a module on its way through the compiler, from its dumps.
#ifndef HLOKIT_DUMP_TIMELINE_H_
#define HLOKIT_DUMP_TIMELINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file_system.h"
#include "base/thread_pool.h"
#include "dump/dump_index.h"
#include "dump/hlo_lines.h"

namespace hlokit {

struct TimelineStep {
  int file = 0;  // position in the index
  HloSummary summary;
  bool changed = false;  // against the step before; false for the first
  // Opcodes whose number changed: opcode -> (before, after).
  std::map<std::string, std::pair<int64_t, int64_t>> opcodes;
};

// The dumps of modules[module] that hold HLO, in order; those of the number
// under which the compilation goes on follow. One dump a stage: text where
// there is one.
absl::StatusOr<std::vector<TimelineStep>> ReadTimeline(const FileSystem& files,
                                                       const DumpIndex& index,
                                                       int module,
                                                       ThreadPool* pool);

// "+2 fusion, -5 add".
std::string OpcodeChanges(const TimelineStep& step);

// ---- the same module in two folders ----

struct ModulePair {
  int a = -1, b = -1;  // positions in the indices' modules; -1: only the other
  // Why they are a pair: "same HLO", "same name and signature", "same name".
  std::string reason;
};

// First by fingerprint of the earliest dump (names and ids left aside), then by
// name and entry layout, then by name in order.
absl::StatusOr<std::vector<ModulePair>> PairModules(const FileSystem& files_a,
                                                    const DumpIndex& a,
                                                    const FileSystem& files_b,
                                                    const DumpIndex& b,
                                                    ThreadPool* pool);

// Of HLO text: the same for modules that differ in names, metadata and layout
// of the text only. The text's own hash where it does not parse.
uint64_t HloFingerprint(const std::string& text);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_TIMELINE_H_
