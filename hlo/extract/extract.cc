#include "hlo/extract/extract.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/escape.h"
#include "hlo/extract/line_reader.h"
#include "hlo/extract/module_finder.h"
#include "hlo/extract/quoted_instructions.h"

namespace hlokit {
namespace {

std::string Lines(int64_t count) {
  return absl::StrCat(count, count == 1 ? " line" : " lines");
}

void NoteReader(const ReaderCounts& counts, bool is_diff,
                std::vector<std::string>* notes) {
  if (counts.json_lines > 0) {
    notes->push_back(absl::StrCat("took the text out of ",
                                  Lines(counts.json_lines), " of JSON"));
  }
  if (counts.literal_lines > 0) {
    notes->push_back(absl::StrCat("took ", Lines(counts.literal_lines),
                                  " out of string literals"));
  }
  if (counts.markup.escapes > 0) {
    notes->push_back(absl::StrCat("removed terminal escapes from ",
                                  Lines(counts.markup.escapes)));
  }
  if (counts.markup.html > 0) {
    notes->push_back(
        absl::StrCat("undid HTML in ", Lines(counts.markup.html)));
  }
  if (counts.markup.unicode > 0) {
    notes->push_back(absl::StrCat(
        "replaced Unicode blanks, quotes or dashes by ASCII ones in ",
        Lines(counts.markup.unicode)));
  }
  if (counts.markup.borders > 0) {
    notes->push_back(absl::StrCat("removed marks at the end of ",
                                  Lines(counts.markup.borders)));
  }
  if (is_diff) {
    notes->push_back(absl::StrCat(
        "took the new side of a diff (", counts.added_lines, " added, ",
        counts.removed_lines, " removed lines)"));
  }
}

void NoteLeftOut(const FoundModules& found, std::vector<std::string>* notes) {
  const bool several = found.modules.size() > 1;
  std::vector<std::string> parts;
  if (found.left_out_before > 0) {
    parts.push_back(absl::StrCat(Lines(found.left_out_before),
                                 several ? " before the first module"
                                         : " before the module"));
  }
  if (found.left_out_within > 0) {
    parts.push_back(absl::StrCat(Lines(found.left_out_within), " within ",
                                 several ? "modules" : "the module"));
  }
  if (found.left_out_behind > 0) {
    parts.push_back(absl::StrCat(Lines(found.left_out_behind),
                                 several ? " between and after the modules"
                                         : " after the module"));
  }
  if (!parts.empty()) {
    notes->push_back(absl::StrCat("left out ", absl::StrJoin(parts, ", ")));
  }
}

void NotePrefixes(const FoundModules& found, std::vector<std::string>* notes) {
  for (const auto& [sample, lines] : found.prefixes) {
    notes->push_back(absl::StrCat("removed the prefix '", CEscape(sample),
                                  "' from ", Lines(lines)));
  }
}

}  // namespace

Extraction ExtractModules(absl::string_view file,
                          const ExtractOptions& options) {
  const TextForm form = SurveyText(file);
  Extraction result;
  for (const Anchor anchor : {Anchor::kHeader, Anchor::kComputation}) {
    FoundModules found = ModuleFinder(file, form, anchor, options).Run();
    if (found.modules.empty()) continue;
    NoteLeftOut(found, &result.notes);
    const size_t left_out_notes = result.notes.size();
    NotePrefixes(found, &result.notes);
    NoteReader(found.reader, form.diff, &result.notes);
    if (form.returns_only) {
      result.notes.push_back("took carriage returns for line ends");
    }
    result.only_left_out = result.notes.size() == left_out_notes;
    result.modules = std::move(found.modules);
    return result;
  }
  QuotedInstructions quotes = FindQuotedInstructions(file, form);
  if (quotes.instructions == 0) return result;
  if (quotes.left_out > 0 || quotes.cut_lines > 0) {
    result.notes.push_back(absl::StrCat(
        "took ", quotes.instructions,
        quotes.instructions == 1 ? " instruction" : " instructions",
        " out of the text", quotes.left_out > 0 ? "; left out " : "",
        quotes.left_out > 0 ? Lines(quotes.left_out) : ""));
  }
  NoteReader(quotes.reader, form.diff, &result.notes);
  result.modules.push_back(std::move(quotes.module));
  return result;
}

}  // namespace hlokit
