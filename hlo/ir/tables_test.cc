// The tables of the IR against each other and against the proto enums.

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/primitive_type.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace hlokit {
namespace {

TEST(OpcodeTableTest, HasAllOpcodesOnceAndSorted) {
  EXPECT_EQ(kOpcodeCount, 133);
  std::set<std::string> names;
  std::string last;
  for (const OpcodeInfo& info : AllOpcodes()) {
    const std::string name(info.name);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_LT(last, name);
    last = name;
    EXPECT_EQ(OpcodeByName(name), info.opcode);
    EXPECT_EQ(&InfoOf(info.opcode), &info);
  }
  EXPECT_FALSE(OpcodeByName("less-than").has_value());
}

TEST(OpcodeTableTest, NoOpcodeTakesTwoAttributesOfOneName) {
  for (const OpcodeInfo& info : AllOpcodes()) {
    std::set<absl::string_view> names;
    for (const OpcodeAttribute& attribute : info.attributes) {
      EXPECT_TRUE(names.insert(AttributeName(attribute.id)).second)
          << info.name << " " << AttributeName(attribute.id);
    }
  }
}

TEST(OpcodeTableTest, EveryAttributeIsOfSomeOpcodeOrOfAll) {
  std::set<AttrId> used = {
      AttrId::kSharding,   AttrId::kFrontendAttributes,
      AttrId::kStatistics, AttrId::kControlPredecessors,
      AttrId::kOrigin,     AttrId::kMetadata,
      AttrId::kBackendConfig};
  for (const OpcodeInfo& info : AllOpcodes()) {
    for (const OpcodeAttribute& attribute : info.attributes) {
      used.insert(attribute.id);
    }
  }
  EXPECT_EQ(used.size(), static_cast<size_t>(kAttributeCount));
}

TEST(OpcodeTableTest, KnowsWhichOpcodesCallComputations) {
  EXPECT_TRUE(MayCallComputations(Opcode::kWhile));
  EXPECT_TRUE(MayCallComputations(Opcode::kConditional));
  EXPECT_TRUE(MayCallComputations(Opcode::kCustomCall));
  EXPECT_FALSE(MayCallComputations(Opcode::kAdd));
  EXPECT_TRUE(IsCollective(Opcode::kCollectivePermuteStart));
  EXPECT_FALSE(IsCollective(Opcode::kAllGatherDone));
  EXPECT_TRUE(IsElementwise(Opcode::kSelect));
  EXPECT_FALSE(IsElementwise(Opcode::kBitcastConvert));
}

TEST(PrimitiveTypeTableTest, HasEveryTypeOfTheProto) {
  const auto* proto = xla::PrimitiveType_descriptor();
  // PRIMITIVE_TYPE_INVALID is no row of AllPrimitiveTypes().
  EXPECT_EQ(AllPrimitiveTypes().size(),
            static_cast<size_t>(proto->value_count() - 1));
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    EXPECT_NE(proto->FindValueByNumber(info.type), nullptr) << info.name;
  }
}

// Words whose numbers a proto enum defines.
void ExpectWordsOf(AttrId id, const google::protobuf::EnumDescriptor* proto) {
  EXPECT_EQ(EnumWords(id).size(), static_cast<size_t>(proto->value_count()))
      << AttributeName(id);
  for (int i = 0; i < proto->value_count(); ++i) {
    EXPECT_FALSE(EnumWord(id, proto->value(i)->number()).empty())
        << AttributeName(id) << " " << proto->value(i)->name();
  }
}

TEST(EnumTableTest, HasEveryWordOfTheProtoEnums) {
  ExpectWordsOf(AttrId::kFftType, xla::FftType_descriptor());
  ExpectWordsOf(AttrId::kDistribution, xla::RandomDistribution_descriptor());
  ExpectWordsOf(AttrId::kRngAlgorithm, xla::RandomAlgorithm_descriptor());
  ExpectWordsOf(AttrId::kDotAlgorithm,
                xla::PrecisionConfig::Algorithm_descriptor());
  ExpectWordsOf(AttrId::kOperandPrecision,
                xla::PrecisionConfig::Precision_descriptor());
  ExpectWordsOf(AttrId::kPaddingType, xla::PaddingType_descriptor());
  ExpectWordsOf(AttrId::kCustomCallSchedule,
                xla::CustomCallSchedule_descriptor());
  ExpectWordsOf(AttrId::kCustomCallApiVersion,
                xla::CustomCallApiVersion_descriptor());
  ExpectWordsOf(AttrId::kConvolutionKind, xla::ConvolutionKind_descriptor());
  ExpectWordsOf(AttrId::kTransposeA,
                xla::TriangularSolveOptions::Transpose_descriptor());
}

TEST(EnumTableTest, MatchesWordsInTheCaseThatXlaAccepts) {
  EXPECT_EQ(EnumByWord(AttrId::kRngAlgorithm, "RNG_Philox"), 2);
  EXPECT_EQ(EnumByWord(AttrId::kFftType, "RFFT"), 2);
  EXPECT_FALSE(EnumByWord(AttrId::kFftType, "rfft").has_value());
  EXPECT_FALSE(EnumByWord(AttrId::kComparisonDirection, "XX").has_value());
}

}  // namespace
}  // namespace hlokit
