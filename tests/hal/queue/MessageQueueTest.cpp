//===- MessageQueueTest.cpp - Message queues and hostile peers --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/queue/MessageQueue.h"

#include "SilentFileSystem.h"

#include "avocet/hal/types/PeerFile.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr Duration kLong = std::chrono::seconds(20);
constexpr Duration kShort = std::chrono::milliseconds(30);

struct Element {
  uint32_t number;
  uint8_t payload[20];
};

std::unique_ptr<MessageQueue<uint32_t>> makeQueue(uint64_t elements) {
  auto queue = MessageQueue<uint32_t>::create(elements);
  EXPECT_TRUE(queue.isOk());
  return std::move(*queue);
}

std::unique_ptr<MessageQueue<uint32_t>> otherEnd(const MessageQueue<uint32_t> &queue) {
  auto end = MessageQueue<uint32_t>::attach(queue.descriptor());
  EXPECT_TRUE(end.isOk()) << end.error().message;
  return std::move(*end);
}

std::vector<uint32_t> numbers(uint32_t first, size_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(MessageQueueTest, KeepsOrderOverTheWrap) {
  auto writer = makeQueue(5);
  auto reader = otherEnd(*writer);
  uint32_t next = 0;
  for (size_t size : {3u, 5u, 1u, 4u, 2u, 5u, 3u}) {
    ASSERT_TRUE(writer->tryWrite(numbers(next, size)));
    EXPECT_EQ(reader->availableToRead(), size);
    std::vector<uint32_t> got(size);
    ASSERT_TRUE(reader->tryRead(got));
    EXPECT_EQ(got, numbers(next, size));
    next += static_cast<uint32_t>(size);
  }
}

TEST(MessageQueueTest, TransfersAllOrNothing) {
  auto writer = makeQueue(4);
  auto reader = otherEnd(*writer);
  ASSERT_TRUE(writer->tryWrite(numbers(0, 3)));
  EXPECT_FALSE(writer->tryWrite(numbers(3, 2)));
  std::vector<uint32_t> four(4), three(3);
  EXPECT_FALSE(reader->tryRead(four));
  EXPECT_TRUE(reader->tryRead(three));
  EXPECT_EQ(three, numbers(0, 3));
  EXPECT_TRUE(writer->tryWrite({}));
  EXPECT_TRUE(reader->tryRead({}));
}

TEST(MessageQueueTest, RefusesTransfersLargerThanRing) {
  auto queue = makeQueue(4);
  EXPECT_EQ(queue->write(numbers(0, 5), kLong), QueueState::Corrupt);
  std::vector<uint32_t> five(5);
  EXPECT_EQ(queue->read(five, kLong), QueueState::Corrupt);
  EXPECT_FALSE(queue->bytes().isCorrupt());
  std::vector<uint8_t> odd(3);
  EXPECT_FALSE(queue->bytes().tryWrite(odd));
  EXPECT_FALSE(ByteQueue::create(0, 4).isOk());
  EXPECT_FALSE(ByteQueue::create(4, 0).isOk());
  EXPECT_FALSE(ByteQueue::create(uint64_t(1) << 40, 4).isOk());
}

TEST(MessageQueueTest, TimesOut) {
  auto queue = makeQueue(2);
  std::vector<uint32_t> one(1);
  EXPECT_EQ(queue->read(one, kShort), QueueState::TimedOut);
  EXPECT_EQ(queue->read(one, kShort, kShort / 2), QueueState::TimedOut);
  ASSERT_TRUE(queue->tryWrite(numbers(0, 2)));
  EXPECT_EQ(queue->write(numbers(2, 1), kShort), QueueState::TimedOut);
}

TEST(MessageQueueTest, CloseEndsWaiting) {
  auto queue = makeQueue(2);
  std::vector<uint32_t> one(1);
  std::thread closer([&] {
    std::this_thread::sleep_for(kShort);
    queue->close();
  });
  EXPECT_EQ(queue->read(one, Duration::max()), QueueState::Closed);
  closer.join();
  EXPECT_EQ(queue->read(one, Duration::max()), QueueState::Closed);
}

/// Sends messages of random sizes to a thread that reads in other sizes. Both are at most half the ring: with larger
/// ones both threads could wait for each other.
void exchange(Duration spin) {
  constexpr size_t kTotal = 20000;
  auto writer = makeQueue(61);
  auto reader = otherEnd(*writer);
  std::thread sender([&] {
    std::mt19937 random(1);
    for (uint32_t sent = 0; sent < kTotal;) {
      size_t size = std::min<size_t>(1 + random() % 30, kTotal - sent);
      ASSERT_EQ(writer->write(numbers(sent, size), kLong, spin), QueueState::Ready);
      sent += static_cast<uint32_t>(size);
    }
  });
  std::mt19937 random(2);
  for (uint32_t received = 0; received < kTotal;) {
    std::vector<uint32_t> got(std::min<size_t>(1 + random() % 30, kTotal - received));
    ASSERT_EQ(reader->read(got, kLong, spin), QueueState::Ready);
    ASSERT_EQ(got, numbers(received, got.size()));
    received += static_cast<uint32_t>(got.size());
  }
  sender.join();
}

TEST(MessageQueueTest, ConnectsSleepingThreads) { exchange(Duration::zero()); }
TEST(MessageQueueTest, ConnectsPollingThreads) { exchange(std::chrono::microseconds(50)); }

TEST(MessageQueueTest, ConnectsProcesses) {
  auto requests = MessageQueue<Element>::create(16), answers = MessageQueue<Element>::create(16);
  ASSERT_TRUE(requests.isOk() && answers.isOk());
  pid_t child = ::fork();
  if (child == 0) {
    for (Element element = {}; (*requests)->read({&element, 1}, kLong) == QueueState::Ready && element.number != 500;) {
      element.number *= 2;
      if ((*answers)->write({&element, 1}, kLong) != QueueState::Ready)
        ::_exit(1);
    }
    ::_exit(0);
  }
  for (uint32_t number = 0; number < 500; ++number) {
    Element element = {number, {}};
    ASSERT_EQ((*requests)->write({&element, 1}, kLong), QueueState::Ready);
    ASSERT_EQ((*answers)->read({&element, 1}, kLong), QueueState::Ready);
    ASSERT_EQ(element.number, number * 2);
  }
  Element last = {500, {}};
  ASSERT_EQ((*requests)->write({&last, 1}, kLong), QueueState::Ready);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// A queue whose shared memory the test changes as a hostile peer.
class HostilePeerTest : public testing::Test {
protected:
  void SetUp() override {
    queue_ = makeQueue(8);
    const QueueDescriptor &descriptor = queue_->descriptor();
    avocet::Result<uint64_t> size = fileSize(*descriptor.fds[0], "queue");
    ASSERT_TRUE(size.isOk());
    avocet::Result<Mapping> mapping = Mapping::map(descriptor.fds[0]->get(), *size, Mapping::Access::ReadWrite);
    ASSERT_TRUE(mapping.isOk());
    mapping_ = std::move(*mapping);
  }
  void setCounter(size_t part, uint64_t value) {
    auto *word = mapping_.bytes().data() + queue_->descriptor().grantors[part].offset;
    reinterpret_cast<std::atomic<uint64_t> *>(word)->store(value);
  }
  std::unique_ptr<MessageQueue<uint32_t>> queue_;
  Mapping mapping_;
};

/// As a peer sees it that has only the published layout.
using QueueImageTest = HostilePeerTest;

TEST_F(QueueImageTest, MemoryHasThePublicLayout) {
  const std::vector<GrantorDescriptor> &grantors = queue_->descriptor().grantors;
  ASSERT_EQ(grantors.size(), 4u);
  const uint64_t extents[] = {8, 8, 8 * sizeof(uint32_t), sizeof(uint32_t)};
  for (size_t part = 0; part < 4; ++part) {
    EXPECT_EQ(grantors[part].offset % 8, 0u) << part;
    EXPECT_EQ(grantors[part].extent, extents[part]) << part;
  }
  auto load = [&]<typename T>(size_t part, size_t index, T) {
    T value;
    std::memcpy(&value, mapping_.bytes().data() + grantors[part].offset + index * sizeof(T), sizeof(T));
    return value;
  };
  auto counter = [&](size_t part) { return load(part, 0, uint64_t()); };
  auto element = [&](size_t index) { return load(2, index, uint32_t()); };
  auto event = [&] { return load(3, 0, uint32_t()); };
  std::vector<uint32_t> six(6);
  EXPECT_EQ(event(), 0u);
  ASSERT_TRUE(queue_->tryWrite(numbers(10, 6)));
  EXPECT_EQ(counter(0), 0u);
  EXPECT_EQ(counter(1), 24u);
  EXPECT_EQ(event(), 2u) << "something was written";
  ASSERT_TRUE(queue_->tryRead(six));
  EXPECT_EQ(counter(0), 24u);
  EXPECT_EQ(event() & 1, 1u) << "something was read";
  ASSERT_TRUE(queue_->tryWrite(numbers(20, 6)));
  EXPECT_EQ(counter(1), 48u) << "counters do not wrap";
  const uint32_t expected[] = {22, 23, 24, 25, 14, 15, 20, 21};
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(element(i), expected[i]) << i;
}

TEST_F(HostilePeerTest, ImpossibleWriteCounterStopsReader) {
  for (uint64_t value : {uint64_t(36), uint64_t(3), ~uint64_t(0), uint64_t(1) << 63}) {
    SetUp();
    setCounter(QueueDescriptor::kWriteCounter, value);
    std::vector<uint32_t> one(1);
    EXPECT_EQ(queue_->availableToRead(), 0u);
    EXPECT_EQ(queue_->read(one, kLong), QueueState::Corrupt) << value;
    setCounter(QueueDescriptor::kWriteCounter, 4);
    EXPECT_EQ(queue_->read(one, kLong), QueueState::Corrupt) << "corruption is final";
  }
}

TEST_F(HostilePeerTest, ImpossibleReadCounterStopsWriter) {
  for (uint64_t value : {uint64_t(8), uint64_t(3), ~uint64_t(0)}) {
    SetUp();
    ASSERT_TRUE(queue_->tryWrite(numbers(0, 1)));
    setCounter(QueueDescriptor::kReadCounter, value);
    EXPECT_EQ(queue_->write(numbers(1, 1), kLong), QueueState::Corrupt) << value;
  }
}

TEST_F(HostilePeerTest, OwnCountersInSharedMemoryAreIgnored) {
  auto reader = otherEnd(*queue_);
  ASSERT_TRUE(queue_->tryWrite(numbers(0, 2)));
  std::vector<uint32_t> one(1);
  ASSERT_TRUE(reader->tryRead(one));
  setCounter(QueueDescriptor::kReadCounter, 0); // as if nothing had been read
  ASSERT_TRUE(reader->tryRead(one));
  EXPECT_EQ(one[0], 1u);
}

TEST_F(HostilePeerTest, RefusesHostileDescriptors) {
  const QueueDescriptor good = queue_->descriptor();
  auto refused = [&](auto &&change) {
    QueueDescriptor bad = good;
    change(bad);
    auto end = ByteQueue::attach(bad, sizeof(uint32_t));
    EXPECT_FALSE(end.isOk());
    EXPECT_EQ(end.code(), ErrorStatus::InvalidArgument);
  };
  refused([](QueueDescriptor &d) { d.grantors.pop_back(); });
  refused([](QueueDescriptor &d) { d.grantors.push_back(d.grantors[0]); });
  refused([](QueueDescriptor &d) { d.fds.clear(); });
  refused([](QueueDescriptor &d) { d.fds[0] = nullptr; });
  refused([](QueueDescriptor &d) { d.fds[0] = std::make_shared<const FileDescriptor>(); });
  refused([](QueueDescriptor &d) { d.elementBytes = 8; });
  for (size_t part = 0; part < 4; ++part) {
    refused([&](QueueDescriptor &d) { d.grantors[part].fdIndex = 1; });
    refused([&](QueueDescriptor &d) { d.grantors[part].offset += 4; });
    refused([&](QueueDescriptor &d) { d.grantors[part].offset = ~7u; });
    refused([&](QueueDescriptor &d) { d.grantors[part].extent = ~uint64_t(0); });
    refused([&](QueueDescriptor &d) { d.grantors[part].extent = 0; });
    refused([&](QueueDescriptor &d) { d.grantors[part].offset = d.grantors[(part + 1) % 4].offset; });
  }
  refused([](QueueDescriptor &d) { d.grantors[QueueDescriptor::kData].extent = 30; });
}

TEST_F(HostilePeerTest, RefusesBlockingFile) {
  std::optional<SilentFileSystem> silent = SilentFileSystem::start();
  if (!silent)
    GTEST_SKIP() << "this user may mount no FUSE file system";
  QueueDescriptor bad = queue_->descriptor();
  bad.fds[0] = adoptPeerFile(silent->file().duplicate().value());
  EXPECT_EQ(ByteQueue::attach(bad, sizeof(uint32_t)).code(), ErrorStatus::InvalidArgument);
}

TEST_F(HostilePeerTest, MemoryIsSealed) {
  int fd = queue_->descriptor().fds[0]->get();
  EXPECT_NE(::ftruncate(fd, 0), 0);
  EXPECT_NE(::ftruncate(fd, 1 << 20), 0);
}

} // namespace
} // namespace avocet::hal
