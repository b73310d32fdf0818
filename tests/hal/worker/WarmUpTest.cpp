//===- WarmUpTest.cpp - The model that warms the compiler up --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarmUp.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

TEST(WarmUpTest, ModelPassesAllPhasesOfCompiler) {
  auto compiler = compiler::LoadedCompiler::load();
  ASSERT_TRUE(compiler.isOk()) << compiler.status().toString();
  const std::vector<uint8_t> model = warmUpModel();
  for (const char *target : {"e256", "e256s", "m512", "p4096"}) {
    compiler::CompileRequest request;
    request.modelPath = "warm-up";
    request.modelBytes = model;
    request.format = compiler::InputFormat::Nnapi;
    request.target = target;
    const compiler::CompileResult result = compiler->compile(request);
    EXPECT_TRUE(result.status.isOk()) << target << ": " << result.status.toString();
    EXPECT_FALSE(result.modelCache.empty()) << target;
  }
}

} // namespace
} // namespace avocet::hal
