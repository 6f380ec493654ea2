#include "passes/expand/emitter.h"

#include <limits>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace hlokit {
namespace {

bool IsScalar(const Instruction* x) { return x->shape().IsScalar(); }

// Whether every instruction can take arrays instead of scalars.
bool CanVectorize(const Computation& function) {
  for (const Instruction* i : function.instructions()) {
    const bool is_value =
        i->shape().IsScalar() || (i == function.root() && i->shape().IsTuple());
    const bool is_known = i->opcode() == Opcode::kParameter ||
                          i->opcode() == Opcode::kConstant ||
                          i->opcode() == Opcode::kTuple ||
                          IsElementwise(i->opcode()) ||
                          i->opcode() == Opcode::kConvert;
    if (!is_value || !is_known) return false;
  }
  return true;
}

Shape WithType(const Shape& shape, PrimitiveType type) {
  Shape result = shape;
  result.set_element_type(type);
  return result;
}

}  // namespace

void SetList(AttrId id, Dims list, AttributeSet* attrs) {
  if (!list.empty()) attrs->Set(id, Int64List(list.begin(), list.end()));
}

std::vector<int64_t> Counting(int64_t count, int64_t first) {
  std::vector<int64_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

std::vector<int64_t> DimsOf(const Instruction* x) {
  return {x->shape().dimensions().begin(), x->shape().dimensions().end()};
}

PrimitiveType UnsignedOfWidth(int bits) {
  for (PrimitiveType type : {kU1, kU2, kU4, kU8, kU16, kU32, kU64}) {
    if (BitWidth(type) == bits) return type;
  }
  return kInvalid;
}

PrimitiveType SignedOfWidth(int bits) {
  for (PrimitiveType type : {kS1, kS2, kS4, kS8, kS16, kS32, kS64}) {
    if (BitWidth(type) == bits) return type;
  }
  return kInvalid;
}

Instruction* Emitter::Full(PrimitiveType type, Dims sizes, double value) {
  return BroadcastScalar(Scalar(type, value), sizes);
}

Instruction* Emitter::Iota(PrimitiveType type, Dims sizes, int64_t dimension) {
  return Builder::Iota(Shape::ArrayWithDescendingLayout(type, sizes),
                       dimension);
}

Instruction* Emitter::Binary(Opcode opcode, Instruction* a, Instruction* b) {
  if (IsScalar(a)) a = BroadcastScalar(a, b->shape().dimensions());
  if (IsScalar(b)) b = BroadcastScalar(b, a->shape().dimensions());
  return Builder::Binary(opcode, a, b);
}

Instruction* Emitter::Add(Instruction* a, Instruction* b) {
  return Binary(Opcode::kAdd, a, b);
}
Instruction* Emitter::Add(Instruction* a, double b) {
  return Add(a, Scalar(a->shape().element_type(), b));
}
Instruction* Emitter::Subtract(Instruction* a, Instruction* b) {
  return Binary(Opcode::kSubtract, a, b);
}
Instruction* Emitter::Multiply(Instruction* a, Instruction* b) {
  return Binary(Opcode::kMultiply, a, b);
}
Instruction* Emitter::Multiply(Instruction* a, double b) {
  return Multiply(a, Scalar(a->shape().element_type(), b));
}
Instruction* Emitter::Divide(Instruction* a, Instruction* b) {
  return Binary(Opcode::kDivide, a, b);
}
Instruction* Emitter::And(Instruction* a, Instruction* b) {
  return Binary(Opcode::kAnd, a, b);
}
Instruction* Emitter::Or(Instruction* a, Instruction* b) {
  return Binary(Opcode::kOr, a, b);
}
Instruction* Emitter::Xor(Instruction* a, Instruction* b) {
  return Binary(Opcode::kXor, a, b);
}
Instruction* Emitter::ShiftLeft(Instruction* x, int64_t bits) {
  return Binary(Opcode::kShiftLeft, x,
                ScalarInt(x->shape().element_type(), bits));
}
Instruction* Emitter::ShiftRight(Instruction* x, int64_t bits) {
  return Binary(Opcode::kShiftRightLogical, x,
                ScalarInt(x->shape().element_type(), bits));
}

Instruction* Emitter::Compare(ComparisonDirection direction, Instruction* a,
                              Instruction* b) {
  if (IsScalar(a)) a = BroadcastScalar(a, b->shape().dimensions());
  if (IsScalar(b)) b = BroadcastScalar(b, a->shape().dimensions());
  return Builder::Compare(direction, a, b);
}

Instruction* Emitter::Select(Instruction* predicate, Instruction* on_true,
                             Instruction* on_false) {
  Dims sizes = predicate->shape().dimensions();
  if (!IsScalar(on_true)) sizes = on_true->shape().dimensions();
  if (!IsScalar(on_false)) sizes = on_false->shape().dimensions();
  Instruction* operands[3] = {predicate, on_true, on_false};
  for (Instruction*& operand : operands) {
    if (IsScalar(operand)) operand = BroadcastScalar(operand, sizes);
  }
  return Builder::Select(operands[0], operands[1], operands[2]);
}

Instruction* Emitter::Conjugate(Instruction* x) {
  if (!IsComplexType(x->shape().element_type())) return x;
  return Op(Opcode::kComplex,
            {Unary(Opcode::kReal, x),
             Unary(Opcode::kNegate, Unary(Opcode::kImag, x))});
}

Instruction* Emitter::RealPart(Instruction* x) {
  if (!IsComplexType(x->shape().element_type())) return x;
  return Unary(Opcode::kReal, x);
}

Instruction* Emitter::PadHigh(Instruction* x, Instruction* value,
                              Dims amounts) {
  PaddingConfig config;
  bool any = false;
  for (int64_t amount : amounts) {
    config.dimensions.push_back({0, amount, 0});
    any = any || amount != 0;
  }
  return any ? Pad(x, value, std::move(config)) : x;
}

Instruction* Emitter::DynamicSliceAlong(Instruction* x, int64_t dimension,
                                        Instruction* start, int64_t size) {
  if (x->shape().dimension(dimension) == size) return x;
  Values starts(x->shape().rank(), ScalarInt(start->shape().element_type(), 0));
  starts[dimension] = start;
  std::vector<int64_t> sizes = DimsOf(x);
  sizes[dimension] = size;
  return DynamicSlice(x, starts, sizes);
}

Instruction* Emitter::DynamicUpdateAlong(Instruction* x, Instruction* update,
                                         int64_t dimension,
                                         Instruction* start) {
  Values starts(x->shape().rank(), ScalarInt(start->shape().element_type(), 0));
  starts[dimension] = start;
  return DynamicUpdateSlice(x, update, starts);
}

Instruction* Emitter::Reduce(Instruction* x, double init, Dims dimensions,
                             Opcode opcode) {
  if (dimensions.empty()) return x;
  const PrimitiveType type = x->shape().element_type();
  return Builder::Reduce(x, Scalar(type, init), dimensions,
                         ScalarBinaryComputation(module(), opcode, type));
}

Instruction* Emitter::MatMul(Instruction* x, Instruction* y) {
  const int64_t batch = x->shape().rank() - 2;
  AttributeSet attrs;
  SetList(AttrId::kLhsBatchDims, Counting(batch), &attrs);
  SetList(AttrId::kRhsBatchDims, Counting(batch), &attrs);
  SetList(AttrId::kLhsContractingDims, {batch + 1}, &attrs);
  SetList(AttrId::kRhsContractingDims, {batch}, &attrs);
  SetList(AttrId::kOperandPrecision, {2, 2}, &attrs);  // highest
  return Op(Opcode::kDot, {x, y}, std::move(attrs));
}

Instruction* Emitter::TransposeMatrix(Instruction* x) {
  std::vector<int64_t> permutation = Counting(x->shape().rank());
  std::swap(permutation[permutation.size() - 1],
            permutation[permutation.size() - 2]);
  return Transpose(x, permutation);
}

Instruction* Emitter::Adjoint(Instruction* x) {
  return Conjugate(TransposeMatrix(x));
}

Values Emitter::Elements(Instruction* tuple) {
  Values parts;
  const int64_t count = tuple->shape().tuple_shapes().size();
  for (int64_t i = 0; i < count; ++i) parts.push_back(Element(tuple, i));
  return parts;
}

Computation* Emitter::Subcomputation(
    absl::string_view name, absl::Span<const Shape> parameters,
    absl::FunctionRef<Instruction*(Emitter& e, const Values& parameters)>
        build) {
  // Joins at once: instructions that call others are only known in the module
  // then.
  Computation* made =
      module()->AddComputation(Computation::Create(module(), name));
  made->set_execution_thread(computation()->execution_thread());
  Emitter e(made, metadata_);
  Values values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    values.push_back(made->AddParameter(i, parameters[i]));
  }
  made->set_root(build(e, values));
  return made;
}

Values Emitter::While(
    absl::string_view name, absl::Span<Instruction* const> state,
    absl::FunctionRef<Instruction*(Emitter& e, const Values& state)> condition,
    absl::FunctionRef<Values(Emitter& e, const Values& state)> body) {
  Instruction* init = Tuple(state);
  const Shape shape = init->shape();
  Computation* body_computation = Subcomputation(
      absl::StrCat(name, "_body"), {shape}, [&](Emitter& e, const Values& p) {
        Instruction* root = e.Tuple(body(e, e.Elements(p[0])));
        // The state's layouts are those it came with.
        if (ShapesCompatible(root->shape(), shape)) root->set_shape(shape);
        return root;
      });
  Computation* condition_computation = Subcomputation(
      absl::StrCat(name, "_condition"), {shape},
      [&](Emitter& e, const Values& p) {
        return condition(e, e.Elements(p[0]));
      });
  return Elements(
      Builder::While(condition_computation, body_computation, init));
}

Values Emitter::For(
    absl::string_view name, int64_t count,
    absl::Span<Instruction* const> state,
    absl::FunctionRef<Values(Emitter& e, Instruction* i, const Values& state)>
        body) {
  const PrimitiveType type =
      count < std::numeric_limits<int32_t>::max() ? kS32 : kS64;
  Values init = {ScalarInt(type, 0)};
  init.insert(init.end(), state.begin(), state.end());
  Values result = While(
      name, init,
      [&](Emitter& e, const Values& s) {
        return e.Compare(ComparisonDirection::kLt, s[0],
                         e.ScalarInt(type, count));
      },
      [&](Emitter& e, const Values& s) {
        Values next = {e.Add(s[0], e.ScalarInt(type, 1))};
        const Values rest = body(e, s[0], Values(s.begin() + 1, s.end()));
        next.insert(next.end(), rest.begin(), rest.end());
        return next;
      });
  result.erase(result.begin());
  return result;
}

Instruction* Emitter::Inline(const Computation& function,
                             absl::Span<Instruction* const> arguments) {
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const Instruction* i : function.PostOrder()) {
    if (i->opcode() == Opcode::kParameter) {
      copies[i] = arguments[i->parameter_number()];
      continue;
    }
    Values operands;
    for (const Instruction* operand : i->operands()) {
      operands.push_back(copies[operand]);
    }
    Instruction* copy = computation()->AddClone(*i, i->shape(), operands);
    for (Instruction* predecessor : i->control_predecessors()) {
      copy->AddControlPredecessor(copies[predecessor]);
    }
    copies[i] = copy;
  }
  return copies[function.root()];
}

Values Emitter::Apply(Computation* function,
                      absl::Span<Instruction* const> arguments) {
  Values converted;
  for (size_t i = 0; i < arguments.size(); ++i) {
    converted.push_back(Convert(
        arguments[i], function->parameter(i)->shape().element_type()));
  }
  const Shape& root_shape = function->root()->shape();
  const int64_t count =
      root_shape.IsTuple() ? root_shape.tuple_shapes().size() : 1;
  Values results;
  if (CanVectorize(*function)) return Vectorized(*function, converted);
  const Dims dimensions = arguments[0]->shape().dimensions();
  if (dimensions.empty()) {
    Instruction* root = Inline(*function, converted);
    return root_shape.IsTuple() ? Elements(root) : Values{root};
  }
  std::vector<Shape> parameters;
  for (const Instruction* p : function->parameters()) {
    parameters.push_back(p->shape());
  }
  AttributeSet attrs;
  SetList(AttrId::kDimensions, Counting(dimensions.size()), &attrs);
  for (int64_t i = 0; i < count; ++i) {
    Computation* called = function;
    if (root_shape.IsTuple()) {
      called = Subcomputation(
          absl::StrCat(function->name(), "_", i), parameters,
          [&](Emitter& e, const Values& p) {
            return e.Element(e.Inline(*function, p), i);
          });
    }
    results.push_back(Op(Opcode::kMap, converted, attrs, {called}));
  }
  return results;
}

Values Emitter::Vectorized(const Computation& function,
                           absl::Span<Instruction* const> arguments) {
  const Dims sizes = arguments[0]->shape().dimensions();
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  Values results;
  for (const Instruction* i : function.PostOrder()) {
    Values operands;
    for (const Instruction* operand : i->operands()) {
      operands.push_back(copies[operand]);
    }
    if (i->opcode() == Opcode::kParameter) {
      copies[i] = arguments[i->parameter_number()];
    } else if (i->opcode() == Opcode::kConstant) {
      copies[i] = BroadcastScalar(Constant(*i->literal()), sizes);
    } else if (i->opcode() == Opcode::kTuple) {
      results = operands;
    } else {
      AttributeSet attrs = i->attrs();
      attrs.Erase(AttrId::kSharding);
      copies[i] =
          OpOfShape(i->opcode(),
                    WithType(operands[0]->shape(), i->shape().element_type()),
                    operands, std::move(attrs));
    }
  }
  if (results.empty()) results.push_back(copies[function.root()]);
  return results;
}

}  // namespace hlokit
