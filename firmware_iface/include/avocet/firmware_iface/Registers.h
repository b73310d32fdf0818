//===- Registers.h - The register map of the device -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 32-bit registers in one 4 KiB page. The registers only bring the device up and ring bells; all else uses memory
// (Mailbox.h, JobRing.h). Order of events: the driver reads Magic, puts the physical addresses of its two mailboxes
// into the MailboxIn and MailboxOut registers, sets Control.Run, and sends Hello. The reply describes the device.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_REGISTERS_H
#define AVOCET_FIRMWARE_IFACE_REGISTERS_H

#include <cstdint>

namespace avocet::firmware {

/// Byte offset in the register page. R: driver reads, W: driver writes.
enum class Register : uint32_t {
  Magic = 0x000,                 ///< R   kDeviceMagic; anything else: not this device, or it has no power
  InterfaceVersion = 0x004,      ///< R   packVersion(major, minor), see Version.h
  EncodingVersion = 0x008,       ///< R   version of the command encoding
  TargetFingerprintLow = 0x00C,  ///< R   low word of the target's fingerprint
  TargetFingerprintHigh = 0x010, ///< R   high word
  Control = 0x014,               ///< RW  bits of namespace control; reads give the current state
  Status = 0x018,                ///< R   a DeviceState
  InterruptStatus = 0x01C,       ///< R   bits of namespace interrupt that are pending
  InterruptEnable = 0x020,       ///< RW  bits that raise the line
  InterruptClear = 0x024,        ///< W   writing 1 clears the pending bit; reads as 0
  MailboxInLow = 0x030,          ///< RW  physical address of the mailbox to the device, 64-byte aligned, low word
  MailboxInHigh = 0x034,         ///< RW  high word
  MailboxOutLow = 0x038,         ///< RW  physical address of the mailbox from the device, 64-byte aligned, low word
  MailboxOutHigh = 0x03C,        ///< RW  high word
  MailboxBell = 0x040,           ///< W   any value: a message is in the mailbox to the device
  RingBell = 0x044,              ///< W   number of the ring whose tail moved
  CycleCountLow = 0x050,         ///< R   device cycles since reset, low word; reading it latches the high word
  CycleCountHigh = 0x054,        ///< R   high word as of the last read of CycleCountLow
};

inline constexpr uint32_t kRegisterPageBytes = 0x1000;

/// "AVOC" in the order of bytes.
inline constexpr uint32_t kDeviceMagic = 0x434F5641u;

/// Bits of Register::Control.
namespace control {
inline constexpr uint32_t kRun = 1u << 0;   ///< 1: firmware runs; 0: halted, jobs keep their place
inline constexpr uint32_t kReset = 1u << 1; ///< write 1: the running job ends with FaultCode::DeviceReset, all others
                                            ///< are dropped (JobRing.h); clears itself when done
} // namespace control

/// Bits of Register::InterruptStatus, InterruptEnable and InterruptClear.
namespace interrupt {
inline constexpr uint32_t kMailbox = 1u << 0;    ///< a message is in the mailbox from the device
inline constexpr uint32_t kCompletion = 1u << 1; ///< at least one completion record was written
inline constexpr uint32_t kError = 1u << 2;      ///< Status became DeviceState::Failed
} // namespace interrupt

/// Values of Register::Status.
enum class DeviceState : uint32_t {
  Halted = 0,    ///< after power-up, or Control.Run is 0
  Ready = 1,     ///< firmware runs, and no job runs
  Busy = 2,      ///< a job runs
  Resetting = 3, ///< Control.Reset was written and is not finished
  Failed = 4,    ///< firmware stopped permanently; only a reset recovers it
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_REGISTERS_H
