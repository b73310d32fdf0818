//===- LostDeviceTest.cpp - What happens when the device is gone --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"

#include "avocet/runtime/Context.h"

#include <gtest/gtest.h>

namespace avocet::runtime::test {
namespace {

/// Loses the device at the first createContext(), and comes back at reset().
class MortalBackend final : public Backend {
public:
  explicit MortalBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  const DeviceProperties &properties() const override { return inner_->properties(); }
  Result<ContextHandle> createContext() override {
    ++calls;
    if (!isAlive)
      return Status(StatusCode::DeviceLost, "gone");
    return inner_->createContext();
  }
  Status destroyContext(ContextHandle context) override { return inner_->destroyContext(context); }
  Result<BufferHandle> createBuffer(uint64_t bytes) override {
    ++calls;
    return inner_->createBuffer(bytes);
  }
  Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t bytes, bool writable) override {
    return inner_->importBuffer(file, bytes, writable);
  }
  Result<FileDescriptor> exportBuffer(BufferHandle buffer) override { return inner_->exportBuffer(buffer); }
  Status destroyBuffer(BufferHandle buffer) override { return inner_->destroyBuffer(buffer); }
  Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override {
    return inner_->map(context, buffer, access);
  }
  Status unmap(ContextHandle context, uint64_t address) override { return inner_->unmap(context, address); }
  Result<JobHandle> submit(const Submission &submission) override { return inner_->submit(submission); }
  Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override {
    return inner_->wait(context, job, timeout);
  }
  Status reset() override {
    isAlive = true;
    return Status::ok();
  }

  bool isAlive = false;
  int calls = 0;

private:
  std::unique_ptr<Backend> inner_;
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
