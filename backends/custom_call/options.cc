#include "backends/custom_call/options.h"

#include "backends/custom_call/registry.h"
#include "base/status.h"

namespace hlokit::custom_call {

absl::Status UseCustomCallOptions(absl::Span<const std::string> libraries,
                                  absl::Span<const std::string> mappings) {
  CustomCallRegistry& registry = CustomCallRegistry::Global();
  for (const std::string& library : libraries) {
    const absl::Status status = registry.Load(library);
    if (!status.ok()) return Annotate(status, "--custom_call_library");
  }
  for (const std::string& text : mappings) {
    const absl::Status status = registry.Map(text);
    if (!status.ok()) return Annotate(status, "--custom_call");
  }
  return absl::OkStatus();
}

}  // namespace hlokit::custom_call
