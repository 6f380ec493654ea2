#include "graph_render/layered_layout.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <set>

#include "gmock/gmock.h"
#include "graph_render/page_layout.h"
#include "graph_render/row_placement.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::IsEmpty;

// What a picture must not do, or "".
std::string FaultOf(absl::Span<const LayoutSize> nodes,
                    absl::Span<const LayoutEdge> edges,
                    const LayeredLayout& layout) {
  const auto& items = layout.items;
  std::map<int, std::vector<LayeredLayout::Item>> rows;
  for (const auto& item : items) {
    if (item.x < 0 || item.y < 0 || item.x + item.width > layout.width ||
        item.y + item.height > layout.height) {
      return "an item lies outside";
    }
    rows[item.row].push_back(item);
  }
  int bottom = -1;
  for (auto& [r, row] : rows) {
    std::sort(row.begin(), row.end(),
              [](const auto& a, const auto& b) { return a.x < b.x; });
    int next_bottom = bottom;
    for (size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].x < row[k - 1].x + row[k - 1].width + kColumnGap) {
        return "two items of a row overlap";
      }
      if (row[k].y <= bottom) return "two rows overlap";
      next_bottom = std::max(next_bottom, row[k].y + row[k].height);
    }
    bottom = next_bottom;
  }
  for (const LayoutEdge& s : layout.segments) {
    if (items[s.from].row + 1 != items[s.to].row) return "a segment skips rows";
    if (items[s.from].y + items[s.from].height >= items[s.to].y) {
      return "a segment does not go down";
    }
  }
  for (const LayoutEdge& edge : layout.far) {
    if (items[edge.from].row >= items[edge.to].row) return "far goes up";
  }
  // Each edge is routed through points to its end, or far.
  std::map<int, std::vector<int>> next;
  for (const LayoutEdge& s : layout.segments) next[s.from].push_back(s.to);
  std::set<std::pair<int, int>> drawn;
  for (const LayoutEdge& edge : layout.far) drawn.insert({edge.from, edge.to});
  for (int from = 0; from < static_cast<int>(nodes.size()); ++from) {
    std::vector<int> pending = {from};
    while (!pending.empty()) {
      const int at = pending.back();
      pending.pop_back();
      for (const int to : next[at]) {
        if (to < static_cast<int>(nodes.size())) {
          if (!drawn.insert({from, to}).second) return "drawn twice";
        } else {
          pending.push_back(to);
        }
      }
    }
  }
  std::set<std::pair<int, int>> wanted;
  for (const LayoutEdge& edge : edges) wanted.insert({edge.from, edge.to});
  if (drawn != wanted) return "other edges than asked for";
  return "";
}

std::vector<LayoutSize> Boxes(int n) {
  std::vector<LayoutSize> nodes(n);
  for (int i = 0; i < n; ++i) nodes[i] = {40 + i * 37 % 200, 20 + i % 3 * 7};
  return nodes;
}

TEST(LayeredLayoutTest, AChainStandsInOneColumn) {
  const std::vector<LayoutSize> nodes(4, LayoutSize{100, 30});
  const std::vector<LayoutEdge> edges = {{0, 1}, {1, 2}, {2, 3}};
  const LayeredLayout layout = LayOut(nodes, edges);
  EXPECT_EQ(FaultOf(nodes, edges, layout), "");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(layout.items[i].row, i);
    EXPECT_EQ(layout.items[i].x, 0);
    EXPECT_EQ(layout.items[i].y, i * (30 + kRowGap));
  }
}

TEST(LayeredLayoutTest, SourcesStandAboveTheirUsers) {
  // 0 -> 1 -> 2 -> 3, and 4 is used by 3 only.
  const std::vector<LayoutSize> nodes(5, LayoutSize{50, 20});
  const LayeredLayout layout =
      LayOut(nodes, std::vector<LayoutEdge>{{0, 1}, {1, 2}, {2, 3}, {4, 3}});
  EXPECT_EQ(layout.items[4].row, 2);
}

TEST(LayeredLayoutTest, LongEdgesAreRoutedWhereTheyAreFew) {
  std::vector<LayoutSize> nodes(20, LayoutSize{50, 20});
  std::vector<LayoutEdge> edges;
  for (int i = 1; i < 20; ++i) edges.push_back({i - 1, i});
  edges.push_back({0, 19});
  edges.push_back({0, 9});
  const LayeredLayout layout = LayOut(nodes, edges);
  EXPECT_EQ(FaultOf(nodes, edges, layout), "");
  EXPECT_THAT(layout.far, IsEmpty());
  // One string of points serves both.
  EXPECT_EQ(layout.items.size(), 20u + 18u);
}

TEST(LayeredLayoutTest, OfManyLongEdgesTheShortOnesAreRouted) {
  // Next to short ones, more rows than there may be points for.
  const int n = 4000;
  std::vector<LayoutEdge> edges;
  for (int i = 1; i < n; ++i) edges.push_back({i - 1, i});
  for (int i = 0; i < 1000; ++i) {
    edges.push_back({i, i + 6});
    edges.push_back({i, i + 2500});
  }
  const std::vector<LayoutSize> nodes(n, LayoutSize{50, 20});
  const LayeredLayout layout = LayOut(nodes, edges);
  EXPECT_EQ(FaultOf(nodes, edges, layout), "");
  EXPECT_EQ(layout.far.size(), 1000u);
}

TEST(LayeredLayoutTest, CyclesAndDoublesDoNoHarm) {
  const std::vector<LayoutSize> nodes(3, LayoutSize{50, 20});
  const LayeredLayout layout = LayOut(
      nodes, std::vector<LayoutEdge>{{0, 1}, {0, 1}, {1, 2}, {2, 1}, {2, 2}});
  EXPECT_EQ(layout.items.size(), 3u);
  EXPECT_EQ(layout.far.size() + layout.segments.size(), 4u);
  EXPECT_THAT(LayOut({}, {}).items, IsEmpty());
}

TEST(LayeredLayoutTest, RandomGraphsHaveNoOverlapsAndGoDown) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + random() % 120;
    std::vector<LayoutEdge> edges;
    for (int k = 0; k < 2 * n; ++k) {
      const int a = random() % n, b = random() % n;
      if (a < b) edges.push_back({a, b});
    }
    const std::vector<LayoutSize> nodes = Boxes(n);
    const LayeredLayout layout = LayOut(nodes, edges);
    ASSERT_EQ(FaultOf(nodes, edges, layout), "") << round;
  }
}

TEST(LayeredLayoutTest, TheSameInputGivesTheSameLayout) {
  std::vector<LayoutEdge> edges;
  for (int i = 0; i < 500; ++i) edges.push_back({i, i + 1 + i * 31 % 40});
  const std::vector<LayoutSize> nodes = Boxes(600);
  const LayeredLayout a = LayOut(nodes, edges);
  std::reverse(edges.begin(), edges.end());
  const LayeredLayout b = LayOut(nodes, edges);
  ASSERT_EQ(a.items.size(), b.items.size());
  for (size_t i = 0; i < a.items.size(); ++i) {
    EXPECT_EQ(a.items[i].x, b.items[i].x);
    EXPECT_EQ(a.items[i].y, b.items[i].y);
  }
}

TEST(LayeredLayoutTest, WideLevelsTakeSeveralRows) {
  const std::vector<LayoutSize> nodes(5000, LayoutSize{100, 30});
  const LayeredLayout layout = LayOut(nodes, {});
  EXPECT_GT(layout.rows, 10);
  EXPECT_LT(layout.width, 40000);
  EXPECT_EQ(FaultOf(nodes, {}, layout), "");
}

TEST(LayeredLayoutTest, PointsGrowWithEdgesOnly) {
  // Every node uses node 0.
  const int n = 20000;
  std::vector<LayoutEdge> edges;
  for (int i = 1; i < n; ++i) {
    edges.push_back({i - 1, i});
    if (i > 1) edges.push_back({0, i});
  }
  const LayeredLayout layout =
      LayOut(std::vector<LayoutSize>(n, LayoutSize{50, 20}), edges);
  EXPECT_LE(layout.items.size(), static_cast<size_t>(2 * n));
}

// Layers of a few operations with edges that go back some steps, and weights
// that all layers use.
double SecondsToLayOut(int n) {
  std::vector<LayoutEdge> edges;
  for (int i = 100; i < n; ++i) {
    edges.push_back({i - 1, i});
    edges.push_back({i - 1 - i * 7919 % 40, i});
    if (i % 5 == 0) edges.push_back({i * 31 % 100, i});
  }
  const std::vector<LayoutSize> nodes = Boxes(n);
  const std::clock_t start = std::clock();  // of this process, not the wall's
  const LayeredLayout layout = LayOut(nodes, edges);
  EXPECT_LE(layout.items.size(),
            static_cast<size_t>(n) * (kMaxPassedRows + 1 + kPointsPerNode) +
                kFreePoints);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(LayeredLayoutTest, TimeGrowsWithTheSizeOnly) {
  // Machines are shared: the best of some.
  double small = 1e9, large = 1e9;
  for (int i = 0; i < 3; ++i) {
    small = std::min(small, SecondsToLayOut(25000));
    large = std::min(large, SecondsToLayOut(100000));
  }
  RecordProperty("ms_100k", static_cast<int>(1000 * large));
  EXPECT_LT(large, 8 * small);  // quadratic would be 16
}

TEST(LayeredLayoutTest, ModulesOfTheCorporaAreLaidOutWithoutFault) {
  int containers = 0;
  const int modules =
      ForEachCorpusModule([&](const std::string& file, const Module& module) {
        const PageLayout page = LayOutPage(module, {});
        int64_t shown = 0;
        for (const PageContainer& container : page.containers) {
          ++containers;
          std::vector<LayoutSize> nodes(container.contents.size());
          std::vector<LayoutEdge> edges = container.layout.far;
          std::map<int, std::vector<int>> next;
          for (const LayoutEdge& s : container.layout.segments) {
            next[s.from].push_back(s.to);
          }
          for (int from = 0; from < static_cast<int>(nodes.size()); ++from) {
            std::vector<int> pending = next[from];
            while (!pending.empty()) {
              const int at = pending.back();
              pending.pop_back();
              if (at < static_cast<int>(nodes.size())) {
                edges.push_back({from, at});
              } else {
                pending.insert(pending.end(), next[at].begin(), next[at].end());
              }
            }
          }
          ASSERT_EQ(FaultOf(nodes, edges, container.layout), "")
              << file << " " << container.name;
        }
        for (const PageComputation& c : page.computations) shown += c.count;
        EXPECT_EQ(shown, module.instruction_count()) << file;
      });
  if (modules == 0) GTEST_SKIP() << "no corpora";
  EXPECT_GT(containers, modules);
}

TEST(RowPlacementTest, ARowStaysWithinItsBounds) {
  RowPlacement row(10);
  for (const double wish : {500.0, 510.0, 900.0}) row.Add(20, wish, 1);
  row.Place(100);
  EXPECT_DOUBLE_EQ(row.center(2), 90);  // its right edge is at the bound
  EXPECT_DOUBLE_EQ(row.center(0), 30);
  // A row that is wider than its bounds has its middle at 0.
  row.Place(5);
  EXPECT_DOUBLE_EQ(row.center(1), 0);
}

// A level of many boxes that takes several rows, each joined to the level
// before, as optimizer updates are: rows must not drift apart.
TEST(LayeredLayoutTest, RowsOfAWideLevelStayAboveEachOther) {
  constexpr int kWide = 600, kLevels = 3;
  std::vector<LayoutSize> sizes(1 + kLevels * kWide, {150, 34});
  std::vector<LayoutEdge> edges;
  for (int level = 0; level < kLevels; ++level) {
    for (int i = 0; i < kWide; ++i) {
      const int node = 1 + level * kWide + i;
      edges.push_back({level == 0 ? 0 : node - kWide, node});
      if (i > 0) edges.push_back({level == 0 ? 0 : node - kWide - 1, node});
    }
  }
  const LayeredLayout layout = LayOut(sizes, edges);
  std::vector<int> widths(layout.rows, 0);
  for (const LayeredLayout::Item& item : layout.items) {
    widths[item.row] += item.width + kColumnGap;
  }
  EXPECT_LT(layout.width,
            1.25 * *std::max_element(widths.begin(), widths.end()) + 600);
}

TEST(RowPlacementTest, WishesThatFitComeTrue) {
  RowPlacement row(10);
  row.Add(20, 50, 1);
  row.Add(20, 100, 1);
  row.Place();
  EXPECT_DOUBLE_EQ(row.center(0), 50);
  EXPECT_DOUBLE_EQ(row.center(1), 100);
}

TEST(RowPlacementTest, BoxesThatWantTheSamePlaceShareIt) {
  RowPlacement row(10);
  row.Add(20, 50, 1);
  row.Add(20, 50, 1);
  row.Place();
  EXPECT_DOUBLE_EQ(row.center(0), 35);
  EXPECT_DOUBLE_EQ(row.center(1), 65);
}

}  // namespace
}  // namespace hlokit
