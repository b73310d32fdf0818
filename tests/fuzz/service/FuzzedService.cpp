//===- FuzzedService.cpp - The service under test ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzedService.h"

#include "OpenDescriptors.h"
#include "Require.h"
#include "SmallModels.h"

#include "avocet/hal/wire/Listener.h"

#include <filesystem>
#include <fmt/format.h>

namespace avocet::fuzz {
namespace {

using namespace std::chrono_literals;

hal::DriverOptions driverOptions(const std::string &target, const std::string &cache) {
  hal::DriverOptions options;
  options.target = target;
  options.cacheDirectory = cache;
  options.blobCacheBytes = uint64_t(1) << 24; // the models of the seeds are compiled once
  return options;
}

hal::Quotas smallQuotas() {
  hal::Quotas quotas;
  quotas.objects = 12;
  quotas.queueBursts = 2;
  quotas.callsInFlight = 8;
  quotas.callBytes = uint64_t(1) << 18;
  quotas.threads = 2;
  quotas.descriptors = 32;
  quotas.client.memoryBytes = uint64_t(1) << 22;
  quotas.client.cacheBytes = uint64_t(1) << 20;
  quotas.client.buffers = 4;
  quotas.client.preparedModels = 4;
  quotas.client.queuedExecutions = 8;
  quotas.client.awaitedFences = 8;
  quotas.bursts.clientTimeout = 20ms;
  quotas.bursts.maxSlots = 4;
  return quotas;
}

} // namespace

FuzzedService::FuzzedService() : FuzzedService({"e256s"}, smallQuotas()) {}

FuzzedService::FuzzedService(const std::vector<std::string> &targets, const hal::Quotas &quotas) {
  std::string pattern = std::filesystem::temp_directory_path() / "avocetFuzzServiceXXXXXX";
  require(::mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
  folder_ = pattern;
  path_ = folder_ + "/socket";
  std::vector<hal::ServedDevice> devices;
  for (const std::string &target : targets)
    devices.push_back(open(target));
  requireCompiler();
  auto listener = hal::Listener::listen(path_);
  require(listener.isOk(), listener ? "" : listener.error().message);
  service_ = std::make_unique<hal::Service>(std::move(*listener), std::move(devices), quotas);
  base_ = service_->counters().drivers;
}

hal::ServedDevice FuzzedService::open(const std::string &target) {
  const size_t index = drivers_.size();
  auto opened = hal::Driver::open(driverOptions(target, cacheFolder(index)));
  require(opened.isOk(), opened ? "" : opened.error().message);
  drivers_.push_back(*opened);
  auto connect = [driver = *opened](const hal::ClientOptions &options) { return driver->connect(options); };
  auto counters = [driver = *opened] { return driver->counters(); };
  return {index == 0 ? kDeviceName : kDeviceName + std::to_string(index), connect, counters};
}

std::shared_ptr<hal::ClientDevice> FuzzedService::connect(size_t device) const {
  auto client = drivers_[device]->connect({});
  require(client.isOk(), client ? "" : client.error().message);
  return *client;
}

/// Fails if the compiler cannot be loaded. Otherwise every preparation would fail and the target would find nothing.
void FuzzedService::requireCompiler() const {
  auto prepared = connect(0)->prepareModel(hal::testing::addModel({4}), {});
  require(prepared.isOk(), prepared ? "" : prepared.error().message);
}

FuzzedService::~FuzzedService() {
  service_.reset();
  std::filesystem::remove_all(folder_);
}

std::string FuzzedService::leftOver() const {
  const hal::ServiceCounters now = service_->counters();
  if (now.clientsNow + now.objectsNow + now.buffersNow + now.burstsNow + now.descriptorsNow > 0)
    return fmt::format("{} clients, {} objects, {} buffers, {} bursts, {} descriptors", now.clientsNow, now.objectsNow,
                       now.buffersNow, now.burstsNow, now.descriptorsNow);
  const hal::DriverCounters &driver = now.drivers;
  if (driver.clients > base_.clients || driver.preparedModels > base_.preparedModels ||
      driver.buffers > base_.buffers || driver.executions > base_.executions || driver.memoryBytes > base_.memoryBytes)
    return fmt::format("in the driver {} clients, {} models, {} buffers, {} executions, {} bytes", driver.clients,
                       driver.preparedModels, driver.buffers, driver.executions, driver.memoryBytes);
  return "";
}

void FuzzedService::inputHasEnded() const {
  requireNothingLeft([this] { return leftOver(); });
}

} // namespace avocet::fuzz
