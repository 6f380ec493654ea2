// Every pass and the whole pipeline on random modules: values stay.
//
// The modules are made to be full of what simplifiers look for: zeros, ones,
// broadcasts, reshapes there and back, slices of pads, selections. Functions
// that leave the numbers' range are left out, for simplifiers may change
// infinities and NaN.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/builders.h"
#include "passes/pass.h"
#include "passes/pipelines.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

class Generator {
 public:
  explicit Generator(int seed) : engine_(seed * 7919 + 13) {}

  std::unique_ptr<Module> Make(int size) {
    auto module = std::make_unique<Module>("random");
    auto owned = Computation::Create(module.get(), "e");
    module_ = module.get();
    entry_ = module->AddEntryComputation(std::move(owned));
    values_.clear();
    int64_t number = 0;
    for (PrimitiveType type : {kF32, kS32, kU32, kPred}) {
      values_.push_back(entry_->AddParameter(
          number++, Shape::ArrayWithDescendingLayout(type, {2, 3})));
      values_.push_back(
          entry_->AddParameter(number++, Shape::Scalar(type)));
    }
    Builder b(entry_);
    for (int k = 0; k < size; ++k) Step(b);
    std::vector<Instruction*> results;
    for (int k = 0; k < 4; ++k) {
      results.push_back(values_[values_.size() - 1 - k * 3]);
    }
    entry_->set_root(b.Tuple(results));
    module->SetEntryLayoutFromEntry();
    return module;
  }

 private:
  int Draw(int n) { return static_cast<int>(engine_() % n); }
  Instruction* Any() { return values_[Draw(values_.size())]; }
  // A value of the same type and dimensions, perhaps a constant.
  Instruction* Like(Builder& b, Instruction* x) {
    if (Draw(3) == 0) {
      static constexpr double kNumbers[] = {0, 1, -1, 2, 4, 0.5};
      const double number = kNumbers[Draw(6)];
      const PrimitiveType type = x->shape().element_type();
      if (type == kPred) return b.FullInt(x->shape(), Draw(2));
      if (type == kU32) return b.FullInt(x->shape(), Draw(5));
      if (type == kS32) return b.FullInt(x->shape(), Draw(5) - 1);
      return b.Full(x->shape(), number);
    }
    std::vector<Instruction*> same;
    for (Instruction* y : values_) {
      if (ShapesCompatible(x->shape(), y->shape())) same.push_back(y);
    }
    return same[Draw(same.size())];
  }

  void Step(Builder& b) {
    Instruction* x = Any();
    const int choice = Draw(10);
    Instruction* made = choice < 5   ? Elementwise(b, x)
                        : choice < 9 ? Move(b, x)
                                     : Combine(b, x);
    if (made != nullptr && ElementsIn(made->shape()) <= 64 &&
        made->shape().rank() <= 3) {
      values_.push_back(made);
    }
  }

  Instruction* Elementwise(Builder& b, Instruction* x) {
    const PrimitiveType type = x->shape().element_type();
    if (Draw(6) == 0 && type != kPred) {
      return b.Compare(static_cast<ComparisonDirection>(Draw(6)), x,
                       Like(b, x));
    }
    if (Draw(6) == 0) {
      Shape pred = x->shape();
      pred.set_element_type(kPred);
      Instruction* p = b.FullInt(pred, Draw(2));
      for (Instruction* y : values_) {
        if (ShapesCompatible(y->shape(), pred) && Draw(2) == 0) p = y;
      }
      return b.Select(p, x, Like(b, x));
    }
    if (type == kPred) {
      static constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr,
                                          Opcode::kXor};
      return Draw(3) == 0 ? b.Unary(Opcode::kNot, x)
                          : b.Binary(kLogic[Draw(3)], x, Like(b, x));
    }
    if (type == kF32) {
      static constexpr Opcode kUnary[] = {Opcode::kNegate, Opcode::kAbs,
                                          Opcode::kTanh, Opcode::kSine,
                                          Opcode::kFloor};
      static constexpr Opcode kBinary[] = {Opcode::kAdd, Opcode::kSubtract,
                                           Opcode::kMaximum, Opcode::kMinimum};
      if (Draw(3) == 0) return b.Unary(kUnary[Draw(5)], x);
      if (Draw(4) == 0) {
        return b.Multiply(b.Unary(Opcode::kTanh, x), Like(b, x));
      }
      if (Draw(4) == 0) return b.Divide(x, b.Full(x->shape(), 4));
      return b.Binary(kBinary[Draw(4)], x, Like(b, x));
    }
    static constexpr Opcode kInteger[] = {
        Opcode::kAdd,       Opcode::kSubtract, Opcode::kMultiply,
        Opcode::kMaximum,   Opcode::kMinimum,  Opcode::kAnd,
        Opcode::kOr,        Opcode::kXor,      Opcode::kDivide,
        Opcode::kRemainder, Opcode::kShiftLeft, Opcode::kShiftRightLogical};
    if (Draw(5) == 0) return b.Unary(Opcode::kNegate, x);
    return b.Binary(kInteger[Draw(12)], x, Like(b, x));
  }

  Instruction* Move(Builder& b, Instruction* x) {
    const auto sizes = x->shape().dimensions();
    const int64_t rank = sizes.size();
    switch (Draw(8)) {
      case 0:
        return b.Reshape(x, {ElementsIn(x->shape())});
      case 1: {
        Int64List more(sizes.begin(), sizes.end());
        more.insert(more.begin() + Draw(rank + 1), 1);
        return b.Reshape(x, more);
      }
      case 2: {
        if (rank < 2) return nullptr;
        Int64List order;
        for (int64_t d = rank; d-- > 0;) order.push_back(d);
        return b.Transpose(x, order);
      }
      case 3: {
        Int64List more(sizes.begin(), sizes.end()), dims;
        const int64_t at = Draw(rank + 1);
        more.insert(more.begin() + at, 1 + Draw(3));
        for (int64_t d = 0; d < rank; ++d) dims.push_back(d + (d >= at));
        return b.Broadcast(x, dims, more);
      }
      case 4: {
        SliceRanges ranges;
        for (int64_t size : sizes) {
          const int64_t start = Draw(size);
          ranges.push_back({start, start + 1 + Draw(size - start), 1});
        }
        return b.Slice(x, std::move(ranges));
      }
      case 5: {
        PaddingConfig padding;
        for (int64_t d = 0; d < rank; ++d) {
          padding.dimensions.push_back({Draw(2), Draw(2), 0});
        }
        Shape scalar = Shape::Scalar(x->shape().element_type());
        return b.Pad(x, b.FullInt(scalar, Draw(2)), std::move(padding));
      }
      case 6:
        return rank == 0 ? nullptr : b.Reverse(x, {Draw(rank)});
      default:
        return rank == 0 ? nullptr
                         : b.Concatenate({x, Like(b, x)}, Draw(rank));
    }
  }

  Instruction* Combine(Builder& b, Instruction* x) {
    const PrimitiveType type = x->shape().element_type();
    const int64_t rank = x->shape().rank();
    if (rank == 0) return nullptr;
    if (rank == 2 && type == kF32 && Draw(2) == 0) {
      Instruction* y = b.Transpose(Like(b, x), {1, 0});
      return b.Unary(Opcode::kTanh,
                     b.Dot(x, y, {{}, {}, {1}, {0}}, type));
    }
    const Opcode opcode = type == kPred ? Opcode::kOr
                          : Draw(2) == 0 ? Opcode::kAdd
                                         : Opcode::kMaximum;
    Instruction* init = b.FullInt(Shape::Scalar(type), 0);
    return b.Reduce(x, init, {Draw(rank)},
                    ScalarBinaryComputation(module_, opcode, type));
  }

  std::minstd_rand engine_;
  Module* module_ = nullptr;
  Computation* entry_ = nullptr;
  std::vector<Instruction*> values_;
};

// "" or what is wrong after `run`.
template <typename Run>
std::string Fault(const Module& before, Run run) {
  auto module = before.Clone();
  const absl::Status status = run(module.get());
  if (!status.ok()) return absl::StrCat(status.message());
  const absl::Status verified = VerifyModule(*module);
  if (!verified.ok()) return absl::StrCat(verified.message());
  const auto arguments = FakeArguments(before, 3);
  const auto expected = ExecuteModule(before, arguments);
  const auto actual = ExecuteModule(*module, arguments);
  if (!expected.ok()) return absl::StrCat(expected.status().message());
  if (!actual.ok()) return absl::StrCat(actual.status().message());
  return ValueDifference(*expected, *actual, 1e-4);
}

TEST(RandomModulesTest, EveryPassKeepsValues) {
  UseInterpreterForConstants();
  for (int seed = 0; seed < 60; ++seed) {
    auto module = Generator(seed).Make(40);
    ASSERT_TRUE(VerifyModule(*module).ok()) << VerifyModule(*module);
    for (const PassInfo& info : AllPasses()) {
      EXPECT_EQ(Fault(*module,
                      [&](Module* m) { return info.create()->Run(m).status(); }),
                "")
          << info.name << " " << seed << "\n"
          << ToString(*module);
      if (HasFailure()) return;
    }
  }
}

// Arrays of the entry's layout in a random order of dimensions.
Shape ShuffledLayouts(const Shape& shape, std::minstd_rand* engine) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(ShuffledLayouts(element, engine));
    }
    return Shape::Tuple(std::move(elements));
  }
  Layout layout = Layout::Descending(shape.rank());
  std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(),
               *engine);
  Shape result = shape;
  result.set_layout(std::move(layout));
  return result;
}

void ShuffleEntryLayout(Module* module, int seed) {
  std::minstd_rand engine(seed * 31 + 7);
  for (Shape& parameter : module->entry_layout->parameters) {
    parameter = ShuffledLayouts(parameter, &engine);
  }
  module->entry_layout->result =
      ShuffledLayouts(module->entry_layout->result, &engine);
  for (Instruction* p : module->entry()->parameters()) {
    p->set_shape(module->entry_layout->parameters[p->parameter_number()]);
  }
}

absl::Status AssignLayoutsTwice(Module* module) {
  const auto pass = CreatePass("layout-assignment").value();
  const absl::Status status = RunGuarded(pass.get(), module).status();
  if (!status.ok()) return status;
  if (module->entry()->root()->shape() != module->entry_layout->result) {
    return absl::InternalError("the result is laid out otherwise");
  }
  const auto again = RunGuarded(pass.get(), module);
  if (again.ok() && *again) return absl::InternalError("changes it once more");
  return again.status();
}

TEST(RandomModulesTest, LayoutsMayBeAny) {
  UseInterpreterForConstants();
  for (int seed = 300; seed < 700; ++seed) {
    auto module = Generator(seed).Make(40);
    ShuffleEntryLayout(module.get(), seed);
    EXPECT_EQ(Fault(*module, AssignLayoutsTwice), "")
        << seed << "\n"
        << ToString(*module);
    EXPECT_EQ(Fault(*module,
                    [&](Module* m) -> absl::Status {
                      for (auto& pipeline : CpuPipelines()) {
                        const auto changed = pipeline->Run(m);
                        if (!changed.ok()) return changed.status();
                      }
                      return absl::OkStatus();
                    }),
              "")
        << seed << "\n"
        << ToString(*module);
    if (HasFailure()) return;
  }
}

TEST(RandomModulesTest, ThePipelineKeepsValuesAndHasAFixedPoint) {
  UseInterpreterForConstants();
  for (int seed = 100; seed < 300; ++seed) {
    auto module = Generator(seed).Make(60);
    EXPECT_EQ(Fault(*module,
                    [&](Module* m) -> absl::Status {
                      HonestyChecks checks;
                      checks.fixed_point_limit = true;
                      for (auto& pipeline : CpuPipelines()) {
                        pipeline->set_honesty_checks(checks);
                        const auto changed = pipeline->Run(m);
                        if (!changed.ok()) return changed.status();
                      }
                      return absl::OkStatus();
                    }),
              "")
        << seed << "\n"
        << ToString(*module);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace hlokit
