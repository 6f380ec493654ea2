// Times the CPU pipeline on one file of HLO text; benchmarks/passes_vs_jaxlib
// runs it beside jaxlib.
//
//   pass_bench FILE [REPEATS [--passes]]
//
// Prints one JSON object: for each pipeline, for all of them (with the
// schedule), and for the assignment of buffers the seconds of every repeat; with
// --passes also the sum of each pass in the last repeat, longest first. "all_cpu"
// and "buffers_cpu" are the processor's time, which other work on the machine
// changes less. Every repeat works on a module that was read anew.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/interpreter/evaluator.h"
#include "hlo/parse/parser.h"
#include "passes/analysis/buffer_assignment.h"
#include "passes/constant_evaluator.h"
#include "passes/pipelines.h"

namespace hlokit {
namespace {

using Seconds = std::map<std::string, std::vector<double>>;

class PassTimes : public PassObserver {
 public:
  absl::Status OnStep(const Step& step, const Module& module) override {
    seconds_[std::string(step.previous)] += step.seconds;
    return absl::OkStatus();
  }
  void Print() const {
    std::vector<std::pair<double, std::string>> rows;
    for (const auto& [pass, seconds] : seconds_) rows.push_back({seconds, pass});
    std::sort(rows.rbegin(), rows.rend());
    std::printf(", \"passes\": {");
    for (size_t k = 0; k < rows.size(); ++k) {
      std::printf("%s\"%s\": %.6f", k ? ", " : "", rows[k].second.c_str(),
                  rows[k].first);
    }
    std::printf("}");
  }

 private:
  std::map<std::string, double> seconds_;
};

struct Times {
  double wall = 0, cpu = 0;
};

template <typename Work>
Times Timed(Work work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
              .count(),
          static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

void ExitOn(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(3);
}

int Main(const char* path, int repeats, bool passes) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string text = std::move(bytes).str();
  SetConstantEvaluator(&interpreter::EvaluateConstant);
  Seconds seconds;
  int64_t before = 0, after = 0;
  std::unique_ptr<PassTimes> times;
  for (int k = 0; k < repeats; ++k) {
    auto module = ParseModule(text);
    ExitOn(module.status());
    before = (*module)->instruction_count();
    times = std::make_unique<PassTimes>();
    Times total;
    auto pipelines = CpuPipelines();
    for (auto& pipeline : CpuBackendPipelines()) {
      pipelines.push_back(std::move(pipeline));
    }
    for (auto& pipeline : pipelines) {
      if (passes) pipeline->AddObserver(times.get());
      const Times took = Timed(
          [&] { ExitOn(pipeline->Run(module->get()).status()); });
      seconds[std::string(pipeline->name())].push_back(took.wall);
      total.wall += took.wall;
      total.cpu += took.cpu;
    }
    seconds["all"].push_back(total.wall);
    seconds["all_cpu"].push_back(total.cpu);
    const Times buffers =
        Timed([&] { ExitOn(AssignBuffers(**module).status()); });
    seconds["buffers"].push_back(buffers.wall);
    seconds["buffers_cpu"].push_back(buffers.cpu);
    after = (*module)->instruction_count();
  }
  std::printf("{\"instructions\": %lld, \"instructions_after\": %lld",
              static_cast<long long>(before), static_cast<long long>(after));
  for (const auto& [name, list] : seconds) {
    std::printf(", \"%s\": [", name.c_str());
    for (size_t k = 0; k < list.size(); ++k) {
      std::printf("%s%.6f", k ? ", " : "", list[k]);
    }
    std::printf("]");
  }
  if (passes) times->Print();
  std::printf("}\n");
  return 0;
}

}  // namespace
}  // namespace hlokit

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: pass_bench FILE [REPEATS [--passes]]\n");
    return 2;
  }
  return hlokit::Main(argv[1], argc > 2 ? std::atoi(argv[2]) : 3, argc > 3);
}
