//===- Handles.h - Handles that outlive their objects -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is a number in the form of a pointer: kind, place in a table, and how often the place was used before. So a
// handle that was destroyed, or never was one, is refused and not followed.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_HANDLES_H
#define AVOCET_RUNTIME_CAPI_LIB_HANDLES_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace avocet::capi {

enum class HandleKind : uintptr_t { Error = 1, Options, Network, Model, Device, Run, Tensor, Report, Call };

/// The objects of one kind. Any thread.
template <typename Handle, typename Object, HandleKind kind> class HandleTable {
public:
  Handle *add(std::shared_ptr<Object> object) {
    std::lock_guard lock(mutex_);
    if (free_.empty()) {
      slots_.emplace_back();
      free_.reserve(slots_.capacity()); // so that take() cannot fail
      free_.push_back(static_cast<uint32_t>(slots_.size() - 1));
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].object = std::move(object);
    return handleOf(index);
  }

  /// Null: no handle of this table.
  std::shared_ptr<Object> find(const Handle *handle) {
    std::lock_guard lock(mutex_);
    Slot *slot = slotOf(handle);
    return slot ? slot->object : nullptr;
  }

  /// The object, which the table no longer has. Null: no handle of this table.
  std::shared_ptr<Object> take(const Handle *handle) {
    std::lock_guard lock(mutex_);
    Slot *slot = slotOf(handle);
    if (!slot)
      return nullptr;
    ++slot->uses;
    free_.push_back(static_cast<uint32_t>(slot - slots_.data()));
    return std::exchange(slot->object, nullptr);
  }

private:
  struct Slot {
    uintptr_t uses = 0; ///< destroyed objects that had this place
    std::shared_ptr<Object> object;
  };
  static constexpr unsigned kKindBits = 4, kIndexBits = sizeof(uintptr_t) * 3;
  static constexpr uintptr_t kIndexMask = (uintptr_t{1} << kIndexBits) - 1;

  uintptr_t valueOf(uint32_t index) const {
    return (slots_[index].uses << (kKindBits + kIndexBits)) | (uintptr_t{index} << kKindBits) | uintptr_t(kind);
  }
  Handle *handleOf(uint32_t index) const {
    return reinterpret_cast<Handle *>(valueOf(index)); // NOLINT(performance-no-int-to-ptr): it is never followed
  }
  Slot *slotOf(const Handle *handle) {
    const auto value = reinterpret_cast<uintptr_t>(handle);
    const uintptr_t index = (value >> kKindBits) & kIndexMask;
    const bool isOurs = index < slots_.size() && slots_[index].object != nullptr && value == valueOf(uint32_t(index));
    return isOurs ? &slots_[index] : nullptr;
  }

  std::mutex mutex_; ///< a leaf of the lock order
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_HANDLES_H
