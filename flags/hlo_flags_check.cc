// The command check.
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/text_table.h"
#include "flags/environment.h"
#include "flags/hlo_flags.h"
#include "flags/provenance.h"
#include "flags/xla_flags.h"

namespace hlokit {
namespace {

// The flags that were set, each once, in the order of their last setting.
std::vector<const XlaFlagsReport::Setting*> LastSettings(
    const XlaFlagsReport& report) {
  std::map<std::string, size_t> last;
  for (size_t i = 0; i < report.set.size(); ++i) last[report.set[i].name] = i;
  std::vector<const XlaFlagsReport::Setting*> settings;
  for (size_t i = 0; i < report.set.size(); ++i) {
    if (last[report.set[i].name] == i) settings.push_back(&report.set[i]);
  }
  return settings;
}

template <typename Range, typename Write>
void WriteList(absl::string_view key, const Range& range, Write write,
               JsonWriter* json) {
  if (range.empty()) return;
  json->Key(key).BeginArray();
  for (const auto& one : range) write(one);
  json->EndArray();
}

void WriteRefusal(const XlaFlagsReport& report, JsonWriter* json) {
  if (!report.refusal.empty()) json->Member("reason", report.refusal);
  WriteList("unknown", report.unknown,
            [&](const auto& one) { json->String(one.token); }, json);
  WriteList("bad", report.bad,
            [&](const auto& one) {
              json->String(absl::StrCat(one.name, "=", one.value));
            },
            json);
  std::map<std::string, std::string> meant;
  for (const auto& one : report.unknown) {
    if (!one.nearest.empty()) meant[one.name] = one.nearest;
  }
  if (meant.empty()) return;
  json->Key("did_you_mean").BeginObject();
  for (const auto& [name, nearest] : meant) json->Member(name, nearest);
  json->EndObject();
}

// The keys: accept (whether XLA goes on), set (accepted strings), reason,
// unknown, bad, did_you_mean (refused ones), warn, dropped (accepted ones),
// messages. What is empty or false is left out.
void WriteReport(const XlaFlagsReport& report, const xla::DebugOptions& options,
                 JsonWriter* json) {
  json->BeginObject().Member("accept", report.accept);
  if (report.accept) {
    json->Key("set").BeginObject();
    for (const auto* setting : LastSettings(report)) {
      json->Key(setting->name);
      WriteFlagValue(*FindDebugFlag(setting->name), options, setting->value,
                     json);
    }
    json->EndObject();
  } else {
    WriteRefusal(report, json);
  }
  if (report.accept && !report.warnings.empty()) json->Member("warn", true);
  if (report.accept && !report.dropped.empty()) {
    json->Member("dropped", report.dropped);
  }
  std::set<std::string> messages;
  for (const auto& one : report.bad) messages.insert(one.message);
  for (const auto& one : report.unknown) {
    if (!one.hint.empty()) messages.insert(absl::StrCat(one.token, ": ",
                                                        one.hint));
  }
  for (const auto& one : report.warnings) messages.insert(one.message);
  WriteList("messages", messages,
            [&](const std::string& one) { json->String(one); }, json);
  json->EndObject();
}

void PrintReport(const XlaFlagsReport& report, const xla::DebugOptions& options,
                 bool color, const ToolIo& io) {
  if (!report.accept) {
    *io.out << report.ErrorText(color) << report.WarningText(color)
            << "XLA refuses this and ends the process.\n";
    return;
  }
  const auto settings = LastSettings(report);
  if (settings.empty()) {
    *io.out << "No flag is set.\n";
  } else {
    TextTable table({{"flag"}, {"value"}, {"default"}, {"what it does"}});
    for (const auto* setting : settings) {
      const DebugFlag& flag = *FindDebugFlag(setting->name);
      std::string value = DebugFlagValue(flag, options);
      if (flag.field_number == 0) value = setting->value;
      table.AddRow({std::string(flag.name), value.empty() ? "\"\"" : value,
                    ElideMiddle(flag.default_text, 20),
                    std::string(flag.help)});
    }
    *io.out << table.ToString();
  }
  *io.out << report.WarningText(color);
  if (!report.dropped.empty()) {
    *io.out << "XLA does not read: " << report.dropped << "\n";
  }
}

absl::string_view SeverityName(VariableFinding::Severity severity) {
  switch (severity) {
    case VariableFinding::kNote: return "note";
    case VariableFinding::kWarning: return "warning";
    case VariableFinding::kError: return "error";
  }
  return "";
}

// Whether the variable's reader takes the value.
bool PrintVariable(const EnvironmentVariable& variable,
                   absl::string_view value, const ToolIo& io) {
  *io.out << variable.name << "=" << value << "\n  read by " << variable.reader
          << ": " << variable.help << "\n";
  bool accept = true;
  for (const VariableFinding& finding :
       CheckVariable(variable, value, io.getenv)) {
    *io.out << "  " << SeverityName(finding.severity) << ": "
            << finding.message << "\n";
    accept &= finding.severity != VariableFinding::kError;
  }
  return accept;
}

void WriteVariable(const EnvironmentVariable& variable, absl::string_view value,
                   const ToolIo& io, JsonWriter* json, bool* accept) {
  const auto findings = CheckVariable(variable, value, io.getenv);
  bool warn = false;
  for (const VariableFinding& finding : findings) {
    *accept &= finding.severity != VariableFinding::kError;
    warn |= finding.severity == VariableFinding::kWarning;
  }
  json->BeginObject().Member("accept", *accept);
  json->Member("variable", variable.name).Member("value", value);
  if (warn) json->Member("warn", true);
  WriteList("messages", findings,
            [&](const VariableFinding& one) { json->String(one.message); },
            json);
  json->EndObject();
}

absl::StatusOr<int> CheckOtherVariable(const EnvironmentVariable& variable,
                                       const std::string& value, bool json_form,
                                       const ToolIo& io) {
  bool accept = true;
  if (json_form) {
    JsonWriter json(io.out, 1);
    WriteVariable(variable, value, io, &json, &accept);
    *io.out << "\n";
  } else {
    accept = PrintVariable(variable, value, io);
  }
  return accept ? kOk : kDifferent;
}

// Variables besides XLA_FLAGS that are set now.
void PrintEnvironment(const ToolIo& io) {
  if (!io.getenv) return;
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    const std::string name(variable.name);
    const char* value = io.getenv(name.c_str());
    if (variable.kind == VariableKind::kXlaFlags || value == nullptr) continue;
    *io.out << "\n";
    PrintVariable(variable, value, io);
  }
}

absl::StatusOr<int> Who(const HloFlagsOptions& options,
                        const std::string& value, const ToolIo& io) {
  std::vector<FlagLayer> layers;
  if (!options.debug_options_file.empty()) {
    HLOKIT_ASSIGN_OR_RETURN(std::string text,
                            ReadInput(io, options.debug_options_file));
    layers.push_back({FlagLayer::kDebugOptionsFile, options.debug_options_file,
                      std::move(text)});
  }
  layers.push_back({FlagLayer::kFlagString, "XLA_FLAGS", value});
  if (!options.command_line.empty()) {
    layers.push_back(
        {FlagLayer::kFlagString, "command line", options.command_line});
  }
  HLOKIT_ASSIGN_OR_RETURN(const ProvenanceReport report,
                          WhoSetWhat(layers, io.files));
  for (const std::string& one : report.warnings) {
    *io.err << "warning: " << Printable(one) << "\n";
  }
  if (options.json) {
    JsonWriter json(io.out, 1);
    json.BeginArray();
    for (const FlagProvenance& one : report.flags) {
      json.BeginObject().Member("name", one.flag).Member("value", one.value);
      json.Member("origin", one.origin).Member("adds_up", one.adds_up);
      WriteList("earlier", one.earlier,
                [&](const std::string& text) { json.String(text); }, &json);
      json.EndObject();
    }
    json.EndArray();
    *io.out << "\n";
    return kOk;
  }
  TextTable table({{"flag"}, {"value"}, {"set by"}, {"over"}});
  for (const FlagProvenance& one : report.flags) {
    table.AddRow({one.flag, one.value.empty() ? "\"\"" : one.value, one.origin,
                  absl::StrCat(one.adds_up && !one.earlier.empty() ? "adds to "
                                                                   : "",
                               absl::StrJoin(one.earlier, ", "))});
  }
  if (table.empty()) {
    *io.out << "No flag is set: all values are XLA's defaults.\n";
  } else {
    *io.out << table.ToString();
  }
  return kOk;
}

}  // namespace

absl::StatusOr<int> CheckFlags(const HloFlagsOptions& options,
                               absl::Span<const std::string> arguments,
                               const ToolIo& io) {
  const EnvironmentVariable* variable =
      FindEnvironmentVariable(options.variable);
  if (variable == nullptr) {
    std::vector<absl::string_view> names;
    for (const auto& one : EnvironmentVariables()) names.push_back(one.name);
    return NotFound("nothing is known of the variable '%s'%s",
                    options.variable, DidYouMean(options.variable, names));
  }
  const bool from_environment = arguments.empty();
  std::string value = absl::StrJoin(arguments, " ");
  if (from_environment && io.getenv) {
    const char* text = io.getenv(std::string(variable->name).c_str());
    if (text != nullptr) value = text;
  }
  if (variable->kind != VariableKind::kXlaFlags) {
    return CheckOtherVariable(*variable, value, options.json, io);
  }
  if (options.who) return Who(options, value, io);
  xla::DebugOptions parsed = DefaultDebugOptions();
  const XlaFlagsReport report = ParseXlaFlags(value, io.files, &parsed);
  if (options.json) {
    JsonWriter json(io.out, 1);
    WriteReport(report, parsed, &json);
    *io.out << "\n";
  } else {
    PrintReport(report, parsed, UseColorOnOut(ColorMode::kAuto, io), io);
    if (from_environment) PrintEnvironment(io);
  }
  return report.accept ? kOk : kDifferent;
}

}  // namespace hlokit
