#include "backends/interpreter/kernels.h"

#include <array>

#include "hlo/ir/opcode.h"

namespace hlokit::interpreter {
namespace {

// DEVELOPMENT-ONLY: kernels that are not written yet are null.
#define HLO_KERNEL(opcode, function)                                \
  extern "C++" __attribute__((weak)) absl::StatusOr<Literal> function( \
      Context& context, const Instruction& instruction,             \
      absl::Span<const Literal* const> operands);
}  // namespace
#include "backends/interpreter/kernels.def"
namespace {

std::array<Kernel, kOpcodeCount> MakeTable() {
  std::array<Kernel, kOpcodeCount> table = {};
#define HLO_KERNEL(opcode, function) \
  table[static_cast<int>(Opcode::opcode)] = function;
#include "backends/interpreter/kernels.def"
  return table;
}

}  // namespace

Kernel KernelOf(Opcode opcode) {
  static const std::array<Kernel, kOpcodeCount> table = MakeTable();
  return table[static_cast<int>(opcode)];
}

}  // namespace hlokit::interpreter
