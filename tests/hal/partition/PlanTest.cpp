//===- PlanTest.cpp - How models are divided ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestModels.h"
#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace avocet::hal::test {
namespace {

using enum OperationType;
using Kind = StepDescription::Kind;

const std::set<OperationType> kAll = {Add, Mul, Relu, Less, If, While};

std::shared_ptr<FakeDevice> fake(const std::string &name, std::set<OperationType> operations, float cost = 0.5F) {
  return std::make_shared<FakeDevice>(name, std::move(operations), cost);
}

Result<PartitionedModel> prepare(const Model &model, std::vector<std::shared_ptr<IDevice>> devices,
                                 const std::shared_ptr<IDevice> &cpu, const PartitionOptions &options = {}) {
  return preparePartitioned(model, devices, cpu, options);
}

std::vector<std::string> devicesOf(const Result<PartitionedModel> &result) {
  EXPECT_TRUE(result.isOk()) << (result ? "" : result.error().message);
  std::vector<std::string> names;
  if (result)
    for (const StepDescription &step : result->plan.steps)
      names.push_back(step.device);
  return names;
}

using Names = std::vector<std::string>;

TEST(PlanTest, GivesWholeModelToOneDevice) {
  auto device = fake("a", kAll);
  auto result = prepare(chain(), {device}, nullptr);
  EXPECT_EQ(devicesOf(result), Names{"a"});
  EXPECT_EQ(result->onlyDevice, device);
  EXPECT_EQ(device->supportQueries, 0);
}

TEST(PlanTest, ChoosesCheapestDevice) {
  EXPECT_EQ(devicesOf(prepare(chain(), {fake("a", kAll, 0.5F), fake("b", kAll, 0.4F)}, fake("cpu", kAll, 1))),
            Names{"b"});
}

TEST(PlanTest, ComparesPowerForLowPower) {
  auto hungry = fake("hungry", kAll, 0.1F);
  hungry->figures.operandPerformance = nonExtensionPerformance({0.1F, 0.9F});
  PartitionOptions options;
  options.preference = ExecutionPreference::LowPower;
  EXPECT_EQ(devicesOf(prepare(chain(), {hungry, fake("b", kAll)}, nullptr, options)), Names{"b"});
}

TEST(PlanTest, UsesRelaxedFiguresForRelaxedModels) {
  auto relaxed = fake("relaxed", kAll, 0.9F);
  relaxed->figures.relaxedFloat32toFloat16PerformanceTensor = {0.1F, 0.1F};
  Model model = chain();
  EXPECT_EQ(devicesOf(prepare(model, {relaxed, fake("b", kAll)}, nullptr)), Names{"b"});
  model.relaxComputationFloat32toFloat16 = true;
  EXPECT_EQ(devicesOf(prepare(model, {relaxed, fake("b", kAll)}, nullptr)), Names{"relaxed"});
}

TEST(PlanTest, PrefersCpuAtEqualCost) {
  EXPECT_EQ(devicesOf(prepare(chain(), {fake("a", kAll)}, fake("cpu", kAll))), Names{"cpu"});
}

TEST(PlanTest, PrefersEarlierDeviceAtEqualCost) {
  EXPECT_EQ(devicesOf(prepare(chain(), {fake("a", kAll), fake("b", kAll)}, nullptr)), Names{"a"});
}

/// RELUs, then ADD of integers between two casts, then RELUs.
Model integersInside(uint32_t length) {
  Model model;
  GraphBuilder graph(model, model.main);
  const Operand real = vectorOf(length), integer = tensor(OperandType::TensorInt32, {length});
  const uint32_t none = graph.scalar(0);
  const auto rectify = [&](uint32_t from) {
    constexpr int kTimes = 20;
    for (int i = 0; i < kTimes; ++i) {
      const uint32_t to = graph.temporary(real);
      graph.operation(Relu, {from}, {to});
      from = to;
    }
    return from;
  };
  const uint32_t whole = graph.temporary(integer), sum = graph.temporary(integer), back = graph.temporary(real);
  graph.operation(Cast, {rectify(graph.input(real))}, {whole});
  graph.operation(Add, {whole, whole, none}, {sum});
  graph.operation(Cast, {sum}, {back});
  graph.operation(Relu, {rectify(back)}, {graph.output(real)});
  return model;
}

/// Slow with integers, and a processor.
std::vector<std::string> planOfIntegersInside(uint32_t length, std::set<OperationType> operations) {
  auto npu = fake("npu", std::move(operations), 0.1F);
  update(npu->figures.operandPerformance, OperandType::TensorInt32, {276, 276});
  return devicesOf(prepare(integersInside(length), {npu}, fake("cpu", {Add, Cast, Relu}, 1)));
}

TEST(PlanTest, SmallOperationDoesNotDivideModel) {
  EXPECT_EQ(planOfIntegersInside(200, {Add, Cast, Relu}), Names{"npu"});
}

TEST(PlanTest, LargeOperationGoesWhereItIsFast) {
  EXPECT_EQ(planOfIntegersInside(1'000'000, {Add, Cast, Relu}), (Names{"npu", "cpu", "npu"}));
}

TEST(PlanTest, NeighborsOfUnsupportedOperationLeaveWithIt) {
  EXPECT_EQ(planOfIntegersInside(1000, {Cast, Relu}), Names{"cpu"});
  EXPECT_EQ(planOfIntegersInside(10'000'000, {Cast, Relu}), (Names{"npu", "cpu", "npu"}));
}

TEST(PlanTest, OpenShapesKeepCheapestDevice) {
  EXPECT_EQ(planOfIntegersInside(0, {Add, Cast, Relu}), (Names{"npu", "cpu", "npu"}));
}

TEST(PlanTest, DividesByOperation) {
  auto a = fake("a", {Add, Mul});
  auto b = fake("b", {Relu});
  auto result = prepare(chain(), {a, b}, nullptr);
  EXPECT_EQ(devicesOf(result), (Names{"a", "b", "a"}));
  EXPECT_EQ(result->onlyDevice, nullptr);
  EXPECT_EQ(result->plan.steps[2].operations, std::vector<uint32_t>{2});
  // MUL reads the result of RELU and the model's input.
  EXPECT_EQ(result->plan.steps[2].inputs, (std::vector<uint32_t>{3, 1}));
  EXPECT_EQ(planTable(result->plan, chain()), "  0 main         a                    0:ADD\n"
                                              "  1 main         b                    1:RELU\n"
                                              "  2 main         a                    2:MUL\n");
  EXPECT_NE(planGraph(result->plan, chain()).find("s1 -> s2 [label=\"3\"]"), std::string::npos);
}

TEST(PlanTest, JoinsIndependentOperationsInOneStep) {
  Model model;
  GraphBuilder graph(model, model.main);
  const uint32_t none = graph.scalar(0);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t a = graph.temporary(vectorOf());
  const uint32_t b = graph.temporary(vectorOf());
  const uint32_t c = graph.output(vectorOf());
  const uint32_t d = graph.output(vectorOf());
  graph.operation(Relu, {x}, {a});
  graph.operation(Add, {a, x, none}, {c});
  graph.operation(Relu, {x}, {b});
  graph.operation(Add, {b, x, none}, {d});
  EXPECT_EQ(devicesOf(prepare(model, {fake("add", {Add}), fake("relu", {Relu})}, nullptr)), (Names{"relu", "add"}));
}

TEST(PlanTest, LeavesOutOperationsWithoutEffect) {
  Model model = chain();
  GraphBuilder graph(model, model.main);
  graph.operation(Less, {1, 1}, {graph.temporary(tensor(OperandType::TensorBool8, {kLength}))});
  EXPECT_EQ(devicesOf(prepare(model, {fake("a", {Add, Mul}), fake("b", {Relu})}, nullptr)), (Names{"a", "b", "a"}));
}

TEST(PlanTest, RefusesUnsupportedOperationWithReasons) {
  auto result = prepare(chain(), {fake("a", {Add}), fake("b", {Mul})}, nullptr);
  ASSERT_FALSE(result.isOk());
  EXPECT_EQ(result.code(), ErrorStatus::InvalidArgument);
  EXPECT_NE(result.error().message.find("operation 1 (RELU)"), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find("the fake lacks it"), std::string::npos);
}

TEST(PlanTest, RefusesDivisionIfForbidden) {
  PartitionOptions options;
  options.mayPartition = false;
  auto result = prepare(chain(), {fake("a", {Add, Mul}), fake("b", {Relu})}, nullptr, options);
  EXPECT_EQ(result.code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(devicesOf(prepare(chain(), {fake("a", {Add}, 0.1F), fake("b", kAll)}, nullptr, options)), Names{"b"});
}

TEST(PlanTest, RefusesInvalidModel) {
  EXPECT_EQ(prepare(Model(), {fake("a", kAll)}, nullptr).code(), ErrorStatus::InvalidArgument);
}

TEST(PlanTest, DividesBranchesThatNoDeviceSupports) {
  auto result = prepare(branch(), {fake("add", {Add}), fake("mul", {Mul})}, nullptr);
  EXPECT_EQ(devicesOf(result), (Names{"host", "add", "mul"}));
  EXPECT_EQ(result->plan.steps[0].kind, Kind::If);
  EXPECT_EQ(result->plan.steps[2].subgraph, 2U);
}

TEST(PlanTest, GivesWholeBranchToDeviceThatHasIt) {
  EXPECT_EQ(devicesOf(prepare(branch(), {fake("add", {Add}), fake("all", kAll)}, nullptr)), Names{"all"});
}

/// branch() of vectors of this length.
Model branchOf(uint32_t length) {
  Model model = branch();
  const auto resize = [&](Subgraph &graph) {
    for (Operand &operand : graph.operands)
      if (operand.dimensions == std::vector<uint32_t>{kLength})
        operand.dimensions = {length};
  };
  resize(model.main);
  std::ranges::for_each(model.referenced, resize);
  return model;
}

TEST(PlanTest, LargeBranchesOutweighSlowControlFlow) {
  auto npu = fake("npu", kAll, 0.1F);
  npu->figures.ifPerformance = {145, 145};
  EXPECT_EQ(devicesOf(prepare(branchOf(kLength), {npu}, fake("cpu", kAll, 1))), Names{"cpu"});
  EXPECT_EQ(devicesOf(prepare(branchOf(1'000'000), {npu}, fake("cpu", kAll, 1))), Names{"npu"});
}

TEST(PlanTest, GivesOpenControlFlowOnlyToCpu) {
  EXPECT_EQ(devicesOf(prepare(branch(true), {fake("a", kAll)}, fake("cpu", kAll, 1))), Names{"cpu"});
  EXPECT_EQ(devicesOf(prepare(branch(false), {fake("a", kAll)}, fake("cpu", kAll, 1))), Names{"a"});
}

TEST(PlanTest, StepsShareConstantsInPools) {
  Model model;
  model.pools = {ashmem(64), ashmem(64)};
  GraphBuilder graph(model, model.main);
  const uint32_t none = graph.scalar(0);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t weights = graph.pooled(vectorOf(), 16);
  model.main.operands[weights].location.poolIndex = 1;
  const uint32_t a = graph.temporary(vectorOf());
  const uint32_t b = graph.output(vectorOf());
  graph.operation(Relu, {x}, {a});
  graph.operation(Add, {a, weights, none}, {b});
  auto add = fake("add", {Add});
  ASSERT_EQ(devicesOf(prepare(model, {add, fake("relu", {Relu})}, nullptr)), (Names{"relu", "add"}));
  ASSERT_EQ(add->models.size(), 1U);
  EXPECT_EQ(add->models[0].pools, std::vector<SharedMemory>{model.pools[1]});
}

} // namespace
} // namespace avocet::hal::test
