//===- Program.cpp - A compiled network and the jobs that run it ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>

namespace avocet::hal {
namespace {

/// Operands lie this far apart at least, so that no two share a line of the host's cache.
constexpr uint64_t kOperandAlignment = 64;

uint64_t aligned(uint64_t bytes) { return (bytes + kOperandAlignment - 1) / kOperandAlignment * kOperandAlignment; }

} // namespace

avocet::Result<std::unique_ptr<JobSlot>> JobSlot::create(std::shared_ptr<const runtime::Executable> executable) {
  std::unique_ptr<JobSlot> slot(new JobSlot);
  const cache::ModelCache &model = executable->model();
  uint64_t end = 0;
  auto place = [&end](uint64_t bytes) {
    uint64_t offset = end;
    end += aligned(bytes);
    return Place{offset, bytes};
  };
  for (size_t i = 0; i < model.numInputs(); ++i)
    slot->inputs_.push_back(place(model.input(i).bytes));
  for (size_t i = 0; i < model.numOutputs(); ++i)
    slot->outputs_.push_back(place(model.output(i).bytes));
  std::shared_ptr<runtime::Context> context = executable->context();
  AVOCET_ASSIGN_OR_RETURN(slot->job_, runtime::Job::create(std::move(executable)));
  AVOCET_RETURN_IF_ERROR(slot->bindAll(context, std::max<uint64_t>(end, 1)));
  return slot;
}

avocet::Status JobSlot::bindAll(const std::shared_ptr<runtime::Context> &context, uint64_t bytes) {
  AVOCET_ASSIGN_OR_RETURN(staging_, runtime::Buffer::create(context->sharedDevice(), bytes));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::BufferMapping> mapping,
                          context->map(staging_, runtime::Access::ReadWrite));
  for (size_t i = 0; i < inputs_.size(); ++i)
    AVOCET_RETURN_IF_ERROR(job_->bindInput(i, mapping, inputs_[i].offset));
  for (size_t i = 0; i < outputs_.size(); ++i)
    AVOCET_RETURN_IF_ERROR(job_->bindOutput(i, mapping, outputs_[i].offset));
  return avocet::Status::ok();
}

avocet::Result<std::shared_ptr<Program>> Program::load(std::shared_ptr<runtime::Context> context,
                                                       std::shared_ptr<const cache::ModelCache> model,
                                                       const cache::DataCache &data) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::Executable> executable,
                          runtime::Executable::load(std::move(context), std::move(model), data));
  return std::shared_ptr<Program>(new Program(std::move(executable)));
}

std::vector<uint32_t> Program::outputDimensions(size_t index) const {
  std::span<const int32_t> shape = model().output(index).shape;
  return {shape.begin(), shape.end()};
}

avocet::Result<std::unique_ptr<JobSlot>> Program::takeSlot() {
  {
    std::lock_guard lock(mutex_);
    auto idle = std::find_if(slots_.rbegin(), slots_.rend(), [](const auto &slot) { return slot->isIdle(); });
    if (idle != slots_.rend()) {
      std::unique_ptr<JobSlot> slot = std::move(*idle);
      slots_.erase(std::next(idle).base());
      return slot;
    }
  }
  return JobSlot::create(executable_);
}

void Program::giveBack(std::unique_ptr<JobSlot> slot, TimePoint now) {
  slot->lastUse = now;
  std::lock_guard lock(mutex_);
  slots_.push_back(std::move(slot));
}

size_t Program::trim(TimePoint before) {
  std::vector<std::unique_ptr<JobSlot>> freed; // without the lock
  std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<JobSlot>> kept;
  for (std::unique_ptr<JobSlot> &slot : slots_)
    (slot->isIdle() && slot->lastUse < before ? freed : kept).push_back(std::move(slot));
  slots_ = std::move(kept);
  return slots_.size();
}

} // namespace avocet::hal
