#include "graph_tools/picture_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "graph_render/dot_writer.h"
#include "graph_render/extract_module.h"
#include "graph_render/graph_json.h"
#include "graph_render/picture.h"
#include "graph_tools/text_tree.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

struct FormatRow {
  PictureFormat format;
  absl::string_view ending;
  bool binary;
};

constexpr FormatRow kFormats[] = {
    {PictureFormat::kText, ".txt", false}, {PictureFormat::kDot, ".dot", false},
    {PictureFormat::kSvg, ".svg", false},  {PictureFormat::kPng, ".png", true},
    {PictureFormat::kPdf, ".pdf", true},
    {PictureFormat::kHtml, ".html", false},
    {PictureFormat::kHlo, ".hlo", false},  {PictureFormat::kUrl, ".url", false},
    {PictureFormat::kJson, ".json", false},
};

absl::string_view WordOf(PictureFormat format) {
  return kFormats[static_cast<size_t>(format)].ending.substr(1);
}

std::string TextOf(const PictureRequest& request) {
  TextTreeOptions options;
  options.painter = request.painter;
  options.width = request.width;
  options.marks = request.graph.marks;
  return TextTree(request.filter, options);
}

absl::StatusOr<std::string> HloOf(const PictureRequest& request) {
  PrintOptions options;
  options.print_metadata = request.metadata;
  const Computation& computation = *request.filter.computation();
  if (request.filter.shows_all() && computation.IsEntry()) {
    return ToString(*computation.module(), options);
  }
  HLOKIT_ASSIGN_OR_RETURN(
      const auto module,
      ExtractModule(request.filter, computation.module()->name()));
  return ToString(*module, options);
}

std::string HtmlOf(const PictureRequest& request) {
  PageOptions options;
  options.title = request.graph.title;
  options.overlays = request.overlays;
  return HtmlPage({StageOf(request.graph.title, request.filter)}, options);
}

}  // namespace

absl::Span<const absl::string_view> PictureFormatWords() {
  static const auto* words = [] {
    auto* made = new std::vector<absl::string_view>;
    for (const FormatRow& row : kFormats) made->push_back(row.ending.substr(1));
    return made;
  }();
  return *words;
}

absl::StatusOr<PictureFormat> FormatOfFile(absl::string_view path) {
  if (path == "-") return PictureFormat::kText;
  const absl::string_view ending = Extension(path);
  for (const FormatRow& row : kFormats) {
    if (row.ending == ending) return row.format;
  }
  if (ending == ".htm") return PictureFormat::kHtml;
  if (ending == ".gv") return PictureFormat::kDot;
  return InvalidArgument("'%s': no format has that ending; endings: .%s", path,
                         absl::StrJoin(PictureFormatWords(), ", ."));
}

bool IsBinary(PictureFormat format) {
  return kFormats[static_cast<size_t>(format)].binary;
}

absl::StatusOr<std::string> DrawGraph(const Graph& graph, PictureFormat format,
                                      absl::Duration time_limit) {
  DotOptions dot_options;
  dot_options.hover = format != PictureFormat::kUrl;
  HLOKIT_ASSIGN_OR_RETURN(const std::string dot, DotText(graph, dot_options));
  if (format == PictureFormat::kDot) return dot;
  if (format == PictureFormat::kUrl) {
    return DotUrl(dot) + "\n";
  }
  PictureOptions options;
  options.time_limit = time_limit;
  return DrawDot(dot, WordOf(format), options);
}

PageStage StageOf(const std::string& label, const NodeFilter& filter) {
  PageStage stage;
  stage.label = label;
  stage.module = filter.computation()->module();
  // The whole module where all of the entry is shown.
  if (!filter.shows_all() || !filter.computation()->IsEntry()) {
    stage.selection.root = filter.computation();
    stage.selection.filter = &filter;
  }
  return stage;
}

absl::StatusOr<std::string> MakePicture(const PictureRequest& request,
                                        PictureFormat format) {
  switch (format) {
    case PictureFormat::kText: return TextOf(request);
    case PictureFormat::kHlo: return HloOf(request);
    case PictureFormat::kHtml: return HtmlOf(request);
    case PictureFormat::kJson:
      return GraphToJson({StageOf(request.graph.title, request.filter)}).text;
    default:
      return DrawGraph(BuildGraph(request.filter, request.graph), format,
                       request.time_limit);
  }
}

}  // namespace hlokit
