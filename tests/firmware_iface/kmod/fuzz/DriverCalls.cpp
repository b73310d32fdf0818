//===- DriverCalls.cpp - Calls of avocet_accel.h --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "avocet_accel.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

namespace avocet::fuzz {

namespace {

constexpr uint64_t kPage = AVOCET_PAGE_BYTES;

int fileOf(World &world, Random &random) { return static_cast<int>(world.files.any(random, -1)); }

/// Mostly `value`, at times a hostile one.
template <typename T> T mostly(Random &random, T value) {
  return random.oneIn(16) ? static_cast<T>(random.hostile()) : value;
}

uint64_t nanosecondsFromNow(int64_t nanoseconds) {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec + nanoseconds;
}

uint64_t pointerTo(const void *data) { return reinterpret_cast<uint64_t>(data); }

bool getParam(World &world, Random &random) {
  avocet_get_param args{mostly(random, random.below(15)), 0, 0};
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_GET_PARAM, args);
}

bool contextCreate(World &world, Random &random) {
  avocet_context_create args{0, 0, random.below(3), 0};
  if (!callDevice(random, fileOf(world, random), AVOCET_IOCTL_CONTEXT_CREATE, args))
    return false;
  world.contexts.add(args.context);
  return true;
}

uint32_t contextOf(World &world, Random &random) {
  return mostly(random, static_cast<uint32_t>(world.contexts.any(random, 1)));
}

bool contextDestroy(World &world, Random &random) {
  avocet_context_destroy args{contextOf(world, random), 0};
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_CONTEXT_DESTROY, args);
}

bool bufferCreate(World &world, Random &random) {
  avocet_bo_create args{};
  args.size = random.oneIn(64) ? random.choose<uint64_t>({0, 1ull << 38, (1ull << 38) + 1, 1ull << 63, ~0ull})
                               : 1 + random.below(64 * kPage);
  if (!callDevice(random, fileOf(world, random), AVOCET_IOCTL_BO_CREATE, args))
    return false;
  world.buffers.add(pairOf(args.handle, args.size));
  world.offsets.add(pairOf(static_cast<uint32_t>(args.size / kPage), args.mmap_offset));
  return true;
}

uint32_t handleOf(World &world, Random &random) {
  return mostly(random, ownerOf(world.buffers.any(random, pairOf(1, 0))));
}

bool bufferInfo(World &world, Random &random) {
  avocet_bo_info args{handleOf(world, random), 0, 0, 0};
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_BO_INFO, args);
}

bool bufferImport(World &world, Random &random) {
  const uint64_t area = world.areas.any(random, pairOf(1, 0x10000));
  const uint64_t pages = 1 + random.below(ownerOf(area) + 1); // at times one too many
  avocet_bo_import args{mostly(random, valueOf(area)), mostly(random, pages * kPage), random.below(2), 0};
  if (!callDevice(random, fileOf(world, random), AVOCET_IOCTL_BO_IMPORT, args))
    return false;
  world.buffers.add(pairOf(args.handle, args.size));
  return true;
}

bool map(World &world, Random &random) {
  avocet_map args{contextOf(world, random), handleOf(world, random), mostly(random, 1 + random.below(3)), 0, 0};
  if (!callDevice(random, fileOf(world, random), AVOCET_IOCTL_MAP, args))
    return false;
  world.mappings.add(pairOf(args.context, args.device_address));
  return true;
}

bool unmap(World &world, Random &random) {
  const uint64_t mapping = world.mappings.any(random);
  avocet_unmap args{mostly(random, ownerOf(mapping)), 0, mostly(random, valueOf(mapping))};
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_UNMAP, args);
}

constexpr uint32_t kMostStreams = 4, kMostRegions = 4, kMostFences = 4, kMostSyncobjs = 4;

struct Submission {
  avocet_stream streams[kMostStreams];
  avocet_region regions[kMostRegions];
  int32_t fences[kMostFences];
  avocet_syncobj syncobjs[kMostSyncobjs];
  avocet_submit args;
};

/// The streams of one of the programs in the context's memory, and two regions.
void describeTables(World &world, Random &random, Submission &job, uint64_t code) {
  const uint32_t kind = random.below(Programs::NumKinds);
  const uint64_t program = valueOf(code) + kind * Programs::kSpacing;
  const uint64_t copy = valueOf(code);
  job.args.stream_count = random.oneIn(8) ? 1 + random.below(kMostStreams) : 1;
  for (avocet_stream &stream : job.streams)
    stream = {AVOCET_ENGINE_DMA, 0, kind == Programs::Loop ? copy : program,
              world.programs.length[kind == Programs::Loop ? uint32_t{Programs::Copy} : kind], 0};
  if (kind == Programs::Loop) {
    job.args.control_program = program;
    job.args.control_words = world.programs.length[kind];
  }
  if (random.oneIn(8))
    job.streams[0] = {random.below(4), random.below(3), mostly(random, program), mostly(random, random.below(64)),
                      random.below(2)};
  job.args.region_count = random.oneIn(8) ? random.below(kMostRegions + 1) : 2;
  for (avocet_region &region : job.regions) {
    const uint64_t mapping = world.mappings.any(random);
    region = {random.oneIn(16) ? random.hostile() : valueOf(mapping), mostly<uint64_t>(random, 64),
              mostly(random, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE), 0};
  }
}

void describeLimits(World &world, Random &random, avocet_submit &args) {
  args.flags = random.below(2) * AVOCET_SUBMIT_OUT_FENCE;
  args.priority = random.oneIn(16) ? random.below(12) : random.below(8);
  args.deadline_ns =
      random.oneIn(4) ? nanosecondsFromNow(static_cast<int64_t>(random.below(20'000'000)) - 5'000'000) : 0;
  args.watchdog_cycles = random.choose<uint64_t>({1, 1000, 50'000});
  args.loop_timeout_ns = random.choose<uint64_t>({0, 1000, 100'000});
  args.target_fingerprint = world.fingerprint;
  args.encoding_version = world.encoding;
  args.user_data = random.next();
  if (random.oneIn(64))
    (random.oneIn(2) ? args.stream_count : args.region_count) = static_cast<uint32_t>(random.hostile());
  if (random.oneIn(32))
    (random.oneIn(2) ? args.streams : args.regions) = random.hostile();
}

/// Objects with one fence, and points of timelines, which have small numbers so that jobs meet at them.
void describeSyncobjs(World &world, Random &random, Submission &job) {
  job.args.syncobjs = pointerTo(job.syncobjs);
  job.args.syncobj_count = 1 + random.below(kMostSyncobjs);
  for (avocet_syncobj &syncobj : job.syncobjs) {
    const uint32_t direction = random.oneIn(3) ? AVOCET_SYNCOBJ_WAIT : AVOCET_SYNCOBJ_SIGNAL;
    syncobj = {mostly(random, static_cast<uint32_t>(world.syncobjs.any(random, 1))), mostly(random, direction),
               mostly<uint64_t>(random, random.below(6))};
  }
  if (random.oneIn(32))
    job.args.syncobj_count = static_cast<uint32_t>(random.hostile());
  if (random.oneIn(64))
    job.args.syncobjs = random.hostile();
}

/// Fills in the rest of a call, and makes it.
bool submitWith(World &world, Random &random, Submission &job) {
  const uint64_t code = world.codes.any(random);
  job.args.context = random.oneIn(16) ? contextOf(world, random) : ownerOf(code);
  job.args.streams = pointerTo(job.streams);
  job.args.regions = pointerTo(job.regions);
  job.args.in_fences = pointerTo(job.fences);
  describeTables(world, random, job, code);
  describeLimits(world, random, job.args);
  job.args.in_fence_count = random.oneIn(3) ? random.below(kMostFences + 1) : 0;
  for (int32_t &fence : job.fences)
    fence = static_cast<int32_t>(world.fences.any(random, static_cast<uint64_t>(-1)));
  if (job.args.in_fence_count > 0 && random.oneIn(32))
    job.args.in_fence_count = static_cast<uint32_t>(random.hostile());
  if (!callDevice(random, fileOf(world, random), AVOCET_IOCTL_SUBMIT, job.args))
    return false;
  world.jobs.add(pairOf(job.args.context, job.args.job));
  if (job.args.flags & AVOCET_SUBMIT_OUT_FENCE)
    world.fences.add(static_cast<uint64_t>(job.args.out_fence));
  return true;
}

bool submit(World &world, Random &random) {
  Submission job{};
  return submitWith(world, random, job);
}

bool submitWithSyncobjs(World &world, Random &random) {
  Submission job{};
  describeSyncobjs(world, random, job);
  return submitWith(world, random, job);
}

bool wait(World &world, Random &random) {
  const uint64_t job = world.jobs.any(random);
  avocet_wait args{};
  args.context = mostly(random, ownerOf(job));
  args.job = mostly(random, valueOf(job));
  switch (random.below(16)) {
  case 0: // a signal of the timer, or the parent process, ends it if the job does not
    args.timeout_ns = -1;
    break;
  case 1:
    args.timeout_ns = static_cast<int64_t>(random.hostile());
    break;
  case 2:
  case 3:
    args.timeout_ns = 0;
    break;
  default:
    args.timeout_ns = static_cast<int64_t>(nanosecondsFromNow(random.below(20'000'000)));
  }
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_WAIT, args);
}

bool cancel(World &world, Random &random) {
  const uint64_t job = world.jobs.any(random);
  avocet_cancel args{mostly(random, ownerOf(job)), 0, mostly(random, valueOf(job))};
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_CANCEL, args);
}

bool reset(World &world, Random &random) {
  avocet_reset args{random.oneIn(8) ? static_cast<uint32_t>(random.hostile()) : 0, 0};
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_RESET, args);
}

bool query(World &world, Random &random) {
  uint8_t room[8192];
  avocet_query args{random.below(4), 0, pointerTo(room), random.choose<uint64_t>({0, 1, sizeof(room)})};
  if (random.oneIn(8))
    args.data = random.hostile();
  return callDevice(random, fileOf(world, random), AVOCET_IOCTL_QUERY, args);
}

constexpr Call kCalls[] = {
    {"GET_PARAM", 4, getParam},
    {"CONTEXT_CREATE", 6, contextCreate},
    {"CONTEXT_DESTROY", 4, contextDestroy},
    {"BO_CREATE", 8, bufferCreate},
    {"BO_INFO", 4, bufferInfo},
    {"MAP", 12, map},
    {"UNMAP", 8, unmap},
    {"SUBMIT", 24, submit},
    {"SUBMIT with syncobjs", 12, submitWithSyncobjs},
    {"WAIT", 16, wait},
    {"RESET", 1, reset},
    {"QUERY", 4, query},
    {"CANCEL", 8, cancel},
    {"BO_IMPORT", 6, bufferImport},
};

uint64_t paramOf(int file, uint32_t param) {
  avocet_get_param args{param, 0, 0};
  return ::ioctl(file, AVOCET_IOCTL_GET_PARAM, &args) == 0 ? args.value : 0;
}

/// A buffer with the programs, mapped into the context.
void mapPrograms(World &world, int file, uint32_t context) {
  avocet_bo_create buffer{Programs::kBytes, 0, 0, 0};
  if (::ioctl(file, AVOCET_IOCTL_BO_CREATE, &buffer) != 0)
    return;
  void *memory =
      ::mmap(nullptr, buffer.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(buffer.mmap_offset));
  if (memory == MAP_FAILED)
    return;
  std::memcpy(memory, world.programs.words.data(), Programs::kBytes);
  ::munmap(memory, buffer.size);
  avocet_map mapping{context, buffer.handle, AVOCET_ACCESS_READ, 0, 0};
  if (::ioctl(file, AVOCET_IOCTL_MAP, &mapping) == 0)
    world.codes.add(pairOf(context, mapping.device_address));
}

} // namespace

std::span<const Call> driverCalls() { return kCalls; }

void prepareWorld(World &world, Random &random) {
  const int file = fileOf(world, random);
  world.fingerprint = paramOf(file, AVOCET_PARAM_TARGET_FINGERPRINT);
  world.encoding = static_cast<uint32_t>(paramOf(file, AVOCET_PARAM_ENCODING_VERSION));
  for (int count = 0; count < 2; ++count) {
    avocet_context_create context{};
    if (::ioctl(file, AVOCET_IOCTL_CONTEXT_CREATE, &context) != 0)
      return;
    world.contexts.add(context.context);
    mapPrograms(world, file, context.context);
    for (int buffers = 0; buffers < 2; ++buffers) {
      avocet_bo_create buffer{kPage, 0, 0, 0};
      if (::ioctl(file, AVOCET_IOCTL_BO_CREATE, &buffer) != 0)
        return;
      world.buffers.add(pairOf(buffer.handle, buffer.size));
      world.offsets.add(pairOf(1, buffer.mmap_offset));
      avocet_map mapping{context.context, buffer.handle, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE, 0, 0};
      if (::ioctl(file, AVOCET_IOCTL_MAP, &mapping) == 0)
        world.mappings.add(pairOf(context.context, mapping.device_address));
    }
  }
}

} // namespace avocet::fuzz
