#include "fuzz/module_mutator.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hlokit::fuzz {
namespace {

bool IsNameByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '-';
}

// One printed instruction, cut into its parts.
struct Line {
  std::string indent;  // with ROOT
  std::string name;    // with %, if it was printed so
  std::string type;
  std::string opcode;
  std::vector<std::string> operands;
  std::string rest;  // ", attribute=..., ..."
};

// The end of the type at the beginning of `text`: the blank before the opcode.
size_t TypeEnd(absl::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::StrContains("([{", absl::string_view(&text[i], 1))) ++depth;
    if (absl::StrContains(")]}", absl::string_view(&text[i], 1))) --depth;
    if (text[i] == ' ' && depth == 0) return i;
  }
  return absl::string_view::npos;
}

bool ParseLine(absl::string_view text, Line* line) {
  const size_t equals = text.find(" = ");
  if (equals == absl::string_view::npos) return false;
  const size_t name = text.rfind(' ', equals - 1);
  const size_t begin = name == absl::string_view::npos ? 0 : name + 1;
  line->indent = std::string(text.substr(0, begin));
  line->name = std::string(text.substr(begin, equals - begin));
  text.remove_prefix(equals + 3);
  const size_t type = TypeEnd(text);
  if (type == absl::string_view::npos) return false;
  line->type = std::string(text.substr(0, type));
  text.remove_prefix(type + 1);
  const size_t open = text.find('(');
  const size_t close = text.find(')', open);
  if (close == absl::string_view::npos) return false;
  line->opcode = std::string(text.substr(0, open));
  const absl::string_view inner = text.substr(open + 1, close - open - 1);
  // Constants and parameters have no operands that could be told apart.
  if (line->opcode == "constant" || line->opcode == "parameter" ||
      inner.find('(') != absl::string_view::npos) {
    return false;
  }
  line->operands.clear();
  if (!inner.empty()) line->operands = absl::StrSplit(inner, ", ");
  line->rest = std::string(text.substr(close + 1));
  return true;
}

std::string LineText(const Line& line) {
  return absl::StrCat(line.indent, line.name, " = ", line.type, " ",
                      line.opcode, "(", absl::StrJoin(line.operands, ", "), ")",
                      line.rest);
}

// Opcodes that take each other's operands.
constexpr const char* kUnary[] = {
    "abs", "negate", "exponential", "log", "sqrt", "rsqrt", "tanh", "floor",
    "ceil", "sign", "not", "popcnt", "count-leading-zeros", "is-finite", "copy",
    "opt-barrier", "cosine", "sine", "round-nearest-even", "logistic", "cbrt",
    "bitcast", "reshape", "convert", "bitcast-convert", "real", "imag"};
constexpr const char* kBinary[] = {
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "power",
    "remainder", "and", "or", "xor", "atan2", "shift-left",
    "shift-right-logical", "shift-right-arithmetic", "complex"};
constexpr const char* kTypes[] = {
    "pred", "s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64",
    "f8e5m2", "f8e4m3fn", "bf16", "f16", "f32", "f64", "c64", "c128"};
constexpr const char* kExtents[] = {"0", "1", "2", "3", "7", "16", "33", "1025"};
constexpr const char* kNumbers[] = {"0", "1",  "-1", "2",          "3",
                                    "5", "64", "-2", "2147483648",
                                    "9223372036854775807"};

class Mutator {
 public:
  Mutator(absl::string_view text, uint64_t seed)
      : lines_(absl::StrSplit(text, '\n')), random_(seed) {}

  std::string Run() {
    for (size_t n = 1 + Below(4); n > 0; --n) MutateOnce();
    return absl::StrJoin(lines_, "\n");
  }

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }
  template <size_t n>
  const char* Any(const char* const (&words)[n]) {
    return words[Below(n)];
  }

  void MutateOnce() {
    switch (Below(14)) {
      case 0: return ChangeExtent();
      case 1: return ChangeType();
      case 2: return ChangeLayout();
      case 3: return ChangeOperand();
      case 4: return ChangeOpcode();
      case 5: return Wrap();
      case 6: return ChangeCallee();
      case 7: return DropAttribute();
      case 8: return ChangeNumber();
      case 9: return ToggleSchedule();
      case 10: return SwapLines();
      case 11: return BypassLine();
      case 12: return Insert();
      default: return DuplicateLine();
    }
  }

  // Rewrites the text of some lines: all, those of one computation, or one.
  template <typename Rewrite>
  void RewriteSome(Rewrite rewrite) {
    size_t begin = 0, end = lines_.size();
    const size_t chosen = Below(lines_.size());
    switch (Below(3)) {
      case 0:
        break;
      case 1:
        begin = BodyBegin(chosen);
        end = BodyEnd(chosen);
        break;
      default:
        begin = chosen;
        end = chosen + 1;
    }
    for (size_t i = begin; i < end; ++i) rewrite(&lines_[i]);
  }

  size_t BodyBegin(size_t i) const {
    while (i > 0 && !absl::EndsWith(lines_[i], "{")) --i;
    return i;
  }
  size_t BodyEnd(size_t i) const {
    while (i < lines_.size() && !absl::StartsWith(lines_[i], "}")) ++i;
    return i;
  }

  // Replaces one extent by another wherever it is a whole number in brackets.
  void ChangeExtent() {
    const std::string& line = lines_[Below(lines_.size())];
    const size_t open = line.find('[', Below(line.size() + 1));
    if (open == std::string::npos) return;
    size_t end = open + 1;
    while (end < line.size() && std::isdigit(line[end])) ++end;
    const std::string from = line.substr(open + 1, end - open - 1);
    if (from.empty()) return;
    const std::string to = Any(kExtents);
    RewriteSome([&](std::string* text) {
      bool in_brackets = false;
      for (size_t i = 0; i < text->size(); ++i) {
        if ((*text)[i] == '[') in_brackets = true;
        if ((*text)[i] == ']') in_brackets = false;
        if (!in_brackets || !std::isdigit((*text)[i])) continue;
        size_t stop = i;
        while (stop < text->size() && std::isdigit((*text)[stop])) ++stop;
        if (text->substr(i, stop - i) == from) {
          text->replace(i, stop - i, to);
          stop = i + to.size();
        }
        i = stop - 1;
      }
    });
  }

  void ChangeType() {
    const std::string from = absl::StrCat(Any(kTypes), "[");
    const std::string to = absl::StrCat(Any(kTypes), "[");
    RewriteSome([&](std::string* text) {
      size_t at = 0;
      while ((at = text->find(from, at)) != std::string::npos) {
        if (at > 0 && IsNameByte((*text)[at - 1])) {
          ++at;
          continue;
        }
        text->replace(at, from.size(), to);
        at += to.size();
      }
    });
  }

  void ChangeLayout() {
    std::string& sample = lines_[Below(lines_.size())];
    const size_t open = sample.find("]{", Below(sample.size() + 1));
    if (open == std::string::npos) return;
    const size_t close = sample.find_first_of(":}", open);
    if (close == std::string::npos) return;
    const std::string from = sample.substr(open, close - open);
    std::vector<std::string> order =
        absl::StrSplit(absl::string_view(from).substr(2), ',');
    std::shuffle(order.begin(), order.end(), random_);
    const std::string to = absl::StrCat("]{", absl::StrJoin(order, ","));
    RewriteSome([&](std::string* text) {
      absl::StrReplaceAll({{from, to}}, text);
    });
  }

  // A random instruction that could be cut into parts; -1 after many misses.
  int PickLine(Line* line) {
    for (int i = 0; i < 20; ++i) {
      const size_t at = Below(lines_.size());
      if (ParseLine(lines_[at], line)) return static_cast<int>(at);
    }
    return -1;
  }

  // The names defined before line `at` in its computation.
  std::vector<std::string> NamesBefore(size_t at, absl::string_view type) {
    std::vector<std::string> same, all;
    for (size_t i = BodyBegin(at); i < at; ++i) {
      const absl::string_view text = lines_[i];
      const size_t equals = text.find(" = ");
      if (equals == absl::string_view::npos) continue;
      const size_t blank = text.rfind(' ', equals - 1);
      std::string name(text.substr(blank + 1, equals - blank - 1));
      if (absl::StartsWith(text.substr(equals + 3), type)) same.push_back(name);
      all.push_back(std::move(name));
    }
    return same.empty() || Below(8) == 0 ? all : same;
  }

  std::string TypeOf(absl::string_view name, size_t at) {
    for (size_t i = at; i-- > BodyBegin(at);) {
      const absl::string_view text = lines_[i];
      const size_t equals = text.find(" = ");
      if (equals == absl::string_view::npos) continue;
      const absl::string_view left = text.substr(0, equals);
      if (!absl::EndsWith(left, name)) continue;
      const absl::string_view right = text.substr(equals + 3);
      return std::string(right.substr(0, TypeEnd(right)));
    }
    return "";
  }

  void ChangeOperand() {
    Line line;
    const int at = PickLine(&line);
    if (at < 0 || line.operands.empty()) return;
    std::string& operand = line.operands[Below(line.operands.size())];
    const auto names = NamesBefore(at, TypeOf(operand, at));
    if (names.empty()) return;
    operand = names[Below(names.size())];
    lines_[at] = LineText(line);
  }

  void ChangeOpcode() {
    Line line;
    const int at = PickLine(&line);
    if (at < 0) return;
    if (line.operands.size() == 1) line.opcode = Any(kUnary);
    if (line.operands.size() == 2) line.opcode = Any(kBinary);
    lines_[at] = LineText(line);
  }

  // Puts one instruction into a computation of its own, and calls that.
  void Wrap() {
    Line line;
    const int at = PickLine(&line);
    if (at < 0) return;
    const std::string callee = absl::StrCat("wrapped.", random_() % 100000);
    std::vector<std::string> body = {callee + " {"};
    Line inner = line;
    inner.indent = "  ROOT ";
    inner.name = "r";
    for (size_t i = 0; i < line.operands.size(); ++i) {
      inner.operands[i] = absl::StrCat("p", i);
      body.push_back(absl::StrCat("  p", i, " = ", TypeOf(line.operands[i], at),
                                  " parameter(", i, ")"));
    }
    body.push_back(LineText(inner));
    body.push_back("}");
    body.push_back("");
    static constexpr const char* kCalls[][2] = {
        {"fusion", ", kind=kLoop, calls="},   {"fusion", ", kind=kInput, calls="},
        {"fusion", ", kind=kOutput, calls="}, {"call", ", to_apply="},
        {"map", ", dimensions={}, to_apply="}};
    const auto& call = kCalls[Below(std::size(kCalls))];
    line.opcode = call[0];
    line.rest = absl::StrCat(call[1], callee);
    lines_[at] = LineText(line);
    const size_t header = BodyBegin(at);
    lines_.insert(lines_.begin() + header, body.begin(), body.end());
  }

  void ChangeCallee() {
    std::vector<std::string> names;
    for (const std::string& line : lines_) {
      if (!absl::EndsWith(line, "{") || absl::StartsWith(line, "HloModule")) {
        continue;
      }
      absl::string_view header = line;
      absl::ConsumePrefix(&header, "ENTRY ");
      names.emplace_back(header.substr(0, header.find_first_of(" (")));
    }
    const size_t at = Below(lines_.size());
    std::string& line = lines_[at];
    static constexpr const char* kWords[] = {"calls=", "to_apply=", "body=",
                                             "condition="};
    const absl::string_view word = Any(kWords);
    const size_t found = line.find(word.data(), 0, word.size());
    if (found == std::string::npos || names.empty()) return;
    const size_t begin = found + word.size();
    const size_t end = line.find_first_of(", ", begin);
    line.replace(begin, std::min(end, line.size()) - begin,
                 names[Below(names.size())]);
  }

  void DropAttribute() {
    std::string& line = lines_[Below(lines_.size())];
    const size_t begin = line.find(", ", line.find(')'));
    if (begin == std::string::npos) return;
    size_t end = begin + 2;
    for (int depth = 0; end < line.size(); ++end) {
      if (line[end] == '{') ++depth;
      if (line[end] == '}') --depth;
      if (depth == 0 && line[end] == ',') break;
    }
    line.erase(begin, end - begin);
  }

  void ChangeNumber() {
    std::string& line = lines_[Below(lines_.size())];
    const size_t attributes = std::min(line.find(')'), line.size());
    const size_t from = attributes + Below(line.size() - attributes + 1);
    const size_t begin = line.find_first_of("0123456789", from);
    if (begin == std::string::npos) return;
    size_t end = begin;
    while (end < line.size() && std::isdigit(line[end])) ++end;
    line.replace(begin, end - begin, Any(kNumbers));
  }

  void ToggleSchedule() {
    std::string& header = lines_[0];
    if (!absl::StartsWith(header, "HloModule ")) return;
    if (absl::StrContains(header, ", is_scheduled=true")) {
      absl::StrReplaceAll({{", is_scheduled=true", ""}}, &header);
    } else {
      header.insert(std::min(header.find(','), header.size()),
                    ", is_scheduled=true");
    }
  }

  void SwapLines() {
    const size_t a = Below(lines_.size());
    const size_t begin = BodyBegin(a) + 1, end = BodyEnd(a);
    if (end <= begin + 1) return;
    std::swap(lines_[begin + Below(end - begin)],
              lines_[begin + Below(end - begin)]);
  }

  // Uses of an instruction take one of its operands instead.
  void BypassLine() {
    Line line;
    const int at = PickLine(&line);
    if (at < 0 || line.operands.empty()) return;
    RenameUses(at, line.name, line.operands[Below(line.operands.size())]);
  }

  void RenameUses(size_t definition, const std::string& from,
                  const std::string& to) {
    for (size_t i = definition + 1; i < BodyEnd(definition); ++i) {
      Line line;
      if (!ParseLine(lines_[i], &line)) continue;
      std::replace(line.operands.begin(), line.operands.end(), from, to);
      lines_[i] = LineText(line);
    }
  }

  // Puts an instruction behind another, which its users then take.
  void Insert() {
    Line line;
    const int at = PickLine(&line);
    if (at < 0) return;
    const std::string name = absl::StrCat("inserted.", random_() % 100000);
    const std::string& x = line.name;
    const std::string& type = line.type;
    static constexpr const char* kOps[] = {"copy", "opt-barrier", "bitcast",
                                           "reshape", "convert", "negate"};
    std::vector<std::string> added;
    switch (Below(4)) {
      case 0:
        added = {absl::StrCat("  ", name, ".t = (", type, ", ", type,
                              ") tuple(", x, ", ", x, ")"),
                 absl::StrCat("  ", name, " = ", type,
                              " get-tuple-element(", name, ".t), index=1")};
        break;
      case 1:
        added = {absl::StrCat("  ", name, ".k = token[] after-all()"),
                 absl::StrCat("  ", name, " = ", type, " add-dependency(", x,
                              ", ", name, ".k)")};
        break;
      case 2:
        added = {absl::StrCat("  ", name, " = ", type, " ", Any(kBinary), "(",
                              x, ", ", x, ")")};
        break;
      default:
        added = {
            absl::StrCat("  ", name, " = ", type, " ", Any(kOps), "(", x, ")")};
    }
    RenameUses(at, x, name);
    lines_.insert(lines_.begin() + at + 1, added.begin(), added.end());
  }

  void DuplicateLine() {
    Line line;
    const int at = PickLine(&line);
    if (at < 0) return;
    Line copy = line;
    copy.indent = "  ";
    copy.name = absl::StrCat("again.", random_() % 100000);
    lines_.insert(lines_.begin() + at, LineText(copy));
  }

  std::vector<std::string> lines_;
  std::mt19937_64 random_;
};

}  // namespace

std::string MutateModule(absl::string_view text, uint64_t seed) {
  if (text.empty()) return "";
  return Mutator(text, seed).Run();
}

}  // namespace hlokit::fuzz
