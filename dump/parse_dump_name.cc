// Taking the names of dump files apart.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "dump/dump_names.h"
#include "re2/re2.h"

namespace hlokit {
namespace {

re2::StringPiece AsPiece(absl::string_view text) {
  return re2::StringPiece(text.data(), text.size());
}

// What an ending says of a file. The first that fits counts. What follows
// `keep` bytes of the ending's start belongs to the stage (".hlo_snapshot.pb").
struct Form {
  absl::string_view ending;
  absl::string_view form;
  absl::string_view stage;  // the whole suffix when there is none before it
  absl::string_view part;
  bool holds_module;
};

constexpr Form kForms[] = {
    {".hlo.pb", "hlo proto", "", "", true},
    {".hlo_unoptimized_snapshot.pb", "unoptimized snapshot proto",
     "hlo_unoptimized_snapshot", "", true},
    {".hlo_unoptimized_snapshot.txt", "unoptimized snapshot text",
     "hlo_unoptimized_snapshot", "", true},
    {".hlo_snapshot.pb", "snapshot proto", "hlo_snapshot", "", true},
    {"-memory-usage-report.pb", "report proto", "", "memory-usage-report",
     false},
    {"-memory-usage-report.txt", "text", "", "memory-usage-report", false},
    {"-buffer-assignment-values.txt", "text", "", "buffer-assignment-values",
     false},
    {"-buffer-assignment.txt", "text", "", "buffer-assignment", false},
    {"-live-range.txt", "text", "", "live-range", false},
    {".top_level.html", "html", "", "top_level", false},
    {"._fusion.html", "html", "fusion", "", false},
    {"._fusion.pyz", "fusion viewer", "fusion", "", false},
    {".html", "html", "", "", false},
    {".dot", "dot", "", "", false},
    {".url", "url", "", "", false},
    {".riegeli", "hlo proto, riegeli", "", "", false},
    {".fdo_profile", "fdo profile", "", "", false},
    {".ir-no-opt.ll", "llvm ir", "ir-no-opt", "", false},
    {".ir-with-opt.ll", "llvm ir", "ir-with-opt", "", false},
    {".debug_options", "flags", "debug_options", "", false},
    {".config.pbtxt", "config", "config", "", false},
    {".metadata.textproto", "metadata", "metadata", "", false},
    {".gpu_target_config.pbtxt", "config", "gpu_target_config", "", false},
    {".autotune_results.pbtxt", "config", "autotune_results", "", false},
    {".mlir-passes.log", "log", "mlir-passes", "", false},
    {"-pre-optimization.mlir", "mlir", "pre-optimization", "", false},
    {"-post-optimization.mlir", "mlir", "post-optimization", "", false},
    {"-post-lowering.mlir", "mlir", "post-lowering", "", false},
    {".before_validation.ttir.txt", "mlir", "before_validation.ttir", "",
     false},
    {".ttir.txt", "mlir", "ttir", "", false},
    {".thunk_sequence.txt", "text", "thunk_sequence", "", false},
    {".thunk_sequence_after_thunk_passes.txt", "text",
     "thunk_sequence_after_thunk_passes", "", false},
    {".thunk_metadata.txt", "text", "thunk_metadata", "", false},
    {".ptx", "ptx", "ptx", "", false},
    {".spv", "spirv", "spv", "", false},
    {".o", "object", "obj-file", "", false},
    {".hlo", "text", "", "", true},
    {".txt", "text", "", "", true},
    {".pb", "proto", "", "", false},
};

struct Suffix {
  absl::string_view ending;
  absl::string_view form;  // what it adds to the form
};

constexpr Suffix kCompressions[] = {{".gz", ", gzip"}, {".zst", ", zstd"}};

// Stages that may follow a module's name, which may itself hold dots.
const RE2& StagePattern() {
  static const RE2* pattern = new RE2(
      "(?:(.*)\\.)?("
      "before_optimizations|after_optimizations|before_optimization|"
      "after_optimization|after_spmd_partitioner|before_config_assignment|"
      "(?:sm_[0-9]+(?:\\.[0-9]+)?[a-z]?|gfx[0-9a-z:+-]+)?_?"
      "gpu_after_optimizations|[a-z0-9]+_after_optimizations)");
  return *pattern;
}

const RE2& PassPattern() {
  static const RE2* pattern = new RE2(
      "(?:(.*)\\.)?([0-9]{4,})\\.(.+)\\.after_(.+)\\.before_(.+)");
  return *pattern;
}

const RE2& WithinPassPattern() {
  static const RE2* pattern =
      new RE2("(?:(.*)\\.)?([0-9]{4,})\\.([^.]+)\\.([^.]+)");
  return *pattern;
}

// What stands between the number and the ending.
class MiddleParser {
 public:
  MiddleParser(const Form& form, absl::string_view known_module)
      : form_(form), known_module_(known_module) {}

  bool Parse(absl::string_view middle, DumpName* name) const {
    if (ParsePass(middle, name)) return true;
    if (form_.stage == "hlo_unoptimized_snapshot" ||
        form_.stage == "hlo_snapshot") {
      int64_t execution;
      if (!RE2::FullMatch(AsPiece(middle), "(?:(.*)\\.)?execution_([0-9]+)",
                          &name->module, &execution)) {
        return false;
      }
      name->execution = execution;
      name->stage = std::string(form_.stage);
      return true;
    }
    if (form_.form == "proto") {
      int64_t run;
      if (RE2::FullMatch(AsPiece(middle), "(?:(.*)\\.)?snapshot\\.(-?[0-9]+)",
                         &name->module, &run)) {
        name->run = run;
        name->stage = "snapshot";
        name->form = "snapshot proto";
        return true;
      }
    }
    if (form_.stage.empty() && RE2::FullMatch(AsPiece(middle), StagePattern(),
                                              &name->module, &name->stage)) {
      return true;
    }
    ParseArtifact(middle, name);
    return true;
  }

 private:
  bool ParsePass(absl::string_view middle, DumpName* name) const {
    int64_t step;
    if (RE2::FullMatch(AsPiece(middle), PassPattern(), &name->module, &step,
                       &name->pipeline, &name->after, &name->before)) {
      name->step = step;
    } else if (form_.holds_module && form_.stage.empty() &&
               RE2::FullMatch(AsPiece(middle), WithinPassPattern(),
                              &name->module, &step, &name->pass,
                              &name->label) &&
               !RE2::FullMatch(AsPiece(middle), StagePattern())) {
      name->step = step;
    } else {
      return false;
    }
    return true;
  }

  // Where neither the module's name nor the part tells its end, the known name
  // decides; else the first dot does.
  void ParseArtifact(absl::string_view middle, DumpName* name) const {
    absl::string_view rest = middle;
    if (!known_module_.empty() && absl::ConsumePrefix(&rest, known_module_) &&
        (rest.empty() || rest[0] == '.')) {
      absl::ConsumePrefix(&rest, ".");
      name->module = std::string(known_module_);
    } else if (!form_.stage.empty() && OwnsWholeSuffix()) {
      name->module = std::string(middle);
      rest = "";
    } else {
      rest = middle;
      const size_t dot = middle.find('.');
      name->module = std::string(middle.substr(0, dot));
      rest = dot == absl::string_view::npos ? "" : middle.substr(dot + 1);
    }
    absl::ConsumePrefix(&rest, "obj-file.");
    if (form_.stage.empty()) {
      name->stage = std::string(rest);
    } else {
      name->stage = std::string(form_.stage);
      if (name->part.empty()) name->part = std::string(rest);
    }
  }

  // Nothing but the module's name can stand before it.
  bool OwnsWholeSuffix() const {
    static constexpr absl::string_view kParts[] = {
        "ir-no-opt", "ir-with-opt", "obj-file", "ptx",  "spv",
        "ttir",      "mlir-passes", "before_validation.ttir",
        "pre-optimization", "post-optimization", "post-lowering"};
    return std::find(std::begin(kParts), std::end(kParts), form_.stage) ==
           std::end(kParts);
  }

  const Form& form_;
  absl::string_view known_module_;
};

// Cuts "cl_123" out of the middle: Google's own builds put it behind the
// module's name, which may hold dots, so it also tells where that name ends.
void TakeChangelist(std::string* middle, std::string* module, DumpName* name) {
  static const RE2* pattern = new RE2("(.*?)\\.cl_([0-9]+)(\\..*)?");
  std::string rest;
  int64_t number;
  if (!RE2::FullMatch(*middle, *pattern, module, &number, &rest)) return;
  name->changelist = number;
  *middle = absl::StrCat(*module, rest);
}

// "jit_step(12345).hlo_proto.pb": a module that a profile keeps. Numbers that
// do not fit stay part of the name.
std::optional<DumpName> ParseProfileName(absl::string_view file) {
  static const RE2* pattern =
      new RE2("(.+)\\((-?[0-9]+)\\)\\.hlo_proto\\.pb");
  DumpName name;
  std::string number;
  if (!RE2::FullMatch(AsPiece(file), *pattern, &name.module, &number)) {
    return std::nullopt;
  }
  if (!absl::SimpleAtoi(number, &name.id)) {
    name.id = 0;
    absl::StrAppend(&name.module, "(", number, ")");
  }
  name.stage = "profile";
  name.form = "hlo proto";
  return name;
}

std::optional<DumpName> ParsePlainName(absl::string_view file,
                                       absl::string_view known_module) {
  static const RE2* start = new RE2(
      "(?:([0-9]{10,})\\.|([^0-9].*)\\.)?module_([0-9]{4,})(?:\\.(.*))?");
  for (const Form& form : kForms) {
    absl::string_view rest = file;
    if (!absl::ConsumeSuffix(&rest, form.ending)) continue;
    DumpName name;
    std::string time, prefix, middle;
    if (!RE2::FullMatch(AsPiece(rest), *start, &time, &prefix, &name.id,
                        &middle)) {
      return ParseProfileName(file);
    }
    int64_t time_us;
    if (absl::SimpleAtoi(time, &time_us)) name.time_us = time_us;
    name.form = std::string(form.form);
    name.part = std::string(form.part);
    // Only pictures of fusions have something else in front.
    if (!prefix.empty()) {
      if (form.stage != "fusion") return std::nullopt;
      name.part = prefix;
    }
    std::string module(known_module);
    TakeChangelist(&middle, &module, &name);
    if (!MiddleParser(form, module).Parse(middle, &name)) {
      return std::nullopt;
    }
    return name;
  }
  return std::nullopt;
}

}  // namespace

absl::string_view DumpName::plain_form() const {
  absl::string_view plain = form;
  for (const Suffix& one : kCompressions) absl::ConsumeSuffix(&plain, one.form);
  return plain;
}

bool DumpName::holds_module() const {
  if (!part.empty()) return false;
  if (stage == "snapshot") return true;
  return std::any_of(std::begin(kForms), std::end(kForms),
                     [&](const Form& row) {
                       return row.form == plain_form() && row.holds_module;
                     });
}

std::optional<DumpName> ParseDumpName(absl::string_view file,
                                      absl::string_view known_module) {
  for (const Suffix& one : kCompressions) {
    absl::string_view plain = file;
    if (!absl::ConsumeSuffix(&plain, one.ending)) continue;
    std::optional<DumpName> name = ParsePlainName(plain, known_module);
    if (name.has_value()) absl::StrAppend(&name->form, one.form);
    return name;
  }
  return ParsePlainName(file, known_module);
}

std::vector<std::optional<DumpName>> ParseDumpNames(
    const std::vector<std::string>& names) {
  std::vector<std::optional<DumpName>> parsed;
  // Of names that are not in doubt.
  std::map<int64_t, std::string> modules;
  for (const std::string& name : names) {
    parsed.push_back(ParseDumpName(name));
    const std::optional<DumpName>& one = parsed.back();
    if (one.has_value() && !one->module.empty() &&
        (one->is_pass_dump() || absl::StrContains(one->stage, "optimization") ||
         one->stage == "debug_options")) {
      modules[one->id] = one->module;
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!parsed[i].has_value()) continue;
    const auto it = modules.find(parsed[i]->id);
    if (it == modules.end() || parsed[i]->module == it->second) continue;
    if (parsed[i]->is_pass_dump()) continue;
    if (absl::StrContains(names[i], absl::StrCat(".", it->second, "."))) {
      parsed[i] = ParseDumpName(names[i], it->second);
    }
  }
  return parsed;
}

int StageRank(const DumpName& name) {
  if (name.is_pass_dump()) return 1;
  if (absl::StartsWith(name.stage, "before_")) return 0;
  if (absl::StartsWith(name.stage, "after_spmd")) return 1;
  if (absl::StrContains(name.stage, "after_optimization") ||
      name.stage == "after_codegen" || name.stage == "profile") {
    return 2;
  }
  return 3;
}

std::vector<std::vector<int64_t>> SameCompilations(
    const std::vector<std::optional<DumpName>>& names) {
  struct Seen {
    std::string module;
    bool before = false, later = false;
  };
  std::map<int64_t, Seen> modules;
  for (const std::optional<DumpName>& name : names) {
    if (!name.has_value() || name->module.empty()) continue;
    Seen& seen = modules[name->id];
    seen.module = name->module;
    const int rank = StageRank(*name);
    if (rank == 0) seen.before = true;
    if (rank == 1 || rank == 2) seen.later = true;
  }
  std::vector<std::vector<int64_t>> groups;
  for (auto it = modules.begin(); it != modules.end(); ++it) {
    if (!it->second.before || it->second.later) continue;
    for (auto next = std::next(it); next != modules.end(); ++next) {
      if (next->second.module != it->second.module) continue;
      if (next->second.later && !next->second.before) {
        groups.push_back({it->first, next->first});
      }
      break;
    }
  }
  return groups;
}

}  // namespace hlokit
