// Instructions: one operation of a computation.
//
// Instructions are made by Computation::Add and owned by their computation.
// Operands, users and called computations are plain pointers into the same
// module. What an opcode may have besides operands stands in opcodes.def; the
// values are read with attrs() or the short accessors here.
#ifndef HLOKIT_HLO_IR_INSTRUCTION_H_
#define HLOKIT_HLO_IR_INSTRUCTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/user_list.h"

namespace hlokit {

class Computation;
class Module;

// 64 bytes are a cache line: walks over the graph need only the first of the
// three (see the members).
class alignas(64) Instruction {
 public:
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;
  ~Instruction();

  Opcode opcode() const { return opcode_; }
  const Shape& shape() const { return shape_; }
  void set_shape(Shape shape) { shape_ = std::move(shape); }
  // Unique in the module once its computation has joined it.
  absl::string_view name() const { return name_; }
  // Index in the computation; see Computation. unique_id() is the number that
  // protos use: computation id << 32 | id.
  int64_t id() const { return id_; }
  inline int64_t unique_id() const;
  Computation* parent() const { return parent_; }
  inline Module* module() const;

  absl::Span<Instruction* const> operands() const { return operands_; }
  int64_t operand_count() const { return operands_.size(); }
  Instruction* operand(int64_t i) const { return operands_[i]; }
  // Position of the first use as an operand, -1 if none.
  int64_t OperandIndex(const Instruction* operand) const;
  // Each user once, in the order in which they came.
  absl::Span<Instruction* const> users() const { return users_.view(); }
  int64_t user_count() const { return users_.size(); }
  bool IsUserOf(const Instruction* operand) const {
    return OperandIndex(operand) >= 0;
  }
  inline bool IsRoot() const;

  // kParameter's number, kGetTupleElement's index.
  int64_t parameter_number() const { return number_; }
  int64_t tuple_index() const { return number_; }
  void set_number(int64_t number) { number_ = number; }
  // kConstant's value or custom-call's `literal=`; null when it has none.
  const Literal* literal() const { return attrs_.Get<Literal>(AttrId::kLiteral); }
  void set_literal(Literal literal);

  const AttributeSet& attrs() const { return attrs_; }
  AttributeSet& mutable_attrs() { return attrs_; }
  absl::Span<const int64_t> dimensions() const {
    return attrs_.GetList(AttrId::kDimensions);
  }
  int64_t dimension(int64_t i) const { return dimensions()[i]; }
  const Window* window() const { return attrs_.Get<Window>(AttrId::kWindow); }
  const Sharding* sharding() const {
    return attrs_.Get<Sharding>(AttrId::kSharding);
  }
  // Raw bytes, empty when there is none.
  absl::string_view backend_config() const {
    return attrs_.GetString(AttrId::kBackendConfig);
  }
  absl::string_view custom_call_target() const {
    return attrs_.GetString(AttrId::kCustomCallTarget);
  }
  ComparisonDirection comparison_direction() const {
    return static_cast<ComparisonDirection>(
        attrs_.GetInt(AttrId::kComparisonDirection));
  }
  // The explicit type, or the default of operand 0's element type.
  ComparisonType comparison_type() const;

  // Never null; empty metadata when none is set.
  const OpMetadata& metadata() const;
  bool has_metadata() const { return metadata_ != nullptr; }
  void set_metadata(OpMetadata metadata);
  void set_metadata(std::shared_ptr<const OpMetadata> metadata) {
    metadata_ = std::move(metadata);
  }
  const std::shared_ptr<const OpMetadata>& shared_metadata() const {
    return metadata_;
  }

  // In the order of the proto: `while` body, condition; select-and-scatter
  // select, scatter; conditional its branches.
  absl::Span<Computation* const> called_computations() const {
    return rare_ ? absl::MakeConstSpan(rare_->called)
                 : absl::Span<Computation* const>();
  }
  Computation* called_computation(int64_t i) const {
    return rare_->called[i];
  }
  // The only one (to_apply, calls).
  Computation* to_apply() const { return called_computation(0); }
  Computation* while_body() const { return called_computation(0); }
  Computation* while_condition() const { return called_computation(1); }
  void set_called_computations(std::vector<Computation*> computations);
  void ReplaceCalledComputation(Computation* from, Computation* to);

  absl::Span<Instruction* const> control_predecessors() const {
    return rare_ ? absl::MakeConstSpan(rare_->control_predecessors)
                 : absl::Span<Instruction* const>();
  }
  absl::Span<Instruction* const> control_successors() const {
    return rare_ ? absl::MakeConstSpan(rare_->control_successors)
                 : absl::Span<Instruction* const>();
  }
  void AddControlPredecessor(Instruction* predecessor);
  void DropControlDependencies();

  // Operations on the graph. Types are not checked; the verifier does that.
  void AppendOperand(Instruction* operand);
  // Of so many that will be appended.
  void ReserveOperands(size_t count) { operands_.reserve(count); }
  void ReplaceOperand(int64_t i, Instruction* operand);
  // All users take `other` instead; so does the root and (with control
  // dependencies kept on this instruction) nothing else changes.
  void ReplaceAllUsesWith(Instruction* other);
  // Removes nothing, but nobody may use this instruction's result afterwards
  // other than `except`.
  void ReplaceUsesExcept(Instruction* except, Instruction* other);

  // Of an async-start, async-update or async-done: the start of the chain (over
  // operands 0), null when the chain is broken.
  const Instruction* AsyncStart() const;
  // The computation that the chain wraps and its root; null when unknown.
  Computation* async_wrapped_computation() const;
  Instruction* async_wrapped_instruction() const;

  // An instruction whose execution can be seen from outside, or that must stay
  // for other reasons: infeed, outfeed, send, recv, collectives with channels,
  // custom-calls marked so, rng state, and calls of computations that contain
  // one.
  bool HasSideEffect() const;

 private:
  friend class Computation;
  friend class Module;
  friend struct InstructionDeleter;
  struct Rare {
    std::vector<Computation*> called;
    std::vector<Instruction*> control_predecessors;
    std::vector<Instruction*> control_successors;
  };
  Instruction(Computation* parent, Opcode opcode, Shape shape)
      : shape_(std::move(shape)), parent_(parent), opcode_(opcode) {}
  Rare& rare() {
    if (!rare_) rare_ = std::make_unique<Rare>();
    return *rare_;
  }
  // Whether `user` is among the users; looks at the shorter of two lists.
  bool IsUsedBy(const Instruction* user) const;

  // The graph.
  absl::InlinedVector<Instruction*, 2> operands_;
  UserList users_;
  int64_t id_ = -1;
  std::unique_ptr<Rare> rare_;
  // What most instructions have.
  absl::string_view name_;  // in the module's name storage
  Shape shape_;
  Computation* parent_;
  int64_t number_ = 0;
  std::shared_ptr<const OpMetadata> metadata_;
  Opcode opcode_;
  // The rest.
  AttributeSet attrs_;
};

// Gives an instruction back to the pool of its module.
struct InstructionDeleter {
  void operator()(Instruction* instruction) const;
};
using OwnedInstruction = std::unique_ptr<Instruction, InstructionDeleter>;

}  // namespace hlokit

// Short functions that need it are defined there.
#include "hlo/ir/computation.h"

#endif  // HLOKIT_HLO_IR_INSTRUCTION_H_
