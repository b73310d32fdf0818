//===- LargeCyclesTest.cpp - Cycles of networks in pieces ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulated cycles of operations larger than SRAM, over the bound of the network. Each limit is a few percent above
// today's figure, so that pieces with short runs, or that wait for their loads, are seen.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"
#include "LargeNetworks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace avocet::compiler {
namespace {

struct Limit {
  const char *network;
  const char *target;
  double mostOverBound;
};

constexpr Limit kLimits[] = {
    {"mean_image/rank4/i8", "e256s", 1.05},      {"mean_image/rank4/i8", "m512", 1.1},
    {"mean_image/rank4/i8", "p4096", 1.1},       {"mean_image/rank4/f32", "e256", 1.05},
    {"mean_image/rank4/f32", "m512", 1.05},      {"max_image/rank4/f32", "e256s", 1.05},
    {"argmax_rows/rank4/i8", "e256s", 1.05},     {"argmax_rows/rank4/i8", "p4096", 1.15},
    {"argmax_columns/rank4/i8", "p4096", 1.15},  {"transpose/image/i8", "e256s", 1.05},
    {"transpose/image/i8", "m512", 1.1},         {"transpose/image/i8", "p4096", 1.35},
    {"softmax/image/i8", "e256s", 1.3},          {"transpose/to_planes/f32", "e256s", 1.05},
    {"transpose/copy/f32", "p4096", 1.1},        {"softmax/image/i8", "m512", 1.25},
    {"softmax/image/i8", "p4096", 5.1},          {"softmax_axis1/rank2/i8", "e256", 1.05},
    {"max_pool_2d/global/i8", "e256s", 1.05},    {"max_pool_2d/global/f32", "m512", 1.05},
    {"max_pool_2d/global/i8", "p4096", 1.15},    {"average_pool_2d/global/i8", "m512", 1.1},
    {"max_pool_2d/overlapping/i8", "m512", 1.1},
};

Result<session::LoadedModel> compiled(const Limit &limit) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("largeCycles." + std::to_string(getpid()) + ".mlir");
  std::ofstream(path) << largeNetwork(limit.network).text;
  Result<session::LoadedModel> model = golden::compile(path.string(), limit.target);
  std::filesystem::remove(path);
  return model;
}

class LargeCycles : public testing::TestWithParam<Limit> {};

TEST_P(LargeCycles, AreNearTheBound) {
  const Result<session::LoadedModel> model = compiled(GetParam());
  ASSERT_TRUE(model) << model.status().toString();
  Result<golden::Inference> inference = golden::Inference::open(*model, {.functional = false});
  ASSERT_TRUE(inference) << inference.status().toString();
  std::vector<golden::Bytes> inputs;
  const cache::ModelCache &cache = *model->artefacts.model;
  for (uint32_t i = 0; i < cache.numInputs(); ++i)
    inputs.emplace_back(cache.input(i).bytes);
  ASSERT_TRUE(inference->run(inputs));
  EXPECT_LE(double(inference->cycles()), GetParam().mostOverBound * double(cache.rooflineCycles()));
}

INSTANTIATE_TEST_SUITE_P(Limits, LargeCycles, testing::ValuesIn(kLimits), [](const auto &info) {
  std::string name = std::string(info.param.network) + "_" + info.param.target;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

} // namespace
} // namespace avocet::compiler
