#include "backends/interpreter/kernels.h"

#include <array>

#include "hlo/ir/opcode.h"

namespace hlokit::interpreter {

Kernel KernelOf(Opcode opcode) {
  static constexpr auto kTable = [] {
    std::array<Kernel, kOpcodeCount> table = {};
#define HLO_KERNEL(opcode, function) \
  table[static_cast<int>(Opcode::opcode)] = &function;
#include "backends/interpreter/kernels.def"
    return table;
  }();
  return kTable[static_cast<int>(opcode)];
}

}  // namespace hlokit::interpreter
