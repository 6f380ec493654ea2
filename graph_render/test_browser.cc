#include "graph_render/test_browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/subprocess.h"

namespace hlokit {
namespace {

constexpr int kTimeoutMs = 60000;

std::string Quoted(absl::string_view text) {
  std::string json;
  AppendJsonString(text, &json);
  return json;
}

// The string behind `"key":"`, its escapes undone; "" when there is none.
std::string StringMember(absl::string_view json, absl::string_view key) {
  const std::string lead = absl::StrCat("\"", key, "\":\"");
  size_t at = json.find(lead);
  if (at == absl::string_view::npos) return "";
  std::string text;
  for (at += lead.size(); at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\' && at + 1 < json.size()) {
      ++at;
      text += json[at] == 'n' ? '\n' : json[at];
    } else {
      text += json[at];
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TestBrowser>> TestBrowser::Start(int width,
                                                                int height) {
  std::string program;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const auto found = FindProgram(name);
    if (found.ok()) program = *found;
  }
  if (program.empty()) return absl::UnavailableError("no Chromium");
  auto browser = std::unique_ptr<TestBrowser>(new TestBrowser);
  HLOKIT_ASSIGN_OR_RETURN(browser->profile_, TemporaryDirectory::Create());
  const std::string profile =
      absl::StrCat("--user-data-dir=", browser->profile_->path());
  const std::string size = absl::StrCat("--window-size=", width, ",", height);
  int commands[2], answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) {
    return absl::UnavailableError("no pipes");
  }
  browser->process_ = fork();
  if (browser->process_ == 0) {
    // The browser reads at 3 and writes at 4. High numbers first: a pipe may
    // have these.
    const int in = fcntl(commands[0], F_DUPFD, 64);
    const int out = fcntl(answers[1], F_DUPFD, 64);
    dup2(in, 3);
    dup2(out, 4);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 1);
    dup2(null, 2);
    setpgid(0, 0);
    execl(program.c_str(), program.c_str(), "--headless=new", "--no-sandbox",
          "--disable-gpu", "--no-first-run", "--disable-extensions",
          "--remote-debugging-pipe", profile.c_str(), size.c_str(),
          "about:blank", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(commands[0]);
  close(answers[1]);
  browser->to_ = commands[1];
  browser->from_ = answers[0];
  signal(SIGPIPE, SIG_IGN);
  const auto targets = browser->Command("Target.getTargets", "{}");
  if (!targets.ok()) {
    return absl::UnavailableError(
        absl::StrCat("Chromium does not start: ", targets.status().message()));
  }
  const size_t page = targets->rfind("{", targets->find("\"type\":\"page\""));
  HLOKIT_ASSIGN_OR_RETURN(
      const std::string attached,
      browser->Command(
          "Target.attachToTarget",
          absl::StrCat("{\"flatten\":true,\"targetId\":",
                       Quoted(StringMember(targets->substr(page), "targetId")),
                       "}")));
  browser->session_ = StringMember(attached, "sessionId");
  for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable"}) {
    HLOKIT_RETURN_IF_ERROR(browser->Command(domain, "{}"));
  }
  HLOKIT_RETURN_IF_ERROR(browser->Resize(width, height));
  return browser;
}

absl::Status TestBrowser::Resize(int width, int height) {
  return Command("Emulation.setDeviceMetricsOverride",
                 absl::StrCat("{\"width\":", width, ",\"height\":", height,
                              ",\"deviceScaleFactor\":1,\"mobile\":false}"))
      .status();
}

TestBrowser::~TestBrowser() {
  if (process_ <= 0) return;
  close(to_);
  close(from_);
  kill(-process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  // Its helpers may still write into the profile.
  absl::SleepFor(absl::Milliseconds(100));
}

absl::StatusOr<std::string> TestBrowser::ReadMessage() {
  while (true) {
    const size_t end = buffer_.find('\0');
    if (end != std::string::npos) {
      std::string message = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd ready = {from_, POLLIN, 0};
    if (poll(&ready, 1, kTimeoutMs) <= 0) {
      return absl::DeadlineExceededError("no answer from the browser");
    }
    char bytes[65536];
    const ssize_t count = read(from_, bytes, sizeof bytes);
    if (count <= 0) return absl::UnavailableError("the browser has ended");
    buffer_.append(bytes, count);
  }
}

absl::StatusOr<std::string> TestBrowser::Command(absl::string_view method,
                                                 absl::string_view parameters) {
  const int id = next_id_++;
  std::string message = absl::StrCat("{\"id\":", id, ",\"method\":\"", method,
                                     "\",\"params\":", parameters);
  if (!session_.empty()) {
    absl::StrAppend(&message, ",\"sessionId\":", Quoted(session_));
  }
  message += '}';
  // With the zero that ends it.
  size_t sent = 0;
  while (sent < message.size() + 1) {
    const ssize_t count =
        write(to_, message.c_str() + sent, message.size() + 1 - sent);
    if (count <= 0) return absl::UnavailableError("the browser has ended");
    sent += count;
  }
  const std::string lead = absl::StrCat("{\"id\":", id, ",");
  while (true) {
    HLOKIT_ASSIGN_OR_RETURN(std::string answer, ReadMessage());
    if (absl::StartsWith(answer, lead)) {
      if (absl::StartsWith(answer.substr(lead.size()), "\"error\"")) {
        return Internal("%s: %s", method, answer);
      }
      return answer;
    }
    if (absl::StrContains(answer, "\"Runtime.exceptionThrown\"") ||
        absl::StrContains(answer, "\"Log.entryAdded\"")) {
      absl::StrAppend(&complaints_, answer, "\n");
    }
  }
}

absl::StatusOr<std::string> TestBrowser::Evaluate(
    absl::string_view expression) {
  HLOKIT_ASSIGN_OR_RETURN(
      const std::string answer,
      Command("Runtime.evaluate",
              absl::StrCat("{\"awaitPromise\":true,\"returnByValue\":true,"
                           "\"expression\":",
                           Quoted(absl::StrCat(
                               "(async()=>String(await(", expression, ")))()")),
                           "}")));
  if (absl::StrContains(answer, "\"exceptionDetails\"")) {
    return Internal("%s: %s", expression, answer);
  }
  return StringMember(answer, "value");
}

absl::StatusOr<double> TestBrowser::Open(const std::string& path,
                                         const std::string& hash) {
  complaints_.clear();
  // A page of the same file with another hash would not be loaded anew.
  HLOKIT_RETURN_IF_ERROR(
      Command("Page.navigate", "{\"url\":\"about:blank\"}"));
  HLOKIT_RETURN_IF_ERROR(Command(
      "Page.navigate",
      absl::StrCat("{\"url\":", Quoted(absl::StrCat("file://", path, hash)),
                   "}")));
  const absl::Time end = absl::Now() + absl::Seconds(60);
  while (absl::Now() < end) {
    const auto time = Evaluate(
        "window.hlokit && window.hlokit.firstFrame ? "
        "window.hlokit.ready.then(() => window.hlokit.firstFrame) : 0");
    double value = 0;
    if (time.ok() && absl::SimpleAtod(*time, &value) && value > 0) return value;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return absl::DeadlineExceededError(
      absl::StrCat("the page did not draw: ", complaints_));
}

absl::Status TestBrowser::Click(double x, double y, int count) {
  for (int i = 1; i <= count; ++i) {
    for (const char* type : {"mousePressed", "mouseReleased"}) {
      HLOKIT_RETURN_IF_ERROR(
          Command("Input.dispatchMouseEvent",
                  absl::StrCat("{\"type\":\"", type, "\",\"x\":", x, ",\"y\":",
                               y, ",\"button\":\"left\",\"clickCount\":", i,
                               "}")));
    }
  }
  return absl::OkStatus();
}

absl::Status TestBrowser::Key(const std::string& key) {
  const std::string text =
      key.size() == 1 ? absl::StrCat(",\"text\":", Quoted(key))
      : key == "Enter" ? ",\"text\":\"\\r\",\"windowsVirtualKeyCode\":13"
      : key == "Tab" ? ",\"windowsVirtualKeyCode\":9"
                       : "";
  HLOKIT_RETURN_IF_ERROR(
      Command("Input.dispatchKeyEvent",
              absl::StrCat("{\"type\":\"keyDown\",\"key\":", Quoted(key), text,
                           "}")));
  return Command("Input.dispatchKeyEvent",
                 absl::StrCat("{\"type\":\"keyUp\",\"key\":", Quoted(key), "}"))
      .status();
}

absl::Status TestBrowser::Type(const std::string& text) {
  return Command("Input.insertText",
                 absl::StrCat("{\"text\":", Quoted(text), "}"))
      .status();
}

absl::Status TestBrowser::Wheel(double x, double y, double delta) {
  return Command("Input.dispatchMouseEvent",
                 absl::StrCat("{\"type\":\"mouseWheel\",\"x\":", x, ",\"y\":",
                              y, ",\"deltaX\":0,\"deltaY\":", delta, "}"))
      .status();
}

absl::StatusOr<std::string> TestBrowser::Screenshot() {
  // Two frames, so that what was asked for has been drawn.
  HLOKIT_RETURN_IF_ERROR(Evaluate(
      "new Promise((done) => requestAnimationFrame(() => "
      "requestAnimationFrame(done)))"));
  HLOKIT_ASSIGN_OR_RETURN(
      const std::string answer,
      Command("Page.captureScreenshot", "{\"format\":\"png\"}"));
  std::string bytes;
  if (!absl::Base64Unescape(StringMember(answer, "data"), &bytes)) {
    return Internal("no picture: %s", answer.substr(0, 200));
  }
  return bytes;
}

}  // namespace hlokit
