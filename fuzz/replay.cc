// Valid modules run in the interpreter and on the CPU: both refuse a module or
// neither does, and modules without floating-point numbers give equal results.
// (Floats of mutated programs overflow and cancel, so that two correct results
// need not be near; random_modules compares floats of programs made for that.)
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "fuzz/target.h"
#include "fuzz/valid_module.h"
#include "hlo/ir/primitive_type.h"
#include "passes/value_check.h"

namespace hlokit::fuzz {
namespace {

bool HasFloats(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      if (HasFloats(element)) return true;
    }
    return false;
  }
  return IsFloatType(shape.element_type()) ||
         IsComplexType(shape.element_type());
}

bool HasFloats(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (HasFloats(i->shape())) return true;
    }
  }
  return false;
}

absl::StatusOr<Literal> RunOn(absl::string_view name, const Module& module,
                              absl::Span<const Literal> arguments) {
  const auto backend = BackendByName(name);
  if (!backend.ok()) return backend.status();
  CompileOptions options;
  options.optimization_level = 0;
  auto executable = (*backend)->Compile(module.Clone(), options);
  if (!executable.ok()) return executable.status();
  ExecuteOptions execute;
  execute.max_steps = 20000;
  auto result = (*executable)->Execute(arguments, execute);
  if (!result.ok()) return result.status();
  return std::move(result->value);
}

// Loops end after a number of steps that each backend counts in its own way.
bool MayRunForEver(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kWhile) return true;
    }
  }
  return false;
}

}  // namespace

void FuzzReplay(absl::string_view bytes) {
  const std::unique_ptr<Module> module = ReadValidModule(bytes);
  if (module == nullptr || MayRunForEver(*module)) return;
  const std::vector<Literal> arguments = FakeArguments(*module, 1);
  const auto want = RunOn("interpreter", *module, arguments);
  const auto got = RunOn("cpu", *module, arguments);
  RequireNoInternalError(want.status());
  RequireNoInternalError(got.status());
  if (want.ok() != got.ok()) {
    std::fprintf(stderr, "interpreter: %s\ncpu: %s\n",
                 want.status().ToString().c_str(),
                 got.status().ToString().c_str());
    Require(false, "both backends run a module, or neither");
  }
  if (!want.ok() || HasFloats(*module)) return;
  const std::string difference = ValueDifference(*want, *got);
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  Require(difference.empty(), "both backends compute the same integers");
}

}  // namespace hlokit::fuzz
