#include "passes/backend/layout_assignment.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analysis/call_graph.h"
#include "passes/backend/layout_choice.h"
#include "passes/builders.h"
#include "passes/schedule_repair.h"

namespace hlokit {
namespace {

// The same type with descending layouts; all but the order of a layout stays.
Shape Descending(const Shape& shape) {
  if (shape.IsTuple()) {
    Shape result = shape;
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      const Shape element = Descending(shape.tuple_shape(k));
      if (element != shape.tuple_shape(k)) result.set_tuple_shape(k, element);
    }
    return result;
  }
  if (!shape.IsArray()) return shape;
  if (shape.has_layout() && shape.layout().IsDescending()) return shape;
  Layout layout;
  if (shape.has_layout()) layout = shape.layout();
  layout.minor_to_major = Layout::Descending(shape.rank()).minor_to_major;
  Shape result = shape;
  result.set_layout(std::move(layout));
  return result;
}

// `wanted` where it says something, else descending.
Shape OrDescending(const Shape& wanted) {
  if (wanted.IsTuple()) {
    Shape result = wanted;
    for (size_t k = 0; k < wanted.tuple_shapes().size(); ++k) {
      result.set_tuple_shape(k, OrDescending(wanted.tuple_shape(k)));
    }
    return result;
  }
  return wanted.IsArray() && !wanted.has_layout() ? Descending(wanted) : wanted;
}

// Types of collectives that the program itself has laid out, of transfers, and
// of what was compiled before.
bool KeepsLayout(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kCopy:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kCustomCall:
    case Opcode::kFusion:
    case Opcode::kInfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return true;
    default:
      return i.attrs().GetBool(AttrId::kConstrainLayout);
  }
}

DimensionOrder OrderOf(const Shape& array) {
  return array.has_layout()
             ? array.layout().minor_to_major
             : Layout::Descending(array.rank()).minor_to_major;
}

Shape InOrder(Shape shape, const DimensionOrder& order) {
  Layout layout;
  if (shape.has_layout()) layout = shape.layout();
  layout.minor_to_major = order;
  shape.set_layout(std::move(layout));
  return shape;
}

bool IsPlainArray(const Shape& shape) {
  return shape.IsArray() && shape.has_layout() && shape.layout().IsPlain();
}

// Whether a transpose or thin reshape moves nothing when its result is laid out
// as `to`.
bool IsFree(const Instruction& mover, const Shape& to) {
  if (mover.opcode() != Opcode::kTranspose &&
      mover.opcode() != Opcode::kReshape) {
    return false;
  }
  const Shape& from = mover.operand(0)->shape();
  if (!IsPlainArray(from) || !IsPlainArray(to)) return false;
  const auto behind = OrderBehind(mover, OrderOf(from));
  return behind.has_value() && *behind == CanonicalOrder(to, OrderOf(to));
}

class Assigner {
 public:
  Assigner(Computation* computation, const ProgramShape* entry_layout)
      : computation_(computation), entry_layout_(entry_layout) {}

  bool Run() {
    const std::vector<Instruction*> order = computation_->PostOrder();
    for (const Instruction* i : order) asked_before_[i] = i->shape();
    OrderBounds bounds;
    bounds.has = [this](const Instruction& i) { return OrderThatIs(i); };
    bounds.asks = [this](const Instruction& i, int64_t k) {
      return OrderAskedOf(i, k);
    };
    orders_ = ChooseOrders(order, bounds);
    for (Instruction* i : order) {
      FixOperands(i);
      const Shape shape = ShapeOf(*i);
      if (shape != i->shape()) {
        i->set_shape(shape);
        changed_ = true;
      }
      MakeFree(i);
    }
    FixRoot();
    return changed_;
  }

 private:
  Shape ShapeOf(const Instruction& i) const {
    if (KeepsLayout(i)) return OrDescending(i.shape());
    switch (i.opcode()) {
      case Opcode::kParameter: {
        const size_t number = i.parameter_number();
        return entry_layout_ != nullptr &&
                       number < entry_layout_->parameters.size()
                   ? OrDescending(entry_layout_->parameters[number])
                   : Descending(i.shape());
      }
      case Opcode::kTuple: {
        std::vector<Shape> elements;
        for (const Instruction* operand : i.operands()) {
          elements.push_back(operand->shape());
        }
        return Shape::Tuple(std::move(elements));
      }
      case Opcode::kGetTupleElement:
        return i.operand(0)->shape().tuple_shape(i.tuple_index());
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
        return i.operand(0)->shape();
      default: {
        const auto order = orders_.find(&i);
        return order == orders_.end() ? Descending(i.shape())
                                      : InOrder(i.shape(), order->second);
      }
    }
  }

  // What `i` asks of operand k; nothing when it takes any layout.
  std::optional<Shape> Asks(const Instruction& i, int64_t k) const {
    const Instruction& operand = *i.operand(k);
    if (HasOrderChoice(i)) return AsksByChoice(i, operand);
    switch (i.opcode()) {
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kCopy:
      case Opcode::kCopyStart:
      case Opcode::kCopyDone:
      case Opcode::kAfterAll:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
      case Opcode::kRecvDone:
      case Opcode::kSendDone:
        return std::nullopt;
      case Opcode::kBitcast:
        return OrDescending(asked_before_.at(&operand));
      case Opcode::kFusion:
        return i.to_apply()->parameter(k)->shape();
      case Opcode::kOutfeed: {
        const Shape* shape = i.attrs().Get<Shape>(AttrId::kOutfeedShape);
        if (k != 0 || shape == nullptr) return std::nullopt;
        return OrDescending(*shape);
      }
      case Opcode::kAsyncStart:
      case Opcode::kSend:
        return OrDescending(asked_before_.at(&operand));
      case Opcode::kCustomCall: {
        const ShapeList* list =
            i.attrs().Get<ShapeList>(AttrId::kOperandLayoutConstraints);
        if (list != nullptr && k < static_cast<int64_t>(list->size())) {
          return OrDescending((*list)[k]);
        }
        return Descending(operand.shape());
      }
      default:
        return KeepsLayout(i) ? OrDescending(asked_before_.at(&operand))
                              : Descending(operand.shape());
    }
  }

  std::optional<Shape> AsksByChoice(const Instruction& i,
                                    const Instruction& operand) const {
    switch (i.opcode()) {
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
        return std::nullopt;
      default:
        break;
    }
    const auto order = orders_.find(&i);
    return order == orders_.end() || !SameDimensions(i.shape(), operand.shape())
               ? Descending(operand.shape())
               : InOrder(operand.shape(), order->second);
  }

  Shape AskedOfRoot() const {
    return entry_layout_ != nullptr ? OrDescending(entry_layout_->result)
                                    : Descending(computation_->root()->shape());
  }

  // Before anything is laid out: the order of a value without choice.
  std::optional<DimensionOrder> OrderThatIs(const Instruction& i) const {
    Shape shape;
    if (i.opcode() == Opcode::kGetTupleElement) {
      const Instruction& tuple = *i.operand(0);
      if (IsPassedThrough(tuple.opcode())) return std::nullopt;
      shape = ShapeOf(tuple).tuple_shape(i.tuple_index());
    } else if (!IsPassedThrough(i.opcode())) {
      shape = ShapeOf(i);
    }
    if (!shape.IsArray()) return std::nullopt;
    return OrderOf(shape);
  }
  static bool IsPassedThrough(Opcode opcode) {
    return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
           opcode == Opcode::kOptBarrier || opcode == Opcode::kDomain ||
           opcode == Opcode::kAddDependency;
  }

  // Before anything is laid out: what a user without choice asks of operand k,
  // and for k = -1 what is asked of the root.
  std::optional<DimensionOrder> OrderAskedOf(const Instruction& i,
                                             int64_t k) const {
    std::optional<Shape> shape;
    if (k < 0) {
      shape = AskedOfRoot();
    } else if (i.opcode() == Opcode::kTuple) {
      if (i.IsRoot()) {
        shape = AskedOfRoot().tuple_shape(k);
      } else if (GoesIntoACall(i)) {
        shape = Descending(i.operand(k)->shape());
      }
    } else {
      shape = Asks(i, k);
    }
    if (!shape.has_value() || !shape->IsArray()) return std::nullopt;
    return OrderOf(*shape);
  }
  static bool GoesIntoACall(const Instruction& tuple) {
    for (const Instruction* user : tuple.users()) {
      if (ContextOf(user->opcode()) == CallContext::kSequential) return true;
    }
    return false;
  }

  void FixOperands(Instruction* i) {
    for (int64_t k = 0; k < i->operand_count(); ++k) {
      Instruction* operand = i->operand(k);
      const std::optional<Shape> asked = Asks(*i, k);
      if (!asked.has_value()) continue;
      Instruction* fixed = Laid(operand, *asked);
      if (fixed == operand) continue;
      i->ReplaceOperand(k, fixed);
      changed_ = true;
    }
  }

  // `x` with the layouts of `shape`.
  Instruction* Laid(Instruction* x, const Shape& shape) {
    if (!ShapesCompatible(x->shape(), shape) || SameOrder(x->shape(), shape)) {
      return x;
    }
    if (x->shape().IsTuple()) {
      Builder b(x);
      std::vector<Instruction*> elements;
      for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
        elements.push_back(Laid(b.Element(x, k), shape.tuple_shape(k)));
      }
      return b.Tuple(elements);
    }
    Shape made = x->shape();
    made.set_layout(shape.layout());
    std::vector<Instruction*>& versions = versions_[x];
    for (Instruction* version : versions) {
      if (version->shape() == made) return version;
    }
    Builder b(x);
    const bool is_free = IsFree(*x, made);
    const bool is_same =
        IsPlainArray(x->shape()) && IsPlainArray(made) &&
        CanonicalOrder(made, OrderOf(x->shape())) ==
            CanonicalOrder(made, OrderOf(made));
    versions.push_back(b.OpOfShape(
        is_free || is_same ? Opcode::kBitcast : Opcode::kCopy, made,
        {is_free ? x->operand(0) : x}));
    return versions.back();
  }

  // Layouts alike, as far as both have any.
  static bool SameOrder(const Shape& a, const Shape& b) {
    ShapeEqual equal;
    equal.ignore_dynamic_dimension = true;
    equal.minor_to_major_only = true;
    return equal(a, b);
  }

  // Makes a bitcast of a transpose or reshape that moves nothing. A reshape of
  // row-major arrays is one that everybody understands.
  void MakeFree(Instruction* i) {
    if (!HasOrderChoice(*i) || !IsFree(*i, i->shape())) return;
    const bool stays = i->opcode() == Opcode::kTranspose
                           ? IsIdentity(i->dimensions())
                           : i->shape().layout().IsDescending() &&
                                 i->operand(0)->shape().layout().IsDescending();
    if (stays) return;
    Builder b(i);
    Instruction* bitcast =
        b.OpOfShape(Opcode::kBitcast, i->shape(), {i->operand(0)});
    // Users that come later ask for what they asked of `i`.
    Shape asked = asked_before_.at(i);  // the map may move when it grows
    asked_before_[bitcast] = std::move(asked);
    ReplaceInstruction(i, bitcast);
    changed_ = true;
  }
  static bool IsIdentity(absl::Span<const int64_t> permutation) {
    for (size_t k = 0; k < permutation.size(); ++k) {
      if (permutation[k] != static_cast<int64_t>(k)) return false;
    }
    return true;
  }

  void FixRoot() {
    Instruction* root = computation_->root();
    Instruction* fixed = Laid(root, AskedOfRoot());
    if (fixed == root) return;
    computation_->set_root(fixed);
    changed_ = true;
    if (root->users().empty() && root->opcode() != Opcode::kParameter) {
      computation_->RemoveWithUnusedOperands(root);
    }
  }

  Computation* const computation_;
  const ProgramShape* const entry_layout_;  // null but for the entry
  bool changed_ = false;
  absl::flat_hash_map<const Instruction*, Shape> asked_before_;
  // Of element-wise operations that are not to be row-major.
  absl::flat_hash_map<const Instruction*, DimensionOrder> orders_;
  // Copies of an instruction in other layouts.
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> versions_;
};

// Places of the entry's layout that were left open.
bool CloseEntryLayout(Module* module) {
  if (!module->entry_layout.has_value()) return false;
  bool changed = false;
  const auto close = [&](Shape* shape) {
    Shape closed = OrDescending(*shape);
    changed |= closed != *shape;
    *shape = std::move(closed);
  };
  for (Shape& parameter : module->entry_layout->parameters) close(&parameter);
  close(&module->entry_layout->result);
  return changed;
}

}  // namespace

absl::StatusOr<bool> LayoutAssignment::Run(Module* module) {
  bool changed = CloseEntryLayout(module);
  for (Computation* computation : Computations(module)) {
    const bool entry = computation->IsEntry();
    const ProgramShape* layout =
        entry && module->entry_layout.has_value() ? &*module->entry_layout
                                                  : nullptr;
    changed |= Assigner(computation, layout).Run();
  }
  if (changed) RepairSchedule(module);
  return changed;
}

}  // namespace hlokit
