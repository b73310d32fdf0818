//===- RoleMemory.cpp - Memories made for certain uses --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/RoleMemory.h"

#include "avocet/hal/types/Utils.h"
#include "memory/Memory.h"
#include "model/OperandChecks.h"

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

RoleMemory::RoleMemory(std::set<MemoryUse> uses, hal::Operand operand)
    : uses_(std::move(uses)), operand_(std::move(operand)), dimensions_(operand_.dimensions) {}

uint64_t RoleMemory::size() const { return valueSize(operand_.type, dimensions()).value_or(0); }

ApiOutcome RoleMemory::checkUse(const MemoryUse &use, const std::vector<uint32_t> &dimensions, uint64_t offset,
                                uint64_t length) const {
  if (!uses_.contains(use))
    return badData(fmt::format("the memory was not made for {} {} of this compilation",
                               use.isOutput ? "output" : "input", use.index));
  if (offset != 0 || length != 0)
    return badData(fmt::format(
        "{} bytes at offset {} of a memory made from a descriptor; give 0 and 0, the whole of it", length, offset));
  if (!hal::combineDimensions(operand_.dimensions, dimensions).has_value())
    return badData(fmt::format("a value of extents {} in a memory made for {}", hal::toString(dimensions),
                               hal::toString(operand_.dimensions)));
  return success();
}

ApiOutcome RoleMemory::checkConstant(uint64_t /*offset*/, uint64_t /*length*/) const {
  return badData("a memory made from a descriptor cannot hold constants");
}

ApiOutcome RoleMemory::checkWritten() const {
  std::lock_guard lock(mutex_);
  return isWritten_ ? success() : ApiOutcome(opFailed("a memory made from a descriptor has no value yet"));
}

std::vector<uint32_t> RoleMemory::dimensions() const {
  std::lock_guard lock(mutex_);
  return dimensions_;
}

void RoleMemory::noteWritten(bool isSuccessful, const std::vector<uint32_t> &dimensions) {
  std::lock_guard lock(mutex_);
  isWritten_ = isSuccessful;
  dimensions_ = isSuccessful && !dimensions.empty() ? dimensions : operand_.dimensions;
}

ApiOutcome RoleMemory::copyValue(const Memory &source) {
  const std::vector<uint32_t> given = source.dimensions();
  auto extents = hal::combineDimensions(operand_.dimensions, given);
  if (!extents.has_value())
    return badData(fmt::format("a memory of extents {} cannot be copied to one of {}", hal::toString(given),
                               hal::toString(operand_.dimensions)));
  hal::SharedMemory bytes = source.shared();
  if (bytes == nullptr) {
    if (source.size() == 0)
      return badData("the size of the source is not known");
    AVOCET_ASSIGN_OR_RETURN(SharedArea area, SharedArea::make(source.size()));
    AVOCET_RETURN_IF_ERROR(source.copyTo(area.memory()));
    bytes = area.memory();
  }
  AVOCET_RETURN_IF_ERROR(write(bytes, *extents));
  noteWritten(true, *extents);
  return success();
}

ApiOutcome RoleMemory::copyFrom(const Memory &source) {
  if (!source.checkWritten().isOk())
    return badData("the source was never written");
  ApiOutcome copied = copyValue(source);
  // As in Android, a failed copy leaves no value.
  if (!copied.isOk())
    noteWritten(false, {});
  return copied;
}

ApiOutcome RoleMemory::copyTo(const hal::SharedMemory &destination) const {
  if (!checkWritten().isOk())
    return badData("the source was never written");
  return read(destination);
}

const hal::SharedMemory &DriverMemory::shared() const {
  static const hal::SharedMemory kNone;
  return kNone;
}

ApiOutcome DriverMemory::write(const hal::SharedMemory &bytes, const std::vector<uint32_t> &dimensions) {
  return outcomeOf(buffer_->copyFrom(bytes, dimensions));
}

ApiOutcome DriverMemory::read(const hal::SharedMemory &destination) const {
  return outcomeOf(buffer_->copyTo(destination));
}

ApiOutcome AreaMemory::write(const hal::SharedMemory &bytes, const std::vector<uint32_t> & /*dimensions*/) {
  return copyBytes(bytes, area_.memory());
}

ApiOutcome AreaMemory::read(const hal::SharedMemory &destination) const {
  return copyBytes(area_.memory(), destination);
}

} // namespace avocet::nnapi
