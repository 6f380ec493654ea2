#include "hlo_opt/loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/compression.h"
#include "base/diagnostics.h"
#include "base/status.h"
#include "dump/large_snapshot.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "hlo/extract/extract.h"
#include "hlo/extract/text_encoding.h"
#include "hlo/ir/unknown.h"
#include "hlo/verify/verifier.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"
#include "hlo_opt/choose_module.h"
#include "xla/xla.pb.h"

namespace hlokit {
namespace {

// Of a mapped file: the pages that lie in `bytes` can be read again when they
// are needed.
void GiveBackPages(absl::string_view bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t first = (begin + page - 1) / page * page;
  const uintptr_t last = (begin + bytes.size()) / page * page;
  if (first >= last) return;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

// The part of a name that messages show for piece `part` of `parts`.
std::string PartName(absl::string_view file, int64_t part, int64_t parts) {
  return parts == 1 ? std::string(file) : absl::StrCat(file, "#", part + 1);
}

// Turns protobuf's text-format complaints into diagnostics.
class TextProtoErrors : public google::protobuf::io::ErrorCollector {
 public:
  TextProtoErrors(absl::string_view text, Diagnostics* diagnostics)
      : text_(text), diagnostics_(diagnostics) {}
  void AddError(int line, int column, const std::string& message) override {
    diagnostics_->Error(message, OffsetOf(line, column));
  }
  void AddWarning(int line, int column, const std::string& message) override {
    diagnostics_->Warning(message, OffsetOf(line, column));
  }

 private:
  size_t OffsetOf(int line, int column) const {
    if (line < 0) return Diagnostic::kNoOffset;
    size_t offset = 0;
    for (int i = 0; i < line && offset < text_.size(); ++i) {
      offset = std::min(text_.find('\n', offset), text_.size() - 1) + 1;
    }
    return std::min(offset + std::max(column, 0), text_.size());
  }
  absl::string_view text_;
  Diagnostics* diagnostics_;
};

// Blanks take the place of protobuf's mark, so that places stay.
std::string WithoutDebugMark(absl::string_view bytes) {
  std::string text(bytes);
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r\n", at)) != text.npos) {
    if (text[at] == '#') {
      at = text.find('\n', at);
      if (at == text.npos) break;
    } else if (absl::StartsWith(absl::string_view(text).substr(at),
                                kDebugStringMark)) {
      while (at < text.size() && !absl::ascii_isspace(text[at])) {
        text[at++] = ' ';
      }
    } else {
      break;
    }
  }
  return text;
}

absl::Status ParseMessage(absl::string_view bytes, absl::string_view file,
                          Encoding encoding,
                          google::protobuf::Message* message) {
  switch (encoding) {
    case Encoding::kBinaryProto: {
      absl::Status status = ParseProtoBytes(bytes, message);
      return status.ok() ? status : Annotate(status, file);
    }
    case Encoding::kTextProto: {
      Diagnostics diagnostics((std::string(file)), bytes);
      TextProtoErrors errors(bytes, &diagnostics);
      google::protobuf::TextFormat::Parser parser;
      parser.RecordErrorsTo(&errors);
      parser.SetRecursionLimit(200);
      if (!parser.ParseFromString(WithoutDebugMark(bytes), message) &&
          !diagnostics.has_errors()) {
        diagnostics.Error("this is no text proto");
      }
      return diagnostics.ToStatus();
    }
    case Encoding::kJsonProto: {
      const auto status = google::protobuf::util::JsonStringToMessage(
          google::protobuf::StringPiece(bytes.data(), bytes.size()), message);
      if (status.ok()) return absl::OkStatus();
      return InvalidArgument(
          "%s: this is no JSON form of %s: %s", file,
          message->GetDescriptor()->name(),
          absl::string_view(status.message().data(), status.message().size()));
    }
    case Encoding::kHloText:
      break;
  }
  return Internal("%s: HLO text is no proto", file);
}

// Whether a finding says that types contradict each other.
bool IsAboutTypes(const VerifierFinding& finding) {
  return finding.rule == "elementwise" || finding.rule == "shape";
}

// Whether the values or the meaning that a finding misses were left out by the
// input and are not made up.
bool IsAboutLeftOut(const VerifierFinding& finding,
                    const LoadOptions& options) {
  const Instruction* i = finding.instruction;
  if (i == nullptr) return false;
  if (i->opcode() == Opcode::kConstant && i->literal() == nullptr &&
      options.keep_elided_constants) {
    return true;
  }
  return !UnknownMeaning(*i).empty() ||
         absl::c_any_of(i->operands(), [](const Instruction* operand) {
           return operand != nullptr && !UnknownMeaning(*operand).empty();
         });
}

absl::Status VerifyLoaded(const LoadedModule& loaded, absl::string_view name,
                          const LoadOptions& options,
                          std::vector<std::string>* notes) {
  if (options.verify == VerifyMode::kOff) return absl::OkStatus();
  std::vector<VerifierFinding> errors, warnings;
  for (VerifierFinding& finding : Verify(*loaded.module)) {
    if (IsAboutLeftOut(finding, options)) continue;
    const bool is_error =
        options.verify == VerifyMode::kError ||
        (options.verify == VerifyMode::kTypes && IsAboutTypes(finding));
    (is_error ? errors : warnings).push_back(std::move(finding));
  }
  if (!warnings.empty()) {
    notes->push_back(absl::StrCat(name, ": ", FindingsText(warnings)));
  }
  if (errors.empty()) return absl::OkStatus();
  return Annotate(absl::InvalidArgumentError(FindingsText(errors)), name);
}

// Loads from the bytes of the message, without a message object of the whole:
// modules and literals are read where they lie.
class ProtoLoader {
 public:
  ProtoLoader(absl::string_view bytes, absl::string_view file,
              DetectedFormat format, UnknownPolicy unknown,
              LastingBytes lasting)
      : bytes_(bytes),
        file_(file),
        format_(format),
        unknown_(unknown),
        lasting_(std::move(lasting)) {
    loaded_.file = std::string(file);
    loaded_.encoding = format.encoding;
    loaded_.message = format.message;
  }

  absl::StatusOr<LoadedModule> Load(std::vector<std::string>* notes) {
    notes_ = notes;
    std::string binary;
    if (format_.encoding != Encoding::kBinaryProto) {
      const auto message = MakeMessage(format_.message);
      HLOKIT_RETURN_IF_ERROR(
          ParseMessage(bytes_, file_, format_.encoding, message.get()));
      binary = SerializeDeterministic(*message);
      bytes_ = binary;
      lasting_ = {};
    }
    const absl::Status status = LoadMessage();
    if (status.ok()) return std::move(loaded_);
    HLOKIT_RETURN_IF_ERROR(WhyNoMessage());
    return status;
  }

 private:
  using Field = wire::WireField;

  // Bytes that are no message at all: the place in the file says more than the
  // place in the part that was looked at.
  absl::Status WhyNoMessage() const {
    if (format_.encoding != Encoding::kBinaryProto || is_large_form_) {
      return absl::OkStatus();
    }
    return ParseMessage(bytes_, file_, format_.encoding,
                        MakeMessage(format_.message).get());
  }

  absl::Status LoadMessage() {
    switch (format_.message) {
      case MessageKind::kHloSnapshot: return LoadSnapshot();
      case MessageKind::kHloUnoptimizedSnapshot: return LoadUnoptimized();
      case MessageKind::kHloModuleProtoWithConfig:
        return ForEachPart(bytes_, [this](const Field& field) {
          return field.number ==
                         xla::HloModuleProtoWithConfig::kHloModuleFieldNumber
                     ? TakeModule(field.bytes)
                     : absl::OkStatus();
        });
      case MessageKind::kHloProto: return TakeHloProto(bytes_);
      default: return TakeModule(bytes_);
    }
  }

  // Calls `take` for each field of the message that holds bytes.
  template <typename Take>
  absl::Status ForEachPart(absl::string_view bytes, Take take) {
    wire::WireReader reader(bytes);
    Field field;
    while (reader.Next(&field)) {
      if (field.type != wire::WireType::kBytes) continue;
      HLOKIT_RETURN_IF_ERROR(take(field));
    }
    if (!reader.bad()) return absl::OkStatus();
    return InvalidArgument("%s: the bytes end in the middle of a field", file_);
  }

  absl::Status TakeModule(absl::string_view bytes) {
    FromProtoOptions options;
    std::vector<std::string> notes;
    options.notes = &notes;
    options.lasting = lasting_;
    options.keep_unknown_meaning = unknown_ == UnknownPolicy::kKeepAll;
    options.refuse_unknown = unknown_ == UnknownPolicy::kRefuse;
    absl::StatusOr<std::unique_ptr<Module>> module =
        ModuleFromBytes(bytes, options);
    for (const std::string& note : notes) {
      notes_->push_back(absl::StrCat(file_, ": ", note));
    }
    if (!module.ok()) return Annotate(module.status(), file_);
    loaded_.module = *std::move(module);
    return absl::OkStatus();
  }

  absl::Status TakeHloProto(absl::string_view bytes) {
    return ForEachPart(bytes, [this](const Field& field) -> absl::Status {
      switch (field.number) {
        case xla::HloProto::kHloModuleFieldNumber:
          return TakeModule(field.bytes);
        case xla::HloProto::kBufferAssignmentFieldNumber: {
          auto proto = std::make_shared<xla::BufferAssignmentProto>();
          HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(field.bytes, proto.get()));
          loaded_.buffer_assignment = std::move(proto);
          return absl::OkStatus();
        }
        default:
          return absl::OkStatus();
      }
    });
  }

  absl::Status TakeLiteral(absl::string_view bytes, absl::string_view what,
                           Literal* literal) {
    absl::StatusOr<Literal> read = LiteralFromBytes(
        bytes, FromProtoOptions().max_literal_bytes, lasting_);
    if (!read.ok()) {
      return Annotate(read.status(), absl::StrCat(file_, ": ", what));
    }
    *literal = *std::move(read);
    return absl::OkStatus();
  }

  absl::Status TakeArgument(absl::string_view bytes,
                            std::vector<Literal>* arguments) {
    const std::string what = absl::StrCat("argument ", arguments->size());
    return TakeLiteral(bytes, what, &arguments->emplace_back());
  }

  absl::Status LoadSnapshot() {
    loaded_.has_arguments = true;
    loaded_.arguments.emplace_back();
    return ForEachPart(bytes_, [this](const Field& field) -> absl::Status {
      switch (field.number) {
        case xla::HloSnapshot::kHloFieldNumber:
          return TakeHloProto(field.bytes);
        case xla::HloSnapshot::kArgumentsFieldNumber:
          return TakeArgument(field.bytes, &loaded_.arguments[0]);
        case xla::HloSnapshot::kResultFieldNumber:
          return TakeLiteral(field.bytes, "result", &loaded_.result.emplace());
        case xla::HloSnapshot::kExecutionPlatformFieldNumber:
          loaded_.execution_platform = std::string(field.bytes);
          return absl::OkStatus();
        default:
          return absl::OkStatus();
      }
    });
  }

  absl::Status LoadUnoptimized() {
    loaded_.has_arguments = true;
    if (format_.encoding == Encoding::kBinaryProto && IsLargeSnapshot(bytes_)) {
      is_large_form_ = true;
      auto snapshot = ReadLargeSnapshot(bytes_, lasting_);
      if (!snapshot.ok()) return Annotate(snapshot.status(), file_);
      loaded_.arguments = std::move(snapshot->arguments);
      return TakeModule(snapshot->module);
    }
    using P = xla::HloUnoptimizedSnapshot;
    return ForEachPart(bytes_, [this](const Field& field) -> absl::Status {
      if (field.number == P::kHloModuleFieldNumber) {
        return TakeModule(field.bytes);
      }
      if (field.number != P::kPartitionsFieldNumber) return absl::OkStatus();
      loaded_.arguments.emplace_back();
      return ForEachPart(field.bytes, [this](const Field& input) {
        return input.number == xla::HloInputs::kArgumentsFieldNumber
                   ? TakeArgument(input.bytes, &loaded_.arguments.back())
                   : absl::OkStatus();
      });
    });
  }

  absl::string_view bytes_;
  absl::string_view file_;
  DetectedFormat format_;
  UnknownPolicy unknown_;
  LastingBytes lasting_;
  bool is_large_form_ = false;
  LoadedModule loaded_;
  std::vector<std::string>* notes_ = nullptr;
};

// Errors of several pieces become one status.
class ErrorList {
 public:
  void Add(const absl::Status& status) {
    if (!status.ok()) texts_.push_back(std::string(status.message()));
  }
  absl::Status ToStatus() const {
    if (texts_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(texts_, "\n"));
  }

 private:
  std::vector<std::string> texts_;
};

// Whether the text begins as a module does, but for blanks and comments.
bool StartsWithModule(absl::string_view text) {
  for (;;) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (!absl::StartsWith(text, "//")) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return absl::StartsWith(text, "HloModule") || absl::StartsWith(text, "ENTRY");
}

// One module of a text, or several. `mapped`: the text is in a file whose pages
// may be given back.
absl::StatusOr<LoadResult> LoadPieces(std::vector<ModuleText> pieces,
                                      absl::string_view file,
                                      const LoadOptions& options, bool mapped) {
  if (pieces.empty()) {
    return InvalidArgument("%s: there is no HLO module in it", file);
  }
  HLOKIT_RETURN_IF_ERROR(KeepWantedModules(file, options.module, &pieces));
  LoadResult result;
  ErrorList errors;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const ModuleText& piece = pieces[i];
    if (piece.cut && pieces.size() > 1) {
      result.notes.push_back(absl::StrFormat(
          "%s:%d: warning: %s is cut: its end banner is missing; it is left out",
          file, piece.first_line, piece.banner));
      continue;
    }
    if (i > 0 && !options.split_input && piece.banner.empty()) {
      std::vector<std::string> names;
      for (const ModuleText& other : pieces) names.push_back(other.name);
      errors.Add(InvalidArgument(
          "%s:%d: error: a second module starts here; --split-input-file takes "
          "the modules of a file one by one, --module=NAME takes one of them "
          "(%s)",
          file, piece.first_line, ListOfNames(std::move(names))));
      break;
    }
    Diagnostics diagnostics(std::string(file), piece.text, piece.first_line);
    diagnostics.SetLines(piece.lines);
    LoadedModule loaded;
    ParseOptions parse;
    parse.xla_literal_quirks = options.xla_literal_quirks;
    parse.unknown = options.unknown;
    parse.keep_elided_constants = options.keep_elided_constants;
    if (mapped && piece.owned == nullptr) parse.consumed = options.lasting.copied;
    loaded.module = ParseModule(piece.text, &diagnostics, parse);
    loaded.file = std::string(file);
    loaded.part = i;
    if (diagnostics.has_errors() || loaded.module == nullptr) {
      errors.Add(diagnostics.ToStatus());
      continue;
    }
    if (!diagnostics.all().empty()) {
      result.notes.emplace_back(
          absl::StripTrailingAsciiWhitespace(diagnostics.ToString()));
    }
    errors.Add(VerifyLoaded(loaded, PartName(file, i, pieces.size()),
                            options, &result.notes));
    result.modules.push_back(std::move(loaded));
  }
  HLOKIT_RETURN_IF_ERROR(errors.ToStatus());
  return result;
}

// Reads the text as it is. Only where that fails are modules taken out of the
// text around them: what is undone then may be part of a clean module.
absl::StatusOr<LoadResult> LoadText(absl::string_view text,
                                    absl::string_view file,
                                    const LoadOptions& options, bool mapped) {
  const std::string separator = options.split_input ? "// -----" : "";
  absl::StatusOr<LoadResult> plain =
      LoadPieces(SplitModules(text, separator), file, options, mapped);
  if (plain.ok()) return plain;
  absl::Status error = plain.status();
  for (const bool join_wrapped : {false, true}) {
    Extraction found = ExtractModules(text, {separator, join_wrapped});
    if (found.modules.empty()) break;
    if (found.notes.empty() && !join_wrapped) continue;
    absl::StatusOr<LoadResult> loaded =
        LoadPieces(std::move(found.modules), file, options, mapped);
    if (loaded.ok()) {
      if (join_wrapped) {
        found.notes.push_back("joined lines that were cut at the same width");
      }
      loaded->notes.insert(
          loaded->notes.begin(),
          absl::StrCat(file, ": note: ", absl::StrJoin(found.notes, "; ")));
      return loaded;
    }
    if (!join_wrapped && !(found.only_left_out && StartsWithModule(text))) {
      error = loaded.status();
    }
  }
  return error;
}

}  // namespace

std::unique_ptr<google::protobuf::Message> MakeMessage(MessageKind kind) {
  switch (kind) {
    case MessageKind::kHloModuleProto:
      return std::make_unique<xla::HloModuleProto>();
    case MessageKind::kHloSnapshot:
      return std::make_unique<xla::HloSnapshot>();
    case MessageKind::kHloUnoptimizedSnapshot:
      return std::make_unique<xla::HloUnoptimizedSnapshot>();
    case MessageKind::kHloModuleProtoWithConfig:
      return std::make_unique<xla::HloModuleProtoWithConfig>();
    default:
      return std::make_unique<xla::HloProto>();
  }
}

namespace {

constexpr absl::string_view kProtoCut = "\n// -----";

// Text protos one after another in a file.
absl::StatusOr<LoadResult> LoadTextProtos(absl::string_view text,
                                          absl::string_view file,
                                          LoadOptions options) {
  options.split_input = false;
  options.format = "pbtxt";
  LoadResult all;
  ErrorList errors;
  for (absl::string_view piece : absl::StrSplit(text, kProtoCut)) {
    const int64_t part = all.modules.size();
    // Blank lines before it let messages name the lines of the file.
    const int64_t line =
        std::count(text.begin(), text.begin() + (piece.data() - text.data()),
                   '\n');
    if (line > 0) piece.remove_prefix(std::min(piece.find('\n'), piece.size()));
    auto result = LoadModules(
        absl::StrCat(std::string(line, '\n'), piece), file, options);
    if (!result.ok()) {
      errors.Add(result.status());
      continue;
    }
    for (LoadedModule& loaded : result->modules) {
      loaded.part = part;
      all.modules.push_back(std::move(loaded));
    }
    all.notes.insert(all.notes.end(), result->notes.begin(),
                     result->notes.end());
  }
  HLOKIT_RETURN_IF_ERROR(errors.ToStatus());
  return all;
}

}  // namespace

namespace {

// Loads what an encoding around it stood for.
absl::StatusOr<LoadResult> LoadAgain(std::string bytes, absl::string_view note,
                                     absl::string_view file,
                                     LoadOptions options) {
  options.lasting = {};
  HLOKIT_ASSIGN_OR_RETURN(LoadResult result,
                          LoadModules(bytes, file, options));
  result.notes.insert(result.notes.begin(),
                      absl::StrCat(file, ": note: ", note));
  return result;
}

}  // namespace

absl::StatusOr<LoadResult> LoadModules(absl::string_view bytes,
                                       absl::string_view file,
                                       const LoadOptions& options) {
  std::string unpacked;
  if (DetectCompression(bytes) != Compression::kNone) {
    absl::StatusOr<std::string> plain = Decompress(bytes, options.max_bytes);
    if (!plain.ok()) return Annotate(plain.status(), file);
    unpacked = *std::move(plain);
    bytes = unpacked;
  }
  if (options.format != "pb") {
    const TextEncoding encoding = DetectTextEncoding(bytes);
    if (encoding == TextEncoding::kUtf8Mark) {
      bytes.remove_prefix(kUtf8Mark.size());
    } else if (encoding != TextEncoding::kPlain) {
      return LoadAgain(ToUtf8(bytes, encoding),
                       absl::StrCat("decoded ", TextEncodingName(encoding)),
                       file, options);
    }
    std::string decoded = DecodeBase64Text(bytes);
    if (!decoded.empty()) {
      return LoadAgain(std::move(decoded), "decoded base64", file, options);
    }
  }
  HLOKIT_ASSIGN_OR_RETURN(const DetectedFormat format,
                          DetectFormat(bytes, file, options.format));
  if (format.encoding == Encoding::kHloText) {
    return LoadText(bytes, file, options, unpacked.empty());
  }
  if (format.encoding == Encoding::kTextProto && options.split_input &&
      absl::StrContains(bytes, kProtoCut)) {
    return LoadTextProtos(bytes, file, options);
  }
  LoadResult result;
  absl::StatusOr<LoadedModule> read =
      ProtoLoader(bytes, file, format, options.unknown,
                  unpacked.empty() ? options.lasting : LastingBytes())
          .Load(&result.notes);
  if (!read.ok() && format.encoding != Encoding::kBinaryProto &&
      absl::StrContains(bytes, "HloModule ")) {
    // JSON of another kind, which has the text of a module in it.
    absl::StatusOr<LoadResult> text = LoadText(bytes, file, options, false);
    if (text.ok()) return text;
  }
  HLOKIT_RETURN_IF_ERROR(read.status());
  LoadedModule loaded = *std::move(read);
  if (!options.module.empty() &&
      !IsWantedModule({loaded.module->name(), ""}, options.module, 0)) {
    return NoSuchModule(file, options.module, {loaded.module->name()});
  }
  HLOKIT_RETURN_IF_ERROR(
      VerifyLoaded(loaded, file, options, &result.notes));
  result.modules.push_back(std::move(loaded));
  return result;
}

absl::StatusOr<LoadResult> LoadFile(const ToolIo& io, const std::string& path,
                                    LoadOptions options) {
  constexpr int64_t kLargeFile = int64_t{64} << 20;
  if (path != "-") {
    if (io.files->IsDirectory(path)) {
      return InvalidArgument(
          "%s is a folder, not a file; hlo-dumps ls %s lists the dumps in it",
          path, path);
    }
    const absl::StatusOr<FileInfo> info = io.files->Stat(path);
    if (info.ok() && info->size >= kLargeFile) {
      HLOKIT_ASSIGN_OR_RETURN(std::shared_ptr<MappedFile> file,
                              io.files->MapFile(path));
      if (io.files == DiskFileSystem()) {
        options.lasting = {.owner = file, .copied = GiveBackPages};
      }
      return LoadModules(file->contents(), InputName(path), options);
    }
  }
  HLOKIT_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(io, path));
  return LoadModules(bytes, InputName(path), options);
}

}  // namespace hlokit
