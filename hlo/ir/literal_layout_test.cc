#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

Shape WithOrder(PrimitiveType type, absl::Span<const int64_t> dimensions,
                absl::Span<const int64_t> minor_to_major) {
  Shape shape = Shape::Array(type, dimensions);
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  shape.set_layout(layout);
  return shape;
}

std::vector<int64_t> LinearsInOrder(const Shape& shape) {
  std::vector<int64_t> linears;
  ForEachInLayoutOrder(shape, [&](int64_t linear, absl::Span<const int64_t>) {
    linears.push_back(linear);
  });
  return linears;
}

TEST(LayoutOrder, FollowsMinorToMajor) {
  EXPECT_EQ(LinearsInOrder(WithOrder(kF32, {2, 3}, {1, 0})),
            (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(LinearsInOrder(WithOrder(kF32, {2, 3}, {0, 1})),
            (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(LinearsInOrder(Shape::Array(kF32, {2, 2})),
            (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(LinearsInOrder(WithOrder(kF32, {2, 1, 2}, {1, 0, 2})),
            (std::vector<int64_t>{0, 2, 1, 3}));
}

TEST(LayoutOrder, VisitsScalarsOnceAndEmptyArraysNever) {
  EXPECT_EQ(LinearsInOrder(Shape::Scalar(kF32)), std::vector<int64_t>{0});
  EXPECT_TRUE(LinearsInOrder(WithOrder(kF32, {2, 0}, {0, 1})).empty());
}

TEST(LayoutOrder, IndexAndLinearAgree) {
  const Shape shape = WithOrder(kF32, {2, 3, 4}, {1, 2, 0});
  ForEachInLayoutOrder(
      shape, [&](int64_t linear, absl::Span<const int64_t> index) {
        EXPECT_EQ(linear, index[0] * 12 + index[1] * 4 + index[2]);
      });
}

// One element after the other.
std::string SlowRowMajorToLayout(const Shape& shape, const std::string& in) {
  const size_t width = StorageBytes(shape.element_type());
  std::string out;
  for (int64_t linear : LinearsInOrder(shape)) {
    out += in.substr(linear * width, width);
  }
  return out;
}

void CheckReordering(const Shape& shape) {
  SCOPED_TRACE(shape.ToString());
  std::minstd_rand random(1);
  std::string row_major(ElementsIn(shape) * StorageBytes(shape.element_type()),
                        '\0');
  for (char& c : row_major) c = static_cast<char>(random());
  std::string physical(row_major.size(), '\0');
  RowMajorToLayout(shape, row_major.data(), physical.data());
  EXPECT_TRUE(physical == SlowRowMajorToLayout(shape, row_major));
  std::string back(row_major.size(), '\0');
  LayoutToRowMajor(shape, physical.data(), back.data());
  EXPECT_TRUE(back == row_major);
}

TEST(LayoutReordering, AgreesWithElementOrderForEveryPermutation) {
  const std::vector<std::vector<int64_t>> all_sizes = {
      {},        {7},          {3, 5},          {1, 4}, {2, 3, 4},
      {2, 1, 3}, {3, 2, 1, 4}, {2, 3, 2, 2, 3}, {0, 3}};
  for (const auto& sizes : all_sizes) {
    std::vector<int64_t> order(sizes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    do {
      CheckReordering(WithOrder(kF32, sizes, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(LayoutReordering, WorksForEveryElementWidthAndBlockRemainder) {
  for (PrimitiveType type : {kS4, kPred, kBF16, kF32, kF64, kC64, kC128}) {
    for (int64_t size : {31, 32, 33, 70}) {
      CheckReordering(WithOrder(type, {size, 45}, {0, 1}));
      CheckReordering(WithOrder(type, {2, size, 3, 40}, {1, 2, 3, 0}));
    }
  }
}

TEST(LayoutReordering, AcceptsUnalignedBytes) {
  const Shape shape = WithOrder(kF64, {2, 2}, {0, 1});
  std::string in(33, '\0'), out(33, '\0');
  for (int i = 0; i < 33; ++i) in[i] = static_cast<char>(i);
  RowMajorToLayout(shape, in.data() + 1, out.data() + 1);
  EXPECT_EQ(out.substr(1, 8), in.substr(1, 8));
  EXPECT_EQ(out.substr(9, 8), in.substr(17, 8));
}

}  // namespace
}  // namespace hlokit
