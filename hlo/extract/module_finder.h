// Finds where modules begin and end among the lines of a text.
#ifndef HLOKIT_HLO_EXTRACT_MODULE_FINDER_H_
#define HLOKIT_HLO_EXTRACT_MODULE_FINDER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/extract/extract.h"
#include "hlo/extract/line_prefix.h"
#include "hlo/extract/line_reader.h"
#include "hlo/extract/line_shapes.h"
#include "hlo/extract/module_collector.h"

namespace hlokit {

// What a module begins with.
enum class Anchor { kHeader, kComputation };

struct FoundModules {
  std::vector<ModuleText> modules;  // by where they begin
  // Lines with something in them that belong to no module.
  int64_t left_out_before = 0;  // before the first module
  int64_t left_out_within = 0;  // while a module was not at its end
  int64_t left_out_behind = 0;  // between and behind modules
  std::vector<std::pair<std::string, int64_t>> prefixes;  // sample, lines
  ReaderCounts reader;
};

class ModuleFinder {
 public:
  ModuleFinder(absl::string_view file, const TextForm& form, Anchor anchor,
               const ExtractOptions& options)
      : reader_(file, form), anchor_(anchor), options_(options) {}

  FoundModules Run();

 private:
  // A module that is being read. Several are open at a time when the lines of
  // several processes are mixed.
  struct Stream {
    LinePrefix prefix;
    ModuleCollector collector;
    BracketCounter brackets;
    std::string name;
    std::string banner;
    int64_t order = 0;
    int64_t prefixed_lines = 0;
    int64_t computations = 0;
    int64_t foreign_braces = 0;  // of blocks of other languages at its end
    bool in_signature = false;   // between a computation's name and its "{"
    bool joined = false;         // the line before goes on
    bool InModule() const {
      return brackets.braces() > 0 || in_signature || computations == 0;
    }
  };

  void Take(const TextLine& line);
  bool IsSeparator(absl::string_view text) const;
  bool TakeBanner(absl::string_view text);
  bool TakeStart(const TextLine& line);
  void Feed(const TextLine& line);
  void FeedStream(Stream* stream, absl::string_view text, const TextLine& line,
                  bool joined);
  void Append(Stream* stream, absl::string_view text, const TextLine& line,
              bool joined);
  void LeaveOut(absl::string_view text);
  void Close(Stream* stream, bool cut = false);
  void CloseAll(bool cut = false);
  bool IsInsideOfString(absl::string_view text, size_t place) const;

  LineReader reader_;
  Anchor anchor_;
  const ExtractOptions& options_;
  std::vector<Stream> streams_;
  // Blocks of other things that began before a module and end behind it.
  int64_t unclosed_ = 0;
  std::string banner_;  // of the block that is open; else ""
  int64_t opened_ = 0;
  // Headers without a module so far: after many of them less is looked at.
  int64_t false_starts_ = 0;
  std::vector<std::pair<int64_t, ModuleText>> closed_;
  FoundModules found_;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_MODULE_FINDER_H_
