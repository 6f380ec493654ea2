#include "backends/custom_call/ffi_api.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/custom_call/registry.h"
#include "base/status.h"

namespace hlokit::custom_call {
namespace {

absl::string_view View(const XLA_FFI_ByteSpan& span) {
  return absl::string_view(span.ptr, span.len);
}

XLA_FFI_Error* ToFfi(absl::Status status) {
  return status.ok() ? nullptr : new XLA_FFI_Error{std::move(status)};
}

// Structures are checked for what is read, not for their exact size: callers
// may know a longer one, and older callers a shorter one.
absl::Status CheckSize(size_t given, size_t needed, const char* what) {
  if (given >= needed) return absl::OkStatus();
  return InvalidArgument(
      "%s_Args has %d bytes instead of %d: the library was built for another "
      "version of XLA's FFI",
      what, static_cast<int64_t>(given), static_cast<int64_t>(needed));
}

struct TypeRow {
  int64_t id = 0;
  void (*deleter)(void*) = nullptr;
};

struct Types {
  absl::Mutex mutex;
  std::map<std::string, TypeRow, std::less<>> rows ABSL_GUARDED_BY(mutex);
};

Types& AllTypes() {
  static auto* types = new Types;
  return *types;
}

XLA_FFI_Error* CreateError(XLA_FFI_Error_Create_Args* args) {
  absl::Status status(static_cast<absl::StatusCode>(args->errc),
                      args->message == nullptr ? "" : args->message);
  if (status.ok()) {
    status = Internal("a handler made an error with the code of success");
  }
  return new XLA_FFI_Error{std::move(status)};
}

void GetErrorMessage(XLA_FFI_Error_GetMessage_Args* args) {
  args->message = args->error->message.c_str();
}

void DestroyError(XLA_FFI_Error_Destroy_Args* args) { delete args->error; }

XLA_FFI_Error* RegisterHandler(XLA_FFI_Handler_Register_Args* args) {
  absl::Status status =
      CheckSize(args->struct_size,
                HLOKIT_SIZE_THROUGH(XLA_FFI_Handler_Register_Args, bundle),
                "XLA_FFI_Handler_Register");
  if (status.ok() && IsHostPlatform(View(args->platform))) {
    status = CustomCallRegistry::Global().AddTyped(
        View(args->name), args->bundle, "a library");
  }
  return ToFfi(std::move(status));
}

XLA_FFI_Error* GetStream(XLA_FFI_Stream_Get_Args* args) {
  return ToFfi(Unimplemented("the platform Host has no stream"));
}

XLA_FFI_Error* RegisterType(XLA_FFI_Type_Register_Args* args) {
  // Callers of version 0.3 do not count type_info, but give it.
  absl::Status status =
      CheckSize(args->struct_size,
                HLOKIT_SIZE_THROUGH(XLA_FFI_Type_Register_Args, type_id),
                "XLA_FFI_Type_Register");
  if (status.ok()) {
    status = RegisterFfiType(View(args->name), args->type_id, args->type_info);
  }
  return ToFfi(std::move(status));
}

XLA_FFI_Error* GetUserData(XLA_FFI_ExecutionContext_Get_Args* args) {
  return ToFfi(NotFound(
      "the execution context has no user data of type %d: only the program "
      "that compiled the module could give it",
      args->type_id->type_id));
}

FfiState* StateOf(XLA_FFI_ExecutionContext* ctx, XLA_FFI_ExecutionStage stage) {
  const auto number = static_cast<size_t>(stage);
  return number < std::size(ctx->states) ? ctx->states[number] : nullptr;
}

XLA_FFI_Error* SetState(XLA_FFI_State_Set_Args* args) {
  absl::Status status =
      CheckSize(args->struct_size,
                HLOKIT_SIZE_THROUGH(XLA_FFI_State_Set_Args, state),
                "XLA_FFI_State_Set");
  if (!status.ok()) return ToFfi(status);
  FfiState* state = StateOf(args->ctx, args->stage);
  if (state == nullptr) {
    return ToFfi(FailedPrecondition("stage %d can set no state",
                                    static_cast<int>(args->stage)));
  }
  return ToFfi(state->Set(args->type_id->type_id, args->state));
}

XLA_FFI_Error* GetState(XLA_FFI_State_Get_Args* args) {
  absl::Status status =
      CheckSize(args->struct_size,
                HLOKIT_SIZE_THROUGH(XLA_FFI_State_Get_Args, state),
                "XLA_FFI_State_Get");
  if (!status.ok()) return ToFfi(status);
  const FfiState* state = StateOf(args->ctx, args->stage);
  if (state == nullptr) return ToFfi(NotFound("the handler has no state"));
  absl::StatusOr<void*> found = state->Get(args->type_id->type_id);
  if (found.ok()) args->state = *found;
  return ToFfi(found.status());
}

XLA_FFI_Error* AllocateMemory(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  const size_t alignment = std::max<size_t>(args->alignment, 64);
  if ((alignment & (alignment - 1)) != 0 ||
      args->size > SIZE_MAX - alignment) {
    return ToFfi(InvalidArgument("cannot allocate %d bytes at %d",
                                 static_cast<int64_t>(args->size),
                                 static_cast<int64_t>(args->alignment)));
  }
  const size_t size = std::max<size_t>(args->size, 1);
  args->data = std::aligned_alloc(
      alignment, (size + alignment - 1) / alignment * alignment);
  if (args->data != nullptr) return nullptr;
  return ToFfi(ResourceExhausted("a handler asked for %d bytes of memory",
                                 static_cast<int64_t>(args->size)));
}

XLA_FFI_Error* FreeMemory(XLA_FFI_DeviceMemory_Free_Args* args) {
  std::free(args->data);
  return nullptr;
}

absl::StatusOr<ThreadPool*> PoolOf(const XLA_FFI_ExecutionContext* ctx) {
  if (ctx->pool != nullptr) return ctx->pool;
  return FailedPrecondition("there is no thread pool in this stage");
}

XLA_FFI_Error* ScheduleTask(XLA_FFI_ThreadPool_Schedule_Args* args) {
  const absl::StatusOr<ThreadPool*> pool = PoolOf(args->ctx);
  if (!pool.ok()) return ToFfi(pool.status());
  (*pool)->Schedule([task = args->task, data = args->data] { task(data); });
  return nullptr;
}

XLA_FFI_Error* CountThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  const absl::StatusOr<ThreadPool*> pool = PoolOf(args->ctx);
  if (!pool.ok()) return ToFfi(pool.status());
  *args->num_threads = (*pool)->parallelism();
  return nullptr;
}

XLA_FFI_Error* CreateFuture(XLA_FFI_Future_Create_Args* args) {
  args->future = new XLA_FFI_Future;
  return nullptr;
}

// The waiter deletes the future as soon as it has the mutex again.
void Complete(XLA_FFI_Future* future, absl::Status status) {
  absl::MutexLock lock(&future->mutex);
  future->status = std::move(status);
  future->done = true;
}

XLA_FFI_Error* SetAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  Complete(args->future, absl::OkStatus());
  return nullptr;
}

XLA_FFI_Error* SetFutureError(XLA_FFI_Future_SetError_Args* args) {
  Complete(args->future, TakeFfiError(args->error));
  return nullptr;
}

XLA_FFI_Error* GetRunId(XLA_FFI_RunId_Get_Args* args) {
  args->run_id = args->ctx->run_id;
  return nullptr;
}

XLA_FFI_Error* GetDeviceOrdinal(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  args->device_ordinal = 0;
  return nullptr;
}

}  // namespace

FfiState::~FfiState() {
  if (state_ == nullptr) return;
  void (*deleter)(void*) = nullptr;
  {
    Types& types = AllTypes();
    absl::MutexLock lock(&types.mutex);
    for (const auto& [name, row] : types.rows) {
      if (row.id == type_id_) deleter = row.deleter;
    }
  }
  if (deleter != nullptr) deleter(state_);
}

absl::Status FfiState::Set(int64_t type_id, void* state) {
  if (state_ != nullptr) {
    return FailedPrecondition("the handler has set its state already");
  }
  type_id_ = type_id;
  state_ = state;
  return absl::OkStatus();
}

absl::StatusOr<void*> FfiState::Get(int64_t type_id) const {
  if (state_ == nullptr) return NotFound("the handler has set no state");
  if (type_id != type_id_) {
    return InvalidArgument("the handler's state is of type %d, not %d",
                           type_id_, type_id);
  }
  return state_;
}

const XLA_FFI_Api& FfiApi() {
  static const XLA_FFI_Api api = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get),
      nullptr,
      {HLOKIT_SIZE_THROUGH(XLA_FFI_Api_Version, minor_version), nullptr,
       XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR},
      nullptr,
      &CreateError,
      &GetErrorMessage,
      &DestroyError,
      &RegisterHandler,
      &GetStream,
      &RegisterType,
      &GetUserData,
      &SetState,
      &GetState,
      &AllocateMemory,
      &FreeMemory,
      &ScheduleTask,
      &CountThreads,
      &CreateFuture,
      &SetAvailable,
      &SetFutureError,
      &GetRunId,
      &GetDeviceOrdinal,
  };
  return api;
}

absl::Status TakeFfiError(XLA_FFI_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  absl::Status status = std::move(error->status);
  delete error;
  return status;
}

absl::Status CallFfiHandler(XLA_FFI_Handler* handler,
                            XLA_FFI_CallFrame* frame) {
  frame->future = nullptr;
  absl::Status status = TakeFfiError(handler(frame));
  if (frame->future == nullptr) return status;
  const std::unique_ptr<XLA_FFI_Future> future(frame->future);
  if (!status.ok()) return status;
  absl::MutexLock lock(&future->mutex);
  future->mutex.Await(absl::Condition(&future->done));
  return future->status;
}

absl::Status RegisterFfiType(absl::string_view name, XLA_FFI_TypeId* type_id,
                             const XLA_FFI_TypeInfo* info) {
  if (type_id == nullptr) {
    return InvalidArgument("type %s is registered without an id", name);
  }
  Types& types = AllTypes();
  absl::MutexLock lock(&types.mutex);
  const auto found = types.rows.find(name);
  if (found != types.rows.end()) {
    if (type_id->type_id != 0 && type_id->type_id != found->second.id) {
      return InvalidArgument("type %s has the id %d, not %d", name,
                             found->second.id, type_id->type_id);
    }
    type_id->type_id = found->second.id;
    return absl::OkStatus();
  }
  TypeRow row;
  row.id = type_id->type_id;
  for (const auto& [other, taken] : types.rows) {
    if (type_id->type_id == 0) {
      row.id = std::max(row.id, taken.id);
    } else if (taken.id == row.id) {
      return InvalidArgument("types %s and %s have the id %d", other, name,
                             row.id);
    }
  }
  if (type_id->type_id == 0) ++row.id;
  row.deleter = info == nullptr ? nullptr : info->deleter;
  type_id->type_id = row.id;
  types.rows.emplace(std::string(name), row);
  return absl::OkStatus();
}

}  // namespace hlokit::custom_call

extern "C" {

const XLA_FFI_Api* XLA_FFI_GetApi(void) {
  return &hlokit::custom_call::FfiApi();
}

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->failure.reset();
}

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status,
                                   const char* message, size_t message_len) {
  status->failure.emplace(message, message_len);
}

}  // extern "C"
