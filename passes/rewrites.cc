#include "passes/rewrites.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlokit {
namespace {

constexpr RewriteInfo kRewrites[] = {
#define HLO_REWRITE(id, pass, what, changes) \
  {Rewrite::k##id, #id, pass, what, changes},
#include "passes/rewrites.def"
};

std::string RewriteTable(bool exact) {
  std::string table = exact ? "| rewrite | pass |\n| --- | --- |\n"
                            : "| rewrite | pass | what can differ |\n"
                              "| --- | --- | --- |\n";
  for (const RewriteInfo& info : kRewrites) {
    if (info.exact() != exact) continue;
    absl::StrAppend(&table, "| ", info.what, " | `", info.pass, "` |");
    if (!exact) {
      absl::StrAppend(&table, " ", ValueChangeText(info.changes), " |");
    }
    table += '\n';
  }
  return table;
}

}  // namespace

absl::Span<const RewriteInfo> AllRewrites() { return kRewrites; }

bool IsInexactPass(absl::string_view pass) {
  // Whether all rewrites of a pass are inexact.
  static const auto* passes = [] {
    auto* inexact = new absl::flat_hash_map<absl::string_view, bool>;
    for (const RewriteInfo& info : kRewrites) {
      bool& all = inexact->try_emplace(info.pass, true).first->second;
      all &= !info.exact();
    }
    return inexact;
  }();
  const auto it = passes->find(pass);
  return it != passes->end() && it->second;
}

std::string ValueChangeText(unsigned changes) {
  constexpr std::pair<ValueChange, absl::string_view> kWords[] = {
      {kRounding, "rounding"},
      {kOverflow, "overflow"},
      {kUnderflow, "underflow"},
      {kNan, "NaN"},
      {kZeroSign, "sign of zero"},
      {kDenormal, "a denormal is not flushed"},
      {kSeveralDevices, "rounding, on several devices"},
  };
  std::vector<absl::string_view> words;
  for (const auto& [change, word] : kWords) {
    if ((changes & change) != 0) words.push_back(word);
  }
  return absl::StrJoin(words, ", ");
}

std::string RewriteTables() {
  return absl::StrCat("## Inexact rewrites\n\n", RewriteTable(false),
                      "\n## Exact rewrites\n\n", RewriteTable(true));
}

}  // namespace hlokit
