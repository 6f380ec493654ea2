#include "dump/dump_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/compression.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "dump/dump_archive.h"
#include "dump/hlo_lines.h"
#include "dump/large_snapshot.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxPrintedNotes = 20;

// The order of stages from after optimization: around buffer assignment, then
// the code.
int LateRank(const DumpName& name) {
  if (absl::EndsWith(name.stage, "before_buffer_assignment")) return 0;
  if (absl::EndsWith(name.stage, "after_buffer_assignment")) return 1;
  return name.stage == "after_codegen" ? 3 : 2;
}

// A folder that is named as a module's files are: "module_0004.jit_f".
bool IsInputFolder(absl::string_view name) {
  return absl::StartsWith(name, "module_") &&
         ParseDumpName(absl::StrCat(name, ".debug_options")).has_value();
}

class FolderReader {
 public:
  FolderReader(const FileSystem& files, std::string root)
      : files_(files), root_(std::move(root)) {}

  absl::Status ReadRoot() {
    HLOKIT_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(root_));
    IsNew(info);
    HLOKIT_RETURN_IF_ERROR(ReadFolder(root_, 0));
    // Behind the real folders, so that those give the names.
    for (size_t i = 0; i < links_.size(); ++i) {
      const auto [path, depth] = links_[i];
      auto target = files_.Stat(path);
      if (!target.ok() || !IsNew(*target)) continue;
      if (target->is_directory) {
        Note(ReadFolder(path, depth));
      } else {
        AddFile(path, target->size);
      }
    }
    return absl::OkStatus();
  }

  void AddFile(const std::string& path, int64_t size) {
    sizes_[path] = size;
    Add(std::string(DirName(path)), {std::string(BaseName(path))});
  }

  void Add(const std::string& folder, const std::vector<std::string>& names) {
    const bool inputs = IsInputFolder(BaseName(folder));
    const auto parsed = ParseDumpNames(names);
    for (size_t i = 0; i < names.size(); ++i) {
      DumpFile file;
      file.path = JoinPath(folder, names[i]);
      file.size = sizes_[file.path];
      file.name = parsed[i];
      if (inputs && !file.name.has_value()) {
        file.name = ParseDumpName(
            absl::StrCat(BaseName(folder), ".debug_options"));
        file.name->form = "compile input";
        file.name->stage = names[i];
        file.compile_input = true;
      }
      index_.files.push_back(std::move(file));
    }
  }

  // Looks at the files; not for a list of names.
  void CheckFiles() {
    std::vector<DumpFile*> files;
    for (DumpFile& file : index_.files) {
      if (file.name.has_value() && file.name->holds_module()) {
        files.push_back(&file);
      }
    }
    if (files.empty()) return;
    ThreadPool pool(std::min<int>(ThreadPool::AvailableProcessors(),
                                  1 + files.size() / 16));
    pool.ParallelFor(files.size(), 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        files[i]->broken = FaultOfDump(files_, *files[i]);
      }
    });
    for (const DumpFile* file : files) {
      if (file->broken.empty()) continue;
      Note(absl::StrCat(file->path, " ", file->broken, "; it is left out"));
    }
  }

  DumpIndex Finish() {
    NoteProfiles();
    CollectModules();
    for (DumpedModule& module : index_.modules) Sort(&module);
    PairNumbers();
    return std::move(index_);
  }

 private:
  using Key = std::tuple<std::string, int64_t, std::string>;

  void Note(std::string text) { index_.notes.push_back(std::move(text)); }
  void Note(const absl::Status& status) {
    if (!status.ok()) Note(std::string(status.message()));
  }

  // Whether this file or folder was not met before.
  bool IsNew(const FileInfo& info) {
    return info.identity == FileInfo().identity ||
           seen_.insert(info.identity).second;
  }

  absl::Status ReadFolder(const std::string& folder, int depth) {
    HLOKIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            files_.ListDirectory(folder));
    std::vector<std::string> plain;
    for (const std::string& name : names) {
      if (absl::StartsWith(name, ".hlokit-")) continue;
      const std::string path = JoinPath(folder, name);
      const auto info = files_.Stat(path);
      if (!info.ok()) {
        Note(info.status());
      } else if (!info->exists) {
        if (info->is_link) {
          Note(absl::StrCat(path, " is a link that leads nowhere"));
        }
      } else if (info->is_special) {
        Note(absl::StrCat(path, " is a pipe, a socket or a device; it is not "
                                "opened"));
      } else if (info->is_link) {
        links_.emplace_back(path, depth + 1);
      } else if (!info->is_directory) {
        IsNew(*info);
        plain.push_back(name);
        sizes_[path] = info->size;
      } else if (depth >= kMaxDepth) {
        Note(absl::StrCat(path, " is nested too deeply; it is not read"));
      } else if (IsNew(*info)) {
        Note(ReadFolder(path, depth + 1));
      }
    }
    Add(folder, plain);
    return absl::OkStatus();
  }

  // Profiles are often taken for dumps.
  void NoteProfiles() {
    int64_t profiles = 0;
    for (const DumpFile& file : index_.files) {
      profiles += absl::EndsWith(file.path, ".xplane.pb") ||
                  absl::EndsWith(file.path, ".xplane.pb.gz");
    }
    if (profiles == 0) return;
    Note(absl::StrFormat(
        "%d of the other files hold profiles (*.xplane.pb), not dumps; xprof "
        "(the profile plugin of TensorBoard) reads them",
        profiles));
  }

  std::string Below(absl::string_view folder) const {
    absl::ConsumePrefix(&folder, root_);
    while (absl::ConsumePrefix(&folder, "/")) {
    }
    return std::string(folder);
  }

  void CollectModules() {
    std::map<Key, std::vector<int>> modules;
    std::vector<int> nameless;
    for (size_t i = 0; i < index_.files.size(); ++i) {
      const DumpFile& file = index_.files[i];
      if (!file.name.has_value() || !file.broken.empty()) continue;
      std::string folder(DirName(file.path));
      if (file.compile_input) folder = std::string(DirName(folder));
      if (file.name->module.empty()) {
        nameless.push_back(i);
      } else {
        modules[{folder, file.name->id, file.name->module}].push_back(i);
      }
    }
    // Files without name belong to the only module of their number.
    for (int i : nameless) {
      const DumpFile& file = index_.files[i];
      const std::string folder(DirName(file.path));
      auto it = modules.lower_bound({folder, file.name->id, ""});
      if (it == modules.end() || std::get<0>(it->first) != folder ||
          std::get<1>(it->first) != file.name->id) {
        it = modules.try_emplace({folder, file.name->id, ""}).first;
      }
      it->second.push_back(i);
    }
    for (auto& [key, files] : modules) {
      DumpedModule module;
      std::tie(module.folder, module.id, module.name) = key;
      module.subfolder = Below(module.folder);
      module.files = std::move(files);
      index_.modules.push_back(std::move(module));
    }
  }

  void Sort(DumpedModule* module) {
    std::stable_sort(
        module->files.begin(), module->files.end(), [&](int a, int b) {
          const DumpName& x = *index_.files[a].name;
          const DumpName& y = *index_.files[b].name;
          return std::make_tuple(StageRank(x), LateRank(x), x.step.value_or(0),
                                 x.part) <
                 std::make_tuple(StageRank(y), LateRank(y), y.step.value_or(0),
                                 y.part);
        });
    for (int i : module->files) {
      module->bytes += index_.files[i].size;
      module->pass_dumps += index_.files[i].name->is_pass_dump() &&
                            index_.files[i].name->holds_module();
    }
  }

  void PairNumbers() {
    std::map<std::string, std::vector<int>> folders;
    for (size_t i = 0; i < index_.modules.size(); ++i) {
      folders[index_.modules[i].folder].push_back(i);
    }
    for (const auto& [folder, modules] : folders) {
      std::vector<std::optional<DumpName>> names;
      std::map<int64_t, int> by_id;
      for (int i : modules) {
        by_id[index_.modules[i].id] = i;
        for (int file : index_.modules[i].files) {
          names.push_back(index_.files[file].name);
        }
      }
      for (const std::vector<int64_t>& group : SameCompilations(names)) {
        for (size_t i = 0; i + 1 < group.size(); ++i) {
          index_.modules[by_id[group[i]]].continued_as = by_id[group[i + 1]];
        }
      }
    }
  }

  const FileSystem& files_;
  const std::string root_;
  std::map<std::string, int64_t> sizes_;
  std::set<std::pair<uint64_t, uint64_t>> seen_;  // FileInfo::identity
  std::vector<std::pair<std::string, int>> links_;  // and their depth
  DumpIndex index_;
};

}  // namespace

std::string DumpedModule::Label() const {
  return absl::StrCat(absl::StrFormat("module_%04d", id),
                      name.empty() ? "" : ".", name);
}

std::string DumpedModule::FullLabel() const {
  return JoinPath(subfolder, Label());
}

bool DumpIndex::has_subfolders() const {
  return std::any_of(modules.begin(), modules.end(),
                     [&](const DumpedModule& one) {
                       return one.subfolder != modules.front().subfolder;
                     });
}

std::vector<int> DumpIndex::Find(absl::string_view text) const {
  // Names may hold slashes: whole ones go before folders.
  std::vector<int> whole;
  for (size_t i = 0; i < modules.size(); ++i) {
    const DumpedModule& module = modules[i];
    if (module.name == text || module.Label() == text ||
        module.FullLabel() == text) {
      whole.push_back(static_cast<int>(i));
    }
  }
  if (!whole.empty()) return whole;
  std::string folder;
  if (const size_t slash = text.rfind('/'); slash != text.npos) {
    folder = std::string(text.substr(0, slash));
    text.remove_prefix(slash + 1);
  }
  auto in_folder = [&](const DumpedModule& module) {
    const absl::string_view at = module.subfolder;
    return folder.empty() || at == folder ||
           absl::EndsWith(at, absl::StrCat("/", folder));
  };
  int64_t number = -1;
  if (!absl::SimpleAtoi(text, &number)) number = -1;
  std::vector<int> exact, partial;
  for (size_t i = 0; i < modules.size(); ++i) {
    const DumpedModule& module = modules[i];
    if (!in_folder(module)) continue;
    if (module.id == number || module.name == text || module.Label() == text) {
      exact.push_back(i);
    } else if (absl::StrContains(module.Label(), text)) {
      partial.push_back(i);
    }
  }
  return exact.empty() ? partial : exact;
}

absl::StatusOr<DumpIndex> ReadDumpFolder(const FileSystem& files,
                                         const std::string& folder) {
  HLOKIT_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(folder));
  if (!info.exists) return NotFound("there is no folder '%s'", folder);
  FolderReader reader(files, info.is_directory ? folder
                                               : std::string(DirName(folder)));
  if (info.is_directory) {
    HLOKIT_RETURN_IF_ERROR(reader.ReadRoot());
  } else if (!info.is_special &&
             ParseDumpName(BaseName(folder)).has_value()) {
    reader.AddFile(folder, info.size);
  } else {
    return InvalidArgument(
        "'%s' is a file, not a folder or an archive of dumps; hlo-opt reads "
        "a single module",
        folder);
  }
  reader.CheckFiles();
  return reader.Finish();
}

absl::StatusOr<OpenedDumps> OpenDumps(const FileSystem& files,
                                      absl::Span<const std::string> paths) {
  auto archives = std::make_shared<ArchiveFileSystem>(files);
  DumpIndex all;
  for (const std::string& path : paths) {
    if (!ParseDumpName(BaseName(path)).has_value()) {
      HLOKIT_RETURN_IF_ERROR(archives->OpenIfArchive(path).status());
    }
    HLOKIT_ASSIGN_OR_RETURN(DumpIndex one, ReadDumpFolder(*archives, path));
    const int first_file = all.files.size(), first = all.modules.size();
    for (DumpFile& file : one.files) all.files.push_back(std::move(file));
    for (DumpedModule& module : one.modules) {
      for (int& i : module.files) i += first_file;
      if (module.continued_as >= 0) module.continued_as += first;
      if (paths.size() > 1) module.subfolder = module.folder;
      all.modules.push_back(std::move(module));
    }
    for (std::string& note : one.notes) all.notes.push_back(std::move(note));
  }
  all.notes.insert(all.notes.begin(), archives->notes().begin(),
                   archives->notes().end());
  return OpenedDumps{std::move(archives), std::move(all)};
}

bool IsArchiveOfDumps(const FileSystem& files, const std::string& path) {
  if (ParseDumpName(BaseName(path)).has_value()) return false;
  const auto answer = ArchiveFileSystem(files).OpenIfArchive(path);
  return answer.ok() && *answer;
}

void PrintNotes(const DumpIndex& index, std::ostream* err) {
  for (size_t i = 0; i < index.notes.size(); ++i) {
    if (i == kMaxPrintedNotes) {
      *err << "note: " << index.notes.size() - i << " more notes\n";
      return;
    }
    *err << "note: " << Printable(index.notes[i]) << "\n";
  }
}

DumpIndex IndexOfNames(const std::vector<std::string>& names) {
  static const MemoryFileSystem* none = new MemoryFileSystem;
  FolderReader reader(*none, "");
  reader.Add("", names);
  return reader.Finish();
}

void WriteDumpName(const std::optional<DumpName>& name, JsonWriter* json) {
  if (!name.has_value()) {
    json->Null();
    return;
  }
  auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) json->Member(key, value);
  };
  json->BeginObject();
  json->Member("id", name->id).Member("module", name->module);
  text("stage", name->stage);
  text("form", name->form);
  text("part", name->part);
  if (name->step) json->Member("step", *name->step);
  text("pipeline", name->pipeline);
  text("after", name->after);
  text("before", name->before);
  text("pass", name->pass);
  text("label", name->label);
  if (name->run) json->Member("run", *name->run);
  if (name->execution) json->Member("execution", *name->execution);
  if (name->time_us) json->Member("time_us", *name->time_us);
  if (name->changelist) json->Member("changelist", *name->changelist);
  json->EndObject();
}

std::string StageText(const DumpName& name) {
  if (!name.is_pass_dump()) {
    return absl::StrCat(name.stage, name.part.empty() ? "" : " ", name.part,
                        name.run ? absl::StrCat(" ", *name.run) : "",
                        name.execution ? absl::StrCat(" ", *name.execution)
                                       : "");
  }
  if (!name.pass.empty()) {
    return absl::StrFormat("%04d within %s: %s", *name.step, name.pass,
                           name.label);
  }
  return absl::StrFormat("%04d %s: after %s", *name.step, name.pipeline,
                         name.after);
}

absl::StatusOr<DumpContents> DumpContents::Open(const FileSystem& files,
                                                const std::string& path) {
  DumpContents contents;
  HLOKIT_ASSIGN_OR_RETURN(contents.mapped_, files.MapFile(path));
  if (DetectCompression(contents.mapped_->contents()) != Compression::kNone) {
    HLOKIT_ASSIGN_OR_RETURN(contents.text_,
                            Decompress(contents.mapped_->contents()));
    contents.mapped_ = nullptr;
  }
  return contents;
}

namespace {

// The bytes of the (last) field of that number; none if there is none.
absl::StatusOr<absl::string_view> PartOf(absl::string_view bytes, int number) {
  wire::WireReader reader(bytes);
  wire::WireField field;
  absl::string_view part;
  while (reader.Next(&field)) {
    if (field.Is(number, wire::WireType::kBytes)) part = field.bytes;
  }
  if (!reader.bad()) return part;
  return InvalidArgument("the bytes end in the middle of a field");
}

// Where a message of that form holds its HloModuleProto.
absl::StatusOr<absl::string_view> ModuleBytesIn(absl::string_view bytes,
                                                absl::string_view form,
                                                absl::string_view path) {
  if (form == "unoptimized snapshot proto") {
    HLOKIT_ASSIGN_OR_RETURN(const UnoptimizedSnapshot snapshot,
                            ReadUnoptimizedSnapshot(bytes));
    return snapshot.module;
  }
  if (form == "snapshot proto") {
    HLOKIT_ASSIGN_OR_RETURN(bytes,
                            PartOf(bytes, xla::HloSnapshot::kHloFieldNumber));
  } else if (!absl::StartsWith(form, "hlo proto")) {
    return Unimplemented("%s: a %s holds no module", path, form);
  }
  return PartOf(bytes, xla::HloProto::kHloModuleFieldNumber);
}

// XLA writes the entry computation last, and a brace on a line behind it.
std::string FaultOfText(absl::string_view text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == absl::string_view::npos) return "is empty";
  size_t begin;
  const absl::string_view last = LineAt(text, end, &begin);
  if (last[0] != '}') {
    return "is cut off: the last line does not close a computation";
  }
  if (text.rfind("ENTRY ") == absl::string_view::npos) {
    return "is cut off: the entry computation is missing";
  }
  return "";
}

}  // namespace

std::string FaultOfDump(const FileSystem& files, const DumpFile& file) {
  if (file.size == 0) return "is empty";
  const auto contents = DumpContents::Open(files, file.path);
  if (absl::IsInvalidArgument(contents.status())) {
    return absl::StrCat("is cut off or damaged: ", contents.status().message());
  }
  if (absl::IsPermissionDenied(contents.status())) {
    return "cannot be read: permission denied";
  }
  if (!contents.ok()) {
    return absl::StrCat("cannot be read: ", contents.status().message());
  }
  const absl::string_view bytes = contents->bytes();
  const absl::string_view form = file.name->plain_form();
  if (form == "text") return FaultOfText(bytes);
  if (absl::EndsWith(form, " text")) return bytes.empty() ? "is empty" : "";
  if (absl::StartsWith(bytes, "Failed to serialize")) {
    return "holds no module: XLA could not write it, as it has 2 GiB or more";
  }
  const auto module = ModuleBytesIn(bytes, form, file.path);
  if (!module.ok()) {
    return absl::StrCat("is cut off or damaged: ", module.status().message());
  }
  return module->empty() ? "holds no module" : "";
}

absl::StatusOr<std::string> DumpedHloText(const FileSystem& files,
                                          const DumpFile& file) {
  HLOKIT_ASSIGN_OR_RETURN(const DumpContents contents,
                          DumpContents::Open(files, file.path));
  const std::string form(file.name.has_value() ? file.name->plain_form()
                                               : "text");
  if (form == "text") return std::string(contents.bytes());
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view bytes,
                          ModuleBytesIn(contents.bytes(), form, file.path));
  FromProtoOptions options;
  options.keep_unknown_meaning = true;
  std::vector<std::string> notes;  // unknown fields are kept where these are
  options.notes = &notes;
  HLOKIT_ASSIGN_OR_RETURN(const auto module, ModuleFromBytes(bytes, options));
  return ToString(*module, PrintOptions::Dump());
}

}  // namespace hlokit
