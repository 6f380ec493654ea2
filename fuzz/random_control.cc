#include <algorithm>
#include <cmath>
#include <vector>

#include "fuzz/random_generator.h"

namespace hlokit {
namespace {

constexpr int kMaxDepth = 2;

// Whether `x` may stand where everything that is known of `place` must hold.
bool Suits(const RandomValue& x, const RandomValue& place) {
  return ShapesCompatible(x.at->shape(), place.at->shape()) &&
         x.bound <= place.bound && x.error <= place.error &&
         (x.integral || !place.integral) && (!x.special || place.special) &&
         (!x.raw || place.raw) && (x.known_signs || !place.known_signs);
}

}  // namespace

std::vector<RandomValue> RandomGenerator::Arguments(int count) {
  std::vector<RandomValue> arguments;
  for (int k = 0; k < count; ++k) {
    const Made x = Any();
    if (x.has_value()) arguments.push_back(*x);
  }
  return arguments;
}

Computation* RandomGenerator::Nested(absl::string_view name,
                                     absl::Span<const RandomValue> arguments,
                                     NestedKind kind,
                                     absl::FunctionRef<void(Scope&)> body) {
  Scope scope;
  scope.computation =
      module_->AddComputation(Computation::Create(module_, name));
  scope.in_fusion = kind == kFused || kind == kScalars;
  scope.depth = scope_->depth + 1;
  if (kind == kOfTuple) {
    std::vector<Shape> shapes;
    for (const RandomValue& x : arguments) shapes.push_back(x.at->shape());
    Instruction* all =
        scope.computation->AddParameter(0, Shape::Tuple(std::move(shapes)));
    for (size_t k = 0; k < arguments.size(); ++k) {
      scope.values.push_back(Moved(
          arguments[k], scope.computation->AddGetTupleElement(all, k)));
    }
  } else {
    for (size_t k = 0; k < arguments.size(); ++k) {
      const Shape& shape = arguments[k].at->shape();
      scope.values.push_back(Moved(
          arguments[k],
          scope.computation->AddParameter(
              k, kind == kScalars ? Shape::Scalar(shape.element_type())
                                  : shape)));
    }
  }
  Scope* outer = scope_;
  scope_ = &scope;
  body(scope);
  scope_ = outer;
  return scope.computation;
}

void RandomGenerator::RemoveDead(Computation* computation) {
  std::vector<Instruction*> all;
  for (Instruction* i : computation->instructions()) all.push_back(i);
  for (auto i = all.rbegin(); i != all.rend(); ++i) {
    if ((*i)->user_count() == 0 && !(*i)->IsRoot() &&
        (*i)->opcode() != Opcode::kParameter) {
      computation->Remove(*i);
    }
  }
}

std::vector<RandomValue> RandomGenerator::ChooseRoot(Scope& scope,
                                                     int tuple_percent) {
  // What nobody uses.
  std::vector<RandomValue> ends;
  for (const RandomValue& value : scope.values) {
    if (value.at->user_count() == 0 &&
        value.at->opcode() != Opcode::kParameter) {
      ends.push_back(value);
    }
  }
  if (ends.empty()) {
    RandomValue x = scope.values.empty() ? Source(kF32, Dims())
                                         : scope.values.back();
    if (x.at->opcode() == Opcode::kParameter) {
      x = Moved(x, b().Op(Opcode::kCopy, {x.at}));
    }
    ends.push_back(x);
  }
  if (!Chance(tuple_percent)) ends = {ends.back()};
  if (ends.size() == 1 && !Chance(5)) {
    scope.computation->set_root(ends[0].at);
  } else {
    std::vector<Instruction*> parts;
    for (const RandomValue& x : ends) parts.push_back(x.at);
    scope.computation->set_root(b().Tuple(parts));
  }
  return ends;
}

RandomGenerator::Made RandomGenerator::Results(
    Instruction* at, absl::Span<const RandomValue> roots) {
  if (!at->shape().IsTuple()) return Moved(roots[0], at);
  for (size_t k = 1; k < roots.size(); ++k) {
    scope_->values.push_back(Moved(roots[k], b().Element(at, k)));
  }
  return Moved(roots[0], b().Element(at, 0));
}

RandomGenerator::Made RandomGenerator::Fusion() {
  if (!options_.fusions || scope_->in_fusion) return std::nullopt;
  const int most = options_.max_parameters;
  const auto arguments =
      Arguments(1 + Draw(Chance(70) ? std::min(most, 4) : most));
  std::vector<RandomValue> roots;
  Computation* fused =
      Nested("fused", arguments, kFused, [&](Scope& scope) {
        RunSteps(1 + Draw(options_.nested_steps));
        // Forms that backends know.
        const int64_t form = Draw(10);
        if (form < 2 || options_.max_parameters > 60) {
          const Made reduced = Reduce();
          if (reduced.has_value()) Keep(*reduced);
          if (form == 1 || options_.max_parameters > 60) {
            RunSteps(1 + Draw(3));
          }
        } else if (form == 2) {
          const Made updated = DynamicUpdateSlice();
          if (updated.has_value()) scope.values.push_back(*updated);
        } else if (form == 3) {
          const Made joined = Concatenate();
          if (joined.has_value()) scope.values.push_back(*joined);
        }
        roots = ChooseRoot(scope, options_.max_parameters > 60 ? 90 : 30);
        RemoveDead(scope.computation);
      });
  std::vector<Instruction*> operands;
  for (const RandomValue& x : arguments) operands.push_back(x.at);
  AttributeSet attrs;
  attrs.Set(AttrId::kFusionKind, Draw(3));
  return Results(b().OpOfShape(Opcode::kFusion, fused->root()->shape(),
                               operands, std::move(attrs), {fused}),
                 roots);
}

RandomGenerator::Made RandomGenerator::Call() {
  if (!options_.control_flow || scope_->depth >= kMaxDepth) {
    return std::nullopt;
  }
  const auto arguments = Arguments(Draw(4));
  std::vector<RandomValue> roots;
  Computation* called = Nested("called", arguments, kPlain, [&](Scope& scope) {
    RunSteps(1 + Draw(options_.nested_steps));
    roots = ChooseRoot(scope, 30);
  });
  std::vector<Instruction*> operands;
  for (const RandomValue& x : arguments) operands.push_back(x.at);
  return Results(b().Call(called, operands), roots);
}

RandomGenerator::Made RandomGenerator::Map() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  std::vector<RandomValue> arguments = {*x};
  for (int64_t more = Draw(3); more > 0; --more) {
    arguments.push_back(Get(Type(), x->dims()));
  }
  const bool only_scalars = options_.only_scalars;
  options_.only_scalars = true;
  std::vector<RandomValue> roots;
  Computation* mapped =
      Nested("mapped", arguments, kScalars, [&](Scope& scope) {
        RunSteps(1 + Draw(4));
        std::erase_if(scope.values,
                      [](const RandomValue& v) { return v.rank() > 0; });
        const RandomValue root = scope.values.back();
        scope.computation->set_root(root.at);
        roots = {root};
        RemoveDead(scope.computation);
      });
  options_.only_scalars = only_scalars;
  std::vector<Instruction*> operands;
  for (const RandomValue& argument : arguments) {
    operands.push_back(argument.at);
  }
  Int64List dims(x->rank());
  for (int64_t d = 0; d < x->rank(); ++d) dims[d] = d;
  AttributeSet attrs;
  if (!dims.empty()) attrs.Set(AttrId::kDimensions, dims);
  return Moved(roots[0], b().Op(Opcode::kMap, operands, std::move(attrs),
                                {mapped}));
}

RandomValue RandomGenerator::RowMajor(const RandomValue& x) {
  Shape shape = x.at->shape();
  if (shape.layout().IsDescending()) return x;
  shape.set_layout(Layout::Descending(x.rank()));
  return Moved(x, b().OpOfShape(Opcode::kCopy, shape, {x.at}));
}

RandomGenerator::Made RandomGenerator::Conditional() {
  if (!options_.control_flow || scope_->depth >= kMaxDepth) {
    return std::nullopt;
  }
  const bool by_pred = Chance(50);
  const RandomValue which =
      by_pred ? Get(kPred, {})
              : Chance(50) ? Get(kS32, {}) : Scalar(kS32, Draw(6) - 1);
  std::vector<RandomValue> wanted = Arguments(1 + Draw(3));
  if (wanted.empty()) return std::nullopt;
  std::vector<RandomValue> results = wanted;
  std::vector<Computation*> branches;
  std::vector<Instruction*> operands = {which.at};
  const bool one_array = wanted.size() == 1 && Chance(50);
  const int64_t count = by_pred ? 2 : 1 + Draw(4);
  for (int64_t k = 0; k < count; ++k) {
    auto arguments = Arguments(1 + Draw(3));
    const bool plain = arguments.size() == 1 && Chance(50);
    branches.push_back(Nested(
        "branch", arguments, plain ? kPlain : kOfTuple, [&](Scope& scope) {
          RunSteps(Draw(options_.nested_steps));
          std::vector<Instruction*> parts;
          for (size_t r = 0; r < wanted.size(); ++r) {
            const RandomValue part =
                RowMajor(Get(wanted[r].type(), wanted[r].dims()));
            results[r] =
                k == 0 ? part : Merged(results[r], part, part.at);
            parts.push_back(part.at);
          }
          scope.computation->set_root(one_array ? parts[0] : b().Tuple(parts));
        }));
    std::vector<Instruction*> parts;
    for (const RandomValue& argument : arguments) parts.push_back(argument.at);
    operands.push_back(plain ? parts[0] : b().Tuple(parts));
  }
  return Results(b().Op(Opcode::kConditional, operands, {}, branches), results);
}

RandomGenerator::Made RandomGenerator::While() {
  if (!options_.control_flow || scope_->depth >= kMaxDepth) {
    return std::nullopt;
  }
  std::vector<RandomValue> state = {Scalar(kS32, 0)};
  const bool may_round = Chance(50);
  for (RandomValue x : Arguments(1 + Draw(3))) {
    // What holds in every turn.
    if (may_round && IsFloatType(x.type()) && !x.raw) {
      x.error += 4 * RoundingOf(x.type(), x.bound);
      x.integral = x.known_signs = false;
    }
    state.push_back(x);
  }
  Computation* condition =
      Nested("condition", state, kOfTuple, [&](Scope& scope) {
        scope.computation->set_root(b().Compare(
            ComparisonDirection::kLt, scope.values[0].at,
            Scalar(kS32, Draw(5)).at));
      });
  Computation* body = Nested("body", state, kOfTuple, [&](Scope& scope) {
    std::vector<Instruction*> next = {
        b().Add(scope.values[0].at, Scalar(kS32, 1).at)};
    RunSteps(1 + Draw(options_.nested_steps));
    for (size_t k = 1; k < state.size(); ++k) {
      std::vector<RandomValue> found;
      for (const RandomValue& x : scope.values) {
        if (Suits(x, state[k])) found.push_back(x);
      }
      // Rather what is new. The element itself always suits.
      RandomValue chosen = found[std::max(Draw(found.size()),
                                          Draw(found.size()))];
      if (chosen.at->shape() != state[k].at->shape()) {
        chosen = Moved(chosen, b().OpOfShape(Opcode::kCopy,
                                             state[k].at->shape(),
                                             {chosen.at}));
      }
      next.push_back(chosen.at);
    }
    scope.computation->set_root(b().Tuple(next));
  });
  std::vector<Instruction*> parts;
  for (const RandomValue& x : state) parts.push_back(x.at);
  state[0].known_signs = false;
  return Results(b().While(condition, body, b().Tuple(parts)), state);
}

}  // namespace hlokit
