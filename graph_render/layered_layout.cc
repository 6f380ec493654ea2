#include "graph_render/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph_render/row_placement.h"

namespace hlokit {
namespace {

// Rows are cut when they are wider than this, or than the picture is high.
constexpr double kMinRowWidth = 4000;
constexpr int kPointWidth = 8;
constexpr int kOrderSweeps = 4;
constexpr int kPlaceSweeps = 6;
// Rows use little more room than the widest ones near them: so much more, and
// so much less for each row between.
constexpr double kSpareRoom = 1.2, kLeastRoom = 600, kNarrowing = 150;

// Neighbours of each node, one after the other.
class Adjacency {
 public:
  // Of edges by `key`, listing `value`.
  template <typename Key, typename Value>
  Adjacency(int nodes, absl::Span<const LayoutEdge> edges, Key key,
            Value value)
      : start_(nodes + 1, 0), list_(edges.size()) {
    for (const LayoutEdge& edge : edges) ++start_[key(edge) + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<int> next(start_.begin(), start_.end() - 1);
    for (const LayoutEdge& edge : edges) list_[next[key(edge)]++] = value(edge);
  }
  absl::Span<const int> operator[](int node) const {
    return absl::MakeConstSpan(list_).subspan(start_[node],
                                              start_[node + 1] - start_[node]);
  }
  int size() const { return start_.size() - 1; }

 private:
  std::vector<int> start_;
  std::vector<int> list_;
};

int From(const LayoutEdge& edge) { return edge.from; }
int To(const LayoutEdge& edge) { return edge.to; }

class Engine {
 public:
  Engine(absl::Span<const LayoutSize> nodes, absl::Span<const LayoutEdge> edges)
      : nodes_(nodes), edges_(edges.begin(), edges.end()) {}

  LayeredLayout Run() {
    SortEdges();
    OrderNodes();
    ChooseLevels();
    CutLevels();
    RouteEdges();
    OrderRows();
    PlaceColumns();
    PlaceRows();
    return std::move(layout_);
  }

 private:
  void SortEdges() {
    auto less = [](const LayoutEdge& a, const LayoutEdge& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    };
    std::sort(edges_.begin(), edges_.end(), less);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  // Sources first, lower indices first; what lies on a cycle comes last.
  void OrderNodes() {
    const int n = nodes_.size();
    const Adjacency users(n, edges_, From, To);
    std::vector<int> missing(n, 0);
    for (const LayoutEdge& edge : edges_) ++missing[edge.to];
    std::vector<int> position(n, -1);
    for (int i = 0; i < n; ++i) {
      if (missing[i] == 0) order_.push_back(i);
    }
    for (size_t k = 0; k < order_.size(); ++k) {
      position[order_[k]] = k;
      for (const int user : users[order_[k]]) {
        if (--missing[user] == 0) order_.push_back(user);
      }
    }
    for (int i = 0; i < n; ++i) {
      if (position[i] >= 0) continue;
      position[i] = order_.size();
      order_.push_back(i);
    }
    auto backward = [&](const LayoutEdge& edge) {
      return position[edge.from] >= position[edge.to];
    };
    std::copy_if(edges_.begin(), edges_.end(), std::back_inserter(layout_.far),
                 backward);
    edges_.erase(std::remove_if(edges_.begin(), edges_.end(), backward),
                 edges_.end());
  }

  // As early as possible; then what has no more operands than users as late as
  // possible, so that parameters and constants stand near their users.
  void ChooseLevels() {
    const int n = nodes_.size();
    const Adjacency operands(n, edges_, To, From);
    const Adjacency users(n, edges_, From, To);
    level_.assign(n, 0);
    for (const int node : order_) {
      for (const int operand : operands[node]) {
        level_[node] = std::max(level_[node], level_[operand] + 1);
      }
    }
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const int node = *it;
      if (users[node].empty() || operands[node].size() > users[node].size()) {
        continue;
      }
      int latest = level_[users[node][0]];
      for (const int user : users[node]) {
        latest = std::min(latest, level_[user]);
      }
      level_[node] = std::max(level_[node], latest - 1);
    }
  }

  // Nodes of one level do not depend on each other, so that a wide level may
  // take several rows.
  void CutLevels() {
    double area = 0;
    int levels = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      area += (nodes_[i].width + kColumnGap) *
              static_cast<double>(nodes_[i].height + kRowGap);
      levels = std::max(levels, level_[i] + 1);
    }
    const double limit = std::max(kMinRowWidth, 1.5 * std::sqrt(area));
    std::vector<std::vector<int>> by_level(levels);
    for (const int node : order_) by_level[level_[node]].push_back(node);
    layout_.items.resize(nodes_.size());
    int row = 0;
    for (const std::vector<int>& level : by_level) {
      double width = 0;
      for (const int node : level) {
        const double step = nodes_[node].width + kColumnGap;
        if (width > 0 && width + step > limit) {
          ++row;
          width = 0;
        }
        width += step;
        LayeredLayout::Item& item = layout_.items[node];
        item.row = row;
        item.width = nodes_[node].width;
        item.height = nodes_[node].height;
      }
      ++row;
    }
    layout_.rows = row;
  }

  int AddPoint(int row) {
    LayeredLayout::Item point;
    point.row = row;
    point.width = kPointWidth;
    layout_.items.push_back(point);
    return layout_.items.size() - 1;
  }

  int PassedRows(const LayoutEdge& edge) const {
    return layout_.items[edge.to].row - layout_.items[edge.from].row - 1;
  }

  // How many rows an edge may pass so that all strings of points together stay
  // within bounds: those of kMaxPassedRows are always there.
  int LongestRouted() const {
    int64_t left = kPointsPerNode * static_cast<int64_t>(nodes_.size()) +
                   kFreePoints;
    // How many sources have an edge that passes so many rows: each of them
    // needs a point in that row.
    std::vector<int> longest(nodes_.size(), 0);
    for (const LayoutEdge& edge : edges_) {
      longest[edge.from] = std::max(longest[edge.from], PassedRows(edge));
    }
    std::vector<int> reaching(layout_.rows + 1, 0);
    for (const int length : longest) {
      if (length > kMaxPassedRows) ++reaching[length];
    }
    int64_t sources = std::count_if(
        longest.begin(), longest.end(),
        [](int length) { return length > kMaxPassedRows; });
    int limit = kMaxPassedRows;
    while (sources > 0 && left >= sources) {
      left -= sources;
      ++limit;
      sources -= reaching[limit];
    }
    return sources > 0 ? limit : layout_.rows;
  }

  // One string of points below each source; its users branch off.
  void RouteEdges() {
    const int limit = LongestRouted();
    std::vector<int> string;
    for (size_t e = 0; e < edges_.size();) {
      const int from = edges_[e].from;
      const int row = layout_.items[from].row;
      string.assign(1, from);
      size_t end = e;
      while (end < edges_.size() && edges_[end].from == from) ++end;
      for (; e < end; ++e) {
        const int passed = PassedRows(edges_[e]);
        if (passed > limit) {
          layout_.far.push_back(edges_[e]);
          continue;
        }
        while (static_cast<int>(string.size()) <= passed) {
          const int point = AddPoint(row + string.size());
          layout_.segments.push_back({string.back(), point});
          string.push_back(point);
        }
        layout_.segments.push_back({string[passed], edges_[e].to});
      }
    }
  }

  // Fewer crossings: each row by the mean position of its neighbours.
  void OrderRows() {
    rows_.resize(layout_.rows);
    const int n = layout_.items.size();
    // Nodes in order, points where their source stands.
    for (const int node : order_) {
      rows_[layout_.items[node].row].push_back(node);
    }
    for (int i = nodes_.size(); i < n; ++i) {
      rows_[layout_.items[i].row].push_back(i);
    }
    position_.assign(n, 0);
    for (const auto& row : rows_) NumberRow(row);
    const Adjacency above(n, layout_.segments, To, From);
    const Adjacency below(n, layout_.segments, From, To);
    std::vector<double> mean(n, 0);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (int r = 0; r < layout_.rows; ++r) {
        std::vector<int>& row = rows_[down ? r : layout_.rows - 1 - r];
        SortRow(down ? above : below, &mean, &row);
      }
    }
  }

  void NumberRow(const std::vector<int>& row) {
    // Rows of different lengths are compared on one scale.
    for (size_t k = 0; k < row.size(); ++k) {
      position_[row[k]] = (k + 0.5) / row.size();
    }
  }

  void SortRow(const Adjacency& neighbours, std::vector<double>* mean,
               std::vector<int>* row) {
    for (const int item : *row) {
      double sum = 0;
      for (const int other : neighbours[item]) sum += position_[other];
      const size_t count = neighbours[item].size();
      (*mean)[item] = count > 0 ? sum / count : position_[item];
    }
    std::stable_sort(row->begin(), row->end(), [&](int a, int b) {
      return (*mean)[a] < (*mean)[b];
    });
    NumberRow(*row);
  }

  // How wide each row may be. Without bounds rows of one level move apart, and
  // most of the picture is empty.
  std::vector<double> RoomOfRows() const {
    std::vector<double> room;
    for (const std::vector<int>& row : rows_) {
      double width = 0;
      for (const int item : row) {
        width += layout_.items[item].width + kColumnGap;
      }
      room.push_back(std::max(kLeastRoom, kSpareRoom * width));
    }
    for (size_t r = 1; r < room.size(); ++r) {
      room[r] = std::max(room[r], room[r - 1] - kNarrowing);
    }
    for (size_t r = room.size(); r-- > 1;) {
      room[r - 1] = std::max(room[r - 1], room[r] - kNarrowing);
    }
    return room;
  }

  // Straight edges: each item towards the mean of its neighbours.
  void PlaceColumns() {
    const int n = layout_.items.size();
    const Adjacency above(n, layout_.segments, To, From);
    const Adjacency below(n, layout_.segments, From, To);
    std::vector<double> center(n, 0);
    const std::vector<double> room = RoomOfRows();
    RowPlacement placement(kColumnGap);
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (int k = 0; k < layout_.rows; ++k) {
        const int r = down ? k : layout_.rows - 1 - k;
        placement.Clear();
        for (const int item : rows_[r]) {
          AddWish(item, down ? above[item] : below[item], center, &placement);
        }
        placement.Place(room[r] / 2);
        for (size_t i = 0; i < rows_[r].size(); ++i) {
          center[rows_[r][i]] = placement.center(i);
        }
      }
    }
    double least = 0;
    for (int i = 0; i < n; ++i) {
      least = std::min(least, center[i] - layout_.items[i].width / 2.0);
    }
    for (const std::vector<int>& row : rows_) RoundRow(row, least, center);
  }

  void AddWish(int item, absl::Span<const int> wanted,
               const std::vector<double>& center, RowPlacement* placement) {
    double sum = 0;
    for (const int other : wanted) sum += center[other];
    const bool is_point = item >= static_cast<int>(nodes_.size());
    const double wish = wanted.empty() ? center[item] : sum / wanted.size();
    const double weight = wanted.empty() ? 0.1 : is_point ? 4 : 1;
    placement->Add(layout_.items[item].width, wish, weight);
  }

  // Whole pixels, without overlaps by rounding.
  void RoundRow(const std::vector<int>& row, double least,
                const std::vector<double>& center) {
    int next = 0;
    for (size_t k = 0; k < row.size(); ++k) {
      LayeredLayout::Item& item = layout_.items[row[k]];
      const int x = std::lround(center[row[k]] - item.width / 2.0 - least);
      item.x = k == 0 ? x : std::max(x, next);
      next = item.x + item.width + kColumnGap;
      layout_.width = std::max(layout_.width, item.x + item.width);
    }
  }

  void PlaceRows() {
    int y = 0;
    for (const std::vector<int>& row : rows_) {
      int height = 0;
      for (const int item : row) {
        height = std::max(height, layout_.items[item].height);
      }
      for (const int item : row) {
        LayeredLayout::Item& it = layout_.items[item];
        it.y = y + (height - it.height) / 2;
      }
      layout_.height = y + height;
      y += height + kRowGap;
    }
  }

  const absl::Span<const LayoutSize> nodes_;
  std::vector<LayoutEdge> edges_;  // by source, then target
  std::vector<int> order_;         // topological
  std::vector<int> level_;
  std::vector<std::vector<int>> rows_;
  std::vector<double> position_;
  LayeredLayout layout_;
};

}  // namespace

LayeredLayout LayOut(absl::Span<const LayoutSize> nodes,
                     absl::Span<const LayoutEdge> edges) {
  return Engine(nodes, edges).Run();
}

}  // namespace hlokit
