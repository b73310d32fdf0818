//===- AbandonTest.cpp - Clients that go while they have work --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;

class Abandon : public DeviceFixture {
protected:
  void SetUp() override {
    Result<std::shared_ptr<Driver>> driver = Driver::open({});
    ASSERT_TRUE(driver.isOk()) << driver.error().message;
    driver_ = *driver;
    client_ = connect("client");
    device_ = client_;
  }

  std::shared_ptr<ClientDevice> connect(const std::string &name) {
    ClientOptions options;
    options.name = name;
    Result<std::shared_ptr<ClientDevice>> client = driver_->connect(options);
    EXPECT_TRUE(client.isOk()) << client.error().message;
    return client ? *client : nullptr;
  }

  std::shared_ptr<Driver> driver_;
  std::shared_ptr<ClientDevice> client_;
};

TEST_F(Abandon, NothingIsPreparedAfterwardsAndOthersGoOn) {
  auto other = connect("other");
  client_->abandon();
  client_->abandon();
  EXPECT_EQ(client_->prepareModel(addModel({2}), {}).code(), ErrorStatus::DeviceUnavailable);
  int calls = 0;
  ErrorStatus launched = client_->prepareModelAsynchronously(
      addModel({2}), {}, [&](ErrorStatus status, const std::shared_ptr<IPreparedModel> &prepared) {
        EXPECT_EQ(status, ErrorStatus::DeviceUnavailable);
        EXPECT_EQ(prepared, nullptr);
        ++calls;
      });
  EXPECT_EQ(launched, ErrorStatus::DeviceUnavailable);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(other->prepareModel(addModel({2}), {}).isOk());
}

} // namespace
} // namespace avocet::hal
