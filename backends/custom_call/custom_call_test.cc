#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/custom_call/call_site.h"
#include "backends/custom_call/ffi_attributes.h"
#include "backends/custom_call/registry.h"
#include "backends/custom_call/test_util.h"
#include "base/subprocess.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit::custom_call {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string LibraryPath() {
  return ToolDir() + "/../tests/custom_call_test_library.so";
}

class CustomCallLibraryTest : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    static const absl::Status loaded =
        CustomCallRegistry::Global().Load(LibraryPath());
    ASSERT_TRUE(loaded.ok()) << loaded;
  }

  std::string Result(const std::string& text, int times = 1) {
    return ResultOf(GetParam(), "HloModule m\n" + text, times);
  }
  // A typed call `r` of the target, with these attributes.
  std::string Describe(const std::string& config, int size) {
    return Result(absl::StrCat(
        "ENTRY e { x = f32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = u8[", size,
        "] custom-call(x), custom_call_target=\"lib_describe\", "
        "api_version=API_VERSION_TYPED_FFI",
        config.empty() ? "" : ", backend_config=", config, " }"));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CustomCallLibraryTest,
                         ::testing::Values("interpreter", "cpu"));

std::string Bytes(const std::string& text) {
  std::string list = "{";
  for (char c : text) absl::StrAppend(&list, list.size() > 1 ? ", " : "", +c);
  return list + "}";
}

TEST_P(CustomCallLibraryTest, TypedHandlersGetBuffersAndAttributes) {
  EXPECT_EQ(Result(R"(ENTRY e {
  x = f32[3] constant({1, 2, 3})
  b = f32[3] constant({10, 20, 30})
  y = f32[3] add(x, x)
  c = f32[3] custom-call(y, b), custom_call_target="lib_scale",
    api_version=API_VERSION_TYPED_FFI, backend_config={scale = 0.5 : f32}
  ROOT r = f32[3] negate(c)
})"),
            "{-11, -22, -33}");
}

TEST_P(CustomCallLibraryTest, AttributesComeSortedWithTheirTypes) {
  const std::string want =
      "11[2,3] arr=5[2]:7:-8;f=11:0.5;flag=1:1;inner={a=2:-3;z='q';};n=5:-4;"
      "s='a b';";
  EXPECT_EQ(Describe("{s = \"a b\", n = -4, flag = true, f = 5.0e-1 : f32, "
                     "inner = {z = \"q\", a = -3 : i8}, arr = array<i64: 7, "
                     "-8>}",
                     want.size()),
            Bytes(want));
  const std::string more = "11[2,3] d=12:2.5;e=11[0];g=5[4]:1:2:3:4;u=1:1;";
  EXPECT_EQ(Describe("{u, e = array<f32>, d = 2.5, g = dense<[[1, 2], [3, 4]]> "
                     ": tensor<2x2xi64>}",
                     more.size()),
            Bytes(more));
  EXPECT_EQ(Describe("", 8), Bytes("11[2,3] "));
}

TEST_P(CustomCallLibraryTest, WrongAttributesAreTold) {
  EXPECT_THAT(Describe("{a = #mhlo.thing}", 4),
              AllOf(HasSubstr("%r"), HasSubstr("a value is wanted at byte 5")));
}

TEST_P(CustomCallLibraryTest, HandlersSeeTheLayoutThatTheCallAsksFor) {
  const std::string bytes = R"(ENTRY e {
  x = s8[2,3] constant({{1,2,3},{4,5,6}})
  ROOT r = s8[6] custom-call(x), custom_call_target="lib_bytes",
    api_version=API_VERSION_TYPED_FFI, operand_layout_constraints={s8[2,3]{ORDER}}
})";
  EXPECT_EQ(Result(absl::StrReplaceAll(bytes, {{"ORDER", "0,1"}})),
            "{1, 4, 2, 5, 3, 6}");
  EXPECT_EQ(Result(absl::StrReplaceAll(bytes, {{"ORDER", "1,0"}})),
            "{1, 2, 3, 4, 5, 6}");
  EXPECT_EQ(Result(R"(ENTRY e {
  x = s8[6] constant({1,2,3,4,5,6})
  c = s8[2,3]{0,1} custom-call(x), custom_call_target="lib_from_bytes",
    api_version=API_VERSION_TYPED_FFI, operand_layout_constraints={s8[6]{0}}
  ROOT r = s8[2,3]{1,0} copy(c)
})"),
            "{ { 1, 3, 5 }, { 2, 4, 6 } }");
  // Without constraints both are row-major.
  EXPECT_EQ(Result(R"(ENTRY e {
  x = s8[6] constant({1,2,3,4,5,6})
  c = s8[2,3] custom-call(x), custom_call_target="lib_from_bytes",
    api_version=API_VERSION_TYPED_FFI
  ROOT r = s8[2,3] negate(c)
})"),
            "{ { -1, -2, -3 }, { -4, -5, -6 } }");
}

TEST_P(CustomCallLibraryTest, SmallElementsArePacked) {
  EXPECT_EQ(Result(R"(ENTRY e {
  x = s4[3] constant({1, -2, 7})
  ROOT r = s8[2] custom-call(x), custom_call_target="lib_bytes",
    api_version=API_VERSION_TYPED_FFI
})"),
            "{-31, 7}");  // 0xe1, 0x07
  EXPECT_EQ(Result(R"(ENTRY e {
  x = s8[2] constant({-31, 7})
  ROOT r = s4[3] custom-call(x), custom_call_target="lib_from_bytes",
    api_version=API_VERSION_TYPED_FFI
})"),
            "{1, -2, 7}");
}

TEST_P(CustomCallLibraryTest, AliasesShareMemoryAndTokensPass) {
  EXPECT_EQ(Result(R"(ENTRY e {
  t = token[] after-all()
  x = f32[2] constant({1, 2})
  y = f32[2] add(x, x)
  c = (f32[2], token[]) custom-call(t, y), custom_call_target="lib_bump",
    api_version=API_VERSION_TYPED_FFI, custom_call_has_side_effect=true,
    output_to_operand_aliasing={{0}: (1, {})}
  z = f32[2] get-tuple-element(c), index=0
  ROOT r = f32[2] add(z, y)
})"),
            "{5, 9}");
}

TEST_P(CustomCallLibraryTest, StatesLiveAsLongAsTheyShould) {
  // Two call sites, one of them in a loop; executed three times.
  EXPECT_EQ(Result(R"(
cond {
  s = (s32[], s32[2]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  four = s32[] constant(4)
  ROOT less = pred[] compare(n, four), direction=LT
}
body {
  s = (s32[], s32[2]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(n, one)
  c = s32[2] custom-call(), custom_call_target="lib.count",
    api_version=API_VERSION_TYPED_FFI, custom_call_has_side_effect=true
  ROOT t = (s32[], s32[2]) tuple(next, c)
}
ENTRY e {
  zero = s32[] constant(0)
  none = s32[2] constant({0, 0})
  init = (s32[], s32[2]) tuple(zero, none)
  w = (s32[], s32[2]) while(init), condition=cond, body=body
  a = s32[2] get-tuple-element(w), index=1
  b = s32[2] custom-call(), custom_call_target="lib.count",
    api_version=API_VERSION_TYPED_FFI, custom_call_has_side_effect=true
  ROOT r = s32[4] concatenate(a, b), dimensions={0}
})",
                   3),
            "{12, 4, 3, 1}");
}

TEST_P(CustomCallLibraryTest, ErrorsKeepMessageAndPlace) {
  EXPECT_THAT(Result(R"(ENTRY e {
  x = f32[3] constant({1, 2, 3})
  ROOT r = f32[3] custom-call(x), custom_call_target="lib_scale",
    api_version=API_VERSION_TYPED_FFI
})"),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("lib_scale"),
                    HasSubstr("takes x, bias and scale")));
  EXPECT_THAT(Result(R"(ENTRY e {
  ROOT r = f32[3] custom-call(), custom_call_target="lib.deny",
    api_version=API_VERSION_TYPED_FFI
})"),
              AllOf(HasSubstr("PERMISSION_DENIED"), HasSubstr("not today"),
                    HasSubstr("instantiating %r")));
}

TEST_P(CustomCallLibraryTest, WhatTheHostLacksIsAnError) {
  EXPECT_THAT(Result(R"(ENTRY e {
  ROOT r = s64[4] custom-call(), custom_call_target="lib_environment",
    api_version=API_VERSION_TYPED_FFI
})"),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("no stream")));
}

TEST_P(CustomCallLibraryTest, HandlersMayFinishLater) {
  const std::string module = R"(ENTRY e {
  x = f32[] constant(VALUE)
  c = f32[] custom-call(x), custom_call_target="lib_later",
    api_version=API_VERSION_TYPED_FFI
  ROOT r = f32[] add(c, x)
})";
  EXPECT_EQ(Result(absl::StrReplaceAll(module, {{"VALUE", "4"}})), "12");
  EXPECT_THAT(Result(absl::StrReplaceAll(module, {{"VALUE", "-4"}})),
              AllOf(HasSubstr("OUT_OF_RANGE"), HasSubstr("found out later")));
}

TEST_P(CustomCallLibraryTest, OtherVersionsOfTheInterfaceAreRefused) {
  const std::string module = R"(ENTRY e {
  ROOT r = f32[3] custom-call(), custom_call_target="TARGET",
    api_version=API_VERSION_TYPED_FFI
})";
  EXPECT_THAT(Result(absl::StrReplaceAll(module, {{"TARGET", "lib_silent"}})),
              HasSubstr("no handler of XLA's FFI"));
  EXPECT_THAT(
      Result(absl::StrReplaceAll(module, {{"TARGET", "lib_future_version"}})),
      HasSubstr("was built for version 0.99 of XLA's FFI"));
}

TEST_P(CustomCallLibraryTest, UntypedFunctionsOfEachVersion) {
  EXPECT_EQ(Result(R"(ENTRY e {
  x = f32[3] constant({1, 2, 3})
  t = (f32[3], f32[3]) tuple(x, x)
  c = f32[3] custom-call(t), custom_call_target="lib_add"
  ROOT r = f32[3] negate(c)
})"),
            "{-2, -4, -6}");
  const std::string both = R"(ENTRY e {
  a = f32[] constant(5)
  b = f32[] constant(VALUE)
  ROOT r = (f32[], f32[]) custom-call(a, b), custom_call_target="lib_both",
    api_version=API_VERSION_STATUS_RETURNING
})";
  EXPECT_EQ(Result(absl::StrReplaceAll(both, {{"VALUE", "3"}})),
            "( 8, 2 )");
  EXPECT_THAT(Result(absl::StrReplaceAll(both, {{"VALUE", "5"}})),
              AllOf(HasSubstr("INTERNAL"), HasSubstr("both are equal")));
  const std::string opaque = R"(ENTRY e {
  a = f32[] constant(5)
  ROOT r = f32[] custom-call(a), custom_call_target="lib_opaque",
    api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config="CONFIG"
})";
  EXPECT_EQ(Result(absl::StrReplaceAll(opaque, {{"CONFIG", "abc"}})), "15");
  EXPECT_THAT(Result(absl::StrReplaceAll(opaque, {{"CONFIG", "!no"}})),
              HasSubstr("!no"));
}

TEST_P(CustomCallLibraryTest, RegisteredKindsMustFitTheCall) {
  EXPECT_EQ(Result(R"(ENTRY e {
  x = f32[] constant(2)
  ROOT r = f32[] custom-call(x), custom_call_target="lib.negate"
})"),
            "-2");
  EXPECT_THAT(Result(R"(ENTRY e {
  x = f32[] constant(2)
  ROOT r = f32[] custom-call(x), custom_call_target="lib.negate",
    api_version=API_VERSION_TYPED_FFI
})"),
              HasSubstr("as an untyped custom-call, but %r calls it as a typed "
                        "one"));
}

TEST_P(CustomCallLibraryTest, UsersMapTargetsToSymbols) {
  const std::string module = R"(ENTRY e {
  x = f32[3] constant({1, 2, 3})
  ROOT r = f32[3] custom-call(x, x), custom_call_target="my=target.1"
})";
  CustomCallRegistry& registry = CustomCallRegistry::Global();
  ASSERT_TRUE(registry.Map("my=target.1=lib_none").ok());
  EXPECT_THAT(Result(module), HasSubstr("no function lib_none for custom-call "
                                        "target \"my=target.1\" in"));
  ASSERT_TRUE(
      registry.Map(absl::StrCat("my=target.1=lib_add@", LibraryPath())).ok());
  EXPECT_EQ(Result(module), "{2, 4, 6}");
  EXPECT_FALSE(registry.Map("x").ok());
  EXPECT_FALSE(registry.Map("x=f@/none/y.so").ok());
}

TEST_P(CustomCallLibraryTest, UnknownTargetsAreToldInXlasWords) {
  EXPECT_THAT(Result("ENTRY e { ROOT r = f32[] custom-call(), "
                     "custom_call_target=\"lib_nobody\" }"),
              AllOf(HasSubstr("NOT_FOUND"),
                    HasSubstr("%r: No registered implementation for untyped "
                              "custom call to lib_nobody for Host")));
  EXPECT_THAT(Result("ENTRY e { ROOT r = f32[] custom-call(), "
                     "custom_call_target=\"lib_nobody\", "
                     "api_version=API_VERSION_TYPED_FFI }"),
              HasSubstr("No FFI handler registered for lib_nobody on a platform "
                        "Host (canonical host)"));
}

TEST_P(CustomCallLibraryTest, SymbolsOfOtherLibrariesAreNotTaken) {
  // libc has these.
  EXPECT_THAT(Result("ENTRY e { ROOT r = f32[] custom-call(), "
                     "custom_call_target=\"abort\" }"),
              HasSubstr("No registered implementation"));
}

TEST(FfiAttributesTest, BadTextIsAnError) {
  for (const char* text :
       {"{", "{a", "{a=}", "{a = 1 : f99}", "{a = array<i64: 1,>}", "{a = 1} x",
        "{a = 1, a = 2}", "{a = 1.5 : i32}", "[1]", "{a = dense<[1,2]> : "
        "tensor<3xi32>}", "{a = dense<1> : tensor<99999999999x9999999xf32>}",
        "{\"\" = 1}", "{a = \"x}"}) {
    EXPECT_FALSE(ParseFfiAttributes(text).ok()) << text;
  }
  std::string deep;
  for (int k = 0; k < 1000; ++k) deep += "{a=";
  EXPECT_FALSE(ParseFfiAttributes(deep).ok());
}

TEST(FfiAttributesTest, NumbersOfAllTypes) {
  const auto one = [](const std::string& value) {
    const auto parsed = ParseFfiAttributes("{a = " + value + "}");
    return parsed.ok() && parsed->size() == 1 ? (*parsed)[0].bytes
                                              : std::string("error");
  };
  EXPECT_EQ(one("255 : ui8"), "\xff");
  EXPECT_EQ(one("-1 : i16"), "\xff\xff");
  EXPECT_EQ(one("1.0 : bf16"), std::string("\x80\x3f", 2));
  EXPECT_EQ(one("0x7FC00000 : f32"), std::string("\x00\x00\xc0\x7f", 4));
  EXPECT_EQ(one("18446744073709551615 : ui64"), std::string(8, '\xff'));
  EXPECT_EQ(one("false"), std::string(1, '\0'));
  EXPECT_EQ(one("\"a\\22b\\0A\""), "a\"b\n");
  EXPECT_EQ(one("dense<\"0x0102\"> : tensor<2xi8>"), "\x01\x02");
  EXPECT_EQ(one("dense<7> : tensor<3xi8>"), "\x07\x07\x07");
}

TEST(PublicHeaderTest, IsPlainC) {
  const auto compiler = FindProgram("cc");
  if (!compiler.ok()) GTEST_SKIP() << "no C compiler";
  SubprocessOptions options;
  options.argv = {"cc",  "-std=c99", "-Wall",         "-Wextra", "-Werror",
                  "-xc", "-I" + SourceDir(), "-fsyntax-only",  "-"};
  options.stdin_text =
      "#include \"backends/custom_call/hlokit_custom_call.h\"\n"
      "XLA_FFI_Error* f(XLA_FFI_CallFrame* c) {\n"
      "  return HlokitAnsweredMetadata(c) ? 0\n"
      "    : HlokitMakeError(c, XLA_FFI_Error_Code_INTERNAL, \"x\");\n}\n";
  const auto result = RunSubprocess(options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->ok()) << result->err;
}

}  // namespace
}  // namespace hlokit::custom_call
