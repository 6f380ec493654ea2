// The k largest or smallest elements of each row of the last dimension.
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/order_keys.h"
#include "backends/cpu/kernels/radix_sort.h"
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/top_k.h"
#include "backends/cpu/kernels/workspace.h"

namespace hlokit::cpu {
namespace {

// The best so far are kept in order; more than so many are sorted instead.
constexpr int64_t kKeptInOrder = 128;
constexpr int64_t kScanBlock = 64;

HLOKIT_SIMD_INLINE uint32_t LargestOfBlockBody(const uint32_t* keys) {
  using V = Simd<uint32_t>;
  V best = LoadVector<V>(keys);
  for (int64_t i = 8; i < kScanBlock; i += 8) {
    const V next = LoadVector<V>(keys + i);
    best = best > next ? best : next;
  }
  uint32_t result = 0;
  for (int i = 0; i < 8; ++i) result = std::max<uint32_t>(result, best[i]);
  return result;
}
HLOKIT_SIMD_KERNEL(uint32_t, LargestOfBlock, LargestOfBlockBody,
                   (const uint32_t* keys), (keys))

HLOKIT_SIMD_INLINE void FloatKeysBody(const uint32_t* bits, uint32_t turn,
                                      uint32_t* keys, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t sign = static_cast<uint32_t>(
        static_cast<int32_t>(bits[i]) >> 31);
    keys[i] = (bits[i] ^ (sign | 0x80000000u)) ^ turn;
  }
}
HLOKIT_SIMD_KERNEL(void, FloatKeys, FloatKeysBody,
                   (const uint32_t* bits, uint32_t turn, uint32_t* keys,
                    int64_t count),
                   (bits, turn, keys, count))

// Larger keys first, of equal ones the first.
template <typename Key>
struct Kept {
  Key key;
  int32_t index;
};

template <typename Key>
void KeepLargest(const Key* keys, int64_t n, int64_t k, Kept<Key>* kept) {
  int64_t size = 0;
  const auto offer = [&](int64_t i) {
    const Key key = keys[i];
    if (size == k && key <= kept[k - 1].key) return;
    int64_t place = size < k ? size++ : k - 1;
    for (; place > 0 && kept[place - 1].key < key; --place) {
      kept[place] = kept[place - 1];
    }
    kept[place] = {key, static_cast<int32_t>(i)};
  };
  int64_t i = 0;
  for (; i < n && size < k; ++i) offer(i);
  if constexpr (sizeof(Key) == 4) {
    for (; i + kScanBlock <= n; i += kScanBlock) {
      if (LargestOfBlock(keys + i) <= kept[k - 1].key) continue;
      for (int64_t j = i; j < i + kScanBlock; ++j) offer(j);
    }
  }
  for (; i < n; ++i) offer(i);
}

class TopKKernel : public NativeKernel {
 public:
  TopKKernel(PrimitiveType type, int64_t rows, int64_t size, int64_t k,
             bool largest)
      : type_(type), rows_(rows), size_(size), k_(k), largest_(largest) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    if (k_ == 0) return absl::OkStatus();
    context.pool->ParallelFor(
        rows_, GrainFor(size_), [&](int64_t begin, int64_t end) {
          DispatchOrderedType(type_, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (int64_t row = begin; row < end; ++row) {
              OneRow(static_cast<const T*>(operands[0]) + row * size_,
                     static_cast<T*>(results[0]) + row * k_,
                     static_cast<int32_t*>(results[1]) + row * k_);
            }
          });
        });
    return absl::OkStatus();
  }

 private:
  template <typename T>
  void OneRow(const T* row, T* values, int32_t* indices) const {
    using Key = OrderKeyOf<T>;
    thread_local Workspace key_space, item_space, scratch_space;
    const Key turn = largest_ ? Key{0} : ~Key{0};
    if (k_ > kKeptInOrder) {
      // Ascending, so turned round.
      using Item = std::conditional_t<sizeof(Key) == 8, Key64PayloadItem,
                                      Key32PayloadItem>;
      Item* items = item_space.Get<Item>(size_);
      for (int64_t i = 0; i < size_; ++i) {
        items[i].key = ~(OrderKey(row[i], KeyOrder::kTotal) ^ turn);
        items[i].payload = i;
      }
      const Item* sorted =
          RadixSort(items, scratch_space.Get<Item>(size_), size_);
      for (int64_t i = 0; i < k_; ++i) {
        indices[i] = static_cast<int32_t>(sorted[i].payload);
        values[i] = row[indices[i]];
      }
      return;
    }
    Key* keys = key_space.Get<Key>(size_);
    if constexpr (std::is_same_v<T, float>) {
      FloatKeys(reinterpret_cast<const uint32_t*>(row), turn, keys, size_);
    } else {
      for (int64_t i = 0; i < size_; ++i) {
        keys[i] = OrderKey(row[i], KeyOrder::kTotal) ^ turn;
      }
    }
    Kept<Key> kept[kKeptInOrder];
    KeepLargest(keys, size_, k_, kept);
    for (int64_t i = 0; i < k_; ++i) {
      indices[i] = kept[i].index;
      values[i] = row[indices[i]];
    }
  }

  PrimitiveType type_;
  int64_t rows_, size_, k_;
  bool largest_;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeTopKKernelFor(const Shape& operand,
                                                const Shape& shape,
                                                bool largest) {
  if (!shape.IsTuple() || shape.tuple_shapes().size() != 2) return nullptr;
  const auto from = ViewOf(operand);
  const auto values = ViewOf(shape.tuple_shape(0));
  const auto indices = ViewOf(shape.tuple_shape(1));
  if (!from || !values || !indices || from->rank() == 0 ||
      from->type != values->type || indices->type != kS32 ||
      values->sizes != indices->sizes || values->rank() != from->rank() ||
      IsComplexType(from->type) || !IsRowMajor(*from) ||
      !IsRowMajor(*values) || !IsRowMajor(*indices)) {
    return nullptr;
  }
  const int64_t last = from->rank() - 1;
  const int64_t size = from->sizes[last], k = values->sizes[last];
  for (int64_t d = 0; d < last; ++d) {
    if (from->sizes[d] != values->sizes[d]) return nullptr;
  }
  if (k > size || size > std::numeric_limits<int32_t>::max()) return nullptr;
  const int64_t rows = size == 0 ? 0 : from->elements / size;
  return std::make_unique<TopKKernel>(from->type, rows, size, k, largest);
}

std::unique_ptr<NativeKernel> MakeTopKKernel(const Instruction& instruction,
                                             KernelEnvironment& environment) {
  return MakeTopKKernelFor(
      instruction.operand(0)->shape(), instruction.shape(),
      instruction.attrs().GetBool(AttrId::kLargest, true));
}

}  // namespace hlokit::cpu
