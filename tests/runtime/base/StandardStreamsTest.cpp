//===- StandardStreamsTest.cpp - Output that cannot be written ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/StandardStreams.h"
#include "LostOutput.h"
#include "avocet/base/Log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet {
namespace {

using test::closeIt;
using test::loseReader;

void fillDisk(int descriptor) { ::dup2(::open("/dev/full", O_WRONLY), descriptor); }

/// Runs `work` in a child with the default action of SIGPIPE; returns its exit code, or minus its signal.
int endOfChild(const std::function<int()> &work) {
  std::fflush(stdout);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct Breaker {
  const char *name;
  void (*apply)(int descriptor);
};
class BrokenStreamTest : public testing::TestWithParam<Breaker> {};
INSTANTIATE_TEST_SUITE_P(All, BrokenStreamTest,
                         testing::Values(Breaker{"ReaderIsGone", loseReader}, Breaker{"DiskIsFull", fillDisk},
                                         Breaker{"IsClosed", closeIt}),
                         [](const auto &info) { return info.param.name; });

TEST_P(BrokenStreamTest, LoggingDoesNotEndTheProcess) {
  EXPECT_EQ(endOfChild([] {
              GetParam().apply(STDERR_FILENO);
              writeLog(LogLevel::Error, "test", "lost");
              logMessage(LogLevel::Error, "test", "lost {}", 2);
              return 7;
            }),
            7);
}

TEST_P(BrokenStreamTest, PrintingReportsTheFailureAtTheEnd) {
  EXPECT_EQ(endOfChild([] {
              GetParam().apply(STDOUT_FILENO);
              printOut("{}", std::string(1 << 20, 'x'));
              printErr("{}", "");
              const Status status = finishStandardOutput();
              return status.message().find("cannot write to the standard output: ") == 0 ? 7 : 8;
            }),
            7);
}

TEST(StandardStreamsTest, LogWritesKeepSigpipeStateOfProgram) {
  EXPECT_EQ(endOfChild([] {
              loseReader(STDERR_FILENO);
              writeLog(LogLevel::Error, "test", "lost");
              sigset_t blocked, pending;
              ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
              ::sigpending(&pending);
              const bool isClean = sigismember(&blocked, SIGPIPE) == 0 && sigismember(&pending, SIGPIPE) == 0;
              ::raise(SIGPIPE);
              return isClean ? 1 : 2;
            }),
            -SIGPIPE);
}

TEST(StandardStreamsTest, ClosedDescriptorsAreNotReused) {
  EXPECT_EQ(endOfChild([] {
              ::close(STDOUT_FILENO);
              ::close(STDERR_FILENO);
              prepareStandardStreams();
              const int opened = ::open("/dev/null", O_WRONLY);
              return opened > STDERR_FILENO && ::write(STDOUT_FILENO, "x", 1) < 0 ? 7 : 8;
            }),
            7);
}

TEST(StandardStreamsTest, WritesErrorsAfterEarlierOutput) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(endOfChild([&] {
              ::dup2(ends[1], STDOUT_FILENO);
              ::dup2(ends[1], STDERR_FILENO);
              printOut("first ");
              printErr("second ");
              printOut("third");
              return finishStandardOutput().isOk() ? 0 : 1;
            }),
            0);
  char text[64] = {};
  EXPECT_GT(::read(ends[0], text, sizeof(text) - 1), 0);
  EXPECT_STREQ(text, "first second third");
}

TEST(LogTest, LinesOfProgramsHaveTimestamps) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(endOfChild([] {
              setLogProgram("avocetd");
              writeLog(LogLevel::Info, "", "serving");
              return 0;
            }),
            0);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::ContainsRegex("^20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:.]+[+-][0-9:]+ avocetd info: serving\n$"));
}

} // namespace
} // namespace avocet
