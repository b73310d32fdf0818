//===- JobFault.h - Why and where a job ended -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_JOBFAULT_H
#define AVOCET_SIM_LIB_JOB_JOBFAULT_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/JobRing.h"

#include <cstdint>

namespace avocet::sim {

/// The fault fields of a completion record. FaultCode::None: no fault.
struct JobFault {
  firmware::FaultCode code = firmware::FaultCode::None;
  uint32_t engineKind = firmware::kNoIndex;
  uint32_t engineIndex = firmware::kNoIndex;
  uint32_t command = firmware::kNoIndex;
  uint32_t layer = firmware::kNoLayer;
  uint32_t region = firmware::kNoIndex;
  uint32_t section = 0;
  uint64_t address = 0;

  explicit operator bool() const { return code != firmware::FaultCode::None; }

  /// The same fault, at a command of an engine.
  JobFault at(firmware::Engine engine, uint32_t commandIndex, uint32_t commandLayer) const {
    JobFault fault = *this;
    fault.engineKind = static_cast<uint32_t>(engine.kind);
    fault.engineIndex = engine.index;
    fault.command = commandIndex;
    fault.layer = commandLayer;
    return fault;
  }
};

inline JobFault faultOf(firmware::FaultCode code, uint64_t address = 0) {
  JobFault fault;
  fault.code = code;
  fault.address = address;
  return fault;
}

inline JobFault accessFault(firmware::FaultCode code, uint32_t region, uint64_t address) {
  JobFault fault = faultOf(code, address);
  fault.region = region;
  return fault;
}

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBFAULT_H
