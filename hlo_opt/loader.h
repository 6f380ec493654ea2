// Loads modules from files of every format, for all tools.
//
// The format is found by content: gzip and zstd are undone first; then HLO text
// (also in logs, web pages and other text that it was copied into, see
// hlo/extract; base64 and UTF-16 are undone), HloModuleProto, HloProto, HloSnapshot,
// HloUnoptimizedSnapshot and HloModuleProtoWithConfig, each as binary, text or
// JSON proto. A format may be forced.
#ifndef HLOKIT_HLO_OPT_LOADER_H_
#define HLOKIT_HLO_OPT_LOADER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/io.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {

// How a file says what it says.
enum class Encoding { kHloText, kBinaryProto, kTextProto, kJsonProto };

// Which message a proto file holds.
enum class MessageKind {
  kNone,  // HLO text
  kHloModuleProto,
  kHloProto,
  kHloSnapshot,
  kHloUnoptimizedSnapshot,
  kHloModuleProtoWithConfig,
};

absl::string_view MessageName(MessageKind kind);  // "HloProto"
// An empty one; HloProto for kNone.
std::unique_ptr<google::protobuf::Message> MakeMessage(MessageKind kind);

// kTypes: types that contradict each other are errors, other findings warnings.
enum class VerifyMode { kOff, kWarn, kTypes, kError };

struct LoadOptions {
  // "" (by content), or hlo, txt, pb, pbtxt, textproto, json.
  std::string format;
  // The one module to take from a file with several: its name, the name in its
  // banner ("*** Begin NAME ***"), or NAME#2 for the second of that name. Empty:
  // all of them.
  std::string module;
  // Cut HLO text at lines that are exactly "// -----".
  bool split_input = false;
  VerifyMode verify = VerifyMode::kError;
  // What this version does not know, in text and protos.
  UnknownPolicy unknown = UnknownPolicy::kKeepAttributes;
  // For those who do not compute: "{...}" stays in constants.
  bool keep_elided_constants = false;
  bool xla_literal_quirks = false;  // of ParseOptions
  int64_t max_bytes = int64_t{1} << 36;  // after decompression
  // Of bytes that outlive the call: literals become views into them.
  LastingBytes lasting;
};

struct LoadedModule {
  std::unique_ptr<Module> module;
  std::string file;
  int64_t part = 0;  // of a file with several modules
  Encoding encoding = Encoding::kHloText;
  MessageKind message = MessageKind::kNone;

  // Of snapshots. One list of arguments a partition (HloSnapshot has one).
  bool has_arguments = false;
  std::vector<std::vector<Literal>> arguments;
  std::optional<Literal> result;
  std::string execution_platform;

  // What an HloProto holds beside the module; null when there is none.
  std::shared_ptr<const xla::BufferAssignmentProto> buffer_assignment;
};

struct LoadResult {
  std::vector<LoadedModule> modules;
  // Warnings and notes for people: elided constants, unknown fields, verifier
  // findings in warn mode. One line each.
  std::vector<std::string> notes;
};

// `file` is the name for messages and, where content does not tell, for its
// extension. Errors carry places; all faults of all modules are reported.
absl::StatusOr<LoadResult> LoadModules(absl::string_view bytes,
                                       absl::string_view file,
                                       const LoadOptions& options = {});

// The same for a file, or standard input ("-"). Large files are mapped, not
// read, and stay so as long as literals are views into them.
absl::StatusOr<LoadResult> LoadFile(const ToolIo& io, const std::string& path,
                                    LoadOptions options = {});

// Protobuf's debug strings begin with it; it is not part of the text proto.
inline constexpr absl::string_view kDebugStringMark = "goo.gle/";

// What the bytes look like (after decompression).
struct DetectedFormat {
  Encoding encoding = Encoding::kHloText;
  MessageKind message = MessageKind::kNone;
};
absl::StatusOr<DetectedFormat> DetectFormat(absl::string_view bytes,
                                            absl::string_view file,
                                            absl::string_view format);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_LOADER_H_
