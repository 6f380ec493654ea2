// One fast loop for all operations that only move elements: copies between
// layouts, transposes, slices, pads, concatenations, reversals, broadcasts.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_STRIDED_MOVE_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_STRIDED_MOVE_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/thread_pool.h"

namespace hlokit::cpu {

// How often, and how far each side goes at each step, in elements. The source's
// stride may be 0 or negative, the target's is positive.
struct MoveLoop {
  int64_t size = 1;
  int64_t source = 0;
  int64_t target = 0;
};

// A move made ready: loops joined and put in the order that suits the memory.
// Thread-safe after it is made.
class StridedMove {
 public:
  StridedMove() = default;
  // element_bytes: 1, 2, 4, 8 or 16. The order of the loops does not matter.
  StridedMove(absl::Span<const MoveLoop> loops, int64_t element_bytes);

  // `source` and `target` are where the first elements lie. Nothing is done if
  // a size is 0. Without a pool (null) on this thread alone.
  void Run(const void* source, void* target, ThreadPool* pool) const;

  int64_t bytes() const { return bytes_; }

 private:
  enum class Kind { kRows, kFill, kReverse, kTranspose, kElements };
  void RunPieces(const char* source, char* target, int64_t begin,
                 int64_t end) const;
  template <typename T>
  void RunPiecesAs(const char* source, char* target, int64_t begin,
                   int64_t end) const;

  absl::InlinedVector<MoveLoop, 6> outer_;  // outermost first
  MoveLoop inner_;                          // the target's fastest
  MoveLoop reader_;                         // of kTranspose: source stride 1
  Kind kind_ = Kind::kElements;
  int64_t element_bytes_ = 1;
  int64_t bytes_ = 0;
  int64_t pieces_ = 0;       // steps of the outer loops, times blocks
  int64_t piece_bytes_ = 0;
  int64_t blocks_ = 1;       // of reader_ (kTranspose) or of a long row
  int64_t block_size_ = 0;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_STRIDED_MOVE_H_
