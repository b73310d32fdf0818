//===- PlanTest.cpp - All plans of a network are equivalent -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Plan.h"
#include "Isolation.h"
#include "Networks.h"

#include "Schedule/Core/ConstantGroup.h"
#include "Schedule/Core/Lowering.h"
#include "avocet/firmware_iface/Output.h"

#include "gtest/gtest.h"

#include <functional>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

void buildChain(Network &net) {
  uint32_t x = net.input({23, 11, 3, DataType::Int8});
  x = net.conv(x, 16, 3, 2);
  x = net.depthwise(x, 3);
  x = net.conv(x, 24, 1);
  x = net.depthwise(x, 3, 2);
  net.output(net.conv(x, 40, 3));
}

void buildResidual(Network &net) {
  uint32_t x = net.conv(net.input({17, 9, 8, DataType::Int8}), 16, 3);
  uint32_t y = net.conv(net.conv(x, 32, 1), 16, 3);
  uint32_t sum = net.add(x, y);
  uint32_t z = net.add(net.conv(sum, 16, 3), sum);
  net.output(net.maxPool(z, 2, 2));
}

/// Blocks as in ResNet: the addend is also the first input of the branch, or read by a later window.
void buildResidualConvs(Network &net) {
  uint32_t x = net.conv(net.input({17, 9, 8, DataType::Int8}), 40, 3);
  for (uint32_t kernel : {1, 3})
    x = net.convAdd(net.conv(net.conv(x, 16, 1), 24, 3), x, kernel);
  uint32_t y = net.depthwiseAdd(net.conv(x, 40, 5), x, 3);
  uint32_t shortcut = net.conv(y, 24, 1, 2);
  net.output(net.convAdd(net.conv(y, 16, 3), shortcut, 3, 2));
}

/// Results whose operands have other readers, are network outputs, or are read again by the same operation.
void buildSharedAddends(Network &net) {
  uint32_t x = net.conv(net.input({12, 10, 8, DataType::Int8}), 16, 3);
  uint32_t a = net.convAdd(x, x, 3); // reads the addend as its input, too
  uint32_t b = net.convAdd(net.conv(a, 8, 1), a, 1);
  net.output(a);
  uint32_t c = net.add(b, net.maxPool(b, 3, 1)); // windows of b around the rows of the sum
  uint32_t d = net.add(c, c);
  net.output(net.add(d, net.add(b, d)));
}

void buildBranches(Network &net) {
  uint32_t x = net.input({16, 16, 8, DataType::Int8});
  uint32_t a = net.conv(x, 8, 5, 2), b = net.conv(net.maxPool(x, 3, 2), 8, 1);
  uint32_t sum = net.add(a, b);
  net.output(a); // read inside and a network output
  net.output(net.softmax(net.fullyConnected(sum, 10)));
}

/// Branches that write to one tensor, which is read whole and in part, and is part of another.
void buildConcatenations(Network &net) {
  uint32_t x = net.conv(net.input({15, 9, 6, DataType::Int8}), 16, 3);
  uint32_t a = net.conv(x, 8, 1), b = net.conv(net.conv(x, 8, 1), 12, 3), c = net.conv(net.maxPool(x, 3, 1), 4, 1);
  uint32_t inner = net.concatenate({a, b, c}, 2);
  uint32_t d = net.depthwise(b, 3); // reads a part
  uint32_t outer = net.concatenate({inner, d}, 2);
  uint32_t y = net.conv(outer, 16, 3, 2);
  uint32_t rows = net.concatenate({net.maxPool(y, 3, 1), net.conv(y, 16, 1)}, 0);
  uint32_t columns = net.concatenate({net.conv(rows, 8, 3), net.maxPool(net.conv(rows, 8, 1), 3, 1)}, 1);
  net.output(columns);
  net.output(net.softmax(net.fullyConnected(rows, 10)));
}

/// Operations of both engines in turn, with windows across the border.
void buildBothEngines(Network &net) {
  uint32_t x = net.requantize(net.input({20, 12, 8, DataType::Int8}));
  uint32_t a = net.conv(x, 16, 3);
  uint32_t b = net.requantize(a);
  uint32_t c = net.requantize(net.depthwise(b, 3));
  net.output(net.add(c, b));
  net.output(net.conv(net.requantize(c), 6, 3, 2));
}

/// Products with sets of weights that the DSP makes, one after the other, and an operation between them.
void buildSetsOfWeights(Network &net) {
  uint32_t left = net.input({24, 2, 16, DataType::Int8}), first = net.input({3, 1, 16 * 12, DataType::Int8});
  uint32_t second = net.input({3, 1, 12 * 20, DataType::Int8});
  uint32_t scores = net.requantize(net.product(left, net.requantize(first), 12));
  net.output(net.product(scores, net.requantize(second), 20));
}

/// Windows of the DSP, larger than stripes, padded on all sides, and over the whole map.
void buildDspPools(Network &net) {
  uint32_t x = net.conv(net.input({20, 12, 8, DataType::Int8}), 16, 3);
  uint32_t a = net.dspPool(x, 7, 2), b = net.dspPool(net.dspPool(a, 3, 1), 2, 2);
  net.output(net.conv(b, 8, 3));
  net.output(net.dspPool(a, 20, 10));
}

/// Parts of tensors as inputs, with heads that write to a network output in shapes of their own.
void buildSplits(Network &net) {
  uint32_t x = net.input({14, 10, 12, DataType::Int8});
  uint32_t left = net.slice(x, 2, 0, 5), right = net.slice(x, 2, 5, 12);
  uint32_t a = net.conv(left, 8, 3), b = net.conv(right, 8, 3);
  uint32_t sum = net.add(a, b);
  uint32_t top = net.slice(sum, 0, 0, 8), bottom = net.slice(sum, 0, 6, 14), middle = net.slice(bottom, 1, 2, 9);
  uint32_t y = net.depthwise(middle, 3), z = net.conv(top, 6, 3, 2);
  net.output(net.chain({net.conv(y, 6, 1), net.maxPool(z, 2, 1), net.conv(z, 12, 3, 2)}));
}

/// Phases of rows and columns, whose readers have windows across them.
void buildPhases(Network &net) {
  uint32_t x = net.conv(net.input({17, 10, 6, DataType::Int8}), 8, 3);
  std::vector<uint32_t> phases{net.conv(net.every(x, 0, 0, 3), 8, 3)};
  for (uint32_t row = 1; row < 3; ++row)
    phases.push_back(net.convLike(net.every(x, 0, row, 3), phases[0]));
  uint32_t dilated = net.maxPool(net.interleave(phases, 0), 3, 1);
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < 2; ++row)
    rows.push_back(net.interleave({net.conv(dilated, 5, 3), net.conv(dilated, 5, 1)}, 1));
  uint32_t large = net.interleave(rows, 0); // twice the rows and columns
  net.output(net.conv(net.every(large, 1, 1, 2), 4, 3));
  net.output(net.depthwise(net.slice(large, 0, 3, 30), 3));
  net.output(large);
}

/// Results with pixels shorter than a burst in one network output, and parts of such pixels of a network input.
void buildThinPixels(Network &net) {
  uint32_t x = net.input({40, 30, 7, DataType::Int8});
  uint32_t a = net.maxPool(net.slice(x, 2, 0, 3), 3, 1), b = net.maxPool(net.slice(x, 2, 3, 7), 1, 1);
  net.output(net.concatenate({a, b}, 2));
  uint32_t c = net.conv(b, 2, 3), d = net.conv(a, 3, 3);
  uint32_t joined = net.concatenate({c, d}, 2);
  net.output(net.maxPool(net.slice(joined, 2, 1, 4), 3, 1));
  net.output(joined);
}

/// Convolutions, pools, additions, concatenations, slices and phases by chance.
void buildRandom(Network &net, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> values{net.conv(net.input({12, 8, 4, DataType::Int8}), 8, 3)};
  const auto any = [&] { return values[random() % values.size()]; };
  std::vector<uint32_t> joined; // no longer results
  for (int i = 0; i < 12; ++i) {
    const uint32_t x = any(), axis = random() % 3;
    const MapShape shape = net.shape(x);
    const uint32_t extent = axis == 0 ? shape.height : axis == 1 ? shape.width : shape.channels;
    const uint32_t kind = random() % 8, step = 2 + random() % 2;
    if (kind == 0 && extent > 3)
      values.push_back(net.slice(x, axis, random() % 2, extent - random() % 2));
    else if (kind == 1)
      values.push_back(net.maxPool(x, 2 + random() % 2, 1));
    else if (kind == 2)
      values.push_back(i % 2 ? net.add(net.conv(x, shape.channels, 1), x) : net.convAdd(net.conv(x, 8, 3), x, 1));
    else if (kind == 3)
      values.push_back(net.depthwise(x, 3));
    else if (kind == 4)
      values.push_back(net.conv(x, 4 + random() % 8, 1 + 2 * (random() % 2)));
    else if (kind == 5 && axis < 2 && extent > step)
      values.push_back(net.every(x, axis, random() % step, step));
    else if (kind == 6 && axis < 2)
      values.push_back(net.interleave({net.conv(x, shape.channels, 3), net.maxPool(x, 3, 1)}, axis));
    else if (uint32_t y = net.conv(x, shape.channels, 1); net.isResult(x))
      values.push_back(net.concatenate({x, y}, axis));
    else
      values.push_back(net.concatenate({y, net.maxPool(x, 3, 1)}, axis));
  }
  net.output(net.conv(values.back(), 5, 1));
  for (uint32_t value : values)
    if (net.isResult(value) && random() % 3 == 0)
      net.output(value);
}

struct Case {
  const char *name;
  std::function<void(Network &)> build;
};

class PlanTest : public testing::TestWithParam<Case> {};

Plan planOf(const Problem &problem, std::vector<Cascade> cascades) {
  Plan plan{std::move(cascades), {}};
  plan.residencies = residenciesOf(problem, plan.cascades);
  return plan;
}

/// Spills the tensor unless a cascade would have to wait for its own stores.
void spill(const Problem &problem, Plan &plan, size_t tensor) {
  plan.residencies[tensor] = Residency::Dram;
  for (const Cascade &cascade : plan.cascades)
    if (readsOwnStores(problem, cascade, uint32_t(tensor)))
      plan.residencies[tensor] = Residency::Sram;
}

/// Cascades, stripes, channel parts, spills and blocks by chance.
Plan randomPlan(const Problem &problem, std::mt19937 &random) {
  std::vector<Cascade> cascades;
  const uint32_t count = uint32_t(problem.operations.size());
  for (uint32_t first = 0; first < count;) {
    uint32_t end = std::min<uint32_t>(count, first + 1 + random() % 5);
    Cascade cascade{first, end, 1 + uint32_t(random() % 6), 1};
    if (end == first + 1 && problem.operations[first].channelGranule)
      cascade.channelParts = 1 + random() % 3;
    else if (canShareParts(problem, first, end))
      cascade.channelParts = 1 + random() % 3, cascade.stripeRows = problem.operations[end - 1].outputs[0].shape.height;
    cascades.push_back(cascade);
    first = end;
  }
  Plan plan = planOf(problem, std::move(cascades));
  for (size_t i = 0; i < plan.residencies.size(); ++i)
    if (plan.residencies[i] == Residency::Sram && problem.tensors[i].networkOutputs.empty() && random() % 2)
      spill(problem, plan, i);
  for (uint32_t i = 0; i < count; ++i)
    plan.blocks.push_back({int8_t(random() % 5 - 2), int8_t(random() % 5 - 2), int8_t(random() % 5 - 2)});
  return plan;
}

/// Whether the places that the source map gets are in the results, and boxes wholly.
void expectPlacesInResults(const Problem &problem, const Sequence &sequence) {
  for (const Step &step : sequence.steps) {
    if (step.isDma())
      continue;
    ASSERT_NE(step.origin.operation, kNone);
    const MapShape &result = problem.operations[step.origin.operation].outputs[0].shape;
    const TilePlace &place = step.origin.place;
    const firmware::FeatureMap &tile = *firmware::firstOutput(step.command);
    ASSERT_LE(place.row + (place.isBox ? tile.height : 1), result.height);
    ASSERT_LE(place.column + (place.isBox ? tile.width : 1), result.width);
    ASSERT_LE(place.channel + (place.isBox ? tile.channels : 1), result.channels);
  }
}

/// The network's outputs by a plan. Fails the test if the plan's sequence is not valid.
auto outputsOf(Network &net, const Plan &plan) {
  Sequence sequence = lowered(net.problem(), plan);
  Status status = sequence.verify(net.problem());
  EXPECT_TRUE(status.isOk()) << status.toString();
  expectPlacesInResults(net.problem(), sequence);
  return runSequence(net.problem(), sequence, net.inputs(), net.constants());
}

TEST_P(PlanTest, AllPlansGiveTheSameOutputs) {
  for (const char *target : {"e256", "m512", "p4096"}) {
    SCOPED_TRACE(target);
    Network net(target);
    GetParam().build(net);
    ASSERT_TRUE(net.problem().check().isOk()) << net.problem().check().toString();
    const auto expected = outputsOf(net, layerByLayer(net.problem()));
    ASSERT_FALSE(expected.empty());
    std::mt19937 random(1);
    for (int i = 0; i < 30; ++i) {
      SCOPED_TRACE("plan " + std::to_string(i));
      EXPECT_EQ(outputsOf(net, randomPlan(net.problem(), random)), expected);
      if (HasFailure())
        return;
    }
  }
}

/// Runs every operation that splitOperation() can cut to `budget` bytes in pieces, the others whole. Results go to
/// DRAM.
/// No result is in the place of an operand: all of them are in DRAM, and no ring has all rows.
Plan withoutSharing(const Problem &problem) {
  Plan plan = layerByLayer(problem);
  for (Cascade &cascade : plan.cascades)
    cascade.stripeRows = 1;
  for (size_t i = 0; i < plan.residencies.size(); ++i)
    if (plan.residencies[i] == Residency::Sram)
      spill(problem, plan, i);
  return plan;
}

TEST_P(PlanTest, SharedBuffersGiveTheSameOutputs) {
  Network net("e256");
  GetParam().build(net);
  const auto expected = outputsOf(net, withoutSharing(net.problem()));
  EXPECT_EQ(outputsOf(net, layerByLayer(net.problem())), expected);
  for (uint32_t rows : {1, 2, 5})
    for (uint32_t parts : {1, 3}) {
      Plan plan = layerByLayer(net.problem());
      for (Cascade &cascade : plan.cascades)
        if (net.problem().operations[cascade.first].channelGranule)
          cascade.stripeRows = rows, cascade.channelParts = parts;
      EXPECT_EQ(outputsOf(net, plan), expected) << rows << " rows, " << parts << " parts";
    }
  std::mt19937 random(2);
  for (int i = 0; i < 30; ++i) {
    Plan plan = randomPlan(net.problem(), random);
    if (i % 2)
      plan.residencies = residenciesOf(net.problem(), plan.cascades); // nothing is spilled
    else
      for (Cascade &cascade : plan.cascades) // whole rings
        cascade.stripeRows = net.problem().operations[cascade.end - 1].outputs[0].shape.height;
    EXPECT_EQ(outputsOf(net, plan), expected) << "plan " << i;
  }
}

TEST(InPlaceTest, ResidualBlockNeedsTwoMaps) {
  Network net("e256");
  uint32_t x = net.conv(net.input({14, 14, 8, DataType::Int8}), 64, 1);
  x = net.convAdd(net.conv(x, 16, 1), x, 1);
  x = net.add(x, net.conv(x, 64, 1)); // reads x to the end of the layer before
  net.output(net.conv(x, 8, 1));
  const Sequence sequence = lowered(net.problem(), layerByLayer(net.problem()));
  const uint64_t large = 14 * 14 * 64;
  size_t largeBuffers = 0;
  for (const Buffer &buffer : sequence.buffers)
    largeBuffers += buffer.space == BufferSpace::Sram && buffer.bytes == large;
  EXPECT_EQ(largeBuffers, 2u); // the three results in one, and the branch
}

TEST(PartsTest, PhasesLoadTheirWeightsOnce) {
  Network net("e256");
  uint32_t x = net.input({9, 4, 16, DataType::Int8});
  std::vector<uint32_t> phases{net.conv(net.every(x, 0, 0, 3), 24, 3)};
  for (uint32_t row = 1; row < 3; ++row)
    phases.push_back(net.convLike(net.every(x, 0, row, 3), phases[0]));
  net.output(net.interleave(phases, 0));
  const auto expected = outputsOf(net, layerByLayer(net.problem()));
  ASSERT_TRUE(canShareParts(net.problem(), 0, 3));
  for (uint32_t parts : {1, 2, 3}) {
    const Plan plan = planOf(net.problem(), {{0, 3, 3, parts}});
    size_t loads = 0;
    for (const Buffer &buffer : lowered(net.problem(), plan).buffers)
      loads += buffer.space == BufferSpace::Constants;
    EXPECT_EQ(loads, parts);
    EXPECT_EQ(outputsOf(net, plan), expected) << parts << " parts";
  }
}

TEST(PartsTest, RepeatedPartsHaveBuffersOfTheirSizes) {
  Network net("e256");
  net.output(net.conv(net.input({6, 4, 100, DataType::Int8}), 24, 3)); // three granules in two parts
  Plan plan = layerByLayer(net.problem());
  plan.cascades[0].stripeRows = 1;
  plan.cascades[0].channelParts = 2;
  std::vector<uint64_t> sizes;
  for (const Buffer &buffer : lowered(net.problem(), plan).buffers)
    if (buffer.space == BufferSpace::Sram && buffer.operation == 0)
      sizes.push_back(buffer.bytes);
  const Operation &op = net.problem().operations[0];
  EXPECT_EQ(sizes, (std::vector{constantBytes(net.problem(), op, 0, 8), constantBytes(net.problem(), op, 8, 24)}));
}

Plan inPieces(const Problem &problem, uint64_t budget, size_t &numPieces) {
  Plan plan = layerByLayer(problem);
  for (Residency &home : plan.residencies)
    home = home == Residency::Sram ? Residency::Dram : home;
  for (Cascade &cascade : plan.cascades)
    if (auto pieces = splitOperation(problem, cascade.first, budget)) {
      cascade.pieceBytes = budget;
      EXPECT_LE(pieces->memory, budget);
      numPieces += pieces->groups[0].size();
    }
  return plan;
}

TEST_P(PlanTest, PiecesGiveTheSameOutputs) {
  size_t numPieces = 0;
  for (const char *target : {"e256", "m512", "p4096"})
    for (uint64_t budget : {1200, 2500, 6000, 12000, 30000}) {
      SCOPED_TRACE(std::string(target) + " " + std::to_string(budget));
      Network net(target);
      GetParam().build(net);
      const Plan plan = inPieces(net.problem(), budget, numPieces);
      EXPECT_EQ(outputsOf(net, plan), outputsOf(net, layerByLayer(net.problem())));
    }
  EXPECT_GT(numPieces, 100u);
}

TEST_P(PlanTest, ScheduleGivesTheSameOutputs) {
  for (const char *target : {"e256", "e256s", "m512", "p4096"}) {
    SCOPED_TRACE(target);
    Network net(target);
    GetParam().build(net);
    const auto expected = outputsLayerByLayer(net);
    auto made = makeSchedule(net.problem());
    ASSERT_TRUE(std::holds_alternative<Sequence>(made));
    Status status = std::get<Sequence>(made).verify(net.problem());
    EXPECT_TRUE(status.isOk()) << status.toString();
    EXPECT_EQ(runSequence(net.problem(), std::get<Sequence>(made), net.inputs(), net.constants()), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, PlanTest,
                         testing::Values(Case{"chain", buildChain}, Case{"residual", buildResidual},
                                         Case{"residualConvs", buildResidualConvs},
                                         Case{"sharedAddends", buildSharedAddends}, Case{"branches", buildBranches},
                                         Case{"concatenations", buildConcatenations}, Case{"splits", buildSplits},
                                         Case{"phases", buildPhases}, Case{"thinPixels", buildThinPixels},
                                         Case{"bothEngines", buildBothEngines}, Case{"dspPools", buildDspPools},
                                         Case{"setsOfWeights", buildSetsOfWeights}),
                         [](const auto &info) { return info.param.name; });

TEST(RandomViewsTest, AllPlansGiveTheSameOutputs) {
  std::mt19937 random(3);
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("network " + std::to_string(seed));
    Network net(seed % 2 ? "e256" : "m512");
    buildRandom(net, seed);
    ASSERT_TRUE(net.problem().check().isOk()) << net.problem().check().toString();
    const auto expected = outputsOf(net, withoutSharing(net.problem()));
    for (int i = 0; i < 6; ++i) {
      SCOPED_TRACE("plan " + std::to_string(i));
      EXPECT_EQ(outputsOf(net, randomPlan(net.problem(), random)), expected);
    }
    size_t numPieces = 0;
    EXPECT_EQ(outputsOf(net, inPieces(net.problem(), 2500, numPieces)), expected);
    auto made = makeSchedule(net.problem());
    ASSERT_TRUE(std::holds_alternative<Sequence>(made));
    EXPECT_EQ(runSequence(net.problem(), std::get<Sequence>(made), net.inputs(), net.constants()), expected);
    if (HasFailure())
      return;
  }
}

/// The elements of each pixel of `bytes` that are at [begin, end).
Bytes channelsOf(const Bytes &bytes, uint32_t channels, uint32_t begin, uint32_t end) {
  Bytes part;
  for (size_t pixel = 0; pixel < bytes.size(); pixel += channels)
    part.insert(part.end(), bytes.begin() + long(pixel + begin), bytes.begin() + long(pixel + end));
  return part;
}

TEST(ViewsTest, ConcatenationPutsPartsSideBySide) {
  Network net("e256");
  uint32_t x = net.input({6, 5, 3, DataType::Int8}), y = net.input({6, 5, 4, DataType::Int8});
  uint32_t joined = net.concatenate({net.maxPool(x, 1, 1), net.maxPool(y, 1, 1)}, 2);
  net.output(net.maxPool(net.slice(joined, 2, 2, 6), 1, 1));
  net.output(joined);
  const auto outputs = outputsLayerByLayer(net);
  EXPECT_EQ(channelsOf(outputs.at(1), 7, 0, 3), net.inputs()[0]);
  EXPECT_EQ(channelsOf(outputs.at(1), 7, 3, 7), net.inputs()[1]);
  EXPECT_EQ(channelsOf(outputs.at(1), 7, 2, 6), outputs.at(0));
}

} // namespace
} // namespace avocet::compiler::schedule
