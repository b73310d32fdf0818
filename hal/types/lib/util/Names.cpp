//===- Names.cpp - Names of the enumerations ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <array>

namespace avocet::hal {

/// `names[code]`, or the code as a number.
template <typename Enum, size_t count>
static std::string nameIn(const std::array<std::string_view, count> &names, Enum value) {
  auto code = static_cast<int64_t>(value);
  if (code < 0 || code >= static_cast<int64_t>(count))
    return fmt::format("unknown code {}", code);
  return std::string(names[static_cast<size_t>(code)]);
}

template <typename Code> static std::string nameOfForeign(Code type, std::string_view what) {
  auto code = static_cast<uint32_t>(type);
  if (isExtension(type))
    return fmt::format("extension {} {} {}", extensionPrefix(type), what, code & kMaxStandardCode);
  return fmt::format("unknown {} {}", what, static_cast<int32_t>(code));
}

std::string toString(OperandType type) {
  if (std::string_view name = nnapi::nameOf(type); !name.empty())
    return std::string(name);
  if (isOem(type))
    return type == kOemScalar ? "OEM" : "TENSOR_OEM_BYTE";
  return nameOfForeign(type, "type");
}

std::string operationName(OperationType type) {
  if (std::string_view name = nnapi::nameOf(type); !name.empty())
    return std::string(name);
  return type == kOemOperation ? "OEM_OPERATION" : nameOfForeign(type, "operation");
}

std::string toString(OperandLifeTime lifetime) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "TEMPORARY_VARIABLE", "SUBGRAPH_INPUT", "SUBGRAPH_OUTPUT", "CONSTANT_COPY",
      "CONSTANT_REFERENCE", "NO_VALUE",       "SUBGRAPH"};
  return nameIn(kNames, lifetime);
}

std::string toString(Version version) {
  static constexpr std::array<std::string_view, 8> kNames = {"1.0",     "1.1",     "1.2",     "1.3",
                                                             "AIDL v1", "AIDL v2", "AIDL v3", "AIDL v4"};
  return nameIn(kNames, version);
}

std::string toString(Priority priority) {
  static constexpr std::array<std::string_view, 3> kNames = {"LOW", "MEDIUM", "HIGH"};
  return nameIn(kNames, priority);
}

std::string toString(ExecutionPreference preference) {
  static constexpr std::array<std::string_view, 3> kNames = {"LOW_POWER", "FAST_SINGLE_ANSWER", "SUSTAINED_SPEED"};
  return nameIn(kNames, preference);
}

std::string toString(DeviceType type) {
  static constexpr std::array<std::string_view, 5> kNames = {"UNKNOWN", "OTHER", "CPU", "GPU", "ACCELERATOR"};
  return nameIn(kNames, type);
}

std::string toString(DeviceStatus status) {
  static constexpr std::array<std::string_view, 4> kNames = {"AVAILABLE", "BUSY", "OFFLINE", "UNKNOWN"};
  return nameIn(kNames, status);
}

std::string toString(MeasureTiming measure) {
  static constexpr std::array<std::string_view, 2> kNames = {"NO", "YES"};
  return nameIn(kNames, measure);
}

std::string toString(std::span<const uint32_t> dimensions) {
  std::string text = "[";
  for (uint32_t extent : dimensions)
    text += (text.size() > 1 ? "," : "") + (extent == 0 ? std::string("?") : std::to_string(extent));
  return text + "]";
}

} // namespace avocet::hal
