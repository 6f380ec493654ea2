#include "backends/cpu/emit/elemental.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cpu/emit/arithmetic.h"
#include "backends/cpu/emit/combiner.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/padding.h"

namespace hlokit::cpu {
namespace {

// Larger arrays are better kept in memory once than in each kernel.
constexpr int64_t kMaxConstantBytes = 1 << 16;
// Of operations that change the index.
constexpr int kMaxDepth = 500;

bool IsStaticArrays(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& part : shape.tuple_shapes()) {
      if (!part.IsArray() || part.is_dynamic()) return false;
    }
    return true;
  }
  return shape.IsArray() && !shape.is_dynamic();
}

std::string Key(const Instruction& i, const Index& index) {
  std::string key = absl::StrCat(reinterpret_cast<uintptr_t>(&i));
  for (const IrValue& v : index) absl::StrAppend(&key, ",", v.ref);
  return key;
}

// A start index as an i64 between 0 and `last`; unsigned ones are clamped as
// such, before they are widened.
IrValue ClampedStart(IrFunction& f, const Element& start, int64_t last) {
  if (start.type == kU64) {
    return f.Intrinsic("llvm.umin", "i64", {start.value, f.Const(last)});
  }
  const IrValue wide =
      f.Cast(IsSignedIntType(start.type) ? "sext" : "zext", start.value, "i64");
  const IrValue low = f.Intrinsic("llvm.smin", "i64", {wide, f.Const(last)});
  return f.Intrinsic("llvm.smax", "i64", {low, f.Const(0)});
}

}  // namespace

Variable::Variable(IrFunction& f, PrimitiveType type)
    : f_(f), type_(type), at_(f.Local(RegisterType(type))) {
  if (IsComplexType(type)) imag_ = f.Local(RegisterType(type));
}

void Variable::Set(const Element& value) {
  f_.Store(value.value, at_);
  if (IsComplexType(type_)) f_.Store(value.imag, imag_);
}

Element Variable::Get() const {
  Element value{type_, f_.Load(RegisterType(type_), at_)};
  if (IsComplexType(type_)) value.imag = f_.Load(RegisterType(type_), imag_);
  return value;
}

bool IsElemental(const Instruction& i) {
  if (!IsStaticArrays(i.shape())) return false;
  for (const Instruction* operand : i.operands()) {
    if (!IsStaticArrays(operand->shape())) return false;
  }
  switch (i.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kParameter:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return true;
    case Opcode::kGetTupleElement:
      return i.operand(0)->opcode() == Opcode::kReduce;
    case Opcode::kBitcast:
      return i.operand(0)->shape().element_type() == i.shape().element_type();
    case Opcode::kBitcastConvert:
      // Of another width: several elements become one, or one several.
      return BitWidth(i.operand(0)->shape().element_type()) ==
             BitWidth(i.shape().element_type());
    case Opcode::kDot:
      return !IsComplexType(i.shape().element_type());
    case Opcode::kMap:
    case Opcode::kReduce:
      return IsElemental(*i.to_apply());
    default:
      return IsArithmetic(i.opcode()) && i.shape().IsArray();
  }
}

bool IsElemental(const Computation& computation) {
  for (const Instruction* i : computation.instructions()) {
    if (!IsElemental(*i)) return false;
    if (i->opcode() == Opcode::kTuple && !i->IsRoot()) return false;
  }
  return true;
}

void ElementalEmitter::Nested(absl::FunctionRef<void()> body) {
  memo_.emplace_back();
  body();
  memo_.pop_back();
}

Element ElementalEmitter::Fail(const Instruction& i) {
  failed_ = true;
  const PrimitiveType type = i.shape().element_type();
  return NumberConstant(f_, IsArrayType(type) ? type : kS32, 0);
}

Element ElementalEmitter::Emit(const Instruction& i, const Index& index) {
  return EmitAll(i, index)[0];
}

bool ElementalEmitter::Knows(const std::string& key) const {
  return std::any_of(memo_.begin(), memo_.end(),
                     [&](const auto& known) { return known.contains(key); });
}

std::vector<Element> ElementalEmitter::EmitAll(const Instruction& i,
                                               const Index& index) {
  const std::string key = Key(i, index);
  for (const auto& known : memo_) {
    const auto it = known.find(key);
    if (it != known.end()) return it->second;
  }
  if (failed_ || depth_ >= kMaxDepth) return {Fail(i)};
  // Nobody comes here when the program runs.
  if (i.shape().IsArray() && ElementsIn(i.shape()) == 0) {
    return {NumberConstant(f_, i.shape().element_type(), 0)};
  }
  ++depth_;
  std::vector<Element> result;
  Element element;
  if (leaf_(i, index, &element)) {
    result = {std::move(element)};
  } else if (i.opcode() == Opcode::kReduce) {
    result = Reduce(i, index);
  } else {
    if (IsArithmetic(i.opcode())) EmitChain(i, index);
    result = {Compute(i, index)};
  }
  memo_.back()[key] = result;
  --depth_;
  return result;
}

void ElementalEmitter::EmitChain(const Instruction& i, const Index& index) {
  // Depth first; an instruction is computed when it is met the second time.
  std::vector<std::pair<const Instruction*, bool>> stack;
  const auto visit = [&](const Instruction& at) {
    for (const Instruction* operand : at.operands()) {
      if (operand->shape().rank() == static_cast<int64_t>(index.size()) &&
          IsArithmetic(operand->opcode()) && !Knows(Key(*operand, index))) {
        stack.emplace_back(operand, false);
      }
    }
  };
  visit(i);
  while (!stack.empty() && !failed_) {
    auto& [at, visited] = stack.back();
    const Instruction& instruction = *at;
    const std::string key = Key(instruction, index);
    Element element;
    if (Knows(key)) {
      stack.pop_back();
    } else if (!visited && leaf_(instruction, index, &element)) {
      memo_.back()[key] = {element};
      stack.pop_back();
    } else if (!visited) {
      visited = true;
      visit(instruction);
    } else {
      stack.pop_back();
      memo_.back()[key] = {Arithmetic(instruction, index)};
    }
  }
}

Element ElementalEmitter::Compute(const Instruction& i, const Index& index) {
  switch (i.opcode()) {
    case Opcode::kConstant:
      return Constant(i, index);
    case Opcode::kIota:
      return Iota(i, index);
    case Opcode::kBroadcast: {
      Index of;
      for (int64_t d : i.dimensions()) of.push_back(index[d]);
      return Emit(*i.operand(0), of);
    }
    case Opcode::kReshape:
      return Emit(*i.operand(0),
                  ReshapeIndex(f_, i.shape().dimensions(),
                               i.operand(0)->shape().dimensions(), index));
    case Opcode::kBitcast:
      return Emit(*i.operand(0),
                  BitcastIndex(f_, i.shape(), i.operand(0)->shape(), index));
    case Opcode::kTranspose: {
      Index of(index.size());
      for (size_t d = 0; d < index.size(); ++d) of[i.dimension(d)] = index[d];
      return Emit(*i.operand(0), of);
    }
    case Opcode::kSlice: {
      const auto& ranges = *i.attrs().Get<SliceRanges>(AttrId::kSlice);
      Index of;
      for (size_t d = 0; d < index.size(); ++d) {
        of.push_back(f_.Add(f_.Mul(index[d], f_.Const(ranges[d].stride)),
                            f_.Const(ranges[d].start)));
      }
      return Emit(*i.operand(0), of);
    }
    case Opcode::kReverse: {
      Index of = index;
      for (int64_t d : i.dimensions()) {
        of[d] = f_.Op("sub", f_.Const(i.shape().dimension(d) - 1), index[d]);
      }
      return Emit(*i.operand(0), of);
    }
    case Opcode::kConcatenate:
      return Concatenate(i, index);
    case Opcode::kPad:
      return Pad(i, index);
    case Opcode::kDynamicSlice:
      return DynamicSlice(i, index);
    case Opcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(i, index);
    case Opcode::kGather:
      return Gather(i, index);
    case Opcode::kDot:
      return Dot(i, index);
    case Opcode::kGetTupleElement: {
      if (i.operand(0)->opcode() != Opcode::kReduce) return Fail(i);
      return EmitAll(*i.operand(0), index)[i.tuple_index()];
    }
    case Opcode::kMap: {
      std::vector<Element> arguments;
      for (const Instruction* operand : i.operands()) {
        arguments.push_back(Emit(*operand, index));
      }
      return Apply(*i.to_apply(), arguments)[0];
    }
    default:
      return Arithmetic(i, index);
  }
}

Element ElementalEmitter::Arithmetic(const Instruction& i, const Index& index) {
  if (!IsArithmetic(i.opcode())) return Fail(i);
  absl::InlinedVector<Element, 3> operands;
  for (const Instruction* operand : i.operands()) {
    // clamp and select take scalars beside arrays.
    operands.push_back(
        Emit(*operand, operand->shape().rank() == 0 ? Index() : index));
  }
  std::optional<Element> result = EmitArithmetic(f_, i, operands);
  return result ? *std::move(result) : Fail(i);
}

Element ElementalEmitter::Constant(const Instruction& i, const Index& index) {
  const Literal* literal = i.literal();
  if (literal == nullptr || literal->element_count() == 0) return Fail(i);
  if (literal->element_count() == 1) return ElementConstant(f_, *literal, 0);
  if (literal->size_bytes() > kMaxConstantBytes) return Fail(i);
  // Row-major, whatever the layout.
  Shape row_major = i.shape();
  row_major.SetDescendingLayouts(/*replace=*/true);
  const std::string address = f_.module().Constant(
      absl::string_view(literal->untyped_data(), literal->size_bytes()));
  return LoadElement(f_, i.shape().element_type(), {"ptr", address},
                     LinearIndex(f_, row_major, index));
}

Element ElementalEmitter::Iota(const Instruction& i, const Index& index) {
  const Element number{kS64, index[i.attrs().GetInt(AttrId::kIotaDimension)]};
  return ConvertElementTo(f_, number, i.shape().element_type());
}

Element ElementalEmitter::Choose(PrimitiveType type, const IrValue& condition,
                                 absl::FunctionRef<Element()> then,
                                 absl::FunctionRef<Element()> otherwise) {
  Variable chosen(f_, type);
  f_.If(
      condition, [&] { Nested([&] { chosen.Set(then()); }); },
      [&] { Nested([&] { chosen.Set(otherwise()); }); });
  return chosen.Get();
}

Element ElementalEmitter::Concatenate(const Instruction& i,
                                      const Index& index) {
  const int64_t d = i.dimension(0);
  int64_t end = i.shape().dimension(d);
  // The operands from number `k` on, which begin at `begin`.
  const std::function<Element(int64_t, int64_t)> from = [&](int64_t k,
                                                            int64_t begin) {
    const int64_t next = begin + i.operand(k)->shape().dimension(d);
    const auto take = [&] {
      Index of = index;
      of[d] = f_.Op("sub", index[d], f_.Const(begin), "nsw");
      return Emit(*i.operand(k), of);
    };
    if (next >= end || k + 1 == i.operand_count()) return take();
    return Choose(i.shape().element_type(),
                  f_.Compare("slt", index[d], f_.Const(next)), take,
                  [&] { return from(k + 1, next); });
  };
  return from(0, 0);
}

Element ElementalEmitter::Pad(const Instruction& i, const Index& index) {
  const auto& padding = *i.attrs().Get<PaddingConfig>(AttrId::kPadding);
  const Shape& shape = i.operand(0)->shape();
  Index of;
  IrValue inside = f_.Const("i1", 1);
  for (size_t d = 0; d < index.size(); ++d) {
    const PaddingDimension& pad = padding.dimensions[d];
    if (pad.low == 0 && pad.high == 0 && pad.interior == 0) {
      of.push_back(index[d]);
      continue;
    }
    const PadSpan span =
        PadSpanOf(pad, shape.dimension(d), i.shape().dimension(d));
    IrValue at = index[d];
    if (span.place != 0) at = f_.Op("sub", at, f_.Const(span.place), "nsw");
    IrValue fits = f_.Const("i1", 1);
    if (span.step != 1) {
      const IrValue step = f_.Const(span.step);
      fits = f_.Compare("eq", f_.Op("srem", at, step), f_.Const(0));
      fits = f_.Op("and", fits, f_.Compare("sge", at, f_.Const(0)));
      at = f_.Op("sdiv", at, step);
    }
    // Negative numbers are too large as unsigned ones.
    fits = f_.Op("and", fits, f_.Compare("ult", at, f_.Const(span.count)));
    inside = f_.Op("and", inside, fits);
    if (span.first != 0) at = f_.Op("add", at, f_.Const(span.first), "nsw");
    of.push_back(at);
  }
  if (inside.IsConstant()) return Emit(*i.operand(0), of);
  const Element outside = Emit(*i.operand(1), {});
  return Choose(
      i.shape().element_type(), inside, [&] { return Emit(*i.operand(0), of); },
      [&] { return outside; });
}

Index ElementalEmitter::DynamicStarts(const Instruction& i, int64_t first,
                                      const Shape& whole,
                                      absl::Span<const int64_t> window) {
  Index starts;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const int64_t last = whole.dimension(d) - window[d];
    if (last == 0) {
      starts.push_back(f_.Const(0));
      continue;
    }
    // Starts may also stand in one array.
    const bool array = i.operand(first)->shape().rank() == 1;
    const Instruction& operand = *i.operand(array ? first : first + d);
    const Element start = Emit(operand, array ? Index{f_.Const(d)} : Index());
    starts.push_back(ClampedStart(f_, start, last));
  }
  return starts;
}

Element ElementalEmitter::DynamicSlice(const Instruction& i,
                                       const Index& index) {
  const Index starts =
      DynamicStarts(i, 1, i.operand(0)->shape(), i.shape().dimensions());
  Index of;
  for (size_t d = 0; d < index.size(); ++d) {
    of.push_back(f_.Add(starts[d], index[d]));
  }
  return Emit(*i.operand(0), of);
}

Element ElementalEmitter::DynamicUpdateSlice(const Instruction& i,
                                             const Index& index) {
  const Shape& update = i.operand(1)->shape();
  const Index starts = DynamicStarts(i, 2, i.shape(), update.dimensions());
  Index of;
  IrValue inside = f_.Const("i1", 1);
  for (size_t d = 0; d < index.size(); ++d) {
    of.push_back(index[d]);
    if (update.dimension(d) == i.shape().dimension(d)) continue;
    of.back() = f_.Op("sub", index[d], starts[d], "nsw");
    inside = f_.Op("and", inside,
                   f_.Compare("ult", of.back(), f_.Const(update.dimension(d))));
  }
  if (inside.IsConstant()) return Emit(*i.operand(1), of);
  return Choose(
      i.shape().element_type(), inside, [&] { return Emit(*i.operand(1), of); },
      [&] { return Emit(*i.operand(0), index); });
}

Element ElementalEmitter::Gather(const Instruction& i, const Index& index) {
  const AttributeSet& attrs = i.attrs();
  const Shape& operand = i.operand(0)->shape();
  const Instruction& indices = *i.operand(1);
  const auto offset_dims = attrs.GetList(AttrId::kOffsetDims);
  const auto collapsed = attrs.GetList(AttrId::kCollapsedSliceDims);
  const auto batching = attrs.GetList(AttrId::kOperandBatchingDims);
  const auto index_batching = attrs.GetList(AttrId::kStartIndicesBatchingDims);
  const auto start_map = attrs.GetList(AttrId::kStartIndexMap);
  const auto sizes = attrs.GetList(AttrId::kSliceSizes);
  const int64_t vector_dim = attrs.GetInt(AttrId::kIndexVectorDim);
  const auto contains = [](absl::Span<const int64_t> list, int64_t x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  };
  // Where the result's batch dimensions stand in the indices.
  Index batch;
  for (size_t d = 0; d < index.size(); ++d) {
    if (!contains(offset_dims, d)) batch.push_back(index[d]);
  }
  Index at(operand.rank(), f_.Const(0));
  for (size_t k = 0; k < start_map.size(); ++k) {
    Index place;
    size_t next = 0;
    for (int64_t d = 0; d < indices.shape().rank(); ++d) {
      place.push_back(d == vector_dim ? f_.Const(k) : batch[next++]);
    }
    const Element start = Emit(indices, place);
    const int64_t d = start_map[k];
    at[d] = ClampedStart(f_, start, operand.dimension(d) - sizes[d]);
  }
  for (size_t k = 0; k < batching.size(); ++k) {
    int64_t d = index_batching[k];
    if (vector_dim < d) --d;
    at[batching[k]] = batch[d];
  }
  size_t next = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (contains(collapsed, d) || contains(batching, d)) continue;
    at[d] = f_.Add(at[d], index[offset_dims[next++]]);
  }
  return Emit(*i.operand(0), at);
}

std::vector<Element> ElementalEmitter::Apply(
    const Computation& computation, absl::Span<const Element> arguments) {
  ElementalEmitter inner(
      f_, [&](const Instruction& i, absl::Span<const IrValue>, Element* e) {
        if (i.opcode() != Opcode::kParameter) return false;
        *e = arguments[i.parameter_number()];
        return true;
      });
  const Instruction& root = *computation.root();
  std::vector<Element> results;
  if (root.opcode() == Opcode::kTuple) {
    for (const Instruction* operand : root.operands()) {
      results.push_back(inner.Emit(*operand, {}));
    }
  } else {
    results.push_back(inner.Emit(root, {}));
  }
  failed_ |= inner.failed();
  return results;
}

std::vector<Element> ElementalEmitter::Reduce(const Instruction& i,
                                              const Index& index) {
  const int64_t arrays = i.operand_count() / 2;
  const Shape& shape = i.operand(0)->shape();
  const auto reduced = i.dimensions();
  std::vector<Variable> totals;
  for (int64_t k = 0; k < arrays; ++k) {
    totals.emplace_back(f_, i.operand(k)->shape().element_type());
    totals[k].Set(Emit(*i.operand(arrays + k), {}));
  }
  Index at(shape.rank(), f_.Const(0));
  size_t next = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) {
      at[d] = index[next++];
    }
  }
  std::vector<int64_t> loops;
  for (int64_t d : MajorToMinor(shape)) {
    if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) {
      loops.push_back(d);
    }
  }
  const std::function<void(size_t)> loop = [&](size_t depth) {
    if (depth == loops.size()) {
      std::vector<Element> before, values;
      for (int64_t k = 0; k < arrays; ++k) {
        before.push_back(totals[k].Get());
        values.push_back(Emit(*i.operand(k), at));
      }
      const std::vector<Element> after =
          Combine(*this, f_, *i.to_apply(), before, values);
      for (int64_t k = 0; k < arrays; ++k) totals[k].Set(after[k]);
      return;
    }
    f_.Loop(f_.Const(0), f_.Const(shape.dimension(loops[depth])), 1,
            [&](IrValue v) {
              at[loops[depth]] = v;
              Nested([&] { loop(depth + 1); });
            });
  };
  loop(0);
  std::vector<Element> results;
  for (int64_t k = 0; k < arrays; ++k) results.push_back(totals[k].Get());
  return results;
}

Element ElementalEmitter::Dot(const Instruction& i, const Index& index) {
  const AttributeSet& attrs = i.attrs();
  const PrimitiveType type = i.shape().element_type();
  const PrimitiveType sum_type = ComputesInFloat(type) ? kF32 : type;
  const auto lhs_batch = attrs.GetList(AttrId::kLhsBatchDims);
  const auto rhs_batch = attrs.GetList(AttrId::kRhsBatchDims);
  const auto lhs_contract = attrs.GetList(AttrId::kLhsContractingDims);
  const auto rhs_contract = attrs.GetList(AttrId::kRhsContractingDims);
  const Shape& lhs = i.operand(0)->shape();
  const Shape& rhs = i.operand(1)->shape();
  Index left(lhs.rank(), f_.Const(0)), right(rhs.rank(), f_.Const(0));
  size_t next = 0;
  for (size_t k = 0; k < lhs_batch.size(); ++k) {
    left[lhs_batch[k]] = right[rhs_batch[k]] = index[next++];
  }
  const auto fill = [&](Index& at, int64_t rank,
                        absl::Span<const int64_t> batch,
                        absl::Span<const int64_t> contract) {
    for (int64_t d = 0; d < rank; ++d) {
      if (std::find(batch.begin(), batch.end(), d) == batch.end() &&
          std::find(contract.begin(), contract.end(), d) == contract.end()) {
        at[d] = index[next++];
      }
    }
  };
  fill(left, lhs.rank(), lhs_batch, lhs_contract);
  fill(right, rhs.rank(), rhs_batch, rhs_contract);
  Variable sum(f_, sum_type);
  sum.Set(NumberConstant(f_, sum_type, 0));
  const std::function<void(size_t)> loop = [&](size_t depth) {
    if (depth == lhs_contract.size()) {
      const Element a =
          ConvertElementTo(f_, Emit(*i.operand(0), left), sum_type);
      const Element b =
          ConvertElementTo(f_, Emit(*i.operand(1), right), sum_type);
      const auto product = EmitBinary(f_, Opcode::kMultiply, a, b);
      if (!product) {
        failed_ = true;
        return;
      }
      sum.Set(Accumulate(f_, Opcode::kAdd, sum.Get(), *product));
      return;
    }
    f_.Loop(f_.Const(0), f_.Const(lhs.dimension(lhs_contract[depth])), 1,
            [&](IrValue v) {
              left[lhs_contract[depth]] = right[rhs_contract[depth]] = v;
              Nested([&] { loop(depth + 1); });
            });
  };
  loop(0);
  return ConvertElementTo(f_, sum.Get(), type);
}

}  // namespace hlokit::cpu
