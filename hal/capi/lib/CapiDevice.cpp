//===- CapiDevice.cpp - A device of an NNAPI C library ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/capi/CapiDevice.h"

#include "Api.h"
#include "DeviceFacts.h"
#include "PreparedModel.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace avocet::hal::capi {
namespace {

/// The C library loads a model from cache files only if it gets the model too. A model is kept as long as the caller
/// holds its first cache file. Thread-safe.
class CachedModels {
public:
  void add(const CacheFiles &files, const Model &model);
  /// Null: no model was saved to these files.
  std::shared_ptr<const Model> find(const CacheFiles &files) const;

private:
  struct Entry {
    std::weak_ptr<const FileDescriptor> file;
    std::shared_ptr<const Model> model;
  };
  mutable std::mutex mutex_;
  std::map<CacheToken, Entry> entries_;
};

/// Tells whether files were written between two moments.
class WriteWatch {
public:
  /// Sets the times of the files to the past, so that any write changes them.
  static Result<WriteWatch> begin(const CacheFiles &files);
  Result<bool> wasWritten() const;

private:
  explicit WriteWatch(std::vector<SharedHandle> files) : files_(std::move(files)) {}
  std::vector<SharedHandle> files_;
};

/// The year 2001, in seconds.
constexpr time_t kPast = 1'000'000'000;

SharedHandle firstFile(const CacheFiles &files) {
  const auto &list = files.modelCache.empty() ? files.dataCache : files.modelCache;
  return list.empty() ? nullptr : list.front();
}

void CachedModels::add(const CacheFiles &files, const Model &model) {
  auto kept = std::make_shared<const Model>(model);
  std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto &entry) { return entry.second.file.expired(); });
  entries_[files.token] = {firstFile(files), std::move(kept)};
}

std::shared_ptr<const Model> CachedModels::find(const CacheFiles &files) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(files.token);
  if (found == entries_.end() || found->second.file.lock() != firstFile(files))
    return nullptr;
  return found->second.model;
}

Result<WriteWatch> WriteWatch::begin(const CacheFiles &files) {
  std::vector<SharedHandle> all = files.modelCache;
  all.insert(all.end(), files.dataCache.begin(), files.dataCache.end());
  const std::array<timespec, 2> times = {timespec{kPast, 0}, timespec{kPast, 0}};
  for (const SharedHandle &file : all)
    if (!file || ::futimens(file->get(), times.data()) != 0)
      return invalidArgument("a cache file is closed, or its times cannot be set");
  return WriteWatch(std::move(all));
}

Result<bool> WriteWatch::wasWritten() const {
  for (const SharedHandle &file : files_) {
    struct stat facts = {};
    if (::fstat(file->get(), &facts) != 0)
      return generalFailure("a cache file cannot be examined");
    if (facts.st_mtim.tv_sec != kPast)
      return true;
  }
  return false;
}

} // namespace

} // namespace avocet::hal::capi

namespace avocet::hal {
namespace capi {
namespace {

/// To load a model while a driver may still add the program of an execution to its cache files, in the background.
constexpr int kAttempts = 3;

/// Whether executions of the model may have programs of their own.
bool isSpecialized(const Model &model) {
  auto isOpen = [](const Subgraph &graph) { return !std::ranges::all_of(graph.operands, isFullySpecified); };
  return isOpen(model.main) || std::ranges::any_of(model.referenced, isOpen);
}

constexpr int32_t kLowestPriority = ANEURALNETWORKS_PRIORITY_LOW;
constexpr const char *kCpuDevice = "nnapi-reference";
constexpr int32_t kPriorityStep = ANEURALNETWORKS_PRIORITY_MEDIUM - ANEURALNETWORKS_PRIORITY_LOW;

class Device : public DescribedDevice {
public:
  Device(SharedApi api, const ANeuralNetworksDevice *device, DeviceDescription description)
      : DescribedDevice(std::move(description)), api_(std::move(api)), device_(device) {}

  DeviceStatus status() const override { return DeviceStatus::Unknown; }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override;
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override;
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override;
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override;
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override;

private:
  Result<OwnedCompilation> compile(const BuiltModel &model, const PrepareOptions &options) const;
  Outcome checkValid(const BuiltModel &built, size_t count) const;
  Outcome setCaching(ANeuralNetworksCompilation *compilation, const CacheFiles &cache) const;
  Outcome addRole(ANeuralNetworksMemoryDesc *descriptor, const BufferRole &role, bool isInput) const;

  const SharedApi api_;
  const ANeuralNetworksDevice *device_;
  const std::shared_ptr<BufferTable> buffers_ = std::make_shared<BufferTable>();
  CachedModels cachedModels_;
};

Unsupported reasonFor(const Model &model, size_t index) {
  return {fmt::format("operation {} {}", index, operationName(model.main.operations[index].type)), "the model",
          "not supported by the device", "refused", "the C library gives no reasons"};
}

/// One flag for each operation of the main subgraph.
Result<std::vector<bool>> askSupport(const Api &api, const ANeuralNetworksDevice *device, const BuiltModel &built,
                                     size_t count) {
  const auto flags = std::make_unique<bool[]>(count); // a vector of bool has no array of bool
  AVOCET_RETURN_IF_ERROR(
      check(api.table->ANeuralNetworksModel_getSupportedOperationsForDevices(built.main.get(), &device, 1, flags.get()),
            "Model_getSupportedOperationsForDevices"));
  return std::vector<bool>(flags.get(), flags.get() + count);
}

bool hasNone(const std::vector<bool> &supported) { return std::ranges::find(supported, true) == supported.end(); }

/// The C interface says "not supported" of an invalid model too. The CPU supports every operation, so that a model of
/// which it supports none is invalid.
Outcome Device::checkValid(const BuiltModel &built, size_t count) const {
  AVOCET_ASSIGN_OR_RETURN(const ANeuralNetworksDevice *cpu, findDevice(*api_, kCpuDevice));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<bool> supported, askSupport(*api_, cpu, built, count));
  return hasNone(supported) ? invalidArgument("the model breaks a rule: not even the CPU supports an operation of it")
                            : success();
}

Result<SupportedOperations> Device::getSupportedOperations(const Model &model) const {
  AVOCET_ASSIGN_OR_RETURN(const BuiltModel built, buildModel(*api_, model));
  const size_t count = model.main.operations.size();
  SupportedOperations answer;
  AVOCET_ASSIGN_OR_RETURN(answer.supported, askSupport(*api_, device_, built, count));
  if (hasNone(answer.supported))
    AVOCET_RETURN_IF_ERROR(checkValid(built, count));
  for (size_t i = 0; i < count; ++i)
    answer.reasons.push_back(answer.supported[i] ? Unsupported() : reasonFor(model, i));
  return answer;
}

Outcome Device::setCaching(ANeuralNetworksCompilation *compilation, const CacheFiles &cache) const {
  const auto numbersOf = [](const std::vector<SharedHandle> &files) {
    std::vector<int> numbers;
    for (const SharedHandle &file : files)
      numbers.push_back(file ? file->get() : -1);
    return numbers;
  };
  const std::vector<int> modelCache = numbersOf(cache.modelCache);
  const std::vector<int> dataCache = numbersOf(cache.dataCache);
  return check(api_->table->SL_ANeuralNetworksCompilation_setCachingFromFds(
                   compilation, modelCache.data(), static_cast<uint32_t>(modelCache.size()), dataCache.data(),
                   static_cast<uint32_t>(dataCache.size()), cache.token.data()),
               "Compilation_setCachingFromFds");
}

Result<OwnedCompilation> Device::compile(const BuiltModel &model, const PrepareOptions &options) const {
  const NnApiSLDriverImplFL7 &table = *api_->table;
  if (!options.hints.empty())
    return invalidArgument("hints cannot be passed to the C library");
  AVOCET_ASSIGN_OR_RETURN(
      OwnedCompilation made,
      createObject<ANeuralNetworksCompilation>(table.ANeuralNetworksCompilation_free, "Compilation_createForDevices",
                                               [&](ANeuralNetworksCompilation **compilation) {
                                                 return table.ANeuralNetworksCompilation_createForDevices(
                                                     model.main.get(), &device_, 1, compilation);
                                               }));
  AVOCET_RETURN_IF_ERROR(
      check(table.ANeuralNetworksCompilation_setPreference(made.get(), static_cast<int32_t>(options.preference)),
            "Compilation_setPreference"));
  AVOCET_RETURN_IF_ERROR(
      check(table.ANeuralNetworksCompilation_setPriority(
                made.get(), kLowestPriority + kPriorityStep * static_cast<int32_t>(options.priority)),
            "Compilation_setPriority"));
  AVOCET_ASSIGN_OR_RETURN(const uint64_t timeout, timeUntil(options.deadline));
  AVOCET_RETURN_IF_ERROR(
      check(table.ANeuralNetworksCompilation_setTimeout(made.get(), timeout), "Compilation_setTimeout"));
  if (options.cache.areGiven())
    (void)setCaching(made.get(), options.cache); // bad cache arguments never fail a preparation
  AVOCET_RETURN_IF_ERROR(check(table.ANeuralNetworksCompilation_finish(made.get()), "Compilation_finish"));
  return made;
}

std::vector<Operand> operandsOf(const Subgraph &main, const std::vector<uint32_t> &indexes) {
  std::vector<Operand> operands;
  for (uint32_t index : indexes)
    operands.push_back(main.operands[index]); // the library has checked the indexes
  return operands;
}

Result<std::shared_ptr<IPreparedModel>> Device::prepareModel(const Model &model, const PrepareOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(BuiltModel built, buildModel(*api_, model));
  AVOCET_ASSIGN_OR_RETURN(OwnedCompilation compilation, compile(built, options));
  if (options.cache.areGiven())
    cachedModels_.add(options.cache, model);
  auto compiled = std::make_shared<const CompiledModel>(
      CompiledModel{api_, buffers_, std::move(built), std::move(compilation),
                    operandsOf(model.main, model.main.inputIndexes), operandsOf(model.main, model.main.outputIndexes)});
  return std::shared_ptr<IPreparedModel>(std::make_shared<PreparedModel>(std::move(compiled)));
}

ErrorStatus Device::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                               PreparedModelCallback callback) {
  auto prepared = prepareModel(model, options);
  callback(prepared.code(), prepared ? *prepared : nullptr);
  return prepared.code();
}

Result<std::shared_ptr<IPreparedModel>> Device::prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                      const CacheFiles &cache) {
  const std::shared_ptr<const Model> model = cachedModels_.find(cache);
  if (!model)
    return generalFailure("no model was prepared with these cache files; the C library needs the model too");
  PrepareOptions options;
  options.deadline = deadline;
  options.cache = cache;
  for (int attempts = isSpecialized(*model) ? kAttempts : 1; attempts > 0; --attempts) {
    AVOCET_ASSIGN_OR_RETURN(const WriteWatch watch, WriteWatch::begin(cache));
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IPreparedModel> prepared, prepareModel(*model, options));
    AVOCET_ASSIGN_OR_RETURN(const bool wasWritten, watch.wasWritten());
    if (!wasWritten)
      return prepared;
  }
  return generalFailure("the C library compiled the model again instead of reading its cache files");
}

Outcome Device::addRole(ANeuralNetworksMemoryDesc *descriptor, const BufferRole &role, bool isInput) const {
  const auto *prepared = dynamic_cast<const PreparedModel *>(role.model.get());
  if (!prepared)
    return invalidArgument("the model of a role is null or of another device");
  const ANeuralNetworksCompilation *compilation = prepared->model()->compilation.get();
  const NnApiSLDriverImplFL7 &table = *api_->table;
  return check((isInput ? table.ANeuralNetworksMemoryDesc_addInputRole : table.ANeuralNetworksMemoryDesc_addOutputRole)(
                   descriptor, compilation, role.ioIndex, role.probability),
               isInput ? "MemoryDesc_addInputRole" : "MemoryDesc_addOutputRole");
}

Result<std::shared_ptr<IBuffer>> Device::allocate(const std::vector<uint32_t> &dimensions,
                                                  const std::vector<BufferRole> &inputRoles,
                                                  const std::vector<BufferRole> &outputRoles) {
  const NnApiSLDriverImplFL7 &table = *api_->table;
  AVOCET_ASSIGN_OR_RETURN(auto descriptor, createObject(table.ANeuralNetworksMemoryDesc_free, "MemoryDesc_create",
                                                        table.ANeuralNetworksMemoryDesc_create));
  for (const BufferRole &role : inputRoles)
    AVOCET_RETURN_IF_ERROR(addRole(descriptor.get(), role, true));
  for (const BufferRole &role : outputRoles)
    AVOCET_RETURN_IF_ERROR(addRole(descriptor.get(), role, false));
  if (!dimensions.empty())
    AVOCET_RETURN_IF_ERROR(check(table.ANeuralNetworksMemoryDesc_setDimensions(
                                     descriptor.get(), static_cast<uint32_t>(dimensions.size()), dimensions.data()),
                                 "MemoryDesc_setDimensions"));
  AVOCET_RETURN_IF_ERROR(check(table.ANeuralNetworksMemoryDesc_finish(descriptor.get()), "MemoryDesc_finish"));
  AVOCET_ASSIGN_OR_RETURN(OwnedMemory memory,
                          createObject<ANeuralNetworksMemory>(table.ANeuralNetworksMemory_free, "Memory_createFromDesc",
                                                              [&](ANeuralNetworksMemory **made) {
                                                                return table.ANeuralNetworksMemory_createFromDesc(
                                                                    descriptor.get(), made);
                                                              }));
  return makeBuffer(api_, buffers_, SharedApiMemory(std::move(memory)));
}

} // namespace
} // namespace capi

Result<std::shared_ptr<IDevice>> openCapiDevice(const CapiOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(capi::SharedApi api, capi::Api::load(options.library));
  AVOCET_ASSIGN_OR_RETURN(const ANeuralNetworksDevice *device, capi::findDevice(*api, options.device));
  AVOCET_ASSIGN_OR_RETURN(DeviceDescription description, capi::readDescription(*api, device));
  return std::shared_ptr<IDevice>(std::make_shared<capi::Device>(std::move(api), device, std::move(description)));
}

} // namespace avocet::hal
