//===- ByteQueue.cpp - A ring of messages between two processes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/BoundedReader.h"
#include "avocet/base/Rounding.h"
#include "avocet/hal/queue/MessageQueue.h"
#include "avocet/hal/types/PeerFile.h"
#include "avocet/hal/types/SaturatedTime.h"
#include "avocet/hal/types/Types.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// The clock of futexes: CLOCK_MONOTONIC, which std::chrono::steady_clock is on Linux.
using FutexClock = std::chrono::steady_clock;

/// Sleeps until one of `bits` is woken, unless one of them is set already; at most until `end`. May wake spuriously.
void futexWait(std::atomic<uint32_t> &word, uint32_t bits, FutexClock::time_point end) {
  uint32_t value = word.load(std::memory_order_acquire);
  if ((value & bits) != 0)
    return;
  auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(end.time_since_epoch()).count();
  timespec limit = {static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, &limit, nullptr, bits);
}

/// Wakes all threads that sleep on one of `bits`, in any process.
void futexWake(std::atomic<uint32_t> &word, uint32_t bits) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, bits);
}

/// A hint to the processor inside a polling loop.
void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

using Clock = FutexClock;

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

constexpr uint64_t kAlignment = 8;
/// Polls between two reads of the clock.
constexpr int kPollsPerLook = 64;
/// Longest sleep before the queue is checked again, so that close() needs no word in shared memory.
constexpr Duration kNap = std::chrono::milliseconds(20);

} // namespace

struct ByteQueue::Parts {
  uint64_t readCounter, writeCounter, data, dataBytes, eventWord;
};

ByteQueue::ByteQueue(QueueDescriptor descriptor, Mapping mapping, const Parts &parts)
    : descriptor_(std::move(descriptor)), mapping_(std::move(mapping)),
      readCounter_(reinterpret_cast<std::atomic<uint64_t> *>(mapping_.bytes().data() + parts.readCounter)),
      writeCounter_(reinterpret_cast<std::atomic<uint64_t> *>(mapping_.bytes().data() + parts.writeCounter)),
      event_(reinterpret_cast<std::atomic<uint32_t> *>(mapping_.bytes().data() + parts.eventWord)),
      data_(mapping_.bytes().data() + parts.data), dataBytes_(parts.dataBytes),
      elementBytes_(descriptor_.elementBytes) {
  // A queue may be passed on while in use. This side starts from the current counters, which are checked at each use.
  ownRead_ = readCounter_->load(std::memory_order_acquire);
  ownWritten_ = writeCounter_->load(std::memory_order_acquire);
}

Result<std::unique_ptr<ByteQueue>> ByteQueue::create(uint64_t elements, uint32_t elementBytes) {
  if (elements == 0 || elementBytes == 0 || elements > kMaxDataBytes / elementBytes)
    return invalidArgument(fmt::format("message queue: {} elements of {} bytes; 1 to {} bytes in all are allowed",
                                       elements, elementBytes, kMaxDataBytes));
  uint64_t dataBytes = elements * elementBytes;
  uint64_t dataOffset = 2 * sizeof(uint64_t);
  uint64_t eventOffset = dataOffset + roundUp(dataBytes, kAlignment);
  uint64_t size = eventOffset + kAlignment;
  avocet::Result<FileDescriptor> file = createMemoryFile("avocet-queue", size);
  if (!file)
    return fromStatus(file.status());
  // The peer gets the same descriptor: neither side may change the size during use.
  if (Status status = seal(*file, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, "avocet-queue"); !status.isOk())
    return fromStatus(status);
  QueueDescriptor descriptor;
  descriptor.elementBytes = elementBytes;
  descriptor.fds = {std::make_shared<const FileDescriptor>(std::move(*file))};
  descriptor.grantors = {{0, 0, 0, sizeof(uint64_t)},
                         {0, 0, sizeof(uint64_t), sizeof(uint64_t)},
                         {0, 0, static_cast<uint32_t>(dataOffset), dataBytes},
                         {0, 0, static_cast<uint32_t>(eventOffset), sizeof(uint32_t)}};
  return open(std::move(descriptor));
}

/// InvalidArgument unless the parts are aligned, have their sizes, lie in the file and do not overlap.
static Outcome checkGrantors(const QueueDescriptor &descriptor, uint64_t fileBytes) {
  for (size_t i = 0; i < QueueDescriptor::kNumGrantors; ++i) {
    const GrantorDescriptor &part = descriptor.grantors[i];
    uint64_t least = i == QueueDescriptor::kData
                         ? descriptor.elementBytes
                         : (i == QueueDescriptor::kEventWord ? sizeof(uint32_t) : sizeof(uint64_t));
    if (part.fdIndex != 0 || part.offset % kAlignment != 0 || part.extent < least || part.extent > fileBytes ||
        part.offset > fileBytes - part.extent)
      return invalidArgument(
          fmt::format("message queue: part {} (descriptor {}, offset {}, {} bytes) does not fit into {} bytes", i,
                      part.fdIndex, part.offset, part.extent, fileBytes));
    for (size_t j = 0; j < i; ++j) {
      const GrantorDescriptor &other = descriptor.grantors[j];
      if (part.offset < other.offset + other.extent && other.offset < part.offset + part.extent)
        return invalidArgument(fmt::format("message queue: parts {} and {} overlap", j, i));
    }
  }
  return success();
}

Result<std::unique_ptr<ByteQueue>> ByteQueue::attach(const QueueDescriptor &descriptor, uint32_t elementBytes) {
  if (descriptor.grantors.size() != QueueDescriptor::kNumGrantors || descriptor.fds.size() != 1 || !descriptor.fds[0])
    return invalidArgument(fmt::format("message queue: {} parts and {} descriptors, must be {} and 1",
                                       descriptor.grantors.size(), descriptor.fds.size(),
                                       QueueDescriptor::kNumGrantors));
  if (descriptor.elementBytes != elementBytes || elementBytes == 0)
    return invalidArgument(
        fmt::format("message queue: elements of {} bytes, must be {}", descriptor.elementBytes, elementBytes));
  return open(descriptor);
}

Result<std::unique_ptr<ByteQueue>> ByteQueue::open(QueueDescriptor descriptor) {
  // A page fault in a file served by another process could block the thread that polls the queue.
  if (!isMemoryFile(*descriptor.fds[0]))
    return invalidArgument("message queue: its memory is no memory file (memfd, tmpfs)");
  avocet::Result<uint64_t> size = fileSize(*descriptor.fds[0], "the message queue's memory");
  if (!size)
    return invalidArgument(size.status().message());
  AVOCET_RETURN_IF_ERROR(checkGrantors(descriptor, *size));
  const auto &parts = descriptor.grantors;
  uint64_t dataBytes = parts[QueueDescriptor::kData].extent;
  if (dataBytes % descriptor.elementBytes != 0 || dataBytes > kMaxDataBytes)
    return invalidArgument(
        fmt::format("message queue: {} bytes of data are not a number of elements of {} bytes up to {}", dataBytes,
                    descriptor.elementBytes, kMaxDataBytes));
  uint64_t end = 0;
  for (const GrantorDescriptor &part : parts)
    end = std::max(end, part.offset + part.extent);
  avocet::Result<Mapping> mapping = Mapping::map(descriptor.fds[0]->get(), end, Mapping::Access::ReadWrite);
  if (!mapping)
    return invalidArgument(mapping.status().message());
  Parts places = {parts[0].offset, parts[1].offset, parts[2].offset, dataBytes, parts[3].offset};
  return std::unique_ptr<ByteQueue>(new ByteQueue(std::move(descriptor), std::move(*mapping), places));
}

bool ByteQueue::fail() {
  corrupt_.store(true, std::memory_order_relaxed);
  return false;
}

bool ByteQueue::readable(uint64_t &bytes) {
  if (isCorrupt())
    return false;
  uint64_t written = writeCounter_->load(std::memory_order_acquire);
  bytes = written - ownRead_;
  return written >= ownRead_ && bytes <= dataBytes_ && bytes % elementBytes_ == 0 && ownRead_ % elementBytes_ == 0
             ? true
             : fail();
}

bool ByteQueue::writable(uint64_t &bytes) {
  if (isCorrupt())
    return false;
  uint64_t read = readCounter_->load(std::memory_order_acquire);
  uint64_t held = ownWritten_ - read;
  if (read > ownWritten_ || held > dataBytes_ || held % elementBytes_ != 0 || ownWritten_ % elementBytes_ != 0)
    return fail();
  bytes = dataBytes_ - held;
  return true;
}

uint64_t ByteQueue::availableToRead() {
  uint64_t bytes = 0;
  return readable(bytes) ? bytes / elementBytes_ : 0;
}

void ByteQueue::copyIn(uint64_t position, std::span<const uint8_t> bytes) {
  size_t first = std::min<uint64_t>(bytes.size(), dataBytes_ - position);
  std::memcpy(data_ + position, bytes.data(), first);
  std::memcpy(data_, bytes.data() + first, bytes.size() - first);
}

void ByteQueue::copyOut(uint64_t position, std::span<uint8_t> bytes) const {
  const BoundedReader data({data_, dataBytes_}, "a message queue");
  size_t first = std::min<uint64_t>(bytes.size(), dataBytes_ - position);
  (void)data.copy(position, bytes.first(first)); // within the data: the caller has checked the length
  (void)data.copy(0, bytes.subspan(first));
}

void ByteQueue::wake(uint32_t bit) {
  // No thread sleeps while the bit is set: setting it again needs no system call.
  if ((event_->fetch_or(bit, std::memory_order_release) & bit) == 0)
    futexWake(*event_, bit);
}

bool ByteQueue::tryWrite(std::span<const uint8_t> bytes) {
  uint64_t room = 0;
  if (bytes.size() % elementBytes_ != 0 || !writable(room) || room < bytes.size())
    return false;
  if (bytes.empty())
    return true;
  copyIn(ownWritten_ % dataBytes_, bytes);
  ownWritten_ += bytes.size();
  writeCounter_->store(ownWritten_, std::memory_order_release);
  wake(kNotEmpty);
  return true;
}

bool ByteQueue::tryRead(std::span<uint8_t> bytes) {
  uint64_t have = 0;
  if (bytes.size() % elementBytes_ != 0 || !readable(have) || have < bytes.size())
    return false;
  if (bytes.empty())
    return true;
  copyOut(ownRead_ % dataBytes_, bytes);
  ownRead_ += bytes.size();
  readCounter_->store(ownRead_, std::memory_order_release);
  wake(kNotFull);
  return true;
}

/// Attempts once: the final state, or empty if the caller must wait.
template <typename Attempt> std::optional<QueueState> ByteQueue::look(Attempt &&attempt) {
  if (closed_.load(std::memory_order_acquire))
    return QueueState::Closed;
  if (attempt())
    return QueueState::Ready;
  return isCorrupt() ? std::optional(QueueState::Corrupt) : std::nullopt;
}

/// Polls until the attempt succeeds or the time has passed. It does not yield the processor: on a busy machine the
/// thread would run again only after milliseconds.
template <typename Attempt> std::optional<QueueState> ByteQueue::poll(Attempt &&attempt, Clock::time_point until) {
  do {
    for (int polls = 0; polls < kPollsPerLook; ++polls) {
      if (std::optional<QueueState> ended = look(attempt))
        return ended;
      spinPause();
    }
  } while (Clock::now() < until);
  return std::nullopt;
}

/// Repeats the attempt: first polling, then sleeping on the event bit that the peer sets after a change. The bit is
/// cleared before the attempt, so that a change after the attempt ends the sleep. The clock is read only before
/// waiting, and once for each sleep.
template <typename Attempt>
QueueState ByteQueue::await(Attempt &&attempt, uint32_t bit, Duration timeout, Duration spin, PollingHabit &habit) {
  std::optional<QueueState> ended = look(attempt);
  if (ended)
    return *ended;
  Clock::time_point now = Clock::now();
  const Clock::time_point end = later(now, timeout);
  if (spin > Duration::zero() && habit.shouldPoll()) {
    if ((ended = poll(attempt, std::min(end, later(now, spin))))) {
      habit.succeeded();
      return *ended;
    }
    habit.failed();
    now = Clock::now();
  }
  while (true) {
    event_->fetch_and(~bit, std::memory_order_acquire);
    if ((ended = look(attempt)))
      return *ended;
    if (now >= end)
      return QueueState::TimedOut;
    futexWait(*event_, bit, std::min(end, now + kNap));
    if ((ended = look(attempt)))
      return *ended;
    now = Clock::now();
  }
}

QueueState ByteQueue::write(std::span<const uint8_t> bytes, Duration timeout, Duration spin) {
  if (bytes.size() > dataBytes_ || bytes.size() % elementBytes_ != 0)
    return QueueState::Corrupt;
  return await([&] { return tryWrite(bytes); }, kNotFull, timeout, spin, writeHabit_);
}

QueueState ByteQueue::read(std::span<uint8_t> bytes, Duration timeout, Duration spin) {
  if (bytes.size() > dataBytes_ || bytes.size() % elementBytes_ != 0)
    return QueueState::Corrupt;
  return await([&] { return tryRead(bytes); }, kNotEmpty, timeout, spin, readHabit_);
}

void ByteQueue::close() {
  closed_.store(true, std::memory_order_release);
  futexWake(*event_, kNotFull | kNotEmpty);
}

} // namespace avocet::hal
