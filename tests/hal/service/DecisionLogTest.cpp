//===- DecisionLogTest.cpp - Messages about refusals and connections ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include "avocet/hal/ipc/ResilientDevice.h"
#include "avocet/hal/types/VerboseLog.h"

#include <gmock/gmock.h>

namespace avocet::hal::testing {
namespace {

using ::testing::HasSubstr;

class ServiceDecisionTest : public ServiceFixture {
protected:
  void TearDown() override {
    setVerboseTags(0);
    ServiceFixture::TearDown();
  }

  /// The messages of one tag while `happen` runs and until the service has ended.
  template <typename Happen> std::string messagesOf(VerboseTag tag, Happen happen) {
    setVerboseTags(1U << static_cast<uint32_t>(tag));
    ::testing::internal::CaptureStderr();
    happen();
    service_.reset();
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(ServiceDecisionTest, RefusedObjectsAreLogged) {
  Quotas quotas;
  quotas.objects = 1;
  start(quotas);
  EXPECT_THAT(messagesOf(VerboseTag::Driver,
                         [&] {
                           auto device = connect();
                           auto kept = device->prepareModel(addModel({4}), {});
                           EXPECT_FALSE(device->prepareModel(addModel({4}), {}).isOk());
                         }),
              HasSubstr("driver: object refused: RESOURCE_EXHAUSTED_TRANSIENT: the client has 1 objects, its limit"));
}

TEST_F(ServiceDecisionTest, RefusedCallsAreLogged) {
  Quotas quotas;
  quotas.callBytes = 1'000; // less than any model takes
  start(quotas);
  EXPECT_THAT(messagesOf(VerboseTag::Driver, [&] { EXPECT_FALSE(connect()->prepareModel(addModel({4}), {}).isOk()); }),
              ::testing::ContainsRegex("driver: service: call [0-9]+ refused: RESOURCE_EXHAUSTED_TRANSIENT: messages"));
}

TEST_F(ServiceDecisionTest, MissingServiceIsLogged) {
  const std::string text = messagesOf(VerboseTag::Manager, [&] { EXPECT_FALSE(listDevices(path_ + "-none").isOk()); });
  EXPECT_THAT(text, HasSubstr("manager: service at " + path_ + "-none not used: DEAD_OBJECT: "));
}

TEST_F(ServiceDecisionTest, UnknownDeviceIsLogged) {
  const std::string text = messagesOf(VerboseTag::Manager, [&] { EXPECT_FALSE(connectDevice(path_, "other").isOk()); });
  EXPECT_THAT(text, HasSubstr("manager: device other of the service at " + path_ + " not used: "));
}

TEST_F(ServiceDecisionTest, RestartIsLogged) {
  auto device = connectResilientDevice(path_, "npu", {});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  const std::string text = messagesOf(VerboseTag::Manager, [&] {
    start({}); // ends the present service
    EXPECT_TRUE(eventually([&] { return (*device)->getSupportedOperations(addModel({4})).isOk(); }));
  });
  EXPECT_THAT(text, HasSubstr("manager: the service of device npu has ended; connecting again"));
  EXPECT_THAT(text, HasSubstr("manager: device npu connected again, epoch 2"));
}

} // namespace
} // namespace avocet::hal::testing
