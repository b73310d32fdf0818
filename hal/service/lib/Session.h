//===- Session.h - The session of one client of the service -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_SESSION_H
#define AVOCET_HAL_SERVICE_LIB_SESSION_H

#include "CallArrival.h"
#include "ConnectionPoller.h"
#include "Objects.h"
#include "avocet/hal/wire/Envelope.h"
#include "avocet/hal/wire/Protocol.h"

#include <condition_variable>
#include <deque>

namespace avocet::hal {

/// An answer with its descriptors.
struct Answered {
  ipc::fb::AnswerUnion answer;
  ipc::HandleWriter handles;
};
template <typename Table> Answered answered(Table table, ipc::HandleWriter handles = {}) {
  Answered result{{}, std::move(handles)};
  result.answer.Set(std::move(table));
  return result;
}

/// Serves one client until it disconnects. One of its threads listens on the connection and performs the call that it
/// receives. The poller reports messages that arrive meanwhile, and another thread then listens. Calls beyond the
/// quota of threads wait in a queue; more are refused, so that the connection is always served.
///
/// run() is called once, in a thread of its own; end() from any thread. Callbacks of the driver keep a session alive
/// after its end.
class Session : public IWatched, public std::enable_shared_from_this<Session> {
public:
  using Devices = std::shared_ptr<const std::vector<ServedDevice>>;
  Session(std::unique_ptr<Channel> channel, Devices devices, const Quotas &quotas,
          std::shared_ptr<SharedCounters> counters, std::shared_ptr<SharedMessageBytes> allBytes,
          ConnectionPoller &poller);
  ~Session() override;

  /// Before run(): the client may only request lists and totals, within the handshake limit.
  void restrictToQueries();
  /// Before run(): the versions that the session speaks, instead of kProtocols.
  void setProtocols(const ProtocolRange &protocols) { protocols_ = protocols; }
  void run();
  void end() { channel_->shutdown(); }

  void somethingArrived() override;
  void peerHasGone() override;

  // For the functions that perform the calls.
  ObjectTable &objects() { return objects_; }
  /// Descriptors of its bursts' memories count as the others that it sends.
  BurstServerOptions burstOptions() const;
  void answer(uint64_t number, Result<Answered> result);
  void answerExecution(uint64_t number, const ExecutionOutcome &outcome);
  void sendLaunched(uint64_t number);
  /// The same for threads of the driver, which must not block on a client that does not read.
  void answerLater(uint64_t number, Result<Answered> result);
  void answerExecutionLater(uint64_t number, const ExecutionOutcome &outcome);
  Result<Answered> greet(const ipc::fb::HelloT &hello);
  /// Passes a model that the client wants to prepare to the device's ServedDevice::modelSink.
  void showModel(const Model &model) const;

private:
  using Lock = std::unique_lock<std::mutex>;
  using Task = std::function<void()>;
  struct Outgoing {
    ipc::fb::EnvelopeT envelope;
    ipc::HandleWriter handles;
  };

  /// False also while too many calls wait: the client's messages then stay in the socket.
  bool mayListen() const {
    return !listening_ && (running_ < quotas_.threads || queue_.size() < 2 * size_t(quotas_.callsInFlight));
  }
  bool mayPerformQueued() const { return !queue_.empty() && running_ < quotas_.threads; }
  void serve();
  void listen(Lock &lock);
  std::optional<Task> receive();
  Result<std::shared_ptr<const void>> admit(const BoundedReader &message, std::optional<uint64_t> &number);
  std::optional<Task> taskOf(Message message);
  /// An admitted call. After its end, only the part that objects keep stays charged.
  struct Received {
    ~Received();

    std::unique_ptr<const ipc::fb::EnvelopeT> call;
    std::optional<CallArrival> arrival;
    ipc::HandleReader handles{{}};
    std::shared_ptr<MessageCharge> charge; ///< shared by objects that keep any part of the call
    uint64_t keptBytes = 0;                ///< most bytes that they keep
  };
  Outcome checkQuotas(const Message &message) const;
  Task refuse(uint64_t number, Error why);
  void perform(Lock &lock, const Task &task);
  void handle(const Received &received);
  void bringThread();
  void abandon();
  std::shared_ptr<ClientDevice> device() const;
  Result<std::shared_ptr<ClientDevice>> connect(const std::string &name);
  Result<ipc::fb::WelcomeT> welcomeTo(const std::string &name);
  Result<ipc::fb::WelcomeT> listServed(bool withTotals) const;
  void countError(ErrorStatus status);
  void answerPing(uint64_t number);
  Outgoing outgoing(uint64_t number, Result<Answered> result);
  Outgoing outgoing(uint64_t number, const ExecutionOutcome &outcome);
  void send(const Outgoing &message);
  void sendLater(Outgoing message);
  template <typename Send> void orEnd(Send send);

  bool isQueryOnly_ = false;             ///< set before run()
  ProtocolRange protocols_ = kProtocols; ///< set before run()
  const ClientPresence presence_;        ///< declared first, hence destroyed last
  const std::unique_ptr<Channel> channel_;
  const Devices devices_;
  const Quotas quotas_;
  const std::shared_ptr<SharedCounters> counters_;
  const std::shared_ptr<DescriptorCount> descriptors_;
  const std::shared_ptr<MessageBytes> bytes_;
  ConnectionPoller &poller_; ///< used within run() only
  uint64_t watchNumber_ = 0; ///< set under mutex_, before other threads read it
  ObjectTable objects_;
  std::atomic<uint32_t> callsInFlight_{0};

  mutable std::mutex mutex_; ///< guards the members below; not held while a thread listens or performs
  std::condition_variable changed_;
  std::shared_ptr<ClientDevice> device_;
  const ServedDevice *served_ = nullptr; ///< of device_, in devices_
  bool connecting_ = false;              ///< a Hello was received: a connection has one device
  std::deque<Task> queue_;
  std::vector<std::thread> helpers_;
  uint32_t running_ = 0; ///< calls being performed
  uint32_t idle_ = 0;    ///< threads that wait for work
  bool listening_ = false;
  bool wanted_ = false; ///< a thread should listen
  bool ended_ = false;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_SESSION_H
