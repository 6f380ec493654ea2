#include "backends/custom_call/registry.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/custom_call/ffi_api.h"
#include "base/status.h"

namespace hlokit::custom_call {
namespace {

// Asks a handler for the version that it was built for.
absl::Status CheckVersion(XLA_FFI_Handler* handler) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = HLOKIT_SIZE_THROUGH(XLA_FFI_Metadata, traits);
  metadata.api_version.struct_size =
      HLOKIT_SIZE_THROUGH(XLA_FFI_Api_Version, minor_version);
  metadata.api_version.major_version = -1;
  XLA_FFI_Metadata_Extension extension = {};
  extension.extension_base.struct_size =
      HLOKIT_SIZE_THROUGH(XLA_FFI_Metadata_Extension, metadata);
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = HLOKIT_SIZE_THROUGH(XLA_FFI_CallFrame, attrs);
  frame.extension_start = &extension.extension_base;
  frame.api = &FfiApi();
  const absl::Status status = CallFfiHandler(handler, &frame);
  if (!status.ok()) {
    return Annotate(status, "the handler does not tell its version");
  }
  const XLA_FFI_Api_Version& version = metadata.api_version;
  if (version.major_version == -1) {
    return InvalidArgument(
        "the function does not answer the question for its version: it is no "
        "handler of XLA's FFI");
  }
  if (version.major_version == XLA_FFI_API_MAJOR &&
      version.minor_version <= XLA_FFI_API_MINOR) {
    return absl::OkStatus();
  }
  return Unimplemented(
      "the handler was built for version %d.%d of XLA's FFI; versions up to "
      "%d.%d are known here",
      version.major_version, version.minor_version, XLA_FFI_API_MAJOR,
      XLA_FFI_API_MINOR);
}

// A symbol that the library itself defines: dlsym looks into what it depends
// on, too.
void* OwnSymbol(void* library, const std::string& symbol) {
  void* address = dlsym(library, symbol.c_str());
  if (address == nullptr) return nullptr;
  link_map* map = nullptr;
  Dl_info info;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr ||
      dladdr(address, &info) == 0) {
    return address;
  }
  const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
  return base == static_cast<uintptr_t>(map->l_addr) ? address : nullptr;
}

int AddTypedFor(void* self, const char* target,
                const XLA_FFI_Handler_Bundle* bundle);
int AddUntypedFor(void* self, const char* target, void (*function)());
int AddTypeFor(void* self, const char* name, XLA_FFI_TypeId* type_id,
               const XLA_FFI_TypeInfo* info);

// What a library's registration function works with.
struct Registration {
  std::string path;
  absl::Status status;

  int Note(absl::Status result) {
    if (result.ok()) return 0;
    if (status.ok()) status = std::move(result);
    return 1;
  }
};

int AddTypedFor(void* self, const char* target,
                const XLA_FFI_Handler_Bundle* bundle) {
  auto* r = static_cast<Registration*>(self);
  return r->Note(
      CustomCallRegistry::Global().AddTyped(target, *bundle, r->path));
}

int AddUntypedFor(void* self, const char* target, void (*function)()) {
  auto* r = static_cast<Registration*>(self);
  return r->Note(
      CustomCallRegistry::Global().AddUntyped(target, function, r->path));
}

int AddTypeFor(void* self, const char* name, XLA_FFI_TypeId* type_id,
               const XLA_FFI_TypeInfo* info) {
  return static_cast<Registration*>(self)->Note(
      RegisterFfiType(name, type_id, info));
}

}  // namespace

bool IsHostPlatform(absl::string_view platform) {
  return absl::EqualsIgnoreCase(platform, "Host") ||
         absl::EqualsIgnoreCase(platform, "cpu");
}

CustomCallApiVersion ApiVersionOf(const Instruction& call) {
  return static_cast<CustomCallApiVersion>(
      call.attrs().GetInt(AttrId::kCustomCallApiVersion));
}

bool IsTyped(const Instruction& call) {
  return ApiVersionOf(call) == CustomCallApiVersion::kTypedFfi;
}

CustomCallRegistry& CustomCallRegistry::Global() {
  static auto* registry = new CustomCallRegistry;
  return *registry;
}

absl::Status CustomCallRegistry::Load(absl::string_view path) {
  std::string file(path);
  struct stat unused;
  // The loader takes names without slash for names of system libraries.
  if (!absl::StrContains(path, '/') && stat(file.c_str(), &unused) == 0) {
    file = absl::StrCat("./", path);
  }
  // Handlers may register themselves now.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return NotFound("cannot load the library %s: %s", path,
                    why == nullptr ? "unknown reason" : why);
  }
  {
    absl::MutexLock lock(&mutex_);
    libraries_.push_back({std::string(path), handle});
    ForgetFound();
  }
  void* entry = OwnSymbol(handle, "hlokit_register_custom_calls");
  if (entry == nullptr) return absl::OkStatus();
  Registration registration{std::string(path), absl::OkStatus()};
  const HlokitCustomCallRegistrar registrar = {
      HLOKIT_SIZE_THROUGH(HlokitCustomCallRegistrar, add_type), &registration,
      &AddTypedFor, &AddUntypedFor, &AddTypeFor};
  reinterpret_cast<void (*)(const HlokitCustomCallRegistrar*)>(entry)(
      &registrar);
  return registration.status.ok() ? absl::OkStatus()
                                  : Annotate(registration.status, path);
}

absl::Status CustomCallRegistry::Map(absl::string_view text) {
  // Targets may hold "=", symbols may not.
  const size_t equals = text.rfind('=');
  const size_t at = text.find('@', equals == absl::string_view::npos
                                       ? 0
                                       : equals);
  if (equals == absl::string_view::npos || equals == 0) {
    return InvalidArgument("%s: TARGET=SYMBOL or TARGET=SYMBOL@LIBRARY is "
                           "wanted",
                           text);
  }
  Mapping mapping;
  mapping.symbol = std::string(text.substr(
      equals + 1, at == absl::string_view::npos ? at : at - equals - 1));
  if (mapping.symbol.empty()) return InvalidArgument("%s: no symbol", text);
  if (at != absl::string_view::npos) {
    mapping.library = std::string(text.substr(at + 1));
    bool loaded = false;
    {
      absl::MutexLock lock(&mutex_);
      loaded = std::any_of(
          libraries_.begin(), libraries_.end(),
          [&](const Library& l) { return l.path == mapping.library; });
    }
    if (!loaded) HLOKIT_RETURN_IF_ERROR(Load(mapping.library));
  }
  absl::MutexLock lock(&mutex_);
  mappings_[std::string(text.substr(0, equals))] = std::move(mapping);
  ForgetFound();
  return absl::OkStatus();
}

absl::Status CustomCallRegistry::Register(absl::string_view target,
                                          absl::string_view origin,
                                          std::unique_ptr<Handler> handler) {
  handler->origin = std::string(origin);
  absl::MutexLock lock(&mutex_);
  auto& place = registered_[std::string(target)];
  if (place != nullptr) replaced_.push_back(std::move(place));
  place = std::move(handler);
  return absl::OkStatus();
}

absl::Status CustomCallRegistry::AddTyped(absl::string_view target,
                                          const XLA_FFI_Handler_Bundle& bundle,
                                          absl::string_view origin) {
  if (bundle.execute == nullptr) {
    return InvalidArgument("custom-call target \"%s\" has no function to "
                           "execute",
                           target);
  }
  for (XLA_FFI_Handler* handler : {bundle.instantiate, bundle.prepare,
                                   bundle.initialize, bundle.execute}) {
    if (handler == nullptr) continue;
    const absl::Status status = CheckVersion(handler);
    if (!status.ok()) {
      return Annotate(status,
                      absl::StrCat("custom-call target \"", target, "\""));
    }
  }
  auto handler = std::make_unique<Handler>();
  handler->typed = bundle;
  return Register(target, origin, std::move(handler));
}

absl::Status CustomCallRegistry::AddUntyped(absl::string_view target,
                                            void (*function)(),
                                            absl::string_view origin) {
  if (function == nullptr) {
    return InvalidArgument("custom-call target \"%s\" has no function",
                           target);
  }
  auto handler = std::make_unique<Handler>();
  handler->untyped = function;
  return Register(target, origin, std::move(handler));
}

void CustomCallRegistry::ForgetFound() {
  for (auto& [name, handler] : found_) replaced_.push_back(std::move(handler));
  found_.clear();
}

absl::StatusOr<std::unique_ptr<Handler>> CustomCallRegistry::FromSymbol(
    absl::string_view symbol, absl::string_view library, bool typed) {
  for (const Library& l : libraries_) {
    if (!library.empty() && l.path != library) continue;
    const std::string name(symbol);
    void* address = OwnSymbol(l.handle, name);
    if (address == nullptr) continue;
    auto handler = std::make_unique<Handler>();
    handler->origin = l.path;
    if (!typed) {
      handler->untyped = reinterpret_cast<void (*)()>(address);
      return handler;
    }
    XLA_FFI_Handler_Bundle& bundle = handler->typed;
    const auto stage = [&](const char* suffix) {
      return reinterpret_cast<XLA_FFI_Handler*>(
          OwnSymbol(l.handle, name + suffix));
    };
    bundle = {stage("_instantiate"), stage("_prepare"), stage("_initialize"),
              reinterpret_cast<XLA_FFI_Handler*>(address)};
    for (XLA_FFI_Handler* part : {bundle.instantiate, bundle.prepare,
                                  bundle.initialize, bundle.execute}) {
      if (part == nullptr) continue;
      const absl::Status status = CheckVersion(part);
      if (!status.ok()) {
        return Annotate(status, absl::StrCat(name, " of ", l.path));
      }
    }
    return handler;
  }
  return nullptr;
}

absl::StatusOr<const Handler*> CustomCallRegistry::Find(
    const Instruction& call) {
  const absl::string_view target = call.custom_call_target();
  const bool typed = IsTyped(call);
  absl::MutexLock lock(&mutex_);
  const auto mapped = mappings_.find(target);
  if (mapped == mappings_.end()) {
    const auto registered = registered_.find(target);
    if (registered != registered_.end()) {
      const Handler* handler = registered->second.get();
      if ((handler->untyped == nullptr) == typed) return handler;
      return InvalidArgument(
          "%s registered \"%s\" as %s custom-call, but %%%s calls it as %s "
          "one",
          handler->origin, target, typed ? "an untyped" : "a typed",
          call.name(), typed ? "a typed" : "an untyped");
    }
  }
  if (libraries_.empty() && mapped == mappings_.end()) return nullptr;
  const std::string key = absl::StrCat(typed ? "typed " : "untyped ", target);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second.get();
  std::unique_ptr<Handler> handler;
  if (mapped != mappings_.end()) {
    const Mapping& mapping = mapped->second;
    HLOKIT_ASSIGN_OR_RETURN(
        handler, FromSymbol(mapping.symbol, mapping.library, typed));
    if (handler == nullptr) {
      return NotFound(
          "no function %s for custom-call target \"%s\" in %s", mapping.symbol,
          target,
          !mapping.library.empty() ? mapping.library
          : libraries_.empty()
              ? "any library, for none is given (--custom_call_library)"
              : absl::StrJoin(libraries_, ", ",
                              [](std::string* out, const Library& l) {
                                out->append(l.path);
                              }));
    }
  } else {
    HLOKIT_ASSIGN_OR_RETURN(handler, FromSymbol(target, "", typed));
  }
  return (found_[key] = std::move(handler)).get();
}

}  // namespace hlokit::custom_call
