// What nodes say: names, shapes, attributes, and which instructions are only a
// line in the label of their users.
#ifndef HLOKIT_GRAPH_RENDER_NODE_LABEL_H_
#define HLOKIT_GRAPH_RENDER_NODE_LABEL_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph_render/graph.h"

namespace hlokit {

// "add", "max", "less-than" for a computation of one such operation on its two
// parameters; "" for others.
absl::string_view TrivialReducer(const Computation& computation);

// Whether users show it as a line of their label: constants, fused broadcasts
// of scalar constants, get-tuple-elements other than roots, fusion parameters
// that are constants outside, and tuple parameters with three users or more
// that are all get-tuple-elements.
bool IsInlined(const Instruction& instruction, const GraphOptions& options);

// The line of an inlined instruction: "f32[] 2", "constant c.4 f32[64]",
// "tuple-element 1 of w f32[4]". Empty when it has none (a parameter whose
// elements say where they come from).
std::string InlineText(const Instruction& instruction);

// "f32[2,3]{1,0}": layouts only of rank 2 and more; long ones cut at 64.
std::string ShapeLabel(const Shape& shape);

// The op_name, the source line and the call stack, one a line, as hovering
// shows it.
std::string MetadataText(const Instruction& instruction);

// The attributes of one instruction, "name=value" each.
std::vector<std::string> AttributeTexts(const Instruction& instruction);

// All lines of the node.
Label NodeLabel(const Instruction& instruction, const GraphOptions& options);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_NODE_LABEL_H_
