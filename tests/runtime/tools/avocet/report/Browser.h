//===- Browser.h - A headless browser for tests of pages --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chromium, driven by the DevTools protocol over a pipe: no port, no library. The test is skipped where it is missing
// (scripts/setup --browser).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_TOOLS_AVOCET_REPORT_BROWSER_H
#define AVOCET_TESTS_RUNTIME_TOOLS_AVOCET_REPORT_BROWSER_H

#include "avocet/base/File.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace avocet::test {

class Browser {
public:
  using Json = nlohmann::json;

  /// Path of the program; empty if there is none.
  static std::string find();

  /// Starts with an empty profile in `directory`. Errors say which step failed.
  static Result<std::unique_ptr<Browser>> start(const std::string &program, const std::string &directory);
  ~Browser();
  Browser(const Browser &) = delete;
  Browser &operator=(const Browser &) = delete;

  /// Opens a file and waits until `condition` (JavaScript) is true.
  Status open(const std::string &path, const std::string &condition);

  /// The value of an expression; of a promise its result.
  Result<Json> evaluate(const std::string &expression);

  /// "mousePressed", "mouseMoved", "mouseReleased" or "mouseWheel" at a place of the window.
  Status mouse(const std::string &type, double x, double y, double wheel = 0);

  /// What pages wrote to the console since the last call, exceptions and refused requests included.
  std::vector<std::string> takeMessages() { return std::exchange(messages_, {}); }

  /// "light" or "dark", as the system prefers.
  Status preferTheme(const std::string &theme);

  Status screenshot(const std::string &path);

private:
  Browser() = default;
  Status attach();
  Result<Json> call(const std::string &method, const Json &parameters);
  Status send(const Json &message);
  Result<Json> receive();
  void note(const Json &event);

  pid_t process_ = -1;
  FileDescriptor commands_, answers_;
  std::string buffer_, session_;
  int lastCall_ = 0;
  std::vector<std::string> messages_;
};

} // namespace avocet::test

#endif // AVOCET_TESTS_RUNTIME_TOOLS_AVOCET_REPORT_BROWSER_H
