//===- DesignSpace.cpp - The targets of an exploration -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DesignSpace.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using TargetPtr = std::shared_ptr<const firmware::Target>;

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size())
      return parts;
    begin = end + 1;
  }
}

Result<Axis> parseAxis(const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return invalidArgument(fmt::format(
        "--set {}: must be a figure of a target file, '=', and values, such as sram.bytes=256K,512K,1M", text));
  Axis axis{text.substr(0, equals), {}};
  for (const std::string &value : split(text.substr(equals + 1), ',')) {
    Result<std::string> normal = firmware::normalTargetValue({axis.key, value});
    if (!normal)
      return normal.status().withContext("--set " + text);
    if (std::ranges::find(axis.values, *normal) != axis.values.end())
      return invalidArgument(fmt::format("--set {}: the value {} occurs twice; leave one out", text, value));
    axis.values.push_back(*normal);
  }
  return axis;
}

Result<std::vector<Axis>> parseAxes(const std::vector<std::string> &sets) {
  std::vector<Axis> axes;
  size_t combinations = 1;
  for (const std::string &text : sets) {
    AVOCET_ASSIGN_OR_RETURN(Axis axis, parseAxis(text));
    if (std::ranges::find(axes, axis.key, &Axis::key) != axes.end())
      return invalidArgument(
          fmt::format("--set {}: {} has values already; give all of them in one --set", text, axis.key));
    combinations *= axis.values.size();
    if (combinations > kMostDesignTargets)
      return invalidArgument(fmt::format("--set {}: makes {} or more combinations, at most {} are accepted; give fewer "
                                         "values",
                                         text, combinations, kMostDesignTargets));
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// The name has the fingerprint, so that an equal name means an equal device. `base` may be long.
std::string nameOf(const firmware::Target &base, const firmware::Target &target) {
  constexpr size_t kMostBaseBytes = 40;
  return fmt::format("{}-{:016x}", base.name().substr(0, kMostBaseBytes), target.fingerprint());
}

std::string describe(const firmware::Target &base, const std::vector<firmware::TargetChange> &changes) {
  std::string text = base.name();
  for (size_t i = 0; i < changes.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? " with " : ", ", changes[i].key, changes[i].value);
  return text;
}

/// Parses twice, because the name depends on the fingerprint.
Result<TargetPtr> build(const firmware::Target &base, const std::vector<firmware::TargetChange> &changes,
                        std::string &text) {
  const std::string description = describe(base, changes);
  AVOCET_ASSIGN_OR_RETURN(text, firmware::changedTargetText(base, changes, base.name(), description));
  AVOCET_ASSIGN_OR_RETURN(const TargetPtr unnamed, firmware::Target::parse(text, base.name()));
  AVOCET_ASSIGN_OR_RETURN(text, firmware::changedTargetText(base, changes, nameOf(base, *unnamed), description));
  return firmware::Target::parse(text, base.name());
}

DesignTarget makeTarget(const DesignSpace &space, std::vector<size_t> places) {
  std::vector<firmware::TargetChange> changes;
  for (size_t i = 0; i < space.axes.size(); ++i)
    changes.push_back({space.axes[i].key, space.axes[i].values[places[i]]});
  DesignTarget made;
  made.places = std::move(places);
  Result<TargetPtr> target = build(*space.base, changes, made.text);
  if (target) {
    made.target = *target;
  } else {
    made.refusal = target.status().message();
    made.text.clear();
  }
  return made;
}

/// The combination after this one; false after the last.
bool stepPlaces(const std::vector<Axis> &axes, std::vector<size_t> &places) {
  for (size_t i = axes.size(); i-- > 0;) {
    if (++places[i] < axes[i].values.size())
      return true;
    places[i] = 0;
  }
  return false;
}

} // namespace

std::optional<size_t> DesignSpace::next(size_t target, size_t axis) const {
  if (targets[target].places[axis] + 1 >= axes[axis].values.size())
    return std::nullopt;
  size_t distance = 1;
  for (size_t i = axis + 1; i < axes.size(); ++i)
    distance *= axes[i].values.size();
  return target + distance;
}

Result<DesignSpace> makeDesignSpace(const std::string &baseTarget, const std::vector<std::string> &sets) {
  DesignSpace space;
  AVOCET_ASSIGN_OR_RETURN(space.base, firmware::Target::load(baseTarget));
  AVOCET_ASSIGN_OR_RETURN(space.axes, parseAxes(sets));
  std::vector<size_t> places(space.axes.size(), 0);
  do
    space.targets.push_back(makeTarget(space, places));
  while (stepPlaces(space.axes, places));
  return space;
}

std::string shownValue(const Axis &axis, const std::string &value) {
  const bool isBytes = axis.key.ends_with("ytes");
  const Result<uint64_t> bytes = parseUnsigned(value, 0, UINT64_MAX);
  if (!isBytes || !bytes)
    return value;
  for (const auto &[unit, size] : {std::pair("MiB", 1u << 20), {"KiB", 1u << 10}})
    if (*bytes >= size && *bytes % size == 0)
      return fmt::format("{} {}", *bytes / size, unit);
  return value + " B";
}

std::string shownValues(const DesignSpace &space, const DesignTarget &target) {
  std::string text;
  for (size_t i = 0; i < space.axes.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", space.axes[i].key,
                        shownValue(space.axes[i], space.axes[i].values[target.places[i]]));
  return text.empty() ? space.base->name() : text;
}

double bandwidthOf(const firmware::Target &target) {
  const firmware::Rate &rate = target.dram().bandwidth;
  return static_cast<double>(rate.count) / static_cast<double>(rate.cycles);
}

} // namespace avocet::tool
