#include "passes/builders.h"

#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit {
namespace {

Int64List ListOf(absl::Span<const int64_t> values) {
  return Int64List(values.begin(), values.end());
}

void SetList(AttributeSet* attrs, AttrId id,
             absl::Span<const int64_t> values) {
  if (!values.empty()) attrs->Set(id, ListOf(values));
}

Int64List AttrList(const Instruction& i, AttrId id) {
  return ListOf(i.attrs().GetList(id));
}

Shape Typed(PrimitiveType type, absl::Span<const int64_t> sizes) {
  return Shape::ArrayWithDescendingLayout(type, sizes);
}

// The same array of another element type. Only types under 8 bits are packed.
Shape Retyped(Shape shape, PrimitiveType type) {
  shape.set_element_type(type);
  if (BitWidth(type) >= 8 && shape.has_layout() &&
      shape.layout().element_size_in_bits != 0) {
    Layout layout = shape.layout();
    layout.element_size_in_bits = 0;
    shape.set_layout(std::move(layout));
  }
  return shape;
}

bool IsIdentity(absl::Span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

Shape InferOrDie(Opcode opcode, absl::Span<Instruction* const> operands,
                 const AttributeSet& attrs,
                 absl::Span<Computation* const> called, int64_t number,
                 const Shape* declared) {
  absl::InlinedVector<const Shape*, 4> shapes;
  for (const Instruction* operand : operands) {
    shapes.push_back(&operand->shape());
  }
  InferenceInput input;
  input.opcode = opcode;
  input.operands = shapes;
  input.attrs = &attrs;
  input.called = called;
  input.number = number;
  input.explicit_shape = declared;
  absl::StatusOr<Shape> shape = InferShape(input);
  HLOKIT_CHECK(shape.ok());
  return *std::move(shape);
}

}  // namespace

DotDims DotDimsOf(const Instruction& dot) {
  return {AttrList(dot, AttrId::kLhsBatchDims),
          AttrList(dot, AttrId::kRhsBatchDims),
          AttrList(dot, AttrId::kLhsContractingDims),
          AttrList(dot, AttrId::kRhsContractingDims)};
}

Instruction* Builder::Finish(Instruction* instruction, AttributeSet attrs,
                             absl::Span<Computation* const> called) {
  instruction->mutable_attrs() = std::move(attrs);
  if (!called.empty()) {
    instruction->set_called_computations({called.begin(), called.end()});
  }
  instruction->set_metadata(metadata_);
  return instruction;
}

Instruction* Builder::Op(Opcode opcode,
                         absl::Span<Instruction* const> operands,
                         AttributeSet attrs,
                         absl::Span<Computation* const> called) {
  Shape shape = InferOrDie(opcode, operands, attrs, called, 0, nullptr);
  return Finish(computation_->Add(opcode, std::move(shape), operands),
                std::move(attrs), called);
}

Instruction* Builder::OpOfShape(Opcode opcode, const Shape& shape,
                                absl::Span<Instruction* const> operands,
                                AttributeSet attrs,
                                absl::Span<Computation* const> called) {
  return Finish(computation_->Add(opcode, shape, operands), std::move(attrs),
                called);
}

Instruction* Builder::Clone(const Instruction& original,
                            absl::Span<Instruction* const> operands) {
  return CloneOfShape(
      original,
      InferOrDie(original.opcode(), operands, original.attrs(),
                 original.called_computations(), original.tuple_index(),
                 &original.shape()),
      operands);
}

Instruction* Builder::CloneOfShape(const Instruction& original,
                                   const Shape& shape,
                                   absl::Span<Instruction* const> operands) {
  return computation_->AddClone(original, shape, operands);
}

Instruction* Builder::Unary(Opcode opcode, Instruction* x) {
  return Op(opcode, {x});
}

Instruction* Builder::Binary(Opcode opcode, Instruction* a, Instruction* b) {
  return Op(opcode, {a, b});
}

Instruction* Builder::Compare(ComparisonDirection direction, Instruction* a,
                              Instruction* b) {
  AttributeSet attrs;
  attrs.Set(AttrId::kComparisonDirection, static_cast<int64_t>(direction));
  return Op(Opcode::kCompare, {a, b}, std::move(attrs));
}

Instruction* Builder::CompareOfType(ComparisonDirection direction,
                                    ComparisonType type, Instruction* a,
                                    Instruction* b) {
  Instruction* compare = Compare(direction, a, b);
  if (compare->comparison_type() != type) {
    compare->mutable_attrs().Set(AttrId::kComparisonType,
                                 static_cast<int64_t>(type));
  }
  return compare;
}

Instruction* Builder::Select(Instruction* pred, Instruction* on_true,
                             Instruction* on_false) {
  return Op(Opcode::kSelect, {pred, on_true, on_false});
}

Instruction* Builder::Clamp(Instruction* low, Instruction* x,
                            Instruction* high) {
  return Op(Opcode::kClamp, {low, x, high});
}

Instruction* Builder::Convert(Instruction* x, PrimitiveType type) {
  if (x->shape().element_type() == type) return x;
  return OpOfShape(Opcode::kConvert, Retyped(x->shape(), type), {x});
}

Instruction* Builder::BitcastConvert(Instruction* x, PrimitiveType type) {
  if (x->shape().element_type() == type) return x;
  return OpOfShape(Opcode::kBitcastConvert, Retyped(x->shape(), type), {x});
}

Instruction* Builder::Constant(Literal literal) {
  Instruction* constant = computation_->AddConstant(std::move(literal));
  constant->set_metadata(metadata_);
  return constant;
}

Instruction* Builder::Scalar(PrimitiveType type, double value) {
  return Constant(Literal::ScalarOf(type, value));
}

Instruction* Builder::ScalarInt(PrimitiveType type, int64_t value) {
  return Constant(Literal::ScalarOfInt(type, value));
}

Instruction* Builder::Full(const Shape& shape, double value) {
  return BroadcastScalar(Scalar(shape.element_type(), value),
                         shape.dimensions());
}

Instruction* Builder::FullInt(const Shape& shape, int64_t value) {
  return BroadcastScalar(ScalarInt(shape.element_type(), value),
                         shape.dimensions());
}

Instruction* Builder::List(PrimitiveType type,
                           absl::Span<const int64_t> values) {
  Literal literal =
      Literal::Zeros(Typed(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.SetFromInt64(i, values[i]);
  }
  return Constant(std::move(literal));
}

Instruction* Builder::Iota(const Shape& shape, int64_t dimension) {
  AttributeSet attrs;
  attrs.Set(AttrId::kIotaDimension, dimension);
  return OpOfShape(Opcode::kIota, shape, {}, std::move(attrs));
}

Instruction* Builder::Broadcast(Instruction* x,
                                absl::Span<const int64_t> dimensions,
                                absl::Span<const int64_t> sizes) {
  AttributeSet attrs;
  SetList(&attrs, AttrId::kDimensions, dimensions);
  return OpOfShape(Opcode::kBroadcast, Typed(x->shape().element_type(), sizes),
                   {x}, std::move(attrs));
}

Instruction* Builder::BroadcastScalar(Instruction* x,
                                      absl::Span<const int64_t> sizes) {
  return sizes.empty() ? x : Broadcast(x, {}, sizes);
}

Instruction* Builder::Reshape(Instruction* x,
                              absl::Span<const int64_t> sizes) {
  if (x->shape().dimensions() == sizes) return x;
  return OpOfShape(Opcode::kReshape, Typed(x->shape().element_type(), sizes),
                   {x});
}

Instruction* Builder::Transpose(Instruction* x,
                                absl::Span<const int64_t> permutation) {
  if (IsIdentity(permutation)) return x;
  AttributeSet attrs;
  SetList(&attrs, AttrId::kDimensions, permutation);
  Instruction* transpose = Op(Opcode::kTranspose, {x}, std::move(attrs));
  Shape shape = transpose->shape();
  shape.SetDescendingLayouts(/*replace=*/true);
  transpose->set_shape(std::move(shape));
  return transpose;
}

Instruction* Builder::Reverse(Instruction* x,
                              absl::Span<const int64_t> dimensions) {
  if (dimensions.empty()) return x;
  AttributeSet attrs;
  SetList(&attrs, AttrId::kDimensions, dimensions);
  return Op(Opcode::kReverse, {x}, std::move(attrs));
}

Instruction* Builder::Slice(Instruction* x, SliceRanges ranges) {
  Shape shape = x->shape();
  bool whole = true;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& r = ranges[i];
    const int64_t span = r.limit - r.start;
    const int64_t size = span <= 0 ? 0 : (span - 1) / r.stride + 1;
    whole = whole && size == shape.dimension(i);
    shape.set_dimension(i, size);
  }
  if (whole) return x;
  AttributeSet attrs;
  attrs.SetShared(AttrId::kSlice, std::move(ranges));
  return OpOfShape(Opcode::kSlice, shape, {x}, std::move(attrs));
}

Instruction* Builder::SliceInDim(Instruction* x, int64_t dimension,
                                 int64_t start, int64_t limit) {
  SliceRanges ranges;
  for (int64_t size : x->shape().dimensions()) ranges.push_back({0, size, 1});
  ranges[dimension].start = start;
  ranges[dimension].limit = limit;
  return Slice(x, std::move(ranges));
}

Instruction* Builder::Pad(Instruction* x, Instruction* value,
                          PaddingConfig padding) {
  AttributeSet attrs;
  attrs.SetShared(AttrId::kPadding, std::move(padding));
  return Op(Opcode::kPad, {x, value}, std::move(attrs));
}

Instruction* Builder::Concatenate(absl::Span<Instruction* const> parts,
                                  int64_t dimension) {
  if (parts.size() == 1) return parts[0];
  AttributeSet attrs;
  attrs.Set(AttrId::kDimensions, Int64List{dimension});
  return Op(Opcode::kConcatenate, parts, std::move(attrs));
}

Instruction* Builder::DynamicSlice(Instruction* x,
                                   absl::Span<Instruction* const> starts,
                                   absl::Span<const int64_t> sizes) {
  std::vector<Instruction*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  AttributeSet attrs;
  SetList(&attrs, AttrId::kDynamicSliceSizes, sizes);
  return OpOfShape(Opcode::kDynamicSlice,
                   Typed(x->shape().element_type(), sizes), operands,
                   std::move(attrs));
}

Instruction* Builder::DynamicUpdateSlice(
    Instruction* x, Instruction* update,
    absl::Span<Instruction* const> starts) {
  std::vector<Instruction*> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return OpOfShape(Opcode::kDynamicUpdateSlice, x->shape(), operands);
}

Instruction* Builder::Reduce(Instruction* x, Instruction* init,
                             absl::Span<const int64_t> dimensions,
                             Computation* reducer) {
  AttributeSet attrs;
  SetList(&attrs, AttrId::kDimensions, dimensions);
  return Op(Opcode::kReduce, {x, init}, std::move(attrs), {reducer});
}

Instruction* Builder::Dot(Instruction* lhs, Instruction* rhs,
                          const DotDims& dims, PrimitiveType element_type,
                          const Instruction* like) {
  AttributeSet attrs;
  SetList(&attrs, AttrId::kLhsBatchDims, dims.lhs_batch);
  SetList(&attrs, AttrId::kRhsBatchDims, dims.rhs_batch);
  SetList(&attrs, AttrId::kLhsContractingDims, dims.lhs_contracting);
  SetList(&attrs, AttrId::kRhsContractingDims, dims.rhs_contracting);
  if (like != nullptr) {
    for (AttrId id : {AttrId::kOperandPrecision, AttrId::kDotAlgorithm,
                      AttrId::kFrontendAttributes, AttrId::kBackendConfig}) {
      if (const AttrValue* value = like->attrs().Find(id)) {
        attrs.Set(id, *value);
      }
    }
  }
  Instruction* dot = Op(Opcode::kDot, {lhs, rhs}, std::move(attrs));
  Shape shape = dot->shape();
  shape.set_element_type(element_type);
  dot->set_shape(std::move(shape));
  return dot;
}

Instruction* Builder::Tuple(absl::Span<Instruction* const> elements) {
  Instruction* tuple = computation_->AddTuple(elements);
  tuple->set_metadata(metadata_);
  return tuple;
}

Instruction* Builder::Element(Instruction* tuple, int64_t index) {
  if (tuple->opcode() == Opcode::kTuple) return tuple->operand(index);
  Instruction* element = computation_->AddGetTupleElement(tuple, index);
  element->set_metadata(metadata_);
  return element;
}

Instruction* Builder::Call(Computation* computation,
                           absl::Span<Instruction* const> operands) {
  return OpOfShape(Opcode::kCall, computation->root()->shape(), operands, {},
                   {computation});
}

Instruction* Builder::While(Computation* condition, Computation* body,
                            Instruction* init) {
  return OpOfShape(Opcode::kWhile, init->shape(), {init}, {},
                   {body, condition});
}

Opcode CommutativeReducer(const Computation& computation) {
  const Instruction* root = computation.root();
  if (computation.parameter_count() != 2 ||
      computation.instruction_count() != 3 || root->operand_count() != 2 ||
      root->operand(0) == root->operand(1) ||
      root->operand(0)->opcode() != Opcode::kParameter ||
      root->operand(1)->opcode() != Opcode::kParameter) {
    return Opcode::kParameter;
  }
  switch (root->opcode()) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return root->opcode();
    default:
      return Opcode::kParameter;
  }
}

Computation* ScalarBinaryComputation(Module* module, Opcode opcode,
                                     PrimitiveType type) {
  const Shape scalar = Shape::Scalar(type);
  for (const auto& c : module->computations()) {
    if (!c->IsEntry() && c->execution_thread().empty() &&
        !c->IsFusionComputation() && CommutativeReducer(*c) == opcode &&
        c->root()->shape() == scalar && c->parameter(0)->shape() == scalar &&
        c->parameter(1)->shape() == scalar) {
      return c.get();
    }
  }
  auto computation = Computation::Create(
      module, absl::StrCat(OpcodeName(opcode), "_", PrimitiveTypeName(type)));
  Instruction* a = computation->AddParameter(0, scalar, "a");
  Instruction* b = computation->AddParameter(1, scalar, "b");
  computation->set_root(computation->Add(opcode, scalar, {a, b}));
  return module->AddComputation(std::move(computation));
}

void ReplaceInstruction(Instruction* old, Instruction* replacement) {
  HLOKIT_CHECK(old != replacement &&
               ShapesCompatible(old->shape(), replacement->shape()));
  const bool fresh = replacement->users().empty() &&
                     replacement->opcode() != Opcode::kParameter;
  if (fresh) {
    if (!replacement->has_metadata()) {
      replacement->set_metadata(old->shared_metadata());
    }
    for (AttrId id : {AttrId::kSharding, AttrId::kFrontendAttributes}) {
      const AttrValue* value = old->attrs().Find(id);
      if (value != nullptr && !replacement->attrs().Has(id)) {
        replacement->mutable_attrs().Set(id, *value);
      }
    }
  }
  for (Instruction* p : old->control_predecessors()) {
    if (p != replacement) replacement->AddControlPredecessor(p);
  }
  const std::vector<Instruction*> successors(
      old->control_successors().begin(), old->control_successors().end());
  for (Instruction* s : successors) {
    if (s != replacement) s->AddControlPredecessor(replacement);
  }
  old->DropControlDependencies();
  old->ReplaceAllUsesWith(replacement);
  // A replacement that uses `old` itself keeps it.
  if (old->users().empty() && !old->IsRoot() &&
      old->opcode() != Opcode::kParameter) {
    old->parent()->RemoveWithUnusedOperands(old);
  }
}

}  // namespace hlokit
