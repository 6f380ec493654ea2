// Times the CPU pipeline on one file of HLO text; benchmarks/passes_vs_jaxlib
// runs it beside jaxlib.
//
//   pass_bench FILE [REPEATS [--passes]]
//
// Prints one JSON object: for each pipeline, for all of them (with the
// schedule), and for the assignment of buffers the seconds of every repeat; with
// --passes also the sum of each pass in the last repeat, longest first. Every
// repeat works on a module that was read anew.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

template <typename Work>
double Timed(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
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
    double total = 0;
    auto pipelines = CpuPipelines();
    for (auto& pipeline : CpuBackendPipelines()) {
      pipelines.push_back(std::move(pipeline));
    }
    for (auto& pipeline : pipelines) {
      if (passes) pipeline->AddObserver(times.get());
      const double took = Timed(
          [&] { ExitOn(pipeline->Run(module->get()).status()); });
      seconds[std::string(pipeline->name())].push_back(took);
      total += took;
    }
    seconds["all"].push_back(total);
    seconds["buffers"].push_back(
        Timed([&] { ExitOn(AssignBuffers(**module).status()); }));
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
