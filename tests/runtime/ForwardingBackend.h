//===- ForwardingBackend.h - A back end that forwards all calls --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base of back ends that change one method of another back end.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_FORWARDINGBACKEND_H
#define AVOCET_TESTS_RUNTIME_FORWARDINGBACKEND_H

#include "avocet/runtime/Backend.h"

namespace avocet::runtime::test {

class ForwardingBackend : public Backend {
public:
  explicit ForwardingBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  const DeviceProperties &properties() const override { return inner_->properties(); }
  Result<ContextHandle> createContext(uint32_t owner) override { return inner_->createContext(owner); }
  Status destroyContext(ContextHandle context) override { return inner_->destroyContext(context); }
  Result<BufferHandle> createBuffer(uint64_t bytes) override { return inner_->createBuffer(bytes); }
  Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                    bool writable) override {
    return inner_->importBuffer(file, offset, bytes, writable);
  }
  Result<FileDescriptor> exportBuffer(BufferHandle buffer) override { return inner_->exportBuffer(buffer); }
  Status destroyBuffer(BufferHandle buffer) override { return inner_->destroyBuffer(buffer); }
  Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override {
    return inner_->map(context, buffer, access);
  }
  Status unmap(ContextHandle context, uint64_t address) override { return inner_->unmap(context, address); }
  Result<JobHandle> submit(const Submission &submission) override { return inner_->submit(submission); }
  Status cancel(ContextHandle context, JobHandle job) override { return inner_->cancel(context, job); }
  void drive(ContextHandle context, JobHandle job) override { inner_->drive(context, job); }
  Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override {
    return inner_->wait(context, job, timeout);
  }
  Status reset() override { return inner_->reset(); }

private:
  std::unique_ptr<Backend> inner_;
};

} // namespace avocet::runtime::test

#endif // AVOCET_TESTS_RUNTIME_FORWARDINGBACKEND_H
