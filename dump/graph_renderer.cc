#include "dump/graph_renderer.h"

#include "base/status.h"
#include "graph_render/dot_writer.h"
#include "graph_render/fusion_page.h"
#include "graph_render/graph.h"
#include "graph_render/html_page.h"
#include "graph_render/picture.h"

namespace hlokit {
namespace {

absl::StatusOr<std::string> Dot(const GraphRenderer::Request& request,
                                const DotOptions& dot_options) {
  const Computation* computation = request.computation != nullptr
                                       ? request.computation
                                       : request.module->entry();
  if (computation == nullptr) return InvalidArgument("the module has no entry");
  GraphOptions options;
  options.title = std::string(request.label);
  options.sharding_color = request.sharding_color;
  options.addresses = request.addresses;
  if (request.top_level) {
    options.fusion_subcomputations = false;
    options.while_subcomputations = false;
    options.other_subcomputations = false;
  }
  return DotText(BuildGraph(NodeFilter(computation), options), dot_options);
}

absl::StatusOr<std::string> Page(const GraphRenderer::Request& request) {
  if (request.module->entry() == nullptr) {
    return InvalidArgument("the module has no entry");
  }
  PageStage stage;
  stage.label = std::string(request.label);
  stage.module = request.module;
  stage.selection.root =
      request.top_level ? request.module->entry() : request.computation;
  stage.selection.closed = request.top_level;
  PageOptions options;
  options.title = std::string(request.label);
  return HtmlPage({stage}, options);
}

class OwnRenderer : public GraphRenderer {
 public:
  absl::StatusOr<std::string> Render(const Request& request) override {
    switch (request.format) {
      case Format::kDot: return Dot(request, {});
      case Format::kUrl: {
        HLOKIT_ASSIGN_OR_RETURN(const std::string dot,
                                Dot(request, {.hover = false}));
        return DotUrl(dot);
      }
      case Format::kHtml: return Page(request);
      case Format::kFusion:
        if (request.computation == nullptr && request.steps.empty()) {
          return InvalidArgument("no computation is given");
        }
        return FusionPage(request.computation, request.steps,
                          std::string(request.label));
    }
    return Internal("no such format");
  }
};

GraphRenderer* OwnGraphRenderer() {
  static auto* renderer = new OwnRenderer;
  return renderer;
}

GraphRenderer* default_renderer = nullptr;

}  // namespace

void SetDefaultGraphRenderer(GraphRenderer* renderer) {
  default_renderer = renderer;
}

GraphRenderer* DefaultGraphRenderer() {
  return default_renderer != nullptr ? default_renderer : OwnGraphRenderer();
}

}  // namespace hlokit
