//===- CompatTest.cpp - Calls of a 32-bit process -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include "CopyProgram.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::uapi {
namespace {

std::string hexadecimal(const std::vector<uint32_t> &words) {
  std::string text;
  for (uint32_t word : words)
    text += fmt::format("{:08x}", word);
  return text;
}

int run(const std::vector<std::string> &command) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv(arguments[0], arguments.data());
    ::_exit(255);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CompatTest, JobOf32BitProcessCopies) {
  const std::vector<uint32_t> sizes = {
      sizeof(avocet_get_param), sizeof(avocet_context_create), sizeof(avocet_context_destroy),
      sizeof(avocet_bo_create), sizeof(avocet_bo_info),        sizeof(avocet_bo_import),
      sizeof(avocet_map),       sizeof(avocet_unmap),          sizeof(avocet_stream),
      sizeof(avocet_region),    sizeof(avocet_submit),         sizeof(avocet_wait),
      sizeof(avocet_cancel),    sizeof(avocet_reset),          sizeof(avocet_query)};
  constexpr uint32_t kBytes = 3000;
  EXPECT_EQ(run({AVOCET_COMPAT32, findNode(), hexadecimal({kBytes}), hexadecimal(sizes),
                 hexadecimal(runtime::test::copyProgram(kBytes))}),
            0)
      << "the number of a step in Compat32.c";
}

} // namespace
} // namespace avocet::uapi
