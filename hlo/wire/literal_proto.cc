// LiteralProto: which field holds the elements of each type, and how.
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

using xla::LiteralProto;

// The elements as the message holds them: in the order of the layout.
struct Payload {
  const char* data;
  int64_t bytes;
};

// How a payload lies in the bytes of a message.
enum class PayloadKind { kBytes, kFixed, kVarints };

// Reads and writes the field of one element type. `write` makes room for
// `bytes` bytes of elements.
struct PayloadField {
  PrimitiveType type;
  const char* name;
  PayloadKind kind;
  Payload (*read)(const LiteralProto& proto);
  char* (*write)(LiteralProto* proto, int64_t bytes);
};

template <typename T>
Payload ReadRepeated(const google::protobuf::RepeatedField<T>& field) {
  return {reinterpret_cast<const char*>(field.data()),
          static_cast<int64_t>(field.size() * sizeof(T))};
}

template <typename T>
char* WriteRepeated(google::protobuf::RepeatedField<T>* field, int64_t bytes) {
  field->Resize(bytes / sizeof(T), T());
  return reinterpret_cast<char*>(field->mutable_data());
}

#define REPEATED(type, name, kind)                                          \
  {type, #name, PayloadKind::kind,                                          \
   [](const LiteralProto& p) { return ReadRepeated(p.name()); },            \
   [](LiteralProto* p, int64_t n) { return WriteRepeated(p->mutable_##name(), n); }}
#define BYTES(type, name)                                                     \
  {type, #name, PayloadKind::kBytes,                                          \
   [](const LiteralProto& p) -> Payload {                                     \
     return {p.name().data(), static_cast<int64_t>(p.name().size())};         \
   },                                                                         \
   [](LiteralProto* p, int64_t n) {                                           \
     p->mutable_##name()->resize(n);                                          \
     return p->mutable_##name()->data();                                      \
   }}

constexpr PayloadField kPayloadFields[] = {
    REPEATED(kPred, preds, kVarints),
    BYTES(kS1, s1s),
    BYTES(kS2, s2s),
    BYTES(kS4, s4s),
    BYTES(kS8, s8s),
    BYTES(kS16, s16s),
    REPEATED(kS32, s32s, kVarints),
    REPEATED(kS64, s64s, kVarints),
    BYTES(kU1, u1s),
    BYTES(kU2, u2s),
    BYTES(kU4, u4s),
    BYTES(kU8, u8s),
    BYTES(kU16, u16s),
    REPEATED(kU32, u32s, kVarints),
    REPEATED(kU64, u64s, kVarints),
    BYTES(kF4E2M1FN, f4e2m1fns),
    BYTES(kF6E2M3FN, f6e2m3fns),
    BYTES(kF6E3M2FN, f6e3m2fns),
    BYTES(kF8E3M4, f8e3m4s),
    BYTES(kF8E4M3, f8e4m3s),
    BYTES(kF8E4M3FN, f8e4m3fns),
    BYTES(kF8E4M3B11FNUZ, f8e4m3b11fnuzs),
    BYTES(kF8E4M3FNUZ, f8e4m3fnuzs),
    BYTES(kF8E5M2, f8e5m2s),
    BYTES(kF8E5M2FNUZ, f8e5m2fnuzs),
    BYTES(kF8E8M0FNU, f8e8m0fnus),
    BYTES(kBF16, bf16s),
    BYTES(kF16, f16s),
    REPEATED(kF32, f32s, kFixed),
    REPEATED(kF64, f64s, kFixed),
    REPEATED(kC64, c64s, kFixed),
    REPEATED(kC128, c128s, kFixed),
};
#undef REPEATED
#undef BYTES

const PayloadField& FieldOf(PrimitiveType type) {
  static const auto* by_type = [] {
    auto* table = new std::array<const PayloadField*, kPrimitiveTypeLimit>();
    for (const PayloadField& field : kPayloadFields) {
      (*table)[field.type] = &field;
    }
    return table;
  }();
  return *(*by_type)[type];
}

// Of its field in LiteralProto.
int32_t NumberOf(const PayloadField& field) {
  static const auto* numbers = [] {
    auto* table = new std::array<int32_t, kPrimitiveTypeLimit>();
    for (const PayloadField& row : kPayloadFields) {
      (*table)[row.type] =
          LiteralProto::descriptor()->FindFieldByName(row.name)->number();
    }
    return table;
  }();
  return (*numbers)[field.type];
}

// Elements of less than a byte lie in the low bits of one in messages; here
// signed ones are sign-extended.
void WidenSubBytes(PrimitiveType type, char* data, int64_t count) {
  const int unused = 8 - BitWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    const auto low = static_cast<uint8_t>(static_cast<uint8_t>(data[i])
                                          << unused);
    data[i] = IsSignedIntType(type)
                  ? static_cast<char>(static_cast<int8_t>(low) >> unused)
                  : static_cast<char>(low >> unused);
  }
}

void MaskSubBytes(PrimitiveType type, char* data, int64_t count) {
  const auto mask = static_cast<char>((1 << BitWidth(type)) - 1);
  for (int64_t i = 0; i < count; ++i) data[i] &= mask;
}

absl::Status ReadDynamicSizes(const LiteralProto& proto, Literal* literal) {
  if (proto.dynamic_sizes_size() == 0) return absl::OkStatus();
  const Shape& shape = literal->shape();
  if (proto.dynamic_sizes_size() != shape.rank()) {
    return InvalidArgument("%d dynamic sizes for %s",
                           proto.dynamic_sizes_size(), shape.ToString());
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t size = proto.dynamic_sizes(i);
    if (size < 0 || size > shape.dimension(i)) {
      return InvalidArgument("dynamic size %d of dimension %d of %s", size, i,
                             shape.ToString());
    }
    if (shape.is_dynamic_dimension(i)) literal->set_dynamic_size(i, size);
  }
  return absl::OkStatus();
}

// OK if `bytes` of payload are what `shape` needs.
absl::Status CheckPayload(const Shape& shape, int64_t bytes) {
  const PrimitiveType type = shape.element_type();
  const int64_t width = StorageBytes(type);
  const int64_t count = ElementsIn(shape);
  if (bytes % width == 0 && bytes / width == count) return absl::OkStatus();
  if (bytes % width != 0) {
    return InvalidArgument("%d bytes of %s values for %s, which needs %d",
                           bytes, PrimitiveTypeName(type), shape.ToString(),
                           count * width);
  }
  return InvalidArgument("%d values for %s, which needs %d", bytes / width,
                         shape.ToString(), count);
}

Literal FromPayload(const Shape& shape, const char* data) {
  Literal literal = Literal::Zeros(shape);
  const int64_t count = ElementsIn(shape);
  if (count == 0) return literal;
  char* to = literal.mutable_untyped_data();
  LayoutToRowMajor(shape, data, to);
  if (BitWidth(shape.element_type()) < 8) {
    WidenSubBytes(shape.element_type(), to, count);
  }
  return literal;
}

absl::StatusOr<Literal> ReadArray(const LiteralProto& proto,
                                  const Shape& shape) {
  const Payload payload = FieldOf(shape.element_type()).read(proto);
  HLOKIT_RETURN_IF_ERROR(CheckPayload(shape, payload.bytes));
  Literal literal = FromPayload(shape, payload.data);
  HLOKIT_RETURN_IF_ERROR(ReadDynamicSizes(proto, &literal));
  return literal;
}

absl::StatusOr<Literal> ReadLiteral(const LiteralProto& proto,
                                    int64_t max_bytes, int depth) {
  if (depth > wire::kMaxPartNesting) {
    return InvalidArgument("literals are nested deeper than %d",
                           wire::kMaxPartNesting);
  }
  HLOKIT_RETURN_IF_ERROR(wire::CheckFields(proto));
  if (!proto.has_shape()) return InvalidArgument("the literal has no shape");
  HLOKIT_ASSIGN_OR_RETURN(const Shape shape, wire::ReadShape(proto.shape()));
  if (depth == 0) HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape, max_bytes));
  if (shape.IsToken()) return Literal::Token();
  if (shape.IsArray()) return ReadArray(proto, shape);
  if (!shape.IsTuple()) {
    return InvalidArgument("there are no literals of type %s",
                           shape.ToString());
  }
  const auto shapes = shape.tuple_shapes();
  if (static_cast<size_t>(proto.tuple_literals_size()) != shapes.size()) {
    return InvalidArgument("%d elements for a tuple literal of %d",
                           proto.tuple_literals_size(), shapes.size());
  }
  std::vector<Literal> elements;
  for (int i = 0; i < proto.tuple_literals_size(); ++i) {
    auto element = ReadLiteral(proto.tuple_literals(i), max_bytes, depth + 1);
    if (!element.ok()) {
      return Annotate(element.status(), absl::StrCat("tuple element ", i));
    }
    if (!ShapesCompatible(element->shape(), shapes[i])) {
      return InvalidArgument("tuple element %d is %s, the tuple says %s", i,
                             element->shape().ToString(),
                             shapes[i].ToString());
    }
    elements.push_back(*std::move(element));
  }
  Literal tuple = Literal::Tuple(std::move(elements));
  tuple.set_shape(shape);
  return tuple;
}

// Reading from the bytes: all but the payload is small and becomes a message.

bool IsRowMajor(const Shape& shape) {
  return !shape.has_layout() || shape.layout().IsDescending();
}

template <typename T>
absl::StatusOr<Literal> FromVarints(const Shape& shape,
                                    absl::string_view bytes) {
  const int64_t count = ElementsIn(shape);
  // Each takes a byte at least, so that memory follows the file's size.
  if (static_cast<int64_t>(bytes.size()) < count) {
    return InvalidArgument("%d bytes of values for %s, which needs %d values",
                           bytes.size(), shape.ToString(), count);
  }
  Literal literal = Literal::Zeros(shape);
  T* to = reinterpret_cast<T*>(literal.mutable_untyped_data());
  wire::WireReader reader(bytes);
  int64_t read = 0;
  while (!reader.done()) {
    uint64_t value;
    if (!reader.Varint(&value)) {
      return InvalidArgument("the values of a literal end in a number");
    }
    if (read < count) to[read] = static_cast<T>(value);
    ++read;
  }
  if (read != count) {
    return InvalidArgument("%d values for %s, which needs %d", read,
                           shape.ToString(), count);
  }
  if (!IsRowMajor(shape)) {
    const std::string in_order(literal.untyped_data(), literal.size_bytes());
    LayoutToRowMajor(shape, in_order.data(), literal.mutable_untyped_data());
  }
  return literal;
}

absl::StatusOr<Literal> PayloadFromBytes(const Shape& shape, PayloadKind kind,
                                         absl::string_view bytes,
                                         std::shared_ptr<const void> owner) {
  const PrimitiveType type = shape.element_type();
  if (kind == PayloadKind::kVarints) {
    switch (type) {
      case kPred: {
        HLOKIT_ASSIGN_OR_RETURN(Literal literal,
                                FromVarints<uint8_t>(shape, bytes));
        char* data = literal.mutable_untyped_data();
        for (int64_t i = 0; i < literal.size_bytes(); ++i) {
          data[i] = data[i] != 0;
        }
        return literal;
      }
      case kS32: return FromVarints<int32_t>(shape, bytes);
      case kU32: return FromVarints<uint32_t>(shape, bytes);
      default: return FromVarints<uint64_t>(shape, bytes);
    }
  }
  HLOKIT_RETURN_IF_ERROR(CheckPayload(shape, bytes.size()));
  const bool aligned =
      reinterpret_cast<uintptr_t>(bytes.data()) % StorageBytes(type) == 0;
  if (owner != nullptr && aligned && IsRowMajor(shape) &&
      BitWidth(type) >= 8 && !bytes.empty()) {
    return Literal::View(shape, bytes.data(), std::move(owner));
  }
  return FromPayload(shape, bytes.data());
}

const PayloadField* FieldOfNumber(int32_t number) {
  for (const PayloadField& row : kPayloadFields) {
    if (NumberOf(row) == number) return &row;
  }
  return nullptr;
}

// A literal's bytes, taken apart: one payload, and what else there is.
struct LiteralParts {
  const PayloadField* field = nullptr;
  absl::string_view payload;
  std::string rest;
};

// False where the payload is not one piece, as of tuples.
bool TakeApart(absl::string_view bytes, LiteralParts* parts) {
  wire::WireReader reader(bytes);
  wire::WireField field;
  while (reader.Next(&field)) {
    if (field.number == LiteralProto::kTupleLiteralsFieldNumber) return false;
    const PayloadField* row = FieldOfNumber(field.number);
    if (row == nullptr) {
      parts->rest.append(field.whole.data(), field.whole.size());
      continue;
    }
    if (field.type != wire::WireType::kBytes || parts->field != nullptr) {
      return false;
    }
    parts->field = row;
    parts->payload = field.bytes;
  }
  return !reader.bad() && parts->field != nullptr;
}

// Small, unusual and broken ones: by way of the message.
absl::StatusOr<Literal> FromMessageBytes(absl::string_view bytes,
                                         int64_t max_bytes) {
  LiteralProto proto;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(bytes, &proto));
  return ReadLiteral(proto, max_bytes, 0);
}

template <typename T>
void AppendVarints(const Literal& literal, const char* data, int32_t number,
                   wire::WireWriter* writer) {
  const T* values = reinterpret_cast<const T*>(data);
  const int64_t count = literal.element_count();
  const size_t begin = writer->Begin(number);
  for (int64_t i = 0; i < count; ++i) {
    writer->Varint(static_cast<uint64_t>(static_cast<int64_t>(values[i])));
  }
  writer->End(begin);
}

void WritePayload(const Literal& literal, wire::WireWriter* writer) {
  const Shape& shape = literal.shape();
  const PrimitiveType type = shape.element_type();
  const PayloadField& field = FieldOf(type);
  const int32_t number = NumberOf(field);
  const int64_t bytes = literal.size_bytes();
  if (field.kind == PayloadKind::kVarints) {
    std::string in_order;
    const char* data = literal.untyped_data();
    if (!IsRowMajor(shape)) {
      in_order.resize(bytes);
      RowMajorToLayout(shape, data, &in_order[0]);
      data = in_order.data();
    }
    switch (type) {
      case kPred:
        return AppendVarints<uint8_t>(literal, data, number, writer);
      case kS32:
        return AppendVarints<int32_t>(literal, data, number, writer);
      case kU32:
        return AppendVarints<uint32_t>(literal, data, number, writer);
      default:
        return AppendVarints<int64_t>(literal, data, number, writer);
    }
  }
  writer->Tag(number, wire::WireType::kBytes);
  writer->Varint(bytes);
  std::string* out = writer->out();
  const size_t at = out->size();
  if (IsRowMajor(shape) && BitWidth(type) >= 8) {
    out->append(literal.untyped_data(), bytes);
    return;
  }
  out->resize(at + bytes);
  RowMajorToLayout(shape, literal.untyped_data(), &(*out)[at]);
  if (BitWidth(type) < 8) MaskSubBytes(type, &(*out)[at], bytes);
}

}  // namespace

absl::StatusOr<Literal> LiteralFromProto(const LiteralProto& proto,
                                         int64_t max_bytes) {
  return ReadLiteral(proto, max_bytes, 0);
}

absl::StatusOr<Literal> LiteralFromBytes(absl::string_view bytes,
                                         int64_t max_bytes,
                                         std::shared_ptr<const void> owner) {
  LiteralParts parts;
  if (!TakeApart(bytes, &parts)) return FromMessageBytes(bytes, max_bytes);
  LiteralProto proto;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(parts.rest, &proto));
  HLOKIT_RETURN_IF_ERROR(wire::CheckFields(proto));
  if (!proto.has_shape()) return InvalidArgument("the literal has no shape");
  HLOKIT_ASSIGN_OR_RETURN(const Shape shape, wire::ReadShape(proto.shape()));
  if (parts.field->type != shape.element_type()) {
    return FromMessageBytes(bytes, max_bytes);
  }
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape, max_bytes));
  HLOKIT_ASSIGN_OR_RETURN(
      Literal literal, PayloadFromBytes(shape, parts.field->kind, parts.payload,
                                        std::move(owner)));
  HLOKIT_RETURN_IF_ERROR(ReadDynamicSizes(proto, &literal));
  return literal;
}

void wire::WriteLiteral(const Literal& literal, int32_t number,
                        WireWriter* writer) {
  const Shape& shape = literal.shape();
  const size_t begin = writer->Begin(number);
  xla::ShapeProto type;
  ShapeToProto(shape, &type);
  writer->Bytes(LiteralProto::kShapeFieldNumber, type.SerializeAsString());
  // Fields in the order of their numbers.
  const bool has_payload = shape.IsArray() && literal.size_bytes() > 0;
  const bool first = has_payload && NumberOf(FieldOf(shape.element_type())) <
                                        LiteralProto::kDynamicSizesFieldNumber;
  if (first) WritePayload(literal, writer);
  for (const Literal& element : literal.elements()) {
    WriteLiteral(element, LiteralProto::kTupleLiteralsFieldNumber, writer);
  }
  if (shape.IsArray() && shape.is_dynamic()) {
    LiteralProto sizes;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      sizes.add_dynamic_sizes(literal.dynamic_size(i));
    }
    sizes.AppendToString(writer->out());
  }
  if (has_payload && !first) WritePayload(literal, writer);
  writer->End(begin);
}

void LiteralToProto(const Literal& literal, LiteralProto* proto) {
  const Shape& shape = literal.shape();
  ShapeToProto(shape, proto->mutable_shape());
  for (const Literal& element : literal.elements()) {
    LiteralToProto(element, proto->add_tuple_literals());
  }
  if (!shape.IsArray()) return;
  if (shape.is_dynamic()) {
    for (int64_t i = 0; i < shape.rank(); ++i) {
      proto->add_dynamic_sizes(literal.dynamic_size(i));
    }
  }
  const int64_t bytes = literal.size_bytes();
  if (bytes == 0) return;
  const PrimitiveType type = literal.element_type();
  char* data = FieldOf(type).write(proto, bytes);
  RowMajorToLayout(shape, literal.untyped_data(), data);
  if (BitWidth(type) < 8) MaskSubBytes(type, data, bytes);
}

}  // namespace hlokit
