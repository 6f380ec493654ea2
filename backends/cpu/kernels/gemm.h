// Matrix products of any element type on operands that lie any way.
//
// out[m, n] = sum over k of lhs[m, k] * rhs[k, n], each index walking through
// the memory of its array by an arithmetic step or by a table of offsets: so
// transposed and batched dots, and convolutions over padded inputs, are all the
// same loop, and nothing is copied but the blocks that are worked on.
//
// Every element is summed in the order of k, in blocks of one fixed size, so it
// does not matter how the work is cut into tasks.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_GEMM_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_GEMM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/isa.h"
#include "backends/cpu/kernels/arrays.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {

inline int64_t RoundedUp(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

// The offsets (in elements) that an index takes.
class GemmWalk {
 public:
  GemmWalk() = default;
  // The dimensions in row-major order.
  explicit GemmWalk(const DimensionList& dimensions);

  int64_t count() const { return count_; }
  int64_t At(int64_t i) const {
    return table_.empty() ? i * stride_ : table_[i];
  }
  // Whether all steps are of one size, and it.
  bool uniform() const { return table_.empty(); }
  int64_t stride() const { return stride_; }
  // From position i on, how many offsets follow one another by ones (at least
  // 1): the rest of a run.
  int64_t RunAt(int64_t i) const { return step_ == 1 ? LineAt(i) : 1; }
  int64_t run() const { return step_ == 1 ? line_ : 1; }
  // The same for steps of any one size, `step()`.
  int64_t LineAt(int64_t i) const { return line_ - i % line_; }
  int64_t step() const { return step_; }

 private:
  int64_t count_ = 1;
  int64_t stride_ = 0;
  int64_t line_ = 1;
  int64_t step_ = 0;
  std::vector<int64_t> table_;
};

struct GemmProblem {
  PrimitiveType lhs_type = kInvalid;
  PrimitiveType rhs_type = kInvalid;
  PrimitiveType out_type = kInvalid;
  GemmWalk lhs_m, lhs_k;
  GemmWalk rhs_k, rhs_n;
  GemmWalk out_m, out_n;

  int64_t m() const { return lhs_m.count(); }
  int64_t n() const { return rhs_n.count(); }
  int64_t k() const { return lhs_k.count(); }
};

class Gemm {
 public:
  virtual ~Gemm() = default;
  // Null for types whose products have another kind than the result. `isa`: the
  // highest whose tiles to take; their work is done in what the processor has.
  static std::unique_ptr<Gemm> Make(GemmProblem problem, Isa isa);

  // Computes out[m0..m1, n0..n1], on this thread. Thread-safe. n0 is a multiple
  // of column_step(). `packed`: what Pack made of rhs, or null.
  virtual void Run(const void* lhs, const void* rhs, const void* packed,
                   void* out, int64_t m0, int64_t m1, int64_t n0,
                   int64_t n1) const = 0;

  // The whole of rhs in the order of its reading: how many bytes that takes (0
  // where rhs is read where it lies), and columns n0 to n1 - 1 of it, a
  // multiple of column_step() unless they are the last.
  virtual int64_t PackedBytes() const = 0;
  virtual void Pack(const void* rhs, int64_t n0, int64_t n1,
                    void* packed) const = 0;

  const GemmProblem& problem() const { return problem_; }
  // How wide and high the pieces should be at least, and what they should be a
  // multiple of.
  int64_t column_step() const { return column_step_; }
  int64_t row_step() const { return row_step_; }

 protected:
  explicit Gemm(GemmProblem problem) : problem_(std::move(problem)) {}
  GemmProblem problem_;
  int64_t column_step_ = 1;
  int64_t row_step_ = 1;
};

// Products at several places of the arrays: the offsets of product `i` in
// elements. Cut into tasks for the threads of the pool.
struct GemmBatch {
  int64_t count = 1;
  DimensionList lhs, rhs, out;  // sizes agree

  // Whether all products have the same rhs.
  bool HasOneRhs() const;
};
// `packed`: what PackRhs made of rhs, or null.
void RunGemm(const Gemm& gemm, const GemmBatch& batch, const void* lhs,
             const void* rhs, const void* packed, void* out, ThreadPool* pool);
// Packs all of rhs, on the threads of the pool.
void PackRhs(const Gemm& gemm, const void* rhs, void* packed, ThreadPool* pool);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_GEMM_H_
