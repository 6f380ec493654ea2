#include "passes/patterns.h"

#include <cmath>
#include <cstring>

namespace hlokit {
namespace {

bool SameNumber(double a, double b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

// Whether all elements have the same bits.
bool IsUniform(const Literal& literal) {
  const int64_t width = StorageBytes(literal.element_type());
  const int64_t size = literal.size_bytes();
  if (size < width) return false;
  const char* data = literal.untyped_data();
  return size == width || std::memcmp(data, data + width, size - width) == 0;
}

}  // namespace

bool IsAll(const Literal& literal, double value) {
  if (!literal.shape().IsArray() || literal.element_count() == 0 ||
      !IsUniform(literal)) {
    return false;
  }
  const PrimitiveType type = literal.element_type();
  if (type == kC64) {
    const auto z = literal.First<std::complex<float>>();
    return SameNumber(z.real(), value) && SameNumber(z.imag(), 0);
  }
  if (type == kC128) {
    const auto z = literal.First<std::complex<double>>();
    return SameNumber(z.real(), value) && SameNumber(z.imag(), 0);
  }
  if (IsFloatType(type)) return SameNumber(literal.GetAsDouble(0), value);
  const int64_t number = static_cast<int64_t>(value);
  return static_cast<double>(number) == value &&
         literal.GetAsInt64(0) == number &&
         (number >= 0 || IsSignedIntType(type));
}

const Literal* ConstantBelow(const Instruction* x) {
  // Far more than programs have; every user of a chain's links looks down it.
  constexpr int kMostMoves = 64;
  for (int k = 0; k < kMostMoves && (x->opcode() == Opcode::kBroadcast ||
                                     x->opcode() == Opcode::kReshape ||
                                     x->opcode() == Opcode::kTranspose ||
                                     x->opcode() == Opcode::kCopy);
       ++k) {
    x = x->operand(0);
  }
  return x->opcode() == Opcode::kConstant ? x->literal() : nullptr;
}

bool IsFull(const Instruction* x, double value) {
  const Literal* literal = ConstantBelow(x);
  return literal != nullptr && IsAll(*literal, value);
}

std::optional<Literal> ScalarOfFull(const Instruction* x) {
  const Literal* literal = ConstantBelow(x);
  if (literal == nullptr || !literal->shape().IsArray() ||
      literal->shape().is_dynamic() || !IsUniform(*literal)) {
    return std::nullopt;
  }
  if (literal->shape().rank() == 0) return *literal;
  Literal scalar = Literal::Zeros(Shape::Scalar(literal->element_type()));
  std::memcpy(scalar.mutable_untyped_data(), literal->untyped_data(),
              StorageBytes(literal->element_type()));
  return scalar;
}

bool IsConstantScalar(const Instruction* x) {
  return x->opcode() == Opcode::kConstant && x->shape().IsScalar();
}

bool IsConstantScalar(const Instruction* x, double value) {
  return IsConstantScalar(x) && IsAll(*x->literal(), value);
}

std::optional<int64_t> ConstantInt(const Instruction* x) {
  if (!IsConstantScalar(x) || !IsIntegerType(x->shape().element_type())) {
    return std::nullopt;
  }
  return x->literal()->GetAsInt64(0);
}

}  // namespace hlokit
