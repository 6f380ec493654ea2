// The stages of a compilation that hlo-opt can print, by platform.
#ifndef HLOKIT_HLO_OPT_STAGES_H_
#define HLOKIT_HLO_OPT_STAGES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dump/dumper.h"
#include "hlo_opt/loader.h"

namespace hlokit {

// A platform and the stages it has.
struct Platform {
  absl::string_view name;
  std::vector<absl::string_view> stages;
};

// Also by its other names (host). Unimplemented, with the nearest name.
absl::StatusOr<const Platform*> FindPlatform(absl::string_view name);
// "cpu" or "host".
bool IsCpuPlatform(absl::string_view name);
absl::Status CheckStage(const Platform& platform, absl::string_view stage);

// Whether the stage comes after scheduling: hlo-backend, buffer-assignment and
// the stages of code.
bool IsBackendStage(absl::string_view stage);

// The stages that show generated code: llvm-before-optimizations, llvm (after
// them), asm. Of the module as it came through the backend's passes.
bool IsCodeStage(absl::string_view stage);
// The code is what `cpu` runs, so passes that it is better off without are left
// out on the way there.
absl::Span<const char* const> PassesLeftOutFor(absl::string_view stage);
absl::StatusOr<std::string> CodeStageText(const Module& module,
                                          absl::string_view stage,
                                          const xla::DebugOptions& options,
                                          bool exact_arithmetic = false);

// Assigns buffers to a module that went through the backend's passes; the
// result goes along with the module (`loaded`), its texts into `reports`.
absl::Status AssignBuffersTo(LoadedModule* loaded, bool with_texts,
                             BufferReports* reports);

// What the stage buffer-assignment prints: the allocations and what each kind
// needs in all.
std::string BufferStageText(const LoadedModule& loaded);
// The stages that show the module behind the passes: html (a page), dot, url.
bool IsPictureStage(absl::string_view stage);
absl::StatusOr<std::string> PictureStageText(const Module& module,
                                             absl::string_view stage,
                                             const xla::DebugOptions& options);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_STAGES_H_
