//===- Connection.cpp - A client's calls and their answers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

namespace avocet::hal::ipc {
namespace {

Reply deadReply() {
  return {ErrorStatus::DeadObject, "the driver service is gone; connect again and prepare the model anew", {}};
}

} // namespace

Connection::Connection(std::unique_ptr<Channel> channel)
    : channel_(std::move(channel)), receiver_([this] { receive(); }) {}

Connection::~Connection() {
  channel_->shutdown();
  receiver_.join();
}

uint64_t Connection::enter(Handler handler) {
  std::lock_guard lock(mutex_);
  auto pending = std::make_shared<Pending>();
  pending->handler = std::move(handler);
  pending_[nextNumber_] = std::move(pending);
  return nextNumber_++;
}

Outcome Connection::send(uint64_t number, fb::CallUnion call, const HandleWriter &handles, bool asynchronous) {
  fb::EnvelopeT envelope;
  envelope.number = number;
  envelope.asynchronous = asynchronous;
  envelope.call = std::move(call);
  return sendEnvelope(*channel_, envelope, handles);
}

Reply Connection::call(fb::CallUnion call, const HandleWriter &handles) {
  uint64_t number = enter(nullptr);
  std::shared_ptr<Pending> pending;
  {
    std::lock_guard lock(mutex_);
    pending = pending_.at(number);
    if (dead_)
      pending->answered = true, pending->reply = deadReply();
  }
  Outcome sent = send(number, std::move(call), handles, false);
  std::unique_lock lock(mutex_);
  if (!sent && sent.code() != ErrorStatus::DeadObject) {
    pending_.erase(number);
    return {sent.code(), sent.error().message, {}};
  }
  changed_.wait(lock, [&] { return pending->answered || dead_; });
  pending_.erase(number);
  return pending->answered ? std::move(pending->reply) : deadReply();
}

ErrorStatus Connection::launch(fb::CallUnion call, const HandleWriter &handles, Handler handler) {
  uint64_t number = enter(std::move(handler));
  std::shared_ptr<Pending> pending;
  {
    std::lock_guard lock(mutex_);
    pending = pending_.at(number);
  }
  Outcome sent = send(number, std::move(call), handles, true);
  if (!sent)
    answer(number, sent.code() == ErrorStatus::DeadObject ? deadReply() : Reply{sent.code(), sent.error().message, {}});
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pending->answered || pending->launched || dead_; });
  if (pending->launched)
    return ErrorStatus::None;
  return pending->answered ? pending->reply.status : ErrorStatus::DeadObject;
}

void Connection::notify(fb::CallUnion call) { (void)send(0, std::move(call), {}, false); }

void Connection::receive() {
  while (true) {
    Result<Message> message = channel_->receive();
    if (!message)
      return die();
    Result<fb::EnvelopeT> envelope = openEnvelope(message->bytes);
    if (!envelope)
      return die();
    dispatch(std::move(*envelope));
  }
}

void Connection::dispatch(fb::EnvelopeT envelope) {
  if (!envelope.launched)
    return answer(envelope.number,
                  {static_cast<ErrorStatus>(envelope.error), envelope.message, std::move(envelope.answer)});
  std::lock_guard lock(mutex_);
  auto found = pending_.find(envelope.number);
  if (found != pending_.end())
    found->second->launched = true;
  changed_.notify_all();
}

/// Hands the answer over once; later ones for the same call are dropped.
void Connection::answer(uint64_t number, Reply reply) {
  std::lock_guard lock(mutex_);
  auto found = pending_.find(number);
  if (found == pending_.end() || found->second->answered)
    return;
  Pending &pending = *found->second;
  pending.answered = true;
  if (pending.handler) {
    pending.reply.status = reply.status;
    post(std::move(pending.handler), std::move(reply));
    pending_.erase(found);
  } else {
    pending.reply = std::move(reply);
  }
  changed_.notify_all();
}

void Connection::die() {
  channel_->shutdown();
  std::lock_guard lock(mutex_);
  dead_ = true;
  for (auto entry = pending_.begin(); entry != pending_.end();) {
    Pending &pending = *entry->second;
    if (pending.handler && !pending.answered) {
      pending.answered = true;
      pending.reply.status = ErrorStatus::DeadObject;
      post(std::move(pending.handler), deadReply());
      entry = pending_.erase(entry);
    } else {
      ++entry;
    }
  }
  changed_.notify_all();
}

void Connection::post(Handler handler, Reply reply) {
  auto shared = std::make_shared<Reply>(std::move(reply));
  auto run = [handler = std::move(handler), shared] { handler(std::move(*shared)); };
  if (!runner_.post(run))
    run(); // no thread can be started
}

} // namespace avocet::hal::ipc
