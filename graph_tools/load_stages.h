// Modules for pictures: from a file, or the states of one program from a dump
// folder.
#ifndef HLOKIT_GRAPH_TOOLS_LOAD_STAGES_H_
#define HLOKIT_GRAPH_TOOLS_LOAD_STAGES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/io.h"
#include "hlo/ir/module.h"

namespace hlokit {

struct LoadedStage {
  std::string label;
  std::unique_ptr<Module> module;
};

struct StageQuery {
  std::string format;  // of a file, "" by content
  std::string module;  // which one, by name or number; may be empty
  // Of folders: stages that changed nothing, too.
  bool all_steps = false;
  // What this version does not know is an error; else it is kept and shown.
  bool strict = false;
  // Passes will run: constants need values, "{...}" gets made-up ones.
  bool computes = false;
};

// One module of a file ("-" for standard input), or one module's stages of a
// folder. InvalidArgument when there are several modules and the query does not
// say which; notes go to io.err.
absl::StatusOr<std::vector<LoadedStage>> LoadStages(const std::string& path,
                                                    const StageQuery& query,
                                                    const ToolIo& io);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_LOAD_STAGES_H_
