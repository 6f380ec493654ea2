#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "backends/interpreter/combiner.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/index_map.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/offset_loops.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// One operand and its updates while the scatter goes on.
struct Target {
  char* values = nullptr;
  const char* updates = nullptr;
  int64_t value_bytes = 0;
  int64_t update_bytes = 0;
};

// values[at] = f(values[at], updates[at]) over runs of elements.
class Updater {
 public:
  virtual ~Updater() = default;
  // `count` elements from these places on, with these steps.
  virtual absl::Status Update(int64_t value, int64_t value_step,
                              int64_t update, int64_t update_step,
                              int64_t count) = 0;
};

class Overwriter : public Updater {
 public:
  explicit Overwriter(Target target) : target_(target) {}
  absl::Status Update(int64_t value, int64_t value_step, int64_t update,
                      int64_t update_step, int64_t count) override {
    const int64_t bytes = target_.value_bytes;
    StridedCopy({{count, update_step, value_step}},
                target_.updates + update * bytes,
                target_.values + value * bytes, bytes);
    return absl::OkStatus();
  }

 private:
  Target target_;
};

// A combiner that works on rows of elements.
class RowUpdater : public Updater {
 public:
  RowUpdater(Target target, ElementFunction function)
      : target_(target), function_(function) {}
  absl::Status Update(int64_t value, int64_t value_step, int64_t update,
                      int64_t update_step, int64_t count) override {
    const int64_t bytes = target_.value_bytes;
    const bool contiguous = value_step == 1 && update_step == 1;
    const int64_t run = contiguous ? count : 1;
    for (int64_t i = 0; i < count; i += run) {
      char* out = target_.values + (value + i * value_step) * bytes;
      const char* inputs[2] = {
          out, target_.updates + (update + i * update_step) * bytes};
      function_(inputs, out, run);
    }
    return absl::OkStatus();
  }

 private:
  Target target_;
  ElementFunction function_;
};

class GeneralUpdater : public Updater {
 public:
  GeneralUpdater(std::vector<Target> targets,
                 std::unique_ptr<ScalarFunction> function)
      : targets_(std::move(targets)), function_(std::move(function)),
        arguments_(2 * targets_.size()), results_(targets_.size()) {}
  absl::Status Update(int64_t value, int64_t value_step, int64_t update,
                      int64_t update_step, int64_t count) override {
    const size_t n = targets_.size();
    for (; count > 0; --count, value += value_step, update += update_step) {
      for (size_t i = 0; i < n; ++i) {
        const Target& t = targets_[i];
        arguments_[i].Load(t.values, t.value_bytes, value);
        arguments_[n + i].Load(t.updates, t.update_bytes, update);
      }
      HLOKIT_RETURN_IF_ERROR(
          function_->Call(arguments_, absl::MakeSpan(results_)));
      for (size_t i = 0; i < n; ++i) {
        results_[i].Store(targets_[i].values, targets_[i].value_bytes, value);
      }
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Target> targets_;
  std::unique_ptr<ScalarFunction> function_;
  std::vector<ScalarValue> arguments_;
  std::vector<ScalarValue> results_;
};

absl::StatusOr<std::unique_ptr<Updater>> MakeUpdater(
    Context& context, const Computation& combiner,
    std::vector<Target> targets) {
  const Combiner known = RecognizeCombiner(combiner);
  if (targets.size() == 1 && known.kind == Combiner::kSecond) {
    return std::make_unique<Overwriter>(targets[0]);
  }
  if (targets.size() == 1 && known.kind == Combiner::kBinary) {
    const ElementFunction function = BinaryFunction(known.opcode, known.type);
    if (function && function.result_type == known.type) {
      return std::make_unique<RowUpdater>(targets[0], function);
    }
  }
  const auto types = ParameterTypes(combiner);
  HLOKIT_ASSIGN_OR_RETURN(
      auto function,
      MakeScalarFunction(context, combiner, types,
                         absl::MakeConstSpan(types).first(targets.size())));
  return std::make_unique<GeneralUpdater>(std::move(targets),
                                          std::move(function));
}

// Where windows lie in the operand and in the updates.
struct Windows {
  OffsetLoops<2> loops;         // operand, updates; without the innermost
  OffsetLoop<2> inner;
  DimensionVector sizes;        // of a window in each operand dimension
  DimensionVector scatter_strides;  // of the updates
  bool empty = false;
};

Windows WindowsOf(const AttributeSet& attrs, const Shape& operand,
                  const Shape& updates) {
  const auto window_dims = attrs.GetList(AttrId::kUpdateWindowDims);
  const auto inserted = attrs.GetList(AttrId::kInsertedWindowDims);
  const auto batching = attrs.GetList(AttrId::kInputBatchingDims);
  const DimensionVector from = RowMajorStrides(operand.dimensions());
  const DimensionVector to = RowMajorStrides(updates.dimensions());
  Windows result;
  OffsetLoops<2> loops;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (absl::c_linear_search(inserted, i) ||
        absl::c_linear_search(batching, i)) {
      result.sizes.push_back(1);
      continue;
    }
    const int64_t d = window_dims[loops.size()];
    result.sizes.push_back(updates.dimension(d));
    loops.push_back({updates.dimension(d), {from[i], to[d]}});
  }
  result.empty = ElementsIn(updates) == 0;
  result.loops = Simplify<2>(loops);
  if (!result.loops.empty()) {
    result.inner = result.loops.back();
    result.loops.pop_back();
  }
  for (int64_t i = 0; i < updates.rank(); ++i) {
    if (!absl::c_linear_search(window_dims, i))
      result.scatter_strides.push_back(to[i]);
  }
  return result;
}

// A window that lies outside in part is left out as a whole.
bool Fits(absl::Span<const int64_t> start, absl::Span<const int64_t> sizes,
          const Shape& operand) {
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (start[i] < 0 || start[i] > operand.dimension(i) - sizes[i]) {
      return false;
    }
  }
  return true;
}

absl::Status UpdateAll(const IndexMap& map, const Windows& windows,
                       const Shape& operand, Updater* updater) {
  DimensionVector position(map.batch_sizes().size(), 0);
  DimensionVector start(operand.rank());
  const DimensionVector strides = RowMajorStrides(operand.dimensions());
  absl::Status status;
  do {
    map.StartAt(position, start.data());
    if (!Fits(start, windows.sizes, operand)) continue;
    std::array<int64_t, 2> at = {0, 0};
    for (size_t i = 0; i < start.size(); ++i) at[0] += start[i] * strides[i];
    for (size_t i = 0; i < position.size(); ++i) {
      at[1] += position[i] * windows.scatter_strides[i];
    }
    ForEachOffset(
        windows.loops,
        [&](const std::array<int64_t, 2>& row) {
          if (!status.ok()) return;
          status = updater->Update(row[0], windows.inner.strides[0], row[1],
                                   windows.inner.strides[1],
                                   windows.inner.size);
        },
        at);
    HLOKIT_RETURN_IF_ERROR(status);
  } while (NextPosition(map.batch_sizes(), absl::MakeSpan(position)));
  return status;
}

absl::StatusOr<Literal> Scatter(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands,
                                const Shape& shape) {
  const AttributeSet& attrs = instruction.attrs();
  const Computation& combiner = *instruction.to_apply();
  const size_t count = operands.size() / 2;
  const auto types = ParameterTypes(combiner);
  if (types.size() != 2 * count) {
    return InvalidArgument("%s must take %d values", combiner.name(),
                           static_cast<int64_t>(2 * count));
  }
  std::vector<Literal> results, updates;
  std::vector<Target> targets;
  for (size_t i = 0; i < count; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        Literal value, WithElements(context.TakeOperand(operands, i), types[i]));
    HLOKIT_ASSIGN_OR_RETURN(
        Literal update,
        WithElements(*operands[count + 1 + i], types[count + i]));
    results.push_back(std::move(value));
    updates.push_back(std::move(update));
  }
  for (size_t i = 0; i < count; ++i) {
    targets.push_back({results[i].mutable_untyped_data(),
                       updates[i].untyped_data(), StorageBytes(types[i]),
                       StorageBytes(types[count + i])});
  }
  HLOKIT_ASSIGN_OR_RETURN(
      std::unique_ptr<Updater> updater,
      MakeUpdater(context, combiner, std::move(targets)));
  const Shape operand = results[0].shape();
  const IndexMap map(*operands[count], attrs.GetInt(AttrId::kIndexVectorDim),
                     attrs.GetList(AttrId::kScatterDimsToOperandDims),
                     attrs.GetList(AttrId::kInputBatchingDims),
                     attrs.GetList(AttrId::kScatterIndicesBatchingDims),
                     operand.rank());
  const Windows windows = WindowsOf(attrs, operand, updates[0].shape());
  if (!windows.empty) {
    HLOKIT_RETURN_IF_ERROR(UpdateAll(map, windows, operand, updater.get()));
  }
  if (!shape.IsTuple()) return AsShape(std::move(results[0]), shape);
  for (size_t i = 0; i < count; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        results[i], AsShape(std::move(results[i]), shape.tuple_shape(i)));
  }
  return WithShape(Literal::Tuple(std::move(results)), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalScatter(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Scatter);
}

}  // namespace hlokit::interpreter
