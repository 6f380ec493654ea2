// Valid modules can be drawn, in every form that needs no other program.
#include <memory>

#include "fuzz/target.h"
#include "fuzz/valid_module.h"
#include "graph_render/dot_writer.h"
#include "graph_render/graph.h"
#include "graph_render/html_page.h"
#include "graph_render/node_filter.h"

namespace hlokit::fuzz {

void FuzzGraph(absl::string_view bytes) {
  const std::unique_ptr<Module> module = ReadValidModule(bytes);
  if (module == nullptr) return;
  const Graph graph = BuildGraph(NodeFilter(module->entry()));
  const auto dot = DotText(graph);
  RequireNoInternalError(dot.status());
  PageStage stage;
  stage.label = "module";
  stage.module = module.get();
  Require(!HtmlPage({stage}, {}).empty(), "a module has a page");
}

}  // namespace hlokit::fuzz
