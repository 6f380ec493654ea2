#include "passes/dots/convolution_canonicalization.h"

#include <utility>

#include "passes/builders.h"
#include "passes/gather_dims.h"

namespace hlokit {
namespace {

bool IsPlainConvolution(const Instruction& i) {
  const PrimitiveType type = i.shape().element_type();
  return i.opcode() == Opcode::kConvolution && i.operand_count() == 2 &&
         (type == kF16 || type == kF32) && i.shape().is_static() &&
         i.operand(0)->shape().is_static() &&
         i.operand(1)->shape().is_static() &&
         (!i.users().empty() || i.IsRoot());
}

// [front, spatial..., back].
Int64List Order(int64_t front, const Int64List& spatial, int64_t back) {
  Int64List order = {front};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(back);
  return order;
}

bool Canonicalize(Instruction* conv) {
  const ConvolutionDims& old =
      *conv->attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  const int64_t spatial = old.input_spatial_dimensions.size();
  const Int64List input = Order(old.input_batch_dimension,
                                old.input_spatial_dimensions,
                                old.input_feature_dimension);
  Int64List kernel = old.kernel_spatial_dimensions;
  kernel.push_back(old.kernel_input_feature_dimension);
  kernel.push_back(old.kernel_output_feature_dimension);
  const Int64List output = Order(old.output_batch_dimension,
                                 old.output_spatial_dimensions,
                                 old.output_feature_dimension);
  ConvolutionDims dims;
  dims.input_batch_dimension = dims.output_batch_dimension = 0;
  dims.input_feature_dimension = dims.output_feature_dimension = spatial + 1;
  dims.kernel_input_feature_dimension = spatial;
  dims.kernel_output_feature_dimension = spatial + 1;
  for (int64_t d = 0; d < spatial; ++d) {
    dims.input_spatial_dimensions.push_back(d + 1);
    dims.output_spatial_dimensions.push_back(d + 1);
    dims.kernel_spatial_dimensions.push_back(d);
  }
  if (dims == old) return false;
  Builder b(conv);
  Int64List sizes;
  for (int64_t d : output) sizes.push_back(conv->shape().dimension(d));
  Instruction* canonical = b.CloneOfShape(
      *conv,
      Shape::ArrayWithDescendingLayout(conv->shape().element_type(), sizes),
      {b.Transpose(conv->operand(0), input),
       b.Transpose(conv->operand(1), kernel)});
  canonical->mutable_attrs().SetShared(AttrId::kDimLabels, std::move(dims));
  canonical->mutable_attrs().Erase(AttrId::kSharding);
  ReplaceInstruction(conv, b.Transpose(canonical, InverseOf(output)));
  return true;
}

}  // namespace

absl::StatusOr<bool> ConvolutionCanonicalization::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (IsPlainConvolution(*i)) changed |= Canonicalize(i);
    }
  }
  return changed;
}

}  // namespace hlokit
