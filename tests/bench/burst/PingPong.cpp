//===- PingPong.cpp - The physical limits of a round trip -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variant.h"

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>
#include <linux/futex.h>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

using Word = std::atomic<uint32_t>;

/// Two words; each side waits for one of them.
struct Words {
  alignas(64) Word ping{0};
  alignas(64) Word pong{0};
};

void setAndWake(Word &word, uint32_t value) {
  word.store(value, std::memory_order_release);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void waitFor(Word &word, uint32_t value) {
  for (uint32_t seen = word.load(std::memory_order_acquire); seen != value; seen = word.load(std::memory_order_acquire))
    ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

/// Runs the body in another process, which ends when this one ends.
template <typename Body> pid_t inOtherProcess(Body &&body) {
  pid_t child = ::fork();
  if (child < 0)
    fail("cannot fork");
  if (child > 0)
    return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  body();
  ::_exit(0);
}

/// As large as a request packet of the tiny model.
struct Note {
  uint8_t bytes[192] = {};
};

} // namespace

Variant futexPingPong() {
  void *memory = ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail("cannot map memory");
  auto *words = new (memory) Words;
  pid_t peer = inOtherProcess([&] {
    for (uint32_t turn = 1;; ++turn) {
      waitFor(words->ping, turn);
      setAndWake(words->pong, turn);
    }
  });
  auto once = [words, turn = uint32_t(0)]() mutable {
    setAndWake(words->ping, ++turn);
    waitFor(words->pong, turn);
  };
  return {"futex ping-pong", once, {}, peer};
}

Variant socketPingPong() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    fail("cannot open a pair of sockets");
  pid_t peer = inOtherProcess([&] {
    ::close(ends[0]);
    for (Note note; ::recv(ends[1], &note, sizeof(note), MSG_WAITALL) == sizeof(note);)
      if (::send(ends[1], &note, sizeof(note), MSG_NOSIGNAL) != sizeof(note))
        break;
  });
  ::close(ends[1]);
  auto once = [socket = ends[0]] {
    Note note;
    if (::send(socket, &note, sizeof(note), MSG_NOSIGNAL) != sizeof(note) ||
        ::recv(socket, &note, sizeof(note), MSG_WAITALL) != sizeof(note))
      fail("the peer has closed the socket");
  };
  return {"socket ping-pong", once, {}, peer};
}

} // namespace avocet::hal::bench
