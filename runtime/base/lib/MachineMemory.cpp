//===- MachineMemory.cpp - Memory that this process may use -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/MachineMemory.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/base/Rounding.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet {
namespace {

/// The number in a file; "max", or none, is no limit.
uint64_t limitIn(const std::string &path) {
  std::string text;
  std::ifstream(path) >> text;
  const Result<uint64_t> limit = parseUnsigned(text, 0, UINT64_MAX);
  return limit ? *limit : UINT64_MAX;
}

/// The least limit of a group and of those that contain it. `group`: such as "/system.slice/avocetd.service".
uint64_t limitOf(const std::string &hierarchy, std::string group, const char *file) {
  uint64_t least = UINT64_MAX;
  for (;; group.resize(group.rfind('/'))) {
    if (group.ends_with('/'))
      group.pop_back();
    least = std::min(least, limitIn(hierarchy + group + file));
    if (group.find('/') == std::string::npos)
      return least;
  }
}

/// Of a line "NUMBER:CONTROLLERS:GROUP" of /proc/self/cgroup.
uint64_t limitOfLine(std::string_view line, const std::string &mounts) {
  const size_t first = line.find(':'), second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos)
    return UINT64_MAX;
  const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
  const std::string group(line.substr(second + 1));
  if (controllers == ",,")
    return limitOf(mounts, group, "/memory.max");
  if (controllers.find(",memory,") != std::string::npos)
    return limitOf(mounts + "/memory", group, "/memory.limit_in_bytes");
  return UINT64_MAX;
}

} // namespace

uint64_t machineMemory(const std::string &root) {
  uint64_t least = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);)
    least = std::min(least, limitOfLine(line, root + "/sys/fs/cgroup"));
  return least;
}

#ifdef __GLIBC__
namespace {

constexpr int kStep = 64 << 20;
constexpr int kMostInHeap = 32 << 20; ///< glibc's limit; larger blocks have mappings of their own
constexpr uintptr_t kLargePage = 2 << 20;

/// Larger than what the heap has left when a program starts, so that it grows.
constexpr size_t kFirstBlock = 1 << 20;

uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void growOnLargePages() {
  // Setting one of them ends the automatic adjustment of the others.
  if (!::mallopt(M_TOP_PAD, kStep) || !::mallopt(M_MMAP_THRESHOLD, kMostInHeap) ||
      !::mallopt(M_TRIM_THRESHOLD, INT_MAX))
    return;
  char *const volatile block = static_cast<char *>(std::malloc(kFirstBlock)); // volatile: it must not be optimized away
  const uintptr_t begin = addressOf(block), end = addressOf(::sbrk(0));
  const uintptr_t first = roundUp(begin, kLargePage);
  // Another allocator's blocks are elsewhere.
  if (block != nullptr && first < end && end - first <= kStep + kFirstBlock + kLargePage)
    (void)::madvise(block + (first - begin), end - first, MADV_HUGEPAGE);
  std::free(block);
}

} // namespace

void useLargePagesForHeap() {
  static std::once_flag isDone;
  std::call_once(isDone, growOnLargePages);
}

#else
void useLargePagesForHeap() {}
#endif

} // namespace avocet
