// Files may say anything: whatever the readers let through, the verifier must
// answer, not crash.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/verify/test_modules.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

VerifierOptions Everything() {
  VerifierOptions options;
  options.layout_sensitive = true;
  options.allow_mixed_precision = false;
  options.verify_broadcast_dimensions_order = true;
  options.verify_reshape_is_bitcast = true;
  options.verify_layouts_kept = true;
  options.verify_no_host_memory_space = true;
  return options;
}

AttributeSet Negative() {
  AttributeSet set = Attrs({{AttrId::kDimensions, Int64List{-7, 99}},
                            {AttrId::kComparisonType, int64_t{-1}},
                            {AttrId::kIotaDimension, int64_t{-5}},
                            {AttrId::kChannelId, int64_t{1}},
                            {AttrId::kUseGlobalDeviceIds, true},
                            {AttrId::kIsComposite, true},
                            {AttrId::kIsHostTransfer, true}});
  set.SetShared(AttrId::kSourceTargetPairs, PairList{{-1, 5}, {1, -9}});
  ReplicaGroups groups;
  groups.groups = {{-1, 1}, {}};
  set.SetShared(AttrId::kReplicaGroups, groups);
  set.SetShared(AttrId::kOutputToOperandAliasing,
                AliasingList{{{-1}, -2, {-3}}, {{9, 9}, 99, {9}}});
  set.SetShared(AttrId::kOperandLayoutConstraints, ShapeList{Shape()});
  set.SetShared(AttrId::kPermuteSliceSizes, Int64ListList{});
  set.SetShared(AttrId::kOrigin, OriginalValue());
  return set;
}

AttributeSet Huge() {
  constexpr int64_t kLarge = int64_t{1} << 62;
  AttributeSet set = Attrs({{AttrId::kDimensions, Int64List{0}},
                            {AttrId::kK, kLarge},
                            {AttrId::kFeatureGroupCount, kLarge}});
  ReplicaGroups groups;
  groups.form = ReplicaGroups::kIota;
  groups.group_count = kLarge;
  groups.group_size = kLarge;
  set.SetShared(AttrId::kReplicaGroups, groups);
  set.SetShared(AttrId::kWindow,
                Window{{{.size = kLarge, .stride = kLarge,
                         .padding_low = kLarge, .padding_high = kLarge,
                         .window_dilation = kLarge,
                         .base_dilation = kLarge}}});
  return set;
}

AttributeSet EmptyMesh() {
  AttributeSet set;
  ReplicaGroups groups;
  groups.form = ReplicaGroups::kMesh;
  groups.axes = {{.axis = 7}};
  set.SetShared(AttrId::kReplicaGroups, groups);
  set.Set(AttrId::kDimensions, std::string("not a list"));
  set.Set(AttrId::kWindow, int64_t{3});
  return set;
}

class VerifyWild : public ::testing::Test {
 protected:
  // Runs the verifier on p0, p1, ... -> opcode(p0, p1, ...) in both modes.
  void Run(Opcode opcode, const std::vector<std::string>& operands,
           const AttributeSet& attrs, const std::string& declared,
           int callees) {
    Module module("m");
    auto identity = Computation::Create(&module, "identity");
    identity->set_root(identity->AddParameter(0, T("f32[]")));
    Computation* callee = module.AddComputation(std::move(identity));
    auto entry = Computation::Create(&module, "e");
    std::vector<Instruction*> parameters;
    for (const std::string& type : operands) {
      parameters.push_back(entry->AddParameter(parameters.size(), T(type)));
    }
    Instruction* i =
        opcode == Opcode::kParameter
            ? entry->AddParameter(parameters.size(), T(declared))
            : entry->Add(opcode, T(declared), parameters);
    i->mutable_attrs() = attrs;
    i->set_number(-3);
    if (opcode == Opcode::kParameter) i->set_number(parameters.size());
    i->set_called_computations(std::vector<Computation*>(callees, callee));
    entry->set_root(i);
    module.AddEntryComputation(std::move(entry));
    findings_ += Verify(module).size();
    findings_ += Verify(module, Everything()).size();
    ++runs_;
  }
  int64_t findings_ = 0;
  int64_t runs_ = 0;
};

TEST_F(VerifyWild, EveryOpcodeIsAnswered) {
  const std::vector<std::vector<std::string>> operand_lists = {
      {},
      {"f32[]"},
      {"(f32[2], ())"},
      {"f32[2,3]{1,0}", "token[]"},
      {"pred[]", "f32[]", "f32[]"},
      {"((), b(f32[3]))", "f32[3]", "s32[]", "(f32[3])"},
      {"f32[0]", "f32[0]", "f32[0]", "f32[0]", "f32[0]"},
      {"f32[4]", "f32[4]", "s32[1]", "s32[1]", "s32[1]", "s32[1]"}};
  for (const OpcodeInfo& info : AllOpcodes()) {
    for (const auto& operands : operand_lists) {
      for (const AttributeSet& attrs :
           {AttributeSet(), Negative(), Huge(), EmptyMesh()}) {
        for (const char* declared : {"f32[]", "()", "((f32[]), f32[], ())"}) {
          for (int callees = 0; callees < 3; ++callees) {
            Run(info.opcode, operands, attrs, declared, callees);
          }
        }
      }
    }
  }
  EXPECT_EQ(runs_, 133 * 8 * 4 * 3 * 3);
  EXPECT_GT(findings_, runs_);
}

TEST_F(VerifyWild, ModuleFactsAreChecked) {
  Module module("m");
  auto entry = Computation::Create(&module, "e");
  entry->set_root(entry->AddParameter(0, T("(f32[2], ())")));
  module.AddEntryComputation(std::move(entry));
  module.entry_layout = ProgramShape();
  module.schedule.emplace();
  (*module.schedule)[nullptr] = {nullptr};
  module.input_output_aliases = {{{-1}, -1, {}}, {{0, 0, 0}, 0, {1, 1}}};
  module.buffer_donors = {{-1, {}}, {5, {0}}, {0, {-1}}};
  module.replica_count = -4;
  module.num_partitions = int64_t{1} << 62;
  EXPECT_GE(Verify(module).size(), 6u);
}

}  // namespace
}  // namespace hlokit
