//===- DeviceBound.h - The least time with the device's limits --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second bound. Roofline.h has the products, the decoder, the output stage and the off-chip port; this one adds
// what else no schedule can avoid on the device. What lies between the two bounds is the price of the device; what lies
// above the second is lost by the schedule. It too is a function of the network's operations and of the target only,
// and never below the first. For one operation:
//
//   steps        = outputs in whole steps: rows of steps * granules of channels, divided by the cores and rounded up,
//                  times columns of steps. Positions that may be arranged in any rows (kernels of one row or one
//                  column) fill all of a step but the last. Groups are packed into granules as it takes least; so are
//                  neighboring positions of few channels, with a larger window.
//   array        = steps * passes * cycles of a step * slowdown of the type. A transposed convolution: the sum over its
//                  phases. On the DSP instead, if that takes less: small shapes fill little of the array.
//   recurrent    = steps of the sequence * (array or decoder for the matrices that read the state, or the DSP, and once
//                  the latency from operand to result), as each step needs the results of the one before
//   DSP          = elements * least instructions / lanes: one instruction for each operation of the definition
//   port         = bytes of operands and results, each once / width of the SRAM port
//   own          = the largest of compute (Roofline.h), array, DSP and port
//   latency      = from the last operand to the first result: SRAM latency, then the pipeline of the array or one row
//   of
//                  the DSP, and the semaphores of a change between them
//   device       = own + latency if the operation waits: each result depends on all of the input, which lies in one
//   row,
//                  and no other operation can fill the time. The larger of the two if the input has more rows.
//
// The network's bound is the largest of
//
//   start + the larger sum of device times, that of operations with products or that of the others + end
//   off-chip time of all bytes that must cross the port once + write latency
//   the same sum of the operations before any one + off-chip time of the constants of that one and of those after it,
//   less the SRAM, which is all that can be loaded ahead
//   the first bound
//
//   start        = issue of a transfer, read latency, semaphores, SRAM latency
//   end          = semaphores, SRAM latency, write latency (the transfer was issued before)
//
// Both engines can work at the same time, on rows of different operations. Operations of one sum follow each other, in
// the order of the network.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DEVICEBOUND_H
#define AVOCET_KERNELS_DEVICEBOUND_H

#include "avocet/kernels/Roofline.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// The outputs of an operation as steps of the array cover them.
struct Grid {
  uint64_t rows = 0;    ///< of positions, of all images; 0: not known, so that all steps can be full
  uint64_t columns = 0; ///< of positions
  bool isFree = false;  ///< the positions may be arranged in any rows and columns
  uint64_t channels = 0;
  uint64_t groups = 1; ///< of channels, which read channels of their own
  uint64_t kernelRows = 1, kernelColumns = 1;
  uint64_t strideRows = 1, strideColumns = 1;
  bool isTransposed = false;   ///< the strides are those of the output
  uint64_t inputChannels = 0;  ///< of a transposed convolution
  uint64_t inputPositions = 0; ///< likewise
};

/// How an operation has to wait for all of its input.
enum class Waiting : uint8_t {
  None,    ///< it can begin with a part, or others can fill the time
  ForRows, ///< it can begin with the first rows, but ends after the last
  ForAll,  ///< it begins when the input, which has one row, is complete
};

/// What the device's limits depend on, beside the work.
struct DeviceWork {
  Work work;
  Grid grid;                     ///< Dense, Depthwise, pools
  uint64_t reads = 0;            ///< elements of the input that it has to read; pools
  uint64_t instructions = 1;     ///< least of each element on the DSP
  uint64_t portBytes = 0;        ///< operands and results, each once
  uint64_t sequenceSteps = 0;    ///< recurrent: one after the other; 0: none
  uint64_t recurrentWeights = 0; ///< of the matrices that read the state
  uint64_t recurrentOutputs = 0; ///< rows of those matrices
  Waiting waiting = Waiting::None;
  bool changesEngine = false; ///< its input comes from the other engine
};

/// Least cycles of an operation on the device, without the off-chip port. Saturates at 2^63 - 1.
uint64_t deviceCycles(const firmware::Target &target, const DeviceWork &work);

/// What the network's bound depends on, of one operation.
struct BoundedOperation {
  uint64_t deviceCycles = 0; ///< of deviceCycles()
  uint64_t constantBytes = 0;
  bool hasProducts = false;
};

/// The network's bound, from its operations in order and all bytes that cross the off-chip port once, those of
/// constants included.
uint64_t deviceBound(const firmware::Target &target, std::span<const BoundedOperation> operations,
                     uint64_t offChipBytes);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DEVICEBOUND_H
