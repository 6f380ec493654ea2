#include "fuzz/valid_module.h"

#include <cstdio>

#include "base/diagnostics.h"
#include "fuzz/target.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/verifier.h"

namespace hlokit::fuzz {
namespace {

constexpr int64_t kMaxInstructions = 400;
constexpr int64_t kMaxElements = 1 << 16;

bool IsModerate(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      if (!IsModerate(element)) return false;
    }
    return true;
  }
  double elements = 1;
  for (int64_t size : shape.dimensions()) elements *= size;
  return elements <= kMaxElements;
}

}  // namespace

std::unique_ptr<Module> ReadValidModule(absl::string_view text) {
  Diagnostics diagnostics("fuzz", text);
  ParseOptions options;
  options.max_literal_bytes = 1 << 20;
  std::unique_ptr<Module> module = ParseModule(text, &diagnostics, options);
  if (module == nullptr || module->instruction_count() > kMaxInstructions) {
    return nullptr;
  }
  for (const auto& computation : module->computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (!IsModerate(i->shape())) return nullptr;
    }
  }
  return VerifyModule(*module).ok() ? std::move(module) : nullptr;
}

void RequireNoInternalError(const absl::Status& status) {
  if (!absl::IsInternal(status)) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  Require(false, "the error is of the input, not of hlokit");
}

}  // namespace hlokit::fuzz
