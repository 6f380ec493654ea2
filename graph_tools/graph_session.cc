#include "graph_tools/graph_session.h"

#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/guarded.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/text_table.h"
#include "dump/dump_names.h"
#include "graph_render/picture.h"
#include "graph_tools/text_tree.h"

namespace hlokit {
namespace {

constexpr int64_t kDefaultPathNodes = 100;
constexpr size_t kMaxSuggested = 1000000;

absl::Status Usage(absl::string_view text) {
  return InvalidArgument("usage: %s", text);
}

absl::StatusOr<int64_t> ParseCount(absl::string_view word,
                                   absl::string_view what, int64_t least) {
  int64_t value = 0;
  if (!absl::SimpleAtoi(word, &value) || value < least) {
    return InvalidArgument("%s is a number from %d on, not '%s'", what, least,
                           word);
  }
  return value;
}

}  // namespace

struct GraphSession::Command {
  absl::string_view name;
  absl::string_view usage;
  absl::string_view help;
  absl::Status (GraphSession::*run)(Words words);
  bool GraphSession::*toggle = nullptr;
};

absl::Span<const GraphSession::Command> GraphSession::Commands() {
  static const auto* commands = new std::vector<Command>{
      {"", "<instruction> [<width>] [/ <boundary>...]",
       "Draws the neighbourhood of an instruction, <width> edges far (2), and "
       "does not go past the boundary instructions.",
       &GraphSession::Plot},
      {"", "<computation>", "Draws a whole computation.", &GraphSession::Plot},
      {"allpaths", "allpaths <instruction> <instruction> [<n>]",
       "Draws all paths between two instructions; at most <n> (100) "
       "instructions on the shortest ones.",
       &GraphSession::AllPathsCommand},
      {"backend_config", "backend_config [on|off]",
       "Shows backend configs in nodes, or not.", nullptr,
       &GraphSession::backend_config_},
      {"show_fusion_subcomputations", "show_fusion_subcomputations [on|off]",
       "Draws what is in fusions, or not.", nullptr,
       &GraphSession::fusion_subcomputations_},
      {"metadata", "metadata [on|off]",
       "Writes metadata into extracted modules, or not.", nullptr,
       &GraphSession::metadata_},
      {"list", "list [name|op_name|op_type] <pattern>",
       "Lists instructions in whose name, op_name or op_type the text occurs.",
       &GraphSession::List},
      {"list", "list computations", "Lists the computations.",
       &GraphSession::List},
      {"info", "info <instruction>|<computation>",
       "Tells all about an instruction or a computation.", &GraphSession::Info},
      {"extract", "extract <instruction> [<height>]",
       "Writes an instruction with what is at most <height> edges above it "
       "(all of it) as a module of its own.",
       &GraphSession::Extract},
      {"stacktrace", "stacktrace <instruction>",
       "Tells which source lines an instruction comes from.",
       &GraphSession::StackTrace},
      {"tree", "tree <instruction> [<height>]",
       "Prints what an instruction is computed from as a tree (height 4).",
       &GraphSession::Tree},
      {"help", "help", "Prints this text.", &GraphSession::Help},
      {"quit", "quit, exit", "Ends.", &GraphSession::Quit},
      {"exit", "", "", &GraphSession::Quit},
  };
  return *commands;
}

GraphSession::GraphSession(const Module& module, SessionOptions options,
                           const ToolIo& io)
    : module_(module), options_(std::move(options)), io_(io), names_(module) {}

std::string GraphSession::HelpText() {
  std::string text = "Commands:\n";
  for (const Command& command : Commands()) {
    if (command.usage.empty()) continue;
    absl::StrAppend(&text, "  ", command.usage, "\n      ", command.help,
                    "\n");
  }
  absl::StrAppend(
      &text,
      "Behind any command, > FILE writes what it shows to a file: .svg, .png, "
      ".pdf,\n.html, .dot, .hlo, .url, .json or .txt by its ending. Names are "
      "found in any case,\nwith or without %.\n");
  return text;
}

absl::Status GraphSession::Execute(absl::string_view line,
                                   absl::string_view place) {
  std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  redirect_.clear();
  out_.clear();
  absl::Status status;
  // "> file" and ">file" at the end.
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i][0] != '>') continue;
    redirect_ = words[i].size() > 1 ? words[i].substr(1)
                : i + 1 < words.size() ? words[i + 1]
                                       : "";
    const size_t used = words[i].size() > 1 ? 1 : 2;
    if (redirect_.empty() || i + used != words.size()) {
      status = Usage("COMMAND > FILE");
    }
    words.resize(i);
  }
  if (status.ok()) {
    status = Guarded("running command", line,
                     [&] { return Run(std::move(words)); });
  }
  if (status.ok() && !out_.empty()) {
    if (redirect_.empty()) {
      *io_.out << out_;
    } else {
      status = WriteOutput(io_, redirect_, out_);
    }
  }
  io_.out->flush();
  if (!status.ok()) {
    *io_.err << place << (place.empty() ? "" : ": ") << status.message()
             << "\n";
  }
  return status;
}

absl::Status GraphSession::Run(std::vector<std::string> words) {
  if (words.empty()) {
    return redirect_.empty()
               ? InvalidArgument("an empty line; `help` tells the commands")
               : Usage("COMMAND > FILE");
  }
  for (const Command& command : Commands()) {
    if (command.name.empty() || command.name != words[0]) continue;
    if (command.toggle != nullptr) {
      return Toggle(words, &(this->*command.toggle));
    }
    return (this->*command.run)(words);
  }
  return Plot(words);
}

// ---- pictures ----

PictureRequest GraphSession::RequestFor(NodeFilter filter,
                                        const std::string& title) const {
  PictureRequest request(std::move(filter));
  request.graph.title = title;
  request.graph.backend_config = backend_config_;
  request.graph.fusion_subcomputations = fusion_subcomputations_;
  request.painter = redirect_.empty() ? options_.painter : Painter(false);
  request.width = options_.width;
  request.metadata = metadata_;
  return request;
}

absl::Status GraphSession::Show(NodeFilter filter, const std::string& title) {
  const PictureRequest request = RequestFor(std::move(filter), title);
  if (!redirect_.empty()) {
    HLOKIT_ASSIGN_OR_RETURN(const PictureFormat format,
                            FormatOfFile(redirect_));
    HLOKIT_ASSIGN_OR_RETURN(const std::string contents,
                            MakePicture(request, format));
    const std::string caveat =
        format == PictureFormat::kUrl ? UrlCaveat(contents) : "";
    if (!caveat.empty()) *io_.err << caveat << "\n";
    return WriteOutput(io_, redirect_, contents,
                       IsBinary(format) ? OutputKind::kBinary
                                        : OutputKind::kText);
  }
  if (options_.browse == nullptr) {
    HLOKIT_ASSIGN_OR_RETURN(out_, MakePicture(request, PictureFormat::kText));
    return absl::OkStatus();
  }
  HLOKIT_ASSIGN_OR_RETURN(const std::string page,
                          MakePicture(request, PictureFormat::kHtml));
  const std::string path = JoinPath(
      options_.folder, absl::StrCat("interactive_graphviz.",
                                    absl::ToUnixMicros(absl::Now()), ".",
                                    getpid(), ".", pages_++, ".html"));
  HLOKIT_RETURN_IF_ERROR(io_.files->WriteFile(path, page));
  out_ = absl::StrCat("file://", path, "\n");
  options_.browse(absl::StrCat("file://", path));
  return absl::OkStatus();
}

absl::Status GraphSession::Plot(Words words) {
  if (const Computation* computation = names_.FindComputation(words[0])) {
    if (words.size() > 1) {
      return InvalidArgument("%s is a computation: it is drawn as a whole, "
                             "without width",
                             computation->name());
    }
    return Show(NodeFilter(computation), std::string(computation->name()));
  }
  if (const Instruction* center = names_.FindInstruction(words[0])) {
    return PlotInstruction(*center, words.subspan(1));
  }
  std::vector<std::string> known = names_.StartingWith("", kMaxSuggested);
  for (const Command& command : Commands()) known.emplace_back(command.name);
  return NotFound("no instruction, computation or command is called '%s'%s",
                  words[0], DidYouMean(words[0], known));
}

absl::Status GraphSession::PlotInstruction(const Instruction& center,
                                           Words rest) {
  int64_t radius = kDefaultRadius;
  if (!rest.empty() && rest[0] != "/") {
    HLOKIT_ASSIGN_OR_RETURN(radius, ParseCount(rest[0], "the width", 0));
    rest = rest.subspan(1);
  }
  absl::flat_hash_set<const Instruction*> boundary;
  if (!rest.empty()) {
    if (rest[0] != "/") {
      return Usage("<instruction> [<width>] [/ <boundary>...]");
    }
    for (const std::string& name : rest.subspan(1)) {
      HLOKIT_ASSIGN_OR_RETURN(const Instruction* one,
                              names_.NeedInstruction(name));
      boundary.insert(one);
    }
  }
  return Show(Neighbourhood(center, radius, boundary),
              absl::StrCat("Neighborhood of ", radius, " nodes around ",
                           center.name()));
}

absl::Status GraphSession::AllPathsCommand(Words words) {
  if (words.size() < 3 || words.size() > 4) {
    return Usage("allpaths <instruction> <instruction> [<n>]");
  }
  HLOKIT_ASSIGN_OR_RETURN(const Instruction* a,
                          names_.NeedInstruction(words[1]));
  HLOKIT_ASSIGN_OR_RETURN(const Instruction* b,
                          names_.NeedInstruction(words[2]));
  int64_t limit = kDefaultPathNodes;
  if (words.size() == 4) {
    HLOKIT_ASSIGN_OR_RETURN(limit, ParseCount(words[3], "<n>", 1));
  }
  HLOKIT_ASSIGN_OR_RETURN(PathsResult paths, AllPaths(*a, *b, limit));
  if (paths.found > limit) {
    *io_.err << paths.found << " instructions lie on paths; the " << limit
             << " on the shortest are shown\n";
  }
  return Show(std::move(paths.filter),
              absl::StrCat("All paths from ",
                           paths.reversed ? b->name() : a->name(), " to ",
                           paths.reversed ? a->name() : b->name()));
}

absl::Status GraphSession::Tree(Words words) {
  if (words.size() < 2 || words.size() > 3) {
    return Usage("tree <instruction> [<height>]");
  }
  HLOKIT_ASSIGN_OR_RETURN(const Instruction* root,
                          names_.NeedInstruction(words[1]));
  int64_t height = 4;
  if (words.size() == 3) {
    HLOKIT_ASSIGN_OR_RETURN(height, ParseCount(words[2], "the height", -1));
  }
  HLOKIT_ASSIGN_OR_RETURN(
      out_, MakePicture(RequestFor(OperandsAbove(*root, height), ""),
                        PictureFormat::kText));
  return absl::OkStatus();
}

// ---- the others ----

absl::Status GraphSession::Toggle(Words words, bool* value) {
  if (words.size() > 2 ||
      (words.size() == 2 && words[1] != "on" && words[1] != "off")) {
    return Usage(absl::StrCat(words[0], " [on|off]"));
  }
  if (words.size() == 2) *value = words[1] == "on";
  out_ = absl::StrCat(words[0], " is ", *value ? "on" : "off", "\n");
  return absl::OkStatus();
}

absl::Status GraphSession::List(Words words) {
  if (words.size() == 2 && words[1] == "computations") {
    return ListComputations();
  }
  absl::string_view field = "name";
  if (words.size() == 3) field = words[1];
  const bool known =
      field == "name" || field == "op_name" || field == "op_type";
  if (words.size() < 2 || words.size() > 3 || !known) {
    return Usage("list [name|op_name|op_type] <pattern>, list computations");
  }
  const std::string& pattern = words.back();
  TextTable table({{"name"}, {"op_name"}, {"op_type"}});
  for (const auto& computation : module_.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const OpMetadata& metadata = instruction->metadata();
      const absl::string_view text = field == "name" ? instruction->name()
                                     : field == "op_name"
                                         ? absl::string_view(metadata.op_name)
                                         : metadata.op_type;
      if (!absl::StrContains(text, pattern)) continue;
      table.AddRow({std::string(instruction->name()), metadata.op_name,
                    metadata.op_type});
    }
  }
  if (table.empty()) return NotFound("no %s holds '%s'", field, pattern);
  out_ = table.ToString();
  return absl::OkStatus();
}

absl::Status GraphSession::ListComputations() {
  TextTable table(
      {{"computation"}, {"instructions", TextTable::kRight}, {""}});
  auto add = [&](const Computation& computation) {
    table.AddRow({std::string(computation.name()),
                  absl::StrCat(computation.instruction_count()),
                  computation.IsEntry() ? "entry" : ""});
  };
  if (module_.entry() != nullptr) add(*module_.entry());
  for (const auto& computation : module_.computations()) {
    if (!computation->IsEntry()) add(*computation);
  }
  out_ = table.ToString();
  return absl::OkStatus();
}

absl::Status GraphSession::Extract(Words words) {
  if (words.size() < 2 || words.size() > 3) {
    return Usage("extract <instruction> [<height>]");
  }
  HLOKIT_ASSIGN_OR_RETURN(const Instruction* root,
                          names_.NeedInstruction(words[1]));
  int64_t height = -1;
  if (words.size() == 3) {
    HLOKIT_ASSIGN_OR_RETURN(height, ParseCount(words[2], "the height", -1));
  }
  const std::string path =
      !redirect_.empty()
          ? redirect_
          : JoinPath(options_.folder,
                     SanitizeFileName(
                         absl::StrCat(root->name(), "-extracted.hlo")));
  HLOKIT_ASSIGN_OR_RETURN(const PictureFormat format, FormatOfFile(path));
  NodeFilter filter = OperandsAbove(*root, height);
  HLOKIT_ASSIGN_OR_RETURN(
      const std::string contents,
      MakePicture(RequestFor(std::move(filter), std::string(root->name())),
                  path == "-" ? PictureFormat::kHlo : format));
  HLOKIT_RETURN_IF_ERROR(WriteOutput(
      io_, path, contents,
      IsBinary(format) ? OutputKind::kBinary : OutputKind::kText));
  if (path != "-") *io_.out << path << "\n";
  return absl::OkStatus();
}

absl::Status GraphSession::Help(Words) {
  out_ = HelpText();
  return absl::OkStatus();
}

absl::Status GraphSession::Quit(Words) {
  ended_ = true;
  return absl::OkStatus();
}

std::vector<std::string> GraphSession::Completions(absl::string_view prefix,
                                                   bool first) const {
  constexpr size_t kMax = 500;
  std::vector<std::string> found;
  std::vector<absl::string_view> words;
  if (first) {
    for (const Command& command : Commands()) words.push_back(command.name);
  } else {
    words = {"on", "off", "name", "op_name", "op_type", "computations"};
  }
  for (const absl::string_view word : words) {
    if (!word.empty() && absl::StartsWith(word, prefix) &&
        std::find(found.begin(), found.end(), word) == found.end()) {
      found.emplace_back(word);
    }
  }
  const bool percent = absl::ConsumePrefix(&prefix, "%");
  for (const std::string& name : names_.StartingWith(prefix, kMax)) {
    found.push_back(absl::StrCat(percent ? "%" : "", name));
  }
  return found;
}

}  // namespace hlokit
