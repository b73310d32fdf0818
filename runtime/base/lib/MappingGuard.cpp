//===- MappingGuard.cpp - Keeps the process alive when mapped files shrink -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingGuard.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace avocet::mapping_guard {
namespace {

struct Range {
  size_t size = 0;
  bool writable = false;
  bool damaged = false;
};

/// A lock that a signal handler may take: its holders never touch guarded memory, so a handler waits only for other
/// threads, which continue.
class SpinLock {
public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

struct Registry {
  SpinLock lock;
  std::map<uintptr_t, Range> ranges;
};

/// Never destroyed: mappings in static objects may be destroyed later than any other object.
Registry &registry() {
  static Registry *const kRegistry = new Registry;
  return *kRegistry;
}

struct sigaction previous;

/// Maps zero pages from the faulting page to the end of its range; all bytes after a lost page are lost too.
bool repair(uintptr_t address) {
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  auto next = all.ranges.upper_bound(address);
  if (next == all.ranges.begin())
    return false;
  auto &[start, range] = *std::prev(next);
  if (address - start >= range.size)
    return false;
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t first = address / page * page;
  int protection = range.writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void *zeros = ::mmap(reinterpret_cast<void *>(first), start + range.size - first, protection,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  range.damaged = zeros != MAP_FAILED;
  return range.damaged;
}

void passOn(int signal, siginfo_t *info, void *context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr)
    return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  // The access is repeated on return and ends the process as it would without the guard.
  ::sigaction(SIGBUS, &previous, nullptr);
}

void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  bool isMapping = info->si_code == BUS_ADRERR || info->si_code == BUS_OBJERR;
  bool repaired = isMapping && repair(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error;
  if (!repaired)
    passOn(signal, info, context);
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &previous);
}

} // namespace

void add(void *start, size_t size, bool writable) {
  static std::once_flag once;
  std::call_once(once, install);
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  all.ranges[reinterpret_cast<uintptr_t>(start)] = {size, writable, false};
}

void remove(void *start) {
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  all.ranges.erase(reinterpret_cast<uintptr_t>(start));
}

bool isDamaged(void *start) {
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  auto found = all.ranges.find(reinterpret_cast<uintptr_t>(start));
  return found != all.ranges.end() && found->second.damaged;
}

} // namespace avocet::mapping_guard
