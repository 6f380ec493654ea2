#include <numeric>
#include <utility>
#include <vector>

#include "backends/interpreter/custom_call.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

uint32_t RotateLeft(uint32_t x, int bits) {
  return x << bits | x >> (32 - bits);
}

// Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011).
void Threefry2x32(uint32_t k0, uint32_t k1, uint32_t* x0, uint32_t* x1) {
  static constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  *x0 += keys[0];
  *x1 += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      *x0 += *x1;
      *x1 = RotateLeft(*x1, rotation) ^ *x0;
    }
    *x0 += keys[(group + 1) % 3];
    *x1 += keys[(group + 2) % 3] + group + 1;
  }
}

// (key 0, key 1, counter 0, counter 1) -> two arrays of bits
absl::StatusOr<Literal> ThreefryCall(Context& context,
                                     const Instruction& instruction,
                                     absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(4)) return call.status();
  const auto dimensions = operands[0]->shape().dimensions();
  const DimensionVector sizes(dimensions.begin(), dimensions.end());
  for (int i = 0; i < 4; ++i) call.Operand(i, kU32, sizes);
  std::vector<Literal> results = {call.Result(0, 2, kU32, sizes),
                                  call.Result(1, 2, kU32, sizes)};
  if (!call.ok()) return call.status();
  auto out0 = results[0].mutable_data<uint32_t>();
  auto out1 = results[1].mutable_data<uint32_t>();
  for (size_t i = 0; i < out0.size(); ++i) {
    out0[i] = operands[2]->data<uint32_t>()[i];
    out1[i] = operands[3]->data<uint32_t>()[i];
    Threefry2x32(operands[0]->data<uint32_t>()[i],
                 operands[1]->data<uint32_t>()[i], &out0[i], &out1[i]);
  }
  return call.Finish(std::move(results));
}

// pivots[..., k], from 0 -> permutation[..., m]: rows i and pivots[i] of the
// identity are exchanged one after the other.
absl::StatusOr<Literal> PivotsToPermutation(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(1)) return call.status();
  call.Rank(0, 1);
  const Shape& shape = instruction.shape();
  const Shape& part = shape.IsTuple() && shape.tuple_shapes().size() == 1
                          ? shape.tuple_shape(0)
                          : shape;
  call.Expect(part.IsArray() && part.rank() >= 1, "gives an array");
  if (!call.ok()) return call.status();
  const auto dimensions = operands[0]->shape().dimensions();
  DimensionVector sizes(dimensions.begin(), dimensions.end());
  call.Operand(0, kS32, sizes);
  const int64_t k = sizes.back(), m = part.dimension(part.rank() - 1);
  call.Expect(k <= m, "the permutation is shorter than the pivots are");
  sizes.back() = m;
  Literal result = call.Result(0, 1, kS32, sizes);
  if (!call.ok()) return call.status();
  const auto pivots = operands[0]->data<int32_t>();
  auto out = result.mutable_data<int32_t>();
  const int64_t rows = m == 0 ? 0 : out.size() / m;
  for (int64_t row = 0; row < rows; ++row) {
    int32_t* permutation = &out[row * m];
    std::iota(permutation, permutation + m, 0);
    for (int64_t i = 0; i < k; ++i) {
      const int32_t pivot = pivots[row * k + i];
      if (pivot < 0 || pivot >= m) {
        return InvalidArgument("pivot %d is out of range", pivot);
      }
      std::swap(permutation[i], permutation[pivot]);
    }
  }
  return call.Finish({std::move(result)});
}

}  // namespace

absl::Span<const CustomCallTarget> GpuTargets() {
  static constexpr CustomCallTarget kTargets[] = {
      {"cu_lu_pivots_to_permutation", &PivotsToPermutation},
      {"cu_threefry2x32_ffi", &ThreefryCall},
      {"hip_lu_pivots_to_permutation", &PivotsToPermutation},
      {"hip_threefry2x32_ffi", &ThreefryCall},
  };
  return kTargets;
}

}  // namespace hlokit::interpreter
