//===- FactoryTest.cpp - Devices that the provider lists --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Factory.h"
#include "FakeRuntime.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::ort {
namespace {

using testing::HasSubstr;

KernelDevices noDevices() { return {}; }
KernelDevices nodeSeven() { return {{"accel7", "kernel:/nonexistent/accel7", "m512"}}; }

/// A factory in a runtime with a processor and the accelerators 3 and 7.
class ProviderDevices : public testing::Test {
protected:
  void open(KernelDevices (*kernelDevices)(), const char *version = "1.30.0") {
    const Result<Runtime> runtime = Runtime::open(fakeRuntime(version));
    ASSERT_TRUE(runtime);
    auto made = Factory::make(*runtime, "0.1.0", kernelDevices);
    ASSERT_TRUE(made);
    factory_ = std::move(*made);
  }
  void TearDown() override { ::unsetenv("AVOCET_BACKEND"); }

  std::vector<FakeEpDevice> devices(size_t room = 4) {
    const abi::HardwareDevice *hardware[] = {cpu_.get(), third_.get(), seventh_.get(), unnumbered_.get()};
    std::vector<abi::EpDevice *> made(room);
    size_t count = 0;
    EXPECT_EQ(factory_->getSupportedDevices(factory_.get(), hardware, 4, made.data(), room, &count), nullptr);
    std::vector<FakeEpDevice> all;
    for (size_t i = 0; i < count; ++i) {
      const std::unique_ptr<FakeEpDevice> owned(reinterpret_cast<FakeEpDevice *>(made[i]));
      all.push_back(*owned);
    }
    return all;
  }

  const FakeHardware cpu_{}, third_{abi::HardwareType::Npu, {{"accel_idx", "3"}}},
      seventh_{abi::HardwareType::Npu, {{"accel_idx", "7"}}}, unnumbered_{abi::HardwareType::Npu};
  std::unique_ptr<Factory> factory_;
};

TEST_F(ProviderDevices, OneOfTheKernelDriverIsTaken) {
  open(nodeSeven);
  const std::vector<FakeEpDevice> all = devices();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].hardware, &seventh_);
  EXPECT_TRUE(all[0].hasAllocator);
  EXPECT_TRUE(devices(0).empty());
}

TEST_F(ProviderDevices, SessionsRunOnItsNode) {
  open(nodeSeven);
  ASSERT_EQ(devices().size(), 1U);
  const abi::HardwareDevice *chosen = seventh_.get();
  const abi::KeyValuePairs *metadata = nullptr;
  abi::Provider *provider = nullptr;
  const FakeStatus status =
      taken(factory_->createProvider(factory_.get(), &chosen, &metadata, 1, nullptr, nullptr, &provider));
  EXPECT_THAT(status.text, HasSubstr("the embedded device 'm512' cannot be opened"));
  EXPECT_THAT(status.text, HasSubstr("/nonexistent/accel7"));
}

TEST_F(ProviderDevices, OneIsVirtualWithoutKernelDriver) {
  open(noDevices);
  const std::vector<FakeEpDevice> all = devices();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].hardware->vendor, "Avocet");
  EXPECT_EQ(all[0].hardware->type, abi::HardwareType::Npu);
}

TEST_F(ProviderDevices, OlderRuntimesShowItAsTheProcessor) {
  open(noDevices, "1.23.0");
  const std::vector<FakeEpDevice> all = devices();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].hardware, &cpu_);
}

TEST_F(ProviderDevices, ChosenBackEndIsKept) {
  ::setenv("AVOCET_BACKEND", "null", 1);
  open(nodeSeven);
  const std::vector<FakeEpDevice> all = devices();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].hardware->vendor, "Avocet");
}

} // namespace
} // namespace avocet::ort
