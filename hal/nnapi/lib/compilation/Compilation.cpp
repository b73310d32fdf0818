//===- Compilation.cpp - A model for certain devices ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compilation/Compilation.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "compilation/CompilationOptions.h"
#include "compilation/Preparation.h"
#include "model/ExtensionPrefixes.h"
#include "telemetry/Counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace avocet::nnapi {

namespace {

uint64_t nextNumber() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

ApiResult<std::vector<hal::SharedHandle>> duplicates(std::span<const int> descriptors) {
  std::vector<hal::SharedHandle> copies;
  for (int descriptor : descriptors) {
    AVOCET_ASSIGN_OR_RETURN(hal::SharedHandle copy, duplicateDescriptor(descriptor));
    copies.push_back(std::move(copy));
  }
  return copies;
}

} // namespace

Compilation::Compilation(std::shared_ptr<const FinishedModel> model, CompilationOptions options)
    : number_(nextNumber()), model_(std::move(model)), options_(std::move(options)) {}

ApiOutcome Compilation::checkOpen() const {
  return isClosed_ ? ApiOutcome(badState("the compilation is finished")) : success();
}

ApiOutcome Compilation::setPreference(int32_t preference) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (preference < ANEURALNETWORKS_PREFER_LOW_POWER || preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED)
    return badData(fmt::format("preference {}; it must be 0 to 2", preference));
  options_.preference = static_cast<hal::ExecutionPreference>(preference);
  return success();
}

ApiOutcome Compilation::setPriority(int priority) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (priority != ANEURALNETWORKS_PRIORITY_LOW && priority != ANEURALNETWORKS_PRIORITY_MEDIUM &&
      priority != ANEURALNETWORKS_PRIORITY_HIGH)
    return badData(fmt::format("priority {}; it must be 90, 100 or 110", priority));
  options_.priority = static_cast<hal::Priority>((priority - ANEURALNETWORKS_PRIORITY_LOW) / 10);
  return success();
}

ApiOutcome Compilation::setTimeout(uint64_t nanoseconds) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (!choseOneDevice())
    return badData("a time-out needs a compilation for exactly one device");
  options_.timeout.reset();
  if (nanoseconds != 0)
    options_.timeout = hal::Duration(std::min<uint64_t>(nanoseconds, hal::Duration::max().count()));
  return success();
}

ApiOutcome Compilation::setCaching(std::string folder, const uint8_t *token) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  CachePlace place;
  place.folder = std::move(folder);
  std::copy_n(token, place.token.size(), place.token.begin());
  options_.cache = std::move(place);
  return success();
}

ApiOutcome Compilation::setCachingFiles(std::span<const int> modelFiles, std::span<const int> dataFiles,
                                        const uint8_t *token) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (!choseOneDevice())
    return badData("cache files need a compilation for exactly one device");
  const Device &device = *options_.devices.front();
  const hal::NumberOfCacheFiles needed = device.hal()->numberOfCacheFilesNeeded();
  if (modelFiles.size() != needed.numModelCache || dataFiles.size() != needed.numDataCache)
    return badData(fmt::format("{} and {} cache files; device {} needs {} and {}", modelFiles.size(), dataFiles.size(),
                               device.name(), needed.numModelCache, needed.numDataCache));
  CachePlace place;
  place.files.emplace();
  AVOCET_ASSIGN_OR_RETURN(place.files->modelCache, duplicates(modelFiles));
  AVOCET_ASSIGN_OR_RETURN(place.files->dataCache, duplicates(dataFiles));
  std::copy_n(token, place.token.size(), place.token.begin());
  options_.cache = std::move(place);
  return success();
}

ApiOutcome Compilation::addHint(const std::string &extension, uint16_t code, std::span<const uint8_t> value) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (!choseOneDevice())
    return badData("an attribute of an extension needs a compilation for exactly one device");
  return addHintTo(options_.hints, options_.extensions, *options_.devices.front(), extension, code, value);
}

ApiOutcome Compilation::prepareModel() {
  AVOCET_ASSIGN_OR_RETURN(Preparation preparation, prepare(*model_, options_));
  prepared_ = std::move(preparation.model);
  onlyDevice_ = std::move(preparation.onlyDevice);
  memory_ = preparation.memory;
  hal::verbose(hal::VerboseTag::Compilation, "compiled for {}; {} of {} operations are not on the CPU",
               onlyDevice_ == nullptr ? "several devices" : onlyDevice_->name(), preparation.operationsOnDevice,
               model().main.operations.size());
  count(preparation.operationsOnDevice);
  return success();
}

ApiOutcome Compilation::finish() {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  isClosed_ = true;
  const DiagnosticTimer timer;
  ApiOutcome outcome = prepareModel();
  if (diagnostics::isEnabled())
    diagnostics::report({facts(), outcome.code(), timer.nanoseconds()});
  return outcome;
}

const CompilationFacts &Compilation::facts() const {
  std::call_once(hasFacts_, [this] {
    facts_.model = factsOf(model_->model);
    facts_.isCachingEnabled = options_.cache.has_value();
    for (const std::shared_ptr<Device> &device : options_.devices)
      if (onlyDevice_ == nullptr || device->hal() == onlyDevice_)
        facts_.deviceIds +=
            fmt::format("{}{}={}", facts_.deviceIds.empty() ? "" : ",", device->name(), device->version());
  });
  return facts_;
}

void Compilation::count(uint64_t operationsOnDevice) const {
  Counters &counters = Counters::instance();
  ++counters.compilations;
  counters.operations += model_->model.main.operations.size();
  counters.operationsOnDevice += operationsOnDevice;
}

ApiOutcome Compilation::checkUsable() const {
  if (prepared_ != nullptr)
    return success();
  return badState(isClosed_ ? "the compilation has failed" : "the compilation is not finished");
}

ApiOutcome Compilation::checkIndex(bool isOutput, uint32_t index) const {
  const hal::Subgraph &main = model().main;
  const size_t count = isOutput ? main.outputIndexes.size() : main.inputIndexes.size();
  if (index < count)
    return success();
  return badData(fmt::format("{} {} of a model with {}", isOutput ? "output" : "input", index, count));
}

ApiResult<uint32_t> Compilation::preferredAlignment(bool isOutput, uint32_t index) const {
  AVOCET_RETURN_IF_ERROR(checkUsable());
  AVOCET_RETURN_IF_ERROR(checkIndex(isOutput, index));
  return memory_.alignment;
}

ApiResult<uint32_t> Compilation::preferredPadding(bool isOutput, uint32_t index) const {
  AVOCET_RETURN_IF_ERROR(checkUsable());
  AVOCET_RETURN_IF_ERROR(checkIndex(isOutput, index));
  return memory_.padding;
}

ApiOutcome addHintTo(std::vector<hal::TokenValuePair> &hints, std::vector<hal::ExtensionNameAndPrefix> &extensions,
                     const Device &device, const std::string &extension, uint16_t code,
                     std::span<const uint8_t> value) {
  if (!device.supportsExtension(extension))
    return badData(fmt::format("device {} does not support the extension {}", device.name(), extension));
  AVOCET_ASSIGN_OR_RETURN(uint16_t prefix, prefixOf(extension));
  const auto token = static_cast<int32_t>(uint32_t{prefix} << 16 | code);
  if (std::ranges::any_of(hints, [&](const hal::TokenValuePair &hint) { return hint.token == token; }))
    return badData(fmt::format("attribute {} of extension {} is given twice", code, extension));
  hints.push_back({token, {value.begin(), value.end()}});
  if (std::ranges::find(extensions, prefix, &hal::ExtensionNameAndPrefix::prefix) == extensions.end())
    extensions.push_back({extension, prefix});
  return success();
}

} // namespace avocet::nnapi
