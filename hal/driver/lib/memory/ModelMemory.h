//===- ModelMemory.h - Clients' memory in one model's address space --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device works on the client's own pages: the file of a pool is imported and mapped into the model's context, from
// the page that contains the pool's first byte to its end. Mappings are kept for the next run, which recognizes the
// file by device and inode; the mapping's descriptor prevents their reuse for another file. The least recently used
// mappings are evicted when there are too many, when they were idle, or when the client's quota needs them.
//
// The client may write, truncate or unmap its memory at any time. Writes change only results, since only the device
// reads the data (values that shape a program are copied first, see Programs.h). A truncated part reads as zero, and
// the run returns GeneralFailure. Truncating and extending a file during a run is not detected: the device reads zeros
// instead of the lost pages until the mapping is evicted.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_MODELMEMORY_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_MODELMEMORY_H

#include "avocet/runtime/Context.h"
#include "client/Client.h"
#include "memory/PoolFile.h"
#include "model/Programs.h"

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace avocet::hal {

/// Bytes [first, end) of a file, and whether the device may write them.
struct FilePages {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t first = 0; ///< a multiple of the page size
  uint64_t end = 0;
  bool isWritable = false;
  bool include(const FilePages &other) const {
    return device == other.device && inode == other.inode && first <= other.first && end >= other.end &&
           (isWritable || !other.isWritable);
  }
};

/// Pages of a client's file in the model's context. Immutable except `lastUse`, which its owner guards.
struct MappedPool {
  FilePages pages;
  std::shared_ptr<runtime::BufferMapping> mapping;
  Charge charge; ///< of the client's memory
  TimePoint lastUse;
  bool mayShrink = true; ///< the file

  /// Offset in the mapping of byte `offset` of a pool; empty unless the mapping contains [offset, offset + bytes).
  std::optional<uint64_t> find(const PoolFile &pool, uint64_t offset, uint64_t bytes) const;
};

/// Thread-safe.
class ModelMemory {
public:
  static constexpr size_t kMaxPools = 64;
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 30; ///< of all pools together; a single pool may exceed it

  ModelMemory(ClientState &client, std::shared_ptr<runtime::Context> context, Programs &programs)
      : client_(client), context_(std::move(context)), programs_(programs) {}

  /// Maps the pool up to the end of its file. Null: the device cannot use this memory, and its bytes have to be copied
  /// (it is no file in memory or on a disk of this machine, or the system refuses the mapping, as for sealed or
  /// read-only files). Also the errors of the client's quotas.
  Result<std::shared_ptr<const MappedPool>> map(const PoolFile &pool, bool isWritten);

  /// Maps memory of the driver, for reading and writing.
  Result<std::shared_ptr<runtime::BufferMapping>> map(const std::shared_ptr<runtime::Buffer> &buffer);

  /// To be called after a run. GeneralFailure, and the mapping is dropped: the file is, or was during the run, shorter
  /// than the mapping.
  Outcome checkIntact(const std::shared_ptr<const MappedPool> &mapped, const PoolFile &pool);

  /// Drops all mappings of a pool's file.
  void forget(const SharedMemory &memory);
  void unmap(const runtime::Buffer *buffer);

  /// Drops pools last used before a time; returns the number of pools left.
  size_t trim(TimePoint before);

private:
  using Pools = std::list<std::shared_ptr<MappedPool>>;
  std::shared_ptr<const MappedPool> find(const FilePages &pages);
  Result<std::shared_ptr<MappedPool>> import(const PoolFile &pool, const FilePages &pages);
  void keep(const std::shared_ptr<MappedPool> &mapped);
  template <typename IsMeant> Pools takeOut(IsMeant &&isMeant);
  void release(const Pools &pools);

  ClientState &client_;
  const std::shared_ptr<runtime::Context> context_;
  Programs &programs_;
  std::mutex mutex_; ///< guards the members below; not held while anything is mapped or freed
  Pools pools_;      ///< most recently used first
  uint64_t bytes_ = 0;
  std::unordered_map<const runtime::Buffer *, std::shared_ptr<runtime::BufferMapping>> buffers_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_MODELMEMORY_H
