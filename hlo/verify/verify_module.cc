#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

// Parts of the entry's parameters and result that share buffers.
class AliasChecker {
 public:
  explicit AliasChecker(Checker& checker)
      : checker_(checker), entry_(*checker.module().entry()) {}

  void Run() {
    for (const InputOutputAlias& alias :
         checker_.module().input_output_aliases) {
      CheckAlias(alias);
    }
    for (const BufferDonor& donor : checker_.module().buffer_donors) {
      CheckDonor(donor);
    }
  }

 private:
  using Leaf = std::pair<int64_t, ShapeIndex>;

  // The array that a parameter index names; null after a finding.
  const Shape* ParameterLeaf(absl::string_view rule, int64_t parameter,
                             const ShapeIndex& index) {
    if (parameter < 0 || parameter >= entry_.parameter_count()) {
      checker_.Reportf(nullptr, rule,
                       "parameter %d is outside of the entry's %d parameters",
                       parameter, entry_.parameter_count());
      return nullptr;
    }
    const Shape& shape = entry_.parameter(parameter)->shape();
    if (!shape.IndexIsValid(index) || !shape.Subshape(index).IsArray()) {
      checker_.Reportf(nullptr, rule,
                       "index %s does not name an array in parameter %d, %s",
                       ShapeIndexToString(index), parameter,
                       infer::TypeText(shape));
      return nullptr;
    }
    return &shape.Subshape(index);
  }

  void CheckAlias(const InputOutputAlias& alias) {
    constexpr absl::string_view kRule = "input output alias";
    const Shape& result = entry_.root()->shape();
    if (!result.IndexIsValid(alias.output_index) ||
        !result.Subshape(alias.output_index).IsArray()) {
      checker_.Reportf(nullptr, kRule,
                       "output index %s does not name an array in %s",
                       ShapeIndexToString(alias.output_index),
                       infer::TypeText(result));
      return;
    }
    const Shape* leaf =
        ParameterLeaf(kRule, alias.parameter, alias.parameter_index);
    if (leaf == nullptr) return;
    if (!outputs_.insert(alias.output_index).second) {
      checker_.Reportf(nullptr, kRule, "output %s is aliased twice",
                       ShapeIndexToString(alias.output_index));
    }
    if (!aliased_.insert(Leaf(alias.parameter, alias.parameter_index))
             .second) {
      checker_.Reportf(nullptr, kRule,
                       "part %s of parameter %d is aliased twice",
                       ShapeIndexToString(alias.parameter_index),
                       alias.parameter);
    }
    if (checker_.options().layout_sensitive) {
      CheckSizes(kRule, alias, *leaf, result.Subshape(alias.output_index));
    }
  }

  void CheckSizes(absl::string_view rule, const InputOutputAlias& alias,
                  const Shape& in, const Shape& out) {
    if (ByteSizeOf(in) != ByteSizeOf(out)) {
      checker_.Reportf(nullptr, rule,
                       "output %s has %d bytes, its parameter %d has %d",
                       ShapeIndexToString(alias.output_index),
                       ByteSizeOf(out), alias.parameter, ByteSizeOf(in));
    } else if (alias.kind == InputOutputAlias::kMustAlias && in != out) {
      checker_.Reportf(nullptr, rule,
                       "output %s must alias parameter %d but the types "
                       "differ: %s and %s",
                       ShapeIndexToString(alias.output_index),
                       alias.parameter, out.ToString(), in.ToString());
    }
  }

  void CheckDonor(const BufferDonor& donor) {
    constexpr absl::string_view kRule = "buffer donor";
    if (ParameterLeaf(kRule, donor.parameter, donor.parameter_index) ==
        nullptr) {
      return;
    }
    Leaf leaf(donor.parameter, donor.parameter_index);
    if (aliased_.contains(leaf)) {
      checker_.Reportf(nullptr, kRule,
                       "part %s of parameter %d is aliased already",
                       ShapeIndexToString(donor.parameter_index),
                       donor.parameter);
    }
    if (!donors_.insert(leaf).second) {
      checker_.Reportf(nullptr, kRule,
                       "part %s of parameter %d is named twice",
                       ShapeIndexToString(donor.parameter_index),
                       donor.parameter);
    }
  }

  Checker& checker_;
  const Computation& entry_;
  absl::flat_hash_set<ShapeIndex> outputs_;
  absl::flat_hash_set<Leaf> aliased_, donors_;
};

class ScheduleChecker {
 public:
  explicit ScheduleChecker(Checker& checker) : checker_(checker) {}

  void Run() {
    const Schedule& schedule = *checker_.module().schedule;
    absl::flat_hash_set<const Computation*> known;
    for (const auto& c : checker_.module().computations()) {
      known.insert(c.get());
    }
    int64_t sequences = 0;
    // In module order, so that findings have an order.
    for (const auto& c : checker_.module().computations()) {
      auto it = schedule.find(c.get());
      if (it == schedule.end()) continue;
      ++sequences;
      CheckSequence(*c, it->second);
      if (checker_.full()) return;
    }
    if (sequences != static_cast<int64_t>(schedule.size())) {
      checker_.Report(nullptr, kRule,
                      "the schedule names computations that are not there");
    }
    for (const Computation* c : Reachable()) {
      if (schedule.contains(c)) continue;
      checker_.Reportf(nullptr, kRule, "computation %s is not scheduled",
                       c->name());
    }
  }

 private:
  static constexpr absl::string_view kRule = "schedule";

  void CheckSequence(const Computation& computation,
                     const std::vector<Instruction*>& sequence) {
    std::vector<bool> done(computation.id_limit(), false);
    for (const Instruction* i : sequence) {
      if (i == nullptr || i->parent() != &computation) {
        checker_.Reportf(nullptr, kRule,
                         "the sequence of %s has an instruction that is not "
                         "part of it",
                         computation.name());
        return;
      }
      if (done[i->id()]) {
        checker_.Reportf(i, kRule, "is scheduled twice in %s",
                         computation.name());
        return;
      }
      CheckBefore(*i, i->operands(), done);
      CheckBefore(*i, i->control_predecessors(), done);
      done[i->id()] = true;
    }
    if (static_cast<int64_t>(sequence.size()) ==
        computation.instruction_count()) {
      return;
    }
    for (const Instruction* i : computation.instructions()) {
      if (done[i->id()]) continue;
      checker_.Reportf(i, kRule, "is missing from the sequence of %s",
                       computation.name());
      return;
    }
  }

  void CheckBefore(const Instruction& i,
                   absl::Span<Instruction* const> predecessors,
                   const std::vector<bool>& done) {
    for (const Instruction* predecessor : predecessors) {
      if (done[predecessor->id()]) continue;
      checker_.Reportf(&i, kRule, "is scheduled before %%%s, which it needs",
                       predecessor->name());
      return;
    }
  }

  // Computations that run as a whole: reached from the entry, bodies of
  // fusions and what only these call left out.
  std::vector<const Computation*> Reachable() const {
    std::vector<const Computation*> found = {checker_.module().entry()};
    absl::flat_hash_set<const Computation*> seen(found.begin(), found.end());
    for (size_t n = 0; n < found.size(); ++n) {
      for (const Instruction* i : found[n]->instructions()) {
        if (i->opcode() == Opcode::kFusion) continue;
        for (const Computation* callee : i->called_computations()) {
          if (seen.insert(callee).second) found.push_back(callee);
        }
      }
    }
    return found;
  }

  Checker& checker_;
};

}  // namespace

void CheckAliases(Checker& checker) { AliasChecker(checker).Run(); }

void CheckSchedule(Checker& checker) {
  if (checker.module().is_scheduled()) ScheduleChecker(checker).Run();
}

}  // namespace hlokit::verify
