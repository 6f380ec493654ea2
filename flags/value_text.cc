#include "flags/value_text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace hlokit {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Reflection;

namespace {

// absl reads no hexadecimal floats.
bool IsHex(absl::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    text.remove_prefix(1);
  }
  return absl::StartsWithIgnoreCase(text, "0x");
}

template <typename T, typename Read>
bool ParseHex(absl::string_view text, Read read, T* value) {
  std::string copy(absl::StripAsciiWhitespace(text));
  if (!IsHex(copy)) return false;
  char* end = nullptr;
  T result = read(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return false;
  *value = result;
  return true;
}

template <typename T, typename Parse>
std::string ShortestText(T value, int max_digits, Parse parse) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  for (int digits = 6; digits < max_digits; ++digits) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    T back;
    if (parse(text, &back) && back == value) return text;
  }
  return absl::StrFormat("%.*g", max_digits, value);
}

std::string ElementText(const xla::DebugOptions& options,
                        const FieldDescriptor& field, int i) {
  const Reflection* reflection = options.GetReflection();
  bool one = !field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return (one ? reflection->GetBool(options, &field)
                  : reflection->GetRepeatedBool(options, &field, i))
                 ? "true"
                 : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(one
                              ? reflection->GetInt32(options, &field)
                              : reflection->GetRepeatedInt32(options, &field,
                                                             i));
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(one
                              ? reflection->GetInt64(options, &field)
                              : reflection->GetRepeatedInt64(options, &field,
                                                             i));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return FloatText(one ? reflection->GetFloat(options, &field)
                           : reflection->GetRepeatedFloat(options, &field, i));
    case FieldDescriptor::CPPTYPE_ENUM: {
      int number = one ? reflection->GetEnumValue(options, &field)
                       : reflection->GetRepeatedEnumValue(options, &field, i);
      const auto* value = field.enum_type()->FindValueByNumber(number);
      return value != nullptr ? value->name() : absl::StrCat(number);
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return one ? reflection->GetString(options, &field)
                 : reflection->GetRepeatedString(options, &field, i);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return (one ? reflection->GetMessage(options, &field)
                  : reflection->GetRepeatedMessage(options, &field, i))
          .ShortDebugString();
    default:
      return "";
  }
}

}  // namespace

bool ParseBoolText(absl::string_view text, bool* value) {
  if (text == "1" || absl::EqualsIgnoreCase(text, "true")) {
    *value = true;
    return true;
  }
  if (text == "0" || absl::EqualsIgnoreCase(text, "false")) {
    *value = false;
    return true;
  }
  return false;
}

bool ParseFloatText(absl::string_view text, float* value) {
  return absl::SimpleAtof(text, value) || ParseHex(text, std::strtof, value);
}

bool ParseDoubleText(absl::string_view text, double* value) {
  return absl::SimpleAtod(text, value) || ParseHex(text, std::strtod, value);
}

std::string FloatText(float value) {
  return ShortestText(value, 9, ParseFloatText);
}

std::string DoubleText(double value) {
  return ShortestText(value, 17, ParseDoubleText);
}

bool SetFieldText(const FieldDescriptor& field, absl::string_view text,
                  xla::DebugOptions* options) {
  const Reflection* reflection = options->GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL: {
      bool value;
      if (!ParseBoolText(text, &value)) return false;
      reflection->SetBool(options, &field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      int32_t value;
      if (!absl::SimpleAtoi(text, &value)) return false;
      reflection->SetInt32(options, &field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      int64_t value;
      if (!absl::SimpleAtoi(text, &value)) return false;
      reflection->SetInt64(options, &field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      float value;
      if (!ParseFloatText(text, &value)) return false;
      reflection->SetFloat(options, &field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* value = field.enum_type()->FindValueByName(std::string(text));
      if (value == nullptr) return false;
      reflection->SetEnum(options, &field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_STRING:
      reflection->SetString(options, &field, std::string(text));
      return true;
    default:
      return false;
  }
}

std::string FieldText(const xla::DebugOptions& options,
                      const FieldDescriptor& field) {
  if (!field.is_repeated()) return ElementText(options, field, 0);
  std::vector<std::string> items;
  int size = options.GetReflection()->FieldSize(options, &field);
  for (int i = 0; i < size; ++i) {
    items.push_back(ElementText(options, field, i));
  }
  return absl::StrJoin(items, ",");
}

}  // namespace hlokit
