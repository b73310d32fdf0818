//===- FaultInjector.h - A device that does what a plan says -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_FAULTINJECTOR_H
#define AVOCET_SIM_DEVICE_FAULTINJECTOR_H

#include "FaultPlan.h"
#include "GuestView.h"

#include <mutex>
#include <random>

namespace avocet::sim {

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

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_FAULTINJECTOR_H
