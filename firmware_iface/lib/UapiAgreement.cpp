//===- UapiAgreement.cpp - Checks UAPI against the device -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel driver passes numbers and counters through from the device to user space. This file holds no code: it fails
// to compile if the two headers differ.
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "avocet_accel.h"

namespace avocet::firmware {
namespace {

template <typename E> constexpr bool same(E value, uint32_t number) { return static_cast<uint32_t>(value) == number; }

static_assert(same(EngineKind::Mac, AVOCET_ENGINE_MAC));
static_assert(same(EngineKind::Dsp, AVOCET_ENGINE_DSP));
static_assert(same(EngineKind::Dma, AVOCET_ENGINE_DMA));

static_assert(access::kRead == AVOCET_ACCESS_READ && access::kWrite == AVOCET_ACCESS_WRITE);
static_assert(kPageBytes == AVOCET_PAGE_BYTES);

static_assert(feature::kPreemption == AVOCET_FEATURE_PREEMPTION);
static_assert(feature::kDeadlines == AVOCET_FEATURE_DEADLINES);
static_assert(feature::kCommandTrace == AVOCET_FEATURE_COMMAND_TRACE);
static_assert(feature::kEnergyCounters == AVOCET_FEATURE_ENERGY_COUNTERS);
static_assert(feature::kTimingOff == AVOCET_FEATURE_TIMING_OFF);
static_assert(feature::kFunctionalOff == AVOCET_FEATURE_FUNCTIONAL_OFF);

static_assert(same(JobState::Pending, AVOCET_JOB_PENDING));
static_assert(same(JobState::Complete, AVOCET_JOB_COMPLETE));
static_assert(same(JobState::Faulted, AVOCET_JOB_FAULTED));

static_assert(same(StallCause::Semaphore, AVOCET_STALL_SEMAPHORE));
static_assert(same(StallCause::SramPort, AVOCET_STALL_SRAM_PORT));
static_assert(same(StallCause::DramPort, AVOCET_STALL_DRAM_PORT));
static_assert(same(StallCause::Latency, AVOCET_STALL_LATENCY));
static_assert(same(StallCause::FrontEnd, AVOCET_STALL_FRONT_END));
static_assert(kNumEngineKinds == AVOCET_NUM_ENGINE_KINDS && kNumStallCauses == AVOCET_NUM_STALL_CAUSES);

static_assert(sizeof(JobCounters) == sizeof(avocet_counters));
static_assert(offsetof(JobCounters, busyCycles) == offsetof(avocet_counters, busy_cycles));
static_assert(offsetof(JobCounters, stallCycles) == offsetof(avocet_counters, stall_cycles));
static_assert(offsetof(JobCounters, sramReadBytes) == offsetof(avocet_counters, sram_read_bytes));
static_assert(offsetof(JobCounters, energyPicojoules) == offsetof(avocet_counters, energy_picojoules));

static_assert(sizeof(StreamEntry) == sizeof(avocet_stream));
static_assert(offsetof(StreamEntry, address) == offsetof(avocet_stream, device_address));
static_assert(offsetof(StreamEntry, section) == offsetof(avocet_stream, section));
static_assert(sizeof(RegionEntry) == sizeof(avocet_region));
static_assert(offsetof(RegionEntry, access) == offsetof(avocet_region, access));

// No hidden padding: the structs have the same layout in 32-bit and 64-bit programs.
static_assert(sizeof(avocet_submit) == 136 && sizeof(avocet_syncobj) == 16 &&
              sizeof(avocet_wait) == 112 + sizeof(avocet_counters));
static_assert(sizeof(avocet_context_create) == 16);
static_assert(sizeof(avocet_bo_import) == 24 && sizeof(avocet_cancel) == 16);
static_assert(sizeof(avocet_bo_create) == 24 && sizeof(avocet_bo_info) == 24 && sizeof(avocet_map) == 24);

} // namespace
} // namespace avocet::firmware
