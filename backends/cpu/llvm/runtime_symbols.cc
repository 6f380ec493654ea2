#include "backends/cpu/llvm/runtime_symbols.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/ir/native_types.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {
namespace {

// The C library's functions that generated code calls, those of doubles; the
// ones of floats have an f at the end.
struct MathFunction {
  absl::string_view name;
  int arity;
};
constexpr MathFunction kMathFunctions[] = {
    {"acos", 1},  {"acosh", 1}, {"asin", 1}, {"asinh", 1}, {"atan2", 2},
    {"atanh", 1}, {"cbrt", 1},  {"cos", 1},  {"cosh", 1},  {"erf", 1},
    {"exp", 1},   {"expm1", 1}, {"fmod", 2}, {"hypot", 2}, {"log", 1},
    {"log1p", 1}, {"pow", 2},   {"sin", 1},  {"sinh", 1},  {"tan", 1},
    {"tanh", 1}};

// What LLVM makes of loops and intrinsics.
constexpr absl::string_view kLibraryFunctions[] = {
    "memcpy",       "memset",        "memmove",      "floor",     "floorf",
    "ceil",         "ceilf",         "round",        "roundf",    "rint",
    "rintf",        "roundeven",     "roundevenf",   "trunc",     "truncf",
    "fma",          "fmaf",          "sqrt",         "sqrtf",     "fmin",
    "fminf",        "fmax",          "fmaxf",        "exp2",      "exp2f",
    "__truncsfhf2", "__extendhfsf2", "__truncdfhf2", "__fixsfti", "__udivti3"};

template <typename T>
float ToFloat(uint8_t bits) {
  return static_cast<float>(T::FromBits(bits));
}
template <typename T>
double ToDouble(uint8_t bits) {
  return static_cast<double>(T::FromBits(bits));
}
template <typename T>
uint8_t FromFloat(float x) {
  return static_cast<uint8_t>(T(x).bits());
}
template <typename T>
uint8_t FromDouble(double x) {
  return static_cast<uint8_t>(T(x).bits());
}

template <typename T>
void AddConversions(std::vector<RuntimeSymbol>* symbols) {
  const absl::string_view type = PrimitiveTypeName(PrimitiveTypeOf<T>());
  const auto add = [&](std::string name, auto function) {
    symbols->push_back(
        {absl::StrCat("hlokit_", name), reinterpret_cast<void*>(function)});
  };
  add(absl::StrCat(type, "_to_f32"), &ToFloat<T>);
  add(absl::StrCat(type, "_to_f64"), &ToDouble<T>);
  add(absl::StrCat("f32_to_", type), &FromFloat<T>);
  add(absl::StrCat("f64_to_", type), &FromDouble<T>);
}

void* VectorLibrary() {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

// How the vector functions of one width are called: "_ZGVdN8v_sinf".
struct VectorKind {
  char letter;
  int bytes;
  Isa isa;
};
#if defined(__x86_64__)
// Those of 512 bits ('e') are other formulas, whose errors have not been measured:
// so that all processors give the same, they are left alone.
constexpr VectorKind kVectorKinds[] = {{'b', 16, Isa::kBaseline},
                                       {'d', 32, Isa::kAvx2}};
#else
constexpr absl::Span<const VectorKind> kVectorKinds;
#endif

// Vector functions that are not good enough: atan2f takes denormals, where they
// count as zero, for a zero that decides the result; the others are off by more
// than two units of the last place (measured, with 160000 numbers of all sizes).
bool LacksPrecision(absl::string_view name) {
  constexpr absl::string_view kNames[] = {
      "atan2f", "exp",   "sin",   "cos",   "tan",   "expm1",
      "asin",   "acosh", "asinh", "atanh", "atan2", "erf"};
  return std::find(std::begin(kNames), std::end(kNames), name) !=
         std::end(kNames);
}

std::vector<std::string> VariantNames(absl::string_view name, int arity,
                                      Isa isa) {
  std::vector<std::string> names;
  if (VectorLibrary() == nullptr || LacksPrecision(name)) return names;
  const int element = name.back() == 'f' && name != "erf" ? 4 : 8;
  for (const VectorKind& kind : kVectorKinds) {
    if (kind.isa > isa) continue;
    std::string variant =
        absl::StrCat("_ZGV", std::string(1, kind.letter), "N",
                     kind.bytes / element, std::string(arity, 'v'), "_", name);
    if (dlsym(VectorLibrary(), variant.c_str()) != nullptr) {
      names.push_back(std::move(variant));
    }
  }
  return names;
}

std::vector<RuntimeSymbol> MakeSymbols() {
  std::vector<RuntimeSymbol> symbols;
  const auto add = [&](std::string name, void* library) {
    void* address = dlsym(library, name.c_str());
    if (address != nullptr) symbols.push_back({std::move(name), address});
  };
  for (const MathFunction& function : kMathFunctions) {
    for (const char* end : {"", "f"}) {
      const std::string name = absl::StrCat(function.name, end);
      add(name, RTLD_DEFAULT);
      for (std::string& variant :
           VariantNames(name, function.arity, HostIsa())) {
        add(std::move(variant), VectorLibrary());
      }
    }
  }
  for (absl::string_view name : kLibraryFunctions) {
    add(std::string(name), RTLD_DEFAULT);
  }
  AddConversions<F8E5M2>(&symbols);
  AddConversions<F8E4M3>(&symbols);
  AddConversions<F8E4M3FN>(&symbols);
  AddConversions<F8E4M3B11FNUZ>(&symbols);
  AddConversions<F8E5M2FNUZ>(&symbols);
  AddConversions<F8E4M3FNUZ>(&symbols);
  AddConversions<F8E3M4>(&symbols);
  AddConversions<F8E8M0FNU>(&symbols);
  AddConversions<F4E2M1FN>(&symbols);
  AddConversions<F6E3M2FN>(&symbols);
  AddConversions<F6E2M3FN>(&symbols);
  return symbols;
}

}  // namespace

absl::Span<const RuntimeSymbol> RuntimeSymbols() {
  static const auto* symbols = new std::vector<RuntimeSymbol>(MakeSymbols());
  return *symbols;
}

std::string VectorVariants(absl::string_view name, int arity, Isa isa) {
  return absl::StrJoin(VariantNames(name, arity, isa), ",");
}

}  // namespace hlokit::cpu
