#include "passes/value_check.h"

#include <cmath>
#include <complex>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"

namespace hlokit {
namespace {

Literal FakeArray(const Shape& shape, std::minstd_rand* engine) {
  Literal literal = Literal::Zeros(shape);
  const PrimitiveType type = shape.element_type();
  const int64_t count = literal.element_count();
  auto draw = [&](int n) { return static_cast<int>((*engine)() % n); };
  for (int64_t i = 0; i < count; ++i) {
    if (type == kPred) {
      literal.SetFromInt64(i, draw(2));
    } else if (IsIntegerType(type)) {
      literal.SetFromInt64(i, draw(BitWidth(type) < 4 ? 2 : 6));
    } else {
      literal.SetFromDouble(i, (draw(16) - 7) / 4.0);
    }
  }
  if (type == kC64) {
    for (auto& z : literal.mutable_data<std::complex<float>>()) {
      z.imag((draw(16) - 7) / 4.0f);
    }
  } else if (type == kC128) {
    for (auto& z : literal.mutable_data<std::complex<double>>()) {
      z.imag((draw(16) - 7) / 4.0);
    }
  }
  return literal;
}

Literal FakeValue(const Shape& shape, std::minstd_rand* engine) {
  if (shape.IsToken()) return Literal::Token();
  if (!shape.IsTuple()) return FakeArray(shape, engine);
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    elements.push_back(FakeValue(element, engine));
  }
  return Literal::Tuple(std::move(elements));
}

bool Close(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance * (1 + std::abs(a));
}

double ToleranceOf(PrimitiveType type, double asked) {
  if (!IsFloatType(type) && !IsComplexType(type)) return 0;
  if (asked > 0) return asked;
  const int bits = SignificandBits(ComponentType(type));
  return 32 * std::ldexp(1.0, -bits);
}

// "" or the first difference.
std::string Difference(const Literal& a, const Literal& b, double asked) {
  if (a.shape().IsTuple() != b.shape().IsTuple()) return "different types";
  if (a.shape().IsTuple()) {
    if (a.elements().size() != b.elements().size()) return "tuple sizes";
    for (size_t i = 0; i < a.elements().size(); ++i) {
      const std::string difference =
          Difference(a.elements()[i], b.elements()[i], asked);
      if (!difference.empty()) return absl::StrCat(i, ": ", difference);
    }
    return "";
  }
  if (!a.shape().IsArray()) return "";
  if (!ShapesCompatible(a.shape(), b.shape())) {
    return absl::StrCat(a.shape().ToString(), " and ", b.shape().ToString());
  }
  for (int64_t d = 0; d < a.shape().rank(); ++d) {
    if (a.dynamic_size(d) != b.dynamic_size(d)) return "dynamic sizes";
  }
  // What lies beyond dynamic sizes is nobody's business.
  if (!a.dynamic_sizes().empty()) {
    return a.ToString() == b.ToString() ? "" : "dynamic values";
  }
  const PrimitiveType type = a.element_type();
  const double tolerance = ToleranceOf(type, asked);
  for (int64_t i = 0; i < a.element_count(); ++i) {
    bool same;
    if (type == kC64) {
      const auto x = a.data<std::complex<float>>()[i];
      const auto y = b.data<std::complex<float>>()[i];
      same = Close(x.real(), y.real(), tolerance) &&
             Close(x.imag(), y.imag(), tolerance);
    } else if (type == kC128) {
      const auto x = a.data<std::complex<double>>()[i];
      const auto y = b.data<std::complex<double>>()[i];
      same = Close(x.real(), y.real(), tolerance) &&
             Close(x.imag(), y.imag(), tolerance);
    } else if (IsFloatType(type)) {
      same = Close(a.GetAsDouble(i), b.GetAsDouble(i), tolerance);
    } else {
      same = a.GetAsInt64(i) == b.GetAsInt64(i);
    }
    if (!same) {
      std::string x, y;
      a.AppendElement(i, &x);
      b.AppendElement(i, &y);
      return absl::StrCat("element ", i, " is ", y, ", was ", x);
    }
  }
  return "";
}

}  // namespace

std::vector<Literal> FakeArguments(const Module& module, int seed) {
  std::minstd_rand engine(seed + 1);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(FakeValue(parameter->shape(), &engine));
  }
  return arguments;
}

std::string ValueDifference(const Literal& before, const Literal& after,
                            double tolerance) {
  return Difference(before, after, tolerance);
}

}  // namespace hlokit
