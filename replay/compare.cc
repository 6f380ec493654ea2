#include "replay/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hlo/ir/native_types.h"

namespace hlokit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kWorst = 5;

// Maps a float's bits to integers in the order of the values.
template <typename Bits>
int64_t Ordered(Bits bits) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  return bits & kSign ? -static_cast<int64_t>(bits & ~kSign)
                      : static_cast<int64_t>(bits);
}

template <typename T>
int64_t UlpsBetween(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    uint32_t x, y;
    std::memcpy(&x, &a, 4);
    std::memcpy(&y, &b, 4);
    return std::abs(Ordered(x) - Ordered(y));
  } else if constexpr (std::is_same_v<T, double>) {
    uint64_t x, y;
    std::memcpy(&x, &a, 8);
    std::memcpy(&y, &b, 8);
    const __int128 distance =
        static_cast<__int128>(Ordered(x)) - Ordered(y);
    const __int128 size = distance < 0 ? -distance : distance;
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    return size > kMax ? kMax : static_cast<int64_t>(size);
  } else if constexpr (std::is_same_v<T, BFloat16> ||
                       std::is_same_v<T, Half>) {
    return std::abs(Ordered(static_cast<uint16_t>(a.bits())) -
                    Ordered(static_cast<uint16_t>(b.bits())));
  } else {
    return -1;
  }
}

struct PartError {
  double abs = 0;
  double rel = 0;
  bool nan = false;
};

// The error of one real number.
PartError ErrorOf(double expected, double actual, bool same_bits) {
  PartError error;
  if (same_bits || (std::isnan(expected) && std::isnan(actual))) return error;
  if (std::isnan(expected) || std::isnan(actual)) {
    return {kInfinity, kInfinity, true};
  }
  if (std::isinf(expected) || std::isinf(actual)) {
    if (expected == actual) return error;
    return {kInfinity, kInfinity, false};
  }
  error.abs = std::abs(actual - expected);
  error.rel = error.abs == 0 ? 0
              : expected == 0 ? kInfinity
                              : error.abs / std::abs(expected);
  return error;
}

class ArrayComparer {
 public:
  ArrayComparer(const Literal& expected, const Literal& actual,
                const ErrorSpec& spec, ArrayComparison* result,
                absl::Span<bool> mask)
      : expected_(expected),
        actual_(actual),
        spec_(spec),
        result_(result),
        mask_(mask) {}

  void Run() {
    result_->shape = expected_.shape();
    DispatchArrayType(expected_.element_type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      CompareAll<T>();
    });
    result_->suggestions = Suggest();
  }

 private:
  // Only the live part of dynamic dimensions counts.
  bool IsLive(int64_t linear) const {
    if (expected_.dynamic_sizes().empty()) return true;
    const DimensionVector index = IndexOf(expected_.shape(), linear);
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] >= expected_.dynamic_size(d)) return false;
    }
    return true;
  }

  template <typename T>
  void CompareAll() {
    const auto expected = expected_.data<T>();
    const auto actual = actual_.data<T>();
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!IsLive(i)) continue;
      ++result_->elements;
      if (std::memcmp(&expected[i], &actual[i], sizeof(T)) == 0) continue;
      if constexpr (kIsComplex<T>) {
        CompareFloat(i, expected[i].real(), actual[i].real(),
                     expected[i].imag(), actual[i].imag(), -1);
      } else if constexpr (kIsFloat<T>) {
        CompareFloat(i, static_cast<double>(expected[i]),
                     static_cast<double>(actual[i]), 0, 0,
                     UlpsBetween(expected[i], actual[i]));
      } else {
        CompareExact(i, static_cast<int64_t>(expected[i]),
                     static_cast<int64_t>(actual[i]));
      }
    }
  }

  void CompareExact(int64_t linear, int64_t expected, int64_t actual) {
    Mismatch m;
    m.linear = linear;
    m.expected = static_cast<double>(expected);
    m.actual = static_cast<double>(actual);
    m.abs_error = std::abs(m.actual - m.expected);
    m.rel_error =
        m.expected == 0 ? kInfinity : m.abs_error / std::abs(m.expected);
    Widen(m);
    Record(m);
  }

  void CompareFloat(int64_t linear, double expected_re, double actual_re,
                    double expected_im, double actual_im, int64_t ulps) {
    const PartError re = ErrorOf(expected_re, actual_re, false);
    const PartError im = ErrorOf(expected_im, actual_im, false);
    const bool use_im = im.rel > re.rel || (im.nan && !re.nan);
    Mismatch m;
    m.linear = linear;
    m.expected = use_im ? expected_im : expected_re;
    m.actual = use_im ? actual_im : actual_re;
    m.abs_error = std::max(re.abs, im.abs);
    m.rel_error = std::max(re.rel, im.rel);
    const bool both_nan = std::isnan(expected_re) && std::isnan(actual_re);
    m.ulps = re.nan || both_nan ? (both_nan ? 0 : -1) : ulps;
    Widen(m);
    const bool bad = IsBad(re) || IsBad(im);
    if (re.nan || im.nan) ++result_->nan_mismatches;
    if (m.abs_error > spec_.abs) ++result_->exceed_abs;
    if (m.rel_error > spec_.rel) ++result_->exceed_rel;
    if (bad) Record(m);
  }

  bool IsBad(const PartError& error) const {
    return error.abs > spec_.abs && error.rel > spec_.rel;
  }

  void Widen(const Mismatch& m) {
    result_->max_abs_error = std::max(result_->max_abs_error, m.abs_error);
    result_->max_rel_error = std::max(result_->max_rel_error, m.rel_error);
    result_->max_ulps = std::max(result_->max_ulps, m.ulps);
    errors_.push_back({m.abs_error, m.rel_error});
    double bound = 1e-4;
    for (int k = 0; k < ArrayComparison::kErrorBuckets; ++k, bound *= 10) {
      result_->abs_above[k] += m.abs_error > bound;
      result_->rel_above[k] += m.rel_error > bound;
    }
  }

  void Record(const Mismatch& m) {
    if (result_->mismatches++ == 0) result_->first = m;
    if (!mask_.empty()) mask_[m.linear] = true;
    static constexpr double kBounds[] = {1e-4, 1e-3, 1e-2, 0.1, 1};
    const double size = std::abs(m.actual);
    int bucket = 0;
    while (bucket < ArrayComparison::kMagnitudes - 1 && size >= kBounds[bucket]) {
      ++bucket;
    }
    ++result_->magnitude[bucket];
    auto& worst = result_->worst;
    auto by_error = [](const Mismatch& a, const Mismatch& b) {
      return a.rel_error != b.rel_error ? a.rel_error > b.rel_error
                                        : a.abs_error > b.abs_error;
    };
    worst.insert(std::upper_bound(worst.begin(), worst.end(), m, by_error), m);
    if (worst.size() > kWorst) worst.pop_back();
  }

  // The next number with one significant digit, as its text reads.
  static double RoundUp(double value) {
    if (value == 0 || std::isinf(value)) return value;
    const int exponent = static_cast<int>(std::floor(std::log10(value)));
    double rounded = 0;
    for (int digit = 1; digit <= 20 && rounded < value; ++digit) {
      if (!absl::SimpleAtod(absl::StrCat(digit, "e", exponent), &rounded)) {
        return kInfinity;
      }
    }
    return rounded;
  }

  // Pairs of bounds under which nothing would be bad: with the elements sorted
  // by absolute error, an absolute bound leaves the larger ones to the relative
  // bound.
  std::vector<ErrorSpec> Suggest() {
    std::vector<ErrorSpec> suggestions;
    std::sort(errors_.begin(), errors_.end(), [](const auto& a, const auto& b) {
      return a.abs > b.abs;
    });
    double rel = 0;
    std::vector<ErrorSpec> front;
    for (const ErrorSpec& error : errors_) {
      // This error and all below it are within the absolute bound; those above
      // are within `rel`.
      if (front.empty() || error.abs < front.back().abs) {
        front.push_back({error.abs, rel});
      }
      rel = std::max(rel, error.rel);
    }
    front.push_back({0, rel});
    for (const ErrorSpec& pair : front) {
      const ErrorSpec rounded{RoundUp(pair.abs), RoundUp(pair.rel)};
      if (std::isinf(rounded.abs) || std::isinf(rounded.rel)) continue;
      if (!suggestions.empty() && suggestions.back().rel >= rounded.rel) {
        suggestions.back() = rounded;
      } else if (suggestions.empty() || rounded.abs < suggestions.back().abs) {
        suggestions.push_back(rounded);
      }
    }
    return suggestions;
  }

  const Literal& expected_;
  const Literal& actual_;
  const ErrorSpec& spec_;
  ArrayComparison* result_;
  absl::Span<bool> mask_;
  std::vector<ErrorSpec> errors_;  // abs and rel error of each that differs
};

std::string ShapeError(const Literal& expected, const Literal& actual,
                       const ShapeIndex& index) {
  const std::string where =
      index.empty() ? "" : absl::StrCat("at ", ShapeIndexToString(index), ": ");
  ShapeEqual equal;
  equal.ignore_layout = true;
  if (!equal(expected.shape(), actual.shape())) {
    return absl::StrFormat("%sexpected a result of shape %s, got %s", where,
                           expected.shape().ToString(false),
                           actual.shape().ToString(false));
  }
  for (int64_t d = 0; d < expected.shape().rank(); ++d) {
    if (expected.dynamic_size(d) != actual.dynamic_size(d)) {
      return absl::StrFormat("%sexpected size %d in dynamic dimension %d, got "
                             "%d",
                             where, expected.dynamic_size(d), d,
                             actual.dynamic_size(d));
    }
  }
  return "";
}

void CompareAt(const Literal& expected, const Literal& actual,
               const ErrorSpec& spec, ShapeIndex* index, Comparison* result) {
  if (std::string error = ShapeError(expected, actual, *index);
      !error.empty()) {
    result->equal = false;
    if (result->shape_error.empty()) result->shape_error = std::move(error);
    return;
  }
  if (expected.shape().IsTuple()) {
    for (size_t i = 0; i < expected.elements().size(); ++i) {
      index->push_back(i);
      CompareAt(expected.elements()[i], actual.elements()[i], spec, index,
                result);
      index->pop_back();
    }
    return;
  }
  if (!expected.shape().IsArray()) return;
  ArrayComparison array;
  array.index = *index;
  ArrayComparer(expected, actual, spec, &array, {}).Run();
  result->max_abs_error = std::max(result->max_abs_error, array.max_abs_error);
  result->max_rel_error = std::max(result->max_rel_error, array.max_rel_error);
  result->max_ulps = std::max(result->max_ulps, array.max_ulps);
  if (array.mismatches == 0) return;
  result->equal = false;
  result->different.push_back(std::move(array));
}

}  // namespace

Comparison Compare(const Literal& expected, const Literal& actual,
                   const ErrorSpec& spec) {
  Comparison result;
  ShapeIndex index;
  CompareAt(expected, actual, spec, &index, &result);
  return result;
}

Literal MismatchMask(const Literal& expected, const Literal& actual,
                     const ErrorSpec& spec) {
  if (expected.shape().IsTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < expected.elements().size(); ++i) {
      elements.push_back(
          MismatchMask(expected.elements()[i], actual.elements()[i], spec));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!expected.shape().IsArray()) return expected;
  Literal mask = Literal::Zeros(Shape::ArrayWithDescendingLayout(
      kPred, expected.shape().dimensions()));
  ArrayComparison ignored;
  ArrayComparer(expected, actual, spec, &ignored, mask.mutable_data<bool>())
      .Run();
  return mask;
}

DimensionVector IndexOf(const Shape& shape, int64_t linear) {
  DimensionVector index(shape.rank());
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    index[d] = linear % shape.dimension(d);
    linear /= shape.dimension(d);
  }
  return index;
}

}  // namespace hlokit
