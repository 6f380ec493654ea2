#include "passes/simplify/literal_canonicalizer.h"

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

using SharedLiteral = Shared<Literal>;

size_t HashOf(const Literal& literal) {
  return absl::HashOf(
      literal.element_type(), literal.size_bytes(),
      literal.size_bytes() > 0
          ? absl::string_view(literal.untyped_data(), literal.size_bytes())
          : absl::string_view());
}

}  // namespace

absl::StatusOr<bool> LiteralCanonicalizer::Run(Module* module) {
  absl::flat_hash_map<size_t, std::vector<SharedLiteral>> seen;
  for (const auto& computation : module->computations()) {
    if (!RunsOn(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::kConstant) continue;
      AttrValue* value = i->mutable_attrs().Find(AttrId::kLiteral);
      auto* mine = value == nullptr ? nullptr
                                    : std::get_if<SharedLiteral>(value);
      if (mine == nullptr || !(*mine)->shape().IsArray()) continue;
      bool found = false;
      auto& candidates = seen[HashOf(**mine)];
      for (const SharedLiteral& other : candidates) {
        // The layout belongs to the literal as well.
        if (*other == **mine && other->shape() == (*mine)->shape()) {
          *mine = other;
          found = true;
          break;
        }
      }
      if (!found) candidates.push_back(*mine);
    }
  }
  return false;
}

}  // namespace hlokit
