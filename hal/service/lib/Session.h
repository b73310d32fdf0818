//===- Session.h - What one client of the service has -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_SESSION_H
#define AVOCET_HAL_SERVICE_LIB_SESSION_H

#include "avocet/base/WorkerPool.h"
#include "avocet/hal/Service.h"

#include "Envelope.h"

#include <atomic>
#include <map>
#include <mutex>
#include <variant>

namespace avocet::hal {

/// Sums over all sessions.
struct SharedCounters {
  std::atomic<uint64_t> clientsNow{0}, clientsEver{0}, objectsNow{0}, callsEver{0};
};

/// The objects of one client by number. Thread-safe.
class ObjectTable {
public:
  using Object = std::variant<std::shared_ptr<IPreparedModel>, std::shared_ptr<IExecution>>;

  ObjectTable(uint32_t limit, std::shared_ptr<SharedCounters> counters)
      : limit_(limit), counters_(std::move(counters)) {}
  ~ObjectTable() { counters_->objectsNow -= objects_.size(); }

  /// ResourceExhaustedTransient at the limit.
  Result<uint64_t> add(Object object);
  void remove(uint64_t id);

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
  mutable std::mutex mutex_;
  std::map<uint64_t, Object> objects_;
  uint64_t nextId_ = 1;
  const uint32_t limit_;
  const std::shared_ptr<SharedCounters> counters_;
};

/// Serves one client until it goes. A call that is still running then ends first, and with it the session; the service
/// may be gone by that time. run() is called once, in a thread of its own; end() from any thread.
class Session : public std::enable_shared_from_this<Session> {
public:
  using Devices = std::shared_ptr<const std::vector<ServedDevice>>;
  Session(std::unique_ptr<Channel> channel, Devices devices, const Quotas &quotas,
          std::shared_ptr<SharedCounters> counters);
  ~Session();

  void run();
  void end() { channel_->shutdown(); }

private:
  friend class CallHandler;
  using Answer = ipc::fb::AnswerUnion;

  /// False: the client broke the protocol, and the session ends.
  bool receive(Message message);
  void handle(const ipc::fb::EnvelopeT &call, const ipc::HandleReader &handles);
  Result<Answer> greet(const ipc::fb::HelloT &hello);
  void answer(uint64_t number, Result<Answer> result);
  void answerExecution(uint64_t number, const ExecutionOutcome &outcome);
  void send(const ipc::fb::EnvelopeT &envelope);
  void sendLaunched(uint64_t number);

  std::unique_ptr<Channel> channel_;
  const Devices devices_;
  const Quotas quotas_;
  const std::shared_ptr<SharedCounters> counters_;
  std::mutex deviceMutex_; ///< guards device_ while it is set, once
  std::shared_ptr<IDevice> device_;
  ObjectTable objects_;
  std::atomic<uint32_t> callsInFlight_{0};
  WorkerPool workers_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_SESSION_H
