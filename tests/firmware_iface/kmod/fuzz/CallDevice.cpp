//===- CallDevice.cpp - ioctl() with damaged arguments --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cstring>

namespace avocet::fuzz {

namespace {

constexpr uint32_t kMostBytes = (1u << _IOC_SIZEBITS) - 1;

/// A pointer that ends before `bytes` bytes, or at once.
void *badPointer(Random &random, uint32_t bytes, const void *argument) {
  switch (random.below(4)) {
  case 0:
    return nullptr;
  case 1: // of the kernel
    return reinterpret_cast<void *>(0xffff800000000000 + random.next() % (uint64_t{1} << 47));
  case 2:
    return reinterpret_cast<void *>(random.hostile());
  default: {
    constexpr size_t kPage = 4096;
    auto *pages =
        static_cast<uint8_t *>(::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages == MAP_FAILED)
      return nullptr;
    const bool isReadOnly = random.oneIn(2); // the answer cannot be written
    const uint32_t present = isReadOnly ? bytes : random.below(bytes + 1);
    uint8_t *begin = pages + kPage - present;
    std::memcpy(begin, argument, present);
    ::mprotect(pages, kPage, isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE);
    ::munmap(pages + kPage, kPage);
    return begin; // its page stays until the process ends
  }
  }
}

bool callWithOtherSize(Random &random, int file, unsigned long request, const void *argument) {
  uint8_t room[kMostBytes + 1];
  const uint32_t bytes = _IOC_SIZE(request);
  const uint32_t other = random.choose({0u, 1u, bytes - 8, bytes - 1, bytes + 8, bytes + 256, kMostBytes});
  std::memset(room, random.oneIn(2) ? 0 : 0xff, sizeof(room));
  std::memcpy(room, argument, bytes);
  (void)::ioctl(file, _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), other & kMostBytes), room);
  return false;
}

bool callWithChangedBytes(Random &random, int file, unsigned long request, const void *argument) {
  alignas(8) uint8_t room[1024];
  const uint32_t bytes = _IOC_SIZE(request);
  if (bytes > sizeof(room))
    return false;
  std::memcpy(room, argument, bytes);
  for (uint32_t count = 1 + random.below(3); count > 0; --count) {
    if (random.oneIn(2)) {
      room[random.below(bytes)] ^= static_cast<uint8_t>(1 + random.below(255));
    } else {
      const uint64_t value = random.hostile();
      std::memcpy(room + random.below(bytes / 4) * 4, &value, sizeof(uint32_t));
    }
  }
  (void)::ioctl(file, request, room);
  return false;
}

} // namespace

bool callDevice(Random &random, int file, unsigned long request, void *argument) {
  switch (random.below(32)) {
  case 0:
    (void)::ioctl(file, request, badPointer(random, _IOC_SIZE(request), argument));
    return false;
  case 1:
    return callWithOtherSize(random, file, request, argument);
  case 2:
  case 3:
    return callWithChangedBytes(random, file, request, argument);
  default:
    return ::ioctl(file, request, argument) == 0;
  }
}

} // namespace avocet::fuzz
