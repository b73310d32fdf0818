//===- UnloadTest.cpp - The driver goes while clients have it open ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "Client.h"
#include "KernelState.h"
#include "Module.h"
#include "SyncFile.h"

#include <gtest/gtest.h>

namespace avocet::uapi {
namespace {

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);
TEST(UnloadTest, IsRefusedWhileFileIsOpen) {
  const Device device;
  EXPECT_EQ(unloadModule(), EWOULDBLOCK);
  Client client(device);
  EXPECT_EQ(client.wait(client.submit(Program::Copy).job).state, kComplete);
}

TEST(UnloadTest, IsRefusedWhileBufferIsShared) {
  Device device;
  FileDescriptor file;
  {
    const Buffer buffer(device, 1);
    ASSERT_EQ(device.exportHandle(buffer.handle(), file), 0);
  }
  device.close();
  EXPECT_EQ(unloadModule(), EWOULDBLOCK);
}

TEST(UnloadTest, IsRefusedWhileFenceIsOpen) {
  FileDescriptor fence;
  {
    const Device device;
    Client client(device);
    fence = client.submit(Program::Copy).fence;
    ASSERT_TRUE(signals(fence, kPatience));
  }
  EXPECT_EQ(unloadModule(), EWOULDBLOCK);
  EXPECT_EQ(statusOf(fence), 1);
}

TEST(UnloadTest, FenceKeepsItsStateAfterUnbind) {
  const std::string function = findFunction();
  FileDescriptor complete, failed;
  {
    const Device device;
    Client client(device);
    complete = client.submit(Program::Copy).fence;
    ASSERT_TRUE(signals(complete, kPatience));
    failed = client.submit(Program::Gate).fence;
    unbind(function);
  }
  EXPECT_EQ(statusOf(complete), 1);
  EXPECT_LT(statusOf(failed), 0);
  bind(function);
}

TEST(UnloadTest, CallsFailAfterUnbindAndMemoryStays) {
  const std::string function = findFunction();
  const KernelState before = KernelState::readIdle();
  {
    const Device device;
    Client client(device);
    const Submitted gate = client.submit(Program::Gate), queued = client.submit(Program::Copy);
    unbind(function);
    EXPECT_TRUE(signals(gate.fence, kPatience));
    EXPECT_TRUE(signals(queued.fence, kPatience));
    EXPECT_LT(statusOf(gate.fence), 0);
    EXPECT_LT(statusOf(queued.fence), 0);
    avocet_context_create create{};
    EXPECT_EQ(device.call(AVOCET_IOCTL_CONTEXT_CREATE, create), ENODEV);
    client.fill(1); // memory that is mapped stays
    EXPECT_FALSE(client.hasCopied(1));
  }
  bind(function);
  EXPECT_EQ(KernelState::readUntil(before), before);
}

TEST(UnloadTest, UnbindUnderLoadEndsAllClients) {
  const std::string function = findFunction();
  const KernelState before = KernelState::readIdle();
  auto work = [](int socket) {
    const Device device;
    Client client(device);
    const avocet_submit copy = client.describe(Program::Copy);
    for (int i = 0;; ++i) {
      const Submitted job = client.submit(copy);
      if (i == 5)
        sendByte(socket);
      if (job.error != 0)
        return job.error == ENODEV ? 0 : 1;
      (void)signals(job.fence, kPatience);
    }
  };
  for (int round = 0; round < 3; ++round) {
    Child first(work), second(work);
    ASSERT_TRUE(awaitByte(first.socket()) && awaitByte(second.socket()));
    unbind(function);
    EXPECT_EQ(first.join(), 0);
    EXPECT_EQ(second.join(), 0);
    bind(function);
  }
  EXPECT_EQ(KernelState::readUntil(before), before);
  const Device device;
  Client client(device);
  EXPECT_EQ(client.wait(client.submit(Program::Copy).job).state, kComplete);
}

} // namespace
} // namespace avocet::uapi
