// Numbers in check lines: [[#n:]], [[#%x,n:]], [[#n+1]], [[@LINE-2]].
#ifndef HLOKIT_HLO_OPT_FILE_CHECK_NUMBERS_H_
#define HLOKIT_HLO_OPT_FILE_CHECK_NUMBERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// How a number is written: unsigned (%u), signed (%d) or hexadecimal (%x, %X),
// with at least `digits` digits and maybe 0x before it (%#x).
struct NumberForm {
  char kind = 'u';
  int digits = 0;
  bool prefix = false;
  bool operator==(const NumberForm&) const = default;
};

struct NumericVariable {
  int64_t value = 0;
  NumberForm form;
};
using NumericVariables = std::map<std::string, NumericVariable>;

// What stands between "[[#" (or "[[" before @LINE) and "]]".
struct NumericBlock {
  NumberForm form;
  std::string name;              // to be defined; "" for none
  std::optional<int64_t> value;  // what must stand there; else any number
};

// Reads the block and computes its expression: integers, variables, @LINE (the
// line of the check), + - and parentheses, add sub mul div min max. NotFound
// names a variable that is not defined; InvalidArgument for everything else
// that is wrong, also numbers that do not fit 64 bits.
absl::StatusOr<NumericBlock> ParseNumericBlock(
    absl::string_view text, const NumericVariables& variables, int64_t line);

// A regular expression, without groups, for any number of a form.
std::string NumberPattern(const NumberForm& form);
std::string FormatNumber(int64_t value, const NumberForm& form);
// Of a text that NumberPattern has matched; InvalidArgument when it is too
// large.
absl::StatusOr<int64_t> ReadNumber(absl::string_view text,
                                   const NumberForm& form);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_FILE_CHECK_NUMBERS_H_
