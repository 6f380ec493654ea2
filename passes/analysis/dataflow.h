// Which value stands at which part of which instruction's result.
//
// A position is one part (subshape) of one instruction's result; a value is
// what an instruction computes there. Instructions that only hand on what they
// got (tuple, get-tuple-element, bitcast, calls, the state of a loop that its
// body never changes, ...) give their positions the values of others. Where
// control flow merges several values (a loop's state, a conditional's result)
// a value of its own begins, marked `merged`:
//
//   t = tuple(a, b)         t{0} holds a's value, t{1} b's; t{} is its own
//   g = get-tuple-element(t), index=1          g{} holds b's value
//
// Tuples themselves (tables of pointers) are values, too. Computations inside
// fusions are left out. Every computation that is called as a whole must have
// one caller (flatten-call-graph sees to that).
#ifndef HLOKIT_PASSES_ANALYSIS_DATAFLOW_H_
#define HLOKIT_PASSES_ANALYSIS_DATAFLOW_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Number of parts of a shape, itself included.
int64_t PartCount(const Shape& shape);
// Place of the part at `index` in the order of ForEachSubshape; and that of
// tuple element `element`.
int64_t PartNumber(const Shape& shape, absl::Span<const int64_t> index);
int64_t PartOfElement(const Shape& tuple, int64_t element);
// PartOfElement of many elements: wide tuples are counted once.
class ElementParts {
 public:
  int64_t PartOf(const Shape& tuple, int64_t element);

 private:
  struct Counted {
    Shape tuple;  // held, so that its identity stays its own
    std::vector<int64_t> part_of_element;
  };
  absl::flat_hash_map<const void*, Counted> by_identity_;
};
// All parts of `shape` in that order.
struct ShapePart {
  const Shape* shape;
  bool is_leaf;  // no tuple
};
std::vector<ShapePart> PartsOf(const Shape& shape);
// Returns the index of part number `part`.
ShapeIndex IndexOfPart(const Shape& shape, int64_t part);
// Returns the indices of all parts. In tuples nested N deep they take memory by
// the square of N, so ask for single ones where single ones will do.
std::vector<ShapeIndex> PartIndices(const Shape& shape);

struct HloValue {
  int64_t id = 0;
  Instruction* at = nullptr;  // defined here,
  ShapeIndex index;           // at this part of its result
  Shape shape;
  bool merged = false;
};

// tuple, get-tuple-element, bitcast, opt-barrier, domain, add-dependency: the
// result is what came in.
bool OnlyForwards(const Instruction& i);

// Sets that can be joined, over 0, 1, 2, ...
class DisjointSets {
 public:
  int64_t Add() {
    parent_.push_back(parent_.size());
    return parent_.back();
  }
  void Resize(int64_t count) {
    while (static_cast<int64_t>(parent_.size()) < count) Add();
  }
  int64_t Find(int64_t x) const {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  // The smaller representative stays.
  void Join(int64_t a, int64_t b) {
    a = Find(a), b = Find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }
  int64_t size() const { return parent_.size(); }

 private:
  mutable std::vector<int64_t> parent_;
};

class Dataflow {
 public:
  explicit Dataflow(const Module& module);

  // In order of their ids: by computation, callees first, then print order;
  // merged ones after all others.
  const std::vector<HloValue>& values() const { return values_; }
  // Whether the instruction has positions (those in fusions have none).
  bool Knows(const Instruction* i) const { return base_.contains(i); }
  // The value at part number `part` of the result.
  const HloValue& ValueAt(const Instruction* i, int64_t part) const {
    return values_[value_of_[base_.at(i) + part]];
  }
  const HloValue& ValueAt(const Instruction* i,
                          absl::Span<const int64_t> index) const {
    return ValueAt(i, PartNumber(i->shape(), index));
  }
  // Computations that have positions, callees before callers.
  const std::vector<Computation*>& computations() const {
    return computations_;
  }

 private:
  int64_t Position(const Instruction* i, int64_t part) const {
    return base_.at(i) + part;
  }
  // Parts from `a_part` on and from `b_part` on, `count` each, are the same.
  void Same(const Instruction* a, int64_t a_part, const Instruction* b,
            int64_t b_part, int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
      sets_.Join(Position(a, a_part + k), Position(b, b_part + k));
    }
  }
  void SameAll(const Instruction* a, const Instruction* b) {
    Same(a, 0, b, 0, PartCount(a->shape()));
  }
  void Connect(const Instruction* i);
  void ConnectWhile(const Instruction* i);
  void ConnectConditional(const Instruction* i);
  void ConnectCall(const Instruction* i, const Instruction* result,
                   int64_t result_part);
  void NumberValues();

  std::vector<Computation*> computations_;
  absl::flat_hash_map<const Instruction*, int64_t> base_;
  std::vector<const Instruction*> owner_;   // by position
  DisjointSets sets_;                       // of positions
  std::vector<const Instruction*> order_;   // all instructions
  std::vector<HloValue> values_;
  std::vector<int64_t> value_of_;  // by position
  ElementParts element_parts_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_DATAFLOW_H_
