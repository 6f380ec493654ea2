// A layout in rows for graphs of any size: time and memory grow with nodes and
// edges, not with their product.
//
// Every edge goes down. An edge that passes at most kMaxPassedRows rows is
// routed through points of its own in them (shared by the edges of one source).
// Longer ones are routed, too, the shortest first, as long as all points stay
// below kPointsPerNode for each node and kFreePoints; the others are `far`.
#ifndef HLOKIT_GRAPH_RENDER_LAYERED_LAYOUT_H_
#define HLOKIT_GRAPH_RENDER_LAYERED_LAYOUT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace hlokit {

struct LayoutSize {
  int width = 0, height = 0;
};

struct LayoutEdge {
  int from = 0, to = 0;  // nodes
  bool operator==(const LayoutEdge&) const = default;
};

inline constexpr int kMaxPassedRows = 8;
inline constexpr int kPointsPerNode = 1;
inline constexpr int kFreePoints = 2000;
// Room between boxes of a row, and between rows.
inline constexpr int kColumnGap = 14;
inline constexpr int kRowGap = 34;

struct LayeredLayout {
  // A node (index below the number of nodes) or, behind them, a point through
  // which edges pass. x, y: the left upper corner.
  struct Item {
    int row = 0;
    int x = 0, y = 0;
    int width = 0, height = 0;
  };
  std::vector<Item> items;
  // Pieces of edges between neighbouring rows: items, each pair once.
  std::vector<LayoutEdge> segments;
  // Between nodes.
  std::vector<LayoutEdge> far;
  int rows = 0;
  int width = 0, height = 0;
};

// Edges of a cycle (the caller's mistake) become far; so do edges from a node
// to itself. Equal edges count once. The same input gives the same layout.
LayeredLayout LayOut(absl::Span<const LayoutSize> nodes,
                     absl::Span<const LayoutEdge> edges);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_LAYERED_LAYOUT_H_
