//===- World.cpp - Performs a program on all layers --------------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "OpenDescriptors.h"
#include "Program.h"
#include "Require.h"

#include "avocet/hal/ipc/Client.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::fuzz {

void expectStatus(const char *call, hal::ErrorStatus status, const std::string &message, const Statuses &allowed) {
  require(std::ranges::find(allowed, status) != allowed.end(),
          fmt::format("{}: {} {}", call, hal::toString(status), message));
}

hal::IDevice &World::device(size_t connection) {
  std::shared_ptr<hal::IDevice> &device = devices_[connection];
  if (device != nullptr)
    return *device;
  if (connection == kServedConnection) {
    auto connected = hal::connectDevice(service_.path(), kDeviceName);
    require(connected.isOk(), connected ? "" : connected.error().message);
    device = *connected;
  } else {
    device = service_.connect(driverOf(connection));
  }
  return *device;
}

void World::freeSomething() {
  auto drop = [this](auto &table) {
    if (!table.empty())
      table.erase(table.begin() + bytes_.below(static_cast<uint32_t>(table.size())));
  };
  switch (bytes_.below(5)) {
  case 0:
    return drop(models_);
  case 1:
    return drop(buffers_);
  case 2:
    return drop(bursts_);
  case 3:
    return drop(reusables_);
  default:
    return drop(caches_);
  }
}

const std::vector<World::Step> World::kSteps = {
    {"prepareModel", &World::prepareModel},
    {"prepareModel", &World::prepareModel},
    {"prepareWithCache", &World::prepareWithCache},
    {"loadFromCache", &World::loadFromCache},
    {"loadWhileFilesChange", &World::loadWhileFilesChange},
    {"damageCache", &World::damageCache},
    {"damageBlobs", &World::damageBlobs},
    {"allocateBuffer", &World::allocateBuffer},
    {"allocateBuffer", &World::allocateBuffer},
    {"copyIn", &World::copyIn},
    {"copyIn", &World::copyIn},
    {"copyOut", &World::copyOut},
    {"run", &World::runAtOnce},
    {"run", &World::runAtOnce},
    {"run", &World::runAtOnce},
    {"runAsynchronously", &World::runAsynchronously},
    {"openBurst", &World::openBurst},
    {"runBurst", &World::runBurst},
    {"runBurst", &World::runBurst},
    {"runBurstWithStaleIdentifier", &World::runBurstWithStaleIdentifier},
    {"releaseIdentifier", &World::releaseIdentifier},
    {"makeReusable", &World::makeReusable},
    {"runReusable", &World::runReusable},
    {"makeGate", &World::makeGate},
    {"decideGate", &World::decideGate},
    {"launchFenced", &World::launchFenced},
    {"launchFenced", &World::launchFenced},
    {"launchFenced", &World::launchFenced},
    {"launchReusable", &World::launchReusable},
    {"settle", &World::settleOne},
    {"free", &World::freeSomething},
};

void World::run() {
  constexpr int kMaxSteps = 60;
  for (int count = 0; count < kMaxSteps && !bytes_.isAtEnd(); ++count) {
    const Step &step = bytes_.pick(kSteps);
    watchdog_.begins(step.name);
    (this->*step.perform)();
  }
}

World::~World() {
  watchdog_.begins("the end of the program");
  while (!flights_.empty())
    settle(flights_.back());
}

void prepareProcess() { setenv("AVOCET_LOG", "off", 0); }

namespace {

/// Programs stay below all quotas: a refusal would be an error of the stack.
const FuzzedService &service() {
  static const FuzzedService service({"e256s", "m512"}, hal::Quotas());
  return service;
}

} // namespace

void performProgram(std::span<const uint8_t> bytes) {
  // Below libFuzzer's own limit, so that the step is named.
  static Watchdog watchdog(std::chrono::seconds(50));
  static OpenDescriptors descriptors;
  descriptors.requireNoLeak([&] {
    World(Bytes(bytes), service(), watchdog).run();
    watchdog.begins("the release of the program's objects");
    service().inputHasEnded();
    watchdog.begins(nullptr);
  });
}

} // namespace avocet::fuzz
