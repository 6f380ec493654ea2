// The boxes of a page: what is drawn inside what, each laid out by itself.
//
// Every computation has a flat container (all its instructions) and, where
// op_names tell scopes, a container of scope boxes. A box's inside is laid out
// with the boxes in it closed; the page makes room when one is opened.
#ifndef HLOKIT_GRAPH_RENDER_PAGE_LAYOUT_H_
#define HLOKIT_GRAPH_RENDER_PAGE_LAYOUT_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph_render/layered_layout.h"
#include "graph_render/node_filter.h"
#include "hlo/ir/module.h"

namespace hlokit {

struct PageContainer {
  std::string name;     // of a scope; empty: the whole computation
  int computation = 0;  // in PageLayout::computations
  // What the layout's nodes are: an instruction's number, or ~container.
  std::vector<int> contents;
  int64_t instructions = 0;  // also those in boxes inside
  LayeredLayout layout;
};

struct PageComputation {
  const Computation* computation = nullptr;
  // The numbers of its instructions are first .. first + count - 1.
  int first = 0, count = 0;
  int flat = 0;     // container
  int scoped = -1;  // container, -1: no scopes
};

struct PageLayout {
  std::vector<PageComputation> computations;
  std::vector<const Instruction*> instructions;
  absl::flat_hash_map<const Instruction*, int> number_of;
  absl::flat_hash_map<const Computation*, int> computation_number_of;
  std::vector<PageContainer> containers;
};

// What of a module is on the page.
struct PageSelection {
  // With all that it calls; null: the whole module, the entry first.
  const Computation* root = nullptr;
  // Nothing that `root` calls.
  bool closed = false;
  // Of root: only what is shown.
  const NodeFilter* filter = nullptr;
};

PageLayout LayOutPage(const Module& module, const PageSelection& selection);
// Returns the same computations and instructions, without containers.
PageLayout ListPage(const Module& module, const PageSelection& selection);

// The first line of an instruction's box: its name; of constants the value.
std::string BoxTitle(const Instruction& instruction);
// The second: opcode and shape.
std::string BoxSubtitle(const Instruction& instruction);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_PAGE_LAYOUT_H_
