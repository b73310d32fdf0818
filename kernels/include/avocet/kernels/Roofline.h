//===- Roofline.h - The least time that an operation can take ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound with which schedules are compared. For one operation, as a command over whole tensors:
//
//   dense array time     = MACs / (peak MACs per cycle of the type)
//   depthwise array time = outputs / (outputs of a step, all cores) * ceil(taps / products of a step)
//                          * cycles of a step * slowdown of the type; the same for pools
//   element-wise         = elements at the rate of the operation * slowdown
//   weight decode        = weights / (decode rate * cores), each weight once
//   output stage         = outputs at its rate
//   DSP                  = compute cycles of the kernel, without issue
//
// All terms are rounded up. The operation takes the largest of them. The network's bound is the larger of the sum over
// its operations and the bytes that must cross the off-chip port at least once (stored weights, inputs, outputs) over
// its bandwidth. Halos, latencies, fill and drain are not counted.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_ROOFLINE_H
#define AVOCET_KERNELS_ROOFLINE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::kernels {

struct RooflineTerms {
  uint64_t arrayCycles = 0;
  uint64_t decodeCycles = 0;
  uint64_t outputCycles = 0;
  uint64_t dspCycles = 0;
  uint64_t macs = 0;

  /// The largest of the terms.
  uint64_t cycles() const;
};

/// Terms of one operation. They depend only on shapes, types, windows and parameters, not on addresses, strides, rings
/// and block. Commands that compute nothing (Dma, Wait, ...) and unknown DSP kernels give zeros.
RooflineTerms rooflineTerms(const firmware::Target &target, const firmware::CommandBody &wholeOperation);

/// Bound of a network: `operationCycles` is the sum of RooflineTerms::cycles(), `offChipBytes` as above.
uint64_t rooflineCycles(const firmware::Target &target, uint64_t operationCycles, uint64_t offChipBytes);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_ROOFLINE_H
