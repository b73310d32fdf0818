//===- CalibrationTest.cpp - Tests of calibration ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "calibrate/Calibration.h"
#include "calibrate/CpuReference.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

TEST(CalibrationTest, WritesRatiosWithTheirProvenance) {
  Calibration calibration{"e256", 0xAB, "avocet-1", {}};
  calibration.figures.push_back({hal::OperandType::TensorFloat32, "CONV_2D", 250, 1000, 500});
  nlohmann::json json = nlohmann::json::parse(toJson(calibration, 2.0));
  EXPECT_EQ(json["fingerprint"], "00000000000000ab");
  EXPECT_EQ(json["target"], "e256");
  EXPECT_FALSE(json["date"].get<std::string>().empty());
  EXPECT_FALSE(json["reference"].get<std::string>().empty());
  const nlohmann::json &figure = json["figures"][0];
  EXPECT_EQ(figure["type"], "TENSOR_FLOAT32");
  EXPECT_EQ(figure["code"], 3);
  EXPECT_DOUBLE_EQ(figure["execTime"].get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(figure["powerUsage"].get<double>(), 500.0 / (1000 * 2.0));
}

TEST(CpuReferenceTest, ConvolvesWithZeroPadding) {
  ConvWorkload work{3, 1};
  std::vector<int8_t> input = {1, 2, 3, 4, 5, 6, 7, 8, 9}, filter(9, 1), output(9);
  convolve<int8_t, int32_t>(work, input, filter, output, [](int32_t sum) { return static_cast<int8_t>(sum); });
  EXPECT_EQ(output, (std::vector<int8_t>{12, 21, 16, 27, 45, 33, 24, 39, 28}));
}

} // namespace
} // namespace avocet::tool::test
