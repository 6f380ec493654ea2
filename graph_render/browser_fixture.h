// The fixture of tests that open pages in a real browser. They are skipped where
// there is none.
#ifndef HLOKIT_GRAPH_RENDER_BROWSER_FIXTURE_H_
#define HLOKIT_GRAPH_RENDER_BROWSER_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/file_system.h"
#include "graph_render/html_page.h"
#include "graph_render/test_browser.h"
#include "gtest/gtest.h"

namespace hlokit {

inline constexpr int kWidth = 1400, kHeight = 900;

class BrowserTest : public ::testing::Test {
 protected:
  // One browser for all tests.
  static void SetUpTestSuite() {
    browser_ = new absl::StatusOr<std::unique_ptr<TestBrowser>>(
        TestBrowser::Start(kWidth, kHeight));
  }
  static void TearDownTestSuite() {
    delete browser_;
    browser_ = nullptr;
  }
  void SetUp() override {
    if (!browser_->ok()) GTEST_SKIP() << "skipped: " << browser_->status();
    folder_ = *TemporaryDirectory::Create();
  }

  TestBrowser& browser() { return ***browser_; }

  double Open(const std::string& page, const std::string& hash = "") {
    const std::string path = JoinPath(folder_->path(), "page.html");
    EXPECT_TRUE(DiskFileSystem()->WriteFile(path, page).ok());
    const auto time = browser().Open(path, hash);
    EXPECT_TRUE(time.ok()) << time.status();
    EXPECT_EQ(browser().complaints(), "");
    return time.ok() ? *time : 1e9;
  }
  double OpenModule(const Module& module, const std::string& hash = "") {
    PageStage stage;
    stage.label = "only";
    stage.module = &module;
    PageOptions options;
    options.title = "the title";
    return Open(HtmlPage({stage}, options), hash);
  }

  std::string Evaluate(const std::string& expression) {
    const auto value = browser().Evaluate(expression);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *value : "";
  }
  double Number(const std::string& expression) {
    double value = -1;
    EXPECT_TRUE(absl::SimpleAtod(Evaluate(expression), &value)) << expression;
    return value;
  }
  std::string Panel() {
    return Evaluate("document.getElementById('panel').innerText");
  }
  // Until the panel holds the text: parts of it are read when needed.
  void AwaitPanel(const std::string& text) {
    for (int i = 0; i < 100; ++i) {
      if (absl::StrContains(Panel(), text)) return;
      absl::SleepFor(absl::Milliseconds(20));
    }
    ADD_FAILURE() << "no '" << text << "' in " << Panel();
  }

  // The middle of an instruction's box in the window.
  void ClickOn(const std::string& name, int count = 1) {
    const std::string place = Evaluate(absl::StrCat(
        "(() => { const v = hlokit.view; const i = v.stage.find('", name,
        "'); const p = v.placesOf(i, 1)[0];"
        "const [b] = v.placeOf(p.opened, p.item); const c = v.camera;"
        "const r = v.canvas.getBoundingClientRect();"
        "return (r.left + (b.x + b.w / 2 - c.x) * c.scale) + ' ' +"
        "(r.top + (b.y + Math.min(b.h, 20) / 2 - c.y) * c.scale); })()"));
    const std::vector<std::string> xy = absl::StrSplit(place, ' ');
    double x = 0, y = 0;
    ASSERT_TRUE(xy.size() == 2 && absl::SimpleAtod(xy[0], &x) &&
                absl::SimpleAtod(xy[1], &y))
        << place;
    ASSERT_TRUE(browser().Click(x, y, count).ok());
  }

  // Boxes that overlap in the opened picture, as the page places them.
  std::string Overlaps() {
    return Evaluate(R"((() => {
      let faults = 0, items = 0;
      const walk = (o) => {
        const box = o.box;
        for (let r = 0; r < box.rows; ++r) {
          for (let k = box.rowStart[r]; k < box.rowStart[r + 1]; ++k) {
            const i = box.rowItems[k];
            ++items;
            if (k > box.rowStart[r]) {
              const j = box.rowItems[k - 1];
              if (o.x[j] + o.w[j] > o.x[i]) ++faults;
            }
            const isHead = o.bands.some((b) => b.first === r);
            if (!isHead && o.y[i] < o.rowY[r - 1] + o.rowHeight[r - 1]) {
              ++faults;
            }
          }
        }
        for (let b = 1; b < o.bands.length; ++b) {
          const [before, after] = [o.bands[b - 1], o.bands[b]];
          if (before.shelf === after.shelf ? before.right >= after.left
                                           : before.bottom >= after.top) {
            ++faults;
          }
        }
        for (const [item, parts] of o.inside) {
          for (const p of parts) {
            if (p.dx + p.width > o.w[item] || p.dy + p.height > o.h[item]) {
              ++faults;
            }
            walk(p);
          }
        }
      };
      walk(hlokit.view.root);
      return faults + ' of ' + (items > 5 ? 'many' : 'few');
    })())");
  }

  inline static absl::StatusOr<std::unique_ptr<TestBrowser>>* browser_ =
      nullptr;
  std::unique_ptr<TemporaryDirectory> folder_;
};

// Whether an instruction's box is in the window as a whole.
inline std::string InView(const std::string& name) {
  return absl::StrCat(
      "(() => { const v = hlokit.view, i = v.stage.find('", name,
      "'); const [p] = v.placesOf(i, 1); if (!p) return 'closed';"
      "const [b] = v.placeOf(p.opened, p.item), c = v.camera;"
      "const [w, h] = v.size();"
      "const x = (b.x - c.x) * c.scale, y = (b.y - c.y) * c.scale;"
      "return x >= 0 && y >= 0 && x + b.w * c.scale <= w &&"
      "y + b.h * c.scale <= h ? 'seen' : 'outside'; })()");
}

// Opens the scope box of that name in the root as a double click does.

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_BROWSER_FIXTURE_H_
