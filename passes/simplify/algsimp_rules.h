// The rules of algsimp: one table a family of operations.
//
// A rule returns what may stand for the instruction - one that exists or one
// that it builds - or null; then it must have built nothing. It must make
// progress: no set of rules may go round in circles. Shapes are static and
// there are no control dependencies; the caller has seen to that.
#ifndef HLOKIT_PASSES_SIMPLIFY_ALGSIMP_RULES_H_
#define HLOKIT_PASSES_SIMPLIFY_ALGSIMP_RULES_H_

#include "absl/types/span.h"
#include "passes/builders.h"
#include "passes/rewrites.h"

namespace hlokit::algsimp {

struct Rule {
  Opcode opcode;  // that it looks at; kParameter: every element-wise opcode
  Instruction* (*apply)(Builder& b, Instruction* i);
  Rewrite rewrite;  // whose row says whether it is exact, on floats
};

absl::Span<const Rule> ArithmeticRules();
absl::Span<const Rule> LogicRules();
absl::Span<const Rule> CompareRules();
absl::Span<const Rule> ConvertRules();
absl::Span<const Rule> MovementRules();
absl::Span<const Rule> SliceRules();
absl::Span<const Rule> DotRules();
absl::Span<const Rule> ReduceRules();

inline PrimitiveType TypeOf(const Instruction* i) {
  return i->shape().element_type();
}
inline bool IsInteger(const Instruction* i) {
  return IsIntegerType(TypeOf(i));
}
inline bool IsFloat(const Instruction* i) { return IsFloatType(TypeOf(i)); }
inline bool IsPred(const Instruction* i) { return TypeOf(i) == kPred; }
// Same type and dimensions, so that one may stand for the other.
inline bool SameShape(const Instruction* a, const Instruction* b) {
  return ShapesCompatible(a->shape(), b->shape());
}

}  // namespace hlokit::algsimp

#endif  // HLOKIT_PASSES_SIMPLIFY_ALGSIMP_RULES_H_
