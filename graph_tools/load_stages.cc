#include "graph_tools/load_stages.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "dump/dump_index.h"
#include "dump/timeline.h"
#include "hlo_opt/loader.h"

namespace hlokit {
namespace {

constexpr size_t kMaxListed = 10;

std::string SomeOf(std::vector<std::string> names) {
  const size_t count = names.size();
  if (count > kMaxListed) {
    names.resize(kMaxListed);
    names.push_back(absl::StrCat("and ", count - kMaxListed, " more"));
  }
  return absl::StrJoin(names, ", ");
}

absl::StatusOr<std::vector<LoadedStage>> LoadFile(const std::string& path,
                                                  const StageQuery& query,
                                                  const ToolIo& io) {
  LoadOptions options;
  options.format = query.format;
  options.verify = VerifyMode::kWarn;
  options.unknown =
      query.strict ? UnknownPolicy::kRefuse : UnknownPolicy::kKeepAll;
  options.keep_elided_constants = !query.computes;
  options.split_input = true;
  options.module = query.module;
  HLOKIT_ASSIGN_OR_RETURN(LoadResult result,
                          hlokit::LoadFile(io, path, options));
  for (const std::string& note : result.notes) {
    *io.err << Printable(note) << "\n";
  }
  if (result.modules.size() != 1) {
    std::vector<std::string> names;
    for (const LoadedModule& loaded : result.modules) {
      names.push_back(loaded.module->name());
    }
    return InvalidArgument("%s holds %d modules; choose one by --module: %s",
                           InputName(path), names.size(), SomeOf(names));
  }
  std::unique_ptr<Module>& module = result.modules[0].module;
  std::vector<LoadedStage> stages;
  std::string label = module->name();
  stages.push_back({std::move(label), std::move(module)});
  return stages;
}

absl::StatusOr<int> ChooseModule(const DumpIndex& index,
                                 const std::string& path,
                                 const std::string& wanted) {
  std::vector<int> found;
  if (wanted.empty()) {
    // A compilation that goes on under another number is one.
    std::vector<bool> continues(index.modules.size(), false);
    for (const DumpedModule& module : index.modules) {
      if (module.continued_as >= 0) continues[module.continued_as] = true;
    }
    for (size_t m = 0; m < index.modules.size(); ++m) {
      if (!continues[m]) found.push_back(m);
    }
  } else {
    found = index.Find(wanted);
  }
  if (found.size() == 1) return found[0];
  std::vector<std::string> labels;
  for (const int m : found) labels.push_back(index.modules[m].FullLabel());
  if (found.empty()) {
    for (const DumpedModule& module : index.modules) {
      labels.push_back(module.FullLabel());
    }
    return NotFound("%s: there is no module '%s'; there are: %s", path, wanted,
                    labels.empty() ? "none" : SomeOf(labels));
  }
  return InvalidArgument("%s holds %d modules; choose one by --module: %s",
                         path, found.size(), SomeOf(labels));
}

absl::StatusOr<std::vector<LoadedStage>> LoadFolder(const std::string& path,
                                                    const StageQuery& query,
                                                    const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps dumps,
                          OpenDumps(*io.files, {path}));
  const DumpIndex& index = dumps.index;
  PrintNotes(index, io.err);
  HLOKIT_ASSIGN_OR_RETURN(const int module,
                          ChooseModule(index, path, query.module));
  ThreadPool pool(ThreadPool::AvailableProcessors());
  HLOKIT_ASSIGN_OR_RETURN(const std::vector<TimelineStep> steps,
                          ReadTimeline(*dumps.files, index, module, &pool));
  std::vector<LoadedStage> stages;
  absl::Status first_error;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (s > 0 && !steps[s].changed && !query.all_steps) continue;
    const DumpFile& file = index.file(steps[s].file);
    HLOKIT_ASSIGN_OR_RETURN(const std::string text,
                            DumpedHloText(*dumps.files, file));
    ParseOptions options = LenientParseOptions();
    if (query.strict) options.unknown = UnknownPolicy::kRefuse;
    auto parsed = ParseModule(text, file.path, options);
    if (!parsed.ok()) {
      // One bad dump does not spoil the others.
      *io.err << "warning: " << Printable(parsed.status().message())
              << "\nwarning: " << file.path << " is left out\n";
      first_error.Update(parsed.status());
      continue;
    }
    stages.push_back({StageText(*file.name), *std::move(parsed)});
  }
  if (stages.empty() && !first_error.ok()) return first_error;
  if (stages.empty()) {
    return NotFound("%s: %s has no dumps that hold a module", path,
                    index.modules[module].FullLabel());
  }
  return stages;
}

}  // namespace

absl::StatusOr<std::vector<LoadedStage>> LoadStages(const std::string& path,
                                                    const StageQuery& query,
                                                    const ToolIo& io) {
  if (path != "-" && (io.files->IsDirectory(path) ||
                      IsArchiveOfDumps(*io.files, path))) {
    return LoadFolder(path, query, io);
  }
  return LoadFile(path, query, io);
}

}  // namespace hlokit
