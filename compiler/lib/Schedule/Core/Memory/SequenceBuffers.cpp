//===- SequenceBuffers.cpp - The buffers of a sequence --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequenceBuffers.h"

namespace avocet::compiler::schedule {

SequenceBuffers::SequenceBuffers(const Problem &problem, const Plan &plan, Sequence &sequence)
    : problem_(problem), plan_(plan), sequence_(sequence), remote_(problem.tensors.size(), kNone),
      unspilled_(residenciesOf(problem, plan.cascades)) {}

uint32_t SequenceBuffers::add(BufferSpace space, uint32_t index, uint64_t bytes, std::string name) {
  sequence_.buffers.push_back({space, index, bytes, std::move(name), {}, kUnplaced});
  return uint32_t(sequence_.buffers.size() - 1);
}

uint32_t SequenceBuffers::addForTensor(uint32_t tensor, BufferSpace space, uint32_t index, uint64_t bytes,
                                       std::string name) {
  const uint32_t buffer = add(space, index, bytes, std::move(name));
  sequence_.buffers[buffer].tensor = tensor;
  return buffer;
}

uint32_t SequenceBuffers::addForConstants(uint32_t operation, BufferSpace space, uint64_t bytes, const char *prefix) {
  const uint32_t buffer = add(space, 0, bytes, prefix + std::to_string(operation));
  sequence_.buffers[buffer].operation = operation;
  return buffer;
}

/// Whether other cascades read this network output from DRAM. The device may only write outputs, so scratch has a
/// copy.
bool SequenceBuffers::isReadBack(uint32_t tensor) const {
  return plan_.residencies[tensor] == Residency::Dram && unspilled_[tensor] == Residency::Sram;
}

uint32_t SequenceBuffers::remote(uint32_t id) {
  if (remote_[id] != kNone)
    return remote_[id];
  const Tensor &tensor = problem_.tensors[id];
  const uint64_t bytes = tensor.shape.bytes();
  if (tensor.networkInput != kNone)
    remote_[id] = addForTensor(id, BufferSpace::Input, tensor.networkInput, bytes, "in");
  else if (!tensor.networkOutputs.empty() && !isReadBack(id))
    remote_[id] = addForTensor(id, BufferSpace::Output, tensor.networkOutputs[0], bytes, "out");
  else
    remote_[id] = addForTensor(id, BufferSpace::Scratch, 0, bytes, "s" + std::to_string(id));
  return remote_[id];
}

std::vector<uint32_t> SequenceBuffers::extraOutputs(uint32_t tensor) {
  std::vector<uint32_t> buffers;
  const auto &outputs = problem_.tensors[tensor].networkOutputs;
  for (size_t i = isReadBack(tensor) ? 0 : 1; i < outputs.size(); ++i)
    buffers.push_back(output(tensor, outputs[i]));
  return buffers;
}

uint32_t SequenceBuffers::output(uint32_t tensor, uint32_t number) {
  for (uint32_t i = 0; i < sequence_.buffers.size(); ++i)
    if (sequence_.buffers[i].space == BufferSpace::Output && sequence_.buffers[i].index == number)
      return i;
  return addForTensor(tensor, BufferSpace::Output, number, problem_.tensors[tensor].shape.bytes(), "out");
}

} // namespace avocet::compiler::schedule
