//===- GuardedMainTest.cpp - Tests of exceptions that reach main() --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/GuardedMain.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace avocet {
namespace {

/// The exit code of a program of one argument, and what it writes to the standard error stream.
struct Ending {
  int code;
  std::string message;
};

Ending endOf(int (*run)(int, char **)) {
  std::string path = "/usr/bin/someTool", argument = "--fast";
  char *argv[] = {path.data(), argument.data(), nullptr};
  testing::internal::CaptureStderr();
  const int code = guardedMain(2, argv, run);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(GuardedMainTest, ReturnsTheResultOfItsFunction) {
  const Ending ending = endOf([](int argc, char **argv) { return argc == 2 && argv[1][2] == 'f' ? 42 : 0; });
  EXPECT_EQ(ending.code, 42);
  EXPECT_EQ(ending.message, "");
}

TEST(GuardedMainTest, ExceptionBecomesOneLineAndFailure) {
  const Ending ending = endOf([](int, char **) -> int { throw std::runtime_error("no such table"); });
  EXPECT_EQ(ending.code, kExitFailed);
  EXPECT_EQ(ending.message, "someTool: error: no such table\n");
}

TEST(GuardedMainTest, MissingMemoryIsNamed) {
  const Ending ending = endOf([](int, char **) -> int { throw std::bad_alloc(); });
  EXPECT_EQ(ending.code, kExitFailed);
  EXPECT_EQ(ending.message, "someTool: error: out of memory\n");
}

TEST(GuardedMainTest, AnyOtherObjectThrownIsAFailure) {
  const Ending ending = endOf([](int, char **) -> int { throw 5; });
  EXPECT_EQ(ending.code, kExitFailed);
  EXPECT_EQ(ending.message, "someTool: error: an exception without a description\n");
}

TEST(GuardedMainTest, ProgramWithoutArgumentsHasAName) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(guardedMain(0, nullptr, [](int, char **) -> int { throw std::bad_alloc(); }), kExitFailed);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "avocet: error: out of memory\n");
}

/// With one descriptor for both streams.
[[noreturn]] void endAfterOutput() {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::string path = "someTool";
  char *argv[] = {path.data(), nullptr};
  std::exit(guardedMain(1, argv, [](int, char **) -> int {
    std::fputs("some output, ", stdout);
    throw std::bad_alloc();
  }));
}

TEST(GuardedMainDeathTest, OutputPrecedesTheMessage) {
  EXPECT_EXIT(endAfterOutput(), testing::ExitedWithCode(kExitFailed), "some output, someTool: error: out of memory");
}

} // namespace
} // namespace avocet
