#include "graph_render/cgraph_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace hlokit {
namespace {

constexpr char kFile[] = HLOKIT_CGRAPH_SONAME;

template <typename T>
bool Find(void* handle, const char* name, T* target) {
  *target = reinterpret_cast<T>(dlsym(handle, name));
  return *target != nullptr;
}

absl::StatusOr<const CgraphLibrary*> LoadOnce() {
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        kFile, " of Graphviz is not here (Debian: apt install libcgraph6)"));
  }
  static CgraphLibrary library;
  const bool complete = Find(handle, "agopen", &library.open) &&
                        Find(handle, "agclose", &library.close) &&
                        Find(handle, "agnode", &library.node) &&
                        Find(handle, "agedge", &library.edge) &&
                        Find(handle, "agsubg", &library.subgraph) &&
                        Find(handle, "agattr", &library.attribute) &&
                        Find(handle, "agxset", &library.set) &&
                        Find(handle, "agstrdup", &library.dup) &&
                        Find(handle, "agstrdup_html", &library.html) &&
                        Find(handle, "agstrfree", &library.free_string) &&
                        Find(handle, "agwrite", &library.write) &&
                        Find(handle, "AgMemDisc", &library.memory) &&
                        Find(handle, "Agdirected", &library.directed);
  if (!complete) {
    return absl::UnavailableError(
        absl::StrCat(kFile, " is not the Graphviz library it should be"));
  }
  return &library;
}

}  // namespace

absl::StatusOr<const CgraphLibrary*> CgraphLibrary::Load() {
  static const auto* result =
      new absl::StatusOr<const CgraphLibrary*>(LoadOnce());
  return *result;
}

absl::Mutex& CgraphLibrary::mutex() {
  static absl::Mutex* mutex = new absl::Mutex;
  return *mutex;
}

}  // namespace hlokit
