#include "passes/library_calls/lowering.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit {
namespace {

double LargestFiniteValue(PrimitiveType type) {
  return DispatchArrayType(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsFloat<T>) {
      return static_cast<double>(std::numeric_limits<T>::max());
    } else {
      return 0.0;
    }
  });
}

}  // namespace

Lowering::Lowering(const Instruction& call, Computation* computation)
    : call_(call), emitter_(computation, call.shared_metadata()) {
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    operands_.push_back(computation->AddParameter(
        i, call.operand(i)->shape(), absl::StrCat("operand.", i)));
  }
  dummy_ = emitter_.Scalar(kF32, 0);
}

void Lowering::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void Lowering::Expect(bool condition, absl::string_view message) {
  if (!condition) Fail(InvalidArgument("%s", message));
}

Instruction* Lowering::operand(int64_t i) {
  if (i >= 0 && i < count()) return operands_[i];
  Fail(InvalidArgument("operand %d is missing: there are %d", i, count()));
  return dummy_;
}

void Lowering::TakesArrays(int64_t least, int64_t most) {
  if (count() < least || count() > most) {
    Fail(InvalidArgument(
        "takes %s operands, found %d",
        least == most ? absl::StrCat(least) : absl::StrCat(least, " to ", most),
        count()));
  }
  for (const Instruction* x : operands_) {
    if (!x->shape().IsArray()) {
      Fail(InvalidArgument("takes arrays, found %s", x->shape().ToString()));
    } else if (x->shape().is_dynamic()) {
      Fail(Unimplemented("hlokit runs library calls on static shapes only, "
                         "found %s",
                         x->shape().ToString()));
    }
  }
  for (int64_t i = 0; i < result_count(); ++i) {
    const Shape shape = ResultShape(i);
    Expect(shape.IsArray() && shape.is_static(),
           "must have arrays of static shape as results");
  }
}

int64_t Lowering::result_count() const {
  return call_.shape().IsTuple() ? call_.shape().tuple_shapes().size() : 1;
}

Shape Lowering::ResultShape(int64_t i) {
  if (!call_.shape().IsTuple() && i == 0) return call_.shape();
  if (call_.shape().IsTuple() && i < result_count()) {
    return call_.shape().tuple_shape(i);
  }
  Fail(InvalidArgument("result %d is missing in %s", i,
                       call_.shape().ToString()));
  return Shape::Scalar(kF32);
}

bool Lowering::IsAllowed(Opcode opcode,
                         absl::Span<Instruction* const> operands,
                         const AttributeSet& attrs) {
  if (!ok()) return false;
  std::vector<const Shape*> shapes;
  for (const Instruction* x : operands) shapes.push_back(&x->shape());
  InferenceInput input;
  input.opcode = opcode;
  input.operands = shapes;
  input.attrs = &attrs;
  const absl::StatusOr<Shape> shape = InferShape(input);
  if (!shape.ok()) {
    Fail(InvalidArgument("operands or configuration do not fit (%s: %s)",
                         OpcodeName(opcode), shape.status().message()));
  }
  return ok();
}

Instruction* Lowering::Op(Opcode opcode,
                          std::initializer_list<Instruction*> operands,
                          AttributeSet attrs) {
  const absl::Span<Instruction* const> span(operands.begin(), operands.size());
  if (!IsAllowed(opcode, span, attrs)) return dummy_;
  return emitter_.Op(opcode, operands, std::move(attrs));
}

Instruction* Lowering::Binary(Opcode opcode, Instruction* a, Instruction* b) {
  if (a->shape().IsScalar() && !b->shape().IsScalar()) a = Expand(a, b);
  if (b->shape().IsScalar() && !a->shape().IsScalar()) b = Expand(b, a);
  return Op(opcode, {a, b});
}

Instruction* Lowering::Maximum(Instruction* a, double b) {
  return Binary(Opcode::kMaximum, a, Scalar(a->shape().element_type(), b));
}

Instruction* Lowering::Scale(Instruction* x, double factor) {
  if (factor == 1) return x;
  return Multiply(x, Scalar(x->shape().element_type(), factor));
}

Instruction* Lowering::AddNumber(Instruction* x, double number) {
  return Add(x, Scalar(x->shape().element_type(), number));
}

Instruction* Lowering::Compare(ComparisonDirection direction, Instruction* a,
                               Instruction* b) {
  if (b->shape().IsScalar() && !a->shape().IsScalar()) b = Expand(b, a);
  AttributeSet attrs;
  attrs.Set(AttrId::kComparisonDirection, static_cast<int64_t>(direction));
  return Op(Opcode::kCompare, {a, b}, std::move(attrs));
}

Instruction* Lowering::Select(Instruction* predicate, Instruction* on_true,
                              Instruction* on_false) {
  if (on_false->shape().IsScalar()) on_false = Expand(on_false, on_true);
  return Op(Opcode::kSelect, {predicate, on_true, on_false});
}

Instruction* Lowering::Scalar(PrimitiveType type, double value) {
  return ok() && IsArrayType(type) ? emitter_.Scalar(type, value) : dummy_;
}

Instruction* Lowering::Convert(Instruction* x, PrimitiveType type) {
  if (!ok()) return dummy_;
  if (IsComplexType(x->shape().element_type()) && !IsComplexType(type)) {
    Fail(InvalidArgument("cannot give complex numbers as %s",
                         PrimitiveTypeName(type)));
    return dummy_;
  }
  return emitter_.Convert(x, type);
}

Instruction* Lowering::ConvertSaturating(Instruction* x, PrimitiveType type) {
  const PrimitiveType from = x->shape().element_type();
  if (from == type || !ok() || BitWidth(type) > 8 || type == kPred ||
      IsComplexType(from)) {
    return Convert(x, type);
  }
  double least, largest;
  if (IsFloatType(type)) {
    largest = LargestFiniteValue(type);
    least = -largest;
  } else {
    const int bits = BitWidth(type);
    const bool is_signed = IsSignedIntType(type);
    largest = (1 << (is_signed ? bits - 1 : bits)) - 1;
    least = is_signed ? -largest - 1 : 0;
    if (IsFloatType(from)) x = Op(Opcode::kRoundNearestEven, {x});
  }
  Instruction* clamped =
      Op(Opcode::kClamp, {Scalar(from, least), x, Scalar(from, largest)});
  return Convert(clamped, type);
}

Instruction* Lowering::Broadcast(Instruction* x, Dims dimensions, Dims sizes) {
  if (!ok()) return dummy_;
  bool fits = static_cast<int64_t>(dimensions.size()) == x->shape().rank();
  for (size_t i = 0; fits && i < dimensions.size(); ++i) {
    fits = dimensions[i] >= 0 &&
           dimensions[i] < static_cast<int64_t>(sizes.size()) &&
           sizes[dimensions[i]] == x->shape().dimension(i);
  }
  if (!fits) {
    Fail(InvalidArgument("%s does not fit into %s", x->shape().ToString(),
                         Shape::Array(x->shape().element_type(), sizes)
                             .ToString()));
    return dummy_;
  }
  if (x->shape().dimensions() == sizes) return x;
  return emitter_.Broadcast(x, dimensions, sizes);
}

Instruction* Lowering::Reshape(Instruction* x, Dims sizes) {
  if (!ok()) return dummy_;
  int64_t wanted = 1, found = 1;
  for (int64_t size : sizes) wanted *= size;
  for (int64_t size : x->shape().dimensions()) found *= size;
  if (wanted != found) {
    Fail(InvalidArgument("%s cannot become %s", x->shape().ToString(),
                         Shape::Array(x->shape().element_type(), sizes)
                             .ToString()));
    return dummy_;
  }
  return emitter_.Reshape(x, sizes);
}

Instruction* Lowering::Transpose(Instruction* x, Dims permutation) {
  if (!ok()) return dummy_;
  return emitter_.Transpose(x, permutation);
}

Instruction* Lowering::Iota(PrimitiveType type, Dims sizes,
                            int64_t dimension) {
  if (!ok() || dimension < 0 ||
      dimension >= static_cast<int64_t>(sizes.size())) {
    return dummy_;
  }
  return emitter_.Iota(type, sizes, dimension);
}

Instruction* Lowering::Reduce(Instruction* x, Opcode reducer,
                              Dims dimensions) {
  if (!ok()) return dummy_;
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= x->shape().rank()) {
      Fail(InvalidArgument("%s has no dimension %d", x->shape().ToString(),
                           dimension));
      return dummy_;
    }
  }
  const double init = reducer == Opcode::kMaximum
                          ? -std::numeric_limits<double>::infinity()
                          : 0;
  return emitter_.Reduce(x, init, dimensions, reducer);
}

Instruction* Lowering::SpreadOver(Instruction* reduced, Instruction* like,
                                  Dims dimensions) {
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < like->shape().rank(); ++i) {
    if (std::find(dimensions.begin(), dimensions.end(), i) ==
        dimensions.end()) {
      kept.push_back(i);
    }
  }
  return Broadcast(reduced, kept, DimsOf(like));
}

Instruction* Lowering::Expand(Instruction* x, Instruction* like) {
  if (!ok()) return dummy_;
  const std::vector<int64_t> sizes = DimsOf(like);
  const std::vector<int64_t> old = DimsOf(x);
  const int64_t offset = static_cast<int64_t>(sizes.size() - old.size());
  std::vector<int64_t> kept, kept_sizes;
  for (size_t i = 0; offset >= 0 && i < old.size(); ++i) {
    if (old[i] == 1 && sizes[offset + i] != 1) continue;
    kept.push_back(offset + i);
    kept_sizes.push_back(old[i]);
  }
  return Broadcast(offset < 0 ? x : Reshape(x, kept_sizes), kept, sizes);
}

Instruction* Lowering::Dot(Instruction* lhs, Instruction* rhs,
                           const DotDims& dims) {
  AttributeSet attrs;
  SetList(AttrId::kLhsBatchDims, dims.lhs_batch, &attrs);
  SetList(AttrId::kRhsBatchDims, dims.rhs_batch, &attrs);
  SetList(AttrId::kLhsContractingDims, dims.lhs_contracting, &attrs);
  SetList(AttrId::kRhsContractingDims, dims.rhs_contracting, &attrs);
  return Op(Opcode::kDot, {lhs, rhs}, std::move(attrs));
}

Instruction* Lowering::LargestMagnitude(Instruction* x) {
  const std::vector<int64_t> all = Counting(x->shape().rank());
  return Maximum(Reduce(Op(Opcode::kAbs, {x}), Opcode::kMaximum, all), 0);
}

Values Lowering::Sort(Values arrays, int64_t dimension, bool descending) {
  if (!ok() || arrays.empty()) return arrays;
  std::vector<Shape> scalars, shapes;
  for (const Instruction* x : arrays) {
    Expect(SameDimensions(x->shape(), arrays[0]->shape()) && dimension >= 0 &&
               dimension < x->shape().rank(),
           "takes arrays of equal dimensions");
    for (int k = 0; k < 2; ++k) {
      scalars.push_back(Shape::Scalar(x->shape().element_type()));
    }
    shapes.push_back(x->shape());
  }
  Expect(!IsComplexType(scalars[0].element_type()), "cannot sort complex keys");
  if (!ok()) return arrays;
  Computation* comparator = emitter_.Subcomputation(
      "compare_keys", scalars, [&](Emitter& e, const Values& p) {
        const auto direction = descending ? ComparisonDirection::kGt
                                          : ComparisonDirection::kLt;
        if (!IsFloatType(scalars[0].element_type())) {
          return e.Compare(direction, p[0], p[1]);
        }
        return e.CompareOfType(direction, ComparisonType::kFloatTotalOrder,
                               p[0], p[1]);
      });
  AttributeSet attrs;
  SetList(AttrId::kDimensions, {dimension}, &attrs);
  attrs.Set(AttrId::kIsStable, true);
  const Shape shape = arrays.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  Instruction* sort = emitter_.OpOfShape(Opcode::kSort, shape, arrays,
                                         std::move(attrs), {comparator});
  return arrays.size() == 1 ? Values{sort} : emitter_.Elements(sort);
}

absl::Status Lowering::Finish() {
  HLOKIT_RETURN_IF_ERROR(status_);
  const int64_t given = results_.size();
  if (given > result_count()) {
    return InvalidArgument("has %d results, found the shape %s", given,
                           call_.shape().ToString());
  }
  for (int64_t i = 0; i < result_count(); ++i) {
    const Shape shape = ResultShape(i);
    if (i >= given) {
      if (!IsByteType(shape.element_type())) {
        return InvalidArgument("has %d results and scratch bytes, found %s",
                               given, call_.shape().ToString());
      }
      results_.push_back(emitter_.Full(shape.element_type(), shape.dimensions(), 0));
    }
    Instruction*& value = results_[i];
    if (!ShapesCompatible(value->shape(), shape)) {
      return InvalidArgument("result %d must be %s, found %s", i,
                             value->shape().ToString(), shape.ToString());
    }
    if (value->shape() != shape) {
      value = emitter_.OpOfShape(Opcode::kCopy, shape, {value});
    }
  }
  Instruction* root = results_[0];
  if (call_.shape().IsTuple()) root = emitter_.Tuple(results_);
  if (dummy_->users().empty() && root != dummy_) {
    emitter_.computation()->Remove(dummy_);
  }
  emitter_.computation()->set_root(root);
  return absl::OkStatus();
}

PrimitiveType SumType(PrimitiveType type) {
  if (IsIntegerType(type) && BitWidth(type) < 32) return kS32;
  if (IsFloatType(type) && BitWidth(type) < 32) return kF32;
  return type;
}

bool IsByteType(PrimitiveType type) { return type == kU8 || type == kS8; }

Instruction* Relu(Lowering& l, Instruction* x) { return l.Maximum(x, 0); }

Instruction* Relu6(Lowering& l, Instruction* x) {
  const PrimitiveType type = x->shape().element_type();
  return l.Op(Opcode::kClamp, {l.Scalar(type, 0), x, l.Scalar(type, 6)});
}

Instruction* Elu(Lowering& l, Instruction* x, double alpha) {
  Instruction* positive = l.Compare(
      ComparisonDirection::kGt, x, l.Scalar(x->shape().element_type(), 0));
  return l.Select(positive, x, l.Scale(l.Op(Opcode::kExponentialMinusOne, {x}), alpha));
}

Instruction* LeakyRelu(Lowering& l, Instruction* x, double alpha) {
  Instruction* positive = l.Compare(
      ComparisonDirection::kGt, x, l.Scalar(x->shape().element_type(), 0));
  return l.Select(positive, x, l.Scale(x, alpha));
}

Instruction* GeluTanh(Lowering& l, Instruction* x) {
  constexpr double kRootOfTwoOverPi = 0.79788456080286535588;
  Instruction* cube = l.Multiply(l.Multiply(x, x), x);
  Instruction* inner =
      l.Scale(l.Add(x, l.Scale(cube, 0.044715)), kRootOfTwoOverPi);
  return l.Multiply(l.Scale(x, 0.5),
                    l.AddNumber(l.Op(Opcode::kTanh, {inner}), 1));
}

Instruction* GeluErf(Lowering& l, Instruction* x) {
  constexpr double kRootOfHalf = 0.70710678118654752440;
  return l.Multiply(
      l.Scale(x, 0.5),
      l.AddNumber(l.Op(Opcode::kErf, {l.Scale(x, kRootOfHalf)}), 1));
}

Instruction* Swish(Lowering& l, Instruction* x, double alpha) {
  return l.Multiply(x, l.Op(Opcode::kLogistic, {l.Scale(x, alpha)}));
}

DotDims ReadDotDims(LibraryConfig& config, absl::string_view name) {
  const auto list = [&](absl::string_view field) {
    const std::vector<int64_t> dims =
        config.Ints(absl::StrCat(name, ".", field));
    return Int64List(dims.begin(), dims.end());
  };
  return {list("lhs_batch_dimensions"), list("rhs_batch_dimensions"),
          list("lhs_contracting_dimensions"),
          list("rhs_contracting_dimensions")};
}

}  // namespace hlokit
