//===- DeviceServer.cpp - A simulated device on a bus -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceServer.h"

#include "avocet/firmware_iface/Registers.h"

#include <algorithm>

namespace avocet::sim {

using firmware::Register;

namespace {

constexpr uint32_t number(Register reg) { return static_cast<uint32_t>(reg); }

// The guest may write anything at any time, so each word is read and written once and whole.
uint32_t load(const __u32 &word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
void store(__u32 &word, uint32_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }

} // namespace

DeviceServer::DeviceServer(IvshmemPort &port, Device &device, FaultInjector *faults)
    : port_(port), device_(device), faults_(faults) {
  device_.setInterruptHandler([this] { interruptArrived(); });
  publish();
  store(port_.shared().version, AVOCET_IVSHMEM_VERSION);
  store(port_.shared().magic, AVOCET_IVSHMEM_MAGIC);
  thread_ = std::thread([this] { runDevice(); });
}

DeviceServer::~DeviceServer() {
  device_.writeRegister(number(Register::Control), firmware::control::kReset);
  stopping_ = true;
  ++bells_;
  bells_.notify_one();
  thread_.join();
}

Status DeviceServer::serve() {
  for (;;) {
    AVOCET_ASSIGN_OR_RETURN(const IvshmemPort::Event event, port_.wait());
    if (event == IvshmemPort::Event::GuestEnded)
      return Status::ok();
    if (faults_ && faults_->endsProcess())
      return Status::ok();
    if (!faults_ || faults_->takesWrites())
      takeWrites();
  }
}

void DeviceServer::takeWrites() {
  avocet_ivshmem &shared = port_.shared();
  const uint32_t written = load(shared.written);
  // A driver that claims more than the queue holds loses the rest.
  for (uint32_t count = std::min<uint32_t>(written - taken_, AVOCET_IVSHMEM_WRITES); count > 0; --count) {
    const avocet_ivshmem_write &entry = shared.writes[taken_++ % AVOCET_IVSHMEM_WRITES];
    const uint32_t offset = load(entry.offset), value = load(entry.value);
    if (!faults_ || faults_->passesWrite(offset, value))
      device_.writeRegister(offset, value);
  }
  taken_ = written;
  ++bells_;
  bells_.notify_one();
  publish();
  store(shared.taken, taken_);
}

void DeviceServer::publish() {
  std::lock_guard lock(publishing_);
  for (uint32_t i = 0; i < AVOCET_IVSHMEM_REGISTERS; ++i)
    store(port_.shared().registers[i], device_.readRegister(i * sizeof(uint32_t)));
}

/// Inside Device::run(). Interrupts are cleared here: the guest counts them instead.
void DeviceServer::interruptArrived() {
  const uint32_t pending = device_.readRegister(number(Register::InterruptStatus));
  device_.writeRegister(number(Register::InterruptClear), pending);
  const bool isRaised = !faults_ || faults_->passesInterrupt(pending);
  publish();
  for (uint32_t bit = 0; bit < AVOCET_IVSHMEM_CAUSES; ++bit)
    if ((pending >> bit & 1) != 0)
      store(port_.shared().raised[bit], load(port_.shared().raised[bit]) + 1);
  if (isRaised)
    port_.raiseInterrupt();
}

void DeviceServer::runDevice() {
  while (!stopping_) {
    const uint32_t seen = bells_;
    device_.run();
    publish();
    bells_.wait(seen);
  }
}

} // namespace avocet::sim
