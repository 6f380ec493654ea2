#include "backends/interpreter/sort.h"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/interpreter/combiner.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/merge_sort.h"
#include "backends/interpreter/sort_key_function.h"
#include "backends/interpreter/sort_keys.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// One operand as rows along the sorted dimension.
struct Lane {
  const char* source = nullptr;
  char* target = nullptr;
  int64_t bytes = 0;  // of an element
  std::vector<char> elements;

  void Load(int64_t start, int64_t stride, int64_t count) {
    elements.resize(count * bytes);
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(&elements[i * bytes], source + (start + i * stride) * bytes,
                  bytes);
    }
  }
  void Store(int64_t start, int64_t stride, absl::Span<const int64_t> order) {
    for (size_t i = 0; i < order.size(); ++i) {
      std::memcpy(target + (start + i * stride) * bytes,
                  &elements[order[i] * bytes], bytes);
    }
  }
};

// Puts the elements of the lanes, which are loaded, in order.
class Sorter {
 public:
  virtual ~Sorter() = default;
  virtual absl::Status Order(absl::Span<const Lane> lanes, int64_t count,
                             std::vector<int64_t>* order) = 0;
};

// By a key of one operand: an integer, or a float that NaN may be among.
class KeySorter : public Sorter {
 public:
  KeySorter(int64_t operand, PrimitiveType element, const Comparison& comparison,
            std::unique_ptr<SortKeyFunction> function)
      : operand_(operand), element_(element), comparison_(comparison),
        function_(std::move(function)) {}

  absl::Status Order(absl::Span<const Lane> lanes, int64_t count,
                     std::vector<int64_t>* order) override {
    const char* keys = lanes[operand_].elements.data();
    if (function_ != nullptr) {
      HLOKIT_RETURN_IF_ERROR(function_->Run(element_, keys, count, &keys_));
      keys = keys_.data();
    }
    const bool plain_float = IsFloatType(comparison_.element) &&
                             comparison_.type == ComparisonType::kFloat;
    DispatchArrayType(comparison_.element, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* values = reinterpret_cast<const T*>(keys);
      if constexpr (kIsFloat<T>) {
        if (plain_float) return SortBy(values, count, &floats_, order);
      }
      if constexpr (!kIsComplex<T>) SortBy(values, count, &integers_, order);
    });
    return absl::OkStatus();
  }

 private:
  template <typename Key>
  struct Item {
    Key key;
    int64_t index;
  };
  template <typename Key>
  struct Items {
    std::vector<Item<Key>> items;
    std::vector<Item<Key>> scratch;
  };

  template <typename Key, typename T>
  void SortBy(const T* values, int64_t count, Items<Key>* items,
              std::vector<int64_t>* order) {
    items->items.resize(count);
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<Key, double>) {
        items->items[i] = {static_cast<double>(values[i]), i};
      } else {
        items->items[i] = {SortKey(values[i]), i};
      }
    }
    if (comparison_.direction == ComparisonDirection::kLt) {
      MergeSort(&items->items, &items->scratch,
                [](const auto& a, const auto& b) { return a.key < b.key; });
    } else {
      MergeSort(&items->items, &items->scratch,
                [](const auto& a, const auto& b) { return a.key > b.key; });
    }
    for (int64_t i = 0; i < count; ++i) (*order)[i] = items->items[i].index;
  }

  int64_t operand_;
  PrimitiveType element_;
  Comparison comparison_;
  std::unique_ptr<SortKeyFunction> function_;
  std::vector<char> keys_;
  Items<int64_t> integers_;
  Items<double> floats_;
};

// With any comparator.
class GeneralSorter : public Sorter {
 public:
  GeneralSorter(std::unique_ptr<ScalarFunction> less, size_t operands)
      : less_(std::move(less)), arguments_(2 * operands) {}

  absl::Status Order(absl::Span<const Lane> lanes, int64_t count,
                     std::vector<int64_t>* order) override {
    absl::Status status;
    for (int64_t i = 0; i < count; ++i) (*order)[i] = i;
    MergeSort(order, &scratch_, [&](int64_t a, int64_t b) {
      if (!status.ok()) return false;
      for (size_t i = 0; i < lanes.size(); ++i) {
        arguments_[2 * i].Load(lanes[i].elements.data(), lanes[i].bytes, a);
        arguments_[2 * i + 1].Load(lanes[i].elements.data(), lanes[i].bytes,
                                   b);
      }
      ScalarValue result;
      status = less_->Call(arguments_, absl::MakeSpan(&result, 1));
      return status.ok() && result.get<bool>();
    });
    return status;
  }

 private:
  std::unique_ptr<ScalarFunction> less_;
  std::vector<ScalarValue> arguments_;
  std::vector<int64_t> scratch_;
};

// A strict comparison of one operand's elements.
std::unique_ptr<Sorter> MakeKeySorter(Context& context,
                                      const Computation& comparator,
                                      absl::Span<const Literal* const> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const PrimitiveType element = operands[i]->element_type();
    std::unique_ptr<SortKeyFunction> function;
    auto comparison = RecognizeComparison(comparator, 2 * i, 2 * i + 1);
    if (!comparison.has_value()) {
      function = SortKeyFunction::Recognize(context, comparator, 2 * i,
                                            2 * i + 1, &comparison);
      if (function == nullptr) continue;
    }
    const bool strict = comparison->direction == ComparisonDirection::kLt ||
                        comparison->direction == ComparisonDirection::kGt;
    if (!strict || IsComplexType(comparison->element)) return nullptr;
    return std::make_unique<KeySorter>(i, element, *comparison,
                                       std::move(function));
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Sorter>> MakeSorter(
    Context& context, const Computation& comparator,
    absl::Span<const Literal* const> operands) {
  absl::InlinedVector<PrimitiveType, 4> types;
  for (const Literal* operand : operands) {
    types.insert(types.end(), 2, operand->element_type());
  }
  // Checks the types, too.
  HLOKIT_ASSIGN_OR_RETURN(
      auto less, MakeScalarFunction(context, comparator, types, {kPred}));
  std::unique_ptr<Sorter> sorter =
      MakeKeySorter(context, comparator, operands);
  if (sorter != nullptr) return sorter;
  return std::make_unique<GeneralSorter>(std::move(less), operands.size());
}

absl::StatusOr<Literal> Sort(Context& context, const Instruction& instruction,
                             absl::Span<const Literal* const> operands,
                             const Shape& shape) {
  HLOKIT_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      SortArrays(context, *instruction.to_apply(), operands,
                 instruction.dimension(0)));
  if (!shape.IsTuple()) return AsShape(std::move(results[0]), shape);
  for (size_t i = 0; i < results.size(); ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        results[i], AsShape(std::move(results[i]), shape.tuple_shape(i)));
  }
  return WithShape(Literal::Tuple(std::move(results)), shape);
}

}  // namespace

absl::StatusOr<std::vector<Literal>> SortArrays(
    Context& context, const Computation& comparator,
    absl::Span<const Literal* const> arrays, int64_t dimension) {
  HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Sorter> sorter,
                          MakeSorter(context, comparator, arrays));
  const absl::Span<const int64_t> sizes = arrays[0]->shape().dimensions();
  const int64_t count = sizes[dimension];
  int64_t inner = 1;
  for (size_t i = dimension + 1; i < sizes.size(); ++i) inner *= sizes[i];
  std::vector<Literal> results;
  std::vector<Lane> lanes(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const PrimitiveType type = arrays[i]->element_type();
    results.push_back(
        Literal::Zeros(Shape::ArrayWithDescendingLayout(type, sizes)));
    lanes[i].source = arrays[i]->untyped_data();
    lanes[i].target = results[i].mutable_untyped_data();
    lanes[i].bytes = StorageBytes(type);
  }
  std::vector<int64_t> order(count);
  const int64_t total = arrays[0]->element_count();
  for (int64_t block = 0; block < total; block += count * inner) {
    for (int64_t i = block; i < block + inner; ++i) {
      for (Lane& lane : lanes) lane.Load(i, inner, count);
      HLOKIT_RETURN_IF_ERROR(sorter->Order(lanes, count, &order));
      for (Lane& lane : lanes) lane.Store(i, inner, order);
    }
  }
  return results;
}

absl::StatusOr<Literal> EvalSort(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  if (instruction.called_computations().size() != 1) {
    return InvalidArgument("sort needs one comparator");
  }
  return EvalLive(context, instruction, operands, &Sort);
}

}  // namespace hlokit::interpreter
