//===- NoFallbackTest.cpp - AVOCET_NN_PARTITION=2 -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Its own program, since the library reads its settings once.

#include "FakeDevices.h"

#include <cstdlib>

namespace avocet::nnapi::testing {
namespace {

class NoFallbackTest : public FakeDevicesTest {
protected:
  static void SetUpTestSuite() { setenv("AVOCET_NN_PARTITION", "2", 1); }
};

TEST_F(NoFallbackTest, DeviceRunsModelsAsUsual) {
  const Compilation compilation = compileForAll(addModel());
  Addition addition(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_compute(addition.get()), kOk);
  EXPECT_TRUE(addition.isRight());
  EXPECT_EQ(npu_.executions, 1);
}

TEST_F(NoFallbackTest, FailedPreparationIsReported) {
  npu_.prepareError = hal::ErrorStatus::ResourceExhaustedTransient;
  const Compilation compilation = compilationOf(addModel());
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
  EXPECT_EQ(cpu_.preparations, 0);
}

TEST_F(NoFallbackTest, FailedExecutionIsReported) {
  const Compilation compilation = compileForAll(addModel());
  npu_.executeError = hal::ErrorStatus::DeviceUnavailable;
  Addition addition(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_compute(addition.get()), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
  EXPECT_EQ(cpu_.executions, 0);
}

} // namespace
} // namespace avocet::nnapi::testing
