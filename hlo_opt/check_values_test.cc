#include "hlo_opt/check_values.h"

#include "base/test_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

// Turns the root's addition into a subtraction.
class Breaker : public Pass {
 public:
  absl::string_view name() const override { return "breaker"; }
  absl::StatusOr<bool> Run(Module* module) override {
    Computation* entry = module->entry();
    Instruction* old = entry->root();
    entry->Replace(old, entry->Add(Opcode::kSubtract, old->shape(),
                                   old->operands()));
    return true;
  }
};

class Failing : public Pass {
 public:
  absl::string_view name() const override { return "failing"; }
  absl::StatusOr<bool> Run(Module*) override {
    return absl::InternalError("out of luck");
  }
};

class Nothing : public Pass {
 public:
  absl::string_view name() const override { return "nothing"; }
  absl::StatusOr<bool> Run(Module*) override { return true; }
};

constexpr char kText[] = R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  ROOT s = f32[4] add(p, q)
})";

TEST(CheckValuesTest, StopsAtThePassThatChangesResults) {
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  auto module = ParseModule(kText);
  ASSERT_TRUE(module.ok());
  CheckValuesObserver observer(io, 2, "hlo-opt --check-values=2");
  Pipeline pipeline("p");
  pipeline.Add<Nothing>();
  pipeline.Add<Breaker>();
  pipeline.AddObserver(&observer);
  const absl::Status status = pipeline.Run(module->get()).status();
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("pass breaker (pipeline p) changed the "
                                 "results: element 0 is "));
  EXPECT_THAT(message, HasSubstr("hlo-opt --check-values=2 --passes=breaker"));
  const auto written = files.Files();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_THAT(written.begin()->first, HasSubstr("m.before_breaker.hlo"));
  EXPECT_THAT(written.begin()->second, HasSubstr("add(%p, %q)"));
}

TEST(CheckValuesTest, RepeatsAPassWithItsOptions) {
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  auto module = ParseModule(kText);
  ASSERT_TRUE(module.ok());
  CheckValuesObserver observer(io, 1, "hlo-opt --check-values=1");
  Pipeline pipeline("p");
  pipeline.Add<Breaker>()->set_identity("breaker:all");
  pipeline.AddObserver(&observer);
  const std::string message(pipeline.Run(module->get()).status().message());
  EXPECT_THAT(message, HasSubstr("pass breaker (pipeline p) changed"));
  EXPECT_THAT(message, HasSubstr("--passes=breaker:all ./m.before_breaker_all"
                                 ".hlo"));
}

// Takes an rng for a constant.
class Drawer : public Pass {
 public:
  absl::string_view name() const override { return "drawer"; }
  absl::StatusOr<bool> Run(Module* module) override {
    Computation* entry = module->entry();
    Instruction* rng = entry->FindInstruction("r");
    if (rng == nullptr) return false;
    entry->Replace(rng, entry->AddConstant(Literal::Array<float>(
                            {4}, {0.5f, 0.25f, 0.125f, 0.75f})));
    return true;
  }
};

TEST(CheckValuesTest, OtherRandomNumbersAreNoFault) {
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[] constant(0)
  b = f32[] constant(1)
  r = f32[4] rng(a, b), distribution=rng_uniform
  ROOT s = f32[4] add(p, r)
})");
  ASSERT_TRUE(module.ok());
  CheckValuesObserver observer(io, 1, "hlo-opt");
  Pipeline pipeline("p");
  pipeline.Add<Drawer>();
  pipeline.Add<Breaker>();
  pipeline.AddObserver(&observer);
  const absl::Status status = pipeline.Run(module->get()).status();
  EXPECT_THAT(err.str(), HasSubstr("pass drawer draws other random numbers"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("pass breaker (pipeline p) changed the results"));
}

TEST(CheckValuesTest, WritesWhatAFailingPassGot) {
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  auto module = ParseModule(kText);
  ASSERT_TRUE(module.ok());
  (*module)->set_name("jit(f)/g h");
  CheckValuesObserver observer(io, 1, "hlo-opt --check-values=1");
  Pipeline pipeline("p");
  pipeline.Add<Nothing>();
  pipeline.Add<Failing>();
  pipeline.AddObserver(&observer);
  const absl::Status status =
      observer.Explain(pipeline.Run(module->get()).status());
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("out of luck\nthe module before it is "));
  EXPECT_THAT(message, HasSubstr("to repeat: hlo-opt --check-values=1 "
                                 "--passes=failing ./jit_f__g_h.before_failing"
                                 ".hlo"));
  EXPECT_EQ(files.Files().size(), 2u);
}

TEST(CheckValuesTest, SaysWhenAModuleCannotBeExecuted) {
  std::ostringstream err;
  MemoryFileSystem files;
  ToolIo io;
  io.err = &err;
  io.files = &files;
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] custom-call(p), custom_call_target="nobody_knows_this"
  ROOT s = f32[4] add(p, q)
})");
  ASSERT_TRUE(module.ok());
  CheckValuesObserver observer(io, 1, "hlo-opt");
  Pipeline pipeline("p");
  pipeline.Add<Breaker>();
  pipeline.AddObserver(&observer);
  EXPECT_TRUE(pipeline.Run(module->get()).ok());
  EXPECT_THAT(err.str(), HasSubstr("cannot be executed"));
}

}  // namespace
}  // namespace hlokit
