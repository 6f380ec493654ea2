#include "hlo/wire/nesting.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/wire/message_writer.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string Nested(int levels, const std::string& inner = "f32[2]") {
  return std::string(levels, '(') + inner + std::string(levels, ')');
}

std::string ModuleWith(const std::string& body) {
  return absl::StrCat("HloModule m\n\nENTRY e {\n", body, "}\n");
}

// Text of modules whose types or literals have `levels` levels.
std::string Parameter(int levels) {
  return ModuleWith(absl::StrCat("  ROOT p = ", Nested(levels),
                                 " parameter(0)\n"));
}
std::string Constant(int levels) {
  return ModuleWith(absl::StrCat("  ROOT c = ", Nested(levels, "f32[]"),
                                 " constant(", Nested(levels, "1"), ")\n"));
}

class NestingTest : public ::testing::TestWithParam<std::string (*)(int)> {};

// Whatever the writers take, the readers take: at every depth around the limit.
TEST_P(NestingTest, WhatIsWrittenIsReadBack) {
  int refused = 0;
  for (const int levels : {1, 90, 120, 170, 178, 179, 180, 181, 182, 200, 500,
                           3000}) {
    SCOPED_TRACE(levels);
    auto module = ParseModule(GetParam()(levels));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::Status fits = CheckNesting(**module);
    if (!fits.ok()) {
      EXPECT_THAT(std::string(fits.message()), HasSubstr("nested deeper"));
      EXPECT_GE(levels, 180);
      ++refused;
      continue;
    }
    const std::string bytes = ModuleToBytes(**module);
    auto again = ModuleFromBytes(bytes);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(ToString(**again), ToString(**module));
    EXPECT_EQ(ModuleToBytes(**again), bytes);
    MessageParts parts;
    parts.module = module->get();
    wire::LargeMessage message;
    {
      wire::WireWriter writer(&message);
      WriteSnapshot(parts, &writer);
    }
    xla::HloSnapshot snapshot;
    EXPECT_TRUE(ParseProtoBytes(message.Join(), &snapshot).ok());
  }
  EXPECT_GE(refused, 3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NestingTest,
                         ::testing::Values(&Parameter, &Constant));

TEST(NestingTest, SharedPartsAreLookedAtOnce) {
  // Each level uses the one before twice: 2^50 leaves.
  std::string body = "  t0 = f32[] parameter(0)\n";
  auto module = ParseModule(ModuleWith(body + "  ROOT r = f32[] copy(t0)\n"));
  ASSERT_TRUE(module.ok());
  Shape shape = (*module)->entry()->root()->shape();
  for (int i = 0; i < 50; ++i) shape = Shape::Tuple({shape, shape});
  (*module)->entry()->root()->set_shape(shape);
  EXPECT_TRUE(CheckNesting(**module).ok());
}

}  // namespace
}  // namespace hlokit
