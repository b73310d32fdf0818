//===- Context.h - A private address space on the device --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context is one client's address space: its jobs can access only the buffers mapped into it. A mapping is an object,
// so that binding a buffer to a job needs no mapping: map once, bind and submit often.
//
// Threads: every method may be called from any thread. Lifetime: shared; mappings, executables and jobs keep their
// context alive. Destroying a context waits for the job that runs in it.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CONTEXT_H
#define AVOCET_RUNTIME_CONTEXT_H

#include "avocet/runtime/Buffer.h"

#include <memory>

namespace avocet::runtime {

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
