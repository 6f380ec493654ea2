#include "dump/dump_sink.h"

#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/escape.h"
#include "dump/dump_names.h"

namespace hlokit {

DumpSink::DumpSink(std::string folder, const ToolIo& io)
    : folder_(std::move(folder)), io_(io) {}

void DumpSink::Warn(const std::string& warning) {
  absl::MutexLock lock(&mutex_);
  if (!warned_.insert(warning).second || io_.err == nullptr) return;
  *io_.err << "warning: " << Printable(warning) << std::endl;
}

void DumpSink::Lose(const std::string& path, const absl::Status& why) {
  // The same for all files that are lost for one reason.
  std::string reason(why.message());
  if (!path.empty()) absl::StrReplaceAll({{path, ""}}, &reason);
  {
    absl::MutexLock lock(&mutex_);
    ++lost_;
    if (!reasons_.insert(reason).second) return;
  }
  Warn(absl::StrCat("a dump is lost: ", why.message()));
}

DumpSink::~DumpSink() {
  if (lost_ > 1) Warn(absl::StrCat(lost_, " dumps are lost in all"));
}

void DumpSink::Refuse(absl::string_view name) {
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(refused_, true)) return;
  }
  Warn(absl::StrFormat(
      "%s and other files that are no text are not written to standard output; "
      "pass --xla_dump_to=FOLDER",
      name));
}

bool DumpSink::MakeFolder(const std::string& folder) {
  {
    absl::MutexLock lock(&mutex_);
    if (made_.count(folder) != 0) return true;
  }
  const absl::Status status = io_.files->CreateDirectories(folder);
  if (!status.ok()) {
    Warn(absl::StrFormat("cannot make the dump folder: %s; nothing is dumped",
                         status.message()));
    return false;
  }
  absl::MutexLock lock(&mutex_);
  made_.insert(folder);
  return true;
}

std::string DumpSink::Root() {
  {
    absl::MutexLock lock(&mutex_);
    if (root_known_) return root_;
  }
  if (!MakeFolder(folder_)) return "";
  std::string other;
  {
    absl::MutexLock lock(&mutex_);
    if (root_known_) return root_;
    root_known_ = true;
    root_ = folder_;
    if (io_.files != DiskFileSystem()) return root_;
    claim_ = FolderClaim::Take(folder_);
    if (claim_->held()) return root_;
    root_ = other = JoinPath(folder_, HostAndPid());
  }
  Warn(absl::StrFormat(
      "another process dumps into '%s' now, so these dumps go to '%s'",
      folder_, other));
  return other;
}

template <typename Write>
std::string DumpSink::Place(absl::string_view subfolder, absl::string_view name,
                            Write write) {
  if (to_stdout()) {
    Refuse(name);
    return "";
  }
  std::string folder = Root();
  if (folder.empty()) return "";
  if (!subfolder.empty()) folder = JoinPath(folder, subfolder);
  if (!MakeFolder(folder)) return "";
  const std::string path = JoinPath(folder, SanitizeFileName(name));
  const absl::Status status = write(path);
  if (status.ok()) return path;
  // A folder that was removed meanwhile is made again for the next file.
  absl::Status first = status;
  if (absl::IsNotFound(status) && io_.files->CreateDirectories(folder).ok()) {
    first = write(path);
    if (first.ok()) return path;
  }
  Lose(path, first);
  return "";
}

std::string DumpSink::WriteFile(absl::string_view subfolder,
                                absl::string_view name,
                                absl::string_view contents) {
  return Place(subfolder, name, [&](const std::string& path) {
    return io_.files->WriteFile(path, contents);
  });
}

std::string DumpSink::WritePieces(absl::string_view subfolder,
                                  absl::string_view name,
                                  FileSystem::Produce produce) {
  return Place(subfolder, name, [&](const std::string& path) {
    return io_.files->WritePieces(path, produce);
  });
}

void DumpSink::WriteBlock(absl::string_view name, absl::string_view contents) {
  if (io_.out == nullptr) return;
  absl::MutexLock lock(&out_mutex_);
  *io_.out << "*** Begin " << name << " ***\n"
           << contents << "\n*** End " << name << " ***\n";
  io_.out->flush();
}

void DumpSink::WriteLine(absl::string_view line) {
  if (io_.out == nullptr) return;
  absl::MutexLock lock(&out_mutex_);
  *io_.out << line << "\n";
  io_.out->flush();
}

}  // namespace hlokit
