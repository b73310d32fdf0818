//===- Rearrange.h - Copies between tensors of any rank ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "rearrange": moves elements and computes nothing. Transposition, slices with steps of either sign, tiling,
// padding, concatenation and the exchange of space for channels or batches all use this loop nest.
//
//   inputs[*]   one or more dense maps of elements of 1, 2, 4 or 8 bytes
//   outputs[0]  dense, of the inputs' element type
//
// If `fill` is set, the output is first filled with one element; then the moves run in order. A move copies a box:
// element (i0, i1, ...) comes from inputOffset + sum(i * inputStride) of its input and goes to outputOffset + sum(i *
// outputStride), all counted in elements of the dense maps. An input stride of 0 repeats, a negative one mirrors. A
// move writes at most as many elements as the output has, which bounds the run time for all parameters. Output elements
// that no move or fill writes keep the contents of the memory.
//
// Moves of rows are those of one row of each map, and repeat for all rows; the maps then have the same number of rows,
// which may have gaps between them or wrap around in a ring. Pixels may have gaps too if each axis of each move stays
// inside a pixel or goes from pixel to pixel, and nothing is filled; moves count elements as if there were no gaps.
//
// Words: fill (0, 1, or 2 if fillBits has more than 32 bits), plus 4 for moves of rows; the low word of fillBits and,
// after a 2, the high word; then for each move: input, inputOffset, outputOffset, rank (0 to 16), and for each axis,
// outermost first: extent, inputStride, outputStride.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_REARRANGE_H
#define AVOCET_KERNELS_DSP_REARRANGE_H

#include "avocet/base/Status.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::kernels {

inline constexpr KernelId kRearrangeKernel{"rearrange", 10};

/// Most axes of a move: a tensor of the largest rank, tiled along all of its axes.
inline constexpr uint32_t kMaxMoveAxes = 16;

struct MoveAxis {
  uint32_t extent = 1;
  int32_t inputStride = 0;
  int32_t outputStride = 0;
  bool operator==(const MoveAxis &) const = default;
};

/// Copies one box.
struct Move {
  uint32_t input = 0; ///< number of the input
  uint32_t inputOffset = 0;
  uint32_t outputOffset = 0;
  std::vector<MoveAxis> axes; ///< outermost first
  bool operator==(const Move &) const = default;
};

struct RearrangeParameters {
  bool fill = false;
  uint64_t fillBits = 0; ///< the element's bits, in the low bytes
  std::vector<Move> moves;
  bool areOfRows = false; ///< fill and moves are those of each row
};

/// The same copies with as few axes as possible: axes of extent 1 are removed, axes that continue each other are
/// merged.
Move simplified(const Move &move);

/// The moves of whole dense maps of `rows` rows that do the same as moves of rows, or the moves as they are.
std::vector<Move> wholeMoves(const RearrangeParameters &parameters, uint32_t rows, std::span<const uint64_t> inputRows,
                             uint64_t outputRow);

/// The words for DspCommand::parameters, which limits their number.
std::vector<uint32_t> packRearrange(const RearrangeParameters &parameters);

/// The inverse. InvalidArgument if the words do not form whole moves; check() validates the figures.
Result<RearrangeParameters> unpackRearrange(std::span<const uint32_t> words);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_REARRANGE_H
