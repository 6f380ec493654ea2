#include "flags/provenance.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/diagnostics.h"
#include "base/status.h"
#include "flags/debug_options.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

class ProvenanceCollector {
 public:
  explicit ProvenanceCollector(const FileSystem* files) : files_(files) {
    report_.options = DefaultDebugOptions();
  }

  absl::Status Apply(const FlagLayer& layer) {
    if (layer.form == FlagLayer::kDebugOptionsFile) return ApplyFile(layer);
    XlaFlagsReport flags =
        ParseXlaFlags(layer.text, files_, &report_.options);
    if (!flags.accept) {
      return absl::InvalidArgumentError(
          absl::StripSuffix(flags.ErrorText(), "\n"));
    }
    const std::string name =
        flags.source == "XLA_FLAGS"
            ? layer.name
            : absl::StrCat(layer.name, " (", flags.source, ")");
    for (const XlaFlagsReport::Setting& setting : flags.set) {
      const SourcePlace place = PlaceOf(flags.text, setting.offset);
      const DebugFlag* flag = FindDebugFlag(setting.name);
      std::string field = DebugFlagField(*flag);
      Record(field.empty() ? setting.name : field, setting.name, setting.value,
             absl::StrCat(name, ":", place.line, ":", place.column),
             flag->adds_up());
    }
    return absl::OkStatus();
  }

  ProvenanceReport Finish() {
    for (auto& [key, entry] : entries_) {
      const DebugFlag* flag = FindDebugFlag(entry.flag);
      if (flag != nullptr && flag->field_number != 0) {
        entry.value = DebugFlagValue(*flag, report_.options);
      }
      report_.flags.push_back(std::move(entry));
    }
    std::sort(report_.flags.begin(), report_.flags.end(),
              [](const FlagProvenance& a, const FlagProvenance& b) {
                return a.flag < b.flag;
              });
    return std::move(report_);
  }

 private:
  // Each top-level "field:" line of the file counts as a setting.
  absl::Status ApplyFile(const FlagLayer& layer) {
    HLOKIT_RETURN_IF_ERROR(ApplyDebugOptionsText(
        layer.text, layer.name, &report_.options, &report_.warnings));
    int64_t line_number = 0;
    for (absl::string_view line : absl::StrSplit(layer.text, '\n')) {
      ++line_number;
      const absl::string_view field =
          line.substr(0, line.find_first_of(": {"));
      const auto* descriptor =
          xla::DebugOptions::descriptor()->FindFieldByName(std::string(field));
      if (descriptor == nullptr) continue;
      const DebugFlag* flag = FindDebugFlag(field);
      Record(std::string(field), std::string(field),
             FieldText(report_.options, *descriptor),
             absl::StrCat(layer.name, ":", line_number, ":1"),
             flag != nullptr && flag->adds_up());
    }
    return absl::OkStatus();
  }

  void Record(const std::string& key, const std::string& flag,
              const std::string& value, std::string origin, bool adds_up) {
    auto [it, is_new] = entries_.try_emplace(key);
    FlagProvenance& entry = it->second;
    if (!is_new) {
      entry.earlier.push_back(
          absl::StrCat(entry.value, " (", entry.origin, ")"));
    }
    entry.flag = flag;
    entry.value = value;
    entry.origin = std::move(origin);
    entry.adds_up = adds_up;
  }

  const FileSystem* files_;
  ProvenanceReport report_;
  std::map<std::string, FlagProvenance> entries_;  // by field
};

}  // namespace

absl::StatusOr<ProvenanceReport> WhoSetWhat(
    const std::vector<FlagLayer>& layers, const FileSystem* files) {
  ProvenanceCollector collector(files);
  for (const FlagLayer& layer : layers) {
    HLOKIT_RETURN_IF_ERROR(collector.Apply(layer));
  }
  return collector.Finish();
}

}  // namespace hlokit
