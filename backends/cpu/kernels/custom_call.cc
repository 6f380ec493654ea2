// Custom calls that have a kernel of their own.
#include <memory>

#include "backends/cpu/kernels/dynamic_arrays.h"
#include "backends/cpu/kernels/top_k.h"
#include "backends/cpu/native_kernel.h"
#include "backends/interpreter/combiner.h"

namespace hlokit::cpu {
namespace {

std::unique_ptr<NativeKernel> MakeTopKCall(const Instruction& call) {
  bool largest = true;
  if (!call.called_computations().empty()) {
    const auto comparison =
        interpreter::RecognizeComparison(*call.called_computation(0), 0, 1);
    if (!comparison) return nullptr;
    largest = comparison->direction != ComparisonDirection::kLt;
  } else if (!call.backend_config().empty()) {
    return nullptr;
  }
  if (call.operand_count() != 1) return nullptr;
  return MakeTopKKernelFor(call.operand(0)->shape(), call.shape(), largest);
}

struct CustomCallRow {
  absl::string_view target;
  std::unique_ptr<NativeKernel> (*make)(const Instruction& call);
};
constexpr CustomCallRow kCustomCalls[] = {
    {"PadToStatic", &MakePadToStatic},
    {"SliceToDynamic", &MakeSliceToDynamic},
    {"TopK", &MakeTopKCall}};

}  // namespace

std::unique_ptr<NativeKernel> MakeCustomCallKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  for (const CustomCallRow& row : kCustomCalls) {
    if (instruction.custom_call_target() == row.target) {
      return row.make(instruction);
    }
  }
  return nullptr;
}

}  // namespace hlokit::cpu
