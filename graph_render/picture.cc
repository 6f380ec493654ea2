#include "graph_render/picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/subprocess.h"

namespace hlokit {
namespace {

constexpr absl::string_view kFormats[] = {"svg", "png", "pdf"};
constexpr absl::string_view kViewer =
    "https://dreampuf.github.io/GraphvizOnline/#";
constexpr size_t kMaxUrlBytes = 2000000;

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

}  // namespace

absl::StatusOr<std::string> DrawDot(absl::string_view dot,
                                    absl::string_view format,
                                    const PictureOptions& options) {
  if (std::find(std::begin(kFormats), std::end(kFormats), format) ==
      std::end(kFormats)) {
    return InvalidArgument("'%s' is no picture format: %s", format,
                           absl::StrJoin(kFormats, ", "));
  }
  SubprocessOptions run;
  run.argv = {"dot", absl::StrCat("-T", format)};
  run.stdin_text = std::string(dot);
  run.time_limit = options.time_limit;
  run.max_out_bytes = options.max_bytes;
  const absl::StatusOr<SubprocessResult> result = RunSubprocess(run);
  if (!result.ok()) {
    return absl::UnavailableError(absl::StrCat(
        "pictures need the program `dot` of Graphviz (apt install graphviz): ",
        result.status().message()));
  }
  if (result->timed_out) {
    return ResourceExhausted(
        "Graphviz did not lay the graph out in %s; show less of it "
        "(--around, --filter) or write html, which has its own layout",
        absl::FormatDuration(options.time_limit));
  }
  if (result->out_truncated) {
    return ResourceExhausted("the picture is larger than %d bytes",
                             options.max_bytes);
  }
  if (!result->ok() || result->out.empty()) {
    return Internal("dot: %s: %s", result->Describe(), result->err);
  }
  return result->out;
}

absl::StatusOr<std::string> DotUrl(absl::string_view dot) {
  std::string url = absl::StrCat(kViewer, PercentEncode(dot));
  if (url.size() > kMaxUrlBytes) {
    return ResourceExhausted(
        "the graph is too large for an address (%d bytes, browsers take %d); "
        "html has no such limit",
        url.size(), kMaxUrlBytes);
  }
  return url;
}

}  // namespace hlokit
