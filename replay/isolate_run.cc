#include "replay/isolate_run.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "hlo/print/printer.h"
#include "replay/isolate.h"

namespace hlokit {
namespace {

// What a piece may take when no limit is given: the made-up counter of a loop
// may be anything.
constexpr int64_t kPieceSteps = 2000000;

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string PieceText(const Module& module) {
  PrintOptions options = PrintOptions::Default();
  options.print_large_constants = true;
  return ToString(module, options);
}

class PieceRun {
 public:
  PieceRun(const Piece& piece, const std::string& label, Session* session)
      : piece_(piece),
        session_(*session),
        record_(session->NewRecord(
            label, piece.module ? piece.module->name() : "", 1)) {
    record_.instruction = piece.instruction;
    record_.status = "skipped";
    result_.name = piece.instruction;
  }

  PieceResult Run() {
    if (piece_.module == nullptr) {
      result_.test = result_.reference = RunWord::kSkipped;
      Explain(piece_.why_not);
    } else {
      RunModule();
    }
    if (piece_.same > 0) {
      absl::StrAppend(&result_.status, result_.status.empty() ? "" : "; ",
                      piece_.same, " more like it");
    }
    session_.Write(record_);
    return std::move(result_);
  }

 private:
  void Explain(std::string text) {
    record_.error = text;
    result_.status = OneLine(std::move(text));
  }

  void RunModule() {
    record_.inputs =
        session_.options().random_init_input_literals ? "fake data" : "zeros";
    const absl::StatusOr<std::vector<Literal>> arguments =
        MakeFakeArguments(*piece_.module, session_.engine_or_null(),
                          session_.fake_data_options());
    if (!arguments.ok()) {
      Explain(std::string(arguments.status().message()));
      return;
    }
    RunSettings settings = session_.settings();
    settings.log = nullptr;
    settings.dumper = nullptr;
    settings.progress = nullptr;
    if (settings.execute.max_steps == 0) {
      settings.execute.max_steps = kPieceSteps;
    }
    const RunOutcome outcome =
        RunAndCompare(*piece_.module, *arguments, settings);
    result_.test = outcome.test_word;
    result_.reference = outcome.reference_word;
    record_.seconds = outcome.test_seconds;
    record_.reference_seconds = outcome.reference_seconds;
    Judge(outcome);
  }

  void Judge(const RunOutcome& outcome) {
    if (absl::IsResourceExhausted(outcome.status)) {
      result_.test = result_.reference = RunWord::kSkipped;
      Explain(std::string(outcome.status.message()));
      return;
    }
    if (!outcome.status.ok()) {
      session_.Fail(&record_, Annotate(outcome.status, piece_.text),
                    kDifferent);
      Explain(std::string(outcome.status.message()));
      WritePiece();
      return;
    }
    record_.status = "ok";
    if (!outcome.comparison.has_value()) return;
    const Comparison& comparison = *outcome.comparison;
    if (!comparison.equal) {
      session_.progress().Clear();
      session_.err() << "\n" << piece_.text << "\n";
      result_.status = absl::StrFormat(
          "%d elements differ; largest errors abs %g, rel %g",
          MismatchCount(comparison), comparison.max_abs_error,
          comparison.max_rel_error);
    }
    session_.AddCheck({record_.reference, comparison},
                      *outcome.reference_result, *outcome.test_result,
                      &record_);
    if (!comparison.equal) WritePiece();
  }

  void WritePiece() {
    const std::string folder = session_.MismatchFolder();
    if (folder.empty()) {
      session_.err() << "--mismatch_dir=DIR writes the module of this piece to "
                        "a file\n";
      return;
    }
    const std::string path = JoinPath(
        folder,
        FileStem(absl::StrCat(
            BaseName(record_.file), ".",
            absl::StripPrefix(piece_.instruction, "%"), ".hlo")));
    absl::Status status = session_.io().files->CreateDirectories(folder);
    if (status.ok()) {
      status =
          session_.io().files->WriteFile(path, PieceText(*piece_.module));
    }
    if (!status.ok()) {
      session_.Fail(record_.file, status, ExitCodeFor(status));
      return;
    }
    session_.err() << "Written: " << path << "\n";
  }

  const Piece& piece_;
  Session& session_;
  RunRecord record_;
  PieceResult result_;
};

void AppendRow(absl::string_view reference, absl::string_view test, int width,
               absl::string_view name, absl::string_view status,
               std::string* out) {
  std::string line =
      absl::StrFormat("%-21s| %-21s| %-*s", reference, test, width, name);
  if (!status.empty()) absl::StrAppend(&line, "| ", status);
  absl::StripTrailingAsciiWhitespace(&line);
  absl::StrAppend(out, line, "\n");
}

}  // namespace

std::string PieceTable(std::vector<PieceResult> results) {
  std::stable_sort(results.begin(), results.end(),
                   [](const PieceResult& a, const PieceResult& b) {
                     return std::pair(a.test, a.reference) <
                            std::pair(b.test, b.reference);
                   });
  size_t width = 30;
  std::map<std::pair<RunWord, RunWord>, int64_t> counts;
  for (const PieceResult& result : results) {
    width = std::max(width, result.name.size() + 1);
    ++counts[{result.test, result.reference}];
  }
  std::string out;
  AppendRow("Reference", "Test", width, "Module", "Status", &out);
  for (const PieceResult& result : results) {
    AppendRow(RunWordText(result.reference), RunWordText(result.test), width,
              result.name, result.status, &out);
  }
  absl::StrAppend(&out, "\n");
  AppendRow("Reference", "Test", 0, "Count", "", &out);
  for (const auto& [words, count] : counts) {
    AppendRow(RunWordText(words.second), RunWordText(words.first), 0,
              absl::StrCat(count), "", &out);
  }
  return out;
}

void RunPieces(const Module& module, const std::string& label,
               Session* session) {
  if (session->options().run_test_hlo_passes &&
      session->settings().test.backend->name() != "interpreter") {
    session->err() << label
                   << ": warning: HLO passes are on and may change the pieces; "
                      "--run_test_hlo_passes=false leaves them alone\n";
  }
  std::vector<PieceResult> results;
  const std::vector<Piece> pieces = TakeApart(module);
  for (size_t i = 0; i < pieces.size(); ++i) {
    session->progress().Update(absl::StrCat("piece ", i + 1, " of ",
                                            pieces.size(), ": ",
                                            pieces[i].instruction));
    results.push_back(PieceRun(pieces[i], label, session).Run());
  }
  session->progress().Clear();
  session->out() << PieceTable(std::move(results));
}

}  // namespace hlokit
