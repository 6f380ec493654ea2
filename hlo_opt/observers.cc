#include "hlo_opt/observers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/text_table.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/liveness.h"

namespace hlokit {
namespace {

// The numbers of a choice, in the order of their rows.
struct StatsRow {
  std::string name;
  int64_t before, after;
};

std::vector<StatsRow> RowsOf(const ModuleStats& a, const ModuleStats& b,
                             const StatsChoice& choice) {
  std::vector<StatsRow> rows;
  auto add = [&](absl::string_view name, double x, double y) {
    rows.push_back({std::string(name), static_cast<int64_t>(x),
                    static_cast<int64_t>(y)});
  };
  if (choice.ops) {
    add("computations", a.computations, b.computations);
    add("instructions", a.instructions, b.instructions);
    add("entry kernels", a.kernels, b.kernels);
    std::map<std::string, std::pair<int64_t, int64_t>> both;
    for (const auto& [op, count] : a.ops) both[op].first = count;
    for (const auto& [op, count] : b.ops) both[op].second = count;
    for (const auto& [op, counts] : both) {
      add(absl::StrCat("op ", op), counts.first, counts.second);
    }
  }
  if (choice.cost) {
    add("flops", a.flops, b.flops);
    add("transcendentals", a.transcendentals, b.transcendentals);
    add("bytes accessed", a.bytes, b.bytes);
  }
  if (choice.memory) {
    add("parameter bytes", a.parameters, b.parameters);
    add("constant bytes", a.constants, b.constants);
    add("result bytes", a.result, b.result);
    add("peak bytes", a.peak, b.peak);
  }
  return rows;
}

}  // namespace

absl::Status VerifyObserver::OnStep(const Step& step, const Module& module) {
  absl::Status status = VerifyModule(module);
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat("the module is broken after pass ",
                                       step.previous, " (pipeline ",
                                       step.pipeline, ")"));
}

absl::Status TimeObserver::OnStep(const Step& step, const Module&) {
  if (step.previous != "pipeline-start") {
    rows_.push_back({std::string(step.previous), step.changed, step.seconds});
  }
  return absl::OkStatus();
}

std::string TimeObserver::ToString() const {
  TextTable table({{"pass"}, {"ms", TextTable::kRight}, {"changed"}});
  for (const Row& row : rows_) {
    table.AddRow({row.pass, absl::StrFormat("%.3f", row.seconds * 1e3),
                  row.changed ? "yes" : "no"});
  }
  return table.ToString();
}

absl::Status PrintChangedObserver::OnStep(const Step& step,
                                          const Module& module) {
  if (step.previous == "pipeline-start" && !last_.empty()) {
    return absl::OkStatus();
  }
  if (!step.changed) return absl::OkStatus();
  std::string text = hlokit::ToString(module);
  if (text != last_ && step.previous != "pipeline-start") {
    *out_ << "// *** after " << step.previous << " (" << step.pipeline
          << ")\n"
          << text << "\n";
  }
  last_ = std::move(text);
  return absl::OkStatus();
}

void FixedPointObserver::OnNoFixedPoint(absl::string_view pipeline,
                                        int rounds, bool circle) {
  *out_ << "hlo-opt: warning: pipeline " << pipeline
        << (circle ? " goes round in circles; left after "
                   : " still changes the module; left after ")
        << rounds << " rounds\n";
}

absl::StatusOr<StatsChoice> StatsChoice::Parse(
    const std::vector<std::string>& words) {
  static constexpr absl::string_view kWords[] = {"ops", "cost", "memory"};
  StatsChoice choice;
  for (const std::string& word : words) {
    if (word == "ops") {
      choice.ops = true;
    } else if (word == "cost") {
      choice.cost = true;
    } else if (word == "memory") {
      choice.memory = true;
    } else {
      return InvalidArgument("--stats=%s: choose among ops, cost, memory%s",
                             word,
                             DidYouMean(word, kWords));
    }
  }
  return choice;
}

ModuleStats StatsOf(const Module& module) {
  ModuleStats stats;
  stats.computations = module.computation_count();
  stats.instructions = module.instruction_count();
  stats.kernels = KernelCount(*module.entry());
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      ++stats.ops[std::string(OpcodeName(i->opcode()))];
    }
  }
  const Cost cost = CostOf(module);
  stats.flops = cost.flops;
  stats.transcendentals = cost.transcendentals;
  stats.bytes = cost.bytes;
  const MemoryUse memory = MemoryUseOf(module);
  stats.parameters = memory.parameters;
  stats.constants = memory.constants;
  stats.result = memory.result;
  stats.peak = memory.peak;
  return stats;
}

std::string StatsTable(const ModuleStats& before, const ModuleStats& after,
                       const StatsChoice& choice) {
  TextTable table({{""},
                   {"before", TextTable::kRight},
                   {"after", TextTable::kRight}});
  for (const StatsRow& row : RowsOf(before, after, choice)) {
    table.AddRow(
        {row.name, absl::StrCat(row.before), absl::StrCat(row.after)});
  }
  return table.ToString();
}

void WriteStatsJson(const ModuleStats& before, const ModuleStats& after,
                    const StatsChoice& choice, JsonWriter* json) {
  json->BeginArray();
  for (const StatsRow& row : RowsOf(before, after, choice)) {
    json->BeginObject();
    json->Member("name", row.name)
        .Member("before", row.before)
        .Member("after", row.after);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace hlokit
