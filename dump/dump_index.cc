#include "dump/dump_index.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/compression.h"
#include "base/status.h"
#include "dump/large_snapshot.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

constexpr int kMaxDepth = 16;

// A folder that is named as a module's files are: "module_0004.jit_f".
bool IsInputFolder(absl::string_view name) {
  return absl::StartsWith(name, "module_") &&
         ParseDumpName(absl::StrCat(name, ".debug_options")).has_value();
}

class FolderReader {
 public:
  explicit FolderReader(const FileSystem& files) : files_(files) {}

  absl::Status Read(const std::string& folder, int depth) {
    HLOKIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            files_.ListDirectory(folder));
    std::vector<std::string> plain;
    for (const std::string& name : names) {
      if (absl::StartsWith(name, ".hlokit-")) continue;
      const std::string path = JoinPath(folder, name);
      HLOKIT_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(path));
      if (!info.is_directory) {
        plain.push_back(name);
        sizes_[path] = info.size;
      } else if (depth < kMaxDepth) {
        HLOKIT_RETURN_IF_ERROR(Read(path, depth + 1));
      }
    }
    Add(folder, plain);
    return absl::OkStatus();
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

  DumpIndex Finish() {
    CollectModules();
    for (DumpedModule& module : index_.modules) Sort(&module);
    PairNumbers();
    return std::move(index_);
  }

 private:
  using Key = std::tuple<std::string, int64_t, std::string>;

  void CollectModules() {
    std::map<Key, std::vector<int>> modules;
    std::vector<int> nameless;
    for (size_t i = 0; i < index_.files.size(); ++i) {
      const DumpFile& file = index_.files[i];
      if (!file.name.has_value()) continue;
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
      module.files = std::move(files);
      index_.modules.push_back(std::move(module));
    }
  }

  void Sort(DumpedModule* module) {
    std::stable_sort(
        module->files.begin(), module->files.end(), [&](int a, int b) {
          const DumpName& x = *index_.files[a].name;
          const DumpName& y = *index_.files[b].name;
          return std::make_tuple(StageRank(x), x.step.value_or(0), x.part) <
                 std::make_tuple(StageRank(y), y.step.value_or(0), y.part);
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
  std::map<std::string, int64_t> sizes_;
  DumpIndex index_;
};

}  // namespace

std::string DumpedModule::Label() const {
  return absl::StrCat(absl::StrFormat("module_%04d", id),
                      name.empty() ? "" : ".", name);
}

std::vector<int> DumpIndex::Find(absl::string_view text) const {
  int64_t number = -1;
  if (!absl::SimpleAtoi(text, &number)) number = -1;
  std::vector<int> exact, partial;
  for (size_t i = 0; i < modules.size(); ++i) {
    const DumpedModule& module = modules[i];
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
  FolderReader reader(files);
  if (info.is_directory) {
    HLOKIT_RETURN_IF_ERROR(reader.Read(folder, 0));
  } else {
    reader.Add(std::string(DirName(folder)), {std::string(BaseName(folder))});
  }
  return reader.Finish();
}

DumpIndex IndexOfNames(const std::vector<std::string>& names) {
  static const MemoryFileSystem* none = new MemoryFileSystem;
  FolderReader reader(*none);
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

}  // namespace

absl::StatusOr<std::string> DumpedHloText(const FileSystem& files,
                                          const DumpFile& file) {
  HLOKIT_ASSIGN_OR_RETURN(const DumpContents contents,
                          DumpContents::Open(files, file.path));
  const std::string form = file.name.has_value() ? file.name->form : "text";
  if (form == "text") return std::string(contents.bytes());
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view bytes,
                          ModuleBytesIn(contents.bytes(), form, file.path));
  HLOKIT_ASSIGN_OR_RETURN(const auto module, ModuleFromBytes(bytes));
  return ToString(*module, PrintOptions::Dump());
}

}  // namespace hlokit
