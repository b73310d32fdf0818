//===- ModelTest.cpp - Real networks through the delegate - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "DelegateClient.h"
#include "GoldenModels.h"
#include "ServiceProcess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>

namespace avocet::delegate {
namespace {

using golden::GoldenCase;
using golden::GoldenModel;

/// Networks that TensorFlow Lite itself refuses, with its reason.
const std::map<std::string, std::string> kRefused = {
    {"person_detect_int8", "quantized_dimension must be in range [0, 1)"},
};

class DelegatedModelTest : public testing::TestWithParam<GoldenModel> {
protected:
  /// Each case in an interpreter of its own, since the cases start from zero states.
  void runCases(DelegateClient &client) {
    const Result<std::vector<uint8_t>> file = readFile(GetParam().path);
    const Result<std::vector<GoldenCase>> cases = golden::loadCases(GetParam());
    ASSERT_TRUE(file && cases);
    for (const GoldenCase &each : std::span(*cases).first(std::min<size_t>(cases->size(), AVOCET_MOST_CASES))) {
      SCOPED_TRACE(each.id);
      const Result<std::vector<Bytes>> outputs = client.run({*file, each.inputs});
      if (const auto refused = kRefused.find(GetParam().name); refused != kRefused.end()) {
        EXPECT_NE(outputs.status().message().find(refused->second), std::string::npos) << outputs.status().toString();
        continue;
      }
      ASSERT_TRUE(outputs) << outputs.status().toString();
      const differential::DeviceResult device = differential::runOnDevice(differential::testModel(*file, each.inputs));
      EXPECT_TRUE(*outputs == device.outputs) << "other bits than Avocet's own run";
      for (size_t i = 0; i < each.outputs.size(); ++i)
        EXPECT_EQ(golden::compare(GetParam().rule, (*outputs)[i], each.outputs[i], each.sameArgmax), "");
      EXPECT_EQ(client.summary().onDevice, client.summary().nodes);
      EXPECT_EQ(client.summary().partitions, 1u);
      EXPECT_EQ(client.summary().bytesCopied, 0u);
    }
  }
};

TEST_P(DelegatedModelTest, AllNodesRunOnEmbeddedDevice) {
  const Result<std::string> library = differential::findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  DelegateClient client(*library);
  runCases(client);
}

TEST_P(DelegatedModelTest, AllNodesRunOnDeviceOfService) {
  const Result<std::string> library = differential::findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  ServiceProcess service;
  ASSERT_TRUE(service.start());
  DelegateClient client(*library, {"socket=" + service.socket(), "device=avocet-e256"});
  runCases(client);
}

INSTANTIATE_TEST_SUITE_P(Networks, DelegatedModelTest, testing::ValuesIn(golden::goldenModels()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::delegate

namespace avocet::golden {
void PrintTo(const GoldenModel &model, std::ostream *stream) { *stream << model.name; }
} // namespace avocet::golden
