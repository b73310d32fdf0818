//===- ConnectionAcceptor.cpp - Which connections get a session ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConnectionAcceptor.h"

#include "TotalsAnswer.h"
#include "avocet/hal/types/VerboseLog.h"
#include "avocet/hal/wire/Envelope.h"

#include <algorithm>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::hal {

bool ConnectionSlots::mayAcquire(uint32_t user, bool isOperator) const {
  const uint32_t free = limits_.total - allTaken_;
  if (isOperator)
    return free > 0;
  auto found = taken_.find(user);
  const uint32_t own = found == taken_.end() ? 0 : found->second;
  return own < limits_.perUser && own < free;
}

ConnectionSlots::Slot ConnectionSlots::acquire(uint32_t user, bool isOperator) {
  std::lock_guard lock(mutex_);
  if (!mayAcquire(user, isOperator))
    return nullptr;
  ++taken_[user];
  ++allTaken_;
  return {this, [user, self = shared_from_this()](const void *) { self->release(user); }};
}

ConnectionSlots::Slot ConnectionSlots::acquireReserved() {
  std::lock_guard lock(mutex_);
  if (reserveTaken_ >= limits_.reserve)
    return nullptr;
  ++reserveTaken_;
  return {this, [self = shared_from_this()](const void *) { self->releaseReserved(); }};
}

void ConnectionSlots::release(uint32_t user) {
  {
    std::lock_guard lock(mutex_);
    --allTaken_;
    if (--taken_[user] == 0)
      taken_.erase(user);
  }
  if (onFree_)
    onFree_();
}

void ConnectionSlots::releaseReserved() {
  {
    std::lock_guard lock(mutex_);
    --reserveTaken_;
  }
  if (onFree_)
    onFree_();
}

using namespace ipc;

namespace {

/// Pause of accepting after the process ran out of descriptors or memory.
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr int16_t kGone = POLLRDHUP | POLLHUP | POLLERR;

bool isListQuery(const Channel &channel) {
  const std::vector<uint8_t> bytes = channel.peek();
  if (bytes.empty())
    return false;
  const Result<fb::EnvelopeT> envelope = openEnvelope(bytes);
  const fb::HelloT *hello = envelope ? envelope->call.AsHello() : nullptr;
  return hello != nullptr && hello->device.empty();
}

/// Does not wait: if the socket's buffer is full, the answer is dropped, and the client sees only the end of the
/// connection.
void refuse(Channel &channel, uint32_t user) {
  fb::EnvelopeT answer;
  answer.error = static_cast<int32_t>(ErrorStatus::ResourceExhaustedTransient);
  answer.message = fmt::format("user {} has reached its limit of waiting connections; close some, or start the service "
                               "with a larger --max-clients-per-user",
                               user);
  answer.answer.Set(fb::NothingT());
  verbose(VerboseTag::Driver, "connection refused: {}", answer.message);
  (void)trySendEnvelope(channel, answer, HandleWriter());
}

void write(const FileDescriptor &event) {
  const uint64_t one = 1;
  (void)!::write(event.get(), &one, sizeof(one));
}

void drain(const FileDescriptor &event) {
  uint64_t count = 0;
  (void)!::read(event.get(), &count, sizeof(count));
}

} // namespace

ConnectionAcceptor::ConnectionAcceptor(std::unique_ptr<Listener> listener, const Quotas &quotas, Admit admit)
    : listener_(std::move(listener)), quotas_(quotas), admit_(std::move(admit)),
      wake_(std::make_shared<const FileDescriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  const ConnectionSlots::Limits limits = {quotas.clients, quotas.clientsPerUser, quotas.operatorReserve};
  slots_ = std::make_shared<ConnectionSlots>(limits, [wake = wake_] { write(*wake); });
  queueSlots_ = std::make_shared<ConnectionSlots>(limits);
}

void ConnectionAcceptor::close() {
  isClosed_ = true;
  write(*wake_);
}

void ConnectionAcceptor::run() {
  while (!isClosed_) {
    wait();
    if (Clock::now() >= acceptAgain_)
      acceptAll();
    admitAll();
  }
  waiting_.clear();
}

int ConnectionAcceptor::timeoutMs() const {
  Clock::time_point first = Clock::time_point::max();
  for (const Waiting &waiting : waiting_)
    if (!waiting.hasMessage)
      first = std::min(first, waiting.deadline);
  const Clock::time_point now = Clock::now();
  if (now < acceptAgain_)
    first = std::min(first, acceptAgain_);
  if (first == Clock::time_point::max())
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::max(first - now, Clock::duration::zero()));
  return static_cast<int>(std::min<int64_t>(left.count(), 1'000'000));
}

/// Waits for an event. Removes connections that disconnected or sent nothing in time.
void ConnectionAcceptor::wait() {
  std::vector<pollfd> events = {{wake_->get(), POLLIN, 0}, {listener_->descriptor(), POLLIN, 0}};
  if (Clock::now() < acceptAgain_)
    events[1].fd = -1;
  const size_t firstWaiting = events.size();
  for (const Waiting &waiting : waiting_) // a connection whose message arrived stays readable
    events.push_back(
        {waiting.channel->descriptor(), static_cast<int16_t>(waiting.hasMessage ? kGone : kGone | POLLIN), 0});
  if (::poll(events.data(), events.size(), timeoutMs()) < 0)
    return;
  drain(*wake_);
  size_t index = firstWaiting;
  std::erase_if(waiting_, [&](Waiting &waiting) { return !update(waiting, events[index++].revents); });
}

bool ConnectionAcceptor::update(Waiting &waiting, int16_t events) {
  if (!waiting.hasMessage && (events & POLLIN) != 0) {
    waiting.hasMessage = true; // also if the client has disconnected: its session answers the messages sent before
    waiting.isQuery = isListQuery(*waiting.channel);
    return true;
  }
  return (events & kGone) == 0 && (waiting.hasMessage || Clock::now() < waiting.deadline);
}

void ConnectionAcceptor::acceptAll() {
  constexpr int kMostAtOnce = 64; // bounded, so that waiting connections are admitted meanwhile
  for (int i = 0; i < kMostAtOnce; ++i) {
    Result<std::unique_ptr<Channel>> channel = listener_->tryAccept();
    if (!channel)
      acceptAgain_ = Clock::now() + kPause;
    if (!channel || *channel == nullptr)
      return;
    enqueue(std::move(*channel));
  }
}

void ConnectionAcceptor::enqueue(std::unique_ptr<Channel> channel) {
  const Result<PeerCredentials> peer = channel->peer();
  if (!peer)
    return;
  Waiting waiting;
  waiting.user = peer->user;
  waiting.isOperator = quotas_.isOperator ? quotas_.isOperator(*peer) : maySeeTotals(*peer, ::geteuid());
  waiting.queueSlot = queueSlots_->acquire(waiting.user, waiting.isOperator);
  if (waiting.queueSlot == nullptr && waiting.isOperator)
    waiting.queueSlot = queueSlots_->acquireReserved();
  if (waiting.queueSlot == nullptr)
    return refuse(*channel, waiting.user);
  waiting.channel = std::move(channel);
  waiting.deadline = Clock::now() + quotas_.handshakeLimit;
  waiting_.push_back(std::move(waiting));
}

void ConnectionAcceptor::admitAll() {
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    AcceptedConnection connection;
    if (waiting->hasMessage && waiting->isQuery && waiting->isOperator) {
      connection.slot = slots_->acquireReserved();
      connection.isQueryOnly = connection.slot != nullptr;
    }
    if (waiting->hasMessage && connection.slot == nullptr)
      connection.slot = slots_->acquire(waiting->user, waiting->isOperator);
    if (connection.slot == nullptr) {
      ++waiting;
      continue;
    }
    connection.channel = std::move(waiting->channel);
    waiting = waiting_.erase(waiting);
    admit_(std::move(connection));
  }
}

} // namespace avocet::hal
