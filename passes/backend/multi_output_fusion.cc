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

class Merger {
 public:
  explicit Merger(Computation* computation) : computation_(computation) {}

  bool Run() {
    bool changed = false;
    const std::vector<Instruction*> order = computation_->PostOrder();
    for (Instruction* x : order) {
      // Fusions that went into another one; x itself is never one of those,
      // for it comes before its users.
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
    while (left.size() > 1) {
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
      if (group.size() > 1) {
        Merge(group);
        changed = true;
      }
      left = std::move(others);
    }
    return changed;
  }

  void Merge(const std::vector<Instruction*>& group) {
    Module* module = computation_->module();
    auto body = Computation::Create(module, "fused_computation");
    std::vector<Instruction*> operands, results;
    std::vector<Shape> shapes;
    absl::flat_hash_map<const Instruction*, Instruction*> parameters;
    for (const Instruction* fusion : group) {
      std::vector<Instruction*> arguments;
      for (Instruction* operand : fusion->operands()) {
        Instruction*& parameter = parameters[operand];
        if (parameter == nullptr) {
          parameter = body->AddParameter(operands.size(), operand->shape());
          operands.push_back(operand);
        }
        arguments.push_back(parameter);
      }
      results.push_back(
          CloneBody(body.get(), *fusion->to_apply(), arguments));
      shapes.push_back(fusion->shape());
    }
    body->set_root(body->AddTuple(results));
    Computation* joined = module->AddComputation(std::move(body));
    Instruction* merged = computation_->Add(
        Opcode::kFusion, Shape::Tuple(std::move(shapes)), operands, "fusion");
    merged->mutable_attrs().Set(AttrId::kFusionKind,
                                static_cast<int64_t>(FusionKind::kLoop));
    merged->set_called_computations({joined});
    merged->set_metadata(group[0]->shared_metadata());
    for (size_t k = 0; k < group.size(); ++k) {
      Instruction* element = computation_->AddGetTupleElement(merged, k);
      element->set_metadata(group[k]->shared_metadata());
      gone_.insert(group[k]);
      computation_->Replace(group[k], element);
    }
  }

  Computation* const computation_;
  absl::flat_hash_set<const Instruction*> gone_;
};

}  // namespace

absl::StatusOr<bool> MultiOutputFusion::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (RunsAsAWhole(*computation)) changed |= Merger(computation).Run();
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
