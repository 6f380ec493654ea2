#include "fuzz/seeds.h"

#include "base/file_system.h"
#include "base/test_corpora.h"
#include "dump/dump_index.h"
#include "dump/dump_pack.h"
#include "fuzz/random_module.h"
#include "hlo/print/printer.h"

namespace hlokit::fuzz {
namespace {

constexpr size_t kLargest = 1 << 14;

void AddFiles(const std::string& folder,
              const std::vector<std::string>& endings,
              std::vector<std::string>* seeds) {
  for (const std::string& file : CorpusFiles(folder, endings)) {
    std::string bytes = ReadCorpusFile(file);
    if (!bytes.empty() && bytes.size() <= kLargest) {
      seeds->push_back(std::move(bytes));
    }
  }
}

const char* const kTexts[] = {
    "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
    "  ROOT s = f32[] add(x, y)\n}\n\nENTRY main {\n"
    "  p = f32[4,8]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}\n"
    "  z = f32[] constant(0)\n  ROOT r = f32[4]{0} reduce(p, z), "
    "dimensions={1}, to_apply=add, metadata={op_name=\"a/b\" source_line=3}\n}\n",
    "f = (s4[2]{0:E(4)}, pred[]) constant(({-8, 7}, true))",
    "ENTRY e {\n  a = bf16[1,3,<=5] parameter(0)\n  ROOT c = f8e4m3fn[1,3,5] "
    "convert(a), frontend_attributes={k=\"v\"}, backend_config={\"x\":[1]}\n}",
};

const char* const kPieces[] = {
    "f32[2,2]{1,0} {{1, 2}, {nan, -inf}}",
    "(s32[], token[]) (1, token)",
    "c64[2] {(1, 2), (nan, -0)}",
    "pred[3] {1, 0, true}",
    "s4[<=4]{0:T(8)E(4)S(1)} {1,2,3,-8}",
    "{devices=[2,2]<=[4]T(1,0) last_tile_dims={manual}}",
    "{{replicated}, {maximal device=3}, {devices=[2,1]0,1 metadata={op_name=\"x\"}}}",
    "{mesh['x'=2,'y'=4], [{'x'}, {'y', ?}], replicated={}}",
    "{{0,1},{2,3}}",
    "[2,4]<=[4,2]T(1,0)",
    "{size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=2x1 rhs_reversal=1x0}",
    "b01f_01io->b01f",
    "0_1_2x-1_3",
    "{1,0:T(8,128)(2,1)L(128)M(1)S(5)}",
};

const char* const kFlags[] = {
    "--xla_dump_to=/tmp/d --xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_text",
    "--xla_dump_to=\"a b\" --xla_disable_hlo_passes=x,y "
    "--xla_backend_extra_options=a=1,b",
    "xla_dump_to: \"d\"\nxla_dump_hlo_as_text: true\n",
    "# comment\n--xla_gpu_autotune_level=4",
};

const char* const kNames[] = {
    "module_0001.jit_f.before_optimizations.txt\n"
    "module_0001.jit_f.cpu_after_optimizations.txt\n"
    "module_0001.jit_f.0003.simplification.after_cse.before_dce.txt\n",
    "1624325116260738.module_0065.pmap__f_.186875.before_optimizations.txt\n",
};

template <size_t n>
std::vector<std::string> Own(const char* const (&texts)[n]) {
  return std::vector<std::string>(texts, texts + n);
}

// Two dumps in one file, as hlo-dumps pack makes it.
std::string SmallPack() {
  MemoryFileSystem files(
      {{"/d/module_0000.m.before_optimizations.txt", kTexts[0]},
       {"/d/module_0000.m.cpu_after_optimizations.txt", kTexts[0]}});
  const auto index = ReadDumpFolder(files, "/d");
  if (!index.ok() || !PackDumps(files, *index, "/d", &files, "/p").ok()) return "";
  return *files.ReadFile("/p");
}

// Small ones of every kind that the generator has.
std::vector<std::string> RandomModules() {
  constexpr uint64_t kCount = 128;
  std::vector<std::string> texts;
  PrintOptions print;
  print.print_large_constants = true;
  for (uint64_t seed = 1; seed <= kCount; ++seed) {
    RandomModuleOptions options = OptionsOfSeed(seed, seed % 2 == 0);
    MakeSmall(&options);
    texts.push_back(ToString(*MakeRandomModule(seed, options).module, print));
  }
  return texts;
}

}  // namespace

std::vector<std::string> CollectSeeds(Seeds kind) {
  std::vector<std::string> seeds;
  const std::string shipped = SourceDir() + "/testdata/mlp_adam/"
                                            "module_0000.jit_mlp_adam_f32.";
  switch (kind) {
    case Seeds::kText:
      seeds = Own(kTexts);
      AddFiles("hlo_ops", {".hlo"}, &seeds);
      AddFiles("field_cases", {".hlo", ".txt", ".log"}, &seeds);
      AddFiles("upstream_hlo_golden/xla", {".golden.txt"}, &seeds);
      break;
    case Seeds::kProto:
      seeds = {ReadCorpusFile(shipped + "before_optimizations.hlo.pb")};
      AddFiles("field_cases", {".pb"}, &seeds);
      AddFiles("upstream_hlo_golden/xla", {".golden.pb"}, &seeds);
      break;
    case Seeds::kSnapshot:
      seeds = {ReadCorpusFile(shipped + "hlo_snapshot.pb")};
      AddFiles("hlo_ops", {".hlo_snapshot.pb"}, &seeds);
      AddFiles("field_cases", {".pb", ".hlo", ".gz", ".json", ".log"}, &seeds);
      break;
    case Seeds::kPiece:
      seeds = Own(kPieces);
      break;
    case Seeds::kFlags:
      seeds = Own(kFlags);
      AddFiles("field_cases", {".flags"}, &seeds);
      break;
    case Seeds::kModule:
      seeds = RandomModules();
      AddFiles("hlo_ops", {".hlo"}, &seeds);
      AddFiles("hostile", {".hlo"}, &seeds);
      break;
    case Seeds::kDumps:
      seeds = Own(kNames);
      seeds.push_back(SmallPack());
      seeds.push_back(kTexts[0]);
      AddFiles("field_cases", {".names.txt"}, &seeds);
      break;
  }
  return seeds;
}

}  // namespace hlokit::fuzz
