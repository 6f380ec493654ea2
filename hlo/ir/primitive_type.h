// Element types: names, widths, kinds. The table is primitive_types.def.
#ifndef HLOKIT_HLO_IR_PRIMITIVE_TYPE_H_
#define HLOKIT_HLO_IR_PRIMITIVE_TYPE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

// Values are the numbers of xla.PrimitiveType.
enum PrimitiveType : uint8_t {
#define HLO_PRIMITIVE_TYPE(enumerator, text, number, bits, kind) \
  enumerator = number,
#include "hlo/ir/primitive_types.def"
};

enum class TypeKind : uint8_t {
  kNone,
  kPred,
  kSigned,
  kUnsigned,
  kFloat,
  kComplex
};

// The largest enumerator + 1, for tables indexed by PrimitiveType.
inline constexpr int kPrimitiveTypeLimit = 37;

struct PrimitiveTypeInfo {
  PrimitiveType type = kInvalid;
  const char* name = nullptr;
  int bits = 0;
  TypeKind kind = TypeKind::kNone;
};

namespace internal {

inline constexpr PrimitiveTypeInfo kPrimitiveTypeRows[] = {
#define HLO_PRIMITIVE_TYPE(enumerator, text, number, bits, kind) \
  {enumerator, text, bits, TypeKind::k##kind},
#include "hlo/ir/primitive_types.def"
};

inline constexpr auto kPrimitiveTypeByNumber = [] {
  std::array<PrimitiveTypeInfo, kPrimitiveTypeLimit> table = {};
  for (PrimitiveTypeInfo& row : table) row = kPrimitiveTypeRows[0];
  for (const PrimitiveTypeInfo& row : kPrimitiveTypeRows) table[row.type] = row;
  return table;
}();

}  // namespace internal

// Row of `type`; the row of kInvalid for numbers that no type has.
constexpr const PrimitiveTypeInfo& InfoOf(PrimitiveType type) {
  return internal::kPrimitiveTypeByNumber[type < kPrimitiveTypeLimit ? type
                                                                     : 0];
}

// "f32"; "tuple", "opaque", "token", "buffer" too.
absl::string_view PrimitiveTypeName(PrimitiveType type);
// By exact lower-case name. "invalid" is not found.
std::optional<PrimitiveType> PrimitiveTypeByName(absl::string_view name);
// All rows but kInvalid, in table order.
absl::Span<const PrimitiveTypeInfo> AllPrimitiveTypes();

// Whether arrays of this type hold data (so not tuple, opaque, token, buffer).
inline bool IsArrayType(PrimitiveType t) { return InfoOf(t).bits > 0; }
inline bool IsFloatType(PrimitiveType t) {
  return InfoOf(t).kind == TypeKind::kFloat;
}
inline bool IsComplexType(PrimitiveType t) {
  return InfoOf(t).kind == TypeKind::kComplex;
}
inline bool IsSignedIntType(PrimitiveType t) {
  return InfoOf(t).kind == TypeKind::kSigned;
}
inline bool IsUnsignedIntType(PrimitiveType t) {
  return InfoOf(t).kind == TypeKind::kUnsigned;
}
// Signed or unsigned integers; not pred.
inline bool IsIntegerType(PrimitiveType t) {
  return IsSignedIntType(t) || IsUnsignedIntType(t);
}
// Bits of one value: s4 4, pred 8, f6e3m2fn 6, c64 64.
inline int BitWidth(PrimitiveType t) { return InfoOf(t).bits; }
// Bytes of one element in a Literal: types under 8 bits take a whole byte.
inline int StorageBytes(PrimitiveType t) { return (InfoOf(t).bits + 7) / 8; }
// c64 -> f32, c128 -> f64, others unchanged.
PrimitiveType ComponentType(PrimitiveType t);
// f32 -> c64, f64 -> c128, else kInvalid.
PrimitiveType ComplexTypeOf(PrimitiveType t);
// Significand bits including the hidden one (f32 24, bf16 8, f8e4m3fn 4); 0 if
// not a float.
int SignificandBits(PrimitiveType t);
// Of two types the one that HLO's type inference chooses for mixed-precision
// operands: complex before real, then the larger exponent range (bf16 before
// f16), the longer significand, the wider, signed before unsigned. `a` when
// nothing tells them apart.
PrimitiveType HigherPrecision(PrimitiveType a, PrimitiveType b);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_PRIMITIVE_TYPE_H_
