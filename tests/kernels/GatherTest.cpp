//===- GatherTest.cpp - Look-ups by index and by key, hashing -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/LshProjection.h"
#include "avocet/kernels/dsp/Section.h"

#include <cstring>
#include <optional>
#include <utility>

namespace avocet::kernels {
namespace {

using namespace firmware;

DspCommand commandOf(std::string_view kernel, std::vector<uint32_t> parameters, std::vector<FeatureMap> inputs,
                     std::vector<FeatureMap> outputs) {
  DspCommand command;
  command.kernel = *dspKernelNumber(kernel);
  command.parameters = std::move(parameters);
  command.inputs = std::move(inputs);
  command.outputs = std::move(outputs);
  return command;
}

bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

class TableTest : public testing::Test {
protected:
  FeatureMap dense(DataType type, uint32_t count) { return sram_.map(type, 1, 1, count, Placement::Dense, random_); }
  FeatureMap dense(DataType type, const std::vector<double> &values) {
    FeatureMap map = dense(type, static_cast<uint32_t>(values.size()));
    sram_.setValues(map, values);
    return map;
  }

  Random random_{5};
  TestSram sram_;
};

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

class GatherTest : public TableTest, public testing::WithParamInterface<DataType> {};

TEST_P(GatherTest, CopiesSlicesAlongAxis) {
  for (int round = 0; round < 20; ++round) {
    auto extent = [&] { return static_cast<uint32_t>(pick(random_, 1, 5)); };
    GatherParameters p{extent(), extent(), extent()};
    uint32_t count = extent();
    FeatureMap in = dense(GetParam(), p.outer * p.extent * p.inner), out = dense(GetParam(), p.outer * count * p.inner);
    FeatureMap indices = dense(round % 2 == 0 ? DataType::Int32 : DataType::Int64, count);
    sram_.fill(in, random_);
    std::vector<double> wanted;
    for (uint32_t i = 0; i < count; ++i)
      wanted.push_back(pick(random_, 0, int32_t(p.extent) - 1));
    sram_.setValues(indices, wanted);
    checkAndRun(*testTarget(), commandOf("gather", packParameters(p), {in, indices}, {out}), sram_);
    std::vector<double> from = sram_.values(in), to = sram_.values(out);
    for (uint32_t o = 0; o < p.outer; ++o)
      for (uint32_t i = 0; i < count; ++i)
        for (uint32_t n = 0; n < p.inner; ++n)
          ASSERT_EQ(to[(o * count + i) * p.inner + n], from[(o * p.extent + size_t(wanted[i])) * p.inner + n]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GatherTest,
                         testing::Values(DataType::Int8, DataType::UInt8, DataType::Bool8, DataType::Int16,
                                         DataType::Float16, DataType::Int32, DataType::Float32, DataType::Int64,
                                         DataType::BFloat16));

TEST_F(TableTest, OutOfRangeIndicesSelectNearestSlice) {
  FeatureMap in = dense(DataType::Int32, {10, 20, 30}), out = dense(DataType::Int32, 5);
  FeatureMap indices = dense(DataType::Int32, {-1, 3, INT32_MIN, INT32_MAX, 1});
  checkAndRun(*testTarget(), commandOf("gather", packParameters(GatherParameters{1, 3, 1}), {in, indices}, {out}),
              sram_);
  EXPECT_EQ(sram_.values(out), (std::vector<double>{10, 30, 10, 30, 20}));
  indices = dense(DataType::Int64, {-0x1p40, 0x1p40, 1, 0, 2});
  checkAndRun(*testTarget(), commandOf("gather", packParameters(GatherParameters{1, 3, 1}), {in, indices}, {out}),
              sram_);
  EXPECT_EQ(sram_.values(out), (std::vector<double>{10, 30, 20, 10, 30}));
}

TEST_F(TableTest, FindsFirstIndexOutOfRange) {
  const FeatureMap in = dense(DataType::Int32, {10, 20, 30}), out = dense(DataType::Int32, 3);
  const auto found = [&](DataType type, const std::vector<double> &indices, std::optional<Section> section = {}) {
    std::vector<uint32_t> words = packParameters(GatherParameters{1, 3, 1});
    for (uint32_t word : section ? packParameters(*section) : std::vector<uint32_t>())
      words.push_back(word);
    const DspCommand command = commandOf("gather", words, {in, dense(type, indices)}, {out});
    EXPECT_TRUE(isLegal(command));
    const std::optional<BadIndex> bad = findKernel(command)->findBadIndex(command, sram_.bytes());
    return bad ? std::pair(bad->index, bad->extent) : std::pair(int64_t(0), uint32_t(0));
  };
  using Found = std::pair<int64_t, uint32_t>;
  EXPECT_EQ(found(DataType::Int32, {0, 2, 1}), Found(0, 0));
  EXPECT_EQ(found(DataType::Int32, {0, 3, -1}), Found(3, 3));
  EXPECT_EQ(found(DataType::Int32, {0, 2, -1}), Found(-1, 3));
  EXPECT_EQ(found(DataType::Int64, {2, 1, 0}), Found(0, 0));
  EXPECT_EQ(found(DataType::Int64, {2, 0x1p32, 7}), Found(int64_t(1) << 32, 3));
  // Rows 4 to 6 of a table of eight: indices of other sections are no fault of this one.
  EXPECT_EQ(found(DataType::Int32, {0, 7, 5}, Section{1, 0, 4, 8}), Found(0, 0));
  EXPECT_EQ(found(DataType::Int32, {0, 8, 5}, Section{1, 0, 4, 8}), Found(8, 8));
}

TEST_F(TableTest, RejectsGatherShapesThatDifferFromMaps) {
  FeatureMap in = dense(DataType::Int8, 12), indices = dense(DataType::Int32, 2), out = dense(DataType::Int8, 8);
  auto legal = [&](GatherParameters p) {
    return isLegal(commandOf("gather", packParameters(p), {in, indices}, {out}));
  };
  EXPECT_TRUE(legal({2, 3, 2}));
  EXPECT_TRUE(legal({1, 3, 4}));
  EXPECT_FALSE(legal({2, 2, 3}));
  EXPECT_FALSE(legal({0, 3, 4}));
  EXPECT_FALSE(legal({2, 0, 2}));
  EXPECT_FALSE(legal({0x80000000u, 0x80000000u, 4}));
  EXPECT_FALSE(isLegal(commandOf("gather", packParameters(GatherParameters{2, 3, 2}), {in, in}, {out})));
  EXPECT_FALSE(isLegal(commandOf("gather", {}, {in, indices}, {out})));
}

//===----------------------------------------------------------------------===//
// Hash table
//===----------------------------------------------------------------------===//

TEST_F(TableTest, FindsRowsByKey) {
  FeatureMap lookups = dense(DataType::Int32, {1234, -292, -11, 0, 1235}),
             keys = dense(DataType::Int32, {-11, 0, 1234});
  FeatureMap values = dense(DataType::Float16, {0.5, 0.25, 1, 2, 3, 4}), out = dense(DataType::Float16, 10);
  FeatureMap hits = dense(DataType::UInt8, 5);
  DspCommand command = commandOf("hashtableLookup", {}, {lookups, keys, values}, {out, hits});
  checkAndRun(*testTarget(), command, sram_);
  EXPECT_EQ(sram_.values(out), (std::vector<double>{3, 4, 0, 0, 0.5, 0.25, 1, 2, 0, 0}));
  EXPECT_EQ(sram_.values(hits), (std::vector<double>{1, 0, 1, 1, 0}));
}

TEST_F(TableTest, UnsortedKeysAreHarmless) {
  for (int round = 0; round < 200; ++round) {
    FeatureMap lookups = dense(DataType::Int32, 6), keys = dense(DataType::Int32, 9), values = dense(DataType::Int8, 9);
    FeatureMap out = dense(DataType::Int8, 6), hits = dense(DataType::Bool8, 6);
    auto some = [&](uint32_t count) {
      std::vector<double> numbers(count);
      for (double &number : numbers)
        number = pick(random_, -3, 3);
      return numbers;
    };
    std::vector<double> wanted = some(6), table = some(9);
    sram_.setValues(lookups, wanted);
    sram_.setValues(keys, table);
    sram_.setValues(values, table);
    checkAndRun(*testTarget(), commandOf("hashtableLookup", {}, {lookups, keys, values}, {out, hits}), sram_);
    std::vector<double> found = sram_.values(out), hit = sram_.values(hits);
    for (size_t i = 0; i < 6; ++i)
      ASSERT_EQ(found[i], hit[i] == 1 ? wanted[i] : 0);
  }
}

TEST_F(TableTest, RejectsMismatchedHashtableShapes) {
  FeatureMap lookups = dense(DataType::Int32, 2), keys = dense(DataType::Int32, 3), values = dense(DataType::Int8, 6);
  FeatureMap out = dense(DataType::Int8, 4), hits = dense(DataType::UInt8, 2);
  EXPECT_TRUE(isLegal(commandOf("hashtableLookup", {}, {lookups, keys, values}, {out, hits})));
  EXPECT_FALSE(isLegal(commandOf("hashtableLookup", {1}, {lookups, keys, values}, {out, hits})));
  EXPECT_FALSE(isLegal(commandOf("hashtableLookup", {}, {lookups, keys, out}, {out, hits})));
  EXPECT_FALSE(isLegal(commandOf("hashtableLookup", {}, {lookups, keys, values}, {values, hits})));
  EXPECT_FALSE(isLegal(commandOf("hashtableLookup", {}, {lookups, keys, values}, {out, out})));
  // Fewer values than keys: empty rows.
  EXPECT_FALSE(isLegal(commandOf("hashtableLookup", {}, {lookups, keys, hits}, {out, hits})));
}

//===----------------------------------------------------------------------===//
// Locality-sensitive hashing
//===----------------------------------------------------------------------===//

class LshTest : public TableTest {
protected:
  DspCommand command(LshProjectionParameters p, std::vector<FeatureMap> inputs, uint32_t results) {
    return commandOf("lshProjection", packParameters(p), std::move(inputs), {dense(DataType::Int32, results)});
  }
  std::vector<double> run(const DspCommand &command) {
    checkAndRun(*testTarget(), command, sram_);
    return sram_.values(command.outputs[0]);
  }
};

// The figures are those of NNAPI's tests.
TEST_F(LshTest, MatchesKnownAnswers) {
  FeatureMap seeds = dense(DataType::Float32, {.123, .456, -.321, -.654, 1.234, 5.678, -4.321, -8.765});
  FeatureMap items = dense(DataType::Int32, {12345, 54321, 67890, 9876, -12345678, -87654321});
  FeatureMap weights = dense(DataType::Float32, {.12, .34, .56});
  std::vector<double> dense = run(command({LshKind::Dense, 2, 3}, {seeds, items, weights}, 8));
  EXPECT_EQ(dense, (std::vector<double>{1, 1, 1, 0, 1, 1, 1, 0}));
  EXPECT_EQ(run(command({LshKind::SparseDeprecated, 2, 3}, {seeds, items}, 4)), (std::vector<double>{1, 2, 2, 0}));
  EXPECT_EQ(run(command({LshKind::Sparse, 2, 3}, {seeds, items}, 4)), (std::vector<double>{1, 6, 10, 12}));
  std::vector<double> sparse = run(command({LshKind::Sparse, 2, 3}, {seeds, items, weights}, 4));
  for (int hash = 0; hash < 4; ++hash)
    EXPECT_EQ(sparse[hash], 2 * dense[2 * hash] + dense[2 * hash + 1] + 4 * hash);
}

TEST_F(LshTest, HalfPrecisionSeedsHashAsFloats) {
  FeatureMap seeds = dense(DataType::Float16, {.5, -.25, 2}), wide = dense(DataType::Float32, {.5, -.25, 2});
  FeatureMap items = dense(DataType::UInt8, {1, 2, 3, 4, 5, 6, 7});
  FeatureMap weights = dense(DataType::Float16, {-1, 0.5, 1, -2, 1, 3, -0.5});
  FeatureMap wideWeights = dense(DataType::Float32, {-1, 0.5, 1, -2, 1, 3, -0.5});
  EXPECT_EQ(run(command({LshKind::Dense, 1, 7}, {seeds, items, weights}, 3)),
            run(command({LshKind::Dense, 1, 7}, {wide, items, wideWeights}, 3)));
}

TEST_F(LshTest, NegatedWeightsInvertEveryBit) {
  FeatureMap seeds = dense(DataType::Float32, 32), items = dense(DataType::Int16, 40);
  sram_.fill(seeds, random_);
  sram_.fill(items, random_);
  FeatureMap ones = dense(DataType::Float32, {1, 1, 1, 1}), minus = dense(DataType::Float32, {-1, -1, -1, -1});
  std::vector<double> bits = run(command({LshKind::Dense, 32, 4}, {seeds, items}, 32));
  EXPECT_EQ(bits, run(command({LshKind::Dense, 32, 4}, {seeds, items, ones}, 32)));
  std::vector<double> turned = run(command({LshKind::Dense, 32, 4}, {seeds, items, minus}, 32));
  double sum = 0;
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(bits[i] + turned[i], 1);
    sum += bits[i];
  }
  EXPECT_TRUE(sum > 4 && sum < 28) << "a hash is as often positive as negative";
  uint32_t word = 0;
  for (double bit : bits)
    word = word << 1 | static_cast<uint32_t>(bit);
  EXPECT_EQ(run(command({LshKind::Sparse, 32, 4}, {seeds, items}, 1))[0], static_cast<int32_t>(word));
}

TEST_F(LshTest, RejectsInvalidParameters) {
  FeatureMap seeds = dense(DataType::Float32, 6), items = dense(DataType::Int8, 12);
  EXPECT_TRUE(isLegal(command({LshKind::Dense, 2, 3}, {seeds, items}, 6)));
  EXPECT_TRUE(isLegal(command({LshKind::Sparse, 2, 3}, {seeds, items}, 3)));
  EXPECT_FALSE(isLegal(command({LshKind::Sparse, 2, 3}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind(0), 2, 3}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 0, 3}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 33, 3}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 4, 3}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 2, 0}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 2, 5}, {seeds, items}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 2, 3}, {seeds, items, seeds}, 6)));
  EXPECT_FALSE(isLegal(command({LshKind::Dense, 2, 3}, {items, items}, 6)));
}

} // namespace
} // namespace avocet::kernels
