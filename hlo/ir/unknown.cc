#include "hlo/ir/unknown.h"

#include <array>
#include <atomic>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "hlo/ir/module.h"

namespace hlokit {
namespace {

constexpr int kFirstUnknownType = 128;
constexpr int kMaxUnknownTypes = 100;
constexpr absl::string_view kNumbered = "type_";

// Written under the lock; a row does not change once it is counted.
struct UnknownTypes {
  absl::Mutex mutex;
  std::array<std::string, kMaxUnknownTypes> names;
  std::atomic<int> count{0};
};

UnknownTypes& TheUnknownTypes() {
  static UnknownTypes& types = *new UnknownTypes;
  return types;
}

// "3:abc": a string behind its length.
void AppendSized(absl::string_view text, std::string* out) {
  absl::StrAppend(out, text.size(), ":", text);
}

bool TakeSized(absl::string_view* from, std::string* text) {
  const size_t colon = from->find(':');
  size_t size;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(from->substr(0, colon), &size)) {
    return false;
  }
  from->remove_prefix(colon + 1);
  if (size > from->size()) return false;
  *text = std::string(from->substr(0, size));
  from->remove_prefix(size);
  return true;
}

std::string UnknownTypeIn(const Shape& shape) {
  std::string found;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (found.empty() && IsUnknownType(leaf.element_type())) {
      found = std::string(PrimitiveTypeName(leaf.element_type()));
    }
  });
  return found;
}

}  // namespace

std::string UnknownKeyOf(absl::string_view key, absl::string_view computation) {
  return absl::StrCat(key, ".", computation);
}

std::string UnknownItemsToString(const std::vector<UnknownItem>& items) {
  std::string text;
  for (const UnknownItem& item : items) {
    AppendSized(item.after, &text);
    AppendSized(item.text, &text);
  }
  return text;
}

std::vector<UnknownItem> UnknownItemsFromString(absl::string_view text) {
  std::vector<UnknownItem> items;
  while (!text.empty()) {
    UnknownItem& item = items.emplace_back();
    if (!TakeSized(&text, &item.after) || !TakeSized(&text, &item.text)) {
      return {};
    }
  }
  return items;
}

absl::string_view UnknownPart(const FrontendAttributes* attributes,
                              absl::string_view key) {
  if (attributes == nullptr) return {};
  auto it = attributes->find(std::string(key));
  return it == attributes->end() ? absl::string_view()
                                 : absl::string_view(it->second);
}

absl::string_view UnknownPart(const Instruction& instruction,
                              absl::string_view key) {
  return UnknownPart(instruction.attrs().Get<FrontendAttributes>(
                         AttrId::kFrontendAttributes),
                     key);
}

void SetUnknownPart(Instruction* instruction, absl::string_view key,
                    std::string value) {
  AttributeSet& attrs = instruction->mutable_attrs();
  const auto* old = attrs.Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  FrontendAttributes map = old == nullptr ? FrontendAttributes() : *old;
  if (value.empty()) {
    map.erase(std::string(key));
  } else {
    map[std::string(key)] = std::move(value);
  }
  if (map.empty()) {
    attrs.Erase(AttrId::kFrontendAttributes);
  } else {
    attrs.SetShared(AttrId::kFrontendAttributes, std::move(map));
  }
}

void MakeUnknownOperation(Instruction* call, absl::string_view opcode) {
  SetUnknownPart(call, kUnknownOpcodeKey, std::string(opcode));
  // For those who look at custom-calls only.
  call->mutable_attrs().Set(AttrId::kCustomCallTarget, std::string(opcode));
  call->mutable_attrs().Set(AttrId::kCustomCallHasSideEffect, true);
}

absl::string_view UnknownOpcode(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kCustomCall) return {};
  return UnknownPart(instruction, kUnknownOpcodeKey);
}

absl::string_view ShownOpcode(const Instruction& instruction) {
  const absl::string_view unknown = UnknownOpcode(instruction);
  return unknown.empty() ? OpcodeName(instruction.opcode()) : unknown;
}

bool IsUnknownKey(absl::string_view key) {
  return absl::StartsWith(key, "hlokit.") &&
         (key == kUnknownOpcodeKey || absl::StartsWith(key, kUnknownFieldsKey) ||
          absl::StartsWith(key, kUnknownTextKey));
}

std::optional<PrimitiveType> UnknownTypeNamed(absl::string_view name) {
  UnknownTypes& types = TheUnknownTypes();
  absl::MutexLock lock(&types.mutex);
  const int count = types.count.load();
  int i = 0;
  while (i < count && types.names[i] != name) ++i;
  if (i == kMaxUnknownTypes) return std::nullopt;
  if (i == count) {
    types.names[i] = std::string(name);
    types.count.store(count + 1);
  }
  return static_cast<PrimitiveType>(kFirstUnknownType + i);
}

std::string UnknownTypeName(int proto_number) {
  return absl::StrCat(kNumbered, proto_number);
}

int UnknownTypeNumber(absl::string_view name) {
  int number = 0;
  if (!absl::ConsumePrefix(&name, kNumbered) ||
      !absl::SimpleAtoi(name, &number) || number < kPrimitiveTypeLimit) {
    return 0;
  }
  return number;
}

// Declared in primitive_type.h; here for the names of unknown ones.
absl::string_view PrimitiveTypeName(PrimitiveType type) {
  if (!IsUnknownType(type)) return InfoOf(type).name;
  const UnknownTypes& types = TheUnknownTypes();
  const int i = type - kFirstUnknownType;
  if (i < 0 || i >= types.count.load()) return InfoOf(kInvalid).name;
  return types.names[i];
}

std::string UnknownMeaning(const Instruction& instruction) {
  const absl::string_view opcode = UnknownOpcode(instruction);
  if (!opcode.empty()) return absl::StrCat("unknown opcode '", opcode, "'");
  const std::string type = UnknownTypeIn(instruction.shape());
  if (!type.empty()) return absl::StrCat("unknown element type '", type, "'");
  const absl::string_view text = UnknownPart(instruction, kUnknownTextKey);
  for (const UnknownItem& item : UnknownItemsFromString(text)) {
    if (item.after == "(") {
      return absl::StrCat("unknown operands (", item.text, ")");
    }
    const absl::string_view name =
        absl::string_view(item.text).substr(0, item.text.find('='));
    for (const OpcodeAttribute& own : InfoOf(instruction.opcode()).attributes) {
      if (AttributeName(own.id) == name) {
        return absl::StrCat("unknown value of ", name, " in '", item.text, "'");
      }
    }
  }
  for (const AttributeSet::Entry& entry : instruction.attrs().entries()) {
    const auto* number = std::get_if<int64_t>(&entry.value);
    if (number == nullptr || InfoOf(entry.id).kind != AttrKind::kEnum ||
        !EnumWord(entry.id, *number).empty()) {
      continue;
    }
    return absl::StrCat("unknown value ", *number, " of ",
                        AttributeName(entry.id));
  }
  return "";
}

std::string UnknownMeaning(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const std::string what = UnknownMeaning(*i);
      if (what.empty()) continue;
      return absl::StrCat("instruction '", i->name(), "' has the ", what);
    }
  }
  return "";
}

}  // namespace hlokit
