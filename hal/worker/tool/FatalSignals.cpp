//===- FatalSignals.cpp - Reports a worker's cause of death -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatalSignals.h"

#include "Packet.h"

#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <csignal>
#include <cstdlib>
#include <new>
#include <unistd.h>

namespace avocet::hal {
namespace {

int reportSocket = -1;

[[noreturn]] void report(PacketKind kind, uint32_t value) {
  if (reportSocket >= 0)
    (void)sendPacket(reportSocket, {kind, value});
  ::_exit(EXIT_FAILURE);
}

void handleSignal(int number) { report(PacketKind::Signal, static_cast<uint32_t>(number)); }

long handleStoppedCall(int number) { report(PacketKind::SystemCall, static_cast<uint32_t>(number)); }

void handleLackOfMemory() { report(PacketKind::OutOfMemory, 0); }

/// A handler cannot run on a stack that has overflowed.
void useOtherStack() {
  static char memory[64 * 1024];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof(memory);
  (void)::sigaltstack(&stack, nullptr);
}

} // namespace

void installFatalSignalHandlers() {
  useOtherStack();
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGXCPU, SIGXFSZ})
    (void)::sigaction(number, &action, nullptr);
  (void)setStoppedCallHandler(handleStoppedCall);
  std::set_new_handler(handleLackOfMemory);
}

void reportFatalSignalsTo(int socket) { reportSocket = socket; }

} // namespace avocet::hal
