// For tests: a real Chromium without a window, driven by its DevTools protocol
// over a pair of pipes.
#ifndef HLOKIT_GRAPH_RENDER_TEST_BROWSER_H_
#define HLOKIT_GRAPH_RENDER_TEST_BROWSER_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"

namespace hlokit {

class TestBrowser {
 public:
  // Unavailable when no Chromium is installed or it does not start.
  static absl::StatusOr<std::unique_ptr<TestBrowser>> Start(int width,
                                                            int height);
  ~TestBrowser();

  absl::Status Resize(int width, int height);
  // Opens a file and waits until the page has drawn its first frame; its time
  // in milliseconds since the start of loading.
  absl::StatusOr<double> Open(const std::string& path,
                              const std::string& hash = "");
  // The value of an expression (awaited when it is a promise) as a string.
  absl::StatusOr<std::string> Evaluate(absl::string_view expression);
  // Real input events.
  absl::Status Click(double x, double y, int count = 1);
  absl::Status Key(const std::string& key);
  absl::Status Type(const std::string& text);
  absl::Status Wheel(double x, double y, double delta);
  // A PNG of the window.
  absl::StatusOr<std::string> Screenshot();
  // Errors, and what the policy refused, since the page was opened.
  const std::string& complaints() const { return complaints_; }

 private:
  TestBrowser() = default;
  // The answer to a command, as JSON. `parameters` is a JSON object.
  absl::StatusOr<std::string> Command(absl::string_view method,
                                      absl::string_view parameters);
  absl::StatusOr<std::string> ReadMessage();

  std::unique_ptr<TemporaryDirectory> profile_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  int next_id_ = 1;
  std::string session_;
  std::string buffer_;
  std::string complaints_;
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_TEST_BROWSER_H_
