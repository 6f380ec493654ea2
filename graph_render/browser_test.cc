// The page in a real browser: what people do with it.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph_render/browser_fixture.h"
#include "graph_render/fusion_page.h"
#include "graph_render/palette.h"
#include "graph_render/test_modules.h"
#include "graph_render/test_screenshot.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(BrowserTest, AClickTellsAllAboutAnInstruction) {
  OpenModule(*MustParse(kSampleModule));
  EXPECT_EQ(Evaluate("document.title"), "the title");
  ClickOn("red");
  AwaitPanel("control-predecessors={%f}");
  const std::string panel = Panel();
  for (const char* text : {"red", "reduce", "dimensions", "{0,1}", "operands",
                           "users", "out", "addc", "control predecessors"}) {
    EXPECT_THAT(panel, HasSubstr(text));
  }
  EXPECT_THAT(Evaluate("location.hash"), HasSubstr("i=red"));
}

TEST_F(BrowserTest, HostileTextsDoNothing) {
  OpenModule(*MustParse(kSampleModule));
  Evaluate("window.alert = () => { window.attacked = 1; }");
  ClickOn("cc");
  AwaitPanel("custom_call_target");
  EXPECT_THAT(Panel(), HasSubstr("</script><script>alert(1)</script>"));
  EXPECT_EQ(Evaluate("window.attacked || 0"), "0");
  EXPECT_EQ(Evaluate("document.querySelectorAll('#panel script, #panel b')"
                     ".length"),
            "0");
}

TEST_F(BrowserTest, HostileNamesAreOnlyNames) {
  const std::string name = "</script><img src=x onerror=\"attacked=1\">'\\";
  Module module(name);
  auto entry = Computation::Create(&module, name);
  Instruction* p = entry->AddParameter(
      0, Shape::ArrayWithDescendingLayout(kF32, {4}), name);
  entry->set_root(entry->Add(Opcode::kNegate, p->shape(), {p}, name + "2"));
  module.AddEntryComputation(std::move(entry));
  PageStage stage;
  stage.label = name;
  stage.module = &module;
  PageOptions options;
  options.title = name;
  options.overlays.push_back({name, name, {{name, 1}}});
  Open(HtmlPage({stage}, options),
       "#q=%3Cimg%20src%3Dx%20onerror%3Dattacked%3D1%3E&i=%3Cb%3E");
  Evaluate("hlokit.select(0, true)");
  Evaluate("hlokit.searchFor('img')");
  EXPECT_EQ(Evaluate("document.title"), name);
  EXPECT_EQ(Evaluate("document.getElementById('hits').textContent"), "2 found");
  EXPECT_EQ(Evaluate("document.images.length + (window.attacked || 0)"), "0");
}

TEST_F(BrowserTest, ThePolicyRefusesOtherScripts) {
  OpenModule(*MustParse(kSampleModule));
  Evaluate("(() => { const s = document.createElement('script');"
           "s.textContent = 'window.attacked = 1';"
           "document.body.append(s); })()");
  EXPECT_EQ(Evaluate("window.attacked || 0"), "0");
  EXPECT_EQ(Evaluate("fetch('http://localhost:1/').then(() => 'sent',"
                     "() => 'refused')"),
            "refused");
}

TEST_F(BrowserTest, SearchFindsByEveryField) {
  OpenModule(*MustParse(kSampleModule));
  for (const auto& [query, hits] :
       std::vector<std::pair<std::string, std::string>>{
           {"op:dot", "1 found"},    {"name:red", "1 found"},
           {"shape:f32[64", "18 found"}, {"scope:layer", "1 found"},
           {"source:x.py:3", "1 found"}, {"layer fusion", "1 found"},
           {"nothing-such", "0 found"}}) {
    Evaluate(absl::StrCat("hlokit.searchFor('", query, "')"));
    EXPECT_EQ(Evaluate("document.getElementById('hits').textContent"), hits)
        << query;
  }
}

TEST_F(BrowserTest, TypingAndEnterGoToTheHit) {
  OpenModule(*MustParse(kSampleModule));
  ASSERT_TRUE(browser().Key("/").ok());
  ASSERT_TRUE(browser().Type("op:dot").ok());
  ASSERT_TRUE(browser().Key("Enter").ok());
  AwaitPanel("lhs_contracting_dims");
  // It is inside of a loop that was closed.
  EXPECT_EQ(Number("hlokit.view.placesOf(hlokit.view.stage.find('v2'), 1)"
                   ".length"),
            1);
}

TEST_F(BrowserTest, ADoubleClickOpensAndClosesABox) {
  OpenModule(*MustParse(kSampleModule));
  const auto closed = browser().Screenshot();
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_TRUE(absl::StartsWith(*closed, "\x89PNG"));
  ClickOn("f", 2);
  AwaitPanel("calls=%fused");
  EXPECT_EQ(Number("hlokit.view.openKeys().size"), 1);
  EXPECT_EQ(Overlaps(), "0 of many");
  const auto opened = browser().Screenshot();
  ASSERT_TRUE(opened.ok());
  EXPECT_FALSE(*closed == *opened);
  ClickOn("f", 2);
  EXPECT_EQ(Number("hlokit.view.openKeys().size"), 0);
}

TEST_F(BrowserTest, EverythingOpensWithoutOverlaps) {
  OpenModule(*MustParse(kSampleModule));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(browser().Key("e").ok());
  EXPECT_EQ(Number("hlokit.view.openKeys().size"), 3);  // f, w, red
  EXPECT_EQ(Overlaps(), "0 of many");
  ASSERT_TRUE(browser().Key("c").ok());
  EXPECT_EQ(Number("hlokit.view.openKeys().size"), 0);
}

TEST_F(BrowserTest, KeysMoveAndZoom) {
  OpenModule(*MustParse(kSampleModule));
  const double scale = Number("hlokit.view.camera.scale");
  const double x = Number("hlokit.view.camera.x");
  ASSERT_TRUE(browser().Key("ArrowRight").ok());
  EXPECT_GT(Number("hlokit.view.camera.x"), x);
  ASSERT_TRUE(browser().Wheel(400, 400, -300).ok());
  EXPECT_GT(Number("hlokit.view.camera.scale"), scale);
  ASSERT_TRUE(browser().Key("0").ok());
  EXPECT_NEAR(Number("hlokit.view.camera.scale"), scale, 1e-6);
  EXPECT_EQ(Evaluate("hlokit.look.dark"), "false");
  const auto light = browser().Screenshot();
  ASSERT_TRUE(browser().Key("d").ok());
  EXPECT_EQ(Evaluate("hlokit.look.dark"), "true");
  const auto dark = browser().Screenshot();
  ASSERT_TRUE(light.ok() && dark.ok());
  EXPECT_FALSE(*light == *dark);
}

TEST_F(BrowserTest, OperandsAndUsersAreAKeyAway) {
  OpenModule(*MustParse(kSampleModule), "#i=w");
  AwaitPanel("condition");
  ASSERT_TRUE(browser().Key("o").ok());
  EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), "init");
  ASSERT_TRUE(browser().Key("u").ok());
  EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), "w");
}

TEST_F(BrowserTest, AddressesLeadToWhatTheyName) {
  OpenModule(*MustParse(kSampleModule), "#i=v2&q=op%3Adot");
  AwaitPanel("lhs_contracting_dims");
  EXPECT_EQ(Evaluate("document.getElementById('search').value"), "op:dot");
  OpenModule(*MustParse(kSampleModule), "#c=body");
  EXPECT_EQ(Evaluate("hlokit.view.stage.computations[hlokit.view.computation]"
                     ".name"),
            "body");
}

TEST_F(BrowserTest, EqualPagesLookEqual) {
  // The drawing itself: of whole windows the edges of letters differ now and
  // then.
  const char* kPicture =
      "(hlokit.view.drawNow(), hlokit.view.canvas.toDataURL())";
  OpenModule(*MustParse(kSampleModule));
  const std::string first = Evaluate(kPicture);
  EXPECT_GT(first.size(), 5000u);
  OpenModule(*MustParse(kSampleModule));
  EXPECT_TRUE(first == Evaluate(kPicture));
  ClickOn("f", 2);
  EXPECT_FALSE(first == Evaluate(kPicture));
}

// Two scopes of a chain each, the second below the window's lower edge once the
// first is open, and instructions that use values of both.
std::string ScopedModule(int length) {
  std::string text =
      "HloModule scoped\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= 2 * length; ++i) {
    absl::StrAppend(&text, "  v", i, " = f32[8] negate(v", i - 1,
                    "), metadata={op_name=\"",
                    i <= length ? "one" : "two", "/neg\"}\n");
  }
  return absl::StrCat(text, "  ROOT end = f32[8] add(v", length, ", v",
                      2 * length, "), metadata={op_name=\"add\"}\n}\n");
}

std::string ToggleScope(const std::string& name) {
  return absl::StrCat(
      "(() => { const v = hlokit.view, walk = (o) => {"
      "for (let k = 0; k < o.nodes; ++k) { const c = o.box.contents[k];"
      "if (c < 0 && v.stage.pool[v.stage.boxes[~c].name].includes('", name,
      "')) { v.toggle(o, k); return true; }"
      "for (const part of o.inside.get(k) || []) if (walk(part)) return true;"
      "} return false; }; return walk(v.root); })()");
}

TEST_F(BrowserTest, OpeningAScopeMovesTheViewOntoItsContents) {
  OpenModule(*MustParse(ScopedModule(8)), "#group=scoped");
  Evaluate("hlokit.view.closeAll()");
  Evaluate("hlokit.view.fitFirst()");
  ASSERT_EQ(Evaluate(ToggleScope("one")), "true");
  EXPECT_EQ(Evaluate(InView("v1")), "seen");
  EXPECT_EQ(Evaluate(InView("v8")), "seen");
  // The next one grows beyond the lower edge: the view follows.
  ASSERT_EQ(Evaluate(ToggleScope("two")), "true");
  EXPECT_EQ(Evaluate(InView("v9")), "seen");
  EXPECT_EQ(Evaluate(InView("v16")), "seen");
  // A scope that is higher than the window shows its beginning, readable.
  OpenModule(*MustParse(ScopedModule(60)), "#group=scoped");
  Evaluate("hlokit.view.closeAll()");
  Evaluate("hlokit.view.fitFirst()");
  ASSERT_EQ(Evaluate(ToggleScope("two")), "true");
  EXPECT_EQ(Evaluate(InView("v61")), "seen");
  EXPECT_GE(Number("hlokit.view.camera.scale"), 0.7);
  // Closed again, the box is still in view.
  Evaluate(ToggleScope("two"));
  EXPECT_EQ(Evaluate("hlokit.view.isSeen(hlokit.view.placeOf("
                     "hlokit.view.root, hlokit.view.root.nodes - 1)[0])"),
            "true");
}

TEST_F(BrowserTest, EdgesOfASelectionLeadToClosedScopes) {
  OpenModule(*MustParse(ScopedModule(8)), "#group=scoped");
  Evaluate("hlokit.view.closeAll()");
  Evaluate("hlokit.select(hlokit.view.stage.find('end'), true)");
  EXPECT_EQ(Evaluate("hlokit.view.placesOf(hlokit.view.stage.find('v8'), 1)"
                     ".length"),
            "0");
  EXPECT_EQ(Evaluate("hlokit.view.marks().operands.length"), "2");
  // From inside of an open scope to a closed one, and to its own kind.
  Evaluate("hlokit.select(hlokit.view.stage.find('v9'), true)");
  EXPECT_EQ(Evaluate("hlokit.view.marks().operands.length + ' ' +"
                     "hlokit.view.marks().users.length"),
            "1 1");
}

TEST_F(BrowserTest, TheMapShowsOpenBoxesAndAllOfTheFrame) {
  OpenModule(*MustParse(kSampleModule));
  const char* kMap = "(hlokit.view.drawNow(), hlokit.view.minimap.toDataURL())";
  // Colours in the map, where the loop's body has its dark blue dot.
  const char* kBlue = R"((() => {
    hlokit.view.drawNow();
    const m = hlokit.view.minimap;
    const d = m.getContext('2d').getImageData(0, 0, m.width, m.height).data;
    let blue = 0;
    for (let i = 0; i < d.length; i += 4) {
      if (d[i + 2] > 120 && d[i] < 60 && d[i + 3] > 200) ++blue;
    }
    return blue; })())";
  EXPECT_EQ(Number(kBlue), 0);
  const std::string closed = Evaluate(kMap);
  ClickOn("w", 2);
  EXPECT_GT(Number(kBlue), 0);
  EXPECT_FALSE(closed == Evaluate(kMap));
  for (const char* camera :
       {"{x: -9000, y: -9000, scale: 1}", "{x: 9e5, y: 9e5, scale: 1}",
        "{x: -5e5, y: -5e5, scale: 0.001}", "{x: 40, y: 40, scale: 4}"}) {
    Evaluate(absl::StrCat("Object.assign(hlokit.view.camera, ", camera, ")"));
    EXPECT_EQ(Evaluate("(() => { const v = hlokit.view;"
                       "const [w, h] = v.size();"
                       "const f = v.mapFrame(), m = v.mapWindow(w, h);"
                       "return m.x >= 0 && m.y >= 0 && m.w >= 5 && m.h >= 5 &&"
                       "m.x + m.w <= f.width && m.y + m.h <= f.height; })()"),
              "true")
        << camera;
  }
  // The picture is in the middle of the map, and a click there goes there.
  EXPECT_NEAR(Number("(() => { const f = hlokit.view.mapFrame();"
                     "return 2 * f.left + hlokit.view.root.width * f.scale -"
                     "f.width; })()"),
              0, 1e-6);
}

TEST_F(BrowserTest, NothingOverlapsInNarrowWindows) {
  const char* kOverlap = R"((() => {
    const rect = (id) => document.getElementById(id).getBoundingClientRect();
    const apart = (a, b) => a.right <= b.left || b.right <= a.left ||
        a.bottom <= b.top || b.bottom <= a.top;
    const [legend, map, panel, canvas] =
        ['legend', 'minimap', 'panel', 'canvas'].map(rect);
    const faults = [];
    if (!apart(legend, map)) faults.push('legend and map');
    if (!apart(legend, panel)) faults.push('legend and panel');
    if (!apart(map, panel)) faults.push('map and panel');
    if (!apart(canvas, panel)) faults.push('graph and panel');
    for (const r of [legend, map]) {
      if (r.left < 0 || r.right > innerWidth || r.bottom > innerHeight ||
          r.top < canvas.top) {
        faults.push('outside');
      }
    }
    if (canvas.width < 300 || canvas.height < 200) faults.push('no room');
    return faults.join(', '); })())";
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1400, 900}, {1000, 700}, {821, 700}, {700, 800}, {390, 800}}) {
    SCOPED_TRACE(width);
    ASSERT_TRUE(browser().Resize(width, height).ok());
    OpenModule(*MustParse(kSampleModule));
    EXPECT_EQ(Evaluate(kOverlap), "");
    Evaluate("document.getElementById('legend').click()");  // the other form
    EXPECT_EQ(Evaluate(kOverlap), "");
  }
  ASSERT_TRUE(browser().Resize(kWidth, kHeight).ok());
}

TEST_F(BrowserTest, KeysReachButtonsAndLinks) {
  OpenModule(*MustParse(kSampleModule), "#i=w");
  AwaitPanel("condition");
  Evaluate("document.querySelector('#panel .link').focus()");
  ASSERT_TRUE(browser().Key("Enter").ok());
  EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), "init");
  EXPECT_EQ(Number("hlokit.view.openKeys().size"), 0);
}

// Stored as the colours of a grid, see test_screenshot.h. To store them anew
// after a wanted change, run this test with HLOKIT_STORE_SCREENSHOTS=1 and look
// at the page.
TEST_F(BrowserTest, ThePageLooksAsItDid) {
  struct Look {
    const char* name;
    std::vector<const char*> keys;
  };
  for (const Look& look : std::vector<Look>{
           {"closed", {}}, {"opened", {"e", "e", "0"}}, {"night", {"d"}}}) {
    SCOPED_TRACE(look.name);
    OpenModule(*MustParse(kSampleModule));
    for (const char* key : look.keys) ASSERT_TRUE(browser().Key(key).ok());
    Evaluate("hlokit.view.drawNow()");
    const auto png = browser().Screenshot();
    ASSERT_TRUE(png.ok()) << png.status();
    const auto seen = ThumbnailOf(*png, 35, 22);
    ASSERT_TRUE(seen.ok()) << seen.status();
    const std::string path = absl::StrCat(
        SourceDir(), "/graph_render/testdata/page_", look.name, ".txt");
    if (std::getenv("HLOKIT_STORE_SCREENSHOTS") != nullptr) {
      ASSERT_TRUE(DiskFileSystem()->WriteFile(path, seen->ToText()).ok());
    }
    const auto text = DiskFileSystem()->ReadFile(path);
    ASSERT_TRUE(text.ok()) << text.status();
    const auto stored = Thumbnail::FromText(*text);
    ASSERT_TRUE(stored.ok()) << stored.status();
    EXPECT_LT(ShareOfDifferentCells(*seen, *stored, 40), 0.04)
        << seen->ToText();
  }
}

TEST_F(BrowserTest, TheSliderShowsWhatEachStepDid) {
  const auto before = MustParse(kBeforeStep);
  const auto after = MustParse(kAfterStep);
  PageStage first, second;
  first.label = "start";
  first.module = before.get();
  second.label = "after algsimp";
  second.module = after.get();
  PageOptions options;
  options.title = "m";
  Open(HtmlPage({first, second}, options));
  EXPECT_EQ(Evaluate("document.getElementById('step-label').textContent"),
            "1/2 start");
  ClickOn("c");
  ASSERT_TRUE(browser().Key("j").ok());
  for (int i = 0; i < 100 && Evaluate("hlokit.view.stage.number") != "1"; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_EQ(Evaluate("document.getElementById('step-label').textContent"),
            "2/2 after algsimp");
  EXPECT_EQ(Evaluate("document.getElementById('step-changes').textContent"),
            "1 added, 1 changed, 1 removed");
  // What was selected still is.
  EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), "c");
  EXPECT_EQ(Evaluate("hlokit.look.ofInstruction(hlokit.view.stage, "
                     "hlokit.view.stage.find('fresh')).fill"),
            "#b9f6ca");
  EXPECT_THAT(Evaluate("location.hash"), HasSubstr("step=2"));
  Evaluate("hlokit.unselect()");
  AwaitPanel("gone");
  ASSERT_TRUE(browser().Key("b").ok());
  Evaluate("hlokit.left && hlokit.left.stage.number");
  for (int i = 0; i < 100 && Evaluate("!!(hlokit.left && hlokit.left.root)") !=
                                 "true";
       ++i) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_EQ(Evaluate("hlokit.left.stage.number"), "0");
}

// A chain; near its end, far below the window, one instruction differs.
std::string ChainWith(const std::string& opcode) {
  std::string text =
      "HloModule m\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, i == 40 ? "  ROOT v" : "  v", i, " = f32[8] ",
                    i == 35 ? opcode : "negate", "(v", i - 1, ")\n");
  }
  return text + "}\n";
}

TEST_F(BrowserTest, AStepKeepsTheEyeOnWhatChanged) {
  const auto before = MustParse(ChainWith("negate"));
  const auto after = MustParse(ChainWith("abs"));
  PageStage stages[3];
  stages[0].module = stages[2].module = before.get();
  stages[1].module = after.get();
  Open(HtmlPage(stages, {}), "#step=2");
  EXPECT_EQ(Evaluate(InView("v35")), "seen");
  Open(HtmlPage(stages, {}));
  EXPECT_EQ(Evaluate(InView("v35")), "outside");
  Evaluate("hlokit.setStep(1)");
  EXPECT_EQ(Evaluate(InView("v35")), "seen");
  EXPECT_EQ(Number("hlokit.view.selected"), -1);
  // It is in view already: nothing moves.
  const std::string kPlace =
      "(() => { const v = hlokit.view, c = v.camera;"
      "const [p] = v.placesOf(v.stage.find('v35'), 1);"
      "const [b] = v.placeOf(p.opened, p.item);"
      "return Math.round((b.x + b.w / 2 - c.x) * c.scale) + ' ' +"
      "Math.round((b.y - c.y) * c.scale) + ' ' + c.scale; })()";
  const std::string place = Evaluate(kPlace);
  Evaluate("hlokit.setStep(2)");
  EXPECT_EQ(Evaluate(kPlace), place);
  // What is selected and in view stays there, wherever the change is.
  Evaluate("hlokit.select(hlokit.view.stage.find('v2'), true)");
  Evaluate("hlokit.setStep(1)");
  EXPECT_EQ(Evaluate(InView("v2")), "seen");
  // The key goes to the change.
  ASSERT_TRUE(browser().Key("m").ok());
  EXPECT_EQ(Evaluate("hlokit.view.stage.nameOf(hlokit.view.selected)"), "v35");
  EXPECT_EQ(Evaluate(InView("v35")), "seen");
}

TEST_F(BrowserTest, BothSidesShowTheSamePlace) {
  const auto before = MustParse(ChainWith("negate"));
  const auto after = MustParse(ChainWith("abs"));
  PageStage stages[2];
  stages[0].module = before.get();
  stages[1].module = after.get();
  Open(HtmlPage(stages, {}), "#step=2");
  Evaluate("hlokit.select(hlokit.view.stage.find('v35'), true)");
  Evaluate("hlokit.toggleBeside()");
  EXPECT_NEAR(Number("hlokit.left.camera.y - hlokit.view.camera.y"), 0, 2);
  EXPECT_EQ(Number("hlokit.left.camera.scale"),
            Number("hlokit.view.camera.scale"));
}

TEST_F(BrowserTest, OverlaysColourByTheirNumbers) {
  const auto module = MustParse(kSampleModule);
  PageStage stage;
  stage.module = module.get();
  PageOptions options;
  options.title = "times";
  options.overlays.push_back({"time", "us", {{"w", 100}, {"red", 3}}});
  Open(HtmlPage({stage}, options));
  auto fill = [&](const std::string& name) {
    return Evaluate(absl::StrCat("hlokit.look.ofInstruction(hlokit.view.stage, "
                                 "hlokit.view.stage.find('",
                                 name, "')).fill"));
  };
  EXPECT_EQ(fill("w"), std::string(HeatRamp().back()));
  EXPECT_EQ(fill("red"), std::string(HeatRamp().front()));
  EXPECT_THAT(Evaluate("document.getElementById('legend').innerText"),
              HasSubstr("time (us)"));
  ClickOn("w");
  AwaitPanel("100 us");
}

TEST_F(BrowserTest, AFusionPageOpensItsFusions) {
  const auto module = MustParse(kSampleModule);
  Open(FusionPage(module->entry(), {}, "fusions"));
  EXPECT_EQ(Number("hlokit.view.placesOf(hlokit.view.stage.find('mm'), 1)"
                   ".length"),
            1);
}

TEST_F(BrowserTest, AFusionPageStepsThroughTheDecisions) {
  const auto after = MustParse(kAfterStep);
  std::shared_ptr<const Module> a = MustParse(kBeforeStep);
  std::shared_ptr<const Module> b = MustParse(kAfterStep);
  std::vector<FusionStep> steps;
  steps.push_back({"fusion: gone into c: fresh", a, "c", b, "fresh"});
  steps.push_back({"fusion: a stays out of c: dear", a, "a", nullptr, ""});
  Open(FusionPage(after->entry(), steps, "fusions"));
  auto at_step = [&](int step, const std::string& label) {
    for (int i = 0; i < 100; ++i) {
      if (Evaluate("document.getElementById('step-label').textContent") ==
          absl::StrCat(step, "/4 ", label)) {
        return true;
      }
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  };
  const std::string selected =
      "hlokit.view.stage.nameOf(hlokit.view.selected)";
  EXPECT_TRUE(at_step(1, "fusion: gone into c: fresh"));
  EXPECT_EQ(Evaluate(selected), "c");
  ASSERT_TRUE(browser().Key("j").ok());
  EXPECT_TRUE(at_step(2, "fusion: gone into c: fresh - done"));
  EXPECT_EQ(Evaluate(selected), "fresh");
  EXPECT_EQ(Evaluate("document.getElementById('step-changes').textContent"),
            "1 added, 1 changed, 1 removed");
  // The next decision is about another place: nothing to compare.
  ASSERT_TRUE(browser().Key("j").ok());
  EXPECT_TRUE(at_step(3, "fusion: a stays out of c: dear"));
  EXPECT_EQ(Evaluate("document.getElementById('step-changes').textContent"),
            "");
  ASSERT_TRUE(browser().Key("j").ok());
  EXPECT_TRUE(at_step(4, "in the end"));
}

}  // namespace
}  // namespace hlokit
