#include "replay/npy.h"

#include <cstring>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;

absl::Status Broken(absl::string_view what) {
  return InvalidArgument("this is no .npy file that can be read: %s", what);
}

// The text behind 'key': in the header's dictionary.
absl::StatusOr<absl::string_view> HeaderValue(absl::string_view header,
                                              absl::string_view key) {
  for (char quote : {'\'', '"'}) {
    const std::string wanted = absl::StrCat(
        std::string(1, quote), key, std::string(1, quote), ":");
    const size_t at = header.find(wanted);
    if (at != absl::string_view::npos) {
      return absl::StripLeadingAsciiWhitespace(
          header.substr(at + wanted.size()));
    }
  }
  return Broken(absl::StrCat("the header has no '", key, "'"));
}

absl::Status ParseType(absl::string_view value, NpyArray* array) {
  if (value.empty() || (value[0] != '\'' && value[0] != '"')) {
    return Broken("structured element types are not supported");
  }
  const size_t end = value.find(value[0], 1);
  if (end == absl::string_view::npos || end < 4) return Broken("its type");
  const absl::string_view type = value.substr(1, end - 1);
  if (type[0] == '>') return Broken("big-endian elements");
  array->kind = type[1];
  if (!absl::SimpleAtoi(type.substr(2), &array->width) || array->width < 1 ||
      array->width > 16) {
    return Broken(absl::StrCat("its element type ", type));
  }
  return absl::OkStatus();
}

absl::Status ParseDimensions(absl::string_view value, NpyArray* array) {
  const size_t end = value.find(')');
  if (value.empty() || value[0] != '(' || end == absl::string_view::npos) {
    return Broken("its shape");
  }
  for (absl::string_view part :
       absl::StrSplit(value.substr(1, end - 1), ',', absl::SkipWhitespace())) {
    int64_t size = 0;
    part = absl::StripAsciiWhitespace(part);
    absl::ConsumeSuffix(&part, "L");
    if (!absl::SimpleAtoi(part, &size) || size < 0) {
      return Broken("its shape");
    }
    array->dimensions.push_back(size);
  }
  return absl::OkStatus();
}

PrimitiveType TypeOf(const NpyArray& array) {
  const int bits = static_cast<int>(array.width * 8);
  TypeKind kind;
  switch (array.kind) {
    case 'b': return kPred;
    case 'i': kind = TypeKind::kSigned; break;
    case 'u': kind = TypeKind::kUnsigned; break;
    case 'f':
      return bits == 16 ? kF16 : bits == 32 ? kF32 : bits == 64 ? kF64
                                                                : kInvalid;
    case 'c': return bits == 64 ? kC64 : bits == 128 ? kC128 : kInvalid;
    default: return kInvalid;
  }
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.kind == kind && info.bits == bits) return info.type;
  }
  return kInvalid;
}

// The kind and width that an element type is stored under.
std::string TypeText(PrimitiveType type) {
  const int bytes = StorageBytes(type);
  const char* order = bytes == 1 ? "|" : "<";
  char kind = 'u';
  switch (InfoOf(type).kind) {
    case TypeKind::kPred: kind = 'b'; break;
    case TypeKind::kSigned: kind = 'i'; break;
    case TypeKind::kComplex: kind = 'c'; break;
    case TypeKind::kFloat:
      if (type == kF16 || type == kF32 || type == kF64) kind = 'f';
      break;
    default: break;
  }
  return absl::StrCat(order, std::string(1, kind), bytes);
}

// Whether an array may be taken for `type`.
bool MayHold(const NpyArray& array, PrimitiveType type) {
  if (TypeOf(array) == type) return true;
  if (array.width != StorageBytes(type)) return false;
  if (array.kind == 'V') return true;
  // Bits of a type that NumPy lacks.
  const std::string text = TypeText(type);
  return text[1] == array.kind && TypeOf(array) != kF16 &&
         (IsFloatType(type) || BitWidth(type) < 8);
}

// Values that `type` has: predicates become 0 or 1, types under 8 bits must not
// have more bits than theirs.
absl::Status CheckValues(PrimitiveType type, absl::Span<char> bytes) {
  if (type == kPred) {
    for (char& byte : bytes) byte = byte != 0;
    return absl::OkStatus();
  }
  const int bits = BitWidth(type);
  if (bits >= 8) return absl::OkStatus();
  const bool is_signed = IsSignedIntType(type);
  const int high = (1 << (is_signed ? bits - 1 : bits)) - 1;
  const int low = is_signed ? -high - 1 : 0;
  for (const char byte : bytes) {
    const int value = is_signed ? static_cast<signed char>(byte)
                                : static_cast<unsigned char>(byte);
    if (value < low || value > high) {
      return InvalidArgument("%d is no value of %s", value,
                             PrimitiveTypeName(type));
    }
  }
  return absl::OkStatus();
}

void FromFortranOrder(const NpyArray& array, char* out) {
  Shape shape = Shape::Array(kU8, array.dimensions);
  Layout layout;
  for (size_t d = 0; d < array.dimensions.size(); ++d) {
    layout.minor_to_major.push_back(d);
  }
  shape.set_layout(layout);
  int64_t position = 0;
  ForEachInLayoutOrder(shape, [&](int64_t linear, absl::Span<const int64_t>) {
    std::memcpy(out + linear * array.width,
                array.data.data() + position * array.width, array.width);
    ++position;
  });
}

}  // namespace

absl::StatusOr<NpyArray> ParseNpy(absl::string_view bytes) {
  if (bytes.size() < 10 ||
      bytes.substr(0, kMagicSize) != absl::string_view(kMagic, kMagicSize)) {
    return Broken("it does not start with \\x93NUMPY");
  }
  const int version = bytes[6];
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) return Broken("it ends in its header");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i]))
              << (8 * i);
  }
  const size_t start = 8 + length_bytes;
  if (bytes.size() - start < length) return Broken("it ends in its header");
  const absl::string_view header = bytes.substr(start, length);

  NpyArray array;
  HLOKIT_ASSIGN_OR_RETURN(absl::string_view type, HeaderValue(header, "descr"));
  HLOKIT_RETURN_IF_ERROR(ParseType(type, &array));
  HLOKIT_ASSIGN_OR_RETURN(absl::string_view order,
                          HeaderValue(header, "fortran_order"));
  array.fortran_order = absl::StartsWith(order, "True");
  HLOKIT_ASSIGN_OR_RETURN(absl::string_view shape,
                          HeaderValue(header, "shape"));
  HLOKIT_RETURN_IF_ERROR(ParseDimensions(shape, &array));
  array.data = bytes.substr(start + length);
  const int64_t elements = ElementsIn(Shape::Array(kU8, array.dimensions));
  if (elements > static_cast<int64_t>(array.data.size()) / array.width) {
    return Broken(absl::StrCat("it holds ", array.data.size(), " bytes for ",
                               elements, " elements of ", array.width));
  }
  array.data = array.data.substr(0, elements * array.width);
  return array;
}

absl::StatusOr<Literal> NpyToLiteral(const NpyArray& array,
                                     const Shape& wanted) {
  if (!wanted.IsArray() || wanted.dimensions() != absl::MakeConstSpan(
                                                      array.dimensions)) {
    return InvalidArgument("the array has dimensions [%s], wanted is %s",
                           absl::StrJoin(array.dimensions, ","),
                           wanted.ToString());
  }
  if (!MayHold(array, wanted.element_type())) {
    return InvalidArgument("the array's element type is %c%d, wanted is %s",
                           array.kind, array.width, wanted.ToString());
  }
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(wanted));
  Literal literal = Literal::Zeros(wanted);
  char* out = literal.mutable_untyped_data();
  if (array.fortran_order) {
    FromFortranOrder(array, out);
  } else if (!array.data.empty()) {
    std::memcpy(out, array.data.data(), array.data.size());
  }
  HLOKIT_RETURN_IF_ERROR(
      CheckValues(wanted.element_type(),
                  absl::MakeSpan(out, literal.size_bytes())));
  return literal;
}

absl::StatusOr<Literal> NpyToLiteral(const NpyArray& array) {
  const PrimitiveType type = TypeOf(array);
  if (type == kInvalid) {
    return InvalidArgument("no element type is known for %c%d", array.kind,
                           array.width);
  }
  return NpyToLiteral(
      array, Shape::ArrayWithDescendingLayout(type, array.dimensions));
}

absl::StatusOr<std::string> LiteralToNpy(const Literal& literal) {
  if (!literal.shape().IsArray()) {
    return InvalidArgument("%s is no array", literal.shape().ToString());
  }
  std::string dimensions = absl::StrJoin(literal.shape().dimensions(), ", ");
  if (literal.shape().rank() == 1) dimensions += ",";
  std::string header = absl::StrCat(
      "{'descr': '", TypeText(literal.element_type()),
      "', 'fortran_order': False, 'shape': (", dimensions, "), }");
  // The data starts at a multiple of 64.
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes(kMagic, kMagicSize);
  bytes += std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(literal.untyped_data(), literal.size_bytes());
  return bytes;
}

}  // namespace hlokit
