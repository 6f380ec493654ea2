// The text of attribute values: one function for each kind.
#ifndef HLOKIT_HLO_PRINT_ATTRIBUTE_PRINTER_H_
#define HLOKIT_HLO_PRINT_ATTRIBUTE_PRINTER_H_

#include <string>

#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/text_sink.h"
#include "hlo/print/print_options.h"

namespace hlokit {

// Appends ", " and "name=value" for an attribute of the opcode's own block, or
// nothing when XLA prints nothing. Attributes that are stored elsewhere
// (computations, metadata, ...) are not printed here.
void AppendOwnAttribute(const Instruction& instruction, AttrId id,
                        const PrintOptions& options, TextSink* out);

// Blocks that every opcode may have, each with ", " in front.
void AppendSharding(const Instruction& instruction, const PrintOptions& options,
                    TextSink* out);
void AppendFrontendAttributes(const FrontendAttributes& attributes,
                              TextSink* out);
void AppendStatistics(const Instruction& instruction, TextSink* out);
void AppendResultAccuracy(const Instruction& instruction, TextSink* out);
void AppendOriginalValue(const Instruction& instruction, TextSink* out);
void AppendMetadata(const Instruction& instruction, const PrintOptions& options,
                    TextSink* out);
void AppendBackendConfig(const Instruction& instruction,
                         const PrintOptions& options, TextSink* out);

// {"name" {1,0}}.
void AppendOriginalArray(const OriginalArray& array, TextSink* out);

// Whether `text` is one JSON dictionary, blanks and comments around it allowed;
// such values print as they are, others quoted.
bool IsJsonDictionary(absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_HLO_PRINT_ATTRIBUTE_PRINTER_H_
