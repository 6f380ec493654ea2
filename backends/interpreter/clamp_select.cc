#include <type_traits>
#include <utility>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/float_functions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// min(max(x, low), high).
template <typename T>
void ClampLoop(const char* const* inputs, char* output, int64_t count) {
  const T* low = reinterpret_cast<const T*>(inputs[0]);
  const T* x = reinterpret_cast<const T*>(inputs[1]);
  const T* high = reinterpret_cast<const T*>(inputs[2]);
  T* out = reinterpret_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      out[i] = FloatMinimum(FloatMaximum(x[i], low[i]), high[i]);
    } else {
      const T raised = x[i] < low[i] ? low[i] : x[i];
      out[i] = high[i] < raised ? high[i] : raised;
    }
  }
}

template <typename T>
void SelectLoop(const char* const* inputs, char* output, int64_t count) {
  const bool* which = reinterpret_cast<const bool*>(inputs[0]);
  const T* on_true = reinterpret_cast<const T*>(inputs[1]);
  const T* on_false = reinterpret_cast<const T*>(inputs[2]);
  T* out = reinterpret_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = which[i] ? on_true[i] : on_false[i];
  }
}

struct SixteenBytes {
  uint64_t halves[2];
};

ElementFunction::Loop SelectLoopOf(int64_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return &SelectLoop<uint8_t>;
    case 2:
      return &SelectLoop<uint16_t>;
    case 4:
      return &SelectLoop<uint32_t>;
    case 8:
      return &SelectLoop<uint64_t>;
    default:
      return &SelectLoop<SixteenBytes>;
  }
}

// A scalar becomes an array of these dimensions.
Literal Spread(const Literal& scalar, const Shape& dimensions) {
  Shape shape = dimensions;
  shape.set_element_type(scalar.element_type());
  Literal result = Literal::Zeros(shape);
  const CopyLoop loop = {result.element_count(), 0, 1};
  StridedCopy(absl::MakeConstSpan(&loop, 1), scalar.untyped_data(),
              result.mutable_untyped_data(),
              StorageBytes(scalar.element_type()));
  return result;
}

// Operands of clamp and select that may be scalars beside arrays.
class SpreadOperands {
 public:
  SpreadOperands(absl::Span<const Literal* const> operands, const Shape& shape)
      : operands_(operands.begin(), operands.end()) {
    values_.reserve(operands.size());
    for (const Literal*& operand : operands_) {
      if (!operand->shape().IsScalar() || shape.IsScalar()) continue;
      values_.push_back(Spread(*operand, shape));
      operand = &values_.back();
    }
  }
  absl::Span<const Literal* const> get() const { return operands_; }

 private:
  std::vector<const Literal*> operands_;
  std::vector<Literal> values_;
};

}  // namespace

ElementFunction ClampFunction(PrimitiveType type) {
  if (!IsArrayType(type)) return {};
  return DispatchArrayType(LoopType(type), [&](auto tag) -> ElementFunction {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T> || IsSmallFloat<T>::value) {
      return {};
    } else {
      return MakeElementFunction(&ClampLoop<T>, 3, type, type);
    }
  });
}

ElementFunction SelectFunction(PrimitiveType type) {
  ElementFunction function;
  if (!IsArrayType(type)) return function;
  function.loop = SelectLoopOf(StorageBytes(type));
  function.arity = 3;
  function.takes_pred = true;
  function.result_type = type;
  return function;
}

absl::StatusOr<Literal> EvalClamp(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  const PrimitiveType type = CommonType(operands);
  const SpreadOperands spread(operands, instruction.shape());
  return MapElements(ClampFunction(type), type, instruction, spread.get());
}

absl::StatusOr<Literal> EvalSelect(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  if (operands[0]->element_type() != kPred) {
    return InvalidArgument("select takes a pred, not %s",
                           operands[0]->shape().ToString());
  }
  // A scalar condition chooses among values of any kind, tuples included.
  if (operands[0]->shape().IsScalar() &&
      operands[1]->element_type() == instruction.shape().element_type() &&
      operands[2]->element_type() == instruction.shape().element_type()) {
    const int chosen = operands[0]->First<bool>() ? 1 : 2;
    return WithShape(*operands[chosen], instruction.shape());
  }
  const PrimitiveType type = CommonType(operands.subspan(1));
  if (!IsArrayType(type)) {
    return InvalidArgument("select cannot choose elements of %s",
                           PrimitiveTypeName(type));
  }
  const SpreadOperands spread(operands, instruction.shape());
  return MapElements(SelectFunction(type), type, instruction, spread.get());
}

}  // namespace hlokit::interpreter
