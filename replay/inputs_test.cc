#include "replay/inputs.h"

#include <string>
#include <vector>

#include "base/compression.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Parameters x: f32[2], t: (f32[2], (s32[], token)).
std::unique_ptr<Module> TupleModule() {
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  t = (f32[2], (s32[], token[])) parameter(1)
  ROOT r = (f32[2], (f32[2], (s32[], token[]))) tuple(x, t)
})");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

Literal Floats(std::vector<float> values) {
  return Literal::Array<float>({static_cast<int64_t>(values.size())},
                               absl::MakeConstSpan(values));
}

std::string Npy(const Literal& literal) { return *LiteralToNpy(literal); }

std::string Npz(std::vector<std::string> names) {
  const std::vector<Literal> values = {Floats({1, 2}), Floats({3, 4}),
                                       Literal::Scalar<int32_t>(5)};
  NpzMembers members;
  for (size_t i = 0; i < names.size(); ++i) {
    members.emplace_back(names[i], Npy(values[i % 3]));
  }
  return *WriteNpz(members);
}

void ExpectTupleArguments(const absl::StatusOr<std::vector<Literal>>& got) {
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), 2u);
  EXPECT_THAT((*got)[0].data<float>(), ElementsAre(1, 2));
  EXPECT_THAT((*got)[1].Sub({0}).data<float>(), ElementsAre(3, 4));
  EXPECT_THAT((*got)[1].Sub({1, 0}).data<int32_t>(), ElementsAre(5));
  EXPECT_TRUE((*got)[1].Sub({1, 1}).shape().IsToken());
}

TEST(InputsTest, ArchivesAreTakenByEveryNaming) {
  const auto module = TupleModule();
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{"a0", "a1", "a2"},
                                             {"arr_0", "arr_1", "arr_2"},
                                             {"x", "t.0", "t.1.0"},
                                             {"first", "second", "third"},
                                             {"a0", "a1", "a2", "a0.d0"}}) {
    ExpectTupleArguments(ArgumentsFromNpz(*module, Npz(names)));
  }
}

TEST(InputsTest, TooFewMembersAreAnErrorThatNamesThem) {
  const auto got = ArgumentsFromNpz(*TupleModule(), Npz({"a0", "b"}));
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(std::string(got.status().message()),
              HasSubstr("3 arrays are wanted"));
  EXPECT_THAT(std::string(got.status().message()), HasSubstr("a0, b"));
}

TEST(InputsTest, OneNpyFileAnArray) {
  const auto module = TupleModule();
  const std::vector<std::string> files = {Npy(Floats({1, 2})),
                                          Npy(Floats({3, 4})),
                                          Npy(Literal::Scalar<int32_t>(5))};
  ExpectTupleArguments(ArgumentsFromNpy(*module, files));
  EXPECT_FALSE(
      ArgumentsFromNpy(*module, absl::MakeConstSpan(files).first(2)).ok());
}

TEST(InputsTest, AWrongArrayIsAnErrorThatNamesTheParameter) {
  const auto got = ArgumentsFromNpy(
      *TupleModule(), {Npy(Floats({1, 2})), Npy(Floats({3, 4, 5})),
                       Npy(Literal::Scalar<int32_t>(5))});
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(std::string(got.status().message()),
              HasSubstr("parameter 1 (t), part {0}"));
  EXPECT_THAT(std::string(got.status().message()), HasSubstr("f32[2]"));
}

TEST(InputsTest, FlatArgumentsAreRegrouped) {
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  t = (f32[2], (f32[2], s32[])) parameter(0)
  ROOT r = f32[2] get-tuple-element(t), index=0
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto got = FitArguments(
      **module, {Floats({1, 2}), Floats({3, 4}), Literal::Scalar<int32_t>(5)},
      "it");
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), 1u);
  EXPECT_THAT((*got)[0].Sub({1, 0}).data<float>(), ElementsAre(3, 4));
}

TEST(InputsTest, CountsAndShapesAreChecked) {
  const auto module = TupleModule();
  const auto count = FitArguments(*module, {Floats({1, 2})}, "the snapshot");
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.status().message(),
            "the snapshot has 1 arguments, the module wants 2");
  const auto shape =
      FitArguments(*module, {Floats({1}), Floats({1, 2})}, "the snapshot");
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.status().message(),
            "the snapshot: argument 0 is f32[1], the module wants f32[2]");
}

TEST(InputsTest, AResultMayBeBareOrATupleOfOne) {
  const Literal bare = Floats({1, 2});
  const Literal tuple = Literal::Tuple({bare});
  const auto to_tuple = FitResult(tuple.shape(), bare);
  ASSERT_TRUE(to_tuple.ok());
  EXPECT_TRUE(*to_tuple == tuple);
  const auto to_bare = FitResult(bare.shape(), tuple);
  ASSERT_TRUE(to_bare.ok());
  EXPECT_TRUE(*to_bare == bare);
  EXPECT_FALSE(FitResult(bare.shape(), Floats({1, 2, 3})).ok());
}

TEST(InputsTest, ResultsSurviveARoundTrip) {
  const Literal result =
      Literal::Tuple({Floats({1, 2}), Literal::Token(),
                      Literal::Tuple({Literal::Scalar<bool>(true)})});
  const auto bytes = LiteralsToNpz({result}, "r");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto members = ReadNpz(*bytes);
  ASSERT_TRUE(members.ok());
  ASSERT_EQ(members->size(), 2u);
  EXPECT_EQ((*members)[1].first, "r1");
  const auto back = ResultFromNpz(result.shape(), *bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == result);
  EXPECT_FALSE(ResultToNpy(result).ok());
}

TEST(InputsTest, OnlyTheLivePartOfDynamicArraysIsStored) {
  Shape shape = Shape::ArrayWithDescendingLayout(kS32, {2, 4});
  shape.set_dynamic_dimension(1, true);
  Literal literal = Literal::Zeros(shape);
  for (int i = 0; i < 8; ++i) literal.SetFromInt64(i, i);
  literal.set_dynamic_size(1, 3);
  const auto bytes = ResultToNpy(literal);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto array = ParseNpy(*bytes);
  ASSERT_TRUE(array.ok());
  EXPECT_THAT(array->dimensions, ElementsAre(2, 3));
  const auto back = ResultFromNpy(shape, *bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->dynamic_size(1), 3);
  EXPECT_THAT(back->data<int32_t>(), ElementsAre(0, 1, 2, 0, 4, 5, 6, 0));
}

xla::RunHloModuleIterationLiterals OneIteration() {
  xla::RunHloModuleIterationLiterals one;
  LiteralToProto(Floats({1, 2}), one.add_arguments());
  LiteralToProto(Floats({3}), one.mutable_result());
  return one;
}

TEST(LiteralsFileTest, EveryFormIsRead) {
  const xla::RunHloModuleIterationLiterals one = OneIteration();
  xla::RunHloModuleLiterals whole;
  *whole.add_iterations() = one;
  std::string one_text, whole_text;
  google::protobuf::TextFormat::PrintToString(one, &one_text);
  google::protobuf::TextFormat::PrintToString(whole, &whole_text);
  for (const std::string& bytes :
       {whole.SerializeAsString(), one.SerializeAsString(), whole_text,
        one_text, "# a comment\n" + one_text,
        Gzip(whole.SerializeAsString())}) {
    const auto literals = ParseLiteralsFile(bytes);
    ASSERT_TRUE(literals.ok()) << literals.status();
    ASSERT_EQ(literals->iterations_size(), 1);
    EXPECT_EQ(literals->iterations(0).arguments_size(), 1);
    EXPECT_TRUE(literals->iterations(0).has_result());
  }
}

TEST(LiteralsFileTest, OtherFilesAreErrors) {
  const std::string good = OneIteration().SerializeAsString();
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string("iterations {"),
        std::string("\xff\xff\xff"), good.substr(0, good.size() - 1),
        std::string("\x2a\x01x", 3)}) {
    EXPECT_FALSE(ParseLiteralsFile(bytes).ok()) << bytes;
  }
}

}  // namespace
}  // namespace hlokit
