//===- SessionAnswers.cpp - The answers of a session -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

namespace avocet::hal {

using namespace ipc;

void Session::countError(ErrorStatus status) {
  const auto number = static_cast<size_t>(status);
  if (status != ErrorStatus::None && number < counters_->callErrors.size())
    ++counters_->callErrors[number];
}

Session::Outgoing Session::outgoing(uint64_t number, Result<Answered> result) {
  countError(result.code());
  Outgoing message;
  message.envelope.number = number;
  if (result) {
    message.envelope.answer = std::move(result->answer);
    message.handles = std::move(result->handles);
  } else {
    message.envelope.error = static_cast<int32_t>(result.code());
    message.envelope.message = result.error().message;
    message.envelope.answer.Set(fb::NothingT());
  }
  return message;
}

Session::Outgoing Session::outgoing(uint64_t number, const ExecutionOutcome &outcome) {
  countError(outcome.status);
  Outgoing message;
  message.envelope.number = number;
  message.envelope.error = static_cast<int32_t>(outcome.status);
  message.envelope.message = outcome.message;
  message.envelope.answer.Set(toMessage(outcome));
  return message;
}

/// If an answer cannot be sent, sends a small one with the reason.
void Session::send(const Outgoing &message) {
  Outcome sent = sendEnvelope(*channel_, message.envelope, message.handles);
  if (sent || sent.code() == ErrorStatus::DeadObject)
    return;
  Outgoing refusal = outgoing(message.envelope.number, sent.error());
  if (!sendEnvelope(*channel_, refusal.envelope, refusal.handles))
    channel_->shutdown();
}

/// If the client does not read, a thread of its own session waits, not the caller.
void Session::sendLater(Outgoing message) {
  Result<bool> sent = trySendEnvelope(*channel_, message.envelope, message.handles);
  if ((sent && *sent) || sent.code() == ErrorStatus::DeadObject)
    return;
  auto shared = std::make_shared<Outgoing>(std::move(message));
  Lock lock(mutex_);
  if (ended_)
    return;
  queue_.push_back([this, shared] { send(*shared); });
  bringThread();
}

/// Catches all exceptions: one would make the caller answer the same call again. Ends the connection, since the client
/// must not wait for a lost answer.
template <typename Send> void Session::orEnd(Send send) {
  try {
    send();
  } catch (const std::exception &) {
    channel_->shutdown();
  }
}

void Session::answer(uint64_t number, Result<Answered> result) {
  --callsInFlight_;
  orEnd([&] { send(outgoing(number, std::move(result))); });
}

void Session::answerExecution(uint64_t number, const ExecutionOutcome &outcome) {
  --callsInFlight_;
  orEnd([&] { send(outgoing(number, outcome)); });
}

void Session::answerLater(uint64_t number, Result<Answered> result) {
  --callsInFlight_;
  orEnd([&] { sendLater(outgoing(number, std::move(result))); });
}

void Session::answerExecutionLater(uint64_t number, const ExecutionOutcome &outcome) {
  --callsInFlight_;
  orEnd([&] { sendLater(outgoing(number, outcome)); });
}

/// The listening thread must not block on a client that does not read.
void Session::answerPing(uint64_t number) {
  orEnd([&] { sendLater(outgoing(number, answered(fb::NothingT()))); });
}

void Session::sendLaunched(uint64_t number) {
  orEnd([&] {
    Outgoing message;
    message.envelope.number = number;
    message.envelope.launched = true;
    send(message);
  });
}

} // namespace avocet::hal
