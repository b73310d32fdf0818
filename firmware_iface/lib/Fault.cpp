//===- Fault.cpp - Why the device ended a job -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Fault.h"

#include <array>

namespace avocet::firmware {

namespace {

struct Entry {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Entry, kNumFaultCodes> kFaults = {{
    {"none", "no fault"},
    {"bad_descriptor", "the job descriptor or one of its tables breaks a rule"},
    {"version_mismatch", "the job was made for another version of the command encoding"},
    {"target_mismatch", "the job was made for a device of another configuration"},
    {"malformed_stream", "a command stream or the control program breaks a rule of its encoding"},
    {"unsupported_command", "this device cannot perform the command"},
    {"sram_out_of_bounds", "a command reaches beyond the end of the on-chip memory"},
    {"region_out_of_bounds", "a command reaches beyond the end of a region"},
    {"region_unbound", "a command names a region that the job does not bind"},
    {"region_read_only", "a command writes to a region that is bound for reading only"},
    {"page_fault", "an address is not mapped in the context"},
    {"bad_semaphore", "a command names a semaphore that the device does not have"},
    {"deadlock", "every engine waits for a semaphore that no engine can signal"},
    {"watchdog", "the job ran longer than its limit"},
    {"deadline_missed", "the deadline passed before the job was complete"},
    {"cancelled", "the driver ended the job"},
    {"device_reset", "the device was reset before the job was complete"},
    {"hardware_error", "the device reported an internal error"},
    {"loop_timeout", "a loop ran longer than the job allows"},
    {"dependency_failed", "a job that this job depends on faulted"},
}};

} // namespace

std::string_view toString(FaultCode code) {
  auto number = static_cast<uint32_t>(code);
  return number < kNumFaultCodes ? kFaults[number].name : "unknown";
}

std::string_view describe(FaultCode code) {
  auto number = static_cast<uint32_t>(code);
  return number < kNumFaultCodes ? kFaults[number].meaning
                                 : "the device reported a fault code that is unknown to this driver";
}

} // namespace avocet::firmware
