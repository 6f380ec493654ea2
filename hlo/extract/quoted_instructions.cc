#include "hlo/extract/quoted_instructions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "hlo/extract/line_shapes.h"
#include "hlo/extract/module_collector.h"

namespace hlokit {
namespace {

// How far the type of an instruction may be from it, in lines, and how many
// lines an instruction may take.
constexpr int64_t kNear = 6;
constexpr int64_t kMaxLines = 64;

// The type in "Shape: f32[8,16]{1,0}"; "" in other lines.
absl::string_view ShapeLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "Shape:")) return "";
  return absl::StripAsciiWhitespace(line);
}

// Lines that only the parser can say the fault of must not get lost.
bool IsBrokenInstruction(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return absl::StartsWith(line, "ROOT ") ||
         (absl::StartsWith(line, "%") && absl::StrContains(line, " = "));
}

// The frame of a module: a text that has one is a module with a fault, which
// the parser reports, and not a message that quotes instructions.
bool IsModuleFrame(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return absl::StartsWith(line, "HloModule ") ||
         absl::StartsWith(line, "ENTRY ");
}

class Quotes {
 public:
  Quotes(absl::string_view file, const TextForm& form) : reader_(file, form) {}

  QuotedInstructions Run() {
    TextLine line;
    while (reader_.Next(&line)) {
      ++line_number_;
      if (IsModuleFrame(line.text)) return {};
      const absl::string_view shape = ShapeLine(line.text);
      if (!shape.empty()) {
        shape_ = std::string(shape);
        shape_line_ = line_number_;
      }
      if (TakeInstructions(line) ||
          absl::StripAsciiWhitespace(line.text).empty()) {
        continue;
      }
      if (IsBrokenInstruction(line.text)) {
        collector_.Add(line.text, line);
      } else {
        ++quotes_.left_out;
      }
    }
    if (collector_.has_text()) quotes_.module = collector_.Take(false);
    quotes_.reader = reader_.counts();
    return std::move(quotes_);
  }

 private:
  bool TakeInstructions(const TextLine& line) {
    const absl::string_view text = line.text;
    size_t from = 0;
    bool any = false;
    while (from < text.size()) {
      const InstructionPlace place = FindInstruction(text, from);
      if (place.begin == kNoPlace) break;
      any = true;
      const bool whole =
          absl::StripAsciiWhitespace(text.substr(0, place.begin)).empty() &&
          absl::StripAsciiWhitespace(text.substr(place.end)).empty();
      quotes_.cut_lines += !whole;
      std::string instruction(
          text.substr(place.begin, place.end - place.begin));
      if (place.type == kNoPlace && !shape_.empty() &&
          line_number_ - shape_line_ <= kNear) {
        instruction.insert(place.value - place.begin, shape_ + " ");
      }
      from = std::max(place.end, place.begin + 1);
      Keep(std::move(instruction), place, line);
    }
    return any;
  }

  // Adds an instruction, with the lines in which it goes on.
  void Keep(std::string instruction, const InstructionPlace& place,
            const TextLine& line) {
    TextLine at = line;
    at.whole = {};
    if (place.is_open) {
      BracketCounter brackets;
      brackets.Add(instruction);
      TextLine next;
      for (int64_t i = 0; i < kMaxLines && brackets.braces() +
                                                   brackets.others() > 0 &&
                          reader_.Next(&next);
           ++i) {
        ++line_number_;
        brackets.Add(next.text);
        absl::StrAppend(&instruction, "\n", next.text);
      }
    }
    if (!seen_.insert(instruction).second) return;
    ++quotes_.instructions;
    at.text = instruction;
    at.shift = line.shift + place.begin;
    collector_.Add(at.text, at);
  }

  LineReader reader_;
  ModuleCollector collector_;
  absl::flat_hash_set<std::string> seen_;
  std::string shape_;
  int64_t shape_line_ = 0;
  int64_t line_number_ = 0;
  QuotedInstructions quotes_;
};

}  // namespace

QuotedInstructions FindQuotedInstructions(absl::string_view file,
                                          const TextForm& form) {
  return Quotes(file, form).Run();
}

}  // namespace hlokit
