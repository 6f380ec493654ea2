#include "passes/types/element_size.h"

#include <utility>

namespace hlokit {
namespace {

bool SetElementSize(Shape* shape, ElementSizeOf size) {
  if (shape->IsTuple()) {
    bool changed = false;
    for (size_t k = 0; k < shape->tuple_shapes().size(); ++k) {
      Shape part = shape->tuple_shape(k);
      if (!SetElementSize(&part, size)) continue;
      shape->set_tuple_shape(k, std::move(part));
      changed = true;
    }
    return changed;
  }
  if (!shape->IsArray() || !shape->has_layout()) return false;
  const int64_t bits = size(*shape);
  if (shape->layout().element_size_in_bits == bits) return false;
  Layout layout = shape->layout();
  layout.element_size_in_bits = bits;
  shape->set_layout(std::move(layout));
  return true;
}

}  // namespace

bool SetElementSizes(Module* module, ElementSizeOf size) {
  bool changed = false;
  for (const auto& computation : module->computations()) {
    for (Instruction* i : computation->instructions()) {
      Shape shape = i->shape();
      if (!SetElementSize(&shape, size)) continue;
      i->set_shape(std::move(shape));
      changed = true;
    }
  }
  if (module->entry_layout.has_value()) {
    for (Shape& parameter : module->entry_layout->parameters) {
      changed |= SetElementSize(&parameter, size);
    }
    changed |= SetElementSize(&module->entry_layout->result, size);
  }
  return changed;
}

}  // namespace hlokit
