#include "dump/dumper.h"

#include <unistd.h>

#include <ostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "base/compression.h"
#include "flags/debug_options.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

constexpr size_t kMaxFileName = 255;

// Bytes that file names do not carry.
std::string Sanitize(std::string name) {
  for (char& c : name) {
    if (c == '/' || c == '\\' || c == '[' || c == ']' || c == ' ') c = '_';
  }
  return name;
}

std::string HostAndPid() {
  char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  return absl::StrCat(host, "_", getpid());
}

}  // namespace

Dumper::Dumper(DumpOptions options, const ToolIo& io,
               absl::Span<const std::string> warnings)
    : options_(std::move(options)), io_(io) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& warning : warnings) Warn(warning);
}

void Dumper::Warn(const std::string& warning) {
  if (!warned_.insert(warning).second || io_.err == nullptr) return;
  *io_.err << "warning: " << warning << std::endl;
}

bool Dumper::DumpsModule(absl::string_view module_name) const {
  if (!options_.enabled()) return false;
  return !options_.module_filter.is_set() ||
         options_.module_filter.Matches(module_name);
}

bool Dumper::DumpsPass(absl::string_view pipeline, absl::string_view previous,
                       absl::string_view next, bool changed) const {
  if (!options_.enabled() || options_.unoptimized_snapshots) return false;
  if (options_.only_changing_passes && !changed) return false;
  if (options_.pipeline_filter.is_set() &&
      !options_.pipeline_filter.Matches(pipeline)) {
    return false;
  }
  return options_.pass_filter.Matches(previous) ||
         options_.pass_filter.Matches(next);
}

Dumper::ModuleState& Dumper::StateOf(const Module& module) {
  auto [it, inserted] = modules_.try_emplace(&module);
  ModuleState& state = it->second;
  if (inserted) {
    state.id = next_id_++;
    state.timestamp_us = absl::ToUnixMicros(absl::Now());
    if (DumpsModule(module.name())) {
      state.over_limit = options_.max_modules > 0 &&
                         dumped_modules_ >= options_.max_modules;
      ++dumped_modules_;
    }
  }
  return state;
}

std::string Dumper::Prefix(const Module& module) {
  absl::MutexLock lock(&mutex_);
  return absl::StrCat(
      absl::StrFormat("module_%04d", StateOf(module).id),
      module.name().empty() ? "" : ".", module.name());
}

void Dumper::Forget(const Module& module) {
  absl::MutexLock lock(&mutex_);
  modules_.erase(&module);
}

std::string Dumper::FileName(const Module& module, absl::string_view suffix,
                             bool timestamp) {
  const ModuleState& state = StateOf(module);
  const std::string start = absl::StrCat(
      timestamp && options_.include_timestamp
          ? absl::StrCat(state.timestamp_us, ".")
          : "",
      absl::StrFormat("module_%04d", state.id));
  const std::string full =
      module.name().empty()
          ? absl::StrCat(start, ".", suffix)
          : absl::StrCat(start, ".", module.name(), ".", suffix);
  if (full.size() <= kMaxFileName) return full;
  return absl::StrCat(start, ".", suffix);
}

std::string Dumper::Write(const Module& module, const std::string& name,
                          absl::string_view contents) {
  if (options_.to_stdout()) {
    Warn(absl::StrFormat(
        "%s is not written to standard output; pass --xla_dump_to=FOLDER",
        name));
    return "";
  }
  std::string folder = options_.folder;
  if (options_.to_subfolder) {
    folder = JoinPath(folder, JoinPath(Sanitize(module.name()), HostAndPid()));
  }
  if (!made_folders_.contains(folder)) {
    if (absl::Status status = io_.files->CreateDirectories(folder);
        !status.ok()) {
      Warn(absl::StrFormat("cannot make the dump folder: %s; nothing is dumped",
                           status.message()));
      return "";
    }
    made_folders_.insert(folder);
  }
  const std::string path = JoinPath(folder, Sanitize(name));
  if (absl::Status status = io_.files->WriteFile(path, contents);
      !status.ok()) {
    Warn(absl::StrFormat("a dump is lost: %s", status.message()));
    return "";
  }
  return path;
}

void Dumper::WriteToStdout(const std::string& name,
                           absl::string_view contents) {
  *io_.out << "*** Begin " << name << " ***\n"
           << contents << "\n*** End " << name << " ***\n";
  io_.out->flush();
}

std::string Dumper::TextOrFile(const Module& module, const std::string& name,
                               absl::string_view contents) {
  if (!options_.to_stdout()) return Write(module, name, contents);
  WriteToStdout(name, contents);
  return "";
}

std::vector<std::string> Dumper::DumpFormats(const Module& module,
                                             absl::string_view suffix) {
  std::vector<std::string> paths;
  auto keep = [&](std::string path) {
    if (!path.empty()) paths.push_back(std::move(path));
  };
  if (options_.text) {
    const std::string name =
        FileName(module, absl::StrCat(suffix, ".txt"), true);
    keep(TextOrFile(module, name, ToString(module, options_.print_options)));
  }
  if (options_.proto) {
    xla::HloProto proto;
    *proto.mutable_hlo_module() = ModuleToProto(module, StateOf(module).id);
    std::string bytes = SerializeDeterministic(proto);
    const char* extension = ".hlo.pb";
    if (options_.compress_protos) {
      bytes = Gzip(bytes);
      extension = ".hlo.pb.gz";
    }
    keep(Write(module, FileName(module, absl::StrCat(suffix, extension), true),
               bytes));
  }
  if (options_.dot || options_.html || options_.url) {
    Warn("dot, html and url dumps need graph rendering, which this build does "
         "not have");
  }
  return paths;
}

std::vector<std::string> Dumper::DumpModule(const Module& module,
                                            absl::string_view suffix) {
  if (!DumpsModule(module.name()) || options_.unoptimized_snapshots) return {};
  absl::MutexLock lock(&mutex_);
  if (StateOf(module).over_limit) return {};
  std::vector<std::string> paths = DumpFormats(module, suffix);
  if (!options_.to_stdout()) {
    const std::string path =
        Write(module, FileName(module, "debug_options", false),
              DebugOptionsText(options_.debug_options));
    if (!path.empty()) paths.push_back(path);
  }
  return paths;
}

std::vector<std::string> Dumper::DumpPass(const Module& module,
                                          absl::string_view pipeline,
                                          absl::string_view previous,
                                          absl::string_view next,
                                          bool changed) {
  if (!DumpsModule(module.name()) ||
      !DumpsPass(pipeline, previous, next, changed)) {
    return {};
  }
  absl::MutexLock lock(&mutex_);
  ModuleState& state = StateOf(module);
  if (state.over_limit) return {};
  return DumpFormats(module,
                     absl::StrFormat("%04d.%s.after_%s.before_%s",
                                     state.next_step++, pipeline, previous,
                                     next));
}

void Dumper::DumpArtifact(const Module& module, absl::string_view suffix,
                          absl::string_view contents) {
  if (!DumpsModule(module.name())) return;
  absl::MutexLock lock(&mutex_);
  if (StateOf(module).over_limit) return;
  TextOrFile(module, FileName(module, suffix, false), contents);
}

void Dumper::DumpSnapshot(const Module& module,
                          absl::Span<const Literal> arguments,
                          const Literal& result, absl::string_view platform,
                          int64_t run) {
  if (!options_.snapshots || !DumpsModule(module.name())) return;
  absl::MutexLock lock(&mutex_);
  if (StateOf(module).over_limit) return;
  xla::HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() =
      ModuleToProto(module, StateOf(module).id);
  for (const Literal& argument : arguments) {
    LiteralToProto(argument, snapshot.add_arguments());
  }
  LiteralToProto(result, snapshot.mutable_result());
  snapshot.set_execution_platform(std::string(platform));
  Write(module, FileName(module, absl::StrCat("snapshot.", run, ".pb"), false),
        SerializeDeterministic(snapshot));
}

}  // namespace hlokit
