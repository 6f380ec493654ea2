#include "graph_tools/hlo_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/terminal.h"
#include "graph_render/graph_json.h"
#include "graph_render/picture.h"
#include "graph_tools/graph_session.h"
#include "graph_tools/load_stages.h"
#include "graph_tools/module_names.h"
#include "graph_tools/overlay_file.h"
#include "graph_tools/picture_file.h"

namespace hlokit {
namespace {

constexpr char kHloGraph[] = "hlo-graph";

class HloGraph {
 public:
  HloGraph(const HloGraphOptions& options, const ToolIo& io)
      : options_(options), io_(io) {}

  // Chooses the format. OutOfRange when it cannot show so many files.
  absl::Status Prepare(const std::vector<std::string>& files) {
    HLOKIT_RETURN_IF_ERROR(ChooseFormat());
    if (files.size() > 1 && format_ == PictureFormat::kHlo) {
      return absl::OutOfRangeError(
          "an .hlo file holds the part of one module: give one file, or write "
          "txt, html, json, dot, svg, png or pdf, which show both");
    }
    return absl::OkStatus();
  }

  absl::Status Run(const std::vector<std::string>& files) {
    HLOKIT_RETURN_IF_ERROR(Load(files));
    HLOKIT_RETURN_IF_ERROR(ReadOverlays());
    HLOKIT_ASSIGN_OR_RETURN(const std::string contents, Make());
    const std::string caveat =
        format_ == PictureFormat::kUrl ? UrlCaveat(contents) : "";
    if (!caveat.empty()) {
      *io_.err << kHloGraph << ": warning: " << caveat << "\n";
    }
    return WriteOutput(io_, options_.to, contents,
                       IsBinary(format_) ? OutputKind::kBinary
                                         : OutputKind::kText);
  }

 private:
  absl::Status ChooseFormat() {
    if (options_.format.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(format_, FormatOfFile(options_.to));
      return absl::OkStatus();
    }
    const auto words = PictureFormatWords();
    format_ = static_cast<PictureFormat>(
        std::find(words.begin(), words.end(), options_.format) -
        words.begin());
    return absl::OkStatus();
  }

  absl::Status Load(const std::vector<std::string>& files) {
    StageQuery query;
    query.format = options_.input_format;
    query.module = options_.module;
    query.all_steps = options_.all_steps;
    query.strict = options_.strict;
    for (const std::string& file : files) {
      HLOKIT_ASSIGN_OR_RETURN(auto stages, LoadStages(file, query, io_));
      HLOKIT_RETURN_IF_ERROR(KeepStep(file, &stages));
      for (LoadedStage& stage : stages) {
        if (files.size() == 1) continue;
        stage.label = absl::StrCat(BaseName(InputName(file)),
                                   stages.size() > 1 ? " " : "",
                                   stages.size() > 1 ? stage.label : "");
      }
      std::move(stages.begin(), stages.end(), std::back_inserter(stages_));
    }
    return absl::OkStatus();
  }

  // Keeps the step of a folder that --step names; of the other forms than
  // pages and JSON, which show all steps, the last one.
  absl::Status KeepStep(const std::string& file,
                        std::vector<LoadedStage>* stages) const {
    if (stages->size() > 1 || io_.files->IsDirectory(file)) {
      auto kept = stages->end() - 1;
      if (!options_.step.empty()) {
        kept = std::find_if(stages->begin(), stages->end(),
                            [&](const LoadedStage& stage) {
                              return absl::StrContains(stage.label,
                                                       options_.step);
                            });
        if (kept == stages->end()) return NoStep(*stages);
      } else if (ShowsSteps()) {
        return absl::OkStatus();
      }
      LoadedStage one = std::move(*kept);
      stages->clear();
      stages->push_back(std::move(one));
    }
    return absl::OkStatus();
  }

  absl::Status NoStep(const std::vector<LoadedStage>& stages) const {
    std::string labels;
    for (const LoadedStage& stage : stages) {
      absl::StrAppend(&labels, "\n  ", stage.label);
    }
    return NotFound("no step has '%s' in its name; steps:%s", options_.step,
                    labels);
  }

  bool ShowsSteps() const {
    return format_ == PictureFormat::kHtml || format_ == PictureFormat::kJson;
  }

  absl::Status ReadOverlays() {
    for (const std::string& file : options_.overlays) {
      HLOKIT_ASSIGN_OR_RETURN(const std::string text, ReadInput(io_, file));
      HLOKIT_ASSIGN_OR_RETURN(PageOverlay overlay,
                              ParseOverlay(text, InputName(file)));
      const bool any = std::any_of(
          stages_.begin(), stages_.end(), [&](const LoadedStage& stage) {
            return !MarksOf(overlay, *stage.module).empty();
          });
      if (!any) {
        *io_.err << kHloGraph << ": warning: " << InputName(file)
                 << ": none of its " << overlay.values.size()
                 << " names is an instruction here\n";
      }
      overlays_.push_back(std::move(overlay));
    }
    return absl::OkStatus();
  }

  // What the options ask for, of one module.
  absl::StatusOr<NodeFilter> Select(const Module& module) const {
    const ModuleNames names(module);
    const int64_t radius =
        options_.radius >= 0 ? options_.radius : kDefaultRadius;
    if (!options_.around.empty()) return Around(names, radius);
    if (!options_.paths.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(const Instruction* a,
                              names.NeedInstruction(options_.paths[0]));
      HLOKIT_ASSIGN_OR_RETURN(const Instruction* b,
                              names.NeedInstruction(options_.paths[1]));
      HLOKIT_ASSIGN_OR_RETURN(PathsResult paths,
                              AllPaths(*a, *b, options_.max_nodes));
      if (paths.found > options_.max_nodes) {
        *io_.err << kHloGraph << ": note: " << paths.found
                 << " instructions lie on paths; the " << options_.max_nodes
                 << " on the shortest are shown (--max-nodes)\n";
      }
      return std::move(paths.filter);
    }
    if (!options_.above.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(const Instruction* root,
                              names.NeedInstruction(options_.above));
      return OperandsAbove(*root, options_.height);
    }
    const Computation* computation = module.entry();
    if (!options_.computation.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(computation,
                              names.NeedComputation(options_.computation));
    }
    if (computation == nullptr) {
      return InvalidArgument("the module has no entry computation");
    }
    if (!options_.filter.empty()) return Filtered(module, *computation);
    return NodeFilter(computation);
  }

  absl::StatusOr<NodeFilter> Around(const ModuleNames& names,
                                    int64_t radius) const {
    std::vector<const Instruction*> centers;
    for (const std::string& name : options_.around) {
      HLOKIT_ASSIGN_OR_RETURN(const Instruction* center,
                              names.NeedInstruction(name));
      if (!centers.empty() && center->parent() != centers[0]->parent()) {
        return InvalidArgument("%s and %s are in different computations",
                               centers[0]->name(), center->name());
      }
      centers.push_back(center);
    }
    absl::flat_hash_set<const Instruction*> boundary;
    for (const std::string& name : options_.boundary) {
      HLOKIT_ASSIGN_OR_RETURN(const Instruction* one,
                              names.NeedInstruction(name));
      boundary.insert(one);
    }
    return centers.size() == 1 ? Neighbourhood(*centers[0], radius, boundary)
                               : Neighbourhoods(centers, radius);
  }

  // In the chosen computation, or else in the first one that has any.
  absl::StatusOr<NodeFilter> Filtered(const Module& module,
                                      const Computation& computation) const {
    HLOKIT_ASSIGN_OR_RETURN(const auto condition,
                            ParseCondition(options_.filter));
    std::vector<const Computation*> places = {&computation};
    if (options_.computation.empty()) {
      for (const auto& other : module.computations()) {
        places.push_back(other.get());
      }
    }
    for (const Computation* place : places) {
      std::vector<const Instruction*> centers;
      for (const Instruction* instruction : place->instructions()) {
        if (condition(*instruction)) centers.push_back(instruction);
      }
      if (centers.empty()) continue;
      return Neighbourhoods(centers, std::max<int64_t>(options_.radius, 0));
    }
    return NotFound("no instruction meets --filter=%s", options_.filter);
  }

  PictureRequest RequestFor(NodeFilter filter, const std::string& label) const {
    PictureRequest request(std::move(filter));
    request.graph.title = options_.title.empty() ? label : options_.title;
    request.graph.fusion_subcomputations = options_.fusions;
    request.graph.while_subcomputations = options_.loops;
    request.graph.other_subcomputations = options_.calls;
    request.graph.inline_constants = !options_.constants;
    request.graph.operand_names = options_.operand_names;
    request.graph.metadata = options_.metadata;
    request.graph.backend_config = options_.backend_config;
    request.graph.sharding_color = options_.sharding_color;
    if (!overlays_.empty()) {
      request.graph.marks =
          MarksOf(overlays_[0], *request.filter.computation()->module());
    }
    request.overlays = overlays_;
    request.time_limit = absl::Seconds(options_.time_limit);
    const ColorMode mode = *ParseColorMode(options_.color);
    request.painter =
        Painter(options_.to == "-" && UseColorOnOut(mode, io_));
    request.width = TerminalWidth(io_, 100);
    return request;
  }

  absl::StatusOr<std::string> Make() {
    if (format_ == PictureFormat::kJson) return Json();
    if (stages_.size() == 1) return Picture(stages_[0]);
    if (format_ == PictureFormat::kHtml) return Slider();
    if (format_ == PictureFormat::kText) return OneAfterTheOther();
    return SideBySide();
  }

  absl::StatusOr<std::string> Picture(const LoadedStage& stage) const {
    HLOKIT_ASSIGN_OR_RETURN(NodeFilter filter, Select(*stage.module));
    return MakePicture(RequestFor(std::move(filter), stage.label), format_);
  }

  absl::StatusOr<std::string> OneAfterTheOther() const {
    std::string text;
    for (const LoadedStage& stage : stages_) {
      absl::StatusOr<std::string> tree = Picture(stage);
      if (!tree.ok()) {
        return absl::Status(tree.status().code(),
                            absl::StrCat(stage.label, ": ",
                                         tree.status().message()));
      }
      absl::StrAppend(&text, text.empty() ? "" : "\n", "== ", stage.label,
                      " (module ", stage.module->name(), ")\n", *tree);
    }
    return text;
  }

  // Steps that lack what is asked for are left out: passes may remove it, or
  // add it later. `filters` is what the pages refer to.
  absl::StatusOr<std::vector<PageStage>> Steps(
      std::vector<NodeFilter>* filters) const {
    std::vector<PageStage> pages;
    filters->reserve(stages_.size());
    for (const LoadedStage& stage : stages_) {
      absl::StatusOr<NodeFilter> filter = Select(*stage.module);
      if (absl::IsNotFound(filter.status())) continue;
      HLOKIT_RETURN_IF_ERROR(filter.status());
      filters->push_back(*std::move(filter));
      pages.push_back(StageOf(stage.label, filters->back()));
    }
    if (pages.empty()) return Select(*stages_[0].module).status();
    return pages;
  }

  absl::StatusOr<std::string> Json() const {
    std::vector<NodeFilter> filters;
    HLOKIT_ASSIGN_OR_RETURN(const std::vector<PageStage> steps,
                            Steps(&filters));
    GraphJson json = GraphToJson(steps);
    if (json.replaced_texts > 0) {
      *io_.err << kHloGraph
               << ": note: bytes that are not UTF-8 are written as U+FFFD "
                  "each (texts with such bytes: "
               << json.replaced_texts << ")\n";
    }
    return std::move(json.text);
  }

  absl::StatusOr<std::string> Slider() const {
    std::vector<NodeFilter> filters;
    HLOKIT_ASSIGN_OR_RETURN(const std::vector<PageStage> pages,
                            Steps(&filters));
    PageOptions options;
    options.title =
        options_.title.empty() ? stages_[0].module->name() : options_.title;
    options.overlays = overlays_;
    return HtmlPage(pages, options);
  }

  absl::StatusOr<std::string> SideBySide() const {
    HLOKIT_ASSIGN_OR_RETURN(NodeFilter before, Select(*stages_[0].module));
    HLOKIT_ASSIGN_OR_RETURN(NodeFilter after, Select(*stages_[1].module));
    const PictureRequest request = RequestFor(
        before, absl::StrCat(stages_[0].label, " and ", stages_[1].label));
    return DrawGraph(BuildSideBySide(before, after, request.graph), format_,
                     request.time_limit);
  }

  const HloGraphOptions& options_;
  const ToolIo& io_;
  PictureFormat format_ = PictureFormat::kText;
  std::vector<LoadedStage> stages_;
  std::vector<PageOverlay> overlays_;
};

absl::Status CheckTogether(const HloGraphOptions& o) {
  const int selections = !o.around.empty() + !o.paths.empty() +
                         !o.above.empty() + !o.filter.empty();
  if (selections > 1) {
    return absl::OutOfRangeError(
        "give one of --around, --paths, --above and --filter");
  }
  if (!o.paths.empty() && o.paths.size() != 2) {
    return absl::OutOfRangeError("--paths takes two names: --paths=A,B");
  }
  if (!o.boundary.empty() && o.around.size() != 1) {
    return absl::OutOfRangeError("--boundary goes with one name in --around");
  }
  if (!ParseColorMode(o.color).ok()) {
    return absl::OutOfRangeError("--color is auto, always or never");
  }
  return absl::OkStatus();
}

}  // namespace

OptionSet MakeHloGraphOptions(HloGraphOptions* o) {
  OptionSet set(kHloGraph, "[OPTION...] FILE [FILE]",
                "Draw an HLO module, or a part of it, as text, Graphviz, svg, "
                "png, pdf or as an interactive page that needs no network, or "
                "write its graph as JSON. A dump folder in place of a file "
                "gives a page with a slider over the passes. Two files are "
                "drawn beside each other, as two steps of a page, or one "
                "after the other as text.");
  std::vector<std::string> formats;
  for (const absl::string_view word : PictureFormatWords()) {
    formats.emplace_back(word);
  }
  set.Add("input-format", &o->input_format, OptionGroup::kInput,
          "Read the file as this format")
      .OneOf({"hlo", "txt", "pb", "pbtxt", "textproto", "json"})
      .Default("by content");
  set.Add("strict", &o->strict, OptionGroup::kInput,
          "Refuse opcodes, element types, attributes and fields that this "
          "version does not know; else they are shown as they are");
  set.Add("module", &o->module, OptionGroup::kInput,
          "Choose a module of a file or folder with several")
      .Value("NAME");
  set.Add("step", &o->step, OptionGroup::kInput,
          "Choose a step of a folder by a part of its name")
      .Value("TEXT");
  set.Add("all-steps", &o->all_steps, OptionGroup::kInput,
          "Take steps that changed nothing, too");
  set.Add("overlay", &o->overlays, OptionGroup::kInput,
          "Colour instructions by the numbers in this file (JSON, or lines of "
          "NAME,NUMBER)")
      .Value("FILE")
      .OneElementEach();
  set.Add("to", &o->to, OptionGroup::kOutput, "Write to this file")
      .Value("FILE");
  set.Add("format", &o->format, OptionGroup::kOutput, "Write this format")
      .OneOf(formats)
      .Default("by the file's ending");
  set.Add("title", &o->title, OptionGroup::kOutput, "Show this title")
      .Value("TEXT");
  set.Add("color", &o->color, OptionGroup::kOutput,
          "Colour text: auto, always or never");
  set.Add("computation", &o->computation, OptionGroup::kSelection,
          "Draw this computation instead of the entry")
      .Value("NAME");
  set.Add("around", &o->around, OptionGroup::kSelection,
          "Draw the neighbourhood of these instructions")
      .Value("NAME,...");
  set.Add("radius", &o->radius, OptionGroup::kSelection,
          "Go this far from them")
      .Range(0, 1e9)
      .Default("2 with --around, 0 with --filter");
  set.Add("boundary", &o->boundary, OptionGroup::kSelection,
          "Do not go past these instructions")
      .Value("NAME,...");
  set.Add("paths", &o->paths, OptionGroup::kSelection,
          "Draw all paths between two instructions")
      .Value("NAME,NAME");
  set.Add("max-nodes", &o->max_nodes, OptionGroup::kSelection,
          "Draw this many instructions of --paths")
      .Range(2, 1e9);
  set.Add("above", &o->above, OptionGroup::kSelection,
          "Draw what this instruction is computed from")
      .Value("NAME");
  set.Add("height", &o->height, OptionGroup::kSelection,
          "Go this far up from --above")
      .Range(-1, 1e9)
      .Default("all the way");
  set.Add("filter", &o->filter, OptionGroup::kSelection,
          "Draw what matches: REGEX, or KEY=REGEX,... with the keys name, op, "
          "shape, op_name, source")
      .Value("CONDITION");
  set.Add("fusions", &o->fusions, OptionGroup::kOutput,
          "Draw what is in fusions (dot, svg, png, pdf)");
  set.Add("loops", &o->loops, OptionGroup::kOutput,
          "Draw what is in while loops (dot, svg, png, pdf)");
  set.Add("calls", &o->calls, OptionGroup::kOutput,
          "Draw other called computations (dot, svg, png, pdf)");
  set.Add("constants", &o->constants, OptionGroup::kOutput,
          "Draw constants as nodes instead of lines of their users");
  set.Add("operand-names", &o->operand_names, OptionGroup::kOutput,
          "Write a line for each operand");
  set.Add("metadata", &o->metadata, OptionGroup::kOutput,
          "Write op_name and source line into the nodes");
  set.Add("backend-config", &o->backend_config, OptionGroup::kOutput,
          "Write backend configs into the nodes");
  set.Add("sharding-color", &o->sharding_color, OptionGroup::kOutput,
          "Colour by sharding instead of opcode");
  set.Add("time-limit", &o->time_limit, OptionGroup::kExecution,
          "Stop Graphviz after this many seconds")
      .Range(0.01, 1e6);
  set.Positional(1, 2);
  set.Example("hlo-graph module.hlo --to=module.html",
              "the whole module as a page");
  set.Example("hlo-graph module.hlo --around=dot.3 --radius=3 --to=a.svg",
              "an instruction and what is near");
  set.Example("hlo-graph /tmp/dump --module=jit_step --to=passes.html",
              "what each pass did");
  set.Example("hlo-graph module.hlo --paths=param.1,dot.3",
              "how a value gets there, in the terminal");
  set.Example("hlo-graph before.hlo after.hlo --to=diff.svg",
              "two modules beside each other");
  set.Example("hlo-graph module.hlo --to=graph.json",
              "nodes, edges and computations for another program");
  return set;
}

int RunHloGraph(absl::Span<const std::string> arguments, const ToolIo& io) {
  HloGraphOptions options;
  OptionSet set = MakeHloGraphOptions(&options);
  CommandLine line = set.ParseMain(arguments, io);
  if (line.exit_code.has_value()) return *line.exit_code;
  HloGraph graph(options, io);
  absl::Status status = CheckTogether(options);
  if (status.ok()) status = graph.Prepare(line.positional);
  if (absl::IsOutOfRange(status)) {
    FinishTool(io, kHloGraph, status);
    return kUsage;
  }
  if (status.ok()) status = graph.Run(line.positional);
  return FinishTool(io, kHloGraph, status);
}

}  // namespace hlokit
