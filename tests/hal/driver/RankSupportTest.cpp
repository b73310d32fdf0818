//===- RankSupportTest.cpp - Tensors of high or unknown rank ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

constexpr uint32_t kHighestRank = 8;

class RankSupportTest : public DeviceFixture {
protected:
  std::vector<bool> supportOf(const Model &model) {
    auto supported = device_->getSupportedOperations(model);
    EXPECT_TRUE(supported.isOk()) << supported.error().message;
    return supported ? supported->supported : std::vector<bool>();
  }

  /// Runs a model with one input and one output at a tensor of ones of this rank.
  ErrorStatus runAtRank(IPreparedModel &prepared, uint32_t rank) {
    TestPool in(sizeof(float)), out(sizeof(float));
    Request request = requestOf({sizeof(float)}, {sizeof(float)}, in, out);
    request.inputs[0].dimensions.assign(rank, 1);
    return prepared.execute(request, {}).status;
  }
};

/// One operation on a float tensor; the inputs that follow it are INT32 constants.
Model modelOf(OperationType type, const std::vector<uint32_t> &dimensions, const std::vector<int32_t> &constants) {
  Model model;
  Subgraph &main = model.main;
  main.operands = {tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphInput),
                   tensor(OperandType::TensorFloat32, {}, OperandLifeTime::SubgraphOutput)};
  main.operations = {{type, {0}, {1}}};
  for (int32_t constant : constants) {
    main.operations[0].inputs.push_back(static_cast<uint32_t>(main.operands.size()));
    main.operands.push_back(scalarConstant(model, constant));
  }
  main.inputIndexes = {0};
  main.outputIndexes = {1};
  return model;
}

/// The axis is PACK's first operand.
Model packModel() {
  Model model = modelOf(OperationType::Pack, {}, {0});
  std::swap(model.main.operations[0].inputs[0], model.main.operations[0].inputs[1]);
  return model;
}

TEST_F(RankSupportTest, SupportsUnknownRankIfAllAllowedRanksRun) {
  EXPECT_THAT(supportOf(modelOf(OperationType::Abs, {}, {})), ElementsAre(true));
  EXPECT_THAT(supportOf(modelOf(OperationType::ChannelShuffle, {}, {1, 0})), ElementsAre(true));
}

TEST_F(RankSupportTest, RunsUnknownRankUpToHighest) {
  auto prepared = prepare(modelOf(OperationType::Abs, {}, {}));
  ASSERT_NE(prepared, nullptr);
  for (uint32_t rank = 1; rank <= kHighestRank; ++rank)
    EXPECT_EQ(runAtRank(*prepared, rank), ErrorStatus::None) << rank;
  EXPECT_EQ(runAtRank(*prepared, kHighestRank + 1), ErrorStatus::ResourceExhaustedPersistent);
}

/// The result has one axis more.
TEST_F(RankSupportTest, ResultAboveHighestRankIsResourceExhausted) {
  for (const Model &model : {modelOf(OperationType::ExpandDims, {}, {0}), packModel()}) {
    SCOPED_TRACE(operationName(model.main.operations[0].type));
    EXPECT_THAT(supportOf(model), ElementsAre(true));
    auto prepared = prepare(model);
    ASSERT_NE(prepared, nullptr);
    EXPECT_EQ(runAtRank(*prepared, kHighestRank - 1), ErrorStatus::None);
    EXPECT_EQ(runAtRank(*prepared, kHighestRank), ErrorStatus::ResourceExhaustedPersistent);
  }
}

/// A constant with the axes from the last to the first.
Operand reversedAxes(Model &model, uint32_t rank) {
  Operand operand = tensor(OperandType::TensorInt32, {rank}, OperandLifeTime::ConstantCopy);
  operand.location = {0, model.operandValues.size(), rank * sizeof(int32_t), 0};
  for (uint32_t axis = rank; axis-- > 0;)
    for (uint32_t byte = 0; byte < sizeof(int32_t); ++byte)
      model.operandValues.push_back(static_cast<uint8_t>(axis >> 8 * byte));
  return operand;
}

TEST_F(RankSupportTest, RunsAboveHighestRankIfAxesMerge) {
  const std::vector<uint32_t> shape(kHighestRank + 1, 1);
  Model model = modelOf(OperationType::Abs, shape, {});
  model.main.operands[1].dimensions = shape;
  EXPECT_THAT(supportOf(model), ElementsAre(true));
  auto prepared = prepare(model);
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(runAtRank(*prepared, kHighestRank + 1), ErrorStatus::None);
}

TEST_F(RankSupportTest, RefusesOnlyOperationsAboveHighestRank) {
  const std::vector<uint32_t> most(kHighestRank, 1), tooMany(kHighestRank + 1, 2);
  Model model = modelOf(OperationType::Abs, most, {});
  model.main.operands.push_back(tensor(OperandType::TensorFloat32, tooMany, OperandLifeTime::SubgraphInput));
  model.main.operands.push_back(tensor(OperandType::TensorFloat32, tooMany, OperandLifeTime::SubgraphOutput));
  // Reversed axes cannot be merged.
  model.main.operations.push_back({OperationType::Transpose, {2, 4}, {3}});
  model.main.operands.push_back(reversedAxes(model, kHighestRank + 1));
  model.main.inputIndexes.push_back(2);
  model.main.outputIndexes.push_back(3);
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
  EXPECT_EQ(supported->reasons[1].rule, "rank of a tensor");
  EXPECT_EQ(supported->reasons[1].value, "9");
  EXPECT_EQ(supported->reasons[1].limit, "8");
  EXPECT_EQ(device_->prepareModel(model, {}).code(), ErrorStatus::GeneralFailure);
}

} // namespace
} // namespace avocet::hal
