// Convolutions as matrix products over an input that is padded where it must
// be.
//
// Rows of the product are output positions, columns output features, and what
// is summed over are the window's taps and the features of a group. Base
// dilation makes classes of output positions, by what they are modulo the
// dilation: each class sees every so-and-so-many-th tap and no holes at all.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/depthwise.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/packed_weights.h"
#include "backends/cpu/kernels/strided_move.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {
namespace {

// One class of output positions in one spatial dimension: positions
// first_output + j * output_step, j < outputs, see the taps first_tap + i *
// tap_step, i < taps, at input element first_index + j * row_step + i *
// tap_index.
struct PositionClass {
  int64_t outputs = 0, first_output = 0, output_step = 1;
  int64_t taps = 0, first_tap = 0, tap_step = 1;
  int64_t first_index = 0, row_step = 1, tap_index = 0;
};

std::vector<PositionClass> ClassesOf(const WindowDimension& w,
                                     int64_t outputs) {
  const int64_t base = w.base_dilation;
  const int64_t period = base / std::gcd(base, w.stride);
  std::vector<PositionClass> classes;
  for (int64_t c = 0; c < std::min(period, outputs); ++c) {
    PositionClass p;
    p.first_output = c;
    p.output_step = period;
    p.outputs = (outputs - c + period - 1) / period;
    p.row_step = period * w.stride / base;
    const int64_t start = c * w.stride - w.padding_low;
    // Taps repeat with this step.
    p.tap_step = base / std::gcd(base, w.window_dilation);
    p.tap_index = p.tap_step * w.window_dilation / base;
    int64_t tap = 0;
    while (tap < std::min(p.tap_step, w.size) &&
           (start + tap * w.window_dilation) % base != 0) {
      ++tap;
    }
    if (tap < std::min(p.tap_step, w.size)) {
      p.taps = (w.size - tap + p.tap_step - 1) / p.tap_step;
      p.first_tap = tap;
      p.first_index = (start + tap * w.window_dilation) / base;
    }
    classes.push_back(p);
  }
  return classes;
}

// The products of one class.
struct ConvolutionPart {
  std::unique_ptr<Gemm> gemm;  // null: depthwise, or nothing but zeros
  std::unique_ptr<Depthwise> depthwise;
  std::unique_ptr<PackedWeights> weights;  // null: packed in every execution
  GemmBatch batch;
  int64_t input_offset = 0, kernel_offset = 0, output_offset = 0;
};

struct ConvolutionPlan {
  ArrayView input, kernel, output;
  bool swapped = false;  // products are [features, positions]
  // The padded input, if there is one.
  bool padded = false;
  int64_t padded_elements = 0;
  int64_t inside = 0;  // where the input begins in it
  StridedMove copy;
  std::vector<ConvolutionPart> parts;
  bool has_zeros = false;  // classes without taps: the output is cleared first
};

class ConvolutionKernel : public NativeKernel {
 public:
  explicit ConvolutionKernel(ConvolutionPlan plan) : plan_(std::move(plan)) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    const char* input = static_cast<const char*>(operands[0]);
    const char* kernel = static_cast<const char*>(operands[1]);
    char* output = static_cast<char*>(results[0]);
    if (plan_.padded) {
      thread_local Workspace space;
      const int64_t bytes = plan_.padded_elements * plan_.input.element_bytes;
      // Zeros of all types are zero bytes.
      char* padded = space.Get<char>(bytes);
      ClearBytes(padded, bytes, context.pool);
      plan_.copy.Run(input, padded + plan_.inside * plan_.input.element_bytes,
                     context.pool);
      input = padded;
    }
    if (plan_.has_zeros) ClearBytes(output, plan_.output.bytes(), context.pool);
    for (const ConvolutionPart& part : plan_.parts) {
      const char* in = input + part.input_offset * plan_.input.element_bytes;
      const char* factors =
          kernel + part.kernel_offset * plan_.kernel.element_bytes;
      char* out = output + part.output_offset * plan_.output.element_bytes;
      if (part.depthwise != nullptr) {
        part.depthwise->Run(in, factors, out, context.pool);
      } else {
        const void* packed =
            part.weights == nullptr
                ? nullptr
                : part.weights->Get(*part.gemm, factors, context.pool);
        RunGemm(*part.gemm, part.batch, plan_.swapped ? factors : in,
                plan_.swapped ? in : factors, packed, out, context.pool);
      }
    }
    return absl::OkStatus();
  }

  std::string detail() const override {
    int64_t bytes = 0;
    for (const ConvolutionPart& part : plan_.parts) {
      if (part.weights != nullptr) bytes += part.weights->bytes();
    }
    return PackedWeights::Detail(bytes);
  }

 private:
  static void ClearBytes(char* to, int64_t bytes, ThreadPool* pool) {
    pool->ParallelFor(bytes, 1 << 20, [&](int64_t begin, int64_t end) {
      std::memset(to + begin, 0, end - begin);
    });
  }

  ConvolutionPlan plan_;
};

// A dimension of the loops: how far input, kernel and output go.
struct ConvolutionLoop {
  int64_t size;
  int64_t input, kernel, output;
};
using ConvolutionLoops = std::vector<ConvolutionLoop>;

void SortByInput(ConvolutionLoops* loops) {
  std::stable_sort(loops->begin(), loops->end(),
                   [](const ConvolutionLoop& a, const ConvolutionLoop& b) {
                     return std::abs(a.input) > std::abs(b.input);
                   });
}

DimensionList Strides(const ConvolutionLoops& loops,
                      int64_t ConvolutionLoop::*member) {
  DimensionList list;
  for (const ConvolutionLoop& loop : loops) {
    list.push_back({loop.size, loop.*member});
  }
  return list;
}

// Makes the plan's parts for one combination of classes.
class ConvolutionPlanner {
 public:
  ConvolutionPlanner(const Instruction& instruction, Isa isa,
                     ConvolutionPlan* plan)
      : plan_(*plan),
        isa_(isa),
        dims_(*instruction.attrs().Get<ConvolutionDims>(AttrId::kDimLabels)),
        feature_groups_(
            instruction.attrs().GetInt(AttrId::kFeatureGroupCount, 1)),
        batch_groups_(instruction.attrs().GetInt(AttrId::kBatchGroupCount, 1)) {
    if (instruction.window() != nullptr) window_ = *instruction.window();
  }

  bool Plan() {
    const size_t spatial = window_.dimensions.size();
    for (size_t d = 0; d < spatial; ++d) {
      classes_.push_back(
          ClassesOf(window_.dimensions[d],
                    plan_.output.sizes[dims_.output_spatial_dimensions[d]]));
    }
    input_strides_ = plan_.input.strides;
    if (!PadInput()) return false;
    plan_.swapped = WritesPositions();
    std::vector<size_t> choice(spatial, 0);
    int64_t parts = 0;
    while (true) {
      if (++parts > 64 || !AddPart(choice)) return false;
      size_t d = spatial;
      while (d > 0 && ++choice[d - 1] == classes_[d - 1].size()) {
        choice[--d] = 0;
      }
      if (d == 0) return true;
    }
  }

 private:
  // Finds the elements outside of the input that the windows cover, and plans a
  // padded copy where there are any. False when the copy would be out of
  // proportion to the arrays: most of a huge padding is never read.
  bool PadInput() {
    DimensionVector low(plan_.input.rank(), 0), high(plan_.input.rank(), 0);
    for (size_t d = 0; d < classes_.size(); ++d) {
      const int64_t dimension = dims_.input_spatial_dimensions[d];
      const int64_t size = plan_.input.sizes[dimension];
      for (const PositionClass& c : classes_[d]) {
        if (c.taps == 0 || c.outputs == 0) continue;
        const int64_t last = c.first_index + (c.outputs - 1) * c.row_step +
                             (c.taps - 1) * c.tap_index;
        low[dimension] = std::max(low[dimension], -c.first_index);
        high[dimension] = std::max(high[dimension], last - size + 1);
        plan_.padded |= c.first_index < 0 || last >= size;
      }
    }
    if (!plan_.padded) return true;
    double padded_elements = 1;
    for (int64_t d = 0; d < plan_.input.rank(); ++d) {
      padded_elements *= static_cast<double>(plan_.input.sizes[d]) +
                         static_cast<double>(low[d]) +
                         static_cast<double>(high[d]);
    }
    constexpr double kSmallCopy = 1 << 20;
    constexpr double kMostGrowth = 16;
    if (padded_elements >
        kSmallCopy + kMostGrowth * (static_cast<double>(plan_.input.elements) +
                                    static_cast<double>(
                                        plan_.output.elements))) {
      return false;
    }
    std::vector<int64_t> order(plan_.input.rank());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return plan_.input.strides[a] < plan_.input.strides[b];
    });
    absl::InlinedVector<MoveLoop, 6> loops;
    int64_t stride = 1;
    for (int64_t d : order) {
      input_strides_[d] = stride;
      loops.push_back({plan_.input.sizes[d], plan_.input.strides[d], stride});
      plan_.inside += low[d] * stride;
      stride *= plan_.input.sizes[d] + low[d] + high[d];
    }
    plan_.padded_elements = stride;
    plan_.copy = StridedMove(loops, plan_.input.element_bytes);
    return true;
  }

  // Whether neighbours in the output are positions rather than features.
  bool WritesPositions() const {
    return plan_.output.sizes[dims_.output_feature_dimension] > 1 &&
           plan_.output.strides[dims_.output_feature_dimension] != 1;
  }

  bool AddPart(const std::vector<size_t>& choice) {
    ConvolutionPart part;
    const int64_t groups = feature_groups_ * batch_groups_;
    const int64_t features_in =
        plan_.kernel.sizes[dims_.kernel_input_feature_dimension];
    const int64_t features_out =
        plan_.kernel.sizes[dims_.kernel_output_feature_dimension] / groups;
    const int64_t in_feature = input_strides_[dims_.input_feature_dimension];
    const int64_t in_batch = input_strides_[dims_.input_batch_dimension];
    const int64_t kernel_out =
        plan_.kernel.strides[dims_.kernel_output_feature_dimension];
    const int64_t out_feature =
        plan_.output.strides[dims_.output_feature_dimension];
    const int64_t batch = plan_.output.sizes[dims_.output_batch_dimension];
    ConvolutionLoops rows, depth;
    int64_t positions = 1;
    part.input_offset = plan_.inside;
    for (size_t d = 0; d < choice.size(); ++d) {
      const PositionClass& c = classes_[d][choice[d]];
      const int64_t in = input_strides_[dims_.input_spatial_dimensions[d]];
      const int64_t factor =
          plan_.kernel.strides[dims_.kernel_spatial_dimensions[d]];
      const int64_t out =
          plan_.output.strides[dims_.output_spatial_dimensions[d]];
      const WindowDimension& w = window_.dimensions[d];
      const bool back = w.window_reversal;
      rows.push_back({c.outputs, c.row_step * in, 0, c.output_step * out});
      depth.push_back({c.taps, c.tap_index * in,
                       c.tap_step * (back ? -factor : factor), 0});
      positions *= c.outputs;
      part.input_offset += c.first_index * in;
      part.kernel_offset +=
          (back ? w.size - 1 - c.first_tap : c.first_tap) * factor;
      part.output_offset += c.first_output * out;
      if (c.taps == 0) {
        plan_.has_zeros = true;
        return true;
      }
    }
    if (features_in == 0) {
      plan_.has_zeros = true;
      return true;
    }
    // How the group's number moves the arrays.
    const int64_t group_in = feature_groups_ > 1 ? features_in * in_feature
                                                 : batch * in_batch;
    const ConvolutionLoop batches = {
        batch, in_batch, 0, plan_.output.strides[dims_.output_batch_dimension]};
    if (feature_groups_ > 1 && features_in == 1 && features_out == 1) {
      part.depthwise = MakeDepthwise(
          rows, depth, batches, {groups, group_in, kernel_out, out_feature});
      if (part.depthwise != nullptr) {
        plan_.parts.push_back(std::move(part));
        return true;
      }
    }
    depth.push_back({features_in, in_feature,
                     plan_.kernel.strides[dims_.kernel_input_feature_dimension],
                     0});
    SortByInput(&depth);
    ConvolutionLoops outer = {{groups, group_in, features_out * kernel_out,
                               features_out * out_feature}};
    (positions >= 256 ? outer : rows).push_back(batches);
    SortByInput(&rows);
    if (plan_.swapped) {
      // Neighbours of the output last.
      std::stable_sort(rows.begin(), rows.end(),
                       [](const ConvolutionLoop& a, const ConvolutionLoop& b) {
                         return a.output > b.output;
                       });
    }
    const DimensionList features_n = {{features_out, kernel_out}};
    const DimensionList features_o = {{features_out, out_feature}};
    for (const ConvolutionLoops* loops : {&rows, &depth}) {
      if (CountOf(Strides(*loops, &ConvolutionLoop::input)) > (1 << 26)) {
        return false;
      }
    }
    GemmProblem problem;
    problem.out_type = plan_.output.type;
    const GemmWalk in_rows(Strides(rows, &ConvolutionLoop::input));
    const GemmWalk in_depth(Strides(depth, &ConvolutionLoop::input));
    const GemmWalk out_rows(Strides(rows, &ConvolutionLoop::output));
    const GemmWalk kernel_depth(Strides(depth, &ConvolutionLoop::kernel));
    if (plan_.swapped) {
      problem.lhs_type = plan_.kernel.type;
      problem.rhs_type = plan_.input.type;
      problem.lhs_m = GemmWalk(features_n);
      problem.lhs_k = kernel_depth;
      problem.rhs_k = in_depth;
      problem.rhs_n = in_rows;
      problem.out_m = GemmWalk(features_o);
      problem.out_n = out_rows;
    } else {
      problem.lhs_type = plan_.input.type;
      problem.rhs_type = plan_.kernel.type;
      problem.lhs_m = in_rows;
      problem.lhs_k = in_depth;
      problem.rhs_k = kernel_depth;
      problem.rhs_n = GemmWalk(features_n);
      problem.out_m = out_rows;
      problem.out_n = GemmWalk(features_o);
    }
    part.gemm = Gemm::Make(std::move(problem), isa_);
    if (part.gemm == nullptr) return false;
    part.batch.lhs = Strides(outer, plan_.swapped ? &ConvolutionLoop::kernel
                                                  : &ConvolutionLoop::input);
    part.batch.rhs = Strides(outer, plan_.swapped ? &ConvolutionLoop::input
                                                  : &ConvolutionLoop::kernel);
    part.batch.out = Strides(outer, &ConvolutionLoop::output);
    part.batch.count = CountOf(part.batch.lhs);
    plan_.parts.push_back(std::move(part));
    return true;
  }

  std::unique_ptr<Depthwise> MakeDepthwise(
      const ConvolutionLoops& rows, const ConvolutionLoops& depth,
      const ConvolutionLoop& batches, const ConvolutionLoop& groups) const {
    if (plan_.input.type != kF32 || plan_.kernel.type != kF32 ||
        plan_.output.type != kF32) {
      return nullptr;
    }
    Depthwise::Plan plan;
    for (const ConvolutionLoop& loop : rows) {
      plan.outer.push_back({loop.size, loop.input, loop.kernel, loop.output});
    }
    plan.outer.push_back(
        {batches.size, batches.input, batches.kernel, batches.output});
    plan.outer.push_back(
        {groups.size, groups.input, groups.kernel, groups.output});
    for (const ConvolutionLoop& loop : depth) {
      plan.taps.push_back({loop.size, loop.input, loop.kernel, 0});
    }
    return Depthwise::Make(std::move(plan));
  }

  ConvolutionPlan& plan_;
  const Isa isa_;
  const ConvolutionDims& dims_;
  Window window_;
  int64_t feature_groups_;
  int64_t batch_groups_;
  std::vector<std::vector<PositionClass>> classes_;
  DimensionVector input_strides_;  // of the padded input if there is one
};

}  // namespace

std::unique_ptr<NativeKernel> MakeConvolutionKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const AttributeSet& attrs = instruction.attrs();
  if (instruction.operand_count() != 2 ||
      attrs.Has(AttrId::kSparsityConfig) ||
      attrs.Get<ConvolutionDims>(AttrId::kDimLabels) == nullptr) {
    return nullptr;
  }
  const auto input = ViewOf(instruction.operand(0)->shape());
  const auto kernel = ViewOf(instruction.operand(1)->shape());
  const auto output = ViewOf(instruction.shape());
  if (!input || !kernel || !output) return nullptr;
  // Zero bytes must be zeros.
  if (input->type == kF8E8M0FNU) return nullptr;
  ConvolutionPlan plan;
  plan.input = *input;
  plan.kernel = *kernel;
  plan.output = *output;
  if (output->elements > 0 &&
      !ConvolutionPlanner(instruction, environment.isa(), &plan).Plan()) {
    return nullptr;
  }
  for (ConvolutionPart& part : plan.parts) {
    if (part.gemm == nullptr || plan.swapped) continue;
    part.weights = PackedWeights::Make(*part.gemm, part.batch,
                                       *instruction.operand(1), environment);
  }
  return std::make_unique<ConvolutionKernel>(std::move(plan));
}

}  // namespace hlokit::cpu
