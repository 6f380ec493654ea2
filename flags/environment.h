// Variables beside XLA_FLAGS that decide what is dumped, the flags of
// LIBTPU_INIT_ARGS that people set often, and those of TF_XLA_FLAGS: what is
// mixed up with XLA_FLAGS, explained and checked. Thread-safe.
//
// JAX reads JAX_* variables, libtpu (the TPU's compiler and runtime) reads
// LIBTPU_INIT_ARGS. Neither knows the other's names, nor those of XLA_FLAGS.
#ifndef HLOKIT_FLAGS_ENVIRONMENT_H_
#define HLOKIT_FLAGS_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

enum class VariableKind : uint8_t {
  kXlaFlags,     // see xla_flags.h
  kLibtpuFlags,  // --name=value, apart by blanks
  kTfXlaFlags,   // the same for TensorFlow
  kFolder,       // a path, or "sponge" for $TEST_UNDECLARED_OUTPUTS_DIR
  kWords,        // comma list of `words`
  kBool,         // y, yes, t, true, on, 1 and their opposites, in any case
  kInt,          // a decimal number
  kText,         // anything
};

struct EnvironmentVariable {
  absl::string_view name;
  VariableKind kind;
  absl::string_view reader;  // "JAX", "XLA", "libtpu"
  absl::string_view default_text;
  absl::string_view words;  // of kWords, apart by blanks
  absl::string_view help;   // one short sentence, imperative, no full stop
  absl::string_view more;   // what else to know: whole sentences, may be empty
};

// All of them, sorted by name.
absl::Span<const EnvironmentVariable> EnvironmentVariables();
// By exact name, or by JAX's name for the option ("jax_dump_ir_to"); or null.
const EnvironmentVariable* FindEnvironmentVariable(absl::string_view name);

struct LibtpuFlag {
  absl::string_view name;  // without dashes
  absl::string_view help;  // one short sentence, imperative, no full stop
  absl::string_view trouble;  // why it is not to be used so, may be empty
};

absl::Span<const LibtpuFlag> LibtpuFlags();  // sorted by name
const LibtpuFlag* FindLibtpuFlag(absl::string_view name);
// Whether a name looks like one of libtpu's own ("xla_tpu_...", "xla_jf_...")
// although it is not in the table.
bool LooksLikeLibtpuFlag(absl::string_view name);

enum class TfFlagKind : uint8_t { kBool, kInt, kText, kAutoJit };

struct TfXlaFlag {
  absl::string_view name;  // without dashes
  TfFlagKind kind;
  absl::string_view help;  // one short sentence, imperative, no full stop
};

// The flags that TensorFlow reads from TF_XLA_FLAGS, sorted by name.
absl::Span<const TfXlaFlag> TfXlaFlags();
const TfXlaFlag* FindTfXlaFlag(absl::string_view name);

// What the one who reads the variable makes of its value.
struct VariableFinding {
  enum Severity { kNote, kWarning, kError };  // kError: the reader refuses it
  Severity severity;
  std::string message;
};
// `getenv` answers for variables that this one refers to; may be null.
std::vector<VariableFinding> CheckVariable(
    const EnvironmentVariable& variable, absl::string_view value,
    const std::function<const char*(const char*)>& getenv);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_ENVIRONMENT_H_
