//===- ConnectionAcceptorTest.cpp - Which connections get a session -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConnectionAcceptor.h"
#include "Objects.h"
#include "ServiceFixture.h"
#include "avocet/hal/wire/Envelope.h"
#include "avocet/hal/wire/Protocol.h"

#include "avocet/hal/ipc/Client.h"

#include <sys/wait.h>

namespace avocet::hal::testing {
namespace {

using namespace std::chrono_literals;

TEST(ConnectionSlotsTest, UserLeavesAsManySlotsAsItTakes) {
  auto slots = std::make_shared<ConnectionSlots>(ConnectionSlots::Limits{6, 100, 0});
  std::vector<ConnectionSlots::Slot> first;
  while (ConnectionSlots::Slot slot = slots->acquire(1, false))
    first.push_back(std::move(slot));
  EXPECT_EQ(first.size(), 3u);
  const ConnectionSlots::Slot second = slots->acquire(2, false), third = slots->acquire(3, false);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(third, nullptr);
  EXPECT_EQ(slots->acquire(2, false), nullptr) << "one is free, and the user has one";
}

TEST(ConnectionSlotsTest, UserIsBoundByOwnLimit) {
  auto slots = std::make_shared<ConnectionSlots>(ConnectionSlots::Limits{100, 2, 0});
  const ConnectionSlots::Slot first = slots->acquire(1, false), second = slots->acquire(1, false);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(slots->acquire(1, false), nullptr);
  EXPECT_NE(slots->acquire(2, false), nullptr);
}

TEST(ConnectionSlotsTest, OperatorMayTakeAllAndItsReserve) {
  auto slots = std::make_shared<ConnectionSlots>(ConnectionSlots::Limits{3, 1, 1});
  std::vector<ConnectionSlots::Slot> taken;
  while (ConnectionSlots::Slot slot = slots->acquire(0, true))
    taken.push_back(std::move(slot));
  EXPECT_EQ(taken.size(), 3u);
  const ConnectionSlots::Slot reserved = slots->acquireReserved();
  EXPECT_NE(reserved, nullptr);
  EXPECT_EQ(slots->acquireReserved(), nullptr);
}

TEST(ConnectionSlotsTest, LastCopyFreesSlot) {
  int freed = 0;
  auto slots = std::make_shared<ConnectionSlots>(ConnectionSlots::Limits{1, 1, 0}, [&] { ++freed; });
  ConnectionSlots::Slot slot = slots->acquire(1, false), copy = slot;
  slot.reset();
  EXPECT_EQ(slots->acquire(2, false), nullptr);
  copy.reset();
  EXPECT_EQ(freed, 1);
  EXPECT_NE(slots->acquire(2, false), nullptr);
}

TEST(DescriptorCountTest, ClientLeavesDescriptorsForOthers) {
  auto counters = std::make_shared<SharedCounters>();
  auto first = std::make_shared<DescriptorCount>(100, 20, counters);
  auto second = std::make_shared<DescriptorCount>(100, 20, counters);
  const SharedHandle handle = std::make_shared<const FileDescriptor>();
  std::vector<SharedHandle> held;
  while (first->check(1))
    held.push_back(first->counted(handle));
  EXPECT_EQ(held.size(), 10u);
  EXPECT_TRUE(second->check(5).isOk());
  EXPECT_EQ(second->check(6).code(), ErrorStatus::ResourceExhaustedTransient);
  held.clear();
  EXPECT_TRUE(second->check(6).isOk());
}

/// A thread that takes or returns a descriptor changes the client's number and that of all clients one after the other.
TEST(DescriptorCountTest, ClientMayBeCountedBeforeTheSum) {
  auto counters = std::make_shared<SharedCounters>();
  auto client = std::make_shared<DescriptorCount>(100, 20, counters);
  const SharedHandle handle = client->counted(std::make_shared<const FileDescriptor>());
  counters->descriptorsNow = 0;
  EXPECT_TRUE(client->check(1).isOk());
  counters->descriptorsNow = 1;
}

class ConnectionAcceptorTest : public ServiceFixture {
protected:
  void startFor(bool operators, uint32_t clients) {
    quotas_.clients = clients;
    quotas_.isOperator = [operators](const PeerCredentials &) { return operators; };
    start(quotas_);
  }
  std::unique_ptr<Channel> connectSilently() const {
    auto channel = Channel::connect(path_);
    EXPECT_TRUE(channel.isOk());
    return channel ? std::move(*channel) : nullptr;
  }
  /// Connects with a patience of 100 ms.
  Result<std::shared_ptr<IDevice>> connectSoon() const {
    ConnectOptions options;
    options.patience = 100ms;
    return connectDevice(path_, "fake", options);
  }

  Quotas quotas_;
};

TEST_F(ConnectionAcceptorTest, SilentConnectionsTakeNoSlot) {
  startFor(true, 1);
  const auto silent = connectSilently();
  EXPECT_TRUE(connectSoon().isOk());
}

TEST_F(ConnectionAcceptorTest, SilentConnectionsEndAtHandshakeLimit) {
  quotas_.handshakeLimit = 20ms;
  startFor(false, 8);
  const auto silent = connectSilently();
  silent->setReceiveLimit(std::chrono::duration_cast<std::chrono::milliseconds>(kPatience));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(silent->receive().isOk());
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience) << "closed by the service, not by our own limit";
}

TEST_F(ConnectionAcceptorTest, UserGetsAtMostHalfOfSlots) {
  startFor(false, 4);
  const auto first = connectSoon(), second = connectSoon();
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_EQ(connectSoon().code(), ErrorStatus::DeadObject) << "waits for a slot";
}

TEST_F(ConnectionAcceptorTest, UserWithTooManyWaitingIsRefused) {
  startFor(false, 2);
  const auto silent = connectSilently();
  EXPECT_EQ(listDevices(path_, 10s).code(), ErrorStatus::ResourceExhaustedTransient);
}

TEST_F(ConnectionAcceptorTest, WaitingClientGetsFreedSlot) {
  startFor(false, 1);
  auto first = connectDevice(path_, "fake");
  ASSERT_TRUE(first.isOk());
  auto second = std::async(std::launch::async, [this] { return connectDevice(path_, "fake").isOk(); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  first = generalFailure("gone");
  EXPECT_TRUE(second.get());
}

TEST_F(ConnectionAcceptorTest, AnswersOperatorsQueryWhenSlotsAreTaken) {
  startFor(true, 1);
  const auto first = connectDevice(path_, "fake");
  ASSERT_TRUE(first.isOk());
  const auto totals = readTotals(path_, 10s);
  ASSERT_TRUE(totals.isOk()) << totals.error().message;
  EXPECT_EQ(totals->clientsNow, 2u);
  EXPECT_EQ(listDevices(path_, 10s)->size(), 2u);
  EXPECT_EQ(connectSoon().code(), ErrorStatus::DeadObject) << "devices are for those with a slot";
}

TEST_F(ConnectionAcceptorTest, AnswersOperatorsQueryBesideSilentCrowd) {
  startFor(true, 4);
  std::vector<std::unique_ptr<Channel>> crowd;
  while (crowd.size() < 4)
    crowd.push_back(connectSilently());
  EXPECT_TRUE(readTotals(path_, 10s).isOk());
}

TEST_F(ConnectionAcceptorTest, ReserveServesNoDevices) {
  startFor(true, 1);
  const auto first = connectDevice(path_, "fake");
  const auto query = connectSilently();
  auto ask = [&](const std::string &device) {
    ipc::fb::HelloT hello;
    hello.protocol = kProtocols.newest;
    hello.device = device;
    ipc::fb::EnvelopeT call;
    call.number = 1;
    call.call.Set(std::move(hello));
    EXPECT_TRUE(ipc::sendEnvelope(*query, call, ipc::HandleWriter()).isOk());
    return static_cast<ErrorStatus>(ipc::openEnvelope(query->receive()->bytes)->error);
  };
  EXPECT_EQ(ask(""), ErrorStatus::None);
  EXPECT_EQ(ask("fake"), ErrorStatus::ResourceExhaustedTransient);
}

TEST_F(ConnectionAcceptorTest, ReserveIsFreedAfterSilentQuery) {
  quotas_.operatorReserve = 1;
  quotas_.handshakeLimit = 50ms;
  startFor(true, 1);
  const auto first = connectDevice(path_, "fake");
  ASSERT_TRUE(first.isOk());
  const auto query = connectSilently();
  ipc::fb::EnvelopeT call;
  call.call.Set(ipc::fb::HelloT());
  ASSERT_TRUE(ipc::sendEnvelope(*query, call, ipc::HandleWriter()).isOk());
  ASSERT_TRUE(query->receive().isOk());
  EXPECT_TRUE(readTotals(path_, 20s).isOk());
}

/// Tests the limit with the kernel's credentials. Needs root, because a child process becomes another user.
TEST_F(ConnectionAcceptorTest, OneUserCannotTakeAllSlots) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can connect as two users";
  quotas_.clients = 8;
  start(quotas_);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t greedy = ::fork();
  if (greedy == 0) {
    (void)!::setresuid(65534, 65534, 65534);
    std::vector<std::shared_ptr<IDevice>> devices;
    while (auto device = connectSoon())
      devices.push_back(std::move(*device));
    const auto count = static_cast<char>(devices.size());
    (void)!::write(ready[1], &count, 1);
    ::pause();
    ::_exit(0);
  }
  char count = 0;
  ASSERT_EQ(::read(ready[0], &count, 1), 1);
  EXPECT_EQ(count, 4);
  EXPECT_TRUE(connectSoon().isOk());
  EXPECT_TRUE(readTotals(path_, 10s).isOk());
  ::kill(greedy, SIGKILL);
  ::waitpid(greedy, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

} // namespace
} // namespace avocet::hal::testing
