// The commands of interactive_graphviz on a loaded module.
//
// Every command of XLA's tool and its spelling, and: `tree`, `extract` and
// `allpaths` that say what is missing, `> FILE` behind any command.
#ifndef HLOKIT_GRAPH_TOOLS_GRAPH_SESSION_H_
#define HLOKIT_GRAPH_TOOLS_GRAPH_SESSION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "base/terminal.h"
#include "graph_tools/module_names.h"
#include "graph_tools/picture_file.h"

namespace hlokit {

// How far a neighbourhood goes where nobody says.
inline constexpr int64_t kDefaultRadius = 2;

struct SessionOptions {
  // Starts a browser with an address; null: pictures are shown as trees in the
  // terminal.
  std::function<void(const std::string& url)> browse;
  std::string folder = "/tmp";  // for pages and extracted modules
  Painter painter{false};
  int width = 100;
};

class GraphSession {
 public:
  using Words = absl::Span<const std::string>;

  // Both outlive the session.
  GraphSession(const Module& module, SessionOptions options, const ToolIo& io);

  // Runs one line; what goes wrong is printed on io.err, behind the line's
  // place ("commands.txt:3") where it has one, and returned.
  absl::Status Execute(absl::string_view line, absl::string_view place = "");
  // After `quit` or `exit`.
  bool ended() const { return ended_; }

  // What a word that begins so may be; `first` at the start of the line.
  std::vector<std::string> Completions(absl::string_view prefix,
                                       bool first) const;

  static std::string HelpText();

 private:
  struct Command;
  static absl::Span<const Command> Commands();

  absl::Status Run(std::vector<std::string> words);
  absl::Status Plot(Words words);
  absl::Status PlotInstruction(const Instruction& center, Words rest);
  absl::Status AllPathsCommand(Words words);
  absl::Status Toggle(Words words, bool* value);
  absl::Status List(Words words);
  absl::Status ListComputations();
  absl::Status Info(Words words);
  void InfoOfInstruction(const Instruction& instruction);
  void InfoOfComputation(const Computation& computation);
  absl::Status Extract(Words words);
  absl::Status StackTrace(Words words);
  absl::Status Tree(Words words);
  absl::Status Help(Words words);
  absl::Status Quit(Words words);

  absl::Status Show(NodeFilter filter, const std::string& title);
  PictureRequest RequestFor(NodeFilter filter, const std::string& title) const;

  const Module& module_;
  const SessionOptions options_;
  const ToolIo& io_;
  const ModuleNames names_;
  bool backend_config_ = false;
  bool fusion_subcomputations_ = true;
  bool metadata_ = true;
  bool ended_ = false;
  std::string redirect_;  // the file behind `>` of the current line
  std::string out_;       // what the current line prints
  int pages_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_GRAPH_SESSION_H_
