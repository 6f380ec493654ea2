#include "graph_render/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hlokit {
namespace {

constexpr std::array<FillColors, kFillCount> kColors = {{
    {"element by element", "#ffffff", "#9e9e9e", "#000000"},
    {"broadcast, update", "#fff9c4", "#cbc693", "#000000"},
    {"data movement", "#c8e6c9", "#97b498", "#000000"},
    {"dot, convolution, fft, solver", "#1565c0", "#003c8f", "#ffffff"},
    {"parameter", "#ffe0b2", "#cbae82", "#000000"},
    {"large parameter", "#ffb74d", "#c88719", "#000000"},
    {"reduction, scatter, gather", "#e1bee7", "#af8eb5", "#000000"},
    {"fusion, map", "#cfd8dc", "#9ea7aa", "#000000"},
    {"communication", "#bcaaa4", "#8c7b75", "#000000"},
    {"call, while, conditional, custom-call", "#2e7d32", "#005005", "#ffffff"},
    {"removed", "#ffcdd2", "#b71c1c", "#000000"},
    {"added", "#b9f6ca", "#1b5e20", "#000000"},
    {"changed", "#ffe57f", "#b28704", "#000000"},
    {"inside of a fusion", "#f5f5f5", "#c2c2c2", "#000000"},
}};

constexpr std::array<absl::string_view, 10> kHeat = {
    "#fff5f0", "#fee6dc", "#fdd0bf", "#fcb399", "#fc9474",
    "#fb7252", "#f14d38", "#da2d26", "#b8171b", "#8a0812"};

Fill FillOfFamily(OpFamily family) {
  switch (family) {
    case OpFamily::kReduction: return Fill::kPurple;
    case OpFamily::kDot:
    case OpFamily::kLinearAlgebra: return Fill::kDarkBlue;
    case OpFamily::kControlFlow: return Fill::kDarkGreen;
    case OpFamily::kCollective:
    case OpFamily::kTransfer: return Fill::kBrown;
    default: return Fill::kWhite;
  }
}

}  // namespace

const FillColors& ColorsOf(Fill fill) {
  return kColors[static_cast<size_t>(fill)];
}

int64_t AllElements(const Shape& shape) {
  int64_t sum = 0;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (!leaf.IsArray()) return;
    const int64_t count = ElementsIn(leaf);
    sum = sum > std::numeric_limits<int64_t>::max() - count
              ? std::numeric_limits<int64_t>::max()
              : sum + count;
  });
  return sum;
}

// The exceptions from the rule by family.
Fill FillOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kDynamicUpdateSlice: return Fill::kYellow;
    case Opcode::kBitcast:
      return instruction.parent()->IsFusionComputation() ? Fill::kGreen
                                                         : Fill::kWhite;
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kTranspose: return Fill::kGreen;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kGather:
    case Opcode::kScatter: return Fill::kPurple;
    case Opcode::kSort:
    case Opcode::kTopK: return Fill::kWhite;
    case Opcode::kDomain:
    case Opcode::kFusion:
    case Opcode::kMap: return Fill::kGrey;
    case Opcode::kParameter:
      return AllElements(instruction.shape()) < kLargeElements
                 ? Fill::kOrange
                 : Fill::kDarkOrange;
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: {
      const Instruction* wrapped = instruction.async_wrapped_instruction();
      if (wrapped == nullptr || InfoOf(wrapped->opcode()).family ==
                                    OpFamily::kAsync) {
        return Fill::kDarkGreen;
      }
      return FillOf(*wrapped);
    }
    default: return FillOfFamily(InfoOf(instruction.opcode()).family);
  }
}

absl::Span<const absl::string_view> HeatRamp() { return kHeat; }

int HeatStep(double value, double max) {
  if (!(max > 0) || std::isnan(value)) return 0;
  const double part = std::clamp(value / max, 0.0, 1.0);
  return std::min<int>(static_cast<int>(part * kHeat.size()),
                       kHeat.size() - 1);
}

}  // namespace hlokit
