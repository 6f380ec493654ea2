// The graph of a module as JSON, for other programs.
//
// docs/hlo-graph.md ("The JSON format") describes every member. Members may be
// added within a version; kGraphJsonVersion grows when one is removed or
// changes its meaning.
#ifndef HLOKIT_GRAPH_RENDER_GRAPH_JSON_H_
#define HLOKIT_GRAPH_RENDER_GRAPH_JSON_H_

#include <string>

#include "absl/types/span.h"
#include "graph_render/html_page.h"

namespace hlokit {

inline constexpr int kGraphJsonVersion = 1;

struct GraphJson {
  std::string text;  // ends in a newline
  // Names and other texts that are not UTF-8: JSON cannot hold them, so each
  // such byte became U+FFFD.
  int64_t replaced_texts = 0;
};

// Writes one graph, or, of several stages, a list of them with what changed
// from one to the next. There is at least one stage. Time and size grow with
// instructions and operands.
GraphJson GraphToJson(absl::Span<const PageStage> stages);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_GRAPH_JSON_H_
