// What hlo-opt shows while passes run.
#ifndef HLOKIT_HLO_OPT_OBSERVERS_H_
#define HLOKIT_HLO_OPT_OBSERVERS_H_

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "passes/pass.h"

namespace hlokit {

// --verify-each: an error after the first pass that leaves a broken module.
class VerifyObserver : public PassObserver {
 public:
  absl::Status OnStep(const Step& step, const Module& module) override;
};

// --time-passes: how long each pass took and whether it changed anything.
class TimeObserver : public PassObserver {
 public:
  absl::Status OnStep(const Step& step, const Module& module) override;
  std::string ToString() const;

 private:
  struct Row {
    std::string pass;
    bool changed;
    double seconds;
  };
  std::vector<Row> rows_;
};

// --print-changed: the module after each pass that changed its text, with a
// line before it that names pass and pipeline.
class PrintChangedObserver : public PassObserver {
 public:
  explicit PrintChangedObserver(std::ostream* out) : out_(out) {}
  absl::Status OnStep(const Step& step, const Module& module) override;

 private:
  std::ostream* out_;
  std::string last_;
};

// Tells of pipelines that were to reach a fixed point and did not.
class FixedPointObserver : public PassObserver {
 public:
  explicit FixedPointObserver(std::ostream* out) : out_(out) {}
  absl::Status OnStep(const Step&, const Module&) override {
    return absl::OkStatus();
  }
  void OnNoFixedPoint(absl::string_view pipeline, int rounds,
                      bool circle) override;

 private:
  std::ostream* out_;
};

// --stats: what a module holds and costs.
struct StatsChoice {
  bool ops = false, cost = false, memory = false;
  // "ops,cost,memory" in any selection; anything else is InvalidArgument.
  static absl::StatusOr<StatsChoice> Parse(
      const std::vector<std::string>& words);
  bool any() const { return ops || cost || memory; }
};
struct ModuleStats {
  std::map<std::string, int64_t> ops;  // instructions by opcode
  int64_t instructions = 0, computations = 0, kernels = 0;
  double flops = 0, transcendentals = 0, bytes = 0;
  int64_t parameters = 0, constants = 0, result = 0, peak = 0;
};
ModuleStats StatsOf(const Module& module);
// Two columns, before and after, as an aligned table or a JSON object.
std::string StatsTable(const ModuleStats& before, const ModuleStats& after,
                       const StatsChoice& choice);
void WriteStatsJson(const ModuleStats& before, const ModuleStats& after,
                    const StatsChoice& choice, JsonWriter* json);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_OBSERVERS_H_
