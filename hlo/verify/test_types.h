// For tests of this folder: types from short text, computations and inference
// inputs in one line.
#ifndef HLOKIT_HLO_VERIFY_TEST_TYPES_H_
#define HLOKIT_HLO_VERIFY_TEST_TYPES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit {

// "f32[2,<=3,?]{0,1,2}" or "(f32[2], s32[])"; layouts only where written.
// Aborts on anything else: it reads what tests say, not files.
Shape T(absl::string_view text);

// A module whose computations tests call: each takes `parameters` and gives
// `result` from a custom-call on them.
class Callees {
 public:
  Computation* Make(std::vector<std::string> parameters,
                    absl::string_view result);
  // (T, T) -> T, like an addition.
  Computation* Reducer(absl::string_view type) {
    return Make({std::string(type), std::string(type)}, type);
  }

 private:
  Module module_{"callees"};
  std::vector<std::unique_ptr<Computation>> computations_;
};

// One call of InferShape.
struct Query {
  Opcode opcode;
  std::vector<std::string> operands = {};
  AttributeSet attrs = {};
  std::vector<Computation*> called = {};
  std::string declared = {};  // empty: none
  int64_t number = 0;
};

// The inferred type as text, with its layout if it has one; an error as
// "error: ...".
std::string Infer(const Query& query);

// An attribute set from pairs, e.g. Attrs({{AttrId::kDimensions, List{0}}}).
AttributeSet Attrs(
    std::initializer_list<std::pair<AttrId, AttrValue>> values);

}  // namespace hlokit

#endif  // HLOKIT_HLO_VERIFY_TEST_TYPES_H_
