// What to dump, where, and how: the xla_dump_* fields of DebugOptions made into
// decisions.
//
// The rules are XLA's; where it does not do what its help text promises, the
// help text wins: a module, pass or emitter regex without a folder dumps to
// stdout, and max_hlo_modules counts modules, not files.
#ifndef HLOKIT_DUMP_DUMP_OPTIONS_H_
#define HLOKIT_DUMP_DUMP_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/print/print_options.h"
#include "re2/re2.h"
#include "xla/xla.pb.h"

namespace hlokit {

// A regular expression (RE2) that matches part of a name. Two forms of saying
// "all but these" are understood besides, which RE2 has not: a `!` in front,
// and a negative lookahead at the start, as `^(?!dce|cse)` and `(?!dce|cse).*`.
class NameFilter {
 public:
  NameFilter() = default;
  // A bad expression matches nothing and is reported once in `warnings`.
  NameFilter(absl::string_view flag, absl::string_view expression,
             std::vector<std::string>* warnings);
  bool is_set() const { return set_; }
  // "All but these".
  bool is_negative() const { return unwanted_ != nullptr; }
  bool Matches(absl::string_view name) const;

 private:
  bool set_ = false;
  std::shared_ptr<const RE2> regex_;  // null: bad
  std::shared_ptr<const RE2> unwanted_;  // null: not negative
};

// How protos are compressed: gzip by --xla_dump_compress_protos; zstd by
// --xla_backend_extra_options=xla_hlokit_dump_compression=zstd, which XLA
// itself leaves alone.
enum class DumpCompression { kNone, kGzip, kZstd };

struct DumpOptions {
  std::string folder;  // "": no dumps; "-": stdout
  bool text = false;
  bool proto = false;
  DumpCompression compression = DumpCompression::kNone;
  bool dot = false;
  bool html = false;
  bool url = false;
  bool sharding_color = false;  // in graphs
  bool addresses = false;       // in graphs
  bool snapshots = false;
  bool unoptimized_snapshots = false;
  bool fusion_visualization = false;
  bool module_metadata = false;
  bool full_hlo_config = false;
  bool buffer_assignment_analysis = false;
  bool fdo_profiles = false;

  NameFilter module_filter;    // not set: every module
  NameFilter pass_filter;      // not set: no pass
  NameFilter pipeline_filter;  // not set: every pipeline
  NameFilter emitter_filter;   // not set: no emitter
  // The pass regex is exactly ".*": only passes that changed the module.
  bool only_changing_passes = false;

  bool include_timestamp = false;
  bool to_subfolder = false;     // <folder>/<module>/<host>_<pid>/
  int64_t max_modules = 0;       // 0: no limit
  PrintOptions print_options;
  xla::DebugOptions debug_options;  // for the .debug_options files

  // Any format that DumpModule and DumpPass write.
  bool any_module_format() const {
    return text || proto || dot || html || url;
  }
  // Neither snapshots nor modules keep artifacts (IR, .debug_options) away, but
  // unoptimized snapshots alone do.
  bool artifacts() const {
    return any_module_format() || snapshots || !unoptimized_snapshots;
  }
  bool enabled() const { return !folder.empty(); }
  bool to_stdout() const { return folder == "-"; }
};

// `getenv` resolves "sponge" and "test_undeclared_outputs_dir". What is wrong
// with the options becomes a warning; dumping never fails a compilation.
DumpOptions MakeDumpOptions(
    const xla::DebugOptions& debug_options,
    const std::function<const char*(const char*)>& getenv,
    std::vector<std::string>* warnings);

// The text form that the options ask for.
PrintOptions DumpPrintOptions(const xla::DebugOptions& debug_options);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_OPTIONS_H_
