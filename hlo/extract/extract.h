// Finds modules in text as people copy it: logs with a prefix on each line, chat
// and web pages, string literals, notebooks, diffs, terminals, dumps of several
// modules with other things between them.
//
// A text that the parser reads as it is needs none of this and must not come
// here: what is undone here may be part of a string of a clean module. Callers
// parse first and extract when that fails.
//
// All is linear in the file. Modules that are in the file as they are become
// views into it.
#ifndef HLOKIT_HLO_EXTRACT_EXTRACT_H_
#define HLOKIT_HLO_EXTRACT_EXTRACT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/parse/parser.h"

namespace hlokit {

struct ExtractOptions {
  // Cuts at lines that are this; "" cuts at headers only.
  std::string separator;
  // Lines that are as wide as the widest were cut by a terminal or a panel: they
  // are joined with the next.
  bool join_wrapped = false;
};

struct Extraction {
  std::vector<ModuleText> modules;
  // What was left out or undone, as parts of one sentence: "left out 3 lines
  // before the module", "removed the prefix '0: ' from 12 lines".
  std::vector<std::string> notes;
  // The lines that were taken are as they are in the file.
  bool only_left_out = true;
};

// Finds, in this order of preference, modules with a HloModule line, computations
// without one, single instructions (of messages about memory or autotuning, in
// the middle of a line, too). Where nothing is found, `modules` is empty.
Extraction ExtractModules(absl::string_view file,
                          const ExtractOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_EXTRACT_H_
