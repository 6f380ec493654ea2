// Times the pictures of one file of HLO text; benchmarks/graph/graph_cost.py
// runs it.
//
//   graph_bench FILE [PAGE]
//
// Prints one JSON object: instructions, seconds of the layout alone and of the
// whole page, the page's bytes, and how many MiB the process grew meanwhile.
// With PAGE the page is written there.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "graph_render/html_page.h"
#include "graph_render/page_layout.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

double StatusMiB(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind(key + ":", 0) == 0) {
      return std::atof(line.c_str() + key.size() + 1) / 1024;
    }
  }
  return 0;
}

class Clock {
 public:
  double Seconds() const {
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start_;
    return took.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

int Main(const char* path, const char* page_path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const auto module = ParseModule(std::move(bytes).str(), path);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
    return 3;
  }
  const double before = StatusMiB("VmRSS");
  std::ofstream("/proc/self/clear_refs") << "5";
  double layout_s = 1e9;
  size_t items = 0, segments = 0;
  for (int i = 0; i < 3; ++i) {
    Clock clock;
    const PageLayout layout = LayOutPage(**module, {});
    layout_s = std::min(layout_s, clock.Seconds());
    items = segments = 0;
    for (const PageContainer& container : layout.containers) {
      items += container.layout.items.size();
      segments += container.layout.segments.size();
    }
  }
  const double layout_mb = StatusMiB("VmHWM") - before;
  PageStage stage;
  stage.label = path;
  stage.module = module->get();
  PageOptions options;
  options.title = path;
  Clock clock;
  const std::string page = HtmlPage({stage}, options);
  const double page_s = clock.Seconds();
  if (page_path != nullptr) std::ofstream(page_path) << page;
  std::printf("{\"instructions\": %lld, \"items\": %zu, \"segments\": %zu, "
              "\"layout_s\": %.4f, \"layout_mb\": %.1f, \"page_s\": %.4f, "
              "\"page_mb\": %.1f, \"page_bytes\": %zu}\n",
              static_cast<long long>((*module)->instruction_count()), items,
              segments, layout_s, layout_mb, page_s,
              StatusMiB("VmHWM") - before, page.size());
  return 0;
}

}  // namespace
}  // namespace hlokit

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: graph_bench FILE [PAGE]\n", stderr);
    return 2;
  }
  return hlokit::Main(argv[1], argc > 2 ? argv[2] : nullptr);
}
