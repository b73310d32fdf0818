//===- ScatterTest.cpp - Slices at run-time coordinates, running sums -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Scan.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Section.h"

#include <gmock/gmock.h>

#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;
using testing::ElementsAre;

using Values = std::vector<double>;

class SliceTest : public testing::Test {
protected:
  FeatureMap dense(DataType type, const Values &values) {
    const FeatureMap map = sram_.map(type, 1, 1, static_cast<uint32_t>(values.size()), Placement::Dense, random_);
    sram_.setValues(map, values);
    return map;
  }

  template <typename Parameters>
  DspCommand commandOf(KernelId kernel, const Parameters &parameters, std::vector<FeatureMap> inputs,
                       FeatureMap output) {
    DspCommand command;
    command.kernel = kernel.number;
    command.parameters = packParameters(parameters);
    command.inputs = std::move(inputs);
    command.outputs = {output};
    return command;
  }

  Values run(const DspCommand &command) {
    checkAndRun(*testTarget(), command, sram_);
    return sram_.values(command.outputs[0]);
  }

  static bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

  Random random_{3};
  TestSram sram_;
};

//===----------------------------------------------------------------------===//
// gatherNd
//===----------------------------------------------------------------------===//

TEST_F(SliceTest, GathersSlicesAtCoordinates) {
  const SliceTable shape{3, 2, 2, {2, 3}};
  const auto table = dense(DataType::Int16, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto indices = dense(DataType::Int32, {1, 2, 0, 1, 1, 0});
  EXPECT_THAT(run(commandOf(kGatherNdKernel, shape, {table, indices}, dense(DataType::Int16, Values(6)))),
              ElementsAre(10, 11, 2, 3, 6, 7));
}

TEST_F(SliceTest, GathersNearestSliceForOddCoordinates) {
  const SliceTable shape{2, 2, 1, {2, 3}};
  const auto indices = dense(DataType::Int32, {-7, 99, INT32_MAX, INT32_MIN});
  EXPECT_THAT(run(commandOf(kGatherNdKernel, shape, {dense(DataType::Int8, {0, 1, 2, 3, 4, 5}), indices},
                            dense(DataType::Int8, Values(2)))),
              ElementsAre(2, 3));
}

TEST_F(SliceTest, RejectsSlicesThatDifferFromMaps) {
  const auto table = dense(DataType::Int8, Values(12)), indices = dense(DataType::Int32, Values(6));
  const auto legal = [&](const SliceTable &shape) {
    return isLegal(commandOf(kGatherNdKernel, shape, {table, indices}, dense(DataType::Int8, Values(6))));
  };
  EXPECT_TRUE(legal({3, 2, 2, {2, 3}}));
  EXPECT_FALSE(legal({3, 2, 2, {2, 0}}));
  EXPECT_FALSE(legal({3, 2, 2, {3, 3}}));
  EXPECT_FALSE(legal({2, 3, 2, {2, 3}}));
  EXPECT_FALSE(legal({3, 0, 2, {2, 3}}));
  EXPECT_FALSE(legal({3, 9, 2, {2, 3}}));
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

class ScatterTest : public SliceTest, public testing::WithParamInterface<DataType> {
protected:
  Values scatter(ScatterKind kind) {
    const ScatterParameters p{{4, 1, 2, {3}}, kind};
    return run(commandOf(kScatterKernel, p,
                         {dense(GetParam(), {1, 2, 3, 4, 5, 6}), dense(DataType::Int32, {2, 0, 2, 5}),
                          dense(GetParam(), {7, 1, 4, 0, 2, 9, 8, 8})},
                         dense(GetParam(), Values(6))));
  }
};

/// Types without arithmetic.
class SetTest : public SliceTest, public testing::WithParamInterface<DataType> {
protected:
  DspCommand command(ScatterKind kind) {
    const ScatterParameters p{{2, 1, 1, {3}}, kind};
    return commandOf(kScatterKernel, p,
                     {dense(GetParam(), {1, 0, 1}), dense(DataType::Int32, {2, 1}), dense(GetParam(), {0, 1})},
                     dense(GetParam(), Values(3)));
  }
};

TEST_P(SetTest, ReplacesSlicesAndRejectsSums) {
  EXPECT_THAT(run(command(ScatterKind::Set)), ElementsAre(1, 1, 0));
  for (const ScatterKind kind : {ScatterKind::Sum, ScatterKind::Product, ScatterKind::Max, ScatterKind::Min})
    EXPECT_FALSE(isLegal(command(kind)));
  EXPECT_FALSE(isLegal(command(static_cast<ScatterKind>(5))));
}

INSTANTIATE_TEST_SUITE_P(Types, SetTest, testing::Values(DataType::Bool8, DataType::BFloat16));

TEST_P(ScatterTest, CombinesSlicesInOrder) {
  EXPECT_THAT(scatter(ScatterKind::Set), ElementsAre(4, 0, 3, 4, 2, 9));
  EXPECT_THAT(scatter(ScatterKind::Sum), ElementsAre(5, 2, 3, 4, 14, 16));
  EXPECT_THAT(scatter(ScatterKind::Product), ElementsAre(4, 0, 3, 4, 70, 54));
  EXPECT_THAT(scatter(ScatterKind::Max), ElementsAre(4, 2, 3, 4, 7, 9));
  EXPECT_THAT(scatter(ScatterKind::Min), ElementsAre(1, 0, 3, 4, 2, 1));
}

INSTANTIATE_TEST_SUITE_P(Types, ScatterTest,
                         testing::Values(DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32,
                                         DataType::Int64, DataType::Float16, DataType::Float32));

TEST_F(SliceTest, ScatteredIntegersWrap) {
  const ScatterParameters p{{1, 1, 1, {1}}, ScatterKind::Sum};
  EXPECT_THAT(run(commandOf(kScatterKernel, p,
                            {dense(DataType::Int8, {127}), dense(DataType::Int32, {0}), dense(DataType::Int8, {2})},
                            dense(DataType::Int8, {0}))),
              ElementsAre(-127));
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

template <typename Parameters>
DspCommand inSection(DspCommand command, const Parameters &parameters, const Section &section) {
  command.parameters = packParameters(parameters);
  for (uint32_t word : packParameters(section))
    command.parameters.push_back(word);
  return command;
}

TEST_F(SliceTest, GathersFromSectionsOfTheTable) {
  // Rows 0, 1 and 2 of three slices of one element; the coordinates are those of rows 2, 0, 1, and one past the end.
  const auto indices = dense(DataType::Int32, {2, 1, 0, 2, 1, 0, 9, -5});
  const auto state = dense(DataType::Int16, Values(4, 99));
  const SliceTable first{4, 2, 1, {2, 3}}, last{4, 2, 1, {1, 3}};
  checkAndRun(*testTarget(),
              inSection(commandOf(kGatherNdKernel, first, {dense(DataType::Int16, {0, 1, 2, 3, 4, 5}), indices}, state),
                        first, {1, 0, 0, 3}),
              sram_);
  EXPECT_THAT(run(inSection(commandOf(kGatherNdKernel, last, {dense(DataType::Int16, {6, 7, 8}), indices, state},
                                      dense(DataType::Int16, Values(4))),
                            last, {0, 1, 2, 3})),
              ElementsAre(7, 2, 3, 6));
}

TEST_F(SliceTest, FindsFirstCoordinateOutOfRange) {
  const auto found = [&](const Values &indices, std::optional<Section> section = {}) {
    const SliceTable shape{2, 2, 1, {2, 3}};
    DspCommand command =
        commandOf(kGatherNdKernel, shape, {dense(DataType::Int8, {0, 1, 2, 3, 4, 5}), dense(DataType::Int32, indices)},
                  dense(DataType::Int8, Values(2)));
    if (section)
      command = inSection(command, shape, *section);
    EXPECT_TRUE(isLegal(command));
    const std::optional<BadIndex> bad = findKernel(command)->findBadIndex(command, sram_.bytes());
    return bad ? Values{double(bad->index), double(bad->extent)} : Values{};
  };
  EXPECT_THAT(found({0, 0, 1, 2}), ElementsAre());
  EXPECT_THAT(found({0, 3, 2, 0}), ElementsAre(3, 3));
  EXPECT_THAT(found({1, 2, -1, 0}), ElementsAre(-1, 2));
  EXPECT_THAT(found({4, 2, 9, 0}, Section{1, 0, 4, 10}), ElementsAre());
  EXPECT_THAT(found({4, 2, 10, 0}, Section{1, 0, 4, 10}), ElementsAre(10, 10));
}

TEST_F(SliceTest, LeftOutUpdatesHaveNoBadIndex) {
  const auto found = [&](const Values &indices) {
    const ScatterParameters p{{3, 1, 1, {4}}, ScatterKind::Sum};
    const DspCommand command = commandOf(
        kScatterKernel, p,
        {dense(DataType::Int32, Values(4)), dense(DataType::Int32, indices), dense(DataType::Int32, Values(3))},
        dense(DataType::Int32, Values(4)));
    EXPECT_TRUE(isLegal(command));
    const std::optional<BadIndex> bad = findKernel(command)->findBadIndex(command, sram_.bytes());
    return bad ? Values{double(bad->index), double(bad->extent)} : Values{};
  };
  EXPECT_THAT(found({3, kLeftOut, 0}), ElementsAre());
  EXPECT_THAT(found({3, kLeftOut, -1}), ElementsAre(-1, 4));
  EXPECT_THAT(found({4, kLeftOut, -1}), ElementsAre(4, 4));
}

TEST_F(SliceTest, ScattersIntoSectionsOfTheTable) {
  // Rows 2 and 3 of a table of four; the updates come in two commands.
  const auto state = dense(DataType::Int32, {0, 0});
  const ScatterParameters p{{2, 1, 1, {2}}, ScatterKind::Sum};
  checkAndRun(*testTarget(),
              inSection(commandOf(kScatterKernel, p,
                                  {dense(DataType::Int32, {10, 20}), dense(DataType::Int32, {3, 1}),
                                   dense(DataType::Int32, {1, 2})},
                                  state),
                        p, {1, 0, 2, 4}),
              sram_);
  EXPECT_THAT(run(inSection(commandOf(kScatterKernel, p,
                                      {dense(DataType::Int32, {2, 3}), dense(DataType::Int32, {4, 8}), state},
                                      dense(DataType::Int32, {0, 0})),
                            p, {0, 1, 2, 4})),
              ElementsAre(14, 29));
}

TEST_F(SliceTest, RejectsSectionsOutsideOfTheTable) {
  const SliceTable shape{1, 1, 1, {2}};
  const auto table = dense(DataType::Int8, Values(2)), indices = dense(DataType::Int32, Values(1)),
             slice = dense(DataType::Int8, Values(1));
  const auto gathers = [&](std::vector<FeatureMap> inputs, const Section &section) {
    return isLegal(inSection(commandOf(kGatherNdKernel, shape, std::move(inputs), slice), shape, section));
  };
  EXPECT_TRUE(gathers({table, indices}, {1, 1, 1, 3}));
  EXPECT_FALSE(gathers({table, indices}, {1, 1, 2, 3}));
  EXPECT_FALSE(gathers({table, indices}, {0, 1, 1, 3}));
  EXPECT_FALSE(gathers({table, indices, table}, {0, 1, 1, 3}));
  const ScatterParameters p{shape, ScatterKind::Set};
  const auto scatters = [&](const Section &section) {
    return isLegal(
        inSection(commandOf(kScatterKernel, p, {table, indices, slice}, dense(DataType::Int8, Values(2))), p, section));
  };
  EXPECT_TRUE(scatters({1, 1, 1, 3}));
  EXPECT_FALSE(scatters({1, 1, 2, 3}));
  EXPECT_FALSE(scatters({0, 1, 1, 3}));
}

//===----------------------------------------------------------------------===//
// cumulativeSum
//===----------------------------------------------------------------------===//

TEST_F(SliceTest, SumsUpAlongAxisInBothDirections) {
  for (DataType type : {DataType::Float32, DataType::Float16, DataType::Int32, DataType::Int64}) {
    const auto sums = [&](CumulativeSumParameters p) {
      const auto map = dense(type, {1, 2, 3, 4, 5, 6});
      return run(commandOf(kCumulativeSumKernel, p, {map}, dense(type, Values(6))));
    };
    EXPECT_THAT(sums({{1, 3, 2}, 0, 0}), ElementsAre(1, 2, 4, 6, 9, 12));
    EXPECT_THAT(sums({{2, 3, 1}, 1, 0}), ElementsAre(0, 1, 3, 0, 4, 9));
    EXPECT_THAT(sums({{2, 3, 1}, 0, 1}), ElementsAre(6, 5, 3, 15, 11, 6));
    EXPECT_THAT(sums({{2, 3, 1}, 1, 1}), ElementsAre(5, 3, 0, 11, 6, 0));
  }
}

TEST_F(SliceTest, IntegerSumsWrap) {
  const auto map = dense(DataType::Int32, {INT32_MAX, 1, 1});
  EXPECT_THAT(run(commandOf(kCumulativeSumKernel, CumulativeSumParameters{{1, 3, 1}, 0, 0}, {map}, map)),
              ElementsAre(INT32_MAX, INT32_MIN, INT32_MIN + 1));
  const auto wide = dense(DataType::Int64, {INT32_MAX, 1, 1});
  EXPECT_THAT(run(commandOf(kCumulativeSumKernel, CumulativeSumParameters{{1, 3, 1}, 0, 0}, {wide}, wide)),
              ElementsAre(INT32_MAX, 2147483648.0, 2147483649.0));
}

TEST_F(SliceTest, RejectsUnknownDirections) {
  const auto map = dense(DataType::Float32, Values(6));
  const auto legal = [&](uint32_t exclusive, uint32_t reverse) {
    return isLegal(commandOf(kCumulativeSumKernel, CumulativeSumParameters{{1, 3, 2}, exclusive, reverse}, {map}, map));
  };
  EXPECT_TRUE(legal(1, 1));
  EXPECT_FALSE(legal(2, 0));
  EXPECT_FALSE(legal(0, 2));
}

TEST_F(SliceTest, SumsUpInSectionsFromTheState) {
  // Two lines of five elements: sections of three and of two, from the start or from the end.
  for (uint32_t reverse : {0u, 1u})
    for (DataType type : {DataType::Float32, DataType::Float16, DataType::Int32, DataType::Int64}) {
      const CumulativeSumParameters three{{1, 3, 2}, 1, reverse}, two{{1, 2, 2}, 1, reverse};
      const auto state = dense(DataType::Int32, Values(4));
      const auto section = dense(type, reverse ? Values{3, 30, 4, 40, 5, 50} : Values{1, 10, 2, 20, 3, 30});
      DspCommand sum = commandOf(kCumulativeSumKernel, three, {section}, state);
      for (uint32_t word : packParameters(LineStep{0, 1, 5}))
        sum.parameters.push_back(word);
      checkAndRun(*testTarget(), sum, sram_);
      DspCommand rest = commandOf(kCumulativeSumKernel, two,
                                  {dense(type, reverse ? Values{1, 10, 2, 20} : Values{4, 40, 5, 50}), state},
                                  dense(type, Values(4)));
      for (uint32_t word : packParameters(LineStep{1, 0, 5}))
        rest.parameters.push_back(word);
      EXPECT_EQ(run(rest), (reverse ? Values{14, 140, 12, 120} : Values{6, 60, 10, 100}));
      rest.inputs.pop_back();
      EXPECT_FALSE(isLegal(rest)) << "no state";
    }
}

} // namespace
} // namespace avocet::kernels
