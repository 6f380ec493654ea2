// hlo-graph: pictures of modules, from the command line.
#ifndef HLOKIT_GRAPH_TOOLS_HLO_GRAPH_H_
#define HLOKIT_GRAPH_TOOLS_HLO_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/io.h"
#include "flags/options.h"

namespace hlokit {

struct HloGraphOptions {
  std::string to = "-";
  std::string format;  // by `to`'s ending when empty
  std::string input_format;
  bool strict = false;
  std::string module;  // of a file or folder with several
  std::string step;    // of a folder: whose stage, by part of its name
  bool all_steps = false;
  std::string computation;
  std::vector<std::string> around;
  std::vector<std::string> boundary;
  int64_t radius = -1;
  std::vector<std::string> paths;  // two names
  int64_t max_nodes = 100;
  std::string above;
  int64_t height = -1;
  std::string filter;
  std::vector<std::string> overlays;
  std::string title;
  bool fusions = true;
  bool loops = true;
  bool calls = true;
  bool constants = false;
  bool operand_names = false;
  bool metadata = false;
  bool backend_config = false;
  bool sharding_color = false;
  double time_limit = 60;
  std::string color = "auto";
};

OptionSet MakeHloGraphOptions(HloGraphOptions* options);

// The whole tool; arguments without the program's name. Returns the exit code.
int RunHloGraph(absl::Span<const std::string> arguments, const ToolIo& io);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_HLO_GRAPH_H_
