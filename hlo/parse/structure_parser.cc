// Windows, convolution dimensions, paddings and other structured attributes.
#include <algorithm>
#include <charconv>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {
namespace {

// Reads "-?digits" at *p and moves it; false if there is none or it overflows.
bool ScanInt(const char** p, const char* end, int64_t* value) {
  const auto [next, code] = std::from_chars(*p, end, *value);
  if (code != std::errc()) return false;
  *p = next;
  return true;
}

constexpr absl::string_view kWindowParts[] = {
    "size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal",
};

// One part of dim_labels: sets the positions of its letters and digits.
// The text of an error, or "".
std::string ReadLabels(absl::string_view labels, char first, char second,
                       int64_t* first_dimension, int64_t* second_dimension,
                       Int64List* spatial) {
  *first_dimension = *second_dimension = -1;
  Int64List digits(10, -1);
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    if (c == '?') continue;
    int64_t* slot = c == first    ? first_dimension
                    : c == second ? second_dimension
                    : IsDigit(c)  ? &digits[c - '0']
                                  : nullptr;
    if (slot == nullptr) {
      return absl::StrCat("'", absl::string_view(&c, 1), "' is no label in '",
                          labels, "'");
    }
    if (*slot >= 0) {
      return absl::StrCat("'", absl::string_view(&c, 1),
                          "' stands twice in '", labels, "'");
    }
    *slot = i;
  }
  if (*first_dimension < 0 || *second_dimension < 0) {
    return absl::StrCat("'", labels, "' must have '",
                        absl::string_view(&first, 1), "' and '",
                        absl::string_view(&second, 1), "'");
  }
  while (!digits.empty() && digits.back() < 0) digits.pop_back();
  if (std::find(digits.begin(), digits.end(), -1) != digits.end()) {
    return absl::StrCat("the spatial dimensions in '", labels,
                        "' must be numbered 0, 1, ... without a gap");
  }
  *spatial = std::move(digits);
  return "";
}

}  // namespace

bool TextParser::ParseInt64List(Int64List* list) {
  return ParseBraces([&] { return ParseInt64(&list->emplace_back()); });
}

bool TextParser::ParseBoolList(Int64List* list) {
  return ParseBraces([&] {
    bool value;
    if (!ParseBool(&value)) return false;
    list->push_back(value);
    return true;
  });
}

bool TextParser::ParseInt64ListList(Int64ListList* lists) {
  return ParseBraces([&] { return ParseInt64List(&lists->emplace_back()); });
}

bool TextParser::ParsePairList(PairList* pairs) {
  return ParseBraces([&] {
    auto& [a, b] = pairs->emplace_back();
    return Expect(Tok::kLBrace, "'{'") && ParseInt64(&a) &&
           Expect(Tok::kComma, "',' and the second number of the pair") &&
           ParseInt64(&b) && Expect(Tok::kRBrace, "'}' after two numbers");
  });
}

bool TextParser::ParseShapeIndex(ShapeIndex* index) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (!Eat(Tok::kRBrace)) {
    int64_t i;
    if (!ParseNonNegative(&i, "an index")) return false;
    index->push_back(i);
    if (!Eat(Tok::kComma) && !Is(Tok::kRBrace)) return Unexpected("',' or '}'");
  }
  return true;
}

bool TextParser::ParseAliasing(AliasingList* aliasing) {
  return ParseBraces([&] {
    OutputOperandAlias& alias = aliasing->emplace_back();
    return ParseShapeIndex(&alias.output_index) &&
           Expect(Tok::kColon, "':'") && Expect(Tok::kLParen, "'('") &&
           ParseNonNegative(&alias.operand, "an operand number") &&
           Expect(Tok::kComma, "','") &&
           ParseShapeIndex(&alias.operand_index) &&
           Expect(Tok::kRParen, "')'");
  });
}

bool TextParser::ParseSliceRanges(SliceRanges* ranges) {
  return ParseBraces([&] {
    SliceRange& range = ranges->emplace_back();
    return Expect(Tok::kLSquare, "'['") && ParseInt64(&range.start) &&
           Expect(Tok::kColon, "':'") && ParseInt64(&range.limit) &&
           (!Eat(Tok::kColon) || ParseInt64(&range.stride)) &&
           Expect(Tok::kRSquare, "']'");
  });
}

// "3x3" from the current token on.
bool TextParser::ScanInts(absl::string_view what, Int64List* values) {
  const absl::string_view text = lexer_.text();
  const char* p = text.data() + token().begin;
  const char* end = text.data() + text.size();
  while (true) {
    if (!ScanInt(&p, end, &values->emplace_back())) {
      return Error(p - text.data(), absl::StrCat("expected numbers joined by x "
                                                 "after ", what, "="));
    }
    if (p == end || *p != 'x') break;
    ++p;
  }
  lexer_.Reset(p - text.data());
  return true;
}

// "0_1x0_1_2" from the current token on.
bool TextParser::ScanPadding(std::vector<PaddingDimension>* dimensions) {
  const absl::string_view text = lexer_.text();
  const char* p = text.data() + token().begin;
  const char* end = text.data() + text.size();
  while (true) {
    PaddingDimension& d = dimensions->emplace_back();
    bool ok = ScanInt(&p, end, &d.low) && p < end && *p++ == '_' &&
              ScanInt(&p, end, &d.high);
    if (ok && p < end && *p == '_') ok = ScanInt(&++p, end, &d.interior);
    if (!ok || d.interior < 0) {
      return Error(p - text.data(),
                   "a padding looks like low_high or low_high_interior, "
                   "dimensions joined by x");
    }
    if (p == end || *p != 'x') break;
    ++p;
  }
  lexer_.Reset(p - text.data());
  return true;
}

bool TextParser::ParseWindowPart(Window* window, uint8_t* seen) {
  if (!Is(Tok::kAttr)) return Unexpected("'}' or a part of the window");
  const size_t offset = token().begin;
  const absl::string_view name = token().text;
  const auto* part = std::find(std::begin(kWindowParts), std::end(kWindowParts),
                               name);
  if (part == std::end(kWindowParts)) {
    return UnknownWord(name,
                       absl::StrCat("a window has no '", name, "'",
                                    DidYouMean(name, kWindowParts)),
                       /*has_meaning=*/true);
  }
  const int bit = 1 << (part - kWindowParts);
  if (*seen & bit) return ErrorHere(absl::StrCat(name, "= stands twice"));
  const bool first = *seen == 0;
  *seen |= bit;
  Int64List values;
  std::vector<PaddingDimension> paddings;
  lexer_.Next();
  if (name == "pad" ? !ScanPadding(&paddings) : !ScanInts(name, &values)) {
    return false;
  }
  // XLA's reader does not look at what this one part has too much.
  if (name == "rhs_reversal" && !first &&
      values.size() > window->dimensions.size()) {
    values.resize(window->dimensions.size());
  }
  const size_t count = name == "pad" ? paddings.size() : values.size();
  if (first) window->dimensions.resize(count);
  if (count != window->dimensions.size()) {
    return Error(offset,
                 absl::StrCat(name, " has ", count, count == 1 ? " entry"
                                                               : " entries",
                              " for ", window->dimensions.size(),
                              " window dimensions"));
  }
  for (size_t i = 0; i < count; ++i) {
    WindowDimension& d = window->dimensions[i];
    switch (part - kWindowParts) {
      case 0: d.size = values[i]; break;
      case 1: d.stride = values[i]; break;
      case 2:
        if (paddings[i].interior != 0) {
          return Error(offset, "the padding of a window has no interior part");
        }
        d.padding_low = paddings[i].low;
        d.padding_high = paddings[i].high;
        break;
      case 3: d.base_dilation = values[i]; break;
      case 4: d.window_dilation = values[i]; break;
      default:
        if (values[i] != 0 && values[i] != 1) {
          return Error(offset, "rhs_reversal consists of 0 and 1");
        }
        d.window_reversal = values[i] == 1;
    }
  }
  return true;
}

bool TextParser::ParseWindow(Window* window) {
  const size_t offset = token().begin;
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  uint8_t seen = 0;
  while (!Is(Tok::kRBrace)) {
    if (!ParseWindowPart(window, &seen)) return false;
  }
  if (seen != 0 && !(seen & 1)) return Error(offset, "the window has no size=");
  lexer_.Next();
  return true;
}

bool TextParser::ParseDimLabels(ConvolutionDims* dims) {
  const absl::string_view text = lexer_.text();
  const size_t begin = token().begin;
  size_t i = begin;
  auto take = [&] {
    const size_t start = i;
    while (IsIdentStart(lexer_.ByteAt(i)) ? lexer_.ByteAt(i) != '_'
                                          : IsDigit(lexer_.ByteAt(i)) ||
                                                lexer_.ByteAt(i) == '?') {
      ++i;
    }
    return text.substr(start, i - start);
  };
  const absl::string_view input = take();
  const bool first = lexer_.ByteAt(i) == '_';
  i += first;
  const absl::string_view kernel = take();
  const bool second = text.substr(i, 2) == "->";
  i += second ? 2 : 0;
  const absl::string_view output = take();
  if (!first || !second || input.empty() || kernel.empty() || output.empty()) {
    return Error(begin, "dimension labels look like b01f_01io->b01f");
  }
  std::string error = ReadLabels(
      input, 'b', 'f', &dims->input_batch_dimension,
      &dims->input_feature_dimension, &dims->input_spatial_dimensions);
  if (error.empty()) {
    error = ReadLabels(kernel, 'i', 'o', &dims->kernel_input_feature_dimension,
                       &dims->kernel_output_feature_dimension,
                       &dims->kernel_spatial_dimensions);
  }
  if (error.empty()) {
    error = ReadLabels(output, 'b', 'f', &dims->output_batch_dimension,
                       &dims->output_feature_dimension,
                       &dims->output_spatial_dimensions);
  }
  const size_t count = dims->input_spatial_dimensions.size();
  if (error.empty() && (dims->kernel_spatial_dimensions.size() != count ||
                        dims->output_spatial_dimensions.size() != count)) {
    error = "the three parts must have the same number of spatial dimensions";
  }
  if (!error.empty()) return Error(begin, std::move(error));
  lexer_.Reset(i);
  return true;
}

bool TextParser::ParsePadding(PaddingConfig* padding) {
  // Of a scalar there is nothing to write.
  const char first = lexer_.ByteAt(token().begin);
  if (!IsDigit(first) && first != '-') return true;
  return ScanPadding(&padding->dimensions);
}

bool TextParser::ParseDomain(DomainShardings* domain) {
  if (!Expect(Tok::kLBrace, "'{'") || !ExpectAttr("kind")) return false;
  if (!Is(Tok::kString) || token().text != "sharding") {
    return Unexpected("\"sharding\", the only kind of domain");
  }
  lexer_.Next();
  Sharding entry, exit;
  Eat(Tok::kComma);
  if (!ExpectAttr("entry") || !ParseSharding(&entry)) return false;
  Eat(Tok::kComma);
  if (!ExpectAttr("exit") || !ParseSharding(&exit)) return false;
  domain->entry = std::make_shared<const Sharding>(std::move(entry));
  domain->exit = std::make_shared<const Sharding>(std::move(exit));
  return Expect(Tok::kRBrace, "'}'");
}

bool TextParser::ParseTensorSparsity(TensorSparsity* sparsity) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (!Eat(Tok::kRBrace)) {
    if (Eat(Tok::kComma)) continue;
    if (EatAttr("sparsity")) {
      const size_t offset = token().begin;
      Int64List values;
      if (!ScanInts("sparsity", &values)) return false;
      if (values.size() != 2) {
        return Error(offset, "a sparsity looks like 2x4: non-zeros x block");
      }
      sparsity->num_non_zero = values[0];
      sparsity->block_size = values[1];
    } else if (EatAttr("dimension")) {
      if (!ParseInt64(&sparsity->dimension)) return false;
    } else if (EatAttr("stride")) {
      if (!ParseInt64(&sparsity->stride)) return false;
    } else {
      return Unexpected("sparsity=, dimension=, stride= or '}'");
    }
  }
  return true;
}

bool TextParser::ParseSparsityConfig(SparsityConfig* config) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (!Eat(Tok::kRBrace)) {
    if (Eat(Tok::kComma)) continue;
    if (EatAttr("lhs")) {
      config->has_lhs = true;
      if (!ParseTensorSparsity(&config->lhs)) return false;
    } else if (EatAttr("rhs")) {
      config->has_rhs = true;
      if (!ParseTensorSparsity(&config->rhs)) return false;
    } else {
      return Unexpected("lhs=, rhs= or '}'");
    }
  }
  return true;
}

bool TextParser::ParseResultAccuracy(ResultAccuracy* accuracy) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  if (EatAttr("mode")) {
    if (!Is(Tok::kIdent)) return Unexpected("default or highest");
    if (absl::EqualsIgnoreCase(token().text, "highest")) {
      accuracy->mode = 1;
    } else if (!absl::EqualsIgnoreCase(token().text, "default")) {
      return UnknownWord(token().text,
                         absl::StrCat("'", token().text,
                                      "' is not a mode: write default or "
                                      "highest"),
                         /*has_meaning=*/true);
    }
    lexer_.Next();
    return Expect(Tok::kRBrace, "'}'");
  }
  if (!EatAttr("tolerance")) return Unexpected("mode= or tolerance=");
  accuracy->has_tolerance = true;
  return ParseBraces([&] {
           double ulps;
           if (EatAttr("atol")) return ParseNumber(&accuracy->atol);
           if (EatAttr("rtol")) return ParseNumber(&accuracy->rtol);
           if (!EatAttr("ulps")) return Unexpected("atol=, rtol= or ulps=");
           const size_t offset = token().begin;
           if (!ParseNumber(&ulps)) return false;
           if (!(ulps >= 0 && ulps < 9e18)) {
             return Error(offset, "ulps must be zero or more");
           }
           accuracy->ulps = static_cast<int64_t>(ulps);
           return true;
         }) &&
         Expect(Tok::kRBrace, "'}'");
}

}  // namespace hlokit::parse
