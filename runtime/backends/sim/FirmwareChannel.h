//===- FirmwareChannel.h - Requests to the firmware through the mailbox ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One request at a time: fill the mailbox, write its doorbell, wait until the firmware's answer is there. Requests to
// cancel a job are posted: no thread waits for their answers, and they are sent between the others. Thread-safe;
// requests of several threads are serialized. Lock order: requests_, then mutex_, which is a leaf except for the
// device's own lock.
//
// Sends the back end's contexts, rings and mappings to the firmware: one message each, and its answer. A reset removes
// all of them from the firmware. Any thread; each call waits for the firmware and returns DeviceLost if it does not
// answer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_FIRMWARECHANNEL_H
#define AVOCET_RUNTIME_BACKENDS_SIM_FIRMWARECHANNEL_H

#include "ContextRing.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "avocet/sim/Device.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>

namespace avocet::runtime {

class FirmwareChannel {
public:
  /// `wake` makes a thread call Device::run().
  FirmwareChannel(sim::Device &device, std::function<void()> wake);

  /// Writes the mailboxes' addresses to the device, and empties them. After power-up and after each reset.
  void announceMailboxes();

  /// Sends `request` and waits for its answer. DeviceLost when none comes within the time limit or the answer is
  /// malformed.
  template <typename Answer, typename Request>
  Result<Answer> exchange(firmware::MessageKind kind, const Request &request) {
    static_assert(sizeof(Request) <= sizeof(firmware::Mailbox::body) &&
                  sizeof(Answer) <= sizeof(firmware::Mailbox::body));
    Answer answer;
    AVOCET_RETURN_IF_ERROR(exchangeBytes(kind, &request, sizeof(request), &answer, sizeof(answer)));
    return answer;
  }

  /// exchange() for requests whose answer is only a code; `what` names the request in errors.
  template <typename Request>
  Status command(firmware::MessageKind kind, const Request &request, std::string_view what) {
    AVOCET_ASSIGN_OR_RETURN(firmware::Reply reply, exchange<firmware::Reply>(kind, request));
    return statusOf(static_cast<firmware::ReplyCode>(reply.code), what);
  }

  /// Sends a request as soon as the mailbox is free; any answer is accepted. Does not wait. A reset discards it.
  void postCancel(const firmware::CancelRequest &request);

  /// For the interrupt handler: the device may have put a message into the mailbox.
  void answerArrived();

  static Status statusOf(firmware::ReplyCode code, std::string_view what);

private:
  Status exchangeBytes(firmware::MessageKind kind, const void *request, size_t requestBytes, void *answer,
                       size_t answerBytes);
  void send(firmware::MessageKind kind, const void *request, size_t requestBytes);
  bool sendPosted();
  Status takeAnswer(firmware::MessageKind kind, void *answer, size_t answerBytes);

  sim::Device &device_;
  std::function<void()> wake_;
  /// Kind of the request that the firmware has not answered.
  enum class InFlight { Nothing, Awaited, Posted };

  std::mutex requests_; ///< one waiting request at a time
  std::mutex mutex_;    ///< guards all below
  std::condition_variable changed_;
  InFlight inFlight_ = InFlight::Nothing;
  bool hasAnswer_ = false;
  std::deque<firmware::CancelRequest> posted_;
  uint32_t sequence_ = 0;
  alignas(64) firmware::Mailbox toDevice_{};
  alignas(64) firmware::Mailbox fromDevice_{};
};

/// Memory of this process that a context accesses at a device address.
struct MappedRange {
  ContextHandle context;
  uint64_t address;
  std::span<uint8_t> memory;
  Access access;
};

class FirmwareObjects {
public:
  explicit FirmwareObjects(FirmwareChannel &channel) : channel_(channel) {}

  Status createContext(const ContextRing &ring);
  /// Removes its ring and its mappings, too.
  Status destroyContext(const ContextRing &ring);
  /// Maps the ring's memory, too.
  Status createRing(ContextRing &ring);

  /// `ring`: the ring of the range's context.
  Status map(const ContextRing &ring, const MappedRange &range);
  Status unmap(const ContextRing &ring, const MappedRange &range);

private:
  FirmwareChannel &channel_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_FIRMWARECHANNEL_H
