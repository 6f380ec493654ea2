// Batches of products on several threads.
#include <algorithm>

#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/workspace.h"

namespace hlokit::cpu {

bool GemmBatch::HasOneRhs() const {
  return std::all_of(rhs.begin(), rhs.end(), [](const Dimension& d) {
    return d.size == 1 || d.stride == 0;
  });
}

namespace {

// Tasks of about this many products each are worth their start.
constexpr double kTaskWork = 1 << 18;

// How one product is cut.
struct Cut {
  int64_t height, width;
};

Cut CutOf(const Gemm& gemm, int64_t batch, int64_t threads, bool packed) {
  const GemmProblem& problem = gemm.problem();
  const int64_t m = problem.m(), n = problem.n();
  const double work = 1.0 * m * n * std::max<int64_t>(problem.k(), 1);
  int64_t row_parts = 1, column_parts = 1;
  if (threads > 1 && batch < 4 * threads && work > kTaskWork) {
    if (packed) {
      // Rows are not packed twice if only they are cut; there are to be so many
      // of them that a strip of rhs is worth its fetching.
      constexpr int64_t kRows = 48;
      const int64_t wanted = (8 * threads + batch - 1) / batch;
      row_parts = std::clamp<int64_t>(m / kRows, 1, wanted);
      column_parts = (wanted + row_parts - 1) / row_parts;
      if (row_parts >= 2 * threads) column_parts = 1;
      column_parts = std::clamp<int64_t>(column_parts, 1,
                                         n / (4 * gemm.column_step()) + 1);
    } else {
      // Each task packs its operands for itself, so large ones are few.
      constexpr double kLargeWork = 1 << 24;
      const int64_t wanted =
          work * batch / (2 * threads) > kLargeWork ? 2 * threads : 4 * threads;
      int64_t parts = static_cast<int64_t>(
          std::min(work / kTaskWork + 1,
                   1.0 * (wanted + batch - 1) / static_cast<double>(batch)));
      // Cut the longer side first.
      while (parts > 1) {
        const int64_t height = m / row_parts, width = n / column_parts;
        if (height >= width && height > 2 * gemm.row_step()) {
          row_parts *= 2;
        } else if (width > 2 * gemm.column_step()) {
          column_parts *= 2;
        } else {
          break;
        }
        parts /= 2;
      }
    }
  }
  return {RoundedUp((m + row_parts - 1) / row_parts, gemm.row_step()),
          RoundedUp((n + column_parts - 1) / column_parts,
                    gemm.column_step())};
}

// Whether rhs is packed once for all tasks: where several would pack the same,
// and it is small enough to be kept.
bool PacksFirst(const Gemm& gemm, const GemmBatch& batch, int64_t threads) {
  constexpr int64_t kMostBytes = 32 << 20;
  // What one thread would pack at a time.
  constexpr int64_t kOneBlock = kGemmDepth * kGemmColumns * 4;
  const GemmProblem& problem = gemm.problem();
  const double work =
      1.0 * problem.m() * problem.n() * problem.k() * batch.count;
  if (!batch.HasOneRhs() || work < 16 * kTaskWork) return false;
  const int64_t bytes = gemm.PackedBytes();
  if (bytes == 0 || bytes > (threads > 1 ? kMostBytes : kOneBlock)) {
    return false;
  }
  if (batch.count > 1) return true;
  const Cut cut = CutOf(gemm, 1, threads, false);
  return cut.height < problem.m();
}

}  // namespace

void PackRhs(const Gemm& gemm, const void* rhs, void* packed,
             ThreadPool* pool) {
  const int64_t n = gemm.problem().n();
  const int64_t threads = pool == nullptr ? 1 : pool->parallelism();
  if (threads == 1) return gemm.Pack(rhs, 0, n, packed);
  const int64_t width = RoundedUp(std::max<int64_t>(n / (4 * threads), 64),
                                  gemm.column_step());
  pool->ParallelFor(n, width, [&](int64_t begin, int64_t end) {
    gemm.Pack(rhs, begin, end, packed);
  });
}

void RunGemm(const Gemm& gemm, const GemmBatch& batch, const void* lhs,
             const void* rhs, const void* packed, void* out,
             ThreadPool* pool) {
  const GemmProblem& problem = gemm.problem();
  const int64_t m = problem.m(), n = problem.n();
  if (m == 0 || n == 0 || batch.count == 0) return;
  const double work = 1.0 * m * n * std::max<int64_t>(problem.k(), 1);
  const int64_t threads = pool == nullptr ? 1 : pool->parallelism();
  if (packed == nullptr && PacksFirst(gemm, batch, threads)) {
    thread_local Workspace space;
    void* const room = space.Get<char>(gemm.PackedBytes());
    PackRhs(gemm, rhs, room, pool);
    packed = room;
  }
  const auto [height, width] =
      CutOf(gemm, batch.count, threads, packed != nullptr);
  const int64_t row_parts = (m + height - 1) / height;
  const int64_t column_parts = (n + width - 1) / width;
  const int64_t parts = row_parts * column_parts;
  const int64_t lhs_bytes = StorageBytes(problem.lhs_type);
  const int64_t rhs_bytes = StorageBytes(problem.rhs_type);
  const int64_t out_bytes = StorageBytes(problem.out_type);
  const auto run = [&, height = height, width = width](int64_t begin,
                                                       int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / parts, part = task % parts;
      const int64_t m0 = part / column_parts * height;
      const int64_t n0 = part % column_parts * width;
      gemm.Run(
          static_cast<const char*>(lhs) + OffsetAt(batch.lhs, i) * lhs_bytes,
          static_cast<const char*>(rhs) + OffsetAt(batch.rhs, i) * rhs_bytes,
          packed,
          static_cast<char*>(out) + OffsetAt(batch.out, i) * out_bytes, m0,
          std::min(m0 + height, m), n0, std::min(n0 + width, n));
    }
  };
  if (threads == 1 || work * batch.count < 2 * kTaskWork) {
    run(0, parts * batch.count);
    return;
  }
  const double each = work / parts;
  pool->ParallelFor(parts * batch.count,
                    each > kTaskWork ? 1 : static_cast<int64_t>(
                                               kTaskWork / std::max(each, 1.0)),
                    run);
}

}  // namespace hlokit::cpu
