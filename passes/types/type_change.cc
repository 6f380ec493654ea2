#include "passes/types/type_change.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace hlokit {

bool ComputesWithElements(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSelect:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kComplex:
      return false;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
    case Opcode::kRng:
    case Opcode::kDot:
    case Opcode::kConvolution:
      return true;
    default:
      break;
  }
  switch (InfoOf(opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare:
      return true;
    default:
      return false;
  }
}
namespace {

bool IsScalarWork(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
      return true;
    case Opcode::kBitcastConvert:
      return false;
    default:
      return IsElementwise(i.opcode());
  }
}

}  // namespace

Shape WithType(const Shape& shape, PrimitiveType from, PrimitiveType to) {
  if (shape.IsTuple()) {
    std::vector<Shape> parts;
    for (const Shape& part : shape.tuple_shapes()) {
      parts.push_back(WithType(part, from, to));
    }
    return Shape::Tuple(std::move(parts));
  }
  if (shape.element_type() != from) return shape;
  Shape changed = shape;
  changed.set_element_type(to);
  if (changed.has_layout() && changed.layout().element_size_in_bits != 0) {
    Layout layout = changed.layout();
    layout.element_size_in_bits = 0;
    changed.set_layout(std::move(layout));
  }
  return changed;
}

bool HasType(const Shape& shape, PrimitiveType type) {
  if (!shape.IsTuple()) return shape.element_type() == type;
  for (const Shape& part : shape.tuple_shapes()) {
    if (HasType(part, type)) return true;
  }
  return false;
}

bool UsesType(const Instruction& i, PrimitiveType type) {
  if (HasType(i.shape(), type)) return true;
  for (const Instruction* operand : i.operands()) {
    if (HasType(operand->shape(), type)) return true;
  }
  return false;
}

Instruction* ConvertParts(Builder& b, Instruction* x, const Shape& shape) {
  if (ShapesCompatible(x->shape(), shape)) return x;
  if (!shape.IsTuple()) return b.OpOfShape(Opcode::kConvert, shape, {x});
  std::vector<Instruction*> parts;
  for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
    parts.push_back(ConvertParts(b, b.Element(x, k), shape.tuple_shape(k)));
  }
  return b.Tuple(parts);
}

Computation* ComputationTypes::Changed(Computation* computation) {
  auto [it, fresh] = copies_.try_emplace(computation, nullptr);
  if (!fresh) return it->second;
  bool uses = false;
  for (const Instruction* i : computation->instructions()) {
    if (!IsScalarWork(*i)) return nullptr;
    uses |= HasType(i->shape(), from_);
  }
  if (!uses) return it->second = computation;
  Module* module = computation->module();
  auto copy = Computation::Create(
      module, absl::StrCat(computation->name(), ".", PrimitiveTypeName(to_)));
  std::vector<Instruction*> copies(computation->id_limit());
  std::vector<Instruction*> operands;
  for (const Instruction* i : computation->PostOrder()) {
    operands.clear();
    for (const Instruction* operand : i->operands()) {
      operands.push_back(copies[operand->id()]);
    }
    const Shape shape = WithType(i->shape(), from_, to_);
    if (i->opcode() == Opcode::kConvert &&
        ShapesCompatible(shape, operands[0]->shape())) {
      copies[i->id()] = operands[0];  // there is nothing left to convert
      continue;
    }
    Instruction* clone = copy->AddClone(*i, shape, operands);
    if (i->literal() != nullptr && HasType(i->shape(), from_)) {
      absl::StatusOr<Literal> value = ConvertLiteral(*i->literal(), to_);
      if (!value.ok()) return nullptr;
      value->set_shape(shape);
      clone->set_literal(*std::move(value));
    }
    copies[i->id()] = clone;
  }
  copy->set_root(copies[computation->root()->id()]);
  return it->second = module->AddComputation(std::move(copy));
}

bool ComputeInType(Instruction* i, PrimitiveType from, PrimitiveType to,
                   ComputationTypes* computations) {
  std::vector<Computation*> called;
  for (Computation* computation : i->called_computations()) {
    called.push_back(computations->Changed(computation));
    if (called.back() == nullptr) return false;
  }
  Builder b(i);
  std::vector<Instruction*> operands;
  for (Instruction* operand : i->operands()) {
    operands.push_back(ConvertParts(b, operand,
                                    WithType(operand->shape(), from, to)));
  }
  Instruction* wide =
      b.CloneOfShape(*i, WithType(i->shape(), from, to), operands);
  if (!called.empty()) wide->set_called_computations(std::move(called));
  ReplaceInstruction(i, ConvertParts(b, wide, i->shape()));
  return true;
}

}  // namespace hlokit
