#include "replay/fake_data.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// The first values that a fresh engine gives for a vector of `type`.
template <typename T>
std::vector<T> First(PrimitiveType type, int64_t count,
                     const FakeDataOptions& options = {}) {
  FakeDataEngine engine;
  absl::StatusOr<Literal> literal = MakeFakeLiteral(
      Shape::ArrayWithDescendingLayout(type, {count}), &engine, options);
  EXPECT_TRUE(literal.ok()) << literal.status();
  const auto data = literal->data<T>();
  return std::vector<T>(data.begin(), data.end());
}

std::unique_ptr<Module> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::vector<Literal> Arguments(absl::string_view text) {
  const std::unique_ptr<Module> module = Parse(text);
  if (module == nullptr) return {};
  FakeDataEngine engine;
  absl::StatusOr<std::vector<Literal>> arguments =
      MakeFakeArguments(*module, &engine);
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  return arguments.ok() ? *std::move(arguments) : std::vector<Literal>();
}

template <typename T>
std::vector<T> Values(const Literal& literal) {
  const auto data = literal.data<T>();
  return std::vector<T>(data.begin(), data.end());
}

TEST(FakeDataTest, EngineIsMinstdRand0) {
  FakeDataEngine engine;
  std::vector<uint32_t> values;
  for (int i = 0; i < 6; ++i) values.push_back(engine());
  EXPECT_THAT(values, ElementsAre(16807, 282475249, 1622650073, 984943658,
                                  1144108930, 470211272));
}

TEST(FakeDataTest, FloatsAreThoseOfXla) {
  EXPECT_THAT(First<float>(kF32, 8),
              ElementsAre(-0.0999976546f, -0.0605386607f, 0.126681596f,
                          0.0375950411f, 0.0598301813f, -0.0343122408f,
                          -0.0858866125f, 0.103659429f));
}

TEST(FakeDataTest, DoublesAreThoseOfXla) {
  EXPECT_THAT(First<double>(kF64, 4),
              ElementsAre(-0.060538663678371803, 0.037595039606965946,
                          -0.034312244136256304, 0.10365941502220566));
}

TEST(FakeDataTest, SmallFloatsAreRoundedFloats) {
  const std::vector<float> wide = First<float>(kF32, 8);
  const std::vector<BFloat16> narrow = First<BFloat16>(kBF16, 8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(narrow[i].bits(), BFloat16(wide[i]).bits()) << i;
  }
}

TEST(FakeDataTest, ComplexNumbersDrawRealPartsFirst) {
  const std::vector<float> parts = First<float>(kF32, 8);
  const auto values = First<std::complex<float>>(kC64, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(values[i], std::complex<float>(parts[i], parts[i + 4])) << i;
  }
}

TEST(FakeDataTest, PredicatesAreThoseOfXla) {
  EXPECT_THAT(First<bool>(kPred, 16),
              ElementsAre(false, true, true, true, false, false, true, false,
                          false, true, false, false, false, true, false, true));
}

TEST(FakeDataTest, IntegersAreThoseOfXla) {
  EXPECT_THAT(First<int8_t>(kS8, 8),
              ElementsAre(38, 112, 88, -87, 1, 71, 87, 125));
  EXPECT_THAT(First<uint8_t>(kU8, 8),
              ElementsAre(166, 240, 216, 41, 129, 199, 215, 253));
  EXPECT_THAT(First<int16_t>(kS16, 8),
              ElementsAre(-15962, -17680, 11480, -29655, 14209, 23239, 3799,
                          -30211));
  EXPECT_THAT(First<int32_t>(kS32, 6),
              ElementsAre(-1046070544, 752356393, 931257031, 248973821,
                          -1354628020, 412564564));
  EXPECT_THAT(First<uint32_t>(kU32, 5),
              ElementsAre(1101413104u, 2899840041u, 3078740679u, 2396457469u,
                          792855628u));
  EXPECT_THAT(First<int64_t>(kS64, 3),
              ElementsAre(-9075538786922287912, 2909690869055937223,
                          -6019420156676853950));
  EXPECT_THAT(First<uint64_t>(kU64, 3),
              ElementsAre(147833249932487896u, 12133062905910713031u,
                          3203951880177921858u));
}

TEST(FakeDataTest, LargeRangeFloatsAreThoseOfXla) {
  FakeDataOptions options;
  options.use_large_float_range = true;
  const std::vector<float> values = First<float>(kF32, 4, options);
  const float want[] = {1.22522523e-28f, -0.001002962f, -5.57543967e-22f,
                        5.92868394e+13f};
  for (int i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(values[i], want[i]) << i;
}

TEST(FakeDataTest, LargeRangeOfSmallTypesHoldsNoNan) {
  FakeDataOptions options;
  options.use_large_float_range = true;
  for (const BFloat16 value : First<BFloat16>(kBF16, 2000, options)) {
    EXPECT_FALSE(std::isnan(static_cast<float>(value)));
  }
  double largest = 0;
  for (const Half value : First<Half>(kF16, 2000, options)) {
    EXPECT_FALSE(std::isnan(static_cast<float>(value)));
    largest = std::max<double>(largest, std::abs(static_cast<float>(value)));
  }
  EXPECT_GT(largest, 1e3);
}

TEST(FakeDataTest, FourBitIntegersStayInTheirRange) {
  std::set<int> seen;
  for (const S4 value : First<S4>(kS4, 200)) {
    seen.insert(static_cast<int>(value));
  }
  EXPECT_EQ(*seen.begin(), -8);
  EXPECT_EQ(*seen.rbegin(), 7);
}

TEST(FakeDataTest, ValuesAreDrawnInStorageOrder) {
  FakeDataEngine engine;
  Shape shape = Shape::Array(kF32, {2, 3});
  Layout layout;
  layout.minor_to_major = {0, 1};
  shape.set_layout(layout);
  const auto literal = MakeFakeLiteral(shape, &engine);
  ASSERT_TRUE(literal.ok());
  const std::vector<float> drawn = First<float>(kF32, 6);
  EXPECT_THAT(Values<float>(*literal),
              ElementsAre(drawn[0], drawn[2], drawn[4], drawn[1], drawn[3],
                          drawn[5]));
}

TEST(FakeDataTest, TuplesAreFilledDepthFirst) {
  FakeDataEngine engine;
  const Shape f32 = Shape::ArrayWithDescendingLayout(kF32, {2});
  const auto literal = MakeFakeLiteral(
      Shape::Tuple({f32, Shape::Tuple({f32}), f32}), &engine);
  ASSERT_TRUE(literal.ok());
  const std::vector<float> drawn = First<float>(kF32, 6);
  EXPECT_THAT(Values<float>(literal->Sub({0})), ElementsAre(drawn[0], drawn[1]));
  EXPECT_THAT(Values<float>(literal->Sub({1, 0})),
              ElementsAre(drawn[2], drawn[3]));
  EXPECT_THAT(Values<float>(literal->Sub({2})), ElementsAre(drawn[4], drawn[5]));
}

TEST(FakeDataTest, NoEngineGivesZeros) {
  const auto literal = MakeFakeLiteral(
      Shape::ArrayWithDescendingLayout(kF32, {5}), nullptr);
  ASSERT_TRUE(literal.ok());
  EXPECT_TRUE(literal->IsAll(0));
}

TEST(FakeDataTest, TokensAndHugeShapesAreErrors) {
  FakeDataEngine engine;
  EXPECT_FALSE(MakeFakeLiteral(Shape::Token(), &engine).ok());
  EXPECT_FALSE(MakeFakeLiteral(Shape::Array(kF64, {int64_t{1} << 40}), &engine)
                   .ok());
}

// Parameter `index` of an integer type gathers from a table of `rows`.
std::string GatherText(absl::string_view type, int64_t count, int64_t rows,
                       absl::string_view more = "") {
  return absl::StrCat("HloModule m\nENTRY e {\n  i = ", type, "[", count,
                      ",1] parameter(0)\n  t = f32[", rows,
                      ",3] parameter(1)\n  ROOT g = f32[", count,
                      ",3] gather(t, i), offset_dims={1}, "
                      "collapsed_slice_dims={0}, start_index_map={0}, "
                      "index_vector_dim=1, slice_sizes={1,3}",
                      more, "\n}\n");
}

TEST(FakeDataTest, GatherIndicesStayInTheTable) {
  EXPECT_THAT(Values<int32_t>(Arguments(GatherText("s32", 10, 7)).at(0)),
              ElementsAre(1, 4, 5, 3, 1, 4, 0, 5, 1, 5));
  EXPECT_THAT(Values<int32_t>(Arguments(GatherText("s32", 10, 8)).at(0)),
              ElementsAre(0, 1, 7, 5, 4, 4, 1, 6, 0, 3));
  EXPECT_THAT(Values<int64_t>(Arguments(GatherText("s64", 8, 100)).at(0)),
              ElementsAre(0, 65, 17, 12, 90, 41, 61, 25));
}

TEST(FakeDataTest, SortedGatherIndicesAreSorted) {
  EXPECT_THAT(
      Values<int32_t>(
          Arguments(GatherText("s32", 10, 7, ", indices_are_sorted=true"))
              .at(0)),
      ElementsAre(0, 1, 1, 1, 3, 4, 4, 5, 5, 5));
}

TEST(FakeDataTest, IndexTypesThatCannotReachTheBoundKeepTheirOwn) {
  for (const uint8_t i :
       Values<uint8_t>(Arguments(GatherText("u8", 50, 300)).at(0))) {
    EXPECT_LE(i, 255);
  }
  for (const int8_t i :
       Values<int8_t>(Arguments(GatherText("s8", 50, 300)).at(0))) {
    EXPECT_GE(i, 0);
  }
}

TEST(FakeDataTest, IndicesAreFollowedThroughReshapes) {
  const auto arguments = Arguments(R"(HloModule m
ENTRY e {
  i = s32[5,2] parameter(0)
  t = f32[4,3] parameter(1)
  r = s32[10,1] reshape(i)
  c = s32[10,1] copy(r)
  ROOT g = f32[10,3] gather(t, c), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
})");
  for (const int32_t i : Values<int32_t>(arguments.at(0))) {
    EXPECT_GE(i, 0);
    EXPECT_LE(i, 3);
  }
}

TEST(FakeDataTest, ScatterIndicesTakeTheSmallestMappedDimension) {
  const auto arguments = Arguments(R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e {
  t = f32[9,4] parameter(0)
  i = s32[20,2] parameter(1)
  u = f32[20] parameter(2)
  ROOT s = f32[9,4] scatter(t, i, u), update_window_dims={},
    inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1},
    index_vector_dim=1, to_apply=add
})");
  const auto indices = Values<int32_t>(arguments.at(1));
  EXPECT_EQ(*std::min_element(indices.begin(), indices.end()), 0);
  EXPECT_EQ(*std::max_element(indices.begin(), indices.end()), 3);
}

TEST(FakeDataTest, SliceStartsFitAndTheTightestUseCounts) {
  // As the start of both: at most 10 - 4 and 10 - 8.
  for (int seed = 1; seed < 50; ++seed) {
    const std::unique_ptr<Module> module = Parse(R"(HloModule m
ENTRY e {
  i = s32[] parameter(0)
  t = f32[10] parameter(1)
  u = f32[8] parameter(2)
  s = f32[4] dynamic-slice(t, i), dynamic_slice_sizes={4}
  d = f32[10] dynamic-update-slice(t, u, i)
  ROOT r = (f32[4], f32[10]) tuple(s, d)
})");
    ASSERT_NE(module, nullptr);
    FakeDataEngine engine(seed);
    const auto arguments = MakeFakeArguments(*module, &engine);
    ASSERT_TRUE(arguments.ok());
    EXPECT_GE((*arguments)[0].First<int32_t>(), 0);
    EXPECT_LE((*arguments)[0].First<int32_t>(), 2);
  }
}

TEST(FakeDataTest, UsesAreFollowedIntoFusionsAndThroughConverts) {
  const std::unique_ptr<Module> module = Parse(R"(HloModule m
fused {
  p = f32[10] parameter(0)
  j = s64[] parameter(1)
  c = s32[] convert(j)
  ROOT s = f32[4] dynamic-slice(p, c), dynamic_slice_sizes={4}
}
ENTRY e {
  t = f32[10] parameter(0)
  i = s64[] parameter(1)
  ROOT f = f32[4] fusion(t, i), kind=kLoop, calls=fused
})");
  ASSERT_NE(module, nullptr);
  const auto use = FindParameterUse(*module, 1);
  ASSERT_TRUE(use.ok());
  EXPECT_TRUE(use->is_index);
  EXPECT_EQ(use->index_bound, 6);
}

// A reduction of parameter 0 that starts at parameter 1.
std::string ReduceText(absl::string_view opcode) {
  return absl::StrCat(R"(HloModule m
r { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] )",
                      opcode, R"((a, b) }
ENTRY e {
  x = f32[5] parameter(0)
  z = f32[] parameter(1)
  ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=r
})");
}

TEST(FakeDataTest, InitialValuesAreTheIdentitiesOfSumsAndProducts) {
  EXPECT_EQ(Arguments(ReduceText("add")).at(1).First<float>(), 0);
  EXPECT_EQ(Arguments(ReduceText("multiply")).at(1).First<float>(), 1);
}

TEST(FakeDataTest, OtherReducersStartAtRandomValues) {
  // The sixth value of the engine.
  EXPECT_EQ(Arguments(ReduceText("maximum")).at(1).First<float>(),
            -0.0343122408f);
}

TEST(FakeDataTest, SortKeysHaveNoDuplicates) {
  auto text = [](absl::string_view type) {
    return absl::StrCat(R"(HloModule m
less { a = )", type, R"([] parameter(0)
  b = )", type, R"([] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  k = )", type, R"([10] parameter(0)
  v = f32[10] parameter(1)
  ROOT s = ()", type, R"([10], f32[10]) sort(k, v), dimensions={0},
    to_apply=less
})");
  };
  EXPECT_THAT(Values<int32_t>(Arguments(text("s32")).at(0)),
              ElementsAre(-3, 2, -4, 1, 3, -5, -1, 4, 0, -2));
  EXPECT_THAT(Values<uint32_t>(Arguments(text("u32")).at(0)),
              ElementsAre(2, 7, 1, 6, 8, 0, 4, 9, 5, 3));
  // Floats are plain random values.
  EXPECT_THAT(Values<float>(Arguments(text("f32")).at(0)),
              ElementsAreArray(First<float>(kF32, 10)));
}

TEST(FakeDataTest, ConflictingUsesAreAnError) {
  const std::unique_ptr<Module> module = Parse(R"(HloModule m
less { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  i = s32[5,1] parameter(0)
  t = f32[4,3] parameter(1)
  s = s32[5,1] sort(i), dimensions={0}, is_stable=true, to_apply=less
  g = f32[5,3] gather(t, i), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
  ROOT r = (s32[5,1], f32[5,3]) tuple(s, g)
})");
  ASSERT_NE(module, nullptr);
  FakeDataEngine engine;
  const auto arguments = MakeFakeArguments(*module, &engine);
  ASSERT_FALSE(arguments.ok());
  EXPECT_THAT(std::string(arguments.status().message()),
              HasSubstr("Conflicting operand generation constraints."));
}

TEST(FakeDataTest, LaterParametersGoOnWhereEarlierOnesEnded) {
  const auto arguments = Arguments(R"(HloModule m
ENTRY e {
  a = f32[3] parameter(0)
  b = f32[3] parameter(1)
  ROOT s = f32[3] add(a, b)
})");
  const std::vector<float> drawn = First<float>(kF32, 6);
  EXPECT_THAT(Values<float>(arguments.at(1)),
              ElementsAre(drawn[3], drawn[4], drawn[5]));
}

}  // namespace
}  // namespace hlokit
