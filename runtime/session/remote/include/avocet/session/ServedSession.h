//===- ServedSession.h - One model on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_SERVEDSESSION_H
#define AVOCET_SESSION_SERVEDSESSION_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/session/HalRequest.h"
#include "avocet/session/ServedOptions.h"
#include "avocet/session/Session.h"

namespace avocet::session {

/// InvalidArgument: options that exclude each other.
Status checkOptions(const ServedOptions &options);

/// "low", "medium", "high".
std::string_view priorityName(hal::Priority priority);
/// As the option of the command accepts it.
std::string_view preferenceName(hal::ExecutionPreference preference);

/// The target in a device's name ("avocet-e256": e256). NotFound if there is no profile of that name.
Result<std::string> targetOfDevice(const std::string &device);

/// The whole network is sent to the service, in the TFLite extension, and is compiled there. The artefacts that the
/// caller has compiled describe its inputs, outputs and layers. The service keeps no states between runs.
class ServedSession final : public ModelSession {
public:
  /// `file`: of the model.
  static Result<std::unique_ptr<ServedSession>> open(const LoadedModel &model, const NetworkFile &file,
                                                     const ServedOptions &options);

  /// The same on a device that the caller has opened, also one of this process.
  static Result<std::unique_ptr<ServedSession>> openOn(hal::IDevice &device, const LoadedModel &model,
                                                       const NetworkFile &file, const ServedOptions &options);

  runtime::DeviceProperties properties(const LoadedModel &model) const;

  std::span<uint8_t> input(size_t index) override { return request_.input(index); }
  std::span<const uint8_t> output(size_t index) const override { return request_.output(index); }
  Status reset() override { return Status::ok(); }

  /// Aborted: the HAL's error, with its name.
  Result<RunRecord> run() override;
  Status finish() override { return Status::ok(); }

  const std::string &version() const { return version_; }                       ///< of the driver
  std::string way() const;                                                      ///< see ServedFigures
  bool tellsMicroseconds() const { return options_.burst == BurstUse::Queues; } ///< figures have no finer resolution
  double prepareMs() const { return prepareMs_; }

private:
  using ModelSession::ModelSession;
  Status prepare(hal::IDevice &device, const LoadedModel &model, const NetworkFile &file);
  hal::ExecutionOutcome execute(const hal::ExecutionOptions &options);

  ServedOptions options_;
  std::string version_;
  std::shared_ptr<hal::IPreparedModel> prepared_;
  std::shared_ptr<hal::IBurst> burst_; ///< null: none
  HalRequest request_;
  double prepareMs_ = 0;
};

} // namespace avocet::session

#endif // AVOCET_SESSION_SERVEDSESSION_H
