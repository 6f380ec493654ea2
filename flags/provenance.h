// Who set what: where the value of each DebugOptions flag comes from when a
// file of options, XLA_FLAGS and a command line come together.
#ifndef HLOKIT_FLAGS_PROVENANCE_H_
#define HLOKIT_FLAGS_PROVENANCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"
#include "flags/xla_flags.h"
#include "xla/xla.pb.h"

namespace hlokit {

// One layer; later ones win over earlier ones.
struct FlagLayer {
  enum Form { kFlagString, kDebugOptionsFile };
  Form form = kFlagString;
  std::string name;  // "XLA_FLAGS", "command line", a file's path
  std::string text;  // the flag string, or what the file holds
};

struct FlagProvenance {
  std::string flag;   // or the field's name where no flag writes it
  std::string value;  // the effective one
  std::string origin;  // "XLA_FLAGS:1:14": layer, line and column
  // The last one does not stand alone: lists and maps add up.
  bool adds_up = false;
  std::vector<std::string> earlier;  // "VALUE (ORIGIN)", in order
};

struct ProvenanceReport {
  xla::DebugOptions options;
  std::vector<FlagProvenance> flags;  // sorted by name; only what was set
  std::vector<std::string> warnings;
};

// Applies the layers in order. An error names the layer that is wrong.
absl::StatusOr<ProvenanceReport> WhoSetWhat(
    const std::vector<FlagLayer>& layers, const FileSystem* files);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_PROVENANCE_H_
