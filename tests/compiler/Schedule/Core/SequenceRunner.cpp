//===- SequenceRunner.cpp - Runs a schedule step by step --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequenceRunner.h"

#include "avocet/firmware_iface/Addresses.h"
#include "avocet/kernels/Kernel.h"

#include "gtest/gtest.h"

#include <cstring>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

class Runner {
public:
  Runner(const Problem &problem, const Sequence &sequence) : problem_(problem), sequence_(sequence) {}

  std::map<uint32_t, Bytes> run(const std::vector<Bytes> &inputs, const std::vector<Bytes> &constants) {
    layOut(inputs, constants);
    for (size_t i = 0; i < sequence_.steps.size(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      std::visit([&](const auto &command) { runStep(command, sequence_.steps[i]); }, sequence_.steps[i].command);
    }
    std::map<uint32_t, Bytes> outputs;
    for (size_t i = 0; i < sequence_.buffers.size(); ++i)
      if (sequence_.buffers[i].space == BufferSpace::Output)
        outputs[sequence_.buffers[i].index] = memory_[i];
    return outputs;
  }

private:
  void layOut(const std::vector<Bytes> &inputs, const std::vector<Bytes> &constants) {
    uint64_t end = 0;
    memory_.resize(sequence_.buffers.size());
    for (size_t i = 0; i < sequence_.buffers.size(); ++i) {
      const Buffer &buffer = sequence_.buffers[i];
      addresses_.push_back(buffer.address == kUnplaced ? end : buffer.address);
      if (buffer.space == BufferSpace::Sram)
        end = std::max(end, addresses_.back() + (buffer.bytes + 63) / 64 * 64);
      else
        memory_[i].assign(buffer.bytes, 0xAA);
      if (buffer.space == BufferSpace::Input)
        memory_[i] = inputs.at(buffer.index);
      for (const Segment &s : buffer.contents)
        std::memcpy(memory_[i].data() + s.offset, constants.at(s.constant).data() + s.source, s.size);
    }
    sram_.assign(end, 0x55);
  }

  void runStep(const DmaCommand &dma, const Step &step) {
    for (uint32_t k = 0; k < dma.count2; ++k)
      for (uint32_t j = 0; j < dma.count1; ++j)
        for (uint32_t i = 0; i < dma.count0; ++i) {
          const auto offset = [&](const DmaEnd &end) {
            return end.offset + uint64_t(k) * end.stride2 + uint64_t(j) * end.stride1 + uint64_t(i) * end.stride0;
          };
          uint8_t *target = place(step.buffers.back(), offset(dma.destination), dma.runBytes);
          if (dma.kind == DmaKind::Fill)
            std::memset(target, int(dma.fillValue), dma.runBytes);
          else
            std::memmove(target, place(step.buffers[0], offset(dma.source), dma.runBytes), dma.runBytes);
        }
  }

  template <typename Command> void runStep(const Command &command, const Step &step) {
    Command relocated = command;
    size_t next = 0;
    visitAddresses(relocated, [&](auto &field) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, SramAddress>) {
        ASSERT_EQ(sequence_.buffers[step.buffers[next]].space, BufferSpace::Sram);
        field += uint32_t(addresses_[step.buffers[next++]]);
      }
    });
    ASSERT_EQ(next, step.buffers.size());
    CommandBody body = relocated;
    const kernels::Kernel *kernel = kernels::findKernel(body);
    ASSERT_NE(kernel, nullptr);
    Status legal = kernel->check(*problem_.target, body);
    ASSERT_TRUE(legal.isOk()) << legal.toString();
    kernel->run(*problem_.target, body, sram_);
  }

  uint8_t *place(uint32_t buffer, uint64_t offset, uint64_t bytes) {
    EXPECT_LE(offset + bytes, sequence_.buffers[buffer].bytes);
    return sequence_.buffers[buffer].space == BufferSpace::Sram ? sram_.data() + addresses_[buffer] + offset
                                                                : memory_[buffer].data() + offset;
  }

  const Problem &problem_;
  const Sequence &sequence_;
  std::vector<uint64_t> addresses_;
  std::vector<Bytes> memory_; ///< by buffer index; empty for buffers in SRAM
  Bytes sram_;
};

} // namespace

std::map<uint32_t, Bytes> runSequence(const Problem &problem, const Sequence &sequence,
                                      const std::vector<Bytes> &inputs, const std::vector<Bytes> &constants) {
  return Runner(problem, sequence).run(inputs, constants);
}

} // namespace avocet::compiler::schedule
