//===- TransformersTest.cpp - Transformer blocks in three types -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SavedCaseTest runs the files cases/encoder-*.tflite and compares with their outputs without the library.
//
//===----------------------------------------------------------------------===//

#include "Transformers.h"
#include "Avocet.h"
#include "Compare.h"
#include "Network.h"
#include "Operators.h"
#include "Targets.h"
#include "model/ModelSource.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::differential {
namespace {

std::string fileOf(Kind kind) {
  return std::string(AVOCET_SOURCE_DIR "/tests/differential/cases/encoder-") + kindName(kind) + ".tflite";
}

class EncoderTest : public testing::TestWithParam<Kind> {};

TEST_P(EncoderTest, SavedFileIsCurrent) {
  const Result<Bytes> file = readFile(fileOf(GetParam()));
  ASSERT_TRUE(file) << file.status().toString();
  EXPECT_TRUE(*file == transformerBlock(Transformer::Encoder, GetParam()).file)
      << "write it again: avocetDifferential --save-encoders tests/differential/cases";
}

/// A block and its type.
class TransformerTest : public testing::TestWithParam<std::tuple<Transformer, Kind>> {
protected:
  Kind kind() const { return std::get<1>(GetParam()); }
  TestModel model() const { return transformerBlock(std::get<0>(GetParam()), kind()); }
};

/// Differences of the operators, which the table of operators lists, add up over the whole block.
Tolerance toleranceOf(Kind kind) { return {kTolerance, kind == Kind::I8 ? 4 : 8}; }

TEST_P(TransformerTest, AgreesWithTensorFlowLite) {
  Result<std::string> library = findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  Oracle oracle(*library);
  const TestModel model = this->model();
  const Result<std::vector<Bytes>> expected = oracle.run({model.file, model.inputs, model.shapes});
  ASSERT_TRUE(expected) << expected.status().toString();
  const DeviceResult result = runOnDevice(model);
  ASSERT_TRUE(result.status.isOk()) << result.status.toString() << result.refusal;
  ASSERT_EQ(result.outputs.size(), 1u);
  ASSERT_EQ(expected->size(), 1u);
  EXPECT_EQ(compare(model.outputs[0], result.outputs[0], expected->front(), toleranceOf(kind())), "");
}

/// Integers are equal on all targets, floats but for the order of sums.
TEST_P(TransformerTest, GivesTheSameResultsOnAllTargets) {
  const TestModel model = this->model();
  const DeviceResult first = runOnDevice(model);
  ASSERT_TRUE(first.status.isOk()) << first.status.toString() << first.refusal;
  for (const std::string &target : {std::string("e256s"), std::string("m512"), std::string("p4096"), tightTarget()}) {
    const DeviceResult other = runOnDevice(model, {.target = target});
    ASSERT_TRUE(other.status.isOk()) << target << other.status.toString() << other.refusal;
    EXPECT_EQ(compare(model.outputs[0], other.outputs[0], first.outputs[0], {kTolerance, 0}), "") << target;
  }
}

/// Runs each operator alone: in the whole block, differences of several operators could cancel each other.
TEST_P(EncoderTest, OperatorsAloneAgreeWithTensorFlowLite) {
  Result<std::string> library = findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  Oracle oracle(*library);
  const Result<std::vector<OperatorDistances>> all = compareOperators(fileOf(GetParam()), 0, oracle);
  ASSERT_TRUE(all) << all.status().toString();
  for (const OperatorDistances &own : *all) {
    EXPECT_TRUE(own.skipped.empty()) << own.name << ": " << own.skipped.front();
    const auto row = std::ranges::find_if(
        allRows(), [&](const Row &each) { return own.name == EnumNameBuiltinOperator(each.code); });
    ASSERT_NE(row, allRows().end()) << own.name;
    // Integers of 16 bits times the tolerance are less than a step.
    const int32_t steps = GetParam() == Kind::F32 ? 0 : row->stepsOf(GetParam());
    EXPECT_LE(own.greatest, steps + static_cast<double>(row->tolerance) * std::max(1.0, own.scale))
        << own.name << " in operator " << own.worst;
  }
}

TEST_P(EncoderTest, MatrixProductsRunOnTheArray) {
  tool::Progress progress;
  const Result<session::LoadedModel> loaded =
      tool::loadModel({fileOf(GetParam()), "e256", {}}, tool::DiagnosticsFormat::Text, progress);
  ASSERT_TRUE(loaded) << loaded.status().toString();
  const cache::ModelCache &model = *loaded->artefacts.model;
  uint64_t products = 0, dense = 0, macs = 0;
  for (size_t i = 0; i < model.numLayers(); ++i) {
    const cache::LayerView layer = model.layer(i);
    if (!layer.operation.starts_with("BATCH_MATMUL") && !layer.operation.starts_with("FULLY_CONNECTED"))
      continue;
    EXPECT_EQ(layer.engine, firmware::EngineKind::Mac) << layer.operation << ", layer " << i;
    ++(layer.operation.starts_with("BATCH_MATMUL") ? products : dense);
    macs += layer.macs;
  }
  EXPECT_EQ(products, 2u);
  EXPECT_EQ(dense, 6u);
  // Four layers of 32 x 32, two of 32 x 64 and two products of 12 x 12 x 32, for 12 tokens.
  EXPECT_EQ(macs, 12u * (4 * 32 * 32 + 2 * 32 * 64) + 2 * 12 * 12 * 32);
}

TEST(OutputStageTest, LookUpsKeepTheBits) {
  size_t fused = 0;
  for (const Transformer block : kTransformers) {
    const TestModel model = transformerBlock(block, Kind::I8);
    const DeviceResult own = runOnDevice(
        model, {.runsStep = [](const compiler::OptionalStep &step) { return step.transform != "fuse-tables"; }});
    const DeviceResult joined =
        runOnDevice(model, {.runsStep = [&](const compiler::OptionalStep &step) {
                      fused +=
                          step.transform == "fuse-tables" && step.kind == compiler::OptionalStep::Kind::Rewrite ? 1 : 0;
                      return true;
                    }});
    ASSERT_TRUE(own.status.isOk() && joined.status.isOk()) << own.status.toString() << joined.status.toString();
    EXPECT_TRUE(own.outputs == joined.outputs) << transformerName(block);
  }
  EXPECT_GE(fused, 3U) << "GELU and the scale of scores";
}

INSTANTIATE_TEST_SUITE_P(Blocks, TransformerTest,
                         testing::Combine(testing::ValuesIn(kTransformers),
                                          testing::Values(Kind::F32, Kind::I8, Kind::I16)),
                         [](const auto &info) {
                           return std::string(transformerName(std::get<0>(info.param))) + "_" +
                                  kindName(std::get<1>(info.param));
                         });
INSTANTIATE_TEST_SUITE_P(Types, EncoderTest, testing::Values(Kind::F32, Kind::I8, Kind::I16),
                         [](const auto &info) { return std::string(kindName(info.param)); });

} // namespace
} // namespace avocet::differential
