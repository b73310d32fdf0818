//===- ModelState.cpp - Tensors that outlive a run --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/ModelState.h"

namespace avocet::runtime {

Result<std::unique_ptr<ModelState>> ModelState::create(std::shared_ptr<const Executable> executable) {
  if (executable == nullptr)
    return invalidArgument("model state: the executable is null");
  const size_t count = executable->model().numStates();
  std::unique_ptr<ModelState> state(new ModelState(std::move(executable)));
  state->states_.resize(count);
  for (size_t i = 0; i < count; ++i)
    AVOCET_RETURN_IF_ERROR(state->allocate(i));
  state->reset();
  return state;
}

Status ModelState::allocate(size_t index) {
  const std::shared_ptr<Context> &context = executable_->context();
  for (std::shared_ptr<BufferMapping> &mapping : states_[index]) {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer,
                            Buffer::create(context->sharedDevice(), description(index).bytes));
    AVOCET_ASSIGN_OR_RETURN(mapping, context->map(std::move(buffer), Access::ReadWrite));
  }
  return Status::ok();
}

cache::OperandView ModelState::description(size_t index) const {
  const cache::ModelCache &model = executable_->model();
  return model.input(model.numInputs() - states_.size() + index);
}

Status ModelState::bind(Job &job) const {
  const cache::ModelCache &model = executable_->model();
  if (&job.executable() != executable_.get())
    return invalidArgument("model state: the job belongs to another executable");
  const size_t firstInput = model.numInputs() - count(), firstOutput = model.numOutputs() - count();
  for (size_t i = 0; i < count(); ++i) {
    AVOCET_RETURN_IF_ERROR(job.bindInput(firstInput + i, states_[i][current_]));
    AVOCET_RETURN_IF_ERROR(job.bindOutput(firstOutput + i, states_[i][1 - current_]));
  }
  return Status::ok();
}

Status ModelState::advance(Job &job) {
  current_ = 1 - current_;
  Status status = bind(job);
  if (!status.isOk())
    current_ = 1 - current_;
  return status;
}

} // namespace avocet::runtime
