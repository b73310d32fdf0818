//===- RandomGraphsTest.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Random graphs on the real devices, and with planted faults, which must be found and reduced.

#include "avocet/validation/RandomGraphs.h"
#include "MiscompilingDevice.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Signatures.h"
#include "random/Generator.h"
#include "random/Recipes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::shared_ptr<IDevice> cpu() {
  static const std::shared_ptr<IDevice> kDevice =
      *openCpuDevice({.compilerLibrary = "", .cacheDirectory = "", .threads = 1});
  return kDevice;
}

/// Compiles with a source map, whose rules the compiler checks. `answer`: to the artefacts.
std::shared_ptr<IDevice> npu(const std::string &target, const avocet::Status &answer = avocet::Status::ok()) {
  DriverOptions options;
  options.target = target;
  options.inspect = [answer](const compiler::CompileResult &) { return answer; };
  return *openDevice(options);
}

RandomGraphOptions graphs(uint64_t count) {
  RandomGraphOptions options;
  options.numGraphs = count;
  options.runner.kinds = KindSet().add(RunKind::General);
  return options;
}

RandomGraphSummary runOn(const std::shared_ptr<IDevice> &device, IDevice &reference,
                         const RandomGraphOptions &options) {
  auto summary = runRandomGraphs(device, reference, options);
  EXPECT_TRUE(summary.isOk()) << summary.status().toString();
  return summary.isOk() ? *summary : RandomGraphSummary();
}

TEST(RandomGraphsTest, EveryOperationIsDrawn) {
  std::set<OperationType> known;
  for (const Recipe &recipe : allRecipes())
    EXPECT_TRUE(known.insert(recipe.type).second) << nnapi::nameOf(recipe.type);
  for (const OperationSignature &signature : allSignatures())
    EXPECT_TRUE(known.contains(signature.type)) << signature.name();
}

class RandomGraphsOnTarget : public testing::TestWithParam<const char *> {};

TEST_P(RandomGraphsOnTarget, GiveTheBitsOfTheReference) {
  const RandomGraphSummary summary = runOn(npu(GetParam()), *cpu(), graphs(AVOCET_RANDOM_GRAPHS));
  EXPECT_EQ(summary.graphs, AVOCET_RANDOM_GRAPHS);
  EXPECT_GT(summary.operations, 5 * summary.graphs);
  EXPECT_EQ(summary.unsupported, 0u);
  for (const RandomGraphFailure &failure : summary.failures)
    ADD_FAILURE() << "graph " << failure.graph << ": " << failure.reason << ": " << failure.detail << ": "
                  << testing::PrintToString(failure.reduced);
}

INSTANTIATE_TEST_SUITE_P(All, RandomGraphsOnTarget, testing::Values("e256", "e256s", "m512", "p4096"),
                         [](const auto &info) { return std::string(info.param); });

/// The second arithmetic is worth little if the operands that are drawn are rarely in its domain. IF and WHILE have
/// none of their own; of few draws all may be outside.
void expectMostCompared(const RandomGraphSummary &summary) {
  constexpr uint64_t kFew = 4;
  for (const auto &[type, draws] : summary.draws)
    if (type != If && type != While && draws.computed > kFew)
      EXPECT_GE(2 * draws.compared, draws.computed) << nnapi::nameOf(type);
}

/// It runs subgraphs as a whole, of which it computes single operations as the reference.
TEST(RandomGraphsTest, WholeGraphsOnTheReferenceAgree) {
  const RandomGraphSummary summary = runOn(cpu(), *cpu(), graphs(AVOCET_RANDOM_GRAPHS));
  EXPECT_THAT(summary.failures, IsEmpty());
  EXPECT_GT(summary.operations, 5 * summary.graphs);
  expectMostCompared(summary);
}

TEST(RandomGraphsTest, RefusedArtefactsAreFailures) {
  RandomGraphOptions options = graphs(20);
  options.stopsAtFailure = true;
  const RandomGraphSummary summary = runOn(npu("e256", internalError("no explanation")), *cpu(), options);
  ASSERT_THAT(summary.failures, Not(IsEmpty()));
  EXPECT_THAT(summary.failures.front().reason + summary.failures.front().detail, HasSubstr("no explanation"));
  EXPECT_EQ(summary.failures.front().reduced.size(), 1u);
}

TEST(RandomGraphsTest, OneSeedMakesOneGraph) {
  const auto device = npu("e256");
  auto fileOf = [&](uint64_t seed, uint64_t number) {
    return vectorFileOf(generateGraph(seed, number, 8, *cpu(), *device).graph, "graph");
  };
  const Bytes first = fileOf(5, 3);
  EXPECT_EQ(first, fileOf(5, 3));
  EXPECT_NE(first, fileOf(5, 4));
  EXPECT_NE(first, fileOf(6, 3));
}

/// Boxes whose number the model leaves open are joined with others along their axis.
bool joinsOpenRows(const Graph &graph) {
  return std::ranges::any_of(graph.operations, [&](const Operation &operation) {
    const bool isOpen = graph.values[operation.inputs.front()].isOpen;
    return operation.type == Concatenation && isOpen && graph.values[operation.inputs.back()].bytes.front() == 0;
  });
}

TEST(RandomGraphsTest, SomeGraphsJoinSelectedBoxes) {
  constexpr uint64_t kMost = 300;
  const auto device = npu("e256");
  uint64_t number = 0;
  while (number < kMost && !joinsOpenRows(generateGraph(4, number, 20, *cpu(), *device).graph))
    ++number;
  EXPECT_LT(number, kMost);
}

TEST(RandomGraphsTest, LeavesOutUnsupportedOperations) {
  const auto device = makeMiscompilingDevice(npu("e256"), [](Model &) {}, Add);
  const RandomGraphSummary summary = runOn(device, *cpu(), graphs(40));
  EXPECT_THAT(summary.failures, IsEmpty());
  ASSERT_TRUE(summary.draws.contains(Add));
  EXPECT_GT(summary.draws.at(Add).refused, 0u);
  EXPECT_EQ(summary.draws.at(Add).taken, 0u);
}

/// The first failure of graphs on a device that compiles changed models.
RandomGraphSummary plant(const ModelChange &change, const std::string &saveDirectory = "") {
  RandomGraphOptions options = graphs(1000);
  options.stopsAtFailure = true;
  options.saveDirectory = saveDirectory;
  return runOn(makeMiscompilingDevice(npu("e256"), change), *cpu(), options);
}

void exchange(Subgraph &subgraph, OperationType from, OperationType to) {
  for (Operation &operation : subgraph.operations)
    if (operation.type == from)
      operation.type = to;
}

void exchange(Model &model, OperationType from, OperationType to) {
  exchange(model.main, from, to);
  for (Subgraph &subgraph : model.referenced)
    exchange(subgraph, from, to);
}

TEST(RandomGraphsTest, ReducesWrongOperationToItself) {
  const RandomGraphSummary summary = plant([](Model &model) { exchange(model, MaxPool2d, AveragePool2d); });
  EXPECT_THAT(summary.failures, Not(IsEmpty()));
  EXPECT_THAT(summary.failures, Each(Field(&RandomGraphFailure::reduced, ElementsAre("MAX_POOL_2D"))));
}

/// Whether the operand is the result of an operation.
bool isComputed(const Model &model, uint32_t operand) {
  return model.main.operands[operand].lifetime == OperandLifeTime::TemporaryVariable;
}

/// Wrong only if its input is the result of another operation, as an error in a fusion is.
TEST(RandomGraphsTest, ReducesWrongPairToBothOperations) {
  const RandomGraphSummary summary = plant([](Model &model) {
    for (Operation &operation : model.main.operations)
      if (operation.type == Abs && isComputed(model, operation.inputs[0]))
        operation.type = Neg;
  });
  EXPECT_THAT(summary.failures, Not(IsEmpty()));
  EXPECT_THAT(summary.failures, Each(Field(&RandomGraphFailure::reduced, SizeIs(2))));
  for (const RandomGraphFailure &failure : summary.failures)
    EXPECT_EQ(failure.reduced.back(), "ABS");
}

/// The value of a constant INT32 operand changes.
TEST(RandomGraphsTest, ReducesWrongParameterToItsOperation) {
  const RandomGraphSummary summary = plant([](Model &model) {
    for (const Operation &operation : model.main.operations)
      if (operation.type == Add) {
        uint8_t &activation = model.operandValues[model.main.operands[operation.inputs[2]].location.offset];
        activation = activation == 3 ? 1 : activation; // RELU6 becomes RELU
      }
  });
  EXPECT_THAT(summary.failures, Not(IsEmpty()));
  EXPECT_THAT(summary.failures, Each(Field(&RandomGraphFailure::reduced, ElementsAre("ADD"))));
}

/// A loop runs once more if its condition has LESS_EQUAL.
TEST(RandomGraphsTest, ReducesWrongConditionToItsLoop) {
  const RandomGraphSummary summary = plant([](Model &model) {
    for (const Operation &operation : model.main.operations)
      if (operation.type == While)
        exchange(model.referenced[model.main.operands[operation.inputs[0]].location.offset], Less, LessEqual);
  });
  EXPECT_THAT(summary.failures, Not(IsEmpty()));
  EXPECT_THAT(summary.failures,
              Each(Field(&RandomGraphFailure::reduced, UnorderedElementsAre("WHILE", "LESS", "ADD"))));
}

TEST(RandomGraphsTest, SavedGraphFailsAgain) {
  const auto folder = ScratchDirectory::make();
  ASSERT_TRUE(folder.isOk());
  const ModelChange change = [](Model &model) { exchange(model, MaxPool2d, AveragePool2d); };
  const RandomGraphSummary summary = plant(change, folder->path());
  ASSERT_THAT(summary.failures, Not(IsEmpty()));
  auto cases = findCases(summary.failures[0].file);
  ASSERT_TRUE(cases.isOk()) << cases.status().toString();
  const auto device = npu("e256");
  const RunnerOptions runner = graphs(1).runner;
  EXPECT_EQ(runCase(*device, cases->front(), runner).verdict(), Verdict::Passed);
  EXPECT_EQ(runCase(*makeMiscompilingDevice(device, change), cases->front(), runner).verdict(), Verdict::Failed);
}

/// Kernels serve the reference and the devices alike: a fault in one is the same everywhere.
TEST(RandomGraphsTest, FindsFaultThatTheReferenceShares) {
  const ModelChange change = [](Model &model) { exchange(model, Minimum, Maximum); };
  const auto reference = makeMiscompilingDevice(cpu(), change);
  const auto device = makeMiscompilingDevice(npu("e256"), change);
  const RandomGraphSummary summary = runOn(device, *reference, graphs(40));
  EXPECT_THAT(summary.failures, Not(IsEmpty()));
  EXPECT_THAT(summary.failures, Each(Field(&RandomGraphFailure::reduced, ElementsAre("MINIMUM"))));
}

TEST(RandomGraphsTest, StopsAtTheTimeLimit) {
  RandomGraphOptions options = graphs(1'000'000);
  options.timeLimit = std::chrono::seconds(1);
  const RandomGraphSummary summary = runOn(npu("e256"), *cpu(), options);
  EXPECT_GT(summary.graphs, 0u);
  EXPECT_LT(summary.graphs, options.numGraphs);
}

TEST(RandomGraphsTest, StopsAtTheFirstFailure) {
  RandomGraphOptions options = graphs(300);
  options.stopsAtFailure = true;
  const ModelChange change = [](Model &model) { exchange(model, MaxPool2d, AveragePool2d); };
  EXPECT_THAT(runOn(makeMiscompilingDevice(npu("e256"), change), *cpu(), options).failures, SizeIs(1));
}

TEST(RandomGraphsTest, UnwritableFolderIsAnError) {
  RandomGraphOptions options = graphs(60);
  options.saveDirectory = "/proc/none";
  const ModelChange change = [](Model &model) { exchange(model, MaxPool2d, AveragePool2d); };
  EXPECT_FALSE(runRandomGraphs(makeMiscompilingDevice(npu("e256"), change), *cpu(), options).isOk());
}

} // namespace
} // namespace avocet::hal::conformance
