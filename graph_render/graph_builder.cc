#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph_render/graph.h"
#include "graph_render/node_label.h"
#include "hlo/ir/sharding.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

// Edges between the same two nodes that are drawn at most.
constexpr int kMaxParallelEdges = 64;

// Kinds of fusion as words: "loop fusion".
std::string FusionWord(const Instruction& fusion) {
  std::string word(EnumWord(AttrId::kFusionKind,
                            fusion.attrs().GetInt(AttrId::kFusionKind)));
  if (!word.empty() && word[0] == 'k') word.erase(0, 1);
  for (char& c : word) c = absl::ascii_tolower(c);
  return absl::StrCat(word, " fusion");
}

class Builder {
 public:
  Builder(const NodeFilter& filter, const GraphOptions& options, Graph* graph)
      : filter_(filter), options_(options), graph_(*graph) {}

  // The computation in a frame of its own when `frame` is not -1.
  void Build(int frame) {
    Enter(filter_.computation(), frame, 0);
    // Nodes first: edges may point to what comes later.
    while (!waiting_.empty()) {
      const Waiting next = waiting_.front();
      waiting_.pop_front();
      AddNodes(*next.computation, next.cluster, next.depth);
    }
    AddRootTag();
    if (closed_ > 0) {
      graph_.title.push_back(
          {"", absl::StrCat(closed_, " more computations are not drawn")});
    }
    for (const Computation* computation : order_) AddEdges(*computation);
  }

 private:
  struct Waiting {
    const Computation* computation;
    int cluster;
    int depth;
  };

  void Enter(const Computation* computation, int cluster, int depth) {
    clusters_[computation] = cluster;
    order_.push_back(computation);
    waiting_.push_back({computation, cluster, depth});
  }

  bool IsExpanded(const Instruction& fusion) const {
    return fusion.opcode() == Opcode::kFusion &&
           !fusion.called_computations().empty() &&
           expanded_.contains(&fusion);
  }

  // Whether the computation that `caller` calls is to be drawn.
  bool Wants(const Instruction& caller, const Computation& callee,
             int depth) const {
    if (depth >= options_.max_nesting) return false;
    switch (caller.opcode()) {
      case Opcode::kFusion: return options_.fusion_subcomputations;
      case Opcode::kWhile: return options_.while_subcomputations;
      default:
        return options_.other_subcomputations && TrivialReducer(callee).empty();
    }
  }

  void AddNodes(const Computation& computation, int cluster, int depth) {
    // A frame that starts the picture is not one of the callees.
    for (const Instruction* instruction : computation.PostOrder()) {
      if (!filter_.IsShown(instruction)) continue;
      for (const Computation* callee : instruction->called_computations()) {
        if (Wants(*instruction, *callee, depth)) {
          AddCluster(*instruction, *callee, cluster, depth);
        }
      }
      // An open fusion is a frame, no node.
      if (IsExpanded(*instruction)) continue;
      if (IsInlined(*instruction, options_) && !StandsAlone(*instruction)) {
        continue;
      }
      AddNode(*instruction, cluster);
    }
  }

  // Inlined, but nobody shows it: what is highlighted or the only node.
  bool StandsAlone(const Instruction& instruction) const {
    return filter_.Show(&instruction) == NodeShow::kHighlighted;
  }

  void AddCluster(const Instruction& caller, const Computation& callee,
                  int parent, int depth) {
    if (callee.root() == nullptr) return;
    const bool fusion = caller.opcode() == Opcode::kFusion;
    if (clusters_.contains(&callee)) return;  // stands with an earlier caller
    if (graph_.clusters.size() >= options_.max_clusters) {
      ++closed_;
      return;
    }
    GraphCluster cluster;
    cluster.parent = parent;
    cluster.fusion = fusion;
    cluster.computation = &callee;
    if (fusion) {
      expanded_.insert(&caller);
      cluster.label.push_back(
          {std::string(caller.name()), "", false, "Fused expression for "});
      cluster.label.push_back({"", FusionWord(caller)});
      for (std::string& text : AttributeTexts(caller)) {
        cluster.label.push_back({"", std::move(text)});
      }
      if (options_.backend_config && !caller.backend_config().empty()) {
        cluster.label.push_back(
            {"", absl::StrCat("backend_config=", caller.backend_config())});
      }
      const auto mark = options_.marks.find(&caller);
      if (mark != options_.marks.end()) {
        cluster.label.push_back({"", mark->second.line});
      }
      if (filter_.Show(&caller) == NodeShow::kHighlighted) {
        cluster.fill = Fill::kRed;
      }
    } else {
      cluster.label.push_back(
          {std::string(caller.name()), "", false, "Subcomputation for "});
      cluster.label.push_back({"", std::string(callee.name())});
    }
    graph_.clusters.push_back(std::move(cluster));
    Enter(&callee, graph_.clusters.size() - 1, depth + 1);
  }

  void AddNode(const Instruction& instruction, int cluster) {
    GraphNode node;
    node.instruction = &instruction;
    node.cluster = cluster;
    node.label = NodeLabel(instruction, options_);
    node.tooltip = MetadataText(instruction);
    node.fill = FillOf(instruction);
    if (UsesParameterInline(instruction)) node.fill = Fill::kOrange;
    if (instruction.opcode() == Opcode::kWhile) node.form = NodeForm::kEllipse;
    ApplyShow(filter_.Show(&instruction), &node);
    if (options_.sharding_color) ApplySharding(instruction, &node);
    const auto mark = options_.marks.find(&instruction);
    if (mark != options_.marks.end()) {
      node.fill_color = mark->second.color;
      if (!mark->second.line.empty()) {
        node.label.push_back({"", mark->second.line});
      }
    }
    nodes_[&instruction] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  bool UsesParameterInline(const Instruction& instruction) const {
    return std::any_of(
        instruction.operands().begin(), instruction.operands().end(),
        [&](const Instruction* operand) {
          return operand->opcode() == Opcode::kGetTupleElement &&
                 !operand->operands().empty() &&
                 operand->operand(0)->opcode() == Opcode::kParameter &&
                 IsInlined(*operand->operand(0), options_);
        });
  }

  static void ApplyShow(NodeShow show, GraphNode* node) {
    node->highlighted = show == NodeShow::kHighlighted;
    node->dashed = show == NodeShow::kOperandsOmitted ||
                   show == NodeShow::kSomeOperandsOmitted;
    if (show == NodeShow::kSomeUsersOmitted) {
      node->label.push_back({"", "some users are not shown", true});
    }
  }

  void ApplySharding(const Instruction& instruction, GraphNode* node) {
    static constexpr Fill kRound[] = {Fill::kYellow, Fill::kGreen,
                                      Fill::kPurple, Fill::kOrange,
                                      Fill::kBrown,  Fill::kGrey};
    const Sharding* sharding = instruction.sharding();
    if (sharding == nullptr) {
      node->fill = Fill::kWhite;
      return;
    }
    const size_t seen = shardings_.size();
    const auto [it, fresh] =
        shardings_.try_emplace(sharding->ToString(false), seen);
    node->fill = kRound[it->second % std::size(kRound)];
  }

  void AddRootTag() {
    const Instruction* root = filter_.computation()->root();
    const int source = root == nullptr ? -1 : SourceOf(*root);
    if (source < 0) return;
    GraphNode tag;
    tag.label.push_back({"", "ROOT"});
    tag.form = NodeForm::kCircle;
    tag.fill = Fill::kBrown;
    tag.cluster = clusters_[filter_.computation()];
    graph_.nodes.push_back(std::move(tag));
    GraphEdge edge;
    edge.from = source;
    edge.to = graph_.nodes.size() - 1;
    edge.kind = GraphEdge::kTag;
    graph_.edges.push_back(std::move(edge));
  }

  // The node from which an instruction's value comes, -1 if it has none.
  int SourceOf(const Instruction& instruction) const {
    const Instruction* at = &instruction;
    while (true) {
      if (IsExpanded(*at)) {
        at = at->called_computation(0)->root();
        continue;
      }
      const auto it = nodes_.find(at);
      if (it != nodes_.end()) return it->second;
      if (at->opcode() == Opcode::kGetTupleElement && at->operand_count() > 0 &&
          filter_.IsShown(at)) {
        at = at->operand(0);
        continue;
      }
      return -1;
    }
  }

  // Where operand `i` of the instruction goes to.
  int TargetOf(const Instruction& instruction, int64_t i) const {
    const Instruction* at = &instruction;
    if (IsExpanded(*at)) {
      const Computation* fused = at->called_computation(0);
      if (i >= fused->parameter_count() || fused->parameter(i) == nullptr) {
        return -1;
      }
      at = fused->parameter(i);
    }
    const auto it = nodes_.find(at);
    return it == nodes_.end() ? -1 : it->second;
  }

  void AddEdges(const Computation& computation) {
    for (const Instruction* instruction : computation.PostOrder()) {
      if (!filter_.IsShown(instruction)) continue;
      AddOperandEdges(*instruction);
      AddControlEdges(*instruction);
      AddCallEdges(*instruction);
    }
  }

  void AddOperandEdges(const Instruction& instruction) {
    absl::flat_hash_map<int, int> parallel;
    const bool expanded = IsExpanded(instruction);
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Instruction& operand = *instruction.operand(i);
      if (!filter_.IsShown(&operand)) continue;
      const int to = TargetOf(instruction, i);
      const int from = to < 0 ? -1 : SourceOf(operand);
      if (from < 0 || ++parallel[from] > kMaxParallelEdges) continue;
      GraphEdge edge;
      edge.from = from;
      edge.to = to;
      if (instruction.operand_count() > 1 && !expanded) edge.operand = i;
      edge.large = AllElements(operand.shape()) >= kLargeElements;
      edge.tooltip = absl::StrCat(NameOf(from), " -> ", NameOf(to));
      graph_.edges.push_back(std::move(edge));
    }
  }

  void AddControlEdges(const Instruction& instruction) {
    const int to = SourceOf(instruction);
    for (const Instruction* before : instruction.control_predecessors()) {
      const int from =
          to < 0 || !filter_.IsShown(before) ? -1 : SourceOf(*before);
      if (from < 0) continue;
      GraphEdge edge;
      edge.from = from;
      edge.to = to;
      edge.kind = GraphEdge::kControl;
      edge.large = true;
      edge.tooltip = absl::StrCat(NameOf(from), " -> ", NameOf(to));
      graph_.edges.push_back(std::move(edge));
    }
  }

  // From what a called computation gives to its caller.
  void AddCallEdges(const Instruction& instruction) {
    if (instruction.opcode() == Opcode::kFusion) return;
    const auto it = nodes_.find(&instruction);
    if (it == nodes_.end()) return;
    for (const Computation* callee : instruction.called_computations()) {
      const auto cluster = clusters_.find(callee);
      if (cluster == clusters_.end() || callee->root() == nullptr) continue;
      const int from = SourceOf(*callee->root());
      if (from < 0) continue;
      GraphEdge edge;
      edge.from = from;
      edge.to = it->second;
      edge.kind = GraphEdge::kCalled;
      edge.from_cluster = cluster->second;
      edge.tooltip =
          absl::StrCat(callee->name(), " -> ", instruction.name());
      graph_.edges.push_back(std::move(edge));
    }
  }

  absl::string_view NameOf(int node) const {
    const Instruction* instruction = graph_.nodes[node].instruction;
    return instruction == nullptr ? "" : instruction->name();
  }

  const NodeFilter& filter_;
  const GraphOptions& options_;
  Graph& graph_;
  std::deque<Waiting> waiting_;
  std::vector<const Computation*> order_;
  absl::flat_hash_map<const Computation*, int> clusters_;
  absl::flat_hash_set<const Instruction*> expanded_;
  absl::flat_hash_map<const Instruction*, int> nodes_;
  absl::flat_hash_map<std::string, size_t> shardings_;
  int64_t closed_ = 0;  // frames left out
};

Label TitleOf(const Computation& computation, absl::string_view title) {
  Label label;
  if (!title.empty()) label.push_back({std::string(title), ""});
  label.push_back({absl::StrCat("Computation ", computation.name()), ""});
  if (computation.IsEntry()) {
    label.push_back({"ENTRY computation", ""});
    return label;
  }
  if (const Instruction* fusion = computation.fusion_instruction()) {
    label.push_back({absl::StrCat("Fusion instruction: ", fusion->name()), ""});
    return label;
  }
  constexpr size_t kMaxCallers = 8;
  std::vector<absl::string_view> callers;
  for (const Instruction* caller : computation.callers()) {
    if (callers.size() == kMaxCallers) {
      callers.push_back("...");
      break;
    }
    callers.push_back(caller->name());
  }
  if (!callers.empty()) {
    label.push_back(
        {absl::StrCat("Called by: ", absl::StrJoin(callers, ", ")), ""});
  }
  return label;
}

// Instructions of the computation and of all that it calls, by name.
absl::flat_hash_map<absl::string_view, const Instruction*> ByName(
    const Computation& computation) {
  absl::flat_hash_map<absl::string_view, const Instruction*> by_name;
  for (const auto& one : computation.module()->computations()) {
    for (const Instruction* instruction : one->instructions()) {
      by_name[instruction->name()] = instruction;
    }
  }
  return by_name;
}

void MarkDifferences(
    Graph* graph, size_t begin, size_t end,
    const absl::flat_hash_map<absl::string_view, const Instruction*>& others,
    Fill lonely) {
  PrintOptions options;
  options.print_metadata = false;
  for (size_t n = begin; n < end; ++n) {
    GraphNode& node = graph->nodes[n];
    if (node.instruction == nullptr) continue;
    const auto it = others.find(node.instruction->name());
    if (it == others.end()) {
      node.fill = lonely;
    } else if (ToString(*node.instruction, options) !=
               ToString(*it->second, options)) {
      node.fill = Fill::kAmber;
    } else {
      node.fill = Fill::kWhite;
    }
  }
}

}  // namespace

Graph BuildGraph(const NodeFilter& filter, const GraphOptions& options) {
  Graph graph;
  graph.title = TitleOf(*filter.computation(), options.title);
  Builder(filter, options, &graph).Build(-1);
  return graph;
}

Graph BuildSideBySide(const NodeFilter& before, const NodeFilter& after,
                      const GraphOptions& options) {
  Graph graph;
  if (!options.title.empty()) graph.title.push_back({options.title, ""});
  graph.title.push_back({"", "red: only before, green: only after, yellow: "
                             "changed"});
  size_t begin = 0;
  for (const NodeFilter* side : {&before, &after}) {
    const NodeFilter* other = side == &before ? &after : &before;
    GraphCluster cluster;
    cluster.label.push_back({side == &before ? "before" : "after", ""});
    cluster.label.push_back(
        {"", absl::StrCat(side->computation()->module()->name(), ", ",
                          side->computation()->name())});
    graph.clusters.push_back(std::move(cluster));
    Builder(*side, options, &graph).Build(graph.clusters.size() - 1);
    MarkDifferences(&graph, begin, graph.nodes.size(),
                    ByName(*other->computation()),
                    side == &before ? Fill::kRed : Fill::kFresh);
    begin = graph.nodes.size();
  }
  return graph;
}

}  // namespace hlokit
