#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

// `counts` are attributes of the module line, `op` makes r from p.
std::string Collective(absl::string_view counts, absl::string_view op,
                       const VerifierOptions& options = {}) {
  return Findings(
      absl::StrCat("HloModule m", counts.empty() ? "" : ", ", counts,
                   "\nadd { a = f32[] parameter(0) b = f32[] parameter(1) "
                   "ROOT c = f32[] add(a, b) }\n"
                   "ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = ",
                   op, "\n}\n"),
      options);
}

std::string AllReduce(absl::string_view counts, absl::string_view groups) {
  return Collective(counts,
                    absl::StrCat("f32[4] all-reduce(p), replica_groups=",
                                 groups, ", to_apply=add"));
}

TEST(VerifyReplicaGroups, NameEveryIdOnce) {
  EXPECT_EQ(AllReduce("replica_count=4", "{{0,2},{1,3}}"), "");
  EXPECT_EQ(AllReduce("replica_count=4", "{}"), "");
  EXPECT_EQ(AllReduce("", "{{0,2},{1,3}}"), "");
  EXPECT_THAT(AllReduce("", "{{0,1},{1,2}}"), HasSubstr("id 1 is repeated"));
  EXPECT_THAT(AllReduce("", "{{0,1},{2,4}}"), HasSubstr("id 4 is outside"));
  EXPECT_THAT(AllReduce("", "{{0,-1}}"), HasSubstr("id -1 is outside"));
  EXPECT_THAT(AllReduce("", "{{0,1},{}}"), HasSubstr("a group is empty"));
}

TEST(VerifyReplicaGroups, NameAsManyIdsAsThereAre) {
  EXPECT_THAT(AllReduce("replica_count=8", "{{0,1},{2,3}}"),
              HasSubstr("%r replica groups: the groups name 4 ids, expected "
                        "8"));
  // With a channel and global ids: replicas times partitions.
  auto global = [](const char* groups) {
    return Collective(
        "replica_count=2, num_partitions=4",
        absl::StrCat("f32[4] all-reduce(p), channel_id=1, replica_groups=",
                     groups, ", use_global_device_ids=true, to_apply=add"));
  };
  EXPECT_EQ(global("{{0,1,2,3,4,5,6,7}}"), "");
  EXPECT_EQ(global("[2,4]<=[8]"), "");
  EXPECT_THAT(global("{{0,1}}"), HasSubstr("name 2 ids, expected 8"));
  EXPECT_THAT(global("{}"), HasSubstr("groups must be given"));
  // With a channel, an operation without the flag goes over partitions.
  EXPECT_EQ(Collective("replica_count=2, num_partitions=4",
                       "f32[4] all-to-all(p), channel_id=1, "
                       "replica_groups={{0,1,2,3}}, dimensions={0}"),
            "");
}

TEST(VerifyReplicaGroups, IotasAreCountedNotSpelledOut) {
  EXPECT_EQ(AllReduce("", "[1000000000,1000000000]<=[1000000000000000000]"),
            "");
  auto module = ParseModule(
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT c = f32[] add(a, b) }\n"
      "ENTRY e {\n  p = f32[4] parameter(0)\n"
      "  ROOT r = f32[4] all-reduce(p), replica_groups=[2,4]<=[8], "
      "to_apply=add\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  ReplicaGroups groups;
  groups.form = ReplicaGroups::kIota;
  groups.group_count = 2;
  groups.group_size = 4;
  groups.transpose_perm = {0};
  AttributeSet& attrs = (*module)->entry()->root()->mutable_attrs();
  for (Int64List sizes : {Int64List{9}, Int64List{-2, -4}, Int64List{},
                          Int64List{2, 4}}) {
    groups.reshape_dims = sizes;
    attrs.SetShared(AttrId::kReplicaGroups, groups);
    EXPECT_THAT(FindingsText(**module),
                HasSubstr("does not name every device once"));
  }
  groups.transpose_perm = {1, 0};
  attrs.SetShared(AttrId::kReplicaGroups, groups);
  EXPECT_EQ(FindingsText(**module), "");
}

TEST(VerifyReplicaGroups, AreAsLargeAsOneAnotherButForAllReduce) {
  EXPECT_EQ(AllReduce("", "{{0},{1,2}}"), "");
  EXPECT_THAT(Collective("", "f32[4] all-to-all(p), "
                             "replica_groups={{0},{1,2}}, dimensions={0}"),
              HasSubstr("groups differ in size: 1 and 2"));
}

TEST(VerifyReplicaGroups, CanBeLeftUnchecked) {
  VerifierOptions options;
  options.check_replica_groups = false;
  EXPECT_EQ(Collective("", "f32[4] all-reduce(p), "
                           "replica_groups={{0,0}}, to_apply=add",
                       options),
            "");
}

TEST(VerifyCollective, SizesFollowTheGroupSize) {
  auto gather = [](const char* counts, const char* type) {
    return Collective(counts,
                      absl::StrCat(type, " all-gather(p), "
                                   "replica_groups={{0,1},{2,3}}, "
                                   "dimensions={0}"));
  };
  EXPECT_EQ(gather("", "f32[8]"), "");
  EXPECT_THAT(gather("", "f32[16]"),
              HasSubstr("goes from 4 to 16, expected a factor of the group "
                        "size 2"));
  EXPECT_EQ(Collective("", "f32[2] reduce-scatter(p), "
                           "replica_groups={{0,1},{2,3}}, dimensions={0}, "
                           "to_apply=add"),
            "");
  EXPECT_THAT(Collective("", "f32[1] reduce-scatter(p), "
                             "replica_groups={{0,1},{2,3}}, dimensions={0}, "
                             "to_apply=add"),
              HasSubstr("goes from 4 to 1"));
  EXPECT_THAT(Collective("", "f32[4] all-to-all(p), "
                             "replica_groups={{0,1,2}}, dimensions={0}"),
              HasSubstr("must be a multiple of the group size 3"));
  EXPECT_THAT(Collective("", "(f32[4], f32[4]) all-to-all(p, p), "
                             "replica_groups={{0,1,2}}"),
              HasSubstr("one operand for each of the 3 members"));
  EXPECT_EQ(Collective("", "(f32[4], f32[4]) all-to-all(p, p), "
                           "replica_groups={{0,1}}"),
            "");
}

TEST(VerifyCollective, PermutePairsDoNotMeet) {
  auto permute = [](const char* counts, const char* pairs) {
    return Collective(counts,
                      absl::StrCat("f32[4] collective-permute(p), "
                                   "source_target_pairs=",
                                   pairs));
  };
  EXPECT_EQ(permute("replica_count=4", "{{0,1},{1,2},{2,0}}"), "");
  EXPECT_EQ(permute("", "{{0,1},{1,7}}"), "");
  EXPECT_THAT(permute("", "{{0,1},{0,2}}"), HasSubstr("source 0 is repeated"));
  EXPECT_THAT(permute("", "{{0,1},{2,1}}"), HasSubstr("target 1 is repeated"));
  EXPECT_THAT(permute("", "{{0,-1}}"), HasSubstr("id -1"));
  EXPECT_THAT(permute("replica_count=2", "{{0,2}}"), HasSubstr("id 2"));
}

TEST(VerifyCollective, ReducersAreScalar) {
  EXPECT_THAT(Findings("HloModule m\n"
                       "f { a = f32[] parameter(0) "
                       "ROOT c = f32[] negate(a) }\n"
                       "ENTRY e {\n  p = f32[4] parameter(0)\n"
                       "  ROOT r = f32[4] all-reduce(p), replica_groups={}, "
                       "to_apply=f\n}\n"),
              HasSubstr("%r collective: f must take two scalars"));
}

TEST(VerifyCollective, AllReducesAgreeOnConstrainLayout) {
  auto pair = [](const char* second) {
    return Findings(absl::StrCat(
        "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) "
        "ROOT c = f32[] add(a, b) }\n"
        "ENTRY e {\n  p = f32[4] parameter(0)\n"
        "  q = f32[4] all-reduce(p), replica_groups={}, "
        "constrain_layout=true, to_apply=add\n"
        "  ROOT r = f32[4] all-reduce(q), replica_groups={}, ",
        second, "to_apply=add\n}\n"));
  };
  EXPECT_EQ(pair("constrain_layout=true, "), "");
  EXPECT_THAT(pair(""), HasSubstr("must agree on constrain_layout"));
}

constexpr char kAsync[] = R"(HloModule m
w { x = f32[4] parameter(0)
  $D
  ROOT y = f32[2] custom-call(x), custom_call_target="t"
}$H
ENTRY e {
  p = f32[4] parameter(0)
  s = ((f32[4]), f32[2], u32[]) async-start(p)$T, calls=w
  $L
}
)";

std::string Async(const char* lines, const char* inner = "",
                  const char* thread = "", const char* start_thread = "") {
  return Findings(absl::StrReplaceAll(kAsync, {{"$D", inner},
                                               {"$H", thread},
                                               {"$T", start_thread},
                                               {"$L", lines}}));
}

TEST(VerifyAsync, ChainsGoFromStartToDone) {
  EXPECT_EQ(Async("ROOT d = f32[2] async-done(s)"), "");
  EXPECT_EQ(Async("u = ((f32[4]), f32[2], u32[]) async-update(s)\n"
                  "ROOT d = f32[2] async-done(u)"),
            "");
  EXPECT_THAT(Async("ROOT d = f32[2] async-done(s)\n"
                    "x = f32[2] async-done(s)"),
              HasSubstr("%s async: expected one async-update or async-done "
                        "as user, found 2 users"));
  EXPECT_THAT(Async("ROOT t = (((f32[4]), f32[2], u32[])) tuple(s)"),
              HasSubstr("is used by %t"));
  EXPECT_THAT(Async("ROOT d = f32[3] async-done(s)"),
              HasSubstr("%d shape: expected f32[2], declared f32[3]"));
}

TEST(VerifyAsync, WrappersOnTheMainThreadHoldOneOperation) {
  EXPECT_THAT(Async("ROOT d = f32[2] async-done(s)",
                    "z = f32[4] negate(x)"),
              HasSubstr("may hold only parameters and its root"));
  EXPECT_EQ(Async("ROOT d = f32[2] async-done(s)", "z = f32[4] negate(x)",
                  ", execution_thread=\"side\"",
                  ", async_execution_thread=\"side\""),
            "");
}

TEST(VerifyPairs, StartsHaveOneDone) {
  const char* copy =
      "p = f32[4] parameter(0)\n"
      "s = (f32[4], f32[4], u32[]) copy-start(p)\n";
  EXPECT_EQ(EntryFindings(absl::StrCat(copy, "ROOT d = f32[4] copy-done(s)")),
            "");
  EXPECT_THAT(EntryFindings(absl::StrCat(
                  copy, "ROOT d = f32[4] copy-done(s)\n"
                        "x = f32[4] copy-done(s)")),
              HasSubstr("%s pair: expected one user, a copy-done, found 2"));
  EXPECT_THAT(EntryFindings(absl::StrCat(
                  copy, "ROOT d = f32[4] get-tuple-element(s), index=0")),
              HasSubstr("%s pair: expected a copy-done as user, found %d"));
  EXPECT_THAT(EntryFindings("p = (f32[4], f32[4], u32[]) parameter(0)\n"
                            "ROOT d = f32[4] copy-done(p)"),
              HasSubstr("%d pair: expected a copy-start as operand"));
}

TEST(VerifyPairs, TransfersAgreeWithTheirDone) {
  auto send = [](const char* start, const char* done) {
    return EntryFindings(absl::StrCat(
        "p = f32[4] parameter(0)\nt = token[] after-all()\n"
        "s = (f32[4], u32[], token[]) send(p, t), channel_id=1", start,
        "\nROOT d = token[] send-done(s), channel_id=1", done));
  };
  EXPECT_EQ(send("", ""), "");
  EXPECT_EQ(send(", is_host_transfer=true", ", is_host_transfer=true"), "");
  EXPECT_THAT(send(", is_host_transfer=true", ""),
              HasSubstr("is_host_transfer differs"));
}

TEST(VerifyPairs, HostTransfersOnOneChannelAreAlike) {
  auto two = [](const char* type) {
    return EntryFindings(absl::StrCat(
        "p = f32[4] parameter(0)\nq = ", type, " parameter(1)\n"
        "t = token[] after-all()\n"
        "s = (f32[4], u32[], token[]) send(p, t), channel_id=1, "
        "is_host_transfer=true\n"
        "d = token[] send-done(s), channel_id=1, is_host_transfer=true\n"
        "x2 = (", type, ", u32[], token[]) send(q, t), channel_id=1, "
        "is_host_transfer=true\n"
        "ROOT d2 = token[] send-done(x2), channel_id=1, "
        "is_host_transfer=true"));
  };
  EXPECT_THAT(two("f32[4]"), "");
  EXPECT_THAT(two("f32[5]"), HasSubstr("host transfers on channel 1"));
}

}  // namespace
}  // namespace hlokit
