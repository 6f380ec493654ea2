#include <algorithm>
#include <utility>
#include <vector>

#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/matmul.h"
#include "backends/interpreter/offset_loops.h"
#include "backends/interpreter/strided_copy.h"
#include "backends/interpreter/window_taps.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

DimensionVector Order(std::initializer_list<int64_t> first,
                      absl::Span<const int64_t> spatial,
                      std::initializer_list<int64_t> last) {
  DimensionVector result(first);
  result.insert(result.end(), spatial.begin(), spatial.end());
  result.insert(result.end(), last.begin(), last.end());
  return result;
}

// The convolution of [batch, spatial..., features] with [taps..., features of
// one group, output features] to [batch, spatial..., output features].
class Convolver {
 public:
  Convolver(const Window& window, int64_t feature_groups,
            int64_t batch_groups, const Shape& input, const Shape& kernel,
            const Shape& output)
      : feature_groups_(feature_groups), batch_groups_(batch_groups) {
    const int64_t spatial = window.dimensions.size();
    output_sizes_.assign(output.dimensions().begin() + 1,
                         output.dimensions().end() - 1);
    batch_ = output.dimension(0);
    input_features_ = kernel.dimension(spatial);
    output_features_ = kernel.dimension(spatial + 1);
    input_strides_ = RowMajorStrides(input.dimensions());
    kernel_strides_ = RowMajorStrides(kernel.dimensions());
    for (int64_t d = 0; d < spatial; ++d) {
      const WindowDimension& w = window.dimensions[d];
      taps_.push_back(AllTaps(w, input.dimension(d + 1), output_sizes_[d]));
      if (!w.window_reversal) continue;
      for (WindowTaps& taps : taps_.back()) {
        taps.first_tap = w.size - 1 - taps.first_tap;
        taps.tap_step = -taps.tap_step;
      }
    }
  }

  template <typename T>
  void Run(const T* input, const T* kernel, T* output) const {
    DimensionVector position(output_sizes_.size(), 0);
    for (int64_t b = 0; b < batch_; ++b) {
      do {
        RunAt(b, position, input, kernel, output);
        output += output_features_;
      } while (Next(&position));
    }
  }

 private:
  bool Next(DimensionVector* position) const {
    for (size_t d = position->size(); d-- > 0;) {
      if (++(*position)[d] < output_sizes_[d]) return true;
      (*position)[d] = 0;
    }
    return false;
  }

  // All output features at one position.
  template <typename T>
  void RunAt(int64_t batch, absl::Span<const int64_t> position, const T* input,
             const T* kernel, T* output) const {
    OffsetLoops<2> loops;
    std::array<int64_t, 2> start = {0, 0};
    for (size_t d = 0; d < position.size(); ++d) {
      const WindowTaps& taps = taps_[d][position[d]];
      loops.push_back({taps.count,
                       {taps.index_step * input_strides_[d + 1],
                        taps.tap_step * kernel_strides_[d]}});
      start[0] += taps.first_index * input_strides_[d + 1];
      start[1] += taps.first_tap * kernel_strides_[d];
    }
    // Of the groups' two kinds at least one has no more than one group.
    const int64_t groups = feature_groups_ * batch_groups_;
    const int64_t width = output_features_ / groups;
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t input_batch =
          batch_groups_ > 1 ? g * batch_ + batch : batch;
      const T* in = input + input_batch * input_strides_[0] +
                    (feature_groups_ > 1 ? g * input_features_ : 0);
      const T* factors = kernel + g * width;
      T* out = output + g * width;
      ForEachOffset(
          loops,
          [&](const std::array<int64_t, 2>& at) {
            AddProducts(in + at[0], factors + at[1], width, out);
          },
          start);
    }
  }

  // out[j] += in[i] * factors[i][j]
  template <typename T>
  void AddProducts(const T* in, const T* factors, int64_t width,
                   T* out) const {
    for (int64_t i = 0; i < input_features_; ++i) {
      const T factor = in[i];
      for (int64_t j = 0; j < width; ++j) {
        out[j] = MultiplyAdd(out[j], factor, factors[j]);
      }
      factors += output_features_;
    }
  }

  int64_t feature_groups_;
  int64_t batch_groups_;
  int64_t batch_;
  int64_t input_features_;   // of one group
  int64_t output_features_;  // of all
  DimensionVector output_sizes_;
  DimensionVector input_strides_;
  DimensionVector kernel_strides_;
  std::vector<std::vector<WindowTaps>> taps_;  // by dimension and position
};

// Convolutions add up what may be millions of products one after another (those
// of weight gradients do), which f32 is too short for.
PrimitiveType SumType(PrimitiveType product) {
  if (product == kF32) return kF64;
  return product == kC64 ? kC128 : product;
}

absl::StatusOr<Literal> Convolve(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands,
                                 const Shape& shape) {
  static const Window& none = *new Window;
  const AttributeSet& attrs = instruction.attrs();
  if (attrs.Has(AttrId::kSparsityConfig)) {
    const auto* sparsity = attrs.Get<SparsityConfig>(AttrId::kSparsityConfig);
    if (sparsity->has_lhs || sparsity->has_rhs) {
      return Unimplemented("convolutions of sparse operands");
    }
  }
  const auto& dims = *attrs.Get<ConvolutionDims>(AttrId::kDimLabels);
  const Window& window =
      instruction.window() == nullptr ? none : *instruction.window();
  const PrimitiveType type =
      SumType(ProductType(operands[0]->element_type(),
                          operands[1]->element_type(), shape.element_type()));
  HLOKIT_ASSIGN_OR_RETURN(
      Literal input,
      Arrange(*operands[0],
              Order({dims.input_batch_dimension}, dims.input_spatial_dimensions,
                    {dims.input_feature_dimension}),
              type));
  HLOKIT_ASSIGN_OR_RETURN(
      Literal kernel, Arrange(*operands[1],
                              Order({}, dims.kernel_spatial_dimensions,
                                    {dims.kernel_input_feature_dimension,
                                     dims.kernel_output_feature_dimension}),
                              type));
  const DimensionVector output_order =
      Order({dims.output_batch_dimension}, dims.output_spatial_dimensions,
            {dims.output_feature_dimension});
  DimensionVector sizes, back(output_order.size());
  for (size_t i = 0; i < output_order.size(); ++i) {
    sizes.push_back(shape.dimension(output_order[i]));
    back[output_order[i]] = i;
  }
  Literal sums =
      Literal::Zeros(Shape::ArrayWithDescendingLayout(type, sizes));
  if (sums.element_count() > 0) {
    const Convolver convolver(
        window, attrs.GetInt(AttrId::kFeatureGroupCount, 1),
        attrs.GetInt(AttrId::kBatchGroupCount, 1), input.shape(),
        kernel.shape(), sums.shape());
    DispatchProductType(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      convolver.Run(input.data<T>().data(), kernel.data<T>().data(),
                    sums.mutable_data<T>().data());
    });
  }
  HLOKIT_ASSIGN_OR_RETURN(sums, Arrange(sums, back, type));
  return FromProducts(std::move(sums), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalConvolution(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Convolve);
}

}  // namespace hlokit::interpreter
