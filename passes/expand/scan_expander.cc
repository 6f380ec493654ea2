#include "passes/expand/scan_expander.h"

namespace hlokit {
namespace {

std::vector<int64_t> WithOne(const Shape& shape, int64_t dimension) {
  std::vector<int64_t> sizes(shape.dimensions().begin(),
                             shape.dimensions().end());
  sizes.insert(sizes.begin() + dimension, 1);
  return sizes;
}

}  // namespace

bool ScanExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kScan && IsStatic(i);
}

absl::StatusOr<Instruction*> ScanExpander::Expand(Instruction* i, Emitter& e) {
  const Computation& body = *i->to_apply();
  const int64_t dimension = i->dimension(0);
  const int64_t carries = i->attrs().GetInt(AttrId::kNumCarries);
  const int64_t inputs = i->operand_count() - carries;
  const int64_t length = i->operand(0)->shape().dimension(dimension);
  const bool reverse = i->attrs().GetBool(AttrId::kIsReverse);
  const bool tuple = i->shape().IsTuple();
  const int64_t results = tuple ? i->shape().tuple_shapes().size() : 1;
  const int64_t outputs = results - carries;
  // Inputs, carries, outputs.
  Values state(i->operands().begin(), i->operands().end());
  for (int64_t n = 0; n < outputs; ++n) {
    const Shape& shape = tuple ? i->shape().tuple_shape(n) : i->shape();
    state.push_back(e.Full(shape.element_type(), shape.dimensions(), 0));
  }
  if (length > 0) {
    state = e.For("scan", length, state, [&](Emitter& b, Instruction* n,
                                             const Values& s) {
      const PrimitiveType counter = n->shape().element_type();
      if (reverse) n = b.Subtract(b.ScalarInt(counter, length - 1), n);
      Values arguments = s;
      arguments.resize(inputs + carries);
      for (int64_t k = 0; k < inputs; ++k) {
        arguments[k] = b.Reshape(b.DynamicSliceAlong(s[k], dimension, n, 1),
                                 body.parameter(k)->shape().dimensions());
      }
      Instruction* root = b.Inline(body, arguments);
      const Values made = tuple ? b.Elements(root) : Values{root};
      Values next(s.begin(), s.begin() + inputs);
      next.insert(next.end(), made.begin() + outputs, made.end());
      for (int64_t k = 0; k < outputs; ++k) {
        Instruction* slice =
            b.Reshape(made[k], WithOne(made[k]->shape(), dimension));
        next.push_back(b.DynamicUpdateAlong(s[inputs + carries + k], slice,
                                            dimension, n));
      }
      return next;
    });
  }
  Values parts(state.begin() + inputs + carries, state.end());
  parts.insert(parts.end(), state.begin() + inputs,
               state.begin() + inputs + carries);
  return tuple ? e.Tuple(parts) : parts[0];
}

}  // namespace hlokit
