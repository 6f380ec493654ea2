#include "base/test_corpora.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/compression.h"
#include "base/file_system.h"

namespace hlokit {

std::string SourceDir() { return HLOKIT_SOURCE_DIR; }
std::string ToolDir() { return HLOKIT_TOOL_DIR; }
std::string Corpora() { return SourceDir() + "/../shared/corpora/"; }

std::string ReadCorpusFile(const std::string& path) {
  auto file = DiskFileSystem()->ReadFile(path);
  if (!file.ok()) file = DiskFileSystem()->ReadFile(path + ".zst");
  if (!file.ok()) return "";
  auto bytes = Decompress(*file);
  return bytes.ok() ? *std::move(bytes) : "";
}

std::vector<std::string> CorpusFiles(const std::string& folder,
                                     const std::vector<std::string>& endings) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  const std::string root = Corpora() + folder;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    for (const std::string& ending : endings) {
      if (absl::EndsWith(entry.path().string(), ending)) {
        files.push_back(entry.path().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<CorpusRow> CorpusTable(const std::string& path) {
  std::vector<CorpusRow> rows;
  std::vector<std::string> header;
  const std::string table = ReadCorpusFile(path);
  for (absl::string_view line :
       absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (header.empty()) {
      header = std::move(cells);
      continue;
    }
    CorpusRow& row = rows.emplace_back();
    for (size_t i = 0; i < header.size() && i < cells.size(); ++i) {
      row[header[i]] = cells[i];
    }
  }
  return rows;
}

std::string FirstDifference(const std::string& want, const std::string& got) {
  const std::vector<absl::string_view> x = absl::StrSplit(want, '\n');
  const std::vector<absl::string_view> y = absl::StrSplit(got, '\n');
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const absl::string_view left = i < x.size() ? x[i] : "(end)";
    const absl::string_view right = i < y.size() ? y[i] : "(end)";
    if (left == right) continue;
    size_t at = 0;
    while (at < left.size() && at < right.size() && left[at] == right[at]) ++at;
    const size_t from = at < 60 ? 0 : at - 60;
    return absl::StrCat("line ", i + 1, ":\n  want ", left.substr(from, 200),
                        "\n  got  ", right.substr(from, 200));
  }
  return "nothing";
}

}  // namespace hlokit
