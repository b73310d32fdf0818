//===- ConvertOptions.cpp - Options, answers and descriptions as messages -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Convert.h"

#include <algorithm>
#include <bit>

namespace avocet::hal::ipc {

uint32_t HandleWriter::numberOf(const SharedHandle &handle) {
  auto known = std::find(handles_.begin(), handles_.end(), handle);
  if (known == handles_.end())
    known = handles_.insert(handles_.end(), handle);
  return static_cast<uint32_t>(known - handles_.begin());
}

Result<SharedHandle> HandleReader::handle(uint32_t number) const {
  if (number >= handles_.size())
    return invalidArgument("the message names descriptor " + std::to_string(number) + ", but has " +
                           std::to_string(handles_.size()));
  return handles_[number];
}

Result<std::vector<SharedHandle>> HandleReader::handles(const std::vector<uint32_t> &numbers) const {
  std::vector<SharedHandle> found;
  for (uint32_t number : numbers) {
    AVOCET_ASSIGN_OR_RETURN(SharedHandle handle, this->handle(number));
    found.push_back(std::move(handle));
  }
  return found;
}

int64_t toNanoseconds(const OptionalTimePoint &time) { return time ? time->time_since_epoch().count() : -1; }
int64_t toNanoseconds(const OptionalDuration &duration) { return duration ? duration->count() : -1; }

OptionalTimePoint timePointOf(int64_t nanoseconds) {
  return nanoseconds == -1 ? OptionalTimePoint() : TimePoint(Duration(nanoseconds));
}

OptionalDuration durationOf(int64_t nanoseconds) {
  return nanoseconds == -1 ? OptionalDuration() : Duration(nanoseconds);
}

std::vector<std::unique_ptr<fb::ExtensionPrefixT>> toMessage(const std::vector<ExtensionNameAndPrefix> &names) {
  std::vector<std::unique_ptr<fb::ExtensionPrefixT>> list;
  for (const ExtensionNameAndPrefix &extension : names) {
    auto entry = std::make_unique<fb::ExtensionPrefixT>();
    entry->name = extension.name;
    entry->prefix = extension.prefix;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<ExtensionNameAndPrefix> fromMessage(const std::vector<std::unique_ptr<fb::ExtensionPrefixT>> &list) {
  std::vector<ExtensionNameAndPrefix> names;
  for (const auto &entry : list)
    names.push_back({entry->name, entry->prefix});
  return names;
}

namespace {

std::vector<std::unique_ptr<fb::HintT>> toMessage(const std::vector<TokenValuePair> &hints) {
  std::vector<std::unique_ptr<fb::HintT>> list;
  for (const TokenValuePair &hint : hints) {
    auto entry = std::make_unique<fb::HintT>();
    entry->token = hint.token;
    entry->value = hint.value;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<TokenValuePair> fromMessage(const std::vector<std::unique_ptr<fb::HintT>> &list) {
  std::vector<TokenValuePair> hints;
  for (const auto &entry : list)
    hints.push_back({entry->token, entry->value});
  return hints;
}

fb::Performance toMessage(const PerformanceInfo &info) { return {info.execTime, info.powerUsage}; }

PerformanceInfo fromMessage(const fb::Performance &info) { return {info.exec_time(), info.power_usage()}; }
PerformanceInfo fromMessage(const std::unique_ptr<fb::Performance> &info) {
  return info ? fromMessage(*info) : PerformanceInfo();
}

std::unique_ptr<fb::CapabilitiesT> toMessage(const Capabilities &capabilities) {
  auto message = std::make_unique<fb::CapabilitiesT>();
  auto copy = [](const PerformanceInfo &info) { return std::make_unique<fb::Performance>(toMessage(info)); };
  message->relaxed_scalar = copy(capabilities.relaxedFloat32toFloat16PerformanceScalar);
  message->relaxed_tensor = copy(capabilities.relaxedFloat32toFloat16PerformanceTensor);
  message->if_performance = copy(capabilities.ifPerformance);
  message->while_performance = copy(capabilities.whilePerformance);
  for (const OperandPerformance &entry : capabilities.operandPerformance)
    message->operands.push_back({static_cast<int32_t>(entry.type), toMessage(entry.info)});
  return message;
}

Capabilities fromMessage(const fb::CapabilitiesT &message) {
  Capabilities capabilities;
  capabilities.relaxedFloat32toFloat16PerformanceScalar = fromMessage(message.relaxed_scalar);
  capabilities.relaxedFloat32toFloat16PerformanceTensor = fromMessage(message.relaxed_tensor);
  capabilities.ifPerformance = fromMessage(message.if_performance);
  capabilities.whilePerformance = fromMessage(message.while_performance);
  for (const fb::OperandPerformance &entry : message.operands)
    capabilities.operandPerformance.push_back({static_cast<OperandType>(entry.type()), fromMessage(entry.info())});
  return capabilities;
}

std::unique_ptr<fb::ExtensionT> toMessage(const Extension &extension) {
  auto message = std::make_unique<fb::ExtensionT>();
  message->name = extension.name;
  for (const ExtensionOperandTypeInformation &type : extension.operandTypes)
    message->types.push_back({type.type, type.isTensor, type.byteSize});
  return message;
}

Extension fromMessage(const fb::ExtensionT &message) {
  Extension extension{message.name, {}};
  for (const fb::ExtensionOperandType &type : message.types)
    extension.operandTypes.push_back({type.type(), type.is_tensor(), type.byte_size()});
  return extension;
}

} // namespace

std::unique_ptr<fb::ExecutionOptionsT> toMessage(const ExecutionOptions &options) {
  auto message = std::make_unique<fb::ExecutionOptionsT>();
  message->measure = options.measure == MeasureTiming::Yes;
  message->deadline = toNanoseconds(options.deadline);
  message->loop_timeout = toNanoseconds(options.loopTimeoutDuration);
  message->hints = toMessage(options.hints);
  message->extensions = toMessage(options.extensionNameToPrefix);
  return message;
}

ExecutionOptions fromMessage(const fb::ExecutionOptionsT &message) {
  ExecutionOptions options;
  options.measure = message.measure ? MeasureTiming::Yes : MeasureTiming::No;
  options.deadline = timePointOf(message.deadline);
  options.loopTimeoutDuration = durationOf(message.loop_timeout);
  options.hints = fromMessage(message.hints);
  options.extensionNameToPrefix = fromMessage(message.extensions);
  return options;
}

std::unique_ptr<fb::CacheFilesT> toMessage(const CacheFiles &cache, HandleWriter &handles) {
  auto message = std::make_unique<fb::CacheFilesT>();
  for (const SharedHandle &file : cache.modelCache)
    message->model.push_back(handles.numberOf(file));
  for (const SharedHandle &file : cache.dataCache)
    message->data.push_back(handles.numberOf(file));
  message->token.assign(cache.token.begin(), cache.token.end());
  return message;
}

Result<CacheFiles> fromMessage(const fb::CacheFilesT &message, const HandleReader &handles) {
  CacheFiles cache;
  AVOCET_ASSIGN_OR_RETURN(cache.modelCache, handles.handles(message.model));
  AVOCET_ASSIGN_OR_RETURN(cache.dataCache, handles.handles(message.data));
  if (message.token.size() != cache.token.size())
    return invalidArgument("cache token of " + std::to_string(message.token.size()) + " bytes, must be " +
                           std::to_string(cache.token.size()));
  std::copy(message.token.begin(), message.token.end(), cache.token.begin());
  return cache;
}

std::unique_ptr<fb::PrepareOptionsT> toMessage(const PrepareOptions &options, HandleWriter &handles) {
  auto message = std::make_unique<fb::PrepareOptionsT>();
  message->preference = static_cast<int32_t>(options.preference);
  message->priority = static_cast<int32_t>(options.priority);
  message->deadline = toNanoseconds(options.deadline);
  message->cache = toMessage(options.cache, handles);
  message->hints = toMessage(options.hints);
  message->extensions = toMessage(options.extensionNameToPrefix);
  return message;
}

Result<PrepareOptions> fromMessage(const fb::PrepareOptionsT &message, const HandleReader &handles) {
  PrepareOptions options;
  options.preference = static_cast<ExecutionPreference>(message.preference);
  options.priority = static_cast<Priority>(message.priority);
  options.deadline = timePointOf(message.deadline);
  if (message.cache) {
    AVOCET_ASSIGN_OR_RETURN(options.cache, fromMessage(*message.cache, handles));
  }
  options.hints = fromMessage(message.hints);
  options.extensionNameToPrefix = fromMessage(message.extensions);
  return options;
}

fb::SupportedT toMessage(const SupportedOperations &supported) {
  fb::SupportedT message;
  message.supported = supported.supported;
  for (const Unsupported &reason : supported.reasons) {
    auto entry = std::make_unique<fb::ReasonT>();
    entry->operation = reason.operation;
    entry->operand = reason.operand;
    entry->rule = reason.rule;
    entry->value = reason.value;
    entry->limit = reason.limit;
    message.reasons.push_back(std::move(entry));
  }
  return message;
}

SupportedOperations fromMessage(const fb::SupportedT &message) {
  SupportedOperations supported;
  supported.supported = message.supported;
  for (const auto &entry : message.reasons)
    supported.reasons.push_back({entry->operation, entry->operand, entry->rule, entry->value, entry->limit});
  return supported;
}

fb::ExecutedT toMessage(const ExecutionOutcome &outcome) {
  fb::ExecutedT message;
  for (const OutputShape &shape : outcome.outputShapes) {
    auto entry = std::make_unique<fb::OutputShapeT>();
    entry->dimensions = shape.dimensions;
    entry->sufficient = shape.isSufficient;
    message.shapes.push_back(std::move(entry));
  }
  message.time_on_device = toNanoseconds(outcome.timing.timeOnDevice);
  message.time_in_driver = toNanoseconds(outcome.timing.timeInDriver);
  return message;
}

ExecutionOutcome fromMessage(const fb::ExecutedT &message) {
  ExecutionOutcome outcome;
  for (const auto &shape : message.shapes)
    outcome.outputShapes.push_back({shape->dimensions, shape->sufficient});
  outcome.timing = {durationOf(message.time_on_device), durationOf(message.time_in_driver)};
  return outcome;
}

fb::WelcomeT toMessage(const DeviceDescription &device) {
  fb::WelcomeT message;
  message.name = device.name;
  message.version = device.version;
  message.feature_level = static_cast<uint32_t>(device.featureLevel);
  message.type = static_cast<int32_t>(device.type);
  for (const Extension &extension : device.extensions)
    message.extensions.push_back(toMessage(extension));
  message.capabilities = toMessage(device.capabilities);
  message.num_model_cache = device.cacheFiles.numModelCache;
  message.num_data_cache = device.cacheFiles.numDataCache;
  message.preferred_alignment = device.memory.alignment;
  message.preferred_padding = device.memory.padding;
  return message;
}

/// The default for a number that the protocol does not allow.
static uint32_t preferenceOr(uint32_t given, uint32_t byDefault) {
  constexpr uint32_t kMost = 4096;
  return std::has_single_bit(given) && given <= kMost ? given : byDefault;
}

DeviceDescription fromMessage(const fb::WelcomeT &message) {
  DeviceDescription device;
  device.name = message.name;
  device.version = message.version;
  device.featureLevel = static_cast<Version>(std::min(message.feature_level, static_cast<uint32_t>(kLatestVersion)));
  device.type = knownOr<DeviceType>(message.type, DeviceType::Accelerator, DeviceType::Unknown);
  for (const auto &extension : message.extensions)
    device.extensions.push_back(fromMessage(*extension));
  if (message.capabilities)
    device.capabilities = fromMessage(*message.capabilities);
  device.cacheFiles = {message.num_model_cache, message.num_data_cache};
  device.memory = {preferenceOr(message.preferred_alignment, device.memory.alignment),
                   preferenceOr(message.preferred_padding, device.memory.padding)};
  return device;
}

} // namespace avocet::hal::ipc
