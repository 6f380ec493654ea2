#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/ir/shape.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

constexpr absl::string_view kStructureRule = "structure";

// Number of called computations that an opcode must have, -1: any.
int CalledCount(const OpcodeInfo& info) {
  int count = 0;
  for (const OpcodeAttribute& attribute : info.attributes) {
    AttrKind kind = InfoOf(attribute.id).kind;
    if (kind == AttrKind::kComputationList) return -1;
    if (kind == AttrKind::kComputation && attribute.required) ++count;
  }
  return count;
}

int CalledCount(Opcode opcode) {
  static const std::array<int, kOpcodeCount>& counts = *[] {
    auto* result = new std::array<int, kOpcodeCount>;
    for (const OpcodeInfo& info : AllOpcodes()) {
      (*result)[static_cast<int>(info.opcode)] = CalledCount(info);
    }
    return result;
  }();
  return counts[static_cast<int>(opcode)];
}

class StructureChecker {
 public:
  explicit StructureChecker(Checker& checker) : checker_(checker) {}

  void Run() {
    const Module& module = checker_.module();
    if (module.name().empty()) {
      checker_.Report(nullptr, kStructureRule, "the module has no name");
    }
    if (!CollectComputations()) return;
    CheckEntry();
    for (const auto& computation : module.computations()) {
      CheckComputation(*computation);
      if (checker_.full()) return;
    }
    if (checker_.unsound()) return;
    for (const auto& computation : module.computations()) {
      CheckAcyclic(*computation);
    }
    if (!checker_.unsound()) CheckCallsAcyclic();
    CheckNames();
  }

 private:
  template <typename... Args>
  void Unsound(const Instruction* i, const absl::FormatSpec<Args...>& format,
               const Args&... args) {
    checker_.Reportf(i, kStructureRule, format, args...);
    checker_.MarkUnsound();
  }

  bool CollectComputations() {
    for (const auto& computation : checker_.module().computations()) {
      if (computation == nullptr) {
        Unsound(nullptr, "a computation is missing");
        return false;
      }
      if (computation->module() != &checker_.module()) {
        Unsound(nullptr, "computation %s belongs to another module",
                computation->name());
      }
      known_.insert(computation.get());
    }
    return true;
  }

  void CheckEntry() {
    const Computation* entry = checker_.module().entry();
    if (entry == nullptr) {
      Unsound(nullptr, "the module has no entry computation");
    } else if (!known_.contains(entry)) {
      Unsound(nullptr, "the entry computation is not part of the module");
    } else if (entry->IsFusionComputation()) {
      checker_.Reportf(nullptr, kStructureRule,
                       "the entry computation %s is the body of a fusion",
                       entry->name());
    }
  }

  void CheckComputation(const Computation& computation) {
    int64_t count = 0;
    bool root_seen = false;
    for (const Instruction* i : computation.instructions()) {
      ++count;
      if (i == computation.root()) root_seen = true;
      CheckInstruction(*i, computation);
      if (checker_.full()) return;
    }
    if (count == 0) {
      Unsound(nullptr, "computation %s has no instructions",
              computation.name());
    } else if (computation.root() == nullptr) {
      Unsound(nullptr, "computation %s has no root", computation.name());
    } else if (!root_seen) {
      Unsound(nullptr, "the root of computation %s is not one of its "
              "instructions",
              computation.name());
    }
    CheckParameters(computation);
  }

  void CheckParameters(const Computation& computation) {
    for (int64_t n = 0; n < computation.parameter_count(); ++n) {
      if (computation.parameter(n) == nullptr) {
        Unsound(nullptr,
                "parameter %d of computation %s is missing: parameters must "
                "be numbered 0 to %d",
                n, computation.name(), computation.parameter_count() - 1);
        return;
      }
    }
  }

  void CheckInstruction(const Instruction& i, const Computation& computation) {
    if (i.parent() != &computation) {
      Unsound(&i, "the instruction does not belong to computation %s",
              computation.name());
    }
    CheckNeighbours(i, computation, i.operands(), "operand");
    CheckNeighbours(i, computation, i.control_predecessors(),
                    "control predecessor");
    for (const Computation* callee : i.called_computations()) {
      if (callee == nullptr) {
        Unsound(&i, "a called computation is missing");
      } else if (!known_.contains(callee)) {
        Unsound(&i, "a called computation is not part of the module");
      }
    }
    absl::Status shape = ValidateShape(i.shape());
    if (!shape.ok()) {
      Unsound(&i, "%s", shape.message());
    } else if (!i.shape().IsValid()) {
      Unsound(&i, "the instruction has no type");
    }
    if (i.opcode() == Opcode::kParameter) CheckNumber(i, computation);
    CheckCounts(i);
  }

  void CheckNeighbours(const Instruction& i, const Computation& computation,
                       absl::Span<Instruction* const> neighbours,
                       absl::string_view what) {
    for (const Instruction* neighbour : neighbours) {
      if (neighbour == nullptr) {
        Unsound(&i, "an %s is missing", what);
      } else if (neighbour->parent() != &computation) {
        Unsound(&i, "%s %%%s is in another computation", what,
                neighbour->name());
      }
    }
  }

  void CheckNumber(const Instruction& i, const Computation& computation) {
    int64_t number = i.parameter_number();
    if (number < 0 || number >= computation.parameter_count()) {
      Unsound(&i, "parameter number %d is not registered", number);
      return;
    }
    const Instruction* registered = computation.parameter(number);
    if (registered != nullptr && registered != &i) {
      Unsound(&i, "parameter number %d is taken by %%%s already", number,
              registered->name());
    }
  }

  void CheckCounts(const Instruction& i) {
    const OpcodeInfo& info = InfoOf(i.opcode());
    // Shape inference looks at the third operand of an old rng.
    const bool is_old_rng =
        i.opcode() == Opcode::kRng && i.operand_count() == 3;
    if (info.arity >= 0 && i.operand_count() != info.arity && !is_old_rng) {
      checker_.Reportf(&i, kStructureRule, "expected %d operand%s, found %d",
                       info.arity, info.arity == 1 ? "" : "s",
                       i.operand_count());
      checker_.MarkBroken(&i);
    }
    int wanted = CalledCount(i.opcode());
    int64_t found = i.called_computations().size();
    if (wanted >= 0 && found != wanted) {
      checker_.Reportf(&i, kStructureRule,
                       "expected %d called computation%s, found %d", wanted,
                       wanted == 1 ? "" : "s", found);
      checker_.MarkBroken(&i);
    }
  }

  // Colours of a depth-first walk over operands and control predecessors.
  void CheckAcyclic(const Computation& computation) {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> colours(computation.id_limit(), kNew);
    struct Frame {
      const Instruction* instruction;
      size_t next;
    };
    std::vector<Frame> stack;
    for (const Instruction* start : computation.instructions()) {
      if (colours[start->id()] != kNew) continue;
      stack.push_back({start, 0});
      colours[start->id()] = kOpen;
      while (!stack.empty()) {
        Frame& top = stack.back();
        size_t operands = top.instruction->operand_count();
        size_t all = operands + top.instruction->control_predecessors().size();
        if (top.next == all) {
          colours[top.instruction->id()] = kDone;
          stack.pop_back();
          continue;
        }
        size_t n = top.next++;
        const Instruction* next =
            n < operands ? top.instruction->operand(n)
                         : top.instruction->control_predecessors()[n -
                                                                   operands];
        if (colours[next->id()] == kOpen) {
          Unsound(top.instruction, "depends on itself through %%%s",
                  next->name());
          return;
        }
        if (colours[next->id()] == kNew) {
          colours[next->id()] = kOpen;
          stack.push_back({next, 0});
        }
      }
    }
  }

  // No computation may reach itself through calls.
  void CheckCallsAcyclic() {
    absl::flat_hash_map<const Computation*, std::vector<const Computation*>>
        callees;
    for (const auto& computation : checker_.module().computations()) {
      std::vector<const Computation*>& list = callees[computation.get()];
      for (const Instruction* i : computation->instructions()) {
        for (const Computation* c : i->called_computations()) {
          list.push_back(c);
        }
      }
    }
    absl::flat_hash_set<const Computation*> open, done;
    std::vector<std::pair<const Computation*, size_t>> stack;
    for (const auto& computation : checker_.module().computations()) {
      if (done.contains(computation.get())) continue;
      stack.push_back({computation.get(), 0});
      open.insert(computation.get());
      while (!stack.empty()) {
        auto& [top, next] = stack.back();
        const std::vector<const Computation*>& list = callees[top];
        if (next == list.size()) {
          open.erase(top);
          done.insert(top);
          stack.pop_back();
          continue;
        }
        const Computation* callee = list[next++];
        if (open.contains(callee)) {
          Unsound(nullptr, "computation %s calls itself through %s",
                  callee->name(), top->name());
          return;
        }
        if (done.contains(callee)) continue;
        open.insert(callee);
        stack.push_back({callee, 0});
      }
    }
  }

  void CheckNames() {
    absl::flat_hash_set<absl::string_view> computations, instructions;
    for (const auto& computation : checker_.module().computations()) {
      if (!computations.insert(computation->name()).second) {
        checker_.Reportf(nullptr, kStructureRule, "two computations are called %s",
                         computation->name());
      }
      for (const Instruction* i : computation->instructions()) {
        if (i->name().empty()) {
          checker_.Report(i, kStructureRule, "the instruction has no name");
        } else if (!instructions.insert(i->name()).second) {
          checker_.Reportf(i, kStructureRule, "the name %s is taken already",
                           i->name());
        }
        if (checker_.full()) return;
      }
    }
  }

  Checker& checker_;
  absl::flat_hash_set<const Computation*> known_;
};

}  // namespace

void CheckStructure(Checker& checker) { StructureChecker(checker).Run(); }

}  // namespace hlokit::verify
