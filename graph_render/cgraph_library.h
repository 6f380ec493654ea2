// Graphviz' libcgraph, loaded when a graph is first written: tools that draw
// nothing do not pay for it at their start.
#ifndef HLOKIT_GRAPH_RENDER_CGRAPH_LIBRARY_H_
#define HLOKIT_GRAPH_RENDER_CGRAPH_LIBRARY_H_

#include <graphviz/cgraph.h>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace hlokit {

// The functions that we call. libcgraph keeps state of its own: hold `mutex`.
struct CgraphLibrary {
  decltype(&::agopen) open = nullptr;
  decltype(&::agclose) close = nullptr;
  decltype(&::agnode) node = nullptr;
  decltype(&::agedge) edge = nullptr;
  decltype(&::agsubg) subgraph = nullptr;
  decltype(&::agattr) attribute = nullptr;
  decltype(&::agxset) set = nullptr;
  decltype(&::agstrdup) dup = nullptr;
  decltype(&::agstrdup_html) html = nullptr;
  decltype(&::agstrfree) free_string = nullptr;
  decltype(&::agwrite) write = nullptr;
  Agmemdisc_t* memory = nullptr;
  const Agdesc_t* directed = nullptr;

  // Unavailable when the library is not installed.
  static absl::StatusOr<const CgraphLibrary*> Load();
  static absl::Mutex& mutex();
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_CGRAPH_LIBRARY_H_
