#include "dump/dump_options.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "base/regex.h"

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

namespace {

// The end of the group that starts at `open`, or npos.
size_t CloseOfGroup(absl::string_view text, size_t open) {
  int depth = 0;
  bool in_class = false;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (in_class) {
      in_class = text[i] != ']';
    } else if (text[i] == '[') {
      in_class = true;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && --depth == 0) {
      return i;
    }
  }
  return absl::string_view::npos;
}

// "All but these" taken apart: what is not wanted, and what else must match.
struct Negation {
  std::string unwanted, wanted;
};

absl::optional<Negation> ParseNegation(absl::string_view expression) {
  if (absl::ConsumePrefix(&expression, "!")) {
    return Negation{std::string(expression), ""};
  }
  absl::ConsumePrefix(&expression, "^");
  constexpr absl::string_view kLookahead = "(?!";
  if (!absl::StartsWith(expression, kLookahead)) return absl::nullopt;
  const size_t close = CloseOfGroup(expression, 0);
  if (close == absl::string_view::npos) return absl::nullopt;
  const absl::string_view inner =
      expression.substr(kLookahead.size(), close - kLookahead.size());
  return Negation{absl::StrCat("^(?:", inner, ")"),
                  absl::StrCat("^(?:", expression.substr(close + 1), ")")};
}

// Null, and a warning, for what is no regular expression.
std::shared_ptr<const RE2> Compile(absl::string_view flag,
                                   absl::string_view expression,
                                   absl::string_view part,
                                   std::vector<std::string>* warnings) {
  auto regex = CompileRegex(part);
  if (regex.ok()) return *std::move(regex);
  warnings->push_back(absl::StrFormat(
      "cannot use the regular expression --%s=%s (%s): it matches nothing",
      flag, Shortened(expression), regex.status().message()));
  return nullptr;
}

}  // namespace

NameFilter::NameFilter(absl::string_view flag, absl::string_view expression,
                       std::vector<std::string>* warnings) {
  if (expression.empty()) return;
  set_ = true;
  const absl::optional<Negation> negation = ParseNegation(expression);
  if (!negation.has_value()) {
    regex_ = Compile(flag, expression, expression, warnings);
    return;
  }
  unwanted_ = Compile(flag, expression, negation->unwanted, warnings);
  if (unwanted_ == nullptr) return;
  regex_ = Compile(flag, expression, negation->wanted, warnings);
}

bool NameFilter::Matches(absl::string_view name) const {
  if (regex_ == nullptr || !RE2::PartialMatch(Piece(name), *regex_)) {
    return false;
  }
  return unwanted_ == nullptr || !RE2::PartialMatch(Piece(name), *unwanted_);
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

namespace {

DumpCompression CompressionOf(const xla::DebugOptions& debug,
                              std::vector<std::string>* warnings) {
  constexpr char kKey[] = "xla_hlokit_dump_compression";
  const auto it = debug.xla_backend_extra_options().find(kKey);
  if (it != debug.xla_backend_extra_options().end()) {
    if (it->second == "zstd") return DumpCompression::kZstd;
    if (it->second == "gzip") return DumpCompression::kGzip;
    if (it->second == "none") return DumpCompression::kNone;
    warnings->push_back(absl::StrFormat(
        "%s=%s is not one of none, gzip, zstd", kKey, it->second));
  }
  return debug.xla_dump_compress_protos() ? DumpCompression::kGzip
                                          : DumpCompression::kNone;
}

}  // namespace

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
  options.compression = CompressionOf(debug, warnings);
  if (debug.xla_dump_hlo_as_riegeli()) {
    options.proto = true;
    warnings->push_back(
        "riegeli files are not written here: .hlo.pb files are written "
        "instead (--xla_dump_hlo_as_proto)");
  }
  options.dot = debug.xla_dump_hlo_as_dot();
  options.html = debug.xla_dump_hlo_as_html();
  options.url = debug.xla_dump_hlo_as_url();
  options.sharding_color = debug.xla_hlo_graph_sharding_color();
  options.addresses = debug.xla_hlo_graph_addresses();
  options.snapshots = debug.xla_dump_hlo_snapshots();
  options.unoptimized_snapshots = debug.xla_dump_hlo_unoptimized_snapshots();
  options.fusion_visualization = debug.xla_dump_fusion_visualization();
  options.module_metadata = debug.xla_dump_module_metadata();
  options.full_hlo_config = debug.xla_dump_full_hlo_config();
  options.buffer_assignment_analysis =
      debug.xla_dump_buffer_assignment_analysis();
  options.fdo_profiles = debug.xla_gpu_experimental_dump_fdo_profiles();
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

  const bool any_format = options.any_module_format() || options.snapshots ||
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
