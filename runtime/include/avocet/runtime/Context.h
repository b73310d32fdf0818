//===- Context.h - A private address space on the device --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is memory with a descriptor: created here (a memory file), or imported from any mappable descriptor of this
// or another process, never copied. The host sees it through bytes(), the device through a BufferMapping of a context.
//
// Threads: the object is immutable after creation and may be shared. Its contents are not guarded: host and device must
// not write bytes that the other uses at the same time; a fence orders the two. Lifetime: the memory lives until the
// last of buffer, mappings and exported descriptors is gone.
//
// A context is one client's address space: its jobs can access only the buffers mapped into it. A mapping is an object,
// so that binding a buffer to a job needs no mapping: map once, bind and submit often.
//
// Threads: every method may be called from any thread. Lifetime: shared; mappings, executables and jobs keep their
// context alive. Destroying a context waits for the job that runs in it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CONTEXT_H
#define AVOCET_RUNTIME_CONTEXT_H

#include "avocet/runtime/Device.h"

#include <memory>
#include <span>

namespace avocet::runtime {

class Buffer {
public:
  /// `bytes` > 0, zero-filled. ResourceExhausted when there is no memory.
  static Result<std::shared_ptr<Buffer>> create(std::shared_ptr<Device> device, uint64_t bytes);

  /// Wraps bytes [offset, offset + bytes) of `file`, which remains the caller's and is not changed; `offset` is a
  /// multiple of kPageBytes. DataLoss if the file is shorter. If it shrinks later, the lost bytes read as zero.
  static Result<std::shared_ptr<Buffer>> import(std::shared_ptr<Device> device, const FileDescriptor &file,
                                                uint64_t offset, uint64_t bytes, bool writable);

  /// Wraps memory of the caller: see Backend::importMemory(). It must live until the buffer is destroyed.
  static Result<std::shared_ptr<Buffer>> importMemory(std::shared_ptr<Device> device, std::span<uint8_t> memory,
                                                      bool writable);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  uint64_t size() const { return size_; }
  bool isWritable() const { return writable_; }

  /// Offset of the buffer in the file of exportDescriptor(): the offset given to import(), otherwise 0.
  uint64_t offset() const { return offset_; }

  /// Whether an access found that the file had shrunk; see Mapping::isDamaged().
  bool isDamaged() const { return mapping_.isDamaged(); }

  /// The contents in this process. Writing to a buffer that is not writable raises SIGSEGV: use the const view.
  std::span<uint8_t> bytes() { return foreign_.empty() ? mapping_.bytes() : foreign_; }
  std::span<const uint8_t> bytes() const { return foreign_.empty() ? mapping_.bytes() : foreign_; }

  /// A new descriptor, to import elsewhere. FailedPrecondition for memory of the caller.
  Result<FileDescriptor> exportDescriptor() const;

  BufferHandle handle() const { return handle_; }
  Device &device() const { return *device_; }

private:
  Buffer(std::shared_ptr<Device> device, BufferHandle handle, uint64_t offset, uint64_t size, bool writable)
      : device_(std::move(device)), handle_(handle), offset_(offset), size_(size), writable_(writable) {}
  static Result<std::shared_ptr<Buffer>> wrap(std::shared_ptr<Device> device, BufferHandle handle, uint64_t offset,
                                              uint64_t bytes, bool writable);

  std::shared_ptr<Device> device_;
  BufferHandle handle_;
  uint64_t offset_;
  uint64_t size_;
  bool writable_;
  Mapping mapping_;
  std::span<uint8_t> foreign_; ///< memory of the caller, which is not mapped a second time
};

class Context;

/// A buffer at an address of a context; unmapped by the destructor. Jobs keep their bound mappings alive.
class BufferMapping {
public:
  ~BufferMapping();
  BufferMapping(const BufferMapping &) = delete;
  BufferMapping &operator=(const BufferMapping &) = delete;

  uint64_t address() const { return address_; }
  uint64_t size() const { return buffer_->size(); }
  Access access() const { return access_; }
  const std::shared_ptr<Buffer> &buffer() const { return buffer_; }
  const std::shared_ptr<Context> &context() const { return context_; }

private:
  friend class Context;
  BufferMapping(std::shared_ptr<Context> context, std::shared_ptr<Buffer> buffer, uint64_t address, Access access)
      : context_(std::move(context)), buffer_(std::move(buffer)), address_(address), access_(access) {}

  std::shared_ptr<Context> context_;
  std::shared_ptr<Buffer> buffer_;
  uint64_t address_;
  Access access_;
};

class Context : public std::enable_shared_from_this<Context> {
public:
  /// `owner` is the client of the context: jobs of equal rank share the device by owner. InvalidArgument for a
  /// null device; else the errors of Backend::createContext().
  static Result<std::shared_ptr<Context>> create(std::shared_ptr<Device> device, uint32_t owner = 0);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// The buffer must be of the same device. InvalidArgument for write access to a buffer that is not writable.
  Result<std::shared_ptr<BufferMapping>> map(std::shared_ptr<Buffer> buffer, Access access);

  ContextHandle handle() const { return handle_; }
  Device &device() const { return *device_; }
  const std::shared_ptr<Device> &sharedDevice() const { return device_; }

private:
  Context(std::shared_ptr<Device> device, ContextHandle handle) : device_(std::move(device)), handle_(handle) {}

  std::shared_ptr<Device> device_;
  ContextHandle handle_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_CONTEXT_H
