#include "graph_render/fusion_page.h"

#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph_render/extract_module.h"
#include "graph_render/html_page.h"
#include "graph_render/node_filter.h"

namespace hlokit {
namespace {

constexpr int64_t kFewUsers = 16;
constexpr int64_t kFewElements = 16;
// A larger computation is no last stop: the page would be all that.
constexpr int64_t kMaxLastStop = 5000;

// What holds too much to be shown again in every step.
bool IsLarge(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAsyncStart:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
      return true;
    case Opcode::kTuple:
      return instruction.operand_count() > kFewElements;
    default:
      return false;
  }
}

// ExtractModule joins several results in a tuple that nobody wrote.
NodeFilter WithoutJoin(const Computation& entry) {
  absl::flat_hash_map<const Instruction*, NodeShow> shown;
  for (const Instruction* instruction : entry.instructions()) {
    const bool is_join =
        instruction->IsRoot() && instruction->opcode() == Opcode::kTuple &&
        absl::StartsWith(instruction->name(), kExtractedResults);
    if (!is_join) shown[instruction] = NodeShow::kNormal;
  }
  return NodeFilter(&entry, std::move(shown));
}

PageStage StageOf(const std::string& label, const Module& module,
                  const std::string& focus) {
  PageStage stage;
  stage.label = label;
  stage.module = &module;
  stage.focus = focus;
  stage.follows = false;
  return stage;
}

std::string FinalFusionsPage(const Computation& computation,
                             const std::string& title) {
  PageStage stage;
  stage.label = std::string(computation.name());
  stage.module = computation.module();
  stage.selection.root = &computation;
  PageOptions options;
  options.title = title;
  for (const Instruction* instruction : computation.PostOrder()) {
    if (instruction->opcode() == Opcode::kFusion) {
      options.stops.push_back({std::string(instruction->name()), instruction});
    }
  }
  return HtmlPage({stage}, options);
}

}  // namespace

std::shared_ptr<const Module> StepPicture(
    absl::Span<const Instruction* const> members) {
  absl::flat_hash_map<const Instruction*, NodeShow> shown;
  const auto show = [&](const Instruction* one) {
    if (!IsLarge(*one)) shown.try_emplace(one, NodeShow::kNormal);
  };
  for (const Instruction* member : members) {
    shown.try_emplace(member, NodeShow::kHighlighted);
  }
  for (const Instruction* member : members) {
    for (const Instruction* operand : member->operands()) show(operand);
    if (member->user_count() > kFewUsers) continue;
    for (const Instruction* user : member->users()) show(user);
  }
  if (shown.empty()) return nullptr;
  const Computation* computation = members[0]->parent();
  auto module = ExtractModule(NodeFilter(computation, std::move(shown)),
                              computation->name());
  if (!module.ok()) return nullptr;
  return std::shared_ptr<const Module>(*std::move(module));
}

std::string FusionPage(const Computation* computation,
                       absl::Span<const FusionStep> steps,
                       const std::string& title) {
  if (steps.empty() && computation != nullptr) {
    return FinalFusionsPage(*computation, title);
  }
  std::vector<PageStage> stages;
  std::deque<NodeFilter> filters;
  const auto add = [&](const std::string& label, const Module& module,
                       const std::string& focus) {
    stages.push_back(StageOf(label, module, focus));
    filters.push_back(WithoutJoin(*module.entry()));
    stages.back().selection.root = module.entry();
    stages.back().selection.filter = &filters.back();
  };
  for (const FusionStep& step : steps) {
    if (step.before == nullptr) continue;
    add(step.text, *step.before, step.focus);
    if (step.after == nullptr) continue;
    add(absl::StrCat(step.text, " - done"), *step.after, step.after_focus);
    stages.back().follows = true;
  }
  if (computation != nullptr &&
      (stages.empty() || computation->instruction_count() <= kMaxLastStop)) {
    stages.push_back(StageOf("in the end", *computation->module(), ""));
    stages.back().selection.root = computation;
  }
  PageOptions options;
  options.title = title;
  return HtmlPage(stages, options);
}

}  // namespace hlokit
