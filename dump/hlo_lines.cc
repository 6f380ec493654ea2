#include "dump/hlo_lines.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace hlokit {
namespace {

constexpr size_t kNone = absl::string_view::npos;

// Calls fn(line) for each line; false ends.
template <typename Fn>
void ForEachLine(absl::string_view text, Fn fn) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (!fn(text.substr(0, end))) return;
    if (end == kNone) return;
    text.remove_prefix(end + 1);
  }
}

// The end of a shape: a blank outside of brackets.
size_t EndOfShape(absl::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '(': case '[': case '{': ++depth; break;
      case ')': case ']': case '}': --depth; break;
      case ' ':
        if (depth == 0) return i;
        break;
      default: break;
    }
  }
  return kNone;
}

// "file_name_id=2" in "3 {file_name_id=2 line=4}": the number, or 0.
int64_t NumberAfter(absl::string_view line, absl::string_view key) {
  const size_t at = line.find(key);
  if (at == kNone) return 0;
  absl::string_view rest = line.substr(at + key.size());
  rest = rest.substr(0, rest.find_first_not_of("-0123456789"));
  int64_t number = 0;
  return absl::SimpleAtoi(rest, &number) ? number : 0;
}

bool PathEndsWith(absl::string_view path, absl::string_view end) {
  if (!absl::EndsWith(path, end)) return false;
  return path.size() == end.size() || end.empty() || end[0] == '/' ||
         path[path.size() - end.size() - 1] == '/';
}

}  // namespace

bool ParseInstructionLine(absl::string_view line, InstructionLine* parsed) {
  line = absl::StripLeadingAsciiWhitespace(line);
  parsed->is_root = absl::ConsumePrefix(&line, "ROOT ");
  absl::ConsumePrefix(&line, "%");
  const size_t equals = line.find(" = ");
  if (equals == kNone || equals == 0) return false;
  parsed->name = line.substr(0, equals);
  if (parsed->name.find_first_of(" ({=\"") != kNone) return false;
  line.remove_prefix(equals + 3);
  const size_t end = EndOfShape(line);
  if (end == kNone) return false;
  parsed->shape = line.substr(0, end);
  line.remove_prefix(end + 1);
  const size_t open = line.find('(');
  if (open == kNone || open == 0) return false;
  parsed->opcode = line.substr(0, open);
  return parsed->opcode.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyz0123456789-_") == kNone;
}

absl::string_view ComputationOfLine(absl::string_view line) {
  if (line.empty() || line.back() != '{' || line[0] == ' ') return "";
  absl::ConsumePrefix(&line, "ENTRY ");
  absl::ConsumePrefix(&line, "%");
  if (absl::StartsWith(line, "HloModule")) return "";
  return line.substr(0, line.find_first_of(" ({"));
}

absl::string_view LineAt(absl::string_view text, size_t offset, size_t* begin) {
  const size_t newline =
      offset == 0 ? kNone : text.rfind('\n', offset - 1);
  *begin = newline == kNone ? 0 : newline + 1;
  size_t end = text.find('\n', offset);
  if (end == kNone) end = text.size();
  return text.substr(*begin, end - *begin);
}

HloSummary Summarize(absl::string_view text) {
  HloSummary summary;
  bool in_body = false;
  size_t body = kNone;
  const char* start = text.data();
  ForEachLine(text, [&](absl::string_view line) {
    if (!in_body && absl::ConsumePrefix(&line, "HloModule ")) {
      summary.module = std::string(line.substr(0, line.find_first_of(", ")));
      const size_t at = line.find("entry_computation_layout={");
      if (at != kNone) {
        const absl::string_view rest = line.substr(at);
        summary.entry_layout =
            std::string(rest.substr(0, EndOfShape(rest)));
        absl::string_view cut = summary.entry_layout;
        absl::ConsumeSuffix(&cut, ",");
        summary.entry_layout = std::string(cut);
      }
      return true;
    }
    if (!ComputationOfLine(line).empty()) {
      if (!in_body) body = line.data() - start;
      in_body = true;
      ++summary.computations;
      return true;
    }
    InstructionLine instruction;
    if (in_body && ParseInstructionLine(line, &instruction)) {
      ++summary.instructions;
      ++summary.opcodes[std::string(instruction.opcode)];
      if (instruction.opcode == "constant" &&
          absl::StrContains(line, "constant({...})")) {
        summary.has_elided_constant = true;
      }
    }
    return true;
  });
  summary.body_hash = absl::HashOf(body == kNone ? text : text.substr(body));
  return summary;
}

absl::flat_hash_set<int64_t> FramesThrough(absl::string_view text,
                                           absl::string_view file,
                                           int64_t line_wanted) {
  absl::flat_hash_set<int64_t> files, locations, frames;
  enum { kOther, kFiles, kLocations, kFrames } table = kOther;
  ForEachLine(text, [&](absl::string_view line) {
    if (!ComputationOfLine(line).empty()) return false;
    if (line == "FileNames") table = kFiles;
    if (line == "FunctionNames") table = kOther;
    if (line == "FileLocations") table = kLocations;
    if (line == "StackFrames") table = kFrames;
    int64_t id = 0;
    if (!absl::SimpleAtoi(line.substr(0, line.find(' ')), &id)) return true;
    if (table == kFiles) {
      absl::string_view path = line.substr(line.find(' ') + 1);
      absl::ConsumePrefix(&path, "\"");
      absl::ConsumeSuffix(&path, "\"");
      if (PathEndsWith(path, file)) files.insert(id);
    } else if (table == kLocations) {
      const int64_t first = NumberAfter(line, " line=");
      const int64_t last =
          std::max(first, NumberAfter(line, " end_line="));
      if (files.contains(NumberAfter(line, "file_name_id=")) &&
          (line_wanted <= 0 || (first <= line_wanted && line_wanted <= last))) {
        locations.insert(id);
      }
    } else if (table == kFrames) {
      // The text counts parents from one on, with one for "none".
      const int64_t parent = NumberAfter(line, "parent_frame_id=") - 1;
      if (locations.contains(NumberAfter(line, "file_location_id=")) ||
          (parent > 0 && parent < id && frames.contains(parent))) {
        frames.insert(id);
      }
    }
    return true;
  });
  return frames;
}

}  // namespace hlokit
