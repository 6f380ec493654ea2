#include "graph_tools/text_tree.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph_render/node_label.h"
#include "graph_render/source_text.h"
#include "graph_render/xml_text.h"

namespace hlokit {
namespace {

Style StyleOf(const Instruction& instruction) {
  switch (FillOf(instruction)) {
    case Fill::kYellow: return Style::kYellow;
    case Fill::kGreen: return Style::kGreen;
    case Fill::kDarkBlue: return Style::kBlue;
    case Fill::kPurple: return Style::kMagenta;
    case Fill::kBrown: return Style::kRed;
    case Fill::kDarkGreen: return Style::kBoldGreen;
    case Fill::kOrange:
    case Fill::kDarkOrange: return Style::kBoldYellow;
    default: return Style::kPlain;
  }
}

class TreeWriter {
 public:
  TreeWriter(const NodeFilter& filter, const TextTreeOptions& options)
      : filter_(filter), options_(options) {}

  std::string Write() {
    const std::vector<Instruction*> order = filter_.computation()->PostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (filter_.IsShown(*it) && !HasShownUser(**it)) WriteTree(*it);
    }
    if (left_out_ > 0) absl::StrAppend(&out_, "... more lines left out\n");
    return std::move(out_);
  }

 private:
  struct Pending {
    const Instruction* instruction;  // null: operands that are not shown
    std::string indent;
    bool last;
    bool top;
  };

  bool HasShownUser(const Instruction& instruction) const {
    return std::any_of(
        instruction.users().begin(), instruction.users().end(),
        [&](const Instruction* user) { return filter_.IsShown(user); });
  }

  // Depth first with a list of what is to come: chains may be long.
  void WriteTree(const Instruction* root) {
    std::vector<Pending> pending = {{root, "", true, true}};
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      if (++lines_ > options_.max_lines) {
        ++left_out_;
        return;
      }
      const std::string lead =
          next.top ? ""
                   : absl::StrCat(next.indent, next.last ? "`- " : "|- ");
      if (next.instruction == nullptr) {
        absl::StrAppend(&out_, lead, "...\n");
        continue;
      }
      const bool again = !seen_.insert(next.instruction).second;
      WriteLine(lead, *next.instruction, again);
      if (again) continue;
      // Deep chains of single operands would walk out of the window.
      std::string indent =
          next.top ? ""
                   : absl::StrCat(next.indent, next.last ? "   " : "|  ");
      const size_t room = std::max(20, options_.width / 2);
      if (indent.size() > room) {
        indent = absl::StrCat("+", indent.substr(indent.size() - room / 2));
      }
      AddOperands(*next.instruction, indent, &pending);
    }
  }

  void AddOperands(const Instruction& instruction, const std::string& indent,
                   std::vector<Pending>* pending) const {
    std::vector<const Instruction*> children;
    bool hidden = false;
    for (const Instruction* operand : instruction.operands()) {
      if (!filter_.IsShown(operand)) {
        hidden = true;
      } else if (std::find(children.begin(), children.end(), operand) ==
                 children.end()) {
        children.push_back(operand);
      }
    }
    if (hidden) children.push_back(nullptr);
    for (size_t k = children.size(); k-- > 0;) {
      pending->push_back(
          {children[k], indent, k + 1 == children.size(), false});
    }
  }

  void WriteLine(const std::string& lead, const Instruction& instruction,
                 bool again) {
    const bool center =
        filter_.Show(&instruction) == NodeShow::kHighlighted;
    std::string text =
        absl::StrCat(center ? "* " : "", CleanUtf8(instruction.name()), " = ",
                     OpcodeName(instruction.opcode()), " ");
    absl::StrAppend(&text, instruction.opcode() == Opcode::kConstant
                               ? InlineText(instruction)
                               : ShapeLabel(instruction.shape()));
    for (const Computation* called : instruction.called_computations()) {
      const absl::string_view trivial = TrivialReducer(*called);
      absl::StrAppend(&text, " ", trivial.empty() ? called->name() : trivial);
    }
    const auto mark = options_.marks.find(&instruction);
    if (mark != options_.marks.end() && !mark->second.line.empty()) {
      absl::StrAppend(&text, "  [", mark->second.line, "]");
    }
    if (again && instruction.operand_count() > 0) {
      absl::StrAppend(&text, "  (see above)");
    }
    const int room = std::max<int>(20, options_.width - lead.size());
    text = ElideMiddle(text, room);
    absl::StrAppend(&out_, lead,
                    options_.painter(center ? Style::kBoldRed
                                            : StyleOf(instruction),
                                     text));
    const std::string place = again ? "" : SourceText(instruction);
    if (!place.empty()) {
      const std::string source = absl::StrCat("  ", CleanUtf8(place));
      if (DisplayWidth(text) + static_cast<int>(source.size()) <= room) {
        absl::StrAppend(&out_, options_.painter(Style::kDim, source));
      }
    }
    out_ += '\n';
  }

  const NodeFilter& filter_;
  const TextTreeOptions& options_;
  absl::flat_hash_set<const Instruction*> seen_;
  int64_t lines_ = 0, left_out_ = 0;
  std::string out_;
};

}  // namespace

std::string TextTree(const NodeFilter& filter, const TextTreeOptions& options) {
  return TreeWriter(filter, options).Write();
}

}  // namespace hlokit
