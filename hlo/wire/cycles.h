// Finding cycles in what a file says uses what.
#ifndef HLOKIT_HLO_WIRE_CYCLES_H_
#define HLOKIT_HLO_WIRE_CYCLES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hlokit::wire {

// A path that ends where it began: "m, a, m"; empty when the graph has none.
// `edges(node)` are the nodes that must come before it.
template <typename Node, typename Edges>
std::vector<Node*> FindCycle(const std::vector<Node*>& nodes,
                             const Edges& edges) {
  enum State { kOpen, kDone };
  absl::flat_hash_map<Node*, State> states;
  struct Frame {
    Node* node;
    std::vector<Node*> next;
  };
  for (Node* start : nodes) {
    if (states.contains(start)) continue;
    std::vector<Frame> stack = {{start, edges(start)}};
    states[start] = kOpen;
    while (!stack.empty()) {
      if (stack.back().next.empty()) {
        states[stack.back().node] = kDone;
        stack.pop_back();
        continue;
      }
      Node* next = stack.back().next.back();
      stack.back().next.pop_back();
      auto [it, is_new] = states.try_emplace(next, kOpen);
      if (is_new) {
        stack.push_back({next, edges(next)});
      } else if (it->second == kOpen) {
        std::vector<Node*> cycle;
        size_t i = stack.size();
        while (stack[i - 1].node != next) --i;
        for (--i; i < stack.size(); ++i) cycle.push_back(stack[i].node);
        cycle.push_back(next);
        return cycle;
      }
    }
  }
  return {};
}

// "instructions in a cycle: m uses a, a uses m".
template <typename Node>
std::string CycleText(absl::string_view kind, absl::string_view verb,
                      const std::vector<Node*>& cycle) {
  constexpr size_t kShown = 8;
  std::string text = absl::StrCat(kind, " in a cycle: ");
  for (size_t i = 0; i + 1 < cycle.size(); ++i) {
    if (i == kShown) {
      absl::StrAppend(&text, ", ... (", cycle.size() - 1, " in all)");
      break;
    }
    absl::StrAppend(&text, i > 0 ? ", " : "", cycle[i]->name(), " ", verb, " ",
                    cycle[i + 1]->name());
  }
  return text;
}

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_CYCLES_H_
