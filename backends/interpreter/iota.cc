#include "backends/interpreter/kernels.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"
#include "hlo/ir/literal_convert.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {

// Numbers wrap in integers and round in floats, as convert does.
absl::StatusOr<Literal> EvalIota(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  const int64_t along = instruction.attrs().GetInt(AttrId::kIotaDimension);
  if (!shape.IsArray() || along < 0 || along >= shape.rank()) {
    return InvalidArgument("%s has no dimension %d", shape.ToString(), along);
  }
  Literal row = Literal::Zeros(Shape::ArrayWithDescendingLayout(
      shape.element_type(), {shape.dimension(along)}));
  DispatchArrayType(shape.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    absl::Span<T> numbers = row.mutable_data<T>();
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = ConvertElement<T>(static_cast<int64_t>(i));
    }
  });
  Literal result = Literal::Zeros(shape);
  const DimensionVector strides = RowMajorStrides(shape.dimensions());
  CopyLoops loops;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    loops.push_back({shape.dimension(i), i == along ? 1 : 0, strides[i]});
  }
  StridedCopy(loops, row.untyped_data(), result.mutable_untyped_data(),
              StorageBytes(shape.element_type()));
  return result;
}

}  // namespace hlokit::interpreter
