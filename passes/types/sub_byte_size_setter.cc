#include "passes/types/sub_byte_size_setter.h"

#include <utility>
#include <vector>

namespace hlokit {
namespace {

// The shape with packed layouts; equal when nothing was to do.
Shape Packed(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> parts;
    bool changed = false;
    for (const Shape& part : shape.tuple_shapes()) {
      parts.push_back(Packed(part));
      changed |= parts.back() != part;
    }
    return changed ? Shape::Tuple(std::move(parts)) : shape;
  }
  if (!shape.IsArray() || !shape.has_layout()) return shape;
  const int bits = BitWidth(shape.element_type());
  if (bits >= 8 || 8 % bits != 0 ||
      shape.layout().element_size_in_bits == bits) {
    return shape;
  }
  Layout layout = shape.layout();
  layout.element_size_in_bits = bits;
  Shape packed = shape;
  packed.set_layout(std::move(layout));
  return packed;
}

bool Pack(Shape* shape) {
  Shape packed = Packed(*shape);
  if (packed == *shape) return false;
  *shape = std::move(packed);
  return true;
}

}  // namespace

absl::StatusOr<bool> SubByteSizeSetter::Run(Module* module) {
  bool changed = false;
  for (const auto& computation : module->computations()) {
    for (Instruction* i : computation->instructions()) {
      Shape shape = i->shape();
      if (!Pack(&shape)) continue;
      i->set_shape(shape);
      changed = true;
    }
  }
  if (module->entry_layout.has_value()) {
    for (Shape& parameter : module->entry_layout->parameters) {
      changed |= Pack(&parameter);
    }
    changed |= Pack(&module->entry_layout->result);
  }
  return changed;
}

}  // namespace hlokit
