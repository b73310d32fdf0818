//===- ApplicationSession.cpp - A network in an application ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ApplicationSession.h"

#include "ApplicationModel.h"
#include "ApplicationProcess.h"
#include "avocet/base/File.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::session {

ApplicationSession::ApplicationSession(std::string file) : file_(std::move(file)) {}
ApplicationSession::~ApplicationSession() = default;

Result<std::unique_ptr<ApplicationSession>> ApplicationSession::open(const ApplicationStart &start) {
  std::unique_ptr<ApplicationSession> session(new ApplicationSession(start.folder + "/tensor"));
  AVOCET_RETURN_IF_ERROR(session->start(start));
  return session;
}

Status ApplicationSession::start(const ApplicationStart &start) {
  AVOCET_ASSIGN_OR_RETURN(process_, ApplicationProcess::start(start));
  AVOCET_ASSIGN_OR_RETURN(const nlohmann::json ready, process_->answer());
  prepareMs_ = ready.value("prepareMicroseconds", 0.0) / 1e3;
  ownNodes_ = ready.value("ownNodes", uint64_t{0});
  delegatedNodes_ = ready.value("delegatedNodes", uint64_t{0});
  AVOCET_ASSIGN_OR_RETURN(ApplicationModel model,
                          ApplicationModel::read(ready.value("inputs", nlohmann::json::array()),
                                                 ready.value("outputs", nlohmann::json::array())));
  model_ = std::make_unique<ApplicationModel>(std::move(model));
  for (size_t i = 0; i < model_->numInputs(); ++i)
    inputs_.emplace_back(model_->input(i).bytes);
  for (size_t i = 0; i < model_->numOutputs(); ++i)
    outputs_.emplace_back(model_->output(i).bytes);
  return Status::ok();
}

size_t ApplicationSession::numInputs() const { return model_->numInputs(); }
size_t ApplicationSession::numOutputs() const { return model_->numOutputs(); }
cache::OperandView ApplicationSession::describeInput(size_t index) const { return model_->input(index); }
cache::OperandView ApplicationSession::describeOutput(size_t index) const { return model_->output(index); }

Status ApplicationSession::reset() { return process_->ask("reset").status(); }

Status ApplicationSession::sendInputs() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    AVOCET_RETURN_IF_ERROR(writeFile(file_, std::span<const uint8_t>(inputs_[i])));
    AVOCET_RETURN_IF_ERROR(process_->ask(fmt::format("input {} {}", i, file_)).status());
  }
  return Status::ok();
}

Status ApplicationSession::receiveOutputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    AVOCET_RETURN_IF_ERROR(process_->ask(fmt::format("output {} {}", i, file_)).status());
    AVOCET_ASSIGN_OR_RETURN(outputs_[i], readFile(file_));
    model_->resizeOutput(i, outputs_[i].size());
  }
  return Status::ok();
}

Result<RunRecord> ApplicationSession::run() {
  AVOCET_RETURN_IF_ERROR(sendInputs());
  AVOCET_ASSIGN_OR_RETURN(const nlohmann::json answer, process_->ask("invoke"));
  AVOCET_RETURN_IF_ERROR(receiveOutputs());
  RunRecord record;
  record.hostMs = answer.value("microseconds", 0.0) / 1e3;
  return record;
}

Status ApplicationSession::finish() { return process_->finish(); }

std::string ApplicationSession::messages() const { return process_->messages(); }

} // namespace avocet::session
