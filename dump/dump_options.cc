#include "dump/dump_options.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlokit {
namespace {

re2::StringPiece Piece(absl::string_view text) {
  return re2::StringPiece(text.data(), text.size());
}

// "sponge" and the like stand for a folder that the environment names.
std::string ResolveFolder(
    const std::string& folder,
    const std::function<const char*(const char*)>& getenv,
    std::vector<std::string>* warnings) {
  if (!absl::EqualsIgnoreCase(folder, "sponge") &&
      !absl::EqualsIgnoreCase(folder, "test_undeclared_outputs_dir")) {
    return folder;
  }
  const char* value = getenv ? getenv("TEST_UNDECLARED_OUTPUTS_DIR") : nullptr;
  if (value != nullptr) return value;
  warnings->push_back(absl::StrFormat(
      "--xla_dump_to=%s, but the environment variable "
      "TEST_UNDECLARED_OUTPUTS_DIR is not set: nothing is dumped",
      folder));
  return "";
}

}  // namespace

NameFilter::NameFilter(absl::string_view flag, absl::string_view expression,
                       std::vector<std::string>* warnings) {
  if (expression.empty()) return;
  set_ = true;
  RE2::Options quiet;
  quiet.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(Piece(expression), quiet);
  if (regex->ok()) {
    regex_ = std::move(regex);
  } else {
    warnings->push_back(
        absl::StrFormat("--%s=%s is no regular expression (%s): it matches "
                        "nothing",
                        flag, expression, regex->error()));
  }
}

bool NameFilter::Matches(absl::string_view name) const {
  return regex_ != nullptr && RE2::PartialMatch(Piece(name), *regex_);
}

PrintOptions DumpPrintOptions(const xla::DebugOptions& debug_options) {
  PrintOptions print = debug_options.xla_dump_hlo_as_long_text()
                           ? PrintOptions::Default()
                           : PrintOptions::ShortParsable();
  print.print_large_constants = debug_options.xla_dump_large_constants();
  print.print_metadata = !debug_options.xla_dump_disable_metadata();
  print.syntax_sugar_async_ops = debug_options.xla_syntax_sugar_async_ops();
  print.print_inline_stack_frames =
      debug_options.xla_hlo_print_inline_stack_frames();
  print.compact_gte = debug_options.xla_dump_compact_gte();
  return print;
}

DumpOptions MakeDumpOptions(
    const xla::DebugOptions& debug,
    const std::function<const char*(const char*)>& getenv,
    std::vector<std::string>* warnings) {
  DumpOptions options;
  options.debug_options = debug;
  options.print_options = DumpPrintOptions(debug);
  if (!debug.xla_enable_dumping()) return options;

  options.folder = ResolveFolder(debug.xla_dump_to(), getenv, warnings);
  if (options.folder.empty() && !debug.xla_dump_to().empty()) return options;
  options.text = debug.xla_dump_hlo_as_text();
  options.proto = debug.xla_dump_hlo_as_proto();
  options.compress_protos = debug.xla_dump_compress_protos();
  options.dot = debug.xla_dump_hlo_as_dot();
  options.html = debug.xla_dump_hlo_as_html();
  options.url = debug.xla_dump_hlo_as_url();
  options.snapshots = debug.xla_dump_hlo_snapshots();
  options.unoptimized_snapshots = debug.xla_dump_hlo_unoptimized_snapshots();
  options.module_filter = NameFilter("xla_dump_hlo_module_re",
                                     debug.xla_dump_hlo_module_re(), warnings);
  options.pass_filter = NameFilter("xla_dump_hlo_pass_re",
                                   debug.xla_dump_hlo_pass_re(), warnings);
  options.pipeline_filter =
      NameFilter("xla_dump_hlo_pipeline_re", debug.xla_dump_hlo_pipeline_re(),
                 warnings);
  options.emitter_filter = NameFilter("xla_dump_emitter_re",
                                      debug.xla_dump_emitter_re(), warnings);
  options.only_changing_passes = debug.xla_dump_hlo_pass_re() == ".*";
  options.include_timestamp = debug.xla_dump_include_timestamp();
  options.to_subfolder = debug.xla_dump_hlo_to_subfolder();
  if (debug.xla_dump_max_hlo_modules() > 0) {
    options.max_modules = debug.xla_dump_max_hlo_modules();
  }

  const bool any_format = options.text || options.proto || options.dot ||
                          options.html || options.url || options.snapshots ||
                          options.unoptimized_snapshots;
  const bool any_filter = options.module_filter.is_set() ||
                          options.pass_filter.is_set() ||
                          options.emitter_filter.is_set();
  if (options.folder.empty() && (any_format || any_filter)) {
    options.folder = "-";
  }
  if (options.enabled() && !any_format) options.text = true;
  return options;
}

}  // namespace hlokit
