#include "base/io.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <streambuf>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "base/escape.h"
#include "base/memory_limit.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr char kClosedPipeUrl[] = "hlokit/closed-pipe";

// A stream on a file descriptor that remembers why a write failed, which
// std::cout does not. On a terminal every whole line is shown at once.
class OutputBuffer : public std::streambuf {
 public:
  OutputBuffer(int fd, bool by_line) : fd_(fd), by_line_(by_line) {
    setp(buffer_, buffer_ + sizeof(buffer_));
  }
  ~OutputBuffer() override { sync(); }

  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (!Flush()) return traits_type::eof();
    if (c != traits_type::eof()) {
      *pptr() = traits_type::to_char_type(c);
      pbump(1);
    }
    return traits_type::not_eof(c);
  }

  std::streamsize xsputn(const char* data, std::streamsize size) override {
    if (size > epptr() - pptr()) {
      if (!Flush()) return 0;
      if (size >= epptr() - pptr()) return WriteAll(data, size) ? size : 0;
    }
    std::memcpy(pptr(), data, size);
    pbump(static_cast<int>(size));
    if (by_line_ && std::memchr(data, '\n', size) != nullptr && !Flush()) {
      return 0;
    }
    return size;
  }

  int sync() override { return Flush() ? 0 : -1; }

 private:
  bool Flush() {
    const bool ok = WriteAll(pbase(), pptr() - pbase());
    setp(buffer_, buffer_ + sizeof(buffer_));
    return ok;
  }

  bool WriteAll(const char* data, std::streamsize size) {
    constexpr std::streamsize kMaxTransferBytes = std::streamsize{1} << 30;
    while (size > 0 && error_ == 0) {
      const ssize_t count =
          ::write(fd_, data, std::min(size, kMaxTransferBytes));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        error_ = errno;
        break;
      }
      data += count;
      size -= count;
    }
    return error_ == 0;
  }

  const int fd_;
  const bool by_line_;
  int error_ = 0;
  char buffer_[1 << 16];
};

struct StandardOutput {
  ~StandardOutput() { std::cerr.tie(nullptr); }

  OutputBuffer buffer{STDOUT_FILENO, ::isatty(STDOUT_FILENO) != 0};
  std::ostream stream{&buffer};
};

absl::Status ClosedPipe() {
  absl::Status status = absl::CancelledError("the output pipe was closed");
  status.SetPayload(kClosedPipeUrl, absl::Cord());
  return status;
}

}  // namespace

ToolIo StandardIo() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  static StandardOutput out;
  std::cerr.tie(&out.stream);
  ToolIo io;
  io.in = &std::cin;
  io.out = &out.stream;
  io.err = &std::cerr;
  io.files = DiskFileSystem();
  io.out_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  io.err_is_terminal = ::isatty(STDERR_FILENO) != 0;
  io.getenv = [](const char* name) -> const char* { return ::getenv(name); };
  return io;
}

ExitCode ExitCodeFor(const absl::Status& status) {
  if (IsClosedPipe(status)) return kOk;
  if (IsOutOfMemory(status)) return kEnvironment;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kUnimplemented:
      return kBadInput;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kEnvironment;
    default:
      return kDifferent;
  }
}

absl::StatusOr<std::string> ReadInput(const ToolIo& io, absl::string_view path,
                                      int64_t max_bytes) {
  if (path != "-") return io.files->ReadFile(path, max_bytes);
  constexpr size_t kFirstBytes = size_t{64} << 10;
  const size_t limit = static_cast<size_t>(std::max<int64_t>(max_bytes, 0));
  std::string contents;
  size_t used = 0;
  while (io.in->good()) {
    contents.resize(
        std::min(used == 0 ? kFirstBytes : used + used / 2, limit) + 1);
    io.in->read(contents.data() + used,
                static_cast<std::streamsize>(contents.size() - used));
    used += io.in->gcount();
    if (used > limit) {
      return ResourceExhausted("cannot read '<stdin>': more than %d bytes",
                               max_bytes);
    }
  }
  if (io.in->bad()) return absl::DataLossError("cannot read '<stdin>'");
  contents.resize(used);
  return contents;
}

std::string InputName(absl::string_view path) {
  return path == "-" ? "<stdin>" : std::string(path);
}

absl::Status WriteOutput(const ToolIo& io, absl::string_view path,
                         absl::string_view contents, OutputKind kind) {
  if (path != "-") return io.files->WriteFile(path, contents);
  if (kind == OutputKind::kBinary && io.out_is_terminal) {
    return absl::InvalidArgumentError(
        "binary output is not written to a terminal; name a file or use a "
        "pipe");
  }
  io.out->write(contents.data(), static_cast<std::streamsize>(contents.size()));
  return FlushOutput(io);
}

absl::Status FlushOutput(const ToolIo& io) {
  if (io.out->flush()) return absl::OkStatus();
  const auto* buffer = dynamic_cast<OutputBuffer*>(io.out->rdbuf());
  if (buffer == nullptr || buffer->error() == 0) {
    return absl::UnavailableError("cannot write '<stdout>'");
  }
  if (buffer->error() == EPIPE) return ClosedPipe();
  return FileError(buffer->error(), "write", "<stdout>");
}

bool IsClosedPipe(const absl::Status& status) {
  return status.GetPayload(kClosedPipeUrl).has_value();
}

int FinishTool(const ToolIo& io, absl::string_view tool, absl::Status status) {
  const absl::Status flushed = FlushOutput(io);
  if (status.ok()) status = flushed;
  if (!status.ok() && !IsClosedPipe(status)) {
    const bool has_diagnostics = absl::StrContains(status.message(), "error: ");
    *io.err << (has_diagnostics ? "" : absl::StrCat(tool, ": error: "))
            << (status.message().empty()
                    ? absl::StatusCodeToString(status.code())
                    : Printable(status.message()))
            << std::endl;
  }
  return ExitCodeFor(status);
}

}  // namespace hlokit
