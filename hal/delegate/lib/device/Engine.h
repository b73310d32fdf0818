//===- Engine.h - A device and the compiler that judges for it - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An embedded device, or one of a service. Networks reach both through the extension of
// avocet/hal/driver/TfliteExtension.h. Which operators a target can run is asked of the compiler in this process.
//
// Threads: any.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_DEVICE_ENGINE_H
#define AVOCET_HAL_DELEGATE_LIB_DEVICE_ENGINE_H

#include "avocet/cache/PrivateDirectory.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/hal/types/Interfaces.h"
#include "device/Judgement.h"
#include "options/Options.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace avocet::delegate {

/// A network for the device: the file, and how a model of the HAL declares its inputs and outputs, states last.
struct Network {
  std::vector<uint8_t> file;
  std::vector<hal::Operand> inputs, outputs;
};

using Prepared = std::shared_ptr<hal::IPreparedModel>;

class Engine {
public:
  /// Errors say which device or service is missing, and what to do.
  static Result<std::unique_ptr<Engine>> open(const Options &options);

  const std::string &deviceName() const { return device_->name(); }
  const std::string &target() const { return target_; }

  /// Whether the target can run a network. An error: the compiler cannot be asked.
  Result<Judgement> judge(std::span<const uint8_t> file);

  /// Compiles, or returns what the same network gave before.
  Result<Prepared> prepare(Network network);

  /// Names of the layers that lastProfile() counts, by number; empty if there are no profiles. Compiles the network.
  std::vector<std::string> layerNames(std::span<const uint8_t> file);

  /// The profile of the last run of any network; empty without Options::profile and for devices of a service.
  std::optional<firmware::JobProfile> lastProfile() const;
  bool hasProfiles() const { return !options_.profile.empty() && !options_.isProfileJson() && options_.socket.empty(); }

  /// Networks that were compiled or read from a cache.
  uint64_t numPrepared() const;

private:
  explicit Engine(Options options) : options_(std::move(options)) {}
  Status openEmbedded();
  Status openServed();
  Result<compiler::LoadedCompiler> loadedCompiler();
  Prepared findKept(const cache::Digest &key);
  Result<Judgement> askCompiler(std::span<const uint8_t> file);
  Result<Prepared> prepareAnew(Network network);

  const Options options_;
  std::string target_;
  std::shared_ptr<hal::IDevice> device_;
  std::unique_ptr<DiskCache> disk_; ///< null: none

  mutable std::mutex mutex_; ///< guards the members below
  std::optional<compiler::LoadedCompiler> compiler_;
  std::list<std::pair<cache::Digest, Prepared>> kept_; ///< most recently used first; keys are hashes with keptSecret_
  cache::Digest keptSecret_{};
  firmware::JobProfile profile_;
  bool hasProfile_ = false;
  uint64_t numPrepared_ = 0;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_DEVICE_ENGINE_H
