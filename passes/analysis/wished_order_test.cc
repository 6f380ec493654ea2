#include "passes/analysis/wished_order.h"

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> NamesOf(const std::vector<Instruction*>& order) {
  std::vector<std::string> names;
  for (const Instruction* i : order) names.emplace_back(i->name());
  return names;
}

TEST(WishedOrderTest, GrantsWishesThatTheGraphAllowsAndDropsOthers) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[] parameter(0)
  a = f32[] negate(p)
  b = f32[] cosine(p)
  c = f32[] sine(a)
  ROOT t = (f32[], f32[]) tuple(b, c)
})");
  const Computation& e = *module->entry();
  const auto at = [&](const char* name) { return e.FindInstruction(name); };
  int64_t budget = 1000;
  WishedOrder order(e, &budget);
  EXPECT_TRUE(order.Wish(at("c"), at("b")));
  EXPECT_FALSE(order.Wish(at("c"), at("a"))) << "c reads a";
  EXPECT_FALSE(order.Wish(at("b"), at("a"))) << "b comes after c by a wish";
  EXPECT_FALSE(order.Wish(at("b"), at("b")));
  EXPECT_THAT(NamesOf(order.Make()), ElementsAre("p", "a", "c", "b", "t"));
}

TEST(WishedOrderTest, DropsWishesOnceTheBudgetIsUsedUp) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[] parameter(0)
  a = f32[] negate(p)
  ROOT b = f32[] cosine(p)
})");
  const Computation& e = *module->entry();
  int64_t budget = 0;
  WishedOrder order(e, &budget);
  EXPECT_FALSE(order.Wish(e.root(), e.FindInstruction("a")));
}

// What has to come before what, written down edge by edge.
class Relation {
 public:
  explicit Relation(const Computation& computation)
      : before_(computation.id_limit()) {
    for (const Instruction* i : computation.instructions()) {
      for (const Instruction* o : i->operands()) Add(o, i);
      for (const Instruction* p : i->control_predecessors()) Add(p, i);
    }
  }
  void Add(const Instruction* first, const Instruction* then) {
    before_[then->id()].insert(first->id());
  }
  bool Needs(int64_t user, int64_t used) const {
    std::vector<int64_t> work = {user};
    std::set<int64_t> seen;
    while (!work.empty()) {
      const int64_t i = work.back();
      work.pop_back();
      if (i == used) return true;
      if (!seen.insert(i).second) continue;
      work.insert(work.end(), before_[i].begin(), before_[i].end());
    }
    return false;
  }
  bool HoldsIn(const std::vector<Instruction*>& order) const {
    std::set<int64_t> done;
    for (const Instruction* i : order) {
      for (int64_t first : before_[i->id()]) {
        if (!done.contains(first)) return false;
      }
      done.insert(i->id());
    }
    return true;
  }

 private:
  std::vector<std::set<int64_t>> before_;
};

TEST(WishedOrderTest, AgreesWithASearchOfTheWholeGraph) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::minstd_rand engine(seed + 1);
    const auto pick = [&](size_t n) { return engine() / 7 % n; };
    Module module("m");
    auto c = Computation::Create(&module, "e");
    const Shape f32 = Shape::Scalar(kF32);
    std::vector<Instruction*> all = {c->AddParameter(0, f32, "p")};
    const size_t size = 5 + pick(40);
    while (all.size() < size) {
      Instruction* a = all[pick(all.size())];
      Instruction* b = all[pick(all.size())];
      all.push_back(c->Add(Opcode::kAdd, f32, {a, b}, "add"));
      if (pick(5) == 0 && b != all.back()) {
        all.back()->AddControlPredecessor(b);
      }
    }
    c->set_root(all.back());
    const Computation& e = *module.AddEntryComputation(std::move(c));
    Relation relation(e);
    int64_t budget = 1'000'000;
    WishedOrder order(e, &budget);
    for (size_t k = 0; k < 3 * size; ++k) {
      Instruction* first = all[pick(all.size())];
      Instruction* then = all[pick(all.size())];
      const bool possible = !relation.Needs(first->id(), then->id());
      ASSERT_EQ(order.Wish(first, then), possible)
          << "seed " << seed << ", wish " << k;
      if (possible) relation.Add(first, then);
    }
    const std::vector<Instruction*> made = order.Make();
    EXPECT_EQ(made.size(), all.size());
    EXPECT_TRUE(relation.HoldsIn(made)) << "seed " << seed;
  }
}

// Each of many wishes to come before the next one, against the order in which
// they stand.
TEST(WishedOrderTest, LongChainsOfWishesAreFoundInLinearWork) {
  constexpr int64_t kCount = 20'000;
  Module module("m");
  auto c = Computation::Create(&module, "e");
  const Shape f32 = Shape::Scalar(kF32);
  Instruction* p = c->AddParameter(0, f32, "p");
  std::vector<Instruction*> ring;
  for (int64_t k = 0; k < kCount; ++k) {
    ring.push_back(c->Add(Opcode::kNegate, f32, {p}, "n"));
  }
  c->set_root(c->AddTuple(ring));
  const Computation& e = *module.AddEntryComputation(std::move(c));
  int64_t budget = 10 * kCount;
  WishedOrder order(e, &budget);
  EXPECT_TRUE(order.Wish(ring.back(), ring[0]));
  for (int64_t k = 1; k + 1 < kCount; ++k) {
    ASSERT_TRUE(order.Wish(ring[k - 1], ring[k])) << k;
  }
  EXPECT_FALSE(order.Wish(ring[kCount - 2], ring.back())) << "a circle";
  EXPECT_GT(budget, 0);
  EXPECT_EQ(order.Make()[1], ring.back());
}

}  // namespace
}  // namespace hlokit
