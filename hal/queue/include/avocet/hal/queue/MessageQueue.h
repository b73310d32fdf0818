//===- MessageQueue.h - A ring of messages between two processes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A single-producer, single-consumer ring in shared memory, in the layout of Android's fast message queue (libfmq,
// MessageQueueBase.h; nnapi-notes section 8), with a futex word on which either side can wait.
//
//   counters   64-bit totals of bytes read and written since the start, never wrapped; position = total mod data size
//   data       whole elements of one size; a message may wrap around the end
//   event word bit 0 (kNotFull): something was read; bit 1 (kNotEmpty): something was written
//
// The peer is not trusted. It can write anything into the shared memory at any time. This side therefore keeps its own
// counter privately, checks the peer's counter before each use, and copies elements out before they are read. It stops
// permanently (Corrupt) when the counters contradict each other. The mapping guard catches a peer that shrinks the
// memory. The queue does not detect the death of a peer: the owner must watch the peer by other means and call close().
//
// One thread reads and one thread writes; close() may come from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_QUEUE_MESSAGEQUEUE_H
#define AVOCET_HAL_QUEUE_MESSAGEQUEUE_H

#include "avocet/base/File.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace avocet::hal {

/// Polling for the answer of a peer on another processor saves two wake-ups compared with sleeping. Polling is wasted
/// if the peer needs the poller's processor, or takes longer than the polling window. Which case applies depends on the
/// machine, its load and the peer, and cannot be computed beforehand. The class adapts: each window without success
/// doubles the number of following waits that sleep at once, up to kMaxSkipped. After the first window with success,
/// every wait polls again. For the waits of one thread.
class PollingHabit {
public:
  /// Most waits between two windows: polling without success costs at most a 256th of a window for each wait.
  static constexpr uint32_t kMaxSkipped = 255;

  /// To be called once for each wait.
  bool shouldPoll() {
    if (skips_ == 0)
      return true;
    --skips_;
    return false;
  }

  void succeeded() { penalty_ = 0; }
  void failed() { skips_ = penalty_ = std::min(2 * penalty_ + 1, kMaxSkipped); }

private:
  uint32_t penalty_ = 0; ///< waits that skip polling after the last window without success
  uint32_t skips_ = 0;   ///< of these, how many are still to come
};

/// Place of one part of a queue: bytes [offset, offset + extent) of descriptor number fdIndex. 24 bytes on the wire.
struct GrantorDescriptor {
  uint32_t flags = 0;
  uint32_t fdIndex = 0;
  uint32_t offset = 0;
  uint64_t extent = 0;
  bool operator==(const GrantorDescriptor &) const = default;
};
static_assert(sizeof(GrantorDescriptor) == 24);

/// The form in which a queue is sent to the peer. Order of the grantors: read counter, write counter, data, event word.
struct QueueDescriptor {
  static constexpr size_t kReadCounter = 0, kWriteCounter = 1, kData = 2, kEventWord = 3, kNumGrantors = 4;
  std::vector<GrantorDescriptor> grantors;
  std::vector<SharedHandle> fds;
  uint32_t elementBytes = 0;
};

enum class QueueState {
  Ready,
  TimedOut,
  Closed,  ///< by this side's close()
  Corrupt, ///< the counters contradict each other; a final state
};

/// The ring with elements of any size; see MessageQueue for typed ones.
class ByteQueue {
public:
  static constexpr uint32_t kNotFull = 1, kNotEmpty = 2;
  static constexpr uint64_t kMaxDataBytes = uint64_t(1) << 26;

  /// A new queue for `elements` elements of `elementBytes` each, both above 0, in sealed memory of its own.
  static Result<std::unique_ptr<ByteQueue>> create(uint64_t elements, uint32_t elementBytes);

  /// The other end of a queue that the peer made. InvalidArgument names the field of the descriptor that is wrong.
  static Result<std::unique_ptr<ByteQueue>> attach(const QueueDescriptor &descriptor, uint32_t elementBytes);

  /// For the peer; the handles are shared.
  const QueueDescriptor &descriptor() const { return descriptor_; }

  uint64_t capacity() const { return dataBytes_ / elementBytes_; }
  uint32_t elementBytes() const { return elementBytes_; }

  /// Elements that can be read now. 0 for a corrupt queue.
  uint64_t availableToRead();

  /// Copies whole elements in or out, all or nothing. `bytes.size()` must be a multiple of the element size; false when
  /// there is no room, or not enough to read, or the queue is corrupt or closed. Wakes a waiting peer.
  bool tryWrite(std::span<const uint8_t> bytes);
  bool tryRead(std::span<uint8_t> bytes);

  /// The same, but wait until it is possible. `spin`: time to poll before sleeping. `timeout`: limit of polling and
  /// sleeping together (max(): none). After polls without success, later calls skip polling for a while (PollingHabit).
  /// More elements than the capacity can never be transferred: Corrupt.
  QueueState write(std::span<const uint8_t> bytes, Duration timeout, Duration spin = Duration::zero());
  QueueState read(std::span<uint8_t> bytes, Duration timeout, Duration spin = Duration::zero());

  /// Ends current and later waits on this side.
  void close();
  bool isCorrupt() const { return corrupt_.load(std::memory_order_relaxed); }

private:
  struct Parts;
  ByteQueue(QueueDescriptor descriptor, Mapping mapping, const Parts &parts);
  static Result<std::unique_ptr<ByteQueue>> open(QueueDescriptor descriptor);

  /// Bytes between the counters; false if the peer's counter is invalid.
  bool readable(uint64_t &bytes);
  bool writable(uint64_t &bytes);
  bool fail();
  void copyIn(uint64_t position, std::span<const uint8_t> bytes);
  void copyOut(uint64_t position, std::span<uint8_t> bytes) const;
  void wake(uint32_t bit);
  template <typename Attempt> std::optional<QueueState> look(Attempt &&attempt);
  template <typename Attempt>
  std::optional<QueueState> poll(Attempt &&attempt, std::chrono::steady_clock::time_point until);
  template <typename Attempt>
  QueueState await(Attempt &&attempt, uint32_t bit, Duration timeout, Duration spin, PollingHabit &habit);

  QueueDescriptor descriptor_;
  Mapping mapping_;
  std::atomic<uint64_t> *readCounter_;
  std::atomic<uint64_t> *writeCounter_;
  std::atomic<uint32_t> *event_;
  uint8_t *data_;
  uint64_t dataBytes_;
  uint32_t elementBytes_;
  uint64_t ownRead_ = 0;                ///< read by this side; the shared copy is only written
  uint64_t ownWritten_ = 0;             ///< written by this side
  PollingHabit readHabit_, writeHabit_; ///< of the thread that reads and the one that writes
  std::atomic<bool> corrupt_{false};
  std::atomic<bool> closed_{false};
};

/// A ByteQueue of plain values.
template <typename T> class MessageQueue {
public:
  static_assert(std::is_trivially_copyable_v<T>);

  static Result<std::unique_ptr<MessageQueue>> create(uint64_t elements) {
    return wrap(ByteQueue::create(elements, sizeof(T)));
  }
  static Result<std::unique_ptr<MessageQueue>> attach(const QueueDescriptor &descriptor) {
    return wrap(ByteQueue::attach(descriptor, sizeof(T)));
  }

  ByteQueue &bytes() { return *queue_; }
  const QueueDescriptor &descriptor() const { return queue_->descriptor(); }
  uint64_t capacity() const { return queue_->capacity(); }
  uint64_t availableToRead() { return queue_->availableToRead(); }
  bool tryWrite(std::span<const T> values) { return queue_->tryWrite(bytesOf(values)); }
  bool tryRead(std::span<T> values) { return queue_->tryRead(bytesOf(values)); }
  QueueState write(std::span<const T> values, Duration timeout, Duration spin = Duration::zero()) {
    return queue_->write(bytesOf(values), timeout, spin);
  }
  QueueState read(std::span<T> values, Duration timeout, Duration spin = Duration::zero()) {
    return queue_->read(bytesOf(values), timeout, spin);
  }
  void close() { queue_->close(); }

private:
  explicit MessageQueue(std::unique_ptr<ByteQueue> queue) : queue_(std::move(queue)) {}
  static Result<std::unique_ptr<MessageQueue>> wrap(Result<std::unique_ptr<ByteQueue>> queue) {
    if (!queue)
      return queue.error();
    return std::unique_ptr<MessageQueue>(new MessageQueue(std::move(*queue)));
  }
  static std::span<const uint8_t> bytesOf(std::span<const T> values) {
    return {reinterpret_cast<const uint8_t *>(values.data()), values.size_bytes()};
  }
  static std::span<uint8_t> bytesOf(std::span<T> values) {
    return {reinterpret_cast<uint8_t *>(values.data()), values.size_bytes()};
  }

  std::unique_ptr<ByteQueue> queue_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_QUEUE_MESSAGEQUEUE_H
