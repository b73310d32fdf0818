//===- OpenShapes.cpp - Extreme choices of unknown extents ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenShapes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace avocet::compiler {
namespace {

/// With more unknown extents than this, only those of one axis number or one operand are large together, not all sets.
constexpr size_t kMostCombined = 5;
/// Maximum number of choices of pinned extents.
constexpr size_t kMostPinned = 64;
/// Small extents at which windows and strides may not fit.
constexpr int64_t kSmall[] = {2, 3, 16};
/// Large extents are rounded down to multiples of one of these.
constexpr int64_t kDivisors[] = {2520, 840, 120, 24, 12, 4, 2};

int64_t rounded(int64_t extent) {
  for (int64_t divisor : kDivisors)
    if (extent >= divisor)
      return extent / divisor * divisor;
  return extent;
}

} // namespace

OpenShapes::OpenShapes(std::vector<Extents> operands) : operands_(std::move(operands)) {
  for (size_t operand = 0; operand < operands_.size(); ++operand)
    for (size_t axis = 0; axis < operands_[operand].size(); ++axis) {
      const int64_t extent = operands_[operand][axis];
      if (extent == 0)
        open_.push_back({operand, axis});
      else if (extent > 1 && !llvm::is_contained(known_, extent))
        known_.push_back(extent);
    }
}

std::vector<OpenChoice> OpenShapes::choices(bool few) const {
  const size_t count = open_.size();
  std::vector<OpenChoice> result;
  auto add = [&](auto &&isLarge, bool isRound = true) {
    OpenChoice choice;
    choice.isRound = isRound;
    for (size_t i = 0; i < count; ++i)
      choice.fixed.push_back(isLarge(i) ? 0 : 1);
    if (!llvm::is_contained(result, choice))
      result.push_back(std::move(choice));
  };
  auto isNone = [](size_t) { return false; };
  auto isAll = [](size_t) { return true; };
  add(isNone);
  if (count == 0)
    return result;
  add(isAll);
  add(isAll, false);
  std::set<size_t> axes, operands;
  for (const Axis &axis : open_) {
    axes.insert(axis.axis);
    operands.insert(axis.operand);
  }
  for (size_t axis : axes)
    add([&](size_t i) { return open_[i].axis == axis; });
  for (size_t operand : operands)
    add([&](size_t i) { return open_[i].operand == operand; });
  for (size_t single = 0; single < count; ++single)
    add([&](size_t i) { return i == single; });
  if (!few && count <= kMostCombined)
    for (size_t mask = 0; mask < size_t(1) << count; ++mask)
      add([&](size_t i) { return mask >> i & 1; });
  for (int64_t extent : kSmall)
    result.push_back({llvm::SmallVector<int64_t>(count, extent)});
  return result;
}

std::vector<OpenChoice> OpenShapes::choicesPinned(llvm::ArrayRef<bool> pinned) const {
  size_t total = 1;
  for (bool isPinned : pinned)
    total = std::min(total * (isPinned ? known_.size() : 1), kMostPinned + 1);
  std::vector<OpenChoice> result;
  if (total > kMostPinned)
    return result;
  for (size_t number = 0; number < total; ++number)
    for (int64_t other : {int64_t(1), int64_t(0)}) {
      OpenChoice choice;
      size_t rest = number;
      for (bool isPinned : pinned) {
        choice.fixed.push_back(isPinned ? known_[rest % known_.size()] : other);
        rest = isPinned ? rest / known_.size() : rest;
      }
      if (!llvm::is_contained(result, choice))
        result.push_back(std::move(choice));
    }
  return result;
}

int64_t OpenShapes::largeExtent(const OpenChoice &choice, int64_t elements) const {
  int64_t extent = elements;
  size_t next = 0;
  for (const Extents &operand : operands_) {
    int64_t product = 1;
    unsigned numLarge = 0;
    for (int64_t known : operand) {
      const int64_t value = known ? known : choice.fixed[next++];
      numLarge += value == 0;
      product = std::min(elements + 1, product * std::max<int64_t>(value, 1));
    }
    if (numLarge == 0)
      continue;
    auto root = static_cast<int64_t>(std::pow(double(elements / product), 1.0 / numLarge) + 1e-9);
    extent = std::min(extent, root);
  }
  return choice.isRound ? rounded(extent) : extent;
}

std::optional<std::vector<Extents>> OpenShapes::shapes(const OpenChoice &choice, int64_t elements) const {
  const int64_t large = largeExtent(choice, elements);
  if (large < 2 && llvm::is_contained(choice.fixed, 0))
    return std::nullopt;
  std::vector<Extents> shapes = operands_;
  for (size_t i = 0; i < open_.size(); ++i)
    shapes[open_[i].operand][open_[i].axis] = choice.fixed[i] ? choice.fixed[i] : large;
  return shapes;
}

} // namespace avocet::compiler
