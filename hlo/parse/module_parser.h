// Parses whole modules: header, stack frame tables, computations, instructions.
//
// Errors do not end the work: after one in an instruction, reading goes on at
// the next line that looks like an instruction; the broken one still defines
// its name, with an invalid type, and whatever uses it is not complained about.
#ifndef HLOKIT_HLO_PARSE_MODULE_PARSER_H_
#define HLOKIT_HLO_PARSE_MODULE_PARSER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/module.h"
#include "hlo/ir/name_uniquer.h"
#include "hlo/ir/unknown.h"
#include "hlo/parse/name_table.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {

class ModuleParser : public TextParser {
 public:
  ModuleParser(absl::string_view text, Diagnostics* diagnostics,
               const ParseOptions& options)
      : TextParser(text, diagnostics, options) {}

  // Null when there were errors.
  std::unique_ptr<Module> Parse();

 private:
  using Operands = absl::InlinedVector<Instruction*, 8>;

  // What is known while a computation is read.
  struct Scope {
    Computation* computation = nullptr;
    NameTable names;
    // Elements taken out of tuples by compact operands ("%t#0").
    absl::flat_hash_map<std::pair<Instruction*, int64_t>, Instruction*>
        elements;
    Instruction* root = nullptr;
    // Unknown operands with a type become parameters (a text that is one
    // instruction).
    bool makes_parameters = false;  // see ReadsPart
    int64_t parameters = 0;
  };

  // The attributes of the instruction that is being read, as far as they are
  // not stored in it at once.
  struct Attributes {
    AttrMask seen;
    absl::InlinedVector<std::pair<AttrId, size_t>, 4> places;
    absl::InlinedVector<std::pair<AttrId, Computation*>, 2> computations;
    absl::InlinedVector<Instruction*, 2> control_predecessors;
    bool of_unknown_opcode = false;
    std::vector<UnknownItem> unknown;  // what is kept as text
    bool Has(AttrId id) const { return seen.test(static_cast<int>(id)); }
    // Where it stands; 0 if it does not.
    size_t PlaceOf(AttrId id) const {
      for (const auto& [seen_id, place] : places) {
        if (seen_id == id) return place;
      }
      return 0;
    }
  };

  // One "-start", "-update" or "-done" of an operation that has no opcode of
  // its own for it.
  enum class AsyncPart { kNone, kStart, kUpdate, kDone };

  // An instruction whose operands have been read.
  struct Pending {
    Scope* scope;
    absl::string_view name;
    size_t name_offset = 0;
    Opcode opcode = Opcode::kTuple;
    AsyncPart async = AsyncPart::kNone;
    size_t opcode_offset = 0;
    bool has_type = false;
    Shape type;
    size_t type_offset = 0;
    bool is_operand = false;  // nested: no attributes
    absl::string_view unknown_opcode;
    absl::string_view old_opcode;  // a name that the opcode had once
    Operands operands;
  };

  // module_parser.cc
  bool ParseModuleText();
  bool ParseBareModule();
  bool ParseSingleInstruction();
  bool AtBareModule();
  bool ParseComputations();
  bool ParseComputation();
  bool ParseSignature(Shape* result, size_t* result_offset);
  bool ParseBody(Scope* scope);
  bool ParseNestedComputation(Computation** computation);
  // Whether a line there says that the '}' before it is missing.
  bool IsComputationHeader(size_t offset) const;
  // From an error at `offset` in the instruction that begins at `begin`.
  void RecoverInBody(size_t begin, size_t offset);
  bool RecoverOutside(size_t offset);
  void ReserveNames(Scope* scope);
  Scope* PushScope();
  void PopScope() { --scope_depth_; }
  // Root, parameters, the signature's result; then the computation joins.
  Computation* Finish(Scope* scope, std::unique_ptr<Computation> computation,
                      bool is_entry, size_t offset);
  Computation* Join(std::unique_ptr<Computation> computation);
  bool CheckParameters(const Computation& computation, size_t offset);
  void FinishModule();
  void MakeSchedule();
  void CheckAliases();
  bool ParseExecutionThread(Computation* computation);

  // header_parser.cc
  bool ParseHeader();
  bool ParseHeaderAttribute(absl::string_view name);
  bool SkipHeaderAttribute(size_t begin);
  bool ParseModuleAliases();
  bool ParseBufferDonors();
  bool ParseEntryLayout();
  bool ParsePropagation(std::vector<bool>* flags);
  bool ParseRecoveryTable();
  // The text of a module as a string. XLA prints it on lines of its own and
  // leaves its quotes unescaped; it then ends at the quote on a line of its own
  // that is indented like the first one.
  bool ParseNestedModuleText(std::string* text);
  bool ParseDebugAttributes();
  bool ParseDebugItem(DebugAttributes* attributes);
  bool ParseFrames();
  bool ParseNames(std::vector<std::string>* names);
  bool ParseFrameFields(absl::Span<const absl::string_view> names,
                        absl::Span<int32_t* const> values);

  // instruction_parser.cc
  bool ParseInstruction(Scope* scope);
  // Everything behind "name =". The instruction, null after an error.
  Instruction* ParseRhs(Pending* pending);
  bool ParseOpcode(Pending* pending);
  bool CheckName(const Pending& pending);
  size_t OffsetOfName(absl::string_view name, size_t offset) const;
  // Gives the instruction its name in the scope; an error if that is taken.
  bool Define(const Pending& pending, Instruction* instruction);
  Instruction* Broken(Pending* pending);
  Instruction* Create(Pending* pending);
  bool ParseParameterNumber(const Pending& pending, int64_t* number);
  Instruction* CreateConstant(Pending* pending);
  bool CheckOperandCount(const Pending& pending);

  // unknown_parser.cc. What this version does not know, kept as it is.
  // At the name of an unknown attribute: keeps it behind the attribute `last`.
  bool KeepAttribute(Opcode opcode, absl::string_view last,
                     Attributes* attributes);
  // Keeps a known attribute, which begins at `offset`, whose value has a word
  // that is unknown.
  bool KeepValue(AttrId id, size_t offset, absl::string_view last,
                 Attributes* attributes);
  // At the value of an attribute of an unknown opcode: the computations it names
  // become called ones.
  bool KeepCalls(std::string name, Attributes* attributes, std::string* text);
  // Appends the items to what the instruction keeps.
  void StoreUnknown(Instruction* instruction,
                    const std::vector<UnknownItem>& items);
  bool KeepHeaderAttribute(absl::string_view last,
                           std::vector<UnknownItem>* items);
  // ", name=value" in the header or behind the body of a computation.
  bool KeepComputationAttributes(absl::string_view place,
                                 std::vector<UnknownItem>* items);
  void StoreUnknown(const Computation& computation,
                    const std::vector<UnknownItem>& items);
  Instruction* CreateUnknown(Pending* pending);
  bool ParseUnknownOperands(Pending* pending, std::vector<UnknownItem>* items);
  bool ParseUnknownOperand(Pending* pending, size_t end, std::string* text,
                           bool* plain);
  // A constant whose text is kept: of an unknown type, or with "{...}".
  bool KeepsConstant(const Pending& pending) const;
  Instruction* KeepConstant(Pending* pending, size_t begin);

  // part_parser.cc. Lines cut out of a program, and old forms.
  // Whether the text is a part of a computation, without its header: operands
  // that it does not define become parameters, computations stand-ins.
  bool ReadsPart() const { return single_instruction_ && scope_depth_ == 1; }
  Computation* MakeStandIn();
  void FillStandIns(const Instruction& instruction, const Pending& pending,
                    const Attributes& attributes);
  // The type that an operand must have by the use in hand; nullopt if the use
  // does not tell.
  std::optional<Shape> OperandTypeByUse(const Pending& pending) const;
  void WarnOfParts();
  bool FindOldOpcode(absl::string_view name, Pending* pending);
  void ApplyOldForm(const Pending& pending, Instruction* instruction,
                    Attributes* attributes);
  bool ParseOldAttribute(absl::string_view name, Instruction* target,
                         bool* was_old);
  bool NoAttributeBehind(size_t comma);
  bool SkipOldConstantType(const Shape& type);

  // operand_parser.cc
  bool ParseOperands(Pending* pending);
  bool ParseOperand(Pending* pending);
  bool ParseNestedOperand(Pending* pending, bool has_type, Shape type,
                          size_t type_offset);
  void NameAnonymous(Pending* pending);
  Instruction* FindOperand(Scope* scope, absl::string_view name, size_t offset,
                           const Shape* type);
  bool ParseElementOf(Scope* scope, Instruction** operand);

  // attribute_parser.cc
  bool ParseAttributes(Opcode opcode, Scope* scope, Instruction* target,
                       bool allow_async, Attributes* attributes);
  bool ParseAttribute(AttrId id, Scope* scope, Instruction* target,
                      Attributes* attributes);
  bool ParseStored(AttrId id, AttrKind kind, AttributeSet* attrs);
  bool ParseEnumWord(AttrId id, int64_t* value);
  bool StoreInt64(AttrId id, int64_t value, size_t offset, AttributeSet* attrs);
  bool StoreEnum(AttrId id, AttributeSet* attrs);
  bool ParseComputationName(Computation** computation);
  bool ParseControlPredecessors(Scope* scope, Attributes* attributes);
  bool ParseShardingAttribute(AttributeSet* attrs);
  template <typename T, typename Reader>
  bool ParseShared(AttrId id, AttributeSet* attrs, Reader read);

  // instruction_rules.cc. What holds between operands, attributes and type.
  bool FinishInstruction(Instruction* instruction, const Pending& pending,
                         const Attributes& attributes);
  bool SetCalledComputations(Instruction* instruction, const Pending& pending,
                             const Attributes& attributes);
  bool CheckDimensionCounts(const Instruction& instruction,
                            const Pending& pending,
                            const Attributes& attributes);
  bool ApplyOpcodeRules(Instruction* instruction, const Pending& pending,
                        const Attributes& attributes);
  bool ApplyChannelRules(const Instruction& instruction, const Pending& pending,
                         const Attributes& attributes);
  bool ApplyTransferRules(Instruction* instruction, const Pending& pending,
                          const Attributes& attributes);
  bool ApplyConditionalRules(const Instruction& instruction,
                             const Pending& pending,
                             const Attributes& attributes);
  bool ApplyCustomCallRules(const Instruction& instruction,
                            const Pending& pending,
                            const Attributes& attributes);
  bool InferType(Instruction* instruction, const Pending& pending);
  bool ExpandSharding(Instruction* instruction, size_t offset);

  // async_parser.cc
  bool FindAsyncOpcode(absl::string_view name, Pending* pending);
  Instruction* CreateAsyncStart(Pending* pending);
  Instruction* CreateAsyncFollower(Pending* pending);
  bool FinishAsyncFollower(Instruction* instruction, const Pending& pending,
                           const Attributes& attributes);
  void BindLate(const Instruction& update, int64_t bound,
                Computation* wrapper);
  // What a start, update or done says of metadata, configuration, frontend
  // attributes, statistics and origin holds for the wrapped operation too, as
  // XLA has it; the last one counts.
  void ShareWithWrapped(const Instruction& part, Computation* wrapper);
  // Whatever an async-start reaches runs in its thread, nested starts included,
  // whatever was written there: XLA sets the thread when it makes the start.
  void SpreadAsyncThreads();
  void CheckAsyncComputations();
  // Without entry_computation_layout the entry's own types count; in row-major
  // order when the header says anything of the module's configuration, as XLA
  // has it.
  void MakeEntryLayout();


  std::unique_ptr<Module> module_;
  absl::flat_hash_map<absl::string_view, Computation*> computations_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  size_t scope_depth_ = 0;
  NameUniquer anonymous_names_;
  // In the text of one instruction the entry joins before what it calls.
  bool single_instruction_ = false;
  std::vector<std::unique_ptr<Computation>> waiting_;
  // Of computations that a part of a program calls, not filled yet.
  std::vector<std::unique_ptr<Computation>> stand_ins_;
  // Operands without a type that became parameters, and the first of them.
  int64_t made_parameters_ = 0;
  size_t first_made_ = 0;
  absl::string_view first_made_name_;
  bool renumbers_parameters_ = false;
  // After an error: whether all of the instruction had been read.
  bool instruction_is_read_ = false;
  bool is_scheduled_ = false;
  bool has_entry_layout_ = false;
  // Set by allow_spmd_... lists that are not empty and by the text of a single
  // instruction; see MakeEntryLayout.
  bool row_major_entry_ = false;
  // Whether instructions stand elsewhere in the module than in the text, so
  // that frames must be dealt once more.
  bool reordered_ = false;
  size_t aliases_offset_ = 0;
  size_t donors_offset_ = 0;
  size_t entry_offset_ = 0;
  // Leaves of inferred tuple types, which a short text could make huge.
  int64_t inferred_parts_ = 0;
  std::vector<Instruction*> async_start_order_;  // as they were made
  // The start of the chain that an async-update or async-done belongs to.
  absl::flat_hash_map<const Instruction*, const Instruction*> async_starts_;
  absl::flat_hash_map<absl::string_view, std::shared_ptr<const Sharding>>
      shardings_;
};

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_MODULE_PARSER_H_
