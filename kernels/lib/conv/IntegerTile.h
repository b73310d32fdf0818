//===- IntegerTile.h - Dense integer products on vectors -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a block of output pixels times all output channels. Its input is a matrix of 16-bit rows, one per pixel:
// the products of the window with the zero point subtracted, padding as zeros, the number of columns even. Weights are
// repacked once per command into panels: for each pair of products, the pairs of all channels of the panel are
// adjacent.
//
// Each function with a bool result returns false, without effect, if this machine has no vector form.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_INTEGERTILE_H
#define AVOCET_KERNELS_LIB_CONV_INTEGERTILE_H

#include "avocet/firmware_iface/WeightLayout.h"
#include "conv/StageArrays.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace avocet::kernels {

/// Weights of one command, as stored in SRAM.
struct PackedWeights {
  const uint8_t *data;
  const firmware::WeightLayout &layout;
  firmware::DataType type; ///< Int8, UInt8 or Int16; only Int8 and UInt8 where a function does not name Int16
  int32_t zeroPoint;       ///< of Int16: 0
};

/// Panels of all weights of a command. Products of two 16-bit numbers do not fit in the sums. So a weight of 16 bits is
/// stored as 256 * a + b, with a and b in [-128, 128]: the panels of all a, and after them those of all b.
struct IntegerPanels {
  std::vector<int16_t> elements;
  size_t lowBytes = 0; ///< where the panels of b begin; 0: there are none
};

/// Fills `panels` for multiplyIntegerTile; weights may be Int16.
bool packIntegerPanels(const PackedWeights &weights, IntegerPanels &panels);

struct IntegerTile {
  const int16_t *rows; ///< pixels x rowLength
  size_t pixels;
  size_t rowLength; ///< even
  const IntegerPanels &panels;
  const StageArrays &stage;
  uint32_t channels;
  uint8_t *const *outputs; ///< one pixel each
};

/// Products, output stage and stores of one tile. Scaling is Requantize, RequantizeWide or Dynamic; RequantizeWide if
/// the weights have 16 bits.
void multiplyIntegerTile(const IntegerTile &tile);

/// Sums of products of a few rows with all channels, directly from the packed weights: sums[pixel * channels +
/// channel]. At most `most` products are summed in 32 bits, where sums wrap.
bool multiplyIntegerRows(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength,
                         uint32_t most, int64_t *sums);

/// The output stage of the sums of one pixel, whose low 32 bits count; Requantize or Dynamic.
bool storeIntegerSums(const int64_t *sums, uint32_t channels, const StageArrays &stage, uint8_t *pixel);

/// Widens 8-bit elements and subtracts the zero point.
void widenBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination);

/// Elements of an input row as 16-bit numbers without their zero point.
struct WidenInput {
  bool isSigned;
  int32_t zeroPoint;
  void operator()(const uint8_t *source, size_t count, int16_t *destination) const {
    widenBytes(source, count, isSigned, zeroPoint, destination);
  }
  void operator()(const int16_t *source, size_t count, int16_t *destination) const {
    std::memcpy(destination, source, count * sizeof(int16_t));
  }
};

/// Products of 16 and 8 bits whose sum always fits in 32 bits; even.
inline constexpr uint32_t kExactProducts = 510;

/// Whether the inputs have 16 bits, the weights this type, and all zero points of products are 0.
inline bool hasPlainProducts(const firmware::ConvCommand &command, firmware::DataType weightType) {
  return command.input.type == firmware::DataType::Int16 && command.input.zeroPoint == 0 &&
         command.weightType == weightType && command.weightZeroPoint == 0;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_INTEGERTILE_H
