#include "hlo_opt/choose_module.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/suggest.h"

namespace hlokit {
namespace {

constexpr size_t kMaxNamesTold = 10;

}  // namespace

bool IsWantedModule(const ModuleNames& names, absl::string_view wanted,
                    int64_t before) {
  absl::ConsumePrefix(&wanted, "%");
  const std::string numbered = absl::StrCat(names.name, "#", before + 1);
  return wanted == names.name || wanted == numbered ||
         (!names.banner.empty() &&
          (wanted == names.banner ||
           wanted == absl::StripSuffix(names.banner, ".txt")));
}

std::string ListOfNames(std::vector<std::string> names) {
  const size_t count = names.size();
  std::string more;
  if (count > kMaxNamesTold) {
    names.resize(kMaxNamesTold);
    more = absl::StrCat(" and ", count - kMaxNamesTold, " more");
  }
  return absl::StrCat(absl::StrJoin(names, ", "), more);
}

absl::Status NoSuchModule(absl::string_view file, absl::string_view wanted,
                          const std::vector<std::string>& names) {
  return NotFound("%s: no module is called '%s'%s (it holds: %s)", file, wanted,
                  DidYouMean(wanted, names), ListOfNames(names));
}

absl::Status KeepWantedModules(absl::string_view file, absl::string_view wanted,
                               std::vector<ModuleText>* pieces) {
  if (wanted.empty()) return absl::OkStatus();
  std::vector<ModuleText> kept;
  std::vector<std::string> names;
  absl::flat_hash_map<std::string, int64_t> seen;
  for (ModuleText& piece : *pieces) {
    const int64_t before = seen[piece.name]++;
    names.push_back(piece.banner.empty() ? piece.name : piece.banner);
    if (before > 0 && piece.banner.empty()) {
      absl::StrAppend(&names.back(), "#", before + 1);
    }
    if (IsWantedModule({piece.name, piece.banner}, wanted, before)) {
      kept.push_back(std::move(piece));
    }
  }
  if (kept.empty()) return NoSuchModule(file, wanted, names);
  *pieces = std::move(kept);
  return absl::OkStatus();
}

}  // namespace hlokit
