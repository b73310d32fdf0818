//===- ServedSession.h - One model on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDSESSION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDSESSION_H

#include "Session.h"
#include "avocet/base/File.h"
#include "avocet/hal/Interfaces.h"

namespace avocet::tool {

/// Where a driver service listens, and the device of it.
struct ServedDeviceName {
  std::string socket;
  std::string device;
};

/// The target that a device is named after ("avocet-e256": e256). NotFound if no profile has the name.
Result<std::string> targetOfDevice(const std::string &device);

/// As Session, on a device of a driver service. The network travels there whole, in the TFLite extension, and is
/// compiled there; the artefacts that the caller has compiled say what its inputs, outputs and layers are. Not for use
/// from several threads.
class ServedSession {
public:
  /// `file`: the .tflite file's bytes.
  static Result<std::unique_ptr<ServedSession>> open(const LoadedModel &model, std::span<const uint8_t> file,
                                                     const ServedDeviceName &name);

  const cache::ModelCache &model() const { return *model_; }
  runtime::DeviceProperties properties(const LoadedModel &model) const;

  std::span<uint8_t> input(size_t index) { return bytesOf(request_.inputs[index]); }
  std::span<const uint8_t> output(size_t index) const { return bytesOf(request_.outputs[index]); }

  /// Cycles are those of the time on the device that the driver reports; there is no profile.
  Result<RunRecord> run();

  double prepareMs() const { return prepareMs_; }
  double driverMs() const { return driverMs_; } ///< of the last run

private:
  Status makePool();
  std::span<uint8_t> bytesOf(const hal::RequestArgument &argument) const;

  std::shared_ptr<const cache::ModelCache> model_;
  std::shared_ptr<const firmware::Target> target_;
  std::string device_;
  std::shared_ptr<hal::IPreparedModel> prepared_;
  hal::Request request_;
  mutable Mapping pool_;
  double prepareMs_ = 0;
  double driverMs_ = 0;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDSESSION_H
