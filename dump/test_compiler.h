// For tests: a compiler that dumps at the places where XLA's CPU compiler does.
#ifndef HLOKIT_DUMP_TEST_COMPILER_H_
#define HLOKIT_DUMP_TEST_COMPILER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dump/dumper.h"
#include "flags/xla_flags.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {

inline std::unique_ptr<Module> MakeTestModule(const std::string& name) {
  auto module = ParseModule("HloModule " + name + R"(

ENTRY main.1 {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  dot.1 = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  sine.1 = f32[4,4] sine(dot.1)
  ROOT add.1 = f32[4,4] add(sine.1, sine.1)
})");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// A step of a pipeline: what the pass manager tells the dumper.
struct TestStep {
  const char* pipeline;
  const char* previous;
  const char* next;
  bool changed;
};

// Passes of XLA:CPU that matter in the tests, in order.
inline const std::vector<TestStep>& TestSteps() {
  static const auto* steps = new std::vector<TestStep>{
      {"async-collective", "pipeline-start", "async-collective-replacer", true},
      {"async-collective", "async-collective-replacer", "pipeline-end", false},
      {"HLO passes through layout assignment", "pipeline-start",
       "flatten-call-graph", true},
      {"HLO passes through layout assignment", "flatten-call-graph",
       "simplification", false},
      {"simplification", "pipeline-start", "algsimp", true},
      {"simplification", "algsimp", "simplify-sorts", true},
      {"simplification", "simplify-sorts", "dce", false},
      {"simplification", "dce", "pipeline-end", false},
      {"post_scatter_expansion_simplification", "pipeline-start", "algsimp",
       true},
      {"post_scatter_expansion_simplification", "algsimp", "simplify-sorts",
       false},
      {"simplification_after_layout_assignment", "pipeline-start", "algsimp",
       true},
      {"simplification_after_layout_assignment", "algsimp", "dce", false},
      {"simplification_after_layout_assignment", "dce", "pipeline-end", false},
      {"HLO passes after scheduling", "pipeline-start", "copy-insertion", true},
  };
  return *steps;
}

inline xla::BufferAssignmentProto TestAssignment() {
  xla::BufferAssignmentProto assignment;
  auto* buffer = assignment.add_logical_buffers();
  buffer->set_id(7);
  buffer->set_size(64);
  buffer->mutable_defined_at()->set_instruction_name("add.1");
  auto* allocation = assignment.add_buffer_allocations();
  allocation->set_size(64);
  allocation->set_maybe_live_out(true);
  auto* assigned = allocation->add_assigned();
  assigned->set_logical_buffer_id(7);
  assigned->set_size(64);
  return assignment;
}

// One compilation with `executions` runs afterwards.
inline void CompileWithDumps(const Module& module, Dumper* dumper,
                             int executions = 0) {
  const char* form = dumper->options().proto ? "pb" : "textproto";
  dumper->DumpCompileInput(module, "module.mlir", "module {}\n");
  dumper->DumpCompileInput(module, absl::StrCat("compile_options.", form), "o");
  dumper->DumpCompileInput(module, absl::StrCat("topology.", form), "t");
  dumper->DumpModule(module, "before_optimizations");
  for (const TestStep& step : TestSteps()) {
    dumper->DumpPass(module, step.pipeline, step.previous, step.next,
                     step.changed);
  }
  dumper->DumpWithinPass(module, "copy-insertion",
                         "after adding copies to resolve interference");
  dumper->DumpPass(module, "HLO passes after scheduling", "copy-insertion",
                   "pipeline-end", true);
  const std::string kernel = "broadcast_add_fusion_kernel_module";
  dumper->DumpArtifact(module, kernel + ".ir-no-opt.ll", "; no\n");
  dumper->DumpArtifact(module, kernel + ".ir-with-opt.ll", "; opt\n");
  dumper->DumpEmitterArtifact(module, "mlir-fusion",
                              kernel + "-pre-optimization.mlir", "module {}\n");
  dumper->DumpArtifact(module, "obj-file." + kernel + ".o", "\x7f" "ELF",
                       /*binary=*/true);
  const xla::BufferAssignmentProto assignment = TestAssignment();
  BufferReports reports;
  reports.assignment = &assignment;
  reports.values = "\nTotal bytes used: 64 (64B)\n";
  reports.live_range = "HloLiveRange (max 4):\n";
  dumper->DumpModule(module, "cpu_after_optimizations", &reports);
  dumper->DumpFusionVisualization(module);
  const Literal argument = Literal::Scalar<float>(1);
  for (int run = 0; run < executions; ++run) {
    dumper->DumpUnoptimizedSnapshot(module, {{argument}, {argument}});
    dumper->DumpSnapshotArguments(module, {argument}, "cpu", run);
    dumper->DumpSnapshot(module, {argument}, argument, "cpu", run);
  }
}

}  // namespace hlokit

#endif  // HLOKIT_DUMP_TEST_COMPILER_H_
