#include <memory>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string WithHeader(absl::string_view header,
                       const VerifierOptions& options = {}) {
  return Findings(absl::StrCat("HloModule m, ", header, R"(
ENTRY e {
  p = f32[2,3]{1,0} parameter(0)
  q = (f32[2,3]{1,0}, s8[4]{0}) parameter(1)
  a = f32[2,3]{1,0} negate(p)
  b = s8[4]{0} get-tuple-element(q), index=1
  ROOT t = (f32[2,3]{1,0}, s8[4]{0}) tuple(a, b)
}
)"),
                  options);
}

TEST(VerifyEntryLayout, FitsTheEntry) {
  const char* good =
      "entry_computation_layout={(f32[2,3]{1,0}, (f32[2,3]{1,0}, s8[4]{0}))"
      "->(f32[2,3]{1,0}, s8[4]{0})}";
  EXPECT_EQ(WithHeader(good), "");
  EXPECT_EQ(WithHeader(good, LayoutMode()), "");
  const char* transposed =
      "entry_computation_layout={(f32[2,3]{0,1}, (f32[2,3]{1,0}, s8[4]{0}))"
      "->(f32[2,3]{1,0}, s8[4]{0})}";
  EXPECT_EQ(WithHeader(transposed), "");
  EXPECT_THAT(WithHeader(transposed, LayoutMode()),
              HasSubstr("%p entry layout: "));
}

TEST(VerifyEntryLayout, TypesAndCountsFit) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  ProgramShape layout;
  layout.parameters = {Shape::Array(kF32, {3})};
  layout.result = Shape::Array(kF32, {2});
  (*module)->entry_layout = layout;
  EXPECT_EQ(FindingsText(**module),
            "%p entry layout: entry_computation_layout says f32[3] for the "
            "parameter, declared f32[2]{0}");
  (*module)->entry_layout->parameters.clear();
  EXPECT_EQ(FindingsText(**module),
            "entry layout: entry_computation_layout has 0 parameters, the "
            "entry 1");
}

// The text reader refuses indices outside of the entry; protos come unchecked.
std::string WithAliases(std::vector<InputOutputAlias> aliases,
                        std::vector<BufferDonor> donors = {}) {
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  p = f32[2,3]{1,0} parameter(0)
  q = (f32[2,3]{1,0}, s8[4]{0}) parameter(1)
  a = f32[2,3]{1,0} negate(p)
  b = s8[4]{0} get-tuple-element(q), index=1
  ROOT t = (f32[2,3]{1,0}, s8[4]{0}) tuple(a, b)
}
)");
  if (!module.ok()) return std::string(module.status().message());
  (*module)->input_output_aliases = std::move(aliases);
  (*module)->buffer_donors = std::move(donors);
  return FindingsText(**module, LayoutMode());
}

TEST(VerifyAliases, NameArraysOfEqualSize) {
  auto alias = [](ShapeIndex output, int64_t parameter, ShapeIndex index) {
    return WithAliases({{std::move(output), parameter, std::move(index)}});
  };
  EXPECT_EQ(WithAliases({{{0}, 0, {}, InputOutputAlias::kMayAlias},
                         {{1}, 1, {1}, InputOutputAlias::kMustAlias}}),
            "");
  EXPECT_THAT(alias({2}, 0, {}), HasSubstr("output index {2}"));
  EXPECT_THAT(alias({-1}, 0, {}), HasSubstr("output index {-1}"));
  EXPECT_THAT(alias({}, 0, {}), HasSubstr("output index {}"));
  EXPECT_THAT(alias({0, 0}, 0, {}), HasSubstr("output index {0,0}"));
  EXPECT_THAT(alias({0}, 2, {}), HasSubstr("parameter 2 is outside"));
  EXPECT_THAT(alias({0}, -1, {}), HasSubstr("parameter -1 is outside"));
  EXPECT_THAT(alias({0}, 1, {}),
              HasSubstr("index {} does not name an array in parameter 1"));
  EXPECT_THAT(alias({0}, 1, {1}),
              HasSubstr("output {0} has 24 bytes, its parameter 1 has 4"));
}

TEST(VerifyAliases, UseEveryPartOnce) {
  EXPECT_THAT(WithAliases({{{0}, 0, {}}, {{1}, 0, {}}}),
              HasSubstr("part {} of parameter 0 is aliased twice"));
  EXPECT_THAT(WithAliases({{{0}, 0, {}}, {{0}, 1, {0}}}),
              HasSubstr("output {0} is aliased twice"));
  EXPECT_EQ(WithAliases({{{0}, 0, {}}}, {{1, {0}}}), "");
  EXPECT_THAT(WithAliases({{{0}, 0, {}}}, {{0, {}}}),
              HasSubstr("buffer donor: part {} of parameter 0 is aliased "
                        "already"));
  EXPECT_THAT(WithAliases({}, {{7, {}}}),
              HasSubstr("buffer donor: parameter 7 is outside"));
  EXPECT_THAT(WithAliases({}, {{1, {0}}, {1, {0}}}),
              HasSubstr("is named twice"));
}

TEST(VerifySchedule, HoldsEverythingOnceAndInOrder) {
  auto module = ParseModule(
      "HloModule m, is_scheduled=true\n"
      "ENTRY e {\n  p = f32[2] parameter(0)\n  a = f32[2] negate(p)\n"
      "  ROOT b = f32[2] abs(a)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(FindingsText(**module), "");
  Computation* entry = (*module)->entry();
  std::vector<Instruction*>& sequence = (*(*module)->schedule)[entry];
  ASSERT_EQ(sequence.size(), 3u);
  std::vector<Instruction*> good = sequence;
  std::swap(sequence[1], sequence[2]);
  EXPECT_EQ(FindingsText(**module),
            "%b schedule: is scheduled before %a, which it needs");
  sequence = {good[0], good[1]};
  EXPECT_EQ(FindingsText(**module),
            "%b schedule: is missing from the sequence of e");
  sequence = {good[0], good[0], good[1], good[2]};
  EXPECT_EQ(FindingsText(**module), "%p schedule: is scheduled twice in e");
  sequence = {nullptr};
  EXPECT_THAT(FindingsText(**module), HasSubstr("not part of it"));
  (*module)->schedule->clear();
  EXPECT_EQ(FindingsText(**module),
            "schedule: computation e is not scheduled");
}

TEST(VerifyBitcast, KeepsTheBytes) {
  auto bitcast = [](const char* to) {
    return EntryFindings(absl::StrCat("p = f32[6]{0} parameter(0)\n"
                                      "ROOT b = ",
                                      to, " bitcast(p)"),
                         LayoutMode());
  };
  EXPECT_EQ(bitcast("s32[2,3]{0,1}"), "");
  EXPECT_EQ(bitcast("u8[24]{0}"), "");
  EXPECT_THAT(bitcast("f32[5]{0}"),
              HasSubstr("%b bitcast: f32[6] has 24 bytes, f32[5] has 20"));
  EXPECT_THAT(bitcast("f32[6]{0:S(5)}"), HasSubstr("host and device"));
}

TEST(VerifyMemorySpace, CopiesToTheHostKeepTheType) {
  EXPECT_EQ(EntryFindings("p = f32[6]{0} parameter(0)\n"
                          "ROOT c = f32[6]{0:S(5)} copy(p)",
                          LayoutMode()),
            "");
  EXPECT_THAT(EntryFindings("p = f32[6]{0} parameter(0)\n"
                            "ROOT c = bf16[6]{0:S(5)} copy(p)"),
              HasSubstr("%c memory space: "));
  VerifierOptions options;
  options.verify_no_host_memory_space = true;
  EXPECT_THAT(EntryFindings("p = f32[6]{0} parameter(0)\n"
                            "ROOT c = f32[6]{0:S(5)} copy(p)",
                            options),
              HasSubstr("host memory is not supported"));
}

TEST(VerifyLayout, ElementwiseOperationsKeepTheLayoutOnRequest) {
  VerifierOptions options = LayoutMode();
  options.verify_layouts_kept = true;
  EXPECT_THAT(EntryFindings("p = f32[2,3]{0,1} parameter(0)\n"
                            "ROOT n = f32[2,3]{1,0} negate(p)",
                            options),
              HasSubstr("%n layout: negate cannot change the layout"));
  EXPECT_EQ(EntryFindings("p = f32[2,3]{0,1} parameter(0)\n"
                          "ROOT n = f32[2,3]{0,1} negate(p)",
                          options),
            "");
}

}  // namespace
}  // namespace hlokit
