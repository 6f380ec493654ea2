// For tests of this folder: the optional corpora beside the project.
#ifndef HLOKIT_HLO_VERIFY_CORPORA_H_
#define HLOKIT_HLO_VERIFY_CORPORA_H_

#include <filesystem>
#include <string>
#include <vector>

namespace hlokit {

// Ends in a slash.
inline constexpr char kCorpora[] = HLOKIT_SOURCE_DIR "/../shared/corpora/";

// The bytes of a file, decompressed.
std::string ReadCorpusFile(const std::filesystem::path& path);

// Files under a folder of the corpora whose names end so, sorted.
std::vector<std::filesystem::path> CorpusFiles(
    const std::string& folder, const std::vector<std::string>& endings);

// Upstream modules that XLA reads although their types are wrong: inputs of
// tests of the text format and of translators that no verifier of it ever saw.
bool IsUnsoundUpstream(const std::filesystem::path& file);

}  // namespace hlokit

#endif  // HLOKIT_HLO_VERIFY_CORPORA_H_
