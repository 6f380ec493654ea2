#include "passes/backend/fusion.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "passes/analysis/call_graph.h"
#include "passes/builders.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

// One call of a random generator (twenty rounds, some 230 operations) fits.
constexpr int64_t kMaxMembers = 256;
// In how many fusions an instruction is computed at most.
constexpr size_t kMaxTimes = 4;
// The same for what reads nothing from memory.
constexpr size_t kMaxTimesOfMade = 64;

bool IsLoopLike(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kBitcastConvert:
      return true;
    case Opcode::kCopy:
    case Opcode::kStochasticConvert:
      return false;
    default:
      return IsElementwise(i.opcode());
  }
}

bool IsInPlay(const Instruction& i) {
  return i.shape().is_static() && i.control_predecessors().empty() &&
         i.control_successors().empty();
}

bool MayBeMember(const Instruction& i) {
  return i.shape().IsArray() && IsInPlay(i);
}

bool MayBeRoot(const Instruction& i) {
  // A bitcast costs nothing where it is.
  if (!IsInPlay(i) || i.opcode() == Opcode::kBitcast) return false;
  if (i.opcode() == Opcode::kReduce) return true;
  return i.shape().IsArray() &&
         (IsLoopLike(i) || i.opcode() == Opcode::kDynamicUpdateSlice);
}

// Made anew in every fusion rather than read.
bool IsCopied(const Instruction& i) {
  if (i.opcode() == Opcode::kConstant) {
    return i.shape().IsArray() && ElementsIn(i.shape()) == 1;
  }
  return i.opcode() == Opcode::kIota ||
         (i.opcode() == Opcode::kBroadcast &&
          i.operand(0)->opcode() == Opcode::kConstant &&
          i.operand(0)->shape().IsScalar());
}

bool IsDear(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAtan2:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return true;
    default:
      return false;
  }
}

// The work of a root on elements: of a reduction those that go in.
int64_t WorkOf(const Instruction& root) {
  return ElementsIn(root.opcode() == Opcode::kReduce
                        ? root.operand(0)->shape()
                        : root.shape());
}

// Finds the fusions of one computation and builds them.
class Fuser {
 public:
  Fuser(Computation* computation, absl::string_view pass,
        FusionRecorder* recorder)
      : computation_(computation),
        order_(computation->PostOrder()),
        pass_(pass),
        recorder_(recorder) {}

  bool Run() {
    AssignGroups();
    bool changed = false;
    for (auto& [root, members] : groups_) {
      if (members.size() < 2) continue;
      Build(root, members);
      changed = true;
    }
    return changed;
  }

 private:
  // Roots of the fusions that an instruction is in; most are in one.
  using Roots = absl::InlinedVector<Instruction*, 1>;

  void AssignGroups() {
    roots_of_.resize(computation_->id_limit());
    for (size_t at = order_.size(); at-- > 0;) {
      Instruction* i = order_[at];
      Roots& roots = roots_of_[i->id()];
      roots = RootsToJoin(*i);
      if (roots.empty() && MayBeRoot(*i) && !IsCopied(*i)) roots = {i};
      for (const Instruction* root : roots) ++size_of_[root];
    }
    for (Instruction* i : order_) {
      for (const Instruction* root : roots_of_[i->id()]) {
        members_[root].push_back(i);
      }
    }
    for (Instruction* i : order_) {
      const auto it = members_.find(i);
      if (it != members_.end()) groups_.emplace_back(i, it->second);
    }
  }

  // The fusions that together hold all users, if `i` may join them: one, or
  // several when it is cheap to compute in each.
  Roots RootsToJoin(const Instruction& i) {
    const bool reduces = i.opcode() == Opcode::kReduce;
    if (!MayBeMember(i) || !(IsLoopLike(i) || reduces) || IsCopied(i) ||
        i.IsRoot() || i.users().empty()) {
      return {};
    }
    const size_t times =
        absl::c_all_of(i.operands(), [](auto* x) { return IsCopied(*x); })
            ? kMaxTimesOfMade
            : kMaxTimes;
    Roots roots;
    for (const Instruction* user : i.users()) {
      const Roots& theirs = roots_of_[user->id()];
      if (theirs.empty()) return {};
      if (!MayReadInside(*user, i)) {
        return StaysOut(i, *user, "it is read from memory there");
      }
      for (Instruction* root : theirs) {
        if (!absl::c_linear_search(roots, root)) roots.push_back(root);
      }
      if (roots.size() > times) {
        return StaysOut(i, *user, "too many fusions would compute it");
      }
    }
    if (roots.size() > 1 && !MayBeComputedAgain(i)) {
      return StaysOut(i, *roots[0], "several fusions would compute it");
    }
    if (reduces && !IsReadOnce(i, *roots[0])) {
      return StaysOut(i, *roots[0],
                      "its elements are needed more often than once");
    }
    for (const Instruction* root : roots) {
      if (size_of_[root] >= kMaxMembers) {
        return StaysOut(i, *root, "the fusion is full");
      }
      if (IsDear(i.opcode()) && ElementsIn(i.shape()) < WorkOf(*root)) {
        return StaysOut(i, *root, "it is dear and would be computed again");
      }
    }
    return roots;
  }

  Roots StaysOut(const Instruction& i, const Instruction& user,
                 absl::string_view why) const {
    if (recorder_ != nullptr) recorder_->NotFused(pass_, i, user, why);
    return {};
  }

  // Whether the loop of `root` needs each element of a reduction once.
  static bool IsReadOnce(const Instruction& reduce, const Instruction& root) {
    if (reduce.operand_count() != 2 ||
        WorkOf(root) != ElementsIn(reduce.shape())) {
      return false;
    }
    return absl::c_all_of(reduce.users(), [&](const Instruction* user) {
      return (IsElementwise(user->opcode()) ||
              user->opcode() == Opcode::kBitcast ||
              user->opcode() == Opcode::kReduce ||
              user->opcode() == Opcode::kReshape ||
              user->opcode() == Opcode::kTranspose) &&
             WorkOf(*user) == ElementsIn(reduce.shape());
    });
  }

  // Cheap, and reads no more than it writes.
  static bool MayBeComputedAgain(const Instruction& i) {
    if (IsDear(i.opcode())) return false;
    switch (i.opcode()) {
      case Opcode::kBitcast:
      case Opcode::kBitcastConvert:
      case Opcode::kBroadcast:
      case Opcode::kPad:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose:
        return true;
      default:
        return IsElementwise(i.opcode());
    }
  }

  // Whether `user` can take `i` as it is computed, not from memory.
  static bool MayReadInside(const Instruction& user, const Instruction& i) {
    switch (user.opcode()) {
      case Opcode::kDynamicUpdateSlice:
        // What is updated in place must lie in memory.
        return user.operand(0) != &i;
      case Opcode::kReduce:
        return user.OperandIndex(&i) < user.operand_count() / 2 &&
               !absl::c_linear_search(
                   user.operands().subspan(user.operand_count() / 2), &i);
      case Opcode::kGather:
        return user.operand(0) != &i;
      default:
        return true;
    }
  }

  void Build(Instruction* root, const std::vector<Instruction*>& members) {
    if (recorder_ != nullptr) {
      recorder_->BeforeFusing(
          pass_, std::vector<const Instruction*>(members.begin(),
                                                 members.end()));
    }
    Module* module = computation_->module();
    auto body = Computation::Create(module, "fused_computation");
    absl::flat_hash_map<const Instruction*, Instruction*> inside;
    std::vector<Instruction*> operands, inputs;
    for (const Instruction* member : members) {
      inputs.clear();
      for (Instruction* operand : member->operands()) {
        inputs.push_back(Inside(body.get(), operand, &inside, &operands));
      }
      inside[member] = body->AddClone(*member, member->shape(), inputs);
    }
    body->set_root(inside.at(root));
    Computation* joined = module->AddComputation(std::move(body));
    Instruction* fusion =
        computation_->Add(Opcode::kFusion, root->shape(), operands,
                          absl::StrCat(OpcodeName(root->opcode()), "_fusion"));
    fusion->mutable_attrs().Set(AttrId::kFusionKind,
                                static_cast<int64_t>(FusionKind::kLoop));
    fusion->set_called_computations({joined});
    ReplaceInstruction(root, fusion);
    if (recorder_ != nullptr) recorder_->Fused(*fusion);
  }

  // What stands for `operand` in the fusion: its copy, or a parameter.
  Instruction* Inside(
      Computation* body, Instruction* operand,
      absl::flat_hash_map<const Instruction*, Instruction*>* inside,
      std::vector<Instruction*>* operands) {
    const auto it = inside->find(operand);
    if (it != inside->end()) return it->second;
    Instruction* value;
    if (IsCopied(*operand)) {
      std::vector<Instruction*> inputs;
      for (Instruction* o : operand->operands()) {
        inputs.push_back(Inside(body, o, inside, operands));
      }
      value = body->AddClone(*operand, operand->shape(), inputs);
    } else {
      value = body->AddParameter(operands->size(), operand->shape(),
                                 absl::StrCat("param_", operands->size()));
      operands->push_back(operand);
    }
    return (*inside)[operand] = value;
  }

  Computation* computation_;
  std::vector<Instruction*> order_;
  const absl::string_view pass_;
  FusionRecorder* const recorder_;
  std::vector<Roots> roots_of_;  // by id
  absl::flat_hash_map<const Instruction*, int64_t> size_of_;
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> members_;
  std::vector<std::pair<Instruction*, std::vector<Instruction*>>> groups_;
};

}  // namespace

absl::StatusOr<bool> InstructionFusion::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (!RunsAsAWhole(*computation)) continue;
    changed |= Fuser(computation, name(), recorder()).Run();
  }
  return changed;
}

}  // namespace hlokit
