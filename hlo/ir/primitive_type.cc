#include "hlo/ir/primitive_type.h"

#include <limits>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/native_types.h"

namespace hlokit {
namespace {

struct FloatTraits {
  int significand_bits = 0;
  int max_exponent = std::numeric_limits<int>::min();
};

template <typename T>
constexpr FloatTraits TraitsOfNative() {
  if constexpr (kIsFloat<T>) {
    using Limits = std::numeric_limits<T>;
    return {Limits::digits, Limits::max_exponent};
  } else {
    return {};
  }
}

constexpr auto kFloatTraits = [] {
  std::array<FloatTraits, kPrimitiveTypeLimit> table = {};
#define HLO_NATIVE(enumerator, native) \
  table[enumerator] = TraitsOfNative<native>();
  HLOKIT_FOR_EACH_NATIVE_TYPE(HLO_NATIVE)
#undef HLO_NATIVE
  return table;
}();

const FloatTraits& TraitsOf(PrimitiveType t) {
  return kFloatTraits[t < kPrimitiveTypeLimit ? t : kInvalid];
}

// Compares like the types' precision does.
auto PrecisionKey(PrimitiveType t) {
  const PrimitiveType component = ComponentType(t);
  const FloatTraits& traits = TraitsOf(component);
  return std::make_tuple(IsComplexType(t), traits.max_exponent,
                         traits.significand_bits, BitWidth(component),
                         IsSignedIntType(component));
}

}  // namespace

std::optional<PrimitiveType> PrimitiveTypeByName(absl::string_view name) {
  using Map = absl::flat_hash_map<absl::string_view, PrimitiveType>;
  static const Map* const kByName = [] {
    Map* map = new Map;
    for (const auto& info : AllPrimitiveTypes()) (*map)[info.name] = info.type;
    return map;
  }();
  auto it = kByName->find(name);
  if (it == kByName->end()) return std::nullopt;
  return it->second;
}

absl::Span<const PrimitiveTypeInfo> AllPrimitiveTypes() {
  return absl::MakeConstSpan(internal::kPrimitiveTypeRows).subspan(1);
}

PrimitiveType ComponentType(PrimitiveType t) {
  return t == kC64 ? kF32 : t == kC128 ? kF64 : t;
}

PrimitiveType ComplexTypeOf(PrimitiveType t) {
  return t == kF32 ? kC64 : t == kF64 ? kC128 : kInvalid;
}

int SignificandBits(PrimitiveType t) { return TraitsOf(t).significand_bits; }

PrimitiveType HigherPrecision(PrimitiveType a, PrimitiveType b) {
  return PrecisionKey(b) > PrecisionKey(a) ? b : a;
}

}  // namespace hlokit
