// LiteralProto: which field holds the elements of each type, and how.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/wire/message_writer.h"
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

// The field of one element type.
struct PayloadField {
  PrimitiveType type;
  const char* name;
  PayloadKind kind;
  Payload (*read)(const LiteralProto& proto);
};

template <typename T>
Payload ReadRepeated(const google::protobuf::RepeatedField<T>& field) {
  return {reinterpret_cast<const char*>(field.data()),
          static_cast<int64_t>(field.size() * sizeof(T))};
}

#define REPEATED(type, name, kind)  \
  {type, #name, PayloadKind::kind, \
   [](const LiteralProto& p) { return ReadRepeated(p.name()); }}
#define BYTES(type, name)                                             \
  {type, #name, PayloadKind::kBytes,                                  \
   [](const LiteralProto& p) -> Payload {                             \
     return {p.name().data(), static_cast<int64_t>(p.name().size())}; \
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

bool IsRowMajor(const Shape& shape) {
  return !shape.has_layout() || shape.layout().IsDescending();
}

// `copied` is told of what was copied; may be empty.
Literal FromPayload(const Shape& shape, const char* data,
                    const std::function<void(absl::string_view)>& copied) {
  Literal literal = Literal::Zeros(shape);
  const int64_t count = ElementsIn(shape);
  if (count == 0) return literal;
  char* to = literal.mutable_untyped_data();
  if (copied && IsRowMajor(shape)) {
    // Piece by piece, so that only one of them is there twice.
    constexpr int64_t kPieceBytes = 16 << 20;
    const int64_t size = literal.size_bytes();
    for (int64_t at = 0; at < size; at += kPieceBytes) {
      const int64_t piece = std::min(kPieceBytes, size - at);
      std::memcpy(to + at, data + at, piece);
      copied({data + at, static_cast<size_t>(piece)});
    }
  } else {
    LayoutToRowMajor(shape, data, to);
  }
  if (BitWidth(shape.element_type()) < 8) {
    WidenSubBytes(shape.element_type(), to, count);
  }
  return literal;
}

absl::StatusOr<Literal> ReadArray(const LiteralProto& proto,
                                  const Shape& shape) {
  const Payload payload = FieldOf(shape.element_type()).read(proto);
  HLOKIT_RETURN_IF_ERROR(CheckPayload(shape, payload.bytes));
  Literal literal = FromPayload(shape, payload.data, nullptr);
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
                                         const LastingBytes& lasting) {
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
  if (lasting.owner != nullptr && aligned && IsRowMajor(shape) &&
      BitWidth(type) >= 8 && !bytes.empty()) {
    return Literal::View(shape, bytes.data(), lasting.owner);
  }
  return FromPayload(shape, bytes.data(), lasting.copied);
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

// Element `linear` as it is written: what a varint holds.
template <typename T>
uint64_t VarintOf(const char* data, int64_t linear) {
  return static_cast<uint64_t>(
      static_cast<int64_t>(reinterpret_cast<const T*>(data)[linear]));
}
using VarintReader = uint64_t (*)(const char* data, int64_t linear);

VarintReader VarintReaderOf(PrimitiveType type) {
  switch (type) {
    case kPred: return VarintOf<uint8_t>;
    case kS32: return VarintOf<int32_t>;
    case kU32: return VarintOf<uint32_t>;
    default: return VarintOf<int64_t>;
  }
}

// fn(linear) for all elements in the order in which they are written.
template <typename Fn>
void ForEachElement(const Literal& literal, Fn fn) {
  if (IsRowMajor(literal.shape())) {
    const int64_t count = literal.element_count();
    for (int64_t i = 0; i < count; ++i) fn(i);
  } else {
    ForEachInLayoutOrder(
        literal.shape(),
        [&](int64_t linear, absl::Span<const int64_t>) { fn(linear); });
  }
}

int64_t PayloadSize(const Literal& literal) {
  if (FieldOf(literal.element_type()).kind != PayloadKind::kVarints) {
    return literal.size_bytes();
  }
  const VarintReader read = VarintReaderOf(literal.element_type());
  const char* data = literal.untyped_data();
  int64_t size = 0;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    size += wire::VarintSize(read(data, i));
  }
  return size;
}

// Calls emit for the payload's pieces.
void EmitPayload(const Literal& literal, wire::LargePart::Emit emit) {
  const PrimitiveType type = literal.element_type();
  const char* data = literal.untyped_data();
  const bool varints = FieldOf(type).kind == PayloadKind::kVarints;
  if (!varints && IsRowMajor(literal.shape()) && BitWidth(type) >= 8) {
    return emit({data, static_cast<size_t>(literal.size_bytes())});
  }
  constexpr size_t kPieceBytes = 64 << 10;
  constexpr size_t kLongest = 16;  // bytes of one element
  const size_t capacity =
      std::min<size_t>(kPieceBytes, 4 * literal.size_bytes() + 2 * kLongest);
  const std::unique_ptr<char[]> piece(new char[capacity]);
  char* const begin = piece.get();
  char* at = begin;
  const VarintReader read = varints ? VarintReaderOf(type) : nullptr;
  const size_t width = StorageBytes(type);
  const int bits = BitWidth(type);
  const auto mask = static_cast<char>(bits < 8 ? (1 << bits) - 1 : 0xff);
  ForEachElement(literal, [&](int64_t i) {
    if (varints) {
      at = wire::PutVarint(read(data, i), at);
    } else if (width == 1) {
      // Elements of less than a byte lie in the low bits of one.
      *at++ = data[i] & mask;
    } else {
      std::memcpy(at, data + i * width, width);
      at += width;
    }
    if (begin + capacity - at < static_cast<ptrdiff_t>(kLongest)) {
      emit({begin, static_cast<size_t>(at - begin)});
      at = begin;
    }
  });
  emit({begin, static_cast<size_t>(at - begin)});
}

void WritePayload(const Literal& literal, wire::WireWriter* writer) {
  constexpr int64_t kLarge = 1 << 20;
  const int64_t size = PayloadSize(literal);
  writer->Tag(NumberOf(FieldOf(literal.element_type())),
              wire::WireType::kBytes);
  writer->Varint(size);
  if (size < kLarge) {
    EmitPayload(literal,
                [&](absl::string_view piece) { writer->Append(piece); });
    return;
  }
  writer->Append(wire::LargePart{
      .size = static_cast<uint64_t>(size),
      .produce = [literal](wire::LargePart::Emit emit) {
        EmitPayload(literal, emit);
      }});
}

}  // namespace

absl::StatusOr<Literal> LiteralFromProto(const LiteralProto& proto,
                                         int64_t max_bytes) {
  return ReadLiteral(proto, max_bytes, 0);
}

absl::StatusOr<Literal> LiteralFromBytes(absl::string_view bytes,
                                         int64_t max_bytes,
                                         const LastingBytes& lasting) {
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
                                        lasting));
  HLOKIT_RETURN_IF_ERROR(ReadDynamicSizes(proto, &literal));
  return literal;
}

namespace wire {

void WriteLiteral(const Literal& literal, int32_t number, WireWriter* writer) {
  const auto begin = writer->Begin(number);
  WriteLiteralFields(literal, writer);
  writer->End(begin);
}

void WriteLiteralFields(const Literal& literal, WireWriter* writer) {
  const Shape& shape = literal.shape();
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
    writer->Append(sizes.SerializeAsString());
  }
  if (has_payload && !first) WritePayload(literal, writer);
}

}  // namespace wire

void LiteralToProto(const Literal& literal, LiteralProto* proto) {
  if (ParseWrittenBytes(LiteralMessage(literal).Join(), proto)) return;
  proto->Clear();
  ShapeToProto(literal.shape(), proto->mutable_shape());
}

}  // namespace hlokit
