#include "graph_tools/interactive_graphviz.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/subprocess.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "graph_tools/graph_session.h"
#include "graph_tools/line_editor.h"
#include "graph_tools/load_stages.h"
#include "passes/pipelines.h"

namespace hlokit {
namespace {

constexpr char kTool[] = "interactive_graphviz";
constexpr char kPrompt[] = "\ncommand: ";

std::string Variable(const ToolIo& io, const char* name) {
  const char* value = io.getenv ? io.getenv(name) : nullptr;
  return value == nullptr ? "" : value;
}

struct Input {
  std::string path, format;
};

absl::StatusOr<Input> ChooseInput(const InteractiveGraphvizOptions& o,
                                  const std::vector<std::string>& files) {
  std::vector<Input> inputs;
  auto add = [&](const std::string& path, const char* format) {
    if (!path.empty()) inputs.push_back({path, format});
  };
  // Protos are known by content, whichever message they hold.
  add(o.hlo_snapshot, "pb");
  add(o.hlo_proto, "pb");
  add(o.hlo_module_proto, "pb");
  add(o.hlo_text, "hlo");
  for (const std::string& file : files) add(file, "");
  if (inputs.size() == 1) return inputs[0];
  return absl::OutOfRangeError(
      "give exactly one of --hlo_snapshot, --hlo_proto, --hlo_module_proto, "
      "--hlo_text and FILE");
}

// XLA's names of platforms; any case.
constexpr absl::string_view kPlatforms[] = {
    "cpu", "host",    "interpreter", "gpu", "cuda",
    "rocm", "sycl", "oneapi",      "tpu"};

// What the platform's compiler makes of the module, where its passes are here;
// a note says where they are not. A scheduled module is through with them.
absl::Status RunPlatformPasses(const std::string& platform, const ToolIo& io,
                               Module* module) {
  if (platform.empty()) return absl::OkStatus();
  const std::string name = absl::AsciiStrToLower(platform);
  if (std::find(std::begin(kPlatforms), std::end(kPlatforms), name) ==
      std::end(kPlatforms)) {
    return absl::OutOfRangeError(
        absl::StrCat("--platform=", platform, ": platforms are ",
                     absl::StrJoin(kPlatforms, ", "),
                     DidYouMean(name, kPlatforms)));
  }
  const auto note = [&](absl::string_view text) {
    *io.err << kTool << ": note: " << text << "\n";
    return absl::OkStatus();
  };
  if (name != "cpu" && name != "host") {
    return note(absl::StrCat("the passes of ", platform,
                             " are not here: the module is shown as it is"));
  }
  if (module->is_scheduled()) {
    return note("the module is scheduled: it went through the passes already");
  }
  for (auto& pipelines : {CpuPipelines, CpuBackendPipelines}) {
    for (const auto& pipeline : pipelines()) {
      HLOKIT_RETURN_IF_ERROR(pipeline->Run(module).status());
    }
  }
  return absl::OkStatus();
}

// A browser where there is a screen to see it on; none otherwise.
std::function<void(const std::string&)> Browser(
    const InteractiveGraphvizOptions& options, bool given, const ToolIo& io) {
  const bool screen = !Variable(io, "DISPLAY").empty() ||
                      !Variable(io, "WAYLAND_DISPLAY").empty();
  if (!given && !screen) return nullptr;
  if (!FindProgram(options.browser).ok()) return nullptr;
  return [browser = options.browser](const std::string& url) {
    SubprocessOptions run;
    run.argv = {"setsid", "--fork", browser, url};
    run.time_limit = absl::Seconds(10);
    (void)RunSubprocess(run);
  };
}

class Tool {
 public:
  Tool(const InteractiveGraphvizOptions& options, bool browser_given,
       const ToolIo& io)
      : options_(options), browser_given_(browser_given), io_(io) {}

  absl::Status Run(const std::vector<std::string>& files) {
    HLOKIT_ASSIGN_OR_RETURN(const Input input, ChooseInput(options_, files));
    if (input.path == "-" &&
        (options_.batch.empty() || options_.batch == "-")) {
      return absl::OutOfRangeError(
          "the module is read from standard input: give the commands in a file "
          "by --batch");
    }
    StageQuery query;
    query.format = input.format;
    query.module = options_.module;
    query.strict = options_.strict;
    query.computes = !options_.platform.empty();
    HLOKIT_ASSIGN_OR_RETURN(auto stages, LoadStages(input.path, query, io_));
    const std::unique_ptr<Module> module = std::move(stages.back().module);
    HLOKIT_RETURN_IF_ERROR(
        RunPlatformPasses(options_.platform, io_, module.get()));
    return Talk(*module);
  }

  // What went wrong is on standard error already.
  bool told() const { return told_; }

 private:
  absl::Status Talk(const Module& module) {
    SessionOptions options;
    options.browse = Browser(options_, browser_given_, io_);
    options.folder = Folder();
    options.painter =
        Painter(UseColorOnOut(*ParseColorMode(options_.color), io_));
    options.width = TerminalWidth(io_, 100);
    GraphSession session(module, options, io_);
    if (!options_.batch.empty()) return Batch(&session);
    const bool terminal =
        io_.in == &std::cin && isatty(STDIN_FILENO) && io_.out_is_terminal;
    if (terminal) *io_.out << GraphSession::HelpText();
    LineEditor editor(io_, terminal, kPrompt,
                      [&](absl::string_view prefix, bool first) {
                        return session.Completions(prefix, first);
                      });
    // Whoever types sees what went wrong.
    while (!session.ended()) {
      const absl::optional<std::string> line = editor.ReadLine();
      if (!line.has_value()) break;
      (void)session.Execute(*line);
    }
    return absl::OkStatus();
  }

  // The status of the first command that failed; each is told when it fails.
  absl::Status Batch(GraphSession* session) {
    HLOKIT_ASSIGN_OR_RETURN(const std::string text,
                            ReadInput(io_, options_.batch));
    std::istringstream lines(text);
    std::string line;
    int number = 0;
    absl::Status first;
    while (!session->ended() && std::getline(lines, line)) {
      ++number;
      const size_t begin = line.find_first_not_of(" \t\r");
      if (begin == std::string::npos || line[begin] == '#') continue;
      first.Update(session->Execute(
          line, absl::StrCat(InputName(options_.batch), ":", number)));
    }
    told_ = true;
    return first;
  }

  std::string Folder() const {
    if (!options_.output_folder.empty()) return options_.output_folder;
    const std::string temporary = Variable(io_, "TMPDIR");
    return temporary.empty() ? "/tmp" : temporary;
  }

  const InteractiveGraphvizOptions& options_;
  const bool browser_given_;
  bool told_ = false;
  const ToolIo& io_;
};

}  // namespace

OptionSet MakeInteractiveGraphvizOptions(InteractiveGraphvizOptions* o) {
  OptionSet set(kTool, "[OPTION...] [FILE]",
                "Look around in an HLO module, command by command: draw what "
                "is near an instruction, list, explain, extract. Pictures open "
                "in the browser, or are printed as trees where there is none; "
                "`> FILE` behind a command writes them to a file.");
  set.Add("hlo_snapshot", &o->hlo_snapshot, OptionGroup::kInput,
          "Read a binary HloSnapshot")
      .Value("FILE");
  set.Add("hlo_proto", &o->hlo_proto, OptionGroup::kInput,
          "Read a binary HloProto")
      .Value("FILE");
  set.Add("hlo_module_proto", &o->hlo_module_proto, OptionGroup::kInput,
          "Read a binary HloModuleProto")
      .Value("FILE");
  set.Add("hlo_text", &o->hlo_text, OptionGroup::kInput, "Read HLO text")
      .Value("FILE");
  set.Add("strict", &o->strict, OptionGroup::kInput,
          "Refuse opcodes, element types, attributes and fields that this "
          "version does not know; else they are shown as they are");
  set.Add("module", &o->module, OptionGroup::kInput,
          "Choose a module of a file or dump folder with several")
      .Value("NAME");
  set.Add("batch", &o->batch, OptionGroup::kInput,
          "Run the commands in this file and end")
      .Value("FILE");
  set.Add("platform", &o->platform, OptionGroup::kPasses,
          "Run this platform's passes first, where they are here: cpu (host); "
          "of others the module is shown as it is")
      .Value("NAME");
  set.Add("browser", &o->browser, OptionGroup::kOutput,
          "Open pages with this program")
      .Value("PROGRAM");
  set.Add("output-folder", &o->output_folder, OptionGroup::kOutput,
          "Write pages and extracted modules here")
      .Value("FOLDER")
      .Default("$TMPDIR or /tmp");
  set.Add("color", &o->color, OptionGroup::kOutput,
          "Colour text: auto, always or never");
  set.Positional(0, 1);
  set.Example("interactive_graphviz --hlo_text=module.hlo",
              "ask about a module; `help` tells the commands");
  set.Example("echo 'dot.3 2 > near.svg' | interactive_graphviz module.hlo",
              "one command, the picture in a file");
  set.Example("interactive_graphviz module.hlo --batch=commands.txt",
              "commands from a file");
  return set;
}

int RunInteractiveGraphviz(absl::Span<const std::string> arguments,
                           const ToolIo& io) {
  InteractiveGraphvizOptions options;
  OptionSet set = MakeInteractiveGraphvizOptions(&options);
  CommandLine line = set.ParseMain(arguments, io);
  if (line.exit_code.has_value()) return *line.exit_code;
  if (!ParseColorMode(options.color).ok()) {
    FinishTool(io, kTool,
               absl::OutOfRangeError("--color is auto, always or never"));
    return kUsage;
  }
  Tool tool(options, line.IsSet("browser"), io);
  const absl::Status status = tool.Run(line.positional);
  if (tool.told()) {
    const int flushed = FinishTool(io, kTool, absl::OkStatus());
    return status.ok() ? flushed : ExitCodeFor(status);
  }
  const int code = FinishTool(io, kTool, status);
  return absl::IsOutOfRange(status) ? kUsage : code;
}

}  // namespace hlokit
