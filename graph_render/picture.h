// Pictures: Graphviz' language laid out and drawn by its libgvc.
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
  int64_t memory_limit_bytes = int64_t{4} << 30;
  int64_t max_bytes = int64_t{1} << 30;
};

// `format` is svg, png or pdf. The library is loaded when the first picture is
// drawn and works in a child process of its own: a layout that takes longer or
// more memory than the limits gives ResourceExhausted with advice, one that
// fails Internal, a machine without the library Unavailable. Not to be called
// while other threads load libraries.
absl::StatusOr<std::string> DrawDot(absl::string_view dot,
                                    absl::string_view format,
                                    const PictureOptions& options = {});

// The address of a page that draws the graph in the browser. The graph stands
// behind the `#`, which browsers keep to themselves: nothing is sent to a
// server, neither by us nor on opening.
std::string DotUrl(absl::string_view dot);

// What to tell about an address that browsers do not open because it is too
// long (2 MB); "" otherwise.
std::string UrlCaveat(absl::string_view url);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_PICTURE_H_
