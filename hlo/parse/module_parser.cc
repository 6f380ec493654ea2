// Modules and computations.
#include "hlo/parse/module_parser.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "hlo/ir/stack_frames.h"

namespace hlokit::parse {
namespace {

// The line that begins at `offset`, without its end.
absl::string_view LineAt(absl::string_view text, size_t offset) {
  const size_t end = text.find('\n', offset);
  return text.substr(offset, end == absl::string_view::npos
                                 ? absl::string_view::npos
                                 : end - offset);
}

// "[ROOT] name =", with a blank before the '='.
bool LooksLikeInstruction(absl::string_view line) {
  absl::ConsumePrefix(&line, "ROOT ");
  line = absl::StripLeadingAsciiWhitespace(line);
  absl::ConsumePrefix(&line, "%");
  size_t i = 0;
  while (i < line.size() && IsIdentByte(line[i])) ++i;
  if (i == 0 || !IsIdentStart(line[0])) return false;
  const absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(line.substr(i));
  return rest.size() < line.size() - i && absl::StartsWith(rest, "=");
}

// The header of a computation: at the very beginning of the line, and a '{' at
// its end.
bool LooksLikeComputation(absl::string_view line) {
  if (line.empty() || (line[0] != '%' && !IsIdentStart(line[0]))) return false;
  return absl::EndsWith(absl::StripTrailingAsciiWhitespace(line), "{") &&
         !LooksLikeInstruction(line);
}

// A '}' that ends a computation, not some attribute.
bool LooksLikeEnd(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "}")) return false;
  line = absl::StripAsciiWhitespace(line);
  return line.empty() || absl::StartsWith(line, "//") ||
         absl::StartsWith(line, ", execution_thread");
}

// Row-major, whatever else the layouts say.
void MakeRowMajor(Shape* shape) {
  if (shape->IsArray() && shape->has_layout()) {
    Layout layout = shape->layout();
    layout.minor_to_major = Layout::Descending(shape->rank()).minor_to_major;
    shape->set_layout(std::move(layout));
  }
  for (size_t i = 0; i < shape->tuple_shapes().size(); ++i) {
    Shape part = shape->tuple_shape(i);
    MakeRowMajor(&part);
    shape->set_tuple_shape(i, std::move(part));
  }
}

}  // namespace

std::unique_ptr<Module> ModuleParser::Parse() {
  module_ = std::make_unique<Module>();
  frames_ = std::make_unique<StackFrameCompactor>(StackFrameIndex());
  if (ParseModuleText() && !diagnostics_->has_errors()) FinishModule();
  WarnOfUnknowns();
  if (diagnostics_->has_errors()) return nullptr;
  return std::move(module_);
}

bool ModuleParser::ParseModuleText() {
  if (Is(Tok::kEof)) return ErrorHere("there is no HLO in this text");
  if (IsWord("HloModule")) {
    if (!ParseHeader() && !RecoverOutside(token().begin)) return false;
    return ParseComputations();
  }
  return AtBareModule() ? ParseBareModule() : ParseSingleInstruction();
}

// A computation's header stands where the HloModule line is missing.
bool ModuleParser::AtBareModule() {
  if (IsWord("ENTRY")) return true;
  if (!Is(Tok::kName) && !Is(Tok::kIdent)) return false;
  const bool has_percent = lexer_.ByteAt(token().begin) == '%';
  const size_t begin = token().begin;
  const char next = lexer_.ByteAt(lexer_.SkipBlanks(token().end));
  if (next == '{') return true;
  if (next != '(') return false;
  if (has_percent) return true;
  // "name (p: type)" or "name () -> type" is no instruction.
  lexer_.Next();
  lexer_.Next();
  bool is_computation = Is(Tok::kName) && lexer_.ByteAt(token().begin) != '%';
  if (Is(Tok::kRParen)) {
    lexer_.Next();
    is_computation = Is(Tok::kArrow);
  }
  lexer_.Reset(begin);
  return is_computation;
}

bool ModuleParser::ParseBareModule() {
  if (!ParseComputations()) return false;
  if (module_->computation_count() == 0) return true;
  const Computation* entry = module_->entry() != nullptr
                                 ? module_->entry()
                                 : module_->computations().back().get();
  module_->set_name(absl::StrCat("module_", entry->name()));
  return true;
}

bool ModuleParser::ParseSingleInstruction() {
  single_instruction_ = reordered_ = row_major_entry_ = true;
  is_scheduled_ = true;
  module_->set_name("_");
  auto computation = Computation::Create(module_.get(), "_");
  Scope* scope = PushScope();
  scope->computation = computation.get();
  scope->makes_parameters = true;
  const size_t begin = token().begin;
  bool named = IsWord("ROOT");
  if (Is(Tok::kName) || Is(Tok::kIdent)) {
    named |= lexer_.ByteAt(lexer_.SkipBlanks(token().end)) == '=';
  }
  if (named || Is(Tok::kAttr)) {
    if (!ParseInstruction(scope)) return false;
  } else {
    Pending pending;
    pending.scope = scope;
    pending.name = "_";
    pending.name_offset = begin;
    if (ParseRhs(&pending) == nullptr) return false;
  }
  // More lines of the same computation.
  while (named && !Is(Tok::kEof) &&
         LooksLikeInstruction(lexer_.text().substr(token().begin))) {
    if (!ParseInstruction(scope)) return false;
  }
  if (named && Is(Tok::kRBrace)) lexer_.Next();
  if (!ExpectEnd()) return false;
  WarnOfParts();
  Finish(scope, std::move(computation), /*is_entry=*/true, begin);
  PopScope();
  single_instruction_ = false;
  for (auto& called : waiting_) Join(std::move(called));
  waiting_.clear();
  return true;
}

bool ModuleParser::ParseComputations() {
  if (Is(Tok::kEof) && !diagnostics_->has_errors()) {
    return ErrorHere("the module has no computation");
  }
  while (!Is(Tok::kEof)) {
    if (diagnostics_->full() || too_deep_) return false;
    if (IsWord("HloModule")) {
      return ErrorHere("a second module begins here; split the text first "
                       "(--split-input-file)");
    }
    if (!ParseComputation() && !RecoverOutside(token().begin)) return false;
  }
  return true;
}

bool ModuleParser::ParseComputation() {
  const bool is_entry = EatWord("ENTRY");
  const size_t offset = token().begin;
  if (!Is(Tok::kName) && !Is(Tok::kIdent)) {
    return Unexpected("a computation");
  }
  const absl::string_view name = token().text;
  if (Is(Tok::kIdent) && (tables_.IsKeyword(name) ||
                          tables_.FindType(name) != kInvalid)) {
    return ErrorHere(absl::StrCat("'", name,
                                  "' cannot be the name of a computation; "
                                  "write %", name));
  }
  lexer_.Next();
  const auto known = computations_.find(name);
  if (known != computations_.end()) {
    Error(offset, absl::StrCat("a second computation '", name, "'"));
    diagnostics_->Note(absl::StrCat("'", name, "' was defined here"),
                       known->first.data() - lexer_.text().data());
  }
  if (is_entry && module_->entry() != nullptr) {
    Error(offset, absl::StrCat("a second ENTRY; '", module_->entry()->name(),
                               "' is the entry already"));
  }
  Shape result;
  size_t result_offset = 0;
  if (Is(Tok::kLParen) && !ParseSignature(&result, &result_offset)) {
    return false;
  }
  std::vector<UnknownItem> unknown;
  if (Is(Tok::kComma) && KeepsAttributes() &&
      !KeepComputationAttributes(/*place=*/"", &unknown)) {
    return false;
  }
  if (!Is(Tok::kLBrace)) return Unexpected("'{' and the computation's body");
  auto computation = Computation::Create(module_.get(), SanitizeName(name));
  Scope* scope = PushScope();
  scope->computation = computation.get();
  const bool complete = ParseBody(scope);
  if (complete) ParseExecutionThread(computation.get());
  if (complete && Is(Tok::kComma) && KeepsAttributes() &&
      !KeepComputationAttributes(/*place=*/"}", &unknown)) {
    return false;
  }
  Computation* joined =
      Finish(scope, std::move(computation), is_entry, offset);
  if (!unknown.empty()) StoreUnknown(*joined, unknown);
  PopScope();
  computations_.emplace(name, joined);
  const Instruction* root = joined->root();
  if (result.IsValid() && root != nullptr && root->shape().IsValid() &&
      !ShapesCompatible(result, root->shape())) {
    Error(result_offset,
          absl::StrCat("the result is declared as ", result.ToString(false),
                       ", the root '", root->name(), "' is ",
                       root->shape().ToString(false)));
  }
  return true;
}

// "(name: type, ...) -> type". Only the result counts.
bool ModuleParser::ParseSignature(Shape* result, size_t* result_offset) {
  if (!ParseParens([&] {
        if (!Is(Tok::kName) && !Is(Tok::kIdent)) {
          return Unexpected("the name of a parameter");
        }
        lexer_.Next();
        Eat(Tok::kColon);
        Shape type;
        return ParseType(&type);
      })) {
    return false;
  }
  if (!Expect(Tok::kArrow, "'->' and the result type")) return false;
  *result_offset = token().begin;
  return ParseType(result);
}

// Whether the end of the body was found; errors have been reported.
bool ModuleParser::ParseBody(Scope* scope) {
  lexer_.Next();
  if (Is(Tok::kRBrace)) ErrorHere("a computation without instructions");
  while (!Eat(Tok::kRBrace)) {
    instruction_is_read_ = false;
    const size_t begin = token().begin;
    if (ParseInstruction(scope)) continue;
    if (diagnostics_->full() || too_deep_ || Is(Tok::kEof)) return false;
    if (IsComputationHeader(begin)) {
      lexer_.Reset(begin);
      return false;
    }
    RecoverInBody(begin, token().begin);
    if (Is(Tok::kEof) || IsComputationHeader(token().begin)) return false;
  }
  return true;
}

bool ModuleParser::IsComputationHeader(size_t offset) const {
  if (scope_depth_ > 1 || offset >= lexer_.size()) return false;
  return offset > 0 && lexer_.ByteAt(offset - 1) == '\n' &&
         LooksLikeComputation(LineAt(lexer_.text(), offset));
}

void ModuleParser::RecoverInBody(size_t begin, size_t offset) {
  // The next instruction may already stand there.
  if (instruction_is_read_) return;
  const absl::string_view text = lexer_.text();
  // Or the line there may be its beginning.
  const size_t line_end = text.substr(0, offset).rfind('\n');
  if (line_end != absl::string_view::npos && line_end > begin &&
      absl::StripAsciiWhitespace(text.substr(line_end, offset - line_end))
          .empty()) {
    offset = line_end;
  }
  while (true) {
    offset = text.find('\n', offset);
    if (offset == absl::string_view::npos) return lexer_.Reset(text.size());
    const size_t line_begin = ++offset;
    while (offset < text.size() && (text[offset] == ' ' ||
                                    text[offset] == '\t')) {
      ++offset;
    }
    const absl::string_view line = LineAt(text, offset);
    if (LooksLikeInstruction(line) || LooksLikeEnd(line) ||
        (scope_depth_ > 1 && absl::StartsWith(line, "}")) ||
        (line_begin == offset && LooksLikeComputation(line))) {
      return lexer_.Reset(offset);
    }
  }
}

// Goes on at the next header of a computation; false if there is none.
bool ModuleParser::RecoverOutside(size_t offset) {
  const absl::string_view text = lexer_.text();
  if (diagnostics_->full() || too_deep_) return false;
  while (true) {
    offset = text.find('\n', offset);
    if (offset == absl::string_view::npos) return false;
    ++offset;
    const absl::string_view line = LineAt(text, offset);
    if (LooksLikeComputation(line)) {
      lexer_.Reset(offset);
      return true;
    }
  }
}

void ModuleParser::ReserveNames(Scope* scope) {
  // Instructions stand on lines of their own, up to a '}' at the beginning of
  // one.
  const char* p = lexer_.text().data() + token().begin;
  const char* end = lexer_.text().data() + lexer_.size();
  size_t lines = 0;
  while ((p = static_cast<const char*>(std::memchr(p, '\n', end - p))) !=
             nullptr &&
         ++p < end && *p != '}') {
    ++lines;
  }
  scope->names.Reserve(scope->names.size() + lines);
}

ModuleParser::Scope* ModuleParser::PushScope() {
  if (scope_depth_ == scopes_.size()) {
    scopes_.push_back(std::make_unique<Scope>());
  }
  Scope* scope = scopes_[scope_depth_++].get();
  scope->names.Clear();
  scope->elements.clear();
  scope->root = nullptr;
  scope->makes_parameters = false;
  scope->parameters = 0;
  return scope;
}

bool ModuleParser::ParseNestedComputation(Computation** computation) {
  Nesting nesting(this);
  if (!nesting.ok()) return false;
  const size_t offset = token().begin;
  reordered_ = true;
  auto nested = Computation::Create(module_.get(), "_");
  Scope* scope = PushScope();
  scope->computation = nested.get();
  const bool complete = ParseBody(scope) && ParseExecutionThread(nested.get());
  *computation = Finish(scope, std::move(nested), /*is_entry=*/false, offset);
  PopScope();
  instruction_is_read_ = false;
  return complete;
}

// ", execution_thread=..." if it is there.
bool ModuleParser::ParseExecutionThread(Computation* computation) {
  const size_t comma = token().begin;
  if (!Eat(Tok::kComma)) return true;
  if (!EatAttr("execution_thread")) {
    lexer_.Reset(comma);
    return true;
  }
  std::string thread;
  if (!ParseString(&thread)) return false;
  if (thread != "main") computation->set_execution_thread(std::move(thread));
  return true;
}

bool ModuleParser::CheckParameters(const Computation& computation,
                                   size_t offset) {
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    if (computation.parameter(i) != nullptr) continue;
    return Error(offset, absl::StrCat("parameter ", i, " of '",
                                      computation.name(), "' is missing"));
  }
  return true;
}

Computation* ModuleParser::Finish(Scope* scope,
                                  std::unique_ptr<Computation> computation,
                                  bool is_entry, size_t offset) {
  if (!diagnostics_->has_errors()) CheckParameters(*computation, offset);
  Instruction* root = scope->root;
  if (root == nullptr && computation->id_limit() > 0) {
    root = computation->InstructionById(computation->id_limit() - 1);
  }
  computation->set_root(root);
  if (!is_entry) return Join(std::move(computation));
  entry_offset_ = offset;
  return module_->AddEntryComputation(std::move(computation));
}

Computation* ModuleParser::Join(std::unique_ptr<Computation> computation) {
  if (!single_instruction_) {
    return module_->AddComputation(std::move(computation));
  }
  waiting_.push_back(std::move(computation));
  return waiting_.back().get();
}

void ModuleParser::MakeEntryLayout() {
  module_->SetEntryLayoutFromEntry();
  if (!row_major_entry_ && !module_->alias_passthrough_params &&
      module_->replica_count == 1 && module_->num_partitions == 1) {
    return;
  }
  ProgramShape& layout = *module_->entry_layout;
  for (Shape& parameter : layout.parameters) MakeRowMajor(&parameter);
  MakeRowMajor(&layout.result);
}

void ModuleParser::FinishModule() {
  if (module_->entry() == nullptr) {
    module_->set_entry(module_->computations().back().get());
  }
  if (!has_entry_layout_) MakeEntryLayout();
  module_->stack_frames = frames_->Take();
  if (reordered_) CompactStackFrames(module_.get());
  SpreadAsyncThreads();
  CheckAsyncComputations();
  CheckAliases();
  if (is_scheduled_) MakeSchedule();
}

void ModuleParser::MakeSchedule() {
  Schedule& schedule = module_->schedule.emplace();
  for (const auto& computation : module_->computations()) {
    if (computation->IsFusionComputation()) continue;
    std::vector<Instruction*>& sequence = schedule[computation.get()];
    sequence.reserve(computation->instruction_count());
    for (Instruction* i : computation->instructions()) sequence.push_back(i);
  }
}

void ModuleParser::CheckAliases() {
  const Computation& entry = *module_->entry();
  auto check_parameter = [&](size_t offset, int64_t number,
                             const ShapeIndex& index) {
    if (number >= entry.parameter_count()) {
      return Error(offset, absl::StrCat("the entry computation has no "
                                        "parameter ", number));
    }
    const Shape& shape = entry.parameter(number)->shape();
    if (shape.IndexIsValid(index)) return true;
    return Error(offset, absl::StrCat("parameter ", number, " of type ",
                                      shape.ToString(false), " has no part ",
                                      ShapeIndexToString(index)));
  };
  const Shape& result = entry.root()->shape();
  const InputOutputAlias* before = nullptr;
  for (const InputOutputAlias& alias : module_->input_output_aliases) {
    if (!result.IndexIsValid(alias.output_index)) {
      Error(aliases_offset_,
            absl::StrCat("the result of type ", result.ToString(false),
                         " has no part ",
                         ShapeIndexToString(alias.output_index)));
    } else if (before != nullptr &&
               before->output_index == alias.output_index) {
      Error(aliases_offset_,
            absl::StrCat("part ", ShapeIndexToString(alias.output_index),
                         " of the result has two aliases"));
    } else {
      check_parameter(aliases_offset_, alias.parameter, alias.parameter_index);
    }
    if (diagnostics_->full()) return;
    before = &alias;
  }
  for (const BufferDonor& donor : module_->buffer_donors) {
    check_parameter(donors_offset_, donor.parameter, donor.parameter_index);
    if (diagnostics_->full()) return;
  }
}

}  // namespace hlokit::parse
