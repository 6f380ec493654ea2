#include "passes/dots/dot_util.h"

#include "absl/algorithm/container.h"

namespace hlokit {

Int64List FreeDimensions(int64_t rank, const Int64List& batch,
                         const Int64List& contracting) {
  Int64List free;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(batch, d) &&
        !absl::c_linear_search(contracting, d)) {
      free.push_back(d);
    }
  }
  return free;
}

int64_t SizeOf(const Shape& shape, const Int64List& dimensions) {
  int64_t size = 1;
  for (int64_t d : dimensions) size *= shape.dimension(d);
  return size;
}

std::vector<Instruction*> DotsOf(const Computation& computation) {
  std::vector<Instruction*> dots;
  for (Instruction* i : computation.PostOrder()) {
    if (i->opcode() == Opcode::kDot && i->shape().is_static() &&
        i->operand(0)->shape().is_static() &&
        i->operand(1)->shape().is_static() && i->operand_count() == 2) {
      dots.push_back(i);
    }
  }
  return dots;
}

}  // namespace hlokit
