#include "hlo/parse/parser.h"

#include "hlo/parse/module_parser.h"

namespace hlokit {
namespace {

// Runs one piece parser over the whole text.
template <typename T, typename Parse>
absl::StatusOr<T> ParsePiece(absl::string_view text, Parse parse) {
  Diagnostics diagnostics("<text>", text);
  parse::TextParser parser(text, &diagnostics, ParseOptions());
  T value;
  if (!parse(parser, &value) || !parser.ExpectEnd()) {
    return diagnostics.ToStatus();
  }
  return value;
}

}  // namespace

ParseOptions LenientParseOptions() {
  ParseOptions options;
  options.unknown = UnknownPolicy::kKeepAll;
  options.keep_elided_constants = true;
  return options;
}

std::unique_ptr<Module> ParseModule(absl::string_view text,
                                    Diagnostics* diagnostics,
                                    const ParseOptions& options) {
  return parse::ModuleParser(text, diagnostics, options).Parse();
}

absl::StatusOr<std::unique_ptr<Module>> ParseModule(
    absl::string_view text, absl::string_view file_name,
    const ParseOptions& options) {
  Diagnostics diagnostics{std::string(file_name), text};
  std::unique_ptr<Module> module = ParseModule(text, &diagnostics, options);
  if (module == nullptr) return diagnostics.ToStatus();
  return module;
}

absl::StatusOr<Shape> ParseShape(absl::string_view text) {
  return ParsePiece<Shape>(
      text, [](auto& p, Shape* value) { return p.ParseType(value); });
}

absl::StatusOr<Layout> ParseLayout(absl::string_view text) {
  return ParsePiece<Layout>(
      text, [](auto& p, Layout* value) { return p.ParseLayout(value); });
}

absl::StatusOr<Sharding> ParseSharding(absl::string_view text) {
  return ParsePiece<Sharding>(
      text, [](auto& p, Sharding* value) { return p.ParseSharding(value); });
}

absl::StatusOr<ReplicaGroups> ParseReplicaGroups(absl::string_view text) {
  return ParsePiece<ReplicaGroups>(text, [](auto& p, ReplicaGroups* value) {
    return p.ParseReplicaGroups(value);
  });
}

absl::StatusOr<Window> ParseWindow(absl::string_view text) {
  return ParsePiece<Window>(
      text, [](auto& p, Window* value) { return p.ParseWindow(value); });
}

absl::StatusOr<ConvolutionDims> ParseDimLabels(absl::string_view text) {
  return ParsePiece<ConvolutionDims>(
      text,
      [](auto& p, ConvolutionDims* value) { return p.ParseDimLabels(value); });
}

absl::StatusOr<PaddingConfig> ParsePadding(absl::string_view text) {
  return ParsePiece<PaddingConfig>(
      text,
      [](auto& p, PaddingConfig* value) { return p.ParsePadding(value); });
}

absl::StatusOr<Literal> ParseLiteral(absl::string_view text,
                                     const Shape& shape) {
  return ParsePiece<Literal>(text, [&](auto& p, Literal* value) {
    return p.ParseLiteral(shape, value);
  });
}

}  // namespace hlokit
