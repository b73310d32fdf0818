//===- LocalSession.h - One network on a device of this process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a device, loads a model into a context of its own, makes buffers for inputs and outputs, and runs.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_LOCALSESSION_H
#define AVOCET_SESSION_LOCALSESSION_H

#include "avocet/firmware_iface/CommandEvent.h"
#include "avocet/runtime/ModelState.h"
#include "avocet/runtime/Queue.h"
#include "avocet/session/Session.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace avocet::session {

struct LocalOptions {
  std::string backend; ///< empty: knob AVOCET_BACKEND
  bool functional = true;
  bool timing = true;
  bool profile = false;                    ///< layers and spans
  uint32_t threads = 1;                    ///< of the host, with the caller's
  bool acceptsBadIndices = false;          ///< for inputs that the user did not choose
  uint64_t loopTimeoutNs = 0;              ///< as runtime::Job::setLoopTimeout(); 0: the default
  firmware::CommandObserver observer = {}; ///< if set, the back end is the simulator, and `backend` is not used
};

/// In this process.
class DeviceSession : public ModelSession {
public:
  using ModelSession::ModelSession;
  virtual const runtime::DeviceProperties &device() const = 0;
};

/// A LocalSession, or the session of a divided network.
Result<std::unique_ptr<DeviceSession>> openHere(const LoadedModel &model, const LocalOptions &options);

/// Of a network that is not divided.
class LocalSession final : public DeviceSession {
public:
  static Result<std::unique_ptr<LocalSession>> open(const LoadedModel &model, const LocalOptions &options);

  const runtime::DeviceProperties &device() const override { return device_->properties(); }

  std::span<uint8_t> input(size_t index) override { return inputs_[index].bytes(); }
  std::span<const uint8_t> output(size_t index) const override { return outputs_[index].bytes(); }

  Status bindInput(size_t index, std::span<uint8_t> memory) override;
  Status bindOutput(size_t index, std::span<uint8_t> memory) override;
  Status cancel() override { return job_->cancel(); }

  Status reset() override;
  runtime::StateValues *states() override { return state_.get(); }

  /// DeviceFault or another error when the job does not complete, and checkIndices() unless
  /// LocalOptions::acceptsBadIndices; the message names layers by their names, and of a command that the device refuses
  /// the rule, what was found and what is accepted.
  Result<RunRecord> run() override;
  Status finish() override { return device_->finish(); }

private:
  LocalSession(std::shared_ptr<const cache::ModelCache> model, std::shared_ptr<const firmware::Target> target)
      : DeviceSession(std::move(model)), target_(std::move(target)) {}
  Status withPlace(const Status &status, const runtime::JobOutcome &outcome) const;
  Status openDevice(const LoadedModel &model, const LocalOptions &options);
  Status prepare(const LoadedModel &model, const LocalOptions &options);
  /// Memory of an input or output.
  struct Place {
    std::shared_ptr<runtime::BufferMapping> own;
    std::span<uint8_t> foreign; ///< of the caller; empty: `own` is bound

    std::span<uint8_t> bytes() const { return foreign.empty() ? own->buffer()->bytes() : foreign; }
  };
  Result<Place> makeOperand(const cache::OperandView &operand, runtime::Access access);
  using Bind = Status (runtime::Job::*)(size_t, std::shared_ptr<runtime::BufferMapping>, uint64_t);
  Status bindOperand(Place &place, size_t index, std::span<uint8_t> memory, Bind bind);

  const std::shared_ptr<const firmware::Target> target_;
  firmware::JobProfile profile_; ///< written by the back end before the fence signals
  std::shared_ptr<runtime::Device> device_;
  std::shared_ptr<runtime::Context> context_;
  std::shared_ptr<runtime::Queue> queue_;
  std::vector<Place> inputs_, outputs_;
  std::unique_ptr<runtime::Job> job_;
  std::unique_ptr<runtime::ModelState> state_;
  bool acceptsBadIndices_ = false;
};

/// As runtime::checkIndices(), of all parts of a network.
Status checkIndices(const LoadedModel &model, const RunRecord &record);

/// Options of a run for its values: on the simulator, whatever the knob says, without cycles.
LocalOptions valuesOnly();

/// A run for its cycles, without values.
struct TimedRun {
  RunRecord record;
  runtime::DeviceProperties device;
};

enum class Profiling { Off, On }; ///< On: layers and spans

/// Runs a model once on the simulator, whatever the knob says, with states as at the start. Any thread.
Result<TimedRun> runTimed(const LoadedModel &model, Profiling profiling);

} // namespace avocet::session

#endif // AVOCET_SESSION_LOCALSESSION_H
