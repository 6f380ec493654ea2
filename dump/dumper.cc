#include "dump/dumper.h"

#include <google/protobuf/text_format.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "dump/dump_names.h"
#include "base/status.h"
#include "flags/debug_options.h"
#include "hlo/wire/message_writer.h"
#include "hlo/wire/nesting.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

std::string TextProto(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

}  // namespace

Dumper::Dumper(DumpOptions options, const ToolIo& io,
               absl::Span<const std::string> warnings)
    : options_(std::move(options)), sink_(options_.folder, io) {
  const bool on_disk = options_.enabled() && !options_.to_stdout() &&
                       io.files == DiskFileSystem();
  counter_ = on_disk ? SharedModuleCounter(options_.folder) : &own_counter_;
  for (const std::string& warning : warnings) sink_.Warn(warning);
}

// ---- decisions ----

bool Dumper::DumpsModule(absl::string_view module_name) const {
  if (!options_.enabled()) return false;
  return !options_.module_filter.is_set() ||
         options_.module_filter.Matches(module_name);
}

bool Dumper::DumpsPass(absl::string_view pipeline, absl::string_view previous,
                       absl::string_view next, bool changed) const {
  if (!options_.enabled() || !options_.any_module_format()) return false;
  if (options_.only_changing_passes && !changed) return false;
  if (options_.pipeline_filter.is_set() &&
      !options_.pipeline_filter.Matches(pipeline)) {
    return false;
  }
  if (options_.pass_filter.Matches(previous)) return true;
  return !options_.pass_filter.is_negative() &&
         options_.pass_filter.Matches(next);
}

bool Dumper::DumpsEmitter(absl::string_view module_name,
                          absl::string_view emitter) const {
  return DumpsModule(module_name) && options_.artifacts() &&
         options_.emitter_filter.Matches(emitter);
}

// ---- names ----

Dumper::ModuleState& Dumper::StateOf(const Module& module) {
  auto [it, inserted] = modules_.try_emplace(&module);
  ModuleState& state = it->second;
  // Another module may have come to the same place.
  if (!inserted && state.name == module.name()) return state;
  state = ModuleState();
  state.name = module.name();
  state.id = counter_->fetch_add(1);
  state.timestamp_us = absl::ToUnixMicros(absl::Now());
  state.metadata.set_canonical_module_id(state.id);
  if (DumpsModule(module.name())) {
    state.over_limit = options_.max_modules > 0 &&
                       dumped_modules_ >= options_.max_modules;
    ++dumped_modules_;
  }
  return state;
}

Dumper::Naming Dumper::NamingOf(const Module& module) {
  Naming naming;
  bool over_limit = false;
  {
    absl::MutexLock lock(&mutex_);
    const ModuleState& state = StateOf(module);
    naming.id = state.id;
    naming.timestamp_us = state.timestamp_us;
    naming.name = module.name();
    over_limit = state.over_limit;
  }
  naming.wanted = DumpsModule(module.name()) && !over_limit;
  if (over_limit) {
    sink_.Warn(absl::StrFormat(
        "modules from module_%04d.%s on are not dumped "
        "(--xla_dump_max_hlo_modules=%d)",
        naming.id, naming.name, options_.max_modules));
  }
  return naming;
}

std::string Dumper::Prefix(const Module& module) {
  const Naming naming = NamingOf(module);
  return absl::StrCat(absl::StrFormat("module_%04d", naming.id),
                      naming.name.empty() ? "" : ".", naming.name);
}

void Dumper::Forget(const Module& module) {
  absl::MutexLock lock(&mutex_);
  modules_.erase(&module);
}

std::string Dumper::FileName(const Naming& naming, absl::string_view suffix,
                             bool timestamp) const {
  DumpNameParts parts;
  parts.module_id = naming.id;
  parts.module_name = naming.name;
  parts.suffix = suffix;
  if (timestamp && options_.include_timestamp) {
    parts.timestamp_us = naming.timestamp_us;
  }
  return DumpFileName(parts);
}

std::string Dumper::Subfolder(const Naming& naming) const {
  if (!options_.to_subfolder) return "";
  return JoinPath(SanitizeFileName(naming.name), HostAndPid());
}

// ---- writing ----

std::string Dumper::WriteText(const Naming& naming, const std::string& name,
                              absl::string_view contents) {
  if (!options_.to_stdout()) return WriteBinary(naming, name, contents);
  sink_.WriteBlock(name, contents);
  return "";
}

std::string Dumper::WriteBinary(const Naming& naming, const std::string& name,
                                absl::string_view contents) {
  return sink_.WriteFile(Subfolder(naming), name, contents);
}

bool Dumper::CanBeWritten(const MessageParts& parts) {
  const absl::Status fits = CheckNesting(parts);
  if (fits.ok()) return true;
  sink_.Warn(absl::StrCat(parts.module->name(), " is not dumped as a proto: ",
                          fits.message()));
  return false;
}

std::string Dumper::WriteMessage(const Naming& naming, const std::string& name,
                                 const wire::LargeMessage& message) {
  return sink_.WritePieces(
      Subfolder(naming), name,
      [&](FileSystem::EmitPiece emit) { message.Emit(emit); });
}

std::vector<std::string> Dumper::DumpModule(const Module& module,
                                            absl::string_view suffix,
                                            const BufferReports* reports) {
  if (!options_.enabled()) return {};
  const Naming naming = NamingOf(module);
  if (!naming.wanted || !options_.artifacts()) return {};
  std::vector<std::string> paths =
      DumpFormats(module, naming, suffix, reports);
  if (options_.to_stdout()) return paths;
  auto keep = [&](std::string path) {
    if (!path.empty()) paths.push_back(std::move(path));
  };
  keep(WriteBinary(naming, FileName(naming, "debug_options", false),
                   DebugOptionsText(options_.debug_options)));
  xla::HloModuleMetadataProto metadata;
  {
    absl::MutexLock lock(&mutex_);
    metadata = StateOf(module).metadata;
  }
  if (metadata.pass_metadata_size() > 0) {
    Naming nameless = naming;
    nameless.name.clear();
    keep(sink_.WriteFile(Subfolder(naming),
                         FileName(nameless, "metadata.textproto", false),
                         TextProto(metadata)));
  }
  return paths;
}

std::vector<std::string> Dumper::DumpPass(const Module& module,
                                          absl::string_view pipeline,
                                          absl::string_view previous,
                                          absl::string_view next,
                                          bool changed) {
  if (!options_.enabled()) return {};
  const bool wanted = DumpsPass(pipeline, previous, next, changed);
  if (!wanted && !options_.module_metadata) return {};
  const Naming naming = NamingOf(module);
  if (!naming.wanted) return {};
  std::vector<std::string> paths;
  if (wanted) {
    int64_t step;
    {
      absl::MutexLock lock(&mutex_);
      step = StateOf(module).next_step++;
    }
    paths = DumpFormats(module, naming,
                        PassSuffix(step, pipeline, previous, next), nullptr);
  }
  if (options_.module_metadata && previous != "pipeline-start") {
    NotePass(module, pipeline, previous, changed, paths);
  }
  return paths;
}

void Dumper::NotePass(const Module& module, absl::string_view pipeline,
                      absl::string_view pass, bool changed,
                      const std::vector<std::string>& paths) {
  const int64_t now = absl::ToUnixMicros(absl::Now());
  absl::MutexLock lock(&mutex_);
  ModuleState& state = StateOf(module);
  auto& passes = *state.metadata.mutable_pass_metadata();
  const int64_t start = passes.empty() ? state.timestamp_us
                                       : passes.rbegin()->end_timestamp_usec();
  xla::HloPassMetadata* note = passes.Add();
  note->set_pass_id(passes.size());
  note->set_pass_name(std::string(pass));
  note->set_pipeline_name(std::string(pipeline));
  for (const std::string& path : paths) note->add_dump_filenames(path);
  note->set_module_changed(changed);
  note->set_module_id(state.id);
  note->set_start_timestamp_usec(start);
  note->set_end_timestamp_usec(now);
}

std::vector<std::string> Dumper::DumpWithinPass(const Module& module,
                                                absl::string_view pass,
                                                absl::string_view label) {
  if (!options_.enabled() || !options_.any_module_format() ||
      !options_.pass_filter.Matches(pass)) {
    return {};
  }
  const Naming naming = NamingOf(module);
  if (!naming.wanted) return {};
  int64_t step;
  {
    absl::MutexLock lock(&mutex_);
    step = StateOf(module).next_step++;
  }
  return DumpFormats(module, naming,
                     absl::StrFormat("%04d.%s.%s", step, pass, label), nullptr);
}

std::string Dumper::DumpArtifact(const Module& module, absl::string_view suffix,
                                 absl::string_view contents, bool binary) {
  if (!options_.enabled() || !options_.artifacts()) return "";
  const Naming naming = NamingOf(module);
  if (!naming.wanted) return "";
  const std::string name = FileName(naming, suffix, false);
  return binary ? WriteBinary(naming, name, contents)
                : WriteText(naming, name, contents);
}

std::string Dumper::DumpEmitterArtifact(const Module& module,
                                        absl::string_view emitter,
                                        absl::string_view suffix,
                                        absl::string_view contents) {
  if (!DumpsEmitter(module.name(), emitter)) return "";
  return DumpArtifact(module, suffix, contents);
}

std::string Dumper::DumpCompileInput(const Module& module,
                                     absl::string_view file,
                                     absl::string_view contents) {
  if (!options_.enabled() || options_.to_stdout()) return "";
  const Naming naming = NamingOf(module);
  if (!naming.wanted) return "";
  std::string folder = absl::StrFormat("module_%04d", naming.id);
  if (!naming.name.empty() && folder.size() + naming.name.size() < 255) {
    absl::StrAppend(&folder, ".", naming.name);
  }
  return sink_.WriteFile(
      JoinPath(Subfolder(naming), SanitizeFileName(folder)), file, contents);
}

std::string Dumper::DumpConfig(const Module& module,
                               const xla::HloModuleConfigProto& config) {
  if (!options_.full_hlo_config || options_.to_stdout()) return "";
  return DumpArtifact(module, "config.pbtxt", TextProto(config));
}

// ---- executions ----

void Dumper::WriteSnapshot(const Module& module,
                           absl::Span<const Literal> arguments,
                           const Literal* result, absl::string_view platform,
                           int64_t run) {
  if (!options_.snapshots) return;
  const Naming naming = NamingOf(module);
  if (!naming.wanted) return;
  MessageParts parts;
  parts.module = &module;
  parts.module_id = naming.id;
  parts.arguments = arguments;
  parts.result = result;
  parts.execution_platform = platform;
  if (!CanBeWritten(parts)) return;
  wire::LargeMessage message;
  {
    wire::WireWriter writer(&message);
    hlokit::WriteSnapshot(parts, &writer);
  }
  WriteMessage(naming,
               FileName(naming, absl::StrCat("snapshot.", run, ".pb"), false),
               message);
}

void Dumper::DumpSnapshot(const Module& module,
                          absl::Span<const Literal> arguments,
                          const Literal& result, absl::string_view platform,
                          int64_t run) {
  WriteSnapshot(module, arguments, &result, platform, run);
}

void Dumper::DumpSnapshotArguments(const Module& module,
                                   absl::Span<const Literal> arguments,
                                   absl::string_view platform, int64_t run) {
  WriteSnapshot(module, arguments, nullptr, platform, run);
}

void Dumper::DumpUnoptimizedSnapshot(const Module& module,
                                     const PartitionArguments& arguments) {
  if (!options_.unoptimized_snapshots) return;
  const Naming naming = NamingOf(module);
  if (!naming.wanted) return;
  int64_t execution;
  {
    absl::MutexLock lock(&mutex_);
    execution = StateOf(module).next_execution++;
  }
  auto name = [&](absl::string_view ending) {
    return FileName(naming,
                    absl::StrFormat("execution_%04d.hlo_unoptimized_snapshot%s",
                                    execution, ending),
                    false);
  };
  MessageParts parts;
  parts.module = &module;
  parts.module_id = naming.id;
  if (!CanBeWritten(parts)) return;
  wire::LargeMessage message;
  {
    wire::WireWriter writer(&message);
    WriteUnoptimizedSnapshot(parts, arguments, &writer);
  }
  // Text takes a few times as much.
  constexpr uint64_t kMaxBytes = uint64_t{1} << 31;
  if (message.size() >= kMaxBytes || (options_.proto && !options_.text)) {
    WriteMessage(naming, name(".pb"),
                 LargeSnapshotMessage(module, naming.id, arguments));
  } else if (options_.text && message.size() < kMaxBytes / 8) {
    xla::HloUnoptimizedSnapshot snapshot;
    HLOKIT_CHECK(ParseWrittenBytes(message.Join(), &snapshot));
    WriteText(naming, name(".txt"), TextProto(snapshot));
  } else {
    WriteMessage(naming, name(".pb"), message);
  }
}

}  // namespace hlokit
