//===- ByteTile.h - Dense products of bytes on vectors ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For machines that add four products of unsigned and signed bytes in one instruction. A tile is a block of output
// pixels times all output channels. Its input is a matrix of unsigned bytes: signed inputs have 128 added, padding is
// the zero point. The sums start at what the zero point contributes, with the opposite sign.
//
// Weights are int8 with zero point 0. They are repacked once per command into panels: for each four products, those of
// all channels of the panel are adjacent.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_BYTETILE_H
#define AVOCET_KERNELS_LIB_CONV_BYTETILE_H

#include "conv/IntegerTile.h"
#include "conv/StageArrays.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avocet::kernels {

struct BytePanels {
  std::vector<int8_t> elements;
  std::vector<int32_t> starts; ///< of the sums, by channel
};

/// Fills `panels` for multiplyByteTile. `zeroPoint` is that of the unsigned inputs. False, without effect, if this
/// machine lacks the instruction.
bool packBytePanels(const PackedWeights &weights, uint8_t zeroPoint, BytePanels &panels);

struct ByteTile {
  const uint8_t *rows; ///< pixels x rowLength
  size_t pixels;
  size_t rowLength; ///< products of a pixel, rounded up to a multiple of 4
  const BytePanels &panels;
  const StageArrays &stage; ///< Requantize or Dynamic
  uint32_t channels;
  uint8_t *const *outputs; ///< one pixel each
};

/// Products, output stage and stores of one tile.
void multiplyByteTile(const ByteTile &tile);

/// Copies bytes, with 128 added if they are signed.
struct UnsignedInput {
  bool isSigned;
  void operator()(const uint8_t *source, size_t count, uint8_t *destination) const;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_BYTETILE_H
