//===- Engine.cpp - A device and the compiler that judges for it - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/plugin/Engine.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Trace.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/hal/driver/CarriedNetwork.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/ErrorText.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

namespace avocet::plugin {
namespace {

constexpr size_t kMaxKept = 16; ///< compiled networks
constexpr uint64_t kCacheBytes = uint64_t{1} << 30;
constexpr std::chrono::milliseconds kServicePatience = std::chrono::seconds(5);
constexpr std::chrono::milliseconds kReturnPatience =
    std::chrono::seconds(2); ///< of a call, for a service that has ended
constexpr std::string_view kDevicePrefix = "avocet-";

/// The compiler lies beside this library. Empty: it does not, and the loader looks elsewhere.
std::string compilerLibrary() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&compilerLibrary), &info) == 0 || info.dli_fname == nullptr)
    return "";
  const std::filesystem::path path = std::filesystem::path(info.dli_fname).parent_path() / "libavocetCompiler.so";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path.string() : "";
}

hal::Model modelOf(Network network) {
  hal::CarriedNetwork carried;
  carried.format =
      network.format == compiler::InputFormat::Onnx ? hal::CarriedFormat::Onnx : hal::CarriedFormat::Tflite;
  carried.file = std::move(network.file);
  if (network.constants != nullptr) {
    carried.constants = network.constants->memory();
    carried.constantBytes = network.constants->size();
  }
  carried.inputs = std::move(network.inputs);
  carried.outputs = std::move(network.outputs);
  return hal::carriedModel(std::move(carried));
}

template <typename Request> Request requestFor(const std::string &target, const NetworkView &network) {
  Request request;
  request.modelPath = "network";
  request.modelBytes = network.file;
  request.pools = network.pools;
  request.format = network.format;
  request.target = target;
  return request;
}

} // namespace

NetworkView Network::view() const {
  NetworkView view{format, file};
  if (constants != nullptr)
    view.pools = {{constants->data(), constants->size()}};
  return view;
}

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions &options) {
  std::unique_ptr<Engine> engine(new Engine(options));
  AVOCET_ASSIGN_OR_RETURN(engine->keptSecret_, cache::randomKey());
  const bool isServed = !options.socket.empty();
  AVOCET_RETURN_IF_ERROR(isServed ? engine->openServed() : engine->openEmbedded());
  if (options.cacheFolder.empty())
    return engine;
  const std::string generation = fmt::format("{} {}", engine->target_, engine->device_->versionString());
  auto disk = DiskCache::open(options.cacheFolder, generation);
  if (!disk)
    return Status(disk.status()).withContext("option cache_dir");
  engine->disk_ = std::move(*disk);
  return engine;
}

Status Engine::openEmbedded() {
  target_ = options_.device;
  hal::DriverOptions options;
  options.target = target_;
  options.backend = options_.backend.empty() ? knobText(knobs::kBackend) : options_.backend;
  options.compilerLibrary = compilerLibrary();
  options.cacheDirectory = options_.cacheFolder;
  options.trace = Trace::active() != nullptr;
  options.blobCacheBytes = options_.cacheFolder.empty() ? 0 : kCacheBytes;
  if (hasProfiles())
    options.profileSink = [this](const firmware::JobProfile &profile) {
      std::lock_guard lock(mutex_);
      profile_ = profile;
      hasProfile_ = true;
    };
  auto device = hal::openDevice(options);
  if (!device)
    return toStatus(device.error())
        .withContext(fmt::format("the embedded device '{}' cannot be opened (option device is a name that 'avocet "
                                 "targets' lists, or a target file)",
                                 target_));
  device_ = std::move(*device);
  return Status::ok();
}

Status Engine::openServed() {
  const std::string &name = options_.device;
  target_ = hal::deviceNameIn(name.starts_with(kDevicePrefix) ? name.substr(kDevicePrefix.size()) : name);
  auto all = hal::findDevices(options_.socket, kServicePatience);
  if (!all)
    return toStatus(all.error())
        .withContext(fmt::format("no service answers at '{}' (start one: avocetd --socket {} --target {}; without "
                                 "option socket an embedded device is used)",
                                 options_.socket, options_.socket, target_));
  const hal::FoundDevice *found = hal::deviceIn(*all, name);
  if (found == nullptr)
    found = hal::deviceIn(*all, fmt::format("{}{}", kDevicePrefix, name));
  if (found == nullptr)
    return notFound(hal::absenceOf(options_.socket, name, *all));
  hal::ResilientOptions options;
  options.connect.patience = kServicePatience;
  options.patience = kReturnPatience;
  auto device = hal::connectResilientDevice(*found, options);
  if (!device)
    return toStatus(device.error()).withContext(fmt::format("device '{}' at '{}'", found->name, options_.socket));
  device_ = std::move(*device);
  return Status::ok();
}

Result<compiler::LoadedCompiler> Engine::loadedCompiler() {
  std::lock_guard lock(mutex_);
  if (!compiler_) {
    AVOCET_ASSIGN_OR_RETURN(compiler_, compiler::LoadedCompiler::load(compilerLibrary()));
  }
  return *compiler_;
}

std::vector<std::string> Engine::layerNames(std::span<const uint8_t> file) {
  std::vector<std::string> names;
  if (!hasProfiles())
    return names;
  Result<compiler::LoadedCompiler> compiler = loadedCompiler();
  if (!compiler)
    return names;
  const compiler::CompileResult result =
      compiler->compile(requestFor<compiler::CompileRequest>(target_, {compiler::InputFormat::Tflite, file}));
  std::vector<uint8_t> bytes(result.modelCache.begin(), result.modelCache.end());
  const auto model = cache::ModelCache::adopt(std::move(bytes), "network");
  for (size_t i = 0; model && i < (*model)->numLayers(); ++i)
    names.emplace_back((*model)->layer(i).name);
  return names;
}

Result<Judgment> Engine::askCompiler(const NetworkView &network) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, loadedCompiler());
  const compiler::Verdict result = compiler.judge(requestFor<compiler::JudgeRequest>(target_, network));
  if (result.status.code() == StatusCode::Internal && result.refusals.empty())
    hal::noteCompilerError("plug-in", fmt::format("support query for {}", target_), result.status.message());
  return judgmentOf(result);
}

Result<Judgment> Engine::judge(const NetworkView &network) {
  if (disk_ == nullptr)
    return askCompiler(network);
  std::vector<std::span<const uint8_t>> parts = {network.file};
  parts.insert(parts.end(), network.pools.begin(), network.pools.end());
  const cache::BlobKey key = disk_->keyOf(parts);
  if (std::optional<Judgment> found = disk_->find(key))
    return std::move(*found);
  AVOCET_ASSIGN_OR_RETURN(Judgment judgment, askCompiler(network));
  disk_->keep(key, judgment);
  return judgment;
}

Prepared Engine::findKept(const cache::Digest &key) {
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, key, &std::pair<cache::Digest, Prepared>::first);
  if (found == kept_.end())
    return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return kept_.front().second;
}

Result<Prepared> Engine::prepareAnew(Network network) {
  hal::PrepareOptions options;
  options.priority = options_.priority;
  hal::Model model = modelOf(std::move(network));
  model.relaxComputationFloat32toFloat16 = options_.allowsFloat16;
  auto prepared = device_->prepareModel(model, options);
  if (!prepared)
    return toStatus(prepared.error());
  return std::move(*prepared);
}

Result<Prepared> Engine::prepare(Network network) {
  const uint8_t priority = static_cast<uint8_t>(options_.priority), relaxed = options_.allowsFloat16;
  const NetworkView view = network.view();
  const std::span<const uint8_t> constants = view.pools.empty() ? std::span<const uint8_t>() : view.pools[0];
  const cache::Digest key = cache::digestOf(keptSecret_, {{&priority, 1}, {&relaxed, 1}, network.file, constants});
  if (Prepared kept = findKept(key))
    return kept;
  AVOCET_ASSIGN_OR_RETURN(Prepared prepared, prepareAnew(std::move(network)));
  std::lock_guard lock(mutex_);
  ++numPrepared_;
  kept_.emplace_front(key, prepared);
  if (kept_.size() > kMaxKept)
    kept_.pop_back();
  return prepared;
}

std::optional<firmware::JobProfile> Engine::lastProfile() const {
  std::lock_guard lock(mutex_);
  return hasProfile_ ? std::optional(profile_) : std::nullopt;
}

uint64_t Engine::numPrepared() const {
  std::lock_guard lock(mutex_);
  return numPrepared_;
}

} // namespace avocet::plugin
