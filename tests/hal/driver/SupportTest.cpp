//===- SupportTest.cpp - Operations that the device supports ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using SupportTest = DeviceFixture;

/// An operation of an extension that the device does not have.
const OperationType kUnknownOperation = extensionOperation(1, 0);

void addUnknownExtension(Model &model) { model.extensionNameToPrefix = {{"com.example.unknown", 1}}; }

/// ADD followed by an unknown operation on its result.
Model modelWithUnknownOperation(std::vector<uint32_t> dimensions) {
  Model model = addModel(dimensions);
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  uint32_t count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(tensor(OperandType::TensorFloat32, {0, 0}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({kUnknownOperation, {3}, {count}});
  main.outputIndexes = {count};
  addUnknownExtension(model);
  return model;
}

TEST_F(SupportTest, SupportsOperationThatCompiles) {
  auto supported = device_->getSupportedOperations(addModel({2, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true));
  EXPECT_TRUE(supported->reasons[0].rule.empty());
}

TEST_F(SupportTest, RefusalHasReason) {
  auto supported = device_->getSupportedOperations(modelWithUnknownOperation({2, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
  EXPECT_TRUE(supported->reasons[0].rule.empty());
  EXPECT_FALSE(supported->reasons[1].rule.empty());
}

TEST_F(SupportTest, RefusesUnknownOperationWithUnknownShapes) {
  auto supported = device_->getSupportedOperations(modelWithUnknownOperation({0, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
}

/// The result of the ADD goes through an operand of a type of the unknown extension.
Model modelWithUnknownType() {
  Model model = modelWithUnknownOperation({2, 3});
  Subgraph &main = model.main;
  const auto count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(tensor(static_cast<OperandType>(1 << 16), {2, 3}, OperandLifeTime::TemporaryVariable));
  main.operations[1].outputs = {count};
  main.operations.push_back({kUnknownOperation, {count}, {count - 1}});
  return model;
}

TEST_F(SupportTest, UnknownTypeConcernsItsOperationsOnly) {
  auto supported = device_->getSupportedOperations(modelWithUnknownType());
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false, false)) << supported->reasons[0].rule;
  EXPECT_EQ(supported->reasons[1].value, "extension 1 type 0");
  EXPECT_EQ(device_->prepareModel(modelWithUnknownType(), {}).code(), ErrorStatus::GeneralFailure);
}

TEST_F(SupportTest, UnknownTypeInSubgraphConcernsItsUsers) {
  Model model = modelWithUnknownType();
  model.referenced = {model.main, addModel({2, 3}).main};
  Subgraph &main = model.main;
  main = addModel({2, 3}).main;
  const auto count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(tensor(OperandType::TensorBool8, {1}, OperandLifeTime::SubgraphInput));
  for (uint32_t i = 0; i < 3; ++i) {
    main.operands.push_back(tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph));
    main.operands.back().location.offset = i == 0 ? 0 : 1;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    main.operands.push_back(tensor(OperandType::TensorFloat32, {2, 3}, OperandLifeTime::SubgraphOutput));
    main.operations.push_back({OperationType::If, {count, count + 1 + i, count + 3, 0, 1}, {count + 4 + i}});
  }
  main.inputIndexes = {0, 1, count};
  main.outputIndexes = {3, count + 4, count + 5};
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false, true)) << supported->reasons[2].rule;
}

TEST_F(SupportTest, RefusesInvalidModel) {
  Model model = addModel({2});
  model.main.outputIndexes = {2};
  EXPECT_EQ(device_->getSupportedOperations(model).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->prepareModel(model, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(SupportTest, RefusesOperationWithUnreadableConstants) {
  Model model = addConstantModel({1, 2, 3});
  model.pools = {std::make_shared<Memory>(Memory{UnknownHandle{"strange", {}, {}, 12}})};
  auto supported = device_->getSupportedOperations(model);
  if (supported)
    EXPECT_THAT(supported->supported, ElementsAre(false));
  EXPECT_FALSE(device_->prepareModel(model, {}).isOk());
}

TEST_F(SupportTest, UnsupportedOperationFailsPreparation) {
  EXPECT_EQ(device_->prepareModel(modelWithUnknownOperation({2, 3}), {}).code(), ErrorStatus::GeneralFailure);
  EXPECT_EQ(device_->prepareModel(modelWithUnknownOperation({0, 3}), {}).code(), ErrorStatus::GeneralFailure);
}

/// ADD followed by SOFTMAX of its result, a line of `elements` floats.
Model softmaxOfSum(uint32_t elements) {
  Model model = addModel({1, elements});
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  const uint32_t count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(floatConstant(model, 1.0f));
  main.operands.push_back(tensor(OperandType::TensorFloat32, {1, elements}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({OperationType::Softmax, {3, count}, {count + 1}});
  main.outputIndexes = {count + 1};
  return model;
}

/// Checks the answer for each operation and the preparation, on the target with the least memory.
class LargeSupportTest : public SupportTest {
protected:
  void SetUp() override {
    DriverOptions options;
    options.target = "e256s";
    open(options);
  }

  void expectSupport(const Model &model, const std::vector<bool> &expected) {
    auto supported = device_->getSupportedOperations(model);
    ASSERT_TRUE(supported.isOk()) << supported.error().message;
    EXPECT_EQ(supported->supported, expected) << supported->reasons[0].rule << " " << supported->reasons[0].value;
    const bool all = std::ranges::all_of(expected, [](bool yes) { return yes; });
    auto prepared = device_->prepareModel(model, {});
    EXPECT_EQ(prepared.isOk(), all);
    if (!all)
      EXPECT_EQ(prepared.code(), ErrorStatus::GeneralFailure);
  }
};

TEST_F(LargeSupportTest, SupportsOperandsThatDoNotFitOnChip) {
  expectSupport(addModel({1 << 20}), {true});
  expectSupport(softmaxOfSum(1 << 14), {true, true});
}

/// ADD followed by LOCAL_RESPONSE_NORMALIZATION of its result, a line of `elements` floats.
Model normalizationOfSum(uint32_t elements) {
  Model model = softmaxOfSum(elements);
  Subgraph &main = model.main;
  const auto count = static_cast<uint32_t>(main.operands.size());
  main.operands.push_back(scalarConstant(model, 2));
  for (int i = 0; i < 3; ++i)
    main.operands.push_back(floatConstant(model, 1.0f));
  main.operations[1].type = OperationType::LocalResponseNormalization;
  main.operations[1].inputs = {3, count, count + 1, count + 2, count + 3};
  return model;
}

TEST_F(LargeSupportTest, RefusalReportsBytesOfLongLine) {
  const Model model = normalizationOfSum(1 << 20);
  expectSupport(model, {true, false});
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk());
  EXPECT_EQ(supported->reasons[1].rule, "bytes of on-chip memory for the smallest tile");
  EXPECT_EQ(supported->reasons[1].value, std::to_string(uint64_t{2} << 22));
  EXPECT_EQ(supported->reasons[1].limit, std::to_string(384 * 1024 * 15 / 16));
}

/// SOFTMAX of an input with these extents, 0 where unknown.
Model softmaxModel(const std::vector<uint32_t> &dimensions) {
  Model model;
  model.main.operands = {tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphInput),
                         floatConstant(model, 1.0f),
                         tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphOutput)};
  model.main.operations = {{OperationType::Softmax, {0, 1}, {2}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {2};
  return model;
}

TEST_F(LargeSupportTest, SupportsUnknownNumberOfLinesThatFit) { expectSupport(softmaxModel({0, 10}), {true}); }

TEST_F(LargeSupportTest, RefusesLinesOfUnknownLength) {
  expectSupport(softmaxModel({10, 0}), {false});
  expectSupport(softmaxModel({0, 0}), {false});
}

TEST_F(LargeSupportTest, RefusesUnknownNumberOfLongLines) {
  const Model model = softmaxModel({0, 1 << 20});
  expectSupport(model, {false});
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk());
  EXPECT_THAT(supported->reasons[0].rule, HasSubstr("bytes of on-chip memory"));
}

TEST_F(LargeSupportTest, SupportsUnknownRankIfEveryRankRuns) { expectSupport(addModel({}), {true}); }

TEST_F(LargeSupportTest, RefusesUnknownRankIfAnyShapeMisfits) {
  const Model model = softmaxModel({});
  expectSupport(model, {false});
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk());
  EXPECT_THAT(supported->reasons[0].rule, HasSubstr("bytes of on-chip memory"));
}

TEST_F(LargeSupportTest, InfersShapesOfUndeclaredIntermediates) {
  Model model = softmaxOfSum(10);
  for (uint32_t operand : {0, 1})
    model.main.operands[operand].dimensions = {0, 10};
  for (uint32_t operand : {3, 5})
    model.main.operands[operand].dimensions = {};
  expectSupport(model, {true, true});
}

/// Each line fills the memory alone, so the operations have to run one after the other.
TEST_F(LargeSupportTest, PreparesOperationsThatFitOnlyAlone) {
  for (uint32_t elements : {40000u, 45000u, 46000u}) {
    SCOPED_TRACE(elements);
    Model model = softmaxModel({1, elements});
    Subgraph &main = model.main;
    main.operands[2].lifetime = OperandLifeTime::TemporaryVariable;
    for (uint32_t layer = 0; layer < 2; ++layer) {
      const auto result = static_cast<uint32_t>(main.operands.size());
      main.operands.push_back(
          tensor(OperandType::TensorFloat32, {1, elements},
                 layer == 0 ? OperandLifeTime::TemporaryVariable : OperandLifeTime::SubgraphOutput));
      main.operations.push_back({main.operations[0].type, {layer == 0 ? 2 : result - 1, 1}, {result}});
      main.outputIndexes = {result};
    }
    expectSupport(model, {true, true, true});
  }
}

/// TRANSPOSE or SOFTMAX whose second operand is an input of the model.
Model modelWithValueInput(OperationType type, const Operand &value) {
  Model model;
  const std::vector<uint32_t> open(3, 0);
  model.main.operands = {tensor(OperandType::TensorFloat32, {2, 3, 4}, OperandLifeTime::SubgraphInput), value,
                         tensor(OperandType::TensorFloat32, open, OperandLifeTime::SubgraphOutput)};
  model.main.operations = {{type, {0, 1}, {2}}};
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {2};
  return model;
}

TEST_F(LargeSupportTest, SupportsInputIfAllItsValuesRun) {
  expectSupport(modelWithValueInput(OperationType::Transpose,
                                    tensor(OperandType::TensorInt32, {3}, OperandLifeTime::SubgraphInput)),
                {true});
}

TEST_F(LargeSupportTest, RefusesInputValuesNeededAtCompilation) {
  const Model model =
      modelWithValueInput(OperationType::Softmax, tensor(OperandType::Float32, {}, OperandLifeTime::SubgraphInput));
  expectSupport(model, {false});
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk());
  EXPECT_FALSE(supported->reasons[0].rule.empty());
}

TEST_F(LargeSupportTest, TooLargeExecutionIsResourceExhausted) {
  const uint32_t elements = (1 << 24) + 1;
  const uint64_t bytes = uint64_t{elements} * sizeof(float);
  auto prepared = prepare(addModel({0}));
  ASSERT_NE(prepared, nullptr);
  TestPool in(2 * bytes), out(bytes);
  Request request = requestOf({bytes, bytes}, {bytes}, in, out);
  for (RequestArgument &input : request.inputs)
    input.dimensions = {elements};
  EXPECT_EQ(prepared->execute(request, {}).status, ErrorStatus::ResourceExhaustedPersistent);
}

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

/// IF: the branch for true is RELU, the other is an operation of this type with one input.
Model branchModel(const std::vector<uint32_t> &dimensions, OperationType other) {
  Model model;
  for (OperationType type : {OperationType::Relu, other}) {
    Subgraph branch;
    branch.operands = {tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphInput),
                       tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphOutput)};
    branch.operations = {{type, {0}, {1}}};
    branch.inputIndexes = {0};
    branch.outputIndexes = {1};
    model.referenced.push_back(branch);
  }
  Operand reference = tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph);
  Subgraph &main = model.main;
  main.operands = {tensor(OperandType::TensorBool8, {1}, OperandLifeTime::SubgraphInput), reference, reference,
                   tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphInput),
                   tensor(OperandType::TensorFloat32, dimensions, OperandLifeTime::SubgraphOutput)};
  main.operands[2].location.offset = 1;
  main.operations = {{OperationType::If, {0, 1, 2, 3}, {4}}};
  main.inputIndexes = {0, 3};
  main.outputIndexes = {4};
  return model;
}

/// The branch for false is an unknown operation.
Model unsupportedBranch(const std::vector<uint32_t> &dimensions) {
  Model model = branchModel(dimensions, kUnknownOperation);
  addUnknownExtension(model);
  return model;
}

void makeConditionConstant(Model &model, uint8_t value) {
  Operand &condition = model.main.operands[0];
  condition.lifetime = OperandLifeTime::ConstantCopy;
  condition.location = {0, model.operandValues.size(), 1, 0};
  model.operandValues.push_back(value);
  model.main.inputIndexes = {3};
}

TEST_F(SupportTest, SupportsBranchesOfUnknownExtents) {
  Model model = branchModel({0, 3}, OperationType::Tanh);
  auto supported = device_->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true));
}

TEST_F(SupportTest, RefusesUnsupportedBranchOfUnknownExtents) {
  auto supported = device_->getSupportedOperations(unsupportedBranch({0, 3}));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(false));
  EXPECT_FALSE(supported->reasons[0].rule.empty());
}

TEST_F(SupportTest, ChecksBothBranchesUnderConstantCondition) {
  for (uint8_t condition : {0, 1}) {
    Model good = branchModel({2, 3}, OperationType::Tanh), bad = unsupportedBranch({2, 3});
    makeConditionConstant(good, condition);
    makeConditionConstant(bad, condition);
    auto supported = device_->getSupportedOperations(good);
    ASSERT_TRUE(supported.isOk()) << supported.error().message;
    EXPECT_THAT(supported->supported, ElementsAre(true));
    supported = device_->getSupportedOperations(bad);
    ASSERT_TRUE(supported.isOk()) << supported.error().message;
    EXPECT_THAT(supported->supported, ElementsAre(false));
  }
}

TEST_F(LargeSupportTest, RefusesLinesOfUnknownLengthInBranches) {
  Model model = branchModel({1, 0}, OperationType::Softmax);
  model.referenced[1].operands.push_back(floatConstant(model, 1.0f));
  model.referenced[1].operations[0].inputs.push_back(2);
  expectSupport(model, {false});
}

/// The branch for false doubles the first axis. A device with one program for both branches cannot run that.
TEST_F(SupportTest, RefusesDifferentBranchShapesUnderConstantCondition) {
  for (uint8_t condition : {0, 1}) {
    Model model = branchModel({2, 3}, OperationType::Concatenation);
    makeConditionConstant(model, condition);
    Subgraph &branch = model.referenced[1];
    branch.operands.push_back(scalarConstant(model, 0));
    branch.operands[1].dimensions = {4, 3};
    branch.operations[0].inputs = {0, 0, 2};
    model.main.operands[4].dimensions = {0, 3};
    auto supported = device_->getSupportedOperations(model);
    ASSERT_TRUE(supported.isOk()) << supported.error().message;
    EXPECT_THAT(supported->supported, ElementsAre(false));
    EXPECT_EQ(supported->reasons[0].operand, "else");
    EXPECT_THAT(supported->reasons[0].rule, HasSubstr("gives the types of the other branch"));
  }
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Two sums in a chain; the second has a constant in a pool.
Model chainWithConstant(const SharedMemory &pool) {
  Model model = addModel({4});
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  Operand constant = tensor(OperandType::TensorFloat32, {4}, OperandLifeTime::ConstantReference);
  constant.location = {0, 0, 4 * sizeof(float), 0};
  main.operands.push_back(constant);
  main.operands.push_back(tensor(OperandType::TensorFloat32, {4}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({OperationType::Add, {3, 4, 2}, {5}});
  main.outputIndexes = {5};
  model.pools = {pool};
  return model;
}

TEST_F(SupportTest, RefusesOnlyReadersOfUndecodablePool) {
  auto supported = device_->getSupportedOperations(
      chainWithConstant(std::make_shared<Memory>(Memory{UnknownHandle{"strange", {}, {}, 16}})));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
  EXPECT_THAT(supported->reasons[1].rule, HasSubstr("pool 0"));
}

TEST_F(SupportTest, RefusesOnlyReadersOfShortPool) {
  TestPool pool(16);
  SharedMemory shorter = std::make_shared<Memory>(*pool.memory());
  auto &file = std::get<Ashmem>(shorter->handle);
  ASSERT_EQ(ftruncate(file.fd->get(), 8), 0);
  auto supported = device_->getSupportedOperations(chainWithConstant(shorter));
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true, false));
}

} // namespace
} // namespace avocet::hal
