// `.debug_options` files.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/diagnostics.h"
#include "base/status.h"
#include "flags/debug_options.h"
#include "flags/value_text.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace hlokit {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;
using ::google::protobuf::TextFormat;

// Deeper nesting than any DebugOptions has; unknown fields may nest too.
constexpr int kMaxDepth = 32;

// ---- writing ----

std::string QuotedText(absl::string_view text) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(text), "\"");
}

// Six decimals as XLA writes them, or more where those lose the value.
std::string FloatFieldText(float value) {
  std::string text = absl::StrFormat("%f", value);
  float back;
  if (ParseFloatText(text, &back) && back == value) return text;
  return FloatText(value);
}

std::string MessageText(const Message& message) {
  TextFormat::Printer printer;
  printer.SetInitialIndentLevel(0);
  std::string text;
  printer.PrintToString(message, &text);
  return absl::StrCat("{\n", text, "}");
}

// Entries of a map sorted by key: their order in memory is not fixed.
std::vector<std::string> MapLines(const xla::DebugOptions& options,
                                  const FieldDescriptor& field) {
  const Reflection* reflection = options.GetReflection();
  const FieldDescriptor* key = field.message_type()->map_key();
  const FieldDescriptor* value = field.message_type()->map_value();
  std::vector<std::pair<std::string, std::string>> entries;
  for (int i = 0; i < reflection->FieldSize(options, &field); ++i) {
    const Message& entry = reflection->GetRepeatedMessage(options, &field, i);
    const Reflection* inner = entry.GetReflection();
    entries.emplace_back(inner->GetString(entry, key),
                         inner->GetString(entry, value));
  }
  std::sort(entries.begin(), entries.end());
  std::vector<std::string> lines;
  for (const auto& [k, v] : entries) {
    lines.push_back(absl::StrCat("{\n  key: ", QuotedText(k),
                                 "\n  value: ", QuotedText(v), "\n}"));
  }
  return lines;
}

// What follows "name: ", one text for each element.
std::vector<std::string> FieldLines(const xla::DebugOptions& options,
                                    const FieldDescriptor& field) {
  const Reflection* reflection = options.GetReflection();
  if (field.is_map()) return MapLines(options, field);
  int size = field.is_repeated() ? reflection->FieldSize(options, &field) : 1;
  std::vector<std::string> lines;
  for (int i = 0; i < size; ++i) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        lines.push_back(QuotedText(
            field.is_repeated()
                ? reflection->GetRepeatedString(options, &field, i)
                : reflection->GetString(options, &field)));
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        lines.push_back(FloatFieldText(reflection->GetFloat(options, &field)));
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        lines.push_back(MessageText(
            field.is_repeated()
                ? reflection->GetRepeatedMessage(options, &field, i)
                : reflection->GetMessage(options, &field)));
        break;
      case FieldDescriptor::CPPTYPE_ENUM: {
        int number = field.is_repeated()
                         ? reflection->GetRepeatedEnumValue(options, &field, i)
                         : reflection->GetEnumValue(options, &field);
        const auto* value = field.enum_type()->FindValueByNumber(number);
        lines.push_back(value != nullptr ? value->name()
                                         : absl::StrCat(number));
        break;
      }
      default:
        lines.push_back(FieldText(options, field));
    }
  }
  return lines;
}

// ---- reading ----

struct ParserMessage {
  int line, column;  // from 0; -1 for none
  std::string text;
};

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    errors.push_back({line, column, message});
  }
  void AddWarning(int line, google::protobuf::io::ColumnNumber column,
                  const std::string& message) override {
    warnings.push_back({line, column, message});
  }
  std::vector<ParserMessage> errors, warnings;
};

bool ParseText(const std::string& text, Collector* collector,
               xla::DebugOptions* options) {
  TextFormat::Parser parser;
  parser.RecordErrorsTo(collector);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(kMaxDepth);
  return parser.ParseFromString(text, options);
}

size_t OffsetOf(const ParserMessage& error, absl::string_view text) {
  size_t offset = 0;
  for (int line = 0; line < error.line; ++line) {
    size_t end = text.find('\n', offset);
    if (end == absl::string_view::npos) return text.size();
    offset = end + 1;
  }
  offset = std::min(text.size(), offset + std::max(error.column, 0));
  // The library gives the place of the next token for values that it read and
  // found wrong.
  if (!absl::StartsWith(error.text, "Invalid value")) return offset;
  constexpr absl::string_view kBlanks = " \t\r\n";
  size_t last = text.substr(0, offset).find_last_not_of(kBlanks);
  if (last == absl::string_view::npos) return offset;
  size_t blank = text.substr(0, last).find_last_of(kBlanks);
  return blank == absl::string_view::npos ? 0 : blank + 1;
}

// The skipping of unknown fields in the protobuf library has no limit of its
// own. Brackets in strings and comments count too, which does no harm.
bool NestsTooDeep(absl::string_view text) {
  int depth = 0;
  for (char c : text) {
    if (c == '{' || c == '<' || c == '[') ++depth;
    if (c == '}' || c == '>' || c == ']') --depth;
    if (depth > kMaxDepth) return true;
  }
  return false;
}

// XLA's writer does not escape: `name: "a"b\d"`. Takes what is between the
// outer quotes of each such line as it stands.
std::string EscapeLines(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::string_view end = absl::StripTrailingAsciiWhitespace(line);
    size_t open = end.find(": \"");
    if (open == absl::string_view::npos || end.size() < open + 4 ||
        end.back() != '"') {
      lines.emplace_back(line);
      continue;
    }
    absl::string_view inner = end.substr(open + 3, end.size() - open - 4);
    lines.push_back(absl::StrCat(end.substr(0, open + 2), QuotedText(inner)));
  }
  return absl::StrJoin(lines, "\n");
}

struct SimpleLine {
  int number;  // from 0
  absl::string_view name, value;
};

// The lines of the form `name: value`.
std::vector<SimpleLine> SimpleLines(absl::string_view text) {
  std::vector<SimpleLine> lines;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    size_t colon = line.find(':');
    if (colon != absl::string_view::npos) {
      absl::string_view name = line.substr(0, colon);
      lines.push_back({number, absl::StripAsciiWhitespace(name),
                       absl::StripAsciiWhitespace(line.substr(colon + 1))});
    }
    ++number;
  }
  return lines;
}

std::string At(absl::string_view file, int line, absl::string_view text) {
  if (line < 0) return absl::StrCat(file, ": ", text);
  return absl::StrCat(file, ":", line + 1, ": ", text);
}

// Takes out the lines whose enum value is not known here: the library can skip
// unknown fields, but not those. The lines stay, empty, for the line numbers.
std::string DropUnknownEnums(absl::string_view text, absl::string_view file,
                             std::vector<std::string>* warnings) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (const SimpleLine& line : SimpleLines(text)) {
    const FieldDescriptor* field =
        xla::DebugOptions::descriptor()->FindFieldByName(
            std::string(line.name));
    if (field == nullptr || field->enum_type() == nullptr) continue;
    bool is_name = !line.value.empty() &&
                   std::all_of(line.value.begin(), line.value.end(),
                               [](char c) {
                                 return absl::ascii_isalnum(c) || c == '_';
                               }) &&
                   !absl::ascii_isdigit(line.value[0]);
    std::string value(line.value);
    if (!is_name || field->enum_type()->FindValueByName(value) != nullptr) {
      continue;
    }
    warnings->push_back(At(
        file, line.number,
        absl::StrCat("'", value, "' is not a known value of ", field->name(),
                     "; the line is skipped")));
    lines[line.number].clear();
  }
  return absl::StrJoin(lines, "\n");
}

// Fields that other releases have and ours has not: those that a flag of the
// table still explains take effect through it.
void ApplyFormerFields(absl::string_view text, absl::string_view file,
                       xla::DebugOptions* options,
                       std::vector<std::string>* warnings) {
  for (const SimpleLine& line : SimpleLines(text)) {
    std::string name(line.name);
    if (!xla::DebugOptions::descriptor()->IsReservedName(name)) continue;
    const DebugFlag* flag = FindDebugFlag(name);
    if (flag != nullptr && flag->kind == DebugFlagKind::kBoolAlias &&
        SetDebugFlag(*flag, line.value, options).ok()) {
      continue;
    }
    warnings->push_back(At(file, line.number,
                           absl::StrCat("'", name,
                                        "' has no effect: XLA dropped it")));
  }
}

void ClearNamedLists(absl::string_view text, xla::DebugOptions* options) {
  for (const SimpleLine& line : SimpleLines(text)) {
    if (line.value != "[]" && line.value != "[ ]") continue;
    const FieldDescriptor* field =
        xla::DebugOptions::descriptor()->FindFieldByName(
            std::string(line.name));
    if (field != nullptr) options->GetReflection()->ClearField(options, field);
  }
}

}  // namespace

std::string DebugOptionsText(const xla::DebugOptions& options) {
  const auto* descriptor = xla::DebugOptions::descriptor();
  std::string text;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    std::vector<std::string> lines = FieldLines(options, field);
    if (lines == FieldLines(DefaultDebugOptions(), field)) continue;
    if (lines.empty()) absl::StrAppend(&text, field.name(), ": []\n");
    for (const std::string& line : lines) {
      absl::StrAppend(&text, field.name(), ": ", line, "\n");
    }
  }
  return text;
}

absl::Status ApplyDebugOptionsText(absl::string_view text,
                                   absl::string_view file,
                                   xla::DebugOptions* options,
                                   std::vector<std::string>* warnings) {
  if (NestsTooDeep(text)) {
    return InvalidArgument("%s: braces nest too deep for debug options", file);
  }
  std::vector<std::string> notes;
  std::string source = DropUnknownEnums(text, file, &notes);
  xla::DebugOptions read;
  Collector collector;
  if (!ParseText(source, &collector, &read)) {
    Collector second;
    source = EscapeLines(source);
    read.Clear();
    if (!ParseText(source, &second, &read)) {
      Diagnostics diagnostics{std::string(file), text};
      for (const ParserMessage& error : collector.errors) {
        diagnostics.Error(error.text, OffsetOf(error, text));
      }
      return diagnostics.ToStatus();
    }
    collector.warnings = std::move(second.warnings);
  }
  for (const ParserMessage& warning : collector.warnings) {
    notes.push_back(At(file, warning.line, warning.text));
  }
  ClearNamedLists(source, options);
  std::vector<const FieldDescriptor*> fields;
  read.GetReflection()->ListFields(read, &fields);
  for (const FieldDescriptor* field : fields) {
    options->GetReflection()->ClearField(options, field);
  }
  options->MergeFrom(read);
  ApplyFormerFields(source, file, options, &notes);
  warnings->insert(warnings->end(), notes.begin(), notes.end());
  return absl::OkStatus();
}

}  // namespace hlokit
