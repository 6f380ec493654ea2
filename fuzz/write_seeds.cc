// Writes the seeds of a fuzz target into an existing folder.
//
//   fuzz_seeds TARGET FOLDER
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_system.h"
#include "fuzz/seeds.h"

namespace hlokit::fuzz {
namespace {

struct Row {
  const char* name;
  Seeds seeds;
};
const Row kRows[] = {
#define FUZZ_TARGET(Function, name, seeds) {name, seeds},
#include "fuzz/targets.def"
};

int Main(const std::string& target, const std::string& folder) {
  for (const Row& row : kRows) {
    if (target != row.name) continue;
    int64_t n = 0;
    for (const std::string& seed : CollectSeeds(row.seeds)) {
      const absl::Status status = DiskFileSystem()->WriteFile(
          absl::StrCat(folder, "/seed", n++), seed);
      if (status.ok()) continue;
      std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
      return 4;
    }
    return 0;
  }
  std::fprintf(stderr, "no target '%s'; they are:", target.c_str());
  for (const Row& row : kRows) std::fprintf(stderr, " %s", row.name);
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace
}  // namespace hlokit::fuzz

int main(int argc, char** argv) {
  if (argc == 3) return hlokit::fuzz::Main(argv[1], argv[2]);
  std::fprintf(stderr, "usage: fuzz_seeds TARGET FOLDER\n");
  return 2;
}
