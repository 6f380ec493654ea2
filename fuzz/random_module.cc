#include "fuzz/random_module.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "fuzz/random_generator.h"

namespace hlokit {
namespace {

// Floats of at least so many bits are exact up to the order of operations and
// the last bits of functions; narrower ones round after each operation, or not,
// as passes like it.
constexpr int kWideSignificand = 20;

int SignificandOf(PrimitiveType type) {
  return SignificandBits(ComponentType(type));
}

struct WeightedType {
  PrimitiveType type;
  int weight;
};
constexpr WeightedType kTypes[] = {
    {kF32, 30},    {kPred, 8},     {kS32, 14},      {kF64, 6},
    {kBF16, 6},    {kF16, 5},      {kU32, 4},       {kS64, 3},
    {kU64, 3},     {kS8, 4},       {kU8, 4},        {kS16, 3},
    {kU16, 3},     {kC64, 5},      {kC128, 2},      {kS4, 2},
    {kU4, 2},      {kS2, 1},       {kU2, 1},        {kS1, 1},
    {kU1, 1},      {kF8E5M2, 1},   {kF8E4M3FN, 1},  {kF8E4M3, 1},
    {kF8E3M4, 1},  {kF8E5M2FNUZ, 1}, {kF8E4M3FNUZ, 1}, {kF8E4M3B11FNUZ, 1},
    {kF8E8M0FNU, 1}, {kF4E2M1FN, 1}, {kF6E2M3FN, 1}, {kF6E3M2FN, 1}};

}  // namespace

double LimitOf(PrimitiveType type) {
  switch (type) {
    case kF4E2M1FN:
      return 6;
    case kF6E2M3FN:
      return 7.5;
    case kF6E3M2FN:
      return 28;
    case kF8E3M4:
      return 15;
    case kF8E4M3B11FNUZ:
      return 30;
    case kF8E4M3:
    case kF8E4M3FN:
    case kF8E4M3FNUZ:
      return 200;
    case kF8E8M0FNU:
      return 0;  // no arithmetic
    case kF8E5M2:
    case kF8E5M2FNUZ:
    case kF16:
      return 30000;
    default:
      return 1e6;
  }
}

double RoundingOf(PrimitiveType type, double bound) {
  const int bits = SignificandOf(type);
  if (bits == 0) return 0;
  const double units = bits < kWideSignificand ? 2 : 16;
  return units * std::ldexp(std::max(bound, 1.0), 1 - bits);
}

Int64List RandomGenerator::Permutation(int64_t n) {
  Int64List list(n);
  for (int64_t k = 0; k < n; ++k) list[k] = k;
  for (int64_t k = n; k > 1; --k) std::swap(list[k - 1], list[Draw(k)]);
  return list;
}

int64_t RandomGenerator::Size() {
  static constexpr int64_t kSizes[] = {0, 1,  1,  2,  2,  2,  3,  3, 3,
                                       7, 7,  8,  8,  17, 33, 64, 4, 5};
  const int64_t size = kSizes[Draw(std::size(kSizes))];
  return size == 0 && Chance(60) ? 3 : size;
}

bool RandomGenerator::Acceptable(absl::Span<const int64_t> dims) const {
  int64_t count = 1;
  for (int64_t size : dims) count *= std::max<int64_t>(size, 1);
  return dims.size() <= 5 && count <= options_.max_elements;
}

Int64List RandomGenerator::Dims(int64_t max_rank) {
  Int64List dims;
  if (options_.only_scalars) return dims;
  const int64_t rank = std::min<int64_t>(
      max_rank, std::vector<int64_t>{0, 1, 1, 2, 2, 2, 3, 3, 4, 5}[Draw(10)]);
  for (int64_t d = 0; d < rank; ++d) {
    dims.push_back(Size());
    if (!Acceptable(dims)) dims.back() = 1;
  }
  if (options_.only_empty && rank > 0) dims[Draw(rank)] = 0;
  return dims;
}

PrimitiveType RandomGenerator::Type() {
  int total = 0;
  for (const WeightedType& row : kTypes) total += row.weight;
  int64_t number = Draw(total);
  for (const WeightedType& row : kTypes) {
    number -= row.weight;
    if (number < 0) return row.type;
  }
  return kF32;
}

Int64List RandomGenerator::Reshaped(absl::Span<const int64_t> from) {
  Int64List dims(from.begin(), from.end());
  for (int64_t changes = 1 + Draw(3); changes > 0; --changes) {
    const int64_t rank = dims.size();
    const int64_t what = Draw(4);
    if (what == 0 && rank < 5) {
      dims.insert(dims.begin() + Draw(rank + 1), 1);
    } else if (what == 1 && rank >= 2) {
      const int64_t d = Draw(rank - 1);
      dims[d] *= dims[d + 1];
      dims.erase(dims.begin() + d + 1);
    } else if (what == 2 && rank >= 1 && rank < 5) {
      const int64_t d = Draw(rank);
      std::vector<int64_t> divisors;
      for (int64_t k = 2; k < dims[d]; ++k) {
        if (dims[d] % k == 0) divisors.push_back(k);
      }
      if (divisors.empty()) continue;
      const int64_t k = OneOf(divisors);
      dims[d] /= k;
      dims.insert(dims.begin() + d, k);
    } else if (what == 3) {
      const auto one = std::find(dims.begin(), dims.end(), 1);
      if (one != dims.end()) dims.erase(one);
    }
  }
  return dims;
}

Layout RandomGenerator::RandomLayout(int64_t rank) {
  Layout layout = Layout::Descending(rank);
  const Int64List order = Permutation(rank);
  layout.minor_to_major.assign(order.begin(), order.end());
  return layout;
}

RandomGenerator::Made RandomGenerator::Any(Filter filter) {
  std::vector<const RandomValue*> found;
  for (const RandomValue& value : scope_->values) {
    if (filter(value)) found.push_back(&value);
  }
  if (found.empty() || Chance(4)) {
    // Some type that suits.
    for (int k = 0; k < 30; ++k) {
      const RandomValue made = AnySource();
      if (filter(made)) return made;
    }
    if (found.empty()) return std::nullopt;
  }
  // Rather the later ones.
  const int64_t n = found.size();
  return *found[std::max(Draw(n), Draw(n))];
}

RandomValue RandomGenerator::Get(PrimitiveType type,
                                 absl::Span<const int64_t> dims,
                                 Filter filter) {
  std::vector<RandomValue> found, others;
  for (const RandomValue& value : scope_->values) {
    if (value.type() != type || !filter(value)) continue;
    if (value.dims() == dims) {
      found.push_back(value);
    } else if (value.rank() > 0 &&
               value.elements() == ElementsIn(Shape::Array(type, dims))) {
      others.push_back(value);
    }
  }
  if (!found.empty() && !Chance(15)) return OneOf(found);
  if (!others.empty() && Chance(50)) {
    const RandomValue& other = OneOf(others);
    return Moved(other, b().Reshape(other.at, dims));
  }
  return Source(type, dims);
}

Literal RandomGenerator::Elements(PrimitiveType type,
                                  absl::Span<const int64_t> dims, bool special,
                                  RandomValue* about) {
  Literal literal =
      Literal::Zeros(Shape::ArrayWithDescendingLayout(type, dims));
  const int64_t count = literal.element_count();
  about->known_signs = true;
  about->integral = true;
  const bool floats = IsFloatType(type) || IsComplexType(type);
  if (!floats) {
    const bool wide = Chance(25);
    for (int64_t k = 0; k < count; ++k) {
      literal.SetFromInt64(k, type == kPred ? Draw(2)
                              : wide        ? static_cast<int64_t>(engine_())
                              : IsSignedIntType(type) ? Draw(13) - 6
                                                      : Draw(9));
    }
    return literal;
  }
  if (type == kF8E8M0FNU) {
    about->integral = false;
    about->bound = 4;
    for (int64_t k = 0; k < count; ++k) {
      literal.SetFromDouble(k, std::ldexp(1, Draw(5) - 2));
    }
    return literal;
  }
  about->special = special;
  about->integral = !special && Chance(50);
  about->bound = about->integral ? 3 : 2;
  const auto number = [&]() -> double {
    if (special && Chance(30)) {
      static constexpr double kSpecial[] = {
          0, std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN()};
      return kSpecial[Draw(4)];
    }
    return about->integral ? Draw(7) - 3 : (Draw(65) - 32) / 16.0;
  };
  for (int64_t k = 0; k < count; ++k) {
    if (type == kC64) {
      const float re = number(), im = number();
      literal.mutable_data<std::complex<float>>()[k] = {re, im};
    } else if (type == kC128) {
      const double re = number(), im = number();
      literal.mutable_data<std::complex<double>>()[k] = {re, im};
    } else {
      literal.SetFromDouble(k, number());
    }
  }
  return literal;
}

RandomValue RandomGenerator::Source(PrimitiveType type,
                                    absl::Span<const int64_t> dims,
                                    bool special) {
  RandomValue value;
  const int64_t elements = ElementsIn(Shape::Array(type, dims));
  const bool room = static_cast<int>(arguments_.size()) <
                    options_.max_parameters;
  if (scope_->is_entry && (special || (room && Chance(60)))) {
    Literal argument = Elements(type, dims, special, &value);
    Shape shape = argument.shape();
    if (Chance(options_.other_layouts)) shape.set_layout(RandomLayout(dims.size()));
    value.at = scope_->computation->AddParameter(arguments_.size(), shape);
    argument.set_shape(shape);
    arguments_.push_back(std::move(argument));
    return value;
  }
  const bool integer = IsIntegerType(type);
  const int bits = integer ? BitWidth(type) - 1 : SignificandOf(type);
  if (!dims.empty() && Chance(35) && type != kF8E8M0FNU &&
      !IsComplexType(type) && type != kPred) {
    const int64_t d = Draw(dims.size());
    const double last = std::max<int64_t>(dims[d], 1) - 1;
    if (last < std::ldexp(1, std::min(bits, 30)) &&
        (integer || last <= LimitOf(type))) {
      value = Exact(b().Iota(Shape::ArrayWithDescendingLayout(type, dims), d),
                    last);
      value.integral = value.known_signs = true;
      return value;
    }
  }
  if (elements <= (scope_->in_fusion ? 8 : 600) && Chance(60)) {
    Literal literal = Elements(type, dims, special, &value);
    value.at = b().Constant(std::move(literal));
    return value;
  }
  Literal literal = Elements(type, {}, special, &value);
  value.at = b().BroadcastScalar(b().Constant(std::move(literal)), dims);
  return value;
}

RandomValue RandomGenerator::Scalar(PrimitiveType type, double number) {
  RandomValue value = Exact(b().Constant(Literal::ScalarOf(type, number)),
                            std::abs(number));
  value.integral = number == std::floor(number);
  value.known_signs = true;
  return value;
}

RandomValue RandomGenerator::Number(PrimitiveType type,
                                    absl::Span<const int64_t> dims,
                                    double number) {
  const RandomValue scalar = Scalar(type, number);
  return Moved(scalar, b().BroadcastScalar(scalar.at, dims));
}

RandomValue RandomGenerator::StartIndex() {
  if (Chance(40)) {
    const auto found = Any([](const RandomValue& v) {
      return v.rank() == 0 && IsIntegerType(v.type()) &&
             BitWidth(v.type()) >= 8;
    });
    if (found.has_value()) return *found;
  }
  return Scalar(Chance(80) ? kS32 : kS64, Draw(12) - 2);
}

RandomValue RandomGenerator::Moved(const RandomValue& x, Instruction* at) {
  RandomValue value = x;
  value.at = at;
  return value;
}

RandomValue RandomGenerator::Merged(const RandomValue& x, const RandomValue& y,
                                    Instruction* at) {
  return {at,
          std::max(x.bound, y.bound),
          std::max(x.error, y.error),
          x.integral && y.integral,
          x.special || y.special,
          x.raw || y.raw,
          x.known_signs && y.known_signs};
}

RandomValue RandomGenerator::Exact(Instruction* at, double bound) {
  RandomValue value;
  value.at = at;
  value.bound = bound;
  return value;
}

RandomValue RandomGenerator::Rounded(Instruction* at, double bound,
                                     double error, bool integral) {
  RandomValue value = Exact(at, bound);
  const int bits = SignificandOf(value.type());
  value.integral =
      bits == 0 || (integral && error == 0 && bound <= std::ldexp(1, bits));
  value.error =
      value.integral ? 0 : error + RoundingOf(value.type(), bound);
  return value;
}

RandomValue RandomGenerator::Clamped(const RandomValue& x, double bound) {
  const double low = Chance(50) ? -bound : -1;
  RandomValue value =
      Moved(x, b().Clamp(Scalar(x.type(), low).at, x.at,
                         Scalar(x.type(), bound).at));
  value.bound = bound;
  value.known_signs = false;
  return value;
}

void RandomGenerator::Keep(RandomValue value) {
  const PrimitiveType type = value.type();
  if (IsFloatType(type) && !value.raw && type != kF8E8M0FNU &&
      value.bound > std::min(LimitOf(type) / 2, 50.0)) {
    value = Clamped(value, 4);
  }
  Instruction* at = value.at;
  switch (at->opcode()) {
    case Opcode::kBitcast:
    case Opcode::kParameter:
    case Opcode::kGetTupleElement:
    case Opcode::kConstant:
    case Opcode::kFusion:
    case Opcode::kCall:
    case Opcode::kConditional:
      break;
    default:
      if (at->user_count() == 0 && value.rank() > 1 &&
          Chance(options_.other_layouts)) {
        Shape shape = at->shape();
        shape.set_layout(RandomLayout(value.rank()));
        at->set_shape(std::move(shape));
      }
  }
  scope_->values.push_back(value);
}

const std::vector<RandomGenerator::Step>& RandomGenerator::Steps() {
  using G = RandomGenerator;
  static const auto* steps = new std::vector<Step>{
      {14, &G::Unary, kAnywhere},
      {16, &G::Binary, kAnywhere},
      {3, &G::ComplexStep, kAnywhere},
      {6, &G::Compare, kAnywhere},
      {6, &G::Select, kAnywhere},
      {3, &G::ClampStep, kAnywhere},
      {8, &G::Convert, kAnywhere},
      {3, &G::BitcastConvert, kAnywhere},
      {9, &G::Broadcast, kAnywhere},
      {6, &G::Reshape, kAnywhere},
      {4, &G::Bitcast, kAnywhere},
      {6, &G::Transpose, kAnywhere},
      {6, &G::Slice, kAnywhere},
      {4, &G::Reverse, kAnywhere},
      {6, &G::Concatenate, kAnywhere},
      {7, &G::Pad, kAnywhere},
      {2, &G::Copy, kAnywhere},
      {5, &G::NewSource, kAnywhere},
      {5, &G::DynamicSlice, kAnywhere},
      {5, &G::DynamicUpdateSlice, kAnywhere},
      {4, &G::Gather, kAnywhere},
      {4, &G::Scatter, kRarelyFused},
      {10, &G::Reduce, kAnywhere},
      {3, &G::ArgReduce, kAnywhere},
      {5, &G::ReduceWindow, kRarelyFused},
      {4, &G::Sort, kRarelyFused},
      {6, &G::Dot, kAnywhere},
      {4, &G::Convolution, kRarelyFused},
      {2, &G::Map, kAnywhere},
      {22, &G::Fusion, kNotFused},
      {3, &G::Call, kNotFused},
      {3, &G::Conditional, kNotFused},
      {3, &G::While, kNotFused}};
  return *steps;
}

void RandomGenerator::TakeStep() {
  int total = 0;
  for (const Step& step : Steps()) total += step.weight;
  for (int attempt = 0; attempt < 20; ++attempt) {
    int64_t number = Draw(total);
    const Step* chosen = nullptr;
    for (const Step& step : Steps()) {
      number -= step.weight;
      if (number < 0) {
        chosen = &step;
        break;
      }
    }
    if (scope_->in_fusion && (chosen->where == kNotFused ||
                              (chosen->where == kRarelyFused && !Chance(3)))) {
      continue;
    }
    const Made made = (this->*chosen->make)();
    if (!made.has_value()) continue;
    Keep(*made);
    return;
  }
}

void RandomGenerator::RunSteps(int count) {
  for (int k = 0; k < count; ++k) TakeStep();
}

RandomModule RandomGenerator::Make() {
  RandomModule result;
  result.module = std::make_unique<Module>("random");
  module_ = result.module.get();
  Scope scope;
  scope.computation =
      module_->AddEntryComputation(Computation::Create(module_, "entry"));
  scope.is_entry = true;
  scope_ = &scope;
  for (int k = 0; k < 2 + Draw(2); ++k) Keep(AnySource());
  if (Chance(25)) {
    static const std::vector<PrimitiveType> kFloats = {kF32, kF64, kF16, kBF16,
                                                       kC64};
    const PrimitiveType type = OneOf(kFloats);
    Keep(Source(type, Dims(), true));
  }
  RunSteps(options_.steps);
  std::vector<Instruction*> results;
  for (const RandomValue& value : scope.values) {
    if (value.at->user_count() > 0 && !Chance(5)) continue;
    results.push_back(value.at);
    result.tolerances.push_back(value.error);
  }
  scope.computation->set_root(b().Tuple(results));
  module_->RemoveUnreachableComputations();
  module_->SetEntryLayoutFromEntry();
  result.arguments = std::move(arguments_);
  return result;
}

RandomModule MakeRandomModule(uint64_t seed,
                              const RandomModuleOptions& options) {
  return RandomGenerator(seed, options).Make();
}

RandomModuleOptions OptionsOfSeed(uint64_t seed, bool run_passes) {
  RandomModuleOptions options;
  options.bitcasts = !run_passes;
  switch (seed % 32) {
    case 3:  // more than 64 arrays in a fusion
      if (seed / 32 % 8 != 0) break;
      options.steps = 60;
      options.nested_steps = 40;
      options.max_parameters = 90;
      options.max_elements = 64;
      options.control_flow = false;
      break;
    case 7:  // large fusions
      options.steps = 5;
      options.nested_steps = 50;
      options.max_elements = 300;
      break;
    case 11:
      options.only_scalars = true;
      options.steps = 25;
      break;
    case 15:
      options.only_empty = true;
      options.steps = 25;
      break;
    case 19:
      options.fusions = false;
      options.steps = 30;
      break;
    case 23:
      options.other_layouts = 70;
      break;
    default:
      break;
  }
  return options;
}

void MakeSmall(RandomModuleOptions* options) {
  options->steps = std::min(options->steps, 5);
  options->nested_steps = std::min(options->nested_steps, 3);
  options->max_elements = std::min<int64_t>(options->max_elements, 200);
  options->max_parameters = std::min(options->max_parameters, 4);
}

namespace {

bool IsSame(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::abs(a - b) <= tolerance;
}

template <typename T>
bool IsSameComplex(const Literal& a, const Literal& b, int64_t k,
                   double tolerance) {
  const T x = a.data<T>()[k], y = b.data<T>()[k];
  return IsSame(x.real(), y.real(), tolerance) &&
         IsSame(x.imag(), y.imag(), tolerance);
}

bool IsSameElement(const Literal& a, const Literal& b, int64_t k,
                   double tolerance) {
  const PrimitiveType type = a.element_type();
  if (type == kC64) {
    return IsSameComplex<std::complex<float>>(a, b, k, tolerance);
  }
  if (type == kC128) {
    return IsSameComplex<std::complex<double>>(a, b, k, tolerance);
  }
  if (!IsFloatType(type)) return a.GetAsInt64(k) == b.GetAsInt64(k);
  return IsSame(a.GetAsDouble(k), b.GetAsDouble(k), tolerance);
}

}  // namespace

std::string DifferenceOf(const RandomModule& module, const Literal& got,
                         const Literal& want) {
  if (got.elements().size() != module.tolerances.size() ||
      want.elements().size() != module.tolerances.size()) {
    return "the results are not as many as those of the module";
  }
  for (size_t k = 0; k < module.tolerances.size(); ++k) {
    const Literal& a = got.elements()[k];
    const Literal& b = want.elements()[k];
    if (!ShapesCompatible(a.shape(), b.shape())) {
      return absl::StrFormat("result %d is %s, not %s", k,
                             a.shape().ToString(false),
                             b.shape().ToString(false));
    }
    for (int64_t e = 0; e < b.element_count(); ++e) {
      if (IsSameElement(a, b, e, module.tolerances[k])) continue;
      std::string is, should;
      a.AppendElement(e, &is);
      b.AppendElement(e, &should);
      return absl::StrFormat("element %d of result %d (%s) is %s, not %s "
                             "(within %g)",
                             e, k, a.shape().ToString(false), is, should,
                             module.tolerances[k]);
    }
  }
  return "";
}

}  // namespace hlokit
