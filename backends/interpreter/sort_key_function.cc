#include "backends/interpreter/sort_key_function.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "backends/interpreter/elementwise.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// Larger functions are left to the general sort.
constexpr size_t kMaxKeySteps = 64;
// Elements that go through all steps together.
constexpr int64_t kBlock = 1024;

// Whether `b` computes from parameter `second` what `a` does from `first`.
class Matcher {
 public:
  Matcher(int64_t first, int64_t second) : first_(first), second_(second) {}

  bool Match(const Instruction& a, const Instruction& b) {
    const auto [it, inserted] = matched_.try_emplace(&a, &b);
    if (!inserted) return it->second == &b;
    if (matched_.size() > kMaxKeySteps) return false;
    if (a.opcode() != b.opcode() || !a.shape().IsScalar() ||
        !b.shape().IsScalar() ||
        a.shape().element_type() != b.shape().element_type() ||
        a.operand_count() != b.operand_count()) {
      return false;
    }
    if (a.opcode() == Opcode::kParameter) {
      return a.parameter_number() == first_ && b.parameter_number() == second_;
    }
    if (!a.called_computations().empty() || !(a.attrs() == b.attrs())) {
      return false;
    }
    for (int64_t i = 0; i < a.operand_count(); ++i) {
      if (!Match(*a.operand(i), *b.operand(i))) return false;
    }
    order_.push_back(&a);
    return true;
  }

  // What `a` needs, operands first; no parameter.
  const std::vector<const Instruction*>& order() const { return order_; }

 private:
  int64_t first_;
  int64_t second_;
  absl::flat_hash_map<const Instruction*, const Instruction*> matched_;
  std::vector<const Instruction*> order_;
};

PrimitiveType TypeOf(const Instruction& instruction) {
  return instruction.shape().element_type();
}

// The function of an elementwise instruction whose operands have one type.
ElementFunction FunctionOf(const Instruction& instruction) {
  const int64_t count = instruction.operand_count();
  if (count == 0 || !IsElementwise(instruction.opcode()) ||
      InfoOf(instruction.opcode()).arity != count) {
    return {};
  }
  const PrimitiveType type = TypeOf(*instruction.operand(count - 1));
  const bool takes_pred = instruction.opcode() == Opcode::kSelect;
  for (int64_t i = 0; i < count; ++i) {
    const PrimitiveType wanted = takes_pred && i == 0 ? kPred : type;
    if (TypeOf(*instruction.operand(i)) != wanted) return {};
  }
  switch (instruction.opcode()) {
    case Opcode::kClamp:
      return ClampFunction(type);
    case Opcode::kCompare:
      return CompareFunction(instruction.comparison_direction(),
                             instruction.comparison_type(), type);
    case Opcode::kSelect:
      return SelectFunction(type);
    default:
      return count == 1 ? UnaryFunction(instruction.opcode(), type)
                        : BinaryFunction(instruction.opcode(), type);
  }
}

}  // namespace

struct SortKeyFunction::Step {
  ElementFunction function;       // null: convert, or a constant
  std::vector<int> inputs;        // steps; -1: the element itself
  PrimitiveType from = kInvalid;  // of convert
  PrimitiveType type = kInvalid;
};

SortKeyFunction::~SortKeyFunction() = default;

std::unique_ptr<SortKeyFunction> SortKeyFunction::Recognize(
    Context& context, const Computation& comparator, int64_t first,
    int64_t second, std::optional<Comparison>* comparison) {
  const Instruction* root = comparator.root();
  if (root == nullptr || root->opcode() != Opcode::kCompare ||
      root->operand_count() != 2) {
    return nullptr;
  }
  Matcher matcher(first, second);
  if (!matcher.Match(*root->operand(0), *root->operand(1))) return nullptr;
  auto result = std::unique_ptr<SortKeyFunction>(new SortKeyFunction);
  absl::flat_hash_map<const Instruction*, int> numbers;
  for (const Instruction* instruction : matcher.order()) {
    Step step;
    step.type = TypeOf(*instruction);
    std::vector<char> value(kBlock * StorageBytes(step.type));
    if (instruction->opcode() == Opcode::kConstant) {
      const Literal* literal = instruction->literal();
      if (literal == nullptr || literal->element_type() != step.type ||
          !literal->shape().IsScalar()) {
        return nullptr;
      }
      for (int64_t i = 0; i < kBlock; ++i) {
        std::memcpy(&value[i * literal->size_bytes()], literal->untyped_data(),
                    literal->size_bytes());
      }
    } else if (instruction->opcode() == Opcode::kConvert &&
               instruction->operand_count() == 1) {
      step.from = TypeOf(*instruction->operand(0));
    } else {
      step.function = FunctionOf(*instruction);
      if (!step.function || step.function.result_type != step.type) {
        return nullptr;
      }
    }
    for (const Instruction* operand : instruction->operands()) {
      const auto it = numbers.find(operand);
      step.inputs.push_back(it == numbers.end() ? -1 : it->second);
    }
    numbers[instruction] = static_cast<int>(result->steps_.size());
    result->steps_.push_back(std::move(step));
    result->values_.push_back(std::move(value));
  }
  if (result->steps_.empty()) return nullptr;
  *comparison = Comparison{root->comparison_direction(),
                           root->comparison_type(),
                           TypeOf(*root->operand(0))};
  return result;
}

absl::Status SortKeyFunction::Run(PrimitiveType type, const char* elements,
                                  int64_t count, std::vector<char>* keys) {
  const int64_t bytes = StorageBytes(type);
  const int64_t key_bytes = StorageBytes(steps_.back().type);
  keys->resize(count * key_bytes);
  for (int64_t start = 0; start < count; start += kBlock) {
    const int64_t n = std::min(kBlock, count - start);
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const char* inputs[3] = {};
      HLOKIT_CHECK(step.inputs.size() <= 3);
      for (size_t k = 0; k < step.inputs.size(); ++k) {
        inputs[k] = step.inputs[k] < 0 ? elements + start * bytes
                                       : values_[step.inputs[k]].data();
      }
      if (step.function) {
        step.function(inputs, values_[i].data(), n);
      } else if (step.from != kInvalid) {
        ConvertElements(step.from, inputs[0], step.type, values_[i].data(), n);
      }
    }
    std::memcpy(keys->data() + start * key_bytes, values_.back().data(),
                n * key_bytes);
  }
  return absl::OkStatus();
}

}  // namespace hlokit::interpreter
