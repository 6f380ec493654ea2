// Memory for the instructions of one module.
//
// Instructions lie side by side in large blocks, so that walks over them are
// quick and making one costs little. Memory of removed ones is used again; all
// of it is given back with the pool.
#ifndef HLOKIT_HLO_IR_INSTRUCTION_POOL_H_
#define HLOKIT_HLO_IR_INSTRUCTION_POOL_H_

#include <cstddef>
#include <vector>

namespace hlokit {

class InstructionPool {
 public:
  InstructionPool() = default;
  InstructionPool(const InstructionPool&) = delete;
  InstructionPool& operator=(const InstructionPool&) = delete;
  ~InstructionPool();

  // Room for one Instruction, as its alignment demands.
  void* Allocate();
  void Free(void* place);

 private:
  void AddBlock();

  std::vector<void*> blocks_;
  size_t next_block_bytes_ = size_t{4} << 10;  // they grow
  char* next_ = nullptr;
  char* end_ = nullptr;
  void* free_ = nullptr;  // each holds a pointer to the next
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_INSTRUCTION_POOL_H_
