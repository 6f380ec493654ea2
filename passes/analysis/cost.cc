#include "passes/analysis/cost.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "passes/analysis/loop_trip_count.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

double BytesTouched(const Shape& shape) {
  double bytes = 0;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) bytes += ByteSizeOf(leaf);
  });
  return bytes;
}

double Elements(const Shape& shape) {
  return shape.IsArray() ? static_cast<double>(ElementsIn(shape)) : 0;
}

bool IsTranscendental(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return true;
    default:
      return false;
  }
}

bool IsFree(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kAfterAll:
    case Opcode::kAddDependency:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
      return true;
    default:
      return false;
  }
}

}  // namespace

CostCounter::CostCounter(const Module& module) {
  for (const Computation* c : module.TopologicalOrder()) Of(*c);
}

Cost CostCounter::Of(const Computation& computation) {
  const auto it = done_.find(&computation);
  if (it != done_.end()) return it->second;
  Cost cost;
  for (const Instruction* i : computation.instructions()) cost += Of(*i);
  return done_[&computation] = cost;
}

Cost CostCounter::Of(const Instruction& i) {
  Cost cost;
  if (IsFree(i.opcode())) return cost;
  switch (i.opcode()) {
    case Opcode::kCall:
      return Of(*i.to_apply());
    case Opcode::kWhile: {
      cost += Of(*i.while_body());
      cost += Of(*i.while_condition());
      const auto counted = FindCountedLoop(i);
      return cost *
             (counted.has_value() ? static_cast<double>(counted->trip_count)
                                  : 1);
    }
    case Opcode::kConditional:
      // The dearest branch.
      for (const Computation* branch : i.called_computations()) {
        const Cost other = Of(*branch);
        if (other.flops + other.bytes > cost.flops + cost.bytes) {
          cost = other;
        }
      }
      return cost;
    case Opcode::kFusion:
      cost = Of(*i.to_apply());
      cost.bytes = 0;
      break;
    default:
      cost = Work(i);
      break;
  }
  cost.bytes += BytesTouched(i.shape());
  for (const Instruction* operand : i.operands()) {
    cost.bytes += BytesTouched(operand->shape());
  }
  return cost;
}

// Flops of one instruction that is no call.
Cost CostCounter::Work(const Instruction& i) {
  Cost cost;
  const double elements = Elements(i.shape());
  if (IsTranscendental(i.opcode())) {
    cost.transcendentals = elements;
  } else if (i.opcode() == Opcode::kDot) {
    double contracted = 1;
    for (int64_t d : DotDimsOf(i).lhs_contracting) {
      contracted *= i.operand(0)->shape().dimension(d);
    }
    cost.flops = 2 * elements * contracted;
  } else if (i.opcode() == Opcode::kConvolution) {
    const auto& dims = *i.attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
    const Shape& kernel = i.operand(1)->shape();
    const double outputs =
        std::max<double>(1, kernel.dimension(
                                dims.kernel_output_feature_dimension));
    cost.flops = 2 * elements * Elements(kernel) / outputs;
  } else if (i.opcode() == Opcode::kReduce) {
    const double combined = Elements(i.operand(0)->shape()) -
                            (i.shape().IsTuple()
                                 ? Elements(i.shape().tuple_shape(0))
                                 : elements);
    cost = Applied(i) * std::max(0.0, combined);
  } else if (i.opcode() == Opcode::kReduceWindow && i.window() != nullptr) {
    double window = 1;
    for (const WindowDimension& d : i.window()->dimensions) window *= d.size;
    cost = Applied(i) * (elements * std::max(0.0, window - 1));
  } else if (i.opcode() == Opcode::kMap) {
    cost = Applied(i) * elements;
  } else if (IsElementwise(i.opcode()) && i.opcode() != Opcode::kCopy &&
             i.opcode() != Opcode::kConvert) {
    cost.flops = elements;
  }
  return cost;
}

Cost CostCounter::Applied(const Instruction& i) {
  Cost cost = Of(*i.to_apply());
  cost.bytes = 0;
  return cost;
}

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  return *this;
}

Cost Cost::operator*(double times) const {
  return {flops * times, transcendentals * times, bytes * times};
}

Cost CostOf(const Instruction& instruction) {
  return CostCounter().Of(instruction);
}

Cost CostOf(const Module& module) {
  return CostCounter(module).Of(*module.entry());
}

int64_t KernelCount(const Computation& computation) {
  int64_t count = 0;
  for (const Instruction* i : computation.instructions()) {
    count += !IsFree(i->opcode());
  }
  return count;
}

}  // namespace hlokit
