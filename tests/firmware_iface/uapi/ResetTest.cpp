//===- ResetTest.cpp - Resets with several clients ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "Client.h"
#include "Module.h"
#include "SyncFile.h"

#include "avocet/firmware_iface/Fault.h"

#include <gtest/gtest.h>
#include <memory>

namespace avocet::uapi {
namespace {

using namespace std::chrono_literals;
using firmware::FaultCode;

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);
constexpr auto kReset = uint32_t(FaultCode::DeviceReset);

/// Of the highest priority, so that no other job runs before the reset.
Submitted submitHang(Client &client) {
  avocet_submit call = client.describe(Program::Gate);
  call.priority = static_cast<uint32_t>(client.device().parameter(AVOCET_PARAM_MAX_PRIORITY));
  return client.submit(call);
}

class ResetTest : public testing::Test {
protected:
  /// A reset before the device has started the job keeps it.
  void resetUntilEnded(const Submitted &hang) {
    avocet_reset call{};
    do
      ASSERT_EQ(device_.call(AVOCET_IOCTL_RESET, call), 0);
    while (!signals(hang.fence, 5ms));
  }

  Device device_;
};

/// Ten jobs in each of several contexts, two of them of another file; submitted while another job hangs.
class Innocents {
public:
  explicit Innocents(const Device &device) {
    for (int i = 0; i < 4; ++i)
      clients_.push_back(std::make_unique<Client>(i % 2 == 0 ? device : other_));
  }

  void submit(const std::vector<int> &after = {}) {
    for (size_t i = 0; i < clients_.size(); ++i) {
      clients_[i]->fill(uint8_t(10 + i));
      for (int job = 0; job < 10; ++job)
        jobs_.push_back(clients_[i]->submit(Program::Copy, after));
    }
  }

  void expectCompleted() {
    for (size_t i = 0; i < jobs_.size(); ++i) {
      const Waited waited = clients_[i / 10]->wait(jobs_[i].job);
      EXPECT_EQ(waited.state, kComplete) << "job " << i << ": fault " << waited.fault << ", error " << waited.error;
      EXPECT_TRUE(signals(jobs_[i].fence, kPatience));
      EXPECT_EQ(statusOf(jobs_[i].fence), 1) << "job " << i;
    }
    for (size_t i = 0; i < clients_.size(); ++i)
      EXPECT_TRUE(clients_[i]->hasCopied(uint8_t(10 + i)));
  }

private:
  Device other_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<Submitted> jobs_;
};

TEST_F(ResetTest, QueuedJobsOfAllFilesRunAfterReset) {
  Client hung(device_);
  Innocents innocents(device_);
  const Submitted hang = submitHang(hung);
  innocents.submit();
  resetUntilEnded(hang);
  EXPECT_EQ(hung.wait(hang.job).fault, kReset);
  innocents.expectCompleted();
  EXPECT_EQ(hung.wait(hung.submit(Program::Copy).job).state, kComplete);
}

/// The driver itself notices that a job does not end.
TEST(HangTest, DeviceIsResetAndInnocentJobsComplete) {
  const ParameterChange shorter("job_timeout_ms=3000");
  const Device device;
  Client hung(device);
  Innocents innocents(device);
  const Submitted hang = submitHang(hung);
  innocents.submit();
  EXPECT_TRUE(signals(hang.fence, kPatience));
  EXPECT_EQ(hung.wait(hang.job).fault, kReset);
  innocents.expectCompleted();
  EXPECT_EQ(hung.wait(hung.submit(Program::Copy).job).state, kComplete);
}

TEST_F(ResetTest, SuccessorsOfHungJobInItsContextRun) {
  Client hung(device_);
  hung.fill(99);
  const Submitted hang = submitHang(hung), successor = hung.submit(Program::Copy);
  resetUntilEnded(hang);
  EXPECT_EQ(hung.wait(successor.job).state, kComplete);
  EXPECT_TRUE(hung.hasCopied(99));
}

TEST_F(ResetTest, JobsThatWaitForHungJobFail) {
  Client hung(device_), other(device_);
  const Submitted hang = submitHang(hung), dependent = other.submit(Program::Copy, {hang.fence.get()});
  resetUntilEnded(hang);
  EXPECT_EQ(other.wait(dependent.job).fault, uint32_t(FaultCode::DependencyFailed));
}

TEST_F(ResetTest, CancelledJobStaysCancelled) {
  Client hung(device_);
  const Submitted hang = submitHang(hung), queued = hung.submit(Program::Copy);
  EXPECT_EQ(hung.cancel(queued.job), 0);
  resetUntilEnded(hang);
  EXPECT_EQ(hung.wait(queued.job).fault, uint32_t(FaultCode::Cancelled));
}

TEST_F(ResetTest, ResetsUnderLoadLoseNoJob) {
  Child child([](int) {
    const Device device;
    Client client(device);
    for (int i = 0; i < 200; ++i) {
      client.fill(uint8_t(i));
      const Waited waited = client.wait(client.submit(Program::Copy).job);
      if (waited.error != 0 || (waited.state != kComplete && waited.fault != kReset))
        return 1;
      if (waited.state == kComplete && !client.hasCopied(uint8_t(i)))
        return 2;
    }
    return 0;
  });
  avocet_reset call{};
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(device_.call(AVOCET_IOCTL_RESET, call), 0);
  EXPECT_EQ(child.join(), 0);
}

} // namespace
} // namespace avocet::uapi
