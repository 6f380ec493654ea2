/* What a library of custom-calls needs to be run by hlokit: include this file,
 * nothing else. Plain C (C99) or C++.
 *
 * A library serves a custom-call target in one of three ways:
 *  - it exports a function of the target's name;
 *  - the user names the function: --custom_call=TARGET=SYMBOL;
 *  - it exports hlokit_register_custom_calls (below) or registers handlers when
 *    it is loaded, with XLA_FFI_GetApi()->XLA_FFI_Handler_Register.
 *
 * Two kinds of functions exist; the api_version of the custom-call tells which
 * one is called. With API_VERSION_TYPED_FFI it is a handler of XLA's foreign
 * function interface: the structures below have the names and the layout of
 * that interface, version 0.3, so handlers that were built with the headers of
 * a jaxlib (xla/ffi/api/ffi.h) run here and those built with this file run
 * there. With the other versions it is a bare function of pointers; see
 * "Untyped custom-calls".
 */
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_HLOKIT_CUSTOM_CALL_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_HLOKIT_CUSTOM_CALL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- XLA FFI ------------------------------------------------------------- */

#ifndef XLA_FFI_API_C_API_H_ /* jaxlib's own header came first */

#define XLA_FFI_API_MAJOR 0
#define XLA_FFI_API_MINOR 3

/* Every structure that crosses the border begins with its size: up to the end
 * of its last member, without padding. A side that knows a longer structure
 * sees so which members the other one filled in. */
#define HLOKIT_SIZE_THROUGH(type, last) \
  (offsetof(type, last) + sizeof(((type*)0)->last))

typedef struct XLA_FFI_Api XLA_FFI_Api;
typedef struct XLA_FFI_InternalApi XLA_FFI_InternalApi;
typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef struct XLA_FFI_Future XLA_FFI_Future;
typedef struct XLA_FFI_ExecutionContext XLA_FFI_ExecutionContext;

typedef enum { XLA_FFI_Extension_Metadata = 1 } XLA_FFI_Extension_Type;

typedef struct XLA_FFI_Extension_Base {
  size_t struct_size;
  XLA_FFI_Extension_Type type;
  struct XLA_FFI_Extension_Base* next;
} XLA_FFI_Extension_Base;

typedef struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int major_version;
  int minor_version;
} XLA_FFI_Api_Version;

/* The numbers of absl::StatusCode. */
typedef enum {
  XLA_FFI_Error_Code_OK = 0,
  XLA_FFI_Error_Code_CANCELLED = 1,
  XLA_FFI_Error_Code_UNKNOWN = 2,
  XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
  XLA_FFI_Error_Code_DEADLINE_EXCEEDED = 4,
  XLA_FFI_Error_Code_NOT_FOUND = 5,
  XLA_FFI_Error_Code_ALREADY_EXISTS = 6,
  XLA_FFI_Error_Code_PERMISSION_DENIED = 7,
  XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8,
  XLA_FFI_Error_Code_FAILED_PRECONDITION = 9,
  XLA_FFI_Error_Code_ABORTED = 10,
  XLA_FFI_Error_Code_OUT_OF_RANGE = 11,
  XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
  XLA_FFI_Error_Code_INTERNAL = 13,
  XLA_FFI_Error_Code_UNAVAILABLE = 14,
  XLA_FFI_Error_Code_DATA_LOSS = 15,
  XLA_FFI_Error_Code_UNAUTHENTICATED = 16
} XLA_FFI_Error_Code;

/* The numbers of xla.PrimitiveType. */
typedef enum {
  XLA_FFI_DataType_INVALID = 0,
  XLA_FFI_DataType_PRED = 1,
  XLA_FFI_DataType_S8 = 2,
  XLA_FFI_DataType_S16 = 3,
  XLA_FFI_DataType_S32 = 4,
  XLA_FFI_DataType_S64 = 5,
  XLA_FFI_DataType_U8 = 6,
  XLA_FFI_DataType_U16 = 7,
  XLA_FFI_DataType_U32 = 8,
  XLA_FFI_DataType_U64 = 9,
  XLA_FFI_DataType_F16 = 10,
  XLA_FFI_DataType_F32 = 11,
  XLA_FFI_DataType_F64 = 12,
  XLA_FFI_DataType_C64 = 15,
  XLA_FFI_DataType_BF16 = 16,
  XLA_FFI_DataType_TOKEN = 17,
  XLA_FFI_DataType_C128 = 18,
  XLA_FFI_DataType_F8E5M2 = 19,
  XLA_FFI_DataType_F8E4M3FN = 20,
  XLA_FFI_DataType_S4 = 21,
  XLA_FFI_DataType_U4 = 22,
  XLA_FFI_DataType_F8E4M3B11FNUZ = 23,
  XLA_FFI_DataType_F8E5M2FNUZ = 24,
  XLA_FFI_DataType_F8E4M3FNUZ = 25,
  XLA_FFI_DataType_S2 = 26,
  XLA_FFI_DataType_U2 = 27,
  XLA_FFI_DataType_F8E4M3 = 28,
  XLA_FFI_DataType_F8E3M4 = 29,
  XLA_FFI_DataType_S1 = 30,
  XLA_FFI_DataType_U1 = 31,
  XLA_FFI_DataType_F4E2M1FN = 32,
  XLA_FFI_DataType_F8E8M0FNU = 33
} XLA_FFI_DataType;

/* Values. Arguments and results are buffers: dense, in the order of the layout
 * that the custom-call asks for. */
typedef struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_DataType dtype;
  void* data;
  int64_t rank;
  int64_t* dims; /* rank many */
} XLA_FFI_Buffer;

typedef enum { XLA_FFI_ArgType_BUFFER = 1 } XLA_FFI_ArgType;
typedef enum { XLA_FFI_RetType_BUFFER = 1 } XLA_FFI_RetType;
typedef enum {
  XLA_FFI_AttrType_ARRAY = 1,      /* XLA_FFI_Array */
  XLA_FFI_AttrType_DICTIONARY = 2, /* XLA_FFI_Attrs */
  XLA_FFI_AttrType_SCALAR = 3,     /* XLA_FFI_Scalar */
  XLA_FFI_AttrType_STRING = 4      /* XLA_FFI_ByteSpan */
} XLA_FFI_AttrType;

typedef struct XLA_FFI_ByteSpan { /* without a zero at the end */
  const char* ptr;
  size_t len;
} XLA_FFI_ByteSpan;

typedef struct XLA_FFI_Scalar {
  XLA_FFI_DataType dtype;
  void* value;
} XLA_FFI_Scalar;

typedef struct XLA_FFI_Array {
  XLA_FFI_DataType dtype;
  size_t size; /* elements */
  void* data;
} XLA_FFI_Array;

typedef struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  XLA_FFI_ArgType* types;
  void** args;
} XLA_FFI_Args;

typedef struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  XLA_FFI_RetType* types;
  void** rets;
} XLA_FFI_Rets;

typedef struct XLA_FFI_Attrs { /* sorted by name */
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  XLA_FFI_AttrType* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;
} XLA_FFI_Attrs;

/* A call site is instantiated once, when the module is compiled; the others
 * happen in each execution, in this order. Buffers hold values in the last. */
typedef enum {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3
} XLA_FFI_ExecutionStage;

typedef struct XLA_FFI_CallFrame {
  size_t struct_size; /* through attrs */
  XLA_FFI_Extension_Base* extension_start;
  const XLA_FFI_Api* api;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future* future; /* set by a handler that is not done yet */
} XLA_FFI_CallFrame;

/* Null: all is well. An error belongs to who receives it. */
typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* frame);

typedef struct XLA_FFI_Handler_Bundle {
  XLA_FFI_Handler* instantiate; /* may be null, as the next two */
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
} XLA_FFI_Handler_Bundle;

typedef uint32_t XLA_FFI_Handler_Traits;
enum { XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1 };

/* Types of states and user data. */
typedef struct XLA_FFI_TypeId {
  int64_t type_id; /* 0: not registered yet */
} XLA_FFI_TypeId;

typedef struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  void (*deleter)(void* object);
} XLA_FFI_TypeInfo;

/* A handler is asked for its metadata before it is used: a frame whose first
 * extension is this one. It fills the metadata in and returns null. */
typedef struct XLA_FFI_Metadata {
  size_t struct_size; /* through traits */
  XLA_FFI_Api_Version api_version;
  XLA_FFI_Handler_Traits traits;
  XLA_FFI_TypeId state_type_id;
} XLA_FFI_Metadata;

typedef struct XLA_FFI_Metadata_Extension {
  XLA_FFI_Extension_Base extension_base;
  XLA_FFI_Metadata* metadata;
} XLA_FFI_Metadata_Extension;

/* What a handler may call: XLA_FFI_X takes a structure XLA_FFI_X_Args. */
#define HLOKIT_FFI_ARGS(name, ...)             \
  typedef struct name##_Args {                 \
    size_t struct_size;                        \
    XLA_FFI_Extension_Base* extension_start;   \
    __VA_ARGS__                                \
  } name##_Args

HLOKIT_FFI_ARGS(XLA_FFI_Error_Create, const char* message;
                XLA_FFI_Error_Code errc;);
HLOKIT_FFI_ARGS(XLA_FFI_Error_GetMessage, XLA_FFI_Error* error;
                const char* message;);
HLOKIT_FFI_ARGS(XLA_FFI_Error_Destroy, XLA_FFI_Error* error;);
HLOKIT_FFI_ARGS(XLA_FFI_Handler_Register, XLA_FFI_ByteSpan name;
                XLA_FFI_ByteSpan platform; XLA_FFI_Handler_Bundle bundle;
                XLA_FFI_Handler_Traits traits;);
HLOKIT_FFI_ARGS(XLA_FFI_Type_Register, XLA_FFI_ByteSpan name;
                XLA_FFI_TypeId* type_id; const XLA_FFI_TypeInfo* type_info;);
HLOKIT_FFI_ARGS(XLA_FFI_ExecutionContext_Get, XLA_FFI_ExecutionContext* ctx;
                XLA_FFI_TypeId* type_id; void* data;);
HLOKIT_FFI_ARGS(XLA_FFI_State_Set, XLA_FFI_ExecutionContext* ctx;
                XLA_FFI_ExecutionStage stage; XLA_FFI_TypeId* type_id;
                void* state;);
HLOKIT_FFI_ARGS(XLA_FFI_State_Get, XLA_FFI_ExecutionContext* ctx;
                XLA_FFI_ExecutionStage stage; XLA_FFI_TypeId* type_id;
                void* state;);
HLOKIT_FFI_ARGS(XLA_FFI_Stream_Get, XLA_FFI_ExecutionContext* ctx;
                void* stream;);
HLOKIT_FFI_ARGS(XLA_FFI_DeviceMemory_Allocate, XLA_FFI_ExecutionContext* ctx;
                size_t size; size_t alignment; void* data;);
HLOKIT_FFI_ARGS(XLA_FFI_DeviceMemory_Free, XLA_FFI_ExecutionContext* ctx;
                size_t size; void* data;);
typedef void XLA_FFI_Task(void* data);
HLOKIT_FFI_ARGS(XLA_FFI_ThreadPool_Schedule, XLA_FFI_ExecutionContext* ctx;
                XLA_FFI_Task* task; void* data;);
HLOKIT_FFI_ARGS(XLA_FFI_ThreadPool_NumThreads, XLA_FFI_ExecutionContext* ctx;
                int64_t* num_threads;);
HLOKIT_FFI_ARGS(XLA_FFI_Future_Create, XLA_FFI_Future* future;);
HLOKIT_FFI_ARGS(XLA_FFI_Future_SetAvailable, XLA_FFI_Future* future;);
HLOKIT_FFI_ARGS(XLA_FFI_Future_SetError, XLA_FFI_Future* future;
                XLA_FFI_Error* error;);
HLOKIT_FFI_ARGS(XLA_FFI_RunId_Get, XLA_FFI_ExecutionContext* ctx;
                int64_t run_id;);
HLOKIT_FFI_ARGS(XLA_FFI_DeviceOrdinal_Get, XLA_FFI_ExecutionContext* ctx;
                int32_t device_ordinal;);
#undef HLOKIT_FFI_ARGS

#define HLOKIT_FFI_FUNCTION(name) XLA_FFI_Error* (*name)(name##_Args * args)

struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api; /* null here */
  HLOKIT_FFI_FUNCTION(XLA_FFI_Error_Create);
  void (*XLA_FFI_Error_GetMessage)(XLA_FFI_Error_GetMessage_Args* args);
  void (*XLA_FFI_Error_Destroy)(XLA_FFI_Error_Destroy_Args* args);
  HLOKIT_FFI_FUNCTION(XLA_FFI_Handler_Register);
  HLOKIT_FFI_FUNCTION(XLA_FFI_Stream_Get);
  HLOKIT_FFI_FUNCTION(XLA_FFI_Type_Register);
  HLOKIT_FFI_FUNCTION(XLA_FFI_ExecutionContext_Get);
  HLOKIT_FFI_FUNCTION(XLA_FFI_State_Set);
  HLOKIT_FFI_FUNCTION(XLA_FFI_State_Get);
  HLOKIT_FFI_FUNCTION(XLA_FFI_DeviceMemory_Allocate);
  HLOKIT_FFI_FUNCTION(XLA_FFI_DeviceMemory_Free);
  HLOKIT_FFI_FUNCTION(XLA_FFI_ThreadPool_Schedule);
  HLOKIT_FFI_FUNCTION(XLA_FFI_ThreadPool_NumThreads);
  HLOKIT_FFI_FUNCTION(XLA_FFI_Future_Create);
  HLOKIT_FFI_FUNCTION(XLA_FFI_Future_SetAvailable);
  HLOKIT_FFI_FUNCTION(XLA_FFI_Future_SetError);
  HLOKIT_FFI_FUNCTION(XLA_FFI_RunId_Get);
  HLOKIT_FFI_FUNCTION(XLA_FFI_DeviceOrdinal_Get);
};
#undef HLOKIT_FFI_FUNCTION

/* The running process' functions, also outside of calls. */
const XLA_FFI_Api* XLA_FFI_GetApi(void);

/* For handlers in C: answers the question for metadata. Returns 1 when the
 * frame was such a question, and the handler is to return null. */
static inline int HlokitAnsweredMetadata(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Metadata* metadata;
  if (frame->extension_start == NULL ||
      frame->extension_start->type != XLA_FFI_Extension_Metadata) {
    return 0;
  }
  metadata = ((XLA_FFI_Metadata_Extension*)frame->extension_start)->metadata;
  metadata->api_version.struct_size =
      HLOKIT_SIZE_THROUGH(XLA_FFI_Api_Version, minor_version);
  metadata->api_version.extension_start = NULL;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  metadata->traits = 0;
  return 1;
}

/* For handlers in C: an error to return. */
static inline XLA_FFI_Error* HlokitMakeError(XLA_FFI_CallFrame* frame,
                                             XLA_FFI_Error_Code code,
                                             const char* message) {
  XLA_FFI_Error_Create_Args args;
  args.struct_size = HLOKIT_SIZE_THROUGH(XLA_FFI_Error_Create_Args, errc);
  args.extension_start = NULL;
  args.message = message;
  args.errc = code;
  return frame->api->XLA_FFI_Error_Create(&args);
}

#endif /* XLA_FFI_API_C_API_H_ */

/* --- Untyped custom-calls -------------------------------------------------
 *
 * `in` has a pointer for each array of the operands, tuples taken apart. `out`
 * is the result's array or, if the result is a tuple, an array of pointers to
 * its arrays. The shapes are not told. */

typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

/* API_VERSION_ORIGINAL, and custom-calls that give none */
typedef void HlokitCustomCall(void* out, const void** in);
/* API_VERSION_STATUS_RETURNING */
typedef void HlokitStatusCustomCall(void* out, const void** in,
                                    XlaCustomCallStatus* status);
/* API_VERSION_STATUS_RETURNING_UNIFIED; `opaque` is the backend_config */
typedef void HlokitUnifiedCustomCall(void* out, const void** in,
                                     const char* opaque, size_t opaque_len,
                                     XlaCustomCallStatus* status);

/* Success is what a status begins with; the message is copied. */
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status,
                                   const char* message, size_t message_len);

/* --- Registration -------------------------------------------------------- */

typedef struct HlokitCustomCallRegistrar {
  size_t struct_size;
  void* self; /* to be handed to the functions */
  /* Both return 0, or 1 after an error, which hlokit then reports. Names are
   * copied. */
  int (*add_typed)(void* self, const char* target,
                   const XLA_FFI_Handler_Bundle* bundle);
  /* `function` has the type that the api_version of the custom-calls asks
   * for. */
  int (*add_untyped)(void* self, const char* target, void (*function)(void));
  /* Gives `type_id` its number; `type_info` may be null. */
  int (*add_type)(void* self, const char* name, XLA_FFI_TypeId* type_id,
                  const XLA_FFI_TypeInfo* type_info);
} HlokitCustomCallRegistrar;

/* Called once after the library was loaded, if it defines this. */
void hlokit_register_custom_calls(const HlokitCustomCallRegistrar* registrar);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLOKIT_BACKENDS_CUSTOM_CALL_HLOKIT_CUSTOM_CALL_H_ */
