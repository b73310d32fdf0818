//===- Device.h - The simulated device, as a driver sees it -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device behind its register page and its view of the system's memory. A driver does what it would do with hardware:
// attach memory, write the mailbox addresses and Control.Run, ring the mailbox bell with Hello, create a context, map
// buffers, create a ring, fill descriptors and ring its bell, take the interrupt, read completion records
// (firmware_iface/Registers.h, Mailbox.h, JobRing.h say how).
//
// Nothing happens by itself: the device works inside run(), on the thread that calls it. A driver in the same process
// calls run() after it rang a bell, or keeps one thread for it.
//
// Time is counted in device cycles since creation. It does not depend on the host: the same requests in the same order
// give the same cycles and the same bytes, whenever the host rings in device time (see callAt()). One job runs at a
// time, and all engines work side by side for it; with timing, a job of higher priority takes the device from it at its
// next yield point (lib/firmware/Scheduler.h).
//
// Faults end one job (its completion record says why) and never the device. Nothing that a driver or a job can write
// makes the device crash, hang, or reach outside the attached memory.
//
// Threads. readRegister() and writeRegister() may be called from any thread at any time, also from the interrupt
// handler. run() may be called from any thread; while one call works, others return at once and leave the work to it: a
// bell that was rung before run() is called is always served, by the one or the other. attachMemory(), detachMemory()
// and the setters must not overlap with run().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_H
#define AVOCET_SIM_DEVICE_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Registers.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/sim/Profile.h"

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
};

class Device {
public:
  /// InvalidArgument without a target.
  static Result<std::unique_ptr<Device>> create(std::shared_ptr<const firmware::Target> target,
                                                const DeviceOptions &options);
  virtual ~Device() = default;

  /// Registers by byte offset in their page. Unknown and unaligned offsets read as 0 and swallow writes.
  virtual uint32_t readRegister(uint32_t offset) = 0;
  virtual void writeRegister(uint32_t offset, uint32_t value) = 0;

  /// Makes system addresses [systemAddress, systemAddress + memory.size()) reach `memory`, which the caller keeps alive
  /// and unmoved until it is detached. InvalidArgument if empty, wrapping or overlapping an attached range. Accesses of
  /// the device to memory that is not (or no longer) attached fault.
  virtual Status attachMemory(uint64_t systemAddress, std::span<uint8_t> memory) = 0;
  /// NotFound unless a range starts there.
  virtual Status detachMemory(uint64_t systemAddress) = 0;

  /// Called inside run() when an enabled interrupt becomes pending. Must not call run() or wait for the device.
  virtual void setInterruptHandler(std::function<void()> handler) = 0;

  /// Called inside run() when a job has ended, before its interrupt. The reference is valid during the call only.
  virtual void setJobObserver(std::function<void(const JobProfile &)> observer) = 0;

  /// Calls back once, inside run(), at the first chance at or behind a device cycle: between two events of a job, or
  /// when no job can run, at once, and the time until then passes idle. A simulated host that acts at given times: for
  /// tests and measurements that must not depend on the real one. The call may do what an interrupt handler may, and
  /// call callAt(); otherwise callAt() must not overlap with run().
  virtual void callAt(uint64_t cycle, std::function<void()> call) = 0;

  /// Serves messages and runs jobs until none is left that can run, or the device is halted. Jobs that wait for others
  /// which were never queued are left waiting.
  virtual void run() = 0;

  /// The same, but stops between two jobs as soon as `enough` says so; it is asked there, and at the start, and must
  /// not call the device. True: it stopped although there is work, and nobody does it until somebody calls run().
  virtual bool runUntil(const std::function<bool()> &enough) = 0;

  virtual const firmware::Target &target() const = 0;
  virtual const DeviceOptions &options() const = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_H
