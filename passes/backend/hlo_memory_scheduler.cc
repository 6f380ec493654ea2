#include "passes/backend/hlo_memory_scheduler.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/dataflow.h"
#include "passes/analysis/in_place.h"

namespace hlokit {
namespace {

using Order = std::vector<Instruction*>;

// Which buffers the instructions of one computation make and read. Values that
// share memory by their operations' nature are one buffer.
struct MemoryModel {
  std::vector<int64_t> size;               // by buffer
  std::vector<int64_t> readers;            // instructions that read it
  std::vector<char> lasts;                 // to the end
  std::vector<std::vector<int>> made, read;  // by instruction id
  std::vector<int64_t> inner;              // bytes that a call needs inside
};

int64_t SizeOf(const Shape& shape) {
  return shape.IsArray() || shape.IsBuffer() ? ByteSizeOf(shape) : 0;
}

class Scheduler {
 public:
  explicit Scheduler(const Module& module)
      : module_(module), dataflow_(module) {
    sets_.Resize(dataflow_.values().size());
    for (const Computation* c : dataflow_.computations()) {
      for (const Instruction* i : c->instructions()) {
        for (const InPlacePair& pair : InPlacePairs(*i)) {
          sets_.Join(
              dataflow_.ValueAt(i, pair.result_part).id,
              dataflow_.ValueAt(i->operand(pair.operand), pair.operand_part)
                  .id);
        }
      }
    }
  }

  Schedule Run() {
    Schedule schedule;
    for (Computation* c : dataflow_.computations()) {
      schedule[c] = Best(*c);
    }
    return schedule;
  }

 private:
  Order Best(const Computation& c) {
    const MemoryModel model = ModelOf(c);
    const Order post_order = FixedFirst(c.PostOrder());
    Order best = ListOrder(post_order, model);
    int64_t least = PeakOf(best, model);
    for (Order order : {FixedFirst(DepthFirst(c)), post_order}) {
      const int64_t peak = PeakOf(order, model);
      if (peak < least) {
        least = peak;
        best = std::move(order);
      }
    }
    peaks_[&c] = least;
    return best;
  }

  MemoryModel ModelOf(const Computation& c) const {
    MemoryModel model;
    model.made.resize(c.id_limit());
    model.read.resize(c.id_limit());
    model.inner.resize(c.id_limit());
    absl::flat_hash_map<int64_t, int> numbers;  // of sets
    const auto buffer = [&](const Instruction* i, int64_t part) {
      const HloValue& value = dataflow_.ValueAt(i, part);
      const int64_t set = sets_.Find(value.id);
      const auto [it, fresh] = numbers.try_emplace(set, model.size.size());
      if (fresh) {
        const bool fixed = i->opcode() == Opcode::kConstant ||
                           i->opcode() == Opcode::kParameter;
        model.size.push_back(fixed ? 0 : SizeOf(value.shape));
        model.readers.push_back(0);
        model.lasts.push_back(fixed);
        model.made[i->id()].push_back(it->second);
      }
      return it->second;
    };
    for (const Instruction* i : c.PostOrder()) {
      const int64_t parts = PartCount(i->shape());
      for (int64_t k = 0; k < parts; ++k) buffer(i, k);
      if (OnlyForwards(*i)) continue;
      std::vector<int>& read = model.read[i->id()];
      for (const Instruction* operand : i->operands()) {
        const int64_t count = PartCount(operand->shape());
        for (int64_t k = 0; k < count; ++k) {
          const int b = buffer(operand, k);
          if (std::find(read.begin(), read.end(), b) == read.end()) {
            read.push_back(b);
            ++model.readers[b];
          }
        }
      }
      if (ContextOf(i->opcode()) != CallContext::kSequential) continue;
      for (const Computation* called : i->called_computations()) {
        const auto it = peaks_.find(called);
        if (it == peaks_.end()) continue;
        model.inner[i->id()] = std::max(model.inner[i->id()], it->second);
      }
    }
    const int64_t parts = PartCount(c.root()->shape());
    for (int64_t k = 0; k < parts; ++k) model.lasts[buffer(c.root(), k)] = true;
    return model;
  }

  static int64_t PeakOf(const Order& order, const MemoryModel& model) {
    std::vector<int64_t> left = model.readers;
    int64_t alive = 0, peak = 0;
    for (const Instruction* i : order) {
      for (int b : model.made[i->id()]) alive += model.size[b];
      peak = std::max(peak, alive + model.inner[i->id()]);
      for (int b : model.made[i->id()]) {
        if (left[b] == 0 && !model.lasts[b]) alive -= model.size[b];
      }
      for (int b : model.read[i->id()]) {
        if (--left[b] == 0 && !model.lasts[b]) alive -= model.size[b];
      }
    }
    return peak;
  }

  // Parameters by number, then constants, then the rest as it is.
  static Order FixedFirst(const Order& order) {
    Order sorted = order;
    const auto rank = [](const Instruction* i) {
      if (i->opcode() == Opcode::kParameter) return i->parameter_number();
      return int64_t{i->opcode() == Opcode::kConstant &&
                             i->control_predecessors().empty()
                         ? 1'000'000'000
                         : 1'000'000'001};
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Instruction* a, const Instruction* b) {
                       return rank(a) < rank(b);
                     });
    // Something may have to come before a parameter by control dependency.
    return RespectsDependencies(sorted) ? sorted : order;
  }

  static bool RespectsDependencies(const Order& order) {
    absl::flat_hash_map<const Instruction*, size_t> place;
    for (size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    for (size_t k = 0; k < order.size(); ++k) {
      for (auto list :
           {order[k]->operands(), order[k]->control_predecessors()}) {
        for (const Instruction* p : list) {
          if (place.at(p) > k) return false;
        }
      }
    }
    return true;
  }

  // Operands that need more (further users, then bytes) are computed first.
  static Order DepthFirst(const Computation& c) {
    const Order post_order = c.PostOrder();
    std::vector<int64_t> extra_users(c.id_limit()), bytes(c.id_limit());
    for (const Instruction* i : post_order) {
      int64_t& users = extra_users[i->id()];
      int64_t& size = bytes[i->id()];
      users = std::max<int64_t>(i->user_count() - 1, 0);
      ForEachLeaf(i->shape(), [&](const Shape& leaf, const ShapeIndex&) {
        size += SizeOf(leaf);
      });
      for (const Instruction* operand : i->operands()) {
        // Saturating: shared operands are counted for every user.
        users = std::min<int64_t>(users + extra_users[operand->id()], 1 << 30);
        size = std::min<int64_t>(size + bytes[operand->id()], int64_t{1} << 50);
      }
    }
    Order order, work, before;
    std::vector<char> state(c.id_limit());
    const auto visit = [&](Instruction* start) {
      work.push_back(start);
      while (!work.empty()) {
        Instruction* i = work.back();
        if (state[i->id()] != 0) {
          work.pop_back();
          if (state[i->id()] == 1) {
            state[i->id()] = 2;
            order.push_back(i);
          }
          continue;
        }
        state[i->id()] = 1;
        before.assign(i->operands().begin(), i->operands().end());
        before.insert(before.end(), i->control_predecessors().begin(),
                      i->control_predecessors().end());
        // The last on the stack is visited first.
        std::sort(before.begin(), before.end(),
                  [&](const Instruction* a, const Instruction* b) {
                    return std::make_tuple(extra_users[a->id()],
                                           bytes[a->id()], b->name()) <
                           std::make_tuple(extra_users[b->id()],
                                           bytes[b->id()], a->name());
                  });
        for (Instruction* p : before) {
          if (state[p->id()] == 0) work.push_back(p);
        }
      }
    };
    for (Instruction* i : post_order) {
      if (i->users().empty() && i->control_successors().empty() &&
          i != c.root()) {
        visit(i);
      }
    }
    visit(c.root());
    for (Instruction* i : post_order) visit(i);
    return order;
  }

  // Of what is ready, the instruction that leaves the fewest bytes alive.
  static Order ListOrder(const Order& post_order, const MemoryModel& model) {
    std::vector<int64_t> waits_for(model.made.size()), place(model.made.size());
    std::vector<int64_t> left = model.readers;
    std::vector<std::vector<Instruction*>> readers_of(model.size.size());
    for (size_t k = 0; k < post_order.size(); ++k) {
      Instruction* i = post_order[k];
      place[i->id()] = k;
      waits_for[i->id()] = DistinctPredecessors(*i).size();
      for (int b : model.read[i->id()]) readers_of[b].push_back(i);
    }
    const auto gain = [&](const Instruction* i) {
      int64_t bytes = 0;
      for (int b : model.made[i->id()]) bytes -= model.size[b];
      for (int b : model.read[i->id()]) {
        if (left[b] == 1 && !model.lasts[b]) bytes += model.size[b];
      }
      return bytes;
    };
    // Best first: most bytes gained, then the print order.
    using Key = std::tuple<int64_t, int64_t, Instruction*>;
    std::set<Key> ready;
    std::vector<Key> key(model.made.size());
    std::vector<char> state(model.made.size());  // 1: ready, 2: done
    const auto make_ready = [&](Instruction* i) {
      state[i->id()] = 1;
      key[i->id()] = {-gain(i), place[i->id()], i};
      ready.insert(key[i->id()]);
    };
    for (Instruction* i : post_order) {
      if (waits_for[i->id()] == 0) make_ready(i);
    }
    Order order;
    while (!ready.empty()) {
      Instruction* i = std::get<2>(*ready.begin());
      ready.erase(ready.begin());
      state[i->id()] = 2;
      order.push_back(i);
      for (int b : model.read[i->id()]) {
        if (--left[b] != 1) continue;
        // Its last reader frees it: that is worth more now.
        for (Instruction* reader : readers_of[b]) {
          if (state[reader->id()] != 1) continue;
          ready.erase(key[reader->id()]);
          make_ready(reader);
        }
      }
      for (auto list : {i->users(), i->control_successors()}) {
        for (Instruction* next : list) {
          // Both a user and a successor: once.
          if (list.data() == i->control_successors().data() &&
              next->IsUserOf(i)) {
            continue;
          }
          if (--waits_for[next->id()] == 0) make_ready(next);
        }
      }
    }
    return FixedFirst(order);
  }

  static std::vector<const Instruction*> DistinctPredecessors(
      const Instruction& i) {
    std::vector<const Instruction*> list(i.operands().begin(),
                                         i.operands().end());
    list.insert(list.end(), i.control_predecessors().begin(),
                i.control_predecessors().end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  const Module& module_;
  Dataflow dataflow_;
  DisjointSets sets_;
  absl::flat_hash_map<const Computation*, int64_t> peaks_;
};

}  // namespace

absl::StatusOr<bool> HloMemoryScheduler::Run(Module* module) {
  Schedule schedule = Scheduler(*module).Run();
  if (module->schedule.has_value() && *module->schedule == schedule) {
    return false;
  }
  module->schedule = std::move(schedule);
  return true;
}

}  // namespace hlokit
