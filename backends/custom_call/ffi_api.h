// What typed handlers call back: the functions of XLA_FFI_Api, and the objects
// behind its opaque types.
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_FFI_API_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_FFI_API_H_

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "backends/custom_call/hlokit_custom_call.h"
#include "base/thread_pool.h"

struct XLA_FFI_Error {
  absl::Status status;
  std::string message = std::string(status.message());
};

// Is owned by the runtime, which waits for it.
struct XLA_FFI_Future {
  absl::Mutex mutex;
  bool done ABSL_GUARDED_BY(mutex) = false;
  absl::Status status ABSL_GUARDED_BY(mutex);
};

struct XlaCustomCallStatus_ {
  absl::optional<std::string> failure;
};

namespace hlokit::custom_call {

// A state that a handler handed over, and the deleter of its type.
class FfiState {
 public:
  FfiState() = default;
  ~FfiState();
  FfiState(const FfiState&) = delete;
  FfiState& operator=(const FfiState&) = delete;
  // FailedPrecondition when there is one.
  absl::Status Set(int64_t type_id, void* state);
  // NotFound when there is none, InvalidArgument when it has another type.
  absl::StatusOr<void*> Get(int64_t type_id) const;

 private:
  int64_t type_id_ = 0;
  void* state_ = nullptr;
};

}  // namespace hlokit::custom_call

// One call of a handler. States are by stage; null where the stage may not see
// or make one.
struct XLA_FFI_ExecutionContext {
  hlokit::custom_call::FfiState* states[3] = {};
  int64_t run_id = 0;
  // Null while a handler is instantiated.
  hlokit::ThreadPool* pool = nullptr;
};

namespace hlokit::custom_call {

const XLA_FFI_Api& FfiApi();

// The status of an error that a handler returned, which is destroyed; OK for
// null.
absl::Status TakeFfiError(XLA_FFI_Error* error);

// Calls a handler and, where it is not done when it returns, waits.
absl::Status CallFfiHandler(XLA_FFI_Handler* handler, XLA_FFI_CallFrame* frame);

// The number of a type of that name, given when it is 0.
absl::Status RegisterFfiType(absl::string_view name, XLA_FFI_TypeId* type_id,
                             const XLA_FFI_TypeInfo* info);

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_FFI_API_H_
