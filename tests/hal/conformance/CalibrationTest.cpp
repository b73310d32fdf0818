//===- CalibrationTest.cpp - Tests of calibration ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "calibrate/Calibration.h"
#include "avocet/hal/types/Validation.h"
#include "calibrate/Workloads.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

TEST(CalibrationTest, FigureIsMeanOfItsWorkloads) {
  Calibration calibration{"e256", 0xAB, "avocet-1", {}};
  calibration.figures = {{"TENSOR_FLOAT32", "small", 200, 1000, 500},
                         {"TENSOR_FLOAT32", "large", 80'000, 100'000, 50'000},
                         {"IF", "branch", 300, 100, 600}};
  const nlohmann::json json = nlohmann::json::parse(toJson(calibration, 2.0));
  EXPECT_EQ(json["fingerprint"], "00000000000000ab");
  EXPECT_EQ(json["target"], "e256");
  EXPECT_FALSE(json["date"].get<std::string>().empty());
  EXPECT_FALSE(json["reference"].get<std::string>().empty());
  ASSERT_EQ(json["figures"].size(), 2);
  const nlohmann::json &figure = json["figures"][0];
  EXPECT_EQ(figure["figure"], "TENSOR_FLOAT32");
  EXPECT_EQ(figure["workloads"].size(), 2);
  EXPECT_DOUBLE_EQ(figure["execTime"].get<double>(), 0.4); // of 0.2 and 0.8
  EXPECT_DOUBLE_EQ(figure["powerUsage"].get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(json["figures"][1]["execTime"].get<double>(), 3);
}

TEST(WorkloadsTest, ModelsAreValid) {
  for (const Workload &work : referenceWorkloads()) {
    const auto valid = hal::validate(work.model);
    EXPECT_TRUE(valid.isOk()) << work.figure << " " << work.name << ": " << (valid ? "" : valid.error().message);
  }
}

} // namespace
} // namespace avocet::tool::test
