#include "backends/custom_call/ffi_attributes.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/custom_call/text_cursor.h"
#include "base/status.h"
#include "hlo/ir/literal.h"

namespace hlokit::custom_call {
namespace {

constexpr int kMaxDepth = 32;

struct MlirType {
  absl::string_view name;
  PrimitiveType type;
};

PrimitiveType TypeOf(absl::string_view name) {
  static constexpr MlirType kTypes[] = {
      {"i1", kPred},   {"i4", kS4},     {"i8", kS8},     {"i16", kS16},
      {"i32", kS32},   {"i64", kS64},   {"si4", kS4},    {"si8", kS8},
      {"si16", kS16},  {"si32", kS32},  {"si64", kS64},  {"ui4", kU4},
      {"ui8", kU8},    {"ui16", kU16},  {"ui32", kU32},  {"ui64", kU64},
      {"f16", kF16},   {"bf16", kBF16}, {"f32", kF32},   {"f64", kF64},
      {"index", kS64},
  };
  for (const MlirType& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return kInvalid;
}

// A value as it is written, before its type is known.
struct Number {
  bool is_float = false;
  bool is_hex = false;
  bool is_bool = false;
  uint64_t bits = 0;  // of integers, pred and hexadecimal numbers
  double value = 0;
};

class Reader : private TextCursor {
 public:
  explicit Reader(absl::string_view text) : TextCursor(text) {}

  absl::Status Read(std::vector<FfiAttribute>* attributes) {
    if (AtEnd()) return absl::OkStatus();
    HLOKIT_RETURN_IF_ERROR(ReadDictionary(attributes, 0));
    return AtEnd() ? absl::OkStatus() : Wrong("the end");
  }

 private:
  absl::Status Wrong(absl::string_view wanted) const {
    return InvalidArgument(
        "cannot read the attributes of the custom-call: %s is wanted at byte "
        "%d of %s",
        wanted, static_cast<int64_t>(at_), text_);
  }
  absl::Status Want(char c) {
    return Take(c) ? absl::OkStatus() : Wrong(absl::string_view(&c, 1));
  }
  // Letters, digits and what else names and numbers are made of.
  absl::string_view Word() {
    SkipSpace();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (absl::ascii_isalnum(text_[at_]) ||
            absl::StrContains("_.$-+", text_.substr(at_, 1)))) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  absl::Status ReadString(std::string* value) {
    HLOKIT_RETURN_IF_ERROR(Want('"'));
    value->clear();
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        value->push_back(text_[at_]);
        continue;
      }
      if (++at_ >= text_.size()) break;
      const char c = text_[at_];
      // MLIR writes other bytes as two hexadecimal digits.
      if (absl::ascii_isxdigit(c) && at_ + 1 < text_.size() &&
          absl::ascii_isxdigit(text_[at_ + 1])) {
        absl::StrAppend(value, absl::HexStringToBytes(text_.substr(at_, 2)));
        ++at_;
      } else {
        value->push_back(c == 'n' ? '\n' : c == 't' ? '\t' : c);
      }
    }
    return Want('"');
  }

  absl::Status ReadDictionary(std::vector<FfiAttribute>* members, int depth) {
    if (depth > kMaxDepth) return Wrong("less nesting");
    HLOKIT_RETURN_IF_ERROR(Want('{'));
    if (Take('}')) return absl::OkStatus();
    do {
      FfiAttribute member;
      if (Peek() == '"') {
        HLOKIT_RETURN_IF_ERROR(ReadString(&member.name));
      } else {
        member.name = std::string(Word());
      }
      if (member.name.empty()) return Wrong("a name");
      if (Take('=')) {
        HLOKIT_RETURN_IF_ERROR(ReadValue(&member, depth));
      } else {
        member.type = kPred;
        member.bytes = std::string(1, '\1');
      }
      members->push_back(std::move(member));
    } while (Take(','));
    std::sort(members->begin(), members->end(),
              [](const FfiAttribute& a, const FfiAttribute& b) {
                return a.name < b.name;
              });
    const auto twice = std::adjacent_find(
        members->begin(), members->end(),
        [](const FfiAttribute& a, const FfiAttribute& b) {
          return a.name == b.name;
        });
    if (twice != members->end()) {
      return InvalidArgument("the custom-call has two attributes %s",
                             twice->name);
    }
    return Want('}');
  }

  absl::Status ReadValue(FfiAttribute* a, int depth) {
    switch (Peek()) {
      case '{':
        a->kind = XLA_FFI_AttrType_DICTIONARY;
        return ReadDictionary(&a->members, depth + 1);
      case '"':
        a->kind = XLA_FFI_AttrType_STRING;
        return ReadString(&a->bytes);
      default:
        break;
    }
    const size_t start = at_;
    const absl::string_view word = Word();
    if (word == "array") return ReadArray(a);
    if (word == "dense") return ReadDense(a);
    at_ = start;
    Number number;
    HLOKIT_RETURN_IF_ERROR(ReadNumber(&number));
    a->type = number.is_bool    ? kPred
              : number.is_float ? kF64
                                : kS64;
    if (Take(':')) HLOKIT_RETURN_IF_ERROR(ReadType(&a->type));
    return AppendNumber(number, a);
  }

  absl::Status ReadType(PrimitiveType* type) {
    SkipSpace();
    const size_t start = at_;
    absl::string_view word = Word();
    if (word == "complex" && Take('<')) {
      const PrimitiveType part = TypeOf(Word());
      *type = part == kF32 ? kC64 : part == kF64 ? kC128 : kInvalid;
      HLOKIT_RETURN_IF_ERROR(Want('>'));
    } else {
      *type = TypeOf(word);
    }
    if (*type != kInvalid) return absl::OkStatus();
    at_ = start;
    return Wrong("a type of numbers");
  }

  absl::Status ReadNumber(Number* number) {
    const size_t start = at_;
    absl::string_view word = Word();
    number->is_bool = word == "true" || word == "false";
    if (number->is_bool) {
      number->bits = word == "true";
      return absl::OkStatus();
    }
    const absl::string_view all = word;
    const bool negative = absl::ConsumePrefix(&word, "-");
    if (absl::StartsWith(word, "0x") || absl::StartsWith(word, "0X")) {
      number->is_hex = true;
      if (absl::SimpleHexAtoi(word, &number->bits)) {
        if (negative) number->bits = -number->bits;
        return absl::OkStatus();
      }
    } else if (absl::SimpleAtoi(word, &number->bits)) {
      number->value = static_cast<double>(number->bits);
      if (negative) {
        number->bits = -number->bits;
        number->value = -number->value;
      }
      return absl::OkStatus();
    } else if (!word.empty() && absl::SimpleAtod(all, &number->value)) {
      number->is_float = true;
      return absl::OkStatus();
    }
    at_ = start;
    return Wrong("a value");
  }

  absl::Status AppendNumber(const Number& number, FfiAttribute* a) {
    if (IsComplexType(a->type)) return Wrong("a real number");
    const bool to_float = IsFloatType(a->type);
    if (number.is_float && !to_float) return Wrong("an integer");
    const int64_t bytes = StorageBytes(a->type);
    if (number.is_hex && to_float) {  // the bits
      a->bytes.append(reinterpret_cast<const char*>(&number.bits), bytes);
    } else if (to_float) {
      const Literal value = Literal::ScalarOf(a->type, number.value);
      a->bytes.append(value.untyped_data(), bytes);
    } else {
      const uint64_t bits = a->type == kPred ? number.bits != 0 : number.bits;
      a->bytes.append(reinterpret_cast<const char*>(&bits), bytes);
    }
    ++a->size;
    return absl::OkStatus();
  }

  // <f32: 1, 2>
  absl::Status ReadArray(FfiAttribute* a) {
    a->kind = XLA_FFI_AttrType_ARRAY;
    HLOKIT_RETURN_IF_ERROR(Want('<'));
    HLOKIT_RETURN_IF_ERROR(ReadType(&a->type));
    if (Take(':')) {
      do {
        Number number;
        SkipSpace();
        HLOKIT_RETURN_IF_ERROR(ReadNumber(&number));
        HLOKIT_RETURN_IF_ERROR(AppendNumber(number, a));
      } while (Take(','));
    }
    return Want('>');
  }

  // <[[1, 2], [3, 4]]> : tensor<2x2xf32>, <0.5> : tensor<4xf32>,
  // <"0x0000803F"> : tensor<1xf32>
  absl::Status ReadDense(FfiAttribute* a) {
    a->kind = XLA_FFI_AttrType_ARRAY;
    HLOKIT_RETURN_IF_ERROR(Want('<'));
    std::vector<Number> numbers;
    std::string raw;
    if (Peek() == '"') {
      std::string hex;
      HLOKIT_RETURN_IF_ERROR(ReadString(&hex));
      if (!absl::StartsWith(hex, "0x") || hex.size() % 2 != 0 ||
          !std::all_of(hex.begin() + 2, hex.end(), absl::ascii_isxdigit)) {
        return Wrong("hexadecimal digits");
      }
      raw = absl::HexStringToBytes(absl::string_view(hex).substr(2));
    } else {
      HLOKIT_RETURN_IF_ERROR(ReadNested(&numbers, 0));
    }
    HLOKIT_RETURN_IF_ERROR(Want('>'));
    HLOKIT_RETURN_IF_ERROR(Want(':'));
    int64_t count = 1;
    HLOKIT_RETURN_IF_ERROR(ReadTensorType(&a->type, &count));
    if (!raw.empty()) {
      const int64_t bytes = StorageBytes(a->type);
      if (static_cast<int64_t>(raw.size()) != count * bytes) {
        return Wrong("a tensor of as many bytes");
      }
      a->bytes = std::move(raw);
      a->size = count;
      return absl::OkStatus();
    }
    constexpr int64_t kMost = int64_t{1} << 24;
    const bool splat = numbers.size() == 1;
    if (count > kMost ||
        (!splat && static_cast<int64_t>(numbers.size()) != count)) {
      return Wrong("a tensor of as many elements");
    }
    for (int64_t k = 0; k < count; ++k) {
      HLOKIT_RETURN_IF_ERROR(AppendNumber(numbers[splat ? 0 : k], a));
    }
    return absl::OkStatus();
  }

  absl::Status ReadNested(std::vector<Number>* numbers, int depth) {
    if (depth > kMaxDepth) return Wrong("less nesting");
    if (!Take('[')) {
      Number number;
      SkipSpace();
      HLOKIT_RETURN_IF_ERROR(ReadNumber(&number));
      numbers->push_back(number);
      return absl::OkStatus();
    }
    if (Take(']')) return absl::OkStatus();
    do {
      HLOKIT_RETURN_IF_ERROR(ReadNested(numbers, depth + 1));
    } while (Take(','));
    return Want(']');
  }

  // tensor<2x3xf32>
  absl::Status ReadTensorType(PrimitiveType* type, int64_t* count) {
    if (Word() != "tensor" || !Take('<')) return Wrong("a tensor type");
    absl::string_view word = Word();
    for (size_t x = word.find('x'); x != absl::string_view::npos;
         x = word.find('x')) {
      int64_t size;
      if (!absl::SimpleAtoi(word.substr(0, x), &size)) break;
      if (size < 0 || (size > 0 && *count > (int64_t{1} << 40) / size)) {
        return Wrong("a smaller tensor");
      }
      *count *= size;
      word = word.substr(x + 1);
    }
    *type = TypeOf(word);
    if (*type == kInvalid) return Wrong("a tensor of numbers");
    return Want('>');
  }
};

}  // namespace

absl::StatusOr<std::vector<FfiAttribute>> ParseFfiAttributes(
    absl::string_view text) {
  std::vector<FfiAttribute> attributes;
  HLOKIT_RETURN_IF_ERROR(Reader(text).Read(&attributes));
  return attributes;
}

struct FfiAttributeFrame::Level {
  explicit Level(std::vector<FfiAttribute> given)
      : attributes(std::move(given)) {
    for (FfiAttribute& a : attributes) {
      types.push_back(a.kind);
      spans.push_back({a.name.data(), a.name.size()});
      names.push_back(&spans.back());
      values.push_back(Value(&a));
    }
    attrs = {HLOKIT_SIZE_THROUGH(XLA_FFI_Attrs, attrs),
             nullptr,
             static_cast<int64_t>(attributes.size()),
             types.data(),
             names.data(),
             values.data()};
  }

  void* Value(FfiAttribute* a) {
    const auto dtype = static_cast<XLA_FFI_DataType>(a->type);
    switch (a->kind) {
      case XLA_FFI_AttrType_DICTIONARY:
        levels.push_back(std::make_unique<Level>(std::move(a->members)));
        return &levels.back()->attrs;
      case XLA_FFI_AttrType_STRING:
        spans.push_back({a->bytes.data(), a->bytes.size()});
        return &spans.back();
      case XLA_FFI_AttrType_ARRAY:
        arrays.push_back(
            {dtype, static_cast<size_t>(a->size), Aligned(a->bytes)});
        return &arrays.back();
      default:
        scalars.push_back({dtype, Aligned(a->bytes)});
        return &scalars.back();
    }
  }

  void* Aligned(const std::string& bytes) {
    storage.emplace_back((bytes.size() + 15) / 16 + 1);
    std::memcpy(storage.back().data(), bytes.data(), bytes.size());
    return storage.back().data();
  }

  struct alignas(16) Block {
    char bytes[16] = {};
  };
  std::vector<FfiAttribute> attributes;
  std::vector<XLA_FFI_AttrType> types;
  std::vector<XLA_FFI_ByteSpan*> names;
  std::vector<void*> values;
  // Their elements stay where they are.
  std::deque<XLA_FFI_ByteSpan> spans;
  std::deque<XLA_FFI_Scalar> scalars;
  std::deque<XLA_FFI_Array> arrays;
  std::deque<std::vector<Block>> storage;
  std::vector<std::unique_ptr<Level>> levels;
  XLA_FFI_Attrs attrs;
};

FfiAttributeFrame::FfiAttributeFrame(std::vector<FfiAttribute> attributes)
    : top_(std::make_unique<Level>(std::move(attributes))) {}
FfiAttributeFrame::~FfiAttributeFrame() = default;
FfiAttributeFrame::FfiAttributeFrame(FfiAttributeFrame&&) noexcept = default;
FfiAttributeFrame& FfiAttributeFrame::operator=(FfiAttributeFrame&&) noexcept =
    default;

const XLA_FFI_Attrs& FfiAttributeFrame::attrs() const { return top_->attrs; }

}  // namespace hlokit::custom_call
