// Writes dumps of modules as XLA does: same names, numbers and contents.
//
// Any compiler can use it (docs/dump.md):
//
//   std::vector<std::string> warnings;
//   Dumper dumper(MakeDumpOptions(debug_options, getenv, &warnings), io,
//                 warnings);
//   dumper.DumpModule(module, "before_optimizations");
//   ... after each pass dumper.DumpPass(module, pipeline, previous, next, ...);
//   dumper.DumpModule(module, "cpu_after_optimizations", &reports);
//   dumper.DumpArtifact(module, "thunk_sequence.txt", text);
//   dumper.Forget(module);
//
// Dumping never changes a module and never fails: what goes wrong (a folder
// that cannot be made, a full disk) becomes one warning on io.err and files
// appear whole or not at all. A Dumper may be used from several threads, each
// module by one thread at a time. io's streams and files outlive the Dumper.
#ifndef HLOKIT_DUMP_DUMPER_H_
#define HLOKIT_DUMP_DUMPER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "dump/dump_options.h"
#include "dump/dump_sink.h"
#include "dump/fusion_recorder.h"
#include "dump/graph_renderer.h"
#include "dump/large_snapshot.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/wire/message_writer.h"
#include "hlo/wire/wire_format.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla.pb.h"

namespace hlokit {

// What a compiler knows of memory once buffers are assigned; goes with the dump
// after optimization.
struct BufferReports {
  // Into HloProto.buffer_assignment; -buffer-assignment.txt and the memory
  // usage report are made from it where no text is given. May be null.
  const xla::BufferAssignmentProto* assignment = nullptr;
  std::string assignment_text;  // -buffer-assignment.txt
  std::string memory_report;    // -memory-usage-report.txt
  std::string values;           // -buffer-assignment-values.txt
  std::string live_range;       // -live-range.txt
};

class Dumper {
 public:
  // Warnings of MakeDumpOptions may be handed over; they are printed once.
  Dumper(DumpOptions options, const ToolIo& io,
         absl::Span<const std::string> warnings = {});

  const DumpOptions& options() const { return options_; }
  // Instead of DefaultGraphRenderer(); not owned.
  void set_graph_renderer(GraphRenderer* renderer) { renderer_ = renderer; }

  // ---- decisions, cheap: ask before work is done only for a dump ----

  // Whether anything of a module with this name is dumped.
  bool DumpsModule(absl::string_view module_name) const;
  // Whether dumps are wanted between these two passes of the pipeline: one of
  // their names matches the pass regex and the pipeline's name its own. The
  // regex `.*` leaves out passes that changed nothing. A negative regex looks
  // at `previous` only.
  bool DumpsPass(absl::string_view pipeline, absl::string_view previous,
                 absl::string_view next, bool changed) const;
  // Whether the emitter ("llvm", "ptx", "mlir-fusion", ...) is to dump.
  bool DumpsEmitter(absl::string_view module_name,
                    absl::string_view emitter) const;

  // ---- modules ----

  // The module in every format asked for, as
  // module_NNNN.<name>.<suffix>.txt etc.; also its .debug_options. Returns the
  // paths written.
  std::vector<std::string> DumpModule(const Module& module,
                                      absl::string_view suffix,
                                      const BufferReports* reports = nullptr);
  // Between two passes: suffix NNNN.<pipeline>.after_<previous>.before_<next>,
  // with a step number of its own for each module. `previous` and `next` are
  // "pipeline-start" and "pipeline-end" at the ends.
  std::vector<std::string> DumpPass(const Module& module,
                                    absl::string_view pipeline,
                                    absl::string_view previous,
                                    absl::string_view next, bool changed);
  // In the middle of a pass: suffix NNNN.<pass>.<label>. The pipeline's regex
  // is not asked.
  std::vector<std::string> DumpWithinPass(const Module& module,
                                          absl::string_view pass,
                                          absl::string_view label);

  // ---- what belongs to a module ----

  // Any text (or bytes); `suffix` carries the ending: "thunk_sequence.txt",
  // "ptx", "part_00.ir-no-opt.ll". Where bytes are no text, `binary` keeps them
  // from standard output. The path, or "".
  std::string DumpArtifact(const Module& module, absl::string_view suffix,
                           absl::string_view contents, bool binary = false);
  // The same for a part of a compiler that --xla_dump_emitter_re chooses.
  std::string DumpEmitterArtifact(const Module& module,
                                  absl::string_view emitter,
                                  absl::string_view suffix,
                                  absl::string_view contents);
  // A file of the folder module_NNNN.<name>/, such as "module.mlir" and
  // "compile_options.textproto": the inputs of a compilation.
  std::string DumpCompileInput(const Module& module, absl::string_view file,
                               absl::string_view contents);
  // config.pbtxt, if --xla_dump_full_hlo_config.
  std::string DumpConfig(const Module& module,
                         const xla::HloModuleConfigProto& config);
  // Where passes tell what they fuse; null unless
  // --xla_dump_fusion_visualization asks for it. Good until Forget.
  FusionRecorder* Fusions(const Module& module);
  // <computation>.module_NNNN.<name>._fusion.html of each computation in which
  // something was fused, with the steps that Fusions() was told, and of those
  // that hold more than one operation; if --xla_dump_fusion_visualization.
  std::vector<std::string> DumpFusionVisualization(const Module& module);

  // ---- executions ----

  // An HloSnapshot of one execution: snapshot.<run>.pb. Without result it is
  // written before the run, so that the arguments survive a crash, and the same
  // file again after it.
  void DumpSnapshot(const Module& module, absl::Span<const Literal> arguments,
                    const Literal& result, absl::string_view platform,
                    int64_t run);
  void DumpSnapshotArguments(const Module& module,
                             absl::Span<const Literal> arguments,
                             absl::string_view platform, int64_t run);
  // An HloUnoptimizedSnapshot before an execution: the module as it was given
  // to the compiler and the arguments of each device;
  // execution_NNNN.hlo_unoptimized_snapshot.pb or .txt. The large form (see
  // large_snapshot.h) is taken with --xla_dump_hlo_as_proto and for what does
  // not fit into a message.
  void DumpUnoptimizedSnapshot(const Module& module,
                               const PartitionArguments& arguments);

  // "module_0000.add": the number is dealt at a module's first dump.
  std::string Prefix(const Module& module);
  // Frees what is kept for a module that ends.
  void Forget(const Module& module);
  // For what has nothing to do with a file: printed once on io.err.
  void Warn(const std::string& warning) { sink_.Warn(warning); }

 private:
  struct ModuleState {
    std::string name;
    int64_t id = 0;
    int64_t next_step = 0;
    int64_t next_execution = 0;
    int64_t timestamp_us = 0;
    bool over_limit = false;
    xla::HloModuleMetadataProto metadata;
    std::unique_ptr<FusionRecorder> fusions;
  };
  // What names of one module's files are made of; a copy of its state.
  struct Naming {
    bool wanted = false;
    int64_t id = 0;
    int64_t timestamp_us = 0;
    std::string name;
  };

  ModuleState& StateOf(const Module& module)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Deals the number; `wanted` says that the module is to be dumped.
  Naming NamingOf(const Module& module) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string FileName(const Naming& naming, absl::string_view suffix,
                       bool timestamp) const;
  std::string Subfolder(const Naming& naming) const;
  std::string WriteText(const Naming& naming, const std::string& name,
                        absl::string_view contents);
  std::string WriteBinary(const Naming& naming, const std::string& name,
                          absl::string_view contents);
  // Warns when the message would be nested deeper than readers take.
  bool CanBeWritten(const MessageParts& parts);
  std::string WriteMessage(const Naming& naming, const std::string& name,
                           const wire::LargeMessage& message);
  std::vector<std::string> DumpFormats(const Module& module,
                                       const Naming& naming,
                                       absl::string_view suffix,
                                       const BufferReports* reports);
  void DumpReports(const Module& module, const Naming& naming,
                   absl::string_view suffix, const BufferReports& reports,
                   std::vector<std::string>* paths);
  void DumpProto(const Module& module, const Naming& naming,
                 absl::string_view suffix, const BufferReports* reports,
                 std::vector<std::string>* paths);
  void DumpGraphs(const Module& module, const Naming& naming,
                  absl::string_view suffix, std::vector<std::string>* paths);
  // False, with a warning, when there is no renderer for it.
  bool Render(const GraphRenderer::Request& request, std::string* contents);
  // Memory for the text of a module, empty but with the room that an earlier
  // dump took: fresh memory would cost as much as printing.
  std::string TakeBuffer() ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBuffer(std::string buffer) ABSL_LOCKS_EXCLUDED(mutex_);
  void WriteSnapshot(const Module& module, absl::Span<const Literal> arguments,
                     const Literal* result, absl::string_view platform,
                     int64_t run);
  void NotePass(const Module& module, absl::string_view pipeline,
                absl::string_view pass, bool changed,
                const std::vector<std::string>& paths);

  const DumpOptions options_;
  DumpSink sink_;
  GraphRenderer* renderer_ = nullptr;
  std::atomic<int64_t> own_counter_{0};
  std::atomic<int64_t>* counter_;
  absl::Mutex mutex_;
  absl::flat_hash_map<const Module*, ModuleState> modules_
      ABSL_GUARDED_BY(mutex_);
  int64_t dumped_modules_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> buffers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMPER_H_
