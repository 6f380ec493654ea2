// Where dumps as graphs come from: the one place where a renderer plugs in.
#ifndef HLOKIT_DUMP_GRAPH_RENDERER_H_
#define HLOKIT_DUMP_GRAPH_RENDERER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph_render/fusion_page.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Makes the contents of .dot, .html and .url dumps and of fusion
// visualisations. Implementations must be thread-safe.
class GraphRenderer {
 public:
  enum class Format {
    kDot,     // a Graphviz graph
    kHtml,    // a page that needs no network
    kUrl,     // one line: the address of a picture. Nothing is ever sent to a
              // server by the dumper
    kFusion,  // a page with the steps that made a computation's fusions
  };
  struct Request {
    const Module* module = nullptr;
    // Null: the whole module. Of kFusion: the computation is gone, only its
    // steps are known.
    const Computation* computation = nullptr;
    Format format = Format::kDot;
    // Only the entry, other computations closed (.top_level.html).
    bool top_level = false;
    // The dump's name, to be shown as the title.
    absl::string_view label;
    // Of kFusion: how the computation's fusions came about, if that is known.
    absl::Span<const FusionStep> steps;
    bool sharding_color = false;  // --xla_hlo_graph_sharding_color
    bool addresses = false;       // --xla_hlo_graph_addresses
  };

  virtual ~GraphRenderer() = default;
  // Unimplemented where there is no such format; the dumper then tells once and
  // writes no file.
  virtual absl::StatusOr<std::string> Render(const Request& request) = 0;
};

// The renderer of dumpers that are given none: that of graph_render/ unless
// another was set (null: that one again). Not owned. Call it before dumpers are
// used.
void SetDefaultGraphRenderer(GraphRenderer* renderer);
GraphRenderer* DefaultGraphRenderer();

}  // namespace hlokit

#endif  // HLOKIT_DUMP_GRAPH_RENDERER_H_
