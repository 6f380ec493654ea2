#include <algorithm>
#include <cmath>
#include <vector>

#include "fuzz/random_generator.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit {
namespace {

bool IsNumber(PrimitiveType type) {
  return type != kPred && type != kF8E8M0FNU;
}

int64_t ProductOf(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

std::optional<RandomGenerator::Reducer> RandomGenerator::ReducerFor(
    const RandomValue& x, int64_t count) {
  const PrimitiveType type = x.type();
  if (!x.tame() || type == kF8E8M0FNU) return std::nullopt;
  if (type == kPred) {
    static const std::vector<Opcode> kLogic = {Opcode::kAnd, Opcode::kOr,
                                               Opcode::kXor};
    return Reducer{OneOf(kLogic), 0, 0, true};
  }
  if (IsIntegerType(type)) {
    static const std::vector<Opcode> kInteger = {
        Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum,
        Opcode::kAnd, Opcode::kOr,       Opcode::kXor};
    return Reducer{OneOf(kInteger), 0, 0, true};
  }
  if (!IsComplexType(type) && Chance(40)) {
    return Reducer{Chance(50) ? Opcode::kMaximum : Opcode::kMinimum, x.bound,
                   x.error, x.integral};
  }
  if (x.bound <= 1 && !IsComplexType(type) && Chance(30)) {
    return Reducer{Opcode::kMultiply, 1,
                   count * (x.error + RoundingOf(type, 1)), x.integral};
  }
  const double bound = x.bound * (count + 1);
  if (!Fits(type, bound)) return std::nullopt;
  return Reducer{Opcode::kAdd, bound,
                 (count + 1) * (x.error + RoundingOf(type, bound)),
                 x.integral};
}

// ScalarBinaryComputation looks at all computations, unfinished ones too.
Computation* RandomGenerator::Combiner(Opcode opcode, PrimitiveType type) {
  Computation*& known = combiners_[{opcode, type}];
  if (known == nullptr) {
    known = module_->AddComputation(Computation::Create(module_, "combine"));
    const Shape scalar = Shape::Scalar(type);
    Instruction* a = known->AddParameter(0, scalar);
    Instruction* c = known->AddParameter(1, scalar);
    known->set_root(known->Add(opcode, scalar, {a, c}));
  }
  return known;
}

RandomValue RandomGenerator::InitFor(const RandomValue& x, Opcode opcode) {
  const double number = opcode == Opcode::kMultiply ? 1 : 0;
  if (Chance(60)) return Scalar(x.type(), number);
  return Get(x.type(), {}, [&](const RandomValue& v) {
    return v.tame() && v.bound <= x.bound && v.error <= x.error &&
           (v.integral || !x.integral);
  });
}

RandomValue RandomGenerator::Reduced(const RandomValue& x,
                                     const Reducer& reducer, Instruction* at) {
  RandomValue result = Exact(at, reducer.bound);
  const bool keeps = reducer.opcode == Opcode::kMaximum ||
                     reducer.opcode == Opcode::kMinimum;
  if (keeps || !(IsFloatType(x.type()) || IsComplexType(x.type()))) {
    result.integral = x.integral;
    result.error = x.error;
    return result;
  }
  result = Rounded(at, reducer.bound, x.error, reducer.integral);
  if (!result.integral) result.error = reducer.error;
  return result;
}

namespace {

// The value of `get` may be larger than x: what both have.
RandomValue WithInit(const RandomValue& x, const RandomValue& init) {
  RandomValue both = x;
  both.bound = std::max(x.bound, init.bound);
  both.error = std::max(x.error, init.error);
  both.integral = x.integral && init.integral;
  return both;
}

}  // namespace

RandomGenerator::Made RandomGenerator::Reduce() {
  const Made x = Any([](const RandomValue& v) {
    return v.rank() >= 1 && v.tame() && v.type() != kF8E8M0FNU;
  });
  if (!x.has_value()) return std::nullopt;
  Int64List dims = Permutation(x->rank());
  dims.resize(Chance(4) ? 0 : 1 + Draw(x->rank()));
  std::sort(dims.begin(), dims.end());
  int64_t count = 1;
  for (int64_t d : dims) count *= x->dims()[d];
  // The start may be larger than the elements.
  const RandomValue init = InitFor(*x, Opcode::kAdd);
  const RandomValue both = WithInit(*x, init);
  const auto reducer = ReducerFor(both, count);
  if (!reducer.has_value()) return std::nullopt;
  Instruction* at = b().Reduce(
      x->at, init.at, dims,
      Combiner(reducer->opcode, x->type()));
  return Reduced(both, *reducer, at);
}

// The largest element and its place; with a sum beside it sometimes.
RandomGenerator::Made RandomGenerator::ArgReduce() {
  const Made x = Any([](const RandomValue& v) {
    return v.rank() >= 1 && v.exact() && v.tame() &&
           !IsComplexType(v.type()) && IsNumber(v.type());
  });
  if (!x.has_value()) return std::nullopt;
  const PrimitiveType type = x->type();
  const int64_t d = Draw(x->rank());
  const bool larger = Chance(50);
  auto owned = hlokit::Computation::Create(module_, "pick");
  Computation* pick = module_->AddComputation(std::move(owned));
  {
    Instruction* a = pick->AddParameter(0, Shape::Scalar(type));
    Instruction* i = pick->AddParameter(1, Shape::Scalar(kS32));
    Instruction* c = pick->AddParameter(2, Shape::Scalar(type));
    Instruction* j = pick->AddParameter(3, Shape::Scalar(kS32));
    Builder p(pick);
    Instruction* better = p.Compare(
        larger ? ComparisonDirection::kGt : ComparisonDirection::kLt, a, c);
    Instruction* same = p.Compare(ComparisonDirection::kEq, a, c);
    Instruction* first = p.Compare(ComparisonDirection::kLt, i, j);
    Instruction* keep = p.Binary(Opcode::kOr, better,
                                 p.Binary(Opcode::kAnd, same, first));
    pick->set_root(p.Tuple({p.Select(keep, a, c), p.Select(keep, i, j)}));
  }
  Instruction* index =
      b().Iota(Shape::ArrayWithDescendingLayout(kS32, x->dims()), d);
  // Any element may be first.
  const RandomValue init = Scalar(type, 0);
  AttributeSet attrs;
  attrs.Set(AttrId::kDimensions, Int64List{d});
  Instruction* both =
      b().Op(Opcode::kReduce, {x->at, index, init.at, Scalar(kS32, 0).at},
             std::move(attrs), {pick});
  RandomValue value = Moved(*x, b().Element(both, 0));
  value.known_signs = false;
  scope_->values.push_back(value);
  return Exact(b().Element(both, 1));
}

RandomGenerator::Made RandomGenerator::ReduceWindow() {
  const Made x = Any([](const RandomValue& v) {
    return v.rank() >= 1 && v.tame() && v.type() != kF8E8M0FNU;
  });
  if (!x.has_value()) return std::nullopt;
  Window window;
  int64_t count = 1;
  for (int64_t size : x->dims()) {
    WindowDimension d;
    if (Chance(70)) {
      d.size = 1 + Draw(3);
      d.stride = 1 + Draw(2);
      if (Chance(10)) d.size = std::max<int64_t>(size, 1);
      if (Chance(30)) d.window_dilation = 1 + Draw(2);
      if (Chance(20)) d.base_dilation = 1 + Draw(2);
      const int64_t extent = (d.size - 1) * d.window_dilation + 1;
      d.padding_low = Draw(extent);
      d.padding_high = Draw(extent);
    }
    count *= d.size;
    window.dimensions.push_back(d);
  }
  const auto shape = InferWindowOutputShape(x->at->shape(), window, x->type());
  if (!shape.ok() || !Acceptable(shape->dimensions()) || count > 200) {
    return std::nullopt;
  }
  const RandomValue init = InitFor(*x, Opcode::kAdd);
  const RandomValue both = WithInit(*x, init);
  const auto reducer = ReducerFor(both, count);
  if (!reducer.has_value()) return std::nullopt;
  AttributeSet attrs;
  attrs.SetShared(AttrId::kWindow, std::move(window));
  Instruction* at =
      b().Op(Opcode::kReduceWindow, {x->at, init.at}, std::move(attrs),
             {Combiner(reducer->opcode, x->type())});
  return Reduced(both, *reducer, at);
}

RandomGenerator::Made RandomGenerator::Sort() {
  const Made x = Any([](const RandomValue& v) {
    return v.rank() >= 1 && v.exact() && !v.special &&
           !IsComplexType(v.type());
  });
  if (!x.has_value()) return std::nullopt;
  std::vector<RandomValue> arrays = {*x};
  for (int64_t more = Chance(50) ? Draw(3) : 0; more > 0; --more) {
    arrays.push_back(Get(Type(), x->dims()));
  }
  auto owned = Computation::Create(module_, "before");
  Computation* before = module_->AddComputation(std::move(owned));
  Instruction *left = nullptr, *right = nullptr;
  std::vector<Instruction*> operands;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const Shape scalar = Shape::Scalar(arrays[k].type());
    Instruction* a = before->AddParameter(2 * k, scalar);
    Instruction* c = before->AddParameter(2 * k + 1, scalar);
    if (k == 0) {
      left = a;
      right = c;
    }
    operands.push_back(arrays[k].at);
  }
  const bool total = IsFloatType(x->type()) && x->known_signs && Chance(50);
  const auto direction =
      Chance(50) ? ComparisonDirection::kLt : ComparisonDirection::kGt;
  Builder p(before);
  before->set_root(
      total ? p.CompareOfType(direction, ComparisonType::kFloatTotalOrder,
                              left, right)
            : p.Compare(direction, left, right));
  AttributeSet attrs;
  attrs.Set(AttrId::kDimensions, Int64List{Draw(x->rank())});
  // Equal keys would lie in any order.
  if (arrays.size() > 1 || Chance(50)) attrs.Set(AttrId::kIsStable, true);
  Instruction* sort =
      b().Op(Opcode::kSort, operands, std::move(attrs), {before});
  if (arrays.size() == 1) {
    RandomValue result = Moved(*x, sort);
    result.known_signs = false;
    return result;
  }
  for (size_t k = 1; k < arrays.size(); ++k) {
    scope_->values.push_back(Moved(arrays[k], b().Element(sort, k)));
  }
  RandomValue result = Moved(*x, b().Element(sort, 0));
  result.known_signs = false;
  return result;
}

RandomGenerator::Made RandomGenerator::Dot() {
  const auto usable = [](const RandomValue& v) {
    return v.tame() && IsNumber(v.type());
  };
  const Made x = Any(usable);
  if (!x.has_value()) return std::nullopt;
  DotDims dims;
  // Dimensions of the right side: sizes, and what each stands for.
  struct Dim {
    int64_t size, batch, contracting;
  };
  std::vector<Dim> right;
  int64_t count = 1;
  Int64List result;
  for (int64_t d = 0; d < x->rank(); ++d) {
    const int64_t size = x->dims()[d];
    const int64_t role = Draw(5);
    if (role == 0) {
      right.push_back({size, d, -1});
    } else if (role < 3) {
      right.push_back({size, -1, d});
      count *= size;
    }
    if (role == 0 || role >= 3) result.push_back(size);
  }
  for (int64_t more = Draw(3); more > 0; --more) {
    const int64_t size = Size();
    right.push_back({size, -1, -1});
    result.push_back(size);
  }
  for (size_t k = right.size(); k > 1; --k) {
    std::swap(right[k - 1], right[Draw(k)]);
  }
  Int64List sizes;
  for (size_t k = 0; k < right.size(); ++k) {
    sizes.push_back(right[k].size);
    if (right[k].batch >= 0) {
      dims.lhs_batch.push_back(right[k].batch);
      dims.rhs_batch.push_back(k);
    } else if (right[k].contracting >= 0) {
      dims.lhs_contracting.push_back(right[k].contracting);
      dims.rhs_contracting.push_back(k);
    }
  }
  if (!Acceptable(sizes) || !Acceptable(result) ||
      ProductOf(result) * count > 200000) {
    return std::nullopt;
  }
  PrimitiveType type = x->type();
  if (Chance(30)) {
    if (IsSignedIntType(type) && BitWidth(type) < 32) type = kS32;
    if (IsUnsignedIntType(type) && BitWidth(type) < 32) type = kU32;
    if (IsFloatType(type) && BitWidth(type) < 32) type = kF32;
  }
  const RandomValue y = Get(x->type(), sizes, usable);
  const double factor = IsComplexType(type) ? 2 : 1;
  const double bound = factor * x->bound * y.bound * count;
  const double error =
      factor * count * (x->bound * y.error + y.bound * x->error +
                        RoundingOf(type, bound));
  if (!Fits(type, bound)) return std::nullopt;
  Instruction* at = b().Dot(x->at, y.at, dims, type);
  return Rounded(at, bound, error, x->integral && y.integral);
}

RandomGenerator::Made RandomGenerator::Convolution() {
  static const std::vector<PrimitiveType> kTypes = {
      kF32, kF32, kF32, kF64, kBF16, kF16, kS32, kS8, kU8, kC64};
  const PrimitiveType type = OneOf(kTypes);
  const int64_t spatial = Draw(4);
  ConvolutionDims labels;
  int64_t feature_groups = 1, batch_groups = 1;
  if (Chance(20)) feature_groups = 2 + Draw(2);
  else if (Chance(15)) batch_groups = 2;
  const int64_t per_group = 1 + Draw(3);
  const int64_t batch = batch_groups * (1 + Draw(3));
  const int64_t features = feature_groups * per_group;
  const int64_t outputs = feature_groups * batch_groups * (1 + Draw(4));
  const auto place = [&](Int64List* sizes, int64_t first, int64_t second,
                         const Int64List& others, int64_t* at_first,
                         int64_t* at_second, Int64List* at_others) {
    const Int64List order = Chance(50) ? Permutation(spatial + 2) : [&] {
      Int64List list;
      for (int64_t k = 0; k < spatial + 2; ++k) list.push_back(k);
      return list;
    }();
    sizes->assign(spatial + 2, 0);
    *at_first = order[0];
    *at_second = order[1];
    (*sizes)[order[0]] = first;
    (*sizes)[order[1]] = second;
    at_others->clear();
    for (int64_t k = 0; k < spatial; ++k) {
      at_others->push_back(order[k + 2]);
      (*sizes)[order[k + 2]] = others[k];
    }
  };
  Window window;
  Int64List inputs, kernels, outs(spatial);
  int64_t count = per_group;
  for (int64_t k = 0; k < spatial; ++k) {
    const int64_t size = Chance(5) ? 0 : 1 + Draw(9);
    WindowDimension d;
    d.size = 1 + Draw(4);
    d.stride = 1 + Draw(2);
    if (Chance(25)) d.window_dilation = 1 + Draw(2);
    if (Chance(25)) d.base_dilation = 1 + Draw(2);
    d.padding_low = Draw(5) - 1;
    d.padding_high = Draw(5) - 1;
    d.window_reversal = Chance(10);
    inputs.push_back(size);
    kernels.push_back(d.size);
    count *= d.size;
    window.dimensions.push_back(d);
  }
  Int64List lhs, rhs, out;
  place(&lhs, batch, features, inputs, &labels.input_batch_dimension,
        &labels.input_feature_dimension, &labels.input_spatial_dimensions);
  place(&rhs, per_group, outputs, kernels,
        &labels.kernel_input_feature_dimension,
        &labels.kernel_output_feature_dimension,
        &labels.kernel_spatial_dimensions);
  place(&out, 0, 0, outs, &labels.output_batch_dimension,
        &labels.output_feature_dimension, &labels.output_spatial_dimensions);
  if (!Acceptable(lhs) || !Acceptable(rhs)) return std::nullopt;
  const auto usable = [](const RandomValue& v) { return v.tame(); };
  const RandomValue x = Get(type, lhs, usable), y = Get(type, rhs, usable);
  AttributeSet attrs;
  if (spatial > 0) attrs.SetShared(AttrId::kWindow, std::move(window));
  attrs.SetShared(AttrId::kDimLabels, std::move(labels));
  if (feature_groups > 1) {
    attrs.Set(AttrId::kFeatureGroupCount, feature_groups);
  }
  if (batch_groups > 1) attrs.Set(AttrId::kBatchGroupCount, batch_groups);
  // Only to learn whether it may be.
  const Shape* shapes[] = {&x.at->shape(), &y.at->shape()};
  InferenceInput input;
  input.opcode = Opcode::kConvolution;
  input.operands = shapes;
  input.attrs = &attrs;
  const auto shape = InferShape(input);
  if (!shape.ok() || !Acceptable(shape->dimensions())) return std::nullopt;
  const double factor = IsComplexType(type) ? 2 : 1;
  const double bound = factor * x.bound * y.bound * count;
  const double error = factor * count *
                       (x.bound * y.error + y.bound * x.error +
                        RoundingOf(type, bound));
  if (!Fits(type, bound)) return std::nullopt;
  return Rounded(
      b().Op(Opcode::kConvolution, {x.at, y.at}, std::move(attrs)), bound,
      error, x.integral && y.integral);
}

}  // namespace hlokit
