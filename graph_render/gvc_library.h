// Graphviz' libgvc, loaded when the first picture is drawn.
#ifndef HLOKIT_GRAPH_RENDER_GVC_LIBRARY_H_
#define HLOKIT_GRAPH_RENDER_GVC_LIBRARY_H_

#include <graphviz/gvc.h>

#include "absl/status/statusor.h"

namespace hlokit {

// The functions that we call. They print what is wrong to standard error, and
// some mistakes end the process: call them in a child.
struct GvcLibrary {
  decltype(&::gvContext) context = nullptr;
  decltype(&::gvLayout) layout = nullptr;
  decltype(&::gvRenderData) render = nullptr;
  decltype(&::agmemread) read = nullptr;

  // Unavailable when the library is not installed.
  static absl::StatusOr<const GvcLibrary*> Load();
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_GVC_LIBRARY_H_
