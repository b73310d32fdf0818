//===- Arena.h - Memory between steps ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory for the values between steps. Areas of one execution come from few memory files, and each returns to
// the arena when the last value in it is dropped.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_RUN_ARENA_H
#define AVOCET_HAL_PARTITION_LIB_RUN_ARENA_H

#include "avocet/base/File.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace avocet::hal::partition {

/// A memory file, mapped, with its free ranges.
class Chunk {
public:
  static Result<std::unique_ptr<Chunk>> make(const std::string &name, uint64_t bytes);

  const SharedMemory &memory() const { return memory_; }
  std::span<uint8_t> bytes() { return mapping_.bytes(); }
  /// The first free range of this size; false: there is none.
  bool take(uint64_t bytes, uint64_t &offset);
  void release(uint64_t offset, uint64_t bytes);

private:
  SharedMemory memory_;
  Mapping mapping_;
  std::map<uint64_t, uint64_t> free_; ///< offset, size; no two touch each other
};

/// Bytes of a chunk. Returned when it is destroyed, which is before its arena is.
class Area {
public:
  Area(Chunk &chunk, int64_t identifier, uint64_t offset, uint64_t bytes)
      : chunk_(chunk), identifier_(identifier), offset_(offset), size_(bytes) {}
  ~Area() { chunk_.release(offset_, size_); }
  Area(const Area &) = delete;
  Area &operator=(const Area &) = delete;

  const SharedMemory &memory() const { return chunk_.memory(); }
  uint64_t offset() const { return offset_; }
  uint64_t size() const { return size_; }
  std::span<uint8_t> bytes() { return chunk_.bytes().subspan(offset_, size_); }
  /// Of the memory within its arena; not negative.
  int64_t identifier() const { return identifier_; }

private:
  Chunk &chunk_;
  const int64_t identifier_;
  const uint64_t offset_;
  const uint64_t size_;
};

/// One execution at a time; no locks.
class Arena {
public:
  /// `bytes`: expected in all.
  explicit Arena(uint64_t bytes) : expected_(bytes) {}
  /// At least `bytes`, aligned as devices prefer. ResourceExhaustedTransient: there is no memory.
  Result<std::shared_ptr<Area>> allocate(uint64_t bytes);

private:
  uint64_t expected_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

/// Keeps arenas for the next execution. Thread-safe.
class ArenaPool {
public:
  explicit ArenaPool(uint64_t bytes) : bytes_(bytes) {}
  std::unique_ptr<Arena> take();
  void giveBack(std::unique_ptr<Arena> arena);

private:
  static constexpr size_t kMaxKept = 4;
  const uint64_t bytes_;
  std::mutex mutex_; ///< guards kept_
  std::vector<std::unique_ptr<Arena>> kept_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_ARENA_H
