// Times the IR library on one file of HLO text; benchmarks/ir_vs_jaxlib runs it
// beside jaxlib.
//
//   ir_bench FILE [REPEATS]
//
// Prints one JSON object: for each of parse, print, print_short, to_proto
// (module to bytes) and from_proto (bytes to module) the seconds of every
// repeat, and how many MiB the process grew at most meanwhile, over what it
// held before.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include <malloc.h>

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

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

template <typename Work>
void Measure(const char* name, int repeats, Work work) {
  malloc_trim(0);
  const double before = StatusMiB("VmRSS");
  ResetPeak();
  { auto kept = work(); }
  const double peak = StatusMiB("VmHWM") - before;
  std::printf(", \"%s\": {\"peak_mb\": %.1f, \"s\": [", name, peak);
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto kept = work();
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    std::printf("%s%.6f", i ? ", " : "", took.count());
  }
  std::printf("]}");
}

int Main(const char* path, int repeats) {
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
  Measure("parse", repeats, parse);
  const std::unique_ptr<Module> module = parse();
  std::printf(", \"instructions\": %lld",
              static_cast<long long>(module->instruction_count()));
  Measure("print", repeats, [&] { return ToString(*module); });
  Measure("print_short", repeats,
          [&] { return ToString(*module, PrintOptions::ShortParsable()); });
  Measure("to_proto", repeats, [&] { return ModuleToBytes(*module); });
  const std::string proto = ModuleToBytes(*module);
  Measure("from_proto", repeats, [&] {
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
    std::fprintf(stderr, "usage: ir_bench FILE [REPEATS]\n");
    return 2;
  }
  return hlokit::Main(argv[1], argc > 2 ? std::atoi(argv[2]) : 5);
}
