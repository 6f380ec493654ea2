// Readers of protos, ours and the protobuf library's own, refuse messages that
// are nested too deeply. HLO text may nest deeper, so writers ask first.
#ifndef HLOKIT_HLO_WIRE_NESTING_H_
#define HLOKIT_HLO_WIRE_NESTING_H_

#include "absl/status/status.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/wire/message_writer.h"

namespace hlokit {

// Returns InvalidArgument when the message would have types, literals or
// modules of recovery tables that are nested deeper than ParseProtoBytes reads:
// "the shape of %t is nested deeper than 180 levels, ...". Takes time linear in
// the instructions.
absl::Status CheckNesting(const Module& module);
absl::Status CheckNesting(const Literal& literal);
absl::Status CheckNesting(const MessageParts& parts);

}  // namespace hlokit

#endif  // HLOKIT_HLO_WIRE_NESTING_H_
