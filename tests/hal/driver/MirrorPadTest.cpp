//===- MirrorPadTest.cpp - Paddings known at execution ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

constexpr uint32_t kReflect = 0, kSymmetric = 1;

/// Paddings are an input. Extents of 0 are unknown; no extents: the rank too.
Model mirrorModel(const std::vector<uint32_t> &shape, uint32_t mode) {
  Model model;
  Subgraph &main = model.main;
  const std::vector<uint32_t> paddings = shape.empty() ? shape : std::vector{static_cast<uint32_t>(shape.size()), 2u};
  main.operands = {
      tensor(OperandType::TensorFloat32, shape, OperandLifeTime::SubgraphInput),
      tensor(OperandType::TensorInt32, paddings, OperandLifeTime::SubgraphInput),
      scalarConstant(model, static_cast<int32_t>(mode)),
      tensor(OperandType::TensorFloat32, std::vector<uint32_t>(shape.size()), OperandLifeTime::SubgraphOutput)};
  main.operations = {{OperationType::MirrorPad, {0, 1, 2}, {3}}};
  main.inputIndexes = {0, 1};
  main.outputIndexes = {3};
  return model;
}

class MirrorPadTest : public DeviceFixture {
protected:
  bool isSupported(const Model &model) {
    auto answer = device_->getSupportedOperations(model);
    EXPECT_TRUE(answer.isOk()) << answer.error().message;
    return answer && answer->supported[0];
  }

  /// Of [0,1,2,3] in two rows.
  ExecutionOutcome run(IPreparedModel &prepared, const std::array<int32_t, 4> &paddings, uint64_t resultBytes) {
    TestPool inputs(32);
    result_ = std::make_unique<TestPool>(resultBytes);
    std::ranges::copy(std::array{0.0f, 1.0f, 2.0f, 3.0f}, inputs.as<float>().begin());
    std::ranges::copy(paddings, inputs.as<int32_t>().begin() + 4);
    Request request = requestOf({16, 16}, {resultBytes}, inputs, *result_);
    request.inputs[0].dimensions = {2, 2};
    return prepared.execute(request, {});
  }

  std::unique_ptr<TestPool> result_;
};

TEST_F(MirrorPadTest, OpenShapesAndPaddingsAreSupported) {
  for (uint32_t mode : {kReflect, kSymmetric}) {
    for (size_t rank = 1; rank <= 8; ++rank)
      EXPECT_TRUE(isSupported(mirrorModel(std::vector<uint32_t>(rank), mode))) << rank;
    EXPECT_TRUE(isSupported(mirrorModel({}, mode)));
  }
}

TEST_F(MirrorPadTest, PaddingsComeWithTheRequest) {
  auto prepared = prepare(mirrorModel({0, 0}, kSymmetric));
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(run(*prepared, {0, 0, 1, 2}, 40).status, ErrorStatus::None);
  EXPECT_THAT(result_->as<float>(), ElementsAre(0, 0, 1, 1, 0, 2, 2, 3, 3, 2));
  EXPECT_EQ(run(*prepared, {1, 0, 0, 0}, 24).status, ErrorStatus::None);
  EXPECT_THAT(result_->as<float>(), ElementsAre(0, 1, 0, 1, 2, 3));
}

TEST_F(MirrorPadTest, TooLargeMirrorIsInvalid) {
  auto prepared = prepare(mirrorModel({0, 0}, kReflect));
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(run(*prepared, {0, 0, 1, 0}, 24).status, ErrorStatus::None);
  EXPECT_EQ(run(*prepared, {0, 0, 2, 0}, 32).status, ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal
