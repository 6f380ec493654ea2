// Sorts along one dimension. Comparators that compare one operand's elements,
// perhaps after a function of each, become unsigned keys, which are sorted
// digit by digit; all others are called.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/order_keys.h"
#include "backends/cpu/kernels/radix_sort.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/cpu/native_kernel.h"
#include "backends/interpreter/combiner.h"
#include "backends/interpreter/merge_sort.h"
#include "backends/interpreter/sort_key_function.h"

namespace hlokit::cpu {
namespace {

// Where the rows lie: operand and result alike.
struct SortRows {
  int64_t count = 0;     // elements of a row
  int64_t stride = 0;
  DimensionList others;  // the other dimensions, the fastest last
  int64_t rows = 0;

  int64_t StartOf(int64_t row) const { return OffsetAt(others, row); }
};

void CopyOneElement(const char* from, char* to, int64_t bytes) {
  switch (bytes) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, bytes);
  }
}

template <typename Bytes>
void PermuteAs(const Bytes* from, const int64_t* order, int64_t count,
               Bytes* to, int64_t stride) {
  for (int64_t i = 0; i < count; ++i) to[i * stride] = from[order[i]];
}

// to[i * stride] = from[order[i]]
void Permute(const char* from, const int64_t* order, int64_t count, char* to,
             int64_t stride, int64_t bytes) {
  switch (bytes) {
    case 1:
      return PermuteAs(reinterpret_cast<const uint8_t*>(from), order, count,
                       reinterpret_cast<uint8_t*>(to), stride);
    case 2:
      return PermuteAs(reinterpret_cast<const uint16_t*>(from), order, count,
                       reinterpret_cast<uint16_t*>(to), stride);
    case 4:
      return PermuteAs(reinterpret_cast<const uint32_t*>(from), order, count,
                       reinterpret_cast<uint32_t*>(to), stride);
    case 8:
      return PermuteAs(reinterpret_cast<const uint64_t*>(from), order, count,
                       reinterpret_cast<uint64_t*>(to), stride);
    default:
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * stride * bytes, from + order[i] * bytes, bytes);
      }
  }
}

// What compares the elements of one operand.
struct SortKeySpec {
  int64_t operand = 0;
  PrimitiveType element = kInvalid;  // of the operand
  PrimitiveType key_type = kInvalid;
  KeyOrder order = KeyOrder::kTotal;
  bool descending = false;
  // A function of the elements: made anew for each thread that needs one.
  bool has_function = false;
};

bool IsConstantThat(const Instruction* i, bool (*holds)(double)) {
  return i->opcode() == Opcode::kConstant && i->literal() != nullptr &&
         i->literal()->shape().IsScalar() &&
         IsFloatType(i->literal()->element_type()) &&
         holds(i->literal()->GetAsDouble(0));
}

// select(x != x, NaN, select(x == 0, 0, x)): how JAX makes floats comparable.
const Instruction* CanonicalizedBy(const Instruction* f) {
  const auto is_compare = [](const Instruction* c, ComparisonDirection d) {
    return c->opcode() == Opcode::kCompare && c->comparison_direction() == d &&
           c->comparison_type() == ComparisonType::kFloat;
  };
  if (f->opcode() != Opcode::kSelect) return nullptr;
  const Instruction* is_nan = f->operand(0);
  const Instruction* inner = f->operand(2);
  if (!is_compare(is_nan, ComparisonDirection::kNe) ||
      inner->opcode() != Opcode::kSelect ||
      !IsConstantThat(f->operand(1), [](double v) {
        return std::isnan(v) && !std::signbit(v);
      })) {
    return nullptr;
  }
  const Instruction* x = inner->operand(2);
  const auto is_zero = [](double v) { return v == 0 && !std::signbit(v); };
  const Instruction* zero = inner->operand(0);
  const bool right = x->opcode() == Opcode::kParameter &&
                     is_nan->operand(0) == x && is_nan->operand(1) == x &&
                     is_compare(zero, ComparisonDirection::kEq) &&
                     zero->operand(0) == x &&
                     IsConstantThat(zero->operand(1), is_zero) &&
                     IsConstantThat(inner->operand(1), is_zero);
  return right ? x : nullptr;
}

std::optional<SortKeySpec> RecognizeSortKey(const Instruction& sort) {
  const Computation& comparator = *sort.to_apply();
  const Instruction* root = comparator.root();
  for (int64_t i = 0; i < sort.operand_count(); ++i) {
    SortKeySpec spec;
    spec.operand = i;
    spec.element = sort.operand(i)->shape().element_type();
    auto comparison =
        interpreter::RecognizeComparison(comparator, 2 * i, 2 * i + 1);
    if (!comparison && root->opcode() == Opcode::kCompare) {
      const Instruction* a = CanonicalizedBy(root->operand(0));
      const Instruction* b = CanonicalizedBy(root->operand(1));
      const bool forward = a != nullptr && b != nullptr &&
                           a->parameter_number() == 2 * i &&
                           b->parameter_number() == 2 * i + 1;
      if (forward) {
        comparison = interpreter::Comparison{root->comparison_direction(),
                                             root->comparison_type(),
                                             a->shape().element_type()};
        spec.order = KeyOrder::kCanonical;
      }
    }
    if (!comparison) {
      interpreter::Context context{ExecuteOptions()};
      if (interpreter::SortKeyFunction::Recognize(
              context, comparator, 2 * i, 2 * i + 1, &comparison) == nullptr) {
        continue;
      }
      spec.has_function = true;
    }
    const bool less = comparison->direction == ComparisonDirection::kLt;
    if ((!less && comparison->direction != ComparisonDirection::kGt) ||
        IsComplexType(comparison->element)) {
      return std::nullopt;
    }
    spec.descending = !less;
    spec.key_type = comparison->element;
    if (IsFloatType(spec.key_type) &&
        comparison->type == ComparisonType::kFloat) {
      spec.order = KeyOrder::kPlain;
    }
    return spec;
  }
  return std::nullopt;
}

class KeySortKernel : public NativeKernel {
 public:
  KeySortKernel(const Instruction& instruction, SortKeySpec spec, SortRows rows,
                std::vector<int64_t> bytes)
      : comparator_(instruction.to_apply()), spec_(spec),
        rows_(std::move(rows)), bytes_(std::move(bytes)) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    const bool wide = StorageBytes(spec_.key_type) == 8;
    const bool single = operands.size() == 1;
    // The element itself can be told from its key.
    const bool invertible = single && spec_.order == KeyOrder::kTotal &&
                            !spec_.has_function &&
                            StorageBytes(spec_.element) >= 4;
    if (wide) {
      return invertible ? Sort<Key64Item>(operands, results, context)
                        : Sort<Key64PayloadItem>(operands, results, context);
    }
    return invertible ? Sort<Key32Item>(operands, results, context)
                      : Sort<Key32PayloadItem>(operands, results, context);
  }

 private:
  // Rows that are next to each other in memory are read and written together.
  static constexpr int64_t kTogether = 16;

  template <typename Item>
  static constexpr bool HasPayload() {
    return sizeof(Item) > sizeof(decltype(Item::key));
  }

  template <typename Item>
  absl::Status Sort(absl::Span<const void* const> operands,
                    absl::Span<void* const> results,
                    const KernelContext& context) const {
    const int64_t n = rows_.count;
    if (n == 0 || rows_.rows == 0) return absl::OkStatus();
    const int64_t inner =
        rows_.others.empty() ? 1 : rows_.others.back().size;
    const bool adjacent = rows_.stride != 1 && !rows_.others.empty() &&
                          rows_.others.back().stride == 1;
    const int64_t together =
        adjacent ? std::min<int64_t>(kTogether, inner) : 1;
    // Groups do not cross the end of the fastest of the other dimensions.
    const int64_t groups_inner = (inner + together - 1) / together;
    const int64_t groups = rows_.rows / inner * groups_inner;
    const bool few = groups < context.pool->parallelism();
    absl::Mutex mutex;
    absl::Status status;
    context.pool->ParallelFor(
        groups, few ? groups : GrainFor(n * together * 8),
        [&](int64_t begin, int64_t end) {
          absl::Status one;
          for (int64_t g = begin; g < end && one.ok(); ++g) {
            const int64_t first = g % groups_inner * together;
            one = SortGroup<Item>(operands, results,
                                  g / groups_inner * inner + first,
                                  std::min(together, inner - first),
                                  few ? context.pool : nullptr);
          }
          if (!one.ok()) {
            absl::MutexLock lock(&mutex);
            status = one;
          }
        });
    return status;
  }

  template <typename Item>
  absl::Status SortGroup(absl::Span<const void* const> operands,
                         absl::Span<void* const> results, int64_t row,
                         int64_t count, ThreadPool* pool) const {
    const int64_t n = rows_.count;
    const int64_t start = rows_.StartOf(row);
    thread_local Workspace item_space, scratch_space, element_space,
        order_space;
    Item* items = item_space.Get<Item>(n * count);
    Item* scratch = scratch_space.Get<Item>(n * count);
    const char* keys = static_cast<const char*>(operands[spec_.operand]);
    std::vector<char> computed;
    if (spec_.has_function) {
      // Keys come from the function, of one row after another.
      const int64_t bytes = StorageBytes(spec_.element);
      const int64_t key_bytes = StorageBytes(spec_.key_type);
      std::unique_ptr<interpreter::SortKeyFunction> function = TakeFunction();
      char* elements = element_space.Get<char>(n * count * bytes);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t r = 0; r < count; ++r) {
          CopyOneElement(keys + (start + r + i * rows_.stride) * bytes,
                         elements + (r * n + i) * bytes, bytes);
        }
      }
      const absl::Status status =
          function->Run(spec_.element, elements, n * count, &computed);
      GiveFunction(std::move(function));
      if (!status.ok()) return status;
      for (int64_t r = 0; r < count; ++r) {
        LoadKeys(computed.data() + r * n * key_bytes, 1, 1, 0, items + r * n);
      }
    } else {
      LoadKeys(keys + start * StorageBytes(spec_.element), rows_.stride, count,
               n, items);
    }
    if constexpr (HasPayload<Item>())
      SetPayloads(operands, start, count, items);
    std::vector<Item*> sorted(count);
    for (int64_t r = 0; r < count; ++r) {
      sorted[r] =
          ParallelRadixSort(items + r * n, scratch + r * n, n, pool);
    }
    StoreGroup(operands, results, start, count, sorted, &element_space,
               &order_space);
    return absl::OkStatus();
  }

  // The keys of `count` rows side by side (1 apart); row r's items begin at
  // items + r * spacing.
  template <typename Item>
  void LoadKeys(const char* from, int64_t stride, int64_t count,
                int64_t spacing, Item* items) const {
    using Key = decltype(Item::key);
    const Key turn = spec_.descending ? ~Key{0} : Key{0};
    DispatchOrderedType(spec_.key_type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<OrderKeyOf<T>, Key>) {
        const T* values = reinterpret_cast<const T*>(from);
        for (int64_t i = 0; i < rows_.count; ++i) {
          for (int64_t r = 0; r < count; ++r) {
            items[r * spacing + i].key =
                OrderKey(values[i * stride + r], spec_.order) ^ turn;
          }
        }
      }
    });
  }

  // A single operand's elements go along if they fit, else their places.
  bool CarriesElements(int64_t payload_bytes) const {
    return bytes_.size() == 1 && bytes_[0] <= payload_bytes;
  }

  template <typename Item>
  void SetPayloads(absl::Span<const void* const> operands, int64_t start,
                   int64_t count, Item* items) const {
    using Payload = decltype(Item::payload);
    const int64_t n = rows_.count;
    if (!CarriesElements(sizeof(Payload))) {
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t i = 0; i < n; ++i) items[r * n + i].payload = i;
      }
      return;
    }
    const int64_t bytes = bytes_[0];
    const char* from = static_cast<const char*>(operands[0]) + start * bytes;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t r = 0; r < count; ++r) {
        Payload payload = 0;
        CopyOneElement(from + (i * rows_.stride + r) * bytes,
                       reinterpret_cast<char*>(&payload), bytes);
        items[r * n + i].payload = payload;
      }
    }
  }

  template <typename Item>
  void StoreGroup(absl::Span<const void* const> operands,
                  absl::Span<void* const> results, int64_t start,
                  int64_t count, const std::vector<Item*>& sorted,
                  Workspace* element_space, Workspace* order_space) const {
    const int64_t n = rows_.count;
    if constexpr (!HasPayload<Item>()) {
      using Key = decltype(Item::key);
      const Key turn = spec_.descending ? ~Key{0} : Key{0};
      Key* to = static_cast<Key*>(results[0]) + start;
      const TypeKind kind = InfoOf(spec_.element).kind;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t r = 0; r < count; ++r) {
          to[i * rows_.stride + r] =
              Inverse<Key>(sorted[r][i].key ^ turn, kind);
        }
      }
    } else {
      if (CarriesElements(sizeof(decltype(Item::payload)))) {
        char* to = static_cast<char*>(results[0]) + start * bytes_[0];
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t r = 0; r < count; ++r) {
            CopyOneElement(
                reinterpret_cast<const char*>(&sorted[r][i].payload),
                to + (i * rows_.stride + r) * bytes_[0], bytes_[0]);
          }
        }
        return;
      }
      int64_t* order = order_space->Get<int64_t>(n * count);
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t i = 0; i < n; ++i) {
          order[r * n + i] = sorted[r][i].payload;
        }
      }
      for (size_t o = 0; o < bytes_.size(); ++o) {
        PermuteRows(static_cast<const char*>(operands[o]),
                    static_cast<char*>(results[o]), start, count, bytes_[o],
                    order, element_space);
      }
    }
  }

  // Through a copy: results may lie where the operands do.
  void PermuteRows(const char* from, char* to, int64_t start, int64_t count,
                   int64_t bytes, const int64_t* order,
                   Workspace* element_space) const {
    const int64_t n = rows_.count;
    char* elements = element_space->Get<char>(n * count * bytes);
    from += start * bytes;
    to += start * bytes;
    if (rows_.stride == 1 && count == 1) {
      std::memcpy(elements, from, n * bytes);
      return Permute(elements, order, n, to, 1, bytes);
    }
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(elements + i * count * bytes, from + i * rows_.stride * bytes,
                  count * bytes);
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t r = 0; r < count; ++r) {
        CopyOneElement(elements + (order[r * n + i] * count + r) * bytes,
                       to + (i * rows_.stride + r) * bytes, bytes);
      }
    }
  }

  template <typename Key>
  static Key Inverse(Key key, TypeKind kind) {
    constexpr Key kTop = Key{1} << (8 * sizeof(Key) - 1);
    if (kind == TypeKind::kFloat) return key & kTop ? key ^ kTop : ~key;
    return kind == TypeKind::kUnsigned ? key : key ^ kTop;
  }

  std::unique_ptr<interpreter::SortKeyFunction> TakeFunction() const {
    {
      absl::MutexLock lock(&mutex_);
      if (!functions_.empty()) {
        auto function = std::move(functions_.back());
        functions_.pop_back();
        return function;
      }
    }
    interpreter::Context context{ExecuteOptions()};
    std::optional<interpreter::Comparison> comparison;
    return interpreter::SortKeyFunction::Recognize(
        context, *comparator_, 2 * spec_.operand, 2 * spec_.operand + 1,
        &comparison);
  }
  void GiveFunction(
      std::unique_ptr<interpreter::SortKeyFunction> function) const {
    absl::MutexLock lock(&mutex_);
    functions_.push_back(std::move(function));
  }

  const Computation* comparator_;
  SortKeySpec spec_;
  SortRows rows_;
  std::vector<int64_t> bytes_;  // of each operand's elements
  mutable absl::Mutex mutex_;
  mutable std::vector<std::unique_ptr<interpreter::SortKeyFunction>> functions_;
};

// Calls the comparator.
class ComparatorSortKernel : public NativeKernel {
 public:
  ComparatorSortKernel(const ElementFunction* less, SortRows rows,
                       std::vector<int64_t> bytes)
      : less_(less), rows_(std::move(rows)), bytes_(std::move(bytes)) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    context.pool->ParallelFor(rows_.rows, GrainFor(rows_.count * 64),
                              [&](int64_t begin, int64_t end) {
                                SortSome(operands, results, begin, end);
                              });
    return absl::OkStatus();
  }

 private:
  void SortSome(absl::Span<const void* const> operands,
                absl::Span<void* const> results, int64_t begin,
                int64_t end) const {
    const int64_t n = rows_.count;
    const size_t lanes = bytes_.size();
    std::vector<std::vector<char>> elements(lanes);
    for (size_t o = 0; o < lanes; ++o) elements[o].resize(n * bytes_[o]);
    std::vector<int64_t> order(n), scratch;
    std::vector<const void*> arguments(2 * lanes);
    bool answer = false;
    void* const answers[] = {&answer};
    for (int64_t row = begin; row < end; ++row) {
      const int64_t start = rows_.StartOf(row);
      for (size_t o = 0; o < lanes; ++o) {
        const char* from =
            static_cast<const char*>(operands[o]) + start * bytes_[o];
        for (int64_t i = 0; i < n; ++i) {
          CopyOneElement(from + i * rows_.stride * bytes_[o],
                         &elements[o][i * bytes_[o]], bytes_[o]);
        }
      }
      for (int64_t i = 0; i < n; ++i) order[i] = i;
      interpreter::MergeSort(&order, &scratch, [&](int64_t a, int64_t b) {
        for (size_t o = 0; o < lanes; ++o) {
          arguments[2 * o] = &elements[o][a * bytes_[o]];
          arguments[2 * o + 1] = &elements[o][b * bytes_[o]];
        }
        less_->call(arguments.data(), answers);
        return answer;
      });
      for (size_t o = 0; o < lanes; ++o) {
        Permute(elements[o].data(), order.data(), n,
                static_cast<char*>(results[o]) + start * bytes_[o],
                rows_.stride, bytes_[o]);
      }
    }
  }

  const ElementFunction* less_;
  SortRows rows_;
  std::vector<int64_t> bytes_;
};

// All operands and results must lie alike.
std::optional<SortRows> SortRowsOf(const Instruction& instruction,
                                   std::vector<int64_t>* bytes) {
  const Shape& shape = instruction.shape();
  std::optional<ArrayView> first;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const auto from = ViewOf(instruction.operand(i)->shape());
    const auto to = ViewOf(shape.IsTuple() ? shape.tuple_shape(i) : shape);
    if (!from || !to || from->type != to->type) return std::nullopt;
    if (!first) first = from;
    if (from->strides != first->strides || to->strides != first->strides ||
        from->sizes != first->sizes) {
      return std::nullopt;
    }
    bytes->push_back(from->element_bytes);
  }
  if (!first) return std::nullopt;
  const int64_t along = instruction.dimension(0);
  SortRows rows;
  rows.count = first->sizes[along];
  rows.stride = first->sizes[along] == 1 ? 1 : first->strides[along];
  for (int64_t d = 0; d < first->rank(); ++d) {
    if (d != along) rows.others.push_back({first->sizes[d], first->strides[d]});
  }
  std::stable_sort(rows.others.begin(), rows.others.end(),
                   [](const Dimension& a, const Dimension& b) {
                     return a.stride > b.stride;
                   });
  rows.others = Joined(rows.others);
  rows.rows = CountOf(rows.others);
  if (rows.count >= (int64_t{1} << 32)) return std::nullopt;
  return rows;
}

}  // namespace

std::unique_ptr<NativeKernel> MakeSortKernel(const Instruction& instruction,
                                             KernelEnvironment& environment) {
  if (instruction.called_computations().size() != 1) return nullptr;
  std::vector<int64_t> bytes;
  auto rows = SortRowsOf(instruction, &bytes);
  if (!rows) return nullptr;
  if (const auto spec = RecognizeSortKey(instruction)) {
    return std::make_unique<KeySortKernel>(instruction, *spec,
                                           *std::move(rows), std::move(bytes));
  }
  const ElementFunction* less = environment.Compile(*instruction.to_apply());
  if (less == nullptr) return nullptr;
  return std::make_unique<ComparatorSortKernel>(less, *std::move(rows),
                                                std::move(bytes));
}

}  // namespace hlokit::cpu
