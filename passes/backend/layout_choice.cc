#include "passes/backend/layout_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace hlokit {
namespace {

// Dimensions that are not of size one, in their order.
std::vector<int64_t> WideDimensions(const Shape& shape) {
  std::vector<int64_t> wide;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) != 1) wide.push_back(d);
  }
  return wide;
}

// Whether it only adds or drops dimensions of size one.
bool IsThinReshape(const Instruction& i) {
  if (i.opcode() != Opcode::kReshape || i.shape().is_dynamic()) return false;
  const Shape& from = i.operand(0)->shape();
  const std::vector<int64_t> a = WideDimensions(from);
  const std::vector<int64_t> b = WideDimensions(i.shape());
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.size(); ++k) {
    if (from.dimension(a[k]) != i.shape().dimension(b[k])) return false;
  }
  return true;
}

// `order` of `from` with its wide dimensions renamed to those of `to`.
DimensionOrder Renamed(const Shape& from, const Shape& to,
                       absl::Span<const int64_t> order) {
  const std::vector<int64_t> a = WideDimensions(from);
  const std::vector<int64_t> b = WideDimensions(to);
  std::vector<int64_t> name(from.rank(), -1);
  for (size_t k = 0; k < a.size(); ++k) name[a[k]] = b[k];
  DimensionOrder result;
  for (int64_t d : order) {
    if (name[d] >= 0) result.push_back(name[d]);
  }
  for (int64_t d = to.rank(); d-- > 0;) {
    if (to.dimension(d) == 1) result.push_back(d);
  }
  return CanonicalOrder(to, result);
}

bool IsRowMajor(absl::Span<const int64_t> order) {
  for (size_t k = 1; k < order.size(); ++k) {
    if (order[k] > order[k - 1]) return false;
  }
  return true;
}

// Which arrays get one order: sets of instructions.
class OrderGroups {
 public:
  explicit OrderGroups(int64_t id_limit) : parents_(id_limit, -1) {}
  int64_t Find(int64_t id) {
    while (parents_[id] >= 0) {
      if (parents_[parents_[id]] >= 0) parents_[id] = parents_[parents_[id]];
      id = parents_[id];
    }
    return id;
  }
  void Join(int64_t a, int64_t b) {
    a = Find(a);
    b = Find(b);
    if (a == b) return;
    // Sizes are kept as negative numbers.
    if (parents_[a] > parents_[b]) std::swap(a, b);
    parents_[a] += parents_[b];
    parents_[b] = a;
  }

 private:
  std::vector<int64_t> parents_;
};

// Whether the result and operand k are one array to an element-wise operation.
bool AgreesWith(const Instruction& i, int64_t k) {
  return (IsElementwise(i.opcode()) ||
          i.opcode() == Opcode::kBitcastConvert) &&
         SameDimensions(i.operand(k)->shape(), i.shape());
}

class OrderChooser {
 public:
  OrderChooser(absl::Span<Instruction* const> post_order,
               const OrderBounds& bounds)
      : post_order_(post_order), bounds_(bounds), groups_(0) {}

  absl::flat_hash_map<const Instruction*, DimensionOrder> Choose() {
    int64_t limit = 0;
    for (const Instruction* i : post_order_) {
      limit = std::max(limit, i->id() + 1);
    }
    groups_ = OrderGroups(limit);
    for (const Instruction* i : post_order_) JoinOperands(*i);
    absl::flat_hash_map<int64_t, std::vector<const Instruction*>> members;
    std::vector<int64_t> order;
    for (const Instruction* i : post_order_) {
      if (!HasOrderChoice(*i)) continue;
      auto& group = members[groups_.Find(i->id())];
      if (group.empty()) order.push_back(groups_.Find(i->id()));
      group.push_back(i);
    }
    absl::flat_hash_map<const Instruction*, DimensionOrder> result;
    for (int64_t id : order) {
      const DimensionOrder best = Best(members[id]);
      chosen_[id] = best;
      if (IsRowMajor(best)) continue;
      for (const Instruction* i : members[id]) result[i] = best;
    }
    return result;
  }

 private:
  void JoinOperands(const Instruction& i) {
    if (!HasOrderChoice(i)) return;
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      if (HasOrderChoice(*i.operand(k)) && AgreesWith(i, k)) {
        groups_.Join(i.id(), i.operand(k)->id());
      }
    }
  }

  // Nothing for groups that have not had their turn.
  std::optional<DimensionOrder> KnownOrder(const Instruction& value) {
    if (!HasOrderChoice(value)) return bounds_.has(value);
    const auto chosen = chosen_.find(groups_.Find(value.id()));
    if (chosen == chosen_.end()) return std::nullopt;
    return chosen->second;
  }

  // One vote an array and order: what must be copied for another choice.
  struct Vote {
    const Instruction* array;
    DimensionOrder order;
    bool operator==(const Vote&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Vote& v) {
      return H::combine(std::move(h), v.array, v.order);
    }
  };

  DimensionOrder Best(const std::vector<const Instruction*>& group) {
    const Shape& shape = group[0]->shape();
    absl::flat_hash_set<Vote> votes;
    std::vector<std::pair<DimensionOrder, int64_t>> bytes = {
        {Layout::Descending(shape.rank()).minor_to_major, 0}};
    const auto vote = [&](const Instruction* array,
                          std::optional<DimensionOrder> order) {
      if (!order.has_value()) return;
      *order = CanonicalOrder(shape, *order);
      if (!votes.insert({array, *order}).second) return;
      const int64_t size = ByteSizeOf(array->shape());
      for (auto& [candidate, sum] : bytes) {
        if (candidate != *order) continue;
        sum += size;
        return;
      }
      bytes.emplace_back(*order, size);
    };
    for (const Instruction* i : group) {
      VoteOfOperands(*i, vote);
      VoteOfUsers(*i, vote);
    }
    size_t best = 0;
    for (size_t k = 1; k < bytes.size(); ++k) {
      if (bytes[k].second > bytes[best].second) best = k;
    }
    return bytes[best].first;
  }

  template <typename Fn>
  void VoteOfOperands(const Instruction& i, const Fn& vote) {
    if (i.opcode() == Opcode::kTranspose || i.opcode() == Opcode::kReshape) {
      const auto before = KnownOrder(*i.operand(0));
      if (before.has_value()) vote(&i, OrderBehind(i, *before));
      return;
    }
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      const Instruction* operand = i.operand(k);
      if (AgreesWith(i, k) && !HasOrderChoice(*operand)) {
        vote(operand, bounds_.has(*operand));
      }
    }
  }

  template <typename Fn>
  void VoteOfUsers(const Instruction& i, const Fn& vote) {
    for (const Instruction* user : i.users()) {
      const bool moves = user->opcode() == Opcode::kTranspose ||
                         user->opcode() == Opcode::kReshape;
      if (HasOrderChoice(*user) && moves) {
        const auto behind = KnownOrder(*user);
        if (behind.has_value()) vote(user, OrderBefore(*user, *behind));
        continue;
      }
      for (int64_t k = 0; k < user->operand_count(); ++k) {
        if (user->operand(k) == &i && !HasOrderChoice(*user)) {
          vote(&i, bounds_.asks(*user, k));
        }
      }
    }
    if (i.IsRoot()) vote(&i, bounds_.asks(i, -1));
  }

  absl::Span<Instruction* const> post_order_;
  const OrderBounds& bounds_;
  OrderGroups groups_;
  absl::flat_hash_map<int64_t, DimensionOrder> chosen_;
};

}  // namespace

DimensionOrder CanonicalOrder(const Shape& array,
                              absl::Span<const int64_t> order) {
  DimensionOrder wide, thin;
  for (int64_t d : order) {
    if (array.dimension(d) != 1) wide.push_back(d);
  }
  if (IsRowMajor(wide)) return Layout::Descending(array.rank()).minor_to_major;
  for (int64_t d = array.rank(); d-- > 0;) {
    if (array.dimension(d) == 1) wide.push_back(d);
  }
  return wide;
}

std::optional<DimensionOrder> OrderBehind(const Instruction& mover,
                                          absl::Span<const int64_t> operand) {
  if (mover.opcode() == Opcode::kTranspose) {
    std::vector<int64_t> inverse(mover.dimensions().size());
    for (size_t d = 0; d < inverse.size(); ++d) inverse[mover.dimension(d)] = d;
    DimensionOrder order;
    for (int64_t d : operand) order.push_back(inverse[d]);
    return CanonicalOrder(mover.shape(), order);
  }
  if (!IsThinReshape(mover)) return std::nullopt;
  return Renamed(mover.operand(0)->shape(), mover.shape(), operand);
}

std::optional<DimensionOrder> OrderBefore(const Instruction& mover,
                                          absl::Span<const int64_t> result) {
  if (mover.opcode() == Opcode::kTranspose) {
    DimensionOrder order;
    for (int64_t d : result) order.push_back(mover.dimension(d));
    return CanonicalOrder(mover.operand(0)->shape(), order);
  }
  if (!IsThinReshape(mover)) return std::nullopt;
  return Renamed(mover.shape(), mover.operand(0)->shape(), result);
}

bool HasOrderChoice(const Instruction& i) {
  if (!i.shape().IsArray() || i.shape().rank() < 2 ||
      (i.shape().has_layout() && !i.shape().layout().IsPlain())) {
    return false;
  }
  switch (i.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kIota:
    case Opcode::kTranspose:
      return true;
    case Opcode::kReshape:
      return IsThinReshape(i);
    case Opcode::kBitcastConvert:
      return AgreesWith(i, 0);
    case Opcode::kCopy:
    case Opcode::kMap:
      return false;
    default:
      return IsElementwise(i.opcode());
  }
}

absl::flat_hash_map<const Instruction*, DimensionOrder> ChooseOrders(
    absl::Span<Instruction* const> post_order, const OrderBounds& bounds) {
  return OrderChooser(post_order, bounds).Choose();
}

}  // namespace hlokit
