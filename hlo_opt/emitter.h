// Writes a loaded module in any format.
#ifndef HLOKIT_HLO_OPT_EMITTER_H_
#define HLOKIT_HLO_OPT_EMITTER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/print/print_options.h"
#include "hlo/wire/wire_format.h"
#include "hlo_opt/loader.h"

namespace hlokit {

struct EmitOptions {
  Encoding encoding = Encoding::kHloText;
  // Which message a proto output is; kNone: HloProto.
  MessageKind message = MessageKind::kNone;
  PrintOptions print_options = PrintOptions::Dump();
  // Where set: gets a line for what the output does not hold as the module has
  // it (JSON has no bytes outside of UTF-8).
  std::vector<std::string>* warnings = nullptr;
};

// HLO text, or the message's bytes, text or JSON. What the source file had
// beside the module (buffer assignment, arguments, result) goes into messages
// that can hold it.
absl::StatusOr<std::string> EmitModule(const LoadedModule& loaded,
                                       const EmitOptions& options);

// The bytes of the message, of any size: elements of large literals are not
// copied, they come from where the module has them. Errors: CheckNesting.
absl::StatusOr<wire::LargeMessage> EmitMessage(const LoadedModule& loaded,
                                               MessageKind kind);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_EMITTER_H_
