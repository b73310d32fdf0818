//===- Session.cpp - What one client of the service has -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "CallHandler.h"

#include "avocet/base/Log.h"

#include <fmt/format.h>

namespace avocet::hal {

using namespace ipc;

Result<uint64_t> ObjectTable::add(Object object) {
  std::lock_guard lock(mutex_);
  if (objects_.size() >= limit_)
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("the client has {} objects, its limit; release some", limit_));
  objects_.emplace(nextId_, std::move(object));
  ++counters_->objectsNow;
  return nextId_++;
}

void ObjectTable::remove(uint64_t id) {
  Object object; // destroyed outside the lock
  std::lock_guard lock(mutex_);
  auto entry = objects_.find(id);
  if (entry == objects_.end())
    return;
  object = std::move(entry->second);
  objects_.erase(entry);
  --counters_->objectsNow;
}

Session::Session(std::unique_ptr<Channel> channel, Devices devices, const Quotas &quotas,
                 std::shared_ptr<SharedCounters> counters)
    : channel_(std::move(channel)), devices_(std::move(devices)), quotas_(quotas), counters_(std::move(counters)),
      objects_(quotas.objects, counters_), workers_(quotas.threads, quotas.callsInFlight) {
  ++counters_->clientsNow;
  ++counters_->clientsEver;
}

Session::~Session() { --counters_->clientsNow; }

void Session::run() {
  while (true) {
    Result<Message> message = channel_->receive();
    if (!message || !receive(std::move(*message)))
      break;
  }
  channel_->shutdown();
}

bool Session::receive(Message message) {
  Result<fb::EnvelopeT> envelope = openEnvelope(message.bytes);
  if (!envelope)
    return false;
  ++counters_->callsEver;
  if (const fb::ReleaseT *release = envelope->call.AsRelease()) {
    objects_.remove(release->object);
    return true;
  }
  uint64_t number = envelope->number;
  if (callsInFlight_.fetch_add(1) >= quotas_.callsInFlight) {
    answer(number, error(ErrorStatus::ResourceExhaustedTransient,
                         fmt::format("the client has {} calls in flight, its limit", quotas_.callsInFlight)));
    return true;
  }
  auto call = std::make_shared<fb::EnvelopeT>(std::move(*envelope));
  auto handles = std::make_shared<HandleReader>(std::move(message.fds));
  auto task = [session = shared_from_this(), call, handles] { session->handle(*call, *handles); };
  if (!workers_.post(task))
    answer(number, error(ErrorStatus::ResourceExhaustedTransient, "no thread is free for the call"));
  return true;
}

void Session::handle(const fb::EnvelopeT &call, const HandleReader &handles) {
  if (const fb::HelloT *hello = call.call.AsHello())
    return answer(call.number, greet(*hello));
  std::shared_ptr<IDevice> device;
  {
    std::lock_guard lock(deviceMutex_);
    device = device_;
  }
  if (!device)
    return answer(call.number, invalidArgument("the first call on a connection is Hello with a device's name"));
  CallHandler(*this, *device, call, handles).handle();
}

Result<Session::Answer> Session::greet(const fb::HelloT &hello) {
  if (hello.protocol != kProtocol)
    return invalidArgument(fmt::format("the client speaks protocol {}, the service {}", hello.protocol, kProtocol));
  Answer answer;
  fb::WelcomeT welcome;
  if (hello.device.empty()) {
    for (const ServedDevice &served : *devices_)
      welcome.devices.push_back(served.name);
    answer.Set(std::move(welcome));
    return answer;
  }
  std::lock_guard lock(deviceMutex_);
  if (device_)
    return invalidArgument("the connection has a device already");
  for (const ServedDevice &served : *devices_)
    if (served.name == hello.device) {
      AVOCET_HAL_ASSIGN_OR_RETURN(device_, served.open());
      answer.Set(toMessage(describe(*device_)));
      return answer;
    }
  return invalidArgument("there is no device '" + hello.device + "'");
}

void Session::send(const fb::EnvelopeT &envelope) { (void)sendEnvelope(*channel_, envelope, HandleWriter()); }

void Session::sendLaunched(uint64_t number) {
  fb::EnvelopeT envelope;
  envelope.number = number;
  envelope.launched = true;
  send(envelope);
}

void Session::answer(uint64_t number, Result<Answer> result) {
  fb::EnvelopeT envelope;
  envelope.number = number;
  if (result) {
    envelope.answer = std::move(*result);
  } else {
    envelope.error = static_cast<int32_t>(result.code());
    envelope.message = result.error().message;
    envelope.answer.Set(fb::NothingT());
  }
  --callsInFlight_;
  send(envelope);
}

void Session::answerExecution(uint64_t number, const ExecutionOutcome &outcome) {
  fb::EnvelopeT envelope;
  envelope.number = number;
  envelope.error = static_cast<int32_t>(outcome.status);
  envelope.message = outcome.message;
  envelope.answer.Set(toMessage(outcome));
  --callsInFlight_;
  send(envelope);
}

} // namespace avocet::hal
