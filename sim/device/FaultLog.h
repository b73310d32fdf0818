//===- FaultLog.h - Log of jobs that fault ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_FAULTLOG_H
#define AVOCET_SIM_DEVICE_FAULTLOG_H

#include "avocet/firmware_iface/Profile.h"

#include <string>

namespace avocet::sim {

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

#endif // AVOCET_SIM_DEVICE_FAULTLOG_H
