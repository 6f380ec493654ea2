// Compares two results as XLA's tools do, and says where, how much, in ulps, and
// which tolerance would pass.
//
// Integers and pred must be equal. A float (or a part of a complex number) is
// bad only if both its absolute and its relative error exceed their bounds; the
// same bits are always fine, NaN equals NaN, an infinity equals only itself.
#ifndef HLOKIT_REPLAY_COMPARE_H_
#define HLOKIT_REPLAY_COMPARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/ir/literal.h"

namespace hlokit {

struct ErrorSpec {
  double abs = 1e-3;
  double rel = 1e-3;
};

// One pair of elements that differ.
struct Mismatch {
  int64_t linear = 0;  // row-major
  double actual = 0;
  double expected = 0;
  double abs_error = 0;
  double rel_error = 0;
  // Distance in representable values of the element type; -1: not meaningful.
  int64_t ulps = -1;
};

// What comparing one array found.
struct ArrayComparison {
  ShapeIndex index;  // in the result
  Shape shape;
  int64_t elements = 0;
  int64_t mismatches = 0;
  int64_t nan_mismatches = 0;
  std::vector<Mismatch> worst;  // at most 5, by relative error
  Mismatch first;               // in row-major order
  // Over all elements, bad or not.
  double max_abs_error = 0;
  double max_rel_error = 0;
  int64_t max_ulps = 0;
  // Counts for the message.
  static constexpr int kMagnitudes = 6;
  int64_t magnitude[kMagnitudes] = {};  // of bad actual values
  int64_t exceed_abs = 0;
  int64_t exceed_rel = 0;
  static constexpr int kErrorBuckets = 5;
  int64_t abs_above[kErrorBuckets] = {};  // above 1e-4, 1e-3, 0.01, 0.1, 1
  int64_t rel_above[kErrorBuckets] = {};
  // Bounds that would pass: pairs that cannot be lowered on one side without
  // raising the other.
  std::vector<ErrorSpec> suggestions;
};

struct Comparison {
  bool equal = true;
  // Shapes that do not fit, sizes of dynamic dimensions, ...; else empty.
  std::string shape_error;
  std::vector<ArrayComparison> different;
  double max_abs_error = 0;
  double max_rel_error = 0;
  int64_t max_ulps = 0;
};

Comparison Compare(const Literal& expected, const Literal& actual,
                   const ErrorSpec& spec);

// The report for people, with both literals (shortened from 1000 elements on).
std::string Describe(const Comparison& comparison, const Literal& expected,
                     const Literal& actual, const ErrorSpec& spec);

// Which elements are bad: a literal of pred of the same structure.
Literal MismatchMask(const Literal& expected, const Literal& actual,
                     const ErrorSpec& spec);

// Index of a row-major position: {1,0,2}.
DimensionVector IndexOf(const Shape& shape, int64_t linear);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_COMPARE_H_
