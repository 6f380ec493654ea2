#include "graph_render/node_filter.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/regex.h"
#include "base/status.h"
#include "base/suggest.h"
#include "graph_render/source_text.h"
#include "hlo/ir/unknown.h"

namespace hlokit {
namespace {

using Distances = absl::flat_hash_map<const Instruction*, int64_t>;

constexpr int64_t kManyUsers = 16;

// A search in rings: steps over bitcasts cost nothing and go first.
class Search {
 public:
  Search(int64_t radius,
         const absl::flat_hash_set<const Instruction*>& boundary)
      : radius_(radius), boundary_(boundary) {}

  void Run(absl::Span<const Instruction* const> centers) {
    for (const Instruction* center : centers) {
      Reach(center, 0);
      centers_.insert(center);
    }
    while (!queue_.empty()) {
      const auto [instruction, distance] = queue_.front();
      queue_.pop_front();
      if (distance > distances_[instruction]) continue;
      if (boundary_.contains(instruction) &&
          !centers_.contains(instruction)) {
        continue;
      }
      Expand(instruction, distance);
    }
  }

  absl::flat_hash_map<const Instruction*, NodeShow> Shown() const {
    absl::flat_hash_map<const Instruction*, NodeShow> shown;
    for (const auto& [instruction, distance] : distances_) {
      shown[instruction] = HowToShow(instruction);
    }
    return shown;
  }

 private:
  void Reach(const Instruction* instruction, int64_t distance) {
    if (distance > radius_) return;
    const auto [it, fresh] = distances_.try_emplace(instruction, distance);
    if (!fresh && it->second <= distance) return;
    it->second = distance;
    if (!queue_.empty() && distance <= queue_.front().second) {
      queue_.emplace_front(instruction, distance);
    } else {
      queue_.emplace_back(instruction, distance);
    }
  }

  void Expand(const Instruction* instruction, int64_t distance) {
    const int64_t next =
        distance + (instruction->opcode() == Opcode::kBitcast ? 0 : 1);
    if (instruction->opcode() != Opcode::kTuple ||
        centers_.contains(instruction)) {
      for (const Instruction* operand : instruction->operands()) {
        Reach(operand, next);
      }
    }
    if (instruction->opcode() == Opcode::kConstant ||
        instruction->user_count() > kManyUsers) {
      return;
    }
    for (const Instruction* user : instruction->users()) Reach(user, next);
  }

  NodeShow HowToShow(const Instruction* instruction) const {
    if (centers_.contains(instruction)) return NodeShow::kHighlighted;
    // Constants stand in the labels of their users.
    auto is_shown = [&](const Instruction* other) {
      return distances_.contains(other) ||
             other->opcode() == Opcode::kConstant;
    };
    const auto operands = instruction->operands();
    const int64_t shown =
        std::count_if(operands.begin(), operands.end(), is_shown);
    if (!operands.empty() && shown == 0) return NodeShow::kOperandsOmitted;
    if (shown < static_cast<int64_t>(operands.size())) {
      return NodeShow::kSomeOperandsOmitted;
    }
    const auto users = instruction->users();
    if (instruction->user_count() > kManyUsers &&
        !std::all_of(users.begin(), users.end(), is_shown)) {
      return NodeShow::kSomeUsersOmitted;
    }
    return NodeShow::kNormal;
  }

  const int64_t radius_;
  const absl::flat_hash_set<const Instruction*>& boundary_;
  absl::flat_hash_set<const Instruction*> centers_;
  Distances distances_;
  std::deque<std::pair<const Instruction*, int64_t>> queue_;
};

// Steps from `start`, over users or over operands.
Distances Reachable(const Instruction* start, bool over_users) {
  Distances distances = {{start, 0}};
  std::deque<const Instruction*> queue = {start};
  while (!queue.empty()) {
    const Instruction* instruction = queue.front();
    queue.pop_front();
    const int64_t next = distances[instruction] + 1;
    const auto others =
        over_users ? instruction->users() : instruction->operands();
    for (const Instruction* other : others) {
      if (distances.try_emplace(other, next).second) queue.push_back(other);
    }
  }
  return distances;
}

struct Clause {
  std::string key;  // "": any
  std::shared_ptr<const RE2> regex;
};

constexpr absl::string_view kKeys[] = {"name", "op", "shape", "op_name",
                                       "source"};

std::string FieldOf(const Instruction& instruction, absl::string_view key) {
  if (key == "name") return std::string(instruction.name());
  if (key == "op") return std::string(ShownOpcode(instruction));
  if (key == "shape") return instruction.shape().ToString();
  if (key == "op_name") return instruction.metadata().op_name;
  return SourceText(instruction);
}

bool Matches(const Clause& clause, const Instruction& instruction) {
  auto match = [&](absl::string_view key) {
    return RE2::PartialMatch(FieldOf(instruction, key), *clause.regex);
  };
  if (!clause.key.empty()) return match(clause.key);
  return std::any_of(std::begin(kKeys), std::end(kKeys), match);
}

}  // namespace

NodeShow NodeFilter::Show(const Instruction* instruction) const {
  if (all_ || instruction->parent() != computation_) return NodeShow::kNormal;
  const auto it = shown_.find(instruction);
  return it == shown_.end() ? NodeShow::kHidden : it->second;
}

NodeFilter Neighbourhood(
    const Instruction& center, int64_t radius,
    const absl::flat_hash_set<const Instruction*>& boundary) {
  Search search(radius, boundary);
  search.Run({&center});
  return NodeFilter(center.parent(), search.Shown());
}

NodeFilter Neighbourhoods(absl::Span<const Instruction* const> centers,
                          int64_t radius) {
  const absl::flat_hash_set<const Instruction*> boundary;
  Search search(radius, boundary);
  search.Run(centers);
  return NodeFilter(centers[0]->parent(), search.Shown());
}

absl::StatusOr<PathsResult> AllPaths(const Instruction& a, const Instruction& b,
                                     int64_t max_nodes) {
  if (a.parent() != b.parent()) {
    return InvalidArgument("%s is in computation %s and %s in %s", a.name(),
                           a.parent()->name(), b.name(), b.parent()->name());
  }
  const Instruction* from = &a;
  const Instruction* to = &b;
  Distances forward = Reachable(from, /*over_users=*/true);
  const bool reversed = !forward.contains(to);
  if (reversed) {
    std::swap(from, to);
    forward = Reachable(from, /*over_users=*/true);
    if (!forward.contains(to)) {
      return NotFound("no path leads from %s to %s or back", a.name(),
                      b.name());
    }
  }
  const Distances backward = Reachable(to, /*over_users=*/false);
  std::vector<std::pair<int64_t, const Instruction*>> on_path;
  for (const auto& [instruction, distance] : backward) {
    const auto it = forward.find(instruction);
    if (it == forward.end()) continue;
    on_path.emplace_back(distance + it->second, instruction);
  }
  const int64_t found = on_path.size();
  std::sort(on_path.begin(), on_path.end(), [](const auto& x, const auto& y) {
    return x.first != y.first ? x.first < y.first
                              : x.second->id() < y.second->id();
  });
  if (found > max_nodes) on_path.resize(std::max<int64_t>(max_nodes, 0));
  absl::flat_hash_map<const Instruction*, NodeShow> shown;
  for (const auto& [distance, instruction] : on_path) {
    shown[instruction] = NodeShow::kNormal;
  }
  shown[from] = shown[to] = NodeShow::kHighlighted;
  return PathsResult{NodeFilter(a.parent(), std::move(shown)), found, reversed};
}

NodeFilter OperandsAbove(const Instruction& root, int64_t height) {
  absl::flat_hash_map<const Instruction*, NodeShow> shown;
  for (const auto& [instruction, distance] :
       Reachable(&root, /*over_users=*/false)) {
    if (height >= 0 && distance > height) continue;
    shown[instruction] = height >= 0 && distance == height &&
                                 instruction->operand_count() > 0
                             ? NodeShow::kOperandsOmitted
                             : NodeShow::kNormal;
  }
  shown[&root] = NodeShow::kHighlighted;
  return NodeFilter(root.parent(), std::move(shown));
}

absl::StatusOr<std::function<bool(const Instruction&)>> ParseCondition(
    absl::string_view text) {
  std::vector<Clause> clauses;
  auto add = [&](absl::string_view key,
                 absl::string_view regex) -> absl::Status {
    auto compiled = CompileRegex(regex);
    if (!compiled.ok()) {
      return InvalidArgument("cannot use the regular expression '%s': %s",
                             Shortened(regex), compiled.status().message());
    }
    clauses.push_back({std::string(key), *std::move(compiled)});
    return absl::OkStatus();
  };
  const size_t equals = text.find('=');
  const absl::string_view first = text.substr(0, equals);
  const bool keyed =
      equals != absl::string_view::npos &&
      std::find(std::begin(kKeys), std::end(kKeys), first) != std::end(kKeys);
  if (!keyed) {
    HLOKIT_RETURN_IF_ERROR(add("", text));
  } else {
    // Commas inside brackets belong to the regular expression.
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      if (c == '[' || c == '(' || c == '{') ++depth;
      if (c == ']' || c == ')' || c == '}') --depth;
      if (c != ',' || (depth > 0 && i < text.size())) continue;
      const absl::string_view clause = text.substr(begin, i - begin);
      begin = i + 1;
      const size_t at = clause.find('=');
      const absl::string_view key = clause.substr(0, at);
      if (at == absl::string_view::npos ||
          std::find(std::begin(kKeys), std::end(kKeys), key) ==
              std::end(kKeys)) {
        return InvalidArgument("'%s' is not KEY=REGEX with a key of name, op, "
                               "shape, op_name, source%s",
                               clause, DidYouMean(key, kKeys));
      }
      HLOKIT_RETURN_IF_ERROR(add(key, clause.substr(at + 1)));
    }
  }
  return std::function<bool(const Instruction&)>(
      [clauses = std::move(clauses)](const Instruction& instruction) {
        return std::all_of(
            clauses.begin(), clauses.end(),
            [&](const Clause& clause) { return Matches(clause, instruction); });
      });
}

}  // namespace hlokit
