//===- SkippedTests.cpp - Tells ctest that all tests were skipped -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked to every test program. GoogleTest's own lines do not tell whether a run with skipped tests also had failures,
// and a test that ctest takes for skipped is not counted as failed.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cstdio>

namespace {

class SkipPrinter : public testing::EmptyTestEventListener {
  void OnTestProgramEnd(const testing::UnitTest &tests) override {
    int skipped = tests.skipped_test_count();
    // The text is known to scripts/cmake/AvocetTestSuites.cmake.
    if (skipped > 0 && skipped == tests.test_to_run_count() && tests.Passed())
      std::printf("[  SKIPPED ] all %d tests\n", skipped);
  }
};

[[maybe_unused]] const bool kAppended = [] {
  // The unit test owns its listeners.
  testing::UnitTest::GetInstance()->listeners().Append(new SkipPrinter);
  return true;
}();

} // namespace
