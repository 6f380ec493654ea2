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

// Reads and writes the field of one element type. `write` makes room for
// `bytes` bytes of elements.
struct PayloadField {
  PrimitiveType type;
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

#define REPEATED(type, name)                                                \
  {type,                                                                    \
   [](const LiteralProto& p) { return ReadRepeated(p.name()); },            \
   [](LiteralProto* p, int64_t n) { return WriteRepeated(p->mutable_##name(), n); }}
#define BYTES(type, name)                                                     \
  {type,                                                                      \
   [](const LiteralProto& p) -> Payload {                                     \
     return {p.name().data(), static_cast<int64_t>(p.name().size())};         \
   },                                                                         \
   [](LiteralProto* p, int64_t n) {                                           \
     p->mutable_##name()->resize(n);                                          \
     return p->mutable_##name()->data();                                      \
   }}

constexpr PayloadField kPayloadFields[] = {
    REPEATED(kPred, preds),
    BYTES(kS1, s1s),
    BYTES(kS2, s2s),
    BYTES(kS4, s4s),
    BYTES(kS8, s8s),
    BYTES(kS16, s16s),
    REPEATED(kS32, s32s),
    REPEATED(kS64, s64s),
    BYTES(kU1, u1s),
    BYTES(kU2, u2s),
    BYTES(kU4, u4s),
    BYTES(kU8, u8s),
    BYTES(kU16, u16s),
    REPEATED(kU32, u32s),
    REPEATED(kU64, u64s),
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
    REPEATED(kF32, f32s),
    REPEATED(kF64, f64s),
    REPEATED(kC64, c64s),
    REPEATED(kC128, c128s),
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

absl::StatusOr<Literal> ReadArray(const LiteralProto& proto, const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const Payload payload = FieldOf(type).read(proto);
  const int64_t width = StorageBytes(type);
  const int64_t count = ElementsIn(shape);
  if (payload.bytes % width != 0 || payload.bytes / width != count) {
    const absl::string_view name = PrimitiveTypeName(type);
    if (payload.bytes % width != 0) {
      return InvalidArgument("%d bytes of %s values for %s, which needs %d",
                             payload.bytes, name, shape.ToString(),
                             count * width);
    }
    return InvalidArgument("%d values for %s, which needs %d",
                           payload.bytes / width, shape.ToString(), count);
  }
  Literal literal = Literal::Zeros(shape);
  if (count > 0) {
    char* data = literal.mutable_untyped_data();
    LayoutToRowMajor(shape, payload.data, data);
    if (BitWidth(type) < 8) WidenSubBytes(type, data, count);
  }
  HLOKIT_RETURN_IF_ERROR(ReadDynamicSizes(proto, &literal));
  return literal;
}

absl::StatusOr<Literal> ReadLiteral(const LiteralProto& proto,
                                    int64_t max_bytes, int depth) {
  if (depth > wire::kMaxNesting) {
    return InvalidArgument("literals are nested deeper than %d",
                           wire::kMaxNesting);
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

}  // namespace

absl::StatusOr<Literal> LiteralFromProto(const LiteralProto& proto,
                                         int64_t max_bytes) {
  return ReadLiteral(proto, max_bytes, 0);
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
