//===- Browser.cpp - A headless browser for tests of pages ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Browser.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sodium.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::test {
namespace {

using Json = Browser::Json;
using Clock = std::chrono::steady_clock;

constexpr int kAnswerMs = 60'000;
constexpr std::chrono::seconds kOpen{60};

struct Pipe {
  FileDescriptor read, write;
};

Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return errnoStatus(errno, "cannot make a pipe");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Chromium reads commands from descriptor 3 and answers on 4. Both may be the number of a pipe's end, so they are
/// first moved out of the way.
[[noreturn]] void become(const std::string &program, const std::string &directory, int commands, int answers) {
  const int away[] = {::fcntl(commands, F_DUPFD, 20), ::fcntl(answers, F_DUPFD, 20)};
  ::dup2(away[0], 3);
  ::dup2(away[1], 4);
  ::close(away[0]);
  ::close(away[1]);
  for (int output : {1, 2})
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), output);
  ::setpgid(0, 0);
  ::setenv("HOME", directory.c_str(), 1);
  const std::string profile = "--user-data-dir=" + directory;
  // No sandbox, which root cannot have; the pages are our own. Of the GPU there is none.
  ::execl(program.c_str(), program.c_str(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
          "--disable-dev-shm-usage", "--window-size=1440,900", profile.c_str(), "--remote-debugging-pipe",
          "about:blank", nullptr);
  ::_exit(99);
}

} // namespace

std::string Browser::find() {
  const char *path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string program = folders.substr(begin, end - begin) + "/chromium";
    if (::access(program.c_str(), X_OK) == 0)
      return program;
    begin = end + 1;
  }
  return "";
}

Result<std::unique_ptr<Browser>> Browser::start(const std::string &program, const std::string &directory) {
  AVOCET_ASSIGN_OR_RETURN(Pipe commands, makePipe());
  AVOCET_ASSIGN_OR_RETURN(Pipe answers, makePipe());
  std::unique_ptr<Browser> browser(new Browser);
  browser->process_ = ::fork();
  if (browser->process_ == 0)
    become(program, directory, commands.read.get(), answers.write.get());
  if (browser->process_ < 0)
    return errnoStatus(errno, "cannot start " + program);
  browser->commands_ = std::move(commands.write);
  browser->answers_ = std::move(answers.read);
  AVOCET_RETURN_IF_ERROR(browser->attach());
  return browser;
}

Browser::~Browser() {
  if (process_ <= 0)
    return;
  ::kill(-process_, SIGKILL); // its group: the program starts others
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

Status Browser::attach() {
  AVOCET_ASSIGN_OR_RETURN(Json targets, call("Target.getTargets", Json::object()));
  std::string page;
  for (const Json &target : targets["targetInfos"])
    if (target["type"] == "page")
      page = target["targetId"];
  AVOCET_ASSIGN_OR_RETURN(Json attached, call("Target.attachToTarget", {{"targetId", page}, {"flatten", true}}));
  session_ = attached["sessionId"];
  for (const char *domain : {"Page.enable", "Runtime.enable", "Log.enable"})
    AVOCET_RETURN_IF_ERROR(call(domain, Json::object()).status());
  return call("Emulation.setDeviceMetricsOverride",
              {{"width", 1440}, {"height", 900}, {"deviceScaleFactor", 1}, {"mobile", false}})
      .status();
}

Status Browser::open(const std::string &path, const std::string &condition) {
  AVOCET_RETURN_IF_ERROR(call("Page.navigate", {{"url", "file://" + path}}).status());
  for (const auto end = Clock::now() + kOpen; Clock::now() < end;) {
    AVOCET_ASSIGN_OR_RETURN(Json isReady, evaluate("!!(document.documentElement && (" + condition + "))"));
    if (isReady == true)
      return Status::ok();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return internalError(path + ": did not become ready");
}

Result<Json> Browser::evaluate(const std::string &expression) {
  AVOCET_ASSIGN_OR_RETURN(
      Json answer,
      call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}}));
  if (answer.contains("exceptionDetails"))
    return internalError(answer["exceptionDetails"].dump());
  return answer["result"].value("value", Json());
}

Status Browser::mouse(const std::string &type, double x, double y, double wheel) {
  Json parameters = {{"type", type}, {"x", x}, {"y", y}};
  if (type == "mouseWheel")
    parameters.update({{"deltaX", 0}, {"deltaY", wheel}});
  else if (type != "mouseMoved")
    parameters.update({{"button", "left"}, {"clickCount", 1}});
  return call("Input.dispatchMouseEvent", parameters).status();
}

Status Browser::preferTheme(const std::string &theme) {
  const Json feature = {{"name", "prefers-color-scheme"}, {"value", theme}};
  return call("Emulation.setEmulatedMedia", {{"features", Json::array({feature})}}).status();
}

Status Browser::screenshot(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(Json answer, call("Page.captureScreenshot", {{"format", "png"}}));
  const std::string text = answer["data"];
  std::vector<uint8_t> bytes(text.size());
  size_t size = 0;
  if (sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &size, nullptr,
                        sodium_base64_VARIANT_ORIGINAL) != 0)
    return internalError("the screenshot is not base64");
  return writeFile(path, std::span<const uint8_t>(bytes).first(size));
}

Result<Json> Browser::call(const std::string &method, const Json &parameters) {
  const int number = ++lastCall_;
  Json message = {{"id", number}, {"method", method}, {"params", parameters}};
  if (!session_.empty())
    message["sessionId"] = session_;
  AVOCET_RETURN_IF_ERROR(send(message));
  for (;;) {
    AVOCET_ASSIGN_OR_RETURN(Json answer, receive());
    if (answer.value("id", 0) != number) {
      note(answer);
      continue;
    }
    if (answer.contains("error"))
      return internalError(method + ": " + answer["error"].dump());
    return answer["result"];
  }
}

Status Browser::send(const Json &message) {
  const std::string text = message.dump();
  for (size_t sent = 0; sent <= text.size();) {
    const ssize_t size = ::write(commands_.get(), text.c_str() + sent, text.size() + 1 - sent);
    if (size <= 0)
      return errnoStatus(errno, "the browser takes no command");
    sent += static_cast<size_t>(size);
  }
  return Status::ok();
}

Result<Json> Browser::receive() {
  for (size_t searched = 0;;) {
    const size_t end = buffer_.find('\0', searched);
    if (end != std::string::npos) {
      Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    searched = buffer_.size();
    pollfd descriptor{answers_.get(), POLLIN, 0};
    if (::poll(&descriptor, 1, kAnswerMs) <= 0)
      return internalError("the browser does not answer");
    buffer_.resize(searched + 65536);
    const ssize_t size = ::read(answers_.get(), buffer_.data() + searched, 65536);
    buffer_.resize(searched + static_cast<size_t>(std::max<ssize_t>(size, 0)));
    if (size <= 0)
      return internalError("the browser has ended");
  }
}

void Browser::note(const Json &event) {
  const std::string method = event.value("method", "");
  if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" || method == "Log.entryAdded")
    messages_.push_back(event["params"].dump());
}

} // namespace avocet::test
