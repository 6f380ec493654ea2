#include "backends/interpreter/variadic.h"

#include <algorithm>
#include <utility>

#include "backends/interpreter/combiner.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/live_operands.h"
#include "base/status.h"

namespace hlokit::interpreter {

absl::StatusOr<VariadicOperands> ConvertForReducer(
    const Computation& combiner, absl::Span<const Literal* const> operands) {
  const auto types = ParameterTypes(combiner);
  const size_t count = operands.size() / 2;
  if (types.size() != 2 * count) {
    return InvalidArgument("%s must take %d values", combiner.name(),
                           static_cast<int64_t>(2 * count));
  }
  VariadicOperands result;
  for (size_t i = 0; i < count; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(Literal init,
                            WithElements(*operands[count + i], types[i]));
    HLOKIT_ASSIGN_OR_RETURN(Literal elements,
                            WithElements(*operands[i], types[count + i]));
    result.inits.push_back(std::move(init));
    result.elements.push_back(std::move(elements));
  }
  return result;
}

absl::StatusOr<VariadicFold> VariadicFold::Create(
    Context& context, const Computation& combiner,
    absl::Span<const Literal> elements) {
  auto types = ParameterTypes(combiner);
  const size_t count = elements.size();
  types.resize(2 * count, kInvalid);
  VariadicFold fold;
  HLOKIT_ASSIGN_OR_RETURN(
      fold.function_,
      MakeScalarFunction(context, combiner, types,
                         absl::MakeConstSpan(types).first(count)));
  for (size_t i = 0; i < count; ++i) {
    fold.values_.push_back({elements[i].untyped_data(),
                            StorageBytes(elements[i].element_type()), types[i],
                            StorageBytes(types[i])});
  }
  fold.arguments_.resize(2 * count);
  fold.results_.resize(count);
  return fold;
}

std::vector<Literal> VariadicFold::MakeResults(const Shape& shape) const {
  const Shape& array = shape.IsTuple() ? shape.tuple_shape(0) : shape;
  std::vector<Literal> results;
  for (const Value& value : values_) {
    results.push_back(Literal::Zeros(
        Shape::ArrayWithDescendingLayout(value.type, array.dimensions())));
  }
  return results;
}

void VariadicFold::Start(absl::Span<const Literal> inits) {
  for (size_t i = 0; i < values_.size(); ++i) {
    arguments_[i].Load(inits[i].untyped_data(), values_[i].accumulator_bytes,
                       0);
  }
}

absl::Status VariadicFold::Add(int64_t linear) {
  const size_t count = values_.size();
  for (size_t i = 0; i < count; ++i) {
    arguments_[count + i].Load(values_[i].data, values_[i].bytes, linear);
  }
  HLOKIT_RETURN_IF_ERROR(
      function_->Call(arguments_, absl::MakeSpan(results_)));
  std::copy(results_.begin(), results_.end(), arguments_.begin());
  return absl::OkStatus();
}

void VariadicFold::Store(int64_t linear, std::vector<Literal>* results) const {
  for (size_t i = 0; i < values_.size(); ++i) {
    arguments_[i].Store((*results)[i].mutable_untyped_data(),
                        values_[i].accumulator_bytes, linear);
  }
}

absl::StatusOr<Literal> VariadicFold::Finish(std::vector<Literal> results,
                                             const Shape& shape) const {
  if (!shape.IsTuple()) return AsShape(std::move(results[0]), shape);
  for (size_t i = 0; i < results.size(); ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        results[i], AsShape(std::move(results[i]), shape.tuple_shape(i)));
  }
  return WithShape(Literal::Tuple(std::move(results)), shape);
}

}  // namespace hlokit::interpreter
