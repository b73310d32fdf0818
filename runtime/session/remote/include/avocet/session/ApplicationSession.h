//===- ApplicationSession.h - A network in an application -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_APPLICATIONSESSION_H
#define AVOCET_SESSION_APPLICATIONSESSION_H

#include "avocet/session/Session.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace avocet::session {

class ApplicationModel;
class ApplicationProcess;

struct ApplicationStart {
  std::string framework;                          ///< its name in messages
  std::string program;                            ///< path of avocetApplication
  std::vector<std::string> arguments;             ///< without the program's name
  std::map<std::string, std::string> environment; ///< replaces variables of this process
  std::string folder;                             ///< for tensors and the log; the caller removes it after the session
};

/// One network in a framework such as TensorFlow Lite, in another process, which survives or not on its own. States
/// stay inside.
class ApplicationSession final : public Session {
public:
  /// Aborted: the application refused, or ended; the message has the end of its log. Unsupported: a tensor has a type
  /// that no file of raw elements can hold (strings), or an input has an open extent.
  static Result<std::unique_ptr<ApplicationSession>> open(const ApplicationStart &start);
  ~ApplicationSession() override;

  size_t numInputs() const override;
  size_t numOutputs() const override;
  size_t numStates() const override { return 0; }
  cache::OperandView describeInput(size_t index) const override;
  cache::OperandView describeOutput(size_t index) const override;
  std::span<uint8_t> input(size_t index) override { return inputs_[index]; }
  std::span<const uint8_t> output(size_t index) const override { return outputs_[index]; }

  Status reset() override;
  /// hostMs is what the application measured around its call. Errors as open().
  Result<RunRecord> run() override;
  /// Ends the application; its libraries write their reports.
  Status finish() override;

  /// What the application printed.
  std::string messages() const;
  double prepareMs() const { return prepareMs_; }
  uint64_t ownNodes() const { return ownNodes_; }             ///< operators that the framework itself computes
  uint64_t delegatedNodes() const { return delegatedNodes_; } ///< partitions of the delegate

private:
  explicit ApplicationSession(std::string file);
  Status start(const ApplicationStart &start);
  Status sendInputs();
  Status receiveOutputs();

  const std::string file_; ///< through which each tensor passes
  std::unique_ptr<ApplicationProcess> process_;
  std::unique_ptr<ApplicationModel> model_;
  std::vector<std::vector<uint8_t>> inputs_, outputs_;
  double prepareMs_ = 0;
  uint64_t ownNodes_ = 0, delegatedNodes_ = 0;
};

} // namespace avocet::session

#endif // AVOCET_SESSION_APPLICATIONSESSION_H
