#include "passes/analysis/dataflow.h"

#include <algorithm>
#include <utility>

#include "passes/analysis/call_graph.h"

namespace hlokit {

int64_t PartCount(const Shape& shape) {
  int64_t count = 1;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      count += PartCount(element);
    }
  }
  return count;
}

int64_t PartOfElement(const Shape& tuple, int64_t element) {
  int64_t part = 1;
  for (int64_t k = 0; k < element; ++k) part += PartCount(tuple.tuple_shape(k));
  return part;
}

int64_t ElementParts::PartOf(const Shape& tuple, int64_t element) {
  constexpr int64_t kFew = 16;
  if (element < kFew) return PartOfElement(tuple, element);
  Counted& counted = by_identity_[tuple.identity()];
  if (counted.part_of_element.empty()) {
    counted.tuple = tuple;
    int64_t part = 1;
    for (const Shape& shape : tuple.tuple_shapes()) {
      counted.part_of_element.push_back(part);
      part += PartCount(shape);
    }
  }
  return counted.part_of_element[element];
}

int64_t PartNumber(const Shape& shape, absl::Span<const int64_t> index) {
  int64_t part = 0;
  const Shape* at = &shape;
  for (int64_t element : index) {
    part += PartOfElement(*at, element);
    at = &at->tuple_shape(element);
  }
  return part;
}

namespace {

void AddParts(const Shape& shape, std::vector<ShapePart>* parts) {
  parts->push_back({&shape, !shape.IsTuple()});
  if (!shape.IsTuple()) return;
  for (const Shape& element : shape.tuple_shapes()) AddParts(element, parts);
}

void AddIndices(const Shape& shape, ShapeIndex* index,
                std::vector<ShapeIndex>* indices) {
  indices->push_back(*index);
  if (!shape.IsTuple()) return;
  for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
    index->push_back(k);
    AddIndices(shape.tuple_shape(k), index, indices);
    index->pop_back();
  }
}

// Walks the parts in order until `left` of them are behind it; `index` is then
// the part's.
bool FindPart(const Shape& shape, int64_t* left, ShapeIndex* index) {
  if ((*left)-- == 0) return true;
  if (!shape.IsTuple()) return false;
  for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
    index->push_back(k);
    if (FindPart(shape.tuple_shape(k), left, index)) return true;
    index->pop_back();
  }
  return false;
}

}  // namespace

std::vector<ShapePart> PartsOf(const Shape& shape) {
  std::vector<ShapePart> parts;
  AddParts(shape, &parts);
  return parts;
}

ShapeIndex IndexOfPart(const Shape& shape, int64_t part) {
  ShapeIndex index;
  FindPart(shape, &part, &index);
  return index;
}

std::vector<ShapeIndex> PartIndices(const Shape& shape) {
  std::vector<ShapeIndex> indices;
  ShapeIndex index;
  AddIndices(shape, &index, &indices);
  return indices;
}

bool OnlyForwards(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      return true;
    default:
      return false;
  }
}

void Dataflow::Connect(const Instruction* i) {
  const int64_t parts = PartCount(i->shape());
  switch (i->opcode()) {
    case Opcode::kTuple: {
      int64_t part = 1;
      for (const Instruction* operand : i->operands()) {
        const int64_t count = PartCount(operand->shape());
        Same(i, part, operand, 0, count);
        part += count;
      }
      break;
    }
    case Opcode::kGetTupleElement:
      Same(i, 0, i->operand(0),
           element_parts_.PartOf(i->operand(0)->shape(), i->tuple_index()),
           parts);
      break;
    case Opcode::kBitcast:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
      Same(i, 0, i->operand(0), 0, parts);
      break;
    case Opcode::kCopyStart:
      Same(i, 2, i->operand(0), 0, 1);
      break;
    case Opcode::kCopyDone:
      Same(i, 0, i->operand(0), 1, parts);
      break;
    case Opcode::kSend:
      Same(i, 1, i->operand(0), 0, PartCount(i->operand(0)->shape()));
      break;
    case Opcode::kRecvDone:
      Same(i, 1, i->operand(0), 1, PartCount(i->shape().tuple_shape(0)));
      break;
    case Opcode::kWhile:
      ConnectWhile(i);
      break;
    case Opcode::kConditional:
      ConnectConditional(i);
      break;
    case Opcode::kCall:
      ConnectCall(i, i, 0);
      break;
    case Opcode::kAsyncStart: {
      // ((operands), result, ...).
      int64_t part = 2;
      for (const Instruction* operand : i->operands()) {
        const int64_t count = PartCount(operand->shape());
        Same(i, part, operand, 0, count);
        part += count;
      }
      if (base_.contains(i->to_apply()->root())) {
        ConnectCall(i, i, PartOfElement(i->shape(), 1));
      }
      break;
    }
    case Opcode::kAsyncDone:
      Same(i, 0, i->operand(0), PartOfElement(i->operand(0)->shape(), 1),
           parts);
      break;
    default:
      break;
  }
}

// The parameters and the result of what is called are the caller's.
void Dataflow::ConnectCall(const Instruction* i, const Instruction* result,
                           int64_t result_part) {
  const Computation& called = *i->to_apply();
  for (int64_t k = 0; k < i->operand_count(); ++k) {
    SameAll(called.parameter(k), i->operand(k));
  }
  Same(result, result_part, called.root(), 0,
       PartCount(called.root()->shape()));
}

// What the body hands on unchanged is the same before, in and after the loop.
void Dataflow::ConnectWhile(const Instruction* i) {
  const Instruction* body = i->while_body()->parameter(0);
  const Instruction* condition = i->while_condition()->parameter(0);
  const Instruction* root = i->while_body()->root();
  const int64_t parts = PartCount(i->shape());
  const std::vector<ShapePart> shapes = PartsOf(i->shape());
  for (int64_t k = 0; k < parts; ++k) {
    const int64_t from = sets_.Find(Position(body, k));
    if (!shapes[k].is_leaf || from != sets_.Find(Position(root, k))) continue;
    Same(i, k, i->operand(0), k, 1);
    Same(i, k, body, k, 1);
    Same(i, k, condition, k, 1);
  }
}

void Dataflow::ConnectConditional(const Instruction* i) {
  const auto branches = i->called_computations();
  for (size_t b = 0; b < branches.size(); ++b) {
    SameAll(branches[b]->parameter(0), i->operand(b + 1));
  }
  const int64_t parts = PartCount(i->shape());
  const std::vector<ShapePart> shapes = PartsOf(i->shape());
  for (int64_t k = 0; k < parts; ++k) {
    const int64_t first = sets_.Find(Position(branches[0]->root(), k));
    const bool same =
        shapes[k].is_leaf &&
        std::all_of(branches.begin(), branches.end(), [&](Computation* c) {
          return sets_.Find(Position(c->root(), k)) == first;
        });
    if (same) Same(i, k, branches[0]->root(), k, 1);
  }
}

namespace {

// When an instruction may claim a value as its own: those that compute first,
// then those where values meet, last those that stand for their caller's.
enum Turn { kComputes, kMerges, kStandsFor };

Turn TurnOf(const Instruction& i) {
  if (i.opcode() == Opcode::kWhile || i.opcode() == Opcode::kConditional) {
    return kMerges;
  }
  if (i.opcode() == Opcode::kCall) return kStandsFor;
  if (i.opcode() != Opcode::kParameter || i.parent()->IsEntry()) {
    return kComputes;
  }
  for (const Instruction* caller : i.parent()->callers()) {
    if (caller->opcode() == Opcode::kWhile) return kMerges;
    if (ContextOf(caller->opcode()) == CallContext::kSequential) {
      return kStandsFor;
    }
  }
  return kComputes;
}

}  // namespace

void Dataflow::NumberValues() {
  // By set of positions the number of its value.
  std::vector<int64_t> value_of_set(sets_.size(), -1);
  // Whether the part of a loop or conditional is a value from elsewhere.
  const auto hands_on = [&](const Instruction* i, int64_t k) {
    const Instruction* from = nullptr;
    if (i->opcode() == Opcode::kWhile) {
      from = i->operand(0);
    } else if (i->opcode() == Opcode::kConditional) {
      from = i->called_computation(0)->root();
    } else {
      for (const Instruction* caller : i->parent()->callers()) {
        if (caller->opcode() == Opcode::kWhile) from = caller;
      }
    }
    return from != nullptr &&
           sets_.Find(Position(i, k)) == sets_.Find(Position(from, k));
  };
  const auto claim = [&](const Instruction* i, bool merged,
                         bool only_where_it_begins = false) {
    const auto add = [&](int64_t k, const Shape& shape, ShapeIndex index) {
      int64_t& value = value_of_set[sets_.Find(base_.at(i) + k)];
      if (value >= 0) return;
      value = values_.size();
      values_.push_back({value, const_cast<Instruction*>(i), std::move(index),
                         shape, merged});
    };
    if (OnlyForwards(*i)) {
      if (i->opcode() == Opcode::kTuple) add(0, i->shape(), {});
      return;
    }
    const std::vector<ShapePart> parts = PartsOf(i->shape());
    const std::vector<ShapeIndex> indices = PartIndices(i->shape());
    for (size_t k = 0; k < parts.size(); ++k) {
      if (only_where_it_begins && hands_on(i, k)) continue;
      add(k, *parts[k].shape, indices[k]);
    }
  };
  for (const Instruction* i : order_) {
    if (TurnOf(*i) == kComputes) claim(i, false);
  }
  // What an outer loop hands to an inner one is the outer one's; what a loop
  // hands to a later one that keeps it, the earlier one's.
  for (const bool only_where_it_begins : {true, false}) {
    for (size_t c = computations_.size(); c-- > 0;) {
      for (const Instruction* i : computations_[c]->instructions()) {
        if (TurnOf(*i) == kMerges) claim(i, true, only_where_it_begins);
      }
    }
  }
  for (const Instruction* i : order_) {
    if (TurnOf(*i) == kStandsFor) claim(i, false);
  }
  value_of_.resize(sets_.size());
  for (int64_t p = 0; p < sets_.size(); ++p) {
    int64_t& value = value_of_set[sets_.Find(p)];
    if (value < 0) {
      // A loop of instructions that only hand on cannot be; an inner tuple of
      // something opaque can.
      value = values_.size();
      Instruction* at = const_cast<Instruction*>(owner_[p]);
      ShapeIndex index = IndexOfPart(at->shape(), p - base_.at(at));
      const Shape& shape = at->shape().Subshape(index);
      values_.push_back({value, at, std::move(index), shape, false});
    }
    value_of_[p] = value;
  }
}

Dataflow::Dataflow(const Module& module) {
  for (Computation* c : module.TopologicalOrder()) {
    if (c->IsFusionComputation()) continue;
    computations_.push_back(c);
    for (const Instruction* i : c->PostOrder()) {
      base_[i] = sets_.size();
      sets_.Resize(sets_.size() + PartCount(i->shape()));
      owner_.resize(sets_.size(), i);
      order_.push_back(i);
    }
  }
  for (const Instruction* i : order_) Connect(i);
  NumberValues();
}

}  // namespace hlokit
