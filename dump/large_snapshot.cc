#include "dump/large_snapshot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"

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

void AppendElements(const Literal& array, std::string* out) {
  const PrimitiveType type = array.element_type();
  const int bits = PackedBits(type);
  const int64_t count = array.element_count();
  const char* data = array.untyped_data();
  if (bits >= 8) {
    out->append(data, array.size_bytes());
    return;
  }
  const int per_byte = 8 / bits;
  const int mask = (1 << bits) - 1;
  for (int64_t i = 0; i < count; i += per_byte) {
    int byte = 0;
    for (int64_t j = i; j < std::min(count, i + per_byte); ++j) {
      byte |= (data[j] & mask) << bits * (j - i);
    }
    out->push_back(static_cast<char>(byte));
  }
}

void AppendLeaves(const Literal& literal, std::string* out) {
  if (literal.shape().IsTuple()) {
    for (const Literal& part : literal.elements()) AppendLeaves(part, out);
    return;
  }
  if (!literal.shape().IsArray()) return;
  if (literal.shape().is_dynamic()) {
    for (int64_t i = 0; i < literal.shape().rank(); ++i) {
      const int32_t size = static_cast<int32_t>(literal.dynamic_size(i));
      out->append(reinterpret_cast<const char*>(&size), 4);
    }
  }
  AppendElements(literal, out);
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

// Undoes the packing: one element each StorageBytes(type) bytes.
std::string Unpack(PrimitiveType type, int64_t count,
                   absl::string_view packed) {
  const int bits = PackedBits(type);
  if (bits >= 8) return std::string(packed);
  std::string elements(count, '\0');
  const int per_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    int value = static_cast<uint8_t>(packed[i / per_byte]) >>
                bits * (i % per_byte);
    value &= (1 << bits) - 1;
    if (IsSignedIntType(type) && (value >> (bits - 1)) != 0) {
      value -= 1 << bits;
    }
    elements[i] = static_cast<char>(value);
  }
  return elements;
}

absl::Status ReadArray(const Shape& shape, Reader* reader, Literal* literal) {
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
  const std::string elements = Unpack(type, count, packed);
  *literal = Literal::Zeros(Descending(shape));
  LayoutToRowMajor(shape, elements.data(), literal->mutable_untyped_data());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > shape.dimension(i)) {
      return InvalidArgument("dynamic size %d of dimension %d is not within %s",
                             sizes[i], i, shape.ToString());
    }
    if (shape.is_dynamic_dimension(i)) literal->set_dynamic_size(i, sizes[i]);
  }
  return absl::OkStatus();
}

absl::Status ReadLeaves(const Shape& shape, Reader* reader, Literal* literal) {
  if (shape.IsTuple()) {
    std::vector<Literal> parts(shape.tuple_shapes().size());
    for (size_t i = 0; i < parts.size(); ++i) {
      HLOKIT_RETURN_IF_ERROR(
          ReadLeaves(shape.tuple_shapes()[i], reader, &parts[i]));
    }
    *literal = Literal::Tuple(std::move(parts));
    return absl::OkStatus();
  }
  if (shape.IsArray()) return ReadArray(shape, reader, literal);
  if (!shape.IsToken()) {
    return InvalidArgument("a literal of shape %s cannot be read",
                           shape.ToString());
  }
  *literal = Literal::Token();
  return absl::OkStatus();
}

}  // namespace

std::string LiteralToLargeForm(const Literal& literal) {
  xla::ShapeProto proto;
  ShapeToProto(Descending(literal.shape()), &proto);
  const std::string shape = SerializeDeterministic(proto);
  std::string bytes;
  bytes.reserve(8 + shape.size() + literal.size_bytes());
  AppendU64(shape.size(), &bytes);
  bytes += shape;
  AppendLeaves(literal, &bytes);
  return bytes;
}

absl::StatusOr<Literal> LiteralFromLargeForm(absl::string_view bytes) {
  Reader reader(bytes);
  HLOKIT_ASSIGN_OR_RETURN(const uint64_t size, reader.U64());
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view text, reader.Take(size));
  xla::ShapeProto proto;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(text, &proto));
  HLOKIT_ASSIGN_OR_RETURN(const Shape shape, ShapeFromProto(proto));
  Literal literal;
  HLOKIT_RETURN_IF_ERROR(ReadLeaves(shape, &reader, &literal));
  if (!reader.empty()) {
    return InvalidArgument("%d bytes follow the literal", reader.left());
  }
  return literal;
}

std::string WriteLargeSnapshot(const xla::HloModuleProto& module,
                               const PartitionArguments& arguments) {
  xla::HloUnoptimizedSnapshot head;
  *head.mutable_hlo_module() = module;
  std::string tail;
  for (const std::vector<Literal>& partition : arguments) {
    xla::HloInputs* inputs = head.add_partitions();
    for (const Literal& argument : partition) {
      const std::string bytes = LiteralToLargeForm(argument);
      inputs->add_arguments_descriptors()->set_argument_size_bytes(
          bytes.size());
      tail += bytes;
    }
  }
  const std::string message = SerializeDeterministic(head);
  std::string bytes;
  wire::WireWriter(&bytes).Varint(message.size());
  bytes += message;
  bytes += tail;
  return bytes;
}

absl::StatusOr<UnoptimizedSnapshot> ReadLargeSnapshot(absl::string_view bytes) {
  Reader reader(bytes);
  HLOKIT_ASSIGN_OR_RETURN(const uint64_t size, reader.Varint());
  HLOKIT_ASSIGN_OR_RETURN(const absl::string_view head, reader.Take(size));
  xla::HloUnoptimizedSnapshot message;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(head, &message));
  if (message.version() > 0) {
    return Unimplemented("version %d of the snapshot is not known",
                         message.version());
  }
  UnoptimizedSnapshot snapshot;
  for (const xla::HloInputs& inputs : message.partitions()) {
    std::vector<Literal>& literals = snapshot.arguments.emplace_back();
    for (const auto& descriptor : inputs.arguments_descriptors()) {
      HLOKIT_ASSIGN_OR_RETURN(const absl::string_view piece,
                              reader.Take(descriptor.argument_size_bytes()));
      HLOKIT_ASSIGN_OR_RETURN(Literal literal, LiteralFromLargeForm(piece));
      literals.push_back(std::move(literal));
    }
  }
  if (!reader.empty()) {
    return InvalidArgument("%d bytes follow the snapshot", reader.left());
  }
  snapshot.module.Swap(message.mutable_hlo_module());
  return snapshot;
}

bool IsLargeSnapshot(absl::string_view bytes) {
  return !bytes.empty() && (bytes[0] & 0x80) != 0;
}

absl::StatusOr<UnoptimizedSnapshot> ReadUnoptimizedSnapshot(
    absl::string_view bytes) {
  if (IsLargeSnapshot(bytes)) return ReadLargeSnapshot(bytes);
  xla::HloUnoptimizedSnapshot message;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(bytes, &message));
  UnoptimizedSnapshot snapshot;
  for (const xla::HloInputs& inputs : message.partitions()) {
    std::vector<Literal>& literals = snapshot.arguments.emplace_back();
    for (const xla::LiteralProto& proto : inputs.arguments()) {
      HLOKIT_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(proto));
      literals.push_back(std::move(literal));
    }
  }
  snapshot.module.Swap(message.mutable_hlo_module());
  return snapshot;
}

}  // namespace hlokit
