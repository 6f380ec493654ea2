// For tests: the optional corpora beside the project, ../shared/corpora.
#ifndef HLOKIT_BASE_TEST_CORPORA_H_
#define HLOKIT_BASE_TEST_CORPORA_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/compression.h"
#include "base/file_system.h"

namespace hlokit {

// Their folder, ending in a slash.
inline std::string Corpora() {
  return std::string(HLOKIT_SOURCE_DIR) + "/../shared/corpora/";
}

// The decompressed bytes of a file or of its .zst twin; "" when there is none.
inline std::string ReadCorpusFile(const std::string& path) {
  auto file = DiskFileSystem()->ReadFile(path);
  if (!file.ok()) file = DiskFileSystem()->ReadFile(path + ".zst");
  if (!file.ok()) return "";
  auto bytes = Decompress(*file);
  return bytes.ok() ? *bytes : "";
}

// The rows of a tab-separated table by the names in its first line.
using CorpusRow = std::map<std::string, std::string>;
inline std::vector<CorpusRow> CorpusTable(const std::string& path) {
  std::vector<CorpusRow> rows;
  std::vector<std::string> header;
  const std::string table = ReadCorpusFile(path);
  for (absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (header.empty()) {
      header = cells;
      continue;
    }
    CorpusRow row;
    for (size_t i = 0; i < header.size() && i < cells.size(); ++i) {
      row[header[i]] = cells[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hlokit

#endif  // HLOKIT_BASE_TEST_CORPORA_H_
