#include "replay/fake_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"
#include "replay/random_draw.h"

namespace hlokit {
namespace {

template <typename T>
using Underlying = std::conditional_t<
    kIsFloat<T>, std::conditional_t<std::is_same_v<T, double>, double, float>,
    T>;

// Bounds of an integer type as its element type has them.
struct IntegerBounds {
  int64_t low;
  uint64_t high;
};
IntegerBounds BoundsOf(PrimitiveType type) {
  const int bits = BitWidth(type);
  if (IsSignedIntType(type)) {
    return {static_cast<int64_t>(~uint64_t{0} << (bits - 1)),
            (uint64_t{1} << (bits - 1)) - 1};
  }
  return {0, bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1};
}

// Draws an integer of T in [low, high]; types of 8 bits and less draw 16-bit
// numbers.
template <typename T>
T DrawIntegerOf(FakeDataEngine& engine, int64_t low, uint64_t high) {
  constexpr bool kSigned = kIsSignedInteger<T>;
  if constexpr (sizeof(T) == 1) {
    using Wide = std::conditional_t<kSigned, int16_t, uint16_t>;
    return T(static_cast<int64_t>(DrawInteger<Wide>(
        engine, static_cast<Wide>(low), static_cast<Wide>(high))));
  } else {
    return DrawInteger<T>(engine, static_cast<T>(low), static_cast<T>(high));
  }
}

// The exponents of a float type's normal numbers, as std::numeric_limits has
// them.
struct ExponentRange {
  int min_exponent;
  int max_exponent;
};
template <typename T>
ExponentRange ExponentsOf() {
  if constexpr (std::is_floating_point_v<T>) {
    return {std::numeric_limits<T>::min_exponent,
            std::numeric_limits<T>::max_exponent};
  } else {
    // Found by halving and doubling: works for every small float.
    int low = 1;
    while (static_cast<float>(T(std::ldexp(1.0f, low - 2))) ==
               std::ldexp(1.0f, low - 2) &&
           static_cast<float>(T(std::ldexp(1.5f, low - 2))) ==
               std::ldexp(1.5f, low - 2) &&
           low > -126) {
      --low;
    }
    int high = 1;
    while (std::isfinite(static_cast<float>(T(std::ldexp(1.0f, high)))) &&
           static_cast<float>(T(std::ldexp(1.0f, high))) ==
               std::ldexp(1.0f, high) &&
           high < 128) {
      ++high;
    }
    return {low, high};
  }
}

template <typename T>
T DrawLargeRange(FakeDataEngine& engine) {
  using F = Underlying<T>;
  constexpr float kSpecial = 1e-6f;
  const float draw = DrawReal<float>(engine, 0, 1);
  if (draw < 6 * kSpecial) {
    const F infinity = std::numeric_limits<F>::infinity();
    const F specials[] = {0, F(-0.0), 1, -1, infinity, -infinity};
    return T(specials[std::min(static_cast<int>(draw / kSpecial), 5)]);
  }
  const F sign = draw < 0.5f + 3 * kSpecial ? 1 : -1;
  static const ExponentRange range = ExponentsOf<T>();
  const F exponent = DrawReal<F>(engine, range.min_exponent - 1,
                                 range.max_exponent - 1);
  return T(sign * std::exp2(exponent));
}

template <typename T>
T DrawFloat(FakeDataEngine& engine, const FakeDataOptions& options) {
  if constexpr (std::is_same_v<T, F4E2M1FN>) {
    const uint16_t bits = DrawInteger<uint16_t>(engine, 0, 15);
    return T::FromBits(static_cast<uint8_t>(bits));
  } else {
    if (options.use_large_float_range) return DrawLargeRange<T>(engine);
    using F = Underlying<T>;
    return T(DrawReal<F>(engine, F(-0.1), F(0.2)));
  }
}

template <typename T, typename Draw>
void Fill(Literal* literal, Draw draw) {
  auto data = literal->mutable_data<T>();
  const Shape& shape = literal->shape();
  if (!shape.has_layout() || shape.layout().IsDescending()) {
    for (auto& value : data) value = draw();
    return;
  }
  ForEachInLayoutOrder(shape, [&](int64_t linear, absl::Span<const int64_t>) {
    data[linear] = draw();
  });
}

// Complex numbers: all real parts first, then all imaginary parts.
template <typename T>
void FillComplex(Literal* literal, FakeDataEngine& engine,
                 const FakeDataOptions& options) {
  using Part = typename T::value_type;
  auto data = literal->mutable_data<T>();
  for (int part = 0; part < 2; ++part) {
    ForEachInLayoutOrder(
        literal->shape(), [&](int64_t linear, absl::Span<const int64_t>) {
          const Part value = DrawFloat<Part>(engine, options);
          part == 0 ? data[linear].real(value) : data[linear].imag(value);
        });
  }
}

void FillArray(Literal* literal, FakeDataEngine& engine,
               const FakeDataOptions& options) {
  const PrimitiveType type = literal->element_type();
  DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsPred<T>) {
      Fill<T>(literal, [&] { return DrawInteger<int32_t>(engine, 0, 1) != 0; });
    } else if constexpr (kIsComplex<T>) {
      FillComplex<T>(literal, engine, options);
    } else if constexpr (kIsFloat<T>) {
      Fill<T>(literal, [&] { return DrawFloat<T>(engine, options); });
    } else {
      const IntegerBounds bounds = BoundsOf(type);
      Fill<T>(literal, [&] {
        return DrawIntegerOf<T>(engine, bounds.low, bounds.high);
      });
    }
  });
}

// Integers 0 .. bound, sorted if wanted.
void FillIndices(Literal* literal, FakeDataEngine& engine, int64_t bound,
                 bool sorted) {
  DispatchArrayType(literal->element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsInteger<T>) {
      const IntegerBounds type_bounds = BoundsOf(literal->element_type());
      const uint64_t high = std::min<uint64_t>(std::max<int64_t>(bound, 0),
                                               type_bounds.high);
      Fill<T>(literal, [&] { return DrawIntegerOf<T>(engine, 0, high); });
      if (sorted) {
        auto data = literal->mutable_data<T>();
        std::sort(data.begin(), data.end(), [](const T& a, const T& b) {
          return static_cast<int64_t>(a) < static_cast<int64_t>(b);
        });
      }
    }
  });
}

// A shuffled run of consecutive integers around zero (from zero, unsigned).
// False when the type has too few values.
bool FillWithoutDuplicates(Literal* literal, FakeDataEngine& engine) {
  return DispatchArrayType(literal->element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsInteger<T>) {
      return false;
    } else {
      const int64_t count = literal->element_count();
      const IntegerBounds bounds = BoundsOf(literal->element_type());
      if (static_cast<uint64_t>(count) >= bounds.high) return false;
      std::vector<T> values(count);
      const int64_t first = bounds.low < 0 ? count / 2 - count : 0;
      for (int64_t i = 0; i < count; ++i) values[i] = T(first + i);
      std::shuffle(values.begin(), values.end(), engine);
      size_t next = 0;
      Fill<T>(literal, [&] { return values[next++]; });
      return true;
    }
  });
}

bool HoldsIntegers(const Literal& literal) {
  return IsIntegerType(literal.element_type());
}

absl::Status FillLiteral(Literal* literal, FakeDataEngine* engine,
                         const FakeDataOptions& options,
                         const ParameterUse& use) {
  if (literal->shape().IsTuple()) {
    for (Literal& element : literal->mutable_elements()) {
      HLOKIT_RETURN_IF_ERROR(FillLiteral(&element, engine, options, use));
    }
    return absl::OkStatus();
  }
  if (!literal->shape().IsArray()) {
    return Unimplemented("no value can be made up for %s",
                         literal->shape().ToString());
  }
  if (engine == nullptr) return absl::OkStatus();
  if (use.is_init_value) {
    for (int64_t i = 0; i < literal->element_count(); ++i) {
      literal->SetFromDouble(i, use.init_value);
    }
  } else if (use.is_index && HoldsIntegers(*literal)) {
    FillIndices(literal, *engine, use.index_bound, use.sorted);
  } else if (!(use.no_duplicates && FillWithoutDuplicates(literal, *engine))) {
    FillArray(literal, *engine, options);
  }
  return absl::OkStatus();
}

// Of layouts only the order of dimensions decides what is drawn.
Shape WithPlainLayouts(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(WithPlainLayouts(element));
    }
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.has_layout() || shape.layout().IsPlain()) return shape;
  Layout layout;
  layout.minor_to_major = shape.layout().minor_to_major;
  Shape plain = shape;
  plain.set_layout(std::move(layout));
  return plain;
}

// Returns zeros of the shape.
absl::StatusOr<Literal> Blank(const Shape& shape) {
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape));
  int64_t bytes = 0;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) bytes += ByteSizeOf(leaf);
  });
  HLOKIT_RETURN_IF_ERROR(
      CheckMemory(bytes, absl::StrCat("a value of ", shape.ToString(false))));
  return Literal::Zeros(WithPlainLayouts(shape));
}

}  // namespace

absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape,
                                        FakeDataEngine* engine,
                                        const FakeDataOptions& options) {
  HLOKIT_ASSIGN_OR_RETURN(Literal literal, Blank(shape));
  HLOKIT_RETURN_IF_ERROR(FillLiteral(&literal, engine, options, {}));
  return literal;
}

absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const Module& module, FakeDataEngine* engine,
    const FakeDataOptions& options) {
  std::vector<Literal> arguments;
  const Computation& entry = *module.entry();
  for (int64_t i = 0; i < entry.parameter_count(); ++i) {
    Shape shape = entry.parameter(i)->shape();
    if (module.entry_layout.has_value() &&
        i < static_cast<int64_t>(module.entry_layout->parameters.size()) &&
        module.entry_layout->parameters[i].is_static()) {
      shape = module.entry_layout->parameters[i];
    }
    HLOKIT_ASSIGN_OR_RETURN(const ParameterUse use,
                            FindParameterUse(module, i));
    absl::StatusOr<Literal> literal = Blank(shape);
    if (!literal.ok()) {
      return Annotate(literal.status(), absl::StrCat("parameter ", i));
    }
    absl::Status filled = FillLiteral(&*literal, engine, options, use);
    if (!filled.ok()) {
      return Annotate(filled, absl::StrCat("parameter ", i));
    }
    arguments.push_back(*std::move(literal));
  }
  return arguments;
}

}  // namespace hlokit
