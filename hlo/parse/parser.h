// Reads HLO text.
//
// Accepts everything that the text format allows, with or without a HloModule
// line, percent signs, signatures, result types or layouts, and single
// instructions; older and newer spellings too. Every fault becomes a diagnostic
// with its place; reading goes on at the next instruction.
//
// Specification: the grammar of docs/hlo-text.md.
#ifndef HLOKIT_HLO_PARSE_PARSER_H_
#define HLOKIT_HLO_PARSE_PARSER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/diagnostics.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"

namespace hlokit {

// What a newer XLA writes and this version does not know.
enum class UnknownPolicy {
  kRefuse,          // an error
  kKeepAttributes,  // attributes, their words and proto fields are kept
  kKeepAll,         // opcodes and element types too
};

struct ParseOptions {
  // What is kept gives one warning for each name (hlo/ir/unknown.h).
  UnknownPolicy unknown = UnknownPolicy::kRefuse;
  // A constant with "{...}" has no value and prints as it was.
  bool keep_elided_constants = false;
  // "{...}" in a constant is filled with a running counter as XLA does (with a
  // warning that names the constant). Off: an error.
  bool fill_elided_constants = true;
  // Constants become what XLA's own reader makes of them, losses included: an
  // integer in the place of a floating-point number goes through int64 (-0 loses
  // its sign, 2^63 and more become negative, 2^64 is an error), integers too wrap
  // at 2^63 before their range is checked, a complex number whose real part is NaN
  // has that NaN as its imaginary part, the NaN of an imaginary part goes through
  // a double, and layouts lose E(...). Off: what the text says.
  // hlo/print/README.md has the table.
  bool xla_literal_quirks = false;
  // Limits that keep a small text from asking for much.
  int max_nesting = 8192;             // shapes, literals, nested computations
  int64_t max_literal_bytes = int64_t{1} << 34;
  // Told of parts of the text, large constants, that will not be read again but
  // for messages: their memory may be given back if the text is a mapped file.
  // May be empty.
  std::function<void(absl::string_view)> consumed;
};

// Everything that can be kept is: for tools that look, draw and search.
ParseOptions LenientParseOptions();

// Null when there were errors; `diagnostics` (made over `text`) then says which.
// It may hold warnings in any case. `text` need not outlive the module.
std::unique_ptr<Module> ParseModule(absl::string_view text,
                                    Diagnostics* diagnostics,
                                    const ParseOptions& options = {});

// The same with a status that holds all diagnostics as text.
absl::StatusOr<std::unique_ptr<Module>> ParseModule(
    absl::string_view text, absl::string_view file_name = "<text>",
    const ParseOptions& options = {});

// Pieces, each of which must be the whole text.
absl::StatusOr<Shape> ParseShape(absl::string_view text);
absl::StatusOr<Layout> ParseLayout(absl::string_view text);
absl::StatusOr<Sharding> ParseSharding(absl::string_view text);
absl::StatusOr<ReplicaGroups> ParseReplicaGroups(absl::string_view text);
absl::StatusOr<Window> ParseWindow(absl::string_view text);
absl::StatusOr<ConvolutionDims> ParseDimLabels(absl::string_view text);
absl::StatusOr<PaddingConfig> ParsePadding(absl::string_view text);
absl::StatusOr<Literal> ParseLiteral(absl::string_view text,
                                     const Shape& shape);

// A module's text in a file.
struct ModuleText {
  std::string name;        // from the banner or header; may be empty
  absl::string_view text;
  std::shared_ptr<const std::string> owned;  // holds the text if the file does not
  int64_t first_line = 1;  // in the file
  // Where the lines are in the file, of texts that were put together.
  std::vector<LineShift> lines;
  std::string banner;      // the name between "*** Begin" and "***"; may be empty
  bool cut = false;        // its "*** End" banner is missing
};

// Cuts a file into modules: at lines that are exactly `separator` (of
// --split-input-file), or, when there are none, at every HloModule line. Each is
// a view into the file. Nothing is left out: the parser reports what is not HLO.
// hlo/extract takes modules out of logs and web pages.
std::vector<ModuleText> SplitModules(absl::string_view file,
                                     absl::string_view separator = "// -----");

}  // namespace hlokit

#endif  // HLOKIT_HLO_PARSE_PARSER_H_
