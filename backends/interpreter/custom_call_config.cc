#include "backends/interpreter/custom_call_config.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "base/status.h"

namespace hlokit::interpreter {

absl::StatusOr<CustomCallConfig> CustomCallConfig::Parse(
    absl::string_view text) {
  CustomCallConfig config;
  HLOKIT_ASSIGN_OR_RETURN(config.values_, ParseConfigText(text));
  return config;
}

absl::StatusOr<CustomCallConfig> CustomCallConfig::Of(
    const Instruction& instruction) {
  if (!instruction.backend_config().empty()) {
    return Parse(instruction.backend_config());
  }
  const auto* frontend =
      instruction.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (frontend == nullptr) return Parse("");
  const auto it = frontend->find("mhlo.backend_config");
  return Parse(it == frontend->end() ? "" : it->second);
}

const std::string* CustomCallConfig::Find(absl::string_view name) const {
  const auto it = values_.find(std::string(name));
  return it == values_.end() ? nullptr : &it->second;
}

int64_t CustomCallConfig::Int(absl::string_view name,
                              int64_t otherwise) const {
  const std::string* value = Find(name);
  int64_t number;
  return value != nullptr && absl::SimpleAtoi(*value, &number) ? number
                                                               : otherwise;
}

double CustomCallConfig::Double(absl::string_view name,
                                double otherwise) const {
  const std::string* value = Find(name);
  double number;
  return value != nullptr && absl::SimpleAtod(*value, &number) ? number
                                                               : otherwise;
}

bool CustomCallConfig::Bool(absl::string_view name, bool otherwise) const {
  const std::string* value = Find(name);
  if (value == nullptr) return otherwise;
  if (*value == "true" || *value == "1") return true;
  if (*value == "false" || *value == "0") return false;
  return otherwise;
}

std::string CustomCallConfig::String(absl::string_view name,
                                     absl::string_view otherwise) const {
  const std::string* value = Find(name);
  return value == nullptr ? std::string(otherwise) : *value;
}

char CustomCallConfig::Letter(absl::string_view name, char otherwise) const {
  const std::string* value = Find(name);
  if (value == nullptr) return otherwise;
  int64_t code;
  if (absl::SimpleAtoi(*value, &code)) return static_cast<char>(code & 0x7f);
  return value->size() == 1 ? (*value)[0] : otherwise;
}

}  // namespace hlokit::interpreter
