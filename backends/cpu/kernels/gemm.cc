#include "backends/cpu/kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "backends/cpu/kernels/convert_runs.h"
#include "backends/cpu/kernels/gemm_kinds.h"
#include "backends/cpu/kernels/transpose_tile.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/interpreter/matmul.h"

namespace hlokit::cpu {

GemmWalk::GemmWalk(const DimensionList& dimensions) {
  const DimensionList list = Joined(dimensions);
  count_ = CountOf(dimensions);
  if (list.empty()) return;
  line_ = list.back().size;
  step_ = list.back().stride;
  if (list.size() == 1) {
    stride_ = list[0].stride;
    return;
  }
  table_.reserve(count_);
  for (int64_t i = 0; i < count_; ++i) table_.push_back(OffsetAt(list, i));
}

namespace {

// Depth of a block: sums of so many products are kept in registers.
constexpr int64_t kGemmDepth = 256;
// Rows of lhs, and columns of rhs, that are packed together: lhs is to stay in
// the second level of the cache, a strip of rhs in the first.
constexpr int64_t kGemmRows = 96;
constexpr int64_t kGemmColumns = 1024;
// With so many strips it pays to lay lhs out in the order of its reading.
constexpr int64_t kStripsForPanels = 8;

template <typename Kind>
class GemmOf : public Gemm {
 public:
  using Packed = typename Kind::Packed;
  using Right = typename Kind::Right;
  using Sum = typename Kind::Sum;
  using Tile = typename Kind::Tile;
  static constexpr int64_t kWidth = Kind::kWidth;
  static constexpr bool kPairs = Kind::kDepthStep == 2;

  explicit GemmOf(GemmProblem problem) : Gemm(std::move(problem)) {
    FillTiles(std::make_integer_sequence<int, Kind::kMaxRows>());
    constexpr PrimitiveType packed = Kind::kPackedType;
    lhs_as_is_ = problem_.lhs_type == packed && !kPairs;
    rhs_as_is_ = problem_.rhs_type == packed && !kPairs;
    out_as_is_ = problem_.out_n.uniform() &&
                 (problem_.out_n.stride() == 1 || problem_.n() == 1) &&
                 SameBits(problem_.out_type);
    column_step_ = kWidth;
    row_step_ = Kind::kMaxRows;
  }

  void Run(const void* lhs, const void* rhs, const void* packed, void* out,
           int64_t m0, int64_t m1, int64_t n0, int64_t n1) const override {
    for (int64_t n = n0; n < n1; n += kGemmColumns) {
      RunColumns(static_cast<const char*>(lhs), static_cast<const char*>(rhs),
                 static_cast<const Right*>(packed), static_cast<char*>(out), m0,
                 m1, n, std::min(n + kGemmColumns, n1));
    }
  }

  int64_t PackedBytes() const override {
    if (RightInPlace()) return 0;
    return PackedAt(RoundedUp(problem_.k(), Kind::kDepthStep), 0) *
           static_cast<int64_t>(sizeof(Right));
  }

  void Pack(const void* rhs, int64_t n0, int64_t n1,
            void* packed) const override {
    int64_t depth = 0;
    for (int64_t k0 = 0; k0 < problem_.k(); k0 += depth) {
      depth = DepthAt(k0);
      for (int64_t n = n0; n < n1; n += kGemmColumns) {
        PackRight(static_cast<const char*>(rhs), k0, depth, n,
                  std::min(kGemmColumns, n1 - n), 0, StripSize(depth),
                  static_cast<Right*>(packed) + PackedAt(k0, n));
      }
    }
  }

 private:
  template <int... kLess>
  void FillTiles(std::integer_sequence<int, kLess...>) {
    ((tiles_[kLess] = Kind::template TileOf<kLess + 1>()), ...);
  }

  static bool SameBits(PrimitiveType type) {
    if constexpr (std::is_same_v<Sum, int32_t>) {
      return type == kS32 || type == kU32;
    } else if constexpr (std::is_same_v<Sum, uint64_t>) {
      return type == kS64 || type == kU64;
    } else {
      return type == PrimitiveTypeOf<Sum>();
    }
  }

  // A strip of rhs in a block of this depth.
  static int64_t StripSize(int64_t depth) {
    return RoundedUp(depth, Kind::kDepthStep) * kWidth * Kind::kRightPerColumn;
  }
  // Where the strip of column n begins in packed rhs, of the block at k0: one
  // block after the other.
  int64_t PackedAt(int64_t k0, int64_t n) const {
    const int64_t strips = (problem_.n() + kWidth - 1) / kWidth;
    const int64_t depth = k0 < problem_.k() ? DepthAt(k0) : 0;
    return k0 * kWidth * Kind::kRightPerColumn * strips +
           n / kWidth * StripSize(depth);
  }

  // A block of lhs as it is read: element (r, p) at r * row + p * step; or in
  // panels, one for each tile, where the elements of a column follow one
  // another.
  struct Left {
    const Packed* data;
    int64_t row;
    int64_t step;
    bool panels = false;
  };

  // Rows of the tile that begins `rows` before the end of a block. Two tiles
  // of like height are faster than a high and a low one.
  static int64_t TileHeight(int64_t rows) {
    constexpr int64_t kMost = Kind::kMaxRows;
    if (rows > kMost && rows < 2 * kMost) return (rows + 1) / 2;
    return std::min(kMost, rows);
  }

  void RunColumns(const char* lhs, const char* rhs, const Right* packed,
                  char* out, int64_t m0, int64_t m1, int64_t n0,
                  int64_t n1) const {
    const int64_t k = problem_.k();
    const int64_t columns = n1 - n0;
    const int64_t strips = (columns + kWidth - 1) / kWidth;
    Sum* sums = nullptr;
    int64_t sums_row = 0;
    if (!out_as_is_) {
      sums_row = strips * kWidth;
      sums = SumsSpace().Get<Sum>((m1 - m0) * sums_row);
    }
    if (k == 0) std::fill_n(sums, sums == nullptr ? 0 : (m1 - m0) * sums_row,
                            Sum());
    if (k == 0 && out_as_is_) {
      for (int64_t m = m0; m < m1; ++m) {
        std::fill_n(reinterpret_cast<Sum*>(out) + problem_.out_m.At(m) +
                        problem_.out_n.At(n0), columns, Sum());
      }
    }
    int64_t depth = 0;
    for (int64_t k0 = 0; k0 < k; k0 += depth) {
      depth = DepthAt(k0);
      const bool in_place = RightInPlace();
      const Right* right = nullptr;
      int64_t packed_strips_from = 0;
      const int64_t strip_size = StripSize(depth);
      if (in_place) packed_strips_from = columns / kWidth;
      if (packed != nullptr) {
        right = packed + PackedAt(k0, n0);
      } else if (packed_strips_from < strips) {
        Right* space = RightSpace().Get<Right>(strips * strip_size);
        PackRight(rhs, k0, depth, n0, columns, packed_strips_from, strip_size,
                  space);
        right = space;
      }
      int64_t rows = 0;
      for (int64_t m = m0; m < m1; m += rows) {
        rows = std::min(kGemmRows, m1 - m);
        if (ReadsLines()) rows = std::min(rows, problem_.lhs_m.LineAt(m));
        Left left = LeftBlock(lhs, m, rows, k0, depth);
        // Rows that are a multiple of a page apart share few places in the
        // cache.
        const bool share =
            left.row * static_cast<int64_t>(sizeof(Packed)) % 2048 == 0;
        if (!kPairs && strips >= (share ? 2 : kStripsForPanels)) {
          left = Panels(left, rows, depth);
        }
        for (int64_t strip = 0; strip < strips; ++strip) {
          const Right* b = right + strip * strip_size;
          int64_t b_step = kWidth * Kind::kRightPerColumn * Kind::kDepthStep /
                           (kPairs ? 1 : Kind::kDepthStep);
          if (strip < packed_strips_from) {
            b = reinterpret_cast<const Right*>(rhs) + problem_.rhs_k.At(k0) +
                problem_.rhs_n.At(n0 + strip * kWidth);
            b_step = problem_.rhs_k.stride();
          }
          RunStrip(left, depth, rows, b, b_step, m, m0, n0, strip, columns,
                   sums, sums_row, out, k0 > 0);
        }
      }
    }
    if (sums != nullptr) StoreSums(sums, sums_row, m0, m1, n0, n1, out);
  }

  // A strip of the result, all rows of a block: tiles one below the other.
  void RunStrip(const Left& left, int64_t depth, int64_t rows, const Right* b,
                int64_t b_step, int64_t m, int64_t m0, int64_t n0,
                int64_t strip, int64_t columns, Sum* sums, int64_t sums_row,
                char* out, bool accumulate) const {
    const int64_t width = std::min(kWidth, columns - strip * kWidth);
    for (int64_t r = 0; r < rows;) {
      const int64_t height = TileHeight(rows - r);
      Left tile_left = left;
      if (left.panels) {
        tile_left = {left.data + r * depth, 1, height};
      } else {
        tile_left.data += r * left.row;
      }
      const Tile tile = tiles_[height - 1];
      if (sums != nullptr) {
        tile(depth, tile_left.data, tile_left.row, tile_left.step, b, b_step,
             sums + (m + r - m0) * sums_row + strip * kWidth, sums_row,
             accumulate);
      } else {
        Sum* place = reinterpret_cast<Sum*>(out) + problem_.out_m.At(m + r) +
                     n0 + strip * kWidth;
        const bool even = problem_.out_m.uniform() && width == kWidth;
        if (even) {
          tile(depth, tile_left.data, tile_left.row, tile_left.step, b, b_step,
               place, problem_.out_m.stride(), accumulate);
        } else {
          TileAside(tile, depth, tile_left, b, b_step, m + r, height,
                    n0 + strip * kWidth, width, out, accumulate);
        }
      }
      r += height;
    }
  }

  // A tile that does not fit into the result.
  void TileAside(Tile tile, int64_t depth, const Left& left, const Right* b, int64_t b_step, int64_t m, int64_t height,
                 int64_t n, int64_t width, char* out, bool accumulate) const {
    alignas(64) Sum aside[Kind::kMaxRows * kWidth];
    for (int64_t i = 0; accumulate && i < height; ++i) {
      const Sum* row =
          reinterpret_cast<const Sum*>(out) + problem_.out_m.At(m + i) + n;
      std::copy_n(row, width, aside + i * kWidth);
      std::fill_n(aside + i * kWidth + width, kWidth - width, Sum());
    }
    tile(depth, left.data, left.row, left.step, b, b_step, aside, kWidth,
         accumulate);
    for (int64_t i = 0; i < height; ++i) {
      Sum* row = reinterpret_cast<Sum*>(out) + problem_.out_m.At(m + i) + n;
      std::copy_n(aside + i * kWidth, width, row);
    }
  }

  // A small rhs is read where it lies.
  bool RightInPlace() const {
    if constexpr (!std::is_same_v<Packed, Right> || kPairs) {
      return false;
    } else {
      return rhs_as_is_ && problem_.rhs_n.uniform() &&
             problem_.rhs_n.stride() == 1 && problem_.rhs_k.uniform() &&
             problem_.k() * problem_.rhs_k.stride() <= (1 << 14);
    }
  }

  // Whether lhs lies in lines, which can be read where they are: in each row
  // what is summed over in long runs, and rows at equal distances. (So do the
  // inputs of convolutions.)
  bool ReadsLines() const {
    return lhs_as_is_ && problem_.lhs_k.run() >= 32 &&
           problem_.lhs_m.LineAt(0) >= 2 * Kind::kMaxRows;
  }
  // Of the block at k0: not beyond the end of a run that is read where it lies.
  int64_t DepthAt(int64_t k0) const {
    const int64_t depth = std::min(kGemmDepth, problem_.k() - k0);
    return ReadsLines() ? std::min(depth, problem_.lhs_k.RunAt(k0)) : depth;
  }

  // The block of lhs: where it lies if it can be read there, else packed.
  Left LeftBlock(const char* lhs, int64_t m, int64_t rows, int64_t k0,
                 int64_t depth) const {
    const GemmWalk& walk_m = problem_.lhs_m;
    const GemmWalk& walk_k = problem_.lhs_k;
    if (ReadsLines()) {
      return {reinterpret_cast<const Packed*>(lhs) + walk_m.At(m) +
                  walk_k.At(k0),
              walk_m.step(), 1};
    }
    const bool near = walk_k.stride() == 1 || walk_m.stride() == 1 ||
                      problem_.k() * problem_.m() <= (1 << 13);
    if (lhs_as_is_ && walk_m.uniform() && walk_k.uniform() &&
        (walk_k.stride() == 1 || near)) {
      const bool far = walk_k.stride() * static_cast<int64_t>(sizeof(Packed)) >
                           1024 && problem_.n() > kWidth;
      if (!far) {
        return {reinterpret_cast<const Packed*>(lhs) + walk_m.At(m) +
                    walk_k.At(k0),
                walk_m.stride(), walk_k.stride()};
      }
    }
    Packed* space = LeftSpace().Get<Packed>(kGemmRows * (kGemmDepth + 2));
    const int64_t bytes = StorageBytes(problem_.lhs_type);
    if (!kPairs && walk_m.run() > 1 &&
        (walk_k.run() == 1 || walk_m.run() > walk_k.run())) {
      for (int64_t p = 0; p < depth; ++p) {
        const int64_t base = walk_k.At(k0 + p);
        for (int64_t r = 0; r < rows;) {
          const int64_t count = std::min(rows - r, walk_m.RunAt(m + r));
          CopyRun(problem_.lhs_type,
                  lhs + (base + walk_m.At(m + r)) * bytes,
                  space + p * kGemmRows + r, count);
          r += count;
        }
      }
      return {space, 1, kGemmRows};
    }
    const int64_t row = depth + depth % Kind::kDepthStep;
    for (int64_t r = 0; r < rows; ++r) {
      const char* base = lhs + walk_m.At(m + r) * bytes;
      GatherRow(problem_.lhs_type, base, walk_k, k0, depth, space + r * row);
      if (row > depth) space[r * row + depth] = Packed();
    }
    return {space, row, 1};
  }

  // The block once more, in panels.
  static Left Panels(const Left& left, int64_t rows, int64_t depth) {
    constexpr int kMost = Kind::kMaxRows;
    Packed* space = PanelSpace().Get<Packed>(kGemmRows * kGemmDepth);
    Packed* to = space;
    for (int64_t r = 0; r < rows;) {
      const int64_t height = TileHeight(rows - r);
      const Packed* from = left.data + r * left.row;
      if (height == kMost && left.step == 1) {
        for (int64_t p = 0; p < depth; ++p, to += kMost) {
#pragma GCC unroll 16
          for (int i = 0; i < kMost; ++i) to[i] = from[i * left.row + p];
        }
      } else {
        for (int64_t p = 0; p < depth; ++p) {
          for (int64_t i = 0; i < height; ++i) {
            *to++ = from[i * left.row + p * left.step];
          }
        }
      }
      r += height;
    }
    return {space, 1, 0, true};
  }

  static void CopyRun(PrimitiveType type, const char* from, Packed* to,
                      int64_t count) {
    if (type == Kind::kPackedType) {
      if (count == 1) {
        std::memcpy(to, from, sizeof(Packed));
      } else {
        std::memcpy(to, from, count * sizeof(Packed));
      }
    } else {
      Convert(type, from, to, count);
    }
  }
  static void Convert(PrimitiveType type, const char* from, Packed* to,
                      int64_t count) {
    if constexpr (Kind::kPackedType == kBF16) {
      HLOKIT_CHECK(type == kBF16);  // the only type that comes here
    } else {
      ConvertRun(type, from, to, count);
    }
  }

  // to[i] = element walk.At(first + i) from `base`.
  static void GatherRow(PrimitiveType type, const char* base,
                        const GemmWalk& walk, int64_t first, int64_t count,
                        Packed* to) {
    const int64_t bytes = StorageBytes(type);
    if (walk.run() >= 4) {
      for (int64_t i = 0; i < count;) {
        const int64_t run = std::min(count - i, walk.RunAt(first + i));
        CopyRun(type, base + walk.At(first + i) * bytes, to + i, run);
        i += run;
      }
      return;
    }
    if (type == Kind::kPackedType) {
      const Packed* from = reinterpret_cast<const Packed*>(base);
      for (int64_t i = 0; i < count; ++i) to[i] = from[walk.At(first + i)];
      return;
    }
    alignas(16) char raw[kGemmDepth * 16];
    for (int64_t i = 0; i < count; ++i) {
      const char* from = base + walk.At(first + i) * bytes;
      switch (bytes) {
        case 1:
          raw[i] = *from;
          break;
        case 2:
          std::memcpy(raw + 2 * i, from, 2);
          break;
        case 4:
          std::memcpy(raw + 4 * i, from, 4);
          break;
        default:
          std::memcpy(raw + bytes * i, from, bytes);
      }
    }
    Convert(type, raw, to, count);
  }

  // Strips of kWidth columns from `first_strip` on, each [depth][kWidth] and
  // filled up with zeros.
  void PackRight(const char* rhs, int64_t k0, int64_t depth, int64_t n0,
                 int64_t columns, int64_t first_strip, int64_t strip_size,
                 Right* space) const {
    const GemmWalk& walk_k = problem_.rhs_k;
    const GemmWalk& walk_n = problem_.rhs_n;
    const int64_t bytes = StorageBytes(problem_.rhs_type);
    const int64_t strips = (columns + kWidth - 1) / kWidth;
    const bool by_columns = walk_n.run() < walk_k.run();
    if (by_columns) {
      // Columns lie in one piece: read each, then turn strips of them.
      Packed* block = TurnSpace().Get<Packed>(kWidth * kGemmDepth);
      for (int64_t strip = first_strip; strip < strips; ++strip) {
        const int64_t width = std::min(kWidth, columns - strip * kWidth);
        for (int64_t i = 0; i < kWidth; ++i) {
          if (i >= width) {
            std::fill_n(block + i * kGemmDepth, depth, Packed());
            continue;
          }
          GatherRow(problem_.rhs_type,
                    rhs + walk_n.At(n0 + strip * kWidth + i) * bytes, walk_k,
                    k0, depth, block + i * kGemmDepth);
        }
        TurnStrip(block, depth, space + strip * strip_size);
      }
      return;
    }
    const int64_t whole = strips * kWidth;
    const int64_t first = first_strip * kWidth;
    alignas(64) Packed row[2][kGemmColumns];
    for (int64_t p = 0; p < depth; p += Kind::kDepthStep) {
      const Packed* from[2] = {row[0], row[1]};
      for (int i = 0; i < Kind::kDepthStep; ++i) {
        if (p + i >= depth) {
          std::fill_n(row[i], whole, Packed());
          continue;
        }
        const char* base = rhs + walk_k.At(k0 + p + i) * bytes;
        if (rhs_as_is_ && walk_n.uniform() && walk_n.stride() == 1 &&
            whole == columns) {
          from[i] = reinterpret_cast<const Packed*>(base) + n0;
          continue;
        }
        GatherRow(problem_.rhs_type, base, walk_n, n0 + first, columns - first,
                  row[i] + first);
        std::fill_n(row[i] + columns, whole - columns, Packed());
      }
      for (int64_t strip = first_strip; strip < strips; ++strip) {
        Right* to = space + strip * strip_size +
                    p * kWidth * Kind::kRightPerColumn;
        if constexpr (kPairs) {
          Kind::PackColumnPairs(from[0] + strip * kWidth,
                                from[1] + strip * kWidth, to);
        } else {
          Kind::PackColumns(from[0] + strip * kWidth, to);
        }
      }
    }
  }

  // kWidth columns of `depth` elements, kGemmDepth apart, as a strip.
  static void TurnStrip(const Packed* block, int64_t depth, Right* to) {
    if constexpr (kPairs) {
      for (int64_t p = 0; p < depth; p += 2) {
        for (int64_t i = 0; i < kWidth; ++i) {
          const Packed* pair = block + i * kGemmDepth + p;
          to[p * kWidth + 2 * i] = pair[0];
          to[p * kWidth + 2 * i + 1] = p + 1 < depth ? pair[1] : Packed();
        }
      }
    } else if constexpr (std::is_same_v<Packed, Right> && sizeof(Packed) <= 8) {
      TransposeBlock(reinterpret_cast<const MoveUnit<Packed>*>(block),
                     kGemmDepth, reinterpret_cast<MoveUnit<Packed>*>(to),
                     kWidth, depth, kWidth);
    } else {
      Packed row[kWidth];
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = 0; i < kWidth; ++i) row[i] = block[i * kGemmDepth + p];
        Kind::PackColumns(row, to + p * kWidth * Kind::kRightPerColumn);
      }
    }
  }

  void StoreSums(const Sum* sums, int64_t sums_row, int64_t m0, int64_t m1,
                 int64_t n0, int64_t n1, char* out) const {
    const int64_t bytes = StorageBytes(problem_.out_type);
    const GemmWalk& walk = problem_.out_n;
    alignas(16) char raw[kGemmColumns * 16];
    for (int64_t m = m0; m < m1; ++m) {
      const Sum* row = sums + (m - m0) * sums_row;
      char* base = out + problem_.out_m.At(m) * bytes;
      if (walk.uniform() && walk.stride() == 1) {
        StoreElements(row, base + n0 * bytes, n1 - n0);
        continue;
      }
      StoreElements(row, raw, n1 - n0);
      for (int64_t n = n0; n < n1; ++n) {
        std::memcpy(base + walk.At(n) * bytes, raw + (n - n0) * bytes, bytes);
      }
    }
  }
  void StoreElements(const Sum* from, char* to, int64_t count) const {
    if (SameBits(problem_.out_type)) {
      std::memcpy(to, from, count * sizeof(Sum));
    } else {
      StoreRun(from, problem_.out_type, to, count);
    }
  }

  static Workspace& LeftSpace() {
    thread_local Workspace space;
    return space;
  }
  static Workspace& PanelSpace() {
    thread_local Workspace space;
    return space;
  }
  static Workspace& RightSpace() {
    thread_local Workspace space;
    return space;
  }
  static Workspace& TurnSpace() {
    thread_local Workspace space;
    return space;
  }
  static Workspace& SumsSpace() {
    thread_local Workspace space;
    return space;
  }

  std::array<Tile, Kind::kMaxRows> tiles_ = {};
  bool lhs_as_is_ = false;
  bool rhs_as_is_ = false;
  bool out_as_is_ = false;
};

// Whether products of this type are exact as pairs of 16-bit integers.
bool FitsInt16(PrimitiveType type) {
  return type == kPred || type == kS16 ||
         (IsIntegerType(type) && BitWidth(type) <= 8);
}

// A real product in 512-bit registers where that is allowed and fills them.
template <typename T>
std::unique_ptr<Gemm> MakeReal(GemmProblem problem, Isa isa) {
  using Wide = RealGemm<T, 64>;
  if (isa >= Isa::kAvx512 && problem.n() > Wide::kWidth / 2) {
    return std::make_unique<GemmOf<Wide>>(std::move(problem));
  }
  return std::make_unique<GemmOf<RealGemm<T, 32>>>(std::move(problem));
}

std::unique_ptr<Gemm> MakeF32(GemmProblem problem, Isa isa) {
  const bool bf16 = problem.lhs_type == kBF16 && problem.rhs_type == kBF16;
  if (bf16 && isa >= Isa::kAmx && problem.m() > 1) {
    return std::make_unique<GemmOf<Bf16Pairs<true>>>(std::move(problem));
  }
  if (bf16 && isa >= Isa::kAvx512Bf16) {
    return std::make_unique<GemmOf<Bf16Pairs<false>>>(std::move(problem));
  }
  return MakeReal<float>(std::move(problem), isa);
}

std::unique_ptr<Gemm> MakeIntegerPairs(GemmProblem problem, Isa isa) {
  using Wide = IntegerPairs<64>;
  if (isa >= Isa::kAvx512 && problem.n() > Wide::kWidth / 2) {
    return std::make_unique<GemmOf<Wide>>(std::move(problem));
  }
  return std::make_unique<GemmOf<IntegerPairs<32>>>(std::move(problem));
}

}  // namespace

std::unique_ptr<Gemm> Gemm::Make(GemmProblem problem, Isa isa) {
  const PrimitiveType out = problem.out_type;
  const PrimitiveType products = interpreter::ProductType(
      problem.lhs_type, problem.rhs_type, out);
  switch (products) {
    case kF32:
      if (!IsFloatType(out)) return nullptr;
      return MakeF32(std::move(problem), isa);
    case kF64:
      if (!IsFloatType(out)) return nullptr;
      return MakeReal<double>(std::move(problem), isa);
    case kC64:
      if (!IsComplexType(out)) return nullptr;
      return std::make_unique<GemmOf<ComplexGemm<float>>>(std::move(problem));
    case kC128:
      if (!IsComplexType(out)) return nullptr;
      return std::make_unique<GemmOf<ComplexGemm<double>>>(std::move(problem));
    case kU64:
      return std::make_unique<GemmOf<RealGemm<uint64_t, 32>>>(
          std::move(problem));
    default:
      break;
  }
  if (isa >= Isa::kAvx2 && FitsInt16(problem.lhs_type) &&
      FitsInt16(problem.rhs_type)) {
    return MakeIntegerPairs(std::move(problem), isa);
  }
  return std::make_unique<GemmOf<RealGemm<int32_t, 32>>>(std::move(problem));
}

}  // namespace hlokit::cpu
