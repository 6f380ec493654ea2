#include "hlo/ir/instruction_pool.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "hlo/ir/instruction.h"

namespace hlokit {
namespace {

constexpr size_t kLargestBlock = size_t{2} << 20;  // one huge page

}  // namespace

InstructionPool::~InstructionPool() {
  for (void* block : blocks_) std::free(block);
}

void InstructionPool::AddBlock() {
  const size_t bytes = next_block_bytes_;
  const bool huge = bytes == kLargestBlock;
  void* block =
      std::aligned_alloc(huge ? bytes : alignof(Instruction), bytes);
  if (block == nullptr) throw std::bad_alloc();
  if (huge) {
    madvise(block, bytes, MADV_HUGEPAGE);
  } else {
    next_block_bytes_ *= 2;
  }
  blocks_.push_back(block);
  next_ = static_cast<char*>(block);
  end_ = next_ + bytes / sizeof(Instruction) * sizeof(Instruction);
}

void* InstructionPool::Allocate() {
  if (free_ != nullptr) {
    void* place = free_;
    free_ = *static_cast<void**>(place);
    return place;
  }
  if (next_ == end_) AddBlock();
  void* place = next_;
  next_ += sizeof(Instruction);
  return place;
}

void InstructionPool::Free(void* place) {
  *static_cast<void**>(place) = free_;
  free_ = place;
}

}  // namespace hlokit
