// The report on two results that differ.

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "replay/compare.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxPrinted = 1000;

std::string Number(double value) { return absl::StrFormat("%.9g", value); }

std::string Bound(double value) { return absl::StrFormat("%g", value); }

std::string Percent(int64_t count, int64_t total) {
  return absl::StrFormat("%d (%.4f%%)", count,
                         total == 0 ? 0.0 : 100.0 * count / total);
}

std::string Index(const Shape& shape, int64_t linear) {
  return absl::StrCat("{", absl::StrJoin(IndexOf(shape, linear), ","), "}");
}

std::string MismatchLine(const ArrayComparison& array, const Mismatch& m) {
  std::string line = absl::StrFormat(
      "actual %15s, expected %15s, index %s, rel error %s, abs error %s",
      Number(m.actual), Number(m.expected), Index(array.shape, m.linear),
      Bound(m.rel_error), Bound(m.abs_error));
  if (m.ulps >= 0) absl::StrAppend(&line, ", ", m.ulps, " ulps");
  return line;
}

void AppendMagnitudes(const ArrayComparison& array, std::string* out) {
  static constexpr const char* kBounds[] = {"0",    "1e-4", "1e-3", "1e-2",
                                            "0.1",  "1",    "inf"};
  absl::StrAppend(out, "Absolute magnitude breakdown of actual values:\n");
  for (int k = 0; k < ArrayComparison::kMagnitudes; ++k) {
    absl::StrAppendFormat(out, "  %-4s <= x < %-4s : %s\n", kBounds[k],
                          kBounds[k + 1],
                          Percent(array.magnitude[k], array.mismatches));
  }
}

void AppendBuckets(const char* what, double bound, int64_t exceed,
                   const int64_t* above, int64_t elements, std::string* out) {
  absl::StrAppendFormat(out,
                        "Elements exceeding %s error bound %g: %s\n"
                        "%s error breakdown of all elements:\n",
                        what, bound, Percent(exceed, elements), what);
  double limit = 1e-4;
  for (int k = 0; k < ArrayComparison::kErrorBuckets; ++k, limit *= 10) {
    absl::StrAppendFormat(out, "  > %-6g : %s\n", limit,
                          Percent(above[k], elements));
  }
}

void AppendSuggestions(const ArrayComparison& array, const ErrorSpec& spec,
                       std::string* out) {
  absl::StrAppendFormat(out, "Current ErrorSpec: {abs: %g, rel: %g}\n",
                        spec.abs, spec.rel);
  if (array.suggestions.empty()) {
    absl::StrAppend(out, "No finite tolerance would pass.\n");
    return;
  }
  absl::StrAppend(out, "Suggested ErrorSpec (any one would pass):\n");
  const size_t shown = std::min<size_t>(array.suggestions.size(), 5);
  for (size_t k = 0; k < shown; ++k) {
    // The ends of the front and what lies evenly between them.
    const size_t at =
        shown == 1 ? 0 : k * (array.suggestions.size() - 1) / (shown - 1);
    const ErrorSpec& suggestion = array.suggestions[at];
    absl::StrAppendFormat(out, "  --abs_error_bound=%g --rel_error_bound=%g\n",
                          suggestion.abs, suggestion.rel);
  }
}

void AppendArray(const ArrayComparison& array, const ErrorSpec& spec,
                 std::string* out) {
  if (!array.index.empty()) {
    absl::StrAppend(out, "Array at shape index ",
                    ShapeIndexToString(array.index), ": ");
  }
  absl::StrAppendFormat(
      out, "Mismatch count %s in shape %s (%d elements), abs bound %g, rel "
           "bound %g\n",
      Percent(array.mismatches, array.elements), array.shape.ToString(false),
      array.elements, spec.abs, spec.rel);
  if (array.nan_mismatches > 0) {
    absl::StrAppendFormat(out, "nan mismatches %d\n", array.nan_mismatches);
  }
  absl::StrAppend(out, "First: ", MismatchLine(array, array.first), "\n");
  absl::StrAppend(out, "Top relative error mismatches:\n");
  for (const Mismatch& m : array.worst) {
    absl::StrAppend(out, "  ", MismatchLine(array, m), "\n");
  }
  if (IsFloatType(array.shape.element_type()) ||
      IsComplexType(array.shape.element_type())) {
    AppendMagnitudes(array, out);
    AppendBuckets("abs", spec.abs, array.exceed_abs, array.abs_above,
                  array.elements, out);
    AppendBuckets("rel", spec.rel, array.exceed_rel, array.rel_above,
                  array.elements, out);
    if (array.max_ulps > 0) {
      absl::StrAppendFormat(out, "Largest distance: %d ulps\n", array.max_ulps);
    }
    AppendSuggestions(array, spec, out);
  }
}

std::string Shortened(const Literal& literal) {
  int64_t elements = 0;
  ForEachLeaf(literal.shape(), [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) elements += ElementsIn(leaf);
  });
  if (elements >= kMaxPrinted) {
    return "[TRUNCATED, Literal with more than 1000 values]";
  }
  return absl::StrCat(literal.shape().ToString(false), " ",
                      literal.ToString());
}

}  // namespace

std::string Describe(const Comparison& comparison, const Literal& expected,
                     const Literal& actual, const ErrorSpec& spec) {
  if (comparison.equal) return "";
  std::string out;
  if (!comparison.shape_error.empty()) {
    absl::StrAppend(&out, comparison.shape_error, "\n");
  }
  if (expected.shape().IsTuple()) {
    absl::StrAppend(&out, "Mismatches in shape ",
                    expected.shape().ToString(false), " (",
                    comparison.different.size(), " of ",
                    LeafCount(expected.shape()), " arrays):\n");
  }
  for (const ArrayComparison& array : comparison.different) {
    AppendArray(array, spec, &out);
  }
  absl::StrAppend(&out, "Expected literal:\n", Shortened(expected),
                  "\nActual literal:\n", Shortened(actual), "\n");
  return out;
}

}  // namespace hlokit
