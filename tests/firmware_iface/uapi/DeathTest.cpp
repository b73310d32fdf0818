//===- DeathTest.cpp - Processes that are killed in each state ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "Client.h"
#include "DmaBuf.h"
#include "KernelState.h"
#include "SyncFile.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace avocet::uapi {
namespace {

using namespace std::chrono_literals;

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);

/// Tells the parent that the state is reached, and stays in it.
int stay(int socket) {
  sendByte(socket);
  ::pause();
  return 1;
}

/// Kills a process once it has sent a byte; the kernel must then hold what it held before, and serve the next client.
class DeathTest : public testing::Test {
protected:
  void killIn(const std::function<int(int socket)> &state) {
    {
      Child child(state);
      ASSERT_TRUE(awaitByte(child.socket()));
      child.kill();
    }
    EXPECT_EQ(KernelState::readUntil(before_), before_);
    const Device device;
    Client client(device);
    client.fill(12);
    EXPECT_EQ(client.wait(client.submit(Program::Copy).job).state, kComplete);
    EXPECT_TRUE(client.hasCopied(12));
  }

  KernelState before_ = KernelState::readIdle();
};

TEST_F(DeathTest, WithBuffersAndMappings) {
  killIn([](int socket) {
    const Device device;
    Client client(device);
    Buffer large(device, 1 << 20);
    client.map(large.handle(), AVOCET_ACCESS_READ);
    return stay(socket);
  });
}

TEST_F(DeathTest, WithImportedAndExportedMemory) {
  killIn([](int socket) {
    const Device device;
    Client client(device);
    const DmaBuf udmabuf = makeUdmabuf(1 << 16), heap = makeFromHeap(1 << 16);
    uint32_t handle = 0;
    for (const DmaBuf *buffer : {&udmabuf, &heap})
      if (device.importDmaBuf(buffer->fd(), handle) == 0)
        client.map(handle, AVOCET_ACCESS_READ);
    Result<FileDescriptor> file = createMemoryFile("pool", 1 << 16);
    Mapping memory = std::move(*Mapping::map(file->get(), 1 << 16, Mapping::Access::ReadWrite));
    avocet_bo_import import{
        .address = reinterpret_cast<uintptr_t>(memory.bytes().data()), .size = 1 << 16, .flags = 0, .handle = 0};
    if (device.call(AVOCET_IOCTL_BO_IMPORT, import) != 0)
      return 1;
    client.map(import.handle, AVOCET_ACCESS_READ);
    FileDescriptor exported;
    device.exportHandle(client.output().handle(), exported);
    return stay(socket);
  });
}

TEST_F(DeathTest, WithRunningJob) {
  killIn([](int socket) {
    const Device device;
    Client client(device);
    const Submitted gate = client.submit(Program::Gate);
    (void)signals(gate.fence, 50ms);
    return stay(socket);
  });
}

TEST_F(DeathTest, WithQueuedJobs) {
  killIn([](int socket) {
    const Device device;
    Client client(device);
    const Submitted gate = client.submit(Program::Gate);
    std::vector<Submitted> queued;
    for (int i = 0; i < 100; ++i)
      queued.push_back(client.submit(Program::Copy));
    return stay(socket);
  });
}

TEST_F(DeathTest, InsideWait) {
  killIn([](int socket) {
    const Device device;
    Client client(device);
    const Submitted gate = client.submit(Program::Gate);
    sendByte(socket);
    return client.wait(gate.job, -1).error;
  });
}

TEST_F(DeathTest, WithJobThatWaitsForOwnFence) {
  killIn([](int socket) {
    const Device device;
    Client first(device), second(device);
    const Submitted gate = first.submit(Program::Gate), waiting = second.submit(Program::Copy, {gate.fence.get()});
    return stay(socket);
  });
}

TEST_F(DeathTest, BetweenSubmissions) {
  killIn([](int socket) {
    const Device device;
    Client client(device);
    for (int i = 0;; ++i) {
      const Submitted job = client.submit(Program::Copy);
      if (i == 20)
        sendByte(socket);
      if (i % 100 == 99)
        client.wait(job.job);
    }
    return 1;
  });
}

TEST_F(DeathTest, WhileContextsComeAndGo) {
  killIn([](int socket) {
    const Device device;
    for (int i = 0;; ++i) {
      const Client client(device);
      if (i == 3)
        sendByte(socket);
    }
    return 1;
  });
}

TEST_F(DeathTest, JobThatWaitedForDeadProcessFails) {
  {
    const Device device;
    Client client(device);
    Child child([](int socket) {
      const Device theirDevice;
      Client theirs(theirDevice);
      const Submitted gate = theirs.submit(Program::Gate);
      sendDescriptor(socket, gate.fence.get());
      return stay(socket);
    });
    const FileDescriptor fence = receiveDescriptor(child.socket());
    const Submitted dependent = client.submit(Program::Copy, {fence.get()});
    EXPECT_EQ(dependent.error, 0);
    child.kill();
    EXPECT_EQ(client.wait(dependent.job).state, uint32_t(AVOCET_JOB_FAULTED));
    EXPECT_EQ(client.wait(client.submit(Program::Copy).job).state, kComplete);
  }
  EXPECT_EQ(KernelState::readUntil(before_), before_);
}

TEST_F(DeathTest, WithJobThatWaitsForForeignFence) {
  {
    const Device device;
    Client client(device);
    const Submitted gate = client.submit(Program::Gate);
    Child child([](int socket) {
      const FileDescriptor fence = receiveDescriptor(socket);
      const Device theirDevice;
      Client theirs(theirDevice);
      const Submitted waiting = theirs.submit(Program::Copy, {fence.get()});
      return stay(socket);
    });
    sendDescriptor(child.socket(), gate.fence.get());
    ASSERT_TRUE(awaitByte(child.socket()));
    child.kill();
    EXPECT_EQ(client.wait(gate.job, 0).error, ETIMEDOUT) << "the fence's own job goes on";
    client.openGate();
    EXPECT_EQ(client.wait(gate.job).state, kComplete);
  }
  EXPECT_EQ(KernelState::readUntil(before_), before_);
}

TEST_F(DeathTest, TwoProcessesGetTheirOwnResults) {
  auto work = [](int socket) {
    uint8_t seed = 0;
    if (::read(socket, &seed, 1) != 1)
      return 1;
    const Device device;
    Client client(device);
    for (int i = 0; i < 100; ++i) {
      const auto value = uint8_t(seed + 3 * i);
      client.fill(value);
      if (client.wait(client.submit(Program::Copy).job).state != kComplete || !client.hasCopied(value))
        return 2;
    }
    return 0;
  };
  Child first(work), second(work);
  EXPECT_EQ(::write(first.socket(), "\x01", 1), 1);
  EXPECT_EQ(::write(second.socket(), "\x80", 1), 1);
  EXPECT_EQ(first.join(), 0);
  EXPECT_EQ(second.join(), 0);
  EXPECT_EQ(KernelState::readUntil(before_), before_);
}

} // namespace
} // namespace avocet::uapi
