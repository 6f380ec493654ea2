// A dump folder read back: names, contents, packs.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/file_system.h"
#include "base/thread_pool.h"
#include "dump/dump_index.h"
#include "dump/dump_pack.h"
#include "dump/dump_search.h"
#include "dump/timeline.h"
#include "fuzz/target.h"

namespace hlokit::fuzz {
namespace {

void CheckIndex(const DumpIndex& index, size_t names) {
  Require(index.files.size() == names, "every name is in the index");
  for (const DumpedModule& module : index.modules) {
    Require(!module.files.empty(), "a module has files");
    for (const int file : module.files) {
      Require(index.file(file).name.has_value() ||
                  index.file(file).compile_input,
              "a module's files have dump names");
    }
    Require(!index.Find(module.Label()).empty(), "a label finds its module");
  }
}

void ReadNames(absl::string_view bytes) {
  const std::vector<std::string> names =
      absl::StrSplit(bytes, '\n', absl::SkipEmpty());
  CheckIndex(IndexOfNames(names), names.size());
}

// The bytes as what stands in dumps of every form.
void ReadFolder(absl::string_view bytes) {
  const std::string contents(bytes);
  MemoryFileSystem files(
      {{"/d/module_0000.m.before_optimizations.txt", contents},
       {"/d/module_0000.m.0000.p.after_a.before_b.txt", contents + "\n"},
       {"/d/module_0001.n.before_optimizations.hlo.pb", contents},
       {"/d/module_0001.n.cpu_after_optimizations.hlo.pb.gz", contents},
       {"/d/module_0002.o.snapshot.1.pb", contents}});
  const auto index = ReadDumpFolder(files, "/d");
  Require(index.ok(), "names alone make a folder readable");
  ThreadPool pool(1);
  for (size_t i = 0; i < index->modules.size(); ++i) {
    (void)ReadTimeline(files, *index, static_cast<int>(i), &pool);
  }
  SearchQuery query;
  query.opcode = "add";
  query.shape = "f32[]";
  query.source = "a.py";
  query.regex = "a.*b";
  query.all_files = true;
  Require(SearchDumps(files, *index, query, &pool).ok(), "a search ends");
}

void ReadPack(absl::string_view bytes) {
  MemoryFileSystem files({{"/p", std::string(bytes)}});
  const auto stats = UnpackDumps(&files, "/p", "/out/in");
  Require(!files.Exists("/out/evil") && !files.Exists("/evil"),
          "nothing lands outside");
  (void)stats;
}

}  // namespace

void FuzzDumpFolder(absl::string_view bytes) {
  ReadNames(bytes);
  ReadFolder(bytes);
  ReadPack(bytes);
}

}  // namespace hlokit::fuzz
