//===- ValueConversion.cpp - Small values in other HAL versions -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Capabilities.h"

#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "util/Losses.h"
#include "util/WireLimits.h"

#include <fmt/format.h>

#include <cfloat>

namespace avocet::hal {

using enum Version;

static Outcome convertArguments(std::vector<RequestArgument> &arguments, Version version, std::string_view what,
                                std::vector<std::string> &losses) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string place = fmt::format("{} {}", what, i);
    AVOCET_RETURN_IF_ERROR(checkLocationFits(arguments[i].location, version, place));
    AVOCET_RETURN_IF_ERROR(checkDimensionsFit(arguments[i].dimensions, version, place));
    uint64_t padding = arguments[i].location.padding;
    if (!isHidl(version) || padding == 0)
      continue;
    losses.push_back(fmt::format("padding {} of {}", padding, place));
    arguments[i].location.padding = 0;
  }
  return success();
}

Result<Converted<Request>> convertTo(const Request &request, Version version) {
  AVOCET_ASSIGN_OR_RETURN(Version needed, validate(request));
  if (needed > version)
    return invalidArgument(
        fmt::format("the request needs version {}, cannot be expressed in {}", toString(needed), toString(version)));
  Converted<Request> converted{request, {}};
  AVOCET_RETURN_IF_ERROR(convertArguments(converted.value.inputs, version, "input", converted.losses));
  AVOCET_RETURN_IF_ERROR(convertArguments(converted.value.outputs, version, "output", converted.losses));
  return logged(std::move(converted), "request");
}

/// 1.0 and 1.1 have one figure for float32 and one for QUANT8_ASYMM.
static bool lists(Version version, OperandType type) {
  if (version < V1_2)
    return type == OperandType::Float32 || type == OperandType::TensorFloat32 || type == OperandType::TensorQuant8Asymm;
  const OperandTypeInfo *info = findOperandType(type);
  return info == nullptr || info->since <= version;
}

static void dropFigure(PerformanceInfo &info, std::string_view what, std::vector<std::string> &losses) {
  if (info.execTime != FLT_MAX || info.powerUsage != FLT_MAX)
    losses.push_back(fmt::format("performance of {}", what));
  info = {FLT_MAX, FLT_MAX};
}

Converted<Capabilities> convertTo(const Capabilities &capabilities, Version version) {
  Converted<Capabilities> converted{capabilities, {}};
  Capabilities &value = converted.value;
  std::erase_if(value.operandPerformance, [&](const OperandPerformance &entry) {
    if (!lists(version, entry.type))
      converted.losses.push_back("performance of " + toString(entry.type));
    return !lists(version, entry.type);
  });
  if (version < V1_1) {
    dropFigure(value.relaxedFloat32toFloat16PerformanceScalar, "relaxed scalars", converted.losses);
    dropFigure(value.relaxedFloat32toFloat16PerformanceTensor, "relaxed tensors", converted.losses);
  }
  if (version < V1_3) {
    dropFigure(value.ifPerformance, "IF", converted.losses);
    dropFigure(value.whilePerformance, "WHILE", converted.losses);
  }
  return logged(std::move(converted), "capabilities");
}

static void convertTime(OptionalDuration &time, Version version, std::string_view what,
                        std::vector<std::string> &losses) {
  if (!time)
    return;
  OptionalDuration kept;
  if (version >= V1_2)
    kept = isHidl(version) ? std::chrono::floor<std::chrono::microseconds>(*time) : *time;
  if (kept != time)
    losses.push_back(fmt::format("{} ns of the time {}", (*time - kept.value_or(Duration(0))).count(), what));
  time = kept;
}

Converted<Timing> convertTo(const Timing &timing, Version version) {
  Converted<Timing> converted{timing, {}};
  convertTime(converted.value.timeOnDevice, version, "on the device", converted.losses);
  convertTime(converted.value.timeInDriver, version, "in the driver", converted.losses);
  return logged(std::move(converted), "times");
}

Converted<ErrorStatus> convertTo(ErrorStatus status, Version version) {
  bool isLater = status >= ErrorStatus::MissedDeadlineTransient && status <= ErrorStatus::ResourceExhaustedPersistent;
  if (status == ErrorStatus::DeadObject || (isLater && version < V1_3))
    return logged(Converted<ErrorStatus>{ErrorStatus::GeneralFailure, {std::string(toString(status))}}, "error code");
  return {status, {}};
}

} // namespace avocet::hal
