//===- DeviceFacts.cpp - What never changes about a device ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFacts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace avocet::hal::capi {
namespace {

constexpr auto kLevels = std::to_array<std::pair<int64_t, Version>>({
    {ANEURALNETWORKS_FEATURE_LEVEL_1, Version::V1_0},
    {ANEURALNETWORKS_FEATURE_LEVEL_2, Version::V1_1},
    {ANEURALNETWORKS_FEATURE_LEVEL_3, Version::V1_2},
    {ANEURALNETWORKS_FEATURE_LEVEL_4, Version::V1_3},
    {ANEURALNETWORKS_FEATURE_LEVEL_5, Version::AidlV1},
    {ANEURALNETWORKS_FEATURE_LEVEL_6, Version::AidlV2},
    {ANEURALNETWORKS_FEATURE_LEVEL_7, Version::AidlV3},
    {ANEURALNETWORKS_FEATURE_LEVEL_8, Version::AidlV4},
});

class Reader {
public:
  Reader(const Api &api, const ANeuralNetworksDevice *device) : table_(*api.table), device_(device) {}

  Result<std::string> text(int (*get)(const ANeuralNetworksDevice *, const char **), std::string_view call) const {
    const char *value = nullptr;
    AVOCET_RETURN_IF_ERROR(check(get(device_, &value), call));
    return std::string(value);
  }
  Result<Version> featureLevel() const;
  Result<DeviceType> type() const;
  Result<NumberOfCacheFiles> cacheFiles() const;
  Result<Capabilities> capabilities() const;
  Result<std::vector<Extension>> extensions() const;

private:
  Result<PerformanceInfo> performance(int32_t kind) const;
  Result<Extension> extension(uint32_t index) const;

  const NnApiSLDriverImplFL7 &table_;
  const ANeuralNetworksDevice *device_;
};

Result<Version> Reader::featureLevel() const {
  int64_t level = 0;
  AVOCET_RETURN_IF_ERROR(
      check(table_.ANeuralNetworksDevice_getFeatureLevel(device_, &level), "Device_getFeatureLevel"));
  const auto found = std::ranges::find(kLevels, level, &std::pair<int64_t, Version>::first);
  if (found == kLevels.end())
    return generalFailure(fmt::format("the device has the unknown feature level {}", level));
  return found->second;
}

Result<DeviceType> Reader::type() const {
  int32_t type = 0;
  AVOCET_RETURN_IF_ERROR(check(table_.ANeuralNetworksDevice_getType(device_, &type), "Device_getType"));
  return static_cast<DeviceType>(type);
}

Result<NumberOfCacheFiles> Reader::cacheFiles() const {
  NumberOfCacheFiles files;
  AVOCET_RETURN_IF_ERROR(check(
      table_.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(device_, &files.numModelCache, &files.numDataCache),
      "Device_getNumberOfCacheFilesNeeded"));
  return files;
}

Result<PerformanceInfo> Reader::performance(int32_t kind) const {
  SL_ANeuralNetworksPerformanceInfo info = {};
  AVOCET_RETURN_IF_ERROR(
      check(table_.SL_ANeuralNetworksDevice_getPerformanceInfo(device_, kind, &info), "Device_getPerformanceInfo"));
  return PerformanceInfo{info.execTime, info.powerUsage};
}

Result<Capabilities> Reader::capabilities() const {
  Capabilities read;
  AVOCET_ASSIGN_OR_RETURN(read.relaxedFloat32toFloat16PerformanceScalar,
                          performance(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR));
  AVOCET_ASSIGN_OR_RETURN(read.relaxedFloat32toFloat16PerformanceTensor,
                          performance(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR));
  AVOCET_ASSIGN_OR_RETURN(read.ifPerformance, performance(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF));
  AVOCET_ASSIGN_OR_RETURN(read.whilePerformance, performance(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE));
  AVOCET_RETURN_IF_ERROR(check(table_.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(
                                   device_, &read.operandPerformance,
                                   [](SL_ANeuralNetworksOperandPerformanceInfo info, void *list) {
                                     static_cast<std::vector<OperandPerformance> *>(list)->push_back(
                                         {static_cast<OperandType>(info.operandType),
                                          {info.performanceInfo.execTime, info.performanceInfo.powerUsage}});
                                   }),
                               "Device_forEachOperandPerformanceInfo"));
  return read;
}

Result<Extension> Reader::extension(uint32_t index) const {
  Extension read;
  const char *name = nullptr;
  AVOCET_RETURN_IF_ERROR(check(table_.SL_ANeuralNetworksDevice_getVendorExtensionName(device_, index, &name),
                               "Device_getVendorExtensionName"));
  read.name = name;
  AVOCET_RETURN_IF_ERROR(check(table_.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
                                   device_, index, &read.operandTypes,
                                   [](SL_ANeuralNetworksExtensionOperandTypeInformation info, void *list) {
                                     static_cast<std::vector<ExtensionOperandTypeInformation> *>(list)->push_back(
                                         {info.type, info.isTensor, info.byteSize});
                                   }),
                               "Device_forEachVendorExtensionOperandTypeInformation"));
  return read;
}

Result<std::vector<Extension>> Reader::extensions() const {
  uint32_t count = 0;
  AVOCET_RETURN_IF_ERROR(check(table_.SL_ANeuralNetworksDevice_getVendorExtensionCount(device_, &count),
                               "Device_getVendorExtensionCount"));
  std::vector<Extension> read;
  for (uint32_t i = 0; i < count; ++i) {
    AVOCET_ASSIGN_OR_RETURN(Extension one, extension(i));
    read.push_back(std::move(one));
  }
  return read;
}

} // namespace

Result<DeviceDescription> readDescription(const Api &api, const ANeuralNetworksDevice *device) {
  const Reader reader(api, device);
  DeviceDescription read;
  AVOCET_ASSIGN_OR_RETURN(read.name, reader.text(api.table->ANeuralNetworksDevice_getName, "Device_getName"));
  AVOCET_ASSIGN_OR_RETURN(read.version, reader.text(api.table->ANeuralNetworksDevice_getVersion, "Device_getVersion"));
  AVOCET_ASSIGN_OR_RETURN(read.featureLevel, reader.featureLevel());
  AVOCET_ASSIGN_OR_RETURN(read.type, reader.type());
  AVOCET_ASSIGN_OR_RETURN(read.cacheFiles, reader.cacheFiles());
  AVOCET_ASSIGN_OR_RETURN(read.capabilities, reader.capabilities());
  AVOCET_ASSIGN_OR_RETURN(read.extensions, reader.extensions());
  return read;
}

Result<const ANeuralNetworksDevice *> findDevice(const Api &api, const std::string &name) {
  uint32_t count = 0;
  AVOCET_RETURN_IF_ERROR(check(api.table->ANeuralNetworks_getDeviceCount(&count), "_getDeviceCount"));
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    AVOCET_RETURN_IF_ERROR(check(api.table->ANeuralNetworks_getDevice(i, &device), "_getDevice"));
    AVOCET_ASSIGN_OR_RETURN(std::string text,
                            Reader(api, device).text(api.table->ANeuralNetworksDevice_getName, "Device_getName"));
    if (name.empty() || text == name)
      return static_cast<const ANeuralNetworksDevice *>(device);
    names.push_back(std::move(text));
  }
  return generalFailure(fmt::format("the NNAPI library has no device '{}'; its devices are: {}", name,
                                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

} // namespace avocet::hal::capi
