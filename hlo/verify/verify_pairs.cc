#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

// Operations in two halves. Sends and receives may be pipelined through a loop:
// then a tuple or get-tuple-element stands between the halves.
struct Pair {
  Opcode start;
  Opcode done;
  bool may_be_pipelined;
};

constexpr Pair kPairs[] = {
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, false},
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, false},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone, false},
    {Opcode::kCopyStart, Opcode::kCopyDone, false},
    {Opcode::kRecv, Opcode::kRecvDone, true},
    {Opcode::kSend, Opcode::kSendDone, true},
};

const Pair* PairOf(Opcode opcode) {
  for (const Pair& pair : kPairs) {
    if (pair.start == opcode || pair.done == opcode) return &pair;
  }
  return nullptr;
}

// Custom-calls that only order things do not count as users.
bool OnlyOrders(const Instruction& i) {
  return i.opcode() == Opcode::kCustomCall &&
         i.custom_call_target() == "control_dep";
}

// The only user, null if there are several or none.
const Instruction* OnlyUser(const Instruction& i) {
  const Instruction* only = nullptr;
  for (const Instruction* user : i.users()) {
    if (OnlyOrders(*user)) continue;
    if (only != nullptr) return nullptr;
    only = user;
  }
  return only;
}

}  // namespace

void CheckStart(const Instruction& i, Checker& checker) {
  const Pair& pair = *PairOf(i.opcode());
  const Instruction* user = OnlyUser(i);
  bool fits = user != nullptr && (user->opcode() == pair.done ||
                                  (pair.may_be_pipelined &&
                                   user->opcode() == Opcode::kTuple));
  // The root of a loop's body may hand a transfer on by itself.
  if (pair.may_be_pipelined && i.IsRoot() && i.user_count() == 0) return;
  if (fits) return;
  if (user == nullptr) {
    checker.Reportf(&i, "pair", "expected one user, a %s, found %d users",
                    OpcodeName(pair.done), i.user_count());
  } else {
    checker.Reportf(&i, "pair", "expected a %s as user, found %%%s",
                    OpcodeName(pair.done), user->name());
  }
}

void CheckDone(const Instruction& i, Checker& checker) {
  const Pair& pair = *PairOf(i.opcode());
  Opcode found = i.operand(0)->opcode();
  if (found == pair.start) return;
  if (pair.may_be_pipelined && found == Opcode::kGetTupleElement) return;
  checker.Reportf(&i, "pair", "expected a %s as operand, found %%%s (%s)",
                  OpcodeName(pair.start), i.operand(0)->name(),
                  OpcodeName(found));
}

void CheckChannelUse(const Instruction& i, Checker& checker) {
  const Pair& pair = *PairOf(i.opcode());
  const Instruction* done = OnlyUser(i);
  if (done == nullptr || done->opcode() != pair.done) return;
  int64_t channel = i.attrs().GetInt(AttrId::kChannelId);
  int64_t done_channel = done->attrs().GetInt(AttrId::kChannelId);
  if (channel != done_channel) {
    checker.Reportf(&i, "channel", "channel_id is %d, that of %%%s is %d",
                    channel, done->name(), done_channel);
  }
  if (i.attrs().GetBool(AttrId::kIsHostTransfer) !=
      done->attrs().GetBool(AttrId::kIsHostTransfer)) {
    checker.Reportf(&i, "channel", "is_host_transfer differs from that of %%%s",
                    done->name());
  }
}

void CheckHostChannels(Checker& checker) {
  absl::flat_hash_map<int64_t, const Instruction*> first_on;
  for (const auto& computation : checker.module().computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::kSend && i->opcode() != Opcode::kRecv) {
        continue;
      }
      if (!i->attrs().GetBool(AttrId::kIsHostTransfer) ||
          !i->attrs().Has(AttrId::kChannelId)) {
        continue;
      }
      int64_t channel = i->attrs().GetInt(AttrId::kChannelId);
      auto [it, is_first] = first_on.insert({channel, i});
      if (is_first || (it->second->opcode() == i->opcode() &&
                       ShapesCompatible(it->second->shape(), i->shape()))) {
        continue;
      }
      checker.Reportf(i, "channel",
                      "host transfers on channel %d must be alike, %%%s "
                      "differs",
                      channel, it->second->name());
    }
  }
}

}  // namespace hlokit::verify
