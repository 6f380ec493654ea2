#include "passes/backend/multi_output_fusion.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/reachability.h"
#include "passes/builders.h"
#include "passes/control/inline.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxResults = 16;
constexpr int64_t kMaxInstructions = 400;
constexpr int64_t kSearchLimit = 20'000;

bool IsLoop(const Instruction& i) {
  if (i.opcode() != Opcode::kFusion || !i.shape().IsArray() ||
      i.shape().is_dynamic() || !i.control_predecessors().empty() ||
      !i.control_successors().empty() ||
      i.attrs().GetInt(AttrId::kFusionKind) !=
          static_cast<int64_t>(FusionKind::kLoop) ||
      i.attrs().Has(AttrId::kOutputToOperandAliasing) ||
      i.attrs().Has(AttrId::kBackendConfig)) {
    return false;
  }
  // One loop over the elements of the result.
  const Opcode root = i.to_apply()->root()->opcode();
  return root != Opcode::kReduce && root != Opcode::kScatter &&
         root != Opcode::kDynamicUpdateSlice && root != Opcode::kTuple;
}

bool FitTogether(const Instruction& a, const Instruction& b) {
  ShapeEqual equal;
  equal.ignore_element_type = true;
  return equal(a.shape(), b.shape());
}

// Whether a fusion reads this operand only at the element that it computes.
bool ReadsElementwise(const Instruction& fusion, const Instruction* operand) {
  std::vector<const Instruction*> work;
  absl::flat_hash_set<const Instruction*> seen;
  for (int64_t k = 0; k < fusion.operand_count(); ++k) {
    if (fusion.operand(k) == operand) {
      work.push_back(fusion.to_apply()->parameter(k));
    }
  }
  while (!work.empty()) {
    const Instruction* i = work.back();
    work.pop_back();
    for (const Instruction* user : i->users()) {
      if (!IsElementwise(user->opcode()) ||
          !FitTogether(*user, fusion)) {
        return false;
      }
      if (seen.insert(user).second) work.push_back(user);
    }
  }
  return true;
}

class Merger {
 public:
  Merger(Computation* computation, absl::string_view pass,
         FusionRecorder* recorder)
      : computation_(computation), pass_(pass), recorder_(recorder) {}

  bool Run() {
    bool changed = false;
    const std::vector<Instruction*> order = computation_->PostOrder();
    for (Instruction* x : order) {
      // Fusions that went into another one before their turn.
      if (gone_.contains(x) || !x->shape().IsArray()) continue;
      changed |= MergeUsers(x);
    }
    return changed;
  }

 private:
  bool MergeUsers(Instruction* x) {
    bool changed = false;
    std::vector<Instruction*> left;
    for (Instruction* user : x->users()) {
      if (IsLoop(*user) &&
          ElementsIn(user->shape()) == ElementsIn(x->shape()) &&
          (!user->users().empty() || user->IsRoot())) {
        left.push_back(user);
      }
    }
    while (!left.empty()) {
      std::vector<Instruction*> group = {left[0]}, others;
      int64_t size = left[0]->to_apply()->instruction_count();
      for (size_t k = 1; k < left.size(); ++k) {
        const int64_t more = left[k]->to_apply()->instruction_count();
        const bool fits =
            group.size() < kMaxResults && size + more <= kMaxInstructions &&
            FitTogether(*group[0], *left[k]) &&
            absl::c_none_of(group, [&](const Instruction* member) {
              return NeedsOrTooFar(member, left[k], kSearchLimit) ||
                     NeedsOrTooFar(left[k], member, kSearchLimit);
            });
        (fits ? group : others).push_back(left[k]);
        if (fits) size += more;
      }
      left = std::move(others);
      const bool joins = JoinsItsUsers(*x, group, size);
      if (group.size() < 2 && !joins) continue;
      x = Merge(group, joins ? x : nullptr, x);
      changed = true;
    }
    return changed;
  }

  // Whether `x` can be computed in one loop with these users of it. Alone with
  // one user that is a matter of ordinary fusion.
  static bool JoinsItsUsers(const Instruction& x,
                            const std::vector<Instruction*>& group,
                            int64_t size) {
    if (!IsLoop(x) || !FitTogether(x, *group[0]) ||
        size + x.to_apply()->instruction_count() > kMaxInstructions ||
        group.size() >= kMaxResults ||
        (group.size() == 1 && x.user_count() == 1 && !x.IsRoot())) {
      return false;
    }
    for (const Instruction* member : group) {
      if (!ReadsElementwise(*member, &x)) return false;
      for (const Instruction* user : x.users()) {
        if (!absl::c_linear_search(group, user) &&
            NeedsOrTooFar(member, user, kSearchLimit)) {
          return false;
        }
      }
    }
    return true;
  }

  // One fusion of the group and of `producer`, if there is one, that the group
  // reads. Returns what stands for `x` afterwards.
  Instruction* Merge(const std::vector<Instruction*>& group,
                     Instruction* producer, Instruction* x) {
    Tell(group, producer);
    Module* module = computation_->module();
    auto body = Computation::Create(module, "fused_computation");
    std::vector<Instruction*> operands, results;
    // What the body has for a value outside.
    absl::flat_hash_map<const Instruction*, Instruction*> inside;
    const auto add = [&](const Instruction* fusion) {
      std::vector<Instruction*> arguments;
      for (Instruction* operand : fusion->operands()) {
        Instruction*& argument = inside[operand];
        if (argument == nullptr) {
          argument = body->AddParameter(operands.size(), operand->shape());
          operands.push_back(operand);
        }
        arguments.push_back(argument);
      }
      return CloneBody(body.get(), *fusion->to_apply(), arguments);
    };
    if (producer != nullptr) {
      Instruction* made = add(producer);
      inside[producer] = made;
    }
    std::vector<Instruction*> members = group;
    for (const Instruction* fusion : group) results.push_back(add(fusion));
    const bool others_use_it =
        producer != nullptr &&
        (producer->IsRoot() ||
         absl::c_any_of(producer->users(), [&](const Instruction* user) {
           return !absl::c_linear_search(group, user);
         }));
    if (others_use_it) {
      members.push_back(producer);
      results.push_back(inside[producer]);
    }
    std::vector<Shape> shapes;
    for (const Instruction* member : members) {
      shapes.push_back(member->shape());
    }
    body->set_root(body->AddTuple(results));
    Computation* joined = module->AddComputation(std::move(body));
    Instruction* merged = computation_->Add(
        Opcode::kFusion, Shape::Tuple(std::move(shapes)), operands, "fusion");
    merged->mutable_attrs().Set(AttrId::kFusionKind,
                                static_cast<int64_t>(FusionKind::kLoop));
    merged->set_called_computations({joined});
    merged->set_metadata(group[0]->shared_metadata());
    for (size_t k = 0; k < members.size(); ++k) {
      Instruction* element = computation_->AddGetTupleElement(merged, k);
      element->set_metadata(members[k]->shared_metadata());
      gone_.insert(members[k]);
      if (members[k] == x) x = element;
      computation_->Replace(members[k], element);
    }
    if (producer != nullptr && !others_use_it) {
      gone_.insert(producer);
      computation_->Remove(producer);
    }
    if (recorder_ != nullptr) recorder_->Fused(*merged);
    return x;
  }

  void Tell(const std::vector<Instruction*>& group,
            const Instruction* producer) {
    if (recorder_ == nullptr) return;
    std::vector<const Instruction*> members(group.begin() + 1, group.end());
    if (producer != nullptr) members.push_back(producer);
    members.push_back(group[0]);
    recorder_->BeforeFusing(pass_, members);
  }

  Computation* const computation_;
  const absl::string_view pass_;
  FusionRecorder* const recorder_;
  absl::flat_hash_set<const Instruction*> gone_;
};

}  // namespace

absl::StatusOr<bool> MultiOutputFusion::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (!RunsAsAWhole(*computation)) continue;
    // One fusion less each time.
    while (Merger(computation, name(), recorder()).Run()) changed = true;
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
