#include "backends/interpreter/elementwise.h"

#include <algorithm>
#include <utility>

#include "backends/interpreter/dynamic_dimensions.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// Elements that are decoded at a time.
constexpr int64_t kChunk = 256;
constexpr int kMaxArity = 3;

template <typename Fn>
void DispatchSmallFloat(PrimitiveType type, Fn&& fn) {
  DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (IsSmallFloat<T>::value) fn(tag);
  });
}

void Decode(PrimitiveType type, const char* source, float* target,
            int64_t count) {
  DispatchSmallFloat(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = reinterpret_cast<const T*>(source);
    for (int64_t i = 0; i < count; ++i) target[i] = from[i];
  });
}

void Encode(PrimitiveType type, const float* source, char* target,
            int64_t count) {
  DispatchSmallFloat(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = reinterpret_cast<T*>(target);
    for (int64_t i = 0; i < count; ++i) to[i] = T(source[i]);
  });
}

bool IsSmallFloatType(PrimitiveType type) {
  return IsFloatType(type) && type != kF32 && type != kF64;
}

}  // namespace

void ElementFunction::RunDecoded(const char* const* inputs, char* output,
                                 int64_t count) const {
  float decoded[kMaxArity][kChunk];
  float result[kChunk];
  const char* pointers[kMaxArity];
  for (int k = 0; k < arity; ++k) {
    pointers[k] = reinterpret_cast<const char*>(decoded[k]);
  }
  const int64_t in_bytes = StorageBytes(decode);
  const int64_t out_bytes = StorageBytes(result_type);
  for (int64_t done = 0; done < count; done += kChunk) {
    const int64_t part = std::min(kChunk, count - done);
    for (int k = 0; k < arity; ++k) {
      Decode(decode, inputs[k] + done * in_bytes, decoded[k], part);
    }
    if (encode == kInvalid) {
      loop(pointers, output + done * out_bytes, part);
    } else {
      loop(pointers, reinterpret_cast<char*>(result), part);
      Encode(encode, result, output + done * out_bytes, part);
    }
  }
}

PrimitiveType LoopType(PrimitiveType type) {
  return IsSmallFloatType(type) ? kF32 : type;
}

ElementFunction MakeElementFunction(ElementFunction::Loop loop, int arity,
                                    PrimitiveType type,
                                    PrimitiveType result_type) {
  ElementFunction function;
  function.loop = loop;
  function.arity = arity;
  function.result_type = result_type;
  if (IsSmallFloatType(type)) function.decode = type;
  if (IsSmallFloatType(result_type)) function.encode = result_type;
  return function;
}

PrimitiveType CommonType(absl::Span<const Literal* const> operands) {
  PrimitiveType type = operands[0]->element_type();
  for (const Literal* operand : operands.subspan(1)) {
    if (operand->element_type() != type) {
      type = HigherPrecision(type, operand->element_type());
    }
  }
  return type;
}

absl::StatusOr<Literal> MapElements(const ElementFunction& function,
                                    PrimitiveType type,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  if (!function) {
    return InvalidArgument("%s is not defined on %s",
                           OpcodeName(instruction.opcode()),
                           PrimitiveTypeName(type));
  }
  HLOKIT_CHECK(static_cast<int>(operands.size()) == function.arity);
  Literal converted[kMaxArity];
  const char* inputs[kMaxArity];
  for (int i = 0; i < function.arity; ++i) {
    const Literal& operand = *operands[i];
    if (!SameDimensions(operand.shape(), instruction.shape())) {
      return InvalidArgument("operand %d is %s, the result %s", i,
                             operand.shape().ToString(),
                             instruction.shape().ToString());
    }
    inputs[i] = operand.untyped_data();
    const PrimitiveType wanted = i == 0 && function.takes_pred ? kPred : type;
    if (operand.element_type() != wanted) {
      HLOKIT_ASSIGN_OR_RETURN(converted[i], ConvertLiteral(operand, wanted));
      inputs[i] = converted[i].untyped_data();
    }
  }
  Shape shape = instruction.shape();
  if (shape.element_type() != function.result_type) {
    shape.set_element_type(function.result_type);
  }
  Literal result = Literal::Zeros(shape);
  function(inputs, result.mutable_untyped_data(), result.element_count());
  for (const Literal* operand : operands) {
    if (operand->dynamic_sizes().empty()) continue;
    CopyDynamicSizes(*operand, &result);
    break;
  }
  if (function.result_type == instruction.shape().element_type()) return result;
  return ConvertTo(result, instruction.shape());
}

}  // namespace hlokit::interpreter
