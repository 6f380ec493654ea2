#include "flags/resolve.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/terminal.h"
#include "flags/debug_options.h"
#include "flags/xla_flags.h"

namespace hlokit {
namespace {

void AppendWarnings(const std::vector<std::string>& messages,
                    std::string* out) {
  for (const std::string& message : messages) {
    absl::StrAppend(out, "warning: ", message, "\n");
  }
}

absl::Status ApplyFile(const std::string& path, const FileSystem* files,
                       ResolvedDebugOptions* resolved) {
  if (files == nullptr) return NotFound("%s: no files here", path);
  HLOKIT_ASSIGN_OR_RETURN(std::string text, files->ReadFile(path));
  std::vector<std::string> warnings;
  HLOKIT_RETURN_IF_ERROR(
      ApplyDebugOptionsText(text, path, &resolved->options, &warnings));
  AppendWarnings(warnings, &resolved->warnings);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResolvedDebugOptions> ResolveDebugOptions(
    const CommandLine& line, const ToolIo& io) {
  return ResolveDebugOptions(line, io.getenv ? io.getenv("XLA_FLAGS") : nullptr,
                             io.files, UseColorOnErr(ColorMode::kAuto, io));
}

absl::StatusOr<ResolvedDebugOptions> ResolveDebugOptions(
    const CommandLine& line, const char* xla_flags, const FileSystem* files,
    bool color) {
  ResolvedDebugOptions resolved;
  resolved.options = DefaultDebugOptions();
  if (!line.debug_options_file.empty()) {
    HLOKIT_RETURN_IF_ERROR(
        ApplyFile(line.debug_options_file, files, &resolved));
  }
  FlagEffects effects;
  if (xla_flags != nullptr) {
    XlaFlagsReport report = ParseXlaFlags(xla_flags, files, &resolved.options);
    absl::StrAppend(&resolved.warnings, report.WarningText(color));
    if (!report.accept) {
      std::string text = report.ErrorText(color);
      return absl::InvalidArgumentError(absl::StripSuffix(text, "\n"));
    }
    effects.fuel = std::move(report.effects.fuel);
  }
  for (const CommandLine::DebugSetting& setting : line.debug_settings) {
    HLOKIT_RETURN_IF_ERROR(SetDebugFlag(*setting.flag, setting.value,
                                        &resolved.options, &effects));
  }
  AppendWarnings(effects.notes, &resolved.warnings);
  if (effects.fuel.has_value()) resolved.fuel = *std::move(effects.fuel);
  return resolved;
}

}  // namespace hlokit
