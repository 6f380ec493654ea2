// Graphs in Graphviz' language.
#ifndef HLOKIT_GRAPH_RENDER_DOT_WRITER_H_
#define HLOKIT_GRAPH_RENDER_DOT_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "graph_render/graph.h"

namespace hlokit {

struct DotOptions {
  // With a style sheet that colours the edges of the node under the pointer (in
  // svg, of graphs with up to about 150 nodes).
  bool hover = true;
};

// The whole graph as text, the same for equal graphs. Ids and names are dealt
// in order; what comes from modules stands in labels and tooltips, escaped.
// Unavailable without libcgraph. Thread-safe.
absl::StatusOr<std::string> DotText(const Graph& graph,
                                    const DotOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_DOT_WRITER_H_
