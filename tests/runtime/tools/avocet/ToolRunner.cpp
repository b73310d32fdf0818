//===- ToolRunner.cpp - Runs the avocet program -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include "CopyProgram.h"
#include "avocet/base/File.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::tool::test {
namespace {

std::string quote(const std::string &text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace

void ToolTest::SetUp() {
  program_ = AVOCET_TOOL;
  const auto *info = testing::UnitTest::GetInstance()->current_test_info();
  directory_ = fmt::format("{}/avocet-tool-{}-{}", testing::TempDir(), info->name(), ::getpid());
  std::filesystem::create_directories(directory_);
  // A service refuses a cache in a folder that other users can write to.
  std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
}

void ToolTest::TearDown() { std::filesystem::remove_all(directory_); }

ToolResult ToolTest::run(const std::vector<std::string> &arguments) const {
  // Beside the directory, so that tests can list the files that a command left in it.
  std::string output = directory_ + ".out", errors = directory_ + ".err";
  std::string command = "cd " + quote(directory_) + " && exec " + quote(program_);
  for (const std::string &argument : arguments)
    command += " " + quote(argument);
  command += " >" + quote(output) + " 2>" + quote(errors) + " </dev/null";
  // NOLINTNEXTLINE(bugprone-command-processor): every word is quoted
  int status = std::system(command.c_str());
  ToolResult result;
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  auto take = [](const std::string &file) {
    std::vector<uint8_t> bytes = readFile(file).value();
    std::filesystem::remove(file);
    return std::string(bytes.begin(), bytes.end());
  };
  result.output = take(output);
  result.errors = take(errors);
  return result;
}

void ToolTest::write(const std::string &name, const std::string &bytes) const {
  ASSERT_TRUE(writeFile(path(name), std::string_view(bytes)).isOk());
}

std::string ToolTest::read(const std::string &name) const {
  Result<std::vector<uint8_t>> bytes = readFile(path(name));
  EXPECT_TRUE(bytes.isOk()) << bytes.status().toString();
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

std::vector<std::string> ToolTest::listFiles() const {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(directory_))
    names.push_back(std::filesystem::relative(entry.path(), directory_).string());
  std::ranges::sort(names);
  return names;
}

void ToolTest::writeCopyModel() const {
  auto target = firmware::Target::load("e256").value();
  Result<std::vector<uint8_t>> model = cache::writeModelCache(runtime::test::copyModel(*target, kBytes));
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  ASSERT_TRUE(cache::writeArtefacts(path("model"), *model, {}).isOk());
}

} // namespace avocet::tool::test
