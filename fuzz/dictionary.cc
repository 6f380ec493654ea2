// Prints a libFuzzer dictionary made from the tables.
#include <cstdio>

int main() {
  const char* const words[] = {
#define HLO_OPCODE(Enum, name, ...) name,
#include "hlo/ir/opcodes.def"
#define HLO_ATTRIBUTE(Enum, name, ...) name,
#include "hlo/ir/attributes.def"
#define HLO_PRIMITIVE_TYPE(Enum, name, ...) name,
#include "hlo/ir/primitive_types.def"
      "ROOT", "ENTRY", "HloModule", "entry_computation_layout", "is_scheduled",
      "...", "->", "<=", "manual", "replicated", "maximal", "{", "}", "/*"};
  for (const char* word : words) std::printf("\"%s\"\n", word);
}
