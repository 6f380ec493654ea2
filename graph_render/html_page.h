// The interactive page: one HTML file that needs nothing else, no network, no
// server, no extension.
//
// Everything from modules is data: compressed, in base64, never markup or
// script. The page's policy allows its own script and style by their hashes and
// nothing else.
#ifndef HLOKIT_GRAPH_RENDER_HTML_PAGE_H_
#define HLOKIT_GRAPH_RENDER_HTML_PAGE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph_render/page_layout.h"

namespace hlokit {

// A state of a program: the slider goes from one to the next.
struct PageStage {
  std::string label;
  const Module* module = nullptr;
  PageSelection selection;
  // Whether it comes of the stage before it and is compared with that one.
  bool follows = true;
  // The instruction that is selected and opened when the slider gets here; "":
  // what was selected stays so.
  std::string focus;
};

// A stop of the slider within the only stage.
struct PageStop {
  std::string label;
  const Instruction* focus = nullptr;
};

// Numbers of instructions, shown as colours.
struct PageOverlay {
  std::string title;  // "time"
  std::string unit;   // "us"
  std::vector<std::pair<std::string, double>> values;  // by instruction name
};

struct PageOptions {
  std::string title;
  std::vector<PageStop> stops;
  std::vector<PageOverlay> overlays;
};

// The stages of one program in order, at least one. Instructions are matched by
// name: what is new, what differs from the stage before, and what is gone in
// the next one have colours.
std::string HtmlPage(absl::Span<const PageStage> stages,
                     const PageOptions& options);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_HTML_PAGE_H_
