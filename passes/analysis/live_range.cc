#include "passes/analysis/live_range.h"

#include "passes/analysis/call_graph.h"

namespace hlokit {

void LiveRanges::Append(const Module& module, const Computation& computation) {
  // Not recursive: calls may be nested deeply.
  struct Frame {
    std::vector<Instruction*> order;
    size_t next = 0;
    std::vector<const Computation*> callees;
    size_t next_callee = 0;
  };
  std::vector<Frame> stack;
  const auto enter = [&](const Computation& c) {
    begins_.emplace(&c, sequence_.size());
    stack.push_back({module.ExecutionOrder(c), 0, {}, 0});
  };
  enter(computation);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next_callee < top.callees.size()) {
      enter(*top.callees[top.next_callee++]);
      continue;
    }
    if (!top.callees.empty()) {
      times_[top.order[top.next]] = sequence_.size();
      sequence_.push_back(top.order[top.next++]);
      top.callees.clear();
    }
    top.next_callee = 0;
    bool entered = false;
    while (top.next < top.order.size() && !entered) {
      Instruction* i = top.order[top.next];
      const bool runs = ContextOf(i->opcode()) == CallContext::kSequential &&
                        i->opcode() != Opcode::kAsyncUpdate &&
                        i->opcode() != Opcode::kAsyncDone;
      if (runs && !i->called_computations().empty()) {
        top.callees.assign(i->called_computations().begin(),
                           i->called_computations().end());
        if (i->opcode() == Opcode::kWhile) {
          std::swap(top.callees[0], top.callees[1]);
        }
        entered = true;
        continue;
      }
      times_[i] = sequence_.size();
      sequence_.push_back(i);
      ++top.next;
    }
    if (!entered) stack.pop_back();
  }
}

void LiveRanges::SetStarts(const Dataflow& dataflow) {
  ranges_.resize(dataflow.values().size());
  result_end_.resize(dataflow.values().size(), -2);
  for (const HloValue& value : dataflow.values()) {
    const int64_t time = TimeOf(value.at);
    if (time < 0) continue;
    const bool parameter = value.at->opcode() == Opcode::kParameter;
    const int64_t start = parameter ? begins_.at(value.at->parent()) : time;
    ranges_[value.id] = {start, time};
  }
}

void LiveRanges::Use(const Dataflow& dataflow, const Instruction* i,
                     int64_t time) {
  const int64_t parts = PartCount(i->shape());
  for (int64_t k = 0; k < parts; ++k) {
    Extend(dataflow.ValueAt(i, k), time);
  }
}

void LiveRanges::UseByLoop(const Dataflow& dataflow, const Instruction* i,
                           int64_t time) {
  const Instruction* init = i->operand(0);
  const Instruction* in_condition = i->while_condition()->parameter(0);
  const int64_t condition = begins_.at(i->while_condition());
  const int64_t body = begins_.at(i->while_body());
  const int64_t parts = PartCount(i->shape());
  for (int64_t k = 0; k < parts; ++k) {
    const HloValue& before = dataflow.ValueAt(init, k);
    // What the loop does not change lasts through it.
    const bool kept = before.id == dataflow.ValueAt(i, k).id;
    Extend(before, kept ? time : condition);
    Extend(dataflow.ValueAt(in_condition, k), kept ? time : body);
  }
  UseAsResult(dataflow, i->while_condition()->root(), body - 1);
  Use(dataflow, i->while_body()->root(), time);
}

void LiveRanges::UseAsResult(const Dataflow& dataflow, const Instruction* i,
                             int64_t time) {
  Use(dataflow, i, time);
  const int64_t parts = PartCount(i->shape());
  for (int64_t k = 0; k < parts; ++k) {
    int64_t& end = result_end_[dataflow.ValueAt(i, k).id];
    end = std::max(end, time);
  }
}

// Only one branch runs: its result need not outlast the others.
void LiveRanges::UseByConditional(const Dataflow& dataflow,
                                  const Instruction* i, int64_t time) {
  const auto branches = i->called_computations();
  Use(dataflow, i->operand(0), begins_.at(branches[0]));
  for (size_t b = 0; b < branches.size(); ++b) {
    const bool last = b + 1 == branches.size();
    UseAsResult(dataflow, branches[b]->root(),
                (last ? time : begins_.at(branches[b + 1])) - 1);
  }
}

LiveRanges::LiveRanges(const Module& module, const Dataflow& dataflow) {
  Append(module, *module.entry());
  SetStarts(dataflow);
  for (size_t time = 0; time < sequence_.size(); ++time) {
    const Instruction* i = sequence_[time];
    if (i->opcode() == Opcode::kWhile) {
      UseByLoop(dataflow, i, time);
      continue;
    }
    if (i->opcode() == Opcode::kConditional) {
      UseByConditional(dataflow, i, time);
      continue;
    }
    // Arguments of calls are used where what is called uses them.
    if (OnlyForwards(*i) || i->opcode() == Opcode::kCall) continue;
    for (const Instruction* operand : i->operands()) {
      Use(dataflow, operand, time);
    }
  }
  Use(dataflow, module.entry()->root(), end());
}

}  // namespace hlokit
