#include "graph_render/picture.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/subprocess.h"
#include "graph_render/gvc_library.h"

namespace hlokit {
namespace {

constexpr absl::string_view kFormats[] = {"svg", "png", "pdf"};
constexpr absl::string_view kViewer =
    "https://dreampuf.github.io/GraphvizOnline/#";
constexpr absl::string_view kShowLess =
    "show less of it (--around, --filter) or write html, which has its own "
    "layout";
// Longer ones open as an empty page.
constexpr size_t kMaxOpenedUrlBytes = 2'000'000;
// Exit codes of the child.
constexpr int kBadGraph = 2, kNoLayout = 3, kNoPicture = 4, kNoPlugin = 5;

std::string PercentEncode(absl::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::string_view("-_.~").find(c) !=
                                      absl::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 15];
    }
  }
  return out;
}

bool WriteOut(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(STDOUT_FILENO, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    data += count;
    size -= count;
  }
  return true;
}

// In the child; the picture goes to standard output.
int Draw(const GvcLibrary& library, const std::string& dot,
         const std::string& format) {
  GVC_t* context = library.context();
  graph_t* graph = library.read(dot.c_str());
  if (context == nullptr || graph == nullptr) return kBadGraph;
  if (library.layout(context, graph, "dot") != 0) return kNoLayout;
  char* data = nullptr;
  unsigned size = 0;
  library.render(context, graph, format.c_str(), &data, &size);
  // Where no plugin knows the format, nothing is made.
  if (data == nullptr || size == 0) return kNoPlugin;
  return WriteOut(data, size) ? 0 : kNoPicture;
}

// In the words of Graphviz and of the libraries that it draws with.
bool OutOfMemory(const SubprocessResult& result) {
  if (result.ok()) return false;
  if (result.signal == SIGKILL) return true;
  for (const char* words : {"out of memory", "allocat", "bad_alloc",
                            "Resource temporarily unavailable"}) {
    if (absl::StrContains(result.err, words)) return true;
  }
  return false;
}

std::string BytesText(int64_t bytes) {
  return absl::StrFormat("%d MiB", bytes >> 20);
}

}  // namespace

absl::StatusOr<std::string> DrawDot(absl::string_view dot,
                                    absl::string_view format,
                                    const PictureOptions& options) {
  if (std::find(std::begin(kFormats), std::end(kFormats), format) ==
      std::end(kFormats)) {
    return InvalidArgument("'%s' is no picture format: %s", format,
                           absl::StrJoin(kFormats, ", "));
  }
  HLOKIT_ASSIGN_OR_RETURN(const GvcLibrary* library, GvcLibrary::Load());
  SubprocessOptions limits;
  limits.time_limit = options.time_limit;
  limits.memory_limit_bytes = options.memory_limit_bytes;
  limits.max_out_bytes = options.max_bytes;
  const std::string text(dot), kind(format);
  HLOKIT_ASSIGN_OR_RETURN(
      const SubprocessResult result,
      RunForked(limits, [&] { return Draw(*library, text, kind); }));
  if (result.timed_out) {
    return ResourceExhausted(
        "Graphviz did not lay the graph out in %s; %s",
        absl::FormatDuration(options.time_limit), kShowLess);
  }
  if (result.out_truncated) {
    return ResourceExhausted("the picture is larger than %d bytes",
                             options.max_bytes);
  }
  if (result.exit_code == kNoPlugin) {
    return absl::UnavailableError(absl::StrCat(
        "Graphviz cannot make ", format,
        " here (Debian: apt install graphviz): ", result.err));
  }
  if (OutOfMemory(result)) {
    return ResourceExhausted("Graphviz needs more than %s for the layout; %s",
                             BytesText(options.memory_limit_bytes), kShowLess);
  }
  if (result.exit_code == kBadGraph) {
    return Internal("Graphviz cannot read the graph: %s", result.err);
  }
  if (!result.ok() || result.out.empty()) {
    return Internal("Graphviz: %s: %s", result.Describe(), result.err);
  }
  return result.out;
}

std::string DotUrl(absl::string_view dot) {
  return absl::StrCat(kViewer, PercentEncode(dot));
}

std::string UrlCaveat(absl::string_view url) {
  if (url.size() <= kMaxOpenedUrlBytes) return "";
  return "the address is longer than the 2 MB that browsers open; html has no "
         "such limit";
}

}  // namespace hlokit
