//===- Inference.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "avocet/runtime/SimBackend.h"

#include <algorithm>
#include <mutex>

namespace avocet::golden {

Result<session::LoadedModel> compile(const std::string &path, const std::string &target) {
  tool::Progress progress;
  return tool::loadModel({path, target, {}}, tool::DiagnosticsFormat::Text, progress);
}

Result<Inference> Inference::open(const session::LoadedModel &model, Mode mode) {
  static std::once_flag registered;
  std::call_once(registered, runtime::registerSimBackend);
  AVOCET_ASSIGN_OR_RETURN(auto session,
                          session::LocalSession::open(model, {.backend = "sim",
                                                              .functional = mode.functional,
                                                              .timing = mode.timing,
                                                              .profile = false,
                                                              .threads = mode.threads,
                                                              .acceptsBadIndices = mode.acceptsBadIndices}));
  return Inference(std::move(session));
}

Result<std::vector<Bytes>> Inference::run(const std::vector<Bytes> &inputs) {
  const cache::ModelCache &model = session_->model();
  const size_t numInputs = model.numInputs() - model.numStates();
  if (inputs.size() != numInputs)
    return invalidArgument("the model has " + std::to_string(numInputs) + " inputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != model.input(i).bytes)
      return invalidArgument("input " + std::to_string(i) + " has " + std::to_string(inputs[i].size()) + " bytes");
    std::ranges::copy(inputs[i], session_->input(i).begin());
  }
  session_->states()->reset();
  AVOCET_ASSIGN_OR_RETURN(const session::RunRecord record, session_->run());
  cycles_ = record.outcome.endCycle - record.outcome.startCycle;
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < model.numOutputs() - model.numStates(); ++i) {
    const auto bytes = session_->output(i).first(model.output(i).bytes);
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return outputs;
}

} // namespace avocet::golden
