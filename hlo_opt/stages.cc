#include "hlo_opt/stages.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/compiler.h"
#include "backends/debug_flags.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/text_table.h"
#include "dump/buffer_report.h"
#include "dump/graph_renderer.h"
#include "passes/analysis/buffer_assignment.h"

namespace hlokit {
namespace {

const std::vector<Platform>& Platforms() {
  static const auto* platforms = new std::vector<Platform>{
      {"transforms", {"dot", "hlo", "html", "url"}},
      {"cpu",
       {"asm", "buffer-assignment", "dot", "hlo", "hlo-backend", "html",
        "llvm", "llvm-before-optimizations", "url"}}};
  return *platforms;
}

std::optional<GraphRenderer::Format> FormatOf(absl::string_view stage) {
  if (stage == "html") return GraphRenderer::Format::kHtml;
  if (stage == "dot") return GraphRenderer::Format::kDot;
  if (stage == "url") return GraphRenderer::Format::kUrl;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<const Platform*> FindPlatform(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Platform& platform : Platforms()) {
    if (absl::EqualsIgnoreCase(platform.name, name) ||
        (platform.name == "cpu" && absl::EqualsIgnoreCase(name, "host"))) {
      return &platform;
    }
    names.push_back(platform.name);
  }
  return Unimplemented("--platform=%s: there is no such platform here; "
                       "there are %s",
                       name, absl::StrJoin(names, ", "));
}

absl::Status CheckStage(const Platform& platform, absl::string_view stage) {
  for (absl::string_view known : platform.stages) {
    if (known == stage) return absl::OkStatus();
  }
  return Unimplemented("--stage=%s: platform %s has the stages %s%s", stage,
                       platform.name, absl::StrJoin(platform.stages, ", "),
                       DidYouMean(stage, platform.stages));
}

bool IsCpuPlatform(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "cpu") ||
         absl::EqualsIgnoreCase(name, "host");
}

bool IsBackendStage(absl::string_view stage) {
  return stage == "hlo-backend" || stage == "buffer-assignment" ||
         IsCodeStage(stage);
}

bool IsCodeStage(absl::string_view stage) {
  return stage == "llvm-before-optimizations" || stage == "llvm" ||
         stage == "asm";
}

absl::Span<const char* const> PassesLeftOutFor(absl::string_view stage) {
  if (!IsCodeStage(stage)) return {};
  return cpu::PassesLeftOut();
}

absl::StatusOr<std::string> CodeStageText(const Module& module,
                                          absl::string_view stage,
                                          const xla::DebugOptions& options,
                                          bool exact_arithmetic) {
  CompileOptions flags;
  flags.passes.exact_arithmetic = exact_arithmetic;
  UseDebugOptions(options, &flags);
  cpu::ProgramOptions compile = cpu::ProgramOptionsOf(flags);
  compile.ir.texts = true;
  const std::unique_ptr<Module> ready = module.Clone();
  HLOKIT_RETURN_IF_ERROR(cpu::PrepareForCpu(ready.get()));
  HLOKIT_ASSIGN_OR_RETURN(const auto program,
                          cpu::CompileProgram(*ready, compile));
  std::string text;
  for (size_t k = 0; k < program->ir.size(); ++k) {
    absl::StrAppend(&text, k > 0 ? "\n" : "",
                    stage == "asm"    ? program->compiled[k].assembly
                    : stage == "llvm" ? program->compiled[k].optimized_ir
                                      : program->ir[k]);
  }
  return text;
}

bool IsPictureStage(absl::string_view stage) {
  return FormatOf(stage).has_value();
}

absl::Status AssignBuffersTo(LoadedModule* loaded, bool with_texts,
                             BufferReports* reports) {
  auto assignment = AssignBuffers(*loaded->module);
  if (!assignment.ok()) {
    return Annotate(assignment.status(), loaded->file);
  }
  loaded->buffer_assignment =
      std::make_shared<const xla::BufferAssignmentProto>(assignment->ToProto());
  reports->assignment = loaded->buffer_assignment.get();
  if (with_texts) {
    reports->values = BufferValuesText(*assignment);
    reports->live_range = LiveRangeText(*assignment);
  }
  return absl::OkStatus();
}

std::string BufferStageText(const LoadedModule& loaded) {
  const xla::BufferAssignmentProto& assignment = *loaded.buffer_assignment;
  int64_t parameter = 0, constant = 0, live_out = 0, local = 0, temp = 0;
  for (const auto& allocation : assignment.buffer_allocations()) {
    int64_t& kind = allocation.is_entry_computation_parameter() ? parameter
                    : allocation.is_constant()                  ? constant
                    : allocation.is_thread_local()              ? local
                    : allocation.maybe_live_out()               ? live_out
                                                                : temp;
    kind += allocation.size();
  }
  TextTable table({{""}, {"", TextTable::kRight}});
  const auto add = [&](absl::string_view name, int64_t bytes) {
    table.AddRow({absl::StrCat(name, " allocation:"), HumanBytes(bytes)});
  };
  add("parameter", parameter);
  add("constant", constant);
  add("maybe_live_out", live_out);
  add("thread-local", local);
  add("preallocated temp", temp);
  add("total", parameter + constant + live_out + local + temp);
  return absl::StrCat(BufferAssignmentText(*loaded.module, assignment), "\n",
                      table.ToString());
}

absl::StatusOr<std::string> PictureStageText(
    const Module& module, absl::string_view stage,
    const xla::DebugOptions& options) {
  GraphRenderer::Request request;
  request.module = &module;
  request.format = FormatOf(stage).value();
  request.label = module.name();
  request.sharding_color = options.xla_hlo_graph_sharding_color();
  request.addresses = options.xla_hlo_graph_addresses();
  HLOKIT_ASSIGN_OR_RETURN(std::string picture,
                          DefaultGraphRenderer()->Render(request));
  if (stage == "url") picture += "\n";
  return picture;
}

}  // namespace hlokit
