// The backend_config of a library call: JSON as XLA:GPU and XLA:CPU write it
//   {"operation_queue_id":"0","gemm_backend_config":{"alpha_real":1,...}}
// the configuration alone, as older versions write it
//   {"alpha_real":1,"dot_dimension_numbers":{...}}
// or the dictionary of a typed FFI call
//   {descending = false, batch_size = 1 : i64}
#ifndef HLOKIT_PASSES_LIBRARY_CALLS_CONFIG_H_
#define HLOKIT_PASSES_LIBRARY_CALLS_CONFIG_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/library_calls/config_text.h"

namespace hlokit {

// Reads values by name and remembers which names were asked for. Names of
// nested objects are joined: "dot_dimension_numbers.lhs_batch_dimensions". The
// first value that cannot be read as its kind makes status() an error. Numbers
// may be quoted, as JSON of protos quotes 64-bit integers. Not thread-safe.
class LibraryConfig {
 public:
  // An error for text that is neither an object nor a dictionary, or that is
  // nested deeper than 32. Empty text is an empty object.
  static absl::StatusOr<LibraryConfig> Parse(absl::string_view text);

  // Reads inside the object `section` if the text has it, else from the top
  // level on. Returns whether it is there.
  bool Enter(absl::string_view section);
  // Whether there is anything in the section.
  bool empty() const;

  bool Has(absl::string_view name);
  int64_t Int(absl::string_view name, int64_t otherwise = 0);
  double Double(absl::string_view name, double otherwise = 0);
  bool Bool(absl::string_view name, bool otherwise = false);
  std::string String(absl::string_view name, absl::string_view otherwise = "");
  std::vector<int64_t> Ints(absl::string_view name);
  std::vector<double> Doubles(absl::string_view name);
  std::vector<std::string> Strings(absl::string_view name);
  // The place in `words` of a word, or a number below its length.
  int64_t Enum(absl::string_view name,
               absl::Span<const absl::string_view> words);
  // `name` and everything inside it changes no values.
  void Ignore(absl::string_view name);

  const absl::Status& status() const { return status_; }
  // An error that names a field of the section which was not asked for and has
  // another value than its type's default. Such a field belongs to a newer XLA
  // and may change what the call computes.
  absl::Status CheckAllKnown() const;

 private:
  const std::string* Find(absl::string_view name);
  std::vector<std::string> List(absl::string_view name);
  void Wrong(absl::string_view name, absl::string_view value,
             absl::string_view kind);

  ConfigValues values_;
  std::map<std::string, bool, std::less<>> known_;
  std::string prefix_;
  absl::Status status_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_LIBRARY_CALLS_CONFIG_H_
