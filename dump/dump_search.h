// Which dump holds something: an instruction, an opcode, a shape, a line of
// Python. All cores, at the speed at which memory is read.
#ifndef HLOKIT_DUMP_DUMP_SEARCH_H_
#define HLOKIT_DUMP_DUMP_SEARCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"
#include "base/thread_pool.h"
#include "dump/dump_index.h"

namespace hlokit {

struct SearchQuery {
  // What is not empty must all be so; one at least is needed.
  std::string regex;   // RE2, anywhere in a line
  std::string opcode;  // "dot": instructions of that opcode
  std::string shape;   // "f32[4,4]": as result or operand; a layout may follow
  std::string source;  // "train.py" or "train.py:120": in the call stack
  bool ignore_case = false;
  int64_t max_matches_per_file = 1000;
  // Which files: dumps that hold modules, or also the rest (IR, reports).
  bool all_files = false;
};

struct SearchMatch {
  int file = 0;  // position in the index
  int64_t line = 0;  // 1-based
  std::string computation;  // where known
  std::string instruction;
  std::string text;  // the line
};

struct SearchResult {
  std::vector<SearchMatch> matches;  // by file, then line
  int64_t files = 0;  // that were read
  int64_t bytes = 0;
  double seconds = 0;
  std::vector<std::string> warnings;  // files that could not be read
};

// Protos are searched as text where no text dump of the same module and stage
// is there. InvalidArgument for a bad expression.
absl::StatusOr<SearchResult> SearchDumps(const FileSystem& files,
                                         const DumpIndex& index,
                                         const SearchQuery& query,
                                         ThreadPool* pool);

// The engine on one text: used by the above, and for measuring.
class TextSearcher {
 public:
  static absl::StatusOr<std::unique_ptr<TextSearcher>> Create(
      const SearchQuery& query);
  virtual ~TextSearcher() = default;
  // Appends matches within [begin, end) of `text`, which must be whole lines;
  // line numbers are not filled in but the place is (in `line`, as an offset).
  virtual void Search(absl::string_view text, size_t begin, size_t end,
                      std::vector<SearchMatch>* matches) const = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_SEARCH_H_
