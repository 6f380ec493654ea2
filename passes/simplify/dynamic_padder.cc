#include "passes/simplify/dynamic_padder.h"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

constexpr char kIn[] = "PadToStatic";
constexpr char kOut[] = "SliceToDynamic";

bool IsCall(const Instruction& i, absl::string_view target) {
  return i.opcode() == Opcode::kCustomCall && i.custom_call_target() == target;
}

bool TouchesDynamic(const Instruction& i) {
  return i.shape().is_dynamic() ||
         absl::c_any_of(i.operands(), [](const Instruction* operand) {
           return operand->shape().is_dynamic();
         });
}

// Where each dimension of a reshape's operand goes that only gains or loses
// dimensions of one; false for other reshapes.
bool ReshapeMap(const Instruction& i, std::vector<int64_t>* to) {
  const Shape &from = i.operand(0)->shape(), &result = i.shape();
  to->assign(from.rank(), -1);
  int64_t next = 0;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (from.dimension(d) == 1 && !from.is_dynamic_dimension(d)) continue;
    while (next < result.rank() && result.dimension(next) == 1 &&
           !result.is_dynamic_dimension(next)) {
      ++next;
    }
    if (next == result.rank() ||
        result.dimension(next) != from.dimension(d)) {
      return false;
    }
    (*to)[d] = next++;
  }
  while (next < result.rank()) {
    if (result.dimension(next++) != 1) return false;
  }
  return true;
}

// The number that changes nothing; null for reducers and types without one.
Instruction* Neutral(Builder& b, Opcode reducer, PrimitiveType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_float = IsFloatType(type) && BitWidth(type) >= 16;
  const bool is_signed = type == kS32 || type == kS16 || type == kS8;
  switch (reducer) {
    case Opcode::kAdd:
      return type == kPred ? nullptr : b.ScalarInt(type, 0);
    case Opcode::kMultiply:
      return type == kPred ? nullptr : b.ScalarInt(type, 1);
    case Opcode::kMaximum:
      if (is_float) return b.Scalar(type, -kInfinity);
      return is_signed
                 ? b.ScalarInt(type, -(int64_t{1} << (BitWidth(type) - 1)))
                 : nullptr;
    case Opcode::kMinimum:
      if (is_float) return b.Scalar(type, kInfinity);
      return is_signed
                 ? b.ScalarInt(type, (int64_t{1} << (BitWidth(type) - 1)) - 1)
                 : nullptr;
    case Opcode::kOr:
      return type == kPred ? b.ScalarInt(type, 0) : nullptr;
    case Opcode::kAnd:
      return type == kPred ? b.ScalarInt(type, 1) : nullptr;
    default:
      return nullptr;
  }
}

class Padder {
 public:
  explicit Padder(Computation* computation)
      : computation_(computation), order_(computation->PostOrder()) {}

  bool Run() {
    bool any = false;
    for (const Instruction* i : order_) {
      if (!TouchesDynamic(*i) || IsDone(*i)) continue;
      if (!Knows(*i)) return false;
      any = true;
    }
    if (!any) return false;
    for (Instruction* i : order_) {
      if (TouchesDynamic(*i) && !IsDone(*i)) Rewrite(i);
    }
    Finish();
    return true;
  }

 private:
  // An array of the bounds and the sizes of its dynamic dimensions.
  struct Padded {
    Instruction* data = nullptr;
    std::map<int64_t, Instruction*> sizes;
  };

  // What an earlier run has made.
  static bool IsDone(const Instruction& i) {
    if (i.opcode() == Opcode::kParameter) {
      return absl::c_all_of(i.users(), [](const Instruction* user) {
        return IsCall(*user, kIn);
      }) && !i.users().empty();
    }
    if (i.opcode() == Opcode::kTuple) {
      return i.IsRoot() &&
             absl::c_all_of(i.operands(), [](const Instruction* operand) {
               return !operand->shape().is_dynamic() ||
                      IsCall(*operand, kOut);
             });
    }
    return IsCall(i, kIn) || IsCall(i, kOut);
  }

  bool Knows(const Instruction& i) const {
    if (!i.control_predecessors().empty() ||
        !i.control_successors().empty() || i.shape().has_unbounded_dimension()) {
      return false;
    }
    const auto all_arrays = [&] {
      return absl::c_all_of(i.operands(), [](const Instruction* operand) {
        return operand->shape().IsArray();
      });
    };
    switch (i.opcode()) {
      case Opcode::kParameter:
        return i.shape().IsArray();
      case Opcode::kTuple:
        return i.IsRoot() && all_arrays();
      case Opcode::kSetDimensionSize:
      case Opcode::kGetDimensionSize:
      case Opcode::kTranspose:
      case Opcode::kBroadcast:
      case Opcode::kDot:
        return i.operand_count() <= 2;
      case Opcode::kReshape: {
        std::vector<int64_t> to;
        return ReshapeMap(i, &to);
      }
      case Opcode::kReduce:
        return i.shape().IsArray() && i.operand_count() == 2 &&
               KnowsReducer(i);
      default:
        return IsElementwise(i.opcode()) && all_arrays();
    }
  }

  static bool KnowsReducer(const Instruction& i) {
    const PrimitiveType type = i.shape().element_type();
    switch (CommutativeReducer(*i.to_apply())) {
      case Opcode::kAdd:
      case Opcode::kMultiply:
        return type != kPred;
      case Opcode::kMaximum:
      case Opcode::kMinimum:
        return (IsFloatType(type) && BitWidth(type) >= 16) || type == kS32 ||
               type == kS16 || type == kS8;
      case Opcode::kOr:
      case Opcode::kAnd:
        return type == kPred;
      default:
        return false;
    }
  }

  Padded Of(Instruction* i) const {
    const auto it = padded_.find(i);
    return it != padded_.end() ? it->second : Padded{i, {}};
  }
  static Shape Static(Shape shape) {
    shape.ClearDynamicDimensions();
    return shape;
  }

  // Elements beyond the size of a dimension become `value`.
  static Instruction* Masked(Builder& b, Instruction* data, int64_t dimension,
                             Instruction* size, Instruction* value) {
    const auto sizes = data->shape().dimensions();
    Shape index = data->shape();
    index.set_element_type(kS32);
    Instruction* inside =
        b.Compare(ComparisonDirection::kLt, b.Iota(index, dimension),
                  b.BroadcastScalar(size, sizes));
    return b.Select(inside, data, b.BroadcastScalar(value, sizes));
  }

  void Rewrite(Instruction* i) {
    Builder b(i);
    switch (i->opcode()) {
      case Opcode::kParameter:
        padded_[i] = Entering(b, i);
        return;
      case Opcode::kSetDimensionSize: {
        Padded padded = Of(i->operand(0));
        padded.sizes[i->dimension(0)] = i->operand(1);
        if (!i->shape().is_dynamic_dimension(i->dimension(0))) {
          padded.sizes.erase(i->dimension(0));
        }
        padded_[i] = std::move(padded);
        return;
      }
      case Opcode::kGetDimensionSize: {
        const Padded padded = Of(i->operand(0));
        const auto size = padded.sizes.find(i->dimension(0));
        padded_[i].data =
            size != padded.sizes.end()
                ? size->second
                : b.ScalarInt(kS32, i->operand(0)->shape().dimension(
                                        i->dimension(0)));
        return;
      }
      case Opcode::kTuple:
        return;  // the root: see Finish
      case Opcode::kDot:
        padded_[i] = Dot(b, i);
        return;
      case Opcode::kReduce:
        padded_[i] = Reduced(b, i);
        return;
      default:
        padded_[i] = Moved(b, i);
        return;
    }
  }

  Padded Entering(Builder& b, Instruction* parameter) {
    const Shape bounds = Static(parameter->shape());
    std::vector<Shape> shapes(bounds.rank() + 1, Shape::Scalar(kS32));
    shapes[0] = bounds;
    AttributeSet attrs;
    attrs.Set(AttrId::kCustomCallTarget, std::string(kIn));
    Instruction* call = b.OpOfShape(Opcode::kCustomCall, Shape::Tuple(shapes),
                                    {parameter}, std::move(attrs));
    Padded padded{b.Element(call, 0), {}};
    for (int64_t d = 0; d < bounds.rank(); ++d) {
      if (parameter->shape().is_dynamic_dimension(d)) {
        padded.sizes[d] = b.Element(call, d + 1);
      }
    }
    return padded;
  }

  // Element-wise operations, broadcasts, transposes, reshapes.
  Padded Moved(Builder& b, Instruction* i) {
    std::vector<Instruction*> operands;
    Padded result;
    std::vector<int64_t> to;
    for (Instruction* operand : i->operands()) {
      const Padded padded = Of(operand);
      operands.push_back(padded.data);
      if (i->opcode() == Opcode::kReshape) ReshapeMap(*i, &to);
      for (const auto& [d, size] : padded.sizes) {
        int64_t at = d;
        if (i->opcode() == Opcode::kReshape) at = to[d];
        if (i->opcode() == Opcode::kBroadcast) at = i->dimension(d);
        if (i->opcode() == Opcode::kTranspose) {
          const auto dimensions = i->dimensions();
          at = absl::c_find(dimensions, d) - dimensions.begin();
        }
        result.sizes.emplace(at, size);
      }
    }
    result.data = b.CloneOfShape(*i, Static(i->shape()), operands);
    return result;
  }

  Padded Dot(Builder& b, Instruction* dot) {
    const DotDims dims = DotDimsOf(*dot);
    Padded lhs = Of(dot->operand(0)), rhs = Of(dot->operand(1));
    for (size_t k = 0; k < dims.lhs_contracting.size(); ++k) {
      const auto left = lhs.sizes.find(dims.lhs_contracting[k]);
      const auto right = rhs.sizes.find(dims.rhs_contracting[k]);
      if (left == lhs.sizes.end() && right == rhs.sizes.end()) continue;
      Instruction* size =
          left != lhs.sizes.end() ? left->second : right->second;
      lhs.data = Masked(b, lhs.data, dims.lhs_contracting[k], size,
                        b.ScalarInt(lhs.data->shape().element_type(), 0));
      rhs.data = Masked(b, rhs.data, dims.rhs_contracting[k], size,
                        b.ScalarInt(rhs.data->shape().element_type(), 0));
    }
    Padded result;
    int64_t at = 0;
    for (size_t k = 0; k < dims.lhs_batch.size(); ++k, ++at) {
      Keep(lhs, dims.lhs_batch[k], at, &result);
      Keep(rhs, dims.rhs_batch[k], at, &result);
    }
    const auto add_free = [&](const Padded& side, const Int64List& batch,
                              const Int64List& contracting) {
      for (int64_t d = 0; d < side.data->shape().rank(); ++d) {
        if (absl::c_linear_search(batch, d) ||
            absl::c_linear_search(contracting, d)) {
          continue;
        }
        Keep(side, d, at++, &result);
      }
    };
    add_free(lhs, dims.lhs_batch, dims.lhs_contracting);
    add_free(rhs, dims.rhs_batch, dims.rhs_contracting);
    result.data =
        b.CloneOfShape(*dot, Static(dot->shape()), {lhs.data, rhs.data});
    return result;
  }

  static void Keep(const Padded& from, int64_t d, int64_t at, Padded* to) {
    const auto size = from.sizes.find(d);
    if (size != from.sizes.end()) to->sizes.emplace(at, size->second);
  }

  Padded Reduced(Builder& b, Instruction* reduce) {
    Padded input = Of(reduce->operand(0));
    const Opcode reducer = CommutativeReducer(*reduce->to_apply());
    Padded result;
    int64_t at = 0;
    for (int64_t d = 0; d < input.data->shape().rank(); ++d) {
      if (!absl::c_linear_search(reduce->dimensions(), d)) {
        Keep(input, d, at++, &result);
        continue;
      }
      const auto size = input.sizes.find(d);
      if (size == input.sizes.end()) continue;
      input.data =
          Masked(b, input.data, d, size->second,
                 Neutral(b, reducer, input.data->shape().element_type()));
    }
    result.data = b.CloneOfShape(*reduce, Static(reduce->shape()),
                                 {input.data, Of(reduce->operand(1)).data});
    return result;
  }

  // A value of the old type for those who still want one.
  Instruction* Leaving(Instruction* old) {
    const Padded padded = Of(old);
    if (!old->shape().is_dynamic()) return padded.data;
    Builder b(old);
    std::vector<Instruction*> operands = {padded.data};
    for (int64_t d = 0; d < old->shape().rank(); ++d) {
      const auto size = padded.sizes.find(d);
      operands.push_back(size != padded.sizes.end()
                             ? size->second
                             : b.ScalarInt(kS32, old->shape().dimension(d)));
    }
    AttributeSet attrs;
    attrs.Set(AttrId::kCustomCallTarget, std::string(kOut));
    return b.OpOfShape(Opcode::kCustomCall, old->shape(), operands,
                       std::move(attrs));
  }

  void Finish() {
    Instruction* root = computation_->root();
    if (root->opcode() == Opcode::kTuple) {
      for (int64_t k = 0; k < root->operand_count(); ++k) {
        if (padded_.contains(root->operand(k))) {
          root->ReplaceOperand(k, Leaving(root->operand(k)));
        }
      }
    } else if (padded_.contains(root)) {
      computation_->set_root(Leaving(root));
    }
    // Static results that others use.
    for (Instruction* i : order_) {
      const auto it = padded_.find(i);
      if (it != padded_.end() && !i->shape().is_dynamic()) {
        i->ReplaceAllUsesWith(it->second.data);
      }
    }
    for (size_t k = order_.size(); k-- > 0;) {
      Instruction* i = order_[k];
      if (padded_.contains(i) && i->users().empty() && !i->IsRoot() &&
          i->opcode() != Opcode::kParameter) {
        computation_->Remove(i);
      }
    }
  }

  Computation* const computation_;
  const std::vector<Instruction*> order_;
  absl::flat_hash_map<Instruction*, Padded> padded_;
};

}  // namespace

absl::StatusOr<bool> DynamicPadder::Run(Module* module) {
  if (module->entry() == nullptr || !RunsOn(*module->entry())) return false;
  return Padder(module->entry()).Run();
}

}  // namespace hlokit
