// The picture of a computation before it has a form: nodes, edges, clusters.
//
// BuildGraph() chooses and describes, DotText() and others write. Everything is
// in a fixed order, so that equal modules give equal pictures.
#ifndef HLOKIT_GRAPH_RENDER_GRAPH_H_
#define HLOKIT_GRAPH_RENDER_GRAPH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph_render/node_filter.h"
#include "graph_render/palette.h"
#include "hlo/ir/module.h"

namespace hlokit {

// A line of a label; any bytes.
struct LabelLine {
  std::string bold;
  std::string plain;  // follows the bold part
  bool italic = false;
  std::string before;  // stands in front of the bold part
  bool operator==(const LabelLine&) const = default;
};
using Label = std::vector<LabelLine>;

enum class NodeForm : uint8_t { kBox, kEllipse, kCircle };

struct GraphNode {
  const Instruction* instruction = nullptr;  // null: the tag of the root
  Label label;
  std::string tooltip;
  Fill fill = Fill::kWhite;
  std::string fill_color;  // "#rrggbb" instead of the fill's, or ""
  NodeForm form = NodeForm::kBox;
  bool dashed = false;
  bool highlighted = false;
  int cluster = -1;  // in Graph::clusters
};

struct GraphEdge {
  enum Kind : uint8_t { kData, kControl, kCalled, kTag };
  int from = 0, to = 0;  // in Graph::nodes
  Kind kind = kData;
  int64_t operand = -1;   // number to be shown at the head, -1: none
  bool large = false;     // at least kLargeElements flow
  int from_cluster = -1;  // kCalled: the edge starts at its frame
  std::string tooltip;
};

struct GraphCluster {
  Label label;
  int parent = -1;
  bool fusion = false;
  Fill fill = Fill::kPaper;  // of fusions
  const Computation* computation = nullptr;
};

struct Graph {
  Label title;
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::vector<GraphCluster> clusters;
};

// A colour and a line more for some instructions: times, bytes, differences.
struct NodeMark {
  std::string color;  // "#rrggbb", or ""
  std::string line;   // shown last in the label, or ""
};

struct GraphOptions {
  std::string title;
  bool backend_config = false;
  bool metadata = false;  // as lines of the label; tooltips always have it
  bool fusion_subcomputations = true;
  bool while_subcomputations = true;
  // Bodies of calls, conditionals, reductions that are more than one
  // operation.
  bool other_subcomputations = true;
  bool inline_constants = true;  // constants as lines of their users
  bool operand_names = false;    // a line for each operand
  bool sharding_color = false;   // colours go round by sharding
  bool addresses = false;        // of instructions in memory, for debuggers
  // What is drawn inside each other at most; deeper ones stay closed.
  int max_nesting = 64;
  // Frames at most; the title tells how many more stayed closed. (Graphviz
  // writes in a time that grows with frames times nodes.)
  size_t max_clusters = 1000;
  absl::flat_hash_map<const Instruction*, NodeMark> marks;
};

// The filter's computation with what it calls.
Graph BuildGraph(const NodeFilter& filter, const GraphOptions& options = {});

// Two computations (of two modules) side by side: instructions are matched by
// name; what only `before` has is red, what only `after` has green, what
// differs amber.
Graph BuildSideBySide(const NodeFilter& before, const NodeFilter& after,
                      const GraphOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_GRAPH_H_
