//===- World.h - What one process of the fuzzer has created -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of objects, which all threads of a process share. An object stays in its table when it is closed, so that
// later calls name stale ones, until a newer object takes its place.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_WORLD_H
#define AVOCET_TESTS_KMOD_FUZZ_WORLD_H

#include "Random.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace avocet::fuzz {

/// The last objects of a kind, each a number.
template <size_t Size> class Table {
public:
  void add(uint64_t object) { objects_[count_++ % Size] = object; }
  bool isEmpty() const { return count_ == 0; }

  /// Any of them, or `otherwise` of an empty table.
  uint64_t any(Random &random, uint64_t otherwise = 0) const {
    const uint32_t count = count_;
    return count == 0 ? otherwise : objects_[random.below(count < Size ? count : Size)].load();
  }

private:
  std::array<std::atomic<uint64_t>, Size> objects_{};
  std::atomic<uint32_t> count_{0};
};

/// An object that belongs to another one: the owner in the upper 16 bits.
constexpr uint64_t pairOf(uint32_t owner, uint64_t value) { return uint64_t{owner} << 48 | (value & 0xffffffffffff); }
constexpr uint32_t ownerOf(uint64_t pair) { return static_cast<uint32_t>(pair >> 48); }
constexpr uint64_t valueOf(uint64_t pair) { return pair & 0xffffffffffff; }

/// Command streams for jobs, at offsets of one buffer, as the parent process has encoded them.
struct Programs {
  enum Kind : uint8_t { Copy, Hang, Garbage, Loop, NumKinds };
  static constexpr uint32_t kSpacing = 1024;
  static constexpr uint32_t kBytes = NumKinds * kSpacing;

  std::array<uint32_t, kBytes / sizeof(uint32_t)> words{};
  std::array<uint32_t, NumKinds> length{}; ///< in words
};

/// Numbers of calls, in memory that all processes share.
struct Counters {
  static constexpr size_t kMaxCalls = 64;
  std::array<std::atomic<uint64_t>, kMaxCalls> attempts;
  std::array<std::atomic<uint64_t>, kMaxCalls> successes;
  std::atomic<uint64_t> failedAllocations;
};

struct World {
  World(const Programs &programs, Counters &counters, const char *node)
      : programs(programs), counters(counters), node(node) {}

  const Programs &programs;
  Counters &counters;
  const char *node;              ///< path of the device
  bool failsAllocations = false; ///< in half of the calls

  Table<4> files;     ///< descriptors of the device
  Table<8> contexts;  ///< context
  Table<16> buffers;  ///< (handle, bytes)
  Table<16> offsets;  ///< (bytes in pages, offset for mmap)
  Table<16> mappings; ///< (context, device address)
  Table<4> codes;     ///< (context, device address) of the programs
  Table<16> jobs;     ///< (context, number)
  Table<16> fences;   ///< descriptors of sync_files
  Table<8> syncobjs;  ///< handles
  Table<8> dmaBufs;   ///< descriptors
  Table<8> timelines; ///< descriptors of sw_sync, in kernels that have it
  Table<16> areas;    ///< (pages, address) of the process's memory
  uint64_t fingerprint = 0;
  uint32_t encoding = 0;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_WORLD_H
