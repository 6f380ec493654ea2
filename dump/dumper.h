// Writes dumps of modules as XLA does: same names, numbers and contents.
//
// Any compiler can use it:
//
//   std::vector<std::string> warnings;
//   Dumper dumper(MakeDumpOptions(debug_options, getenv, &warnings), io);
//   dumper.DumpModule(module, "before_optimizations");
//   ... after each pass dumper.DumpPass(module, step) ...
//   dumper.DumpArtifact(module, "thunk_sequence.txt", text);
//
// Dumping never changes a module and never fails: what goes wrong (a folder
// that cannot be made, a full disk) becomes one warning on io.err and files
// appear whole or not at all. A Dumper may be used from several threads.
#ifndef HLOKIT_DUMP_DUMPER_H_
#define HLOKIT_DUMP_DUMPER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "dump/dump_options.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

class Dumper {
 public:
  // Warnings of MakeDumpOptions may be handed over; they are printed once.
  Dumper(DumpOptions options, const ToolIo& io,
         absl::Span<const std::string> warnings = {});

  const DumpOptions& options() const { return options_; }

  // Whether anything of a module with this name is dumped.
  bool DumpsModule(absl::string_view module_name) const;
  // Whether dumps are wanted between these two passes of the pipeline.
  bool DumpsPass(absl::string_view pipeline, absl::string_view previous,
                 absl::string_view next, bool changed) const;

  // The module in every format asked for, as
  // module_NNNN.<name>.<suffix>.txt etc.; also its .debug_options. Returns the
  // paths written.
  std::vector<std::string> DumpModule(const Module& module,
                                      absl::string_view suffix);
  // Between two passes: suffix NNNN.<pipeline>.after_<previous>.before_<next>,
  // with a step number of its own for each module.
  std::vector<std::string> DumpPass(const Module& module,
                                    absl::string_view pipeline,
                                    absl::string_view previous,
                                    absl::string_view next, bool changed);
  // Any text that belongs to a module; `suffix` carries the extension.
  void DumpArtifact(const Module& module, absl::string_view suffix,
                    absl::string_view contents);
  // An HloSnapshot of one execution: snapshot.<run>.pb.
  void DumpSnapshot(const Module& module, absl::Span<const Literal> arguments,
                    const Literal& result, absl::string_view platform,
                    int64_t run);

  // "module_0000.add": the number is dealt at a module's first dump.
  std::string Prefix(const Module& module);
  // Frees what is kept for a module that ends.
  void Forget(const Module& module);

 private:
  struct ModuleState {
    int64_t id = 0;
    int64_t next_step = 0;
    int64_t timestamp_us = 0;
    bool over_limit = false;
  };

  ModuleState& StateOf(const Module& module)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The file name, short enough for the file system: the module's name is left
  // out where it would be too long.
  std::string FileName(const Module& module, absl::string_view suffix,
                       bool timestamp) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes to the folder; an empty path when nothing was written.
  std::string Write(const Module& module, const std::string& name,
                    absl::string_view contents)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteToStdout(const std::string& name, absl::string_view contents)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string TextOrFile(const Module& module, const std::string& name,
                         absl::string_view contents)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<std::string> DumpFormats(const Module& module,
                                       absl::string_view suffix)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Warn(const std::string& warning) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const DumpOptions options_;
  const ToolIo io_;
  absl::Mutex mutex_;
  absl::flat_hash_map<const Module*, ModuleState> modules_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t dumped_modules_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<std::string> warned_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> made_folders_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMPER_H_
