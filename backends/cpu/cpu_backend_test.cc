#include "backends/cpu/cpu_backend.h"

#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/compiler.h"
#include "backends/cpu/cpu_test_util.h"
#include "backends/interpreter/lapack.h"
#include "base/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/verifier.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CpuBackend, ReducesEveryChoiceOfDimensions) {
  for (const char* layout : {"2,1,0", "0,1,2", "1,0,2"}) {
    for (const auto& [dimensions, result] :
         {std::pair("0", "5,70"), std::pair("1", "3,70"), std::pair("2", "3,5"),
          std::pair("0,1", "70"), std::pair("0,2", "5"), std::pair("1,2", "3"),
          std::pair("0,1,2", "")}) {
      for (const char* combiner : {"add", "max"}) {
        ExpectSameAsInterpreter(Entry(absl::StrReplaceAll(
            "x = f32[3,5,70]{$layout} parameter(0)\n"
            "y = f32[3,5,70]{$layout} negate(x)\n"
            "i = f32[] constant(0.5)\n"
            "s = f32[$r] reduce(y, i), dimensions={$d}, to_apply=$c\n"
            "ROOT r = f32[$r] multiply(s, s)",
            {{"$layout", layout},
             {"$r", result},
             {"$d", dimensions},
             {"$c", combiner}})));
      }
    }
  }
}

// 16384 and 5 more is 16384 in f16.
TEST(CpuBackend, LongSumsOfSmallFloatsAreKeptInF32) {
  for (const char* sum : {"f16[] reduce(b, z), dimensions={0,1}",
                          "f16[64] reduce(b, z), dimensions={0}",
                          "f16[100] reduce(b, z), dimensions={1}"}) {
    ExpectSameAsInterpreter(absl::StrCat(
        "HloModule m\n"
        "add { a = f16[] parameter(0) b = f16[] parameter(1) "
        "ROOT r = f16[] add(a, b) }\n"
        "ENTRY e { x = f16[] parameter(0) c = f16[] constant(5)\n"
        "m = f16[] maximum(x, c) b = f16[100,64] broadcast(m), dimensions={}\n"
        "z = f16[] constant(0)\n ROOT s = ",
        sum, ", to_apply=add }\n"));
  }
}

// The kernels of a module that is one reduction.
std::string Kernels(const std::string& text,
                    const CompileOptions::FastMath& fast_math = {}) {
  std::string thunks;
  CompileOptions options;
  options.fast_math = fast_math;
  options.artifact = [&](absl::string_view suffix, absl::string_view contents) {
    if (suffix == "thunk_sequence.txt") thunks = std::string(contents);
  };
  EXPECT_TRUE(CpuBackend()->Compile(Parsed(text), options).ok());
  return thunks;
}

// 523 rows are two pieces, the last of one row less.
TEST(CpuBackend, ReductionsToFewResultsAreCutIntoPieces) {
  struct Case {
    const char* type;
    const char* combiner;
    const char* start;
    const char* shape = "523,521";
    const char* dimensions = "0,1";
    const char* result = "";
    bool cut = true;
  };
  for (const Case& c :
       {Case{"f32", "add", "0.5"}, Case{"f32", "maximum", "-9"},
        Case{"f32", "minimum", "9"}, Case{"bf16", "add", "0.5"},
        Case{"f16", "maximum", "-9"}, Case{"s32", "add", "3"},
        Case{"s32", "multiply", "3"}, Case{"s32", "maximum", "-9"},
        Case{"s8", "minimum", "9"}, Case{"u8", "minimum", "200"},
        Case{"u8", "and", "255"}, Case{"s64", "or", "8"},
        Case{"u64", "minimum", "9"}, Case{"pred", "and", "true"},
        Case{"pred", "or", "false"}, Case{"s4", "maximum", "-8"},
        Case{"u4", "minimum", "15"},
        Case{"f32", "add", "0.5", "2,401,333", "1,2", "2"},
        Case{"f32", "add", "0.5", "1203,240", "0", "240"},
        Case{"f32", "maximum", "0.5", "1203,240", "0", "240"},
        // Enough iterations of their own.
        Case{"f32", "add", "0.5", "240,1203", "0", "1203", false},
        // Too little to do.
        Case{"f32", "add", "0.5", "200,300", "0,1", "", false}}) {
    const std::string text = absl::StrReplaceAll(
        "HloModule m\n"
        "c { a = $t[] parameter(0) b = $t[] parameter(1) "
        "ROOT r = $t[] $c(a, b) }\n"
        "ENTRY e { p = $t[$s] parameter(0) x = $t[$s] multiply(p, p)\n"
        "i = $t[] constant($i)\n"
        "ROOT r = $t[$r] reduce(x, i), dimensions={$d}, to_apply=c }\n",
        {{"$t", c.type},
         {"$c", c.combiner},
         {"$s", c.shape},
         {"$r", c.result},
         {"$i", c.start},
         {"$d", c.dimensions}});
    EXPECT_EQ(c.cut, absl::StrContains(Kernels(text), ", ")) << text;
    ExpectSameAsInterpreter(text);
  }
}

// Their place would be a value that the flags rule out.
TEST(CpuBackend, WithoutInfinitiesAMaximumIsNotCutIntoPieces) {
  const auto kernels = [](const char* combiner, bool honor_infs) {
    CompileOptions::FastMath fast;
    fast.enabled = true;
    fast.honor_infs = honor_infs;
    return Kernels(
        Entry(absl::StrCat("x = f32[400000] parameter(0)\n"
                           "i = f32[] constant(0)\n"
                           "ROOT r = f32[] reduce(x, i), dimensions={0}, "
                           "to_apply=",
                           combiner)),
        fast);
  };
  EXPECT_THAT(kernels("max", true), HasSubstr(", "));
  EXPECT_THAT(kernels("max", false), Not(HasSubstr(", ")));
  EXPECT_THAT(kernels("add", false), HasSubstr(", "));
}

// Pieces do not begin with the reduction's own start value, and what is
// computed from the result is computed once.
TEST(CpuBackend, PiecesOfAReductionCountItsStartOnce) {
  const std::string text = Entry(
      "x = f32[400000] parameter(0)\n"
      "h = f32[400000] multiply(x, x)\n"
      "i = f32[] constant(1000)\n"
      "low = f32[] constant(-inf)\n"
      "s = f32[] reduce(h, i), dimensions={0}, to_apply=add\n"
      "m = f32[] reduce(h, low), dimensions={0}, to_apply=max\n"
      "d = f32[] divide(s, m)\n"
      "ROOT r = (f32[], f32[]) tuple(s, d)");
  EXPECT_THAT(Kernels(text), HasSubstr(", "));
  ExpectSameAsInterpreter(text);
}

// In every execution the result is that of weights that are not constant, bit
// by bit.
TEST(CpuBackend, ConstantWeightsArePackedOnce) {
  struct Case {
    const char* shape;
    const char* operation;
  };
  for (const Case& c :
       {Case{"f32[300,70]",
             "f32[40,70] dot(x, w), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={0}"},
        Case{"f32[70,300]",
             "f32[40,70] dot(x, w), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={1}"},
        Case{"s8[300,70]",
             "s32[40,70] dot(x, w), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={0}"},
        Case{"f32[3,3,32,70]",
             "f32[2,10,10,70] convolution(x, w), window={size=3x3 "
             "pad=1_1x1_1}, dim_labels=b01f_01io->b01f"}}) {
    auto shape = ParseShape(c.shape);
    ASSERT_TRUE(shape.ok()) << shape.status();
    std::mt19937 engine(5);
    const bool convolution = absl::StrContains(c.operation, "convolution");
    const Shape of_x = Shape::ArrayWithDescendingLayout(
        shape->element_type(), convolution
                                   ? DimensionVector{2, 10, 10, 32}
                                   : DimensionVector{40, 300});
    const Literal x = RandomLiteral(of_x, &engine);
    Literal w = RandomLiteral(*shape, &engine);
    for (int64_t k = 0; k < w.element_count(); ++k) {
      w.SetFromDouble(k, std::round(w.GetAsDouble(k) * 64) / 64);  // short text
    }
    const auto text = [&](const std::string& weights) {
      return Entry(absl::StrCat("x = ", of_x.ToString(), " parameter(0)\nw = ",
                                c.shape, " ", weights, "\nROOT r = ",
                                c.operation));
    };
    std::string weights = "constant(";
    w.AppendTo(&weights);
    const std::string constant = text(weights + ")");
    EXPECT_THAT(Kernels(constant), HasSubstr("bytes of weights"));
    EXPECT_THAT(Kernels(text("parameter(1)")),
                Not(HasSubstr("bytes of weights")));
    auto with_constant = CpuBackend()->Compile(Parsed(constant), {});
    auto without = CpuBackend()->Compile(Parsed(text("parameter(1)")), {});
    ASSERT_TRUE(with_constant.ok() && without.ok());
    const auto want = (*without)->Execute({x, w}, {});
    ASSERT_TRUE(want.ok()) << want.status();
    // Several executions may be the first.
    ThreadPool pool(4);
    std::vector<Literal> got(4);
    pool.ParallelFor(4, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        auto result = (*with_constant)->Execute({x}, {});
        if (result.ok()) got[k] = std::move(result->value);
      }
    });
    for (const Literal& literal : got) {
      EXPECT_TRUE(literal == want->value) << constant;
    }
  }
}

TEST(CpuBackend, ReducesSeveralArraysTogether) {
  ExpectSameAsInterpreter(
      "HloModule m\n"
      "larger { a = f32[] parameter(0) i = s32[] parameter(1)\n"
      "  b = f32[] parameter(2) j = s32[] parameter(3)\n"
      "  g = pred[] compare(a, b), direction=GE\n"
      "  x = f32[] select(g, a, b)  k = s32[] select(g, i, j)\n"
      "  ROOT t = (f32[], s32[]) tuple(x, k) }\n"
      "ENTRY e {\n"
      "  x = f32[7,33] parameter(0)\n"
      "  i = s32[7,33] iota(), iota_dimension=1\n"
      "  low = f32[] constant(-inf)  zero = s32[] constant(0)\n"
      "  ROOT r = (f32[7], s32[7]) reduce(x, i, low, zero), dimensions={1}, "
      "to_apply=larger\n}\n");
}

TEST(CpuBackend, DimensionsOfSizeOneKeepTheirPlace) {
  ExpectSameAsInterpreter(
      Entry("a = f32[2,1,3] parameter(0)\n"
            "b = f32[2,1,3] parameter(1)\n"
            "s = f32[2,1,3] sine(a)\n"
            "ROOT r = f32[2,2,3] concatenate(s, b), dimensions={1}"));
  ExpectSameAsInterpreter(
      Entry("whole = f32[2,5,3] parameter(0)\n"
            "a = f32[2,1,3] parameter(1)\n"
            "i = s32[] parameter(2)\n"
            "z = s32[] constant(0)\n"
            "s = f32[2,1,3] sine(a)\n"
            "ROOT r = f32[2,5,3] dynamic-update-slice(whole, s, z, i, z)"));
  ExpectSameAsInterpreter(Entry(
      "whole = f32[3,2,8,1] parameter(0)\n"
      "a = f32[2,8,1] parameter(1)\n"
      "i = s32[] parameter(2)\n"
      "z = s32[] constant(0)\n"
      "s = f32[2,8,1] sine(a)\n"
      "u = f32[1,2,8,1] reshape(s)\n"
      "ROOT r = f32[3,2,8,1] dynamic-update-slice(whole, u, i, z, z, z)"));
}

TEST(CpuBackend, MovesElementsThroughLayoutsAndReshapes) {
  ExpectSameAsInterpreter(
      Entry("a = f32[6,4]{0,1} parameter(0)\n"
            "b = f32[3,8]{1,0} parameter(1)\n"
            "c = f32[3,8]{1,0} reshape(a)\n"
            "d = f32[3,8]{0,1} add(b, c)\n"
            "t = f32[8,3]{1,0} transpose(d), dimensions={1,0}\n"
            "v = f32[8,3]{1,0} reverse(t), dimensions={0}\n"
            "p = f32[] constant(7)\n"
            "q = f32[17,4]{1,0} pad(v, p), padding=1_1_1x0_1_0\n"
            "ROOT r = f32[4,2]{1,0} slice(q), slice={[1:16:4], [1:3]}"));
}

TEST(CpuBackend, GathersAndDynamicSlicesClampTheirStarts) {
  ExpectSameAsInterpreter(Entry(
      "x = f32[5,6] parameter(0)\n"
      "i = s32[3,2] parameter(1)\n"
      "j = s32[] parameter(2)\n"
      "g = f32[3,2,2] gather(x, i), offset_dims={1,2}, "
      "collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=1, "
      "slice_sizes={2,2}\n"
      "s = f32[2,2] dynamic-slice(x, j, j), dynamic_slice_sizes={2,2}\n"
      "b = f32[3,2,2] broadcast(s), dimensions={1,2}\n"
      "ROOT r = f32[3,2,2] add(g, b)"));
}

TEST(CpuBackend, RunsLoopsAndBranches) {
  ExpectSameAsInterpreter(
      "HloModule m\n"
      "cond { s = (s32[], f32[4]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(5)\n"
      "  ROOT r = pred[] compare(i, n), direction=LT }\n"
      "body { s = (s32[], f32[4]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[4] get-tuple-element(s), index=1\n"
      "  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n"
      "  y = f32[4] reverse(x), dimensions={0}\n"
      "  z = f32[4] add(x, y)\n"
      "  ROOT r = (s32[], f32[4]) tuple(j, z) }\n"
      "yes { x = f32[4] parameter(0) ROOT r = f32[4] negate(x) }\n"
      "no { x = f32[4] parameter(0) ROOT r = f32[4] exponential(x) }\n"
      "ENTRY e {\n"
      "  x = f32[4] parameter(0)\n"
      "  which = s32[] parameter(1)\n"
      "  c = f32[4] conditional(which, x, x), branch_computations={yes, no}\n"
      "  z = s32[] constant(0)\n"
      "  t = (s32[], f32[4]) tuple(z, c)\n"
      "  w = (s32[], f32[4]) while(t), condition=cond, body=body\n"
      "  ROOT r = f32[4] get-tuple-element(w), index=1\n}\n");
}

// The second loop keeps what the first one counted.
TEST(CpuBackend, WhatALoopKeepsIsNotOverwritten) {
  ExpectSameAsInterpreter(
      "HloModule m\n"
      "cond { p = (s32[], s32[], s32[]) parameter(0) i = s32[] "
      "get-tuple-element(p), index=0 n = s32[] constant(3) ROOT c = "
      "pred[] compare(i, n), direction=LT }\n"
      "body { p = (s32[], s32[], s32[]) parameter(0) i = s32[] "
      "get-tuple-element(p), index=0 one = s32[] constant(1) a = s32[] "
      "add(i, one) y = s32[] get-tuple-element(p), index=2 ROOT t = "
      "(s32[], s32[], s32[]) tuple(a, y, y) }\n"
      "cond1 { p = (s32[], f32[1]) parameter(0) i = s32[] "
      "get-tuple-element(p), index=0 n = s32[] constant(2) ROOT c = "
      "pred[] compare(i, n), direction=LT }\n"
      "body1 { p = (s32[], f32[1]) parameter(0) i = s32[] "
      "get-tuple-element(p), index=0 one = s32[] constant(1) a = s32[] "
      "add(i, one) y = f32[1] get-tuple-element(p), index=1 z = f32[1] "
      "negate(y) ROOT t = (s32[], f32[1]) tuple(a, z) }\n"
      "ENTRY e {\n"
      "x = f32[1] parameter(0) zero = s32[] constant(0) zero1 = s32[] "
      "constant(0)\n"
      "t1 = (s32[], f32[1]) tuple(zero, x)\n"
      "w1 = (s32[], f32[1]) while(t1), condition=cond1, body=body1\n"
      "y = s32[] get-tuple-element(w1), index=0\n"
      "t = (s32[], s32[], s32[]) tuple(zero1, y, y)\n"
      "w = (s32[], s32[], s32[]) while(t), condition=cond, body=body\n"
      "a = s32[] get-tuple-element(w), index=0\n"
      "b = s32[] get-tuple-element(w), index=1\n"
      "c = s32[] get-tuple-element(w), index=2\n"
      "ROOT r = (s32[], s32[], s32[]) tuple(a, b, c)\n"
      "}\n");
}

TEST(CpuBackend, ConvertsBetweenAllTypes) {
  const std::vector<std::string> types = {
      "pred", "s4",  "u4",     "s8",       "u8",   "s16", "u16", "s32", "u32",
      "s64",  "u64", "f8e5m2", "f8e4m3fn", "bf16", "f16", "f32", "f64", "c64"};
  for (const std::string& from : types) {
    std::string body = absl::StrCat("x = ", from, "[9] parameter(0)\n");
    std::string results, shapes;
    for (const std::string& to : types) {
      absl::StrAppend(&body, to, "_r = ", to, "[9] convert(x)\n");
      absl::StrAppend(&results, results.empty() ? "" : ", ", to, "_r");
      absl::StrAppend(&shapes, shapes.empty() ? "" : ", ", to, "[9]");
    }
    ExpectSameAsInterpreter(Entry(
        absl::StrCat(body, "ROOT r = (", shapes, ") tuple(", results, ")")));
  }
}

TEST(CpuBackend, LongChainsNeedNoDeepStack) {
  std::string body = "x0 = f32[8] parameter(0)\n";
  for (int k = 0; k < 3000; ++k) {
    absl::StrAppend(&body, "x", k + 1, " = f32[8] ",
                    k % 2 ? "sine(x" : "cosine(x", k, ")\n");
  }
  ExpectSameAsInterpreter(Entry(body + "ROOT r = f32[8] negate(x3000)"));
}

TEST(CpuBackend, GivesTheSameBitsForAnyNumberOfRuns) {
  const std::string text = Entry(
      "x = f32[300,700] parameter(0)\n"
      "z = f32[] constant(0)\n"
      "s = f32[300] reduce(x, z), dimensions={1}, to_apply=add\n"
      "t = f32[700] reduce(x, z), dimensions={0}, to_apply=add\n"
      "ROOT r = (f32[300], f32[700]) tuple(s, t)");
  auto executable = CpuBackend()->Compile(Parsed(text), {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::mt19937 engine(3);
  const Literal x = RandomLiteral(
      Shape::ArrayWithDescendingLayout(kF32, {300, 700}), &engine);
  const auto first = (*executable)->Execute({x}, {});
  ASSERT_TRUE(first.ok());
  for (int k = 0; k < 5; ++k) {
    const auto again = (*executable)->Execute({x}, {});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->value, first->value);
  }
}

// The bytes of the result, computed by so many threads.
std::string ResultOn(int threads, const Module& module,
                     const cpu::Program& program,
                     absl::Span<const Literal> arguments) {
  ThreadPool pool(threads);
  std::vector<std::string> memory;
  cpu::Execution execution;
  execution.pool = &pool;
  for (size_t a = 0; a < program.buffers.allocations().size(); ++a) {
    const BufferAllocation& allocation = program.buffers.allocations()[a];
    memory.emplace_back(allocation.size + 64, '\0');
    char* at = memory.back().data();
    at += (64 - reinterpret_cast<uintptr_t>(at) % 64) % 64;
    if (allocation.kind == BufferAllocation::kConstant) {
      at = const_cast<char*>(program.constant_data[a]);
    } else if (allocation.kind == BufferAllocation::kParameter) {
      const Literal& argument = arguments[allocation.parameter];
      std::memcpy(at, argument.untyped_data(), argument.size_bytes());
    }
    execution.allocations.push_back(at);
  }
  EXPECT_EQ(program.thunks.Execute(execution), absl::OkStatus());
  const cpu::Slice& result = program.result.leaves[0];
  return std::string(execution.At(result), result.size);
}

// An array is split in the same places on one thread: the last elements of a
// piece may be computed by other functions than those of vectors.
TEST(CpuBackend, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const char* body :
       {"x = f32[200003] parameter(0)\nROOT r = f32[200003] erf(x)",
        "x = f32[200003] parameter(0)\nROOT r = f32[200003] log-plus-one(x)",
        "x = f32[3000001] parameter(0)\nz = f32[] constant(0)\n"
        "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add",
        "x = f32[260,300] parameter(0)\ny = f32[300,270] parameter(1)\n"
        "ROOT r = f32[260,270] dot(x, y), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}",
        "x = f32[9000,64] parameter(0)\ni = s32[3000,1] parameter(1)\n"
        "u = f32[3000,64] parameter(2)\n"
        "ROOT r = f32[9000,64] scatter(x, i, u), update_window_dims={1}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, to_apply=add"}) {
    const std::unique_ptr<Module> module = Parsed(Entry(body));
    std::mt19937 engine(3);
    std::vector<Literal> arguments;
    for (const Instruction* parameter : module->entry()->parameters()) {
      arguments.push_back(RandomLiteral(parameter->shape(), &engine));
    }
    ASSERT_EQ(cpu::OptimizeForCpu(module.get()), absl::OkStatus());
    cpu::ProgramOptions options;
    options.pool = ThreadPool::Default();
    const auto program = cpu::CompileProgram(*module, options);
    ASSERT_TRUE(program.ok()) << program.status();
    const std::string want = ResultOn(1, *module, **program, arguments);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(ResultOn(threads, *module, **program, arguments) == want)
          << threads << " threads\n"
          << body;
    }
  }
}

// OpenBLAS rounds in another way on each number of threads.
TEST(CpuBackend, LinearAlgebraKeepsToOneThread) {
  if (!interpreter::LoadLapack().ok()) GTEST_SKIP() << "needs LAPACK";
  void* threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  if (threads == nullptr) GTEST_SKIP() << "needs OpenBLAS";
  EXPECT_EQ(reinterpret_cast<int (*)()>(threads)(), 1);
}

TEST(CpuBackend, GivesWhatItMakesUnderTheNamesOfXla) {
  std::vector<std::string> names;
  std::string assembly;
  CompileOptions options;
  options.artifact = [&](absl::string_view suffix, absl::string_view contents) {
    names.emplace_back(suffix);
    if (suffix == "part_00.s") assembly = std::string(contents);
  };
  ASSERT_TRUE(CpuBackend()
                  ->Compile(Parsed(Entry("x = f32[64] parameter(0)\n"
                                         "ROOT r = f32[64] add(x, x)")),
                            options)
                  .ok());
  for (const char* name :
       {"thunk_sequence.txt", "part_00.ir-no-opt.ll", "part_00.ir-with-opt.ll",
        "part_00.s", "obj-file.part_00.o"}) {
    EXPECT_THAT(names, Contains(name));
  }
  EXPECT_THAT(assembly, HasSubstr("hlokit_0"));
}

// Arguments that a result is made in are copied once, into its memory.
TEST(CpuBackend, AResultMayTakeAnArgumentOver) {
  auto module = ParseModule(
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "ENTRY e { x = f32[1000] parameter(0) ROOT r = f32[1000] negate(x) }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  auto executable = CpuBackend()->Compile(*std::move(module), {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::mt19937 engine(3);
  const Literal x =
      RandomLiteral(Shape::ArrayWithDescendingLayout(kF32, {1000}), &engine);
  const Literal before = Literal(x);
  const auto first = (*executable)->Execute({x}, {});
  const auto second = (*executable)->Execute({x}, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->value, second->value);
  EXPECT_EQ(x, before);
  EXPECT_EQ(first->value.GetAsDouble(7), -x.GetAsDouble(7));
  EXPECT_NE(first->value.untyped_data(), second->value.untyped_data());
}

// Four vectors at a time and what puts them together; code is what compiling
// takes its time for.
TEST(CpuBackend, LoopsThatAreVectorCodeAreNotUnrolledFurther) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "needs AVX2";
  std::string assembly;
  CompileOptions options;
  options.artifact = [&](absl::string_view suffix, absl::string_view contents) {
    if (suffix == "part_00.s") assembly = std::string(contents);
  };
  ASSERT_TRUE(
      CpuBackend()
          ->Compile(Parsed(Entry("x = f32[64,1024] parameter(0)\n"
                                 "z = f32[] constant(0)\n"
                                 "ROOT r = f32[64] reduce(x, z), "
                                 "dimensions={1}, to_apply=add")),
                    options)
          .ok());
  int adds = 0;
  for (size_t at = 0; (at = assembly.find("vaddps", at)) != std::string::npos;
       ++at) {
    ++adds;
  }
  EXPECT_GE(adds, 1);
  EXPECT_LE(adds, 12) << assembly;
#else
  GTEST_SKIP() << "counts instructions of x86";
#endif
}

// What XLA:CPU writes for the same flags.
TEST(CpuBackend, FastMathIsWrittenAsXlaWritesIt) {
  const auto ir_with = [](const CompileOptions::FastMath& fast_math,
                          const char* body =
                              "x = f32[64] parameter(0)\n"
                              "y = f32[64] multiply(x, x)\n"
                              "ROOT r = f32[64] divide(y, x)") {
    std::string ir;
    CompileOptions options;
    options.fast_math = fast_math;
    options.artifact = [&](absl::string_view suffix, absl::string_view text) {
      if (suffix == "part_00.ir-no-opt.ll") ir = std::string(text);
    };
    EXPECT_TRUE(CpuBackend()->Compile(Parsed(Entry(body)), options).ok());
    return ir;
  };
  CompileOptions::FastMath fast;
  fast.honor_nans = false;  // nothing without the gate
  EXPECT_THAT(ir_with(fast), HasSubstr("= fmul float"));
  fast.enabled = true;
  EXPECT_THAT(ir_with(fast),
              AllOf(HasSubstr("= fmul reassoc nnan nsz contract float"),
                    HasSubstr("= fdiv reassoc nnan nsz contract float")));
  fast.honor_nans = true;
  EXPECT_THAT(ir_with(fast), HasSubstr("= fdiv reassoc nsz contract float"));
  fast = {true, false, false, false, false};
  EXPECT_THAT(ir_with(fast), HasSubstr("= fdiv fast float"));
  // Not only sums and products.
  fast = {true, false, true, true, true};
  const std::string nnan = "reassoc nnan nsz contract ";
  EXPECT_THAT(
      ir_with(fast,
              "x = f32[64] parameter(0)\n"
              "y = f32[64] parameter(1)\n"
              "m = f32[64] maximum(x, y)\n"
              "c = pred[64] compare(x, y), direction=GT\n"
              "a = f32[64] abs(x)\n"
              "s = f32[64] select(c, m, a)\n"
              "e = f32[64] sine(s)\n"
              "ROOT r = f32[64] negate(e)"),
      AllOf(HasSubstr(absl::StrCat("call ", nnan, "float @llvm.maximum.f32")),
            HasSubstr(absl::StrCat("fcmp ", nnan, "ogt float")),
            HasSubstr(absl::StrCat("call ", nnan, "float @llvm.fabs.f32")),
            HasSubstr(absl::StrCat("select ", nnan, "i1")),
            HasSubstr(absl::StrCat("call ", nnan, "float @sinf")),
            HasSubstr(absl::StrCat("fneg ", nnan, "float"))));
}

TEST(CpuBackend, AWrongArgumentIsAnError) {
  auto executable = CpuBackend()->Compile(
      Parsed(Entry("x = f32[4] parameter(0)\nROOT r = f32[4] negate(x)")), {});
  ASSERT_TRUE(executable.ok());
  EXPECT_THAT((*executable)
                  ->Execute({Literal::Scalar<float>(1)}, {})
                  .status()
                  .ToString(),
              HasSubstr("parameter x is f32[4]"));
}

TEST(CpuBackend, EmptyArraysInsideFusionsAreNeverRead) {
  ExpectSameAsInterpreter(
      "HloModule m\n"
      "f { x = f32[0,3] parameter(0) z = f32[] constant(2)\n"
      "  y = f32[3,0] reshape(x)\n"
      "  ROOT p = f32[3,2] pad(y, z), padding=0_0x1_1 }\n"
      "ENTRY e { x = f32[0,3] parameter(0)\n"
      "  ROOT r = f32[3,2] fusion(x), kind=kLoop, calls=f }\n");
}

TEST(CpuBackend, ReshapesOfAnotherLayoutKeepTheOrderOfElements) {
  ExpectSameAsInterpreter(
      "HloModule m\n"
      "f { x = f64[30]{0} parameter(0)\n"
      "  y = f64[2,15]{0,1} reshape(x)\n"
      "  ROOT b = f64[8,15,2]{2,1,0} broadcast(y), dimensions={2,1} }\n"
      "ENTRY e { x = f64[30]{0} parameter(0)\n"
      "  ROOT r = f64[8,15,2]{2,1,0} fusion(x), kind=kLoop, calls=f }\n");
}

TEST(CpuBackend, UpdatesIntoAnotherLayoutAreNotInPlace) {
  ExpectSameAsInterpreter(
      Entry("x = f32[5,7]{1,0} parameter(0)\n"
            "u = f32[2,3]{1,0} parameter(1)\n"
            "y = f32[5,7]{1,0} negate(x)\n"
            "i = s32[] constant(1)\n"
            "ROOT r = f32[5,7]{0,1} dynamic-update-slice(y, u, i, i)"));
}

TEST(CpuBackend, BitcastConvertsToAnotherWidthWork) {
  ExpectSameAsInterpreter(
      Entry("x = s32[3,2] parameter(0)\n"
            "y = s16[3,2,2] bitcast-convert(x)\n"
            "ROOT r = s16[3,2,2] add(y, y)"));
}

// Sizes travel with arguments, through loops and out with results.

}  // namespace
}  // namespace hlokit
