#include "dump/peak_tree.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace hlokit {
namespace {

// Deeper ones hang below the root: the tree is walked by recursion.
constexpr int kMaxCallers = 100;

struct Node {
  std::string label;
  int64_t total = 0;    // with what is below
  int64_t current = 0;  // its own
  std::map<std::string, std::unique_ptr<Node>> children;

  Node* Child(const std::string& name) {
    std::unique_ptr<Node>& child = children[name];
    if (child == nullptr) {
      child = std::make_unique<Node>();
      child->label = name;
    }
    return child.get();
  }
};

std::string LabelOf(const Instruction& instruction) {
  const std::string& op_name = instruction.metadata().op_name;
  return op_name.empty() ? std::string(instruction.name()) : op_name;
}

// From the entry's name down to the value's own label.
std::vector<std::string> PathOf(const LiveValue& value) {
  std::vector<std::string> path = {LabelOf(*value.at)};
  if (!value.index.empty()) {
    absl::StrAppend(&path[0], "{", absl::StrJoin(value.index, ","), "}");
  }
  const Computation* computation = value.at->parent();
  for (int k = 0; k < kMaxCallers; ++k) {
    path.push_back(std::string(computation->name()));
    if (computation->callers().empty()) break;
    const Instruction* caller = computation->callers()[0];
    path.push_back(LabelOf(*caller));
    computation = caller->parent();
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// "33 848".
std::string Grouped(int64_t number) {
  std::string digits = absl::StrCat(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(at, " ");
  }
  return digits;
}

class Writer {
 public:
  explicit Writer(int64_t total) : total_(total), remaining_(total) {}

  void Write(const Node& node, const std::string& indent,
             absl::string_view branch, absl::string_view below) {
    remaining_ -= node.current;
    absl::StrAppend(
        &text_, indent, branch, node.label,
        absl::StrFormat(" (%.1f%%, total: ",
                        total_ == 0 ? 0.0 : 100.0 * node.total / total_),
        Grouped(node.total), " bytes, current: ", Grouped(node.current),
        " bytes, remaining: ", Grouped(remaining_), " bytes)\n");
    std::vector<const Node*> children;
    for (const auto& [label, child] : node.children) {
      children.push_back(child.get());
    }
    std::stable_sort(
        children.begin(), children.end(),
        [](const Node* a, const Node* b) { return a->total > b->total; });
    for (const Node* child : children) {
      const bool last = child == children.back();
      Write(*child, absl::StrCat(indent, below), last ? "└── " : "├── ",
            last ? "    " : "│   ");
    }
  }

  std::string text() { return std::move(text_); }

 private:
  const int64_t total_;
  int64_t remaining_;
  std::string text_;
};

}  // namespace

std::string PeakTreeText(absl::Span<const LiveValue> values) {
  Node top;
  for (const LiveValue& value : values) {
    Node* node = &top;
    node->total += value.bytes;
    for (const std::string& label : PathOf(value)) {
      node = node->Child(label);
      node->total += value.bytes;
    }
    node->current += value.bytes;
  }
  Writer writer(top.total);
  for (const auto& [label, root] : top.children) {
    writer.Write(*root, "    ", "", "  ");
  }
  return absl::StrCat("  Stack trace breakdown for peak usage: ",
                      Grouped(top.total), " bytes\n", writer.text());
}

}  // namespace hlokit
