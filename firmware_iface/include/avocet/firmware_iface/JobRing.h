//===- JobRing.h - How jobs reach the device and complete -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring is a RingHeader followed by a power of two of JobDescriptors, in memory that the context has mapped. The
// driver fills the descriptor at tail % entries, stores tail + 1 with release order, and writes the ring's number to
// Register::RingBell. The device copies the descriptor at head, then stores head + 1. It owns the tables and streams of
// the descriptor until it has written the completion record. head and tail count up and wrap at 32 bits; the ring is
// full when tail - head == entries. At CreateRing the device reads `head` from the header; from then on only the device
// writes it.
//
// Jobs of one ring run one after the other, in order: a job that waits for its dependencies, or is suspended, holds
// back the later ones. Between rings the scheduler chooses by priority, which rises while a job waits, then the
// earliest deadline, then the owner (ContextRequest) that has used least device time, then arrival. A job of higher
// priority preempts the running one at the next yield point (YieldCommand), if the device can preempt
// (feature::kPreemption); the preempted job is suspended and continues later.
//
// The watchdog protects the device from jobs that do not end; loops have time limits of their own. A job that sets a
// limit ends when one section takes longer. Any other job ends when a section runs kIdleWatchdogCycles without a stream
// that passes a yield point.
//
// A job whose deadline passes while it waits ends without running. A running job that exceeds its deadline or watchdog
// limit, or is cancelled, ends at its next yield point, or after one millisecond of device time without one; streams
// without yields are halted at once. FaultCode gives the cause.
//
// A job may choose a clock level of the target (jobflags). Its counters and its watchdog count cycles at that level;
// all other cycles and times are device time, in cycles of the default level (Power.h).
//
// A reset (control::kReset) ends the running job with FaultCode::DeviceReset. The device drops all others, queued and
// suspended, and writes no record for them. The driver must resubmit, in their order, all jobs whose completion records
// are still Pending when the reset is complete. Suspended ones run from their start. The driver announces contexts,
// mappings and rings again, and may have moved `head` and `tail` in between. The device has no record of how earlier
// jobs ended: the driver leaves out dependencies that are complete, and itself ends jobs whose dependencies have
// faulted.
//
// All fields are little endian, all addresses are device addresses in the job's context, all reserved fields are zero.
// The device checks everything it reads here: an error ends the job with FaultCode::BadDescriptor.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_JOBRING_H
#define AVOCET_FIRMWARE_IFACE_JOBRING_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Fault.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace avocet::firmware {

inline constexpr uint32_t kRingMagic = 0x52564F41u; ///< "AOVR" in the order of bytes
inline constexpr uint32_t kMaxRingEntries = 4096;
inline constexpr uint32_t kMaxStreams = 2 + 64;      ///< MAC array, DSP, and the most DMA channels of any target
inline constexpr uint32_t kMaxJobStreams = 4096;     ///< of all sections of a job together
inline constexpr uint32_t kMaxStreamWords = 1 << 24; ///< of all streams of a job together
inline constexpr uint32_t kMaxRegions = 1024;        ///< bound by one job
inline constexpr uint32_t kMaxDependencies = 16;
inline constexpr uint32_t kTableAlignment = 8; ///< of every address in a descriptor
inline constexpr uint64_t kNoDeadline = 0;
inline constexpr uint64_t kDefaultWatchdog = 0;
inline constexpr uint64_t kIdleWatchdogCycles = uint64_t{1} << 30;
inline constexpr uint64_t kMaxWatchdogCycles = uint64_t{1} << 40; ///< longer limits count as this one
inline constexpr uint64_t kDefaultLoopTimeout = 0;

/// Two cache lines, one per writer, so that the two sides do not invalidate each other's line.
struct RingHeader {
  uint32_t magic;      ///< kRingMagic
  uint32_t entries;    ///< number of descriptors, as in RingRequest
  uint32_t entryBytes; ///< sizeof(JobDescriptor)
  uint32_t tail;       ///< written by the driver: descriptors filled so far
  uint32_t reserved0[12];
  uint32_t head; ///< written by the device: descriptors taken so far
  uint32_t reserved1[15];
};
static_assert(sizeof(RingHeader) == 128 && offsetof(RingHeader, tail) == 12 && offsetof(RingHeader, head) == 64);

/// Priorities are 0 to this; higher runs first.
inline constexpr uint32_t kMaxPriority = 7;

/// Fields of JobDescriptor::flags. All other bits are reserved.
namespace jobflags {
/// Bits 8 to 15: 0 for the default clock level, else the index in PowerModel::levels plus 1. Only with
/// feature::kClockLevels.
inline constexpr uint32_t kClockLevelShift = 8;
inline constexpr uint32_t kClockLevelMask = 0xFFu << kClockLevelShift;
} // namespace jobflags

/// One submission.
struct JobDescriptor {
  uint64_t sequence;          ///< chosen by the driver, ascending in its ring; repeated in the completion record
  uint32_t context;           ///< the context of all addresses here; must be that of the ring
  uint32_t priority;          ///< 0 to kMaxPriority
  uint64_t deadlineNs;        ///< device time (cycles / clock) by which it must be complete, or kNoDeadline
  uint64_t watchdogCycles;    ///< longest run of a section in cycles of its level, or kDefaultWatchdog: see above
  uint64_t targetFingerprint; ///< of the target that the streams were compiled for; must be the device's
  uint32_t encodingVersion;   ///< of the streams; must be the device's
  uint32_t flags;             ///< namespace jobflags
  uint64_t streamTable;       ///< address of streamCount StreamEntry
  uint64_t regionTable;       ///< address of regionCount RegionEntry; region number n of a command is entry n - 1
  uint32_t streamCount;       ///< 1 to kMaxJobStreams, in each section at most one per engine
  uint32_t regionCount;       ///< 0 to kMaxRegions
  uint64_t completion;        ///< address of the CompletionRecord
  uint64_t userData;          ///< repeated in the completion record, otherwise unused
  uint64_t controlProgram;    ///< address of controlWords words (Control.h)
  uint32_t controlWords;      ///< 0: no control program, section 0 runs once
  uint32_t dependencyCount;   ///< 0 to kMaxDependencies
  uint64_t loopTimeoutNs;     ///< longest run of a loop in device time, up to kMaxLoopTimeoutNs, or kDefaultLoopTimeout
  uint64_t dependencyTable;   ///< address of dependencyCount DependencyEntry
  uint64_t reserved;
};
static_assert(sizeof(JobDescriptor) == 128 && std::is_trivial_v<JobDescriptor>);
static_assert(offsetof(JobDescriptor, streamTable) == 48 && offsetof(JobDescriptor, completion) == 72 &&
              offsetof(JobDescriptor, controlProgram) == 88 && offsetof(JobDescriptor, reserved) == 120);

/// A job of any ring of the device that must have ended before this one starts. If the other job has faulted, or has
/// ended but is no longer on record as complete, this job ends with FaultCode::DependencyFailed without running, once
/// it is the first of its ring. The device keeps the outcome of the last 256 jobs of a ring; of the older ones since
/// CreateRing, only those after the latest fault among them count as complete. A destroyed ring, a sequence that was
/// never queued, and a job at or after the dependent one in its own ring count as failed. The driver names only jobs
/// whose ring's tail it has already moved, so that no cycle can arise.
struct DependencyEntry {
  uint32_t ring;
  uint32_t reserved;
  uint64_t sequence; ///< of the descriptor in that ring
};
static_assert(sizeof(DependencyEntry) == 16);

/// The commands of one engine in one section. An engine without an entry has no work in the section.
struct StreamEntry {
  uint32_t engineKind;  ///< EngineKind
  uint32_t engineIndex; ///< channel number for DMA, else 0
  uint64_t address;     ///< of the first word
  uint32_t words;       ///< length in 32-bit words
  uint32_t section;     ///< below kMaxSections; 0 in a job without a control program
};
static_assert(sizeof(StreamEntry) == 24 && offsetof(StreamEntry, address) == 8);

/// The memory that a region number means in this job. DMA may access exactly these bytes.
struct RegionEntry {
  uint64_t address; ///< of byte 0
  uint64_t bytes;
  uint32_t access; ///< bits of namespace access (Mailbox.h)
  uint32_t reserved;
};
static_assert(sizeof(RegionEntry) == 24);

/// Why an engine with commands left was idle in a cycle.
enum class StallCause : uint32_t {
  Semaphore = 0, ///< a Wait was not satisfied: data or a buffer of another engine was not ready
  SramPort = 1,  ///< the on-chip port or a bank was busy with another engine
  DramPort = 2,  ///< the off-chip port was busy with another channel
  Latency = 3,   ///< first data of a transfer had not arrived yet
  FrontEnd = 4,  ///< fetch, decode, issue, pipeline fill and drain
};
inline constexpr uint32_t kNumStallCauses = 5;
inline constexpr uint32_t kNumEngineKinds = 3;

/// Counters of one job. All zero where the device does not count (features in HelloReply).
struct JobCounters {
  uint64_t cycles;                                        ///< from start to completion, without preempted time
  uint64_t busyCycles[kNumEngineKinds];                   ///< by EngineKind; DMA: sum over channels
  uint64_t stallCycles[kNumEngineKinds][kNumStallCauses]; ///< by EngineKind and StallCause
  uint64_t sramReadBytes;
  uint64_t sramWriteBytes;
  uint64_t dramReadBytes;
  uint64_t dramWriteBytes;
  uint64_t macs;             ///< multiply-accumulates that the arithmetic needed
  uint64_t dspOperations;    ///< lane operations
  uint64_t commands;         ///< issued, all engines
  uint64_t energyPicojoules; ///< rounded
};
static_assert(sizeof(JobCounters) == 27 * 8 && std::is_trivial_v<JobCounters>);

enum class JobState : uint32_t {
  Pending = 0,  ///< written by the driver before it submits the job
  Complete = 1, ///< every stream has ended; outputs are visible
  Faulted = 2,  ///< ended by `faultCode`; outputs are undefined
};

inline constexpr uint32_t kNoIndex = 0xFFFFFFFFu;

/// Written by the device when the job has ended. `state` is stored last, with release order.
struct CompletionRecord {
  uint32_t state;            ///< JobState
  uint32_t faultCode;        ///< FaultCode
  uint64_t sequence;         ///< of the descriptor
  uint64_t userData;         ///< of the descriptor
  uint32_t faultEngineKind;  ///< EngineKind of the engine that faulted, or kNoIndex: the job as a whole
  uint32_t faultEngineIndex; ///< or kNoIndex
  uint32_t faultCommand;     ///< index of the command in its stream, or of the instruction in the control program
                             ///< when no engine is named, from 0, or kNoIndex
  uint32_t faultLayer;       ///< layer of that command, or kNoLayer
  uint32_t faultRegion;      ///< region number of the bad access (kSramRegion: on-chip memory), or kNoIndex
  uint32_t faultSection;     ///< of the stream that faultCommand counts in; 0 if no engine is named
  uint64_t faultAddress;     ///< offset in faultRegion, or device address for FaultCode::PageFault
  uint64_t startCycle;       ///< device cycle at which the job first started
  uint64_t endCycle;         ///< device cycle at which it ended
  JobCounters counters;
  uint64_t arrivalCycle; ///< device cycle by which the device had taken the descriptor and all its dependencies had
                         ///< ended
  uint32_t indexExtent; ///< 0: all indices in the job's data were valid. Otherwise of the first one that was not, which
                        ///< must be in [0, indexExtent). The job goes on with it, as the command's kernel says
  uint32_t indexLayer;  ///< layer of the command that read that index, or kNoLayer
  int64_t index;        ///< that index
};
static_assert(sizeof(CompletionRecord) == 312 && offsetof(CompletionRecord, faultAddress) == 48 &&
              offsetof(CompletionRecord, counters) == 72 && offsetof(CompletionRecord, index) == 304);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_JOBRING_H
