//===- ServedSession.h - One model on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDSESSION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDSESSION_H

#include "HalRequest.h"
#include "Session.h"
#include "avocet/hal/types/Interfaces.h"

namespace avocet::tool {

/// How requests reach the service.
enum class BurstUse {
  None,    ///< one call per run
  Fastest, ///< Queues, but Calls with a deadline
  Queues,  ///< the message queues of HAL 1.2, which carry no deadlines
  Calls,   ///< calls that name the memory instead of sending it
};

struct ServedOptions {
  std::string socket; ///< where a driver service listens
  std::string device; ///< name of one of its devices
  hal::Priority priority = hal::Priority::Medium;
  hal::ExecutionPreference preference = hal::ExecutionPreference::FastSingleAnswer;
  BurstUse burst = BurstUse::None;
  double deadlineMs = 0; ///< of each run, from its call; 0: none
};

/// InvalidArgument: options that exclude each other.
Status checkOptions(const ServedOptions &options);

/// "low", "medium", "high".
std::string_view priorityName(hal::Priority priority);
/// As the option of the command accepts it.
std::string_view preferenceName(hal::ExecutionPreference preference);

/// Times of one run, in milliseconds.
struct ServedTimes {
  double deviceMs = 0; ///< device time
  double driverMs = 0;
  double callMs = 0; ///< measured by the caller
};

/// The target in a device's name ("avocet-e256": e256). NotFound if there is no profile of that name.
Result<std::string> targetOfDevice(const std::string &device);

/// As Session, on a device of a driver service. The whole network is sent to the service, in the TFLite extension, and
/// is compiled there. The artefacts that the caller has compiled describe its inputs, outputs and layers. One thread at
/// a time.
class ServedSession {
public:
  /// `file`: the .tflite file's bytes.
  static Result<std::unique_ptr<ServedSession>> open(const LoadedModel &model, std::span<const uint8_t> file,
                                                     const ServedOptions &options);

  const cache::ModelCache &model() const { return *model_; }
  runtime::DeviceProperties properties(const LoadedModel &model) const;

  std::span<uint8_t> input(size_t index) { return request_.input(index); }
  std::span<const uint8_t> output(size_t index) const { return request_.output(index); }

  /// Runs once. Aborted: the HAL's error, with its name.
  Result<ServedTimes> run();

  const std::string &version() const { return version_; }                       ///< of the driver
  std::string way() const;                                                      ///< see ServedFigures
  bool tellsMicroseconds() const { return options_.burst == BurstUse::Queues; } ///< figures have no finer resolution
  double prepareMs() const { return prepareMs_; }

private:
  Status prepare(const LoadedModel &model, std::span<const uint8_t> file);
  hal::ExecutionOutcome execute(const hal::ExecutionOptions &options);

  std::shared_ptr<const cache::ModelCache> model_;
  ServedOptions options_;
  std::string version_;
  std::shared_ptr<hal::IPreparedModel> prepared_;
  std::shared_ptr<hal::IBurst> burst_; ///< null: none
  HalRequest request_;
  double prepareMs_ = 0;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDSESSION_H
