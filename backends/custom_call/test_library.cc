// A library of custom-calls as a user would write it, against the public
// header; tests load it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "backends/custom_call/hlokit_custom_call.h"

namespace {

const float* In(XLA_FFI_CallFrame* frame, int k) {
  return static_cast<float*>(
      static_cast<XLA_FFI_Buffer*>(frame->args.args[k])->data);
}

int64_t Count(const XLA_FFI_Buffer& buffer) {
  int64_t count = 1;
  for (int64_t k = 0; k < buffer.rank; ++k) count *= buffer.dims[k];
  return count;
}

const XLA_FFI_Buffer& Out(XLA_FFI_CallFrame* frame, int k) {
  return *static_cast<XLA_FFI_Buffer*>(frame->rets.rets[k]);
}

void Describe(const XLA_FFI_Attrs& attrs, std::string* out) {
  char text[64];
  for (int64_t k = 0; k < attrs.size; ++k) {
    out->append(attrs.names[k]->ptr, attrs.names[k]->len);
    void* value = attrs.attrs[k];
    switch (attrs.types[k]) {
      case XLA_FFI_AttrType_DICTIONARY:
        *out += "={";
        Describe(*static_cast<XLA_FFI_Attrs*>(value), out);
        *out += "}";
        break;
      case XLA_FFI_AttrType_STRING: {
        const auto* span = static_cast<XLA_FFI_ByteSpan*>(value);
        *out += "='" + std::string(span->ptr, span->len) + "'";
        break;
      }
      case XLA_FFI_AttrType_ARRAY: {
        const auto* array = static_cast<XLA_FFI_Array*>(value);
        std::snprintf(text, sizeof(text), "=%d[%d]", array->dtype,
                      static_cast<int>(array->size));
        *out += text;
        if (array->dtype == XLA_FFI_DataType_S64) {
          for (size_t e = 0; e < array->size; ++e) {
            *out += ":" + std::to_string(static_cast<int64_t*>(array->data)[e]);
          }
        }
        break;
      }
      case XLA_FFI_AttrType_SCALAR: {
        const auto* scalar = static_cast<XLA_FFI_Scalar*>(value);
        std::snprintf(text, sizeof(text), "=%d:", scalar->dtype);
        *out += text;
        if (scalar->dtype == XLA_FFI_DataType_F32) {
          std::snprintf(text, sizeof(text), "%g",
                        *static_cast<float*>(scalar->value));
        } else if (scalar->dtype == XLA_FFI_DataType_F64) {
          std::snprintf(text, sizeof(text), "%g",
                        *static_cast<double*>(scalar->value));
        } else if (scalar->dtype == XLA_FFI_DataType_S64) {
          std::snprintf(text, sizeof(text), "%lld",
                        static_cast<long long>(
                            *static_cast<int64_t*>(scalar->value)));
        } else {
          std::snprintf(text, sizeof(text), "%d",
                        *static_cast<int8_t*>(scalar->value));
        }
        *out += text;
        break;
      }
    }
    *out += ";";
  }
}

XLA_FFI_TypeId counter_type = {0};
int deleted_counters = 0;
const XLA_FFI_TypeInfo counter_info = {
    HLOKIT_SIZE_THROUGH(XLA_FFI_TypeInfo, deleter), nullptr, [](void* counter) {
      delete static_cast<int*>(counter);
      ++deleted_counters;
    }};

XLA_FFI_Error* MakeCounter(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  XLA_FFI_State_Set_Args args = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_State_Set_Args, state), nullptr, frame->ctx,
      frame->stage, &counter_type, new int(0)};
  return frame->api->XLA_FFI_State_Set(&args);
}

XLA_FFI_Error* GetCounter(XLA_FFI_CallFrame* frame,
                          XLA_FFI_ExecutionStage stage, int** counter) {
  XLA_FFI_State_Get_Args args = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_State_Get_Args, state), nullptr, frame->ctx,
      stage, &counter_type, nullptr};
  XLA_FFI_Error* error = frame->api->XLA_FFI_State_Get(&args);
  *counter = static_cast<int*>(args.state);
  return error;
}

// Result: how often this call site was executed, and how often in this
// execution of the module.
XLA_FFI_Error* Count(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  int *made, *initialized;
  XLA_FFI_Error* error =
      GetCounter(frame, XLA_FFI_ExecutionStage_INSTANTIATE, &made);
  if (error != nullptr) return error;
  error = GetCounter(frame, XLA_FFI_ExecutionStage_INITIALIZE, &initialized);
  if (error != nullptr) return error;
  static_cast<int32_t*>(Out(frame, 0).data)[0] = ++*made;
  static_cast<int32_t*>(Out(frame, 0).data)[1] = ++*initialized;
  return nullptr;
}

XLA_FFI_Error* Deny(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  return HlokitMakeError(frame, XLA_FFI_Error_Code_PERMISSION_DENIED,
                         "not today");
}

void Negate(void* out, const void** in) {
  static_cast<float*>(out)[0] = -static_cast<const float*>(in[0])[0];
}

}  // namespace

extern "C" {

// x * scale + bias elementwise; scale is an f32 attribute.
XLA_FFI_Error* lib_scale(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  if (frame->args.size != 2 || frame->attrs.size != 1) {
    return HlokitMakeError(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                           "lib_scale takes x, bias and scale");
  }
  const float scale = *static_cast<float*>(
      static_cast<XLA_FFI_Scalar*>(frame->attrs.attrs[0])->value);
  const XLA_FFI_Buffer& out = Out(frame, 0);
  const int64_t count = Count(out);
  for (int64_t k = 0; k < count; ++k) {
    static_cast<float*>(out.data)[k] =
        In(frame, 0)[k] * scale + In(frame, 1)[k];
  }
  return nullptr;
}

// The frame as text in an array of u8.
XLA_FFI_Error* lib_describe(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  std::string text;
  for (int64_t k = 0; k < frame->args.size; ++k) {
    const auto& buffer = *static_cast<XLA_FFI_Buffer*>(frame->args.args[k]);
    text += std::to_string(buffer.dtype) + "[";
    for (int64_t d = 0; d < buffer.rank; ++d) {
      text += (d > 0 ? "," : "") + std::to_string(buffer.dims[d]);
    }
    text += "] ";
  }
  Describe(frame->attrs, &text);
  const XLA_FFI_Buffer& out = Out(frame, 0);
  std::memset(out.data, 0, out.dims[0]);
  std::memcpy(out.data, text.data(),
              text.size() < static_cast<size_t>(out.dims[0]) ? text.size()
                                                             : out.dims[0]);
  return nullptr;
}

// The bytes of the operand as they lie in memory.
XLA_FFI_Error* lib_bytes(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  std::memcpy(Out(frame, 0).data, In(frame, 0), Count(Out(frame, 0)));
  return nullptr;
}

// The other way: the result's memory is filled with the operand's bytes.
XLA_FFI_Error* lib_from_bytes(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  const auto& bytes = *static_cast<XLA_FFI_Buffer*>(frame->args.args[0]);
  std::memcpy(Out(frame, 0).data, bytes.data, Count(bytes));
  return nullptr;
}

// Adds 1 to operand 1 where it is, which must be result 0's place; the token
// goes by.
XLA_FFI_Error* lib_bump(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  const auto& token = *static_cast<XLA_FFI_Buffer*>(frame->args.args[0]);
  const auto& x = *static_cast<XLA_FFI_Buffer*>(frame->args.args[1]);
  if (token.dtype != XLA_FFI_DataType_TOKEN || token.rank != 0 ||
      x.data != Out(frame, 0).data) {
    return HlokitMakeError(frame, XLA_FFI_Error_Code_INTERNAL, "not in place");
  }
  for (int64_t k = 0; k < Count(x); ++k) static_cast<float*>(x.data)[k] += 1;
  return nullptr;
}

// Asks for everything that the platform Host has, and for what it has not.
XLA_FFI_Error* lib_environment(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  auto* out = static_cast<int64_t*>(Out(frame, 0).data);
  XLA_FFI_DeviceOrdinal_Get_Args ordinal = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal),
      nullptr, frame->ctx, -1};
  XLA_FFI_Error* error = frame->api->XLA_FFI_DeviceOrdinal_Get(&ordinal);
  if (error != nullptr) return error;
  out[0] = ordinal.device_ordinal;
  XLA_FFI_RunId_Get_Args run = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_RunId_Get_Args, run_id), nullptr, frame->ctx,
      0};
  error = frame->api->XLA_FFI_RunId_Get(&run);
  if (error != nullptr) return error;
  out[1] = run.run_id;
  int64_t threads = 0;
  XLA_FFI_ThreadPool_NumThreads_Args count = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_ThreadPool_NumThreads_Args, num_threads),
      nullptr, frame->ctx, &threads};
  error = frame->api->XLA_FFI_ThreadPool_NumThreads(&count);
  if (error != nullptr) return error;
  out[2] = threads;
  XLA_FFI_DeviceMemory_Allocate_Args memory = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_DeviceMemory_Allocate_Args, data), nullptr,
      frame->ctx, 100, 128, nullptr};
  error = frame->api->XLA_FFI_DeviceMemory_Allocate(&memory);
  if (error != nullptr) return error;
  out[3] = reinterpret_cast<uintptr_t>(memory.data) % 128;
  XLA_FFI_DeviceMemory_Free_Args free = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_DeviceMemory_Free_Args, data), nullptr,
      frame->ctx, 100, memory.data};
  error = frame->api->XLA_FFI_DeviceMemory_Free(&free);
  if (error != nullptr) return error;
  XLA_FFI_Stream_Get_Args stream = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_Stream_Get_Args, stream), nullptr, frame->ctx,
      nullptr};
  return frame->api->XLA_FFI_Stream_Get(&stream);
}

// Is done later, on a thread of the pool: x is doubled, or an error if it is
// negative.
struct Later {
  const XLA_FFI_Api* api;
  XLA_FFI_Future* future;
  XLA_FFI_Error* error;
  const float* in;
  float* out;
};

void FinishLater(void* data) {
  auto* later = static_cast<Later*>(data);
  *later->out = *later->in * 2;
  if (later->error != nullptr) {
    XLA_FFI_Future_SetError_Args args = {
        HLOKIT_SIZE_THROUGH(XLA_FFI_Future_SetError_Args, error), nullptr,
        later->future, later->error};
    later->api->XLA_FFI_Future_SetError(&args);
  } else {
    XLA_FFI_Future_SetAvailable_Args args = {
        HLOKIT_SIZE_THROUGH(XLA_FFI_Future_SetAvailable_Args, future), nullptr,
        later->future};
    later->api->XLA_FFI_Future_SetAvailable(&args);
  }
  delete later;
}

XLA_FFI_Error* lib_later(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) return nullptr;
  XLA_FFI_Future_Create_Args made = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_Future_Create_Args, future), nullptr,
      nullptr};
  XLA_FFI_Error* error = frame->api->XLA_FFI_Future_Create(&made);
  if (error != nullptr) return error;
  auto* later = new Later{frame->api, made.future, nullptr, In(frame, 0),
                          static_cast<float*>(Out(frame, 0).data)};
  if (*later->in < 0) {
    later->error = HlokitMakeError(frame, XLA_FFI_Error_Code_OUT_OF_RANGE,
                                   "negative, found out later");
  }
  frame->future = made.future;
  XLA_FFI_ThreadPool_Schedule_Args task = {
      HLOKIT_SIZE_THROUGH(XLA_FFI_ThreadPool_Schedule_Args, data), nullptr,
      frame->ctx, &FinishLater, later};
  return frame->api->XLA_FFI_ThreadPool_Schedule(&task);
}

// Of no version at all.
XLA_FFI_Error* lib_silent(XLA_FFI_CallFrame* frame) { return nullptr; }

XLA_FFI_Error* lib_future_version(XLA_FFI_CallFrame* frame) {
  if (HlokitAnsweredMetadata(frame)) {
    reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)
        ->metadata->api_version.minor_version = 99;
  }
  return nullptr;
}

// --- untyped ---

void lib_add(void* out, const void** in) {
  for (int k = 0; k < 3; ++k) {
    static_cast<float*>(out)[k] = static_cast<const float*>(in[0])[k] +
                                  static_cast<const float*>(in[1])[k];
  }
}

// (sum, difference)
void lib_both(void* out, const void** in, XlaCustomCallStatus* status) {
  void** outs = static_cast<void**>(out);
  const float a = *static_cast<const float*>(in[0]);
  const float b = *static_cast<const float*>(in[1]);
  *static_cast<float*>(outs[0]) = a + b;
  *static_cast<float*>(outs[1]) = a - b;
  if (a == b) XlaCustomCallStatusSetFailure(status, "both are equal!!", 14);
}

// The operand times the length of the backend_config.
void lib_opaque(void* out, const void** in, const char* opaque, size_t length,
                XlaCustomCallStatus* status) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]) * length;
  if (length > 0 && opaque[0] == '!') {
    XlaCustomCallStatusSetFailure(status, opaque, length);
  } else {
    XlaCustomCallStatusSetSuccess(status);
  }
}

int lib_deleted_counters() { return deleted_counters; }

void hlokit_register_custom_calls(const HlokitCustomCallRegistrar* registrar) {
  registrar->add_type(registrar->self, "lib.counter", &counter_type,
                      &counter_info);
  const XLA_FFI_Handler_Bundle count = {&MakeCounter, nullptr, &MakeCounter,
                                        &Count};
  registrar->add_typed(registrar->self, "lib.count", &count);
  const XLA_FFI_Handler_Bundle deny = {&Deny, nullptr, nullptr, &Deny};
  registrar->add_typed(registrar->self, "lib.deny", &deny);
  registrar->add_untyped(registrar->self, "lib.negate",
                         reinterpret_cast<void (*)()>(&Negate));
}

}  // extern "C"
