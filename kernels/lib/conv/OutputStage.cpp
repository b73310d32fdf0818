//===- OutputStage.cpp - From accumulators to stored elements -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/OutputStage.h"

#include "avocet/kernels/Quantization.h"
#include "common/Checks.h"
#include "common/Elements.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

OutputStage::OutputStage(const ConvCommand &command, std::span<uint8_t> sram)
    : inputType_(command.input.type), outputType_(command.output.type), scaling_(command.scaling),
      rounding_(command.rounding), outputZeroPoint_(command.output.zeroPoint), inputZeroPoint_(command.input.zeroPoint),
      requantRecords_(reinterpret_cast<const RequantRecord *>(sram.data() + command.channelRecords.offset)),
      wideRecords_(reinterpret_cast<const WideRequantRecord *>(sram.data() + command.channelRecords.offset)),
      floatRecords_(reinterpret_cast<const FloatRecord *>(sram.data() + command.channelRecords.offset)) {
  if (command.lookupTable != kNoAddress)
    table_ = sram.data() + command.lookupTable.offset;
  if (command.scaling != OutputScaling::Float && command.scaling != OutputScaling::Dynamic) {
    clamp_ = integerClamp(command.clamp, outputType_);
    return;
  }
  floatMin_ = std::bit_cast<float>(command.clamp.min);
  floatMax_ = std::bit_cast<float>(command.clamp.max);
  if (command.scaling != OutputScaling::Dynamic)
    return;
  DynamicRecord record;
  std::memcpy(&record, sram.data() + command.dynamicScale.offset, sizeof(record));
  dynamicScale_ = record.scale;
  // The record comes from memory: only zero points of the input type keep the products in range.
  inputZeroPoint_ = std::clamp(record.zeroPoint, minValue(inputType_), maxValue(inputType_));
}

int32_t OutputStage::biased(int64_t accumulator, uint32_t channel) const {
  return static_cast<int32_t>(accumulator + requantRecords_[channel].bias);
}

int64_t OutputStage::biasedWide(int64_t accumulator, uint32_t channel) const {
  // Records come from memory: any bias wraps.
  return static_cast<int64_t>(static_cast<uint64_t>(accumulator) + static_cast<uint64_t>(wideRecords_[channel].bias()));
}

void OutputStage::storeInteger(int64_t accumulator, uint32_t channel, void *out) const {
  switch (scaling_) {
  case OutputScaling::Requantize: {
    const RequantRecord &record = requantRecords_[channel];
    return storeScaled(multiplyRounded(biased(accumulator, channel), {record.multiplier, record.shift}, rounding_),
                       out);
  }
  case OutputScaling::RequantizeWide: {
    const WideRequantRecord &record = wideRecords_[channel];
    return storeScaled(
        multiplyByQuantizedMultiplier64(biasedWide(accumulator, channel), record.multiplier, record.shift), out);
  }
  case OutputScaling::Sums:
    *static_cast<int32_t *>(out) = std::clamp(biased(accumulator, channel), clamp_.min, clamp_.max);
    return;
  case OutputScaling::SumsWide:
    *static_cast<int64_t *>(out) = biasedWide(accumulator, channel);
    return;
  case OutputScaling::Dynamic:
    return storeDynamic(static_cast<int32_t>(accumulator), channel, out);
  case OutputScaling::Float:
    return;
  }
}

void OutputStage::storeIntegers(const int64_t *sums, uint32_t channels, uint8_t *pixel) const {
  const uint32_t size = sizeOf(outputType_);
  for (uint32_t c = 0; c < channels; ++c, pixel += size)
    storeInteger(sums[c], c, pixel);
}

void OutputStage::storeScaled(int32_t scaled, void *out) const {
  int64_t value = std::clamp<int64_t>(int64_t(scaled) + outputZeroPoint_, clamp_.min, clamp_.max);
  kernels::storeInteger(outputType_, out, static_cast<int32_t>(value));
  if (table_)
    *static_cast<uint8_t *>(out) = table_[*static_cast<uint8_t *>(out)];
}

float OutputStage::clampFloat(float value) const { return std::min(std::max(value, floatMin_), floatMax_); }

void OutputStage::storeFloat(float accumulator, uint32_t channel, void *out) const {
  kernels::storeFloat(outputType_, out, clampFloat(accumulator + floatRecords_[channel].bias));
}

void OutputStage::storeDynamic(int32_t accumulator, uint32_t channel, void *out) const {
  const FloatRecord &record = floatRecords_[channel];
  float value = static_cast<float>(accumulator) * (dynamicScale_ * record.scale) + record.bias;
  kernels::storeFloat(outputType_, out, clampFloat(value));
}

} // namespace avocet::kernels
