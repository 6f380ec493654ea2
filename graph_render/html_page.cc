#include "graph_render/html_page.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/compression.h"
#include "graph_render/page_data.h"
#include "graph_render/page_files.h"
#include "graph_render/xml_text.h"

namespace hlokit {
namespace {

// Of pages that are written for every pass: time counts.
constexpr int kLevel = 4;

// A block of data: browsers run only scripts of types that they know.
void AppendBlock(absl::string_view id, absl::string_view json,
                 std::string* page) {
  absl::StrAppend(page, "<script type=\"application/x-hlokit\" id=\"", id,
                  "\">", absl::Base64Escape(Gzip(json, kLevel)), "</script>\n");
}

std::string HashSource(absl::string_view hex) {
  return absl::StrCat("'sha256-",
                      absl::Base64Escape(absl::HexStringToBytes(hex)), "'");
}

std::string Policy() {
  return absl::StrCat("default-src 'none'; script-src ",
                      HashSource(kPageScriptSha256), "; style-src ",
                      HashSource(kPageStyleSha256),
                      "; base-uri 'none'; form-action 'none'");
}

}  // namespace

std::string HtmlPage(absl::Span<const PageStage> stages,
                     const PageOptions& options) {
  const PageData data = MakePageData(stages, options);
  std::string blocks;
  AppendBlock("head", data.head, &blocks);
  AppendBlock("pool", data.pool, &blocks);
  for (size_t s = 0; s < data.stages.size(); ++s) {
    AppendBlock(absl::StrCat("stage", s), data.stages[s], &blocks);
  }
  AppendBlock("texts", data.texts, &blocks);
  return absl::StrReplaceAll(kPageSkeleton,
                             {{"@POLICY@", Policy()},
                              {"@TITLE@", XmlText(options.title)},
                              {"@STYLE@", kPageStyle},
                              {"@DATA@", blocks},
                              {"@SCRIPT@", kPageScript}});
}

}  // namespace hlokit
