#include "graph_render/html_page.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/compression.h"
#include "base/subprocess.h"
#include "gmock/gmock.h"
#include "graph_render/fusion_page.h"
#include "graph_render/page_files.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string PageOf(const Module& module, const std::string& title = "title") {
  PageStage stage;
  stage.label = "only";
  stage.module = &module;
  PageOptions options;
  options.title = title;
  return HtmlPage({stage}, options);
}

// The JSON of a data block.
std::string Block(const std::string& page, const std::string& id) {
  const std::string begin = absl::StrCat("id=\"", id, "\">");
  const size_t at = page.find(begin);
  if (at == std::string::npos) return "";
  const size_t from = at + begin.size();
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(
      page.substr(from, page.find('<', from) - from), &bytes));
  const auto json = Decompress(bytes);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : "";
}

TEST(HtmlPageTest, NothingIsLoadedFromElsewhere) {
  const auto module = MustParse(kSampleModule);
  const std::string page = PageOf(*module);
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; script-src "
                              "'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
}

TEST(HtmlPageTest, ThePolicyNamesTheHashOfTheScript) {
  SubprocessOptions run;
  run.argv = {"sha256sum"};
  run.stdin_text = std::string(kPageScript);
  const auto sum = RunSubprocess(run);
  if (!sum.ok()) GTEST_SKIP() << sum.status();
  EXPECT_EQ(sum->out.substr(0, 64), kPageScriptSha256);
}

TEST(HtmlPageTest, TextsOfModulesAreDataOnly) {
  const auto module = MustParse(kSampleModule);
  const std::string page = PageOf(*module, "</title><script>alert(1)</script>");
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("&lt;/title&gt;&lt;script&gt;alert(1)"));
  // One script runs; the blocks have a type that browsers do not know.
  size_t scripts = 0;
  for (size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", at + 1)) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 5u);  // head, pool, stage0, texts, the script
  EXPECT_THAT(Block(page, "pool"), HasSubstr("</script><script>alert(1)"));
  EXPECT_THAT(Block(page, "texts"), HasSubstr("custom_call_target"));
}

TEST(HtmlPageTest, ScriptsBuildNoMarkup) {
  for (const char* word : {"innerHTML", "outerHTML", "document.write",
                           "insertAdjacentHTML", "eval(", "new Function"}) {
    EXPECT_THAT(std::string(kPageScript), Not(HasSubstr(word)));
  }
}

TEST(HtmlPageTest, EqualModulesGiveEqualPages) {
  EXPECT_EQ(PageOf(*MustParse(kSampleModule)),
            PageOf(*MustParse(kSampleModule)));
}

TEST(HtmlPageTest, StagesTellWhatChanged) {
  const auto before = MustParse(kBeforeStep);
  const auto after = MustParse(kAfterStep);
  PageStage first, second;
  first.module = before.get();
  second.module = after.get();
  const std::string page = HtmlPage({first, second}, {});
  EXPECT_THAT(Block(page, "stage0"), HasSubstr("\"change\":[0,4,0]"));
  EXPECT_THAT(Block(page, "stage1"), HasSubstr("\"change\":[0,1,2]"));
}

TEST(HtmlPageTest, OneComputationAloneLeavesTheOthersOut) {
  const auto module = MustParse(kSampleModule);
  PageStage stage;
  stage.module = module.get();
  stage.selection.root = module->entry();
  stage.selection.closed = true;
  const std::string page = HtmlPage({stage}, {});
  EXPECT_THAT(Block(page, "pool"), Not(HasSubstr("\"mm\"")));
  EXPECT_THAT(Block(page, "pool"), HasSubstr("\"red\""));
}

TEST(HtmlPageTest, AFusionPageStopsAtEachFusion) {
  const auto module = MustParse(kSampleModule);
  const std::string page = FusionPage(module->entry(), {}, "fusions");
  EXPECT_THAT(Block(page, "head"), HasSubstr("\"stops\":[[\"f\","));
}

}  // namespace
}  // namespace hlokit
