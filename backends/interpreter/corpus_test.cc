// Real programs with the results that XLA itself gave. They lie beside the
// source tree; without them these tests are skipped.
#include <cmath>
#include <complex>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/interpreter/evaluator.h"
#include "base/status.h"
#include "base/test_corpora.h"
#include "hlo/ir/native_types.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit::interpreter {
namespace {

// The file or its .zst, decompressed.
absl::StatusOr<std::string> ReadAny(const std::string& path) {
  std::string bytes = ReadCorpusFile(path);
  if (bytes.empty()) return NotFound("%s", path);
  return bytes;
}

// --- Comparison. ---

struct Tolerance {
  double absolute = 0;
  double relative = 0;
  bool bits = false;  // zeros of different sign differ
};

bool CloseNumbers(double got, double want, const Tolerance& tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == want) {
    return !tolerance.bits || std::signbit(got) == std::signbit(want);
  }
  return std::fabs(got - want) <=
         tolerance.absolute + tolerance.relative * std::fabs(want);
}

template <typename T>
bool CloseElements(T got, T want, const Tolerance& tolerance) {
  if constexpr (kIsComplex<T>) {
    return CloseNumbers(got.real(), want.real(), tolerance) &&
           CloseNumbers(got.imag(), want.imag(), tolerance);
  } else if constexpr (kIsFloat<T>) {
    return CloseNumbers(static_cast<ComputeTypeOf<T>>(got),
                        static_cast<ComputeTypeOf<T>>(want), tolerance);
  } else {
    if (got == want) return true;
    return tolerance.absolute >= 1 &&
           std::fabs(double(got) - double(want)) <= tolerance.absolute;
  }
}

// What differs, empty if nothing.
std::string Difference(const Literal& got, const Literal& want,
                       const Tolerance& tolerance) {
  if (want.shape().IsTuple()) {
    if (got.elements().size() != want.elements().size()) {
      return absl::StrCat("got ", got.shape().ToString(), ", want ",
                          want.shape().ToString());
    }
    std::string all;
    for (size_t i = 0; i < want.elements().size(); ++i) {
      const std::string one =
          Difference(got.elements()[i], want.elements()[i], tolerance);
      if (!one.empty()) absl::StrAppend(&all, "[", i, "] ", one);
    }
    return all;
  }
  if (!want.shape().IsArray()) return "";
  if (got.element_type() != want.element_type() ||
      got.element_count() != want.element_count()) {
    return absl::StrCat("got ", got.shape().ToString(), ", want ",
                        want.shape().ToString(), "\n");
  }
  int64_t wrong = 0, first = -1;
  DispatchArrayType(want.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < want.element_count(); ++i) {
      if (CloseElements(got.data<T>()[i], want.data<T>()[i], tolerance)) {
        continue;
      }
      if (wrong++ == 0) first = i;
    }
  });
  if (wrong == 0) return "";
  std::string text =
      absl::StrCat(got.shape().ToString(), ": ", wrong, " of ",
                   got.element_count(), " differ, at ", first, " ");
  got.AppendElement(first, &text);
  text += " instead of ";
  want.AppendElement(first, &text);
  return text + "\n";
}

// --- Snapshots. ---

struct Case {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;
  Literal want;
  bool has_result = false;
};

absl::StatusOr<Case> ReadSnapshot(const std::string& path) {
  HLOKIT_ASSIGN_OR_RETURN(const std::string bytes, ReadAny(path));
  xla::HloSnapshot snapshot;
  HLOKIT_RETURN_IF_ERROR(ParseProtoBytes(bytes, &snapshot));
  Case result;
  HLOKIT_ASSIGN_OR_RETURN(result.module,
                          ModuleFromProto(snapshot.hlo().hlo_module()));
  for (const xla::LiteralProto& argument : snapshot.arguments()) {
    HLOKIT_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(argument));
    result.arguments.push_back(std::move(literal));
  }
  if (snapshot.has_result()) {
    HLOKIT_ASSIGN_OR_RETURN(result.want, LiteralFromProto(snapshot.result()));
    result.has_result = !result.want.shape().IsTuple() ||
                        !result.want.elements().empty();
  }
  return result;
}

void ExpectCase(const Case& c, const Tolerance& tolerance,
                const ExecuteOptions& options = {}) {
  const absl::StatusOr<ExecutionResult> result =
      Evaluate(*c.module, c.arguments, options);
  ASSERT_TRUE(result.ok()) << result.status();
  Literal got = result->value;
  // A result of one part is stored bare.
  if (got.shape().IsTuple() && got.elements().size() == 1 &&
      !c.want.shape().IsTuple()) {
    got = Literal(got.elements()[0]);
  }
  EXPECT_EQ(Difference(got, c.want, tolerance), "");
  ::testing::Test::RecordProperty("seconds", std::to_string(result->seconds));
  EXPECT_LT(result->seconds, 60);
}

std::string TestName(const std::string& name) {
  std::string clean;
  for (char c : name) clean += isalnum(c) ? c : '_';
  return clean;
}

// --- jax_dumps. ---

struct JaxProgram {
  std::string name;
  Tolerance tolerance;
};

void PrintTo(const JaxProgram& program, std::ostream* out) {
  *out << program.name;
}

std::vector<JaxProgram> JaxPrograms() {
  std::vector<JaxProgram> programs;
  for (const auto& row : CorpusTable(Corpora() +
                                   "jax_dumps/MANIFEST.tsv")) {
    if (row.at("devices") != "1") continue;
    JaxProgram program;
    program.name = row.at("program");
    if (!absl::SimpleAtod(row.at("rtol"), &program.tolerance.relative) ||
        !absl::SimpleAtod(row.at("atol"), &program.tolerance.absolute)) {
      continue;
    }
    programs.push_back(program);
  }
  return programs;
}

class JaxDumps : public ::testing::TestWithParam<JaxProgram> {
 protected:
  void Check(const char* file) {
    const std::string path =
        absl::StrCat(Corpora(), "jax_dumps/", GetParam().name, "/", file);
    const absl::StatusOr<Case> c = ReadSnapshot(path);
    ASSERT_TRUE(c.ok()) << c.status();
    if (!c->has_result) GTEST_SKIP() << "no result stored";
    ExpectCase(*c, GetParam().tolerance);
  }
};

TEST_P(JaxDumps, GiveXlasResultsBeforeOptimisation) {
  Check("before.hlo_snapshot.pb");
}

TEST_P(JaxDumps, GiveXlasResultsAfterOptimisation) {
  Check("optimized.hlo_snapshot.pb");
}

INSTANTIATE_TEST_SUITE_P(Corpus, JaxDumps, ::testing::ValuesIn(JaxPrograms()),
                         [](const auto& info) {
                           return TestName(info.param.name);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(JaxDumps);

// --- hlo_ops. ---

std::vector<std::string> HloOps() {
  std::vector<std::string> names;
  for (const auto& row :
       CorpusTable(Corpora() + "hlo_ops/MANIFEST.tsv")) {
    names.push_back(row.count("case") ? row.at("case") : row.begin()->second);
  }
  return names;
}

bool HasDoubles(const Literal& literal) {
  for (const Literal& element : literal.elements()) {
    if (HasDoubles(element)) return true;
  }
  return literal.element_type() == kF64 || literal.element_type() == kC128;
}

class HloOpsCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(HloOpsCorpus, GiveXlasResults) {
  absl::StatusOr<Case> c = ReadSnapshot(
      absl::StrCat(Corpora(), "hlo_ops/", GetParam(), ".hlo_snapshot.pb"));
  ASSERT_TRUE(c.ok()) << c.status();
  if (GetParam() == "dynamic_slice_s8_index") {
    // The stored result is XLA's mistake of folding a constant u8 index of 250
    // as -6. Right is the last window, of the elements from 6 on.
    const absl::Span<const int32_t> x = c->arguments[0].data<int32_t>();
    c->want = Literal::Array<int32_t>({3}, x.subspan(6, 3));
  }
  Tolerance tolerance;
  tolerance.absolute = HasDoubles(c->want) ? 1e-10 : 1e-4;
  tolerance.relative = tolerance.absolute;
  ExpectCase(*c, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Corpus, HloOpsCorpus, ::testing::ValuesIn(HloOps()),
                         [](const auto& info) { return TestName(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HloOpsCorpus);

// --- field_cases. ---

// Just enough JSON: objects, lists, strings without escapes, other scalars as
// their text.
struct Json {
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> members;

  const Json& operator[](const std::string& key) const {
    static const Json* const none = new Json;
    const auto it = members.find(key);
    return it == members.end() ? *none : it->second;
  }
};

void SkipSpace(absl::string_view* text) {
  while (!text->empty() && isspace(static_cast<unsigned char>((*text)[0]))) {
    text->remove_prefix(1);
  }
}

std::string TakeUntil(absl::string_view* text, absl::string_view ends) {
  const size_t end = std::min(text->find_first_of(ends), text->size());
  std::string taken(text->substr(0, end));
  text->remove_prefix(end);
  return taken;
}

std::string ParseString(absl::string_view* text) {
  absl::ConsumePrefix(text, "\"");
  std::string value = TakeUntil(text, "\"");
  absl::ConsumePrefix(text, "\"");
  return value;
}

Json ParseJson(absl::string_view* text) {
  Json value;
  SkipSpace(text);
  const bool list = absl::ConsumePrefix(text, "[");
  if (!list && !absl::ConsumePrefix(text, "{")) {
    value.text = absl::StartsWith(*text, "\"")
                     ? ParseString(text)
                     : TakeUntil(text, ",]} \n");
    return value;
  }
  SkipSpace(text);
  while (!text->empty() && !absl::ConsumePrefix(text, list ? "]" : "}")) {
    if (list) {
      value.items.push_back(ParseJson(text));
    } else {
      const std::string key = ParseString(text);
      SkipSpace(text);
      absl::ConsumePrefix(text, ":");
      value.members[key] = ParseJson(text);
    }
    SkipSpace(text);
    absl::ConsumePrefix(text, ",");
    SkipSpace(text);
  }
  return value;
}

Literal LiteralOf(const Json& entry) {
  std::vector<int64_t> dimensions;
  for (const Json& size : entry["dims"].items) {
    dimensions.push_back(std::stoll(size.text));
  }
  const PrimitiveType type =
      PrimitiveTypeByName(entry["type"].text).value_or(kF32);
  Literal literal =
      Literal::Zeros(Shape::ArrayWithDescendingLayout(type, dimensions));
  const std::string bytes = absl::HexStringToBytes(entry["hex"].text);
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), literal.size_bytes());
  std::copy(bytes.begin(), bytes.end(), literal.mutable_untyped_data());
  return literal;
}

std::vector<Literal> LiteralsOf(const Json& list) {
  std::vector<Literal> literals;
  for (const Json& entry : list.items) literals.push_back(LiteralOf(entry));
  return literals;
}

void Flatten(const Literal& value, std::vector<Literal>* leaves) {
  if (!value.shape().IsTuple()) {
    leaves->push_back(value);
    return;
  }
  for (const Literal& element : value.elements()) Flatten(element, leaves);
}

struct FieldCase {
  std::string name, input, data;
  Tolerance tolerance;
};

void PrintTo(const FieldCase& c, std::ostream* out) { *out << c.name; }

std::vector<FieldCase> FieldCases() {
  std::vector<FieldCase> cases;
  for (const auto& row :
       CorpusTable(Corpora() + "field_cases/CASES.tsv")) {
    if (row.at("action") != "run" || row.at("inputs") == "-") continue;
    FieldCase c = {row.at("case"), row.at("input"), row.at("inputs"), {}};
    const std::string& tolerance = row.at("tolerance");
    c.tolerance.bits = tolerance == "exact";
    for (absl::string_view word : absl::StrSplit(tolerance, ' ')) {
      if (absl::ConsumePrefix(&word, "abs=")) {
        EXPECT_TRUE(absl::SimpleAtod(word, &c.tolerance.absolute));
      } else if (absl::ConsumePrefix(&word, "rel=")) {
        EXPECT_TRUE(absl::SimpleAtod(word, &c.tolerance.relative));
      }
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

class FieldCasesCorpus : public ::testing::TestWithParam<FieldCase> {
 protected:
  static absl::StatusOr<std::unique_ptr<Module>> ReadModule(
      const std::string& path) {
    if (absl::EndsWith(path, ".pb")) {
      HLOKIT_ASSIGN_OR_RETURN(Case c, ReadSnapshot(path));
      return std::move(c.module);
    }
    HLOKIT_ASSIGN_OR_RETURN(const std::string text, ReadAny(path));
    return ParseModule(text);
  }
};

// The right answers here are those of IEEE arithmetic, denormals included.
TEST_P(FieldCasesCorpus, GiveTheRightAnswer) {
  const std::string folder = absl::StrCat(Corpora(), "field_cases/");
  const FieldCase& c = GetParam();
  absl::StatusOr<std::unique_ptr<Module>> module = ReadModule(folder + c.input);
  ASSERT_TRUE(module.ok()) << module.status();
  std::string text;
  text = ReadCorpusFile(folder + c.data);
  ASSERT_FALSE(text.empty());
  absl::string_view view = text;
  const Json data = ParseJson(&view);
  ExecuteOptions options;
  options.flush_denormals = false;
  const absl::StatusOr<ExecutionResult> result =
      Evaluate(**module, LiteralsOf(data["args"]), options);
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<Literal> got;
  Flatten(result->value, &got);
  const std::vector<Literal> want = LiteralsOf(data["expect"]);
  EXPECT_EQ(Difference(Literal::Tuple(std::move(got)), Literal::Tuple(want),
                       c.tolerance),
            "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, FieldCasesCorpus,
                         ::testing::ValuesIn(FieldCases()),
                         [](const auto& info) {
                           return TestName(info.param.name);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FieldCasesCorpus);

}  // namespace
}  // namespace hlokit::interpreter
