// The order of the rooms: each may include what stands above it in kRooms and
// its own files, nothing below. Only main.cc files may see everything.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::array<absl::string_view, 13> kRooms = {
    "base",     "proto",   "hlo",    "flags",  "graph_render", "dump",
    "passes",   "backends", "hlo_opt", "graph_tools", "replay", "triage",
    "profile"};

// Folders whose sources are no part of the tools and may use every room.
constexpr std::array<absl::string_view, 6> kFreeFolders = {
    "benchmarks", "cmake", "docs", "fuzz", "scripts", "testdata"};

// The backends stand side by side; all may fall back on the interpreter and
// call what users bring along.
constexpr absl::string_view kBackends = "backends";
constexpr absl::string_view kInterpreter = "interpreter";
constexpr absl::string_view kCustomCall = "custom_call";

int RankOf(absl::string_view room) {
  const auto it = std::find(kRooms.begin(), kRooms.end(), room);
  return it == kRooms.end() ? -1 : static_cast<int>(it - kRooms.begin());
}

absl::string_view FirstPart(absl::string_view path) {
  return path.substr(0, path.find('/'));
}

// The room of an include path; generated messages are found below "xla/".
absl::string_view RoomOf(absl::string_view include) {
  const absl::string_view first = FirstPart(include);
  return first == "xla" ? "proto" : first;
}

// "cpu" for "backends/cpu/x.h", "" for "backends/x.h" and other rooms.
absl::string_view BackendOf(absl::string_view path) {
  if (!absl::ConsumePrefix(&path, absl::StrCat(kBackends, "/"))) return "";
  return absl::StrContains(path, "/") ? FirstPart(path) : "";
}

// What is wrong with `file` including `include`, or "". Both are paths from the
// project's root.
std::string FaultOf(absl::string_view file, absl::string_view include) {
  if (BaseName(file) == "main.cc") return "";
  if (absl::StartsWith(include, ".")) {
    return absl::StrCat(file, ": \"", include,
                        "\" is not a path from the project's root");
  }
  const absl::string_view from = FirstPart(file);
  const absl::string_view to = RoomOf(include);
  const int to_rank = RankOf(to);
  if (to_rank < 0 || RankOf(from) < 0) return "";
  if (to_rank > RankOf(from)) {
    return absl::StrCat(file, ": ", from, "/ stands above ", to,
                        "/ and may not include \"", include, "\"");
  }
  const absl::string_view backend = BackendOf(file);
  const absl::string_view used = BackendOf(include);
  if (!used.empty() && from == kBackends && used != backend &&
      used != kInterpreter && used != kCustomCall &&
      !(backend.empty() && absl::EndsWith(file, ".cc"))) {
    return absl::StrCat(file, ": may not include another backend's \"", include,
                        "\"");
  }
  return "";
}

std::vector<std::string> IncludesOf(absl::string_view source) {
  std::vector<std::string> includes;
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "#")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "include")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "\"")) continue;
    includes.emplace_back(line.substr(0, line.find('"')));
  }
  return includes;
}

bool IsSource(absl::string_view name) {
  for (const absl::string_view extension :
       {".h", ".cc", ".def", ".inc", ".cu", ".cuh"}) {
    if (Extension(name) == extension) return true;
  }
  return false;
}

// All sources below `folder` (from the root, "" for the root itself).
void FindSources(const std::string& root, const std::string& folder,
                 std::vector<std::string>* sources) {
  const auto names = DiskFileSystem()->ListDirectory(JoinPath(root, folder));
  ASSERT_TRUE(names.ok()) << names.status();
  for (const std::string& name : *names) {
    const std::string path = JoinPath(folder, name);
    if (DiskFileSystem()->IsDirectory(JoinPath(root, path))) {
      const bool skipped =
          absl::StartsWith(name, ".") || (folder.empty() && name == "build");
      if (!skipped) FindSources(root, path, sources);
    } else if (IsSource(name)) {
      sources->push_back(path);
    }
  }
}

TEST(LayeringTest, NoRoomIncludesARoomBelowIt) {
  const std::string root = SourceDir();
  std::vector<std::string> sources;
  FindSources(root, "", &sources);
  std::vector<std::string> faults;
  for (const std::string& source : sources) {
    const auto text = DiskFileSystem()->ReadFile(JoinPath(root, source));
    ASSERT_TRUE(text.ok()) << text.status();
    for (const std::string& include : IncludesOf(*text)) {
      const std::string fault = FaultOf(source, include);
      if (!fault.empty()) faults.push_back(fault);
    }
  }
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_THAT(sources, ::testing::Contains("base/layering_test.cc"));
}

TEST(LayeringTest, EveryFolderWithSourcesIsARoomOrFree) {
  std::vector<std::string> sources;
  FindSources(SourceDir(), "", &sources);
  for (const std::string& source : sources) {
    const absl::string_view folder = FirstPart(source);
    EXPECT_TRUE(RankOf(folder) >= 0 ||
                std::find(kFreeFolders.begin(), kFreeFolders.end(), folder) !=
                    kFreeFolders.end())
        << source;
  }
}

TEST(LayeringTest, FaultsAreFound) {
  EXPECT_THAT(FaultOf("base/a.cc", "hlo/b.h"), HasSubstr("base/ stands above"));
  EXPECT_NE(FaultOf("base/a.cc", "xla/xla.pb.h"), "");
  EXPECT_NE(FaultOf("hlo/ir/a_test.cc", "passes/b.h"), "");
  EXPECT_NE(FaultOf("dump/a.cc", "passes/b.h"), "");
  EXPECT_NE(FaultOf("hlo/a.cc", "../hlo/b.h"), "");
  EXPECT_NE(FaultOf("backends/cpu/a.cc", "backends/cuda/b.h"), "");
  EXPECT_NE(FaultOf("backends/interpreter/a.cc", "backends/cpu/b.h"), "");
  EXPECT_NE(FaultOf("backends/a.h", "backends/cpu/b.h"), "");
}

TEST(LayeringTest, WhatIsAllowedIsNoFault) {
  EXPECT_EQ(FaultOf("hlo/a.cc", "hlo/b.h"), "");
  EXPECT_EQ(FaultOf("hlo/a.cc", "base/b.h"), "");
  EXPECT_EQ(FaultOf("hlo/a.cc", "xla/service/hlo.pb.h"), "");
  EXPECT_EQ(FaultOf("hlo/a.cc", "absl/strings/str_cat.h"), "");
  EXPECT_EQ(FaultOf("hlo/main.cc", "triage/b.h"), "");
  EXPECT_EQ(FaultOf("backends/cpu/a.cc", "backends/cpu/b.h"), "");
  EXPECT_EQ(FaultOf("backends/cpu/a.cc", "backends/b.h"), "");
  EXPECT_EQ(FaultOf("backends/cpu/a.cc", "backends/interpreter/b.h"), "");
  EXPECT_EQ(FaultOf("backends/a_test.cc", "backends/cpu/b.h"), "");
  EXPECT_EQ(FaultOf("replay/a.cc", "backends/interpreter/b.h"), "");
  EXPECT_EQ(FaultOf("fuzz/a.cc", "triage/b.h"), "");
}

TEST(LayeringTest, IncludesAreRead) {
  EXPECT_THAT(IncludesOf("#include \"a/b.h\"\n  #  include \"c.h\" // x\n"
                         "#include <d.h>\n// #include \"e.h\"\n"),
              ::testing::ElementsAre("a/b.h", "c.h"));
}

}  // namespace
}  // namespace hlokit
