//===- Objects.cpp - The objects of one client, by number -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal {

bool KeptBurst::keep(int64_t identifier, SharedMemory memory) {
  std::lock_guard lock(mutex_);
  if (memories_.size() >= kMaxBurstSlots && !memories_.contains(identifier))
    return false;
  std::swap(memories_[identifier], memory); // the previous memory is released after the lock
  return true;
}

SharedMemory KeptBurst::find(int64_t identifier) const {
  std::lock_guard lock(mutex_);
  auto found = memories_.find(identifier);
  return found == memories_.end() ? nullptr : found->second;
}

void KeptBurst::drop(int64_t identifier) {
  std::lock_guard lock(mutex_);
  memories_.erase(identifier);
}

void ObjectTable::count(const Object &object, int32_t change) {
  counters_->objectsNow += change;
  if (std::holds_alternative<std::shared_ptr<ServedBurst>>(object))
    queueBursts_ += change;
  if (std::holds_alternative<std::shared_ptr<IBuffer>>(object))
    counters_->buffersNow += change;
  if (std::holds_alternative<std::shared_ptr<KeptBurst>>(object) ||
      std::holds_alternative<std::shared_ptr<ServedBurst>>(object))
    counters_->burstsNow += change;
}

Outcome ObjectTable::checkLimits(const Object &object) const {
  if (closed_)
    return error(ErrorStatus::DeviceUnavailable, "the client has disconnected");
  if (objects_.size() >= limit_)
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("the client has {} objects, its limit; release some", limit_));
  if (std::holds_alternative<std::shared_ptr<ServedBurst>>(object) && queueBursts_ >= maxQueueBursts_)
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("the client has {} bursts of message queues, its limit", maxQueueBursts_));
  return success();
}

Result<uint64_t> ObjectTable::add(Object object) {
  std::lock_guard lock(mutex_);
  if (Outcome fits = checkLimits(object); !fits)
    return verboseError(VerboseTag::Driver, "object refused", fits.error());
  count(object, 1);
  objects_.emplace(nextId_, std::move(object));
  return nextId_++;
}

void ObjectTable::remove(uint64_t id) {
  std::map<uint64_t, Object>::node_type node; // destroyed outside the lock
  std::lock_guard lock(mutex_);
  node = objects_.extract(id);
  if (!node.empty())
    count(node.mapped(), -1);
}

void ObjectTable::close() {
  std::map<uint64_t, Object> objects;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    objects.swap(objects_);
  }
  for (auto &[id, object] : objects) {
    Object last = std::move(object);
    count(last, -1);
  }
}

bool SharedMessageBytes::take(uint64_t bytes) {
  uint64_t now = now_;
  do {
    if (bytes > limit_ || now > limit_ - bytes)
      return false;
  } while (!now_.compare_exchange_weak(now, now + bytes));
  return true;
}

/// The part beyond the client's own share.
static uint64_t excess(uint64_t bytes) { return bytes - std::min(bytes, MessageBytes::kShare); }

Result<std::shared_ptr<MessageCharge>> MessageBytes::take(uint64_t bytes) {
  auto charge = std::make_shared<MessageCharge>(shared_from_this()); // first: nothing after count() can fail
  AVOCET_RETURN_IF_ERROR(count(bytes));
  charge->bytes_ = bytes;
  return charge;
}

Outcome MessageBytes::count(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > limit_ || now_ > limit_ - bytes)
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("messages: {} bytes more exceed the client's limit, {}, of which {} are in use", bytes,
                             limit_, now_));
  if (!others_->take(excess(now_ + bytes) - excess(now_)))
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("messages: {} bytes more exceed the limit of all clients together", bytes));
  now_ += bytes;
  return success();
}

void MessageBytes::giveBack(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  others_->giveBack(excess(now_) - excess(now_ - bytes));
  now_ -= bytes;
}

Outcome DescriptorCount::check(size_t more) const {
  if (more == 0)
    return success();
  const uint64_t now = now_, everyone = counters_->descriptorsNow;
  if (now + more > limit_)
    return error(
        ErrorStatus::ResourceExhaustedTransient,
        fmt::format("the client has {} descriptors in use and sends {} more, its limit is {}", now, more, limit_));
  // Other threads of the client change both numbers one after the other: the limit is approximate, and the client's may
  // be the greater one.
  const uint64_t others = everyone - std::min(everyone, now);
  if (others > all_ || 2 * (now + more) > all_ - others + 1)
    return error(
        ErrorStatus::ResourceExhaustedTransient,
        fmt::format("the client has {} descriptors in use and sends {} more; all clients have {} of {}, and one "
                    "gets no more than is left",
                    now, more, everyone, all_));
  return success();
}

SharedHandle DescriptorCount::counted(SharedHandle handle) {
  const FileDescriptor *descriptor = handle.get();
  ++now_;
  ++counters_->descriptorsNow;
  return {descriptor, [handle = std::move(handle), self = shared_from_this()](const FileDescriptor *) mutable {
            handle.reset();
            --self->now_;
            --self->counters_->descriptorsNow;
          }};
}

} // namespace avocet::hal
