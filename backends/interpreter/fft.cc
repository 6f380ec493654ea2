#include "backends/interpreter/fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "backends/interpreter/complex_functions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

using FftValue = Fft::Value;

// exp(sign * 2 pi i * numerator / denominator), 0 <= numerator < denominator.
FftValue Root(int64_t numerator, int64_t denominator, bool positive) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(numerator) /
                       static_cast<double>(denominator);
  return {std::cos(angle), positive ? std::sin(angle) : -std::sin(angle)};
}

}  // namespace

Fft::Fft(int64_t length, bool inverse)
    : length_(length),
      power_of_two_(std::has_single_bit(static_cast<uint64_t>(length))) {
  if (length <= 1) return;
  if (power_of_two_) {
    for (int64_t i = 0; i < length / 2; ++i) {
      roots_.push_back(Root(i, length, inverse));
    }
    return;
  }
  // j k = (j^2 + k^2 - (k - j)^2) / 2 makes the sum a convolution with a chirp,
  // which transforms of a length that is a power of two compute.
  const int64_t padded = std::bit_ceil(static_cast<uint64_t>(2 * length - 1));
  forward_ = std::make_unique<Fft>(padded, false);
  backward_ = std::make_unique<Fft>(padded, true);
  filter_.resize(padded);
  buffer_.resize(padded);
  int64_t square = 0;  // j^2 modulo 2 n
  for (int64_t j = 0; j < length; ++j) {
    chirp_.push_back(Root(square, 2 * length, inverse));
    filter_[j] = std::conj(chirp_[j]);
    if (j > 0) filter_[padded - j] = filter_[j];
    square = (square + 2 * j + 1) % (2 * length);
  }
  forward_->Run(absl::MakeSpan(filter_));
}

Fft::~Fft() = default;

void Fft::Run(absl::Span<FftValue> values) {
  if (length_ <= 1) return;
  if (power_of_two_) {
    RunPowerOfTwo(values);
  } else {
    RunBluestein(values);
  }
}

void Fft::RunPowerOfTwo(absl::Span<FftValue> values) const {
  const int64_t n = length_;
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (int64_t half = 1; half < n; half *= 2) {
    const int64_t step = n / (2 * half);
    for (int64_t start = 0; start < n; start += 2 * half) {
      for (int64_t i = 0; i < half; ++i) {
        FftValue& low = values[start + i];
        FftValue& high = values[start + i + half];
        const FftValue turned = ComplexMultiply(high, roots_[i * step]);
        high = low - turned;
        low += turned;
      }
    }
  }
}

void Fft::RunBluestein(absl::Span<FftValue> values) {
  const int64_t n = length_;
  std::fill(buffer_.begin(), buffer_.end(), FftValue());
  for (int64_t i = 0; i < n; ++i) {
    buffer_[i] = ComplexMultiply(values[i], chirp_[i]);
  }
  forward_->Run(absl::MakeSpan(buffer_));
  for (size_t i = 0; i < buffer_.size(); ++i) {
    buffer_[i] = ComplexMultiply(buffer_[i], filter_[i]);
  }
  backward_->Run(absl::MakeSpan(buffer_));
  const double scale = 1.0 / static_cast<double>(buffer_.size());
  for (int64_t i = 0; i < n; ++i) {
    values[i] = ComplexMultiply(buffer_[i] * scale, chirp_[i]);
  }
}

namespace {

// [outer, from, inner] cut or filled with zeros to [outer, to, inner].
std::vector<FftValue> Resized(const std::vector<FftValue>& values,
                              int64_t outer, int64_t from, int64_t to) {
  std::vector<FftValue> result(outer * to);
  for (int64_t i = 0; i < outer; ++i) {
    std::copy_n(values.begin() + i * from, std::min(from, to),
                result.begin() + i * to);
  }
  return result;
}

// The transform along one dimension of [outer, length, inner].
void TransformDimension(std::vector<FftValue>* values, int64_t length,
                        int64_t inner, bool inverse) {
  if (length <= 1 || inner == 0) return;
  Fft fft(length, inverse);
  std::vector<FftValue> line(length);
  const int64_t block = length * inner;
  const int64_t total = values->size();
  for (int64_t start = 0; start < total; start += block) {
    for (int64_t i = start; i < start + inner; ++i) {
      for (int64_t j = 0; j < length; ++j) line[j] = (*values)[i + j * inner];
      fft.Run(absl::MakeSpan(line));
      for (int64_t j = 0; j < length; ++j) (*values)[i + j * inner] = line[j];
    }
  }
}

// The whole of a line of which real data's transform has only the first half:
// what is missing is the conjugate of what is there. The imaginary parts of
// elements that are their own partners do not count.
void CompleteLines(const std::vector<FftValue>& halves, int64_t half,
                   std::vector<FftValue>* lines, int64_t length) {
  const int64_t count = halves.size() / half;
  for (int64_t i = 0; i < count; ++i) {
    const FftValue* from = &halves[i * half];
    FftValue* to = &(*lines)[i * length];
    for (int64_t j = 0; j < half && j < length; ++j) to[j] = from[j];
    to[0] = to[0].real();
    if (length % 2 == 0) to[length / 2] = to[length / 2].real();
    for (int64_t j = half; j < length; ++j) to[j] = std::conj(to[length - j]);
  }
}

struct Transform {
  FftType type;
  DimensionVector sizes;  // of all dimensions while the transform runs
  int64_t rank = 0;       // transformed dimensions, the last ones
  bool inverse = false;
};

// All of them but the last; of real results the last one comes at the end.
void TransformOuter(const Transform& t, std::vector<FftValue>* values,
                    int64_t last) {
  int64_t inner = last;
  const int64_t dimensions = t.sizes.size();
  for (int64_t d = dimensions - 2; d >= dimensions - t.rank; --d) {
    TransformDimension(values, t.sizes[d], inner, t.inverse);
    inner *= t.sizes[d];
  }
}

void Scale(const Transform& t, std::vector<FftValue>* values) {
  if (!t.inverse) return;
  double product = 1;
  for (int64_t i = 0; i < t.rank; ++i) {
    product *= static_cast<double>(t.sizes[t.sizes.size() - 1 - i]);
  }
  for (FftValue& value : *values) value /= product;
}

std::vector<FftValue> Run(const Transform& t, std::vector<FftValue> values) {
  const int64_t length = t.sizes.back(), half = length / 2 + 1;
  if (t.type == FftType::kIrfft) {
    TransformOuter(t, &values, half);
    std::vector<FftValue> lines(values.size() / half * length);
    CompleteLines(values, half, &lines, length);
    TransformDimension(&lines, length, 1, t.inverse);
    Scale(t, &lines);
    return lines;
  }
  TransformDimension(&values, length, 1, t.inverse);
  if (t.type == FftType::kRfft) {
    values = Resized(values, values.size() / length, length, half);
    TransformOuter(t, &values, half);
  } else {
    TransformOuter(t, &values, length);
  }
  Scale(t, &values);
  return values;
}

absl::StatusOr<Literal> FftKernel(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands,
                                  const Shape& shape) {
  if (operands[0]->element_count() == 0 || ElementsIn(shape) == 0) {
    return Literal::Zeros(shape);
  }
  Transform t;
  t.type = static_cast<FftType>(instruction.attrs().GetInt(AttrId::kFftType));
  const auto lengths = instruction.attrs().GetList(AttrId::kFftLength);
  const auto dimensions = shape.dimensions();
  t.sizes.assign(dimensions.begin(), dimensions.end());
  t.sizes.back() = lengths.back();
  t.rank = lengths.size();
  t.inverse = t.type == FftType::kIfft || t.type == FftType::kIrfft;
  HLOKIT_ASSIGN_OR_RETURN(Literal input, WithElements(*operands[0], kC128));
  const auto data = input.data<FftValue>();
  const std::vector<FftValue> values =
      Run(t, std::vector<FftValue>(data.begin(), data.end()));
  Literal result =
      Literal::Zeros(Shape::ArrayWithDescendingLayout(kC128, dimensions));
  auto out = result.mutable_data<FftValue>();
  HLOKIT_CHECK(out.size() == values.size());
  std::copy(values.begin(), values.end(), out.begin());
  return AsShape(std::move(result), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalFft(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &FftKernel);
}

}  // namespace hlokit::interpreter
