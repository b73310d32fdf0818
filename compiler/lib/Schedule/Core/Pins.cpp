//===- Pins.cpp - What a schedule must have ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pins.h"

#include "Plan.h"
#include "TensorUses.h"

#include <algorithm>
#include <iterator>

namespace avocet::compiler::schedule {

namespace {

template <typename T> bool isFreeOr(const std::optional<T> &pinned, const T &value) {
  return !pinned || *pinned == value;
}

/// Whether the cascade has all writers and readers of the tensor.
bool isInside(const TensorUses::Range &range, uint32_t first, uint32_t end) {
  return range.isWritten && range.writer >= first && range.reader < end;
}

} // namespace

bool CascadePin::admits(const Cascade &cascade) const {
  if (cascade.first != first || cascade.end != end || pieceBytes.value_or(0) != cascade.pieceBytes)
    return false;
  const uint32_t parts = channelParts.value_or(stripeRows ? 1 : cascade.channelParts);
  return cascade.pieceBytes ||
         (isFreeOr(stripeRows, cascade.stripeRows) && parts == cascade.channelParts && isFreeOr(ahead, cascade.ahead));
}

bool Pins::isEmpty() const {
  return cascades.empty() && cuts.empty() && memories.empty() && blocks.empty() && shifts.empty() && !order;
}

const CascadePin *Pins::cascadeAt(uint32_t first) const {
  const auto found = cascades.find(first);
  return found == cascades.end() ? nullptr : &found->second;
}

const CascadePin *Pins::cascadeWith(uint32_t operation) const {
  const auto after = cascades.upper_bound(operation);
  if (after == cascades.begin())
    return nullptr;
  const CascadePin &pin = std::prev(after)->second;
  return pin.end > operation ? &pin : nullptr;
}

bool mayBeCascade(const Pins &pins, const TensorUses &uses, uint32_t first, uint32_t end) {
  if (const CascadePin *pin = pins.cascadeAt(first); pin && pin->end == end)
    return true;
  const auto next = pins.cascades.lower_bound(first);
  if (pins.cascadeWith(first) || (next != pins.cascades.end() && next->first < end))
    return false;
  if (const auto cut = pins.cuts.upper_bound(first); cut != pins.cuts.end() && cut->first < end)
    return false;
  return std::ranges::none_of(pins.memories,
                              [&](const auto &entry) { return isInside(uses.of(entry.first), first, end); });
}

std::vector<uint32_t> spillsOf(const TensorUses &uses, const Plan &plan, const Cascade &cascade) {
  std::vector<uint32_t> spills;
  for (uint32_t i = cascade.first; i < cascade.end; ++i)
    for (uint32_t tensor : uses.writtenBy(i))
      if (plan.residencies[tensor] == Residency::Dram && uses.of(tensor).writer == i &&
          uses.of(tensor).reader >= cascade.end && !uses.isOnlyStored(tensor))
        spills.push_back(tensor);
  std::ranges::sort(spills);
  return spills;
}

bool followsPins(const Pins &pins, const TensorUses &uses, const Plan &plan, const TransferOptions &order) {
  if (pins.isEmpty())
    return true;
  for (const Cascade &cascade : plan.cascades) {
    if (!mayBeCascade(pins, uses, cascade.first, cascade.end))
      return false;
    const CascadePin *pin = pins.cascadeAt(cascade.first);
    if (pin && (!pin->admits(cascade) || (pin->spills && *pin->spills != spillsOf(uses, plan, cascade))))
      return false;
  }
  const auto isIn = [&](const auto &entry) {
    return (plan.residencies[entry.first] == Residency::Dram) == entry.second.inDram;
  };
  const auto isShifted = [&](const auto &entry) {
    return entry.second.shift == (plan.blocks.empty() ? kernels::BlockShift() : plan.blocks[entry.first]);
  };
  return std::ranges::all_of(pins.memories, isIn) && std::ranges::all_of(pins.shifts, isShifted) &&
         (!pins.order || pins.order->order == order);
}

} // namespace avocet::compiler::schedule
