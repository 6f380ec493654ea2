// rematerialization: lowers the memory that a scheduled program needs at once. A
// cheap value that lies around while most memory is in use and is needed only
// later is computed a second time there:
//
//   b = broadcast(s)                b = broadcast(s)
//   u = f(b)                        u = f(b)
//   v = (most memory in use)   ->   v = (most memory in use)
//   w = g(u, v, b)                  b2 = broadcast(s)
//                                   w = g(u, v, b2)
//
// Works on the entry and on the loops, branches and calls in which the most
// memory is in use, until the peak is at most `limit` bytes or nothing helps.
// What a loop writes over in place is read no later than before.
#ifndef HLOKIT_PASSES_BACKEND_REMATERIALIZATION_H_
#define HLOKIT_PASSES_BACKEND_REMATERIALIZATION_H_

#include <cstdint>

#include "passes/pass.h"

namespace hlokit {

class Rematerialization : public Pass {
 public:
  explicit Rematerialization(int64_t limit = 0) : limit_(limit) {}
  absl::string_view name() const override { return "rematerialization"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  int64_t limit_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_REMATERIALIZATION_H_
