//===- Device.h - The simulated device, as a driver sees it -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device with its register page and its view of the system's memory. A driver uses it like hardware: attach memory,
// write the mailbox addresses and Control.Run, ring the mailbox bell with Hello, create a context, map buffers, create
// a ring, fill descriptors and ring its bell, handle the interrupt, read completion records (see
// firmware_iface/Registers.h, Mailbox.h, JobRing.h).
//
// The device works only inside run(), on the thread that calls it and on those of DeviceOptions::threads. A driver in
// the same process calls run() after it rang a bell, or keeps one thread for it.
//
// Time is counted in device cycles since creation. It does not depend on the host: the same requests in the same order
// give the same cycles and the same bytes if the host rings at the same device cycles (see callAt()). One job runs at a
// time, and all engines work in parallel for it; with timing, a job of higher priority preempts it at its next yield
// point (lib/firmware/Scheduler.h).
//
// Faults end one job (its completion record gives the reason) and never the device. No write of a driver or a job makes
// the device crash, hang, or access memory outside the attached ranges.
//
// Threads. readRegister() and writeRegister() may be called from any thread at any time, also from the interrupt
// handler. run() may be called from any thread; while one call works, others return at once. A bell that was rung
// before a call of run() is always served, by that call or by the working one. attachMemory(), detachMemory() and the
// setters must not overlap with run().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_H
#define AVOCET_SIM_DEVICE_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/CommandEvent.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/firmware_iface/Registers.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace avocet::sim {

struct DeviceOptions {
  bool functional = true; ///< compute data; off: outputs keep their old contents, cycles are the same
  bool timing = true;     ///< count cycles; off: every command takes no time, data is the same
  bool profile = false;   ///< keep counters by layer
  bool trace = false;     ///< keep a span for each command
  bool counters = true;   ///< without timing: count the bytes and operations of jobs; off: all counters are 0
  uint32_t threads = 1;   ///< that share the work of large commands, with that of run(); data and cycles are the same
  uint64_t watchdogCycles = firmware::kIdleWatchdogCycles; ///< HelloReply::watchdogCycles
  firmware::CommandObserver afterCommand = {}; ///< for debuggers: called inside run(); must not call the device
};

class Device {
public:
  /// InvalidArgument without a target.
  static Result<std::unique_ptr<Device>> create(std::shared_ptr<const firmware::Target> target,
                                                const DeviceOptions &options);
  virtual ~Device() = default;

  /// Registers by byte offset in their page. Unknown and unaligned offsets read as 0 and ignore writes.
  virtual uint32_t readRegister(uint32_t offset) = 0;
  virtual void writeRegister(uint32_t offset, uint32_t value) = 0;

  /// Maps system addresses [systemAddress, systemAddress + memory.size()) to `memory`, which the caller keeps alive and
  /// unmoved until it is detached. InvalidArgument if empty, wrapping or overlapping an attached range. Device accesses
  /// to addresses that are not (or no longer) attached fault.
  virtual Status attachMemory(uint64_t systemAddress, std::span<uint8_t> memory) = 0;
  /// NotFound unless a range starts there.
  virtual Status detachMemory(uint64_t systemAddress) = 0;

  /// Called inside run() when an enabled interrupt becomes pending. Must not call run() or wait for the device.
  virtual void setInterruptHandler(std::function<void()> handler) = 0;

  /// Called inside run() when a job has ended, before its interrupt. The reference is valid during the call only.
  virtual void setJobObserver(std::function<void(const firmware::JobProfile &)> observer) = 0;

  /// Calls `call` once, inside run(), at the first possible moment at or after a device cycle: between two events of a
  /// job. If no job can run, the call comes at once, and the device is idle up to that cycle. Tests and measurements
  /// use it as a simulated host that does not depend on the real one. The call may do what an interrupt handler may,
  /// and call callAt(); otherwise callAt() must not overlap with run().
  virtual void callAt(uint64_t cycle, std::function<void()> call) = 0;

  /// Serves messages and runs jobs until no job can run, or the device is halted. Jobs with dependencies that were
  /// never queued keep waiting.
  virtual void run() = 0;

  /// The same, but stops between two jobs when `enough` returns true. `enough` is called there and at the start, and
  /// must not call the device. True: it stopped with work left, which waits until the next call of run().
  virtual bool runUntil(const std::function<bool()> &enough) = 0;

  virtual const firmware::Target &target() const = 0;
  virtual const DeviceOptions &options() const = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_H
