//===- BorderTest.cpp - Limit of inputs and outputs -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job binds at most 1022 inputs and outputs. Support query and preparation decide it, also where shapes are open or
// where the program has outputs that the model does not have.
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;

constexpr uint32_t kMost = 1022;

/// Concatenates `count` inputs along axis 0.
Model joined(uint32_t count, const std::vector<uint32_t> &dimensions) {
  Model model;
  Subgraph &main = model.main;
  Operation join{OperationType::Concatenation, {}, {count + 1}};
  for (uint32_t i = 0; i < count; ++i) {
    main.operands.push_back(tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphInput));
    main.inputIndexes.push_back(i);
    join.inputs.push_back(i);
  }
  main.operands.push_back(scalarConstant(model, 0));
  join.inputs.push_back(count);
  main.operands.push_back(tensor(OperandType::TensorFloat32, {0, 2}, OperandLifeTime::SubgraphOutput));
  main.outputIndexes.push_back(count + 1);
  main.operations.push_back(join);
  return model;
}

/// Adds BOX_WITH_NMS_LIMIT, whose four outputs have as many rows as the data gives.
void addBoxes(Model &model) {
  Subgraph &main = model.main;
  Operation boxes{OperationType::BoxWithNmsLimit, {}, {}};
  const auto add = [&](Operand operand, std::vector<uint32_t> &list) {
    list.push_back(static_cast<uint32_t>(main.operands.size()));
    if (operand.lifetime == OperandLifeTime::SubgraphInput)
      main.inputIndexes.push_back(list.back());
    if (operand.lifetime == OperandLifeTime::SubgraphOutput)
      main.outputIndexes.push_back(list.back());
    main.operands.push_back(std::move(operand));
  };
  const OperandLifeTime in = OperandLifeTime::SubgraphInput, out = OperandLifeTime::SubgraphOutput;
  add(tensor(OperandType::TensorFloat32, {3, 2}, in), boxes.inputs);
  add(tensor(OperandType::TensorFloat32, {3, 8}, in), boxes.inputs);
  add(tensor(OperandType::TensorInt32, {3}, in), boxes.inputs);
  add(floatConstant(model, 0.5f), boxes.inputs);
  add(scalarConstant(model, -1), boxes.inputs);
  add(scalarConstant(model, 0), boxes.inputs);
  for (float value : {0.5f, 1.0f, 0.25f})
    add(floatConstant(model, value), boxes.inputs);
  add(tensor(OperandType::TensorFloat32, {0}, out), boxes.outputs);
  add(tensor(OperandType::TensorFloat32, {0, 4}, out), boxes.outputs);
  add(tensor(OperandType::TensorInt32, {0}, out), boxes.outputs);
  add(tensor(OperandType::TensorInt32, {0}, out), boxes.outputs);
  main.operations.push_back(boxes);
}

class BorderTest : public DeviceFixture {
protected:
  void expectRefused(const Model &model, const std::string &part) {
    const auto supported = device_->getSupportedOperations(model);
    ASSERT_FALSE(supported.isOk());
    EXPECT_EQ(supported.error().code, ErrorStatus::ResourceExhaustedPersistent) << supported.error().message;
    const auto prepared = device_->prepareModel(model, {});
    ASSERT_FALSE(prepared.isOk());
    EXPECT_EQ(prepared.error().code, ErrorStatus::ResourceExhaustedPersistent) << prepared.error().message;
    EXPECT_NE(prepared.error().message.find(part), std::string::npos) << prepared.error().message;
  }
};

TEST_F(BorderTest, OpenModelsAboveLimitAreNotPrepared) {
  expectRefused(joined(kMost, {0, 2}), "1022 inputs and 1 outputs");
}

TEST_F(BorderTest, NumbersOfRowsCountAsOutputs) {
  Model model = joined(kMost - 9, {1, 2});
  addBoxes(model);
  expectRefused(model, "1016 inputs and 5 outputs and 4 outputs for numbers of rows");
}

} // namespace
} // namespace avocet::hal
