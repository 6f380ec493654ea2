// Times dumping and searching of dumps; dump_cost.py runs it beside jaxlib and
// grep.
//
//   dump_bench dump FILE FOLDER COUNT     dumps the module of HLO text COUNT
//                                         times around passes, as text and as
//                                         proto, into FOLDER/text and /proto
//   dump_bench find FOLDER PATTERN...     searches all dumps below FOLDER for
//                                         each expression, with all processors
//                                         and with one
//   dump_bench read FOLDER                only reads the mapped bytes: the
//                                         speed of memory
//   dump_bench snapshot BYTES FOLDER      dumps an HloSnapshot with an argument of
//                                         so many bytes (benchmarks/large_files)
//
// Prints one JSON object with seconds (the best of several turns) and bytes.
// For `dump` these are seconds of the processor: machines are shared.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "base/thread_pool.h"
#include "dump/dump_index.h"
#include "dump/dump_search.h"
#include "dump/dumper.h"
#include "flags/debug_options.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

double ProcessorSeconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double Best(int turns, const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < turns; ++i) best = std::min(best, Seconds(work));
  return best;
}

[[noreturn]] void Fail(const absl::Status& status) {
  std::cerr << status << "\n";
  std::exit(1);
}

template <typename T>
T Need(absl::StatusOr<T> value) {
  if (!value.ok()) Fail(value.status());
  return *std::move(value);
}

ToolIo Io() {
  ToolIo io;
  io.out = &std::cout;
  io.err = &std::cerr;
  io.files = DiskFileSystem();
  return io;
}

int64_t SizeBelow(const std::string& folder) {
  int64_t bytes = 0;
  for (const DumpFile& file :
       Need(ReadDumpFolder(*DiskFileSystem(), folder)).files) {
    bytes += file.size;
  }
  return bytes;
}

// Seconds of COUNT dumps between passes.
double DumpOften(const Module& module, const std::string& folder, bool proto,
                 int count) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to(folder);
  debug.set_xla_dump_hlo_pass_re(".");
  debug.set_xla_dump_hlo_as_proto(proto);
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), Io(), warnings);
  return ProcessorSeconds([&] {
    for (int i = 0; i < count; ++i) {
      dumper.DumpPass(module, "pipeline", absl::StrCat("pass-", i),
                      absl::StrCat("pass-", i + 1), true);
    }
  });
}

void BenchDump(const std::string& file, const std::string& folder, int count) {
  const std::string text = Need(DiskFileSystem()->ReadFile(file));
  const std::unique_ptr<Module> module = Need(ParseModule(text));
  JsonWriter json(&std::cout);
  json.BeginObject().Member("count", count);
  for (const bool proto : {false, true}) {
    const std::string to = absl::StrCat(folder, proto ? "/proto" : "/text");
    // The first turn makes the files, later ones replace them.
    double best = 1e30;
    for (int turn = 0; turn < 3; ++turn) {
      best = std::min(best, DumpOften(*module, absl::StrCat(to, turn), proto,
                                      count));
    }
    json.Key(proto ? "proto" : "text").BeginObject();
    json.Member("seconds", best).Member("bytes", SizeBelow(to + "0"));
    json.EndObject();
  }
  json.EndObject();
  std::cout << "\n";
}

void BenchFind(const std::string& folder,
               const std::vector<std::string>& patterns) {
  const DumpIndex index = Need(ReadDumpFolder(*DiskFileSystem(), folder));
  JsonWriter json(&std::cout);
  json.BeginObject();
  for (const std::string& pattern : patterns) {
    json.Key(pattern).BeginObject();
    for (const int threads : {1, ThreadPool::AvailableProcessors()}) {
      ThreadPool pool(threads);
      SearchQuery query;
      query.regex = pattern;
      SearchResult result;
      const double seconds = Best(5, [&] {
        result = Need(SearchDumps(*DiskFileSystem(), index, query, &pool));
      });
      json.Key(threads == 1 ? "one" : "all").BeginObject();
      json.Member("seconds", seconds).Member("bytes", result.bytes);
      json.Member("matches", static_cast<int64_t>(result.matches.size()));
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndObject();
  std::cout << "\n";
}

// memchr for a byte that is not there touches everything once.
void BenchRead(const std::string& folder) {
  const DumpIndex index = Need(ReadDumpFolder(*DiskFileSystem(), folder));
  ThreadPool pool;
  int64_t bytes = 0;
  for (const DumpFile& file : index.files) bytes += file.size;
  const double seconds = Best(5, [&] {
    pool.ParallelFor(index.files.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto mapped =
            Need(DiskFileSystem()->MapFile(index.files[i].path));
        const absl::string_view text = mapped->contents();
        if (std::memchr(text.data(), 1, text.size()) != nullptr) std::abort();
      }
    });
  });
  JsonWriter json(&std::cout);
  json.BeginObject().Member("seconds", seconds).Member("bytes", bytes);
  json.EndObject();
  std::cout << "\n";
}

void BenchSnapshot(int64_t bytes, const std::string& folder) {
  const Shape shape = Shape::ArrayWithDescendingLayout(kF32, {bytes / 4});
  Literal argument = Literal::Zeros(shape);
  for (float& value : argument.mutable_data<float>()) value = 0.5f;
  Module module("large");
  auto entry = Computation::Create(&module, "main");
  Instruction* p = entry->AddParameter(0, shape, "p");
  entry->set_root(entry->Add(Opcode::kNegate, shape, {p}));
  module.AddEntryComputation(std::move(entry));
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to(folder);
  debug.set_xla_dump_hlo_snapshots(true);
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), Io(), warnings);
  JsonWriter json(&std::cout);
  json.BeginObject().Member("seconds", Seconds([&] {
    dumper.DumpSnapshotArguments(module, {argument}, "cpu", 0);
  }));
  json.Member("bytes", SizeBelow(folder)).EndObject();
  std::cout << "\n";
}

}  // namespace
}  // namespace hlokit

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 4 && arguments[0] == "dump") {
    hlokit::BenchDump(arguments[1], arguments[2], std::atoi(argv[4]));
  } else if (arguments.size() >= 3 && arguments[0] == "find") {
    hlokit::BenchFind(arguments[1], {arguments.begin() + 2, arguments.end()});
  } else if (arguments.size() == 2 && arguments[0] == "read") {
    hlokit::BenchRead(arguments[1]);
  } else if (arguments.size() == 3 && arguments[0] == "snapshot") {
    hlokit::BenchSnapshot(std::atoll(argv[2]), arguments[2]);
  } else {
    std::cerr << "usage: dump_bench dump FILE FOLDER COUNT | find FOLDER "
                 "PATTERN... | read FOLDER | snapshot BYTES FOLDER\n";
    return 2;
  }
  return 0;
}
