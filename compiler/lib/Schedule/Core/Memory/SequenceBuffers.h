//===- SequenceBuffers.h - The buffers of a sequence ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_SEQUENCEBUFFERS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_SEQUENCEBUFFERS_H

#include "Plan.h"
#include "Sequence.h"

namespace avocet::compiler::schedule {

/// Adds buffers to a sequence, those of tensors outside of SRAM when they are first asked for. All results are indexes
/// in Sequence::buffers.
class SequenceBuffers {
public:
  /// All must outlive the object.
  SequenceBuffers(const Problem &problem, const Plan &plan, Sequence &sequence);

  uint32_t addForTensor(uint32_t tensor, BufferSpace space, uint32_t index, uint64_t bytes, std::string name);
  uint32_t addForConstants(uint32_t operation, BufferSpace space, uint64_t bytes, const char *prefix);

  /// The tensor's buffer outside SRAM: network input, first network output, or scratch.
  uint32_t remote(uint32_t tensor);
  /// Buffers to which a tensor is written in addition to its remote buffer.
  std::vector<uint32_t> extraOutputs(uint32_t tensor);
  /// The buffer of a network output.
  uint32_t output(uint32_t tensor, uint32_t number);

private:
  uint32_t add(BufferSpace space, uint32_t index, uint64_t bytes, std::string name);
  bool isReadBack(uint32_t tensor) const;

  const Problem &problem_;
  const Plan &plan_;
  Sequence &sequence_;
  std::vector<uint32_t> remote_;     ///< by tensor
  std::vector<Residency> unspilled_; ///< residencies by tensor as if nothing were spilled
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_SEQUENCEBUFFERS_H
