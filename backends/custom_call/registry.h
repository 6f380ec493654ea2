// Who serves which custom-call target on the platform Host: handlers of
// libraries that the user names. One registry for the process, as XLA has it.
//
//   HLOKIT_RETURN_IF_ERROR(CustomCallRegistry::Global().Load("./ops.so"));
//
// Thread-safe.
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_REGISTRY_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "backends/custom_call/hlokit_custom_call.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"

namespace hlokit::custom_call {

// One of the two.
struct Handler {
  XLA_FFI_Handler_Bundle typed = {};
  void (*untyped)() = nullptr;
  std::string origin;  // "./ops.so"
};

// "Host" and "cpu", in any case.
bool IsHostPlatform(absl::string_view platform);

// Of an instruction: what none is given stands for, too.
CustomCallApiVersion ApiVersionOf(const Instruction& call);
bool IsTyped(const Instruction& call);

class CustomCallRegistry {
 public:
  static CustomCallRegistry& Global();

  // Loads a library and lets it register what it has. NotFound and the
  // loader's words when it cannot be loaded. Libraries stay loaded.
  absl::Status Load(absl::string_view path);
  // "TARGET=SYMBOL" or "TARGET=SYMBOL@LIBRARY": that function serves the
  // target. Without library it is looked for in all that are loaded.
  absl::Status Map(absl::string_view text);

  // `origin` says in messages where it comes from. What comes later wins.
  absl::Status AddTyped(absl::string_view target,
                        const XLA_FFI_Handler_Bundle& bundle,
                        absl::string_view origin);
  absl::Status AddUntyped(absl::string_view target, void (*function)(),
                          absl::string_view origin);

  // Who serves the custom-call: a function that Map named, one that is
  // registered, or an exported one of the target's name (its stages
  // NAME_instantiate, NAME_prepare and NAME_initialize beside it); null when
  // nobody does. An error when a handler does not fit the custom-call's
  // api_version or XLA's FFI as it is known here.
  absl::StatusOr<const Handler*> Find(const Instruction& call);

 private:
  struct Library {
    std::string path;
    void* handle;
  };
  struct Mapping {
    std::string symbol;
    std::string library;  // empty: any
  };
  using Handlers =
      std::map<std::string, std::unique_ptr<Handler>, std::less<>>;

  // In the place of an earlier one.
  absl::Status Register(absl::string_view target, absl::string_view origin,
                        std::unique_ptr<Handler> handler);
  absl::StatusOr<std::unique_ptr<Handler>> FromSymbol(
      absl::string_view symbol, absl::string_view library, bool typed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetFound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  std::vector<Library> libraries_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Mapping, std::less<>> mappings_ ABSL_GUARDED_BY(mutex_);
  Handlers registered_ ABSL_GUARDED_BY(mutex_);
  // By "TYPED target"; null for what is not there.
  Handlers found_ ABSL_GUARDED_BY(mutex_);
  // Handed out before something took their place.
  std::vector<std::unique_ptr<Handler>> replaced_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_REGISTRY_H_
