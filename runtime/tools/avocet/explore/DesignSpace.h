//===- DesignSpace.h - The targets of an exploration ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exploration varies figures of a target. Each --set is an axis; the targets are all combinations of their values,
// the first axis slowest.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_DESIGNSPACE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_DESIGNSPACE_H

#include "avocet/firmware_iface/Target.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace avocet::tool {

/// A figure and the values that it takes, in their one form (normalTargetValue()).
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

struct DesignTarget {
  std::vector<size_t> places; ///< number of the value on each axis
  std::string text;           ///< of the target file; empty if `refusal` is not
  std::shared_ptr<const firmware::Target> target;
  std::string refusal; ///< the rule that the figures break together
};

struct DesignSpace {
  std::shared_ptr<const firmware::Target> base;
  std::vector<Axis> axes;
  std::vector<DesignTarget> targets;

  /// The target that is one step further on an axis, if there is one.
  std::optional<size_t> next(size_t target, size_t axis) const;
};

inline constexpr size_t kMostDesignTargets = 10'000;

/// `sets` are values of --set: "sram.bytes=256K,512K". InvalidArgument: no such figure, a value outside its limits, a
/// figure or value that occurs twice, or too many combinations. Combinations that break a rule are refused targets.
Result<DesignSpace> makeDesignSpace(const std::string &baseTarget, const std::vector<std::string> &sets);

/// A value for people: bytes with the largest unit that keeps the number whole.
std::string shownValue(const Axis &axis, const std::string &value);

/// "sram.bytes 256 KiB, dram.bandwidth 1/2".
std::string shownValues(const DesignSpace &space, const DesignTarget &target);

/// Bytes in a cycle through the off-chip port.
double bandwidthOf(const firmware::Target &target);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_DESIGNSPACE_H
