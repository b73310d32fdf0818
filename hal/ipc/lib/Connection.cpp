//===- Connection.cpp - A client's calls and their answers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

#include "avocet/base/TraceRequest.h"
#include "avocet/hal/types/VerboseLog.h"
#include "avocet/hal/wire/CallTrace.h"

#include <algorithm>
#include <climits>
#include <new>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace avocet::hal::ipc {
namespace {

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

/// The socket of a fence that will not be signaled hangs up for all who poll it.
void failFence(const SharedHandle &fence) {
  if (Result<SyncFence> known = SyncFence::adopt(fence); known && known->state() == FenceState::Active)
    ::shutdown(fence->get(), SHUT_RDWR);
}

} // namespace

Result<std::shared_ptr<Connection>> Connection::create(std::unique_ptr<Channel> channel, uint32_t protocol,
                                                       const ConnectOptions &options) {
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.isValid())
    return error(ErrorStatus::ResourceExhaustedTransient, "cannot make an event for a connection");
  std::shared_ptr<Connection> connection(new Connection(std::move(channel), std::move(wake), protocol, options));
  try {
    connection->watcher_ = std::thread([connection = connection.get()] { connection->watch(); });
  } catch (const std::system_error &) {
    return error(ErrorStatus::ResourceExhaustedTransient, "cannot start a thread for a connection");
  }
  return connection;
}

Connection::Connection(std::unique_ptr<Channel> channel, FileDescriptor wake, uint32_t protocol,
                       const ConnectOptions &options)
    : channel_(std::move(channel)), wake_(std::move(wake)), hasPing_(protocol >= kPingProtocol),
      interval_(options.liveness.interval),
      silence_(hasPing_ ? options.liveness.misses : options.liveness.missesOfOldServices) {}

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
  startLooking();
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
  silence_.noteMessage();
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

/// A number that was never given away is damaged: the call that it belongs to would wait for ever.
void Connection::dispatch(OpenedMessage opened, Message message) {
  if (opened.number >= nextNumber_)
    return breakOff("the driver service has answered a call that was not made");
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

/// Lets another waiting caller receive. False: none waits.
bool Connection::passToCaller() {
  for (auto &[number, pending] : pending_)
    if (pending->waiting && !pending->answered) {
      pending->changed.notify_all();
      return true;
    }
  return false;
}

/// Lets another waiting caller receive, or else the watcher.
void Connection::handOver() {
  if (!passToCaller() && isWatcherNeeded())
    wakeWatcher();
}

Reply Connection::deadReply() const {
  return {ErrorStatus::DeadObject, std::string(whyDead_) + "; connect again and prepare the model again", {}};
}

void Connection::breakOff(const char *why) {
  verbose(VerboseTag::Manager, "{}; its calls end", why);
  whyDead_ = why;
  die();
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
  for (const WatchedFence &fence : std::exchange(fences_, {}))
    if (const SharedHandle handle = fence.handle.lock())
      failFence(handle);
  wakeWatcher();
}

/// Cannot fail, since launch() has started the runner's thread.
void Connection::post(Handler handler, Reply reply) {
  auto shared = std::make_shared<Reply>(std::move(reply));
  runner_.post([handler = std::move(handler), shared] { handler(std::move(*shared)); });
}

/// Waits for a message, or with a receiver already only for the end of the service. Returns also when woken up, and
/// when it is time to look for signs of life.
bool Connection::waitForSocket(Lock &lock, bool receives) {
  int timeout = -1;
  if (isLooking_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(nextLook_ - Clock::now()).count();
    timeout = static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
  }
  lock.unlock();
  pollfd waiting[] = {{channel_->descriptor(), static_cast<short>(receives ? POLLIN | POLLRDHUP : POLLRDHUP), 0},
                      {wake_.get(), POLLIN, 0}};
  (void)::poll(waiting, 2, timeout);
  uint64_t count = 0;
  if (waiting[1].revents != 0)
    (void)!::read(wake_.get(), &count, sizeof(count));
  lock.lock();
  return waiting[0].revents != 0;
}

void Connection::watch() {
  Lock lock(mutex_);
  while (!ending_ && !dead_) {
    const bool receives = !receiving_ && isWatcherNeeded();
    receiving_ |= receives;
    const bool hasEvent = waitForSocket(lock, receives);
    if (receives)
      receiving_ = false;
    if (hasEvent && !ending_) {
      // Messages sent before the end of the service are received first, by the current receiver.
      received_.wait(lock, [this] { return !receiving_ || dead_ || ending_; });
      if (!dead_ && !ending_)
        receiveOne(lock);
    }
    if (receives && !receiving_)
      passToCaller();
    if (isLooking_ && !dead_ && Clock::now() >= nextLook_)
      lookForSigns();
  }
}

void Connection::wakeWatcher() {
  uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

/// The watcher looks only while something waits, so that an idle client causes no work.
void Connection::startLooking() {
  if (isLooking_ || interval_.count() == 0)
    return;
  isLooking_ = true;
  nextLook_ = Clock::now() + interval_;
  wakeWatcher();
}

void Connection::lookForSigns() {
  forgetEndedFences();
  const std::optional<uint64_t> oldest = oldestWork();
  const SilenceWatch::Step step = silence_.look(oldest, nextNumber_);
  nextLook_ = Clock::now() + interval_;
  isLooking_ = oldest.has_value();
  if (step == SilenceWatch::Step::Ask)
    return ask();
  if (step != SilenceWatch::Step::GiveUp)
    return;
  breakOff("the driver service does not answer any more");
}

std::optional<uint64_t> Connection::oldestWork() const {
  std::optional<uint64_t> oldest;
  if (!pending_.empty())
    oldest = pending_.begin()->first;
  if (!fences_.empty())
    oldest = std::min(oldest.value_or(UINT64_MAX), fences_.front().number);
  return oldest;
}

fb::CallUnion Connection::question() const {
  fb::CallUnion call;
  if (hasPing_)
    call.Set(fb::PingT());
  else
    call.Set(fb::GetStatusT());
  return call;
}

/// The answer, of any kind, is dropped, since no call has its number. If the socket is full, the next look asks again.
void Connection::ask() {
  try {
    fb::EnvelopeT envelope;
    envelope.number = nextNumber_++;
    envelope.call = question();
    const Result<bool> sent = trySendEnvelope(*channel_, envelope, {});
    if (sent && *sent)
      silence_.noteAsked();
  } catch (const std::bad_alloc &) {
    return; // the next look asks again
  }
}

void Connection::watchFence(const SyncFence &fence) {
  if (fence.handle() == nullptr)
    return;
  Lock lock(mutex_);
  if (dead_)
    return failFence(fence.handle());
  // Executions whose fences the caller dropped leave entries until the next look.
  constexpr size_t kMostWithoutCheck = 256;
  if (fences_.size() >= kMostWithoutCheck)
    std::erase_if(fences_, [](const WatchedFence &known) { return known.handle.expired(); });
  fences_.push_back({nextNumber_++, fence.handle()});
  startLooking();
}

void Connection::forgetEndedFences() {
  std::erase_if(fences_, [](const WatchedFence &fence) {
    const SharedHandle handle = fence.handle.lock();
    const Result<SyncFence> known = handle ? SyncFence::adopt(handle) : Result<SyncFence>(SyncFence());
    return !known || known->state() != FenceState::Active;
  });
}

} // namespace avocet::hal::ipc
