//===- LinkTest.cpp - The socket of a burst, and hostile peers --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstLink.h"
#include "Fakes.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>

namespace avocet::hal::testing {
namespace {

/// The test has the client's end of a link; a service serves the other end.
class HostileLinkTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto send = [&](const BurstOffer &offer) -> Outcome {
      offer_ = offer;
      return success();
    };
    Result<std::shared_ptr<IBurst>> burst = openBurst(std::make_shared<FakeModel>(), send);
    ASSERT_TRUE(burst.isOk());
    burst_ = *burst;
    auto sockets = BurstLink::createSockets();
    ASSERT_TRUE(sockets.isOk());
    own_ = sockets->first;
    offer_.link = sockets->second;
    auto served = serveBurst(std::make_shared<FakeBurst>(), offer_);
    ASSERT_TRUE(served.isOk()) << served.error().message;
    served_ = std::move(*served);
  }
  void expectHangUp(std::span<const uint8_t> bytes) {
    ASSERT_EQ(::send(own_->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    EXPECT_TRUE(eventually([&] { return served_->hasEnded(); }));
  }

  BurstOffer offer_;
  SharedHandle own_;
  std::shared_ptr<IBurst> burst_;
  std::unique_ptr<ServedBurst> served_;
};

TEST_F(HostileLinkTest, InvalidMessageEndsBurst) { expectHangUp(std::vector<uint8_t>(40, 0x55)); }

TEST_F(HostileLinkTest, TooLongMessageEndsBurst) { expectHangUp(std::vector<uint8_t>(1 << 14, 0)); }

TEST_F(HostileLinkTest, UnrequestedAnswerEndsBurst) {
  ASSERT_TRUE(sendLinkMessage(own_->get(), {LinkMessage::Kind::Freed, 1, {}, {}}).isOk());
  EXPECT_TRUE(eventually([&] { return served_->hasEnded(); }));
}

TEST_F(HostileLinkTest, CallForOtherSideEndsBurst) {
  ASSERT_TRUE(sendLinkMessage(own_->get(), {LinkMessage::Kind::GetMemories, 1, {0}, {}}).isOk());
  EXPECT_TRUE(eventually([&] { return served_->hasEnded(); }));
}

TEST_F(HostileLinkTest, FreeingUnknownSlotsIsAnswered) {
  for (int32_t slot : {0, -1, 1 << 30}) {
    ASSERT_TRUE(sendLinkMessage(own_->get(), {LinkMessage::Kind::FreeSlot, 7, {slot}, {}}).isOk());
    std::optional<LinkMessage> answer = receiveLinkMessage(own_->get());
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->kind, LinkMessage::Kind::Freed);
    EXPECT_EQ(answer->sequence, 7u);
  }
  EXPECT_FALSE(served_->hasEnded());
}

TEST_F(HostileLinkTest, RefusesOtherDescriptors) {
  BurstOffer bad = offer_;
  bad.link = nullptr;
  EXPECT_EQ(serveBurst(std::make_shared<FakeBurst>(), bad).code(), ErrorStatus::InvalidArgument);
  bad.link = offer_.requests.fds[0];
  EXPECT_EQ(serveBurst(std::make_shared<FakeBurst>(), bad).code(), ErrorStatus::InvalidArgument);
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  FileDescriptor other(ends[1]);
  bad.link = std::make_shared<const FileDescriptor>(FileDescriptor(ends[0]));
  EXPECT_EQ(serveBurst(std::make_shared<FakeBurst>(), bad).code(), ErrorStatus::InvalidArgument);
}

TEST(LinkMessageTest, SendsMemoriesOfAllKinds) {
  auto sockets = BurstLink::createSockets();
  ASSERT_TRUE(sockets.isOk());
  Pool pool(64);
  SharedHandle fd = std::get<Ashmem>(pool.memory()->handle).fd;
  LinkMessage message{LinkMessage::Kind::Memories, 3, {}, {pool.memory()}};
  message.memories.push_back(std::make_shared<const Memory>(Memory{MappableFile{fd, 8, 16, PROT_READ}}));
  message.memories.push_back(std::make_shared<const Memory>(Memory{HardwareBuffer{fd, true, 64}}));
  ASSERT_TRUE(sendLinkMessage(sockets->first->get(), message).isOk());
  std::optional<LinkMessage> got = receiveLinkMessage(sockets->second->get());
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->sequence, 3u);
  ASSERT_EQ(got->memories.size(), 3u);
  EXPECT_EQ(std::get<Ashmem>(got->memories[0]->handle).size, 64u);
  const auto &file = std::get<MappableFile>(got->memories[1]->handle);
  EXPECT_EQ(file.offset, 8u);
  EXPECT_EQ(file.size, 16u);
  EXPECT_EQ(file.protection, PROT_READ);
  EXPECT_TRUE(std::get<HardwareBuffer>(got->memories[2]->handle).isBlob);
  EXPECT_FALSE(canTravel(nullptr));
  EXPECT_FALSE(canTravel(std::make_shared<const Memory>(Memory{UnknownHandle{"strange", {fd}, {}, 1}})));
  EXPECT_FALSE(canTravel(std::make_shared<const Memory>(Memory{Ashmem{nullptr, 1}})));
}

TEST(LinkMessageTest, RefusesMessageWithoutItsDescriptors) {
  auto sockets = BurstLink::createSockets();
  ASSERT_TRUE(sockets.isOk());
  Pool pool(64);
  size_t before = numOpenDescriptors();
  LinkMessage message{LinkMessage::Kind::Memories, 3, {}, {pool.memory()}};
  ASSERT_TRUE(sendLinkMessage(sockets->first->get(), message).isOk());
  uint32_t header[4]; // read without the descriptors, and sent again without any
  ASSERT_EQ(::recv(sockets->second->get(), header, sizeof(header), 0), static_cast<ssize_t>(sizeof(header)));
  ASSERT_EQ(::send(sockets->first->get(), header, sizeof(header), 0), static_cast<ssize_t>(sizeof(header)));
  EXPECT_FALSE(receiveLinkMessage(sockets->second->get()).has_value());
  EXPECT_EQ(numOpenDescriptors(), before);
}

} // namespace
} // namespace avocet::hal::testing
