//===- ExchangeTest.cpp - One request to a hostile worker -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Packet.h"
#include "SocketPair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

using ::testing::HasSubstr;

/// Accepts one request as a worker, with `process` as its process descriptor.
void takeOneRequest(int control, const FileDescriptor &process) {
  const std::optional<ReceivedPacket> request = receivePacket(control);
  ASSERT_TRUE(request && request->descriptors.size() == 2);
  const int descriptors[] = {process.get()};
  EXPECT_TRUE(sendPacket(request->descriptors[0].get(), {PacketKind::Taken, 0}, descriptors));
}

class ExchangeTest : public ::testing::Test {
protected:
  /// Status of a request to a worker that sends `process` and ends, and whether the service holds a process then.
  std::pair<avocet::Status, bool> statusAfter(const FileDescriptor &process) {
    const WorkerOptions options;
    Exchange exchange(control_.ours.get(), options, options.memoryBytes);
    auto file = WorkerMessageWriter().write();
    EXPECT_TRUE(file.isOk());
    std::thread worker([&] { takeOneRequest(control_.theirs.get(), process); });
    const avocet::Status status =
        exchange.run({&*file, nullptr}, {}, [](const WorkerMessage &) { return avocet::Status::ok(); });
    worker.join();
    const bool wasTaken = exchange.wasTaken();
    if (wasTaken)
      (void)exchange.endWorker();
    return {status, wasTaken};
  }

  SocketPair control_;
};

/// poll() reports a memory file as readable, like the descriptor of a dead process.
TEST_F(ExchangeTest, RejectsWorkerWithoutProcessDescriptor) {
  const FileDescriptor file(::memfd_create("process", MFD_CLOEXEC));
  const auto [status, wasTaken] = statusAfter(file);
  EXPECT_THAT(status.message(), HasSubstr("unknown kind"));
  EXPECT_FALSE(wasTaken);
}

TEST_F(ExchangeTest, AcceptsDescriptorOfEndedProcess) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(0);
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  ::waitpid(child, nullptr, 0);
  const auto [status, wasTaken] = statusAfter(process);
  EXPECT_THAT(status.message(), HasSubstr("without an answer"));
  EXPECT_TRUE(wasTaken);
}

} // namespace
} // namespace avocet::hal
