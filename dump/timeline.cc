#include "dump/timeline.h"

#include <tuple>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

// One file a stage, text first.
std::vector<int> StageFiles(const DumpIndex& index, int module) {
  std::vector<int> chosen;
  std::map<std::tuple<std::string, int64_t>, size_t> stages;
  for (int i : index.modules[module].files) {
    const DumpName& name = *index.files[i].name;
    if (!name.holds_module() || StageRank(name) > 2) continue;
    const auto [it, is_new] =
        stages.try_emplace({name.stage, name.step.value_or(-1)}, chosen.size());
    if (is_new) {
      chosen.push_back(i);
    } else if (name.is_text()) {
      chosen[it->second] = i;
    }
  }
  return chosen;
}

// The first dump of a module, -1 if there is none.
int EarliestFile(const DumpIndex& index, int module) {
  const std::vector<int> files = StageFiles(index, module);
  return files.empty() ? -1 : files.front();
}

struct Identity {
  bool known = false;
  uint64_t fingerprint = 0;
  std::string signature;
};

std::vector<Identity> Identify(const FileSystem& files, const DumpIndex& index,
                               ThreadPool* pool) {
  std::vector<Identity> identities(index.modules.size());
  pool->ParallelFor(identities.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int file = EarliestFile(index, i);
      if (file < 0) continue;
      auto text = DumpedHloText(files, index.files[file]);
      if (!text.ok()) continue;
      identities[i].known = true;
      identities[i].fingerprint = HloFingerprint(*text);
      const HloSummary summary = Summarize(*text);
      identities[i].signature =
          absl::StrCat(index.modules[i].name, " ", summary.entry_layout);
    }
  });
  return identities;
}

}  // namespace

absl::StatusOr<std::vector<TimelineStep>> ReadTimeline(const FileSystem& files,
                                                       const DumpIndex& index,
                                                       int module,
                                                       ThreadPool* pool) {
  std::vector<TimelineStep> steps;
  for (int at = module; at >= 0; at = index.modules[at].continued_as) {
    for (int file : StageFiles(index, at)) {
      steps.emplace_back();
      steps.back().file = file;
    }
  }
  std::vector<absl::Status> statuses(steps.size());
  pool->ParallelFor(steps.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto text = DumpedHloText(files, index.files[steps[i].file]);
      statuses[i] = text.status();
      if (text.ok()) steps[i].summary = Summarize(*text);
    }
  });
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!statuses[i].ok()) {
      return Annotate(statuses[i], index.files[steps[i].file].path);
    }
    if (i == 0) continue;
    const HloSummary& before = steps[i - 1].summary;
    const HloSummary& after = steps[i].summary;
    steps[i].changed = before.body_hash != after.body_hash;
    for (const auto& [opcode, count] : before.opcodes) {
      steps[i].opcodes[opcode].first = count;
    }
    for (const auto& [opcode, count] : after.opcodes) {
      steps[i].opcodes[opcode].second = count;
    }
    for (auto it = steps[i].opcodes.begin(); it != steps[i].opcodes.end();) {
      it = it->second.first == it->second.second ? steps[i].opcodes.erase(it)
                                                 : std::next(it);
    }
  }
  return steps;
}

std::string OpcodeChanges(const TimelineStep& step) {
  std::string text;
  for (const bool gains : {true, false}) {
    for (const auto& [opcode, counts] : step.opcodes) {
      const int64_t difference = counts.second - counts.first;
      if ((difference > 0) != gains) continue;
      absl::StrAppend(&text, text.empty() ? "" : ", ", gains ? "+" : "",
                      difference, " ", opcode);
    }
  }
  return text;
}

uint64_t HloFingerprint(const std::string& text) {
  auto module = ParseModule(text, "<text>", LenientParseOptions());
  if (!module.ok()) return absl::HashOf(text);
  (*module)->set_name("");
  return absl::HashOf(ToString(**module, PrintOptions::ModuleFingerprint()));
}

absl::StatusOr<std::vector<ModulePair>> PairModules(const FileSystem& files_a,
                                                    const DumpIndex& a,
                                                    const FileSystem& files_b,
                                                    const DumpIndex& b,
                                                    ThreadPool* pool) {
  const std::vector<Identity> ours = Identify(files_a, a, pool);
  const std::vector<Identity> theirs = Identify(files_b, b, pool);
  std::vector<ModulePair> pairs(a.modules.size());
  std::vector<bool> taken(b.modules.size());
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i].a = i;
  auto match = [&](const char* reason, auto same) {
    for (ModulePair& pair : pairs) {
      if (pair.b >= 0) continue;
      for (size_t j = 0; j < taken.size(); ++j) {
        if (taken[j] || !same(pair.a, j)) continue;
        pair.b = j;
        pair.reason = reason;
        taken[j] = true;
        break;
      }
    }
  };
  auto known = [&](size_t i, size_t j) {
    return ours[i].known && theirs[j].known;
  };
  auto same_name = [&](size_t i, size_t j) {
    return a.modules[i].name == b.modules[j].name;
  };
  auto same_hlo = [&](size_t i, size_t j) {
    return known(i, j) && ours[i].fingerprint == theirs[j].fingerprint;
  };
  match("same HLO", [&](size_t i, size_t j) {
    return same_name(i, j) && same_hlo(i, j);
  });
  match("same HLO, other name", same_hlo);
  match("same name and signature", [&](size_t i, size_t j) {
    return known(i, j) && ours[i].signature == theirs[j].signature;
  });
  match("same name", same_name);
  for (size_t j = 0; j < taken.size(); ++j) {
    if (!taken[j]) {
      pairs.emplace_back();
      pairs.back().b = j;
    }
  }
  return pairs;
}

}  // namespace hlokit
