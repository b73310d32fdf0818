//===- Program.cpp - A compiled network and the jobs that run it ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Program.h"

#include "device/HalResult.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {

static bool isCount(const cache::OperandView &operand) {
  return operand.type == firmware::DataType::Int32 && operand.bytes == sizeof(int32_t);
}

Result<RowCounts> RowCounts::of(const cache::ModelCache &program, size_t numOutputs) {
  RowCounts rows;
  rows.counts_.resize(numOutputs);
  size_t output = 0;
  for (size_t count = numOutputs; count < program.numOutputs() - program.numStates(); ++count, ++output) {
    const cache::OperandView operand = program.output(count);
    while (output < numOutputs && operand.name != fmt::format("output{}.rows", output))
      ++output;
    if (output == numOutputs || !isCount(operand) || program.output(output).shape.empty())
      return generalFailure(
          fmt::format("output {} of the program is neither one of the model nor a number of rows", count));
    rows.counts_[output] = count;
    rows.isEmpty_ = false;
  }
  return rows;
}

using runtime::BufferMapping;

Result<std::unique_ptr<JobSlot>> JobSlot::create(std::shared_ptr<const runtime::Executable> executable,
                                                 std::shared_ptr<Quota> memory) {
  std::unique_ptr<JobSlot> slot(new JobSlot);
  const cache::ModelCache &model = executable->model();
  for (size_t i = 0; i < model.numInputs(); ++i)
    slot->inputs_.emplace_back().bytes = model.input(i).bytes;
  for (size_t i = 0; i < model.numOutputs(); ++i)
    slot->outputs_.emplace_back().bytes = model.output(i).bytes;
  AVOCET_ASSIGN_OR_RETURN(slot->scratch_, memory->take(model.scratchBytes()));
  AVOCET_ASSIGN_OR_RETURN(slot->job_, toHalResult(runtime::Job::create(std::move(executable))));
  slot->memory_ = std::move(memory);
  AVOCET_RETURN_IF_ERROR(slot->stageStates());
  return slot;
}

Outcome JobSlot::stageStates() {
  const cache::ModelCache &model = job_->executable().model();
  for (size_t i = inputs_.size() - model.numStates(); i < inputs_.size(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(std::span<uint8_t> bytes, stageInput(i));
    std::ranges::fill(bytes, uint8_t{0});
    std::ranges::copy(model.input(i).initial, bytes.begin());
  }
  for (size_t i = outputs_.size() - model.numStates(); i < outputs_.size(); ++i)
    AVOCET_RETURN_IF_ERROR(stageOutput(i));
  return success();
}

Outcome JobSlot::allocate(Operand &operand) {
  uint64_t bytes = std::max<uint64_t>(operand.bytes, 1);
  AVOCET_ASSIGN_OR_RETURN(Charge charge, memory_->take(bytes));
  const std::shared_ptr<runtime::Context> &context = job_->executable().context();
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Buffer> buffer,
                          toHalResult(runtime::Buffer::create(context->sharedDevice(), bytes)));
  AVOCET_ASSIGN_OR_RETURN(operand.own, toHalResult(context->map(std::move(buffer), runtime::Access::ReadWrite)));
  operand.charge = std::move(charge);
  return success();
}

Result<std::span<uint8_t>> JobSlot::stage(Operand &operand, Direction direction, size_t index) {
  if (operand.own == nullptr)
    AVOCET_RETURN_IF_ERROR(allocate(operand));
  AVOCET_RETURN_IF_ERROR(bind(operand, direction, index, operand.own, 0));
  return operand.own->buffer()->bytes().first(operand.bytes);
}

std::span<const uint8_t> JobSlot::stagedOutput(size_t index) const {
  const Operand &operand = outputs_[index];
  if (operand.own == nullptr || operand.bound != operand.own.get())
    return {};
  return operand.own->buffer()->bytes().first(operand.bytes);
}

Result<bool> JobSlot::bind(Operand &operand, Direction direction, size_t index, std::shared_ptr<BufferMapping> mapping,
                           uint64_t offset) {
  if (operand.bound == mapping.get() && operand.offset == offset)
    return false;
  const BufferMapping *bound = mapping.get();
  AVOCET_RETURN_IF_ERROR(toHalResult(direction == Direction::Input
                                         ? job_->bindInput(index, std::move(mapping), offset)
                                         : job_->bindOutput(index, std::move(mapping), offset)));
  operand.bound = bound;
  operand.offset = offset;
  return true;
}

bool JobSlot::isBoundTo(const BufferMapping *mapping) const {
  auto isBound = [&](const Operand &operand) { return operand.bound == mapping; };
  return std::ranges::any_of(inputs_, isBound) || std::ranges::any_of(outputs_, isBound);
}

Result<std::shared_ptr<Program>> Program::load(std::shared_ptr<runtime::Context> context,
                                               std::shared_ptr<const cache::ModelCache> model,
                                               const cache::DataCache &data, RowCounts rows,
                                               std::shared_ptr<Quota> memory) {
  AVOCET_ASSIGN_OR_RETURN(Charge charge, memory->take(data.bytes().size() + model->bytes().size()));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::Executable> executable,
                          toHalResult(runtime::Executable::load(std::move(context), std::move(model), data)));
  return std::shared_ptr<Program>(
      new Program(std::move(executable), std::move(rows), std::move(memory), std::move(charge)));
}

uint64_t Program::expectedCycles() const {
  if (const uint64_t measured = measuredCycles_.load(std::memory_order_relaxed); measured != 0)
    return measured;
  constexpr uint64_t kMarginDivisor = 8; // 12 %, so that a prediction that is a little too low meets the deadline too
  const uint64_t predicted = model().predictedCycles();
  return predicted + predicted / kMarginDivisor;
}

void Program::noteCycles(uint64_t cycles) {
  uint64_t known = measuredCycles_.load(std::memory_order_relaxed);
  while (known < cycles && !measuredCycles_.compare_exchange_weak(known, cycles, std::memory_order_relaxed)) {
  }
}

std::vector<uint32_t> Program::outputDimensions(size_t index) const {
  std::span<const int32_t> shape = model().output(index).shape;
  return {shape.begin(), shape.end()};
}

/// Prefers the user's own slot, whose bindings probably match; else the most recently used one.
Result<std::unique_ptr<JobSlot>> Program::takeSlot(const void *user) {
  {
    std::lock_guard lock(mutex_);
    auto isIdle = [](const auto &slot) { return slot->isIdle(); };
    auto own = [&](const auto &slot) { return slot->lastUser == user && slot->isIdle(); };
    auto found = std::find_if(slots_.rbegin(), slots_.rend(), own);
    if (found == slots_.rend())
      found = std::find_if(slots_.rbegin(), slots_.rend(), isIdle);
    if (found != slots_.rend()) {
      std::unique_ptr<JobSlot> slot = std::move(*found);
      slots_.erase(std::next(found).base());
      slot->lastUser = user;
      return slot;
    }
  }
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<JobSlot> slot, JobSlot::create(executable_, memory_));
  slot->lastUser = user;
  return slot;
}

void Program::giveBack(std::unique_ptr<JobSlot> slot, TimePoint now) {
  slot->lastUse = now;
  std::lock_guard lock(mutex_);
  slots_.push_back(std::move(slot));
}

size_t Program::freeIdle(const std::function<bool(const JobSlot &)> &isMeant) {
  Slots freed; // destroyed without the lock
  std::lock_guard lock(mutex_);
  Slots kept;
  for (std::unique_ptr<JobSlot> &slot : slots_)
    (slot->isIdle() && isMeant(*slot) ? freed : kept).push_back(std::move(slot));
  slots_ = std::move(kept);
  return slots_.size();
}

size_t Program::trim(TimePoint before) {
  return freeIdle([&](const JobSlot &slot) { return slot.lastUse < before; });
}

void Program::release(const BufferMapping *mapping) {
  freeIdle([&](const JobSlot &slot) { return slot.isBoundTo(mapping); });
}

} // namespace avocet::hal
