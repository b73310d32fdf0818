//===- Device.cpp - An open device ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Device.h"

#include "avocet/base/Log.h"

namespace avocet::runtime {
namespace {

uint64_t nextId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

} // namespace

Device::Device(std::unique_ptr<Backend> backend)
    : id_(nextId()), power_(backend->properties().target, backend->properties().hasClockLevels),
      backend_(std::move(backend)) {}

Result<std::shared_ptr<Device>> Device::open(std::string_view backend, const BackendOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Backend> opened, openBackend(backend, options));
  logMessage(LogLevel::Debug, "runtime", "opened back end {} for target {}", backend, options.target->name());
  return adopt(std::move(opened));
}

Result<std::shared_ptr<Device>> Device::adopt(std::unique_ptr<Backend> backend) {
  if (backend == nullptr)
    return invalidArgument("device: no back end was given");
  return std::shared_ptr<Device>(new Device(std::move(backend)));
}

Status Device::status() const {
  if (lost_.load(std::memory_order_acquire))
    return {StatusCode::DeviceLost, "the device is lost; reset or reopen it"};
  return Status::ok();
}

Status Device::reset() {
  AVOCET_RETURN_IF_ERROR(backend_->reset());
  lost_.store(false, std::memory_order_release);
  return Status::ok();
}

uint64_t Device::backlogCycles(uint32_t priority) const {
  uint64_t cycles = 0;
  for (size_t i = priority; i < backlog_.size(); ++i)
    cycles += backlog_[i].load(std::memory_order_relaxed);
  return cycles;
}

Status Device::observe(Status status) {
  if (status.code() == StatusCode::DeviceLost && !lost_.exchange(true, std::memory_order_acq_rel))
    logMessage(LogLevel::Error, "runtime", "device lost: {}", status.message());
  return status;
}

} // namespace avocet::runtime
