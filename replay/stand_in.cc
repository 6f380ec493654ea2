// Custom calls that nobody here implements: found before anything runs, and
// replaced by given values on request.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/interpreter/custom_call.h"
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
                                      const Literal& value) {
  if (!ShapesCompatible(shape, value.shape())) {
    return InvalidArgument("the stub is %s, the custom-call gives %s",
                           value.shape().ToString(false),
                           shape.ToString(false));
  }
  Literal copy = value;
  copy.set_shape(shape);
  return computation->AddConstant(std::move(copy));
}

// Parts of the result are the operands that have their shapes, each taken once
// as long as there are others.
absl::StatusOr<Instruction*> AddOperands(Computation* computation,
                                         const Instruction& call,
                                         const Shape& shape,
                                         std::vector<bool>* taken) {
  if (shape.IsTuple() && call.shape().IsTuple()) {
    std::vector<Instruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      HLOKIT_ASSIGN_OR_RETURN(Instruction* made,
                              AddOperands(computation, call, element, taken));
      elements.push_back(made);
    }
    Instruction* tuple = computation->AddTuple(elements);
    tuple->set_shape(shape);
    return tuple;
  }
  for (const bool again : {false, true}) {
    for (int64_t k = 0; k < call.operand_count(); ++k) {
      Instruction* operand = const_cast<Instruction*>(call.operand(k));
      if ((*taken)[k] != again || !ShapesCompatible(operand->shape(), shape)) {
        continue;
      }
      (*taken)[k] = true;
      if (operand->shape() == shape || !shape.IsArray()) return operand;
      return computation->Add(Opcode::kCopy, shape, {operand});
    }
  }
  return InvalidArgument(
      "identity cannot stand in: no operand is %s; use %s=zeros",
      shape.ToString(false), call.custom_call_target());
}

absl::StatusOr<Instruction*> AddStub(Computation* computation,
                                     const Instruction& call,
                                     const CustomCallStub& stub) {
  switch (stub.kind) {
    case CustomCallStub::kZeros:
      return AddZeros(computation, call.shape());
    case CustomCallStub::kValue:
      return AddValue(computation, call.shape(), stub.value);
    case CustomCallStub::kIdentity:
      break;
  }
  std::vector<bool> taken(call.operand_count());
  return AddOperands(computation, call, call.shape(), &taken);
}

bool IsFor(const CustomCallStub& stub, const Instruction& call,
           absl::Span<const Backend* const> backends) {
  if (!stub.name.empty()) {
    return call.custom_call_target() == stub.name || call.name() == stub.name;
  }
  return std::any_of(
      backends.begin(), backends.end(),
      [&](const Backend* backend) { return !backend->KnowsCustomCall(call); });
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
  absl::Status reason;
  for (const Computation* computation : ReachableComputations(module)) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::kCustomCall || backend.KnowsCustomCall(*i)) {
        continue;
      }
      if (first.empty()) {
        first = std::string(i->custom_call_target());
        reason = interpreter::UnknownTarget(*i);
      }
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
      "%s cannot run %s %s\n  %s; --custom_call_stub=%s=zeros (or "
      "=identity, =FILE.npy) does so for this target; or cut the module before "
      "it",
      backend.name(), count == 1 ? "the custom-call" : "the custom-calls",
      absl::StrJoin(unknown, ", "), reason.message(), first);
}

std::vector<std::string> CallbacksPassedOver(const Module& module) {
  std::vector<std::string> names;
  for (const Computation* computation : ReachableComputations(module)) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kCustomCall &&
          interpreter::IsCallbackWithoutResults(*i)) {
        names.push_back(absl::StrCat("%", i->name()));
      }
    }
  }
  return names;
}

absl::StatusOr<CustomCallStub> ParseCustomCallStub(absl::string_view text) {
  CustomCallStub stub;
  const size_t equals = text.rfind('=');
  absl::string_view what = text;
  if (equals != absl::string_view::npos) {
    stub.name = std::string(text.substr(0, equals));
    what = text.substr(equals + 1);
  }
  if (what == "zeros") return stub;
  stub.kind = CustomCallStub::kIdentity;
  if (what == "identity") return stub;
  stub.kind = CustomCallStub::kValue;
  stub.file = std::string(what);
  if (!stub.name.empty() && !what.empty()) return stub;
  return InvalidArgument(
      "%s: zeros, identity, NAME=zeros, NAME=identity or NAME=FILE.npy is "
      "wanted",
      text);
}

absl::StatusOr<std::vector<std::string>> StubCustomCalls(
    Module* module, const CustomCallStub& stub,
    absl::Span<const Backend* const> backends) {
  std::vector<std::string> targets;
  for (const auto& computation : module->computations()) {
    std::vector<Instruction*> found;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kCustomCall && IsFor(stub, *i, backends)) {
        found.push_back(i);
      }
    }
    for (Instruction* call : found) {
      const absl::StatusOr<Instruction*> made =
          AddStub(computation.get(), *call, stub);
      if (!made.ok()) {
        return Annotate(made.status(), absl::StrCat("%", call->name()));
      }
      targets.emplace_back(call->custom_call_target());
      computation->Replace(call, *made);
    }
  }
  // The order of execution is made anew.
  if (!targets.empty()) module->schedule.reset();
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

}  // namespace hlokit
