#include "hlo_opt/check_values.h"

#include <algorithm>
#include <chrono>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/interpreter/evaluator.h"
#include "base/file_system.h"
#include "base/status.h"
#include "hlo/ir/primitive_type.h"
#include "hlo/print/printer.h"
#include "hlo_opt/emitter.h"
#include "passes/value_check.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxSteps = 50'000'000;
// From here on people are told why they wait.
constexpr double kSlowSeconds = 3;

absl::StatusOr<Literal> Execute(const Module& module,
                                const std::vector<Literal>& arguments) {
  ExecuteOptions options;
  options.max_steps = kMaxSteps;
  HLOKIT_ASSIGN_OR_RETURN(
      ExecutionResult result,
      interpreter::Evaluate(module, arguments, options));
  return std::move(result.value);
}

// Passes may round differently; what is in half precision anywhere differs
// most.
double ToleranceFor(const Module& module) {
  double tolerance = 1e-4;
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const PrimitiveType type = i->shape().element_type();
      if (IsFloatType(type) && BitWidth(type) <= 16) tolerance = 0.05;
    }
  }
  return tolerance;
}

// Operations that give other numbers on every machine.
int64_t RngCount(const Module& module) {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      count += i->opcode() == Opcode::kRng;
    }
  }
  return count;
}

std::string ShellSafe(std::string name) {
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '-' && c != '_') c = '_';
  }
  return name;
}

}  // namespace

absl::Status CheckValuesObserver::Begin(const Module& module) {
  const auto start = std::chrono::steady_clock::now();
  started_ = true;
  before_ = module.Clone();
  for (int seed = 0; seed < sets_; ++seed) {
    Set set;
    set.arguments = FakeArguments(module, seed);
    absl::StatusOr<Literal> result = Execute(module, set.arguments);
    if (!result.ok()) {
      *io_.err << "--check-values: module " << module.name()
               << " cannot be executed, values are not checked: "
               << result.status().message() << "\n";
      values_.clear();
      return absl::OkStatus();
    }
    set.result = *std::move(result);
    values_.push_back(std::move(set));
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  if (took.count() > kSlowSeconds) {
    *io_.err << absl::StrFormat(
        "--check-values: module %s takes %.0f s to execute, once before and "
        "once after each pass that changes it\n",
        module.name(), took.count());
    io_.err->flush();
  }
  return absl::OkStatus();
}

absl::Status CheckValuesObserver::OnStep(const Step& step,
                                         const Module& module) {
  next_ = std::string(step.next_row);
  if (!started_) return Begin(module);
  if (!step.changed || step.previous == "pipeline-start") {
    return absl::OkStatus();
  }
  for (const Set& set : values_) {
    const absl::StatusOr<Literal> result = Execute(module, set.arguments);
    const std::string difference =
        result.ok() ? ValueDifference(set.result, *result,
                                      ToleranceFor(*before_))
                    : absl::StrCat("it cannot be executed any more: ",
                                   result.status().message());
    if (difference.empty()) continue;
    if (result.ok() && RngCount(module) != RngCount(*before_)) {
      *io_.err << "--check-values: pass " << step.previous
               << " draws other random numbers; compared is from there on\n";
      values_.clear();
      return Begin(module);
    }
    return Report(step, set, difference);
  }
  before_ = module.Clone();
  return absl::OkStatus();
}

absl::StatusOr<std::string> CheckValuesObserver::WriteFiles(
    absl::string_view pass, const Set* set) const {
  const std::string stem = JoinPath(
      folder_, ShellSafe(absl::StrCat(before_->name(), ".before_", pass)));
  LoadedModule loaded;
  loaded.file = stem;
  loaded.module = before_->Clone();
  HLOKIT_ASSIGN_OR_RETURN(const std::string text, EmitModule(loaded, {}));
  HLOKIT_RETURN_IF_ERROR(io_.files->WriteFile(stem + ".hlo", text));
  std::string told =
      absl::StrCat("the module before it is ", stem, ".hlo");
  if (set != nullptr) {
    loaded.has_arguments = true;
    loaded.arguments = {set->arguments};
    loaded.result = set->result;
    EmitOptions snapshot;
    snapshot.encoding = Encoding::kBinaryProto;
    snapshot.message = MessageKind::kHloSnapshot;
    HLOKIT_ASSIGN_OR_RETURN(const std::string bytes,
                            EmitModule(loaded, snapshot));
    HLOKIT_RETURN_IF_ERROR(
        io_.files->WriteFile(stem + ".hlo_snapshot.pb", bytes));
    absl::StrAppend(&told, ", with arguments and results ", stem,
                    ".hlo_snapshot.pb");
  }
  return absl::StrCat(told, "\nto repeat: ", repeat_, " --passes=", pass, " ",
                      stem, ".hlo");
}

absl::Status CheckValuesObserver::Report(const Step& step, const Set& set,
                                         const std::string& difference) {
  reported_ = true;
  HLOKIT_ASSIGN_OR_RETURN(const std::string files,
                          WriteFiles(step.previous_row, &set));
  return Internal("pass %s (pipeline %s) changed the results: %s\n%s",
                  step.previous, step.pipeline, difference, files);
}

absl::Status CheckValuesObserver::Explain(const absl::Status& failure) {
  if (reported_ || before_ == nullptr || next_.empty()) return failure;
  HLOKIT_ASSIGN_OR_RETURN(
      const std::string files,
      WriteFiles(next_, values_.empty() ? nullptr : &values_[0]));
  return absl::Status(failure.code(),
                      absl::StrCat(failure.message(), "\n", files));
}

}  // namespace hlokit
