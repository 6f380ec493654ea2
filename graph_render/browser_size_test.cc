// Large modules in a real browser: layout, time, and the worst shapes.
#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph_render/browser_fixture.h"
#include "graph_render/test_modules.h"
#include "graph_render/test_screenshot.h"

namespace hlokit {
namespace {

using ::testing::Not;

// Layers of a few operations each with scopes, as frameworks make them.
std::string LayeredModule(int instructions) {
  std::string text =
      "HloModule big\n\nENTRY main {\n  v0 = f32[64,64] parameter(0)\n"
      "  w = f32[64,64] parameter(1)\n";
  const char* kOps[] = {"add", "multiply", "subtract", "maximum"};
  for (int i = 1; i <= instructions; ++i) {
    absl::StrAppend(&text, i == instructions ? "  ROOT v" : "  v", i,
                    " = f32[64,64] ", kOps[i % 4], "(v", i - 1, ", ",
                    i % 5 == 0 ? "w" : absl::StrCat("v", std::max(0, i - 7)),
                    "), metadata={op_name=\"jit(f)/layer", i / 50, "/",
                    kOps[i % 4], "\"}\n");
  }
  return text + "}\n";
}

TEST_F(BrowserTest, TwentyThousandInstructionsAreUsableInTwoSeconds) {
  const auto module = MustParse(LayeredModule(20000));
  const double first_frame = OpenModule(*module);
  EXPECT_LT(first_frame, 2000);
  RecordProperty("first_frame_ms", static_cast<int>(first_frame));
  // Scopes and all: a search, a jump, a frame of the whole.
  EXPECT_LT(Number("(() => { const t = performance.now();"
                   "hlokit.searchFor('op:maximum layer37');"
                   "hlokit.search.step(1); hlokit.view.drawNow();"
                   "return performance.now() - t; })()"),
            1000);
  EXPECT_LT(Number("(() => { const t = performance.now();"
                   "hlokit.setMode('flat'); hlokit.view.fit();"
                   "hlokit.view.drawNow(); return performance.now() - t; })()"),
            2000);
  EXPECT_EQ(Overlaps(), "0 of many");
}

TEST_F(BrowserTest, LongProgramsAreFoldedIntoColumns) {
  std::string text =
      "HloModule chain\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i < 1000; ++i) {
    absl::StrAppend(&text, i == 999 ? "  ROOT v" : "  v", i,
                    " = f32[8] negate(v", i - 1, ")\n");
  }
  OpenModule(*MustParse(text + "}\n"));
  const std::string shape = "hlokit.view.root.width / hlokit.view.root.height";
  EXPECT_GT(Number("hlokit.view.root.bands.length"), 5);
  EXPECT_GT(Number(shape), 0.8);
  EXPECT_LT(Number(shape), 3);
  EXPECT_EQ(Overlaps(), "0 of many");
  // What is at a place is found there in every column.
  for (const char* name : {"v0", "v500", "v999"}) {
    Evaluate(absl::StrCat("hlokit.select(hlokit.view.stage.find('", name,
                          "'), true)"));
    ClickOn(name);
    EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), name);
  }
  ASSERT_TRUE(browser().Key("f").ok());
  EXPECT_EQ(Number("hlokit.view.root.bands.length"), 1);
  EXPECT_LT(Number(shape), 0.1);
  ASSERT_TRUE(browser().Key("f").ok());
}

// Many parameters, a long chain, many results: as trained networks are.
std::string WideLongWide(int width, int length) {
  std::string text = "HloModule wide\nENTRY main {\n", joined;
  for (int i = 0; i < width; ++i) {
    absl::StrAppend(&text, "  p", i, " = f32[8,8] parameter(", i, ")\n");
    absl::StrAppend(&joined, i > 0 ? ", p" : "p", i);
  }
  absl::StrAppend(&text, "  v0 = f32[8,8] custom-call(", joined,
                  "), custom_call_target=\"join\"\n");
  for (int i = 1; i <= length; ++i) {
    absl::StrAppend(&text, "  v", i, " = f32[8,8] negate(v", i - 1, ")\n");
  }
  std::string types, results;
  for (int i = 0; i < width; ++i) {
    absl::StrAppend(&text, "  r", i, " = f32[8,8] abs(v", length, ")\n");
    absl::StrAppend(&types, i > 0 ? ", f32[8,8]" : "f32[8,8]");
    absl::StrAppend(&results, i > 0 ? ", r" : "r", i);
  }
  return absl::StrCat(text, "  ROOT out = (", types, ") tuple(", results,
                      ")\n}\n");
}

TEST_F(BrowserTest, WidePartsDoNotSpreadTheColumns) {
  OpenModule(*MustParse(WideLongWide(200, 1500)));
  EXPECT_EQ(Overlaps(), "0 of many");
  EXPECT_EQ(Number("new Set(hlokit.view.root.bands.map((b) => b.shelf)).size"),
            3);
  // Columns of the chain are as wide as its boxes.
  EXPECT_LT(Number("Math.max(...hlokit.view.root.bands.map("
                   "(b) => b.shelf === 1 ? b.right - b.left : 0))"),
            300);
  // Half of the picture at most is empty, counting gaps between boxes as full.
  EXPECT_GT(Number("(() => { const r = hlokit.view.root; let full = 0;"
                   "for (const b of r.bands) {"
                   "full += (b.right - b.left + FOLD_GAP) *"
                   "(b.bottom - b.top + FOLD_GAP); }"
                   "return full / (r.width * r.height); })()"),
            0.5);
  // What is at a place is found there on every shelf.
  for (const char* name : {"p7", "v700", "r150"}) {
    Evaluate(absl::StrCat("hlokit.select(hlokit.view.stage.find('", name,
                          "'), true)"));
    ClickOn(name);
    EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), name);
  }
}

TEST_F(BrowserTest, PagesOfTheWorstShapesAreUsable) {
  std::string deep = "HloModule deep\n";
  for (int i = 0; i < 500; ++i) {
    absl::StrAppend(&deep, "f_", i, " {\n  p", i,
                    " = f32[8] parameter(0)\n  ROOT n", i, " = f32[8] ",
                    i == 0 ? std::string("negate(p0)")
                           : absl::StrCat("call(p", i, "), to_apply=f_", i - 1),
                    "\n}\n");
  }
  deep += "ENTRY e {\n  p = f32[8] parameter(0)\n"
          "  ROOT r = f32[8] call(p), to_apply=f_499\n}\n";
  std::string scopes = "HloModule s\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
  std::string name = "jit(f)";
  for (int i = 1; i <= 500; ++i) {
    absl::StrAppend(&name, "/s", i);
    absl::StrAppend(&scopes, i == 500 ? "  ROOT v" : "  v", i,
                    " = f32[8] negate(v", i - 1, "), metadata={op_name=\"",
                    name, "/neg\"}\n");
  }
  std::string many = "HloModule many\n", calls;
  for (int i = 1; i <= 5000; ++i) {
    absl::StrAppend(&many, "f_", i, " {\n  p", i,
                    " = f32[8] parameter(0)\n  ROOT n", i,
                    " = f32[8] negate(p", i, ")\n}\n");
    absl::StrAppend(&calls, i == 5000 ? "  ROOT v" : "  v", i,
                    " = f32[8] call(v", i - 1, "), to_apply=f_", i, "\n");
  }
  absl::StrAppend(&many, "ENTRY e {\n  v0 = f32[8] parameter(0)\n", calls,
                  "}\n");
  struct Shape {
    const char* name;
    std::string text;
    const char* innermost;
  };
  for (const Shape& shape : std::vector<Shape>{
           {"deep calls", deep, "n0"},
           {"deep scopes", scopes + "}\n", "v500"},
           {"many computations", many, "n4000"},
           {"wide", WideLongWide(10000, 1), "r9000"},
           {"long", LayeredModule(50000), "v40000"}}) {
    SCOPED_TRACE(shape.name);
    EXPECT_LT(OpenModule(*MustParse(shape.text)), 4000);
    // Whatever is nested, a jump leads to it.
    EXPECT_LT(Number(absl::StrCat(
                  "(() => { const t = performance.now();"
                  "hlokit.select(hlokit.view.stage.find('", shape.innermost,
                  "'), true); hlokit.view.drawNow();"
                  "return performance.now() - t; })()")),
              3000);
    EXPECT_EQ(Evaluate(InView(shape.innermost)), "seen");
    for (const char* key : {"e", "0"}) ASSERT_TRUE(browser().Key(key).ok());
    EXPECT_LT(Number("(() => { const t = performance.now();"
                     "hlokit.view.drawNow(); return performance.now() - t;"
                     "})()"),
              3000);
    EXPECT_EQ(Overlaps().substr(0, 5), "0 of ");
    EXPECT_EQ(browser().complaints(), "");
  }
}

TEST_F(BrowserTest, EdgesThatGoFarAreFaintLinesOrEnds) {
  OpenModule(*MustParse(kSampleModule));
  Evaluate("hlokit.view.fit()");
  // Another edge, without a way of its own.
  Evaluate("(() => { const b = hlokit.view.root.box;"
           "b.far = [b.row.indexOf(0), b.row.indexOf(b.rows - 1)];"
           "b.farFrom.add(b.far[0]); b.farTo.add(b.far[1]); })()");
  const char* kPicture =
      "(hlokit.view.drawNow(), hlokit.view.canvas.toDataURL())";
  const std::string lines = Evaluate(kPicture);
  ASSERT_TRUE(browser().Key("l").ok());
  const std::string ends = Evaluate(kPicture);
  EXPECT_FALSE(lines == ends);
  ASSERT_TRUE(browser().Key("l").ok());
  EXPECT_TRUE(lines == Evaluate(kPicture));
}

TEST_F(BrowserTest, PagesOfTheCorporaOpen) {
  int opened = 0;
  ForEachCorpusModule([&](const std::string& file, const Module& module) {
    // A sample: a browser takes its time.
    if (++opened % 60 != 0) return;
    OpenModule(module);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(browser().Key("e").ok());
    EXPECT_EQ(Overlaps().substr(0, 5), "0 of ") << file;
  });
  if (opened == 0) GTEST_SKIP() << "no corpora";
}

}  // namespace
}  // namespace hlokit
