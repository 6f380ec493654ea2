#include "graph_render/page_layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph_render/node_label.h"
#include "graph_render/scopes.h"
#include "graph_render/xml_text.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/unknown.h"

namespace hlokit {
namespace {

// Of the page's font, and of boxes.
constexpr double kCharacterWidth = 6.7;
constexpr int kMinWidth = 40, kMaxWidth = 300;
constexpr int kTwoLines = 34, kOneLine = 20;
constexpr int kMaxValue = 18;
constexpr size_t kFewScopes = 2;

LayoutSize SizeOfText(size_t characters, int height) {
  LayoutSize size;
  size.width = std::clamp(static_cast<int>(characters * kCharacterWidth) + 16,
                          kMinWidth, kMaxWidth);
  size.height = height;
  return size;
}

LayoutSize SizeOf(const Instruction& instruction) {
  const std::string title = BoxTitle(instruction);
  const std::string subtitle = BoxSubtitle(instruction);
  return SizeOfText(std::max(title.size(), subtitle.size()),
                    subtitle.empty() ? kOneLine : kTwoLines);
}

class PageMaker {
 public:
  PageMaker(const Module& module, const PageSelection& selection)
      : module_(module), selection_(selection) {}

  PageLayout List() {
    ChooseComputations();
    NumberInstructions();
    return std::move(page_);
  }

  PageLayout Make() {
    ChooseComputations();
    NumberInstructions();
    item_of_.assign(page_.instructions.size(), -1);
    for (size_t c = 0; c < page_.computations.size(); ++c) {
      page_.computations[c].flat = AddFlat(c);
      page_.computations[c].scoped = AddScoped(c);
    }
    return std::move(page_);
  }

 private:
  void AddComputation(const Computation* computation) {
    if (computation == nullptr || computation->root() == nullptr) return;
    const int number = page_.computations.size();
    if (!page_.computation_number_of.try_emplace(computation, number).second) {
      return;
    }
    PageComputation one;
    one.computation = computation;
    page_.computations.push_back(one);
  }

  void ChooseComputations() {
    AddComputation(selection_.root != nullptr ? selection_.root
                                              : module_.entry());
    if (selection_.closed) return;
    // What is called, nearest first.
    for (size_t c = 0; c < page_.computations.size(); ++c) {
      for (const Instruction* instruction :
           page_.computations[c].computation->instructions()) {
        if (!IsShown(instruction)) continue;
        for (const Computation* called : instruction->called_computations()) {
          AddComputation(called);
        }
      }
    }
    if (selection_.root != nullptr) return;
    for (const auto& computation : module_.computations()) {
      AddComputation(computation.get());
    }
  }

  bool IsShown(const Instruction* instruction) const {
    return selection_.filter == nullptr ||
           selection_.filter->IsShown(instruction);
  }

  void NumberInstructions() {
    for (PageComputation& one : page_.computations) {
      one.first = page_.instructions.size();
      for (const Instruction* instruction : one.computation->PostOrder()) {
        if (!IsShown(instruction)) continue;
        page_.number_of[instruction] = page_.instructions.size();
        page_.instructions.push_back(instruction);
      }
      one.count = page_.instructions.size() - one.first;
    }
  }

  // item_of_ tells where the members of the container stand: edges between
  // different items are its edges.
  void LayOutItems(absl::Span<const Instruction* const> members,
                   absl::Span<const LayoutSize> sizes,
                   PageContainer* container) {
    std::vector<LayoutEdge> edges;
    for (const Instruction* instruction : members) {
      const auto it = page_.number_of.find(instruction);
      if (it == page_.number_of.end()) continue;
      const int to = item_of_[it->second];
      for (const auto& others :
           {instruction->operands(), instruction->control_predecessors()}) {
        for (const Instruction* other : others) {
          const auto from = page_.number_of.find(other);
          if (from == page_.number_of.end()) continue;
          const int item = item_of_[from->second];
          if (item >= 0 && item != to) edges.push_back({item, to});
        }
      }
    }
    container->layout = LayOut(sizes, edges);
  }

  int AddFlat(int computation) {
    const PageComputation& one = page_.computations[computation];
    PageContainer container;
    container.computation = computation;
    container.instructions = one.count;
    std::vector<LayoutSize> sizes;
    for (int k = 0; k < one.count; ++k) {
      container.contents.push_back(one.first + k);
      sizes.push_back(SizeOf(*page_.instructions[one.first + k]));
      item_of_[one.first + k] = k;
    }
    LayOutItems(Members(one), sizes, &container);
    for (int k = 0; k < one.count; ++k) item_of_[one.first + k] = -1;
    page_.containers.push_back(std::move(container));
    return page_.containers.size() - 1;
  }

  absl::Span<const Instruction* const> Members(
      const PageComputation& one) const {
    return absl::MakeConstSpan(page_.instructions)
        .subspan(one.first, one.count);
  }

  int AddScoped(int computation) {
    const PageComputation& one = page_.computations[computation];
    const std::vector<ScopeBox> boxes = ScopeBoxes(*one.computation);
    if (boxes.size() < kFewScopes) return -1;
    // Instructions below each box, and how many of them are shown.
    std::vector<std::vector<const Instruction*>> below(boxes.size());
    for (int b = boxes.size() - 1; b >= 0; --b) {
      for (const Instruction* instruction : boxes[b].instructions) {
        if (page_.number_of.contains(instruction)) {
          below[b].push_back(instruction);
        }
      }
      for (const int child : boxes[b].boxes) {
        below[b].insert(below[b].end(), below[child].begin(),
                        below[child].end());
      }
    }
    const int first = page_.containers.size();
    page_.containers.resize(first + boxes.size());
    for (size_t b = 0; b < boxes.size(); ++b) {
      FillBox(boxes, below, b, first, computation);
    }
    return first;
  }

  void FillBox(const std::vector<ScopeBox>& boxes,
               const std::vector<std::vector<const Instruction*>>& below,
               int b, int first, int computation) {
    PageContainer& container = page_.containers[first + b];
    container.name = boxes[b].name;
    container.computation = computation;
    container.instructions = below[b].size();
    std::vector<LayoutSize> sizes;
    for (const Instruction* instruction : boxes[b].instructions) {
      const auto it = page_.number_of.find(instruction);
      if (it == page_.number_of.end()) continue;
      item_of_[it->second] = container.contents.size();
      container.contents.push_back(it->second);
      sizes.push_back(SizeOf(*instruction));
    }
    for (const int child : boxes[b].boxes) {
      if (below[child].empty()) continue;
      for (const Instruction* instruction : below[child]) {
        item_of_[page_.number_of[instruction]] = container.contents.size();
      }
      container.contents.push_back(~(first + child));
      const std::string count = absl::StrCat(below[child].size(), " ops");
      sizes.push_back(SizeOfText(
          std::max(boxes[child].name.size() + 3, count.size()), kTwoLines));
    }
    LayOutItems(below[b], sizes, &container);
    for (const Instruction* instruction : below[b]) {
      item_of_[page_.number_of[instruction]] = -1;
    }
  }

  const Module& module_;
  const PageSelection& selection_;
  PageLayout page_;
  std::vector<int> item_of_;  // by instruction number; -1: not in the container
};

}  // namespace

std::string BoxTitle(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kConstant &&
      instruction.shape().IsScalar() && instruction.literal() != nullptr) {
    std::string value;
    instruction.literal()->AppendTo(&value);
    return ShortText(value, kMaxValue);
  }
  return CleanUtf8(instruction.name());
}

std::string BoxSubtitle(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kConstant &&
      instruction.shape().IsScalar()) {
    return "";
  }
  std::string text(ShownOpcode(instruction));
  if (instruction.opcode() == Opcode::kParameter) {
    absl::StrAppend(&text, " ", instruction.parameter_number());
  }
  if (instruction.opcode() == Opcode::kGetTupleElement) {
    text = absl::StrCat("element ", instruction.tuple_index());
  }
  if (instruction.opcode() == Opcode::kCustomCall) {
    text = ShortText(instruction.custom_call_target(), 40);
  }
  return absl::StrCat(text, " ", ShapeLabel(instruction.shape()));
}

PageLayout ListPage(const Module& module, const PageSelection& selection) {
  return PageMaker(module, selection).List();
}

PageLayout LayOutPage(const Module& module, const PageSelection& selection) {
  return PageMaker(module, selection).Make();
}

}  // namespace hlokit
