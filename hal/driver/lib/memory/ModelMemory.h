//===- ModelMemory.h - Clients' memory in one model's address space --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device works on the client's own pages: the file of a pool is imported and mapped into the model's context, from
// the page that the pool begins in to its end. What is mapped stays for the next run, which recognises the file by
// device and inode; the descriptor that the mapping holds keeps both from being used again. The mappings that were not
// used for longest go when there are too many, when they were idle, or when the client's quota needs them.
//
// The client may write, truncate or unmap its memory at any time. Writes change numbers and nothing else, since nobody
// but the device reads them (what shapes a program is copied first, see Programs.h). What is cut off reads as zero, and
// the run says GeneralFailure. A client that cuts its file and extends it again in the middle of a run is not told: its
// device sees zeros in place of the lost pages until the mapping goes.
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

/// Pages of a client's file in the model's context. Immutable but for `lastUse`, which its owner guards.
struct MappedPool {
  FilePages pages;
  std::shared_ptr<runtime::BufferMapping> mapping;
  Charge charge; ///< of the client's memory
  TimePoint lastUse;

  /// Where byte `offset` of a pool lies in the mapping, if [offset, offset + bytes) does.
  std::optional<uint64_t> find(const PoolFile &pool, uint64_t offset, uint64_t bytes) const;
};

/// Thread-safe.
class ModelMemory {
public:
  static constexpr size_t kMaxPools = 64;
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 30; ///< of all pools together, but for the last one

  ModelMemory(ClientState &client, std::shared_ptr<runtime::Context> context, Programs &programs)
      : client_(client), context_(std::move(context)), programs_(programs) {}

  /// The pool as far as its file goes. Null: the device cannot work on this memory, and its bytes have to be copied (it
  /// is no file in memory or on a disk of this machine, or the system refuses the mapping, as for sealed or read-only
  /// files). The errors of the client's quotas.
  Result<std::shared_ptr<const MappedPool>> map(const PoolFile &pool, bool isWritten);

  /// Memory of the driver's own, for reading and writing.
  Result<std::shared_ptr<runtime::BufferMapping>> map(const std::shared_ptr<runtime::Buffer> &buffer);

  /// Behind a run. GeneralFailure, and the mapping is forgotten: the file is, or was in between, shorter than it was.
  Outcome checkIntact(const std::shared_ptr<const MappedPool> &mapped, const PoolFile &pool);

  /// Forgets all that is mapped of a pool's file.
  void forget(const SharedMemory &memory);
  void unmap(const runtime::Buffer *buffer);

  /// Forgets pools that were last used before a time; how many are left.
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
