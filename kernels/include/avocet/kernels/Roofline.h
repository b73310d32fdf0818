//===- Roofline.h - The least time that a network can take ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound with which schedules are compared. It is a function of the work that a network asks for and of the target,
// and of nothing that a compiler chooses. For one operation:
//
//   array time   = outputs / (outputs of a step, all cores) * ceil(terms / products of a step) * cycles of a step,
//                  times the slowdown of the type. Steps are perfectly packed with outputs; the products of a step that
//                  the terms of its outputs do not fill are lost. Pools take the steps of depthwise work, or the DSP
//                  if that is faster: one axis of the window after the other, one element for each lane and cycle,
//                  sums of 8 bits in lanes of 16.
//                  At least MACs / (peak MACs per cycle of the type), for outputs of different numbers of terms.
//   decode       = weights / (decode rate * cores), each weight once
//   element-wise = elements at the array's rate for that kind, times the slowdown of the type
//   output stage = outputs at its rate
//   compute      = the largest of array (or element-wise) time, decode and output stage
//   bound        = the larger of compute and the off-chip time of the operation's constants, as stored
//
// The DSP takes work of types that the array does not have, and kinds that the array has no rate for; one element for
// each lane and cycle. Moves count nothing.
//
// The network's bound is the larger of the sum of its operations' compute times and the off-chip time of all bytes that
// must cross the port once: constants as stored, inputs (without elements that no window reads), outputs. Halos,
// latencies, fill and drain are not counted. All times are rounded up.
//
// The sum assumes that one operation follows the other. The output stage can work for one while the array computes
// another, so that a schedule of a network that is bound by computation can be a little faster (ic_resnet8_fp32 on
// e256s at level 3: 0.99 of the bound). Sums and products of floats have the array's rate, although the DSP can be
// faster, which it is used for where a pixel is repeated. The off-chip time has no such exception.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_ROOFLINE_H
#define AVOCET_KERNELS_ROOFLINE_H

#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::kernels {

/// What an operation does with its elements.
enum class WorkKind : uint8_t {
  Move,        ///< nothing: its elements can be made, or read, where they are needed
  Dense,       ///< sums over all input channels
  Depthwise,   ///< sums over a window of one channel
  Sum,         ///< element-wise sum or difference
  Product,     ///< element-wise product, minimum or maximum
  Lookup,      ///< a function of one number of 8 bits
  MaxPool,     ///< largest element of a window of one channel
  AveragePool, ///< mean of a window of one channel, which may be a whole map
  Vector,      ///< anything else, element by element
};

/// The work of one operation of a network.
struct Work {
  WorkKind kind = WorkKind::Move;
  uint64_t macs = 0;                                        ///< Dense and Depthwise
  uint64_t elements = 0;                                    ///< that it makes; Vector: reads or makes, if that is more
  uint64_t terms = 1;                                       ///< of each element at least: Dense, Depthwise, pools
  uint64_t weights = 0;                                     ///< that the array decodes
  firmware::DataType input = firmware::DataType::Int8;      ///< type that the engine reads
  firmware::DataType multiplier = firmware::DataType::Int8; ///< type of weights, or of the second matrix
  uint64_t axisTerms = 0; ///< pools: terms of all elements if one axis of the window follows the other; 0: not known
};

/// Compute time of an operation in cycles. Saturates at 2^63 - 1.
uint64_t computeCycles(const firmware::Target &target, const Work &work);

/// Bound of an operation or of a network: `computeCycles` is that of the operation, or the sum over the network's
/// operations; `offChipBytes` must cross the off-chip port.
uint64_t rooflineCycles(const firmware::Target &target, uint64_t computeCycles, uint64_t offChipBytes);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_ROOFLINE_H
