#include "gtest/gtest.h"
#include "hlo/ir/shape.h"

namespace hlokit {
namespace {

Layout Order(std::initializer_list<int64_t> minor_to_major) {
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  return layout;
}

TEST(Layout, DescendingIsRowMajor) {
  EXPECT_EQ(Layout::Descending(3).ToString(), "{2,1,0}");
  EXPECT_EQ(Layout::Descending(0).ToString(), "{}");
  EXPECT_TRUE(Layout::Descending(3).IsDescending());
  EXPECT_FALSE(Order({0, 1}).IsDescending());
}

TEST(Layout, PrintsItsPartsInTheOrderOfTheGrammar) {
  Layout layout = Order({0, 1});
  layout.tiles = {Tile{{8, 128}}, Tile{{2, 1}}};
  layout.tail_padding_alignment_in_elements = 2;
  layout.index_primitive_type = kU32;
  layout.pointer_primitive_type = kU16;
  layout.element_size_in_bits = 4;
  layout.memory_space = 5;
  layout.split_configs = {SplitConfig{0, {1, 2}}, SplitConfig{1, {3}}};
  layout.dynamic_shape_metadata_prefix_bytes = 1024;
  EXPECT_EQ(layout.ToString(),
            "{0,1:T(8,128)(2,1)L(2)#(u32)*(u16)E(4)S(5)SC(0:1,2)(1:3)M(1024)}");
}

TEST(Layout, PrintsOddTiles) {
  Layout layout = Order({0});
  layout.tiles = {Tile{{Tile::kCombine, 128}}};
  EXPECT_EQ(layout.ToString(), "{0:T(*,128)}");
  layout.tiles = {Tile{}};
  EXPECT_EQ(layout.ToString(), "{0:T()}");
  layout.tiles.clear();
  layout.split_configs = {SplitConfig{}};
  EXPECT_EQ(layout.ToString(), "{0:SC(0:)}");
}

TEST(Layout, PrintsThePhysicalShape) {
  Layout layout = Order({0});
  layout.physical_shape =
      std::make_shared<Shape>(Shape::ArrayWithDescendingLayout(kF32, {8}));
  EXPECT_EQ(layout.ToString(), "{0:P(f32[8]{0})}");
}

TEST(Layout, EveryPartCountsForEquality) {
  const Layout plain = Order({0});
  EXPECT_TRUE(plain.IsPlain());
  std::vector<Layout> others(9, plain);
  others[0].tiles = {Tile{{8}}};
  others[1].tail_padding_alignment_in_elements = 2;
  others[2].index_primitive_type = kU32;
  others[3].pointer_primitive_type = kU32;
  others[4].element_size_in_bits = 4;
  others[5].memory_space = 1;
  others[6].split_configs = {SplitConfig{}};
  others[7].dynamic_shape_metadata_prefix_bytes = 4;
  others[8].physical_shape = std::make_shared<Shape>(Shape::Scalar(kF32));
  for (const Layout& other : others) {
    EXPECT_NE(plain, other) << other.ToString();
    EXPECT_FALSE(other.IsPlain()) << other.ToString();
    EXPECT_EQ(other, Layout(other));
  }
}

TEST(Layout, DeletingADimensionMovesTheLargerOnesDown) {
  Layout layout = Order({1, 3, 0, 2});
  layout.split_configs = {SplitConfig{1, {4}}, SplitConfig{3, {5}}};
  layout.DeleteDimension(1);
  EXPECT_EQ(layout.ToString(), "{2,0,1:SC(2:5)}");
}

}  // namespace
}  // namespace hlokit
