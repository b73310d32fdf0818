//===- ThroughSession.h - A network in an application -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHSESSION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHSESSION_H

#include "ApplicationProcess.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/hal/conformance/ScratchDirectory.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

/// Inputs and outputs as TensorFlow Lite describes them, in the form that RunSteps.h uses. States stay inside.
class ApplicationModel {
public:
  /// Unsupported: a tensor has a type that no file of raw elements can hold (strings), or an input has an open extent.
  static Result<ApplicationModel> read(const nlohmann::json &inputs, const nlohmann::json &outputs);

  size_t numInputs() const { return inputs_.size(); }
  size_t numOutputs() const { return outputs_.size(); }
  size_t numStates() const { return 0; }
  cache::OperandView input(size_t index) const { return viewOf(inputs_[index]); }
  cache::OperandView output(size_t index) const { return viewOf(outputs_[index]); }
  /// The bytes of an output are final only after a run: its shape may be computed.
  void resizeOutput(size_t index, uint64_t bytes) { outputs_[index].bytes = bytes; }

private:
  struct Tensor {
    std::string name;
    firmware::DataType type = firmware::DataType::Int8;
    std::vector<int32_t> shape;
    uint64_t bytes = 0;
  };
  static Result<Tensor> tensorOf(const nlohmann::json &json);
  static Status checkClosed(const Tensor &tensor);
  static Result<std::vector<Tensor>> tensorsOf(const nlohmann::json &list);
  static cache::OperandView viewOf(const Tensor &tensor) {
    return {tensor.name, tensor.type, tensor.shape, tensor.bytes, {}, {}, 0};
  }

  std::vector<Tensor> inputs_, outputs_;
};

/// One network in TensorFlow Lite, in another process.
class ThroughSession {
public:
  /// `start` lacks the log, which lies in the session's folder.
  static Result<std::unique_ptr<ThroughSession>> open(ApplicationStart start,
                                                      hal::conformance::ScratchDirectory folder);

  const ApplicationModel &model() const { return model_; }
  std::span<uint8_t> input(size_t index) { return inputs_[index]; }
  std::span<const uint8_t> output(size_t index) const { return outputs_[index]; }
  double prepareMs() const { return prepareMs_; }
  uint64_t ownNodes() const { return ownNodes_; }             ///< operators that TensorFlow Lite itself computes
  uint64_t delegatedNodes() const { return delegatedNodes_; } ///< partitions of the delegate

  /// Gives variables their initial values.
  Status reset();
  /// Runs once; returns the milliseconds that the application measured around its call.
  Result<double> run();
  /// Ends the application; returns what it printed.
  Result<std::string> finish();

private:
  explicit ThroughSession(hal::conformance::ScratchDirectory folder) : folder_(std::move(folder)) {}
  Status start(ApplicationStart start);
  Status sendInputs();
  Status receiveOutputs();

  const hal::conformance::ScratchDirectory folder_;
  std::unique_ptr<ApplicationProcess> process_;
  ApplicationModel model_;
  std::vector<std::vector<uint8_t>> inputs_, outputs_;
  double prepareMs_ = 0;
  uint64_t ownNodes_ = 0, delegatedNodes_ = 0;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHSESSION_H
