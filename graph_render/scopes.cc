#include "graph_render/scopes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace hlokit {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kManyParameters = 12;

int Root(std::vector<int>* parent, int node) {
  while ((*parent)[node] != node) {
    node = (*parent)[node] = (*parent)[(*parent)[node]];
  }
  return node;
}

// New numbers in order of first occurrence.
template <typename Key>
std::vector<int> Renumber(const std::vector<Key>& keys) {
  absl::flat_hash_map<Key, int> numbers;
  std::vector<int> out;
  out.reserve(keys.size());
  for (const Key& key : keys) {
    const int fresh = numbers.size();
    out.push_back(numbers.try_emplace(key, fresh).first->second);
  }
  return out;
}

int Count(const std::vector<int>& numbers) {
  return numbers.empty()
             ? 0
             : *std::max_element(numbers.begin(), numbers.end()) + 1;
}

bool Any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

// Groups that lie on a cycle of groups: those that neither Kahn's algorithm
// from above nor from below removes. (More than the cycles themselves: what
// lies between two cycles counts too.)
std::vector<bool> OnCycles(const std::vector<int>& group, int groups,
                           absl::Span<const LayoutEdge> edges) {
  std::vector<bool> left(groups, true);
  for (const bool down : {true, false}) {
    std::vector<std::vector<int>> next(groups);
    std::vector<int> missing(groups, 0);
    for (const LayoutEdge& edge : edges) {
      int from = group[edge.from], to = group[edge.to];
      if (!down) std::swap(from, to);
      if (from == to || !left[from] || !left[to]) continue;
      next[from].push_back(to);
      ++missing[to];
    }
    std::vector<int> ready;
    for (int g = 0; g < groups; ++g) {
      if (left[g] && missing[g] == 0) ready.push_back(g);
    }
    while (!ready.empty()) {
      const int g = ready.back();
      ready.pop_back();
      left[g] = false;
      for (const int other : next[g]) {
        if (--missing[other] == 0) ready.push_back(other);
      }
    }
  }
  return left;
}

// The computation's instructions with their scopes.
class BoxMaker {
 public:
  explicit BoxMaker(const Computation& computation)
      : order_(computation.PostOrder()) {
    int64_t limit = computation.id_limit();
    position_.assign(limit, -1);
    for (size_t k = 0; k < order_.size(); ++k) position_[order_[k]->id()] = k;
    FindScopes();
  }

  std::vector<ScopeBox> Make() {
    boxes_.emplace_back();
    owner_.assign(order_.size(), 0);
    std::vector<int> all(order_.size());
    std::iota(all.begin(), all.end(), 0);
    pending_.push_back({0, 0, std::move(all)});
    // Boxes are filled in order of their numbers.
    for (size_t k = 0; k < pending_.size(); ++k) {
      Pending next = std::move(pending_[k]);
      Fill(next);
    }
    return std::move(boxes_);
  }

 private:
  struct Pending {
    int box;
    size_t depth;  // of the scope's parts that are spoken for
    std::vector<int> members;
  };

  void FindScopes() {
    scopes_.resize(order_.size());
    for (size_t k = 0; k < order_.size(); ++k) {
      scopes_[k] = ScopeOf(order_[k]->metadata().op_name);
    }
    // What has no name of its own goes where its users are: those that follow
    // have been settled before.
    for (size_t k = order_.size(); k-- > 0;) {
      const Instruction* instruction = order_[k];
      if (instruction->metadata().op_name.empty() &&
          instruction->opcode() != Opcode::kParameter) {
        scopes_[k] = SharedByUsers(*instruction);
      }
    }
    GatherParameters();
  }

  std::vector<absl::string_view> SharedByUsers(const Instruction& instruction) {
    std::vector<absl::string_view> shared;
    bool first = true;
    for (const Instruction* user : instruction.users()) {
      const auto& other = scopes_[position_[user->id()]];
      if (first) {
        shared = other;
        first = false;
        continue;
      }
      size_t same = 0;
      while (same < shared.size() && same < other.size() &&
             shared[same] == other[same]) {
        ++same;
      }
      shared.resize(same);
    }
    return shared;
  }

  // Many parameters would hide what they are used for.
  void GatherParameters() {
    std::vector<size_t> parameters;
    bool any_scope = false;
    for (size_t k = 0; k < order_.size(); ++k) {
      if (order_[k]->opcode() == Opcode::kParameter) parameters.push_back(k);
      any_scope |= !scopes_[k].empty();
    }
    if (!any_scope || parameters.size() < kManyParameters) return;
    for (const size_t k : parameters) scopes_[k] = {"parameters"};
  }

  // Deeper as long as all members share the next part.
  std::string SharedParts(const std::vector<int>& members, size_t* depth) {
    std::string name;
    while (true) {
      const auto& first = scopes_[members[0]];
      if (first.size() <= *depth) return name;
      const absl::string_view part = first[*depth];
      for (const int member : members) {
        if (scopes_[member].size() <= *depth ||
            scopes_[member][*depth] != part) {
          return name;
        }
      }
      absl::StrAppend(&name, name.empty() ? "" : "/", part);
      ++*depth;
    }
  }

  void Fill(Pending& todo) {
    ScopeBox& box = boxes_[todo.box];
    const std::string shared = SharedParts(todo.members, &todo.depth);
    if (!shared.empty() && todo.box > 0) {
      absl::StrAppend(&box.name, "/", shared);
    }
    for (const int member : todo.members) owner_[member] = todo.box;
    const std::vector<int> group = GroupsOf(todo);
    std::vector<std::vector<int>> members(Count(group));
    for (size_t k = 0; k < group.size(); ++k) {
      members[group[k]].push_back(todo.members[k]);
    }
    for (std::vector<int>& some : members) {
      if (some.size() == 1 || scopes_[some[0]].size() <= todo.depth) {
        for (const int member : some) {
          boxes_[todo.box].instructions.push_back(order_[member]);
        }
        continue;
      }
      ScopeBox child;
      child.parent = todo.box;
      child.name = std::string(scopes_[some[0]][todo.depth]);
      const int number = boxes_.size();
      boxes_.push_back(std::move(child));
      boxes_[todo.box].boxes.push_back(number);
      pending_.push_back({number, todo.depth + 1, std::move(some)});
    }
  }

  // A number for each member: those in a deeper scope by scope, cut where
  // needed; the others each its own.
  std::vector<int> GroupsOf(const Pending& todo) {
    std::vector<int> group(todo.members.size());
    absl::flat_hash_map<absl::string_view, int> numbers;
    if (local_.size() < order_.size()) local_.assign(order_.size(), -1);
    for (size_t k = 0; k < todo.members.size(); ++k) {
      const int member = todo.members[k];
      local_[member] = k;
      if (scopes_[member].size() <= todo.depth) {
        group[k] = todo.members.size() + k;
      } else {
        const int fresh = numbers.size();
        group[k] =
            numbers.try_emplace(scopes_[member][todo.depth], fresh)
                .first->second;
      }
    }
    std::vector<LayoutEdge> edges;
    for (size_t k = 0; k < todo.members.size(); ++k) {
      const Instruction* instruction = order_[todo.members[k]];
      for (const auto& others :
           {instruction->operands(), instruction->control_predecessors()}) {
        for (const Instruction* other : others) {
          const int p = position_[other->id()];
          if (p >= 0 && owner_[p] == todo.box) {
            edges.push_back({local_[p], static_cast<int>(k)});
          }
        }
      }
    }
    return CutIntoAcyclicGroups(group, edges);
  }

  const std::vector<Instruction*> order_;
  std::vector<int> position_;  // by instruction id
  std::vector<std::vector<absl::string_view>> scopes_;
  std::vector<int> owner_;  // the box that is or was filled last
  std::vector<int> local_;  // index among the members of that box
  std::vector<ScopeBox> boxes_;
  std::vector<Pending> pending_;
};

}  // namespace

std::vector<absl::string_view> ScopeOf(absl::string_view op_name) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < op_name.size() && parts.size() < kMaxDepth; ++i) {
    const char c = op_name[i];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c != '/' || depth > 0) continue;
    if (i > begin) parts.push_back(op_name.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::vector<int> CutIntoAcyclicGroups(absl::Span<const int> group,
                                      absl::Span<const LayoutEdge> edges) {
  const int n = group.size();
  std::vector<int> pieces = Renumber(std::vector<int>(group.begin(),
                                                      group.end()));
  std::vector<bool> on_cycle = OnCycles(pieces, Count(pieces), edges);
  if (!Any(on_cycle)) return pieces;
  // What hangs together.
  std::vector<int> parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  for (const LayoutEdge& edge : edges) {
    if (group[edge.from] != group[edge.to]) continue;
    parent[Root(&parent, edge.from)] = Root(&parent, edge.to);
  }
  std::vector<std::pair<int, int>> keys(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = {pieces[i], on_cycle[pieces[i]] ? Root(&parent, i) : -1};
  }
  pieces = Renumber(keys);
  on_cycle = OnCycles(pieces, Count(pieces), edges);
  if (!Any(on_cycle)) return pieces;
  // How often a path to the node leaves a group. Nodes of one piece and equal
  // depth have no path between them that leaves the piece.
  std::vector<int> depth(n, 0);
  std::vector<LayoutEdge> by_target(edges.begin(), edges.end());
  std::stable_sort(by_target.begin(), by_target.end(),
                   [](const LayoutEdge& a, const LayoutEdge& b) {
                     return a.to < b.to;
                   });
  for (const LayoutEdge& edge : by_target) {
    depth[edge.to] =
        std::max(depth[edge.to],
                 depth[edge.from] + (pieces[edge.from] != pieces[edge.to]));
  }
  for (int i = 0; i < n; ++i) {
    keys[i] = {pieces[i], on_cycle[pieces[i]] ? depth[i] : -1};
  }
  return Renumber(keys);
}

std::vector<ScopeBox> ScopeBoxes(const Computation& computation) {
  if (computation.instruction_count() == 0) return {ScopeBox()};
  return BoxMaker(computation).Make();
}

}  // namespace hlokit
