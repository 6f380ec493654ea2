// A dump folder read back: which modules are in it, and what there is of each.
#ifndef HLOKIT_DUMP_DUMP_INDEX_H_
#define HLOKIT_DUMP_DUMP_INDEX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"
#include "base/json_writer.h"
#include "dump/dump_names.h"

namespace hlokit {

struct DumpFile {
  std::string path;
  int64_t size = 0;
  std::optional<DumpName> name;  // nullopt: some other file
  // Stands in a folder module_NNNN.<name>/: the inputs of a compilation.
  bool compile_input = false;
};

// One module as one process numbered it.
struct DumpedModule {
  int64_t id = 0;
  std::string name;    // may be empty
  std::string folder;  // where its files are
  // Positions in DumpIndex::files, in the order in which they were written as
  // far as names tell: before optimization, passes by step, after, the rest.
  std::vector<int> files;
  int64_t bytes = 0;
  int pass_dumps = 0;
  // The number under which the same compilation goes on, -1 if none: XLA deals
  // a new one on the way now and then.
  int continued_as = -1;  // position in DumpIndex::modules

  std::string Label() const;  // "module_0021.jit_f"
};

struct DumpIndex {
  std::vector<DumpFile> files;
  std::vector<DumpedModule> modules;  // by folder, then number

  const DumpFile& file(int i) const { return files[i]; }
  // Modules that `text` means: a number, a name, a label, or part of a name.
  std::vector<int> Find(absl::string_view text) const;
};

// Everything below the folder (or the one file). Names are read, files are not.
absl::StatusOr<DumpIndex> ReadDumpFolder(const FileSystem& files,
                                         const std::string& folder);
// The same for a mere list of names.
DumpIndex IndexOfNames(const std::vector<std::string>& names);

// One name as JSON: {"id": 4, "module": "jit_f", "stage": ..., "form": ...};
// null for another file.
void WriteDumpName(const std::optional<DumpName>& name, JsonWriter* json);

// What stands for the file in tables: "0003 simplification: after algsimp".
std::string StageText(const DumpName& name);

// The bytes of a dump, decompressed. Mapped where that is possible.
class DumpContents {
 public:
  static absl::StatusOr<DumpContents> Open(const FileSystem& files,
                                           const std::string& path);
  absl::string_view bytes() const {
    return mapped_ != nullptr ? mapped_->contents() : text_;
  }

 private:
  std::unique_ptr<MappedFile> mapped_;
  std::string text_;
};

// HLO text of a dump that holds a module: as it is, or printed from the proto.
absl::StatusOr<std::string> DumpedHloText(const FileSystem& files,
                                          const DumpFile& file);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_INDEX_H_
