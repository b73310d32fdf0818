//===- DeviceMemory.cpp - Memory that tensors of the runtime lie in *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/DeviceMemory.h"

#include "avocet/base/Log.h"
#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Tracing.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace avocet::ort {
namespace {

constexpr uint64_t kGranule = 4096;                      ///< of sizes: a page
constexpr uint64_t kMostFreeBytes = uint64_t{256} << 20; ///< kept
constexpr uint64_t kMostWaste = 4;                       ///< free memory serves tensors from this part of its size on

} // namespace

void *DeviceMemory::take(uint64_t bytes) noexcept {
  try {
    const uint64_t size = roundUp(std::max<uint64_t>(bytes, 1), kGranule);
    std::lock_guard lock(mutex_);
    AreaPtr area;
    if (const auto found = free_.lower_bound(size); found != free_.end() && found->first <= size * kMostWaste) {
      area = std::move(found->second);
      freeBytes_ -= found->first;
      free_.erase(found);
    } else {
      Result<AreaPtr> made = areas_.create(size);
      if (!made) {
        logMessage(LogLevel::Error, "avocet", "no memory for a tensor: {}", made.status().message());
        return nullptr;
      }
      area = std::move(*made);
    }
    ++figures_.allocations;
    figures_.bytesInUse += area->size();
    figures_.mostBytesInUse = std::max(figures_.mostBytesInUse, figures_.bytesInUse);
    void *data = area->data();
    used_[data] = std::move(area);
    return data;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void DeviceMemory::give(void *memory) noexcept {
  std::lock_guard lock(mutex_);
  const auto used = used_.find(memory);
  if (used == used_.end())
    return;
  const AreaPtr area = std::move(used->second);
  used_.erase(used);
  figures_.bytesInUse -= area->size();
  if (freeBytes_ + area->size() > kMostFreeBytes)
    return;
  try {
    free_.emplace(area->size(), area);
    freeBytes_ += area->size();
  } catch (const std::bad_alloc &) { // then it is not kept
    return;
  }
}

void DeviceMemory::copy(void *to, const void *from, uint64_t bytes) {
  std::memcpy(to, from, bytes);
  bytesCopied_ += bytes;
}

DeviceMemory::Figures DeviceMemory::figures() const {
  std::lock_guard lock(mutex_);
  Figures figures = figures_;
  figures.bytesCopied = bytesCopied_;
  return figures;
}

DeviceAllocator::DeviceAllocator(const Runtime &runtime, std::shared_ptr<DeviceMemory> memory,
                                 const abi::MemoryInfo *memoryInfo)
    : runtime_(runtime), memory_(std::move(memory)), info_(memoryInfo) {
  alloc = [](abi::Allocator *allocator, size_t bytes) { return of(allocator)->memory_->take(bytes); };
  free = [](abi::Allocator *allocator, void *data) { of(allocator)->memory_->give(data); };
  info = [](const abi::Allocator *allocator) { return of(allocator)->info_; };
  reserve = alloc;
  getStats = [](const abi::Allocator *allocator, abi::KeyValuePairs **stats) {
    return of(allocator)->runtime_.guarded([&] { return of(allocator)->addStats(stats); });
  };
}

/// Names as those of the runtime's own allocators, and one more.
Status DeviceAllocator::addStats(abi::KeyValuePairs **stats) const {
  const DeviceMemory::Figures figures = memory_->figures();
  runtime_.get<abi::CreateKeyValuePairs>(stats);
  const auto add = [&](const char *name, uint64_t number) {
    runtime_.get<abi::AddKeyValuePair>(*stats, name, std::to_string(number).c_str());
  };
  add("NumAllocs", figures.allocations);
  add("InUse", figures.bytesInUse);
  add("MaxInUse", figures.mostBytesInUse);
  add("BytesCopied", figures.bytesCopied);
  return Status::ok();
}

DeviceTransfer::DeviceTransfer(const Runtime &runtime, std::shared_ptr<DeviceMemory> memory,
                               const abi::MemoryDevice *device)
    : runtime_(runtime), memory_(std::move(memory)), device_(device) {
  release = [](abi::DataTransfer *transfer) { delete of(transfer); };
  canCopy = [](const abi::DataTransfer *transfer, const abi::MemoryDevice *from, const abi::MemoryDevice *to) {
    return of(transfer)->isPossible(from, to);
  };
  copyTensors = [](abi::DataTransfer *transfer, const abi::Value **from, abi::Value **to, abi::SyncStream **,
                   size_t count) {
    hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::InputsAndOutputs, "copy");
    return of(transfer)->runtime_.guarded([&] {
      for (size_t i = 0; i < count; ++i)
        AVOCET_RETURN_IF_ERROR(of(transfer)->copy(from[i], to[i]));
      return Status::ok();
    });
  };
}

bool DeviceTransfer::isPossible(const abi::MemoryDevice *from, const abi::MemoryDevice *to) const {
  const auto isOurs = [this](const abi::MemoryDevice *each) {
    return runtime_.getEp<abi::MemoryDevicesAreEqual>(each, device_);
  };
  const auto isHost = [this](const abi::MemoryDevice *each) {
    return runtime_.getEp<abi::MemoryDeviceTypeOf>(each) == abi::MemoryDeviceType::Cpu;
  };
  return (isOurs(from) && (isOurs(to) || isHost(to))) || (isHost(from) && isOurs(to));
}

Status DeviceTransfer::copy(const abi::Value *from, abi::Value *to) const {
  size_t bytes = 0, room = 0;
  const void *source = nullptr;
  void *target = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorSizeInBytes>(from, &bytes));
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorSizeInBytes>(static_cast<const abi::Value *>(to), &room));
  if (bytes != room)
    return invalidArgument(fmt::format("a tensor of {} bytes cannot be copied to one of {} bytes", bytes, room));
  if (bytes == 0)
    return Status::ok();
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorData>(from, &source));
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorMutableData>(to, &target));
  memory_->copy(target, source, bytes);
  return Status::ok();
}

} // namespace avocet::ort
