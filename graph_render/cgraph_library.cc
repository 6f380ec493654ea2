#include "graph_render/cgraph_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "graph_render/find_symbol.h"

namespace hlokit {
namespace {

constexpr char kFile[] = HLOKIT_CGRAPH_SONAME;

absl::StatusOr<const CgraphLibrary*> LoadOnce() {
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        kFile, " of Graphviz is not here (Debian: apt install libcgraph6)"));
  }
  static CgraphLibrary library;
  const bool complete = FindSymbol(handle, "agopen", &library.open) &&
                        FindSymbol(handle, "agclose", &library.close) &&
                        FindSymbol(handle, "agnode", &library.node) &&
                        FindSymbol(handle, "agedge", &library.edge) &&
                        FindSymbol(handle, "agsubg", &library.subgraph) &&
                        FindSymbol(handle, "agattr", &library.attribute) &&
                        FindSymbol(handle, "agxset", &library.set) &&
                        FindSymbol(handle, "agstrdup", &library.dup) &&
                        FindSymbol(handle, "agstrdup_html", &library.html) &&
                        FindSymbol(handle, "agstrfree", &library.free_string) &&
                        FindSymbol(handle, "agwrite", &library.write) &&
                        FindSymbol(handle, "AgMemDisc", &library.memory) &&
                        FindSymbol(handle, "Agdirected", &library.directed);
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
