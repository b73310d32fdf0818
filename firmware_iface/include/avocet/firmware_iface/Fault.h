//===- Fault.h - Why the device ended a job ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fault ends one job of one context; the device continues with the next job. The numbers are part of completion
// records and of the UAPI: append only.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_FAULT_H
#define AVOCET_FIRMWARE_IFACE_FAULT_H

#include <cstdint>
#include <string_view>

namespace avocet::firmware {

enum class FaultCode : uint32_t {
  None = 0,
  BadDescriptor = 1,      ///< the job descriptor, stream table or region table breaks a rule of JobRing.h
  VersionMismatch = 2,    ///< the job was made for another encoding version
  TargetMismatch = 3,     ///< the job was made for a device with another target fingerprint
  MalformedStream = 4,    ///< words that the decoder refuses, a stream without its end command, a control program that
                          ///< breaks a rule of Control.h
  UnsupportedCommand = 5, ///< well-formed, but not supported by this device or engine (type, shape, block, kernel, ...)
  SramOutOfBounds = 6,    ///< access past the end of the on-chip memory
  RegionOutOfBounds = 7,  ///< access past the end of a region
  RegionUnbound = 8,      ///< a command names an unbound region, or reads one that was bound without read access
  RegionReadOnly = 9,     ///< write to a region that was bound for reading only
  PageFault = 10,         ///< an address that the context has not mapped (tables, streams, or an unmapped region)
  BadSemaphore = 11,      ///< a semaphore number that the device does not have, or a count beyond 32 bits
  Deadlock = 12,          ///< every engine that has not ended waits for a semaphore that no engine can signal any more
  Watchdog = 13,          ///< the job ran longer than its limit
  DeadlineMissed = 14,    ///< the deadline passed before the job was complete
  Cancelled = 15,         ///< the driver cancelled the job
  DeviceReset = 16,       ///< the device was reset while the job was running
  HardwareError = 17,     ///< the device detected an internal error (memory parity, internal bus)
  LoopTimeout = 18,       ///< a loop of the control program ran longer than the job allows
  DependencyFailed = 19,  ///< a job on which this one depends faulted
};
inline constexpr uint32_t kNumFaultCodes = 20;

/// Stable name for reports and JSON ("region_out_of_bounds"), or "unknown" for any other number.
std::string_view toString(FaultCode code);

/// One sentence for people: what happened.
std::string_view describe(FaultCode code);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_FAULT_H
