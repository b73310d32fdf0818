//===- StepsTest.cpp - Optional steps of a compilation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::compiler {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<uint8_t>;
using Kind = OptionalStep::Kind;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

/// Both artefacts, one after the other.
Bytes compileWith(std::function<bool(const OptionalStep &)> runsStep) {
  CompileRequest request;
  request.modelPath = kDigits;
  request.runsStep = std::move(runsStep);
  const CompileResult result = LoadedCompiler::load(AVOCET_COMPILER_FILE).value().compile(request);
  EXPECT_TRUE(result.status.isOk()) << result.status.toString();
  Bytes bytes(result.modelCache.begin(), result.modelCache.end());
  bytes.insert(bytes.end(), result.dataCache.begin(), result.dataCache.end());
  return bytes;
}

TEST(StepsTest, AllStepsGiveTheUsualArtefacts) {
  EXPECT_EQ(compileWith([](const OptionalStep &) { return true; }), compileWith({}));
}

TEST(StepsTest, TransformsComeInOrderOfPhases) {
  std::vector<std::string> phases, names;
  compileWith([&](const OptionalStep &step) {
    if (step.kind == Kind::Rewrite)
      return true;
    names.emplace_back(step.transform);
    if (phases.empty() || phases.back() != step.phase)
      phases.emplace_back(step.phase);
    return true;
  });
  EXPECT_THAT(phases, testing::ElementsAre("nn", "place"));
  EXPECT_THAT(names,
              testing::IsSupersetOf({"nn-merge-axes", "nn-canonicalize", "nn-recognize-operators", "nn-fuse-pad"}));
  EXPECT_THAT(
      std::vector(names.end() - 5, names.end()),
      testing::ElementsAre("fuse-tables", "fuse-residuals", "split-channels", "split-rows", "compress-weights"));
  EXPECT_THAT(names, testing::Not(testing::Contains(HasSubstr("convert-")))) << "required passes are no steps";
}

TEST(StepsTest, RewriteHasPatternOperatorsAndOperation) {
  std::vector<std::string> rewrites;
  compileWith([&](const OptionalStep &step) {
    if (step.transform == "fuse-residuals" && step.kind == Kind::Rewrite)
      rewrites.push_back(std::string(step.pattern) + ": " + step.subject().location + ": " + step.subject().operation);
    return true;
  });
  ASSERT_EQ(rewrites.size(), 2u);
  EXPECT_THAT(rewrites[0], HasSubstr("FuseResidual: 4 ADD digits_int8.tflite:add1: "));
  EXPECT_THAT(rewrites[0], HasSubstr(" = npu.eltwise "));
}

TEST(StepsTest, LeftOutRewriteDoesNotHappen) {
  for (size_t most : {0, 1, 2}) {
    size_t seen = 0;
    const Bytes bytes = compileWith([&](const OptionalStep &step) {
      return step.transform != "fuse-residuals" || step.kind == Kind::Transform || seen++ < most;
    });
    const std::string text(bytes.begin(), bytes.end());
    EXPECT_EQ(text.find("residual1 + add1") != std::string::npos, most > 0) << most;
    EXPECT_EQ(text.find("residual2 + add2") != std::string::npos, most > 1) << most;
  }
}

TEST(StepsTest, LeftOutTransformHasNoRewrites) {
  const Bytes bytes = compileWith([](const OptionalStep &step) {
    EXPECT_EQ(step.kind, Kind::Transform);
    return false;
  });
  const std::string text(bytes.begin(), bytes.end());
  EXPECT_EQ(text.find("residual1 + add1"), std::string::npos);
}

} // namespace
} // namespace avocet::compiler
