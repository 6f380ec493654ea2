// The commands ls, find and passes.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/terminal.h"
#include "base/text_table.h"
#include "dump/buffer_report.h"
#include "dump/hlo_dumps.h"
#include "dump/timeline.h"

namespace hlokit {
namespace {

using Arguments = absl::Span<const std::string>;

// Opens folders or archives as one index, and tells what was left out.
absl::StatusOr<OpenedDumps> OpenFolders(Arguments folders, const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(OpenedDumps dumps, OpenDumps(*io.files, folders));
  PrintNotes(dumps.index, io.err);
  return dumps;
}

std::unique_ptr<ThreadPool> MakePool(const HloDumpsOptions& options) {
  return std::make_unique<ThreadPool>(options.threads > 0
                                          ? options.threads
                                          : ThreadPool::AvailableProcessors());
}

// ---- ls ----

// The answer for a list of names: one entry a line, null for other files, and
// the numbers that are one compilation.
absl::StatusOr<int> ListNames(const HloDumpsOptions& options,
                              const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(const std::string text, ReadInput(io, options.names));
  std::vector<std::string> names;
  for (absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    absl::ConsumeSuffix(&line, "\r");
    names.emplace_back(BaseName(line));
  }
  const auto parsed = ParseDumpNames(names);
  const auto groups = SameCompilations(parsed);
  if (options.json) {
    JsonWriter json(io.out, 1);
    json.BeginObject().Key("groups").BeginArray();
    for (const auto& group : groups) {
      json.BeginArray();
      for (const int64_t id : group) json.Int(id);
      json.EndArray();
    }
    json.EndArray().Key("lines").BeginArray();
    for (const auto& one : parsed) WriteDumpName(one, &json);
    json.EndArray().EndObject();
    *io.out << "\n";
    return kOk;
  }
  TextTable table({{"number", TextTable::kRight}, {"module"}, {"stage"},
                   {"kind"}});
  int other = 0;
  for (const auto& one : parsed) {
    if (!one.has_value()) {
      ++other;
      continue;
    }
    table.AddRow({absl::StrCat(one->id), one->module, StageText(*one),
                  one->form});
  }
  *io.out << table.ToString();
  for (const auto& group : groups) {
    *io.out << "One compilation whose number changed: "
            << absl::StrJoin(group, ", ") << "\n";
  }
  if (other > 0) *io.out << other << " other files\n";
  return kOk;
}

void WriteIndexJson(const DumpIndex& index, const ToolIo& io) {
  JsonWriter json(io.out, 1);
  json.BeginObject().Key("modules").BeginArray();
  for (const DumpedModule& module : index.modules) {
    json.BeginObject();
    json.Member("id", module.id).Member("module", module.name);
    json.Member("folder", module.folder).Member("bytes", module.bytes);
    json.Member("label", module.FullLabel());
    json.Member("pass_dumps", module.pass_dumps);
    if (module.continued_as >= 0) {
      json.Member("continued_as", index.modules[module.continued_as].id);
    }
    json.Key("files").BeginArray();
    for (int i : module.files) {
      json.BeginObject().Member("path", index.files[i].path);
      json.Member("bytes", index.files[i].size).Key("name");
      WriteDumpName(index.files[i].name, &json);
      json.EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("other_files").BeginArray();
  for (const DumpFile& file : index.files) {
    if (!file.name.has_value()) json.String(file.path);
  }
  json.EndArray().Key("broken_files").BeginArray();
  for (const DumpFile& file : index.files) {
    if (!file.broken.empty()) json.String(file.path);
  }
  json.EndArray().EndObject();
  *io.out << "\n";
}

// "before_optimizations, 42 passes, cpu_after_optimizations".
std::string StagesOf(const DumpIndex& index, const DumpedModule& module) {
  std::vector<std::string> stages;
  for (int i : module.files) {
    const DumpName& name = *index.files[i].name;
    std::string stage = name.is_pass_dump()
                            ? absl::StrCat(module.pass_dumps, " around passes")
                        : name.holds_module() ? name.stage
                                              : "";
    if (stage.empty() ||
        std::find(stages.begin(), stages.end(), stage) != stages.end()) {
      continue;
    }
    stages.push_back(std::move(stage));
  }
  return absl::StrJoin(stages, ", ");
}

// A table whose first column, if the modules are in several folders, is theirs.
class ModuleTable {
 public:
  ModuleTable(const DumpIndex& index, std::vector<TextTable::Column> columns)
      : with_folder_(index.has_subfolders()),
        table_(WithFolder(std::move(columns), {"folder"})) {}

  void AddRow(const DumpedModule& module, std::vector<std::string> cells) {
    table_.AddRow(WithFolder(std::move(cells), module.subfolder));
  }
  std::string ToString() const { return table_.ToString(); }

 private:
  template <typename T>
  std::vector<T> WithFolder(std::vector<T> cells, T first) const {
    if (with_folder_) cells.insert(cells.begin(), std::move(first));
    return cells;
  }

  const bool with_folder_;
  TextTable table_;
};

void PrintFiles(const DumpIndex& index, const ToolIo& io) {
  ModuleTable table(index, {{"number", TextTable::kRight},
                            {"module"},
                            {"stage"},
                            {"kind"},
                            {"size", TextTable::kRight}});
  for (const DumpedModule& module : index.modules) {
    for (int i : module.files) {
      const DumpFile& file = index.files[i];
      table.AddRow(module, {absl::StrCat(module.id), module.name,
                            StageText(*file.name), file.name->form,
                            HumanBytes(file.size)});
    }
  }
  *io.out << table.ToString();
}

void PrintModules(const DumpIndex& index, const ToolIo& io) {
  ModuleTable table(index, {{"number", TextTable::kRight},
                            {"module"},
                            {"files", TextTable::kRight},
                            {"size", TextTable::kRight},
                            {"modules dumped"}});
  for (const DumpedModule& module : index.modules) {
    std::string stages = StagesOf(index, module);
    if (module.continued_as >= 0) {
      absl::StrAppend(&stages, " (goes on as ",
                      index.modules[module.continued_as].id, ")");
    }
    table.AddRow(module, {absl::StrCat(module.id), module.name,
                          absl::StrCat(module.files.size()),
                          HumanBytes(module.bytes), stages});
  }
  *io.out << table.ToString();
}

}  // namespace

absl::StatusOr<int> ListDumps(const HloDumpsOptions& options,
                              Arguments arguments, const ToolIo& io) {
  if (!options.names.empty()) return ListNames(options, io);
  if (arguments.empty()) {
    return absl::OutOfRangeError("usage: hlo-dumps ls FOLDER...");
  }
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps dumps, OpenFolders(arguments, io));
  const DumpIndex& index = dumps.index;
  if (options.json) {
    WriteIndexJson(index, io);
    return index.modules.empty() ? kDifferent : kOk;
  }
  if (index.modules.empty()) {
    *io.out << "There are no dumps; hlo-dumps why-empty tells more.\n";
    return kDifferent;
  }
  options.all ? PrintFiles(index, io) : PrintModules(index, io);
  const int64_t other = std::count_if(
      index.files.begin(), index.files.end(),
      [](const DumpFile& file) { return !file.name.has_value(); });
  if (other > 0) *io.out << other << " other files\n";
  return kOk;
}

// ---- find ----

namespace {

void WriteMatches(const DumpIndex& index, const SearchResult& result,
                  const ToolIo& io) {
  JsonWriter json(io.out, 1);
  json.BeginObject();
  json.Member("files", result.files).Member("bytes", result.bytes);
  json.Key("matches").BeginArray();
  for (const SearchMatch& match : result.matches) {
    const DumpFile& file = index.files[match.file];
    json.BeginObject();
    json.Member("path", file.path).Member("line", match.line);
    if (file.name.has_value()) {
      json.Member("id", file.name->id).Member("module", file.name->module);
      json.Member("stage", StageText(*file.name));
    }
    json.Member("computation", match.computation);
    json.Member("instruction", match.instruction);
    json.Member("text", absl::StripAsciiWhitespace(match.text)).EndObject();
  }
  json.EndArray().EndObject();
  *io.out << "\n";
}

void PrintMatches(const DumpIndex& index, const SearchResult& result,
                  const ToolIo& io) {
  int last = -1;
  const Painter paint(UseColorOnOut(ColorMode::kAuto, io));
  const int width = io.out_is_terminal ? TerminalWidth(io) : 200;
  for (const SearchMatch& match : result.matches) {
    if (match.file != last) {
      *io.out << paint(Style::kMagenta, index.files[match.file].path) << "\n";
      last = match.file;
    }
    *io.out << "  " << paint(Style::kGreen, absl::StrCat(match.line)) << ": ";
    if (!match.computation.empty()) {
      *io.out << paint(Style::kCyan,
                       match.instruction.empty()
                           ? match.computation
                           : absl::StrCat(match.computation, "/",
                                          match.instruction))
              << ": ";
    }
    *io.out << ElideMiddle(absl::StripAsciiWhitespace(match.text), width)
            << "\n";
  }
}

void PrintCounts(const DumpIndex& index, const SearchResult& result,
                 const ToolIo& io) {
  std::map<int, int64_t> counts;
  for (const SearchMatch& match : result.matches) ++counts[match.file];
  TextTable table({{"matches", TextTable::kRight}, {"file"}});
  for (const auto& [file, count] : counts) {
    table.AddRow({absl::StrCat(count), index.files[file].path});
  }
  *io.out << table.ToString();
}

}  // namespace

absl::StatusOr<int> FindInDumps(const HloDumpsOptions& options,
                                Arguments arguments, const ToolIo& io) {
  SearchQuery query = options.query;
  query.all_files = options.all;
  const bool structured = !query.opcode.empty() || !query.shape.empty() ||
                          !query.source.empty();
  // With one of the options the expression may be left out.
  if (!structured || arguments.size() > 1) {
    if (!structured || !io.files->Exists(arguments[0])) {
      query.regex = arguments[0];
      arguments.remove_prefix(1);
    }
  }
  if (arguments.empty()) {
    return absl::OutOfRangeError("usage: hlo-dumps find REGEX FOLDER...");
  }
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps dumps, OpenFolders(arguments, io));
  const DumpIndex& index = dumps.index;
  const auto pool = MakePool(options);
  HLOKIT_ASSIGN_OR_RETURN(const SearchResult result,
                          SearchDumps(*dumps.files, index, query, pool.get()));
  for (const std::string& warning : result.warnings) {
    *io.err << "warning: " << Printable(warning) << "\n";
  }
  if (options.json) {
    WriteMatches(index, result, io);
  } else if (options.count) {
    PrintCounts(index, result, io);
  } else {
    PrintMatches(index, result, io);
  }
  if (io.err_is_terminal) {
    *io.err << result.matches.size() << " matches in " << result.files
            << " files, " << HumanBytes(result.bytes)
            << absl::StrFormat(" in %.3f s\n", result.seconds);
  }
  return result.matches.empty() ? kDifferent : kOk;
}

// ---- passes ----

namespace {

std::string StepName(const DumpName& name) {
  if (!name.is_pass_dump()) return name.stage;
  if (!name.pass.empty()) return absl::StrCat(name.pass, ": ", name.label);
  return name.after;
}

void PrintTimeline(const DumpIndex& index, const DumpedModule& module,
                   const std::vector<TimelineStep>& steps, bool all,
                   const ToolIo& io) {
  *io.out << module.FullLabel() << "\n";
  TextTable table({{"step", TextTable::kRight},
                   {"after"},
                   {"pipeline"},
                   {"instructions", TextTable::kRight},
                   {"changes"}});
  int unchanged = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const TimelineStep& step = steps[i];
    const DumpName& name = *index.files[step.file].name;
    const bool ends = i == 0 || i + 1 == steps.size();
    if (!step.changed && !all && !ends) {
      ++unchanged;
      continue;
    }
    std::string changes = OpcodeChanges(step);
    if (i > 0 && changes.empty()) {
      changes = step.changed ? "(same opcodes)" : "-";
    }
    table.AddRow({name.step ? absl::StrFormat("%04d", *name.step) : "",
                  StepName(name), name.pipeline,
                  absl::StrCat(step.summary.instructions), changes});
  }
  *io.out << table.ToString();
  if (unchanged > 0) {
    *io.out << unchanged << " steps without change are left out (--all)\n";
  }
}

void WriteTimeline(const DumpIndex& index, const DumpedModule& module,
                   const std::vector<TimelineStep>& steps, JsonWriter* json) {
  json->BeginObject();
  json->Member("id", module.id).Member("module", module.name);
  json->Key("steps").BeginArray();
  for (const TimelineStep& step : steps) {
    const DumpFile& file = index.files[step.file];
    json->BeginObject().Member("path", file.path).Key("name");
    WriteDumpName(file.name, json);
    json->Member("changed", step.changed);
    json->Member("instructions", step.summary.instructions);
    json->Member("computations", step.summary.computations);
    json->Key("opcodes").BeginObject();
    for (const auto& [opcode, counts] : step.opcodes) {
      json->Key(opcode).BeginArray();
      json->Int(counts.first).Int(counts.second).EndArray();
    }
    json->EndObject().EndObject();
  }
  json->EndArray().EndObject();
}

}  // namespace

absl::StatusOr<int> ShowPasses(const HloDumpsOptions& options,
                               Arguments arguments, const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps dumps,
                          OpenFolders(arguments.subspan(0, 1), io));
  const DumpIndex& index = dumps.index;
  std::vector<int> modules;
  if (arguments.size() > 1) {
    modules = index.Find(arguments[1]);
    if (modules.empty()) {
      return NotFound("there is no module '%s' in '%s'", arguments[1],
                      arguments[0]);
    }
  } else {
    for (size_t i = 0; i < index.modules.size(); ++i) modules.push_back(i);
  }
  // A number that carries on another is shown with that one.
  std::vector<bool> continues(index.modules.size());
  for (int i : modules) {
    if (index.modules[i].continued_as >= 0) {
      continues[index.modules[i].continued_as] = true;
    }
  }
  const auto pool = MakePool(options);
  std::string text;
  JsonWriter json(&text, 1);
  json.BeginArray();
  int shown = 0;
  for (int i : modules) {
    if (continues[i]) continue;
    HLOKIT_ASSIGN_OR_RETURN(const std::vector<TimelineStep> steps,
                            ReadTimeline(*dumps.files, index, i, pool.get()));
    if (steps.empty()) continue;
    if (options.json) {
      WriteTimeline(index, index.modules[i], steps, &json);
    } else {
      if (shown > 0) *io.out << "\n";
      PrintTimeline(index, index.modules[i], steps, options.all, io);
    }
    ++shown;
  }
  json.EndArray();
  if (options.json) *io.out << text << "\n";
  return shown > 0 ? kOk : kDifferent;
}

}  // namespace hlokit
