//===- Session.h - One model on one device ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a device, loads a model into a context of its own, makes buffers for inputs and outputs, and runs. One thread
// at a time.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SESSION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SESSION_H

#include "ModelSource.h"
#include "avocet/firmware_iface/CommandEvent.h"
#include "avocet/runtime/ModelState.h"
#include "avocet/runtime/Queue.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

struct SessionOptions {
  std::string backend; ///< empty: knob AVOCET_BACKEND
  bool functional = true;
  bool timing = true;
  bool profile = false;                    ///< layers and spans
  uint32_t threads = 1;                    ///< of the host, with the caller's
  bool acceptsBadIndices = false;          ///< for inputs that the user did not choose
  uint64_t loopTimeoutNs = 0;              ///< as runtime::Job::setLoopTimeout(); 0: the default
  firmware::CommandObserver observer = {}; ///< if set, the back end is the simulator, and `backend` is not used
};

/// One inference.
struct RunRecord {
  runtime::JobOutcome outcome;
  firmware::JobProfile profile; ///< empty unless SessionOptions::profile and the back end measures
  double submitted = 0;         ///< Trace::now() of the active trace; 0 without one
  double hostMs = 0;            ///< from submission to the end, by the host's clock
};

class Session {
public:
  static Result<std::unique_ptr<Session>> open(const LoadedModel &model, const SessionOptions &options);

  const cache::ModelCache &model() const { return *model_; }
  const runtime::DeviceProperties &device() const { return device_->properties(); }

  /// Of inputs and outputs that are no states.
  std::span<uint8_t> input(size_t index) { return inputs_[index]->bytes(); }
  std::span<const uint8_t> output(size_t index) const { return std::as_const(*outputs_[index]).bytes(); }

  /// The states, which each run changes.
  runtime::ModelState &state() { return *state_; }

  /// Runs once. DeviceFault or another error when the job does not complete, and checkIndices() unless
  /// SessionOptions::acceptsBadIndices; the message names layers by their names.
  Result<RunRecord> run();

  /// Call it after the last run: an error means that a recording of the runs is not whole.
  Status finish() { return device_->finish(); }

private:
  Status openDevice(const LoadedModel &model, const SessionOptions &options);
  Status prepare(const LoadedModel &model, const SessionOptions &options);
  Result<std::shared_ptr<runtime::Buffer>> makeOperand(const cache::OperandView &operand, runtime::Access access,
                                                       std::shared_ptr<runtime::BufferMapping> &mapping);

  std::shared_ptr<const cache::ModelCache> model_;
  firmware::JobProfile profile_; ///< written by the back end before the fence signals
  std::shared_ptr<runtime::Device> device_;
  std::shared_ptr<runtime::Context> context_;
  std::shared_ptr<runtime::Queue> queue_;
  std::vector<std::shared_ptr<runtime::Buffer>> inputs_, outputs_;
  std::unique_ptr<runtime::Job> job_;
  std::unique_ptr<runtime::ModelState> state_;
  bool acceptsBadIndices_ = false;
};

/// Options of a run for its values: on the simulator, whatever the knob says, without cycles.
SessionOptions valuesOnly();

/// A run for its cycles, without values.
struct TimedRun {
  RunRecord record;
  runtime::DeviceProperties device;
};

enum class Profiling { Off, On }; ///< On: layers and spans

/// Runs a model once on the simulator, whatever the knob says, with states as at the start. Any thread.
Result<TimedRun> runTimed(const LoadedModel &model, Profiling profiling);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SESSION_H
