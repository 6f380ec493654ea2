// The attributes of a custom-call, which its backend_config holds as text: of
// typed FFI calls an MLIR dictionary
//   {side = 76 : ui8, mode = "full", unit, sizes = array<i64: 1, 2>}
// of others often JSON
//   {"top_k": 5, "config": {"axis": 1}}
// of some a plain string.
#ifndef HLOKIT_BACKENDS_INTERPRETER_CUSTOM_CALL_CONFIG_H_
#define HLOKIT_BACKENDS_INTERPRETER_CUSTOM_CALL_CONFIG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/instruction.h"
#include "passes/library_calls/config_text.h"

namespace hlokit::interpreter {

class CustomCallConfig {
 public:
  // Reads both forms, as ParseConfigText does.
  static absl::StatusOr<CustomCallConfig> Parse(absl::string_view text);
  // Of an instruction: its backend_config or, where that is empty, the frontend
  // attribute mhlo.backend_config.
  static absl::StatusOr<CustomCallConfig> Of(const Instruction& instruction);

  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  // The values, `otherwise` if there is none or it is of another kind.
  int64_t Int(absl::string_view name, int64_t otherwise = 0) const;
  double Double(absl::string_view name, double otherwise = 0) const;
  bool Bool(absl::string_view name, bool otherwise = false) const;
  std::string String(absl::string_view name,
                     absl::string_view otherwise = "") const;
  // A letter, which is written as its code (76) or as a string ("L").
  char Letter(absl::string_view name, char otherwise) const;

 private:
  const std::string* Find(absl::string_view name) const;

  ConfigValues values_;
};

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_CUSTOM_CALL_CONFIG_H_
