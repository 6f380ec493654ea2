#include "backends/cpu/kernels/kernel_test_util.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/interpreter/evaluator.h"
#include "backends/interpreter/scalar_function.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"
#include "hlo/parse/parser.h"

namespace hlokit::cpu {
namespace {

// Memory as the compiler would give it: aligned, and exactly so long.
class TestBuffer {
 public:
  explicit TestBuffer(int64_t bytes)
      : bytes_(bytes),
        data_(static_cast<char*>(
            std::aligned_alloc(64, (bytes + 127) / 64 * 64))) {
    std::memset(data_, 0xa5, (bytes + 127) / 64 * 64);
  }
  TestBuffer(TestBuffer&& other)
      : bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
  ~TestBuffer() { std::free(data_); }
  char* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  // Whether nobody wrote behind the end.
  bool Intact() const {
    for (int64_t i = bytes_; i < (bytes_ + 127) / 64 * 64; ++i) {
      if (data_[i] != static_cast<char>(0xa5)) return false;
    }
    return true;
  }

 private:
  int64_t bytes_;
  char* data_;
};

void Leaves(const Literal& value, std::vector<Literal>* leaves) {
  if (value.shape().IsTuple()) {
    for (const Literal& element : value.elements()) Leaves(element, leaves);
  } else if (value.shape().IsArray()) {
    leaves->push_back(value);
  }
}

// Element functions as the interpreter runs them. The one call at a time that
// `call` (a plain function) can see is chosen by number.
class TestEnvironment : public KernelEnvironment {
 public:
  explicit TestEnvironment(Isa isa) : isa_(isa) {}
  Isa isa() const override { return isa_; }
  const ElementFunction* Compile(const Computation& computation) override {
    const int slot = NextSlot();
    if (slot < 0) return nullptr;
    auto context = std::make_unique<interpreter::Context>(ExecuteOptions());
    auto function =
        interpreter::ScalarFunction::Create(*context, computation);
    if (!function.ok()) return nullptr;
    Slot& s = slots()[slot];
    s.context = std::move(context);
    s.function = *std::move(function);
    s.arguments.clear();
    s.results.clear();
    for (const Instruction* p : computation.parameters()) {
      s.arguments.push_back(StorageBytes(p->shape().element_type()));
    }
    ForEachLeaf(computation.root()->shape(),
                [&](const Shape& shape, const ShapeIndex&) {
                  s.results.push_back(StorageBytes(shape.element_type()));
                });
    functions_.push_back(std::make_unique<ElementFunction>());
    functions_.back()->call = kCalls[slot];
    return functions_.back().get();
  }

 private:
  struct Slot {
    std::unique_ptr<interpreter::Context> context;
    std::unique_ptr<interpreter::ScalarFunction> function;
    std::vector<int> arguments, results;
    std::mutex mutex;
  };
  static constexpr int kSlots = 4;
  static Slot* slots() {
    static Slot* all = new Slot[kSlots];
    return all;
  }
  int NextSlot() { return next_ < kSlots ? next_++ : -1; }

  template <int kSlot>
  static void Call(const void* const* arguments, void* const* results) {
    Slot& s = slots()[kSlot];
    std::lock_guard<std::mutex> lock(s.mutex);
    std::vector<interpreter::ScalarValue> in(s.arguments.size());
    std::vector<interpreter::ScalarValue> out(s.results.size());
    for (size_t i = 0; i < in.size(); ++i) {
      std::memcpy(in[i].bytes, arguments[i], s.arguments[i]);
    }
    HLOKIT_CHECK(s.function->Call(in, absl::MakeSpan(out)).ok());
    for (size_t i = 0; i < out.size(); ++i) {
      std::memcpy(results[i], out[i].bytes, s.results[i]);
    }
  }
  using Function = void (*)(const void* const*, void* const*);
  static constexpr Function kCalls[kSlots] = {&Call<0>, &Call<1>, &Call<2>,
                                              &Call<3>};

  int next_ = 0;
  std::vector<std::unique_ptr<ElementFunction>> functions_;
  const Isa isa_;
};

double Epsilon(PrimitiveType type) {
  const int bits = SignificandBits(ComponentType(type));
  return bits == 0 ? 0 : std::ldexp(1.0, 1 - bits);
}

bool Near(double got, double want, double limit) {
  if (std::isnan(got) || std::isnan(want)) {
    return std::isnan(got) && std::isnan(want);
  }
  return got == want || std::abs(got - want) <= limit;
}

absl::Status Compare(const Literal& got, const Literal& want,
                     const KernelTestOptions& options, absl::string_view what) {
  const PrimitiveType type = want.element_type();
  const double limit = options.tolerance * Epsilon(type) * options.scale;
  for (int64_t i = 0; i < want.element_count(); ++i) {
    double g[2] = {}, w[2] = {};
    if (type == kC64) {
      const auto a = got.data<std::complex<float>>()[i];
      const auto b = want.data<std::complex<float>>()[i];
      g[0] = a.real(), g[1] = a.imag(), w[0] = b.real(), w[1] = b.imag();
    } else if (type == kC128) {
      const auto a = got.data<std::complex<double>>()[i];
      const auto b = want.data<std::complex<double>>()[i];
      g[0] = a.real(), g[1] = a.imag(), w[0] = b.real(), w[1] = b.imag();
    } else if (IsFloatType(type)) {
      g[0] = got.GetAsDouble(i), w[0] = want.GetAsDouble(i);
    } else if (got.GetAsInt64(i) != want.GetAsInt64(i)) {
      return Internal("%s: element %d is %d, not %d", what, i,
                      got.GetAsInt64(i), want.GetAsInt64(i));
    }
    // A complex number is none if one of its parts is.
    if (IsComplexType(type) && (std::isnan(g[0]) || std::isnan(g[1])) &&
        (std::isnan(w[0]) || std::isnan(w[1]))) {
      continue;
    }
    if (!Near(g[0], w[0], limit) || !Near(g[1], w[1], limit)) {
      return Internal("%s: element %d is %g + %g i, not %g + %g i", what, i,
                      g[0], g[1], w[0], w[1]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

Literal RandomLiteral(const Shape& shape, uint64_t seed, bool special_values,
                      bool few_values) {
  std::mt19937_64 random(seed);
  Literal result = Literal::Zeros(shape);
  if (!shape.IsArray()) return result;
  const PrimitiveType type = shape.element_type();
  DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& element : result.mutable_data<T>()) {
      const uint64_t bits = random();
      const double uniform =
          std::ldexp(static_cast<double>(bits >> 12), -51) - 1;
      const double small = static_cast<double>(bits % 7) - 3;
      if constexpr (kIsComplex<T>) {
        using Part = typename T::value_type;
        const double other =
            std::ldexp(static_cast<double>(random() >> 12), -51) - 1;
        element = T(static_cast<Part>(uniform), static_cast<Part>(other));
      } else if constexpr (kIsFloat<T>) {
        double value = few_values ? small : uniform;
        if (special_values && bits % 5 == 0) {
          const double kinds[] = {std::nan(""), -std::nan(""), INFINITY,
                                  -INFINITY, 0.0, -0.0};
          value = kinds[random() % 6];
        }
        element = static_cast<T>(value);
      } else if constexpr (kIsPred<T>) {
        element = bits % 2 != 0;
      } else {
        element = few_values ? static_cast<T>(static_cast<int>(small))
                             : static_cast<T>(static_cast<int64_t>(bits));
      }
    }
  });
  return result;
}

absl::Status CheckKernel(absl::string_view text,
                         const KernelTestOptions& options) {
  const std::string whole = absl::StrContains(text, "HloModule")
                                ? std::string(text)
                                : absl::StrCat("HloModule test\n", text);
  HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseModule(whole));
  const Computation& entry = *module->entry();
  std::vector<Literal> arguments = options.arguments;
  for (int64_t i = arguments.size(); i < entry.parameter_count(); ++i) {
    arguments.push_back(RandomLiteral(entry.parameter(i)->shape(),
                                      options.seed * 1000 + i,
                                      options.special_values,
                                      options.few_values));
  }
  HLOKIT_ASSIGN_OR_RETURN(ExecutionResult expected,
                          interpreter::Evaluate(*module, arguments));
  std::vector<Literal> wanted;
  Leaves(expected.value, &wanted);

  const Instruction& root = *entry.root();
  const KernelFactory factory = NativeKernelOf(root.opcode());
  if (factory == nullptr) return NotFound("no factory");
  TestEnvironment environment(options.isa.value_or(HostIsa()));
  const std::unique_ptr<NativeKernel> kernel = factory(root, environment);
  if (kernel == nullptr) return NotFound("no kernel");

  std::vector<std::vector<std::string>> runs;
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::vector<TestBuffer> inputs, outputs;
    std::vector<const void*> operands;
    for (const Instruction* operand : root.operands()) {
      Literal value;
      if (operand->opcode() == Opcode::kParameter) {
        value = arguments[operand->parameter_number()];
      } else if (operand->opcode() == Opcode::kConstant) {
        value = *operand->literal();
      } else {
        return InvalidArgument("operands must be parameters or constants");
      }
      inputs.emplace_back(value.size_bytes());
      RowMajorToLayout(operand->shape(), value.untyped_data(),
                       inputs.back().data());
      operands.push_back(inputs.back().data());
    }
    std::vector<Shape> shapes;
    ForEachLeaf(root.shape(), [&](const Shape& shape, const ShapeIndex&) {
      shapes.push_back(shape);
    });
    std::vector<void*> results;
    for (size_t i = 0; i < shapes.size(); ++i) {
      outputs.emplace_back(ElementsIn(shapes[i]) *
                           StorageBytes(shapes[i].element_type()));
      const bool shares = options.in_place && i < inputs.size();
      results.push_back(shares ? inputs[i].data() : outputs.back().data());
    }
    HLOKIT_RETURN_IF_ERROR(kernel->Run(operands, results, {&pool}));
    runs.emplace_back();
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (!outputs[i].Intact()) return Internal("wrote behind result %d", i);
      runs.back().emplace_back(static_cast<const char*>(results[i]),
                               outputs[i].bytes());
      Literal got = Literal::Zeros(
          Shape::ArrayWithDescendingLayout(shapes[i].element_type(),
                                           shapes[i].dimensions()));
      LayoutToRowMajor(shapes[i], static_cast<const char*>(results[i]),
                       got.mutable_untyped_data());
      HLOKIT_RETURN_IF_ERROR(
          Compare(got, wanted[i], options,
                  absl::StrCat(threads, " threads, result ", i)));
    }
  }
  if (runs[0] != runs[1]) {
    return Internal("one thread and three give different bits");
  }
  return absl::OkStatus();
}

}  // namespace hlokit::cpu
