//===- ConnectionPoller.cpp - Polls connections of busy sessions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConnectionPoller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr uint64_t kEnd = 0; ///< number of the event that ends the thread
constexpr uint32_t kGone = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

} // namespace

ConnectionPoller::ConnectionPoller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC)) {
  epoll_event event = {EPOLLIN, {.u64 = kEnd}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0)
    return; // no descriptors: sessions listen between calls only
  thread_ = std::thread([this] { watch(); });
}

ConnectionPoller::~ConnectionPoller() {
  uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
  if (thread_.joinable())
    thread_.join();
}

uint64_t ConnectionPoller::add(int descriptor, std::weak_ptr<IWatched> watched) {
  std::lock_guard lock(mutex_);
  epoll_event event = {EPOLLONESHOT, {.u64 = nextNumber_}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    return 0;
  watched_[nextNumber_] = std::move(watched);
  return nextNumber_++;
}

void ConnectionPoller::remove(uint64_t number, int descriptor) {
  if (number == 0)
    return;
  epoll_event none = {};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, &none);
  std::lock_guard lock(mutex_);
  watched_.erase(number);
}

void ConnectionPoller::change(uint64_t number, int descriptor, uint32_t events) {
  if (number == 0)
    return;
  epoll_event event = {events, {.u64 = number}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void ConnectionPoller::arm(uint64_t number, int descriptor) {
  change(number, descriptor, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT);
}

void ConnectionPoller::armForEnd(uint64_t number, int descriptor) {
  change(number, descriptor, EPOLLRDHUP | EPOLLONESHOT);
}

/// The kernel still reports a hang-up, once. The listening thread detects it too.
void ConnectionPoller::disarm(uint64_t number, int descriptor) { change(number, descriptor, EPOLLONESHOT); }

std::shared_ptr<IWatched> ConnectionPoller::find(uint64_t number) {
  std::lock_guard lock(mutex_);
  auto entry = watched_.find(number);
  return entry == watched_.end() ? nullptr : entry->second.lock();
}

void ConnectionPoller::watch() {
  constexpr int kMaxEvents = 16;
  epoll_event events[kMaxEvents];
  while (true) {
    int count = ::epoll_wait(epoll_.get(), events, kMaxEvents, -1);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == kEnd)
        return;
      std::shared_ptr<IWatched> watched = find(events[i].data.u64);
      if (watched == nullptr)
        continue;
      if ((events[i].events & kGone) != 0)
        watched->peerHasGone();
      watched->somethingArrived();
    }
  }
}

} // namespace avocet::hal
