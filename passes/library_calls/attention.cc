// cuDNN's fused attention:
//   S = fmha_scale Q K + bias, masked; P = softmax(S); O = P V
// in f32 (f64 for f64), each result rounded once. Dot dimensions are those of
// the configuration; the first batch dimension is the batch, the last one is
// the head. K and V may have fewer heads than Q: each serves the same number of
// heads of Q in turn.
#include <limits>

#include "absl/strings/match.h"
#include "base/status.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {
namespace {

constexpr absl::string_view kMasks[] = {"NO_MASK", "PADDING", "CAUSAL",
                                        "PADDING_CAUSAL", "ALIBI"};

struct AttentionNumbers {
  double scale = 1;
  int64_t window = 0;
  bool causal = false, padding = false, bias = false;
  DotDims scores;  // Q K
  DotDims output;  // P V
};

AttentionNumbers ReadAttention(Lowering& l, LibraryConfig& config) {
  AttentionNumbers a;
  if (!config.Enter("cudnn_fmha_backend_config") && config.empty()) {
    l.Fail(InvalidArgument(
        "the backend_config has no cudnn_fmha_backend_config"));
  }
  a.scale = config.Double("fmha_scale", 1);
  a.window = config.Int("sliding_window_length");
  a.scores = ReadDotDims(config, "bmm1_dot_dimension_numbers");
  a.output = ReadDotDims(config, "bmm2_dot_dimension_numbers");
  a.bias = absl::StrContains(l.target(), "Bias");
  const absl::string_view mask = kMasks[config.Enum("mask_type", kMasks)];
  a.causal = config.Bool("is_causal_mask") || absl::EndsWith(mask, "CAUSAL");
  a.padding = absl::StartsWith(mask, "PADDING");
  if (config.Double("dropout_rate") != 0) {
    l.Fail(Unimplemented("dropout_rate is %g: cuDNN's random numbers are not "
                         "known; only dropout_rate 0 can run",
                         config.Double("dropout_rate")));
  }
  if (mask == "ALIBI") {
    l.Fail(Unimplemented("hlokit does not run the mask ALIBI: its slopes are "
                         "cuDNN's own"));
  }
  if (config.Int("max_seg_per_batch", 1) > 1) {
    l.Fail(Unimplemented("hlokit does not run packed sequences "
                         "(max_seg_per_batch %d)",
                         config.Int("max_seg_per_batch")));
  }
  if (config.Bool("is_paged_attention")) {
    l.Fail(Unimplemented("hlokit does not run paged attention"));
  }
  // The seed belongs to dropout; the others repeat what shapes and the two
  // products say.
  for (absl::string_view name :
       {"algorithm", "seed", "is_flash_attention", "force_deterministic",
        "intermediate_tensor_shape", "bmm1_grad_gemm1_dot_dimension_numbers",
        "bmm1_grad_gemm2_dot_dimension_numbers",
        "bmm2_grad_gemm1_dot_dimension_numbers",
        "bmm2_grad_gemm2_dot_dimension_numbers"}) {
    config.Ignore(name);
  }
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  return a;
}

// x as [batch, heads, rows, columns]; `contracting` are columns for Q and K,
// rows for V.
Instruction* AsMatrices(Lowering& l, Instruction* x, const Int64List& batch,
                        const Int64List& contracting, bool rows_last) {
  const int64_t rank = x->shape().rank();
  l.Expect(rank == 4 && batch.size() == 2 && contracting.size() == 1,
           "takes arrays of four dimensions with two batch dimensions and one "
           "contracting dimension");
  std::vector<int64_t> order(batch.begin(), batch.end());
  for (int64_t d = 0; l.ok() && d < rank; ++d) {
    if (d != batch[0] && d != batch[1] && d != contracting[0]) {
      order.push_back(d);
    }
  }
  if (l.ok()) {
    order.insert(rows_last ? order.begin() + 2 : order.end(), contracting[0]);
    std::vector<int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    l.Expect(sorted == Counting(4), "dot dimensions do not fit the operands");
  }
  if (!l.ok()) return x;
  return l.Transpose(l.Convert(x, SumType(x->shape().element_type())), order);
}

// [b, n, s, h] with n heads of each of x's repeated.
Instruction* RepeatHeads(Lowering& l, Instruction* x, int64_t heads) {
  if (!l.ok()) return x;
  std::vector<int64_t> sizes = DimsOf(x);
  if (sizes[1] == heads) return x;
  l.Expect(sizes[1] > 0 && heads % sizes[1] == 0,
           "the heads of K and V do not divide those of Q");
  if (!l.ok()) return x;
  const int64_t times = heads / sizes[1];
  Instruction* wide =
      l.Broadcast(x, {0, 1, 3, 4}, {sizes[0], sizes[1], times, sizes[2],
                                    sizes[3]});
  sizes[1] = heads;
  return l.Reshape(wide, sizes);
}

// The sum over the heads that RepeatHeads has made of one.
Instruction* SumHeads(Lowering& l, Instruction* x, int64_t heads) {
  if (!l.ok()) return x;
  std::vector<int64_t> sizes = DimsOf(x);
  if (sizes[1] == heads) return x;
  Instruction* split = l.Reshape(
      x, {sizes[0], heads, sizes[1] / heads, sizes[2], sizes[3]});
  return l.Reduce(split, Opcode::kAdd, {2});
}

// Where the position `dimension` of each batch entry is below its length.
Instruction* BelowLength(Lowering& l, Instruction* lengths, Dims sizes,
                         int64_t dimension) {
  l.Expect(lengths->shape().element_type() == kS32 &&
               lengths->shape().rank() <= 2,
           "sequence lengths must be s32, one for each batch entry");
  Instruction* limit =
      l.Broadcast(l.Reshape(lengths, {sizes[0]}), {0}, sizes);
  return l.Compare(ComparisonDirection::kLt, l.Iota(kS32, sizes, dimension),
                   limit);
}

// Null when everything takes part.
Instruction* Mask(Lowering& l, const AttentionNumbers& a, Dims sizes,
                  Instruction* kv_lengths) {
  Instruction* mask = nullptr;
  const auto require = [&](Instruction* more) {
    mask = mask == nullptr ? more : l.Op(Opcode::kAnd, {mask, more});
  };
  Instruction* row = l.Iota(kS32, sizes, 2);
  Instruction* column = l.Iota(kS32, sizes, 3);
  if (a.causal) require(l.Compare(ComparisonDirection::kLe, column, row));
  if (a.window > 0) {
    Instruction* first = l.AddNumber(row, -static_cast<double>(a.window));
    require(l.Compare(ComparisonDirection::kGt, column, first));
  }
  if (kv_lengths != nullptr) require(BelowLength(l, kv_lengths, sizes, 3));
  return mask;
}

struct Probabilities {
  Instruction* value;      // [b, n, t, s]
  Instruction* log_sum;    // [b, n, t]
};

// Rows in which nothing takes part are zeros.
Probabilities SoftmaxOfScores(Lowering& l, Instruction* scores,
                              Instruction* mask) {
  const PrimitiveType type = scores->shape().element_type();
  const double least = -std::numeric_limits<double>::infinity();
  if (mask != nullptr) scores = l.Select(mask, scores, l.Scalar(type, least));
  Instruction* largest = l.Reduce(scores, Opcode::kMaximum, {3});
  Instruction* is_empty = l.Compare(ComparisonDirection::kEq, largest,
                                    l.Scalar(type, least));
  Instruction* zero = l.Expand(l.Scalar(type, 0), largest);
  Instruction* base = l.Select(is_empty, zero, largest);
  Instruction* powers = l.Op(
      Opcode::kExponential,
      {l.Subtract(scores, l.SpreadOver(base, scores, {3}))});
  Instruction* sum = l.Reduce(powers, Opcode::kAdd, {3});
  Instruction* one = l.Expand(l.Scalar(type, 1), sum);
  Instruction* divisor = l.Select(is_empty, one, sum);
  Probabilities p;
  p.value = l.Divide(powers, l.SpreadOver(divisor, scores, {3}));
  p.log_sum = l.Add(base, l.Op(Opcode::kLog, {sum}));
  return p;
}

struct Attention {
  Instruction* q;  // [b, n, t, h]
  Instruction* k;  // [b, n, s, h]
  Instruction* v;  // [b, n, s, h]
  int64_t kv_heads;
  Instruction* mask = nullptr;
  Instruction* q_live = nullptr;  // [b, n, t, h], rows of q that are live
  Probabilities p;
};

DotDims MatrixDims(int64_t left, int64_t right) {
  return {{0, 1}, {0, 1}, {left}, {right}};
}

// `product`, if given, multiplies Q K.
Attention Attend(Lowering& l, const AttentionNumbers& a, Instruction* bias,
                 Instruction* q_lengths, Instruction* kv_lengths,
                 Instruction* product = nullptr) {
  Attention x;
  x.q = AsMatrices(l, l.operand(0), a.scores.lhs_batch,
                   a.scores.lhs_contracting, false);
  x.k = AsMatrices(l, l.operand(1), a.scores.rhs_batch,
                   a.scores.rhs_contracting, false);
  x.v = AsMatrices(l, l.operand(2), a.output.rhs_batch,
                   a.output.rhs_contracting, true);
  if (!l.ok()) return x;
  const int64_t heads = x.q->shape().dimension(1);
  x.kv_heads = x.k->shape().dimension(1);
  x.k = RepeatHeads(l, x.k, heads);
  x.v = RepeatHeads(l, x.v, heads);
  Instruction* scores =
      l.Scale(l.Dot(x.q, x.k, MatrixDims(3, 3)), a.scale);
  if (product != nullptr) scores = l.Multiply(scores, product);
  if (!l.ok()) return x;
  const std::vector<int64_t> sizes = DimsOf(scores);
  if (bias != nullptr) {
    scores = l.Add(scores, l.Expand(l.Convert(bias, scores->shape()
                                                        .element_type()),
                                    scores));
  }
  x.mask = Mask(l, a, sizes, kv_lengths);
  if (q_lengths != nullptr) {
    x.q_live = BelowLength(l, q_lengths, DimsOf(x.q), 2);
  }
  x.p = SoftmaxOfScores(l, scores, x.mask);
  return x;
}

Instruction* LiveRows(Lowering& l, const Attention& x, Instruction* value) {
  if (x.q_live == nullptr) return value;
  return l.Select(x.q_live, value,
                  l.Scalar(value->shape().element_type(), 0));
}

// The statistics of the softmax or its values, whichever the shape says.
void GiveStatistics(Lowering& l, const Attention& x, int64_t index) {
  if (index >= l.result_count()) return;
  const Shape shape = l.ResultShape(index);
  if (IsByteType(shape.element_type())) return;
  Instruction* value =
      shape.rank() == 4 && l.ok() &&
              shape.dimension(3) == x.p.value->shape().dimension(3)
          ? x.p.value
          : x.p.log_sum;
  l.AddResult(l.Convert(l.Reshape(value, shape.dimensions()),
                        shape.element_type()));
}

}  // namespace

// (Q, K, V[, bias][, lengths of Q, lengths of K]) -> (O[, statistics])
void LowerAttention(Lowering& l, LibraryConfig& config) {
  const AttentionNumbers a = ReadAttention(l, config);
  const int64_t count = 3 + a.bias + 2 * a.padding;
  l.TakesArrays(count, count);
  if (!l.ok()) return;
  Instruction* bias = a.bias ? l.operand(3) : nullptr;
  Instruction* q_lengths = a.padding ? l.operand(count - 2) : nullptr;
  Instruction* kv_lengths = a.padding ? l.operand(count - 1) : nullptr;
  const Attention x = Attend(l, a, bias, q_lengths, kv_lengths);
  if (!l.ok()) return;
  Instruction* o =
      LiveRows(l, x, l.Dot(x.p.value, x.v, MatrixDims(3, 2)));
  l.AddResult(l.Convert(o, l.ResultShape(0).element_type()));
  GiveStatistics(l, x, 1);
}

// (Q, K, V, statistics, dO[, bias][, O][, lengths of Q, lengths of K]) ->
// (dQ, dK, dV[, dbias]); the probabilities are computed again.
void LowerAttentionBackward(Lowering& l, LibraryConfig& config) {
  const AttentionNumbers a = ReadAttention(l, config);
  const int64_t least = 5 + a.bias + 2 * a.padding;
  l.TakesArrays(least, least + 1);
  if (!l.ok()) return;
  Instruction* bias = a.bias ? l.operand(5) : nullptr;
  const int64_t count = l.count();
  Instruction* q_lengths = a.padding ? l.operand(count - 2) : nullptr;
  Instruction* kv_lengths = a.padding ? l.operand(count - 1) : nullptr;
  const Attention x = Attend(l, a, bias, q_lengths, kv_lengths);
  if (!l.ok()) return;
  // dO has the dimensions of the forward result: [b, n, t, h], or those of Q.
  Instruction* grad = l.Convert(l.operand(4), x.q->shape().element_type());
  if (!SameDimensions(grad->shape(), x.q->shape())) {
    grad = AsMatrices(l, grad, a.scores.lhs_batch, a.scores.lhs_contracting,
                      false);
  }
  grad = LiveRows(l, x, grad);
  Instruction* dv = l.Dot(x.p.value, grad, MatrixDims(2, 2));
  Instruction* dp = l.Dot(grad, x.v, MatrixDims(3, 3));
  Instruction* mean =
      l.Reduce(l.Multiply(dp, x.p.value), Opcode::kAdd, {3});
  if (!l.ok()) return;
  Instruction* ds = l.Multiply(
      x.p.value, l.Subtract(dp, l.SpreadOver(mean, dp, {3})));
  Instruction* dq = l.Scale(l.Dot(ds, x.k, MatrixDims(3, 2)), a.scale);
  Instruction* dk = l.Scale(l.Dot(ds, x.q, MatrixDims(2, 2)), a.scale);
  if (!l.ok()) return;
  l.AddResult(l.Convert(dq, l.ResultShape(0).element_type()));
  l.AddResult(l.Convert(SumHeads(l, dk, x.kv_heads),
                        l.ResultShape(1).element_type()));
  l.AddResult(l.Convert(SumHeads(l, dv, x.kv_heads),
                        l.ResultShape(2).element_type()));
  if (bias == nullptr || l.result_count() < 4) return;
  const Shape shape = l.ResultShape(3);
  if (IsByteType(shape.element_type())) return;
  // Summed over what the bias was spread over.
  std::vector<int64_t> spread;
  const int64_t offset = 4 - bias->shape().rank();
  for (int64_t d = 0; d < 4; ++d) {
    if (d < offset || (bias->shape().dimension(d - offset) == 1 &&
                       ds->shape().dimension(d) != 1)) {
      spread.push_back(d);
    }
  }
  l.AddResult(l.Convert(l.Reshape(l.Reduce(ds, Opcode::kAdd, spread),
                                  shape.dimensions()),
                        shape.element_type()));
}

// (Q, K, V, descale of Q, K, V and P, scale of P and O) ->
// (O, largest |P|, largest |O|[, statistics])
void LowerAttentionF8(Lowering& l, LibraryConfig& config) {
  const AttentionNumbers a = ReadAttention(l, config);
  if (absl::StrContains(l.target(), "Backward")) {
    l.Fail(Unimplemented("hlokit does not run the backward pass of f8 "
                         "attention: cuDNN rounds inside it where it does not "
                         "say"));
  }
  if (a.padding || a.bias) {
    l.Fail(Unimplemented("f8 attention has neither bias nor padding mask"));
  }
  l.TakesArrays(9, 9);
  Instruction* scale[6];
  for (int i = 0; i < 6; ++i) {
    scale[i] = l.Convert(l.Reshape(l.operand(3 + i), {}), kF32);
  }
  if (!l.ok()) return;
  Instruction* product = l.Multiply(scale[0], scale[1]);
  const Attention x = Attend(l, a, nullptr, nullptr, nullptr, product);
  const PrimitiveType narrow = l.operand(2)->shape().element_type();
  Instruction* p = l.Convert(
      l.ConvertSaturating(l.Multiply(x.p.value, scale[4]), narrow), kF32);
  Instruction* o = l.Dot(p, x.v, MatrixDims(3, 2));
  o = l.Multiply(l.Multiply(o, scale[3]), scale[2]);
  if (!l.ok()) return;
  l.AddResult(l.ConvertSaturating(l.Multiply(o, scale[5]),
                                  l.ResultShape(0).element_type()));
  int64_t index = 1;
  for (Instruction* value : {x.p.value, o}) {
    const Shape shape = l.ResultShape(index++);
    if (!l.ok()) return;
    l.AddResult(l.Reshape(l.LargestMagnitude(value), shape.dimensions()));
  }
  GiveStatistics(l, x, index);
}

}  // namespace hlokit
