// interactive_graphviz: looks around in a module, command by command.
#ifndef HLOKIT_GRAPH_TOOLS_INTERACTIVE_GRAPHVIZ_H_
#define HLOKIT_GRAPH_TOOLS_INTERACTIVE_GRAPHVIZ_H_

#include <string>

#include "absl/types/span.h"
#include "base/io.h"
#include "flags/options.h"

namespace hlokit {

struct InteractiveGraphvizOptions {
  // Exactly one of these, or a positional file of any format.
  std::string hlo_snapshot, hlo_proto, hlo_module_proto, hlo_text;
  std::string module;
  bool strict = false;
  std::string platform;  // its passes run first
  std::string browser = "/usr/bin/sensible-browser";
  std::string batch;     // commands from this file
  std::string output_folder;  // of pages and extracted modules
  std::string color = "auto";
};

OptionSet MakeInteractiveGraphvizOptions(InteractiveGraphvizOptions* options);

// The whole tool; arguments without the program's name. Returns the exit code:
// of a batch that of the first command that failed.
int RunInteractiveGraphviz(absl::Span<const std::string> arguments,
                           const ToolIo& io);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_INTERACTIVE_GRAPHVIZ_H_
