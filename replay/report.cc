#include "replay/report.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "hlo/wire/message_writer.h"
#include "hlo/wire/nesting.h"

namespace hlokit {
namespace {

void AppendErrors(const Comparison& comparison, JsonWriter* json) {
  json->Member("max_abs_error", comparison.max_abs_error)
      .Member("max_rel_error", comparison.max_rel_error)
      .Member("max_ulps", comparison.max_ulps)
      .Member("mismatches", MismatchCount(comparison));
}

void AppendCheck(const ResultCheck& check, JsonWriter* json) {
  json->BeginObject();
  json->Member("against", check.against)
      .Member("equal", check.comparison.equal);
  if (!check.comparison.shape_error.empty()) {
    json->Member("shape_error", check.comparison.shape_error);
  }
  AppendErrors(check.comparison, json);
  if (!check.comparison.different.empty()) {
    const ArrayComparison& array = check.comparison.different[0];
    json->Key("first").BeginObject();
    json->Key("array").BeginArray();
    for (int64_t i : array.index) json->Value(i);
    json->EndArray();
    json->Key("index").BeginArray();
    for (int64_t i : IndexOf(array.shape, array.first.linear)) json->Value(i);
    json->EndArray();
    json->Member("expected", array.first.expected)
        .Member("actual", array.first.actual);
    json->EndObject();
  }
  if (check.rounding.has_value()) {
    json->Key("rounding").BeginObject();
    json->Member("unstable", check.rounding->unstable)
        .Member("in_unstable_arrays", check.rounding->in_unstable_arrays);
    json->EndObject();
  }
  json->EndObject();
}

bool IsPlainForShell(absl::string_view argument) {
  return !argument.empty() &&
         std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) ||
                  absl::StrContains("_@%+=:,./-", absl::string_view(
                                        reinterpret_cast<char*>(&c), 1));
         });
}

}  // namespace

std::string RoundingLine(const RoundingCheck& check) {
  const std::string how =
      absl::StrCat("when the interpreter rounds up or down by chance (",
                   check.runs, check.runs == 1 ? " run)" : " runs)");
  if (check.in_unstable_arrays == 0) {
    return absl::StrCat("Not a matter of rounding: none of the ",
                        check.mismatches, " elements that differ changes ", how,
                        ".");
  }
  std::string line = absl::StrCat(check.ExplainsAll() ? "A matter of rounding: "
                                                      : "In part a matter of "
                                                        "rounding: ",
                                  check.unstable, " of the ", check.mismatches,
                                  " elements that differ change as much ", how);
  if (const int64_t rest = check.in_unstable_arrays - check.unstable;
      rest > 0) {
    absl::StrAppend(&line, ", ", rest, " more lie in the same arrays");
  }
  return line + ".";
}

int64_t MismatchCount(const Comparison& comparison) {
  int64_t count = 0;
  for (const ArrayComparison& array : comparison.different) {
    count += array.mismatches;
  }
  return count;
}

void AppendJson(const RunRecord& record, JsonWriter* json) {
  json->BeginObject();
  json->Member("file", record.file).Member("module", record.module);
  if (!record.instruction.empty()) {
    json->Member("instruction", record.instruction);
  }
  json->Member("iteration", record.iteration)
      .Member("status", record.status);
  if (!record.error.empty()) json->Member("error", record.error);
  json->Member("platform", record.test);
  json->Key("reference_platform");
  record.reference.empty() ? json->Null() : json->Value(record.reference);
  json->Member("inputs", record.inputs)
      .Member("seconds", record.seconds)
      .Member("reference_seconds", record.reference_seconds);
  Comparison worst;
  int64_t mismatches = 0;
  for (const ResultCheck& check : record.checks) {
    const Comparison& c = check.comparison;
    worst.max_abs_error = std::max(worst.max_abs_error, c.max_abs_error);
    worst.max_rel_error = std::max(worst.max_rel_error, c.max_rel_error);
    worst.max_ulps = std::max(worst.max_ulps, c.max_ulps);
    mismatches += MismatchCount(c);
  }
  json->Member("max_abs_error", worst.max_abs_error)
      .Member("max_rel_error", worst.max_rel_error)
      .Member("max_ulps", worst.max_ulps)
      .Member("mismatches", mismatches);
  json->Key("comparisons").BeginArray();
  for (const ResultCheck& check : record.checks) AppendCheck(check, json);
  json->EndArray();
  json->EndObject();
}

absl::StatusOr<std::vector<std::string>> WriteMismatchFiles(
    FileSystem* files, absl::string_view folder, absl::string_view stem,
    const Literal& expected, const Literal& actual, const ErrorSpec& spec) {
  HLOKIT_RETURN_IF_ERROR(files->CreateDirectories(folder));
  std::vector<std::pair<std::string, Literal>> literals = {
      {"expected", expected}, {"actual", actual}};
  if (ShapesCompatible(expected.shape(), actual.shape())) {
    literals.emplace_back("mismatches", MismatchMask(expected, actual, spec));
  }
  std::vector<std::string> paths;
  for (const auto& [name, literal] : literals) {
    const std::string base =
        JoinPath(folder, absl::StrCat(stem, "-", name));
    HLOKIT_RETURN_IF_ERROR(CheckNesting(literal));
    const wire::LargeMessage message = LiteralMessage(literal);
    HLOKIT_RETURN_IF_ERROR(files->WritePieces(
        absl::StrCat(base, ".pb"),
        [&](FileSystem::EmitPiece emit) { message.Emit(emit); }));
    std::string text;
    literal.AppendTypedTo(&text);
    text += '\n';
    paths.push_back(absl::StrCat(base, ".txt"));
    HLOKIT_RETURN_IF_ERROR(files->WriteFile(paths.back(), text));
  }
  return paths;
}

std::string ShellCommand(absl::string_view program,
                         absl::Span<const std::string> arguments) {
  std::string command(program);
  for (const std::string& argument : arguments) {
    if (IsPlainForShell(argument)) {
      absl::StrAppend(&command, " ", argument);
    } else {
      absl::StrAppend(&command, " '",
                      absl::StrReplaceAll(argument, {{"'", "'\\''"}}), "'");
    }
  }
  return command;
}

std::string FileStem(absl::string_view text) {
  std::string stem(text.substr(0, 100));
  for (char& c : stem) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_' && c != '-') c = '_';
  }
  // No hidden files, no "..".
  if (stem.empty() || stem[0] == '.') stem.insert(0, "_");
  return stem;
}

}  // namespace hlokit
