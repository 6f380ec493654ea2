// Keeps processes that dump into one folder at the same time apart.
//
// The first process to write into a folder of the disk holds a lock on it (the
// file `.hlokit-dumping`, removed at the end); a process that comes while the
// lock is held is told so and writes into a sub-folder of its own. A lock goes
// with its process, however that ends.
#ifndef HLOKIT_DUMP_FOLDER_CLAIM_H_
#define HLOKIT_DUMP_FOLDER_CLAIM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

class FolderClaim {
 public:
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  // The folder must exist. All claims of one process share the folder. Where no
  // lock can be had at all (read-only, no locks) the claim counts as held.
  // Thread-safe.
  static std::shared_ptr<FolderClaim> Take(absl::string_view folder);

  // False: another process dumps into the folder now.
  bool held() const { return held_; }

 private:
  FolderClaim() = default;
  int fd_ = -1;
  int pid_ = 0;
  bool held_ = true;
  std::string path_;
};

// Numbers of modules: one count for all dumpers of the process that write into
// the same folder, so that none overwrites another's files. Never goes away.
// Thread-safe.
std::atomic<int64_t>* SharedModuleCounter(absl::string_view folder);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_FOLDER_CLAIM_H_
