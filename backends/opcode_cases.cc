#include "backends/opcode_cases.h"

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

struct Region {
  absl::string_view name;
  absl::string_view text;
};

// Later ones may call earlier ones.
constexpr Region kRegions[] = {
    {"sum", "x = $T[] parameter(0)\n y = $T[] parameter(1)\n"
            "ROOT r = $T[] add(x, y)"},
    {"running_sum", "x = $T[] parameter(0)\n c = $T[] parameter(1)\n"
                    "s = $T[] add(x, c)\n ROOT r = ($T[], $T[]) tuple(s, s)"},
    {"less", "x = $T[] parameter(0)\n y = $T[] parameter(1)\n"
             "ROOT r = pred[] compare(x, y), direction=LT"},
    {"at_least", "x = $T[] parameter(0)\n y = $T[] parameter(1)\n"
                 "ROOT r = pred[] compare(x, y), direction=GE"},
    {"same", "ROOT x = $T[] parameter(0)"},
    {"both", "ROOT x = $T[2] parameter(0)"},
    {"twice", "x = $T[] parameter(0)\n ROOT r = $T[] add(x, x)"},
    {"thrice", "s = (s32[], $T[]) parameter(0)\n"
               "i = s32[] get-tuple-element(s), index=0\n"
               "n = s32[] constant(3)\n"
               "ROOT r = pred[] compare(i, n), direction=LT"},
    {"add_one", "s = (s32[], $T[]) parameter(0)\n"
                "i = s32[] get-tuple-element(s), index=0\n"
                "x = $T[] get-tuple-element(s), index=1\n"
                "n = s32[] constant(1)\n one = $T[] constant($1)\n"
                "j = s32[] add(i, n)\n y = $T[] add(x, one)\n"
                "ROOT r = (s32[], $T[]) tuple(j, y)"},
};

struct Kind {
  char letter;
  std::vector<PrimitiveType> types;
};

const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
      {'p', {kPred}},
      {'s', {kS4, kS8, kS16, kS32, kS64}},
      {'u', {kU4, kU8, kU16, kU32, kU64}},
      {'f', {kF8E5M2, kF8E4M3FN, kBF16, kF16, kF32, kF64}},
      {'c', {kC64, kC128}},
      {'t', {kInvalid}}};
  return kinds;
}

PrimitiveType RealPart(PrimitiveType type) {
  return type == kC64 ? kF32 : type == kC128 ? kF64 : type;
}

std::string NumberText(PrimitiveType type, int number) {
  if (IsComplexType(type)) return absl::StrCat("(", number, ", 0)");
  if (type == kPred) return number == 0 ? "false" : "true";
  return absl::StrCat(number);
}

std::string Substituted(absl::string_view text, PrimitiveType type) {
  return absl::StrReplaceAll(
      text, {{"$T", PrimitiveTypeName(type)},
             {"$R", PrimitiveTypeName(RealPart(type))},
             {"$0", NumberText(type, 0)},
             {"$1", NumberText(type, 1)}});
}

std::string ParameterLines(absl::string_view shapes) {
  std::string lines;
  int number = 0;
  for (absl::string_view shape :
       absl::StrSplit(shapes, ", ", absl::SkipEmpty())) {
    absl::StrAppend(&lines, std::string(1, static_cast<char>('a' + number)),
                    " = ", shape, " parameter(", number, ")\n");
    ++number;
  }
  return lines;
}

Literal Filled(const Shape& shape, const std::vector<double>& values) {
  Literal literal = Literal::Zeros(shape);
  HLOKIT_CHECK(literal.element_count() == static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.SetFromDouble(i, values[i]);
  }
  return literal;
}

double ElementOf(const Literal& array, int64_t i) {
  switch (array.element_type()) {
    case kC64:
      return array.data<std::complex<float>>()[i].real();
    case kC128:
      return array.data<std::complex<double>>()[i].real();
    default:
      return array.GetAsDouble(i);
  }
}

// What two correct computations of a value near `expected` may differ by.
double ToleranceOf(PrimitiveType type, double expected) {
  double epsilon = 0;
  switch (RealPart(type)) {
    case kF8E5M2: epsilon = 0.25; break;
    case kF8E4M3FN: epsilon = 0.125; break;
    case kBF16: epsilon = 0.0078125; break;
    case kF16: epsilon = 0.0009765625; break;
    case kF32: epsilon = 1e-6; break;
    case kF64: epsilon = 1e-14; break;
    default: return 0;
  }
  return epsilon * std::max(1.0, std::abs(expected));
}

void AppendLeaves(const Literal& literal, std::vector<const Literal*>* leaves) {
  if (literal.shape().IsArray()) leaves->push_back(&literal);
  for (const Literal& element : literal.elements()) {
    AppendLeaves(element, leaves);
  }
}

absl::Status CompareLeaves(const std::vector<const Literal*>& leaves,
                           const std::vector<double>& expected) {
  size_t at = 0;
  for (const Literal* leaf : leaves) {
    for (int64_t i = 0; i < leaf->element_count(); ++i, ++at) {
      if (at == expected.size()) {
        return FailedPrecondition("more elements than the %d expected ones",
                                  expected.size());
      }
      const double got = ElementOf(*leaf, i);
      const PrimitiveType type = leaf->element_type();
      const double want = type == kPred ? expected[at] != 0 : expected[at];
      if (std::abs(got - want) <= ToleranceOf(type, want)) continue;
      return FailedPrecondition("element %d is %g, not %g", at, got, want);
    }
  }
  if (at == expected.size()) return absl::OkStatus();
  return FailedPrecondition("%d elements, not %d", at, expected.size());
}

}  // namespace

std::vector<PrimitiveType> TypesOfKind(char kind) {
  for (const Kind& row : Kinds()) {
    if (row.letter == kind) return row.types;
  }
  return {};
}

std::vector<PrimitiveType> CaseTypes(const OpcodeCase& c) {
  std::vector<PrimitiveType> types;
  for (absl::string_view word : absl::StrSplit(c.types, ' ')) {
    if (word.size() == 1) {
      const std::vector<PrimitiveType> of_kind = TypesOfKind(word[0]);
      types.insert(types.end(), of_kind.begin(), of_kind.end());
    } else {
      const std::optional<PrimitiveType> type = PrimitiveTypeByName(word);
      HLOKIT_CHECK(type.has_value());
      types.push_back(*type);
    }
  }
  return types;
}

std::string CaseText(const OpcodeCase& c, PrimitiveType type) {
  std::string text = "HloModule opcode_case\n";
  for (const Region& region : kRegions) {
    if (!absl::StrContains(c.body, absl::StrCat("=", region.name))) continue;
    absl::StrAppend(&text, region.name, " {\n", region.text, "\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n", ParameterLines(c.parameters),
                  absl::StrContains(c.body, "ROOT") ? "" : "ROOT r = ", c.body,
                  "\n}\n");
  return Substituted(text, type);
}

absl::Status RunCase(const OpcodeCase& c, PrimitiveType type,
                     Backend& backend) {
  HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Module> module,
                          ParseModule(CaseText(c, type)));
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module->entry()->parameters()) {
    arguments.push_back(
        Filled(parameter->shape(), c.arguments[arguments.size()]));
  }
  HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                          backend.Compile(std::move(module), {}));
  ExecuteOptions options;
  options.infeed = arguments;
  HLOKIT_ASSIGN_OR_RETURN(ExecutionResult result,
                          executable->Execute(arguments, options));
  std::vector<const Literal*> leaves;
  AppendLeaves(result.value, &leaves);
  for (const Literal& sent : result.outfeed) AppendLeaves(sent, &leaves);
  return CompareLeaves(leaves, c.expected);
}

}  // namespace hlokit
