// Puts dumps into their folder or on standard output. What goes wrong becomes
// one warning each kind, and never more than a warning.
#ifndef HLOKIT_DUMP_DUMP_SINK_H_
#define HLOKIT_DUMP_DUMP_SINK_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/io.h"
#include "dump/folder_claim.h"

namespace hlokit {

class DumpSink {
 public:
  // `folder` as in DumpOptions: "-" is standard output. io's streams and files
  // must outlive this object.
  DumpSink(std::string folder, const ToolIo& io);
  // Tells how many dumps were lost.
  ~DumpSink();

  bool to_stdout() const { return folder_ == "-"; }

  // Writes <folder>[/<subfolder>]/<name>, whole or not at all; folders are
  // made. `name` is sanitized here. The path, or "" when nothing was written.
  // Thread-safe.
  std::string WriteFile(absl::string_view subfolder, absl::string_view name,
                        absl::string_view contents);

  // The same piece by piece; see FileSystem::WritePieces. `produce` may be called
  // twice.
  std::string WritePieces(absl::string_view subfolder, absl::string_view name,
                          FileSystem::Produce produce);

  // One block between banners; blocks of several threads do not mix.
  void WriteBlock(absl::string_view name, absl::string_view contents);
  // One line on standard output, whatever the folder is.
  void WriteLine(absl::string_view line);

  // Each text once. Thread-safe.
  void Warn(const std::string& warning);
  // A file is refused because the folder is standard output: told once for all.
  void Refuse(absl::string_view name);

 private:
  // Where files go: the folder, or this process' own one in it when another
  // process dumps there now. "" when it cannot be made.
  std::string Root() ABSL_LOCKS_EXCLUDED(mutex_);
  // Counts a file that could not be written and warns once for each reason: of a
  // full disk once, however many files there are.
  void Lose(const std::string& path, const absl::Status& why)
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool MakeFolder(const std::string& folder) ABSL_LOCKS_EXCLUDED(mutex_);
  // write(path) puts the file there.
  template <typename Write>
  std::string Place(absl::string_view subfolder, absl::string_view name,
                    Write write);

  const std::string folder_;
  const ToolIo io_;
  absl::Mutex mutex_;
  bool root_known_ ABSL_GUARDED_BY(mutex_) = false;
  std::string root_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<FolderClaim> claim_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> made_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> warned_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> reasons_ ABSL_GUARDED_BY(mutex_);  // of losses
  int64_t lost_ ABSL_GUARDED_BY(mutex_) = 0;
  bool refused_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Mutex out_mutex_;
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_SINK_H_
