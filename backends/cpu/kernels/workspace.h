// Memory that a thread keeps for the next call.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_WORKSPACE_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_WORKSPACE_H_

#include <cstdint>
#include <cstdlib>
#include <new>

namespace hlokit::cpu {

// Grows as needed, 64-byte aligned; contents are what they were or nothing in
// particular. One user at a time: make it thread_local.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace() { std::free(data_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Returns space for `count` values, valid until the next call. Throws
  // std::bad_alloc, as operator new does; Executable::Execute turns that into an
  // error.
  template <typename T>
  T* Get(int64_t count) {
    const int64_t bytes =
        (count * static_cast<int64_t>(sizeof(T)) + 127) / 64 * 64;
    if (bytes > size_) {
      std::free(data_);
      size_ = 0;
      data_ = std::aligned_alloc(64, bytes);
      if (data_ == nullptr) throw std::bad_alloc();
      size_ = bytes;
    }
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_WORKSPACE_H_
