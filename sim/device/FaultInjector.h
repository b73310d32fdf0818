//===- FaultInjector.h - A device that does what a plan says ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_FAULTINJECTOR_H
#define AVOCET_SIM_DEVICE_FAULTINJECTOR_H

#include "GuestView.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Profile.h"

#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

namespace avocet::sim {

/// What a device does wrong from now on, for tests of drivers. Counts go down with each fault.
struct FaultPlan {
  uint64_t lostInterrupts = 0;   ///< interrupts that are not raised
  uint64_t lateMilliseconds = 0; ///< before each interrupt
  uint64_t lostMessages = 0;     ///< messages that are not answered
  uint64_t wrongSequences = 0;   ///< answers with another sequence number
  uint64_t wrongCodes = 0;       ///< answers with an unknown code
  uint64_t wrongLengths = 0;     ///< answers of another length
  uint64_t garbageRecords = 0;   ///< completion records of random bytes
  uint64_t lostBells = 0;        ///< bells of rings that are not heard
  uint64_t isSilent = 0;         ///< 1: takes no writes and raises no interrupts
  uint64_t endsProcess = 0;      ///< 1: the process ends at the next write

  /// Parses "NAME=COUNT,NAME=COUNT"; all others are 0. InvalidArgument names what is wrong, and the names.
  static Result<FaultPlan> parse(std::string_view text);
  /// A line for each name.
  static std::string help();
};

/// Stands between a driver and its device, and makes the faults of a plan. Which writes and interrupts they hit depends
/// on their order only. Any thread.
class FaultInjector {
public:
  FaultInjector(GuestMemory &memory, const FaultPlan &plan) : view_(memory), plan_(plan) {}

  /// Reads further plans from a descriptor, one in each line, before each write and interrupt: a plan that is in a pipe
  /// applies to all that happens afterwards. A line that is no plan is logged and changes nothing.
  void listenTo(int file);

  bool takesWrites(); ///< false: the device is silent
  bool endsProcess();
  bool passesWrite(uint32_t offset, uint32_t value); ///< false: the device must not see it
  /// False: the guest must not get an interrupt for the causes, which the device has. Changes what the device has
  /// written into the guest's memory.
  bool passesInterrupt(uint32_t causes);

private:
  void refresh();
  bool take(uint64_t FaultPlan::*count);
  void spoilAnswer();
  void spoilRecords();

  std::mutex lock_;
  GuestView view_;
  FaultPlan plan_;
  int control_ = -1;
  std::string line_;
  std::mt19937 bytes_; // NOLINT(cert-msc51-cpp): the same bytes in each run
};

/// A job observer (Device::setJobObserver()) that logs a device's first faults. A guest may cause any number of them,
/// so the log has an end.
class FaultLog {
public:
  static constexpr uint32_t kMaxFaults = 1000;

  /// `prefix` begins each message.
  explicit FaultLog(std::string prefix) : prefix_(std::move(prefix)) {}
  void operator()(const firmware::JobProfile &profile);

private:
  std::string prefix_;
  uint32_t faults_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_FAULTINJECTOR_H
