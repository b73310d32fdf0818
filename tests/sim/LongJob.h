//===- LongJob.h - Jobs to be preempted -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_SIM_LONGJOB_H
#define AVOCET_TESTS_SIM_LONGJOB_H

#include "TestClient.h"

#include <algorithm>

namespace avocet::sim::test {

inline constexpr uint32_t kBlock = 2048;             ///< bytes of a block
inline constexpr uint32_t kSteps = 12;               ///< number of blocks of a long job
inline constexpr uint32_t kMaximum = 0;              ///< SRAM address of the maximum
inline constexpr uint32_t kBuffers = kBlock;         ///< two buffers after it
inline constexpr uint64_t kResult = kSteps * kBlock; ///< offset of the maximum in region 1
inline constexpr uint64_t kFound = 32768;            ///< offset for the results of short jobs
inline constexpr uint64_t kStepCycles = 3000;        ///< more than the time of a long job between two yields

/// maximum = max(maximum, buffer)
inline firmware::EltwiseCommand accumulate(uint32_t buffer) {
  firmware::EltwiseCommand maximum;
  maximum.kind = firmware::EltwiseKind::Max;
  maximum.inputA = maximum.output = tensor(kMaximum, 8, 8, 32);
  maximum.inputB = tensor(buffer, 8, 8, 32);
  maximum.clamp = {-128, 127};
  maximum.block = {4, 8, 32};
  return maximum;
}

/// Computes the maximum over kSteps blocks of region 1, double buffered: the DMA channel is up to two steps ahead of
/// the array. Both streams have a yield before each step, at which only the maximum so far is live.
inline std::vector<TestStream> longJob(const std::vector<firmware::SramRange> &live = {{kMaximum, kBlock}}) {
  using namespace firmware;
  DmaCommand clear = load(1, 0, kMaximum, kBlock);
  clear.kind = DmaKind::Fill;
  clear.fillValue = 0x80;
  std::vector<CommandBody> dma = {clear}, mac;
  for (uint32_t step = 0; step < kSteps; ++step) {
    const uint32_t buffer = kBuffers + step % 2 * kBlock;
    dma.push_back(YieldCommand{step + 1, live});
    mac.push_back(YieldCommand{step + 1, live});
    if (step >= 2)
      dma.push_back(WaitCommand{1, step - 1});
    dma.push_back(load(1, step * kBlock, buffer, kBlock));
    dma.push_back(SignalCommand{0});
    mac.push_back(WaitCommand{0, step + 1});
    mac.push_back(accumulate(buffer));
    mac.push_back(SignalCommand{1});
  }
  dma.push_back(WaitCommand{1, kSteps});
  dma.push_back(store(1, kResult, kMaximum, kBlock));
  return {stream(kDma, dma, 1), stream(kMac, mac, 2)};
}

inline void fillLongJob(TestClient &client) {
  for (uint32_t i = 0; i < kSteps * kBlock; ++i)
    client.data()[i] = static_cast<uint8_t>(i * 2654435761u >> 24);
}

/// The expected bytes at kResult after a long job.
inline std::vector<uint8_t> longJobResult(TestClient &client) {
  std::vector<uint8_t> result(kBlock, 0x80);
  for (uint32_t i = 0; i < kSteps * kBlock; ++i) {
    uint8_t &most = result[i % kBlock];
    most = static_cast<uint8_t>(std::max(static_cast<int8_t>(most), static_cast<int8_t>(client.data()[i])));
  }
  return result;
}

inline std::vector<uint8_t> bytesAt(TestClient &client, uint64_t offset, uint32_t bytes) {
  return {client.data() + offset, client.data() + offset + bytes};
}

/// Overwrites `bytes` of SRAM from `begin` on with the start of region 1 and reads them back to kFound.
inline std::vector<TestStream> shortJob(uint32_t begin, uint32_t bytes) {
  return {stream(kDma, {load(1, 0, begin, bytes), store(1, kFound, begin, bytes)})};
}

/// Copies SRAM contents that it did not write to kFound.
inline std::vector<TestStream> spyingJob(uint32_t begin, uint32_t bytes) {
  return {stream(kDma, {store(1, kFound, begin, bytes)})};
}

} // namespace avocet::sim::test

#endif // AVOCET_TESTS_SIM_LONGJOB_H
