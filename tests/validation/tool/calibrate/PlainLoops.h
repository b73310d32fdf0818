//===- PlainLoops.h - What a processor would do for a network ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The "CPU" that the figures of hal::Capabilities are relative to: one thread that runs loops without intrinsics or
// blocking, as a processor without a library for networks would. They read and write as many elements as the
// operations do, and compute as much with them; the values are not those of the network.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_CALIBRATE_PLAINLOOPS_H
#define AVOCET_VALIDATION_TOOL_CALIBRATE_PLAINLOOPS_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <vector>

namespace avocet::tool {

class PlainLoops {
public:
  /// `count` times: the products of a row of `inner` elements with each of `outer` rows of weights. The rows of the
  /// first matrix begin `step` elements apart.
  void multiply(uint32_t count, uint32_t step, uint32_t inner, uint32_t outer);
  /// `count` times: a sum of `window` products for each of `channels` channels, which lie side by side.
  void multiplyChannels(uint32_t count, uint32_t window, uint32_t channels);
  /// One addition for each element.
  void add(uint32_t elements);
  /// One hyperbolic tangent for each element.
  void activate(uint32_t elements);

  /// Nanoseconds of all loops, on elements of a tensor type of NNAPI; float16 is computed in float32. The least of
  /// several runs: what else the machine does only makes them longer.
  double nanoseconds(hal::OperandType type) const;

  struct Loop {
    enum class Kind { Multiply, MultiplyChannels, Add, Activate } kind;
    uint32_t count, step, inner, outer;
  };

private:
  std::vector<Loop> loops_;
};

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_CALIBRATE_PLAINLOOPS_H
