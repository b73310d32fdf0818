//===- ProgramAnswer.cpp - What another program prints ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramAnswer.h"

#include <array>
#include <cstdio>
#include <memory>
#include <sys/wait.h>

namespace avocet::tool {
namespace {

std::string quoted(const std::string &text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

} // namespace

std::string shellLine(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words)
    line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

ProgramAnswer askProgram(const std::vector<std::string> &words) {
  const auto close = [](FILE *stream) { ::pclose(stream); };
  const std::string line = shellLine(words) + " 2>&1";
  // NOLINTNEXTLINE(bugprone-command-processor): every word is quoted
  std::unique_ptr<FILE, decltype(close)> stream(::popen(line.c_str(), "re"), close);
  if (stream == nullptr)
    return {kNotInstalled, "cannot start " + words.front()};
  ProgramAnswer answer;
  std::array<char, 4096> part;
  while (const size_t size = std::fread(part.data(), 1, part.size(), stream.get()))
    answer.text.append(part.data(), size);
  const int status = ::pclose(stream.release());
  answer.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  while (answer.text.ends_with('\n'))
    answer.text.pop_back();
  return answer;
}

} // namespace avocet::tool
