//===- TestCommand.h - The command that judges a candidate -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_TESTCOMMAND_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_TESTCOMMAND_H

#include "avocet/base/Status.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace avocet::tool {

/// Which end of the command makes a candidate interesting. No code: any failure, a signal included.
struct InterestingExit {
  std::optional<int> code = 0;
};

/// Reads a value of --exit: a code from 0 to 255, or "failure".
Result<InterestingExit> parseInterestingExit(std::string_view text);

/// How a run of the command ended.
struct CommandEnd {
  enum class How { Exit, Signal, TimeLimit, Interrupted };
  How how = How::Exit;
  int number = 0; ///< exit code or signal

  std::string text() const; ///< "ended with exit code 3"
};

/// A command line for `sh -c`, in which {} stands for the path of a candidate. A run has its own process group, which
/// is ended with it. Runs may be concurrent.
class TestCommand {
public:
  static constexpr double kDefaultSeconds = 60, kMostSeconds = 86400;

  /// InvalidArgument: the text has no {}.
  static Result<TestCommand> create(std::string text, InterestingExit exit, double seconds);

  /// The command for a file.
  std::string lineFor(const std::string &path) const;

  /// Runs the command; its output is appended to the file `log`, or dropped if that is empty. `whileWaiting` is called
  /// a few times per second. Error: no shell.
  Result<CommandEnd> run(const std::string &path, const std::string &log = "",
                         const std::function<void()> &whileWaiting = {}) const;

  /// A command that reached the time limit or was interrupted is never interesting.
  bool isInteresting(const CommandEnd &end) const;

  /// A word of a shell's command line that stands for the text.
  static std::string quoted(const std::string &text);

  const std::string &text() const { return text_; }
  double seconds() const { return seconds_; }
  /// "exit code 0"
  std::string wanted() const;
  /// As parseInterestingExit() reads it.
  std::string exitOption() const { return exit_.code ? std::to_string(*exit_.code) : "failure"; }

private:
  TestCommand(std::string text, InterestingExit exit, double seconds)
      : text_(std::move(text)), exit_(exit), seconds_(seconds) {}
  std::string text_;
  InterestingExit exit_;
  double seconds_;
};

/// While an object exists, SIGINT, SIGTERM and SIGHUP end running commands instead of this process.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  static bool isInterrupted();
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_TESTCOMMAND_H
