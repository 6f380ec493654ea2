// The formats of a module's dump: text, proto, graphs, reports.
#include <google/protobuf/text_format.h>

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/compression.h"
#include "dump/buffer_report.h"
#include "dump/dump_names.h"
#include "dump/dumper.h"
#include "graph_render/picture.h"
#include "hlo/print/printer.h"
#include "hlo/wire/message_writer.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

// Whether a picture of it tells anything: its root uses more than parameters.
bool IsTrivial(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root == nullptr) return true;
  if (root->opcode() == Opcode::kFusion) return false;
  for (const Instruction* operand : root->operands()) {
    if (operand->opcode() != Opcode::kParameter) return false;
  }
  return true;
}

// A computation with its steps; either may be missing.
struct FusionPicture {
  std::string name;
  const Computation* computation = nullptr;
  absl::Span<const FusionStep> steps;
};

std::vector<FusionPicture> FusionPictures(const Module& module,
                                          const FusionRecorder& recorder) {
  absl::flat_hash_set<const Computation*> fused;
  for (const auto& computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kFusion) continue;
      for (const Computation* one : instruction->called_computations()) {
        fused.insert(one);
      }
    }
  }
  std::vector<FusionPicture> pictures;
  absl::flat_hash_set<std::string> shown;
  for (const auto& computation : module.computations()) {
    if (fused.contains(computation.get())) continue;
    const std::string name(computation->name());
    const auto steps = recorder.steps().find(name);
    if (steps == recorder.steps().end()) {
      if (IsTrivial(*computation)) continue;
      pictures.push_back({name, computation.get(), {}});
    } else {
      pictures.push_back({name, computation.get(), steps->second});
    }
    shown.insert(name);
  }
  // Those that were inlined or renamed since.
  for (const auto& [name, steps] : recorder.steps()) {
    if (!shown.contains(name)) pictures.push_back({name, nullptr, steps});
  }
  return pictures;
}

// What a kind of compression adds to a file's name.
absl::string_view CompressionEnding(DumpCompression compression) {
  switch (compression) {
    case DumpCompression::kNone: return "";
    case DumpCompression::kGzip: return ".gz";
    case DumpCompression::kZstd: return ".zst";
  }
  return "";
}

std::string Packed(DumpCompression compression,
                   const wire::LargeMessage& message) {
  std::string joined;
  if (!message.parts.empty()) joined = message.Join();
  const std::string& bytes = message.parts.empty() ? message.bytes : joined;
  return compression == DumpCompression::kGzip ? Gzip(bytes) : Zstd(bytes);
}

constexpr size_t kMaxBuffers = 4;
constexpr size_t kMaxBufferBytes = size_t{256} << 20;

}  // namespace

std::string Dumper::TakeBuffer() {
  absl::MutexLock lock(&mutex_);
  if (buffers_.empty()) return "";
  std::string buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void Dumper::GiveBuffer(std::string buffer) {
  if (buffer.capacity() > kMaxBufferBytes) return;
  buffer.clear();
  absl::MutexLock lock(&mutex_);
  if (buffers_.size() < kMaxBuffers) buffers_.push_back(std::move(buffer));
}

std::vector<std::string> Dumper::DumpFormats(const Module& module,
                                             const Naming& naming,
                                             absl::string_view suffix,
                                             const BufferReports* reports) {
  std::vector<std::string> paths;
  auto keep = [&](std::string path) {
    if (!path.empty()) paths.push_back(std::move(path));
  };
  if (options_.text) {
    std::string text = TakeBuffer();
    Print(module, options_.print_options, &text);
    keep(WriteText(naming,
                   FileName(naming, absl::StrCat(suffix, ".txt"), true), text));
    GiveBuffer(std::move(text));
  }
  if (options_.text && reports != nullptr) {
    DumpReports(module, naming, suffix, *reports, &paths);
  }
  if (options_.proto) DumpProto(module, naming, suffix, reports, &paths);
  DumpGraphs(module, naming, suffix, &paths);
  if (options_.fdo_profiles && !options_.to_stdout()) {
    keep(WriteBinary(
        naming, FileName(naming, absl::StrCat(suffix, ".fdo_profile"), true),
        ""));
  }
  return paths;
}

void Dumper::DumpReports(const Module& module, const Naming& naming,
                         absl::string_view suffix, const BufferReports& reports,
                         std::vector<std::string>* paths) {
  auto write = [&](absl::string_view ending, absl::string_view text) {
    if (text.empty()) return;
    std::string path = WriteText(
        naming, FileName(naming, absl::StrCat(suffix, ending), true), text);
    if (!path.empty()) paths->push_back(std::move(path));
  };
  std::string assignment = reports.assignment_text;
  std::string memory = reports.memory_report;
  if (reports.assignment != nullptr) {
    if (assignment.empty()) {
      assignment = BufferAssignmentText(module, *reports.assignment);
    }
    if (memory.empty()) {
      memory = MemoryUsageText(module, *reports.assignment);
    }
  }
  write("-buffer-assignment.txt", assignment);
  if (options_.buffer_assignment_analysis) {
    write("-buffer-assignment-values.txt", reports.values);
    write("-live-range.txt", reports.live_range);
  }
  write("-memory-usage-report.txt", memory);
}

void Dumper::DumpProto(const Module& module, const Naming& naming,
                       absl::string_view suffix, const BufferReports* reports,
                       std::vector<std::string>* paths) {
  // Nothing is made that would only be refused.
  if (options_.to_stdout()) {
    sink_.Refuse(FileName(naming, absl::StrCat(suffix, ".hlo.pb"), true));
    return;
  }
  auto write = [&](absl::string_view ending,
                   const wire::LargeMessage& message) {
    const std::string name = FileName(
        naming,
        absl::StrCat(suffix, ending, CompressionEnding(options_.compression)),
        true);
    std::string path =
        options_.compression == DumpCompression::kNone
            ? WriteMessage(naming, name, message)
            : WriteBinary(naming, name, Packed(options_.compression, message));
    if (!path.empty()) paths->push_back(std::move(path));
  };
  MessageParts parts;
  parts.module = &module;
  parts.module_id = naming.id;
  if (reports != nullptr) parts.buffer_assignment = reports->assignment;
  if (!CanBeWritten(parts)) return;
  wire::LargeMessage message;
  message.bytes = TakeBuffer();
  {
    wire::WireWriter writer(&message);
    WriteHloProto(parts, &writer);
  }
  write(".hlo.pb", message);
  GiveBuffer(std::move(message.bytes));
  if (parts.buffer_assignment != nullptr) {
    write("-memory-usage-report.pb",
          {.bytes = SerializeDeterministic(
               MemoryUsageProto(module, *parts.buffer_assignment))});
  }
}

bool Dumper::Render(const GraphRenderer::Request& request,
                    std::string* contents) {
  GraphRenderer* renderer =
      renderer_ != nullptr ? renderer_ : DefaultGraphRenderer();
  absl::StatusOr<std::string> made = renderer->Render(request);
  if (made.ok()) {
    *contents = *std::move(made);
    return true;
  }
  const char* format =
      request.format == GraphRenderer::Format::kDot      ? "dot"
      : request.format == GraphRenderer::Format::kHtml   ? "html"
      : request.format == GraphRenderer::Format::kUrl    ? "url"
                                                         : "fusion";
  sink_.Warn(absl::StrCat("no ", format, " dumps are written: ",
                          made.status().message()));
  return false;
}

void Dumper::DumpGraphs(const Module& module, const Naming& naming,
                        absl::string_view suffix,
                        std::vector<std::string>* paths) {
  using Format = GraphRenderer::Format;
  const std::string label = FileName(naming, suffix, true);
  auto write = [&](Format format, absl::string_view ending, bool top_level) {
    GraphRenderer::Request request;
    request.module = &module;
    request.format = format;
    request.top_level = top_level;
    request.label = label;
    request.sharding_color = options_.sharding_color;
    request.addresses = options_.addresses;
    std::string contents;
    const std::string name =
        FileName(naming, absl::StrCat(suffix, ending), true);
    if (options_.to_stdout() && format != Format::kUrl) {
      sink_.Refuse(name);
      return;
    }
    if (!Render(request, &contents)) return;
    if (format == Format::kUrl) {
      const std::string caveat = UrlCaveat(contents);
      if (!caveat.empty()) sink_.Warn(absl::StrCat("url dumps: ", caveat));
      sink_.WriteLine(absl::StrCat(label, " --> ", contents));
      if (options_.to_stdout()) return;
    }
    std::string path = WriteBinary(naming, name, contents);
    if (!path.empty()) paths->push_back(std::move(path));
  };
  if (options_.dot) write(Format::kDot, ".dot", false);
  if (options_.html) write(Format::kHtml, ".html", false);
  if (options_.html && absl::StrContains(suffix, "after_optimizations")) {
    write(Format::kHtml, ".top_level.html", true);
  }
  if (options_.url) write(Format::kUrl, ".url", false);
}

FusionRecorder* Dumper::Fusions(const Module& module) {
  if (!options_.fusion_visualization || !options_.enabled() ||
      options_.to_stdout() || !options_.artifacts() ||
      !NamingOf(module).wanted) {
    return nullptr;
  }
  absl::MutexLock lock(&mutex_);
  ModuleState& state = StateOf(module);
  if (state.fusions == nullptr) {
    state.fusions = std::make_unique<FusionRecorder>();
  }
  return state.fusions.get();
}

std::vector<std::string> Dumper::DumpFusionVisualization(const Module& module) {
  if (!options_.fusion_visualization || !options_.enabled()) return {};
  const Naming naming = NamingOf(module);
  if (!naming.wanted || !options_.artifacts()) return {};
  const FusionRecorder* recorder = Fusions(module);
  static const FusionRecorder* none = new FusionRecorder;
  std::vector<std::string> paths;
  for (const FusionPicture& picture :
       FusionPictures(module, recorder != nullptr ? *recorder : *none)) {
    DumpNameParts parts;
    parts.prefix = picture.name;
    parts.module_id = naming.id;
    parts.module_name = naming.name;
    parts.suffix = "_fusion.html";
    const std::string name = DumpFileName(parts);
    if (options_.to_stdout()) {
      sink_.Refuse(name);
      return {};
    }
    GraphRenderer::Request request;
    request.module = &module;
    request.computation = picture.computation;
    request.format = GraphRenderer::Format::kFusion;
    request.label = name;
    request.steps = picture.steps;
    std::string contents;
    if (!Render(request, &contents)) return paths;
    std::string path = WriteBinary(naming, name, contents);
    if (!path.empty()) paths.push_back(std::move(path));
  }
  if (recorder != nullptr && recorder->left_out() > 0) {
    sink_.Warn(absl::StrCat(recorder->left_out(),
                            " decisions about fusions of ", naming.name,
                            " are not shown: there were too many"));
  }
  return paths;
}

}  // namespace hlokit
