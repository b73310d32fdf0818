//===- DeviceFixture.h - A device and a prepared model in tests ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_DEVICEFIXTURE_H
#define AVOCET_TESTS_HAL_DRIVER_DEVICEFIXTURE_H

#include "SmallModels.h"

#include <gtest/gtest.h>

namespace avocet::hal::testing {

class DeviceFixture : public ::testing::Test {
protected:
  void SetUp() override { open({}); }

  void open(const DriverOptions &options) {
    Result<std::shared_ptr<Driver>> driver = Driver::open(options);
    ASSERT_TRUE(driver.isOk()) << driver.error().message;
    driver_ = *driver;
    device_ = connect({});
  }

  std::shared_ptr<ClientDevice> connect(const ClientQuotas &quotas) {
    Result<std::shared_ptr<ClientDevice>> device = driver_->connect({"test", quotas});
    EXPECT_TRUE(device.isOk()) << device.error().message;
    return device ? *device : nullptr;
  }

  std::shared_ptr<IPreparedModel> prepare(const Model &model, const PrepareOptions &options = {}) {
    Result<std::shared_ptr<IPreparedModel>> prepared = device_->prepareModel(model, options);
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }

  std::shared_ptr<Driver> driver_;
  std::shared_ptr<IDevice> device_;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_DEVICEFIXTURE_H
