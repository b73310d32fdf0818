//===- WrongDeviceTest.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The benchmark must report what a device with a wrong result loses.

#include "MiscompilingDevice.h"
#include "Tflite_generated.h"
#include "avocet/base/File.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "benchmark/BenchmarkReport.h"
#include "benchmark/Requirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/";

/// Negates the weights of the last layer with many of them, in the file that the model carries.
void spoilWeights(hal::Model &model) {
  const tflite::Model *file = tflite::GetModel(model.operandValues.data());
  const flatbuffers::Vector<uint8_t> *largest = nullptr;
  for (const tflite::Buffer *buffer : *file->buffers())
    if (buffer->data() && (largest == nullptr || buffer->data()->size() >= largest->size()))
      largest = buffer->data();
  const size_t offset = static_cast<size_t>(largest->data() - model.operandValues.data());
  for (size_t i = 0; i < largest->size(); ++i)
    model.operandValues[offset + i] = static_cast<uint8_t>(-model.operandValues[offset + i]);
}

BenchmarkDevice deviceOf(const std::string &name, std::shared_ptr<hal::IDevice> device) {
  BenchmarkDevice made;
  made.name = name;
  made.device = std::move(device);
  made.preparations = 1;
  return made;
}

Result<NetworkResult> measureDigits(const std::vector<BenchmarkDevice> &devices) {
  constexpr size_t kImages = 100;
  BenchmarkOptions options;
  options.cases.images.images = kDigits + "test-images.idx3-ubyte";
  options.cases.images.labels = kDigits + "test-labels.idx1-ubyte";
  options.cases.images.limit = kImages;
  options.runs = 1;
  const std::string path = kDigits + "digits_int8.tflite";
  Progress progress;
  return benchmarkNetwork("digits", path, readFile(path).value(), devices, options, progress);
}

TEST(WrongDeviceTest, LostAccuracyIsReported) {
  const std::shared_ptr<hal::IDevice> cpu = *hal::openCpuDevice();
  const auto wrong = hal::conformance::makeMiscompilingDevice(cpu, spoilWeights);
  const Result<NetworkResult> result =
      measureDigits({deviceOf("cpu", cpu), deviceOf("same", cpu), deviceOf("wrong", wrong)});
  ASSERT_TRUE(result.isOk()) << result.status().toString();
  const DeviceResult &same = result->devices[1], &spoilt = result->devices[2];
  EXPECT_GT(same.labels->top1(), 0.9);
  EXPECT_LT(spoilt.labels->top1(), 0.5);
  EXPECT_EQ(same.reference.outputs[0].equalCases(), 100u);
  EXPECT_LT(spoilt.reference.outputs[0].equalCases(), 10u);
  EXPECT_LT(spoilt.reference.outputs[0].inside(), 0.9);
  EXPECT_LT(spoilt.reference.outputs[0].psnr().value(), 20);
  EXPECT_THAT(brokenRequirements({{"top1", 90}}, {*result}), ElementsAre(HasSubstr("digits on wrong: top1 is")));
  EXPECT_THAT(brokenRequirements({{"cpu", 99}}, {*result}), ElementsAre(HasSubstr("digits on wrong: cpu is")));
  EXPECT_THAT(benchmarkPage({{*result}, {}, {}}), HasSubstr("class=\"wrong\" style"));
}

TEST(WrongDeviceTest, RefusingDeviceIsNamed) {
  const std::shared_ptr<hal::IDevice> cpu = *hal::openCpuDevice();
  const auto refusing = hal::conformance::makeMiscompilingDevice(
      cpu, [](hal::Model &model) { std::ranges::fill(model.operandValues, uint8_t(0)); });
  const Result<NetworkResult> result = measureDigits({deviceOf("cpu", cpu), deviceOf("refusing", refusing)});
  EXPECT_THAT(result.status().message(), HasSubstr("refusing: "));
}

} // namespace
} // namespace avocet::tool
