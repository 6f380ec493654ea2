#include "replay/npy.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A version 1.0 file with this dictionary and data.
std::string File(absl::string_view dictionary, absl::string_view data,
                 char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  if (version > 1) bytes += std::string(2, '\0');
  bytes += std::string(dictionary);
  bytes += std::string(data);
  return bytes;
}

absl::StatusOr<Literal> Read(absl::string_view bytes) {
  HLOKIT_ASSIGN_OR_RETURN(const NpyArray array, ParseNpy(bytes));
  return NpyToLiteral(array);
}

absl::StatusOr<Literal> Read(absl::string_view bytes, const Shape& wanted) {
  HLOKIT_ASSIGN_OR_RETURN(const NpyArray array, ParseNpy(bytes));
  return NpyToLiteral(array, wanted);
}

TEST(NpyTest, ReadsWhatNumpyWrites) {
  // numpy.save of numpy.array([[1, 2, 3], [4, 5, 6]], dtype=numpy.int16).
  const auto literal =
      Read(File("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }",
                absl::string_view("\1\0\2\0\3\0\4\0\5\0\6\0", 12)));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->shape().ToString(), "s16[2,3]{1,0}");
  EXPECT_THAT(literal->data<int16_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(NpyTest, ReadsFortranOrder) {
  const auto literal =
      Read(File("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
                "\1\2\3\4\5\6"));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_THAT(literal->data<int8_t>(), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(NpyTest, ReadsLaterVersions) {
  for (char version : {2, 3}) {
    const auto literal = Read(File(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\7\x9",
        version));
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_THAT(literal->data<uint8_t>(), ElementsAre(7, 9));
  }
}

TEST(NpyTest, EveryElementTypeSurvivesARoundTrip) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (!IsArrayType(info.type)) continue;
    const Shape shape = Shape::ArrayWithDescendingLayout(info.type, {2, 2});
    Literal literal = Literal::Zeros(shape);
    for (int i = 0; i < 4; ++i) literal.SetFromInt64(i, i % 2);
    const auto bytes = LiteralToNpy(literal);
    ASSERT_TRUE(bytes.ok()) << info.name;
    EXPECT_EQ((bytes->size() - literal.size_bytes()) % 64, 0u);
    const auto back = Read(*bytes, shape);
    ASSERT_TRUE(back.ok()) << info.name << ": " << back.status();
    EXPECT_TRUE(*back == literal) << info.name;
  }
}

TEST(NpyTest, ScalarsAndEmptyArraysSurviveARoundTrip) {
  for (const Literal& literal :
       {Literal::Scalar<double>(2.5),
        Literal::Zeros(Shape::ArrayWithDescendingLayout(kF32, {0, 3}))}) {
    const auto bytes = LiteralToNpy(literal);
    ASSERT_TRUE(bytes.ok());
    const auto back = Read(*bytes);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(*back == literal);
  }
}

TEST(NpyTest, TypesThatNumpyLacksAreTakenFromTheirBits) {
  const std::string bits = File(
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "\xc0\x3f");
  const Shape bf16 = Shape::ArrayWithDescendingLayout(kBF16, {1});
  const auto literal = Read(bits, bf16);
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->GetAsDouble(0), 1.5);
  const auto raw = Read(
      File("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }",
           "\xc0\x3f"),
      bf16);
  ASSERT_TRUE(raw.ok()) << raw.status();
  EXPECT_EQ(raw->GetAsDouble(0), 1.5);
}

TEST(NpyTest, AnotherTypeOrShapeIsAnError) {
  const std::string bytes = File(
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "\xc0\x3f");
  const auto wrong_type =
      Read(bytes, Shape::ArrayWithDescendingLayout(kS16, {1}));
  ASSERT_FALSE(wrong_type.ok());
  EXPECT_THAT(std::string(wrong_type.status().message()), HasSubstr("u2"));
  EXPECT_FALSE(Read(bytes, Shape::ArrayWithDescendingLayout(kF16, {1})).ok());
  EXPECT_FALSE(Read(bytes, Shape::ArrayWithDescendingLayout(kU16, {2})).ok());
  EXPECT_FALSE(Read(bytes, Shape::ArrayWithDescendingLayout(kU16, {})).ok());
}

TEST(NpyTest, ValuesThatTheTypeDoesNotHaveAreErrors) {
  const std::string bytes = File(
      "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", "\x07\x08");
  EXPECT_TRUE(Read(bytes, Shape::ArrayWithDescendingLayout(kS8, {2})).ok());
  const auto four = Read(bytes, Shape::ArrayWithDescendingLayout(kS4, {2}));
  ASSERT_FALSE(four.ok());
  EXPECT_THAT(std::string(four.status().message()), HasSubstr("8"));
  const std::string unsigned_bytes = File(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "\x10");
  EXPECT_FALSE(
      Read(unsigned_bytes, Shape::ArrayWithDescendingLayout(kU4, {1})).ok());
  EXPECT_FALSE(
      Read(unsigned_bytes, Shape::ArrayWithDescendingLayout(kF4E2M1FN, {1}))
          .ok());
}

TEST(NpyTest, PredicatesBecomeZeroOrOne) {
  const auto literal = Read(
      File("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }",
           absl::string_view("\2\0", 2)));
  ASSERT_TRUE(literal.ok());
  EXPECT_EQ(literal->untyped_data()[0], 1);
  EXPECT_EQ(literal->untyped_data()[1], 0);
}

TEST(NpyTest, BrokenFilesAreErrors) {
  const std::string good =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
           "12345678");
  ASSERT_TRUE(Read(good).ok());
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(Read(good.substr(0, length)).ok()) << length;
  }
  for (const char* dictionary :
       {"{}", "{'descr': '<f4'}", "{'descr': 'f'", "{'descr': ''",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f99', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, "
        "'shape': (4611686018427387904, 4611686018427387904), }",
        "{'descr': '<f4', 'fortran_order': False, "
        "'shape': (9223372036854775807,), }"}) {
    EXPECT_FALSE(Read(File(dictionary, "12345678")).ok()) << dictionary;
  }
}

TEST(NpyTest, AnyChangedByteIsReadOrRefused) {
  const std::string good =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
           "12345678");
  for (size_t at = 0; at < good.size(); ++at) {
    for (int byte : {0, 1, 39, 40, 44, 48, 57, 127, 255}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(byte);
      const auto literal = Read(bytes);
      if (literal.ok()) {
        EXPECT_LE(literal->size_bytes(), 8);
      }
    }
  }
}

TEST(NpyTest, ArchivesSurviveARoundTrip) {
  const auto array = LiteralToNpy(Literal::Scalar<int32_t>(7));
  ASSERT_TRUE(array.ok());
  const NpzMembers members = {{"a0", *array}, {"a1", "anything"}};
  const auto bytes = WriteNpz(members);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto back = ReadNpz(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, members);
  // The same members give the same bytes.
  EXPECT_EQ(*WriteNpz(members), *bytes);
}

TEST(NpyTest, AnArchiveMayBeEmpty) {
  const auto bytes = WriteNpz({});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto back = ReadNpz(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back->empty());
}

TEST(NpyTest, BrokenArchivesAreErrors) {
  EXPECT_FALSE(ReadNpz("").ok());
  EXPECT_FALSE(ReadNpz("no archive").ok());
  const auto bytes = WriteNpz({{"a", "abcdefgh"}, {"b", "ijkl"}});
  ASSERT_TRUE(bytes.ok());
  for (size_t length = 0; length < bytes->size(); ++length) {
    EXPECT_FALSE(ReadNpz(bytes->substr(0, length)).ok()) << length;
  }
  for (size_t at = 0; at < bytes->size(); ++at) {
    std::string changed = *bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    ReadNpz(changed).IgnoreError();
  }
}

TEST(NpyTest, ArchivesAboveTheLimitAreRefused) {
  const auto bytes = WriteNpz({{"a", std::string(1000, 'x')}});
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(ReadNpz(*bytes, 1000).ok());
  EXPECT_FALSE(ReadNpz(*bytes, 999).ok());
}

}  // namespace
}  // namespace hlokit
