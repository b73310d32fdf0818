//===- DetectionTest.cpp - Boxes and regions of images --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Regions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;
using testing::ElementsAre;

using Values = std::vector<double>;

class BoxTest : public testing::Test {
protected:
  FeatureMap dense(DataType type, const Values &values, int32_t zeroPoint = 0) {
    FeatureMap map = sram_.map(type, 1, 1, static_cast<uint32_t>(values.size()), Placement::Dense, random_);
    map.zeroPoint = zeroPoint;
    sram_.setValues(map, values);
    return map;
  }

  template <typename Parameters>
  DspCommand commandOf(KernelId kernel, const Parameters &parameters, std::vector<FeatureMap> inputs,
                       std::vector<FeatureMap> outputs) {
    DspCommand command;
    command.kernel = kernel.number;
    command.parameters = packParameters(parameters);
    command.inputs = std::move(inputs);
    command.outputs = std::move(outputs);
    return command;
  }

  /// The elements of each output.
  std::vector<Values> run(const DspCommand &command) {
    checkAndRun(*testTarget(), command, sram_);
    std::vector<Values> results;
    for (const FeatureMap &output : command.outputs)
      results.push_back(sram_.values(output));
    return results;
  }

  static bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

  Random random_{3};
  TestSram sram_;
};

//===----------------------------------------------------------------------===//
// Detectors
//===----------------------------------------------------------------------===//

/// Three anchors of size 2 by 2: the first two overlap by one third, the last one is apart.
class DetectorTest : public BoxTest {
protected:
  DetectorTest() {
    p_.anchors = 3;
    p_.classes = 3;
    p_.maxDetections = 3;
    p_.background = 1;
    p_.overlapThreshold = 0.3f;
  }

  DspCommand command(const Values &scores, const Values &offsets) {
    const uint32_t results = p_.maxDetections * (p_.regular ? 1 : p_.maxClasses);
    DspCommand command =
        commandOf(kDetectionPostprocessKernel, p_,
                  {dense(DataType::Float32, scores), dense(DataType::Float32, offsets),
                   dense(DataType::Float32, {1, 1, 2, 2, 1, 2, 2, 2, 11, 1, 2, 2})},
                  {dense(DataType::Float32, Values(results, 9)), dense(DataType::Float32, Values(4 * results, 9)),
                   dense(DataType::Int32, Values(results, 9)), dense(DataType::Int32, {9})});
    command.inputs.insert(command.inputs.end(), labels_.begin(), labels_.end());
    return command;
  }
  std::vector<Values> detect(const Values &scores, const Values &offsets = Values(12)) {
    return run(command(scores, offsets));
  }
  bool isLegal(const Values &scores) {
    const DspCommand c = command(scores, Values(12));
    return findKernel(c)->check(*testTarget(), c).isOk();
  }

  DetectionPostprocessParameters p_;
  std::vector<FeatureMap> labels_; ///< one operand, or none
};

TEST_F(DetectorTest, KeepsBestOfOverlappingBoxes) {
  const auto results = detect({9, 0.5, 0.25, 9, 0.25, 0.75, 9, 0.625, 0});
  EXPECT_THAT(results[0], ElementsAre(0.75, 0.625, 0));
  EXPECT_THAT(results[1], ElementsAre(0, 1, 2, 3, 10, 0, 12, 2, 0, 0, 0, 0));
  EXPECT_THAT(results[2], ElementsAre(1, 0, 0));
  EXPECT_THAT(results[3], ElementsAre(2));
}

TEST_F(DetectorTest, TreatsEachClassByItselfIfRegular) {
  p_.regular = 1;
  p_.firstLabel = 1;
  p_.maxPerClass = 2;
  const auto results = detect({9, 0.5, 0.25, 9, 0.25, 0.75, 9, 0.625, 0});
  EXPECT_THAT(results[0], ElementsAre(0.75, 0.625, 0.5));
  EXPECT_THAT(results[2], ElementsAre(2, 1, 1));
}

TEST_F(DetectorTest, LimitsBoxesOfEachClass) {
  p_.regular = 1;
  p_.maxPerClass = 1;
  const auto results = detect({9, 0.5, 0, 9, 0, 0, 9, 0.625, 0});
  EXPECT_THAT(results[0], ElementsAre(0.625, 0, 0));
  EXPECT_THAT(results[3], ElementsAre(1));
}

TEST_F(DetectorTest, CountsClassesOfBoxesByRules) {
  p_.maxDetections = 1;
  p_.maxClasses = 4;
  const auto results = detect({9, 0.5, 0.25, 9, 0.25, 0.75, 9, 0.625, 0});
  EXPECT_THAT(results[0], ElementsAre(0.75, 0.25, 0, 0));
  EXPECT_THAT(results[2], ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(results[3], ElementsAre(2));
  p_.tfliteRules = 1;
  EXPECT_THAT(detect({9, 0.5, 0.25, 9, 0.25, 0.75, 9, 0.625, 0})[3], ElementsAre(1));
}

TEST_F(DetectorTest, ThresholdsFollowRules) {
  p_.scoreThreshold = 0.625f;
  EXPECT_THAT(detect({0, 0.5, 0, 0, 0.75, 0, 0, 0.625, 0})[3], ElementsAre(1));
  p_.tfliteRules = 1;
  EXPECT_THAT(detect({0, 0.5, 0, 0, 0.75, 0, 0, 0.625, 0})[3], ElementsAre(2));
}

TEST_F(DetectorTest, NanIsNoScore) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto results = detect({0, nan, nan, 0, nan, 0.75, 0, nan, 0.625});
  EXPECT_THAT(results[0], ElementsAre(0.75, 0.625, 0));
}

TEST_F(DetectorTest, LabelsReplaceClassNumbers) {
  // The best two of three objects, as topK finds them.
  p_.maxClasses = 2;
  p_.classes = 4;
  p_.firstLabel = 1;
  const auto expected = detect({9, 0.5, 0.25, 0.125, 9, 0.25, 0.125, 0.75, 9, 0.0, 0.625, 0.5});
  p_.background = 0;
  p_.classes = 2;
  labels_ = {dense(DataType::Int32, {0, 1, 2, 0, 1, 2})};
  const Values best = {0.5, 0.25, 0.75, 0.25, 0.625, 0.5};
  EXPECT_EQ(detect(best), expected);
  p_.background = 1;
  EXPECT_FALSE(isLegal(best)) << "a label for the background";
  p_.background = 0;
  labels_ = {dense(DataType::Int32, {0, 1, 2})};
  EXPECT_FALSE(isLegal(best)) << "too few labels";
}

TEST_F(DetectorTest, DecodesBoxesFromOffsets) {
  p_.maxDetections = 1;
  p_.scaleY = 10, p_.scaleX = 5, p_.scaleH = 2, p_.scaleW = 4;
  const auto box = detect({0, 1, 0, 0, 0, 0, 0, 0, 0}, {5, 5, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0})[1];
  const double half = std::exp(1.0);
  EXPECT_THAT(box, testing::Pointwise(testing::DoubleNear(1e-6), Values{2 - half, 3 - half, 2 + half, 3 + half}));
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

TEST_F(BoxTest, TransformsAndClipsBoxes) {
  const BoxTransformParameters p{.boxes = 2, .classes = 2, .images = 2};
  const double ln2 = std::log(2.0);
  const auto boxes = dense(DataType::Float32, {10, 10, 14, 18, 2, 2, 6, 6});
  const auto offsets = dense(DataType::Float32, {0.5, 0, 0, ln2, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, ln2, ln2});
  const auto result =
      run(commandOf(kBoxTransformKernel, p,
                    {boxes, offsets, dense(DataType::Int32, {0, 7}), dense(DataType::Float32, {64, 32, 5, 7})},
                    {dense(DataType::Float32, Values(16))}))[0];
  const Values expected = {12, 6, 16, 22, 10, 10, 14, 18, 0, 2, 2, 5, 0, 0, 7, 5};
  EXPECT_THAT(result, testing::Pointwise(testing::DoubleNear(1e-5), expected));
}

TEST_F(BoxTest, TransformsIntegersWithScales) {
  const BoxTransformParameters p{1, 1, 1, 0.125f, 0.05f, 0.125f, 0.125f};
  const auto result =
      run(commandOf(kBoxTransformKernel, p,
                    {dense(DataType::UInt16, {80, 80, 112, 144}), dense(DataType::UInt8, {138, 128, 128, 128}, 128),
                     dense(DataType::Int32, {0}), dense(DataType::UInt16, {512, 512})},
                    {dense(DataType::UInt16, Values(4))}))[0];
  EXPECT_THAT(result, ElementsAre(96, 80, 128, 144));
}

TEST_F(BoxTest, FindsPeaksBetweenPixels) {
  // -(x - 1.25)^2 - (y - 1.5)^2, so that the peak is inside of the map.
  Values heat;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      heat.push_back(-(x - 1.25) * (x - 1.25) - (y - 1.5) * (y - 1.5));
  const HeatmapKeypointParameters p{.boxes = 1, .size = 4, .points = 1};
  const auto results = run(commandOf(kHeatmapKeypointKernel, p,
                                     {dense(DataType::Float32, heat), dense(DataType::Float32, {10, 20, 18, 28})},
                                     {dense(DataType::Float32, {9}), dense(DataType::Float32, {9, 9})}));
  EXPECT_NEAR(results[0][0], 0, 1e-5);
  EXPECT_NEAR(results[1][0], 10 + 8 * 1.75 / 4, 1e-4);
  EXPECT_NEAR(results[1][1], 20 + 8 * 2.0 / 4, 1e-4);
}

TEST_F(BoxTest, FlatHeatmapsHaveTheirFirstPixel) {
  const HeatmapKeypointParameters p{.boxes = 1, .size = 2, .points = 1};
  const auto results = run(commandOf(kHeatmapKeypointKernel, p,
                                     {dense(DataType::Float32, {3, 3, 3, 3}), dense(DataType::Float32, {0, 0, 8, 4})},
                                     {dense(DataType::Float32, {9}), dense(DataType::Float32, {9, 9})}));
  EXPECT_THAT(results[0], ElementsAre(3));
  EXPECT_THAT(results[1], ElementsAre(2, 1));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Two images of 3 by 4 pixels with one channel; the second is 100 higher.
class RegionsTest : public BoxTest {
protected:
  RegionsTest() {
    p_.batches = 2, p_.height = 3, p_.width = 4;
    for (double i = 0; i < 24; ++i)
      pixels_.push_back(i < 12 ? i : 88 + i);
  }

  Values bins(const Values &regions, const Values &images) {
    p_.regions = static_cast<uint32_t>(images.size());
    return run(command(regions, images))[0];
  }

  DspCommand command(const Values &regions, const Values &images) {
    const uint32_t count = p_.regions * p_.outputHeight * p_.outputWidth;
    return commandOf(
        kRegionsKernel, p_,
        {dense(DataType::Float32, pixels_), dense(DataType::Float32, regions), dense(DataType::Int32, images)},
        {dense(DataType::Float32, Values(count, 9))});
  }

  RegionsParameters p_;
  Values pixels_;
};

TEST_F(RegionsTest, FindsLargestElementsOfBins) {
  p_.outputHeight = p_.outputWidth = 2;
  EXPECT_THAT(bins({0, 0, 3, 2}, {0}), ElementsAre(5, 7, 9, 11));
  p_.strideY = p_.strideX = 2;
  EXPECT_THAT(bins({2, 0, 4, 2}, {1}), ElementsAre(101, 102, 105, 106));
}

TEST_F(RegionsTest, BinsOutsideOfImageAreZero) {
  p_.outputHeight = p_.outputWidth = 1;
  EXPECT_THAT(bins({4, 3, 4, 3}, {1}), ElementsAre(0));
}

TEST_F(RegionsTest, AveragesInterpolatedSamples) {
  p_.kind = RegionKind::Mean;
  p_.outputWidth = 2;
  // Samples at x 0.5 and 1.5 of the bins, y 1: a row of 4 elements.
  p_.samplesY = p_.samplesX = 1;
  EXPECT_THAT(bins({0, 0.5, 2, 1.5}, {0}), ElementsAre(4.5, 5.5));
  p_.samplesY = p_.samplesX = 2;
  EXPECT_THAT(bins({0, 0.5, 2, 1.5}, {0}), ElementsAre(4.5, 5.5));
  p_.samplesY = p_.samplesX = 0;
  EXPECT_THAT(bins({0, 0.5, 2, 1.5}, {0}), ElementsAre(4.5, 5.5));
}

TEST_F(RegionsTest, OddRegionsStayInsideOfImages) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (RegionKind kind : {RegionKind::Largest, RegionKind::Mean}) {
    p_.kind = kind;
    for (double image : {-5.0, 5.0}) {
      const Values result = bins({nan, -3, infinity, 1, 9, 9, -1, -infinity, 3, 2, 1, 0}, {image, image, image});
      EXPECT_GE(*std::ranges::min_element(result), 0);
      EXPECT_LE(*std::ranges::max_element(result), 111);
    }
  }
}

TEST_F(RegionsTest, IntegersOfMeanAreRescaled) {
  p_.kind = RegionKind::Mean;
  p_.samplesY = p_.samplesX = 1;
  p_.imageScale = 0.5f, p_.resultScale = 0.25f;
  const auto result = run(commandOf(
      kRegionsKernel, p_,
      {dense(DataType::UInt8, Values(24, 20), 10), dense(DataType::UInt16, {0, 0, 2, 2}), dense(DataType::Int32, {0})},
      {dense(DataType::UInt8, {9}, 3)}));
  EXPECT_THAT(result[0], ElementsAre(23));
}

TEST_F(RegionsTest, RejectsFiguresThatDoNotFit) {
  const DspCommand legal = command({0, 0, 1, 1}, {0});
  ASSERT_TRUE(isLegal(legal));
  const auto isLegalWith = [&](auto change) {
    DspCommand changed = legal;
    RegionsParameters p = p_;
    change(p);
    changed.parameters = packParameters(p);
    return isLegal(changed);
  };
  EXPECT_FALSE(isLegalWith([](RegionsParameters &p) { p.kind = static_cast<RegionKind>(2); }));
  EXPECT_FALSE(isLegalWith([](RegionsParameters &p) { p.strideX = 0; }));
  EXPECT_FALSE(isLegalWith([](RegionsParameters &p) { p.samplesY = 65; }));
  EXPECT_FALSE(isLegalWith([](RegionsParameters &p) { p.regions = 2; }));
  EXPECT_FALSE(isLegalWith([](RegionsParameters &p) { p.resultScale = 2; }));
}

} // namespace
} // namespace avocet::kernels
