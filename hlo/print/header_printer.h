// Prints the line that starts with HloModule, and the tables that follow it.
#ifndef HLOKIT_HLO_PRINT_HEADER_PRINTER_H_
#define HLOKIT_HLO_PRINT_HEADER_PRINTER_H_

#include "hlo/ir/module.h"
#include "hlo/ir/text_sink.h"
#include "hlo/print/print_options.h"

namespace hlokit {

// Appends the header of `module` with an empty line at its end: the module's
// attributes in XLA's order, unknown ones in their places (hlo/ir/unknown.h),
// the recovery table, debug attributes and, with metadata, the stack frames.
void PrintHeader(const Module& module, const PrintOptions& options,
                 TextSink* out);

}  // namespace hlokit

#endif  // HLOKIT_HLO_PRINT_HEADER_PRINTER_H_
