//===- Session.cpp - The session of one client of the service ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Call.h"
#include "TotalsAnswer.h"

#include "avocet/base/Log.h"
#include "avocet/hal/types/ErrorText.h"
#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <system_error>
#include <unistd.h>

namespace avocet::hal {

using namespace ipc;

/// While a call is performed, it exists unpacked, in canonical types, and as the driver's copy. The copy may stay.
static constexpr uint64_t kFormsOfCall = 3;

Session::Session(std::unique_ptr<Channel> channel, Devices devices, const Quotas &quotas,
                 std::shared_ptr<SharedCounters> counters, std::shared_ptr<SharedMessageBytes> allBytes,
                 ConnectionPoller &poller)
    : presence_(counters), channel_(std::move(channel)), devices_(std::move(devices)), quotas_(quotas),
      counters_(std::move(counters)),
      descriptors_(std::make_shared<DescriptorCount>(quotas.descriptors, quotas.allDescriptors, counters_)),
      bytes_(std::make_shared<MessageBytes>(quotas.callBytes, std::move(allBytes))), poller_(poller),
      objects_(quotas.objects, quotas.queueBursts, counters_) {}

Session::~Session() = default;

Session::Received::~Received() {
  if (charge.use_count() > 1)
    charge->shrinkTo(keptBytes);
}

void Session::restrictToQueries() {
  isQueryOnly_ = true;
  channel_->setReceiveLimit(quotas_.handshakeLimit);
}

void Session::run() {
  {
    Lock lock(mutex_); // the poller may call at once if the client has already disconnected
    watchNumber_ = poller_.add(channel_->descriptor(), weak_from_this());
  }
  serve();
  while (true) {
    std::vector<std::thread> helpers;
    {
      Lock lock(mutex_);
      helpers.swap(helpers_);
    }
    if (helpers.empty())
      break;
    for (std::thread &helper : helpers)
      helper.join();
  }
  poller_.remove(watchNumber_, channel_->descriptor());
  objects_.close();
  Lock lock(mutex_);
  queue_.clear();
  device_.reset();
}

void Session::serve() {
  Lock lock(mutex_);
  while (!ended_) {
    if (mayPerformQueued()) {
      Task task = std::move(queue_.front());
      queue_.pop_front();
      perform(lock, task);
    } else if (mayListen()) {
      listen(lock);
    } else {
      if (!listening_) // too many calls wait: watch only for the client's end
        poller_.armForEnd(watchNumber_, channel_->descriptor());
      ++idle_;
      changed_.wait(lock, [this] { return ended_ || wanted_ || mayPerformQueued(); });
      --idle_;
      wanted_ = false;
    }
  }
}

void Session::listen(Lock &lock) {
  listening_ = true;
  wanted_ = false;
  lock.unlock();
  std::optional<Task> received = receive();
  lock.lock();
  listening_ = false;
  if (!received)
    return;
  Task task = std::move(*received);
  if (!task) {
    ended_ = true;
    changed_.notify_all();
    lock.unlock();
    abandon(); // cancels calls that still run
    return lock.lock();
  }
  if (running_ < quotas_.threads)
    return perform(lock, task);
  queue_.push_back(std::move(task));
}

/// A null task: the client is gone, or its message cannot be answered; the session ends. None: the message was a
/// question for a sign of life, and is answered, since such an answer must not wait for a thread.
std::optional<Session::Task> Session::receive() try {
  std::optional<uint64_t> number; // of the call in a message whose bytes are refused
  Result<Message> message = channel_->receive([&](const BoundedReader &bytes) { return admit(bytes, number); });
  if (!message)
    return Task();
  if (!message->refusal)
    return taskOf(std::move(*message));
  return number ? refuse(*number, *message->refusal) : Task();
} catch (const std::bad_alloc &) {
  return Task(); // no memory even for a small message
}

/// Only the number of a message in memory is read before its bytes are charged.
Result<std::shared_ptr<const void>> Session::admit(const BoundedReader &message, std::optional<uint64_t> &number) {
  number = callNumberOf(message);
  if (!number)
    return invalidArgument("this is no message of the protocol");
  if (device() == nullptr)
    return invalidArgument(fmt::format("the message has {} bytes; before Hello has named a device, {} are allowed",
                                       message.size(), Channel::kMaxInlineBytes));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<MessageCharge> charge, bytes_->take(message.size()));
  return std::shared_ptr<const void>(std::move(charge));
}

Session::Task Session::refuse(uint64_t number, Error why) {
  ++counters_->callsEver;
  ++callsInFlight_;
  verbose(VerboseTag::Driver, "service: call {} refused: {}", number, toString(why));
  return [this, number, why = std::move(why)] { answer(number, why); };
}

std::optional<Session::Task> Session::taskOf(Message message) {
  auto received = std::make_shared<Received>();
  std::optional<OpenedMessage> opened = openMessage(message.bytes, [&](uint64_t bytes) -> Outcome {
    received->keptBytes = bytes;
    AVOCET_ASSIGN_OR_RETURN(received->charge, bytes_->take(kFormsOfCall * bytes));
    return success();
  });
  if (!opened)
    return Task();
  if (!opened->envelope)
    return refuse(opened->number, opened->envelope.error());
  received->call = std::move(*opened->envelope);
  if (received->call->call.AsPing() != nullptr && device() != nullptr) {
    answerPing(opened->number);
    return std::nullopt;
  }
  received->arrival = noteArrival(*received->call, *channel_);
  if (const fb::ReleaseT *release = received->call->call.AsRelease()) {
    ++counters_->callsEver;
    return [this, object = release->object] { objects_.remove(object); };
  }
  if (Outcome admitted = checkQuotas(message); !admitted)
    return refuse(opened->number, admitted.error());
  for (SharedHandle &fd : message.fds)
    fd = descriptors_->counted(std::move(fd));
  received->handles = HandleReader(std::move(message.fds));
  ++counters_->callsEver;
  ++callsInFlight_;
  return [this, received = std::move(received)] { handle(*received); };
}

Outcome Session::checkQuotas(const Message &message) const {
  if (callsInFlight_ >= quotas_.callsInFlight)
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("the client has {} calls in flight, its limit", quotas_.callsInFlight));
  if (message.descriptorsLost)
    return error(ErrorStatus::ResourceExhaustedTransient, "the service has too many descriptors open");
  return descriptors_->check(message.fds.size());
}

BurstServerOptions Session::burstOptions() const {
  BurstServerOptions options = quotas_.bursts;
  options.admit = [descriptors = descriptors_](std::vector<SharedHandle> fds) -> Result<std::shared_ptr<const void>> {
    if (Outcome admitted = descriptors->check(fds.size()); !admitted)
      return verboseError(VerboseTag::Driver, "memories of a burst refused", admitted.error());
    for (SharedHandle &fd : fds)
      fd = descriptors->counted(std::move(fd));
    return std::shared_ptr<const void>(std::make_shared<const std::vector<SharedHandle>>(std::move(fds)));
  };
  return options;
}

/// The poller watches the connection meanwhile, unless another thread listens.
void Session::perform(Lock &lock, const Task &task) {
  ++running_;
  bool armed = !listening_;
  lock.unlock();
  if (armed)
    poller_.arm(watchNumber_, channel_->descriptor());
  task();
  if (armed)
    poller_.disarm(watchNumber_, channel_->descriptor());
  lock.lock();
  --running_;
}

void Session::somethingArrived() {
  Lock lock(mutex_);
  if (ended_ || listening_)
    return;
  if (!mayListen()) // too many calls wait: watch only for the client's end
    return poller_.armForEnd(watchNumber_, channel_->descriptor());
  wanted_ = true;
  bringThread();
}

void Session::bringThread() {
  if (idle_ > 0)
    return changed_.notify_one();
  if (helpers_.size() >= quotas_.threads)
    return; // one of them will check soon
  try {
    helpers_.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
    logMessage(LogLevel::Warning, "hal", "a client's calls run one after the other: no thread can be started");
  }
}

void Session::peerHasGone() {
  channel_->shutdown();
  abandon();
}

void Session::abandon() {
  if (std::shared_ptr<ClientDevice> device = this->device())
    device->abandon();
}

std::shared_ptr<ClientDevice> Session::device() const {
  Lock lock(mutex_);
  return device_;
}

void Session::handle(const Received &received) {
  const fb::EnvelopeT &call = *received.call;
  const PerformedCall performed(received.arrival, call.call.type);
  try {
    if (const fb::HelloT *hello = call.call.AsHello())
      return answer(call.number, greet(*hello));
    std::shared_ptr<ClientDevice> device = this->device();
    if (!device)
      return answer(call.number, invalidArgument("the first call on a connection is Hello with a device's name"));
    performCall({*this, *device, call, received.handles, received.charge});
  } catch (const std::bad_alloc &) {
    answer(call.number, error(ErrorStatus::ResourceExhaustedTransient, "the service has no memory for the call"));
  } catch (const std::exception &failure) {
    answer(call.number, generalFailure(fmt::format("the call failed: {}", failure.what())));
  }
}

Result<Answered> Session::greet(const fb::HelloT &hello) {
  const ProtocolRange client{hello.protocol, hello.newest == 0 ? hello.protocol : hello.newest};
  AVOCET_ASSIGN_OR_RETURN(const uint32_t protocol, commonProtocol(client, protocols_));
  AVOCET_ASSIGN_OR_RETURN(fb::WelcomeT welcome,
                          hello.device.empty() ? listServed(hello.totals) : welcomeTo(hello.device));
  if (protocol > kUnnegotiatedProtocol) {
    welcome.protocol = protocol;
    welcome.oldest = protocols_.oldest;
    welcome.newest = protocols_.newest;
  }
  return answered(std::move(welcome));
}

Result<fb::WelcomeT> Session::welcomeTo(const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<ClientDevice> device, connect(name));
  return toMessage(describe(*device));
}

Result<fb::WelcomeT> Session::listServed(bool withTotals) const {
  fb::WelcomeT welcome;
  for (const ServedDevice &served : *devices_)
    welcome.devices.push_back(served.name);
  if (withTotals) {
    AVOCET_ASSIGN_OR_RETURN(PeerCredentials peer, channel_->peer());
    if (!maySeeTotals(peer, ::geteuid()))
      return error(ErrorStatus::DeviceUnavailable, "totals are for root and the user that runs the service");
    welcome.totals = toMessage(totalsOf(*counters_, *devices_));
  }
  return welcome;
}

Result<std::shared_ptr<ClientDevice>> Session::connect(const std::string &name) {
  if (isQueryOnly_)
    return error(
        ErrorStatus::ResourceExhaustedTransient,
        "this connection was used for lists or totals and cannot connect to a device; open another connection");
  auto served = std::find_if(devices_->begin(), devices_->end(), [&](const auto &entry) { return entry.name == name; });
  if (served == devices_->end())
    return invalidArgument("there is no device '" + name + "'");
  {
    Lock lock(mutex_);
    if (std::exchange(connecting_, true))
      return invalidArgument("the connection has a device already");
  }
  ClientOptions options;
  options.quotas = quotas_.client;
  Result<PeerCredentials> peer = channel_->peer();
  options.name = peer ? fmt::format("process {} of user {}", peer->process, peer->user) : "unknown process";
  Result<std::shared_ptr<ClientDevice>> device = served->connect(options);
  Lock lock(mutex_);
  if (device) {
    device_ = *device;
    served_ = &*served;
  } else {
    connecting_ = false;
  }
  return device;
}

void Session::showModel(const Model &model) const {
  const ServedDevice *served = nullptr;
  {
    Lock lock(mutex_);
    served = served_;
  }
  if (served != nullptr && served->modelSink)
    served->modelSink(model);
}

} // namespace avocet::hal
