// Graphs in a terminal: trees of operands.
#ifndef HLOKIT_GRAPH_TOOLS_TEXT_TREE_H_
#define HLOKIT_GRAPH_TOOLS_TEXT_TREE_H_

#include <cstdint>
#include <string>

#include "base/terminal.h"
#include "graph_render/graph.h"
#include "graph_render/node_filter.h"

namespace hlokit {

struct TextTreeOptions {
  Painter painter{false};
  int width = 100;        // columns
  int64_t max_lines = 2000;
  absl::flat_hash_map<const Instruction*, NodeMark> marks;
};

// One tree for each shown instruction that no shown one uses; below it its
// operands. An instruction that stands already above is not opened again ("see
// above"); operands that are not shown end as "...".
//
//   red = reduce f32[]                       model.py:7
//   |- g = get-tuple-element f32[64,64]
//   |  `- w = while (s32[], f32[64,64])
//   `- z = constant f32[] 0
std::string TextTree(const NodeFilter& filter, const TextTreeOptions& options);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_TEXT_TREE_H_
