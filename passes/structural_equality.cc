#include "passes/structural_equality.h"

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

bool SameType(const Shape& a, const Shape& b, const EqualityOptions& options) {
  ShapeEqual equal;
  equal.ignore_layout = !options.layout_sensitive;
  return equal(a, b);
}

// Attributes that name what an instruction is for, not what it computes.
bool IsDescriptive(AttrId id) {
  return id == AttrId::kOrigin || id == AttrId::kStatistics;
}

int64_t DefiningAttributes(const AttributeSet& attrs) {
  int64_t count = 0;
  for (const auto& entry : attrs.entries()) count += !IsDescriptive(entry.id);
  return count;
}

bool SameAttributes(const Instruction& a, const Instruction& b,
                    const EqualityOptions& options) {
  if (DefiningAttributes(a.attrs()) != DefiningAttributes(b.attrs())) {
    return false;
  }
  for (const auto& entry : a.attrs().entries()) {
    if (IsDescriptive(entry.id)) continue;
    const AttrValue* other = b.attrs().Find(entry.id);
    if (other == nullptr) return false;
    // Literals compare by value; their layout is the type's matter.
    if (!AttrValuesEqual(entry.value, *other)) return false;
  }
  return true;
}

}  // namespace

bool SameOperation(const Instruction& a, const Instruction& b,
                   const EqualityOptions& options) {
  if (a.opcode() != b.opcode() || a.operand_count() != b.operand_count() ||
      a.parameter_number() != b.parameter_number() ||
      !SameType(a.shape(), b.shape(), options) ||
      !SameAttributes(a, b, options)) {
    return false;
  }
  const auto calls_a = a.called_computations();
  const auto calls_b = b.called_computations();
  if (calls_a.size() != calls_b.size()) return false;
  EqualityOptions inner = options;
  --inner.max_depth;
  for (size_t i = 0; i < calls_a.size(); ++i) {
    if (!SameComputation(*calls_a[i], *calls_b[i], inner)) return false;
  }
  return true;
}

bool SameComputation(const Computation& a, const Computation& b,
                     const EqualityOptions& options) {
  if (&a == &b) return true;
  if (options.max_depth < 0 ||
      a.instruction_count() != b.instruction_count() ||
      a.parameter_count() != b.parameter_count() ||
      a.execution_thread() != b.execution_thread()) {
    return false;
  }
  const std::vector<Instruction*> order_a = a.PostOrder();
  const std::vector<Instruction*> order_b = b.PostOrder();
  absl::flat_hash_map<const Instruction*, const Instruction*> match;
  for (size_t i = 0; i < order_a.size(); ++i) {
    const Instruction& x = *order_a[i];
    const Instruction& y = *order_b[i];
    if (!SameOperation(x, y, options)) return false;
    for (int64_t k = 0; k < x.operand_count(); ++k) {
      if (match[x.operand(k)] != y.operand(k)) return false;
    }
    match[&x] = &y;
  }
  return match[a.root()] == b.root();
}

}  // namespace hlokit
