//===- BytecodeTest.cpp - Tests of bytecode in compile workers --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Loader.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace avocet::hal {
namespace {

using compiler::CompileRequest;
using compiler::CompileResult;

/// The bytecode of a network after a phase.
std::vector<uint8_t> bytecodeAfter(const std::string &phase) {
  CompileRequest request;
  request.modelPath = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";
  request.stopAfter = phase;
  request.irFormat = compiler::IrFormat::Bytecode;
  const auto compiler = compiler::LoadedCompiler::load();
  const CompileResult result = compiler->compile(request);
  EXPECT_TRUE(result.status.isOk()) << result.status.toString();
  return {result.ir.begin(), result.ir.end()};
}

CompileRequest requestFor(std::span<const uint8_t> bytecode) {
  CompileRequest request;
  request.modelPath = "network.mlirbc";
  request.modelBytes = bytecode;
  request.format = compiler::InputFormat::Bytecode;
  request.stopAfter = compiler::kParseStep;
  return request;
}

class BytecodeTest : public ::testing::Test {
protected:
  void SetUp() override {
    WorkerOptions options;
    options.memoryBytes = uint64_t{2} << 30;
    options.timeLimit = std::chrono::seconds(10);
    options.idleWorkers = 2;
    auto started = CompileWorkers::start(options);
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    workers_ = *started;
  }

  std::shared_ptr<CompileWorkers> workers_;
};

TEST_F(BytecodeTest, TextGivesSameArtefacts) {
  const auto compiler = compiler::LoadedCompiler::load();
  for (const char *phase : {"import", "place", "cmd"}) {
    const std::vector<uint8_t> bytecode = bytecodeAfter(phase);
    const CompileResult text = workers_->compile(requestFor(bytecode));
    ASSERT_TRUE(text.status.isOk()) << text.status.toString();
    CompileRequest fromText = requestFor(text.ir), fromBytecode = requestFor(bytecode);
    fromText.format = compiler::InputFormat::Mlir;
    fromText.stopAfter = fromBytecode.stopAfter = {};
    const CompileResult a = compiler->compile(fromText), b = compiler->compile(fromBytecode);
    ASSERT_TRUE(a.status.isOk()) << a.status.toString();
    EXPECT_TRUE(std::ranges::equal(a.modelCache, b.modelCache)) << phase;
    EXPECT_TRUE(std::ranges::equal(a.dataCache, b.dataCache)) << phase;
  }
}

TEST_F(BytecodeTest, CompilerRefusesBytecodeThatIsNotNamed) {
  const std::vector<uint8_t> bytecode = bytecodeAfter("import");
  for (auto format : {compiler::InputFormat::Auto, compiler::InputFormat::Mlir}) {
    CompileRequest request = requestFor(bytecode);
    request.format = format;
    const avocet::Status status = compiler::LoadedCompiler::load()->compile(request).status;
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_THAT(status.message(), ::testing::HasSubstr("network.mlirbc: is MLIR bytecode"));
  }
}

/// Mutations of 1 to 4 bytes, mostly in the tables at the start, and cuts.
TEST_F(BytecodeTest, MutatedBytecodeNeverEndsParent) {
  constexpr int kMutations = 150;
  const std::vector<uint8_t> original = bytecodeAfter("place");
  std::mt19937 random(33);
  const auto below = [&random](size_t limit) { return random() % limit; };
  for (int i = 0; i < kMutations; ++i) {
    std::vector<uint8_t> bytes = original;
    for (size_t changes = 1 + below(4); changes > 0; --changes)
      bytes[4 + below(std::min<size_t>(bytes.size() - 4, below(4) == 0 ? bytes.size() - 4 : 4096))] =
          static_cast<uint8_t>(random());
    if (below(8) == 0)
      bytes.resize(5 + below(bytes.size() - 5));
    const auto start = std::chrono::steady_clock::now();
    const CompileResult result = workers_->compile(requestFor(bytes));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(12)) << "mutation " << i;
    EXPECT_EQ(result.status.isOk(), !result.ir.empty()) << "mutation " << i;
  }
  EXPECT_TRUE(workers_->compile(requestFor(original)).status.isOk()) << "it still serves";
}

} // namespace
} // namespace avocet::hal
