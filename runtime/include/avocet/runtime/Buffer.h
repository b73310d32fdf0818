//===- Buffer.h - Memory that host and device share -------------*- C++ -*-===//
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
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BUFFER_H
#define AVOCET_RUNTIME_BUFFER_H

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
  std::span<uint8_t> bytes() { return mapping_.bytes(); }
  std::span<const uint8_t> bytes() const { return mapping_.bytes(); }

  /// A new descriptor, to import elsewhere.
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
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BUFFER_H
