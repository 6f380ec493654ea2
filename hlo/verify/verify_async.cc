#include <cstdint>

#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

constexpr absl::string_view kAsyncRule = "async";
constexpr absl::string_view kMainThread = "main";

bool IsAsync(const Instruction& i) {
  return i.opcode() == Opcode::kAsyncStart ||
         i.opcode() == Opcode::kAsyncUpdate ||
         i.opcode() == Opcode::kAsyncDone;
}

bool IsAsyncOpen(const Instruction& i) {
  return IsAsync(i) && i.opcode() != Opcode::kAsyncDone;
}

// ((operands), results, ...)
bool HasAsyncForm(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes().size() >= 2 &&
         shape.tuple_shape(0).IsTuple();
}

absl::string_view ThreadOf(absl::string_view thread) {
  return thread.empty() ? kMainThread : thread;
}

// A start or update has one user, which continues the chain.
void CheckConsumer(const Instruction& i, Checker& checker) {
  if (i.user_count() != 1) {
    checker.Reportf(&i, kAsyncRule,
                    "expected one async-update or async-done as user, found "
                    "%d users",
                    i.user_count());
  }
  for (const Instruction* user : i.users()) {
    bool fits = (user->opcode() == Opcode::kAsyncUpdate ||
                 user->opcode() == Opcode::kAsyncDone) &&
                user->operand_count() > 0 && user->operand(0) == &i;
    if (fits) continue;
    checker.Reportf(&i, kAsyncRule,
                    "may only be operand 0 of an async-update or async-done, "
                    "is used by %%%s",
                    user->name());
  }
}

// Part 0 of the type starts with the operands that are bound here, `first` of
// them before.
void CheckBound(const Instruction& i, const Shape& bound, int64_t first,
                int64_t first_operand, Checker& checker) {
  int64_t size = bound.tuple_shapes().size();
  int64_t count = i.operand_count() - first_operand;
  if (first + count != size) {
    checker.Reportf(&i, kAsyncRule, "%d operands are bound, the type has %d: %s",
                    first + count, size, infer::TypeText(bound));
    return;
  }
  for (int64_t n = 0; n < count; ++n) {
    const Shape& operand = i.operand(first_operand + n)->shape();
    if (ShapesCompatible(operand, bound.tuple_shape(first + n))) continue;
    checker.Reportf(&i, kAsyncRule, "operand %d is %s, the type has %s",
                    first_operand + n, infer::TypeText(operand),
                    infer::TypeText(bound.tuple_shape(first + n)));
  }
}

// The type of a start or update against the computation that it wraps.
void CheckAgainstWrapped(const Instruction& i, const Computation& wrapped,
                         Checker& checker) {
  const Shape& bound = i.shape().tuple_shape(0);
  int64_t size = bound.tuple_shapes().size();
  if (size > wrapped.parameter_count()) {
    checker.Reportf(&i, kAsyncRule, "%s takes %d parameters, the type has %d",
                    wrapped.name(), wrapped.parameter_count(), size);
    return;
  }
  for (int64_t n = 0; n < size; ++n) {
    const Shape& parameter = wrapped.parameter(n)->shape();
    if (ShapesCompatible(parameter, bound.tuple_shape(n))) continue;
    checker.Reportf(&i, kAsyncRule, "parameter %d of %s is %s, the type has %s", n,
                    wrapped.name(), infer::TypeText(parameter),
                    infer::TypeText(bound.tuple_shape(n)));
  }
  const Shape& result = wrapped.root()->shape();
  if (ShapesCompatible(result, i.shape().tuple_shape(1))) return;
  checker.Reportf(&i, kAsyncRule, "%s gives %s, the type has %s", wrapped.name(),
                  infer::TypeText(result),
                  infer::TypeText(i.shape().tuple_shape(1)));
}

// On the main thread a wrapper is its parameters and one operation. Groups of
// collectives and of barriers are exempt.
void CheckWrapperForm(const Instruction& i, const Computation& wrapped,
                      Checker& checker) {
  if (ThreadOf(wrapped.execution_thread()) != kMainThread) return;
  const FrontendAttributes* attributes =
      i.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (attributes != nullptr && attributes->contains("_collectives_group")) {
    return;
  }
  for (const Instruction* inner : wrapped.instructions()) {
    if (inner == wrapped.root()) continue;
    switch (inner->opcode()) {
      case Opcode::kParameter:
      case Opcode::kOptBarrier:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
        continue;
      default:
        checker.Reportf(&i, kAsyncRule,
                        "%s may hold only parameters and its root on the main "
                        "thread, found %%%s",
                        wrapped.name(), inner->name());
        return;
    }
  }
}

// Operand 0 continues a chain: it is a start or update of the right form.
bool ContinuesChain(const Instruction& i, Checker& checker) {
  if (i.operand_count() > 0 && IsAsyncOpen(*i.operand(0)) &&
      HasAsyncForm(i.operand(0)->shape())) {
    return true;
  }
  checker.Report(&i, kAsyncRule,
                 "operand 0 must be an async-start or async-update");
  return false;
}

}  // namespace

void CheckAsyncStart(const Instruction& i, Checker& checker) {
  CheckConsumer(i, checker);
  const Computation& wrapped = *i.to_apply();
  absl::string_view thread =
      ThreadOf(i.attrs().GetString(AttrId::kAsyncExecutionThread));
  if (thread != ThreadOf(wrapped.execution_thread())) {
    checker.Reportf(&i, kAsyncRule, "the thread is \"%s\", that of %s is \"%s\"",
                    thread, wrapped.name(),
                    ThreadOf(wrapped.execution_thread()));
  }
  int64_t starts = 0;
  for (const Instruction* caller : wrapped.callers()) {
    if (caller != nullptr && caller->opcode() == Opcode::kAsyncStart) ++starts;
  }
  if (starts > 1) {
    checker.Reportf(&i, kAsyncRule, "%s is started %d times, expected once",
                    wrapped.name(), starts);
  }
  if (!HasAsyncForm(i.shape())) return;
  CheckBound(i, i.shape().tuple_shape(0), 0, 0, checker);
  CheckAgainstWrapped(i, wrapped, checker);
  CheckWrapperForm(i, wrapped, checker);
}

void CheckAsyncUpdate(const Instruction& i, Checker& checker) {
  CheckConsumer(i, checker);
  if (!ContinuesChain(i, checker)) return;
  if (!HasAsyncForm(i.shape())) {
    checker.Reportf(&i, kAsyncRule, "expected ((operands), results, ...), declared "
                    "%s",
                    infer::TypeText(i.shape()));
    return;
  }
  const Shape& before = i.operand(0)->shape();
  const Shape& bound = i.shape().tuple_shape(0);
  int64_t first = before.tuple_shape(0).tuple_shapes().size();
  for (int64_t n = 0;
       n < first && n < static_cast<int64_t>(bound.tuple_shapes().size());
       ++n) {
    if (ShapesCompatible(before.tuple_shape(0).tuple_shape(n),
                         bound.tuple_shape(n))) {
      continue;
    }
    checker.Reportf(&i, kAsyncRule, "operand type %d changes from %s to %s", n,
                    infer::TypeText(before.tuple_shape(0).tuple_shape(n)),
                    infer::TypeText(bound.tuple_shape(n)));
  }
  CheckBound(i, bound, first, 1, checker);
  if (!ShapesCompatible(before.tuple_shape(1), i.shape().tuple_shape(1))) {
    checker.Reportf(&i, kAsyncRule, "the result changes from %s to %s",
                    infer::TypeText(before.tuple_shape(1)),
                    infer::TypeText(i.shape().tuple_shape(1)));
  }
  if (const Computation* wrapped = i.async_wrapped_computation()) {
    CheckAgainstWrapped(i, *wrapped, checker);
  }
}

void CheckAsyncDone(const Instruction& i, Checker& checker) {
  if (!ContinuesChain(i, checker)) return;
  const Computation* wrapped = i.async_wrapped_computation();
  if (wrapped == nullptr) {
    checker.Report(&i, kAsyncRule, "the chain has no async-start");
    return;
  }
  int64_t bound = i.operand(0)->shape().tuple_shape(0).tuple_shapes().size();
  if (bound == wrapped->parameter_count()) return;
  checker.Reportf(&i, kAsyncRule,
                  "%d operands are bound, %s takes %d parameters", bound,
                  wrapped->name(), wrapped->parameter_count());
}

}  // namespace hlokit::verify
