// Compiles and runs one file of HLO text on the CPU backend;
// benchmarks/cpu_vs_jaxlib runs it beside jaxlib.
//
//   cpu_bench FILE [SECONDS]
//   cpu_bench --limits          what one core can do
//
// Prints one JSON object: the seconds of compilation and of every execution
// (made-up arguments), and how far the process grew.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "base/thread_pool.h"
#include "hlo/parse/parser.h"
#include "replay/fake_data.h"

namespace hlokit {
namespace {

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Of /proc/self/status, in MiB.
double Status(const char* key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.compare(0, std::strlen(key), key) == 0) {
      return std::atof(line.c_str() + std::strlen(key) + 1) / 1024;
    }
  }
  return 0;
}

void ExitOn(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(3);
}

int Bench(const char* path, double seconds) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  auto module = ParseModule(bytes.str());
  ExitOn(module.status());
  const int64_t instructions = (*module)->instruction_count();
  FakeDataEngine engine;
  auto arguments = MakeFakeArguments(**module, &engine);
  ExitOn(arguments.status());
  // LLVM is there already, as it is in the other process.
  Backend* backend = *BackendByName("cpu");
  auto warm = ParseModule(
      "HloModule warm\nENTRY e { x = f32[4] parameter(0) "
      "ROOT r = f32[4] negate(x) }\n");
  ExitOn(backend->Compile(*std::move(warm), {}).status());
  const double held = Status("VmRSS:");
  const double start = Now();
  auto executable = backend->Compile(*std::move(module), {});
  ExitOn(executable.status());
  const double compile = Now() - start;
  std::vector<double> runs;
  const double begin = Now();
  for (int k = 0; k < 3 || (Now() - begin < seconds && k < 5000); ++k) {
    const double before = Now();
    ExitOn((*executable)->Execute(*arguments, {}).status());
    runs.push_back(Now() - before);
  }
  runs.erase(runs.begin());  // the first call touches new memory
  std::sort(runs.begin(), runs.end());
  std::printf(
      "{\"instructions\": %lld, \"compile_s\": %.6f, \"execute_s\": %.9f, "
      "\"execute_min_s\": %.9f, \"runs\": %zu, \"peak_mb\": %.1f}\n",
      static_cast<long long>(instructions), compile, runs[runs.size() / 2],
      runs[0], runs.size(), Status("VmHWM:") - held);
  return 0;
}

// Twelve independent chains of eight floats keep the units for fused
// multiply-add busy.
typedef float Vector __attribute__((vector_size(32)));

__attribute__((target("avx2,fma"), optimize("O3"), noinline)) float
MultiplyAdds(int64_t rounds, float scale) {
  const Vector a = Vector{} + scale, b = Vector{} + 1e-9f;
#define CHAINS(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define DECLARE(k) Vector s##k = b;
#define STEP(k) s##k = s##k * a + b;
#define ADD(k) +s##k[0]
  CHAINS(DECLARE)
  for (int64_t k = 0; k < rounds; ++k) {
    CHAINS(STEP)
  }
  return 0 CHAINS(ADD);
}

int Limits() {
  const int64_t rounds = 20'000'000;
  double start = Now();
  volatile float sink = MultiplyAdds(rounds, 1.0000001f);
  (void)sink;
  const double flops = rounds * 12 * 8 * 2 / (Now() - start);
  const size_t size = size_t{256} << 20;
  std::vector<char> from(size, 1), to(size, 2);
  start = Now();
  for (int k = 0; k < 4; ++k) std::memcpy(to.data(), from.data(), size);
  const double bandwidth = 4.0 * 2 * size / (Now() - start);
  std::printf("{\"gflops\": %.1f, \"gbytes\": %.1f}\n", flops / 1e9,
              bandwidth / 1e9);
  return 0;
}

}  // namespace
}  // namespace hlokit

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: cpu_bench FILE [SECONDS] | --limits\n");
    return 2;
  }
  if (std::strcmp(argv[1], "--limits") == 0) return hlokit::Limits();
  return hlokit::Bench(argv[1], argc > 2 ? std::atof(argv[2]) : 1.0);
}
