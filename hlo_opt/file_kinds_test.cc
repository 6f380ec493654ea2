#include "hlo_opt/file_kinds.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

struct Sample {
  std::string bytes;
  absl::string_view kind;
};

TEST(FileKindsTest, FilesAreNamedForWhatTheyAre) {
  const std::string xspace("\x0a\x0d\x12\x0b/host:CPU\x00\x00", 15);
  std::string tar(600, '\0');
  tar.replace(0, 5, "a.txt");
  tar.replace(257, 5, "ustar");
  const Sample samples[] = {
      {"BufferAssignment:\nallocation 0: size 4\n", "buffer assignment"},
      {"\nTotal bytes used: 11133 (10.9KiB)\n", "values of a buffer"},
      {"Memory Space: default (color=0)\n", "memory usage"},
      {"HloLiveRange (max 54):\n", "live ranges"},
      {"xla_dump_to: \"x\"\n", "debug options"},
      {"module @jit_f attributes {a = 1} {\n}\n", "MLIR text"},
      {"#loc1 = loc(\"x\")\nmodule {\n}\n", "MLIR text"},
      {"// note\nfunc.func @f() {\n  %0 = stablehlo.add %a, %b\n}\n",
       "MLIR text"},
      {"ML\xefR\x01", "MLIR bytecode"},
      {"[Sync]\n## BEGIN_GRAPH\nIR {\n  %0 = f32[] xla::device_data()\n}\n",
       "torch_xla IR"},
      {"; ModuleID = 'x'\n", "LLVM IR"},
      {"BC\xc0\xde", "LLVM bitcode"},
      {"//\n// Generated\n\n.version 8.3\n.target sm_90a\n", "PTX"},
      {"\x7f" "ELF\x02", "ELF"},
      {std::string("PK\x03\x04\x14\x00", 6), "zip"},
      {tar, "tar"},
      {std::string("\x93NUMPY\x01\x00", 8), "NumPy"},
      {"<!DOCTYPE html>\n<html></html>\n", "HTML"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS"},
      {xspace, "XSpace"},
      {"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}", "trace"},
      {"import jax\n", "Python source"},
      {"\x80\x04\x95\x10", "pickle"},
      {"digraph G {\n}\n", "Graphviz"},
      {"\x89PNG\r\n", "image"},
      {"%PDF-1.7", "PDF"},
  };
  for (const Sample& sample : samples) {
    const FileKind* kind = FindFileKind(sample.bytes);
    ASSERT_NE(kind, nullptr) << sample.kind;
    EXPECT_THAT(std::string(kind->what), HasSubstr(std::string(sample.kind)));
    EXPECT_THAT(std::string(NotHloError("f", *kind).message()),
                HasSubstr(absl::StrCat("f is ", kind->what, ", not HLO; ")));
  }
}

TEST(FileKindsTest, HloIsNotNamed) {
  const std::string module = "HloModule m\n\nENTRY e {\n}\n";
  for (const std::string& bytes :
       {module, std::string("ENTRY e {\n}\n"), std::string("a = f32[] b()\n"),
        std::string("name: \"m\"\n"), std::string("\x0a\x03\x0a\x01m", 5),
        // A module is taken out of them.
        "<html><pre>" + module + "</pre></html>",
        "; ModuleID = 'x'\n" + module, "import jax\n" + module}) {
    EXPECT_EQ(FindFileKind(bytes), nullptr) << bytes;
  }
}

}  // namespace
}  // namespace hlokit
