#include "graph_render/gvc_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace hlokit {
namespace {

constexpr char kFile[] = HLOKIT_GVC_SONAME;

template <typename T>
bool Find(void* handle, const char* name, T* target) {
  *target = reinterpret_cast<T>(dlsym(handle, name));
  return *target != nullptr;
}

absl::StatusOr<const GvcLibrary*> LoadOnce() {
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "pictures need ", kFile, " of Graphviz (Debian: apt install libgvc6 "
        "graphviz); html needs nothing"));
  }
  static GvcLibrary library;
  // agmemread is of libcgraph, which came with it.
  const bool complete = Find(handle, "gvContext", &library.context) &&
                        Find(handle, "gvLayout", &library.layout) &&
                        Find(handle, "gvRenderData", &library.render) &&
                        Find(handle, "agmemread", &library.read);
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
