//===- RoleMemory.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/RoleMemory.h"

#include "avocet/hal/types/Utils.h"
#include "memory/CopyBytes.h"

#include <fmt/format.h>

namespace avocet::nnapi {
namespace {

/// The HAL's GeneralFailure means here that the source was never written.
ApiOutcome outcomeOf(const hal::Outcome &outcome) {
  if (outcome.isOk())
    return success();
  if (outcome.code() == hal::ErrorStatus::GeneralFailure)
    return badData(outcome.error().message);
  return fromHal(outcome.error());
}

} // namespace

ApiOutcome RoleMemory::checkUse(const MemoryUse &use, uint64_t offset, uint64_t length) const {
  if (!uses_.contains(use))
    return badData(fmt::format("the memory was not made for {} {} of this compilation",
                               use.isOutput ? "output" : "input", use.index));
  if (offset != 0 || length != 0)
    return badData(fmt::format(
        "{} bytes at offset {} of a memory made from a descriptor; give 0 and 0, the whole of it", length, offset));
  return success();
}

ApiOutcome RoleMemory::checkConstant(uint64_t /*offset*/, uint64_t /*length*/) const {
  return badData("a memory made from a descriptor cannot hold constants");
}

DriverMemory::DriverMemory(std::set<MemoryUse> uses, std::shared_ptr<hal::IBuffer> buffer, hal::Operand operand)
    : RoleMemory(std::move(uses)), buffer_(std::move(buffer)), operand_(std::move(operand)),
      dimensions_(operand_.dimensions) {}

uint64_t DriverMemory::size() const { return hal::getNonExtensionSize(operand_.type, dimensions()).value_or(0); }

const hal::SharedMemory &DriverMemory::shared() const {
  static const hal::SharedMemory kNone;
  return kNone;
}

std::vector<uint32_t> DriverMemory::dimensions() const {
  std::lock_guard lock(mutex_);
  return dimensions_;
}

void DriverMemory::noteWritten(bool isSuccessful, const std::vector<uint32_t> &dimensions) {
  std::lock_guard lock(mutex_);
  dimensions_ = isSuccessful && !dimensions.empty() ? dimensions : operand_.dimensions;
}

ApiOutcome DriverMemory::copyFrom(const Memory &source) {
  const std::vector<uint32_t> extents = source.dimensions().empty() ? dimensions() : source.dimensions();
  hal::SharedMemory bytes = source.shared();
  if (bytes == nullptr) {
    if (source.size() == 0)
      return badData("the source has no value, so its size is not known");
    AVOCET_ASSIGN_OR_RETURN(SharedArea area, SharedArea::make(source.size()));
    AVOCET_RETURN_IF_ERROR(source.copyTo(area.memory()));
    bytes = area.memory();
  }
  auto outcome = buffer_->copyFrom(bytes, extents);
  if (outcome.isOk())
    noteWritten(true, extents);
  return outcomeOf(outcome);
}

ApiOutcome DriverMemory::copyTo(const hal::SharedMemory &destination) const {
  return outcomeOf(buffer_->copyTo(destination));
}

AreaMemory::AreaMemory(std::set<MemoryUse> uses, SharedArea area, std::vector<uint32_t> dimensions)
    : RoleMemory(std::move(uses)), area_(std::move(area)), size_(hal::sizeOf(*area_.memory())),
      dimensions_(std::move(dimensions)) {}

ApiOutcome AreaMemory::copyFrom(const Memory &source) { return source.copyTo(area_.memory()); }

ApiOutcome AreaMemory::copyTo(const hal::SharedMemory &destination) const {
  return copyBytes(area_.memory(), destination);
}

} // namespace avocet::nnapi
