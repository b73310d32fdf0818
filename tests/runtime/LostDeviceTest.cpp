//===- LostDeviceTest.cpp - Tests of lost devices -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"
#include "ForwardingBackend.h"

#include "avocet/runtime/Context.h"

#include <gtest/gtest.h>

namespace avocet::runtime::test {
namespace {

/// Loses the device at the first createContext(), and restores it at reset().
class MortalBackend final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;

  Result<ContextHandle> createContext(uint32_t owner) override {
    ++calls;
    if (!isAlive)
      return Status(StatusCode::DeviceLost, "gone");
    return ForwardingBackend::createContext(owner);
  }
  Result<BufferHandle> createBuffer(uint64_t bytes) override {
    ++calls;
    return ForwardingBackend::createBuffer(bytes);
  }
  Status reset() override {
    isAlive = true;
    return Status::ok();
  }

  bool isAlive = false;
  int calls = 0;
};

TEST(LostDeviceTest, LossIsStickyUntilReset) {
  BackendOptions options;
  options.target = firmware::Target::load("e256").value();
  auto owned = std::make_unique<MortalBackend>(openBackend("null", options).value());
  MortalBackend &backend = *owned;
  std::shared_ptr<Device> device = Device::adopt(std::move(owned)).value();
  EXPECT_TRUE(device->status().isOk());
  EXPECT_TRUE(Buffer::create(device, 1).isOk());

  EXPECT_EQ(Context::create(device).status().code(), StatusCode::DeviceLost);
  EXPECT_EQ(device->status().code(), StatusCode::DeviceLost);
  int calls = backend.calls;
  EXPECT_EQ(Buffer::create(device, 1).status().code(), StatusCode::DeviceLost);
  EXPECT_EQ(Context::create(device).status().code(), StatusCode::DeviceLost);
  EXPECT_EQ(backend.calls, calls) << "a lost device is not asked again";

  EXPECT_TRUE(device->reset().isOk());
  EXPECT_TRUE(device->status().isOk());
  EXPECT_TRUE(Context::create(device).isOk());
}

} // namespace
} // namespace avocet::runtime::test
