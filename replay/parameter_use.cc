// How a module uses its parameters, as far as fake data must know.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "base/status.h"
#include "replay/fake_data.h"

namespace hlokit {
namespace {

// A leaf of an instruction's value.
struct Position {
  const Instruction* instruction;
  ShapeIndex index;
  bool operator==(const Position& o) const {
    return instruction == o.instruction && index == o.index;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Position& p) {
    h = H::combine(std::move(h), p.instruction);
    for (int64_t i : p.index) h = H::combine(std::move(h), i);
    return h;
  }
};

struct Use {
  const Instruction* user;
  int64_t operand;
};

ShapeIndex Prefixed(int64_t first, const ShapeIndex& index) {
  ShapeIndex result = {first};
  result.insert(result.end(), index.begin(), index.end());
  return result;
}

// Follows the value at one leaf of a parameter to everything that reads it.
class UseFinder {
 public:
  std::vector<Use> Find(const Instruction* parameter, const ShapeIndex& leaf) {
    Reach(parameter, leaf);
    while (!work_.empty()) {
      const Position position = work_.back();
      work_.pop_back();
      for (const Instruction* user : position.instruction->users()) {
        for (int64_t i = 0; i < user->operand_count(); ++i) {
          if (user->operand(i) == position.instruction) {
            Visit(*user, i, position.index);
          }
        }
      }
      if (position.instruction->IsRoot()) {
        ReachCallers(*position.instruction->parent(), position.index);
      }
    }
    return std::move(uses_);
  }

 private:
  void Reach(const Instruction* instruction, ShapeIndex index) {
    Position position{instruction, std::move(index)};
    if (seen_.insert(position).second) work_.push_back(std::move(position));
  }

  void ReachParameter(const Computation& computation, int64_t number,
                      const ShapeIndex& index) {
    if (number < computation.parameter_count() &&
        computation.parameter(number) != nullptr) {
      Reach(computation.parameter(number), index);
    }
  }

  // The root's value is the value of calls, conditionals and loops (and comes
  // back as the loop's parameter).
  void ReachCallers(const Computation& computation, const ShapeIndex& index) {
    for (const Instruction* caller : computation.callers()) {
      switch (caller->opcode()) {
        case Opcode::kCall:
        case Opcode::kConditional:
          Reach(caller, index);
          break;
        case Opcode::kWhile:
          if (caller->while_body() == &computation) {
            Reach(caller, index);
            ReachParameter(*caller->while_body(), 0, index);
            ReachParameter(*caller->while_condition(), 0, index);
          }
          break;
        default:
          break;
      }
    }
  }

  void Visit(const Instruction& user, int64_t operand,
             const ShapeIndex& index) {
    switch (user.opcode()) {
      case Opcode::kGetTupleElement:
        if (!index.empty() && index[0] == user.tuple_index()) {
          Reach(&user, ShapeIndex(index.begin() + 1, index.end()));
        }
        return;
      case Opcode::kTuple:
        Reach(&user, Prefixed(operand, index));
        return;
      case Opcode::kCall:
      case Opcode::kFusion:
        if (!user.called_computations().empty()) {
          ReachParameter(*user.to_apply(), operand, index);
        }
        return;
      case Opcode::kWhile:
        ReachParameter(*user.while_body(), 0, index);
        ReachParameter(*user.while_condition(), 0, index);
        Reach(&user, index);
        return;
      case Opcode::kConditional:
        if (operand > 0) {
          ReachParameter(*user.called_computation(operand - 1), 0, index);
        }
        return;
      case Opcode::kBitcast:
      case Opcode::kConvert:
      case Opcode::kReducePrecision:
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
        Reach(&user, index);
        return;
      case Opcode::kAddDependency:
        if (operand == 0) Reach(&user, index);
        return;
      default:
        uses_.push_back({&user, operand});
    }
  }

  absl::flat_hash_set<Position> seen_;
  std::vector<Position> work_;
  std::vector<Use> uses_;
};

// Instructions through which gather and scatter indices are still the
// parameter's values, within one computation.
bool PassesIndices(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kCopy:
    case Opcode::kSlice:
      return true;
    case Opcode::kCustomCall:
      return i.custom_call_target() == "AssumeGatherIndicesInBound";
    default:
      return false;
  }
}

// Adds the uses behind reshapes and the like.
void FollowIndices(std::vector<Use>* uses) {
  absl::flat_hash_set<const Instruction*> seen;
  for (size_t k = 0; k < uses->size(); ++k) {
    const Instruction* i = (*uses)[k].user;
    if (!PassesIndices(*i) || !seen.insert(i).second) continue;
    for (const Instruction* user : i->users()) {
      for (int64_t o = 0; o < user->operand_count(); ++o) {
        if (user->operand(o) != i) continue;
        const bool takes_indices = (user->opcode() == Opcode::kGather && o == 1) ||
                                   (user->opcode() == Opcode::kScatter &&
                                    o == user->operand_count() / 2);
        if (takes_indices || PassesIndices(*user)) uses->push_back({user, o});
      }
    }
  }
}

class Constraint {
 public:
  explicit Constraint(ParameterUse* use) : use_(use) {}

  void Bound(int64_t bound) {
    use_->index_bound =
        use_->is_index ? std::min(use_->index_bound, bound) : bound;
    use_->is_index = true;
  }

  // Slices start where they fit: at most dimension - size.
  void DynamicSlice(const Instruction& user, int64_t operand, int64_t first,
                    const Shape& sliced) {
    if (operand < first) return;
    const Shape& whole = user.operand(0)->shape();
    const int64_t dimension = operand - first;
    const bool one_vector = user.operand(operand)->shape().rank() == 1;
    if (one_vector) {
      for (int64_t d = 0; d < whole.rank(); ++d) {
        Bound(whole.dimension(d) - sliced.dimension(d));
      }
    } else if (dimension < whole.rank()) {
      Bound(whole.dimension(dimension) - sliced.dimension(dimension));
    }
  }

  void Indices(const Instruction& user, AttrId map) {
    const Shape& whole = user.operand(0)->shape();
    for (int64_t d : user.attrs().GetList(map)) {
      if (d >= 0 && d < whole.rank()) Bound(whole.dimension(d) - 1);
    }
    use_->sorted |= user.attrs().GetBool(AttrId::kIndicesAreSorted);
  }

  // Only a plain sum or product of the two parameters has a known identity.
  void InitValue(const Computation& reducer) {
    const Instruction* root = reducer.root();
    if (reducer.parameter_count() != 2 || root->operand_count() != 2) return;
    const Instruction* a = root->operand(0);
    const Instruction* b = root->operand(1);
    if (a == b || a->opcode() != Opcode::kParameter ||
        b->opcode() != Opcode::kParameter) {
      return;
    }
    if (root->opcode() == Opcode::kAdd) {
      use_->is_init_value = true;
      use_->init_value = 0;
    } else if (root->opcode() == Opcode::kMultiply) {
      use_->is_init_value = true;
      use_->init_value = 1;
    }
  }

  // Lengths of sequences and sizes of groups, of library calls: numbers that
  // leave something to compute.
  void LibraryCall(const Instruction& user, int64_t operand) {
    const absl::string_view target = user.custom_call_target();
    const Shape& shape = user.operand(operand)->shape();
    if (operand == 0 || !shape.IsArray() || shape.element_type() != kS32) {
      return;
    }
    if (absl::StartsWith(target, "__cudnn$fmha")) {
      const bool of_queries = operand + 2 == user.operand_count();
      const Shape& sequences = user.operand(of_queries ? 0 : 1)->shape();
      if (sequences.rank() == 4) Bound(sequences.dimension(1));
    } else if (target == "__cublas$lt$groupedMatmul" && operand == 2) {
      const Shape& rows = user.operand(0)->shape();
      const int64_t groups = shape.rank() == 1 ? shape.dimension(0) : 0;
      if (groups > 0 && rows.rank() > 0) Bound(rows.dimension(0) / groups);
    }
  }

  void Apply(const Instruction& user, int64_t operand) {
    switch (user.opcode()) {
      case Opcode::kDynamicSlice:
        DynamicSlice(user, operand, 1, user.shape());
        return;
      case Opcode::kDynamicUpdateSlice:
        DynamicSlice(user, operand, 2, user.operand(1)->shape());
        return;
      case Opcode::kGather:
        if (operand == 1) Indices(user, AttrId::kStartIndexMap);
        return;
      case Opcode::kScatter:
        if (operand == user.operand_count() / 2) {
          Indices(user, AttrId::kScatterDimsToOperandDims);
        }
        return;
      case Opcode::kReduce:
        if (operand >= user.operand_count() / 2) InitValue(*user.to_apply());
        return;
      case Opcode::kReduceWindow:
        if (operand == 1) InitValue(*user.to_apply());
        return;
      case Opcode::kSelectAndScatter:
        if (operand == 2) InitValue(*user.called_computation(1));
        return;
      case Opcode::kCustomCall:
        LibraryCall(user, operand);
        return;
      case Opcode::kSort:
        if (operand == 0 && (user.operand_count() >= 2 ||
                             user.attrs().GetBool(AttrId::kIsStable)) &&
            IsIntegerType(user.operand(0)->shape().element_type())) {
          use_->no_duplicates = true;
        }
        return;
      default:
        return;
    }
  }

 private:
  ParameterUse* use_;
};

}  // namespace

absl::StatusOr<ParameterUse> FindParameterUse(const Module& module,
                                              int64_t number) {
  const Instruction* parameter = module.entry()->parameter(number);
  ParameterUse use;
  Constraint constraint(&use);
  ForEachLeaf(parameter->shape(), [&](const Shape&, const ShapeIndex& leaf) {
    std::vector<Use> uses = UseFinder().Find(parameter, leaf);
    FollowIndices(&uses);
    for (const Use& u : uses) constraint.Apply(*u.user, u.operand);
  });
  if (use.is_index + use.no_duplicates + use.is_init_value > 1) {
    return Unimplemented(
        "parameter %d (%%%s): Conflicting operand generation constraints.",
        number, parameter->name());
  }
  return use;
}

}  // namespace hlokit
