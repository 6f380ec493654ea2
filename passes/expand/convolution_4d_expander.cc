#include "passes/expand/convolution_4d_expander.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace hlokit {
namespace {

// Spatial dimensions that do nothing.
std::vector<size_t> Trivial(const Instruction& i) {
  const auto& dims = *i.attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  const Shape& input = i.operand(0)->shape();
  const Shape& kernel = i.operand(1)->shape();
  std::vector<size_t> result;
  for (size_t s = 0; s < dims.input_spatial_dimensions.size(); ++s) {
    const WindowDimension& w = i.window()->dimensions[s];
    if (input.dimension(dims.input_spatial_dimensions[s]) == 1 &&
        kernel.dimension(dims.kernel_spatial_dimensions[s]) == 1 &&
        i.shape().dimension(dims.output_spatial_dimensions[s]) == 1 &&
        w.padding_low == 0 && w.padding_high == 0) {
      result.push_back(s);
    }
  }
  return result;
}

// Dimension numbers without those removed.
int64_t Renumbered(int64_t dimension, const std::vector<int64_t>& removed) {
  return dimension - std::count_if(removed.begin(), removed.end(),
                                   [&](int64_t r) { return r < dimension; });
}
std::vector<int64_t> Renumbered(const std::vector<int64_t>& list,
                                const std::vector<int64_t>& removed) {
  std::vector<int64_t> result;
  for (int64_t d : list) {
    if (!absl::c_linear_search(removed, d))
      result.push_back(Renumbered(d, removed));
  }
  return result;
}
std::vector<int64_t> SizesWithout(const Shape& shape,
                                  const std::vector<int64_t>& removed) {
  std::vector<int64_t> result;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!absl::c_linear_search(removed, d))
      result.push_back(shape.dimension(d));
  }
  return result;
}

}  // namespace

bool Convolution4DExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kConvolution && IsStatic(i) &&
         i.window() != nullptr && i.window()->dimensions.size() > 2 &&
         !Trivial(i).empty();
}

absl::StatusOr<Instruction*> Convolution4DExpander::Expand(Instruction* i,
                                                           Emitter& e) {
  const auto& old = *i->attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  std::vector<int64_t> input, kernel, output;
  Window window;
  const std::vector<size_t> trivial = Trivial(*i);
  for (size_t s = 0; s < i->window()->dimensions.size(); ++s) {
    if (std::find(trivial.begin(), trivial.end(), s) == trivial.end()) {
      window.dimensions.push_back(i->window()->dimensions[s]);
      continue;
    }
    input.push_back(old.input_spatial_dimensions[s]);
    kernel.push_back(old.kernel_spatial_dimensions[s]);
    output.push_back(old.output_spatial_dimensions[s]);
  }
  ConvolutionDims dims;
  dims.input_batch_dimension = Renumbered(old.input_batch_dimension, input);
  dims.input_feature_dimension =
      Renumbered(old.input_feature_dimension, input);
  dims.input_spatial_dimensions =
      Renumbered(old.input_spatial_dimensions, input);
  dims.kernel_input_feature_dimension =
      Renumbered(old.kernel_input_feature_dimension, kernel);
  dims.kernel_output_feature_dimension =
      Renumbered(old.kernel_output_feature_dimension, kernel);
  dims.kernel_spatial_dimensions =
      Renumbered(old.kernel_spatial_dimensions, kernel);
  dims.output_batch_dimension = Renumbered(old.output_batch_dimension, output);
  dims.output_feature_dimension =
      Renumbered(old.output_feature_dimension, output);
  dims.output_spatial_dimensions =
      Renumbered(old.output_spatial_dimensions, output);

  AttributeSet attrs = i->attrs();
  attrs.Erase(AttrId::kSharding);
  attrs.Erase(AttrId::kWindow);
  if (!window.dimensions.empty()) {
    attrs.SetShared(AttrId::kWindow, std::move(window));
  }
  attrs.SetShared(AttrId::kDimLabels, std::move(dims));
  const Shape& in_shape = i->operand(0)->shape();
  const Shape& kernel_shape = i->operand(1)->shape();
  Instruction* small = e.OpOfShape(
      Opcode::kConvolution,
      Shape::ArrayWithDescendingLayout(i->shape().element_type(),
                                       SizesWithout(i->shape(), output)),
      {e.Reshape(i->operand(0), SizesWithout(in_shape, input)),
       e.Reshape(i->operand(1), SizesWithout(kernel_shape, kernel))},
      std::move(attrs));
  return e.Reshape(small, i->shape().dimensions());
}

}  // namespace hlokit
