#include "dump/dump_search.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "base/regex.h"
#include "base/status.h"
#include "dump/hlo_lines.h"
#include "dump/literal_search.h"

namespace hlokit {
namespace {

constexpr size_t kNotFound = absl::string_view::npos;
constexpr size_t kChunk = size_t{4} << 20;

re2::StringPiece Piece(absl::string_view text) {
  return re2::StringPiece(text.data(), text.size());
}

bool IsNameByte(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

// "f32[4]" as a whole: not the end of "bf32[4]".
bool HoldsShape(absl::string_view line, absl::string_view shape) {
  for (size_t at = line.find(shape); at != kNotFound;
       at = line.find(shape, at + 1)) {
    if (at == 0 || !IsNameByte(line[at - 1])) return true;
  }
  return false;
}

class Searcher : public TextSearcher {
 public:
  explicit Searcher(const SearchQuery& query) : query_(query) {}

  absl::Status Prepare() {
    std::string literal;
    if (!query_.regex.empty()) {
      RE2::Options options;
      options.set_case_sensitive(!query_.ignore_case);
      auto regex = CompileRegex(query_.regex, options);
      if (!regex.ok()) {
        return InvalidArgument("cannot use the regular expression '%s': %s",
                               Shortened(query_.regex),
                               regex.status().message());
      }
      regex_ = *std::move(regex);
      bool whole = false;
      if (!query_.ignore_case) literal = RequiredLiteral(query_.regex, &whole);
      if (whole) {
        regex_ = nullptr;
        plain_regex_ = literal;
      }
    }
    auto longer = [&](std::string other) {
      if (other.size() > literal.size()) literal = std::move(other);
    };
    if (!query_.opcode.empty()) longer(absl::StrCat(" ", query_.opcode, "("));
    longer(query_.shape);
    if (!query_.source.empty()) {
      source_file_ = query_.source;
      const size_t colon = source_file_.rfind(':');
      if (colon != kNotFound &&
          absl::SimpleAtoi(source_file_.substr(colon + 1), &source_line_)) {
        source_file_.resize(colon);
      }
    }
    searcher_ = std::make_unique<LiteralSearcher>(literal);
    return absl::OkStatus();
  }

  void Search(absl::string_view text, size_t begin, size_t end,
              std::vector<SearchMatch>* matches) const override {
    absl::flat_hash_set<int64_t> frames;
    if (!source_file_.empty()) {
      frames = FramesThrough(text, source_file_, source_line_);
    }
    const absl::string_view piece = text.substr(0, end);
    size_t at = begin;
    while (at < end) {
      at = NextCandidate(piece, at, !frames.empty());
      if (at == kNotFound || at >= end) return;
      size_t line_begin;
      const absl::string_view line = LineAt(text, at, &line_begin);
      if (Matches(line, frames)) {
        SearchMatch match;
        match.line = static_cast<int64_t>(line_begin);
        match.text = std::string(line);
        matches->push_back(std::move(match));
        if (static_cast<int64_t>(matches->size()) >=
            query_.max_matches_per_file) {
          return;
        }
      }
      at = line_begin + line.size() + 1;
    }
  }

 private:
  size_t NextCandidate(absl::string_view piece, size_t at,
                       bool has_frames) const {
    if (!searcher_->needle().empty()) return searcher_->Find(piece, at);
    if (!source_file_.empty()) {
      static const LiteralSearcher* frame =
          new LiteralSearcher("stack_frame_id=");
      static const LiteralSearcher* file = new LiteralSearcher("source_file=");
      return (has_frames ? frame : file)->Find(piece, at);
    }
    // Let the expression itself look for the next line.
    if (regex_ == nullptr) return at;
    re2::StringPiece hit;
    const re2::StringPiece whole = Piece(piece);
    // Anchors are those of lines, so only a first look may span them.
    if (absl::StrContains(query_.regex, "^") ||
        absl::StrContains(query_.regex, "$")) {
      return at;
    }
    if (!regex_->Match(whole, at, piece.size(), RE2::UNANCHORED, &hit, 1)) {
      return kNotFound;
    }
    return hit.data() - piece.data();
  }

  bool Matches(absl::string_view line,
               const absl::flat_hash_set<int64_t>& frames) const {
    if (regex_ != nullptr && !RE2::PartialMatch(Piece(line), *regex_)) {
      return false;
    }
    if (!absl::StrContains(line, plain_regex_)) return false;
    InstructionLine instruction;
    if (!query_.opcode.empty() &&
        (!ParseInstructionLine(line, &instruction) ||
         instruction.opcode != query_.opcode)) {
      return false;
    }
    if (!query_.shape.empty() && !HoldsShape(line, query_.shape)) return false;
    return source_file_.empty() || ComesFromSource(line, frames);
  }

  bool ComesFromSource(absl::string_view line,
                       const absl::flat_hash_set<int64_t>& frames) const {
    int64_t frame = 0, number = 0;
    std::string file;
    static const RE2* frame_id = new RE2("stack_frame_id=([0-9]+)");
    static const RE2* source =
        new RE2("source_file=\"([^\"]*)\"(?:.*source_line=([0-9]+))?");
    if (RE2::PartialMatch(Piece(line), *frame_id, &frame) &&
        frames.contains(frame)) {
      return true;
    }
    std::string digits;
    if (!RE2::PartialMatch(Piece(line), *source, &file, &digits)) return false;
    if (!absl::EndsWith(file, source_file_)) return false;
    return source_line_ <= 0 ||
           (absl::SimpleAtoi(digits, &number) && number == source_line_);
  }

  const SearchQuery query_;
  std::shared_ptr<const RE2> regex_;
  std::string plain_regex_;  // an expression that is only this text
  std::unique_ptr<LiteralSearcher> searcher_;
  std::string source_file_;
  int64_t source_line_ = 0;
};

// Fills in what the place of each match tells. `matches` are in order.
void Describe(absl::string_view text, std::vector<SearchMatch>* matches) {
  int64_t line = 1;
  size_t counted = 0;
  const SearchMatch* previous = nullptr;
  size_t previous_begin = 0;
  for (SearchMatch& match : *matches) {
    const size_t begin = match.line;
    line += std::count(text.begin() + counted, text.begin() + begin, '\n');
    counted = begin;
    match.line = line;
    InstructionLine instruction;
    if (ParseInstructionLine(match.text, &instruction)) {
      match.instruction = std::string(instruction.name);
    }
    // Computations end with a brace alone on its line. What the match before
    // found out is not looked for again.
    size_t at = begin;
    for (absl::string_view above = match.text;;
         above = LineAt(text, at - 1, &at)) {
      const absl::string_view computation = ComputationOfLine(above);
      if (!computation.empty()) {
        match.computation = std::string(computation);
        break;
      }
      if (at == 0 || (above == "}" && at != begin)) break;
      if (previous != nullptr && at <= previous_begin) {
        match.computation = previous->computation;
        break;
      }
    }
    previous = &match;
    previous_begin = begin;
  }
}

// One file's part of the work.
struct FileWork {
  int file = 0;
  DumpContents contents;
  std::string printed;  // of protos
  bool is_printed = false;
  std::vector<std::pair<size_t, size_t>> chunks;
  std::vector<std::vector<SearchMatch>> found;  // by chunk
  absl::string_view text() const {
    return is_printed ? absl::string_view(printed) : contents.bytes();
  }
};

// Cuts at line ends.
void Cut(FileWork* work) {
  const absl::string_view text = work->text();
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(begin + kChunk, text.size());
    if (end < text.size()) {
      end = text.find('\n', end);
      end = end == kNotFound ? text.size() : end + 1;
    }
    work->chunks.emplace_back(begin, end);
    begin = end;
  }
  work->found.resize(work->chunks.size());
}

using StageKey = std::tuple<std::string, int64_t, std::string, int64_t>;

StageKey KeyOf(const DumpFile& file) {
  return {std::string(DirName(file.path)), file.name->id, file.name->stage,
          file.name->step.value_or(-1)};
}

// Which files are read, and which of them must be printed first.
std::vector<FileWork> Choose(const DumpIndex& index, const SearchQuery& query) {
  std::set<StageKey> texts;
  for (const DumpFile& file : index.files) {
    if (file.name.has_value() && file.name->holds_module() &&
        file.broken.empty() && file.name->is_text()) {
      texts.insert(KeyOf(file));
    }
  }
  std::vector<FileWork> work;
  for (size_t i = 0; i < index.files.size(); ++i) {
    const DumpFile& file = index.files[i];
    const bool module = file.name.has_value() && file.name->holds_module();
    const bool text = module && file.name->is_text();
    if (!file.broken.empty()) continue;
    if (!module && !query.all_files) continue;
    if (module && !text && texts.count(KeyOf(file)) != 0) continue;
    work.emplace_back();
    work.back().file = i;
    work.back().is_printed = module && !text;
  }
  return work;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TextSearcher>> TextSearcher::Create(
    const SearchQuery& query) {
  if (query.regex.empty() && query.opcode.empty() && query.shape.empty() &&
      query.source.empty()) {
    return InvalidArgument("nothing to look for");
  }
  auto searcher = std::make_unique<Searcher>(query);
  HLOKIT_RETURN_IF_ERROR(searcher->Prepare());
  return std::unique_ptr<TextSearcher>(std::move(searcher));
}

absl::StatusOr<SearchResult> SearchDumps(const FileSystem& files,
                                         const DumpIndex& index,
                                         const SearchQuery& query,
                                         ThreadPool* pool) {
  HLOKIT_ASSIGN_OR_RETURN(const auto searcher, TextSearcher::Create(query));
  const absl::Time start = absl::Now();
  SearchResult result;
  std::vector<FileWork> work = Choose(index, query);
  absl::Mutex mutex;
  pool->ParallelFor(work.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      FileWork& one = work[i];
      const DumpFile& file = index.files[one.file];
      absl::Status status;
      if (one.is_printed) {
        auto text = DumpedHloText(files, file);
        status = text.status();
        if (text.ok()) one.printed = *std::move(text);
      } else {
        auto contents = DumpContents::Open(files, file.path);
        status = contents.status();
        if (contents.ok()) one.contents = *std::move(contents);
      }
      if (!status.ok()) {
        absl::MutexLock lock(&mutex);
        result.warnings.push_back(
            absl::StrCat(file.path, ": ", status.message()));
        one.is_printed = true;
        continue;
      }
      Cut(&one);
      // Large files are shared out below.
      if (one.chunks.size() == 1) {
        searcher->Search(one.text(), 0, one.text().size(), &one.found[0]);
      }
    }
  });
  std::vector<std::pair<FileWork*, size_t>> pieces;
  for (FileWork& one : work) {
    result.bytes += one.text().size();
    if (one.chunks.size() < 2) continue;
    for (size_t i = 0; i < one.chunks.size(); ++i) pieces.emplace_back(&one, i);
  }
  pool->ParallelFor(pieces.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto [one, chunk] = pieces[i];
      searcher->Search(one->text(), one->chunks[chunk].first,
                       one->chunks[chunk].second, &one->found[chunk]);
    }
  });
  for (FileWork& one : work) {
    std::vector<SearchMatch> matches;
    for (auto& found : one.found) {
      std::move(found.begin(), found.end(), std::back_inserter(matches));
    }
    if (static_cast<int64_t>(matches.size()) > query.max_matches_per_file) {
      matches.resize(query.max_matches_per_file);
    }
    Describe(one.text(), &matches);
    for (SearchMatch& match : matches) {
      match.file = one.file;
      result.matches.push_back(std::move(match));
    }
  }
  result.files = work.size();
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  std::sort(result.warnings.begin(), result.warnings.end());
  return result;
}

}  // namespace hlokit
