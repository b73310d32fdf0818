//===- ToolRunner.h - Runs the avocet program -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the built program in a separate directory that is removed afterwards.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_TOOLS_TOOLRUNNER_H
#define AVOCET_TESTS_TOOLS_TOOLRUNNER_H

#include "avocet/cache/ModelDescription.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace avocet::tool::test {

struct ToolResult {
  int exitCode = -1;  ///< -1: ended by a signal
  std::string output; ///< standard output
  std::string errors; ///< standard error stream
};

/// Gives each test an empty directory; writeCopyModel() writes artefacts without the compiler.
class ToolTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs "PROGRAM ARGUMENTS..." in the directory.
  ToolResult run(const std::vector<std::string> &arguments) const;

  std::string path(const std::string &name) const { return directory_ + "/" + name; }
  void write(const std::string &name, const std::string &bytes) const;
  std::string read(const std::string &name) const;
  std::vector<std::string> listFiles() const;

  /// Writes the artefacts of the copy model (64 bytes in, the same 64 bytes out) to "model" in the directory.
  static constexpr uint32_t kBytes = 64;
  void writeCopyModel() const;

  std::string directory_;
  std::string program_; ///< the built avocet, unless a test changes it
};

} // namespace avocet::tool::test

#endif // AVOCET_TESTS_TOOLS_TOOLRUNNER_H
