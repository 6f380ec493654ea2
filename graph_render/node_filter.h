// Which instructions a picture shows.
#ifndef HLOKIT_GRAPH_RENDER_NODE_FILTER_H_
#define HLOKIT_GRAPH_RENDER_NODE_FILTER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"

namespace hlokit {

enum class NodeShow : uint8_t {
  kHidden,
  kNormal,
  kHighlighted,
  // Not all of its operands are shown.
  kSomeOperandsOmitted,
  // None of its operands is shown.
  kOperandsOmitted,
  // Not all of its users are shown.
  kSomeUsersOmitted,
};

// One computation's selection. Instructions of other computations are shown
// wherever their computation is.
class NodeFilter {
 public:
  // Everything.
  explicit NodeFilter(const Computation* computation)
      : computation_(computation) {}
  NodeFilter(const Computation* computation,
             absl::flat_hash_map<const Instruction*, NodeShow> shown)
      : computation_(computation), all_(false), shown_(std::move(shown)) {}

  const Computation* computation() const { return computation_; }
  bool shows_all() const { return all_; }
  NodeShow Show(const Instruction* instruction) const;
  bool IsShown(const Instruction* instruction) const {
    return Show(instruction) != NodeShow::kHidden;
  }
  // How many instructions of the computation are shown.
  int64_t count() const {
    return all_ ? computation_->instruction_count() : shown_.size();
  }

 private:
  const Computation* computation_;
  bool all_ = true;
  absl::flat_hash_map<const Instruction*, NodeShow> shown_;
};

// What is at most `radius` edges away: operands (through a tuple only from the
// centre), roots of called computations, and users, but for users of constants
// and of instructions with more than 16 users. Bitcasts cost nothing.
// Instructions in `boundary` are shown and not passed.
NodeFilter Neighbourhood(
    const Instruction& center, int64_t radius,
    const absl::flat_hash_set<const Instruction*>& boundary = {});

// Several neighbourhoods in one, all of one computation.
NodeFilter Neighbourhoods(absl::Span<const Instruction* const> centers,
                          int64_t radius);

struct PathsResult {
  NodeFilter filter;
  int64_t found = 0;     // instructions on paths
  bool reversed = false;  // the path goes from `b` to `a`
};
// The instructions on paths from `a` to `b`, or, when there is none, from `b`
// to `a`. When there are more than `max_nodes`, those on the shortest paths.
// NotFound when nothing leads from one to the other, InvalidArgument when they
// are not of one computation.
absl::StatusOr<PathsResult> AllPaths(const Instruction& a, const Instruction& b,
                                     int64_t max_nodes = 100);

// `root` and what it is computed from, at most `height` edges away (-1: all).
NodeFilter OperandsAbove(const Instruction& root, int64_t height);

// A condition on instructions: KEY=REGEX[,KEY=REGEX...] with the keys name, op,
// shape, op_name, source; or a mere REGEX over all of these. Each regex is RE2
// and must match a part.
absl::StatusOr<std::function<bool(const Instruction&)>> ParseCondition(
    absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_NODE_FILTER_H_
