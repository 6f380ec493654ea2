#include "passes/types/sub_byte_size_removal.h"

#include <utility>
#include <vector>

namespace hlokit {
namespace {

// The shape with a byte an element; equal when nothing was to do.
Shape Unpacked(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> parts;
    for (const Shape& part : shape.tuple_shapes()) {
      parts.push_back(Unpacked(part));
    }
    return Shape::Tuple(std::move(parts));
  }
  if (!shape.IsArray() || !shape.has_layout() ||
      BitWidth(shape.element_type()) >= 8 ||
      shape.layout().element_size_in_bits == 0) {
    return shape;
  }
  Layout layout = shape.layout();
  layout.element_size_in_bits = 0;
  Shape unpacked = shape;
  unpacked.set_layout(std::move(layout));
  return unpacked;
}

bool Unpack(Shape* shape) {
  Shape unpacked = Unpacked(*shape);
  if (unpacked == *shape) return false;
  *shape = std::move(unpacked);
  return true;
}

}  // namespace

absl::StatusOr<bool> SubByteSizeRemoval::Run(Module* module) {
  bool changed = false;
  for (const auto& computation : module->computations()) {
    for (Instruction* i : computation->instructions()) {
      Shape shape = i->shape();
      if (!Unpack(&shape)) continue;
      i->set_shape(std::move(shape));
      changed = true;
    }
  }
  if (module->entry_layout.has_value()) {
    for (Shape& parameter : module->entry_layout->parameters) {
      changed |= Unpack(&parameter);
    }
    changed |= Unpack(&module->entry_layout->result);
  }
  return changed;
}

}  // namespace hlokit
