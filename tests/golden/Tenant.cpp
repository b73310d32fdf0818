//===- Tenant.cpp - One of several networks on one device -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tenant.h"

#include <algorithm>
#include <string>

namespace avocet::golden {

using namespace runtime;

Result<std::shared_ptr<BufferMapping>> Tenant::makeOperand(uint64_t bytes, Access access) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, Buffer::create(context_->sharedDevice(), bytes));
  return context_->map(std::move(buffer), access);
}

Result<std::unique_ptr<Tenant>> Tenant::open(std::shared_ptr<Device> device, const session::LoadedModel &model,
                                             uint32_t priority, uint64_t userData) {
  std::unique_ptr<Tenant> tenant(new Tenant);
  tenant->model_ = model.artefacts.model;
  AVOCET_ASSIGN_OR_RETURN(tenant->context_, Context::create(std::move(device)));
  AVOCET_ASSIGN_OR_RETURN(tenant->queue_, Queue::create(tenant->context_, priority));
  AVOCET_ASSIGN_OR_RETURN(auto executable, Executable::load(tenant->context_, tenant->model_, *model.artefacts.data));
  AVOCET_ASSIGN_OR_RETURN(tenant->job_, Job::create(executable));
  tenant->job_->setUserData(userData);
  for (size_t i = 0; i < tenant->model_->numInputs() - tenant->model_->numStates(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(auto mapping, tenant->makeOperand(tenant->model_->input(i).bytes, Access::Read));
    AVOCET_RETURN_IF_ERROR(tenant->job_->bindInput(i, mapping));
    tenant->inputs_.push_back(std::move(mapping));
  }
  for (size_t i = 0; i < tenant->model_->numOutputs() - tenant->model_->numStates(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(auto mapping, tenant->makeOperand(tenant->model_->output(i).bytes, Access::Write));
    AVOCET_RETURN_IF_ERROR(tenant->job_->bindOutput(i, mapping));
    tenant->outputs_.push_back(std::move(mapping));
  }
  AVOCET_ASSIGN_OR_RETURN(tenant->state_, ModelState::create(executable));
  AVOCET_RETURN_IF_ERROR(tenant->state_->bind(*tenant->job_));
  return tenant;
}

Status Tenant::setInputs(const std::vector<Bytes> &inputs) {
  if (inputs.size() != inputs_.size())
    return invalidArgument("the model has " + std::to_string(inputs_.size()) + " inputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != model_->input(i).bytes)
      return invalidArgument("input " + std::to_string(i) + " has " + std::to_string(inputs[i].size()) + " bytes");
    std::ranges::copy(inputs[i], inputs_[i]->buffer()->bytes().begin());
  }
  return Status::ok();
}

Status Tenant::run() {
  AVOCET_RETURN_IF_ERROR(submit());
  fence().wait();
  return statusOf(fence().outcome());
}

std::vector<Bytes> Tenant::outputs() const {
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto bytes = outputs_[i]->buffer()->bytes().first(model_->output(i).bytes);
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return outputs;
}

} // namespace avocet::golden
