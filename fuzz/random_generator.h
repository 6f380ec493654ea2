// The generator behind random_module.h: what its parts have in common.
#ifndef HLOKIT_FUZZ_RANDOM_GENERATOR_H_
#define HLOKIT_FUZZ_RANDOM_GENERATOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "fuzz/random_module.h"
#include "hlo/ir/instruction.h"
#include "passes/builders.h"

namespace hlokit {

// An array of the module and what is known of its elements.
struct RandomValue {
  Instruction* at = nullptr;
  // Magnitude at most, of complex numbers that of each part. Says nothing about
  // integers, infinities and NaN.
  double bound = 0;
  // Two backends may differ by so much. 0: by nothing but the sign of zeros.
  double error = 0;
  bool integral = false;     // whole numbers only
  bool special = false;      // there may be infinities and NaN
  bool raw = false;          // any bits: may only be moved
  bool known_signs = false;  // zeros and NaN have the same sign everywhere

  PrimitiveType type() const { return at->shape().element_type(); }
  absl::Span<const int64_t> dims() const { return at->shape().dimensions(); }
  int64_t rank() const { return at->shape().rank(); }
  int64_t elements() const { return ElementsIn(at->shape()); }
  // Comparisons and the like may look at it.
  bool exact() const { return error == 0 && !raw; }
  // Sums and products of it mean something.
  bool tame() const { return !raw && !special; }
};

// Largest number of a float type up to which values may grow.
double LimitOf(PrimitiveType type);
// By how much the result of one operation of magnitude `bound` may differ.
double RoundingOf(PrimitiveType type, double bound);

class RandomGenerator {
 public:
  RandomGenerator(uint64_t seed, const RandomModuleOptions& options)
      : options_(options), engine_(seed * 0x9E3779B97F4A7C15u + 1) {}
  RandomModule Make();

 private:
  using Made = std::optional<RandomValue>;
  using Filter = absl::FunctionRef<bool(const RandomValue&)>;
  // A computation that is being written.
  struct Scope {
    Computation* computation;
    std::vector<RandomValue> values;
    bool is_entry = false;
    bool in_fusion = false;
    int depth = 0;
  };
  enum Where { kAnywhere, kRarelyFused, kNotFused };
  struct Step {
    int weight;
    Made (RandomGenerator::*make)();
    Where where;
  };
  // A computation that is called: with a parameter an argument, or one for all;
  // a fusion's; on single elements of the arguments.
  enum NestedKind { kPlain, kOfTuple, kFused, kScalars };
  static const std::vector<Step>& Steps();

  // Random numbers.
  int64_t Draw(int64_t n) { return static_cast<int64_t>(engine_() % n); }
  bool Chance(int percent) { return Draw(100) < percent; }
  template <typename T>
  const T& OneOf(const std::vector<T>& list) {
    return list[Draw(list.size())];
  }
  Int64List Permutation(int64_t n);
  // Random dimensions of one array.
  Int64List Dims(int64_t max_rank = 5);
  int64_t Size();
  PrimitiveType Type();
  // The same elements in other dimensions.
  Int64List Reshaped(absl::Span<const int64_t> dims);
  bool Acceptable(absl::Span<const int64_t> dims) const;
  Layout RandomLayout(int64_t rank);

  // Values.
  Builder b() { return Builder(scope_->computation); }
  // A value of the scope for which `filter` holds; made when there is none.
  Made Any(Filter filter);
  Made Any() {
    return Any([](const RandomValue&) { return true; });
  }
  // A value of this type and these dimensions.
  RandomValue Get(PrimitiveType type, absl::Span<const int64_t> dims,
                  Filter filter);
  RandomValue Get(PrimitiveType type, absl::Span<const int64_t> dims) {
    return Get(type, dims, [](const RandomValue&) { return true; });
  }
  // New ones; always finite and exact, unless `special`.
  RandomValue Source(PrimitiveType type, absl::Span<const int64_t> dims,
                     bool special = false);
  RandomValue AnySource() {
    const PrimitiveType type = Type();
    return Source(type, Dims());
  }
  RandomValue Scalar(PrimitiveType type, double number);
  RandomValue Number(PrimitiveType type, absl::Span<const int64_t> dims,
                     double number);
  Literal Elements(PrimitiveType type, absl::Span<const int64_t> dims,
                   bool special, RandomValue* about);
  RandomValue StartIndex();
  // Start indices of one type for each dimension of `x`, and sizes of a window
  // in it.
  void DynamicWindow(const RandomValue& x, std::vector<Instruction*>* starts,
              Int64List* sizes);

  // Results of operations. `at` is made of them.
  static RandomValue Moved(const RandomValue& x, Instruction* at);
  static RandomValue Merged(const RandomValue& x, const RandomValue& y,
                            Instruction* at);
  static RandomValue Exact(Instruction* at, double bound = 0);
  // Of arithmetic on floats; nothing when it may leave the range of `type`.
  // Tell before the instruction is added.
  static bool Fits(PrimitiveType type, double bound) {
    return !IsFloatType(type) && !IsComplexType(type)
               ? true
               : bound <= LimitOf(type);
  }
  static RandomValue Rounded(Instruction* at, double bound, double error,
                             bool integral);
  RandomValue Clamped(const RandomValue& x, double bound);
  // Joins the scope, perhaps in another layout or clamped.
  void Keep(RandomValue value);
  void RunSteps(int count);
  void TakeStep();

  // random_elementwise.cc
  Made Unary();
  Made FloatUnary(const RandomValue& x);
  Made Binary();
  Made FloatBinary(const RandomValue& x);
  Made ComplexStep();
  Made Compare();
  Made Select();
  Made ClampStep();
  Made Convert();
  Made BitcastConvert();
  RandomValue AbsPlusOne(const RandomValue& x);

  // random_movement.cc
  Made Broadcast();
  Made Reshape();
  Made Bitcast();
  Made Transpose();
  Made Slice();
  Made Reverse();
  Made Concatenate();
  Made Pad();
  Made Copy();
  Made NewSource();
  Made DynamicSlice();
  Made DynamicUpdateSlice();
  Made Gather();
  Made Scatter();

  // random_reduction.cc
  struct Reducer {
    Opcode opcode;
    double bound;
    double error;
    bool integral;
  };
  // How `count` elements of x become one.
  std::optional<Reducer> ReducerFor(const RandomValue& x, int64_t count);
  Computation* Combiner(Opcode opcode, PrimitiveType type);
  RandomValue InitFor(const RandomValue& x, Opcode opcode);
  RandomValue Reduced(const RandomValue& x, const Reducer& reducer,
                      Instruction* at);
  Made Reduce();
  Made ArgReduce();
  Made ReduceWindow();
  Made Sort();
  Made Dot();
  Made Convolution();

  // random_control.cc
  Made Fusion();
  Made Call();
  Made Map();
  Made Conditional();
  Made While();
  // Runs `body` in a new computation that takes `arguments`.
  Computation* Nested(absl::string_view name,
                      absl::Span<const RandomValue> arguments, NestedKind kind,
                      absl::FunctionRef<void(Scope&)> body);
  // Makes one or several values that have no users yet the root.
  std::vector<RandomValue> ChooseRoot(Scope& scope, int tuple_percent);
  // The values of an instruction that calls a computation.
  Made Results(Instruction* at, absl::Span<const RandomValue> roots);
  RandomValue RowMajor(const RandomValue& x);
  static void RemoveDead(Computation* computation);
  std::vector<RandomValue> Arguments(int count);

  RandomModuleOptions options_;
  std::mt19937_64 engine_;
  Module* module_ = nullptr;
  Scope* scope_ = nullptr;
  std::vector<Literal> arguments_;
  std::map<std::pair<Opcode, PrimitiveType>, Computation*> combiners_;
};

}  // namespace hlokit

#endif  // HLOKIT_FUZZ_RANDOM_GENERATOR_H_
