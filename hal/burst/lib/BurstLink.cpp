//===- BurstLink.cpp - One end of the socket beside a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstLink.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>

namespace avocet::hal {
namespace {

bool hasOption(int socket, int option, int expected) {
  int value = 0;
  socklen_t size = sizeof(value);
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
}

Error dead() { return error(ErrorStatus::DeadObject, "burst: the peer has closed the connection"); }

} // namespace

Result<std::pair<SharedHandle, SharedHandle>> BurstLink::createSockets() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return generalFailure(fmt::format("burst: cannot open a pair of sockets: {}", std::strerror(errno)));
  return std::pair(std::make_shared<const FileDescriptor>(FileDescriptor(ends[0])),
                   std::make_shared<const FileDescriptor>(FileDescriptor(ends[1])));
}

Result<std::unique_ptr<BurstLink>> BurstLink::create(SharedHandle socket, Duration timeout) {
  if (socket == nullptr || !hasOption(socket->get(), SO_DOMAIN, AF_UNIX) ||
      !hasOption(socket->get(), SO_TYPE, SOCK_SEQPACKET))
    return invalidArgument("burst: the link is not a socket of its kind");
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  auto rest = std::chrono::duration_cast<std::chrono::microseconds>(timeout - seconds);
  timeval limit = {static_cast<time_t>(seconds.count()), static_cast<suseconds_t>(rest.count())};
  ::setsockopt(socket->get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  return std::unique_ptr<BurstLink>(new BurstLink(std::move(socket), timeout));
}

BurstLink::~BurstLink() { shutdown(); }

Outcome BurstLink::start(Answerer answer, std::function<void()> onHangUp) {
  answer_ = std::move(answer);
  onHangUp_ = std::move(onHangUp);
  try {
    thread_ = std::thread([this] { receive(); });
  } catch (const std::system_error &failure) {
    return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("burst: no thread: {}", failure.what()));
  }
  return success();
}

void BurstLink::shutdown() {
  hangUp();
  if (thread_.joinable())
    thread_.join();
}

/// shutdown() reports the hang-up to the peer even if another descriptor of this end is still open.
void BurstLink::hangUp() {
  ::shutdown(socket_->get(), SHUT_RDWR);
  std::lock_guard lock(mutex_);
  hasEnded_ = true;
  answered_.notify_all();
}

void BurstLink::receive() {
  try {
    while (std::optional<LinkMessage> message = receiveLinkMessage(socket_->get()))
      if (!take(std::move(*message)))
        break;
  } catch (const std::exception &) {
    // Out of memory: the link hangs up.
  }
  hangUp();
  onHangUp_();
}

/// False if the message breaks a rule.
bool BurstLink::take(LinkMessage message) {
  if (!message.isAnswer()) {
    std::optional<LinkMessage> answer = answer_(message);
    if (!answer)
      return false;
    answer->sequence = message.sequence;
    return sendLinkMessage(socket_->get(), *answer).isOk();
  }
  std::lock_guard lock(mutex_);
  if (!isWaiting_ || message.sequence != sequence_)
    return false;
  received_ = std::move(message);
  isWaiting_ = false;
  answered_.notify_all();
  return true;
}

Result<LinkMessage> BurstLink::ask(LinkMessage question) {
  std::lock_guard asking(asking_);
  {
    std::lock_guard lock(mutex_);
    if (hasEnded_)
      return dead();
    question.sequence = ++sequence_;
    isWaiting_ = true;
    received_.reset();
  }
  Outcome sent = sendLinkMessage(socket_->get(), question);
  std::unique_lock lock(mutex_);
  if (sent && answered_.wait_for(lock, timeout_, [&] { return received_.has_value() || hasEnded_; }) && received_)
    return std::move(*received_);
  isWaiting_ = false;
  lock.unlock();
  hangUp();
  return dead();
}

} // namespace avocet::hal
