//===- FixedPointRulesTest.cpp - Rules of com.avocet.fixed_point ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPointModels.h"

#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/extensions/Lowering.h"
#include "avocet/hal/types/Validation.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// Lowers a model that the general rules accept, and expects a refusal.
void expectRefusal(const Model &model, std::string_view message) {
  ASSERT_TRUE(validate(model).isOk()) << validate(model).error().message;
  Result<Model> lowered = lowerExtensions(model);
  ASSERT_FALSE(lowered.isOk()) << message;
  EXPECT_EQ(lowered.code(), ErrorStatus::InvalidArgument);
  EXPECT_THAT(lowered.error().message, HasSubstr(message));
}

TEST(FixedPointRulesTest, StorageIsSymmetricWithPowerOfTwo) {
  Result<Model> lowered = lowerExtensions(convertModel(realInput(4, -2), realOutput(4, 7)));
  ASSERT_TRUE(lowered.isOk()) << lowered.error().message;
  const auto &operands = lowered->main.operands;
  EXPECT_EQ(operands[0].type, OperandType::TensorQuant8Symm);
  EXPECT_EQ(operands[0].scale, 4.0f);
  EXPECT_EQ(operands[1].scale, 1.0f / 128);
  EXPECT_EQ(operands[1].dimensions, std::vector<uint32_t>{4});
  EXPECT_EQ(std::get<std::vector<uint8_t>>(operands[0].extraParams), std::vector<uint8_t>{0xFE});
}

TEST(FixedPointRulesTest, RefusesTypeWithoutItsData) {
  Model model = convertModel(realInput(4, 2), realOutput(4));
  model.main.operands[0].extraParams = std::monostate();
  expectRefusal(model, "main subgraph: operand 0: TENSOR_FIXED8 has 0 bytes of extension data, must be 1");
  model.main.operands[0].extraParams = std::vector<uint8_t>{1, 2};
  expectRefusal(model, "has 2 bytes of extension data");
}

TEST(FixedPointRulesTest, RefusesFractionBitsOutOfRange) {
  for (int bits : {-17, 24, 127, -128})
    expectRefusal(convertModel(realInput(4, bits), realOutput(4)), "fraction bits, must be -16 to 23");
}

TEST(FixedPointRulesTest, RefusesWrongOperands) {
  expectRefusal(convertModel(realInput(4), realOutput(4)), "operation 0: CONVERT: input and output are TENSOR_FLOAT32");
  expectRefusal(hardSigmoidModel(realInput(4), realOutput(4, 2), 1, 0), "HARD_SIGMOID: input 0 and output have");
  Model model = hardSigmoidModel(realInput(4), realOutput(4), 1, 0);
  model.main.operations[0].inputs = {0, 2};
  expectRefusal(model, "HARD_SIGMOID: 2 inputs, must be 3 to 3");
  model.main.operations[0].inputs = {2, 2, 3};
  expectRefusal(model, "HARD_SIGMOID: input 0 (x) has type FLOAT32, which it does not take");
  model = convertModel(realInput(4, 2), realOutput(4));
  model.main.operands.push_back(tensor(OperandType::TensorFloat32, {4}, OperandLifeTime::SubgraphOutput));
  model.main.outputIndexes = {1, 2};
  model.main.operations[0].outputs = {1, 2};
  expectRefusal(model, "CONVERT: 2 outputs, must be 1 to 1");
}

TEST(FixedPointRulesTest, RefusesOmittedOperand) {
  Model model = hardSigmoidModel(realInput(4), realOutput(4), 1, 0);
  model.main.operands[3] = tensor(OperandType::Float32, {}, OperandLifeTime::NoValue);
  expectRefusal(model, "input 2 (beta) has type FLOAT32 and no value");
}

TEST(FixedPointRulesTest, RefusesConstantOfWrongLength) {
  Model model = convertModel(realInput(4, 2), realOutput(4));
  model.operandValues = {1, 2, 3, 4, 5};
  model.main.inputIndexes.clear();
  model.main.operands[0].lifetime = OperandLifeTime::ConstantCopy;
  model.main.operands[0].location = {0, 0, 5, 0};
  expectRefusal(model, "location has length 5, must be the 4 bytes of TENSOR_FIXED8");
  model.main.operands[0].location.length = 4;
  EXPECT_TRUE(lowerExtensions(model).isOk());
  model.main.operands[0].dimensions = {0};
  expectRefusal(model, "constant of unknown shape");
}

TEST(FixedPointRulesTest, ChecksSubgraphsToo) {
  Model model = convertModel(realInput(4, 2), realOutput(4));
  model.referenced = {convertModel(realInput(4, 99), realOutput(4)).main};
  expectRefusal(model, "subgraph 0: operand 0: ");
}

TEST(FixedPointRulesTest, OtherExtensionsStayAsTheyAre) {
  Model model = convertModel(realInput(4, 2), realOutput(4));
  model.extensionNameToPrefix[0].name = "com.example.unknown";
  EXPECT_FALSE(usesExtensions(model));
  Result<Model> lowered = lowerExtensions(model);
  ASSERT_TRUE(lowered.isOk()) << lowered.error().message;
  EXPECT_EQ(lowered->main.operands[0].type, fixed8());
}

/// The device gives the same answers to both questions.
TEST(FixedPointRulesTest, DeviceRefusesInvalidModels) {
  auto device = openDevice({});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  Model wrongBits = convertModel(realInput(4, 60), realOutput(4));
  Model unlisted = convertModel(realInput(4, 2), realOutput(4));
  unlisted.extensionNameToPrefix[0].prefix = 4;
  Model zero = convertModel(realInput(4, 2), realOutput(4));
  zero.extensionNameToPrefix.push_back({"com.example.zero", 0});
  Model twice = convertModel(realInput(4, 2), realOutput(4));
  twice.extensionNameToPrefix.push_back({"com.example.twice", kPrefix});
  Model badName = convertModel(realInput(4, 2), realOutput(4));
  badName.extensionNameToPrefix.push_back({"Example", 9});
  for (const Model &model : {wrongBits, unlisted, zero, twice, badName}) {
    EXPECT_EQ((*device)->getSupportedOperations(model).code(), ErrorStatus::InvalidArgument);
    EXPECT_EQ((*device)->prepareModel(model, {}).code(), ErrorStatus::InvalidArgument);
  }
}

} // namespace
} // namespace avocet::hal
