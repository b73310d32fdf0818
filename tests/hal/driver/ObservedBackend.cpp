//===- ObservedBackend.cpp - A recording back end ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObservedBackend.h"

#include "avocet/runtime/SimBackend.h"

#include <atomic>

namespace avocet::hal::testing {
namespace {

using namespace runtime;

class ObservedBackend final : public Backend {
public:
  ObservedBackend(Observer &observer, std::unique_ptr<Backend> device)
      : observer_(observer), device_(std::move(device)) {
    observer_.device = device_.get();
    observer_.opened();
  }
  ~ObservedBackend() override {
    device_.reset();
    observer_.closed();
  }

  const DeviceProperties &properties() const override { return device_->properties(); }
  avocet::Result<ContextHandle> createContext(uint32_t owner) override { return device_->createContext(owner); }
  avocet::Status destroyContext(ContextHandle context) override { return device_->destroyContext(context); }
  avocet::Result<BufferHandle> createBuffer(uint64_t bytes) override {
    observer_.createdBytes += bytes;
    return device_->createBuffer(bytes);
  }
  avocet::Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                            bool writable) override {
    return device_->importBuffer(file, offset, bytes, writable);
  }
  avocet::Result<FileDescriptor> exportBuffer(BufferHandle buffer) override { return device_->exportBuffer(buffer); }
  avocet::Status destroyBuffer(BufferHandle buffer) override { return device_->destroyBuffer(buffer); }
  avocet::Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override {
    return device_->map(context, buffer, access);
  }
  avocet::Status unmap(ContextHandle context, uint64_t address) override { return device_->unmap(context, address); }
  avocet::Result<JobHandle> submit(const Submission &submission) override {
    Submission seen = submission;
    observer_.see(seen);
    auto job = device_->submit(seen);
    observer_.submitted();
    return job;
  }
  avocet::Status cancel(ContextHandle context, JobHandle job) override {
    avocet::Status status = device_->cancel(context, job);
    observer_.cancelled();
    return status;
  }
  void drive(ContextHandle context, JobHandle job) override { device_->drive(context, job); }
  avocet::Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override {
    return device_->wait(context, job, timeout);
  }
  avocet::Status reset() override { return device_->reset(); }

private:
  Observer &observer_;
  std::unique_ptr<Backend> device_;
};

} // namespace

Observer::~Observer() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return numOpen_ == 0; });
}

void Observer::opened() {
  std::lock_guard lock(mutex_);
  ++numOpen_;
}

void Observer::closed() {
  std::lock_guard lock(mutex_);
  --numOpen_;
  changed_.notify_all();
}

void Observer::see(runtime::Submission &submission) {
  if (edit)
    edit(submission);
  std::lock_guard lock(mutex_);
  seen_.push_back({submission.priority, submission.dependencies.size(), submission.deadline});
  submission.userData = seen_.size();
}

void Observer::submitted() {
  std::lock_guard lock(mutex_);
  ++numSubmitted_;
  changed_.notify_all();
}

void Observer::cancelled() {
  std::lock_guard lock(mutex_);
  ++numCancelled_;
  changed_.notify_all();
}

void Observer::awaitCancellations(size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return numCancelled_ >= count; });
}

std::vector<Observer::Seen> Observer::submissions() const {
  std::lock_guard lock(mutex_);
  return seen_;
}

void Observer::awaitSubmissions(size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return numSubmitted_ >= count; });
}

std::string observedBackend(Observer &observer) {
  static std::atomic<int> count = 0;
  registerSimBackend();
  std::string name = "observed" + std::to_string(++count);
  registerBackend(name, [&observer](const BackendOptions &options, std::string_view) {
    auto device = openBackend("sim", options);
    using Opened = avocet::Result<std::unique_ptr<Backend>>;
    return device.isOk() ? Opened(std::make_unique<ObservedBackend>(observer, std::move(device).value()))
                         : Opened(device.status());
  });
  return name;
}

} // namespace avocet::hal::testing
