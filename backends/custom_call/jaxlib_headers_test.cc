// The public header against jaxlib's, and handlers built with jaxlib's. Needs a
// compiler and jaxlib's headers: in $HLOKIT_JAXLIB_INCLUDE, or in the jaxlib of
// the python3 in PATH.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/custom_call/hlokit_custom_call.h"
#include "backends/custom_call/registry.h"
#include "backends/custom_call/test_util.h"
#include "base/file_system.h"
#include "base/subprocess.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit::custom_call {
namespace {

using ::testing::HasSubstr;

std::string Output(const std::vector<std::string>& argv) {
  SubprocessOptions options;
  options.argv = argv;
  options.time_limit = absl::Minutes(3);
  const auto result = RunSubprocess(options);
  if (!result.ok() || !result->ok()) return "";
  return result->out;
}

std::string JaxlibInclude() {
  if (const char* folder = std::getenv("HLOKIT_JAXLIB_INCLUDE")) return folder;
  return std::string(absl::StripTrailingAsciiWhitespace(
      Output({"python3", "-c",
              "import jaxlib, os; print(os.path.join(os.path.dirname("
              "jaxlib.__file__), 'include'))"})));
}

class JaxlibHeadersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    include_ = JaxlibInclude();
    if (include_.empty() ||
        !DiskFileSystem()
             ->ReadFile(include_ + "/xla/ffi/api/c_api.h")
             .ok()) {
      GTEST_SKIP() << "no jaxlib headers";
    }
    if (!FindProgram("c++").ok()) GTEST_SKIP() << "no compiler";
    folder_ = ::testing::TempDir();
  }

  // Empty when it worked.
  std::string Compile(std::vector<std::string> arguments) {
    SubprocessOptions options;
    options.argv = {"c++", "-std=c++17", "-w", "-fPIC",
                    "-I" + include_, "-I" + SourceDir()};
    options.argv.insert(options.argv.end(), arguments.begin(),
                        arguments.end());
    options.time_limit = absl::Minutes(3);
    const auto result = RunSubprocess(options);
    if (!result.ok()) return result.status().ToString();
    return result->ok() ? "" : absl::StrCat("failed: ", result->err);
  }

  std::string include_, folder_;
};

std::string OurAbi() {
  std::string text;
  char line[200];
#define ABI_FIELD(type, member)                                             \
  std::snprintf(line, sizeof(line), #type "." #member " %d %d %d\n",        \
                static_cast<int>(offsetof(type, member)),                   \
                static_cast<int>(sizeof(reinterpret_cast<type*>(8)->member)), \
                static_cast<int>(sizeof(type)));                            \
  text += line;
#define ABI_NUMBER(name)                                                  \
  std::snprintf(line, sizeof(line), #name " %d\n", static_cast<int>(name)); \
  text += line;
#include "backends/custom_call/abi_fields.def"
#undef ABI_FIELD
#undef ABI_NUMBER
  return text;
}

TEST_F(JaxlibHeadersTest, LayoutsAndNumbersAreTheSame) {
  const std::string source = folder_ + "/abi.cc", program = folder_ + "/abi";
  ASSERT_TRUE(DiskFileSystem()
                  ->WriteFile(source, R"(
#include <cstdio>
#include "xla/ffi/api/c_api.h"
#define ABI_FIELD(type, member)                                        \
  std::printf(#type "." #member " %d %d %d\n", (int)offsetof(type, member), \
              (int)sizeof(((type*)8)->member), (int)sizeof(type));
#define ABI_NUMBER(name) std::printf(#name " %d\n", (int)(name));
int main() {
#include "backends/custom_call/abi_fields.def"
})")
                  .ok());
  ASSERT_EQ(Compile({source, "-o", program}), "");
  const std::string theirs = Output({program});
  ASSERT_THAT(theirs, HasSubstr("XLA_FFI_CallFrame.attrs"));
  EXPECT_EQ(theirs, OurAbi());
}

TEST_F(JaxlibHeadersTest, OurHeaderGivesWayToTheirs) {
  const std::string source = folder_ + "/both.cc";
  ASSERT_TRUE(DiskFileSystem()
                  ->WriteFile(source,
                              "#include \"xla/ffi/api/c_api.h\"\n"
                              "#include "
                              "\"backends/custom_call/hlokit_custom_call.h\"\n"
                              "HlokitCustomCallRegistrar r;\n")
                  .ok());
  EXPECT_EQ(Compile({source, "-c", "-o", folder_ + "/both.o"}), "");
}

TEST_F(JaxlibHeadersTest, HandlersOfJaxlibsHeadersRunUnchanged) {
  const std::string library = folder_ + "/jaxlib_handlers.so";
  ASSERT_EQ(Compile({"-shared",
                     SourceDir() +
                         "/backends/custom_call/test_jaxlib_library.cc",
                     "-o", library}),
            "");
  ASSERT_TRUE(CustomCallRegistry::Global().Load(library).ok());
  for (const char* backend : {"interpreter", "cpu"}) {
    SCOPED_TRACE(backend);
    EXPECT_EQ(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = f32[3] constant({1, 2, 3})
  ROOT r = f32[3] custom-call(x), custom_call_target="jax_scale",
    api_version=API_VERSION_TYPED_FFI,
    backend_config={scale = 2.0 : f32, extra = array<i64: 10, 20>, mode = "go"}
})"),
              "{32, 34, 36}");
    EXPECT_THAT(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = f32[3] constant({1, 2, 3})
  ROOT r = f32[3] custom-call(x), custom_call_target="jax_scale",
    api_version=API_VERSION_TYPED_FFI,
    backend_config={scale = 2.0 : f32, extra = array<i64>, mode = "fail"}
})"),
                HasSubstr("mode fail"));
    EXPECT_THAT(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = f32[3] constant({1, 2, 3})
  ROOT r = f32[3] custom-call(x), custom_call_target="jax_scale",
    api_version=API_VERSION_TYPED_FFI,
    backend_config={scale = 2.0, extra = array<i64>, mode = "go"}
})"),
                HasSubstr("scale"));
    EXPECT_EQ(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = f32[3] constant({1, 2, 3})
  ROOT r = f64[4] custom-call(x, x), custom_call_target="jax_dictionary",
    api_version=API_VERSION_TYPED_FFI,
    backend_config={options = {eps = 0.25 : f64, exact = true}, a = 1, b = 2}
})"),
              "{0.25, 1, 2, 3}");
    EXPECT_EQ(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = s64[] constant(5)
  a = s64[] custom-call(x), custom_call_target="jax.total",
    api_version=API_VERSION_TYPED_FFI, backend_config={start = 100 : i64}
  b = s64[] custom-call(a), custom_call_target="jax.total",
    api_version=API_VERSION_TYPED_FFI, backend_config={start = 1000 : i64}
  ROOT r = s64[2] concatenate(s64[1] reshape(a), s64[1] reshape(b)),
    dimensions={0}
})"),
              "{105, 1105}");
    EXPECT_EQ(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = f32[] constant(5)
  ROOT r = f32[] custom-call(x), custom_call_target="jax_later",
    api_version=API_VERSION_TYPED_FFI
})"),
              "15");
    EXPECT_THAT(ResultOf(backend, R"(HloModule m
ENTRY e {
  x = f32[] constant(-5)
  ROOT r = f32[] custom-call(x), custom_call_target="jax_later",
    api_version=API_VERSION_TYPED_FFI
})"),
                HasSubstr("negative"));
  }
}

}  // namespace
}  // namespace hlokit::custom_call
