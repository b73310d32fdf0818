//===- Session.h - One network in one place ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session has one network that is ready to run: in this process (LocalSession.h; with operators on the host
// DividedNetwork.h), on a device of a driver service (ServedSession.h), or in an application with TensorFlow Lite
// (ApplicationSession.h). Fill the inputs, run, read the outputs; inputs keep their bytes between runs. One thread at a
// time.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_SESSION_H
#define AVOCET_SESSION_SESSION_H

#include "avocet/base/Status.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/runtime/Backend.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace avocet::session {

struct DividedNetwork;

struct LoadedModel {
  std::string name;
  cache::Artefacts artefacts; ///< of a divided network: the model cache describes it and has no program; no data cache
  /// A network that the target runs in parts, with operators on the host between them (DividedNetwork.h). Null: the
  /// artefacts are the whole network.
  std::shared_ptr<const DividedNetwork> divided = {};
  std::shared_ptr<const firmware::Target> target;
  double compileMs = 0; ///< 0 if loaded from artefacts
};

/// Host time.
inline double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace avocet::session

namespace avocet::runtime {
class StateValues;
} // namespace avocet::runtime

namespace avocet::session {

/// Inputs and outputs of a model that are no states.
inline size_t numOwnInputs(const cache::ModelCache &model) { return model.numInputs() - model.numStates(); }
inline size_t numOwnOutputs(const cache::ModelCache &model) { return model.numOutputs() - model.numStates(); }

/// One run. A place leaves what it does not know at 0.
struct RunRecord {
  runtime::JobOutcome outcome;
  firmware::JobProfile profile;      ///< empty unless LocalOptions::profile and the back end measures
  double submitted = 0;              ///< Trace::now() of the active trace; 0 without one
  double hostMs = 0;                 ///< of the call, by the host's clock
  double driverMs = 0;               ///< in the driver, as the HAL reports it
  double deviceMs = 0;               ///< device time, as the HAL reports it
  std::vector<RunRecord> steps = {}; ///< of a divided network, in its order; else empty

  /// Host times become the shorter ones of two runs.
  void takeShorterTimes(const RunRecord &other) {
    hostMs = std::min(hostMs, other.hostMs);
    for (size_t i = 0; i < std::min(steps.size(), other.steps.size()); ++i)
      steps[i].takeShorterTimes(other.steps[i]);
  }
};

/// Of memory that a caller binds, in bytes: no transfer takes longer than in memory of the session.
inline constexpr size_t kMemoryAlignment = 16;

class Session {
public:
  virtual ~Session() = default;

  /// Inputs and outputs that are no states, in the order of the network.
  virtual size_t numInputs() const = 0;
  virtual size_t numOutputs() const = 0;
  virtual size_t numStates() const = 0;
  /// Views of the session's own data. The shape of an output may be computed: then it is that of the last run.
  virtual cache::OperandView describeInput(size_t index) const = 0;
  virtual cache::OperandView describeOutput(size_t index) const = 0;

  virtual std::span<uint8_t> input(size_t index) = 0;
  virtual std::span<const uint8_t> output(size_t index) const = 0;

  /// Lets an input or output be in memory of the caller, of the operand's size, until the next call for it or the end
  /// of the session; empty: in the session's own. Unsupported: the place needs its own memory, or the address is no
  /// multiple of kMemoryAlignment.
  virtual Status bindInput(size_t /*index*/, std::span<uint8_t> memory) { return needsOwnMemory(memory); }
  virtual Status bindOutput(size_t /*index*/, std::span<uint8_t> memory) { return needsOwnMemory(memory); }

  /// Asks the run that is on its way to end. Any thread. Unsupported: the place cannot.
  virtual Status cancel() { return unsupported("runs at this place cannot be cancelled; give them a deadline"); }

  /// Gives the states of the network (its variables) their initial values.
  virtual Status reset() = 0;
  /// The values of the states; null: the place keeps them to itself.
  virtual runtime::StateValues *states() { return nullptr; }

  /// Runs once. The states of one run are the input of the next.
  virtual Result<RunRecord> run() = 0;

  /// Call it after the last run. An error means that what the runs should have left (a recording) is not whole.
  virtual Status finish() = 0;

private:
  static Status needsOwnMemory(std::span<uint8_t> memory) {
    return memory.empty() ? Status::ok() : unsupported("this place cannot use memory of the caller");
  }
};

/// Of a network that the compiler has described.
class ModelSession : public Session {
public:
  explicit ModelSession(std::shared_ptr<const cache::ModelCache> model) : model_(std::move(model)) {}

  const cache::ModelCache &model() const { return *model_; }
  size_t numInputs() const override { return numOwnInputs(*model_); }
  size_t numOutputs() const override { return numOwnOutputs(*model_); }
  size_t numStates() const override { return model_->numStates(); }
  cache::OperandView describeInput(size_t index) const override { return model_->input(index); }
  cache::OperandView describeOutput(size_t index) const override { return model_->output(index); }

protected:
  const std::shared_ptr<const cache::ModelCache> model_;
};

} // namespace avocet::session

#endif // AVOCET_SESSION_SESSION_H
