// HloModuleProto and HloProto to modules and back.
#include "fuzz/target.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit::fuzz {
namespace {

void Check(const xla::HloModuleProto& proto) {
  FromProtoOptions options;
  options.max_literal_bytes = 1 << 26;
  const auto module = ModuleFromProto(proto, options);
  if (!module.ok()) return;
  Verify(**module);
  ToString(**module);
  const xla::HloModuleProto once = ModuleToProto(**module);
  const auto again = ModuleFromProto(once, options);
  Require(again.ok(), "a written proto can be read");
  Require(SerializeDeterministic(ModuleToProto(**again)) ==
              SerializeDeterministic(once),
          "reading it changes nothing");
}

}  // namespace

void FuzzProto(absl::string_view bytes) {
  xla::HloModuleProto module;
  if (ParseProtoBytes(bytes, &module).ok()) Check(module);
  xla::HloProto proto;
  if (ParseProtoBytes(bytes, &proto).ok() && proto.has_hlo_module()) {
    Check(proto.hlo_module());
  }
}

}  // namespace hlokit::fuzz
