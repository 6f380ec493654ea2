#include "dump/large_snapshot.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

Literal Parsed(const std::string& shape, const std::string& value) {
  auto literal = ParseLiteral(value, *ParseShape(shape));
  EXPECT_TRUE(literal.ok()) << literal.status();
  return *std::move(literal);
}

TEST(LargeSnapshotTest, PredicatesArePackedFromTheLowBitsOn) {
  const std::string bytes = LiteralToLargeForm(
      Parsed("pred[9]{0}", "{1, 0, 1, 1, 0, 0, 0, 0, 1}"));
  EXPECT_EQ(bytes.substr(bytes.size() - 2), std::string("\x0d\x01", 2));
}

TEST(LargeSnapshotTest, FloatsTakeTheirOwnBytes) {
  const std::string bytes = LiteralToLargeForm(
      Literal::Array<float>({12}, std::vector<float>(12, 1.5f)));
  EXPECT_EQ(bytes.size(), 72u);
}

TEST(LargeSnapshotTest, LiteralsOfEveryKindComeBack) {
  const std::vector<Literal> literals = {
      Parsed("pred[3]{0}", "{1, 0, 1}"),
      Parsed("s4[5]{0}", "{-8, 7, 0, -1, 3}"),
      Parsed("u2[3]{0}", "{0, 3, 1}"),
      Parsed("c64[2]{0}", "{(1, 2), (3, -4)}"),
      Parsed("bf16[2,2]{0,1}", "{ { 1, 2 }, { 3, 4 } }"),
      Parsed("f32[0,3]{1,0}", "{}"),
      Parsed("(f32[2]{0}, (s8[]))", "({1, 2}, (-3))"),
  };
  for (const Literal& literal : literals) {
    auto back = LiteralFromLargeForm(LiteralToLargeForm(literal));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(*back == literal) << literal.shape().ToString();
  }
}

TEST(LargeSnapshotTest, BrokenFilesAreErrors) {
  auto module = ParseModule("ENTRY e { ROOT p = f32[2] parameter(0) }");
  ASSERT_TRUE(module.ok());
  const std::string whole =
      LargeSnapshotMessage(**module, /*module_id=*/0,
                           {{Literal::Array<float>({2}, {1.f, 2.f})}})
          .Join();
  ASSERT_TRUE(ReadLargeSnapshot(whole).ok());
  ASSERT_TRUE(IsLargeSnapshot(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadLargeSnapshot(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ReadLargeSnapshot(whole + "x").ok());
  // Any byte may be anything.
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char c : {'\0', '\x7f'}) {
      std::string changed = whole;
      changed[i] = c;
      ReadUnoptimizedSnapshot(changed).IgnoreError();
    }
  }
}

TEST(LargeSnapshotTest, RealFilesAreReadAndWrittenAgain) {
  const auto files =
      CorpusFiles("jax_dumps", {"hlo_unoptimized_snapshot.pb"});
  if (files.empty()) GTEST_SKIP() << "no corpora";
  int large = 0;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const std::string bytes = ReadCorpusFile(file);
    auto snapshot = ReadUnoptimizedSnapshot(bytes);
    ASSERT_TRUE(snapshot.ok()) << snapshot.status();
    ASSERT_EQ(snapshot->arguments.size(), 1u);
    EXPECT_GT(snapshot->arguments[0].size(), 0u);
    xla::HloModuleProto proto;
    ASSERT_TRUE(ParseProtoBytes(snapshot->module, &proto).ok());
    const auto module = ModuleFromProto(proto);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string again =
        LargeSnapshotMessage(**module, proto.id(), snapshot->arguments).Join();
    auto back = ReadLargeSnapshot(again);
    ASSERT_TRUE(back.ok()) << back.status();
    for (size_t i = 0; i < snapshot->arguments[0].size(); ++i) {
      EXPECT_TRUE(back->arguments[0][i] == snapshot->arguments[0][i]);
    }
    if (!IsLargeSnapshot(bytes)) continue;
    ++large;
    EXPECT_EQ(again.size(), bytes.size());
    EXPECT_TRUE(again == bytes);
  }
  EXPECT_EQ(large, 3);
}

}  // namespace
}  // namespace hlokit
