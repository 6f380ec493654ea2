// The verifier on modules that come from protos, which carry less than text (no
// replica and partition counts) and are checked less by their reader.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/corpora.h"
#include "hlo/verify/test_modules.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

// Reads a HloModuleProto, or a HloProto with `wrapped`.
std::string ProtoFindings(const std::string& bytes, bool wrapped,
                          const VerifierOptions& options) {
  xla::HloModuleProto module;
  xla::HloProto outer;
  google::protobuf::Message* message = &module;
  if (wrapped) message = &outer;
  absl::Status status = ParseProtoBytes(bytes, message);
  if (!status.ok()) return absl::StrCat("unreadable: ", status.message());
  auto read = ModuleFromProto(wrapped ? outer.hlo_module() : module);
  if (!read.ok()) return absl::StrCat("unreadable: ", read.status().message());
  return FindingsText(**read, options);
}

TEST(VerifyProto, UpstreamModulesHold) {
  std::vector<std::string> files = CorpusFiles(
      "upstream_hlo_golden/xla", {".golden.pb", ".golden.pb.zst"});
  if (files.empty()) GTEST_SKIP() << "no corpora in " << Corpora();
  VerifierOptions options;
  options.allow_unbounded_dynamism = true;
  for (const std::string& file : files) {
    std::string findings =
        ProtoFindings(ReadCorpusFile(file), false, options);
    if (!IsUnsoundUpstream(file)) {
      EXPECT_EQ(findings, "") << file;
    } else {
      EXPECT_NE(findings, "") << file;
    }
  }
}

TEST(VerifyProto, JaxModulesHoldAfterOptimization) {
  std::vector<std::string> files =
      CorpusFiles("jax_dumps", {"/cpu_after_optimizations.hlo.pb",
                                "/cpu_after_optimizations.hlo.pb.zst"});
  if (files.empty()) GTEST_SKIP() << "no corpora in " << Corpora();
  for (const std::string& file : files) {
    EXPECT_EQ(ProtoFindings(ReadCorpusFile(file), true, LayoutMode()), "")
        << file;
  }
}

TEST(VerifyProto, AResultTypeThatLiesIsRefused) {
  std::string file = Corpora() + "field_cases/pb_result_shape_lie.pb";
  if (ReadCorpusFile(file).empty()) GTEST_SKIP() << "no corpora in " << Corpora();
  EXPECT_THAT(ProtoFindings(ReadCorpusFile(file), false, {}),
              HasSubstr("shape: expected f64[1], declared f32[]"));
}

}  // namespace
}  // namespace hlokit
