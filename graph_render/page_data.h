// The data of a page as JSON: what page/data.js reads.
#ifndef HLOKIT_GRAPH_RENDER_PAGE_DATA_H_
#define HLOKIT_GRAPH_RENDER_PAGE_DATA_H_

#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph_render/html_page.h"

namespace hlokit {

// Strings of all stages, each once; number 0 is "".
class StringPool {
 public:
  StringPool() { Add(""); }
  int Add(absl::string_view text);
  std::string Json() const;

 private:
  absl::node_hash_map<std::string, int> numbers_;
  std::vector<const std::string*> texts_;
};

struct PageData {
  std::string head;  // title, stages, stops, overlays, colours
  std::string pool;
  std::string texts;  // instructions as HLO text, read when one is clicked
  std::vector<std::string> stages;
};

PageData MakePageData(absl::Span<const PageStage> stages,
                      const PageOptions& options);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_PAGE_DATA_H_
