#include "hlo/ir/user_list.h"

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Places that stand for instructions; nobody looks into them.
Instruction* User(int i) {
  return reinterpret_cast<Instruction*>(uintptr_t{64} * (i + 1));
}

std::vector<int> Numbers(const UserList& list) {
  std::vector<int> numbers;
  for (Instruction* user : list.view()) {
    numbers.push_back(static_cast<int>(reinterpret_cast<uintptr_t>(user) / 64) -
                      1);
  }
  return numbers;
}

TEST(UserListTest, KeepsTheOrderInWhichUsersCame) {
  UserList list;
  EXPECT_TRUE(list.empty());
  for (int i = 0; i < 5; ++i) list.Add(User(i));
  EXPECT_THAT(Numbers(list), ElementsAre(0, 1, 2, 3, 4));
  list.Remove(User(2));
  list.Remove(User(0));
  list.Remove(User(7));
  EXPECT_THAT(Numbers(list), ElementsAre(1, 3, 4));
  EXPECT_EQ(list.size(), 3u);
  EXPECT_TRUE(list.Contains(User(3)));
  EXPECT_FALSE(list.Contains(User(2)));
  list.Add(User(2));
  EXPECT_TRUE(list.EndsWith(User(2)));
  EXPECT_THAT(Numbers(list), ElementsAre(1, 3, 4, 2));
}

TEST(UserListTest, TakingAllEmptiesIt) {
  UserList list;
  for (int i = 0; i < 100; ++i) list.Add(User(i));
  for (int i = 0; i < 50; ++i) list.Remove(User(2 * i));
  EXPECT_EQ(list.TakeAll().size(), 50u);
  EXPECT_THAT(Numbers(list), IsEmpty());
  list.Add(User(1));
  EXPECT_THAT(Numbers(list), ElementsAre(1));
}

// Beside a plain vector, through all sizes and kinds of removal.
TEST(UserListTest, IsThePlainListAfterAnyChanges) {
  std::mt19937 random(1);
  for (const int most : {3, 40, 70, 1000}) {
    UserList list;
    std::vector<int> plain;
    int next = 0;
    for (int step = 0; step < 6000; ++step) {
      const bool grow = static_cast<int>(plain.size()) < most &&
                        (step / most % 2 == 0 || random() % 4 == 0);
      if (grow || plain.empty()) {
        list.Add(User(next));
        plain.push_back(next++);
      } else {
        const size_t at = random() % 3 == 0 ? plain.size() - 1
                                            : random() % plain.size();
        list.Remove(User(plain[at]));
        plain.erase(plain.begin() + at);
      }
      ASSERT_EQ(list.size(), plain.size());
      ASSERT_EQ(list.empty(), plain.empty());
      if (random() % 8 == 0) {
        ASSERT_EQ(Numbers(list), plain);
      }
      if (!plain.empty()) {
        ASSERT_TRUE(list.Contains(User(plain[0])));
      }
      ASSERT_FALSE(list.Contains(User(next)));
    }
  }
}

TEST(UserListTest, MayBeReadFromSeveralThreads) {
  UserList list;
  for (int i = 0; i < 5000; ++i) list.Add(User(i));
  for (int i = 0; i < 2500; ++i) list.Remove(User(2 * i));
  std::vector<std::thread> threads;
  std::vector<int> sums(4);
  for (int& sum : sums) {
    threads.emplace_back([&] {
      for (const int i : Numbers(list)) sum += i;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int sum : sums) EXPECT_EQ(sum, 2500 * 2500);
}

// A list that shifted its rest at each removal would take a minute.
TEST(UserListTest, ManyAreRemovedInNoTime) {
  constexpr int kUsers = 500000;
  UserList list;
  for (int i = 0; i < kUsers; ++i) list.Add(User(i));
  for (int i = 0; i < kUsers; ++i) list.Remove(User((i * 7919LL) % kUsers));
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace hlokit
