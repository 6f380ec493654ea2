#include "graph_render/dot_writer.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "graph_render/cgraph_library.h"
#include "graph_render/xml_text.h"

namespace hlokit {
namespace {

constexpr absl::string_view kInColor = "#1976d2";
constexpr absl::string_view kOutColor = "#d32f2f";

// Graphviz refuses strings of 16384 bytes and more. A character takes at most
// 6 bytes escaped.
constexpr int kMaxTooltip = 2000;
constexpr int kMaxPart = 384;
constexpr size_t kMaxLabel = 9000;

std::string PartText(absl::string_view text) {
  return XmlText(ShortText(text, kMaxPart));
}

// Graphviz reads a backslash and entities in tooltips.
std::string EscString(absl::string_view text) {
  return absl::StrReplaceAll(XmlText(ShortText(text, kMaxTooltip)),
                             {{"\\", "\\\\"}, {"\n", "&#10;"}});
}

std::string HtmlLine(const LabelLine& line) {
  std::string html = PartText(line.before);
  if (!line.bold.empty()) {
    absl::StrAppend(&html, "<b>", PartText(line.bold), "</b>");
  }
  if (line.plain.empty()) return html;
  const std::string plain = PartText(line.plain);
  if (line.italic) {
    absl::StrAppend(&html, "<i>", plain, "</i>");
  } else {
    absl::StrAppend(&html, plain);
  }
  return html;
}

std::string HtmlLabel(const Label& label) {
  std::string html;
  for (const LabelLine& line : label) {
    const std::string one = HtmlLine(line);
    if (one.empty()) continue;
    absl::StrAppend(&html, html.empty() ? "" : "<br/>", one);
    if (html.size() > kMaxLabel) {
      html += "<br/>...";
      break;
    }
  }
  // An empty label is no HTML to Graphviz.
  return html.empty() ? " " : html;
}

// Colours the edges of one class while the pointer is on a node. In a data URI
// # is %23.
void AppendHover(int node, char edge_class, absl::string_view color,
                 std::string* css) {
  absl::StrAppend(css, "%23node", node, ":hover~.", std::string(1, edge_class),
                  node, " *{stroke:%23", color.substr(1), "}\n");
}

// Quoted strings of 16384 bytes and more broke older versions of Graphviz;
// graphs that would need more go without colours under the pointer.
constexpr size_t kMaxStyleBytes = 16000;

std::string StyleSheet(const Graph& graph) {
  const std::string font =
      "data:text/css,svg text{font-family:Roboto,Helvetica,Arial,sans-serif;"
      "font-size:12px}\n";
  std::string css = font;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].instruction == nullptr) continue;
    AppendHover(n, 'i', kInColor, &css);
    AppendHover(n, 'o', kOutColor, &css);
    if (css.size() > kMaxStyleBytes) return font;
  }
  return css;
}

constexpr size_t kCountedNodes = 100;

// The title, and of large graphs their size.
Label TitleWithSize(const Graph& graph) {
  Label title = graph.title;
  if (graph.nodes.size() >= kCountedNodes) {
    title.push_back({"", absl::StrCat(graph.nodes.size(), " nodes, ",
                                      graph.edges.size(), " edges")});
  }
  return title;
}

// Graphviz deals ids by address and writes frames in the order of ids; these
// are dealt in order of creation. Names must lie in Graphviz' own table.
class IdsInOrder {
 public:
  static Agiddisc_t Disc() {
    return {[](Agraph_t* graph, Agdisc_t*) -> void* {
              return new IdsInOrder(graph);
            },
            Map,
            [](void*, int, IDTYPE) -> long { return 0; },
            [](void*, int, IDTYPE) {},
            Print,
            [](void* state) { delete Of(state); },
            [](void*, int, void*) {}};
  }

 private:
  explicit IdsInOrder(Agraph_t* graph) : graph_(graph) {}
  static IdsInOrder* Of(void* state) { return static_cast<IdsInOrder*>(state); }

  static long Map(void* state, int, char* name, IDTYPE* id, int create) {
    if (name == nullptr) return 0;
    IdsInOrder& self = *Of(state);
    const auto it = self.ids_.find(name);
    if (it != self.ids_.end()) {
      *id = it->second;
      return 1;
    }
    if (!create) return 0;
    self.names_.push_back((*CgraphLibrary::Load())->dup(self.graph_, name));
    *id = self.names_.size();
    self.ids_[name] = *id;
    return 1;
  }
  static char* Print(void* state, int, IDTYPE id) {
    return Of(state)->names_[id - 1];
  }

  Agraph_t* graph_;
  std::vector<char*> names_;
  absl::flat_hash_map<std::string, IDTYPE> ids_;
};

class DotBuilder {
 public:
  DotBuilder(const CgraphLibrary& library, const Graph& graph,
             const DotOptions& options)
      : library_(library), graph_(graph), options_(options) {
    io_.afread = nullptr;
    io_.putstr = [](void* channel, const char* text) {
      static_cast<std::string*>(channel)->append(text);
      return 0;
    };
    io_.flush = [](void*) { return 0; };
    ids_ = IdsInOrder::Disc();
    disc_ = {library_.memory, &ids_, &io_};
    root_ = library_.open(const_cast<char*>("G"), *library_.directed, &disc_);
  }
  ~DotBuilder() { library_.close(root_); }

  std::string Build() {
    DeclareDefaults();
    AddClusters();
    AddNodes();
    AddEdges();
    std::string text;
    library_.write(root_, &text);
    return text;
  }

 private:
  static char* Chars(absl::string_view literal) {
    return const_cast<char*>(literal.data());
  }

  // Every attribute must be known before it is set.
  void DeclareDefaults() {
    auto declare = [&](int kind, const char* name, const char* value) {
      return library_.attribute(root_, kind, Chars(name), Chars(value));
    };
    declare(AGRAPH, "rankdir", "TB");
    declare(AGRAPH, "compound", "true");
    declare(AGRAPH, "labelloc", "t");
    declare(AGRAPH, "tooltip", " ");
    if (options_.hover) {
      declare(AGRAPH, "stylesheet", StyleSheet(graph_).c_str());
    }
    graph_label_ = declare(AGRAPH, "label", "");
    graph_style_ = declare(AGRAPH, "style", "");
    graph_fill_ = declare(AGRAPH, "fillcolor", "");
    graph_color_ = declare(AGRAPH, "color", "");
    node_shape_ = declare(AGNODE, "shape", "rect");
    node_style_ = declare(AGNODE, "style", "filled");
    node_label_ = declare(AGNODE, "label", "");
    node_tooltip_ = declare(AGNODE, "tooltip", " ");
    node_id_ = declare(AGNODE, "id", "");
    node_font_ = declare(AGNODE, "fontcolor", "#000000");
    node_color_ = declare(AGNODE, "color", "");
    node_fill_ = declare(AGNODE, "fillcolor", "");
    node_width_ = declare(AGNODE, "penwidth", "1");
    edge_id_ = declare(AGEDGE, "id", "");
    edge_class_ = declare(AGEDGE, "class", "");
    edge_arrow_ = declare(AGEDGE, "arrowhead", "normal");
    edge_tooltip_ = declare(AGEDGE, "tooltip", " ");
    edge_style_ = declare(AGEDGE, "style", "");
    edge_color_ = declare(AGEDGE, "color", "#000000");
    edge_label_ = declare(AGEDGE, "label", "");
    edge_head_ = declare(AGEDGE, "headlabel", "");
    edge_distance_ = declare(AGEDGE, "labeldistance", "2");
    edge_tail_ = declare(AGEDGE, "ltail", "");
    SetHtml(root_, graph_label_, HtmlLabel(TitleWithSize(graph_)));
  }

  void Set(void* object, Agsym_t* symbol, absl::string_view value) {
    const std::string text(value);
    library_.set(object, symbol, Chars(text));
  }

  // Graphviz knows text as HTML by the string in its own table.
  void SetHtml(void* object, Agsym_t* symbol, const std::string& value) {
    char* html = library_.html(root_, Chars(value));
    library_.set(object, symbol, html);
    library_.free_string(root_, html);
  }

  void AddClusters() {
    for (size_t c = 0; c < graph_.clusters.size(); ++c) {
      const GraphCluster& cluster = graph_.clusters[c];
      Agraph_t* parent =
          cluster.parent < 0 ? root_ : subgraphs_[cluster.parent];
      const std::string name = absl::StrCat("cluster_", c);
      Agraph_t* subgraph = library_.subgraph(parent, Chars(name), 1);
      subgraphs_.push_back(subgraph);
      SetHtml(subgraph, graph_label_, HtmlLabel(cluster.label));
      if (cluster.fusion) {
        Set(subgraph, graph_style_, "rounded,filled,bold");
        Set(subgraph, graph_fill_, ColorsOf(cluster.fill).fill);
        Set(subgraph, graph_color_, ColorsOf(cluster.fill).stroke);
      } else {
        Set(subgraph, graph_style_, "rounded");
        Set(subgraph, graph_color_, "#000000");
      }
    }
  }

  void AddNodes() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const GraphNode& node = graph_.nodes[n];
      const std::string name = absl::StrCat("n", n);
      Agraph_t* place = node.cluster < 0 ? root_ : subgraphs_[node.cluster];
      Agnode_t* made = library_.node(place, Chars(name), 1);
      nodes_.push_back(made);
      Set(made, node_id_, absl::StrCat("node", n));
      SetHtml(made, node_label_, HtmlLabel(node.label));
      if (!node.tooltip.empty()) {
        Set(made, node_tooltip_, EscString(node.tooltip));
      }
      PaintNode(node, made);
    }
  }

  void PaintNode(const GraphNode& node, Agnode_t* made) {
    const FillColors& colors = ColorsOf(node.fill);
    if (node.form == NodeForm::kEllipse) Set(made, node_shape_, "ellipse");
    if (node.form == NodeForm::kCircle) Set(made, node_shape_, "circle");
    Set(made, node_font_, node.fill_color.empty() ? colors.text : "#000000");
    Set(made, node_fill_,
        node.fill_color.empty() ? colors.fill
                                : absl::string_view(node.fill_color));
    Set(made, node_color_, node.dashed ? "#757575" : colors.stroke);
    if (node.dashed) Set(made, node_style_, "filled,dashed");
    if (node.highlighted) {
      Set(made, node_color_, kOutColor);
      Set(made, node_width_, "4");
    }
  }

  void AddEdges() {
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      const GraphEdge& edge = graph_.edges[e];
      // A key of its own, so that parallel edges stay apart.
      const std::string key = absl::StrCat("e", e);
      Agedge_t* made = library_.edge(root_, nodes_[edge.from],
                                     nodes_[edge.to], Chars(key), 1);
      if (made == nullptr) continue;
      Set(made, edge_id_, absl::StrCat("edge", e));
      if (options_.hover) {
        Set(made, edge_class_, absl::StrCat("o", edge.from, " i", edge.to));
      }
      if (!edge.tooltip.empty()) {
        Set(made, edge_tooltip_, EscString(edge.tooltip));
      }
      switch (edge.kind) {
        case GraphEdge::kData:
          if (!edge.large) Set(made, edge_arrow_, "empty");
          break;
        case GraphEdge::kControl:
          Set(made, edge_style_, "dotted");
          Set(made, edge_color_, "gray");
          Set(made, edge_label_, "ctrl");
          break;
        case GraphEdge::kCalled:
          Set(made, edge_style_, "dashed");
          Set(made, edge_tail_, absl::StrCat("cluster_", edge.from_cluster));
          break;
        case GraphEdge::kTag: break;
      }
      if (edge.operand >= 0) {
        Set(made, edge_head_, absl::StrCat(edge.operand));
      }
    }
  }

  const CgraphLibrary& library_;
  const Graph& graph_;
  const DotOptions& options_;
  Agiodisc_t io_;
  Agiddisc_t ids_;
  Agdisc_t disc_;
  Agraph_t* root_ = nullptr;
  std::vector<Agraph_t*> subgraphs_;
  std::vector<Agnode_t*> nodes_;
  Agsym_t *graph_label_, *graph_style_, *graph_fill_, *graph_color_;
  Agsym_t *node_shape_, *node_style_, *node_label_, *node_tooltip_, *node_id_,
      *node_font_, *node_color_, *node_fill_, *node_width_;
  Agsym_t *edge_id_, *edge_class_, *edge_arrow_, *edge_tooltip_, *edge_style_,
      *edge_color_, *edge_label_, *edge_head_, *edge_distance_, *edge_tail_;
};

}  // namespace

absl::StatusOr<std::string> DotText(const Graph& graph,
                                    const DotOptions& options) {
  HLOKIT_ASSIGN_OR_RETURN(const CgraphLibrary* library, CgraphLibrary::Load());
  absl::MutexLock lock(&CgraphLibrary::mutex());
  return DotBuilder(*library, graph, options).Build();
}

}  // namespace hlokit
