#include "dump/hlo_dumps.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/text_table.h"
#include "dump/buffer_report.h"
#include "dump/dump_pack.h"
#include "dump/timeline.h"
#include "dump/why_empty.h"

namespace hlokit {
namespace {

constexpr char kTool[] = "hlo-dumps";

using Arguments = absl::Span<const std::string>;

absl::StatusOr<int> WhyEmptyCommand(const HloDumpsOptions& options,
                                    Arguments arguments, const ToolIo& io) {
  WhyEmptyQuery query;
  query.getenv = io.getenv;
  if (!arguments.empty()) query.folder = arguments[0];
  const char* variable = io.getenv ? io.getenv("XLA_FLAGS") : nullptr;
  query.xla_flags = !options.flags.empty() ? options.flags
                    : variable != nullptr  ? variable
                                           : "";
  // With a folder and no flags, nothing is known of them.
  query.flags_known = query.folder.empty() || !query.xla_flags.empty();
  const std::vector<WhyEmptyFinding> findings = WhyEmpty(*io.files, query);
  bool cause = false;
  if (options.json) {
    JsonWriter json(io.out, 1);
    json.BeginArray();
    for (const WhyEmptyFinding& one : findings) {
      cause |= one.kind == WhyEmptyFinding::kCause;
      json.BeginObject();
      json.Member("kind", one.kind == WhyEmptyFinding::kCause     ? "cause"
                          : one.kind == WhyEmptyFinding::kMissing ? "missing"
                                                                  : "note");
      json.Member("what", one.what).Member("remedy", one.remedy).EndObject();
    }
    json.EndArray();
    *io.out << "\n";
    return cause ? kDifferent : kOk;
  }
  TextTable missing({{"not there"}, {"what gives it"}});
  for (const WhyEmptyFinding& one : findings) {
    if (one.kind == WhyEmptyFinding::kMissing) {
      missing.AddRow({one.what, one.remedy});
      continue;
    }
    cause |= one.kind == WhyEmptyFinding::kCause;
    *io.out << (one.kind == WhyEmptyFinding::kCause ? "cause: " : "note: ")
            << one.what << "\n";
    if (!one.remedy.empty()) *io.out << "       " << one.remedy << "\n";
  }
  if (!missing.empty()) *io.out << missing.ToString();
  if (findings.empty()) *io.out << "Nothing is missing.\n";
  return cause ? kDifferent : kOk;
}

absl::StatusOr<int> PairCommand(const HloDumpsOptions& options,
                                Arguments arguments, const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps left_dumps,
                          OpenDumps(*io.files, arguments.subspan(0, 1)));
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps right_dumps,
                          OpenDumps(*io.files, arguments.subspan(1, 1)));
  const DumpIndex &a = left_dumps.index, &b = right_dumps.index;
  PrintNotes(a, io.err);
  PrintNotes(b, io.err);
  ThreadPool pool(options.threads > 0 ? options.threads
                                      : ThreadPool::AvailableProcessors());
  HLOKIT_ASSIGN_OR_RETURN(const std::vector<ModulePair> pairs,
                          PairModules(*left_dumps.files, a, *right_dumps.files,
                                      b, &pool));
  bool lonely = false;
  TextTable table({{"A"}, {"B"}, {"why"}});
  std::string text;
  JsonWriter json(&text, 1);
  json.BeginArray();
  for (const ModulePair& pair : pairs) {
    const std::string left = pair.a < 0 ? "-" : a.modules[pair.a].FullLabel();
    const std::string right = pair.b < 0 ? "-" : b.modules[pair.b].FullLabel();
    lonely |= pair.a < 0 || pair.b < 0;
    table.AddRow({left, right, pair.reason});
    json.BeginObject();
    if (pair.a >= 0) json.Member("a", left);
    if (pair.b >= 0) json.Member("b", right);
    json.Member("reason", pair.reason).EndObject();
  }
  json.EndArray();
  *io.out << (options.json ? text + "\n" : table.ToString());
  return lonely ? kDifferent : kOk;
}

void PrintStats(const PackStats& stats, const std::string& what,
                const ToolIo& io) {
  for (const std::string& note : stats.notes) {
    *io.err << "note: " << Printable(note) << "\n";
  }
  *io.out << what << ": " << stats.files << " files, "
          << HumanBytes(stats.bytes) << ", packed "
          << HumanBytes(stats.packed_bytes)
          << absl::StrFormat(" (%.1f x), %d duplicates\n",
                             stats.packed_bytes == 0
                                 ? 0.0
                                 : static_cast<double>(stats.bytes) /
                                       stats.packed_bytes,
                             stats.duplicates);
}

absl::StatusOr<int> PackCommand(const HloDumpsOptions& options,
                                Arguments arguments, const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(const OpenedDumps dumps,
                          OpenDumps(*io.files, arguments.subspan(0, 1)));
  PrintNotes(dumps.index, io.err);
  HLOKIT_ASSIGN_OR_RETURN(const PackStats stats,
                          PackDumps(*dumps.files, dumps.index, arguments[0],
                                    io.files, arguments[1], options.level));
  PrintStats(stats, arguments[1], io);
  return kOk;
}

absl::StatusOr<int> UnpackCommand(const HloDumpsOptions& options,
                                  Arguments arguments, const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(
      const PackStats stats,
      UnpackDumps(io.files, arguments[0], arguments[1], options.max_bytes));
  PrintStats(stats, arguments[1], io);
  return kOk;
}

struct Command {
  absl::string_view name;
  absl::StatusOr<int> (*run)(const HloDumpsOptions&, Arguments, const ToolIo&);
  int min_arguments, max_arguments;  // max -1: any number
  absl::string_view usage;
};

constexpr Command kCommands[] = {
    {"ls", ListDumps, 0, -1, "ls FOLDER... | ls --names=FILE"},
    {"find", FindInDumps, 1, -1,
     "find REGEX FOLDER... | find --op=NAME FOLDER"},
    {"passes", ShowPasses, 1, 2, "passes FOLDER [MODULE]"},
    {"why-empty", WhyEmptyCommand, 0, 1, "why-empty [FOLDER]"},
    {"pair", PairCommand, 2, 2, "pair FOLDER FOLDER"},
    {"pack", PackCommand, 2, 2, "pack FOLDER FILE"},
    {"unpack", UnpackCommand, 2, 2, "unpack FILE FOLDER"},
};

absl::StatusOr<int> RunCommand(const HloDumpsOptions& options,
                               const std::vector<std::string>& positional,
                               const ToolIo& io) {
  std::vector<absl::string_view> names;
  for (const Command& command : kCommands) {
    names.push_back(command.name);
    if (command.name != positional[0]) continue;
    const int count = static_cast<int>(positional.size()) - 1;
    if (count < command.min_arguments ||
        (command.max_arguments >= 0 && count > command.max_arguments)) {
      return absl::OutOfRangeError(
          absl::StrCat("usage: ", kTool, " ", command.usage));
    }
    return command.run(options, absl::MakeConstSpan(positional).subspan(1), io);
  }
  return absl::OutOfRangeError(absl::StrCat("there is no command '",
                                            positional[0], "'",
                                            DidYouMean(positional[0], names)));
}

}  // namespace

OptionSet MakeHloDumpsOptions(HloDumpsOptions* o) {
  OptionSet set(kTool, "ls|find|passes|why-empty|pair|pack|unpack [OPTION...] "
                       "[ARGUMENT...]",
                "Look at folders of HLO dumps: list what is there (ls "
                "FOLDER...), search it (find REGEX FOLDER...), tell which pass "
                "changed what (passes FOLDER [MODULE]), tell why dumps are "
                "missing (why-empty [FOLDER]), match modules of two folders "
                "(pair A B), and store a folder in one small file (pack FOLDER "
                "FILE, unpack FILE FOLDER).");
  set.Add("names", &o->names, OptionGroup::kInput,
          "List these names, one a line, instead of a folder")
      .Value("FILE");
  set.Add("flags", &o->flags, OptionGroup::kInput,
          "Take this for XLA_FLAGS (why-empty)")
      .Value("STRING");
  set.Add("op", &o->query.opcode, OptionGroup::kSelection,
          "Find instructions of this opcode")
      .Value("NAME");
  set.Add("shape", &o->query.shape, OptionGroup::kSelection,
          "Find instructions with this shape, as result or operand")
      .Value("SHAPE");
  set.Add("source", &o->query.source, OptionGroup::kSelection,
          "Find instructions that this line of source made")
      .Value("FILE[:LINE]");
  set.Add("ignore_case", &o->query.ignore_case, OptionGroup::kSelection,
          "Let capitals and small letters be the same in REGEX");
  set.Add("max", &o->query.max_matches_per_file, OptionGroup::kSelection,
          "Stop after this many matches in a file")
      .Range(1, 1e15);
  set.Add("all", &o->all, OptionGroup::kSelection,
          "Show every file (ls), search other files than modules too (find), "
          "show steps without change too (passes)");
  set.Add("count", &o->count, OptionGroup::kOutput,
          "Print numbers of matches only");
  set.Add("json", &o->json, OptionGroup::kOutput, "Print JSON for programs");
  set.Add("level", &o->level, OptionGroup::kOutput,
          "Pack with this level of zstd")
      .Range(1, 19);
  set.Add("max_bytes", &o->max_bytes, OptionGroup::kOutput,
          "Unpack at most this many bytes")
      .Range(0, 1e15)
      .Default("1 GiB, or 1100 times the archive where that is more");
  set.Add("threads", &o->threads, OptionGroup::kExecution,
          "Use this many threads")
      .Range(0, 1024)
      .Default("all processors");
  set.Positional(1, -1);
  set.Example("hlo-dumps ls /tmp/d", "list modules and stages");
  set.Example("hlo-dumps find --op=dot --shape=f32[128,128] /tmp/d",
              "find instructions");
  set.Example("hlo-dumps find --source=train.py:120 /tmp/d",
              "find what a line of Python became");
  set.Example("hlo-dumps passes /tmp/d jit_step",
              "tell what each pass changed");
  set.Example("hlo-dumps pack /tmp/d d.tar.zst", "store a folder");
  set.ExitCode(1, "nothing was found, or something is missing");
  return set;
}

int RunHloDumps(absl::Span<const std::string> arguments, const ToolIo& io) {
  HloDumpsOptions options;
  OptionSet set = MakeHloDumpsOptions(&options);
  CommandLine line = set.ParseMain(arguments, io);
  if (line.exit_code.has_value()) return *line.exit_code;
  absl::StatusOr<int> code = RunCommand(options, line.positional, io);
  const int finish = FinishTool(io, kTool, code.status());
  if (absl::IsOutOfRange(code.status())) return kUsage;
  return code.ok() && finish == kOk ? *code : finish;
}

}  // namespace hlokit
