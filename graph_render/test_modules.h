// For tests of this room: modules from text and from the optional corpora.
#ifndef HLOKIT_GRAPH_RENDER_TEST_MODULES_H_
#define HLOKIT_GRAPH_RENDER_TEST_MODULES_H_

#include <memory>
#include <string>
#include <vector>

#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {

inline std::unique_ptr<Module> MustParse(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : std::make_unique<Module>("none");
}

// An instruction of any computation by name.
inline Instruction* Named(const Module& module, const std::string& name) {
  for (const auto& computation : module.computations()) {
    if (Instruction* found = computation->FindInstruction(name)) return found;
  }
  ADD_FAILURE() << "no instruction " << name;
  return nullptr;
}

// Calls fn(file, module) for each module in a text of the corpora that reads.
template <typename Fn>
int ForEachCorpusModule(Fn fn) {
  std::vector<std::string> files =
      CorpusFiles("jax_dumps", {"optimizations.txt"});
  for (std::string& file : CorpusFiles("upstream_hlo", {".hlo", ".hlo.zst"})) {
    files.push_back(std::move(file));
  }
  int modules = 0;
  for (const std::string& file : files) {
    const std::string bytes = ReadCorpusFile(file);
    for (const ModuleText& text : SplitModules(bytes)) {
      auto module = ParseModule(text.text);
      if (!module.ok()) continue;
      fn(file, **module);
      ++modules;
    }
  }
  return modules;
}

// One module in two steps: `gone` goes, `fresh` comes, `c` has another operand.
inline const char* kBeforeStep = R"(
HloModule m
ENTRY main {
  a = f32[2] parameter(0)
  gone = f32[2] negate(a)
  ROOT c = f32[2] add(gone, a)
})";
inline const char* kAfterStep = R"(
HloModule m
ENTRY main {
  a = f32[2] parameter(0)
  fresh = f32[2] abs(a)
  ROOT c = f32[2] add(fresh, a)
})";

// A module with a fusion, a loop, a reduction, a custom-call and hostile texts.
inline const char* kSampleModule = R"(
HloModule sample

addc {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

fused {
  p0 = f32[64,64] parameter(0)
  p1 = f32[64,64] parameter(1)
  c = f32[] constant(2)
  b = f32[64,64] broadcast(c), dimensions={}
  mm = f32[64,64] multiply(p0, b)
  ROOT aa = f32[64,64] add(mm, p1)
}

body {
  t = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  v = f32[64,64] get-tuple-element(t), index=1
  one = s32[] constant(1)
  i2 = s32[] add(i, one)
  v2 = f32[64,64] dot(v, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[64,64]) tuple(i2, v2)
}

cond {
  tc = (s32[], f32[64,64]) parameter(0)
  ic = s32[] get-tuple-element(tc), index=0
  n = s32[] constant(5)
  ROOT lt = pred[] compare(ic, n), direction=LT
}

ENTRY main {
  a = f32[64,64] parameter(0), sharding={replicated}
  bb = f32[64,64] parameter(1)
  i0 = s32[] parameter(2)
  f = f32[64,64] fusion(a, bb), kind=kLoop, calls=fused, metadata={op_name="jit(f)/layer/add" source_file="x.py" source_line=3}
  init = (s32[], f32[64,64]) tuple(i0, f)
  w = (s32[], f32[64,64]) while(init), condition=cond, body=body
  g = f32[64,64] get-tuple-element(w), index=1
  z = f32[] constant(0)
  red = f32[] reduce(g, z), dimensions={0,1}, to_apply=addc, control-predecessors={f}
  cc = f32[64,64] custom-call(g), custom_call_target="<b>&\"]];", metadata={op_name="</script><script>alert(1)</script>"}
  ROOT out = (f32[64,64], f32[]) tuple(cc, red)
}
)";

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_TEST_MODULES_H_
