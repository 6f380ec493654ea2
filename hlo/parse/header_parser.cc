// The HloModule line and the tables of stack frames behind it.
#include <algorithm>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {
namespace {

constexpr absl::string_view kHeaderAttributes[] = {
    "is_scheduled",
    "replica_count",
    "num_partitions",
    "alias_passthrough_params",
    "input_output_alias",
    "buffer_donor",
    "entry_computation_layout",
    "frontend_attributes",
    "allow_spmd_sharding_propagation_to_parameters",
    "allow_spmd_sharding_propagation_to_output",
    "origin_recovery_table",
    "debug_attributes",
};

}  // namespace

bool ModuleParser::ParseHeader() {
  lexer_.Next();
  // Any name will do, keywords and types too.
  if (!Is(Tok::kName) && !Is(Tok::kIdent)) {
    return Unexpected("the name of the module");
  }
  module_->set_name(std::string(token().text));
  lexer_.Next();
  std::vector<absl::string_view> seen;
  std::vector<UnknownItem> unknown;
  absl::string_view last;
  while (Eat(Tok::kComma)) {
    if (!Is(Tok::kAttr)) {
      return Unexpected("the name of an attribute, with '=' right behind it");
    }
    const absl::string_view name = token().text;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return ErrorHere(absl::StrCat("attribute '", name, "' is given twice"));
    }
    seen.push_back(name);
    const size_t begin = token().begin;
    if (std::find(std::begin(kHeaderAttributes), std::end(kHeaderAttributes),
                  name) == std::end(kHeaderAttributes)) {
      if (KeepsAttributes()) {
        if (!KeepHeaderAttribute(last, &unknown)) return false;
        continue;
      }
      ErrorHere(absl::StrCat("a module has no attribute '", name, "'",
                             DidYouMean(name, kHeaderAttributes)));
      if (!SkipHeaderAttribute(begin)) return false;
      continue;
    }
    lexer_.Next();
    last = name;
    if (!ParseHeaderAttribute(name) && !SkipHeaderAttribute(begin)) {
      return false;
    }
  }
  if (!unknown.empty()) {
    module_->frontend_attributes[std::string(kUnknownTextKey)] =
        UnknownItemsToString(unknown);
  }
  return ParseFrames();
}

// After an error in the attribute that begins there: goes on at the comma before
// the next one of this line; false if there is none.
bool ModuleParser::SkipHeaderAttribute(size_t begin) {
  if (diagnostics_->full() || too_deep_) return false;
  const absl::string_view text = lexer_.text();
  int depth = 0;
  for (size_t i = begin; i < text.size() && text[i] != '\n'; ++i) {
    const char c = text[i];
    depth += c == '{' || c == '(' || c == '[';
    depth -= c == '}' || c == ')' || c == ']';
    if (c == '"') return false;  // not worth the trouble
    if (c == ',' && depth <= 0) {
      lexer_.Reset(i);
      return true;
    }
  }
  return false;
}

bool ModuleParser::ParseHeaderAttribute(absl::string_view name) {
  const size_t offset = token().begin;
  if (name == "is_scheduled") return ParseBool(&is_scheduled_);
  if (name == "alias_passthrough_params") {
    return ParseBool(&module_->alias_passthrough_params);
  }
  if (name == "replica_count" || name == "num_partitions") {
    int64_t count;
    if (!ParseInt64(&count)) return false;
    if (count < 0) return Error(offset, absl::StrCat(name, " is negative"));
    if (name == "replica_count") {
      module_->replica_count = count;
    } else {
      module_->num_partitions = count;
      module_->use_spmd_partitioning = count != 1;
    }
    return true;
  }
  if (name == "input_output_alias") return ParseModuleAliases();
  if (name == "buffer_donor") return ParseBufferDonors();
  if (name == "entry_computation_layout") return ParseEntryLayout();
  if (name == "frontend_attributes") {
    return ParseFrontendAttributes(&module_->frontend_attributes);
  }
  if (name == "allow_spmd_sharding_propagation_to_parameters") {
    return ParsePropagation(
        &module_->allow_spmd_sharding_propagation_to_parameters);
  }
  if (name == "allow_spmd_sharding_propagation_to_output") {
    return ParsePropagation(
        &module_->allow_spmd_sharding_propagation_to_output);
  }
  if (name == "origin_recovery_table") return ParseRecoveryTable();
  return ParseDebugAttributes();
}

bool ModuleParser::ParsePropagation(std::vector<bool>* flags) {
  flags->clear();
  bool flag;
  const auto parse_flag = [&] {
    if (!ParseBool(&flag)) return false;
    flags->push_back(flag);
    row_major_entry_ = true;
    return true;
  };
  return Is(Tok::kLBrace) ? ParseBraces(parse_flag) : parse_flag();
}

bool ModuleParser::ParseModuleAliases() {
  aliases_offset_ = token().begin;
  auto& aliases = module_->input_output_aliases;
  if (!ParseBraces([&] {
        InputOutputAlias& alias = aliases.emplace_back();
        if (!ParseShapeIndex(&alias.output_index) ||
            !Expect(Tok::kColon, "':'")) {
          return false;
        }
        // The short form of old texts: the whole parameter.
        if (Is(Tok::kInt)) {
          return ParseNonNegative(&alias.parameter, "a parameter number");
        }
        if (!Expect(Tok::kLParen, "'('") ||
            !ParseNonNegative(&alias.parameter, "a parameter number") ||
            !Expect(Tok::kComma, "','") ||
            !ParseShapeIndex(&alias.parameter_index)) {
          return false;
        }
        if (Eat(Tok::kComma)) {
          if (EatWord("must-alias")) {
            alias.kind = InputOutputAlias::kMustAlias;
          } else if (!EatWord("may-alias")) {
            return Unexpected("may-alias or must-alias");
          }
        }
        return Expect(Tok::kRParen, "')'");
      })) {
    return false;
  }
  std::stable_sort(aliases.begin(), aliases.end(),
                   [](const InputOutputAlias& a, const InputOutputAlias& b) {
                     return a.output_index < b.output_index;
                   });
  return true;
}

bool ModuleParser::ParseBufferDonors() {
  donors_offset_ = token().begin;
  auto& donors = module_->buffer_donors;
  if (!ParseBraces([&] {
        BufferDonor& donor = donors.emplace_back();
        return Expect(Tok::kLParen, "'('") &&
               ParseNonNegative(&donor.parameter, "a parameter number") &&
               Expect(Tok::kComma, "','") &&
               ParseShapeIndex(&donor.parameter_index) &&
               Expect(Tok::kRParen, "')'");
      })) {
    return false;
  }
  std::sort(donors.begin(), donors.end(),
            [](const BufferDonor& a, const BufferDonor& b) {
              return std::tie(a.parameter, a.parameter_index) <
                     std::tie(b.parameter, b.parameter_index);
            });
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  return true;
}

bool ModuleParser::ParseEntryLayout() {
  has_entry_layout_ = true;
  ProgramShape layout;
  if (!Expect(Tok::kLBrace, "'{'") || !ParseParens([&] {
        return ParseType(&layout.parameters.emplace_back());
      })) {
    return false;
  }
  if (!Expect(Tok::kArrow, "'->'") || !ParseType(&layout.result)) return false;
  module_->entry_layout = std::move(layout);
  return Expect(Tok::kRBrace, "'}'");
}

bool ModuleParser::ParseNestedModuleText(std::string* text) {
  const absl::string_view all = lexer_.text();
  const size_t quote = token().begin;
  const size_t line = all.rfind('\n', quote) + 1;  // npos + 1 is 0
  const absl::string_view indent = all.substr(line, quote - line);
  if (lexer_.ByteAt(quote + 1) == '\n' &&
      absl::StripAsciiWhitespace(indent).empty()) {
    const std::string closing = absl::StrCat("\n", indent, "\"\n");
    const size_t end = all.find(closing, quote + 1);
    const size_t behind = end + closing.size() - 1;
    if (end != absl::string_view::npos && token().end < behind) {
      *text = std::string(all.substr(quote + 1, end - quote - 1));
      lexer_.Reset(behind);
      return true;
    }
  }
  return ParseString(text);
}

bool ModuleParser::ParseRecoveryTable() {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (!Eat(Tok::kRBrace)) {
    OriginalValueRecovery& entry = module_->recovery_table.emplace_back();
    bool present;
    if (!ParseOriginalArray(&entry.old_array, &present) ||
        !Expect(Tok::kColon, "':'") ||
        !ParseOriginalArray(&entry.new_array, &present)) {
      return false;
    }
    if (!Eat(Tok::kComma) || !Is(Tok::kString)) continue;
    const size_t offset = token().begin;
    std::string text;
    if (!ParseNestedModuleText(&text)) return false;
    Nesting nesting(this);
    if (!nesting.ok()) return false;
    ParseOptions options = options_;
    options.max_nesting = std::max(1, options.max_nesting - 64);
    Diagnostics diagnostics("", text);
    ModuleParser parser(text, &diagnostics, options);
    parser.filled_bytes_ = filled_bytes_;
    entry.module = parser.Parse();
    filled_bytes_ = parser.filled_bytes_;
    if (entry.module == nullptr) {
      for (const Diagnostic& d : diagnostics.all()) {
        if (d.severity != Severity::kError) continue;
        return Error(offset, absl::StrCat(
                                 "in the module of this entry, line ",
                                 PlaceOf(text, d.offset).line, ": ",
                                 d.message));
      }
      return Error(offset, "the module of this entry is faulty");
    }
  }
  std::stable_sort(
      module_->recovery_table.begin(), module_->recovery_table.end(),
      [](const OriginalValueRecovery& a, const OriginalValueRecovery& b) {
        return std::tie(a.old_array.instruction_name, a.old_array.shape_index) <
               std::tie(b.old_array.instruction_name, b.old_array.shape_index);
      });
  return true;
}

bool ModuleParser::ParseDebugItem(DebugAttributes* attributes) {
  return ParseBraces([&] {
    if (EatAttr("log_mode")) {
      if (EatWord("default")) {
        attributes->log_mode = 1;
      } else if (EatWord("fusion_debugger")) {
        attributes->log_mode = 2;
      } else {
        return Unexpected("default or fusion_debugger");
      }
      return true;
    }
    if (EatAttr("callback_id")) return ParseInt64(&attributes->callback_id);
    if (EatAttr("op_id")) return ParseInt64(&attributes->op_id);
    if (EatAttr("partitioned")) return ParseBool(&attributes->partitioned);
    return Unexpected("log_mode=, callback_id=, partitioned= or op_id=");
  });
}

bool ModuleParser::ParseDebugAttributes() {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (!Eat(Tok::kRBrace)) {
    DebugAttributeEntry& entry = module_->debug_attributes.emplace_back();
    bool present;
    if (!ParseOriginalArray(&entry.array, &present) ||
        !Expect(Tok::kColon, "':'")) {
      return false;
    }
    if (Is(Tok::kLParen)) {
      if (!ParseParens([&] {
            return ParseDebugItem(&entry.attributes.emplace_back());
          })) {
        return false;
      }
    } else if (!ParseDebugItem(&entry.attributes.emplace_back())) {
      return false;
    }
    Eat(Tok::kComma);
  }
  return true;
}

bool ModuleParser::ParseNames(std::vector<std::string>* names) {
  while (Eat(Tok::kInt)) {
    if (!ParseString(&names->emplace_back())) return false;
  }
  return true;
}

// "1 {a=1 b=2}": all fields of the row, in any order.
bool ModuleParser::ParseFrameFields(absl::Span<const absl::string_view> names,
                                    absl::Span<int32_t* const> values) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (!Eat(Tok::kRBrace)) {
    if (Eat(Tok::kComma)) continue;
    if (!Is(Tok::kAttr)) return Unexpected("'}' or a field");
    const auto it = std::find(names.begin(), names.end(), token().text);
    if (it == names.end()) {
      return ErrorHere(absl::StrCat("no field is called '", token().text, "'",
                                    DidYouMean(token().text, names)));
    }
    lexer_.Next();
    if (!ParseInt32(values[it - names.begin()])) return false;
  }
  return true;
}

bool ModuleParser::ParseFrames() {
  StackFrameIndex frames;
  if (EatWord("FileNames") && !ParseNames(&frames.file_names)) return false;
  if (EatWord("FunctionNames") && !ParseNames(&frames.function_names)) {
    return false;
  }
  if (EatWord("FileLocations")) {
    while (Eat(Tok::kInt)) {
      auto& l = frames.file_locations.emplace_back();
      if (!ParseFrameFields({"file_name_id", "function_name_id", "line",
                             "end_line", "column", "end_column"},
                            {&l.file_name_id, &l.function_name_id, &l.line,
                             &l.end_line, &l.column, &l.end_column})) {
        return false;
      }
    }
  }
  if (EatWord("StackFrames")) {
    while (Eat(Tok::kInt)) {
      auto& frame = frames.stack_frames.emplace_back();
      if (!ParseFrameFields({"file_location_id", "parent_frame_id"},
                            {&frame.file_location_id,
                             &frame.parent_frame_id})) {
        return false;
      }
      // Text counts callers from 1 on, with 1 for none.
      if (frame.parent_frame_id > 0) --frame.parent_frame_id;
    }
  }
  frames_ = std::make_unique<StackFrameCompactor>(std::move(frames));
  return true;
}

}  // namespace hlokit::parse
