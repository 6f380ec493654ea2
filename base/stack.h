// The stack of a thread: how much is left of it, and a large one for recursion
// that is as deep as its input.
#ifndef HLOKIT_BASE_STACK_H_
#define HLOKIT_BASE_STACK_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace hlokit {

// Returns the bytes left on the current thread's stack. Costs a few
// instructions after the first call of a thread.
size_t StackLeft();

// Recursive code over input stops with an error when less than this is left:
// enough for whatever it still calls.
inline constexpr size_t kStackReserve = size_t{128} << 10;
inline bool StackIsLow() { return StackLeft() < kStackReserve; }

// Calls `body` on a stack of `bytes`, or on the largest that the limits of the
// process allow, at worst on the caller's own. The system gives memory only to
// the part that is used. Exceptions reach the caller.
inline constexpr size_t kLargeStack = size_t{256} << 20;
void RunOnLargeStack(absl::FunctionRef<void()> body,
                     size_t bytes = kLargeStack);

}  // namespace hlokit

#endif  // HLOKIT_BASE_STACK_H_
