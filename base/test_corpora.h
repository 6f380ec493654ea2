// For tests: where the project and its tools are, and the optional corpora
// beside the project, ../shared/corpora. Without the corpora, files read empty
// and tables have no rows: such tests are to say that they are skipped.
#ifndef HLOKIT_BASE_TEST_CORPORA_H_
#define HLOKIT_BASE_TEST_CORPORA_H_

#include <map>
#include <string>
#include <vector>

namespace hlokit {

// The project's root and the folder of its tools, without a slash at the end.
std::string SourceDir();
std::string ToolDir();

// The corpora's folder, ending in a slash.
std::string Corpora();

// The decompressed bytes of a file or of its .zst twin; "" when there is none.
std::string ReadCorpusFile(const std::string& path);

// The files anywhere under a folder of the corpora whose names have one of
// these endings, sorted.
std::vector<std::string> CorpusFiles(const std::string& folder,
                                     const std::vector<std::string>& endings);

// The rows of a tab-separated table by the names in its first line.
using CorpusRow = std::map<std::string, std::string>;
std::vector<CorpusRow> CorpusTable(const std::string& path);

// Where two texts differ first: number and contents of the line.
std::string FirstDifference(const std::string& want, const std::string& got);

}  // namespace hlokit

#endif  // HLOKIT_BASE_TEST_CORPORA_H_
