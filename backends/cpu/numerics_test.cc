// Special values and small floating-point types: the CPU backend against the
// interpreter, bit for bit, with each instruction set that the processor has
// and at each optimisation level; and both against the rules of
// docs/numerics.md.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/native_types.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/verifier.h"

namespace hlokit {
namespace {

struct Setting {
  std::string isa;
  int level = 3;
};

// Every instruction set of the processor that changes generated code, at the
// usual level; and the other levels with what the processor has.
std::vector<Setting> Settings() {
  std::vector<Setting> settings;
  for (const char* name : {"SSE4_2", "AVX", "AVX2", "AVX512", "AVX512_BF16"}) {
    if (*cpu::IsaOf(name) <= cpu::HostIsa()) {
      settings.push_back({name, 3});
    }
  }
  for (int level : {3, 0, 1}) settings.push_back({"", level});
  return settings;
}

std::unique_ptr<Executable> Compiled(Backend* backend, const std::string& text,
                                     const Setting& setting = {}) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return nullptr;
  EXPECT_EQ(VerifyModule(**module), absl::OkStatus()) << text;
  CompileOptions options;
  // Rewrites change values; what is asked here is the code that is generated.
  options.run_passes = false;
  options.max_isa = setting.isa;
  options.optimization_level = setting.level;
  auto executable = backend->Compile(*std::move(module), options);
  EXPECT_TRUE(executable.ok()) << executable.status() << "\n" << text;
  return executable.ok() ? *std::move(executable) : nullptr;
}

// The parts of the resulting tuple; none after a failure.
std::vector<Literal> Results(Executable* executable,
                             absl::Span<const Literal> arguments,
                             bool flush_denormals) {
  if (executable == nullptr) return {};
  ExecuteOptions options;
  options.flush_denormals = flush_denormals;
  auto result = executable->Execute(arguments, options);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  return std::vector<Literal>(result->value.elements().begin(),
                              result->value.elements().end());
}

// --- Modules of one fusion for each expression. ---

// A computation over x, y and z; its last line is r. $T is the type under
// test, $S a shape of it, $P the same of pred, $N the dimensions alone.
struct Expression {
  std::string body;
  std::string result = "$T";
  int64_t slack = 0;  // how many representable values the results may differ
};

// One fusion for each expression, so that LLVM sees all of it at once.
std::string FusionsOf(const std::vector<Expression>& expressions,
                      absl::string_view type, int64_t count) {
  const std::string dimensions = absl::StrCat("[", count, "]");
  const std::string shape = absl::StrCat(type, dimensions);
  std::string text =
      "HloModule m\n"
      "max { a = $T[] parameter(0) b = $T[] parameter(1) "
      "ROOT r = $T[] maximum(a, b) }\n"
      "min { a = $T[] parameter(0) b = $T[] parameter(1) "
      "ROOT r = $T[] minimum(a, b) }\n";
  std::string entry =
      "ENTRY e {\nx = $S parameter(0)\ny = $S parameter(1)\n"
      "z = $S parameter(2)\n";
  std::vector<std::string> shapes, names;
  for (size_t k = 0; k < expressions.size(); ++k) {
    absl::StrAppend(&text, "body.", k,
                    " { x = $S parameter(0) y = $S parameter(1) z = $S "
                    "parameter(2)\n",
                    expressions[k].body, " }\n");
    shapes.push_back(absl::StrContains(expressions[k].result, "[")
                         ? expressions[k].result
                         : absl::StrCat(expressions[k].result, "$N"));
    names.push_back(absl::StrCat("r", k));
    absl::StrAppend(&entry, names.back(), " = ", shapes.back(),
                    " fusion(x, y, z), kind=kLoop, calls=body.", k, "\n");
  }
  absl::StrAppend(&text, entry, "ROOT t = (", absl::StrJoin(shapes, ", "),
                  ") tuple(", absl::StrJoin(names, ", "), ")\n}\n");
  return absl::StrReplaceAll(text, {{"$S", shape},
                                    {"$T", type},
                                    {"$P", absl::StrCat("pred", dimensions)},
                                    {"$N", dimensions}});
}

uint64_t BitsAt(const Literal& literal, int64_t k) {
  uint64_t bits = 0;
  const int64_t width = StorageBytes(literal.element_type());
  std::memcpy(&bits, literal.untyped_data() + k * width, width);
  return bits;
}

// How many representable values lie between; any NaN is any other.
uint64_t Distance(const Literal& a, const Literal& b, int64_t k) {
  const PrimitiveType type = a.element_type();
  const uint64_t x = BitsAt(a, k), y = BitsAt(b, k);
  if (x == y || !IsFloatType(type)) return x == y ? 0 : ~uint64_t{0};
  const double v = a.GetAsDouble(k), w = b.GetAsDouble(k);
  if (std::isnan(v) && std::isnan(w)) return 0;
  if (std::isnan(v) || std::isnan(w) || std::signbit(v) != std::signbit(w)) {
    return ~uint64_t{0};
  }
  return x > y ? x - y : y - x;
}

void ExpectSame(const Literal& got, const Literal& want, uint64_t slack,
                const std::string& what) {
  ASSERT_EQ(got.element_type(), want.element_type()) << what;
  ASSERT_EQ(got.element_count(), want.element_count()) << what;
  for (int64_t k = 0; k < want.element_count(); ++k) {
    ASSERT_LE(Distance(got, want, k), slack)
        << what << "\nelement " << k << ": got " << got.GetAsDouble(k)
        << ", want " << want.GetAsDouble(k);
  }
}

void ExpectSameAsInterpreter(const std::vector<Expression>& expressions,
                             absl::string_view type,
                             absl::Span<const Literal> arguments) {
  const std::string text =
      FusionsOf(expressions, type, arguments[0].element_count());
  const auto interpreter = Compiled(*BackendByName("interpreter"), text);
  const std::vector<Literal> want[] = {
      Results(interpreter.get(), arguments, false),
      Results(interpreter.get(), arguments, true)};
  ASSERT_EQ(want[0].size(), expressions.size());
  for (const Setting& setting : Settings()) {
    const auto compiled = Compiled(CpuBackend(), text, setting);
    for (const bool flush : {false, true}) {
      const std::vector<Literal> got =
          Results(compiled.get(), arguments, flush);
      ASSERT_EQ(got.size(), expressions.size());
      for (size_t k = 0; k < got.size(); ++k) {
        ExpectSame(got[k], want[flush][k], expressions[k].slack,
                   absl::StrCat(expressions[k].body, "\n", type, " at level ",
                                setting.level, " ", setting.isa,
                                flush ? "" : ", denormals kept"));
      }
    }
  }
}

// --- Values. ---

Literal OfBits(PrimitiveType type, const std::vector<uint64_t>& bits) {
  Literal literal = Literal::Zeros(Shape::ArrayWithDescendingLayout(
      type, {static_cast<int64_t>(bits.size())}));
  const int64_t width = StorageBytes(type);
  for (size_t k = 0; k < bits.size(); ++k) {
    std::memcpy(literal.mutable_untyped_data() + k * width, &bits[k], width);
  }
  return literal;
}

// Every value of a 16-bit type, and a few again behind the last full vector.
std::vector<uint64_t> AllOf16Bits() {
  std::vector<uint64_t> bits;
  for (int k = 0; k < 0x10000 + 7; ++k) bits.push_back(k * 0x7ff1 & 0xffff);
  return bits;
}

struct Format {
  PrimitiveType type;
  int exponent;
  int mantissa;
};
constexpr Format kFormats[] = {
    {kF16, 5, 10}, {kBF16, 8, 7}, {kF32, 8, 23}, {kF64, 11, 52}};

std::vector<uint64_t> SpecialBits(const Format& format) {
  const int m = format.mantissa;
  const uint64_t infinity = ((uint64_t{1} << format.exponent) - 1) << m;
  const uint64_t one = ((uint64_t{1} << (format.exponent - 1)) - 1) << m;
  const uint64_t half = one - (uint64_t{1} << m);
  const uint64_t quiet = uint64_t{1} << (m - 1);
  std::vector<uint64_t> bits;
  for (uint64_t x :
       {uint64_t{0}, uint64_t{1}, quiet | 3, (uint64_t{1} << m) - 1,
        uint64_t{1} << m, half, one, one | quiet, one + (uint64_t{1} << m),
        infinity - 1, infinity, infinity | quiet}) {
    bits.push_back(x);
    bits.push_back(x | uint64_t{1} << (format.exponent + m));
  }
  return bits;
}

// All pairs, or triples, of special values.
std::vector<Literal> Combinations(const Format& format, int arity) {
  std::vector<uint64_t> x, y, z;
  const std::vector<uint64_t> some = SpecialBits(format);
  for (uint64_t a : some) {
    for (uint64_t b : some) {
      for (uint64_t c : some) {
        x.push_back(a);
        y.push_back(b);
        z.push_back(c);
        if (arity < 3) break;
      }
    }
  }
  return {OfBits(format.type, x), OfBits(format.type, y),
          OfBits(format.type, z)};
}

std::string Name(PrimitiveType type) {
  return std::string(PrimitiveTypeName(type));
}

// --- The CPU backend against the interpreter. ---

TEST(Numerics, UnaryOperationsOnEveryValueOf16Bits) {
  std::vector<Expression> expressions;
  for (const char* op :
       {"abs", "ceil", "floor", "negate", "round-nearest-afz",
        "round-nearest-even", "sign", "sqrt", "rsqrt"}) {
    expressions.push_back({absl::StrCat("ROOT r = $S ", op, "(x)")});
  }
  // Computed within 4 units of f32's last place and rounded.
  for (const char* op :
       {"cbrt", "cosine", "erf", "exponential", "exponential-minus-one", "log",
        "log-plus-one", "logistic", "sine", "tan", "tanh"}) {
    expressions.push_back({absl::StrCat("ROOT r = $S ", op, "(x)"), "$T", 1});
  }
  expressions.push_back({"ROOT r = $P is-finite(x)", "pred"});
  for (const char* to :
       {"pred", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f16",
        "bf16", "f32", "f64", "f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e5m2fnuz"}) {
    expressions.push_back(
        {absl::StrCat("ROOT r = ", to, "$N convert(x)"), to});
  }
  for (const char* widths : {"5 10", "8 7", "4 3", "5 2", "8 23", "3 0"}) {
    const std::vector<std::string> w = absl::StrSplit(widths, ' ');
    expressions.push_back(
        {absl::StrCat("ROOT r = $S reduce-precision(x), exponent_bits=", w[0],
                      ", mantissa_bits=", w[1])});
  }
  for (PrimitiveType type : {kF16, kBF16}) {
    const Literal x = OfBits(type, AllOf16Bits());
    ExpectSameAsInterpreter(expressions, Name(type), {x, x, x});
  }
}

TEST(Numerics, BinaryOperationsOnPairsOfSpecialValues) {
  std::vector<Expression> expressions;
  for (const char* op : {"add", "subtract", "multiply", "divide", "maximum",
                         "minimum", "remainder"}) {
    expressions.push_back({absl::StrCat("ROOT r = $S ", op, "(x, y)")});
  }
  for (const char* op : {"power", "atan2"}) {
    expressions.push_back(
        {absl::StrCat("ROOT r = $S ", op, "(x, y)"), "$T", 4});
  }
  for (const char* way : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    for (const char* order : {"FLOAT", "TOTALORDER"}) {
      expressions.push_back(
          {absl::StrCat("ROOT r = $P compare(x, y), direction=", way,
                        ", type=", order),
           "pred"});
    }
  }
  for (const Format& format : kFormats) {
    ExpectSameAsInterpreter(expressions, Name(format.type),
                            Combinations(format, 2));
  }
}

TEST(Numerics, TernaryOperationsOnSpecialValues) {
  const std::vector<Expression> expressions = {
      {"ROOT r = $S clamp(x, y, z)"},
      {"c = $P compare(x, y), direction=LT\nROOT r = $S select(c, y, z)"},
      {"p = $S multiply(x, y)\nROOT r = $S add(p, z)"},
      {"p = $S maximum(x, y)\nROOT r = $S minimum(p, z)"},
  };
  for (const Format& format : kFormats) {
    ExpectSameAsInterpreter(expressions, Name(format.type),
                            Combinations(format, 3));
  }
}

// Chains that LLVM can compute in the narrow type.
std::vector<Expression> Chains() {
  std::vector<Expression> chains = {
      // relu, leaky relu, relu6, clip.
      {"c = $T[] constant(0)\nb = $S broadcast(c), dimensions={}\n"
       "ROOT r = $S maximum(x, b)"},
      {"c = $T[] constant(0)\nb = $S broadcast(c), dimensions={}\n"
       "a = $T[] constant(0.125)\ns = $S broadcast(a), dimensions={}\n"
       "p = $P compare(x, b), direction=GT\nm = $S multiply(x, s)\n"
       "ROOT r = $S select(p, x, m)"},
      {"c = $T[] constant(0)\nb = $S broadcast(c), dimensions={}\n"
       "a = $T[] constant(6)\ns = $S broadcast(a), dimensions={}\n"
       "ROOT r = $S clamp(b, x, s)"},
      {"n = $S negate(x)\na = $S abs(y)\nm = $S maximum(n, a)\n"
       "ROOT r = $S minimum(m, x)"},
      {"m = $S maximum(x, y)\nROOT r = bf16$N convert(m)", "bf16"},
      {"m = $S minimum(x, y)\nROOT r = f16$N convert(m)", "f16"},
      {"m = $S maximum(x, y)\nROOT r = s32$N convert(m)", "s32"},
      {"m = $S minimum(x, y)\nROOT r = u8$N convert(m)", "u8"},
      {"m = $S minimum(x, y)\nROOT r = f8e4m3fn$N convert(m)", "f8e4m3fn"},
      {"i = s32$N convert(x)\nROOT r = $S convert(i)"},
      {"s = $S sign(x)\na = $S abs(x)\nq = $S sqrt(a)\n"
       "ROOT r = $S multiply(s, q)"},
      {"p = $P compare(x, y), direction=GE\nROOT r = $S select(p, x, y)"},
  };
  // Widened by the program itself.
  for (const char* wide : {"f32", "f64"}) {
    for (const char* op :
         {"maximum(a, b)", "minimum(a, b)", "add(a, b)", "subtract(a, b)",
          "multiply(a, b)", "divide(a, b)", "remainder(a, b)", "abs(a)",
          "negate(a)", "sqrt(a)", "floor(a)", "round-nearest-even(a)",
          "sign(a)"}) {
      const std::string b =
          absl::StrContains(op, "b)")
              ? absl::StrCat("b = ", wide, "$N convert(y)\n")
              : "";
      chains.push_back({absl::StrCat("a = ", wide, "$N convert(x)\n", b,
                                     "o = ", wide, "$N ", op,
                                     "\nROOT r = $S convert(o)")});
    }
  }
  return chains;
}

TEST(Numerics, ChainsInSmallTypes) {
  for (const Format& format : kFormats) {
    if (StorageBytes(format.type) > 2) continue;
    ExpectSameAsInterpreter(Chains(), Name(format.type),
                            Combinations(format, 2));
  }
  // All values of the 8-bit types in pairs.
  std::vector<uint64_t> x, y;
  for (int k = 0; k < 0x10000 + 3; ++k) {
    x.push_back(k & 0xff);
    y.push_back(k >> 8 & 0xff);
  }
  for (PrimitiveType type : {kF8E4M3FN, kF8E5M2}) {
    const Literal a = OfBits(type, x), b = OfBits(type, y);
    ExpectSameAsInterpreter(Chains(), Name(type), {a, b, a});
  }
}

// NaNs are at every place of a window. Denormals are left out: a maximum of a
// window keeps them, one of two operands does not.
TEST(Numerics, MaximaAndMinimaOfWindowsKeepNaN) {
  constexpr int64_t kCount = 64 * 33;
  for (const Format& format : kFormats) {
    std::vector<uint64_t> bits;
    std::vector<uint64_t> some = SpecialBits(format);
    const uint64_t nan = some[some.size() - 2];
    some.erase(some.begin() + 2, some.begin() + 8);
    for (int64_t k = 0; k < kCount; ++k) {
      bits.push_back(k % 19 == 0 ? nan : some[k * 7 % (some.size() - 2)]);
    }
    std::vector<Expression> expressions;
    for (const char* word : {"max", "min"}) {
      const char* init = word[1] == 'a' ? "-inf" : "inf";
      const std::string start =
          absl::StrCat("m = $T[64,33] reshape(x)\ni = $T[] constant(", init,
                       ")\n");
      for (int dimension : {0, 1}) {
        const std::string result = dimension == 0 ? "$T[33]" : "$T[64]";
        expressions.push_back(
            {absl::StrCat(start, "ROOT r = ", result,
                          " reduce(m, i), dimensions={", dimension,
                          "}, to_apply=", word),
             result});
      }
      expressions.push_back(
          {absl::StrCat(start,
                        "ROOT r = $T[64,31] reduce-window(m, i), "
                        "window={size=1x3}, to_apply=",
                        word),
           "$T[64,31]"});
    }
    const Literal x = OfBits(format.type, bits);
    ExpectSameAsInterpreter(expressions, Name(format.type), {x, x, x});
  }
}

// LLVM must not see that halves are only widened for an operation: it then
// computes in half, which it compiles wrongly for some processors. That is
// looked for in its output, so that the test finds it on every processor.
// Operations on the sign bit are exact in any type.
bool ComputesInHalf(absl::string_view line) {
  if (!absl::StrContains(line, "half")) return false;
  if (absl::StrContains(line, "@llvm.")) {
    return absl::StrContains(line, "f16") &&
           absl::StrContains(line, " call ") &&
           !absl::StrContains(line, "@llvm.fabs.") &&
           !absl::StrContains(line, "@llvm.copysign.");
  }
  for (const char* op : {" fadd ", " fsub ", " fmul ", " fdiv ", " frem ",
                         " fcmp "}) {
    if (absl::StrContains(line, op)) return true;
  }
  return false;
}

TEST(Numerics, GeneratedCodeDoesNotComputeInHalf) {
  const std::string text = FusionsOf(Chains(), "f16", 1000);
  for (const Setting& setting : Settings()) {
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok());
    std::string ir;
    CompileOptions options;
    options.run_passes = false;
    options.max_isa = setting.isa;
    options.optimization_level = setting.level;
    options.artifact = [&](absl::string_view suffix,
                           absl::string_view contents) {
      if (absl::EndsWith(suffix, "ir-with-opt.ll")) {
        absl::StrAppend(&ir, contents);
      }
    };
    ASSERT_TRUE(CpuBackend()->Compile(*std::move(module), options).ok());
    ASSERT_FALSE(ir.empty());
    for (absl::string_view line : absl::StrSplit(ir, '\n')) {
      EXPECT_FALSE(ComputesInHalf(line)) << line;
    }
  }
}

// --- Both against the rules of docs/numerics.md. ---

// What an operation makes of a denormal operand while denormals count as zero.
enum class Rule {
  kKeeps,    // returns the operand, or moves its bits
  kFlushes,  // takes it for a zero of its sign
};

struct FunctionRule {
  const char* opcode;
  Rule rule;
  double (*function)(double x);
  Rule rule_of_double = rule;
};

double SignOf(double x) { return x == 0 ? x : std::copysign(1.0, x); }

const FunctionRule kFunctionRules[] = {
    {"abs", Rule::kKeeps, [](double x) { return std::fabs(x); }},
    {"negate", Rule::kKeeps, [](double x) { return -x; }},
    {"copy", Rule::kKeeps, [](double x) { return x; }},
    {"exponential-minus-one", Rule::kKeeps, [](double x) { return x; }},
    {"sine", Rule::kKeeps, [](double x) { return x; }},
    {"tan", Rule::kKeeps, [](double x) { return x; }},
    {"tanh", Rule::kKeeps, [](double x) { return x; }, Rule::kFlushes},
    {"log", Rule::kFlushes, [](double x) { return std::log(x); }},
    {"asin", Rule::kFlushes, [](double x) { return x; }},
    {"asinh", Rule::kFlushes, [](double x) { return x; }},
    {"atanh", Rule::kFlushes, [](double x) { return x; }},
    {"cbrt", Rule::kFlushes, [](double x) { return std::cbrt(x); }},
    {"ceil", Rule::kFlushes, [](double x) { return std::ceil(x); }},
    {"cosine", Rule::kFlushes, [](double x) { return std::cos(x); }},
    {"erf", Rule::kFlushes, [](double x) { return std::erf(x); }},
    {"exponential", Rule::kFlushes, [](double x) { return std::exp(x); }},
    {"floor", Rule::kFlushes, [](double x) { return std::floor(x); }},
    {"log-plus-one", Rule::kFlushes, [](double x) { return x; }},
    {"logistic", Rule::kFlushes, [](double) { return 0.5; }},
    {"round-nearest-afz", Rule::kFlushes, [](double x) { return x; }},
    {"round-nearest-even", Rule::kFlushes, [](double x) { return x; }},
    {"rsqrt", Rule::kFlushes, [](double x) { return 1 / std::sqrt(x); }},
    {"sign", Rule::kFlushes, SignOf},
    {"sinh", Rule::kFlushes, [](double x) { return x; }},
    {"sqrt", Rule::kFlushes, [](double x) { return std::sqrt(x); }},
};

std::vector<uint64_t> DenormalBits(const Format& format) {
  const uint64_t sign = uint64_t{1} << (format.exponent + format.mantissa);
  std::vector<uint64_t> bits;
  for (uint64_t x : {uint64_t{1}, uint64_t{1} << (format.mantissa - 1) | 5,
                     (uint64_t{1} << format.mantissa) - 1}) {
    bits.push_back(x);
    bits.push_back(x | sign);
  }
  // Whole vectors and a rest.
  for (int k = 0; k < 35; ++k) bits.push_back(bits[k]);
  return bits;
}

// The executables that a rule is checked on, with their names.
std::vector<std::pair<std::string, std::unique_ptr<Executable>>> Everywhere(
    const std::string& text) {
  std::vector<std::pair<std::string, std::unique_ptr<Executable>>> all;
  all.emplace_back("interpreter", Compiled(*BackendByName("interpreter"), text));
  for (const Setting& setting : Settings()) {
    all.emplace_back(absl::StrCat("cpu ", setting.isa, " ", setting.level),
                     Compiled(CpuBackend(), text, setting));
  }
  return all;
}

TEST(Numerics, EachFunctionHasOneRuleForDenormals) {
  std::vector<Expression> expressions;
  for (const FunctionRule& row : kFunctionRules) {
    expressions.push_back({absl::StrCat("ROOT r = $S ", row.opcode, "(x)")});
  }
  for (const Format& format : kFormats) {
    // Halves are computed in f32, where they are not denormal.
    if (format.type == kF16) continue;
    const std::vector<uint64_t> bits = DenormalBits(format);
    const Literal x = OfBits(format.type, bits);
    const std::string text =
        FusionsOf(expressions, Name(format.type), bits.size());
    for (const auto& [where, executable] : Everywhere(text)) {
      const std::vector<Literal> got =
          Results(executable.get(), {x, x, x}, /*flush_denormals=*/true);
      ASSERT_EQ(got.size(), expressions.size());
      for (size_t f = 0; f < got.size(); ++f) {
        const FunctionRule& row = kFunctionRules[f];
        const Rule rule =
            format.type == kF64 ? row.rule_of_double : row.rule;
        std::vector<double> want;
        for (size_t k = 0; k < bits.size(); ++k) {
          const double value = x.GetAsDouble(k);
          want.push_back(row.function(
              rule == Rule::kFlushes ? std::copysign(0, value) : value));
        }
        Literal expected = Literal::Zeros(x.shape());
        for (size_t k = 0; k < want.size(); ++k) {
          expected.SetFromDouble(k, want[k]);
        }
        ExpectSame(got[f], expected, 0,
                   absl::StrCat(row.opcode, " ", Name(format.type), " on ",
                                where));
      }
    }
  }
}

// XLA:CPU computes log of small arrays in scalar code, which keeps denormals.
TEST(Numerics, EntropiesOfAFewDenormalsAreZero) {
  for (const char* type : {"f32", "f64", "bf16"}) {
    const std::string text = FusionsOf(
        {{"l = $S log(x)\nROOT r = $S multiply(x, l)"}, {"ROOT r = $S log(x)"}},
        type, 6);
    Literal x = Literal::Zeros(Shape::ArrayWithDescendingLayout(
        *PrimitiveTypeByName(type), {6}));
    const double denormal = std::string(type) == "f64" ? 1e-310 : 1e-40;
    for (int k = 0; k < 6; ++k) x.SetFromDouble(k, k % 2 == 0 ? denormal : 0.5);
    for (const auto& [where, executable] : Everywhere(text)) {
      const std::vector<Literal> got =
          Results(executable.get(), {x, x, x}, /*flush_denormals=*/true);
      ASSERT_EQ(got.size(), 2u);
      for (int k = 0; k < 6; ++k) {
        const double log = std::log(x.GetAsDouble(k));
        EXPECT_NEAR(got[1].GetAsDouble(k), log, 4e-3 * std::fabs(log)) << where;
        EXPECT_NEAR(got[0].GetAsDouble(k), k % 2 == 0 ? 0 : 0.5 * log, 2e-3)
            << where;
      }
    }
  }
}

struct NumberCase {
  const char* expression;  // over scalars of f32; $d is denormal, $n the least
                           // normal number
  const char* want;        // as a constant of the module
};
constexpr NumberCase kNumberCases[] = {
    {"add($d, $d)", "0"},
    {"add($n, $d)", "$n"},
    {"subtract($n15, $n)", "0"},  // a denormal difference
    {"multiply($n, $half)", "0"},
    {"multiply($d, $huge)", "0"},
    {"divide($n, $two)", "0"},
    {"divide($one, $d)", "inf"},
    {"remainder($n15, $n)", "$half_n"},  // exact, by the C library
    {"remainder($d, $n)", "$d"},
    {"maximum($d, $zero)", "0"},
    {"minimum($n, $d)", "0"},
    {"clamp($d, $d, $one)", "0"},
    {"exponential($low)", "0"},
    {"log-plus-one($minus_one)", "-inf"},
    {"tanh($huge)", "1"},
    {"logistic($minus_huge)", "0"},
    {"sign($nan)", "nan"},
    {"clamp($nan, $one, $two)", "nan"},
    {"clamp($one, $one, $nan)", "nan"},
    {"power($zero, $zero)", "1"},
    {"power($one, $nan)", "1"},
    {"power($nan, $zero)", "1"},
    {"remainder($one, $inf)", "1"},
    {"remainder($inf, $one)", "nan"},
    {"atan2($zero, $minus_one)", "$pi"},
    {"round-nearest-even($half)", "0"},
    {"round-nearest-even($two_and_half)", "2"},
    {"round-nearest-afz($two_and_half)", "3"},
};

// Operands are parameters, so that nothing is computed while compiling.
TEST(Numerics, SpecialValuesOfF32) {
  const std::vector<std::pair<std::string, float>> values = {
      {"$d", 1e-40f},
      {"$n", 0x1p-126f},
      {"$n15", 0x1.8p-126f},
      {"$half_n", 0x1p-127f},
      {"$half", 0.5f},
      {"$zero", 0},
      {"$one", 1},
      {"$minus_one", -1},
      {"$two", 2},
      {"$two_and_half", 2.5f},
      {"$huge", 1e38f},
      {"$minus_huge", -1e38f},
      {"$low", -87.5f},
      {"$inf", std::numeric_limits<float>::infinity()},
      {"$nan", std::numeric_limits<float>::quiet_NaN()},
      {"$pi", 3.14159274f},
      {"0", 0},
      {"1", 1},
      {"2", 2},
      {"3", 3},
      {"inf", std::numeric_limits<float>::infinity()},
      {"-inf", -std::numeric_limits<float>::infinity()},
      {"nan", std::numeric_limits<float>::quiet_NaN()}};
  const auto value_of = [&](absl::string_view name) {
    for (const auto& [key, value] : values) {
      if (key == name) return value;
    }
    ADD_FAILURE() << "no value is called " << name;
    return 0.0f;
  };
  for (const NumberCase& c : kNumberCases) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(c.expression, absl::MaxSplits('(', 1));
    const std::vector<std::string> operands = absl::StrSplit(
        absl::StripSuffix(parts.second, ")"), ", ");
    // 35 elements: whole vectors and a rest.
    std::vector<Literal> arguments;
    std::string entry = "HloModule m\nENTRY e {\n";
    std::vector<std::string> names;
    for (size_t k = 0; k < operands.size(); ++k) {
      arguments.push_back(Literal::Array<float>(
          {35}, std::vector<float>(35, value_of(operands[k]))));
      names.push_back(absl::StrCat("p", k));
      absl::StrAppend(&entry, names[k], " = f32[35] parameter(", k, ")\n");
    }
    absl::StrAppend(&entry, "r = f32[35] ", parts.first, "(",
                    absl::StrJoin(names, ", "),
                    ")\nROOT t = (f32[35]) tuple(r)\n}\n");
    const Literal want = Literal::Array<float>(
        {35}, std::vector<float>(35, value_of(c.want)));
    for (Backend* backend : {*BackendByName("interpreter"), CpuBackend()}) {
      const auto executable = Compiled(backend, entry);
      const std::vector<Literal> got =
          Results(executable.get(), arguments, true);
      ASSERT_EQ(got.size(), 1u);
      ExpectSame(got[0], want, 2, absl::StrCat(c.expression, " on ",
                                               backend->name()));
    }
  }
}

}  // namespace
}  // namespace hlokit
