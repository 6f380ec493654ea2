// The XLA_FLAGS environment variable, read as XLA reads it.
//
//   xla::DebugOptions options = DefaultDebugOptions();
//   XlaFlagsReport report = ParseXlaFlags(getenv("XLA_FLAGS"), fs, &options);
//   err << report.WarningText();
//   if (!report.accept) { err << report.ErrorText(); return kUsage; }
//
// The grammar. Blanks are space, tab, CR and LF, nothing else. A value that
// starts (after blanks) with anything but `-` is, as a whole, the name of a
// file that holds the flags. A token starts with `-`; the first word that does
// not ends the reading, and the rest is dropped. `--name="..."` (backslash
// takes the next character as it is) and `--name='...'` (no escapes) hold
// blanks, only directly after the `=`; a quote that is not closed runs to the
// end; after a closing quote the next token begins. Every other value runs to
// the next blank. No `$VAR` or `~` is expanded. Names are exact; `--name`
// alone is right for bools only. A bare `--` and all after it are unknown.
//
// What XLA does in silence is reported here: dropped text, repeated flags,
// flags joined by commas, quotes not closed, `$` and `~`, files without flags.
// One extension: in files, lines that start with `#` are skipped, with a
// warning.
#ifndef HLOKIT_FLAGS_XLA_FLAGS_H_
#define HLOKIT_FLAGS_XLA_FLAGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/file_system.h"
#include "flags/debug_options.h"
#include "xla/xla.pb.h"

namespace hlokit {

// Offsets are bytes into XlaFlagsReport::text.
struct XlaFlagsReport {
  // A flag that was understood.
  struct Setting {
    std::string name;
    std::string value;  // without quotes; "true" for a bare bool
    std::string token;  // as written
    size_t offset;
  };
  // A token that no flag answers to.
  struct Unknown {
    std::string token;    // as written
    std::string name;     // without dashes and value
    std::string nearest;  // the flag probably meant, "" when none is near
    std::string hint;     // what is wrong with the spelling, may be empty
    size_t offset;
  };
  // A known flag with a value that it does not accept.
  struct Bad {
    std::string name;
    std::string value;
    std::string message;  // names the flag, the value and what is accepted
    size_t offset;
  };
  struct Warning {
    std::string message;
    size_t offset;
  };

  // False when XLA would end the process. Then the options are untouched.
  bool accept = true;
  // Why the text could not be had at all (no such file); else empty.
  std::string refusal;
  // "XLA_FLAGS", or the path of the file that it names.
  std::string source;
  // What was split: the variable's value or the file's contents.
  std::string text;
  std::vector<Setting> set;  // in order
  std::vector<Unknown> unknown;
  std::vector<Bad> bad;
  std::vector<Warning> warnings;
  // The tail that was not read, without blanks at its ends.
  std::string dropped;
  FlagEffects effects;  // fuel; its notes are among the warnings

  // All that is wrong, for people, each with its place in the text and a caret;
  // ends with a newline. "" when accepted. The first line is what XLA prints.
  std::string ErrorText(bool color = false) const;
  // The warnings in the same form; "" when there are none.
  std::string WarningText(bool color = false) const;
};

// Reads the value of XLA_FLAGS into `options`. `files` may be null when there
// are none; then a file name is refused. Thread-safe.
XlaFlagsReport ParseXlaFlags(absl::string_view value, const FileSystem* files,
                             xla::DebugOptions* options);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_XLA_FLAGS_H_
