// Pictures: Graphviz' language laid out and drawn by the `dot` program.
#ifndef HLOKIT_GRAPH_RENDER_PICTURE_H_
#define HLOKIT_GRAPH_RENDER_PICTURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace hlokit {

struct PictureOptions {
  // Layouts by Graphviz take seconds from about 1000 nodes on.
  absl::Duration time_limit = absl::Seconds(60);
  int64_t max_bytes = int64_t{1} << 30;
};

// `format` is svg, png or pdf. The program runs as a child of its own: a layout
// that takes longer than the limit gives
// ResourceExhausted with advice, one that fails Internal, a machine without the
// program Unavailable.
absl::StatusOr<std::string> DrawDot(absl::string_view dot,
                                    absl::string_view format,
                                    const PictureOptions& options = {});

// The address of a page that draws the graph in the browser. The graph stands
// behind the `#`, which browsers keep to themselves: nothing is sent to a
// server, neither by us nor on opening. ResourceExhausted when the address
// would be longer than browsers take (2 MB).
absl::StatusOr<std::string> DotUrl(absl::string_view dot);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_PICTURE_H_
