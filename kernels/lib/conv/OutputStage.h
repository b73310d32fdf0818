//===- OutputStage.h - From accumulators to stored elements --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_OUTPUTSTAGE_H
#define AVOCET_KERNELS_LIB_CONV_OUTPUTSTAGE_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// The output stage of one conv command, element by element. Refers to SRAM: use while the command runs.
class OutputStage {
public:
  OutputStage(const firmware::ConvCommand &command, std::span<uint8_t> sram);

  /// Stores the element of output channel `channel` at `out`, as the scaling says.
  void storeInteger(int64_t accumulator, uint32_t channel, void *out) const;
  /// One pixel: the integer sums of all channels.
  void storeIntegers(const int64_t *sums, uint32_t channels, uint8_t *pixel) const;
  void storeFloat(float accumulator, uint32_t channel, void *out) const;

  /// Zero point of the input: the command's, or for OutputScaling::Dynamic the one computed at run time.
  int32_t inputZeroPoint() const { return inputZeroPoint_; }
  float dynamicScale() const { return dynamicScale_; }
  const firmware::Clamp &clamp() const { return clamp_; }
  float floatMin() const { return floatMin_; }
  float floatMax() const { return floatMax_; }
  const firmware::RequantRecord *requantRecords() const { return requantRecords_; }
  const firmware::WideRequantRecord *wideRecords() const { return wideRecords_; }
  const firmware::FloatRecord *floatRecords() const { return floatRecords_; }
  /// The 256-byte table, or null.
  const uint8_t *table() const { return table_; }

private:
  /// The 32-bit or 64-bit sum with the channel's bias.
  int32_t biased(int64_t accumulator, uint32_t channel) const;
  int64_t biasedWide(int64_t accumulator, uint32_t channel) const;
  void storeDynamic(int32_t accumulator, uint32_t channel, void *out) const;
  float clampFloat(float value) const;
  void storeScaled(int32_t scaled, void *out) const;

  firmware::DataType inputType_, outputType_;
  firmware::OutputScaling scaling_;
  firmware::Rounding rounding_;
  int32_t outputZeroPoint_;
  int32_t inputZeroPoint_;
  float dynamicScale_ = 1;
  firmware::Clamp clamp_;
  float floatMin_ = 0, floatMax_ = 0;
  const firmware::RequantRecord *requantRecords_;
  const firmware::WideRequantRecord *wideRecords_;
  const firmware::FloatRecord *floatRecords_;
  const uint8_t *table_ = nullptr;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_OUTPUTSTAGE_H
