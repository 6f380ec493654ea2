// Times the IR library on one file of HLO text; benchmarks/ir_vs_jaxlib runs it
// beside jaxlib.
//
//   ir_bench FILE [REPEATS [WORK]]
//
// With WORK only that (for profilers). Prints one JSON object: for each of parse,
// print and print_short (the text into a file, /dev/null here), print_string,
// to_proto (module to bytes) and from_proto (bytes to module) the seconds of
// processor time of every repeat, and how many MiB the process grew at most
// meanwhile, over what it held before.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include <malloc.h>
#include <time.h>

#include "base/file_system.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

double StatusMiB(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind(key + ":", 0) == 0) {
      return std::atof(line.c_str() + key.size() + 1) / 1024;
    }
  }
  return 0;
}

// Of this process: what others do on the machine counts little.
double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// `prepare` runs before each repeat and does not count.
template <typename Prepare, typename Work>
void Measure(const std::string& only, const char* name, int repeats,
             Prepare prepare, Work work) {
  if (!only.empty() && only != name) return;
  prepare();
  malloc_trim(0);
  const double before = StatusMiB("VmRSS");
  ResetPeak();
  { auto kept = work(); }
  const double peak = StatusMiB("VmHWM") - before;
  std::printf(", \"%s\": {\"peak_mb\": %.1f, \"s\": [", name, peak);
  for (int i = 0; i < repeats; ++i) {
    prepare();
    const double start = ProcessorSeconds();
    auto kept = work();
    std::printf("%s%.6f", i ? ", " : "", ProcessorSeconds() - start);
  }
  std::printf("]}");
}

int Main(const char* path, int repeats, const std::string& only) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string text = std::move(bytes).str();
  auto parse = [&] {
    Diagnostics diagnostics(path, text);
    auto module = ParseModule(text, &diagnostics);
    if (module == nullptr) {
      std::fputs(diagnostics.ToString().c_str(), stderr);
      std::exit(3);
    }
    return module;
  };
  std::printf("{\"text_bytes\": %zu", text.size());
  Measure(only, "parse", repeats, [] {}, parse);
  std::unique_ptr<Module> module = parse();
  std::printf(", \"instructions\": %lld",
              static_cast<long long>(module->instruction_count()));
  // A module keeps the order of its instructions once it is known, so each
  // repeat gets one that has just been read.
  const auto read_anew = [&] {
    module = nullptr;
    module = parse();
  };
  const auto print_file = [&](const PrintOptions& options) {
    return DiskFileSystem()->WritePieces(
        "/dev/null", [&](FileSystem::EmitPiece emit) {
          Print(*module, options, emit);
        });
  };
  Measure(only, "print", repeats, read_anew, [&] { return print_file({}); });
  Measure(only, "print_short", repeats, read_anew,
          [&] { return print_file(PrintOptions::ShortParsable()); });
  Measure(only, "print_string", repeats, read_anew,
          [&] { return ToString(*module); });
  Measure(only, "to_proto", repeats, read_anew,
          [&] { return ModuleToBytes(*module); });
  const std::string proto = ModuleToBytes(*module);
  Measure(only, "from_proto", repeats, [] {}, [&] {
    auto read = ModuleFromBytes(proto);
    if (!read.ok()) {
      std::fprintf(stderr, "%s\n", read.status().ToString().c_str());
      std::exit(3);
    }
    return *std::move(read);
  });
  std::printf(", \"proto_bytes\": %zu}\n", proto.size());
  return 0;
}

}  // namespace
}  // namespace hlokit

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ir_bench FILE [REPEATS [WORK]]\n");
    return 2;
  }
  return hlokit::Main(argv[1], argc > 2 ? std::atoi(argv[2]) : 5,
                      argc > 3 ? argv[3] : "");
}
