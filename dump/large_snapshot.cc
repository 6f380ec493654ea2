#include "dump/large_snapshot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/wire/message_writer.h"

namespace hlokit {
namespace {

void AppendU64(uint64_t value, std::string* out) {
  for (int i = 0; i < 8; ++i) out->push_back(static_cast<char>(value >> 8 * i));
}

// Bits that one element takes: types that fill a byte evenly are packed.
int PackedBits(PrimitiveType type) {
  if (type == kPred) return 1;
  const int bits = BitWidth(type);
  return bits < 8 && 8 % bits != 0 ? 8 : bits;
}

int64_t PackedBytes(PrimitiveType type, int64_t elements) {
  const int bits = PackedBits(type);
  if (bits >= 8) return elements * (bits / 8);
  return elements / (8 / bits) + (elements % (8 / bits) != 0);
}

Shape Descending(Shape shape) {
  shape.SetDescendingLayouts(/*replace=*/true);
  return shape;
}

// Calls emit for the packed elements, piece by piece.
void EmitElements(const Literal& array, wire::LargePart::Emit emit) {
  const int bits = PackedBits(array.element_type());
  const char* data = array.untyped_data();
  if (bits >= 8) {
    return emit({data, static_cast<size_t>(array.size_bytes())});
  }
  constexpr size_t kPieceBytes = 64 << 10;
  const int64_t count = array.element_count();
  const int per_byte = 8 / bits;
  const int mask = (1 << bits) - 1;
  std::string piece;
  for (int64_t i = 0; i < count; i += per_byte) {
    int byte = 0;
    for (int64_t j = i; j < std::min(count, i + per_byte); ++j) {
      byte |= (data[j] & mask) << bits * (j - i);
    }
    piece.push_back(static_cast<char>(byte));
    if (piece.size() < kPieceBytes) continue;
    emit(piece);
    piece.clear();
  }
  emit(piece);
}

void AppendLeaves(const Literal& literal, wire::LargeMessage* out) {
  if (literal.shape().IsTuple()) {
    for (const Literal& part : literal.elements()) AppendLeaves(part, out);
    return;
  }
  if (!literal.shape().IsArray()) return;
  if (literal.shape().is_dynamic()) {
    for (int64_t i = 0; i < literal.shape().rank(); ++i) {
      const int32_t size = static_cast<int32_t>(literal.dynamic_size(i));
      out->bytes.append(reinterpret_cast<const char*>(&size), 4);
    }
  }
  out->parts.push_back(
      {.at = out->bytes.size(),
       .size = static_cast<uint64_t>(PackedBytes(literal.element_type(),
                                                 literal.element_count())),
       .produce = [literal](wire::LargePart::Emit emit) {
         EmitElements(literal, emit);
       }});
}

// One literal in the large form.
wire::LargeMessage LargeForm(const Literal& literal) {
  xla::ShapeProto proto;
  ShapeToProto(Descending(literal.shape()), &proto);
  const std::string shape = SerializeDeterministic(proto);
  wire::LargeMessage form;
  AppendU64(shape.size(), &form.bytes);
  form.bytes += shape;
  AppendLeaves(literal, &form);
  return form;
}

// Takes pieces off the front of the bytes.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<absl::string_view> Take(uint64_t count) {
    if (count > bytes_.size()) {
      return InvalidArgument(
          "the snapshot ends early: %d bytes are wanted where %d are left",
          count, bytes_.size());
    }
    const absl::string_view piece = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return piece;
  }

  absl::StatusOr<uint64_t> Varint() {
    wire::WireReader reader(bytes_);
    uint64_t value = 0;
    if (!reader.Varint(&value)) {
      return InvalidArgument("the snapshot starts with a broken length");
    }
    bytes_.remove_prefix(bytes_.size() - reader.left());
    return value;
  }

  absl::StatusOr<uint64_t> U64() {
    HLOKIT_ASSIGN_OR_RETURN(const absl::string_view piece, Take(8));
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value |= static_cast<uint64_t>(static_cast<uint8_t>(piece[i])) << 8 * i;
    }
    return value;
  }

  bool empty() const { return bytes_.empty(); }
  size_t left() const { return bytes_.size(); }

 private:
  absl::string_view bytes_;
};

// Undoes the packing: one element a byte.
void Unpack(PrimitiveType type, int64_t count, const char* packed, char* to) {
  const int bits = PackedBits(type);
  const int per_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    int value = static_cast<uint8_t>(packed[i / per_byte]) >>
                bits * (i % per_byte);
    value &= (1 << bits) - 1;
    if (IsSignedIntType(type) && (value >> (bits - 1)) != 0) {
      value -= 1 << bits;
    }
    to[i] = static_cast<char>(value);
  }
}

// Copies piece by piece, so that only one of them is there twice when `copied`
// gives memory back.
void CopyPieces(absl::string_view from, const LastingBytes& lasting, char* to) {
  constexpr size_t kPieceBytes = 16 << 20;
  while (!from.empty()) {
    const absl::string_view piece = from.substr(0, kPieceBytes);
    std::memcpy(to, piece.data(), piece.size());
    if (lasting.copied) lasting.copied(piece);
    to += piece.size();
    from.remove_prefix(piece.size());
  }
}

Literal FromPacked(const Shape& shape, absl::string_view packed,
                   const LastingBytes& lasting) {
  const PrimitiveType type = shape.element_type();
  const Shape descending = Descending(shape);
  const bool in_order = !shape.has_layout() || shape.layout().IsDescending();
  const bool whole_bytes = PackedBits(type) >= 8;
  const bool aligned =
      reinterpret_cast<uintptr_t>(packed.data()) % StorageBytes(type) == 0;
  if (in_order && whole_bytes && aligned && lasting.owner != nullptr &&
      !packed.empty()) {
    return Literal::View(descending, packed.data(), lasting.owner);
  }
  Literal literal = Literal::Zeros(descending);
  char* to = literal.mutable_untyped_data();
  if (in_order && whole_bytes) {
    CopyPieces(packed, lasting, to);
    return literal;
  }
  std::string elements;
  const char* from = packed.data();
  if (!whole_bytes) {
    elements.resize(ElementsIn(shape));
    Unpack(type, ElementsIn(shape), from, elements.data());
    from = elements.data();
  }
  LayoutToRowMajor(shape, from, to);
  return literal;
}

absl::Status ReadArray(const Shape& shape, const LastingBytes& lasting,
                       Reader* reader, Literal* literal) {
  const PrimitiveType type = shape.element_type();
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape));
  const int64_t count = ElementsIn(shape);
  std::vector<int32_t> sizes;
  if (shape.is_dynamic()) {
    HLOKIT_ASSIGN_OR_RETURN(const absl::string_view piece,
                            reader->Take(4 * shape.rank()));
    sizes.resize(shape.rank());
    std::memcpy(sizes.data(), piece.data(), piece.size());
  }
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view packed,
                          reader->Take(PackedBytes(type, count)));
  *literal = FromPacked(shape, packed, lasting);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > shape.dimension(i)) {
      return InvalidArgument("dynamic size %d of dimension %d is not within %s",
                             sizes[i], i, shape.ToString());
    }
    if (shape.is_dynamic_dimension(i)) literal->set_dynamic_size(i, sizes[i]);
  }
  return absl::OkStatus();
}

absl::Status ReadLeaves(const Shape& shape, const LastingBytes& lasting,
                        Reader* reader, Literal* literal) {
  if (shape.IsTuple()) {
    std::vector<Literal> parts(shape.tuple_shapes().size());
    for (size_t i = 0; i < parts.size(); ++i) {
      HLOKIT_RETURN_IF_ERROR(
          ReadLeaves(shape.tuple_shapes()[i], lasting, reader, &parts[i]));
    }
    *literal = Literal::Tuple(std::move(parts));
    return absl::OkStatus();
  }
  if (shape.IsArray()) return ReadArray(shape, lasting, reader, literal);
  if (!shape.IsToken()) {
    return InvalidArgument("a literal of shape %s cannot be read",
                           shape.ToString());
  }
  *literal = Literal::Token();
  return absl::OkStatus();
}

// Calls take(field) for each field of the message that holds bytes.
template <typename Take>
absl::Status ForEachPart(absl::string_view bytes, Take take) {
  wire::WireReader reader(bytes);
  wire::WireField field;
  while (reader.Next(&field)) {
    if (field.type != wire::WireType::kBytes) continue;
    HLOKIT_RETURN_IF_ERROR(take(field));
  }
  if (!reader.bad()) return absl::OkStatus();
  return InvalidArgument("the snapshot ends in the middle of a field");
}

absl::StatusOr<UnoptimizedSnapshot> ReadSmallSnapshot(
    absl::string_view bytes, const LastingBytes& lasting) {
  UnoptimizedSnapshot snapshot;
  HLOKIT_RETURN_IF_ERROR(
      ForEachPart(bytes, [&](const wire::WireField& field) -> absl::Status {
        using P = xla::HloUnoptimizedSnapshot;
        if (field.number == P::kHloModuleFieldNumber) {
          snapshot.module = field.bytes;
        }
        if (field.number != P::kPartitionsFieldNumber) return absl::OkStatus();
        std::vector<Literal>& literals = snapshot.arguments.emplace_back();
        return ForEachPart(
            field.bytes, [&](const wire::WireField& input) -> absl::Status {
              if (input.number != xla::HloInputs::kArgumentsFieldNumber) {
                return absl::OkStatus();
              }
              auto literal = LiteralFromBytes(
                  input.bytes, FromProtoOptions().max_literal_bytes, lasting);
              if (!literal.ok()) {
                return Annotate(literal.status(),
                                absl::StrCat("argument ", literals.size()));
              }
              literals.push_back(*std::move(literal));
              return absl::OkStatus();
            });
      }));
  return snapshot;
}

}  // namespace

std::string LiteralToLargeForm(const Literal& literal) {
  return LargeForm(literal).Join();
}

absl::StatusOr<Literal> LiteralFromLargeForm(absl::string_view bytes,
                                             const LastingBytes& lasting) {
  Reader reader(bytes);
  HLOKIT_ASSIGN_OR_RETURN(const uint64_t size, reader.U64());
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view text, reader.Take(size));
  xla::ShapeProto proto;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(text, &proto));
  HLOKIT_ASSIGN_OR_RETURN(const Shape shape, ShapeFromProto(proto));
  Literal literal;
  HLOKIT_RETURN_IF_ERROR(ReadLeaves(shape, lasting, &reader, &literal));
  if (!reader.empty()) {
    return InvalidArgument("%d bytes follow the literal", reader.left());
  }
  return literal;
}

wire::LargeMessage LargeSnapshotMessage(const Module& module, int64_t module_id,
                                        const PartitionArguments& arguments) {
  using P = xla::HloUnoptimizedSnapshot;
  wire::LargeMessage head;
  std::vector<wire::LargeMessage> tail;
  {
    wire::WireWriter writer(&head);
    WriteModuleField(module, module_id, P::kHloModuleFieldNumber, &writer);
    for (const std::vector<Literal>& partition : arguments) {
      const auto inputs = writer.Begin(P::kPartitionsFieldNumber);
      for (const Literal& argument : partition) {
        tail.push_back(LargeForm(argument));
        const auto descriptor =
            writer.Begin(xla::HloInputs::kArgumentsDescriptorsFieldNumber);
        writer.Number(
            xla::HloInputs::LiteralDescriptor::kArgumentSizeBytesFieldNumber,
            static_cast<int64_t>(tail.back().size()));
        writer.End(descriptor);
      }
      writer.End(inputs);
    }
  }
  wire::LargeMessage snapshot;
  {
    wire::WireWriter writer(&snapshot);
    writer.Varint(head.size());
  }
  snapshot.Append(std::move(head));
  for (wire::LargeMessage& argument : tail) {
    snapshot.Append(std::move(argument));
  }
  return snapshot;
}

absl::StatusOr<UnoptimizedSnapshot> ReadLargeSnapshot(
    absl::string_view bytes, const LastingBytes& lasting) {
  using P = xla::HloUnoptimizedSnapshot;
  Reader reader(bytes);
  HLOKIT_ASSIGN_OR_RETURN(const uint64_t size, reader.Varint());
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view head, reader.Take(size));
  UnoptimizedSnapshot snapshot;
  xla::HloUnoptimizedSnapshot rest;  // all but the module
  wire::WireReader fields(head);
  wire::WireField field;
  while (fields.Next(&field)) {
    if (field.Is(P::kHloModuleFieldNumber, wire::WireType::kBytes)) {
      snapshot.module = field.bytes;
    } else if (!rest.MergeFromString(std::string(field.whole))) {
      return InvalidArgument("field %d of the snapshot is broken",
                             field.number);
    }
  }
  if (fields.bad()) {
    return InvalidArgument("the snapshot's head ends in the middle of a field");
  }
  if (rest.version() > 0) {
    return Unimplemented("version %d of the snapshot is not known",
                         rest.version());
  }
  for (const xla::HloInputs& inputs : rest.partitions()) {
    std::vector<Literal>& literals = snapshot.arguments.emplace_back();
    for (const auto& descriptor : inputs.arguments_descriptors()) {
      HLOKIT_ASSIGN_OR_RETURN(const absl::string_view piece,
                              reader.Take(descriptor.argument_size_bytes()));
      HLOKIT_ASSIGN_OR_RETURN(Literal literal,
                              LiteralFromLargeForm(piece, lasting));
      literals.push_back(std::move(literal));
    }
  }
  if (!reader.empty()) {
    return InvalidArgument("%d bytes follow the snapshot", reader.left());
  }
  return snapshot;
}

bool IsLargeSnapshot(absl::string_view bytes) {
  return !bytes.empty() && (bytes[0] & 0x80) != 0;
}

absl::StatusOr<UnoptimizedSnapshot> ReadUnoptimizedSnapshot(
    absl::string_view bytes, const LastingBytes& lasting) {
  return IsLargeSnapshot(bytes) ? ReadLargeSnapshot(bytes, lasting)
                                : ReadSmallSnapshot(bytes, lasting);
}

}  // namespace hlokit
