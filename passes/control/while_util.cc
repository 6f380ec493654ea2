#include "passes/control/while_util.h"

#include "passes/builders.h"

namespace hlokit {
namespace {

bool OnlyElementUses(const Instruction* tuple) {
  for (const Instruction* user : tuple->users()) {
    if (user->opcode() != Opcode::kGetTupleElement) return false;
  }
  return true;
}

// What is said of single elements does not fit another state.
void ForgetElements(Instruction* i) {
  for (AttrId id : {AttrId::kSharding, AttrId::kOrigin,
                    AttrId::kParameterReplication}) {
    i->mutable_attrs().Erase(id);
  }
}

// Gives a parameter a wider tuple type; who used it whole gets a tuple of the
// old elements.
void WidenParameter(Computation* computation, const Shape& shape) {
  Instruction* parameter = computation->parameter(0);
  const int64_t old_count = parameter->shape().tuple_shapes().size();
  std::vector<Instruction*> whole_uses;
  for (Instruction* user : parameter->users()) {
    if (user->opcode() != Opcode::kGetTupleElement) whole_uses.push_back(user);
  }
  parameter->set_shape(shape);
  ForgetElements(parameter);
  const bool is_root = parameter->IsRoot();
  if (whole_uses.empty() && !is_root) return;
  Builder b(parameter);
  std::vector<Instruction*> elements;
  for (int64_t k = 0; k < old_count; ++k) {
    elements.push_back(b.Element(parameter, k));
  }
  Instruction* narrow = b.Tuple(elements);
  for (Instruction* user : whole_uses) {
    for (int64_t k = 0; k < user->operand_count(); ++k) {
      if (user->operand(k) == parameter) user->ReplaceOperand(k, narrow);
    }
  }
  if (is_root) computation->set_root(narrow);
}

// The root becomes a tuple of `elements`; the old one goes if it is free.
void ReplaceRoot(Computation* body, const std::vector<Instruction*>& elements) {
  Instruction* old = body->root();
  Builder b(old);
  body->set_root(b.Tuple(elements));
  if (old->users().empty() && old->opcode() != Opcode::kParameter) {
    old->DropControlDependencies();
    body->RemoveWithUnusedOperands(old);
  }
}

// Dead code must not hold on to elements that go.
void RemoveDead(Computation* computation) {
  std::vector<Instruction*> dead;
  for (Instruction* i : computation->instructions()) {
    if (i->users().empty() && !i->IsRoot() &&
        i->opcode() != Opcode::kParameter &&
        i->control_predecessors().empty() &&
        i->control_successors().empty() && !i->HasSideEffect()) {
      dead.push_back(i);
    }
  }
  for (Instruction* i : dead) computation->RemoveWithUnusedOperands(i);
}

// A loop with another initial state; element k of the old result is element
// index[k] of the new one (-1: nobody asks).
Instruction* ReplaceLoop(Instruction* loop, Instruction* init,
                         const std::vector<int64_t>& index) {
  Builder b(loop);
  Instruction* fresh = b.CloneOfShape(*loop, init->shape(), {init});
  ForgetElements(fresh);
  const std::vector<Instruction*> users(loop->users().begin(),
                                        loop->users().end());
  bool whole = loop->IsRoot();
  for (Instruction* user : users) {
    if (user->opcode() != Opcode::kGetTupleElement) {
      whole = true;
      continue;
    }
    const int64_t at = index[user->tuple_index()];
    if (at < 0) continue;
    user->set_number(at);
    user->ReplaceOperand(0, fresh);
  }
  Instruction* replacement = fresh;
  if (whole) {
    std::vector<Instruction*> elements;
    for (int64_t at : index) elements.push_back(b.Element(fresh, at));
    replacement = b.Tuple(elements);
  }
  // Not ReplaceInstruction: the types differ unless `whole`.
  for (Instruction* p : loop->control_predecessors()) {
    fresh->AddControlPredecessor(p);
  }
  const std::vector<Instruction*> successors(
      loop->control_successors().begin(), loop->control_successors().end());
  for (Instruction* s : successors) s->AddControlPredecessor(fresh);
  loop->DropControlDependencies();
  loop->ReplaceAllUsesWith(replacement);
  loop->parent()->RemoveWithUnusedOperands(loop);
  return fresh;
}

}  // namespace

std::vector<Instruction*> LoopsOf(const Computation& computation) {
  std::vector<Instruction*> loops;
  if (!computation.HasCalls()) return loops;
  for (Instruction* i : computation.PostOrder()) {
    if (i->opcode() == Opcode::kWhile) loops.push_back(i);
  }
  return loops;
}

bool OwnsItsState(const Instruction& loop) {
  return loop.opcode() == Opcode::kWhile && loop.shape().IsTuple() &&
         loop.while_body() != loop.while_condition() &&
         loop.while_body()->call_site_count() == 1 &&
         loop.while_condition()->call_site_count() == 1 &&
         loop.while_body()->root()->opcode() == Opcode::kTuple &&
         loop.while_body()->parameter_count() == 1 &&
         loop.while_condition()->parameter_count() == 1;
}

bool UsesElementsOnly(const Instruction& loop) {
  return OwnsItsState(loop) && !loop.IsRoot() && OnlyElementUses(&loop) &&
         OnlyElementUses(loop.while_body()->parameter(0)) &&
         OnlyElementUses(loop.while_condition()->parameter(0)) &&
         loop.while_body()->root()->users().empty();
}

std::vector<Instruction*> ElementsOf(const Computation& computation) {
  const Instruction* parameter = computation.parameter(0);
  std::vector<Instruction*> elements(parameter->shape().tuple_shapes().size());
  for (Instruction* user : parameter->users()) {
    if (user->opcode() == Opcode::kGetTupleElement) {
      elements[user->tuple_index()] = user;
    }
  }
  return elements;
}

WidenedLoop AddInvariantElements(Instruction* loop,
                                 absl::Span<Instruction* const> values) {
  Instruction* init = loop->operand(0);
  const int64_t count = init->shape().tuple_shapes().size();
  Builder b(loop);
  std::vector<Instruction*> elements;
  std::vector<int64_t> index;
  for (int64_t k = 0; k < count; ++k) {
    elements.push_back(b.Element(init, k));
    index.push_back(k);
  }
  elements.insert(elements.end(), values.begin(), values.end());
  Instruction* wide = b.Tuple(elements);
  Computation* body = loop->while_body();
  WidenParameter(body, wide->shape());
  WidenParameter(loop->while_condition(), wide->shape());
  WidenedLoop result;
  Builder in_body(body->root());
  std::vector<Instruction*> next(body->root()->operands().begin(),
                                 body->root()->operands().end());
  for (size_t k = 0; k < values.size(); ++k) {
    result.in_body.push_back(in_body.Element(body->parameter(0), count + k));
    next.push_back(result.in_body.back());
  }
  ReplaceRoot(body, next);
  result.loop = ReplaceLoop(loop, wide, index);
  return result;
}

Instruction* KeepElements(Instruction* loop, const std::vector<bool>& keep) {
  Builder b(loop);
  Computation* body = loop->while_body();
  std::vector<Instruction*> elements, next;
  std::vector<int64_t> index;
  for (size_t k = 0; k < keep.size(); ++k) {
    index.push_back(keep[k] ? static_cast<int64_t>(elements.size()) : -1);
    if (!keep[k]) continue;
    elements.push_back(b.Element(loop->operand(0), k));
    next.push_back(body->root()->operand(k));
  }
  Instruction* narrow = b.Tuple(elements);
  ReplaceRoot(body, next);
  for (Computation* c : {body, loop->while_condition()}) {
    RemoveDead(c);
    Instruction* parameter = c->parameter(0);
    const std::vector<Instruction*> users(parameter->users().begin(),
                                          parameter->users().end());
    for (Instruction* user : users) {
      const int64_t at = index[user->tuple_index()];
      if (at >= 0) {
        user->set_number(at);
      } else if (user->users().empty() && !user->IsRoot()) {
        user->DropControlDependencies();
        c->Remove(user);
      }
    }
    parameter->set_shape(narrow->shape());
    ForgetElements(parameter);
  }
  // Elements of the old result that nobody uses.
  const std::vector<Instruction*> users(loop->users().begin(),
                                        loop->users().end());
  for (Instruction* user : users) {
    if (index[user->tuple_index()] < 0) user->parent()->Remove(user);
  }
  return ReplaceLoop(loop, narrow, index);
}

}  // namespace hlokit
