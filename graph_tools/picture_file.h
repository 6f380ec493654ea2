// One selection in any format: what `--to` of hlo-graph and `>` of
// interactive_graphviz write.
#ifndef HLOKIT_GRAPH_TOOLS_PICTURE_FILE_H_
#define HLOKIT_GRAPH_TOOLS_PICTURE_FILE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/io.h"
#include "base/terminal.h"
#include "graph_render/graph.h"
#include "graph_render/html_page.h"

namespace hlokit {

enum class PictureFormat {
  kText, kDot, kSvg, kPng, kPdf, kHtml, kHlo, kUrl, kJson
};

// The words of --format, in the enum's order: "txt", "dot", ...
absl::Span<const absl::string_view> PictureFormatWords();
// By a file's ending ("a.svg"); "-" is text. InvalidArgument for others.
absl::StatusOr<PictureFormat> FormatOfFile(absl::string_view path);
bool IsBinary(PictureFormat format);

struct PictureRequest {
  explicit PictureRequest(NodeFilter shown) : filter(std::move(shown)) {}
  NodeFilter filter;
  GraphOptions graph;
  std::vector<PageOverlay> overlays;
  absl::Duration time_limit = absl::Seconds(60);
  Painter painter{false};
  int width = 100;
  // Of hlo: whether metadata is printed.
  bool metadata = true;
};

absl::StatusOr<std::string> MakePicture(const PictureRequest& request,
                                        PictureFormat format);

// Returns the selection as one step of a page or of a JSON file. The filter
// must outlive it.
PageStage StageOf(const std::string& label, const NodeFilter& filter);

// A graph that is built already, as dot, svg, png, pdf or url.
absl::StatusOr<std::string> DrawGraph(const Graph& graph, PictureFormat format,
                                      absl::Duration time_limit);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_PICTURE_FILE_H_
