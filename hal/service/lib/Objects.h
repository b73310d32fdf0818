//===- Objects.h - The objects of one client, by number -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_OBJECTS_H
#define AVOCET_HAL_SERVICE_LIB_OBJECTS_H

#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/service/Service.h"
#include "avocet/hal/wire/ServiceTotals.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

namespace avocet::hal {

/// Sums over all sessions.
struct SharedCounters {
  std::atomic<uint64_t> clientsNow{0}, clientsEver{0}, callsEver{0};
  std::array<std::atomic<uint64_t>, kNumErrorCodes> callErrors{}; ///< answers, by the number of their code
  std::atomic<uint64_t> objectsNow{0}, buffersNow{0}, burstsNow{0}, descriptorsNow{0};
};

/// Counts a client as long as its session exists.
class ClientPresence {
public:
  explicit ClientPresence(std::shared_ptr<SharedCounters> counters) : counters_(std::move(counters)) {
    ++counters_->clientsNow;
    ++counters_->clientsEver;
  }
  ~ClientPresence() { --counters_->clientsNow; }
  ClientPresence(const ClientPresence &) = delete;
  ClientPresence &operator=(const ClientPresence &) = delete;

private:
  const std::shared_ptr<SharedCounters> counters_;
};

/// A burst of calls, and the memories that the service keeps for it under their identifiers.
class KeptBurst {
public:
  explicit KeptBurst(std::shared_ptr<IBurst> burst) : burst_(std::move(burst)) {}

  IBurst &burst() const { return *burst_; }
  /// False: the burst keeps as many as allowed already.
  bool keep(int64_t identifier, SharedMemory memory);
  /// Null: nothing is kept under the identifier.
  SharedMemory find(int64_t identifier) const;
  void drop(int64_t identifier);

private:
  const std::shared_ptr<IBurst> burst_;
  mutable std::mutex mutex_; ///< guards memories_
  std::map<int64_t, SharedMemory> memories_;
};

/// The objects of one client. Thread-safe.
class ObjectTable {
public:
  using Object =
      std::variant<std::shared_ptr<IPreparedModel>, std::shared_ptr<IExecution>, std::shared_ptr<IBuffer>,
                   std::shared_ptr<IFencedExecution>, std::shared_ptr<KeptBurst>, std::shared_ptr<ServedBurst>>;

  /// Limits of the number of objects, and of bursts of message queues among them.
  ObjectTable(uint32_t limit, uint32_t queueBursts, std::shared_ptr<SharedCounters> counters)
      : limit_(limit), maxQueueBursts_(queueBursts), counters_(std::move(counters)) {}
  ~ObjectTable() { close(); }

  /// ResourceExhaustedTransient at a limit, DeviceUnavailable after close().
  Result<uint64_t> add(Object object);
  void remove(uint64_t id);
  /// Drops all objects and refuses new ones.
  void close();

  /// InvalidArgument: no object of this kind has the number.
  template <typename T> Result<std::shared_ptr<T>> find(uint64_t id) const {
    std::lock_guard lock(mutex_);
    auto entry = objects_.find(id);
    if (entry != objects_.end())
      if (const auto *object = std::get_if<std::shared_ptr<T>>(&entry->second))
        return *object;
    return invalidArgument("there is no such object as " + std::to_string(id));
  }

private:
  Outcome checkLimits(const Object &object) const;
  void count(const Object &object, int32_t change);

  mutable std::mutex mutex_; ///< not held while an object is destroyed
  std::map<uint64_t, Object> objects_;
  uint64_t nextId_ = 1;
  uint32_t queueBursts_ = 0; ///< of objects_
  bool closed_ = false;
  const uint32_t limit_, maxQueueBursts_;
  const std::shared_ptr<SharedCounters> counters_;
};

/// Memory of the messages of all clients beyond each client's own share. Thread-safe.
class SharedMessageBytes {
public:
  explicit SharedMessageBytes(uint64_t limit) : limit_(limit) {}
  bool take(uint64_t bytes);
  void giveBack(uint64_t bytes) { now_ -= bytes; }

private:
  const uint64_t limit_;
  std::atomic<uint64_t> now_{0};
};

/// Memory of one client's messages in the service, wherever they are kept: their bytes while they are read, and their
/// converted forms. Thread-safe.
class MessageCharge;
class MessageBytes : public std::enable_shared_from_this<MessageBytes> {
public:
  /// Bytes that a client always gets, independent of the other clients.
  static constexpr uint64_t kShare = uint64_t(1) << 20;

  MessageBytes(uint64_t limit, std::shared_ptr<SharedMessageBytes> others)
      : limit_(limit), others_(std::move(others)) {}

  /// Counts the bytes until the returned charge is destroyed or shrinks. ResourceExhaustedTransient: they exceed this
  /// limit or that of all clients.
  Result<std::shared_ptr<MessageCharge>> take(uint64_t bytes);

private:
  friend class MessageCharge;
  Outcome count(uint64_t bytes);
  void giveBack(uint64_t bytes);

  const uint64_t limit_;
  const std::shared_ptr<SharedMessageBytes> others_;
  std::mutex mutex_; ///< guards now_
  uint64_t now_ = 0;
};

/// Bytes that MessageBytes counts during the object's lifetime. Thread-compatible.
class MessageCharge {
public:
  /// Charges 0 bytes.
  explicit MessageCharge(std::shared_ptr<MessageBytes> owner) : owner_(std::move(owner)) {}
  ~MessageCharge() { shrinkTo(0); }
  MessageCharge(const MessageCharge &) = delete;
  MessageCharge &operator=(const MessageCharge &) = delete;

  /// `bytes` must not exceed the present charge.
  void shrinkTo(uint64_t bytes) { owner_->giveBack(std::exchange(bytes_, bytes) - bytes); }

private:
  friend class MessageBytes;

  const std::shared_ptr<MessageBytes> owner_;
  uint64_t bytes_ = 0;
};

/// A pointer to the same object that also keeps `other` alive.
template <typename T> std::shared_ptr<T> keeping(std::shared_ptr<T> object, std::shared_ptr<const void> other) {
  auto both = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<T>>>(std::move(other), object);
  return std::shared_ptr<T>(std::move(both), object.get());
}

/// The number of one client's descriptors in the service, wherever they are kept.
class DescriptorCount : public std::enable_shared_from_this<DescriptorCount> {
public:
  /// `all`: the limit of all clients together.
  DescriptorCount(uint64_t limit, uint64_t all, std::shared_ptr<SharedCounters> counters)
      : limit_(limit), all_(all), counters_(std::move(counters)) {}

  /// ResourceExhaustedTransient: `more` further ones exceed the client's limit, or its share of the limit of all
  /// clients.
  Outcome check(size_t more) const;

  /// The same descriptor, counted until the last copy of the returned handle is destroyed.
  SharedHandle counted(SharedHandle handle);
  uint64_t now() const { return now_; }

private:
  const uint64_t limit_, all_;
  const std::shared_ptr<SharedCounters> counters_;
  std::atomic<uint64_t> now_{0};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_OBJECTS_H
