// A dump folder read back: which modules are in it, and what there is of each.
#ifndef HLOKIT_DUMP_DUMP_INDEX_H_
#define HLOKIT_DUMP_DUMP_INDEX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
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
  // What is wrong with a file whose name promises a module: "is empty", "is cut
  // off: ...". Empty if nothing is. Such a file belongs to no module.
  std::string broken;
};

// One module as one process numbered it.
struct DumpedModule {
  int64_t id = 0;
  std::string name;    // may be empty
  std::string folder;  // where its files are
  // The same seen from the folder that was read ("host0"); "" for that itself.
  std::string subfolder;
  // Positions in DumpIndex::files, in the order in which they were written as
  // far as names tell: before optimization, passes by step, after, the rest.
  std::vector<int> files;
  int64_t bytes = 0;
  int pass_dumps = 0;
  // The number under which the same compilation goes on, -1 if none: XLA deals
  // a new one on the way now and then.
  int continued_as = -1;  // position in DumpIndex::modules

  std::string Label() const;  // "module_0021.jit_f"
  std::string FullLabel() const;  // "host0/module_0021.jit_f"
};

struct DumpIndex {
  std::vector<DumpFile> files;
  std::vector<DumpedModule> modules;  // by folder, then number
  // What was left out and why, for people: broken files, pipes, links that lead
  // nowhere, what may not be read. One line each.
  std::vector<std::string> notes;

  const DumpFile& file(int i) const { return files[i]; }
  // Whether the modules are in several folders.
  bool has_subfolders() const;
  // Modules that `text` means: a number, a name, a label, or part of a name;
  // behind a folder ("host0/jit_f") only those of that folder.
  std::vector<int> Find(absl::string_view text) const;
};

// Reads everything below the folder (or the one file that is named as a dump
// is). Each real folder is read once, whatever links lead to it; nothing is
// opened that may block. Files that are named as modules are looked at just as
// far as is needed to tell whether they are whole.
// Errors: NotFound; InvalidArgument for a file that is not a dump.
absl::StatusOr<DumpIndex> ReadDumpFolder(const FileSystem& files,
                                         const std::string& folder);

// Folders, archives of folders and single dumps, with the file system through
// which they are read.
struct OpenedDumps {
  std::shared_ptr<const FileSystem> files;
  DumpIndex index;
};
// `files` must outlive the answer.
absl::StatusOr<OpenedDumps> OpenDumps(const FileSystem& files,
                                      absl::Span<const std::string> paths);
// Returns whether the path is a folder, or an archive or dump that OpenDumps
// reads as one.
bool IsArchiveOfDumps(const FileSystem& files, const std::string& path);

// Writes the notes ("note: ..."), not more than 20 of them.
void PrintNotes(const DumpIndex& index, std::ostream* err);

// Makes an index of a mere list of names.
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

// Returns what is wrong with a dump whose name promises a module, "" if it is
// whole.
std::string FaultOfDump(const FileSystem& files, const DumpFile& file);

// HLO text of a dump that holds a module: as it is, or printed from the proto.
absl::StatusOr<std::string> DumpedHloText(const FileSystem& files,
                                          const DumpFile& file);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_INDEX_H_
