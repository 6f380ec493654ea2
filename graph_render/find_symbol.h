#ifndef HLOKIT_GRAPH_RENDER_FIND_SYMBOL_H_
#define HLOKIT_GRAPH_RENDER_FIND_SYMBOL_H_

#include <dlfcn.h>

namespace hlokit {

// Sets a pointer to what an opened library has under this name; false when it
// has nothing.
template <typename T>
bool FindSymbol(void* handle, const char* name, T* target) {
  *target = reinterpret_cast<T>(dlsym(handle, name));
  return *target != nullptr;
}

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_FIND_SYMBOL_H_
