// Custom calls that nobody here implements: found before anything runs, and
// replaced by given values on request.

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "replay/runner.h"

namespace hlokit {
namespace {

// Zeros of any shape that a custom-call may have, as instructions.
absl::StatusOr<Instruction*> AddZeros(Computation* computation,
                                      const Shape& shape) {
  if (shape.IsToken()) {
    return computation->Add(Opcode::kAfterAll, shape);
  }
  if (shape.IsTuple()) {
    std::vector<Instruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      HLOKIT_ASSIGN_OR_RETURN(Instruction* zeros,
                              AddZeros(computation, element));
      elements.push_back(zeros);
    }
    Instruction* tuple = computation->AddTuple(elements);
    tuple->set_shape(shape);
    return tuple;
  }
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape));
  return computation->AddConstant(Literal::Zeros(shape));
}

absl::StatusOr<Instruction*> AddValue(Computation* computation,
                                      const Shape& shape,
                                      const Literal* value) {
  if (value == nullptr) return AddZeros(computation, shape);
  if (!ShapesCompatible(shape, value->shape())) {
    return InvalidArgument("the stand-in is %s, the custom-call gives %s",
                           value->shape().ToString(false),
                           shape.ToString(false));
  }
  Literal copy = *value;
  copy.set_shape(shape);
  return computation->AddConstant(std::move(copy));
}

// The entry and what it calls.
std::vector<const Computation*> ReachableComputations(const Module& module) {
  std::vector<const Computation*> found = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  for (size_t k = 0; k < found.size(); ++k) {
    for (const Instruction* i : found[k]->instructions()) {
      for (const Computation* called : i->called_computations()) {
        if (seen.insert(called).second) found.push_back(called);
      }
    }
  }
  return found;
}

}  // namespace

absl::Status CheckCanRun(const Module& module, const Backend& backend) {
  constexpr int kShown = 10;
  std::vector<std::string> unknown;
  std::string first;
  for (const Computation* computation : ReachableComputations(module)) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::kCustomCall || backend.KnowsCustomCall(*i)) {
        continue;
      }
      if (first.empty()) first = std::string(i->custom_call_target());
      unknown.push_back(absl::StrCat("%", i->name(), " (target \"",
                                     i->custom_call_target(), "\")"));
    }
  }
  if (unknown.empty()) return absl::OkStatus();
  const size_t count = unknown.size();
  if (count > kShown) {
    unknown.resize(kShown);
    unknown.push_back(absl::StrCat(count - kShown, " more"));
  }
  return Unimplemented(
      "%s does not know %s %s; --stand_in=%s=zeros (or =FILE.npy) runs the "
      "module with a given result in its place, or cut the module before it",
      backend.name(), count == 1 ? "the custom-call" : "the custom-calls",
      absl::StrJoin(unknown, ", "), first);
}

absl::StatusOr<int64_t> StandIn(Module* module, absl::string_view name,
                                const Literal* value) {
  int64_t count = 0;
  for (const auto& computation : module->computations()) {
    std::vector<Instruction*> found;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kCustomCall &&
          (i->custom_call_target() == name || i->name() == name)) {
        found.push_back(i);
      }
    }
    for (Instruction* call : found) {
      absl::StatusOr<Instruction*> stand_in =
          AddValue(computation.get(), call->shape(), value);
      if (!stand_in.ok()) return Annotate(stand_in.status(), call->name());
      computation->Replace(call, *stand_in);
      ++count;
    }
  }
  // The order of execution is made anew.
  if (count > 0) module->schedule.reset();
  return count;
}

}  // namespace hlokit
