#include "passes/simplify/algsimp.h"

#include <array>
#include <vector>

#include "passes/simplify/algsimp_rules.h"

namespace hlokit {
namespace {

using algsimp::Rule;
using RuleList = std::vector<Rule>;

// Rules by opcode, in the order of the tables.
const std::array<RuleList, kOpcodeCount>& RulesByOpcode() {
  static const auto* table = [] {
    auto* rules = new std::array<RuleList, kOpcodeCount>;
    for (absl::Span<const Rule> family :
         {algsimp::ArithmeticRules(), algsimp::LogicRules(),
          algsimp::CompareRules(), algsimp::ConvertRules(),
          algsimp::MovementRules(), algsimp::SliceRules(),
          algsimp::DotRules(), algsimp::ReduceRules()}) {
      for (const Rule& rule : family) {
        if (rule.opcode != Opcode::kParameter) {
          (*rules)[static_cast<int>(rule.opcode)].push_back(rule);
          continue;
        }
        for (const OpcodeInfo& info : AllOpcodes()) {
          if (IsElementwise(info.opcode)) {
            (*rules)[static_cast<int>(info.opcode)].push_back(rule);
          }
        }
      }
    }
    return rules;
  }();
  return *table;
}

bool MayLookAt(const Instruction& i) {
  // Of what has no rules, types may be as wide as a tuple.
  if (RulesByOpcode()[static_cast<int>(i.opcode())].empty()) return false;
  if (!i.control_predecessors().empty() || !i.control_successors().empty() ||
      i.shape().is_dynamic()) {
    return false;
  }
  // The other elements of a tuple are nobody's business.
  if (i.opcode() == Opcode::kGetTupleElement) return true;
  for (const Instruction* operand : i.operands()) {
    if (operand->shape().is_dynamic()) return false;
  }
  return true;
}

class Simplifier {
 public:
  Simplifier(Computation* computation, bool layout_sensitive, bool exact,
             std::optional<Rewrite> only)
      : computation_(computation),
        layout_sensitive_(layout_sensitive),
        exact_(exact),
        only_(only) {}

  bool Run() {
    // Every rule makes a module smaller or simpler; the budget is for the one
    // that one day does not.
    budget_ = 20 * computation_->instruction_count() + 1000;
    bool changed = false;
    // A second look at everything finds what depends on numbers of users.
    for (int sweep = 0; sweep < 8; ++sweep) {
      for (Instruction* i : computation_->PostOrder()) Push(i);
      if (!Drain()) break;
      changed = true;
    }
    return changed;
  }

 private:
  void Push(const Instruction* i) {
    const size_t id = i->id();
    if (id >= queued_.size()) queued_.resize(computation_->id_limit());
    if (queued_[id]) return;
    queued_[id] = true;
    work_.push_back(id);
  }

  bool Drain() {
    bool changed = false;
    // The list grows while it is worked off.
    for (size_t next = 0; next < work_.size(); ++next) {
      const int64_t id = work_[next];
      queued_[id] = false;
      Instruction* i = computation_->InstructionById(id);
      if (i == nullptr || (i->users().empty() && !i->IsRoot())) continue;
      if (MayLookAt(*i) && budget_ > 0) changed |= Simplify(i);
    }
    work_.clear();
    return changed;
  }

  // Integers are the same after every rewrite.
  bool MayApply(const Rule& rule, const Instruction& i) const {
    if (only_.value_or(rule.rewrite) != rule.rewrite) return false;
    return !exact_ || InfoOf(rule.rewrite).exact() || !i.shape().IsArray() ||
           IsIntegerType(i.shape().element_type()) ||
           i.shape().element_type() == kPred;
  }

  bool Simplify(Instruction* i) {
    for (const Rule& rule : RulesByOpcode()[static_cast<int>(i->opcode())]) {
      if (!MayApply(rule, *i)) continue;
      const int64_t first_new = computation_->id_limit();
      Builder b(i);
      Instruction* replacement = rule.apply(b, i);
      if (replacement == nullptr) continue;
      if (!Fits(*i, replacement, first_new)) {
        Discard(first_new);
        continue;
      }
      --budget_;
      ReplaceInstruction(i, replacement);
      for (int64_t id = first_new; id < computation_->id_limit(); ++id) {
        if (Instruction* added = computation_->InstructionById(id)) {
          Push(added);
        }
      }
      Push(replacement);
      for (const Instruction* user : replacement->users()) Push(user);
      return true;
    }
    return false;
  }

  bool Fits(const Instruction& i, Instruction* replacement,
            int64_t first_new) const {
    if (!ShapesCompatible(i.shape(), replacement->shape())) return false;
    if (i.IsRoot() && i.sharding() != nullptr &&
        replacement->id() < first_new && replacement->sharding() == nullptr) {
      return false;
    }
    if (!layout_sensitive_ || i.shape() == replacement->shape()) return true;
    // Only what is new can still be given the layout, and only where that asks
    // nothing of operands.
    if (replacement->id() < first_new) return false;
    for (const Instruction* operand : replacement->operands()) {
      if (operand->shape().rank() != 0) return false;
    }
    replacement->set_shape(i.shape());
    return true;
  }

  void Discard(int64_t first_new) {
    for (int64_t id = computation_->id_limit() - 1; id >= first_new; --id) {
      Instruction* added = computation_->InstructionById(id);
      if (added != nullptr && added->users().empty()) {
        computation_->Remove(added);
      }
    }
  }

  Computation* computation_;
  bool layout_sensitive_;
  bool exact_;
  std::optional<Rewrite> only_;
  int64_t budget_ = 0;
  std::vector<int64_t> work_;
  std::vector<bool> queued_;
};

}  // namespace

absl::StatusOr<bool> AlgebraicSimplifier::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    changed |= Simplifier(computation, layout_sensitive_, exact_arithmetic(),
                          only_)
                   .Run();
  }
  return changed;
}

}  // namespace hlokit
