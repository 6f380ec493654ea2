// Groups of instructions by the scopes of their op_names.
//
// JAX and TensorFlow name operations like files: "jit(step)/layer3/attn/dot".
// A scope becomes a box. What is called several times (a `relu` for each layer)
// becomes several boxes, and a box that would be both above and below another
// one is cut, so that edges between boxes only go down. What has no op_name
// goes where all of its users are; many parameters share a box.
#ifndef HLOKIT_GRAPH_RENDER_SCOPES_H_
#define HLOKIT_GRAPH_RENDER_SCOPES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph_render/layered_layout.h"
#include "hlo/ir/computation.h"

namespace hlokit {

// "jit(f)/a(b/c)/add" -> "jit(f)", "a(b/c)": without the operation.
std::vector<absl::string_view> ScopeOf(absl::string_view op_name);

// Boxes in boxes. Box 0 is the computation.
struct ScopeBox {
  std::string name;  // "layer3/attn"
  int parent = -1;
  std::vector<const Instruction*> instructions;  // directly in it
  std::vector<int> boxes;                        // directly in it
};

// Every instruction of the computation is in one box. Boxes of a single
// instruction or with a single box in them are left out. In order of the
// computation.
std::vector<ScopeBox> ScopeBoxes(const Computation& computation);

// Cuts groups so that the graph of groups has no cycle: those on a cycle into
// what hangs together, and what is left of cycles by depth. `group` holds a
// number >= 0 for each node, equal for nodes of one group; what comes back is the same with
// new numbers, which count from 0. `edges` are those of an acyclic graph whose
// nodes are in topological order.
std::vector<int> CutIntoAcyclicGroups(absl::Span<const int> group,
                                      absl::Span<const LayoutEdge> edges);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_SCOPES_H_
