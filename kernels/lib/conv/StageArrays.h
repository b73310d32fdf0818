//===- StageArrays.h - Channel records as one array per field --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_STAGEARRAYS_H
#define AVOCET_KERNELS_LIB_CONV_STAGEARRAYS_H

#include "avocet/firmware_iface/Command.h"
#include "conv/OutputStage.h"

#include <cstdint>
#include <vector>

namespace avocet::kernels {

/// The output stage of one command in the form that vector code loads: every array is padded with zeros to a multiple
/// of kPadding channels, so that whole vectors can be read at any channel.
struct StageArrays {
  static constexpr uint32_t kPadding = 128;

  StageArrays(const firmware::ConvCommand &command, const OutputStage &stage);

  /// False for records that only the plain form computes exactly: negative multipliers, which no compiler writes, and
  /// saturating shifts.
  bool exactInVectors = true;
  firmware::OutputScaling scaling;
  firmware::Rounding rounding;
  firmware::DataType outputType;
  std::vector<int32_t> bias, multiplier, left, right;                  ///< Requantize, Sums
  std::vector<int64_t> wideBias, wideMultiplier, wideNudge, wideShift; ///< RequantizeWide, SumsWide; see WideMultiplier
  std::vector<float> floatBias, floatScale; ///< Float, Dynamic; the scale contains the dynamic scale
  int32_t zeroPoint, min, max;
  float floatMin, floatMax;
  const uint8_t *table;

  /// The same with channel order[i] at position i, for vector code that works in another order within its blocks.
  void permute(const std::vector<uint32_t> &order);

private:
  void addRequantRecords(const firmware::RequantRecord *records, uint32_t channels);
  void addWideRecords(const firmware::WideRequantRecord *records, uint32_t channels);
  void addFloatRecords(const firmware::FloatRecord *records, uint32_t channels, float dynamicScale);
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_STAGEARRAYS_H
