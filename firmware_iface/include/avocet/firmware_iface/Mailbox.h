//===- Mailbox.h - Messages between driver and firmware ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control traffic: hand-shake, contexts, mappings, rings. There is one mailbox for one message in each direction. The
// sender fills the body and the header, writes `state` = Full with release order as the last store, and rings the bell;
// the receiver takes the message and writes `state` = Empty. The firmware answers every request with one reply of the
// same sequence number. Jobs use rings instead (JobRing.h).
//
// All fields are little endian. Reserved fields are zero when sent and ignored when received, so that a later minor
// version can use them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_MAILBOX_H
#define AVOCET_FIRMWARE_IFACE_MAILBOX_H

#include "avocet/firmware_iface/DataType.h"
#include "avocet/firmware_iface/Fault.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace avocet::firmware {

enum class MailboxState : uint32_t { Empty = 0, Full = 1 };

enum class MessageKind : uint32_t {
  Hello = 1,          ///< HelloRequest -> HelloReply; must be the first message after a reset
  CreateContext = 2,  ///< ContextRequest -> Reply
  DestroyContext = 3, ///< ContextRequest -> Reply; ends the context's jobs (queued, running, suspended) with
                      ///< FaultCode::Cancelled and drops its mappings
  Map = 4,            ///< MapRequest -> Reply
  Unmap = 5,          ///< MapRequest (address and bytes) -> Reply
  CreateRing = 6,     ///< RingRequest -> Reply; the device starts at the head that the RingHeader holds
  DestroyRing = 7,    ///< RingRequest (context, ring) -> Reply; ends its jobs with FaultCode::Cancelled
  Cancel = 8,         ///< CancelRequest -> Reply; the job completes with FaultCode::Cancelled, a running one soon after
};

/// Outcome of a request.
enum class ReplyCode : uint32_t {
  Ok = 0,
  BadMessage = 1,      ///< unknown kind, wrong length, or a field out of its documented range
  VersionMismatch = 2, ///< no interface version in common; also every request before a successful Hello
  NoSuchContext = 3,
  NoSuchRing = 4,
  OutOfContexts = 5,
  OutOfMappings = 6,
  AlreadyMapped = 7, ///< the device address range overlaps a mapping of the context
  NotMapped = 8,     ///< no mapping starts at the address
  NoSuchJob = 9,     ///< the job is complete already or was never queued
};

struct MessageHeader {
  uint32_t state;    ///< MailboxState
  uint32_t kind;     ///< MessageKind; a reply repeats the kind of its request
  uint32_t bytes;    ///< length of the body after this header
  uint32_t sequence; ///< chosen by the driver; the reply repeats it
};
static_assert(sizeof(MessageHeader) == 16 && std::is_trivial_v<MessageHeader>);

/// Versions that the driver supports.
struct HelloRequest {
  uint32_t minInterfaceVersion; ///< packVersion, lowest that the driver can work with
  uint32_t maxInterfaceVersion; ///< highest that the driver supports
  uint32_t encodingVersion;     ///< of the streams that it will send
  uint32_t reserved;
};
static_assert(sizeof(HelloRequest) == 16);

/// Bits of HelloReply::features.
namespace feature {
inline constexpr uint32_t kPreemption = 1u << 0;     ///< jobs can be preempted at yield points
inline constexpr uint32_t kDeadlines = 1u << 1;      ///< JobDescriptor::deadlineNs is honored
inline constexpr uint32_t kCommandTrace = 1u << 2;   ///< a per-command trace can be recorded
inline constexpr uint32_t kEnergyCounters = 1u << 3; ///< JobCounters::energyPicojoules is filled in
inline constexpr uint32_t kTimingOff = 1u << 4;      ///< cycles are not counted: all times in records are 0
inline constexpr uint32_t kFunctionalOff = 1u << 5;  ///< data is not computed: outputs are left as they were
inline constexpr uint32_t kClockLevels = 1u << 6;    ///< jobs may choose a clock level (jobflags)
} // namespace feature

/// Properties of the device. Sizes and counts are limits that JobRing.h refers to.
struct HelloReply {
  uint32_t code;              ///< ReplyCode; all else is zero unless Ok
  uint32_t interfaceVersion;  ///< chosen: the highest that both sides support
  uint32_t encodingVersion;   ///< the only one that the device accepts
  uint32_t features;          ///< bits of namespace feature
  uint64_t targetFingerprint; ///< Target::fingerprint()
  uint64_t clockHz;
  uint64_t sramBytes;
  uint32_t dmaChannels;
  uint32_t semaphores; ///< per job
  uint32_t maxContexts;
  uint32_t maxRings;       ///< per device
  uint32_t maxRegions;     ///< per job
  uint32_t maxStreamWords; ///< of all streams of a job together
  uint64_t watchdogCycles; ///< most cycles between yields of a job that sets no limit
  char targetName[32];     ///< zero-terminated
};
static_assert(sizeof(HelloReply) == 104 && offsetof(HelloReply, targetFingerprint) == 16 &&
              offsetof(HelloReply, watchdogCycles) == 64 && offsetof(HelloReply, targetName) == 72);

/// Answer to every other request.
struct Reply {
  uint32_t code; ///< ReplyCode
  uint32_t reserved[3];
};
static_assert(sizeof(Reply) == 16);

struct ContextRequest {
  uint32_t context; ///< chosen by the driver, 1 to maxContexts
  uint32_t owner;   ///< CreateContext: the owner's number, any value; owners share device time fairly among jobs of
                    ///< equal priority and deadline, however many contexts each has. Else 0
  uint32_t reserved[2];
};
static_assert(sizeof(ContextRequest) == 16);

/// Bits of MapRequest::access and RegionEntry::access.
namespace access {
inline constexpr uint32_t kRead = 1u << 0;
inline constexpr uint32_t kWrite = 1u << 1;
} // namespace access

/// Makes memory visible in one context. Addresses and length are multiples of kPageBytes.
struct MapRequest {
  uint32_t context;
  uint32_t access;        ///< bits of namespace access
  uint64_t deviceAddress; ///< in the context's address space
  uint64_t systemAddress; ///< physical (or bus) address; a simulated device uses a host address
  uint64_t bytes;
};
static_assert(sizeof(MapRequest) == 32 && offsetof(MapRequest, systemAddress) == 16);

/// Unit of mappings.
inline constexpr uint64_t kPageBytes = 4096;

/// A ring of jobs of one context. JobRing.h defines the memory at the address.
struct RingRequest {
  uint32_t context;
  uint32_t ring;    ///< chosen by the driver, 0 to maxRings - 1
  uint64_t address; ///< device address of the RingHeader in the context
  uint32_t entries; ///< power of two, at most kMaxRingEntries
  uint32_t reserved;
};
static_assert(sizeof(RingRequest) == 24);

struct CancelRequest {
  uint32_t context;
  uint32_t ring;
  uint64_t sequence; ///< of the job descriptor
};
static_assert(sizeof(CancelRequest) == 16);

/// Layout of one mailbox in memory.
struct Mailbox {
  MessageHeader header;
  uint8_t body[240]; ///< one of the structs above
};
static_assert(sizeof(Mailbox) == 256 && sizeof(HelloReply) <= sizeof(Mailbox::body));

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_MAILBOX_H
