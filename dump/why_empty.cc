#include "dump/why_empty.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dump/dump_options.h"
#include "dump/hlo_lines.h"
#include "flags/debug_options.h"
#include "flags/xla_flags.h"

namespace hlokit {
namespace {

using Finding = WhyEmptyFinding;

// Kinds of dumps that people look for, and what gives them.
struct Kind {
  absl::string_view what;
  absl::string_view remedy;
  bool (*is)(const DumpName& name);
};

bool IsForm(const DumpName& name, absl::string_view form) {
  return absl::StartsWith(name.form, form) && name.holds_module();
}

constexpr Kind kKinds[] = {
    {"HLO text", "--xla_dump_hlo_as_text",
     [](const DumpName& n) { return IsForm(n, "text"); }},
    {"HLO protos (exact constants; replays)", "--xla_dump_hlo_as_proto",
     [](const DumpName& n) { return IsForm(n, "hlo proto"); }},
    {"dumps around passes",
     "--xla_dump_hlo_pass_re=.* (passes that changed something) or =. (all)",
     [](const DumpName& n) { return n.is_pass_dump(); }},
    {"the inputs of executions",
     "--xla_dump_hlo_snapshots or --xla_dump_hlo_unoptimized_snapshots",
     [](const DumpName& n) {
       return absl::StrContains(n.stage, "snapshot");
     }},
    {"buffer assignment", "--xla_dump_hlo_as_text",
     [](const DumpName& n) { return n.part == "buffer-assignment"; }},
    {"graphs", "--xla_dump_hlo_as_html or --xla_dump_hlo_as_dot",
     [](const DumpName& n) { return n.form == "html" || n.form == "dot"; }},
    {"LLVM IR", "--xla_dump_emitter_re=llvm (newer XLA writes none without it)",
     [](const DumpName& n) { return n.form == "llvm ir"; }},
};

class Examiner {
 public:
  Examiner(const FileSystem& files, const WhyEmptyQuery& query)
      : files_(files), query_(query), debug_(DefaultDebugOptions()) {}

  std::vector<Finding> Examine() {
    if (query_.flags_known && !ExamineFlags()) return Finish();
    folder_ = query_.folder;
    if (folder_.empty()) folder_ = options_.folder;
    if (folder_.empty() || folder_ == "-") {
      if (folder_ == "-") {
        Cause("dumps go to standard output", "--xla_dump_to=FOLDER");
      }
      return Finish();
    }
    if (ExamineFolder()) {
      ExamineModules();
      ExamineKinds();
    }
    return Finish();
  }

 private:
  void Add(Finding::Kind kind, std::string what, std::string remedy) {
    findings_.push_back({kind, std::move(what), std::move(remedy)});
  }
  void Cause(std::string what, std::string remedy = "") {
    Add(Finding::kCause, std::move(what), std::move(remedy));
  }
  std::vector<Finding> Finish() {
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) {
                       return a.kind < b.kind;
                     });
    return std::move(findings_);
  }

  // False when nothing further can be said.
  bool ExamineFlags() {
    const XlaFlagsReport report =
        ParseXlaFlags(query_.xla_flags, &files_, &debug_);
    if (!report.accept) {
      Cause("XLA refuses XLA_FLAGS and ends the process",
            "hlo-flags check tells where it is wrong");
      return false;
    }
    if (absl::StrContains(report.dropped, "xla_dump")) {
      Cause(absl::StrCat("XLA does not read this part of XLA_FLAGS: ",
                         report.dropped),
            "flags are apart by blanks and start with two dashes");
    }
    std::vector<std::string> warnings;
    options_ = MakeDumpOptions(debug_, query_.getenv, &warnings);
    for (const std::string& one : warnings) Cause(one);
    if (!options_.enabled()) {
      Cause(debug_.xla_enable_dumping()
                ? "no flag asks for dumps"
                : "xla_enable_dumping is false",
            "--xla_dump_to=FOLDER");
    } else if (debug_.xla_dump_to().empty() && OnlyFilters()) {
      Cause("XLA itself dumps nothing for a regex alone (hlokit writes to "
            "standard output)",
            "--xla_dump_to=FOLDER");
    }
    if (options_.unoptimized_snapshots) {
      Cause(
          "--xla_dump_hlo_unoptimized_snapshots turns off all other HLO dumps "
          "in XLA",
          "leave it out, or dump twice");
    } else if (options_.snapshots && !options_.any_module_format()) {
      Cause("--xla_dump_hlo_snapshots alone writes no HLO text",
            "--xla_dump_hlo_as_text");
    }
    if (options_.max_modules > 0) {
      Cause(absl::StrFormat(
                "--xla_dump_max_hlo_modules=%d: XLA stops within the last "
                "module, and with timestamps before the first",
                options_.max_modules),
            "a larger number, or none");
    }
    return true;
  }

  bool OnlyFilters() const {
    return !debug_.xla_dump_hlo_as_text() && !debug_.xla_dump_hlo_as_proto() &&
           !debug_.xla_dump_hlo_as_dot() && !debug_.xla_dump_hlo_as_html() &&
           !debug_.xla_dump_hlo_as_url() && !options_.snapshots &&
           !options_.unoptimized_snapshots;
  }

  // False when there is nothing in it.
  bool ExamineFolder() {
    const auto info = files_.Stat(folder_);
    if (!info.ok()) {
      Cause(std::string(info.status().message()));
      return false;
    }
    if (!info->exists) {
      Cause(
          absl::StrCat("the folder '", folder_, "' is not there"),
          "XLA reads XLA_FLAGS once, at the first compilation: set it before; "
          "relative paths count from the folder of the process");
      return false;
    }
    if (!info->is_directory && !IsArchiveOfDumps(files_, folder_)) {
      Cause(absl::StrCat("'", folder_, "' is a file, so no folder can be made"),
            "another name for --xla_dump_to");
      return false;
    }
    auto opened = OpenDumps(files_, {folder_});
    if (!opened.ok()) {
      Cause(std::string(opened.status().message()));
      return false;
    }
    dumps_ = std::move(opened->files);
    index_ = std::move(opened->index);
    for (const DumpFile& file : index_.files) {
      if (file.broken.empty()) continue;
      Add(Finding::kNote, absl::StrCat(file.path, " ", file.broken),
          "the process was ended, or the disk was full");
    }
    if (index_.modules.empty()) {
      Cause(absl::StrCat("there is no dump in '", folder_, "'"),
            "was anything compiled? a module regex may match nothing");
      return false;
    }
    return true;
  }

  void ExamineModules() {
    bool any_module = false, any_before = false, any_pass = false;
    for (const DumpFile& file : index_.files) {
      if (!file.name.has_value() || file.compile_input) continue;
      if (!file.broken.empty()) continue;
      any_module |= file.name->holds_module();
      any_before |= StageRank(*file.name) == 0;
      any_pass |= file.name->is_pass_dump();
      LookInto(file);
    }
    if (!any_module) {
      Cause("only inputs of compilations and files beside them are there, no "
            "module",
            "a module regex that matches none, or a flag that turns HLO off");
    } else if (!any_before) {
      Cause("no dump from before optimization: the programs came from a "
            "compilation cache, or the cap on modules was met",
            "JAX_ENABLE_COMPILATION_CACHE=false");
    }
    if (options_.module_filter.is_set()) ExamineModuleRegex();
    if (options_.pass_filter.is_set() && !any_pass) {
      Cause(absl::StrCat("no pass of a dumped module matched "
                         "--xla_dump_hlo_pass_re=",
                         debug_.xla_dump_hlo_pass_re(),
                         options_.pipeline_filter.is_set()
                             ? " in a pipeline that matched its own regex"
                             : ""),
            "--xla_dump_hlo_pass_re=pipeline-start names every pipeline");
    }
  }

  void ExamineModuleRegex() {
    int matching = 0;
    std::string other;
    for (const DumpedModule& module : index_.modules) {
      if (options_.module_filter.Matches(module.name)) {
        ++matching;
      } else {
        other = module.name;
      }
    }
    if (matching > 0) return;
    Cause(absl::StrFormat("none of %d modules matches "
                          "--xla_dump_hlo_module_re=%s",
                          index_.modules.size(),
                          debug_.xla_dump_hlo_module_re()),
          absl::StrCat("there is a module called '", other, "'"));
  }

  // One file is enough to know about constants and failed protos.
  void LookInto(const DumpFile& file) {
    if (!file.name->holds_module() || file.size > (int64_t{64} << 20)) return;
    if (!elided_ && file.name->is_text()) {
      auto contents = DumpContents::Open(*dumps_, file.path);
      if (contents.ok() &&
          absl::StrContains(contents->bytes(), "constant({...})")) {
        elided_ = true;
        Add(Finding::kNote,
            "constants of more than 10 elements are left out of the text "
            "({...}), so it does not replay exactly",
            "--xla_dump_large_constants or --xla_dump_hlo_as_proto");
      }
    }
  }

  void ExamineKinds() {
    for (const Kind& kind : kKinds) {
      const bool there = std::any_of(
          index_.files.begin(), index_.files.end(), [&](const DumpFile& file) {
            return file.name.has_value() && !file.compile_input &&
                   file.broken.empty() &&
                   kind.is(*file.name);
          });
      if (!there) {
        Add(Finding::kMissing, std::string(kind.what),
            std::string(kind.remedy));
      }
    }
  }

  const FileSystem& files_;
  const WhyEmptyQuery& query_;
  xla::DebugOptions debug_;
  DumpOptions options_;
  std::string folder_;
  std::shared_ptr<const FileSystem> dumps_;  // the folder or archive
  DumpIndex index_;
  bool elided_ = false;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<WhyEmptyFinding> WhyEmpty(const FileSystem& files,
                                      const WhyEmptyQuery& query) {
  return Examiner(files, query).Examine();
}

}  // namespace hlokit
