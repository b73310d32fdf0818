//===- Engine.h - A device and the compiler that judges for it - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An embedded device, or one of a service. Networks reach both through the extension of their format
// (avocet/hal/driver/TfliteExtension.h, OnnxExtension.h). Which operators a target can run is asked of the compiler in
// this process.
//
// Threads: any.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_ENGINE_H
#define AVOCET_HAL_PLUGIN_ENGINE_H

#include "avocet/cache/PrivateDirectory.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/hal/plugin/Area.h"
#include "avocet/hal/plugin/Judgment.h"
#include "avocet/hal/types/Interfaces.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace avocet::plugin {

/// What the application asks for; names and values as plug-ins document them.
struct EngineOptions {
  std::string device;  ///< a target of the embedded device (e256), or with `socket` a device of the service
  std::string backend; ///< of the embedded device, see DriverOptions; empty: that of knob AVOCET_BACKEND
  std::string socket;  ///< where a service listens, or a registry; empty: an embedded device
  hal::Priority priority = hal::Priority::Medium;
  std::string cacheFolder; ///< made if its parent exists; empty: none
  bool allowsFloat16 = false;
  bool hasProfiles = false; ///< of the embedded device
};

/// A network in the format of a file. `pools`: see compiler::ModelRequest.
struct NetworkView {
  compiler::InputFormat format = compiler::InputFormat::Tflite;
  std::span<const uint8_t> file;
  std::vector<std::span<const uint8_t>> pools = {};
};

/// A network for the device: the file, pool 0 of its constants (null: none), and how a model of the HAL declares its
/// inputs and outputs, states last.
struct Network {
  compiler::InputFormat format = compiler::InputFormat::Tflite;
  std::vector<uint8_t> file;
  std::shared_ptr<Area> constants;
  std::vector<hal::Operand> inputs, outputs;

  NetworkView view() const;
};

using Prepared = std::shared_ptr<hal::IPreparedModel>;

class Engine {
public:
  /// Errors say which device or service is missing, and what to do.
  static Result<std::unique_ptr<Engine>> open(const EngineOptions &options);

  const std::string &deviceName() const { return device_->name(); }
  const std::string &target() const { return target_; }

  /// Whether the target can run a network. An error: the compiler cannot be asked.
  Result<Judgment> judge(const NetworkView &network);

  /// Compiles, or returns what the same network gave before.
  Result<Prepared> prepare(Network network);

  /// Names of the layers that lastProfile() counts, by number; empty if there are no profiles. Compiles the network.
  std::vector<std::string> layerNames(std::span<const uint8_t> file);

  /// The profile of the last run of any network; empty unless hasProfiles().
  std::optional<firmware::JobProfile> lastProfile() const;
  bool hasProfiles() const { return options_.hasProfiles && options_.socket.empty(); }

  /// Networks that were compiled or read from a cache.
  uint64_t numPrepared() const;

private:
  explicit Engine(EngineOptions options) : options_(std::move(options)) {}
  Status openEmbedded();
  Status openServed();
  Result<compiler::LoadedCompiler> loadedCompiler();
  Prepared findKept(const cache::Digest &key);
  Result<Judgment> askCompiler(const NetworkView &network);
  Result<Prepared> prepareAnew(Network network);

  const EngineOptions options_;
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

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_ENGINE_H
