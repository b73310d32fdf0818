//===- SortTest.cpp - The largest elements of rows ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace avocet::kernels {
namespace {

using namespace firmware;

struct TopK {
  TopK(DataType type, const TopKParameters &parameters, TestSram &sram, Random &random) {
    auto dense = [&](DataType of, uint32_t width) {
      return sram.map(of, parameters.rows, 1, width, Placement::Dense, random);
    };
    command.kernel = kTopKKernel.number;
    command.parameters = packParameters(parameters);
    command.inputs = {dense(type, parameters.extent)};
    command.outputs = {dense(type, parameters.count), dense(DataType::Int32, parameters.count)};
  }
  DspCommand command;
};

bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

class TopKTest : public testing::TestWithParam<DataType> {};

TEST_P(TopKTest, SortsLargestElementsOfRows) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    TestSram sram;
    const auto extent = static_cast<uint32_t>(pick(random, 1, 12));
    const TopKParameters p{static_cast<uint32_t>(pick(random, 1, 4)), extent,
                           static_cast<uint32_t>(pick(random, 1, int32_t(extent))),
                           static_cast<uint32_t>(pick(random, 0, 1))};
    TopK c(GetParam(), p, sram, random);
    std::vector<double> input(size_t(p.rows) * p.extent);
    for (double &x : input) // few values, so that many are equal
      x = GetParam() == DataType::UInt8 ? pick(random, 0, 4) : pick(random, -2, 2);
    sram.setValues(c.command.inputs[0], input);
    checkAndRun(*testTarget(), c.command, sram);
    const std::vector<double> values = sram.values(c.command.outputs[0]), indices = sram.values(c.command.outputs[1]);
    for (size_t y = 0; y < p.rows; ++y) {
      std::vector<size_t> order(p.extent);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
        const double a = input[y * p.extent + i], b = input[y * p.extent + j];
        return a != b ? a > b : p.lastFirst ? i > j : i < j;
      });
      for (size_t i = 0; i < p.count; ++i) {
        ASSERT_EQ(indices[y * p.count + i], order[i]);
        ASSERT_EQ(values[y * p.count + i], input[y * p.extent + order[i]]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TopKTest,
                         testing::Values(DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32,
                                         DataType::Int64, DataType::Float16, DataType::Float32));

TEST(TopKOrderTest, PutsNanAfterNumbers) {
  Random random(1);
  TestSram sram;
  TopK c(DataType::Float32, {1, 4, 4}, sram, random);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  sram.setValues(c.command.inputs[0], {nan, -infinity, nan, 5});
  checkAndRun(*testTarget(), c.command, sram);
  EXPECT_EQ(sram.values(c.command.outputs[1]), (std::vector<double>{3, 1, 0, 2}));
}

TEST(TopKOrderTest, ComparesAllBitsOfWideIntegers) {
  Random random(1);
  TestSram sram;
  TopK c(DataType::Int64, {1, 3, 3}, sram, random);
  const double large = 1099511627776; // 2^40
  sram.setValues(c.command.inputs[0], {large + 1, large + 2, -large});
  checkAndRun(*testTarget(), c.command, sram);
  EXPECT_EQ(sram.values(c.command.outputs[0]), (std::vector<double>{large + 2, large + 1, -large}));
}

TEST(TopKRulesTest, RejectsMoreElementsThanRow) {
  Random random(1);
  TestSram sram;
  TopK c(DataType::Int8, {2, 3, 3}, sram, random);
  EXPECT_TRUE(isLegal(c.command));
  c.command.parameters = packParameters(TopKParameters{3, 2, 3});
  EXPECT_FALSE(isLegal(c.command));
  c.command.parameters = packParameters(TopKParameters{2, 3, 0});
  EXPECT_FALSE(isLegal(c.command));
  c.command.parameters = packParameters(TopKParameters{2, 3, 2});
  EXPECT_FALSE(isLegal(c.command));
  c.command.parameters = packParameters(TopKParameters{2, 3, 3, 2});
  EXPECT_FALSE(isLegal(c.command));
}

} // namespace
} // namespace avocet::kernels
