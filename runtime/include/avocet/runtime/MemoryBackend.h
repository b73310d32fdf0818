//===- MemoryBackend.h - Buffers and address spaces in host memory --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common base of back ends with memory in this process: memory files as buffers, contexts as ranges of addresses,
// and the checks of the contract in Backend.h. The hooks forward changes to the device. They are called with the
// table's lock held and must not call back.
//
// Lock order: tables_ before anything that a hook locks.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_MEMORYBACKEND_H
#define AVOCET_RUNTIME_MEMORYBACKEND_H

#include "avocet/runtime/Backend.h"
#include "avocet/runtime/JobLog.h"

#include <map>
#include <mutex>

namespace avocet::runtime {

class MemoryBackend : public Backend {
public:
  Result<ContextHandle> createContext(uint32_t owner) override;
  Status destroyContext(ContextHandle context) override;
  Result<BufferHandle> createBuffer(uint64_t bytes) override;
  Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                    bool writable) override;
  Result<BufferHandle> importMemory(std::span<uint8_t> memory, bool writable) override;
  Result<FileDescriptor> exportBuffer(BufferHandle buffer) override;
  Status destroyBuffer(BufferHandle buffer) override;
  Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override;
  Status unmap(ContextHandle context, uint64_t address) override;
  Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override;

protected:
  /// Device addresses start here, so that null and small numbers are never valid addresses.
  static constexpr uint64_t kFirstAddress = 0x10000;
  static constexpr uint64_t kLastAddress = uint64_t(1) << 40;
  static constexpr uint64_t kMaxBufferBytes = uint64_t(1) << 38;

  explicit MemoryBackend(uint32_t queueDepth) : queueDepth_(queueDepth) {}

  virtual Status contextCreated(ContextHandle context, uint32_t owner, std::shared_ptr<JobLog> jobs) = 0;
  /// Waits for the context's running job and cancels its queued ones. Called without the lock; no new job can be
  /// submitted.
  virtual Status drainContext(ContextHandle context) = 0;
  virtual void contextDestroyed(ContextHandle context) = 0;
  /// `memory` is the buffer; its last page is backed in full.
  virtual Status mapped(ContextHandle context, uint64_t address, std::span<uint8_t> memory, Access access) = 0;
  virtual void unmapped(ContextHandle context, uint64_t address) = 0;

  /// The job log of a context; holders keep it after the context is destroyed.
  Result<std::shared_ptr<JobLog>> logOf(ContextHandle context);

private:
  struct BufferEntry {
    FileDescriptor file; ///< invalid: memory of the caller
    Mapping memory;
    std::span<uint8_t> foreign; ///< memory of the caller
    uint64_t bytes = 0;
    bool writable = true;
    uint32_t mappings = 0;

    std::span<uint8_t> contents() { return foreign.empty() ? memory.bytes() : foreign; }
  };
  struct MappingEntry {
    BufferHandle buffer;
    uint64_t bytes; ///< whole pages
  };
  struct ContextEntry {
    bool closing = false;
    std::shared_ptr<JobLog> jobs;
    std::map<uint64_t, MappingEntry> mappings; ///< by address
  };

  Result<BufferHandle> addBuffer(FileDescriptor file, uint64_t offset, uint64_t bytes, bool writable);
  Result<ContextEntry *> findContext(ContextHandle context);
  Result<BufferEntry *> findBuffer(BufferHandle buffer);
  static Result<uint64_t> findAddress(const ContextEntry &context, uint64_t bytes);
  void removeMapping(ContextHandle handle, ContextEntry &context, std::map<uint64_t, MappingEntry>::iterator mapping);

  const uint32_t queueDepth_;
  std::mutex tables_;
  std::map<ContextHandle, ContextEntry> contexts_;
  std::map<BufferHandle, BufferEntry> buffers_;
  ContextHandle nextContext_ = 1;
  BufferHandle nextBuffer_ = 1;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_MEMORYBACKEND_H
