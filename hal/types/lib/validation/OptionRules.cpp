//===- OptionRules.cpp - Rules of options, capabilities and small values --===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "util/WireLimits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <fcntl.h>

namespace avocet::hal {

using enum Version;

/// The version, if `code` lies in [least, most].
template <typename Enum>
static Result<Version> validateCode(Enum value, Enum least, Enum most, std::string_view what, Version since) {
  if (value < least || value > most)
    return invalidArgument(fmt::format("{} {} does not exist", what, static_cast<int32_t>(value)));
  return since;
}

Result<Version> validate(Priority priority) {
  return validateCode(priority, Priority::Low, Priority::High, "priority", priority == Priority::Medium ? V1_0 : V1_3);
}

Result<Version> validate(ExecutionPreference preference) {
  Version since = preference == ExecutionPreference::FastSingleAnswer ? V1_0 : V1_1;
  return validateCode(preference, ExecutionPreference::LowPower, ExecutionPreference::SustainedSpeed,
                      "execution preference", since);
}

Result<Version> validate(DeviceType type) {
  return validateCode(type, DeviceType::Unknown, DeviceType::Accelerator, "device type",
                      type == DeviceType::Unknown ? V1_0 : V1_2);
}

Result<Version> validate(DeviceStatus status) {
  return validateCode(status, DeviceStatus::Available, DeviceStatus::Unknown, "device status", V1_0);
}

Result<Version> validate(MeasureTiming measure) {
  return validateCode(measure, MeasureTiming::No, MeasureTiming::Yes, "measurement of timing",
                      measure == MeasureTiming::No ? V1_0 : V1_2);
}

Result<Version> validate(ErrorStatus status) {
  if (status == ErrorStatus::DeadObject)
    return V1_0;
  bool isLater = status >= ErrorStatus::MissedDeadlineTransient;
  return validateCode(status, ErrorStatus::None, ErrorStatus::ResourceExhaustedPersistent, "error status",
                      isLater ? V1_3 : V1_0);
}

static Result<Version> validateTime(std::optional<Duration> time, std::string_view what) {
  if (time && time->count() < 0)
    return invalidArgument(fmt::format("{} of {} ns, must not be negative", what, time->count()));
  return time ? V1_3 : V1_0;
}

Result<Version> validate(const OptionalTimePoint &deadline) {
  return validateTime(deadline ? std::optional(deadline->time_since_epoch()) : std::nullopt, "deadline");
}

Result<Version> validate(const OptionalDuration &duration) { return validateTime(duration, "duration"); }

Result<Version> validateLoopTimeout(const OptionalDuration &timeout) {
  if (timeout && *timeout > kMaximumLoopTimeout)
    return invalidArgument(
        fmt::format("loop time-out of {} ns, must be at most {} ns", timeout->count(), kMaximumLoopTimeout.count()));
  return validateTime(timeout, "loop time-out");
}

Result<Version> validate(const CacheToken &token) {
  return std::ranges::all_of(token, [](uint8_t byte) { return byte == 0; }) ? V1_0 : V1_2;
}

Result<Version> validate(const Timing &timing) {
  AVOCET_RETURN_IF_ERROR(validateTime(timing.timeOnDevice, "time on the device"));
  AVOCET_RETURN_IF_ERROR(validateTime(timing.timeInDriver, "time in the driver"));
  if (timing.timeOnDevice && timing.timeInDriver && *timing.timeOnDevice > *timing.timeInDriver)
    return invalidArgument(fmt::format("{} ns on the device, must not exceed the {} ns in the driver",
                                       timing.timeOnDevice->count(), timing.timeInDriver->count()));
  return timing.timeOnDevice || timing.timeInDriver ? V1_2 : V1_0;
}

static Outcome checkPerformance(const PerformanceInfo &info, std::string_view what) {
  if (info.execTime > 0 && info.powerUsage > 0)
    return success();
  return invalidArgument(
      fmt::format("{}: time {} and power {}, must be positive", what, info.execTime, info.powerUsage));
}

static Result<Version> validateTable(const std::vector<OperandPerformance> &table) {
  Version version = V1_0;
  for (size_t i = 0; i < table.size(); ++i) {
    OperandType type = table[i].type;
    if (type == OperandType::Subgraph)
      return invalidArgument("performance of SUBGRAPH, which has none");
    if (i != 0 && table[i - 1].type >= type)
      return invalidArgument(fmt::format("performance of {} comes after that of {}, must be sorted by type and unique",
                                         toString(type), toString(table[i - 1].type)));
    AVOCET_ASSIGN_OR_RETURN(Version since, validate(type));
    AVOCET_RETURN_IF_ERROR(checkPerformance(table[i].info, "performance of " + toString(type)));
    version = std::max(version, since);
  }
  return version;
}

Result<Version> validate(const Capabilities &capabilities) {
  AVOCET_RETURN_IF_ERROR(
      checkPerformance(capabilities.relaxedFloat32toFloat16PerformanceScalar, "performance of relaxed scalars"));
  AVOCET_RETURN_IF_ERROR(
      checkPerformance(capabilities.relaxedFloat32toFloat16PerformanceTensor, "performance of relaxed tensors"));
  AVOCET_RETURN_IF_ERROR(checkPerformance(capabilities.ifPerformance, "performance of IF"));
  AVOCET_RETURN_IF_ERROR(checkPerformance(capabilities.whilePerformance, "performance of WHILE"));
  return validateTable(capabilities.operandPerformance);
}

Result<Version> validate(const std::vector<TokenValuePair> &hints) {
  std::set<int32_t> tokens;
  for (const TokenValuePair &hint : hints)
    if (!tokens.insert(hint.token).second)
      return invalidArgument(fmt::format("hint {} is given twice", hint.token));
  return hints.empty() ? V1_0 : AidlV4;
}

Result<Version> validate(const std::vector<TokenValuePair> &hints, const std::vector<ExtensionNameAndPrefix> &names) {
  AVOCET_ASSIGN_OR_RETURN(const Version version, validate(hints));
  AVOCET_RETURN_IF_ERROR(validate(names));
  std::set<uint32_t> prefixes = {0};
  for (const ExtensionNameAndPrefix &extension : names)
    prefixes.insert(extension.prefix);
  for (const TokenValuePair &hint : hints)
    if (const uint32_t prefix = static_cast<uint32_t>(hint.token) >> 16; !prefixes.contains(prefix))
      return invalidArgument(
          fmt::format("hint {}: extension prefix {} is not in the list of extensions", hint.token, prefix));
  for (const ExtensionNameAndPrefix &extension : names)
    if (extension.prefix > kMaxAidlPrefix)
      return invalidArgument(fmt::format("prefix {} of extension '{}', must be at most {}", extension.prefix,
                                         extension.name, kMaxAidlPrefix));
  return names.empty() ? version : AidlV4;
}

Result<Version> validate(const NumberOfCacheFiles &files) {
  if (files.numModelCache > kMaxNumberOfCacheFiles || files.numDataCache > kMaxNumberOfCacheFiles)
    return invalidArgument(fmt::format("{} model and {} data cache files, must be at most {} each", files.numModelCache,
                                       files.numDataCache, kMaxNumberOfCacheFiles));
  return files.numModelCache + files.numDataCache == 0 ? V1_0 : V1_2;
}

static Outcome checkCacheFiles(std::span<const SharedHandle> files, uint32_t needed, std::string_view what) {
  if (files.size() != needed)
    return invalidArgument(fmt::format("{} {} cache files, must be {}", files.size(), what, needed));
  for (size_t i = 0; i < files.size(); ++i) {
    int flags = files[i] != nullptr ? fcntl(files[i]->get(), F_GETFL) : -1;
    if (flags < 0)
      return invalidArgument(fmt::format("{} cache file {} is not open", what, i));
    if ((flags & O_ACCMODE) != O_RDWR || (flags & O_PATH) != 0)
      return invalidArgument(fmt::format("{} cache file {} is not open for reading and writing", what, i));
  }
  return success();
}

Outcome validateCacheFiles(const NumberOfCacheFiles &needed, std::span<const SharedHandle> modelCache,
                           std::span<const SharedHandle> dataCache) {
  AVOCET_RETURN_IF_ERROR(checkCacheFiles(modelCache, needed.numModelCache, "model"));
  return checkCacheFiles(dataCache, needed.numDataCache, "data");
}

} // namespace avocet::hal
