#include "graph_render/dot_writer.h"

#include <graphviz/cgraph.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph_render/picture.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string DotOf(const Module& module, const GraphOptions& options = {}) {
  const auto dot = DotText(BuildGraph(NodeFilter(module.entry()), options));
  EXPECT_TRUE(dot.ok()) << dot.status();
  return dot.ok() ? *dot : "";
}

TEST(DotWriterTest, HasXlasLook) {
  const auto module = MustParse(kSampleModule);
  GraphOptions options;
  options.title = "module_0000.sample.before_optimizations";
  const std::string dot = DotOf(*module, options);
  EXPECT_TRUE(absl::StartsWith(dot, "digraph G {")) << dot.substr(0, 80);
  for (const char* part :
       {"rankdir=TB", "compound=true",
        "label=<<b>module_0000.sample.before_optimizations</b><br/>"
        "<b>Computation main</b><br/><b>ENTRY computation</b>>",
        "subgraph cluster_0 {", "fillcolor=\"#f5f5f5\"",
        "style=\"rounded,filled,bold\"",
        "label=<<b>red</b><br/>reduce<br/>Subcomputation: <b>add</b>",
        "shape=ellipse", "fillcolor=\"#1565c0\"", "arrowhead=empty",
        "label=ctrl", "style=dotted", "ltail=cluster_1", "headlabel=0"}) {
    EXPECT_THAT(dot, HasSubstr(part));
  }
}

TEST(DotWriterTest, EqualGraphsGiveEqualText) {
  const auto module = MustParse(kSampleModule);
  const auto twin = MustParse(kSampleModule);
  EXPECT_EQ(DotOf(*module), DotOf(*twin));
}

TEST(DotWriterTest, NothingIsFetchedFromANetwork) {
  const auto module = MustParse(kSampleModule);
  const std::string dot = DotOf(*module);
  EXPECT_THAT(dot, Not(HasSubstr("http")));
  EXPECT_THAT(dot, Not(HasSubstr("@import")));
}

TEST(DotWriterTest, TextsOfTheModuleStayTexts) {
  const auto module = MustParse(kSampleModule);
  const std::string dot = DotOf(*module);
  EXPECT_THAT(dot, Not(HasSubstr("<script>")));
  EXPECT_THAT(dot, HasSubstr("&lt;b&gt;&amp;"));
}

TEST(DotWriterTest, LargeGraphsTellTheirSizeAndHaveNoLongStrings) {
  std::string text = "HloModule m\nENTRY e {\n  n0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 500; ++i) {
    absl::StrAppend(&text, i == 500 ? "ROOT " : "", "n", i, " = f32[] negate(n",
                    i - 1, ")\n");
  }
  const auto module = MustParse(text + "}");
  const std::string dot = DotOf(*module);
  EXPECT_THAT(dot, HasSubstr("502 nodes, 501 edges"));
  size_t longest = 0, begin = 0;
  for (size_t quote = dot.find('"'); quote != std::string::npos;
       quote = dot.find('"', quote + 1)) {
    longest = std::max(longest, quote - begin);
    begin = quote;
  }
  EXPECT_LT(longest, 16384u);
}

TEST(DotWriterTest, HostileFieldCasesStayTexts) {
  const std::string text =
      ReadCorpusFile(Corpora() + "field_cases/render_escapes.hlo");
  if (text.empty()) GTEST_SKIP() << "no corpora";
  const auto module = MustParse(text);
  const std::string dot = DotOf(*module);
  EXPECT_THAT(dot, Not(HasSubstr("<script>")));
  EXPECT_THAT(dot, HasSubstr("x&amp;y&lt;z&gt;.py:3"));
  EXPECT_THAT(dot, HasSubstr("q\\&quot;uote&lt;br/&gt;&amp;amp;"));
}

// Protos may hold any bytes anywhere.
TEST(DotWriterTest, NoBytesAnywhereBreakOut) {
  const std::string hostile[] = {
      "\"]; evil [label=\"x", "<script>alert(1)</script>", "]]><script>",
      "\\N\\G\\l\\\\\\", "a\nb\r\tc", std::string("n\0u\x01\x1b[31m", 9),
      "\xff\xfe\xc3", "</b><br/>&bogus;&#0;", "--> -- { } ;", "%s%n$(x)`y`",
      "\xe2\x80\xae\xe2\x80\xa8", std::string(40000, '<')};
  for (const std::string& text : hostile) {
    Module module(text);
    auto entry = Computation::Create(&module, text);
    Instruction* p = entry->AddParameter(
        0, Shape::ArrayWithDescendingLayout(kF32, {4}), text);
    OpMetadata metadata;
    metadata.op_name = metadata.op_type = metadata.source_file = text;
    metadata.source_line = 1;
    Instruction* call =
        entry->Add(Opcode::kCustomCall, p->shape(), {p}, text + "2");
    call->mutable_attrs().Set(AttrId::kCustomCallTarget, text);
    call->mutable_attrs().Set(AttrId::kBackendConfig, text);
    call->set_metadata(metadata);
    entry->set_root(call);
    module.AddEntryComputation(std::move(entry));
    GraphOptions options;
    options.title = text;
    options.metadata = options.backend_config = options.operand_names = true;
    const std::string dot = DotOf(module, options);
    agseterr(AGMAX);
    agreseterrors();
    Agraph_t* read = agmemread(dot.c_str());
    ASSERT_NE(read, nullptr) << text;
    EXPECT_EQ(agerrors(), 0) << text;
    EXPECT_EQ(agnnodes(read), 3) << text;
    EXPECT_EQ(agnode(read, const_cast<char*>("evil"), 0), nullptr);
    agclose(read);
    EXPECT_THAT(dot, Not(HasSubstr("<script")));
    const auto svg = DrawDot(dot, "svg");
    if (absl::IsUnavailable(svg.status())) continue;
    ASSERT_TRUE(svg.ok()) << svg.status();
    EXPECT_THAT(*svg, Not(HasSubstr("<script")));
    EXPECT_EQ(svg->find('\0'), std::string::npos);
  }
}

TEST(DotWriterTest, PicturesAreDrawnByTheLibrary) {
  const auto module = MustParse(kSampleModule);
  const auto svg = DrawDot(DotOf(*module), "svg");
  if (absl::IsUnavailable(svg.status())) GTEST_SKIP() << svg.status();
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, HasSubstr("<svg"));
  EXPECT_THAT(*svg, HasSubstr(">red</text>"));
  EXPECT_THAT(*svg, Not(HasSubstr("<script")));
  EXPECT_THAT(*svg, HasSubstr("id=\"node0\""));
  const auto png = DrawDot(DotOf(*module), "png");
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_TRUE(absl::StartsWith(*png, "\x89PNG"));
  const auto pdf = DrawDot(DotOf(*module), "pdf");
  ASSERT_TRUE(pdf.ok()) << pdf.status();
  EXPECT_TRUE(absl::StartsWith(*pdf, "%PDF"));
}

TEST(DotWriterTest, ALayoutThatTakesTooLongIsStopped) {
  std::string text = "digraph G {";
  for (int i = 0; i < 3000; ++i) {
    absl::StrAppend(&text, "n", i * 7919 % 3001, "->n", i * 104729 % 2999, ";");
  }
  PictureOptions options;
  options.time_limit = absl::Milliseconds(50);
  const auto svg = DrawDot(text + "}", "svg", options);
  if (absl::IsUnavailable(svg.status())) GTEST_SKIP() << svg.status();
  EXPECT_TRUE(absl::IsResourceExhausted(svg.status())) << svg.status();
}

TEST(DotWriterTest, UnknownFormatsAndBadGraphsAreErrors) {
  EXPECT_TRUE(absl::IsInvalidArgument(DrawDot("digraph {}", "ps").status()));
  const auto bad = DrawDot("digraph {", "svg");
  ASSERT_FALSE(bad.ok());
  if (absl::IsUnavailable(bad.status())) GTEST_SKIP() << bad.status();
  EXPECT_THAT(std::string(bad.status().message()),
              HasSubstr("cannot read the graph"));
}

TEST(DotWriterTest, ALayoutThatTakesTooMuchMemoryIsStopped) {
  std::string text = "digraph G {";
  for (int i = 0; i < 3000; ++i) {
    absl::StrAppend(&text, "n", i * 7919 % 3001, "->n", i * 104729 % 2999, ";");
  }
  PictureOptions options;
  options.memory_limit_bytes = 16 << 20;
  const auto svg = DrawDot(text + "}", "svg", options);
  if (absl::IsUnavailable(svg.status())) GTEST_SKIP() << svg.status();
  EXPECT_TRUE(absl::IsResourceExhausted(svg.status())) << svg.status();
}

TEST(DotWriterTest, AddressesKeepTheGraphBehindTheHash) {
  EXPECT_EQ(DotUrl("digraph { \"a b\" }\n"),
            "https://dreampuf.github.io/GraphvizOnline/"
            "#digraph%20%7B%20%22a%20b%22%20%7D%0A");
  EXPECT_EQ(UrlCaveat(DotUrl("digraph { a }")), "");
  EXPECT_THAT(UrlCaveat(DotUrl(std::string(3000000, 'x'))),
              HasSubstr("longer than the 2 MB"));
}

}  // namespace
}  // namespace hlokit
