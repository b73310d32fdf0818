//===- JudgeTest.cpp - Support queries and divisions ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace avocet::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

const LoadedCompiler &compiler() {
  static const LoadedCompiler kLoaded = LoadedCompiler::load(AVOCET_COMPILER_FILE).value();
  return kLoaded;
}

template <typename Request> Request requestFor(const std::string &path, const std::string &target = "e256") {
  Request request;
  request.modelPath = path;
  request.target = target;
  return request;
}

/// A module with a normalization of one line of `elements` floats, which must fit the on-chip memory.
std::string normalizeText(uint32_t elements) {
  const std::string type = "tensor<1x" + std::to_string(elements) + "xf32>";
  return "module attributes {avocet.phase = \"import\"} {\n  func.func @main(%x: " + type + ") -> " + type +
         " {\n    %0 = nn.local_response_normalize %x radius 2 bias 1.0 alpha 1.0 beta 0.5 axis 1 : (" + type +
         ") -> " + type + "\n    return %0 : " + type + "\n  }\n}\n";
}

TEST(Judge, ReportsTheImportAlone) {
  std::vector<std::string> steps;
  auto request = requestFor<JudgeRequest>(kDigits);
  request.progress = [&](std::string_view phase, uint32_t, uint32_t count) {
    steps.push_back(std::string(phase) + " of " + std::to_string(count));
  };
  const Verdict verdict = compiler().judge(request);
  EXPECT_TRUE(verdict.status.isOk()) << verdict.status.toString();
  EXPECT_THAT(steps, ElementsAre("import of 1"));
}

TEST(Judge, AgreesWithCompilations) {
  for (uint32_t elements : {1000u, 46000u, 1048576u}) {
    const std::string text = normalizeText(elements);
    auto request = requestFor<CompileRequest>("normalize.mlir", "e256s");
    request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
    const CompileResult compiled = compiler().compile(request);
    const Verdict judged = compiler().judge({request});
    EXPECT_EQ(judged.status.isOk(), compiled.status.isOk()) << elements << ": " << judged.status.toString();
    EXPECT_EQ(judged.refusals.size(), compiled.refusals.size());
    EXPECT_EQ(judged.status.isOk(), elements < 1048576);
  }
}

Verdict askFor(const std::string &text) {
  auto request = requestFor<JudgeRequest>("normalize.mlir", "e256s");
  request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  return compiler().judge(request);
}

TEST(Judge, RepeatedCallsGiveSameAnswer) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(askFor(normalizeText(1000)).status.isOk());
    const Verdict refused = askFor(normalizeText(1048576));
    EXPECT_EQ(refused.refusals.size(), 1u);
    EXPECT_EQ(refused.diagnostics.size(), askFor(normalizeText(1048576)).diagnostics.size());
    EXPECT_EQ(askFor("module {").status.code(), StatusCode::DataLoss);
  }
}

TEST(Judge, AnswersConcurrentThreads) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int round = 0; round < 10; ++round)
        EXPECT_EQ(askFor(normalizeText(i % 2 == 0 ? 1000 : 1048576)).status.isOk(), i % 2 == 0);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Judge, ReleasesTheModelFile) {
  const fs::path file = fs::path(testing::TempDir()) / "asked" / (std::to_string(getpid()) + ".tflite");
  fs::create_directories(file.parent_path());
  fs::copy_file(kDigits, file, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(compiler().judge(requestFor<JudgeRequest>(file.string())).status.isOk());
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_EQ(mapped.find(file.filename().string()), std::string::npos);
  fs::remove(file);
}

template <typename Request> Request requestForIr(std::span<const uint8_t> ir) {
  auto request = requestFor<Request>("module.mlir");
  request.modelBytes = ir;
  return request;
}

TEST(LaterPhases, AreNeitherJudgedNorDivided) {
  auto first = requestFor<CompileRequest>(kDigits);
  first.stopAfter = "place";
  const CompileResult placed = compiler().compile(first);
  const Status judged = compiler().judge(requestForIr<JudgeRequest>(placed.ir)).status;
  EXPECT_EQ(judged.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(judged.message(), HasSubstr("must start at the phase import"));
  const Status divided = compiler().divide(requestForIr<DivideRequest>(placed.ir)).status;
  EXPECT_EQ(divided.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(divided.message(), HasSubstr("only modules of phase import can be divided"));
}

TEST(Divide, AcceptsModulesOfUsers) {
  const std::string text = normalizeText(1000);
  const DivideResult result =
      compiler().divide(requestForIr<DivideRequest>({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
  EXPECT_TRUE(result.status.isOk()) << result.status.message();
  EXPECT_FALSE(result.files.empty());
}

TEST(Divide, CancelledDivisionHasNoFiles) {
  auto request = requestFor<DivideRequest>(kDigits);
  EXPECT_FALSE(compiler().divide(request).files.empty());
  request.cancelled = [] { return true; };
  const DivideResult result = compiler().divide(request);
  EXPECT_EQ(result.status.code(), StatusCode::Aborted);
  EXPECT_TRUE(result.files.empty());
}

} // namespace
} // namespace avocet::compiler
