// ShapeProto, LayoutProto, ProgramShapeProto.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/name_uniquer.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/unknown_fields.h"

namespace hlokit {
namespace wire {
namespace {

absl::StatusOr<PrimitiveType> ReadType(int number) {
  if (number > 0 && number < kPrimitiveTypeLimit) {
    const auto type = static_cast<PrimitiveType>(number);
    if (InfoOf(type).type == type) return type;
  }
  if (number == 0) return InvalidArgument("the shape has no element type");
  // Whether unknown types may be there is for the caller to say.
  const auto kept = number > 0 ? UnknownTypeNamed(UnknownTypeName(number))
                               : std::nullopt;
  if (kept) return *kept;
  return InvalidArgument("element type %d is unknown", number);
}

// Our fields among the unknown ones.
template <typename Fn>
void ForEachOurs(const google::protobuf::Message& message, Fn fn) {
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == kOurField &&
        field.type() ==
            google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      fn(field.length_delimited());
    }
  }
}

// An element type that has a name only.
absl::StatusOr<PrimitiveType> ReadTypeOf(const xla::ShapeProto& proto) {
  std::optional<PrimitiveType> named;
  if (proto.element_type() == 0) {
    ForEachOurs(proto, [&](const std::string& name) {
      if (IsSanitizedName(name)) named = UnknownTypeNamed(name);
    });
  }
  if (named) return *named;
  return ReadType(proto.element_type());
}

// kInvalid for 0, which means "not given".
absl::StatusOr<PrimitiveType> ReadOptionalType(int number) {
  if (number == 0) return kInvalid;
  return ReadType(number);
}

bool IsPlainDescending(const xla::LayoutProto& proto, int64_t rank) {
  if (proto.minor_to_major_size() != rank) return false;
  for (int64_t i = 0; i < rank; ++i) {
    if (proto.minor_to_major(i) != rank - 1 - i) return false;
  }
  return proto.tiles_size() == 0 &&
         proto.tail_padding_alignment_in_elements() <= 1 &&
         proto.element_size_in_bits() == 0 && proto.memory_space() == 0 &&
         proto.index_primitive_type() == 0 &&
         proto.pointer_primitive_type() == 0 && !proto.has_physical_shape() &&
         proto.dynamic_shape_metadata_prefix_bytes() == 0 &&
         proto.split_configs_size() == 0 &&
         proto.GetReflection()->GetUnknownFields(proto).empty();
}

absl::StatusOr<Layout> ReadLayout(const xla::LayoutProto& proto, int depth) {
  Layout layout;
  layout.minor_to_major = ToList<DimensionVector>(proto.minor_to_major());
  for (const xla::TileProto& tile : proto.tiles()) {
    layout.tiles.push_back({ToList<DimensionVector>(tile.dimensions())});
  }
  // Old writers know no tail padding.
  layout.tail_padding_alignment_in_elements =
      proto.tail_padding_alignment_in_elements() == 0
          ? 1
          : proto.tail_padding_alignment_in_elements();
  layout.element_size_in_bits = proto.element_size_in_bits();
  layout.memory_space = proto.memory_space();
  HLOKIT_ASSIGN_OR_RETURN(layout.index_primitive_type,
                          ReadOptionalType(proto.index_primitive_type()));
  HLOKIT_ASSIGN_OR_RETURN(layout.pointer_primitive_type,
                          ReadOptionalType(proto.pointer_primitive_type()));
  layout.dynamic_shape_metadata_prefix_bytes =
      proto.dynamic_shape_metadata_prefix_bytes();
  for (const xla::SplitConfigProto& split : proto.split_configs()) {
    layout.split_configs.push_back(
        {split.dimension(), ToList<DimensionVector>(split.split_indices())});
  }
  if (proto.has_physical_shape()) {
    HLOKIT_ASSIGN_OR_RETURN(Shape physical,
                            ReadShape(proto.physical_shape(), depth + 1));
    layout.physical_shape = std::make_shared<const Shape>(std::move(physical));
  }
  ForEachOurs(proto, [&](const std::string& word) {
    const size_t line = word.find('\n');
    if (line == std::string::npos) return;
    layout.unknown_words.push_back({word.substr(0, line), word.substr(line + 1)});
  });
  return layout;
}

void WriteLayout(const Layout& layout, xla::LayoutProto* proto) {
  SetField(layout.minor_to_major, proto->mutable_minor_to_major());
  for (const Tile& tile : layout.tiles) {
    SetField(tile.dimensions, proto->add_tiles()->mutable_dimensions());
  }
  proto->set_tail_padding_alignment_in_elements(
      layout.tail_padding_alignment_in_elements);
  proto->set_element_size_in_bits(layout.element_size_in_bits);
  proto->set_memory_space(layout.memory_space);
  proto->set_index_primitive_type(
      static_cast<xla::PrimitiveType>(layout.index_primitive_type));
  proto->set_pointer_primitive_type(
      static_cast<xla::PrimitiveType>(layout.pointer_primitive_type));
  proto->set_dynamic_shape_metadata_prefix_bytes(
      layout.dynamic_shape_metadata_prefix_bytes);
  for (const SplitConfig& split : layout.split_configs) {
    xla::SplitConfigProto* out = proto->add_split_configs();
    out->set_dimension(split.dimension);
    SetField(split.split_indices, out->mutable_split_indices());
  }
  if (layout.physical_shape != nullptr) {
    ShapeToProto(*layout.physical_shape, proto->mutable_physical_shape());
  }
  for (const UnknownLayoutWord& word : layout.unknown_words) {
    proto->GetReflection()->MutableUnknownFields(proto)->AddLengthDelimited(
        kOurField, absl::StrCat(word.after, "\n", word.text));
  }
}

absl::StatusOr<Shape> ReadArray(const xla::ShapeProto& proto,
                                PrimitiveType type, int depth) {
  const auto dimensions = ToSpan(proto.dimensions());
  for (int64_t size : dimensions) {
    if (size < 0 && size != kUnboundedSize) {
      return InvalidArgument("dimension %d is negative", size);
    }
  }
  const int dynamic_size = proto.is_dynamic_dimension_size();
  if (dynamic_size != 0 && dynamic_size != proto.dimensions_size()) {
    return InvalidArgument("%d dynamic flags for %d dimensions", dynamic_size,
                           proto.dimensions_size());
  }
  const bool plain = proto.has_layout() &&
                     IsPlainDescending(proto.layout(), dimensions.size());
  Shape shape = plain ? Shape::ArrayWithDescendingLayout(type, dimensions)
                      : Shape::Array(type, dimensions);
  for (int i = 0; i < dynamic_size; ++i) {
    if (proto.is_dynamic_dimension(i)) shape.set_dynamic_dimension(i, true);
  }
  if (proto.has_layout() && !plain) {
    HLOKIT_RETURN_IF_ERROR(CheckFields(proto.layout()));
    HLOKIT_ASSIGN_OR_RETURN(Layout layout, ReadLayout(proto.layout(), depth));
    shape.set_layout(std::move(layout));
  }
  return shape;
}

}  // namespace

// The number of a type; where there is none, its name.
void WriteElementType(PrimitiveType type, xla::ShapeProto* proto) {
  const absl::string_view name = PrimitiveTypeName(type);
  const int number =
      IsUnknownType(type) ? UnknownTypeNumber(name) : static_cast<int>(type);
  proto->set_element_type(static_cast<xla::PrimitiveType>(number));
  if (number != 0 || !IsUnknownType(type)) return;
  proto->GetReflection()->MutableUnknownFields(proto)->AddLengthDelimited(
      kOurField, std::string(name));
}

absl::StatusOr<Shape> ReadShape(const xla::ShapeProto& proto, int depth) {
  if (depth > kMaxPartNesting) {
    return InvalidArgument("shapes are nested deeper than %d", kMaxPartNesting);
  }
  HLOKIT_RETURN_IF_ERROR(CheckFields(proto));
  HLOKIT_ASSIGN_OR_RETURN(const PrimitiveType type,
                          ReadTypeOf(proto));
  switch (type) {
    case kTuple: {
      std::vector<Shape> elements;
      elements.reserve(proto.tuple_shapes_size());
      for (const xla::ShapeProto& element : proto.tuple_shapes()) {
        HLOKIT_ASSIGN_OR_RETURN(Shape shape, ReadShape(element, depth + 1));
        elements.push_back(std::move(shape));
      }
      return Shape::Tuple(std::move(elements)).Interned();
    }
    case kBuffer: {
      if (proto.tuple_shapes_size() != 1) {
        return InvalidArgument("a buffer type has %d shapes inside, wants 1",
                               proto.tuple_shapes_size());
      }
      HLOKIT_ASSIGN_OR_RETURN(Shape array,
                              ReadShape(proto.tuple_shapes(0), depth + 1));
      const Shape buffer = Shape::Buffer(std::move(array));
      HLOKIT_RETURN_IF_ERROR(ValidateShape(buffer));
      return buffer.Interned();
    }
    case kToken:
      return Shape::Token();
    case kOpaque:
      return Shape::Opaque();
    default: {
      HLOKIT_ASSIGN_OR_RETURN(Shape shape, ReadArray(proto, type, depth));
      HLOKIT_RETURN_IF_ERROR(ValidateShape(shape));
      return shape.Interned();
    }
  }
}

absl::StatusOr<ProgramShape> ReadProgramShape(
    const xla::ProgramShapeProto& proto) {
  ProgramShape shape;
  HLOKIT_RETURN_IF_ERROR(CheckFields(proto));
  for (int i = 0; i < proto.parameters_size(); ++i) {
    auto parameter = ReadShape(proto.parameters(i));
    if (!parameter.ok()) {
      return Annotate(parameter.status(), absl::StrCat("parameter ", i));
    }
    shape.parameters.push_back(*std::move(parameter));
    shape.parameter_names.push_back(
        i < proto.parameter_names_size() ? proto.parameter_names(i) : "");
  }
  auto result = ReadShape(proto.result());
  if (!result.ok()) return Annotate(result.status(), "result");
  shape.result = *std::move(result);
  return shape;
}

void WriteProgramShape(const ProgramShape& shape, bool own_names,
                       xla::ProgramShapeProto* proto) {
  for (size_t i = 0; i < shape.parameters.size(); ++i) {
    ShapeToProto(shape.parameters[i], proto->add_parameters());
    if (own_names) {
      proto->add_parameter_names(shape.parameter_names[i]);
    } else {
      proto->add_parameter_names(absl::StrCat("p", i));
    }
  }
  ShapeToProto(shape.result, proto->mutable_result());
}

}  // namespace wire

absl::StatusOr<Shape> ShapeFromProto(const xla::ShapeProto& proto) {
  return wire::ReadShape(proto);
}

void ShapeToProto(const Shape& shape, xla::ShapeProto* proto) {
  wire::WriteElementType(shape.element_type(), proto);
  for (const Shape& element : shape.tuple_shapes()) {
    ShapeToProto(element, proto->add_tuple_shapes());
  }
  if (!shape.IsArray() && !IsUnknownType(shape.element_type())) return;
  wire::SetField(shape.dimensions(), proto->mutable_dimensions());
  auto* dynamic = proto->mutable_is_dynamic_dimension();
  dynamic->Reserve(shape.rank());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    dynamic->AddAlreadyReserved(shape.is_dynamic_dimension(i));
  }
  if (shape.has_layout()) {
    wire::WriteLayout(shape.layout(), proto->mutable_layout());
  }
}

}  // namespace hlokit
