#include "backends/cpu/custom_call_thunk.h"

#include <vector>

namespace hlokit::cpu {
namespace {

void AppendArrays(const Execution& execution, const Shape& shape,
                  absl::Span<const Slice> leaves, size_t* next,
                  std::vector<custom_call::ArrayPlace>* arrays) {
  if (shape.IsTuple()) {
    for (const Shape& part : shape.tuple_shapes()) {
      AppendArrays(execution, part, leaves, next, arrays);
    }
    return;
  }
  const Slice& slice = leaves[(*next)++];
  arrays->push_back(
      {&shape, slice.allocation < 0 ? nullptr : execution.At(slice)});
}

}  // namespace

absl::Status CustomCallThunk::Execute(Execution& execution) const {
  std::vector<custom_call::ArrayPlace> in, out;
  for (const Place& place : operands()) {
    size_t next = 0;
    AppendArrays(execution, place.shape, place.leaves, &next, &in);
  }
  size_t next = 0;
  AppendArrays(execution, result().shape, result().leaves, &next, &out);
  return execution.custom_calls->Call(*site_, in, out);
}

std::string CustomCallThunk::detail() const {
  return std::string(at()->custom_call_target());
}

}  // namespace hlokit::cpu
