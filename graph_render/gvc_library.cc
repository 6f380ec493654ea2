#include "graph_render/gvc_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "graph_render/find_symbol.h"

namespace hlokit {
namespace {

constexpr char kFile[] = HLOKIT_GVC_SONAME;

absl::StatusOr<const GvcLibrary*> LoadOnce() {
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "pictures need ", kFile, " of Graphviz (Debian: apt install libgvc6 "
        "graphviz); html needs nothing"));
  }
  static GvcLibrary library;
  // agmemread is of libcgraph, which came with it.
  const bool complete = FindSymbol(handle, "gvContext", &library.context) &&
                        FindSymbol(handle, "gvLayout", &library.layout) &&
                        FindSymbol(handle, "gvRenderData", &library.render) &&
                        FindSymbol(handle, "agmemread", &library.read);
  if (!complete) {
    return absl::UnavailableError(
        absl::StrCat(kFile, " is not the Graphviz library it should be"));
  }
  return &library;
}

}  // namespace

absl::StatusOr<const GvcLibrary*> GvcLibrary::Load() {
  static const auto* result = new absl::StatusOr<const GvcLibrary*>(LoadOnce());
  return *result;
}

}  // namespace hlokit
