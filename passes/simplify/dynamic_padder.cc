#include "passes/simplify/dynamic_padder.h"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analysis/call_graph.h"
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

// An array of the bounds and the sizes of its dynamic dimensions.
struct Padded {
  Instruction* data = nullptr;
  std::map<int64_t, Instruction*> sizes;
};
// Of an array that alone, of a tuple of arrays one for each element.
using PaddedValue = std::vector<Padded>;

Shape WithBounds(Shape shape) {
  shape.ClearDynamicDimensions();
  return shape;
}

// An array, or a tuple of arrays: no deeper.
bool IsFlat(const Shape& shape) {
  return shape.IsArray() ||
         (shape.IsTuple() &&
          absl::c_all_of(shape.tuple_shapes(),
                         [](const Shape& e) { return e.IsArray(); }));
}

std::vector<Shape> ArraysOf(const Shape& shape) {
  if (shape.IsArray()) return {shape};
  return {shape.tuple_shapes().begin(), shape.tuple_shapes().end()};
}

int64_t DynamicDimensionsOf(const Shape& array) {
  int64_t count = 0;
  for (int64_t d = 0; d < array.rank(); ++d) {
    count += array.is_dynamic_dimension(d);
  }
  return count;
}

// How a dynamic value goes into a computation or comes out: its arrays with
// their bounds, behind them the sizes of all dynamic dimensions in order.
Shape PackedShape(const Shape& shape) {
  if (!shape.is_dynamic()) return shape;
  std::vector<Shape> parts;
  for (const Shape& array : ArraysOf(shape)) parts.push_back(WithBounds(array));
  for (const Shape& array : ArraysOf(shape)) {
    parts.resize(parts.size() + DynamicDimensionsOf(array),
                 Shape::Scalar(kS32));
  }
  return Shape::Tuple(std::move(parts));
}

Instruction* SizeOrBound(Builder& b, const Padded& padded, int64_t d,
                         const Shape& shape) {
  const auto size = padded.sizes.find(d);
  return size != padded.sizes.end() ? size->second
                                    : b.ScalarInt(kS32, shape.dimension(d));
}

Instruction* Pack(Builder& b, const PaddedValue& value, const Shape& shape) {
  const std::vector<Shape> arrays = ArraysOf(shape);
  std::vector<Instruction*> parts;
  for (const Padded& padded : value) parts.push_back(padded.data);
  for (size_t k = 0; k < arrays.size(); ++k) {
    for (int64_t d = 0; d < arrays[k].rank(); ++d) {
      if (arrays[k].is_dynamic_dimension(d)) {
        parts.push_back(SizeOrBound(b, value[k], d, arrays[k]));
      }
    }
  }
  return b.Tuple(parts);
}

// `packed` is of PackedShape(shape), and `shape` dynamic.
PaddedValue Unpack(Builder& b, Instruction* packed, const Shape& shape) {
  const std::vector<Shape> arrays = ArraysOf(shape);
  PaddedValue value(arrays.size());
  int64_t next = arrays.size();
  for (size_t k = 0; k < arrays.size(); ++k) {
    value[k].data = b.Element(packed, k);
    for (int64_t d = 0; d < arrays[k].rank(); ++d) {
      if (arrays[k].is_dynamic_dimension(d)) {
        value[k].sizes[d] = b.Element(packed, next++);
      }
    }
  }
  return value;
}

// The same arrays, with the same dynamic dimensions.
bool SameArrays(const Shape& a, const Shape& b) {
  ShapeEqual equal;
  equal.ignore_layout = true;
  return equal(a, b);
}

// Whether arguments and results have the types that the called computations
// say.
bool BordersFit(const Instruction& call) {
  const auto takes = [](const Computation& called, int64_t number,
                        const Instruction& operand) {
    return number < called.parameter_count() &&
           SameArrays(called.parameter(number)->shape(), operand.shape());
  };
  switch (call.opcode()) {
    case Opcode::kWhile:
      return takes(*call.while_body(), 0, *call.operand(0)) &&
             takes(*call.while_condition(), 0, *call.operand(0)) &&
             SameArrays(call.shape(), call.operand(0)->shape()) &&
             SameArrays(call.shape(), call.while_body()->root()->shape());
    case Opcode::kConditional:
      for (int64_t k = 1; k < call.operand_count(); ++k) {
        const Computation& branch = *call.called_computation(k - 1);
        if (!takes(branch, 0, *call.operand(k)) ||
            !SameArrays(call.shape(), branch.root()->shape())) {
          return false;
        }
      }
      return true;
    default:
      for (int64_t k = 0; k < call.operand_count(); ++k) {
        if (!takes(*call.to_apply(), k, *call.operand(k))) return false;
      }
      return SameArrays(call.shape(), call.to_apply()->root()->shape());
  }
}

class Padder {
 public:
  // The entry, or a computation that takes and gives static values.
  explicit Padder(Computation* computation)
      : computation_(computation), order_(computation->PostOrder()) {}
  // A computation that gives a value of this type, packed if it is dynamic, to
  // callers that hand packed values in.
  Padder(Computation* computation, const Shape& result)
      : computation_(computation),
        order_(computation->PostOrder()),
        packed_result_(&result) {}

  bool Run() {
    if (!KnowsAll(*computation_, /*packed=*/false)) return false;
    return RewriteAll();
  }

 private:
  bool RewriteAll() {
    std::vector<Instruction*> touched;
    for (Instruction* i : order_) {
      if (TouchesDynamic(*i) && !IsDone(*i)) touched.push_back(i);
    }
    if (touched.empty()) return false;
    for (Instruction* i : touched) Rewrite(i);
    Finish();
    return true;
  }

  static bool KnowsAll(const Computation& computation, bool packed) {
    return absl::c_all_of(computation.instructions(), [&](Instruction* i) {
      return !TouchesDynamic(*i) || IsDone(*i) || Knows(*i, packed);
    });
  }

  // What an earlier run has made.
  static bool IsDone(const Instruction& i) {
    if (i.opcode() == Opcode::kParameter) {
      return absl::c_all_of(i.users(), [](const Instruction* user) {
        return IsCall(*user, kIn);
      }) && !i.users().empty();
    }
    if (i.opcode() == Opcode::kTuple) {
      return i.IsRoot() && i.parent()->IsEntry() &&
             absl::c_all_of(i.operands(), [](const Instruction* operand) {
               return !operand->shape().is_dynamic() ||
                      IsCall(*operand, kOut);
             });
    }
    return IsCall(i, kIn) || IsCall(i, kOut);
  }

  // `packed`: whether the computation's parameters come packed.
  static bool Knows(const Instruction& i, bool packed) {
    if (!i.control_predecessors().empty() ||
        !i.control_successors().empty() ||
        i.shape().has_unbounded_dimension() ||
        absl::c_any_of(i.operands(), [](const Instruction* operand) {
          return IsCall(*operand, kOut);
        })) {
      return false;
    }
    const auto all_arrays = [&] {
      return absl::c_all_of(i.operands(), [](const Instruction* operand) {
        return operand->shape().IsArray();
      });
    };
    switch (i.opcode()) {
      case Opcode::kParameter:
        return packed ? IsFlat(i.shape()) : i.shape().IsArray();
      case Opcode::kTuple:
        return all_arrays();
      case Opcode::kGetTupleElement:
        return IsFlat(i.operand(0)->shape());
      case Opcode::kCall:
      case Opcode::kConditional:
      case Opcode::kWhile:
        return KnowsCall(i);
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

  static bool KnowsCall(const Instruction& i) {
    const auto flat = [](const Instruction* x) { return IsFlat(x->shape()); };
    return IsFlat(i.shape()) && absl::c_all_of(i.operands(), flat) &&
           BordersFit(i) &&
           absl::c_all_of(
               i.called_computations(), [&](const Computation* called) {
                 return called->call_site_count() == 1 &&
                        !called->root()->shape().has_unbounded_dimension() &&
                        !IsCall(*called->root(), kOut) &&
                        KnowsAll(*called, /*packed=*/true);
               });
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

  PaddedValue ValueOf(Instruction* i) const {
    const auto it = padded_.find(i);
    return it != padded_.end() ? it->second : PaddedValue{{i, {}}};
  }
  // Of an array.
  Padded Of(Instruction* i) const { return ValueOf(i)[0]; }

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
      case Opcode::kGetTupleElement:
        padded_[i] = {ValueOf(i->operand(0))[i->tuple_index()]};
        return;
      case Opcode::kCall:
      case Opcode::kConditional:
      case Opcode::kWhile:
        Call(b, i);
        return;
      case Opcode::kSetDimensionSize: {
        Padded padded = Of(i->operand(0));
        padded.sizes[i->dimension(0)] = i->operand(1);
        if (!i->shape().is_dynamic_dimension(i->dimension(0))) {
          padded.sizes.erase(i->dimension(0));
        }
        padded_[i] = {std::move(padded)};
        return;
      }
      case Opcode::kGetDimensionSize: {
        const Padded padded = Of(i->operand(0));
        const auto size = padded.sizes.find(i->dimension(0));
        Instruction* known =
            size != padded.sizes.end()
                ? size->second
                : b.ScalarInt(kS32, i->operand(0)->shape().dimension(
                                        i->dimension(0)));
        padded_[i] = {{known, {}}};
        return;
      }
      case Opcode::kTuple: {
        PaddedValue value;
        for (Instruction* operand : i->operands()) {
          value.push_back(Of(operand));
        }
        padded_[i] = std::move(value);
        return;
      }
      case Opcode::kDot:
        padded_[i] = {Dot(b, i)};
        return;
      case Opcode::kReduce:
        padded_[i] = {Reduced(b, i)};
        return;
      default:
        padded_[i] = {Moved(b, i)};
        return;
    }
  }

  PaddedValue Entering(Builder& b, Instruction* parameter) {
    if (packed_result_ != nullptr) {
      const Shape shape = parameter->shape();
      parameter->set_shape(PackedShape(shape));
      return Unpack(b, parameter, shape);
    }
    const Shape bounds = WithBounds(parameter->shape());
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
    return {padded};
  }

  // The same instruction, with packed operands and result.
  void Call(Builder& b, Instruction* i) {
    const Shape shape = i->shape();
    for (int64_t k = 0; k < i->operand_count(); ++k) {
      Instruction* operand = i->operand(k);
      if (!operand->shape().is_dynamic()) continue;
      i->ReplaceOperand(k, Pack(b, ValueOf(operand), operand->shape()));
    }
    for (Computation* called : i->called_computations()) {
      const bool is_condition =
          i->opcode() == Opcode::kWhile && called == i->while_condition();
      const Shape result = is_condition ? called->root()->shape() : shape;
      Padder(called, result).RewriteAll();
    }
    if (!shape.is_dynamic()) return;
    i->set_shape(PackedShape(shape));
    padded_[i] = Unpack(b, i, shape);
    calls_.insert(i);
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
    result.data = b.CloneOfShape(*i, WithBounds(i->shape()), operands);
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
        b.CloneOfShape(*dot, WithBounds(dot->shape()), {lhs.data, rhs.data});
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
    result.data = b.CloneOfShape(*reduce, WithBounds(reduce->shape()),
                                 {input.data, Of(reduce->operand(1)).data});
    return result;
  }

  // An array of the old type for those who still want one.
  static Instruction* Leaving(Builder& b, const Padded& padded,
                              const Shape& shape) {
    if (!shape.is_dynamic()) return padded.data;
    std::vector<Instruction*> operands = {padded.data};
    for (int64_t d = 0; d < shape.rank(); ++d) {
      operands.push_back(SizeOrBound(b, padded, d, shape));
    }
    AttributeSet attrs;
    attrs.Set(AttrId::kCustomCallTarget, std::string(kOut));
    return b.OpOfShape(Opcode::kCustomCall, shape, operands, std::move(attrs));
  }

  void FinishRoot() {
    Instruction* root = computation_->root();
    const auto it = padded_.find(root);
    if (it == padded_.end()) return;
    const PaddedValue value = it->second;
    Builder b(root);
    if (packed_result_ != nullptr) {
      computation_->set_root(packed_result_->is_dynamic()
                                 ? Pack(b, value, *packed_result_)
                                 : value[0].data);
      return;
    }
    if (root->opcode() == Opcode::kTuple) {
      for (int64_t k = 0; k < root->operand_count(); ++k) {
        Instruction* operand = root->operand(k);
        if (padded_.contains(operand)) {
          root->ReplaceOperand(k, Leaving(b, value[k], operand->shape()));
        }
      }
      padded_.erase(it);  // it stays
      return;
    }
    const std::vector<Shape> arrays = ArraysOf(
        calls_.contains(root) ? result_of_entry_ : root->shape());
    std::vector<Instruction*> parts;
    for (size_t k = 0; k < arrays.size(); ++k) {
      parts.push_back(Leaving(b, value[k], arrays[k]));
    }
    const bool is_tuple = (calls_.contains(root) ? result_of_entry_
                                                 : root->shape()).IsTuple();
    computation_->set_root(is_tuple ? b.Tuple(parts) : parts[0]);
  }

  void Finish() {
    FinishRoot();
    // Static results that others use.
    for (Instruction* i : order_) {
      const auto it = padded_.find(i);
      if (it != padded_.end() && i->shape().IsArray() &&
          !i->shape().is_dynamic() && it->second[0].data != i) {
        i->ReplaceAllUsesWith(it->second[0].data);
      }
    }
    const int64_t limit = computation_->id_limit();
    for (int64_t id = limit; id-- > 0;) {
      Instruction* i = computation_->InstructionById(id);
      if (i == nullptr || !i->users().empty() || i->IsRoot()) continue;
      // Elements of packed values that nobody needs.
      if (i->opcode() == Opcode::kGetTupleElement && !padded_.contains(i)) {
        computation_->Remove(i);
      }
    }
    for (size_t k = order_.size(); k-- > 0;) {
      Instruction* i = order_[k];
      if (padded_.contains(i) && i->users().empty() && !i->IsRoot() &&
          i->opcode() != Opcode::kParameter && !calls_.contains(i)) {
        computation_->Remove(i);
      }
    }
  }

  Computation* const computation_;
  const std::vector<Instruction*> order_;
  // The type of a packed result; null for computations with plain borders.
  const Shape* const packed_result_ = nullptr;
  const Shape result_of_entry_ = computation_->root()->shape();
  absl::flat_hash_map<Instruction*, PaddedValue> padded_;
  // Calls that give packed values now.
  absl::flat_hash_set<const Instruction*> calls_;
};

bool HasStaticBorders(const Computation& computation) {
  return !computation.root()->shape().is_dynamic() &&
         absl::c_none_of(computation.parameters(), [](const Instruction* p) {
           return p->shape().is_dynamic();
         });
}

}  // namespace

absl::StatusOr<bool> DynamicPadder::Run(Module* module) {
  bool changed = false;
  const std::vector<Computation*> computations = Computations(module);
  // Callers first: they take along what they call with dynamic values.
  for (size_t k = computations.size(); k-- > 0;) {
    Computation* computation = computations[k];
    if (!RunsAsAWhole(*computation) ||
        !(computation->IsEntry() || HasStaticBorders(*computation))) {
      continue;
    }
    changed |= Padder(computation).Run();
  }
  return changed;
}

}  // namespace hlokit
