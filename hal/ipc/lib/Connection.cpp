//===- Connection.cpp - A client's calls and their answers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

#include "avocet/base/TraceRequest.h"
#include "avocet/hal/wire/CallTrace.h"

#include <new>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace avocet::hal::ipc {
namespace {

Reply deadReply() {
  return {ErrorStatus::DeadObject,
          "the connection to the driver service has ended; connect again and prepare the model again",
          {}};
}

/// 0 without a trace, since reading the process's number is a system call.
TraceRequest requestOf(uint32_t number) {
  return Trace::active() == nullptr ? 0 : traceRequest(static_cast<uint32_t>(::getpid()), number);
}

Reply failed(const Error &error) { return {error.code, error.message, {}}; }

Reply unusable(const Error &error) {
  if (error.code == ErrorStatus::ResourceExhaustedTransient)
    return failed(error);
  return failed(generalFailure("the driver service's answer cannot be used: " + error.message));
}

} // namespace

Result<std::shared_ptr<Connection>> Connection::create(std::unique_ptr<Channel> channel) {
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.isValid())
    return error(ErrorStatus::ResourceExhaustedTransient, "cannot make an event for a connection");
  std::shared_ptr<Connection> connection(new Connection(std::move(channel), std::move(wake)));
  try {
    connection->watcher_ = std::thread([connection = connection.get()] { connection->watch(); });
  } catch (const std::system_error &) {
    return error(ErrorStatus::ResourceExhaustedTransient, "cannot start a thread for a connection");
  }
  return connection;
}

Connection::Connection(std::unique_ptr<Channel> channel, FileDescriptor wake)
    : channel_(std::move(channel)), wake_(std::move(wake)) {}

Connection::~Connection() {
  channel_->shutdown();
  {
    Lock lock(mutex_);
    ending_ = true;
  }
  wakeWatcher();
  received_.notify_all();
  if (watcher_.joinable())
    watcher_.join();
}

bool Connection::isDead() const {
  Lock lock(mutex_);
  return dead_;
}

std::pair<uint64_t, std::shared_ptr<Connection::Pending>> Connection::enter(Handler handler) {
  Lock lock(mutex_);
  if (handler)
    ++numLaunched_;
  auto pending = std::make_shared<Pending>(std::move(handler));
  pending_[nextNumber_] = pending;
  return {nextNumber_++, std::move(pending)};
}

Outcome Connection::send(const CallNumbers &numbers, fb::CallUnion call, const HandleWriter &handles,
                         bool asynchronous) {
  try {
    fb::EnvelopeT envelope;
    envelope.number = numbers.call;
    envelope.request = numbers.request;
    envelope.sent = BootClock::now().time_since_epoch().count();
    envelope.asynchronous = asynchronous;
    envelope.call = std::move(call);
    return sendEnvelope(*channel_, envelope, handles);
  } catch (const std::bad_alloc &) {
    return error(ErrorStatus::ResourceExhaustedTransient, "no memory is left for a message to the driver service");
  }
}

/// Receives for all callers until `done`, or waits while another caller receives.
template <typename Done> void Connection::await(Lock &lock, Pending &pending, Done done) {
  pending.waiting = true;
  while (!done() && !dead_)
    if (receiving_)
      pending.changed.wait(lock);
    else
      receiveOne(lock);
  pending.waiting = false;
  if (!receiving_)
    handOver();
}

Reply Connection::call(fb::CallUnion call, const HandleWriter &handles) {
  const uint32_t request = newTraceNumber();
  const TraceRequestScope scope(requestOf(request));
  CallSpan span("client", call.type);
  auto [number, pending] = enter(nullptr);
  Outcome sent = send({number, request}, std::move(call), handles, false);
  Lock lock(mutex_);
  if (!sent && sent.code() != ErrorStatus::DeadObject) {
    pending_.erase(number);
    return failed(sent.error());
  }
  // An answer that the service sent before its end is still received.
  await(lock, *pending, [&pending = *pending] { return pending.answered; });
  pending_.erase(number);
  return pending->answered ? std::move(pending->reply) : deadReply();
}

ErrorStatus Connection::launch(fb::CallUnion call, const HandleWriter &handles, Handler handler) {
  const uint32_t request = newTraceNumber();
  const TraceRequestScope scope(requestOf(request));
  CallSpan span("client", call.type);
  if (!runner_.post([] {})) { // starts the runner's thread
    Reply reply = {ErrorStatus::ResourceExhaustedTransient, "cannot start a thread for callbacks", {}};
    handler(reply);
    return reply.status;
  }
  auto [number, pending] = enter(std::move(handler));
  Outcome sent = send({number, request}, std::move(call), handles, true);
  Lock lock(mutex_);
  if (!sent)
    answer(number, sent.code() == ErrorStatus::DeadObject ? deadReply() : failed(sent.error()));
  else if (dead_)
    answer(number, deadReply());
  await(lock, *pending, [&pending = *pending] { return pending.answered || pending.launched; });
  if (pending->launched)
    return ErrorStatus::None;
  return pending->answered ? pending->reply.status : ErrorStatus::DeadObject;
}

void Connection::notify(fb::CallUnion call) { (void)send({}, std::move(call), {}, false); }

/// Nothing: the connection has ended, or a message cannot be kept.
std::optional<Connection::Received> Connection::receive() {
  try {
    Result<Message> message = channel_->receive();
    if (!message || message->refusal)
      return {};
    std::optional<OpenedMessage> opened = openMessage(message->bytes);
    return opened ? std::optional(Received{std::move(*message), std::move(*opened)}) : std::nullopt;
  } catch (const std::bad_alloc &) {
    return {};
  }
}

/// A lost message would let its caller wait for ever, so the connection ends with it.
void Connection::receiveOne(Lock &lock) {
  receiving_ = true;
  lock.unlock();
  std::optional<Received> received = receive();
  lock.lock();
  receiving_ = false;
  try {
    if (received)
      dispatch(std::move(received->opened), std::move(received->message));
    else
      die();
  } catch (const std::bad_alloc &) {
    die();
  }
  received_.notify_all();
}

void Connection::dispatch(OpenedMessage opened, Message message) {
  if (!opened.envelope)
    return answer(opened.number, unusable(opened.envelope.error()));
  if (message.descriptorsLost)
    return answer(opened.number, {ErrorStatus::ResourceExhaustedTransient,
                                  "the answer's descriptors are lost: this process has too many open",
                                  {}});
  fb::EnvelopeT &envelope = **opened.envelope;
  if (!envelope.launched)
    return answer(envelope.number, {statusOf(envelope.error), std::move(envelope.message), std::move(envelope.answer),
                                    HandleReader(std::move(message.fds))});
  auto found = pending_.find(envelope.number);
  if (found == pending_.end())
    return;
  found->second->launched = true;
  found->second->changed.notify_all();
}

/// Passes the first answer of a call to its caller; later ones are dropped.
void Connection::answer(uint64_t number, Reply reply) {
  auto found = pending_.find(number);
  if (found == pending_.end() || found->second->answered)
    return;
  std::shared_ptr<Pending> pending = found->second;
  pending->answered = true;
  if (pending->handler) {
    pending->reply.status = reply.status;
    pending_.erase(found);
    --numLaunched_;
    post(std::move(pending->handler), std::move(reply));
  } else {
    pending->reply = std::move(reply);
  }
  pending->changed.notify_all();
}

/// Lets another waiting caller receive, or else the watcher.
void Connection::handOver() {
  for (auto &[number, pending] : pending_)
    if (pending->waiting && !pending->answered)
      return pending->changed.notify_all();
  if (numLaunched_ > 0)
    wakeWatcher();
}

void Connection::die() {
  channel_->shutdown();
  dead_ = true;
  std::vector<uint64_t> numbers;
  for (auto &[number, pending] : pending_)
    if (pending->handler)
      numbers.push_back(number);
  for (uint64_t number : numbers)
    answer(number, deadReply());
  for (auto &[number, pending] : pending_)
    pending->changed.notify_all();
  wakeWatcher();
}

/// Cannot fail, since launch() has started the runner's thread.
void Connection::post(Handler handler, Reply reply) {
  auto shared = std::make_shared<Reply>(std::move(reply));
  runner_.post([handler = std::move(handler), shared] { handler(std::move(*shared)); });
}

void Connection::watch() {
  Lock lock(mutex_);
  while (!ending_ && !dead_) {
    if (!receiving_ && numLaunched_ > 0) {
      receiveOne(lock);
      if (!receiving_)
        handOver();
      continue;
    }
    lock.unlock();
    pollfd waiting[] = {{channel_->descriptor(), POLLRDHUP, 0}, {wake_.get(), POLLIN, 0}};
    (void)::poll(waiting, 2, -1);
    uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof(count));
    lock.lock();
    if (waiting[0].revents == 0)
      continue;
    // Messages sent before the end of the service are received first, by the current receiver.
    received_.wait(lock, [this] { return !receiving_ || dead_ || ending_; });
    if (!dead_ && !ending_)
      receiveOne(lock);
  }
}

void Connection::wakeWatcher() {
  uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

} // namespace avocet::hal::ipc
