// What was read, printed and read again is the same.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "fuzz/target.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"

namespace hlokit::fuzz {
namespace {

std::unique_ptr<Module> Read(absl::string_view text) {
  Diagnostics diagnostics("fuzz", text);
  ParseOptions options;
  options.max_literal_bytes = 1 << 22;
  options.fill_elided_constants = false;
  return ParseModule(text, &diagnostics, options);
}

// An instruction that nobody uses is printed after those that the root needs,
// and the order of computations follows that of instructions: the order, and
// nothing else, can change when printed text is read, in XLA as here.
std::vector<absl::string_view> SortedLines(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

void FuzzRoundTrip(absl::string_view bytes) {
  const std::unique_ptr<Module> module = Read(bytes);
  if (module == nullptr) return;
  for (PrintOptions options :
       {PrintOptions::Default(), PrintOptions::ShortParsable(),
        PrintOptions::Canonical(), PrintOptions::Fingerprint(),
        PrintOptions::Dump()}) {
    options.print_large_constants = true;
    ToString(*module, options);
  }
  PrintOptions options;
  options.print_large_constants = true;
  const std::string once = ToString(*module, options);
  const std::unique_ptr<Module> again = Read(once);
  Require(again != nullptr, "printed text can be read");
  Require(SortedLines(ToString(*again, options)) == SortedLines(once),
          "reading it changes nothing");
}

}  // namespace hlokit::fuzz
