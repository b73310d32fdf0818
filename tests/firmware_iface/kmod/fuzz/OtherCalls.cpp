//===- OtherCalls.cpp - Calls that are not in avocet_accel.h --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocationFaults.h"
#include "Calls.h"
#include "DrmCalls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace avocet::fuzz {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kMostPages = 64;

int anyOf(const auto &table, Random &random) { return static_cast<int>(table.any(random, static_cast<uint64_t>(-1))); }

int fileOf(World &world, Random &random) { return anyOf(world.files, random); }

uint32_t handleOf(World &world, Random &random) {
  return random.oneIn(16) ? static_cast<uint32_t>(random.hostile()) : ownerOf(world.buffers.any(random, pairOf(1, 0)));
}

bool open(World &world, Random &) {
  const int file = ::open(world.node, O_RDWR | O_CLOEXEC);
  if (file >= 0)
    world.files.add(static_cast<uint64_t>(file));
  return file >= 0;
}

bool closeAny(World &world, Random &random) {
  switch (random.below(8)) {
  case 0:
    return ::close(fileOf(world, random)) == 0;
  case 1:
  case 2:
  case 3:
    return ::close(anyOf(world.dmaBufs, random)) == 0;
  default:
    return ::close(anyOf(world.fences, random)) == 0;
  }
}

bool duplicate(World &world, Random &random) {
  const int file = ::dup(fileOf(world, random));
  if (file >= 0)
    world.files.add(static_cast<uint64_t>(file));
  return file >= 0;
}

bool version(World &world, Random &random) {
  char name[16];
  DrmVersion args{};
  args.nameBytes = sizeof(name);
  args.name = name;
  return callDevice(random, fileOf(world, random), kVersion, args);
}

bool gemClose(World &world, Random &random) {
  DrmGemClose args{handleOf(world, random), 0};
  return callDevice(random, fileOf(world, random), kGemClose, args);
}

bool mapMemory(World &world, Random &random) {
  const uint64_t buffer = world.offsets.any(random, pairOf(1, kPage));
  const bool isShared = random.oneIn(2);
  const int file = isShared && random.oneIn(4) ? anyOf(world.dmaBufs, random) : fileOf(world, random);
  const uint64_t pages = random.oneIn(8) ? 1 + random.below(ownerOf(buffer) + 2) : ownerOf(buffer);
  const uint64_t offset = random.oneIn(8) ? random.hostile() & ~(kPage - 1) : valueOf(buffer);
  void *memory = ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, random.oneIn(8) ? MAP_PRIVATE : MAP_SHARED,
                        file, static_cast<off_t>(offset));
  if (memory == MAP_FAILED)
    return false;
  world.areas.add(pairOf(static_cast<uint32_t>(pages), reinterpret_cast<uint64_t>(memory)));
  return true;
}

bool mapAnonymous(World &world, Random &random) {
  const uint32_t pages = 1 + random.below(kMostPages);
  const int protection = random.oneIn(4) ? PROT_READ : PROT_READ | PROT_WRITE;
  void *memory =
      ::mmap(nullptr, pages * kPage, protection, MAP_ANONYMOUS | (random.oneIn(2) ? MAP_SHARED : MAP_PRIVATE), -1, 0);
  if (memory == MAP_FAILED)
    return false;
  world.areas.add(pairOf(pages, reinterpret_cast<uint64_t>(memory)));
  return true;
}

bool unmapMemory(World &world, Random &random) {
  const uint64_t area = world.areas.any(random);
  return valueOf(area) != 0 && ::munmap(reinterpret_cast<void *>(valueOf(area)), ownerOf(area) * kPage) == 0;
}

/// Copies within an area by the kernel, which gives an error where the process has nothing mapped.
bool touch(World &world, Random &random) {
  const uint64_t area = world.areas.any(random);
  int ends[2];
  if (valueOf(area) == 0 || ::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  auto *place = reinterpret_cast<uint8_t *>(valueOf(area) + random.below(ownerOf(area)) * kPage);
  const bool done = ::write(ends[1], place, 64) == 64 && ::read(ends[0], place, 64) == 64;
  ::close(ends[0]);
  ::close(ends[1]);
  return done;
}

bool primeExport(World &world, Random &random) {
  DrmPrimeHandle args{handleOf(world, random), static_cast<uint32_t>(O_CLOEXEC) | (random.oneIn(2) ? O_RDWR : 0u), -1};
  if (!callDevice(random, fileOf(world, random), kHandleToFd, args))
    return false;
  world.dmaBufs.add(static_cast<uint64_t>(args.fd));
  return true;
}

bool primeImport(World &world, Random &random) {
  DrmPrimeHandle args{0, 0, random.oneIn(16) ? anyOf(world.fences, random) : anyOf(world.dmaBufs, random)};
  if (!callDevice(random, fileOf(world, random), kFdToHandle, args))
    return false;
  world.buffers.add(pairOf(args.handle, kPage));
  return true;
}

bool makeUdmabuf(World &world, Random &random) {
  const int device = ::open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  const uint64_t bytes = (1 + random.below(8)) * kPage;
  const int memory = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int made = -1;
  if (device >= 0 && memory >= 0 && ::ftruncate(memory, static_cast<off_t>(bytes)) == 0 &&
      ::fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0) {
    UdmabufCreate args{static_cast<uint32_t>(memory), 1, 0, bytes};
    made = ::ioctl(device, kUdmabufCreate, &args);
  }
  ::close(device);
  ::close(memory);
  if (made >= 0)
    world.dmaBufs.add(static_cast<uint64_t>(made));
  return made >= 0;
}

bool allocateFromHeap(World &world, Random &random) {
  const int heap = ::open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
  DmaHeapAllocate args{(1 + random.below(32)) * kPage, 0, O_RDWR | O_CLOEXEC, 0};
  const bool done = heap >= 0 && ::ioctl(heap, kDmaHeapAllocate, &args) == 0;
  ::close(heap);
  if (done)
    world.dmaBufs.add(args.fd);
  return done;
}

bool syncobjCreate(World &world, Random &random) {
  DrmSyncobjCreate args{0, random.below(2)};
  if (!callDevice(random, fileOf(world, random), kSyncobjCreate, args))
    return false;
  world.syncobjs.add(args.handle);
  return true;
}

uint32_t syncobjOf(World &world, Random &random) {
  return random.oneIn(16) ? static_cast<uint32_t>(random.hostile())
                          : static_cast<uint32_t>(world.syncobjs.any(random, 1));
}

bool syncobjDestroy(World &world, Random &random) {
  DrmSyncobjDestroy args{syncobjOf(world, random), 0};
  return callDevice(random, fileOf(world, random), kSyncobjDestroy, args);
}

bool syncobjExport(World &world, Random &random) {
  constexpr uint32_t kSyncFile = 1;
  DrmSyncobjHandle args{syncobjOf(world, random), kSyncFile, -1, 0};
  if (!callDevice(random, fileOf(world, random), kSyncobjToFd, args))
    return false;
  world.fences.add(static_cast<uint64_t>(args.fd));
  return true;
}

bool syncobjImport(World &world, Random &random) {
  constexpr uint32_t kSyncFile = 1;
  DrmSyncobjHandle args{syncobjOf(world, random), kSyncFile, anyOf(world.fences, random), 0};
  return callDevice(random, fileOf(world, random), kSyncobjFromFd, args);
}

bool syncobjWait(World &world, Random &random) {
  const uint32_t handles[] = {syncobjOf(world, random), syncobjOf(world, random)};
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  DrmSyncobjWait args{};
  args.handles = reinterpret_cast<uint64_t>(handles);
  args.timeoutNs = now.tv_sec * 1'000'000'000 + now.tv_nsec + random.below(5'000'000);
  args.count = 1 + random.below(2);
  args.flags = random.below(4); // all of them, and until a fence is there
  return callDevice(random, fileOf(world, random), kSyncobjWait, args);
}

bool syncobjTransfer(World &world, Random &random) {
  DrmSyncobjTransfer args{};
  args.source = syncobjOf(world, random);
  args.destination = syncobjOf(world, random);
  args.destinationPoint = random.below(4);
  return callDevice(random, fileOf(world, random), kSyncobjTransfer, args);
}

bool mergeFences(World &world, Random &random) {
  SyncMerge args{"fuzz", anyOf(world.fences, random), -1, 0, 0};
  if (!callDevice(random, anyOf(world.fences, random), kSyncMerge, args))
    return false;
  world.fences.add(static_cast<uint64_t>(args.fence));
  return true;
}

bool fenceInfo(World &world, Random &random) {
  SyncFileInfo args{};
  return callDevice(random, anyOf(world.fences, random), kSyncFileInfo, args);
}

bool pollFence(World &world, Random &random) {
  pollfd polled{anyOf(world.fences, random), POLLIN, 0};
  return ::poll(&polled, 1, static_cast<int>(random.below(10))) == 1;
}

/// A fence that only this process signals, or none does.
bool makeTimeline(World &world, Random &random) {
  const int timeline = ::open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC);
  SwSyncCreateFence args{1 + random.below(3), "fuzz", -1};
  if (timeline < 0 || ::ioctl(timeline, kSwSyncCreateFence, &args) != 0) {
    ::close(timeline);
    return false;
  }
  world.timelines.add(static_cast<uint64_t>(timeline));
  world.fences.add(static_cast<uint64_t>(args.fence));
  return true;
}

bool advanceTimeline(World &world, Random &random) {
  const int timeline = anyOf(world.timelines, random);
  if (random.oneIn(4))
    return ::close(timeline) == 0;
  uint32_t steps = 1 + random.below(2);
  return ::ioctl(timeline, kSwSyncAdvance, &steps) == 0;
}

bool readFdinfo(World &world, Random &random) {
  char path[64], text[2048];
  (void)std::snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fileOf(world, random));
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::read(file, text, sizeof(text)) > 0;
  ::close(file);
  return done;
}

/// A child that uses the same files, and ends by itself or by a signal.
bool forkChild(World &world, Random &random) {
  const uint64_t seed = random.next();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Random own(seed);
    makeCalls(world, own, own.below(16));
    ::_exit(0);
  }
  if (child < 0)
    return false;
  if (random.oneIn(2)) {
    const timespec pause{0, static_cast<long>(random.below(2'000'000))};
    ::nanosleep(&pause, nullptr);
    ::kill(child, SIGKILL);
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

bool killItself(World &, Random &random) { return random.oneIn(4) && ::kill(::getpid(), SIGKILL) == 0; }

constexpr Call kCalls[] = {
    {"open", 1, open},
    {"close", 4, closeAny},
    {"dup", 1, duplicate},
    {"VERSION", 1, version},
    {"GEM_CLOSE", 5, gemClose},
    {"mmap", 6, mapMemory},
    {"mmap anonymous", 4, mapAnonymous},
    {"munmap", 5, unmapMemory},
    {"touch", 5, touch},
    {"PRIME_HANDLE_TO_FD", 4, primeExport},
    {"PRIME_FD_TO_HANDLE", 4, primeImport},
    {"udmabuf", 1, makeUdmabuf, true},
    {"dma-heap", 1, allocateFromHeap, true},
    {"SYNCOBJ_CREATE", 3, syncobjCreate},
    {"SYNCOBJ_DESTROY", 2, syncobjDestroy},
    {"SYNCOBJ_HANDLE_TO_FD", 3, syncobjExport},
    {"SYNCOBJ_FD_TO_HANDLE", 3, syncobjImport},
    {"SYNCOBJ_WAIT", 2, syncobjWait},
    {"SYNCOBJ_TRANSFER", 2, syncobjTransfer},
    {"SYNC_MERGE", 3, mergeFences},
    {"SYNC_FILE_INFO", 2, fenceInfo},
    {"poll", 3, pollFence},
    {"sw_sync fence", 2, makeTimeline, true},
    {"sw_sync advance", 3, advanceTimeline, true},
    {"fdinfo", 1, readFdinfo, true},
    {"fork", 1, forkChild},
    {"kill", 1, killItself, true}, // the process counts no success
};

const Call &chooseCall(Random &random) {
  static const uint32_t kTotal = [] {
    uint32_t total = 0;
    for (const std::span<const Call> calls : {driverCalls(), otherCalls()})
      for (const Call &call : calls)
        total += call.weight;
    return total;
  }();
  uint32_t place = random.below(kTotal);
  for (const std::span<const Call> calls : {driverCalls(), otherCalls()})
    for (const Call &call : calls) {
      if (place < call.weight)
        return call;
      place -= call.weight;
    }
  return driverCalls().front(); // not reached: the place is below the sum of all weights
}

bool makeWithFault(const Call &call, World &world, Random &random) {
  const AllocationFault fault(random);
  const bool done = call.make(world, random);
  if (fault.hasHappened())
    ++world.counters.failedAllocations;
  return done;
}

size_t numberOf(const Call &call) {
  const std::span<const Call> calls = driverCalls();
  return &call >= calls.data() && &call < calls.data() + calls.size()
             ? static_cast<size_t>(&call - calls.data())
             : calls.size() + static_cast<size_t>(&call - otherCalls().data());
}

} // namespace

std::span<const Call> otherCalls() { return kCalls; }

void makeCalls(World &world, Random &random, uint32_t count) {
  for (; count > 0; --count) {
    const Call &call = chooseCall(random);
    const size_t number = numberOf(call);
    ++world.counters.attempts[number];
    const bool hasFault = world.failsAllocations && random.oneIn(2);
    if (hasFault ? makeWithFault(call, world, random) : call.make(world, random))
      ++world.counters.successes[number];
  }
}

} // namespace avocet::fuzz
